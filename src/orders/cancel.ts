/** `courier orders cancel`: shows, confirms, cancels, and reports the state read back (4.4 and 4.5). */

import { ServiceFailure } from "../api/failure.ts";
import type { CourierService } from "../api/service.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import {
  type Context,
  confirmOrStop,
  defineCommand,
  ensureCanConfirm,
  goesOnUnread,
  type Items,
  rows,
} from "../command/command.ts";
import { findLedger } from "../command/found-ledger.ts";
import { parseOrderName, switchOption } from "../command/options.ts";
import type { OrderQuery } from "../command/order-filter.ts";
import { findOrderIds } from "../command/order-name.ts";
import { pickOrder } from "../command/pick-order.ts";
import { readNames, stdinName } from "../command/piped-names.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { byCount, counted } from "../core/wording.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import type { Cancellation } from "../model/results.ts";
import { cannotBeCancelled } from "../model/states.ts";
import {
  type CancelTools,
  cancelOne,
  explainUnshown,
  hintOfAccepted,
  wasJustSent,
} from "../sending/cancel.ts";
import { blank, show, table } from "../terminal/blocks.ts";
import { checkSelection, selectionOptions, selectOrders } from "./cancel-selection.ts";
import {
  cancellationColumns,
  describeAccepted,
  explainStop,
  type Found,
  onlyThese,
  type Reported,
  reportDryRun,
  reportMismatch,
  reportNotTried,
  reportResult,
  reportStopped,
  reportUnread,
  reportUntouched,
} from "./cancellation.ts";
import { findOthers } from "./named-others.ts";

const callsAtOnce = 4;

export const cancelOrders = defineCommand({
  description:
    "The service cancels pending and paid orders only: for an order in another known state, nothing is sent. courier\n" +
    "reads each order back after the request, and shows the state that it really has. courier log shows what was\n" +
    "cancelled. With --status, the whole list is read first, and each order once more before its request: one that no\n" +
    "longer has the state, or is not of the chosen days, is left alone.",
  arguments: {
    orders: {
      summary: "ids, order numbers, tracking numbers, or ref:REF; - reads them from stdin, one a line",
      parse: parseOrderName,
      isList: true as const,
      isOptional: true as const,
      values: "cancellable order",
    },
  },
  options: {
    ...selectionOptions,
    dryRun: switchOption("show the orders and what would be cancelled; nothing is sent"),
  },
  confirms: true,
  mentionsDoubt: true,
  examples: [
    { line: "orders cancel 1000001", note: "shows the order and asks first" },
    {
      line: "orders cancel --status pending --to 30d",
      note: "all that were not paid within a month, once you confirm",
    },
    { line: "orders cancel 1000001 1000002 --yes --json", note: "for a script" },
  ],
  exits: [1, 3, 5, 6],
  seeAlso: ["orders show", "undo", "log"],
  async run({ orders: given, dryRun, ...choice }, context) {
    const query = checkSelection(choice, given, context);
    const words = given.length > 0 || query ? given : await pickOne(context);
    const what = query ? `all ${query.statuses.join(" and ")} orders` : describeOrders(words);
    if (!dryRun) await ensureCanConfirm(context, `cancelling ${what}`);
    const { found, mismatch } = query
      ? await findSelected(query, context)
      : { found: await findNamed(words, dryRun === true, context), mismatch: undefined };
    const empty = query ? "No orders match" : "No orders on stdin";
    if (dryRun) return rows(previewAll(found, context), cancellationColumns, empty);
    const doable = found.filter(isOpen);
    if (doable.length === 0)
      return {
        ...rows(cancelAll(found, undefined, context), cancellationColumns, empty),
        ...goesOnUnread("cancelling", () => undefined, context),
      };
    await context.ledger(); // fails before the question: without a ledger nothing is sent
    noteUntouched(found, context);
    const service = await context.service();
    if (query) await showSelected(doable, service, context);
    const isLate = await confirmOrStop(
      context,
      query
        ? `Cancel ${byCount(doable.length, "this order", `these ${doable.length} orders`)}?`
        : question(doable),
    );
    const tools = {
      ...(await prepare(service, context)),
      mismatch: mismatch ?? (isLate ? (order: OrderDetail) => describeChange(order, doable) : undefined),
    };
    return {
      ...rows(cancelAll(found, tools, context), cancellationColumns, empty),
      ...goesOnUnread("cancelling", () => tools.run.number, context),
    };
  },
});

