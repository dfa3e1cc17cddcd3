/** `courier orders slips`: a page that prints one packing slip an order (4.3 and 4.4). */

import { ServiceFailure } from "../api/failure.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import { type Context, defineCommand, type Items, type Output, rows } from "../command/command.ts";
import { findCustomerOfOwnOrders } from "../command/customer-of-key.ts";
import { findLedger } from "../command/found-ledger.ts";
import { parseOrderName, quote, refOf } from "../command/options.ts";
import {
  checkFilter,
  createOwnFilter,
  filterOptions,
  type OrderQuery,
  type OwnFilter,
} from "../command/order-filter.ts";
import { findOrderIds, type UsedName } from "../command/order-name.ts";
import { pickOrder } from "../command/pick-order.ts";
import { readNames } from "../command/piped-names.ts";
import { wrongAccount } from "../command/run-messages.ts";
import { findRun, parseRunNumber } from "../command/run-number.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { lazy } from "../core/lazy.ts";
import { byCount, counted } from "../core/wording.ts";
import { isInDoubt, isMade } from "../ledger/operation.ts";
import type { OrderDetail } from "../model/interface.ts";
import type { Slip } from "../model/results.ts";
import { describeOtherNumbers, readOwner } from "../sending/another-order.ts";
import { type Column, show, state, styled } from "../terminal/blocks.ts";
import { exportDetails, namingOrder, tellOwn } from "./export.ts";
import { type SlipSize, slipPage } from "./slip-page.ts";

const callsAtOnce = 8;
/** Ids in one message. */
const mostNamed = 10;

const namedSizes: Readonly<Record<string, SlipSize>> = {
  a6: { widthMm: 105, heightMm: 148 },
};
const defaultSize: SlipSize = { widthMm: 100, heightMm: 150 };
/** Smaller slips have no room for a bar code and an address; larger ones no printer. */
const bounds = { least: { widthMm: 60, heightMm: 80 }, most: { widthMm: 300, heightMm: 420 } };

export const printSlips = defineCommand({
  description:
    "One HTML page for a browser to print, one slip an order: sender, receiver, item, ref, order number, and the\n" +
    "tracking number as a bar code (Code 128). It is the shop's own packing slip and not the courier's waybill, which\n" +
    "the service's interface does not offer. Orders are those that you name, or those that --run created, or those that\n" +
    "match --status and days. With --run or a filter, cancelled orders are left out; among named ones, they\n" +
    "are marked. The ref is known where this machine created the order. --json prints the data of the slips.",
  arguments: {
    orders: {
      summary: "ids, order numbers, tracking numbers, or ref:REF; - reads them from stdin, one a line",
      parse: parseOrderName,
      isList: true as const,
      isOptional: true,
      values: "order",
    },
  },
  options: {
    run: { placeholder: "N", summary: "the orders that run N of courier log created", parse: parseRunNumber },
    ...filterOptions,
    size: {
      placeholder: "SIZE",
      summary: "size of a slip in millimetres, or A6 (default 100x150)",
      parse: parseSize,
      candidates: [
        { value: "100x150", description: "millimetres" },
        { value: "A6", description: "105x148" },
      ],
    },
  },
  confirms: true,
  exportsAs: "html",
  examples: [
    { line: "orders slips 1000001 1000002 -o slips.html", note: "open it in a browser, and print it" },
    { line: "orders slips --run 12 --size A6 -o slips.html", note: "for all that an import created" },
    { line: "orders slips --status paid --from 2026-01-31 -o slips.html", note: "for what is to be packed" },
  ],
  exits: [1, 3, 5, 6],
  seeAlso: ["orders show", "orders import", "log"],
  async run({ orders: words, run, size = defaultSize, ...options }, context): Promise<Output> {
    const query = checkFilter(options, context.clock);
    const own = createOwnFilter(query, context.clock);
    const hasFilter = query.statuses.length > 0 || query.days !== undefined;
    const ways = [words.length > 0, run !== undefined, hasFilter].filter(Boolean).length;
    if (ways > 1) throw usageError("named orders, --run and a filter exclude each other", "use one of them");
    const picked = ways === 0 ? await pickOrder("A slip for which order?", "any", context) : undefined;
    if (ways === 0 && !picked)
      throw usageError("no orders named", "name orders, or use --run N, or a filter such as --status paid");
    const slips = hasFilter
      ? slipsOfFilter(query, own, context)
      : run !== undefined
        ? slipsOfIds(await ordersOfRun(run, context), context)
        : slipsOfIds(
            {
              named: await findOrderIds(
                picked ? [picked.id] : await readNames(words, parseOrderName, context),
                context,
              ),
              isRun: false,
            },
            context,
          );
    const onCut = (id: Slip["id"]) =>
      context.messages.warn(
        `order ${id.value} has more text than its slip has room for; a larger --size has more room`,
      );
    const page = { page: slipPage(size, onCut), noun: "slip", after: () => tellOwn(own, context) };
    return { ...rows(slips, slipColumns, "No orders"), ...page };
  },
});

