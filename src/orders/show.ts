/** `courier orders show`: orders in full, and what can be done with it now (2.4, 3 and 4.4). */

import { saysNoSuchOrder } from "../api/failure.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import { type Context, defineCommand, document, type Items, rows } from "../command/command.ts";
import { findLedger } from "../command/found-ledger.ts";
import { parseOrderName, refOf } from "../command/options.ts";
import { openKnownOrders, openOrderNames } from "../command/order-name.ts";
import { orderView } from "../command/order-view.ts";
import { pickOrder } from "../command/pick-order.ts";
import { readNames, stdinName } from "../command/piped-names.ts";
import { lookUpSeveral } from "../command/several.ts";
import { usageError } from "../core/errors.ts";
import { formatRelative } from "../core/time.ts";
import type { OrderDetail } from "../model/interface.ts";
import { type JsonObject, valueAt } from "../model/json.ts";
import { describeOtherNumbers, findOther, readOwner } from "../sending/another-order.ts";
import { type Block, type Column, line, show, styled } from "../terminal/blocks.ts";
import { detailPaths } from "./detail-paths.ts";

export const showOrder = defineCommand({
  description:
    "One order is shown in full, several one below the other in the order given. With --json, one argument gives an\n" +
    "object, several or - an array. An order that the service refuses or fails for is reported in its place; the\n" +
    "others are still shown.",
  arguments: {
    orders: {
      summary: "ids, order numbers, tracking numbers, or ref:REF; - reads them from stdin, one a line",
      parse: parseOrderName,
      isList: true as const,
      isOptional: true as const,
      values: "order",
    },
  },
  options: {},
  confirms: true,
  examples: [
    { line: "orders show", note: "at a terminal: pick one of the latest orders" },
    { line: "orders show 1000001", note: "everything the service knows about it" },
    { line: "orders show 1000001 --json | jq -r .status", note: "its state, for a script" },
    { line: "orders show 1000001 ref:A-17 --ndjson", note: "several, one JSON object a line" },
  ],
  exits: [1, 3, 6],
  seeAlso: ["track", "orders cancel"],
  async run({ orders: words }, context) {
    const names = words.length > 0 ? await readNames(words, parseOrderName, context) : await pickOne(context);
    const [only] = names;
    if (only !== undefined && words.length <= 1 && words[0] !== stdinName) {
      const order = await read(only, openOrderNames(context), context);
      return document(order, (shown) => orderView(shown, context));
    }
    return {
      ...rows(showSeveral(names, context), shownColumns, "No orders on stdin"),
      views: (shown: Shown) => shownView(shown, context),
    };
  },
});

async function read(
  name: string,
  findOrder: ReturnType<typeof openOrderNames>,
  context: Context,
): Promise<OrderDetail> {
  const { id, field } = await findOrder(name);
  const order = await readKnown(id, context);
  const ref = refOf(name);
  if (ref === undefined) await checkOwner(order, context).catch(() => undefined);
  const other = ref === undefined ? undefined : await findOther(order, [ref], context);
  if (other) {
    context.messages.warn(`${name} led to order ${id}, but ${other}`);
    await openOrderNames(context)(name); // fails where that order was taken from the ref's: it is in doubt now
  }
  const numbers = describeOtherNumbers({ name, field }, order);
  if (numbers) context.messages.warn(numbers);
  return order;
}

/** Says where the order is another one than its create sent. A person who looks at an order waits for no server. */
async function checkOwner(order: OrderDetail, context: Context): Promise<void> {
  if (await context.sharesLedger()) return;
  const customer = await context.knownCustomer();
  const ledger = customer && (await findLedger(context));
  if (!ledger) return;
  const { clock, messages, nextCommand } = context;
  await readOwner(order, { ledger, customer: customer.id, clock, warn: messages.warn, nextCommand });
}

/** Of an order that the service does not show, the last answers may be on this machine. */
async function readKnown(id: string, context: Context): Promise<OrderDetail> {
  try {
    return await (await context.service()).order(id);
  } catch (error) {
    if (!saysNoSuchOrder(error)) throw error;
    const mirror = await openKnownOrders(context).catch(() => undefined);
    const known = await mirror?.order(id);
    if (mirror === undefined || known === undefined) throw error;
    const nowMs = context.clock.now();
    await mirror.noteNotShown(id, nowMs);
    const seen = formatRelative(known.seenAtMs, nowMs);
    throw error.with({ hint: `this machine last saw it ${seen}: ${context.nextCommand(`find ${id}`)}` });
  }
}

async function pickOne(context: Context): Promise<readonly string[]> {
  const picked = await pickOrder("Which order?", "any", context);
  if (!picked) throw usageError("no order given", "name some, or pipe them in with -");
  return [picked.id];
}

/** An order as the service sent it, or why there is none. */
type Shown = OrderDetail | (JsonObject & { readonly order: string; readonly error: JsonObject });

async function* showSeveral(names: readonly string[], context: Context): Items<Shown> {
  if (names.length === 0) return undefined;
  const service = await context.service();
  await checkApiQuota(names.length, service, context);
  const findOrder = openOrderNames(context);
  return yield* lookUpSeveral<Shown>(names, {
    look: (name) => read(name, findOrder, context),
    failed: (order, error) => ({ order, error }),
    noun: "orders",
  });
}

function isFailed(shown: Shown): shown is Exclude<Shown, OrderDetail> {
  return "error" in shown && !("id" in shown);
}

function shownView(shown: Shown, context: Context): readonly Block[] {
  if (!isFailed(shown)) return orderView(shown, context);
  return [line(styled("strong", `Order ${show(shown.order)}`), "  ", styled("bad", shown.error.message))];
}

const shownColumns: readonly Column<Shown>[] = [...detailPaths, "order", "error.code", "error.message"].map(
  (path) => ({ path, title: path.toUpperCase(), cell: (shown) => show(valueAt(shown, path)) }),
);