async function findNamed(
  words: readonly string[],
  isTrial: boolean,
  context: Context,
): Promise<readonly Found[]> {
  const names = await readNames(words, parseOrderName, context);
  if (names.length === 0) return [];
  const named = await findOrderIds(names, context);
  const found = await lookUp([...named.keys()], context).catch((error) => {
    if (!(error instanceof ServiceFailure) || error.kind === "refused") throw error;
    const hint = error.hintBefore("it is safe to run the same command again");
    throw error.with({ message: `${error.message}; nothing was cancelled`, hint });
  });
  const orders = found.flatMap(({ order }) => (order as OrderDetail) ?? []); // named orders are read in detail
  const others = await findOthers(orders, named, isTrial, context);
  for (const { stray } of others.values()) if (stray !== undefined) context.messages.warn(stray);
  return found.map((each) => ({ ...each, ...others.get(each.id) }));
}

async function findSelected(query: OrderQuery, context: Context) {
  const { orders, mismatch } = await selectOrders(query, context);
  return { found: orders.map((order): Found => ({ id: order.id.value, order })), mismatch };
}

/** Shows a person what will be asked about. Each order takes three calls: it is read, cancelled and read back. */
async function showSelected(
  found: readonly Found[],
  service: CourierService,
  context: Context,
): Promise<void> {
  const calls = found.length * 3;
  const what = `cancelling ${counted(found.length, "order")} takes ${calls} calls`;
  await checkApiQuota(calls, service, context, { what });
  if (context.globals.yes) return;
  const { orderColumns } = await import("./list.ts");
  const orders = found.map(({ order }) => order as OrderSummary);
  await context.display([table(orderColumns, orders), blank]);
}

/** As they were named: what is on stdin is not read yet. */
function describeOrders(words: readonly string[]): string {
  const named = [...new Set(words)];
  if (named.includes(stdinName)) return "the orders on stdin";
  return named.length === 1 ? `order ${named[0]}` : `${named.length} orders`;
}

async function pickOne(context: Context): Promise<readonly string[]> {
  const picked = await pickOrder("Cancel which order?", "cancellable", context);
  if (!picked) throw usageError("no order given", "name some, pipe them in with -, or use --status STATE");
  return [picked.id];
}

function isOpen({ order, other }: Found): boolean {
  return order !== undefined && other === undefined && !cannotBeCancelled(order.status);
}

async function readOrder(id: string, service: CourierService): Promise<Found> {
  try {
    return { id, order: await service.order(id) };
  } catch (error) {
    if (error instanceof ServiceFailure && error.kind === "refused") return { id, refusal: error };
    throw error;
  }
}

async function lookUp(ids: readonly string[], context: Context): Promise<readonly Found[]> {
  const service = await context.service();
  const found: Found[] = [];
  const look = (id: string) => readOrder(id, service);
  for await (const each of mapInOrder(ids, callsAtOnce, look)) found.push(each);
  const looked = await recallCancels(found, context);
  const [only] = looked;
  if (looked.length === 1 && only?.refusal && !only.mayBeCancelled) throw only.refusal;
  return looked;
}

/** Marks the orders that the service does not show, and that were cancelled before, or may have been. */
async function recallCancels(found: readonly Found[], context: Context): Promise<readonly Found[]> {
  const refused = found.flatMap(({ id, refusal }) => (refusal ? [id] : []));
  const ledger = refused.length > 0 ? await findLedger(context) : undefined;
  if (!ledger) return found;
  const customer = (await context.customer({ makesNoOrder: true })).id;
  const accepted = await ledger.findAcceptedUnread(customer, refused);
  const maybe = await ledger.findMaybeCancelled(customer, refused);
  return found.map((each) => ({
    ...each,
    isAccepted: accepted.has(each.id),
    mayBeCancelled: maybe.has(each.id),
  }));
}