/** `100x150` or a name. Throws a usage error. */
function parseSize(text: string, flag: string): SlipSize {
  const named = Object.hasOwn(namedSizes, text.toLowerCase()) ? namedSizes[text.toLowerCase()] : undefined;
  if (named) return named;
  const [, width, height] = /^(\d{2,3})[x×](\d{2,3})$/i.exec(text) ?? [];
  const size = { widthMm: Number(width), heightMm: Number(height) };
  const { least, most } = bounds;
  const isWide = size.widthMm >= least.widthMm && size.widthMm <= most.widthMm;
  if (isWide && size.heightMm >= least.heightMm && size.heightMm <= most.heightMm) return size;
  throw usageError(
    `${flag} takes millimetres such as 100x150, or A6, not ${quote(text)}`,
    `from ${least.widthMm}x${least.heightMm} to ${most.widthMm}x${most.heightMm}`,
  );
}

/** Ids of orders, with the names that led to each. */
type NamedIds = ReadonlyMap<string, readonly UsedName[]>;

interface ChosenOrders {
  readonly named: NamedIds;
  readonly isRun: boolean;
  /** The run has orders in doubt, which have no slip. */
  readonly inDoubt?: CourierError | undefined;
}

interface Refused {
  readonly id: string;
  readonly refusal: CourierError;
}

/** The orders that a run created, in the order of its rows, which no names led to. Throws a usage error for a run of another account. */
async function ordersOfRun(number: number, context: Context): Promise<ChosenOrders> {
  const ledger = await findLedger(context);
  const run = await findRun(ledger, number, context);
  const customer = await context.customer();
  if (run.customer !== customer.id) throw await wrongAccount(run, `orders slips --run ${number}`, context);
  const operations = (await ledger?.listOperations(number)) ?? [];
  const doubts = operations.filter((each) => each.kind === "create" && isInDoubt(each)).length;
  const inDoubt =
    doubts > 0
      ? new CourierError(
          "outcome_unknown",
          6,
          `run ${number} has ${counted(doubts, "order")} in doubt, without a slip`,
          { hint: `${context.nextCommand(`log show ${number}`)} lists them` },
        )
      : undefined;
  // A row that an order of another machine covers was not sent: its slip is that machine's.
  const made = operations.filter((each) => isMade(each) && each.sentAtMs !== undefined);
  if (made.length === 0 && inDoubt) throw inDoubt;
  if (made.length === 0)
    throw usageError(
      `run ${number} created no order`,
      `${context.nextCommand(`log show ${number}`)} shows what it did`,
    );
  const ids = made
    .toSorted((a, b) => (a.row ?? 0) - (b.row ?? 0) || a.number - b.number)
    .flatMap(({ order }) => order?.id ?? []);
  return { named: new Map(ids.map((id) => [id, []])), isRun: true, inDoubt };
}

async function* slipsOfIds({ named, isRun, inDoubt }: ChosenOrders, context: Context): Items<Slip> {
  const ids = [...named.keys()];
  const service = await context.service();
  await checkApiQuota(ids.length, service, context);
  const refs = openRefs(context);
  const meter = context.meter();
  const refusals: Refused[] = [];
  const cancelled: string[] = [];
  let seen = 0;
  let stray: string | undefined;
  const read = async (id: string) => {
    try {
      const order = await service.order(id);
      const names = named.get(id) ?? [];
      const isNamed = names.some(({ name }) => name === id);
      const others = names.filter((each) => {
        const other = describeOtherNumbers(each, order);
        if (other !== undefined) context.messages.warn(other);
        return other !== undefined;
      });
      if (others.length > 0 && !isNamed) return { id, refusal: refuseOther(id, context) };
      const { ref, isOther } = await refs(order);
      // The service shows another receiver's: no ref means it.
      if (isOther) others.push(...names.filter(({ name }) => refOf(name) !== undefined));
      if (isOther && !isNamed && (others.length > 0 || names.length === 0))
        return { id, refusal: refuseOther(id, context) };
      if (others[0]) stray ??= `${others[0].name} may mean another order, which has no slip`;
      return toSlip(order, ref);
    } catch (error) {
      if (error instanceof ServiceFailure && error.kind === "refused") return { id, refusal: error };
      throw namingOrder(id, error);
    }
  };
  try {
    for await (const found of mapInOrder(ids, callsAtOnce, read)) {
      seen += 1;
      meter.update(() => `${seen} of ${counted(ids.length, "order")}`);
      if ("refusal" in found) refusals.push(found);
      else if (isRun && found.status === "cancelled") cancelled.push(found.id.value);
      else yield found;
    }
  } finally {
    meter.end();
  }
  noteCancelled(cancelled, context);
  const failure = summarise(ids.length, refusals);
  // Nothing to print: an older page stays.
  if (failure && refusals.length === ids.length) throw failure;
  if (failure && inDoubt) context.messages.warn(failure.message);
  return inDoubt ?? failure ?? (stray ? new CourierError("some_refused", 3, stray) : undefined);
}