/** A person learns before the question which orders it is not about. */
function noteUntouched(found: readonly Found[], { globals, messages }: Context): void {
  if (globals.yes) return;
  for (const { id, other } of found)
    if (other !== undefined) messages.note(`nothing is sent for ${id}: ${other}`);
  const untouched = found.filter((each) => each.order && each.other === undefined && !isOpen(each));
  const names = untouched.map(({ id, order }) => `${id} (${show(order?.status)})`);
  if (names.length > 0) messages.note(`nothing is sent for ${names.join(", ")}: ${onlyThese}`);
}

function question(found: readonly Found[]): string {
  const names = found.flatMap(({ id, order }) => {
    if (!order) return [];
    const { status, item, receiver } = order as OrderDetail; // named orders are read in detail
    const about = [status, item?.name, receiver?.name && `to ${receiver.name}`];
    return [`${id} (${about.filter(Boolean).join(", ")})`];
  });
  return names.length === 1
    ? `Cancel order ${names[0]}?`
    : `Cancel ${names.length} orders: ${names.join("; ")}?`;
}

async function* previewAll(found: readonly Found[], context: Context): Items<Cancellation> {
  let unclear: CourierError | undefined;
  for (const each of found) {
    const reported: Reported =
      each.order && isOpen(each) ? reportDryRun(each.id, each.order) : reportUntouched(each, context);
    unclear ??= reported.failure;
    yield reported.row;
  }
  const refusals = found.flatMap(({ refusal }) => refusal ?? []);
  if (unclear || refusals.length === 0 || found.length === 1)
    return unclear ?? refusals[0] ?? explainStray(found);
  const left = refusals.length;
  return new CourierError(
    "some_refused",
    3,
    `${left} of ${counted(found.length, "order")} cannot be cancelled`,
  );
}

/** `mismatch`: each order is read again before its request, and is left alone where it is not what was chosen. */
type Tools = CancelTools & { readonly mismatch: ((order: OrderDetail) => string | undefined) | undefined };

/** Why an order is not any more what the question was about. */
function describeChange(order: OrderDetail, found: readonly Found[]): string | undefined {
  const before = found.find(({ id }) => id === order.id.value)?.order as OrderDetail | undefined;
  if (!before || before.status !== order.status) return `it is ${show(order.status)} now`;
  const [one, other] = [before.receiver, order.receiver];
  const isSame = one?.name === other?.name && one?.phone === other?.phone && one?.address === other?.address;
  if (!isSame) return `it is for ${show(other?.name)} now`;
  return before.item?.name === order.item?.name ? undefined : `its goods are ${show(order.item?.name)} now`;
}

async function* cancelAll(
  found: readonly Found[],
  tools: Tools | undefined,
  context: Context,
): Items<Cancellation> {
  const refusals: CourierError[] = [];
  const accepted: string[] = [];
  const stopped: string[] = [];
  let notReached = 0;
  const hidden: string[] = [];
  let failure: CourierError | undefined;
  /** The service refuses, and does not show the state: the other orders are cancelled as well. */
  let unclear: CourierError | undefined;
  /** The first failure sends to the order; other hints say already to run the same command again. */
  let leadsElsewhere = false;
  const fail = (error: CourierError | undefined) => {
    failure ??= error;
  };
  let done = 0;
  let unknown = 0;
  const cancelEach = async (given: Found) => {
    let each = given;
    if (!tools || !each.order || !isOpen(each)) {
      const reported = reportUntouched(each, context);
      unclear ??= reported.failure;
      return reported;
    }
    if (stopped.length === 0) context.signal.throwIfAborted();
    if (failure || stopped.length > 0) {
      notReached += 1;
      return reportNotTried(each);
    }
    if (tools.mismatch) {
      const read = await readOrder(each.id, tools.service).catch(orFailure);
      if (read instanceof ServiceFailure) {
        const isUntouched = !(await wasJustSent(each.id, tools));
        const unsent = { kind: "open", failure: read, after: undefined, isUntouched } as const;
        const reported = reportResult(each.id, each.order, unsent, context);
        fail(reported.failure);
        return reported;
      }
      if (read.refusal) return reportUnread(each.id, each.order, read.refusal);
      if (!read.order || !isOpen(read)) return reportUntouched(read, context);
      const mismatch = tools.mismatch(read.order as OrderDetail);
      if (mismatch !== undefined) return reportMismatch(read.id, read.order, mismatch);
      each = { ...read, order: read.order };
    }
    if (!each.order) return reportUntouched(each, context);
    const result = await cancelOne(each.order.id.value, tools, context.signal, fail);
    if (result === "unsent") {
      notReached += 1;
      return reportNotTried(each);
    }
    if (result === "stopped") {
      stopped.push(each.id);
      return reportStopped(each);
    }
    const reported = reportResult(each.id, each.order, result, context);
    if (reported.failure?.code === "state_unknown") {
      unclear ??= reported.failure;
      return reported;
    }
    if (!failure && reported.row.outcome === "unknown")
      leadsElsewhere = reported.failure?.code !== "rate_limited";
    fail(reported.failure);
    return reported;
  };
  const cancelled = mapInOrder(found, callsAtOnce, cancelEach, { isIrrevocable: true });
  let reported = 0;
  let isUnread = true;
  try {
    for await (const { row, refusal, isUnshown } of cancelled) {
      reported += 1;
      if (refusal) refusals.push(refusal);
      if (isUnshown) hidden.push(show(row.id));
      if (row.outcome === "cancelled" || row.outcome === "already_cancelled") done += 1;
      if (row.outcome === "unknown") unknown += 1;
      if (row.outcome === "accepted") {
        const text = describeAccepted(row);
        accepted.push(text);
        if (found.length > 1) context.messages.note(text);
      }
      yield row;
    }
    isUnread = false;
  } catch (error) {
    isUnread = false;
    throw error;
  } finally {
    if (isUnread && reported < found.length)
      context.messages.warn(
        "stopped: the result cannot be written; the same command again cancels the orders that were not reached",
      );
  }
  const unclearSum = unknown > 1 ? `of ${unknown} orders it is not known whether they are cancelled; ` : "";
  // "0 of 2 cancelled" would say what is not known.
  const isNoneKnown = found.length === 1 || (done === 0 && unknown > 0);
  const sum = isNoneKnown ? "" : `${done} of ${found.length} orders cancelled; `;
  if (stopped.length > 0) return explainStop(stopped, sum, context);
  if (!failure && hidden.length > 0) return explainUnshown(hidden, sum, context.nextCommand);
  failure ??= unclear;
  if (!failure || found.length === 1)
    return failure ?? summarise(found.length, refusals, accepted) ?? explainStray(found);
  const left = notReached === 0 ? "" : `${notReached} not reached; `;
  const message = `${sum}${left}${unclearSum}${failure.message}`;
  if (left === "" || !leadsElsewhere) return failure.with({ message });
  const hint = `${failure.hint}; the same command again cancels those that were not reached`;
  return failure.with({ message, hint });
}

/** A warning has said which name it is. */
function explainStray(found: readonly Found[]): CourierError | undefined {
  if (found.every(({ stray }) => stray === undefined)) return undefined;
  return new CourierError(
    "some_not_cancelled",
    3,
    "a name may mean another order: nothing was sent for that one",
  );
}

function orFailure(error: unknown): ServiceFailure {
  if (error instanceof ServiceFailure) return error;
  throw error;
}

async function prepare(service: CourierService, context: Context): Promise<CancelTools> {
  const run = await context.beginRun({ command: "orders cancel" });
  const { clock, messages, nextCommand } = context;
  return { service, ledger: await context.ledger(), run, clock, warn: messages.warn, nextCommand };
}

/** `accepted`: one sentence for each order that was accepted for cancelling and is not cancelled. */
function summarise(
  count: number,
  refusals: readonly CourierError[],
  accepted: readonly string[] = [],
): CourierError | undefined {
  const [first] = refusals;
  const left = refusals.length + accepted.length;
  if (left === 0 || (first && count === 1)) return first;
  const message = `${left} of ${count} orders ${byCount(left, "was", "were")} not cancelled`;
  const hint = accepted.length > 0 ? { hint: hintOfAccepted(accepted.length) } : {};
  if (first) return new CourierError("some_refused", 3, message, hint);
  return new CourierError("some_not_cancelled", 3, count === 1 ? (accepted[0] ?? "") : message, hint);
}