/** The slip of another parcel would be taken for the one that was named. */
function refuseOther(id: string, { nextCommand }: Context): CourierError {
  return new CourierError(
    "some_refused",
    3,
    `order ${id} may be another one than is meant, and has no slip`,
    {
      hint: `name it by its id to print it: ${nextCommand(`orders slips ${id}`)}`,
    },
  );
}

function summarise(count: number, refusals: readonly Refused[]): CourierError | undefined {
  const [first] = refusals;
  if (first === undefined || count === 1) return first?.refusal;
  const have = byCount(refusals.length, "has", "have");
  const message = `${refusals.length} of ${counted(count, "order")} ${have} no slip: ${nameSome(refusals.map(({ id }) => id))}`;
  return new CourierError("some_refused", 3, message, { hint: `${first.id}: ${first.refusal.message}` });
}

async function* slipsOfFilter(
  query: OrderQuery,
  own: OwnFilter,
  context: Context,
): AsyncGenerator<Slip, void> {
  const refs = openRefs(context);
  const cancelled: string[] = [];
  for await (const order of exportDetails(query, own, context)) {
    if (order.status === "cancelled" && !query.statuses.includes("cancelled")) cancelled.push(order.id.value);
    else yield toSlip(order, (await refs(order)).ref);
  }
  noteCancelled(cancelled, context);
}

function noteCancelled(ids: readonly string[], { messages }: Context): void {
  if (ids.length > 0) messages.note(`left out ${counted(ids.length, "cancelled order")}: ${nameSome(ids)}`);
}

function nameSome(ids: readonly string[]): string {
  const more = ids.length - mostNamed;
  return ids.slice(0, mostNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/**
 * The ref of an order, where the ledger has it, and the order is the one that was sent. A ledger that cannot be read
 * costs the refs, and no slip.
 */
function openRefs(context: Context) {
  const open = lazy(async () => {
    try {
      const customer = await findCustomerOfOwnOrders(context);
      const { clock, messages, nextCommand } = context;
      if (!customer) return undefined;
      const ledger = await context.ledger();
      return { customer: customer.id, ledger, clock, warn: messages.warn, nextCommand };
    } catch (error) {
      context.messages.warn(`the slips have no refs: ${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  });
  return async (order: OrderDetail) => {
    const known = await open();
    const { operation, other } = known ? await readOwner(order, known) : {};
    const isOther = other !== undefined;
    return { ref: (!isOther && operation?.ref) || null, isOther };
  };
}

function toSlip(
  { id, order_no, tracking_number, status, sender, receiver, item }: OrderDetail,
  ref: string | null,
): Slip {
  const party = (from: OrderDetail["sender"]) => ({
    name: from?.name ?? null,
    phone: from?.phone ?? null,
    address: from?.address ?? null,
  });
  return {
    id,
    order_no: order_no ?? null,
    tracking_number: tracking_number ?? null,
    ref,
    status: status ?? null,
    sender: party(sender),
    receiver: party(receiver),
    item: {
      name: item?.name ?? null,
      description: item?.description ?? null,
      quantity: item?.quantity ?? null,
    },
  };
}

const slipColumns: readonly Column<Slip>[] = [
  { path: "id", title: "ID", cell: ({ id }) => styled("strong", id) },
  { path: "order_no", title: "ORDER NO", cell: ({ order_no }) => show(order_no) },
  { path: "tracking_number", title: "TRACKING", cell: ({ tracking_number }) => show(tracking_number) },
  { path: "ref", title: "REF", cell: ({ ref }) => show(ref) },
  { path: "status", title: "STATE", cell: ({ status }) => state(status) },
  ...(["sender", "receiver"] as const).flatMap((part) =>
    (["name", "phone", "address"] as const).map(
      (name): Column<Slip> => ({
        path: `${part}.${name}`,
        title: `${part} ${name}`.toUpperCase(),
        cell: (slip) => show(slip[part][name]),
      }),
    ),
  ),
  ...(["name", "description", "quantity"] as const).map(
    (name): Column<Slip> => ({
      path: `item.${name}`,
      title: `ITEM ${name.toUpperCase()}`,
      cell: (slip) => show(slip.item[name]),
      ...(name === "quantity" ? { holds: "number" as const } : {}),
    }),
  ),
];
