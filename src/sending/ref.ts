/** What the ledger knows of the ref of a single order: the same ref is the same order, as in an import. */

import { ServiceFailure, saysNoSuchOrder } from "../api/failure.ts";
import type { Context } from "../command/command.ts";
import { CourierError } from "../core/errors.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import { decideRef, type RefDecision } from "../ledger/rules.ts";
import type { Draft } from "../model/draft.ts";
import type { CreatedOrder, OrderDetail } from "../model/interface.ts";
import { jsonNumber } from "../model/json.ts";
import { describeAnswer, describeOther, withdrawIfCertain } from "./another-order.ts";
import { asUnreached, duplicate, nothingToSettle, settleIfPossible } from "./guard.ts";
import { releaseDeadRuns } from "./owners.ts";
import { createReconcileTools } from "./settle.ts";

/** Imports may name a shop; single orders do not. */
const shop = "";

export interface NamedOrder {
  readonly ref: string;
  readonly draft: Draft;
  readonly content: string;
  /** An order whose ref's order was cancelled may be sent again. */
  readonly isDuplicateAllowed: boolean;
  readonly settleMs: number | undefined;
  /** For a hint, in place of "run the same command again". */
  readonly again: string | undefined;
}

/**
 * The order that the ref has, as the service shows it now. Undefined where it has none, and may be sent. Throws
 * `changed` where it has other content, and `duplicate` where it was cancelled or is in doubt. It is in doubt from now
 * on where the service shows another order.
 */
export async function findShipped(order: NamedOrder, context: Context): Promise<CreatedOrder | undefined> {
  const { ref, isDuplicateAllowed, settleMs } = order;
  const ledger = await context.ledger();
  const decide = async (customer: number) =>
    decideRef(order, await ledger.findByRefOrCover(customer, shop, ref));
  let { id: customer } = await context.customer();
  if (!(await decide(customer))) {
    const holder = isDuplicateAllowed ? undefined : await ledger.findHolder(customer, shop, ref);
    if (holder === undefined) {
      // A profile that named another customer once, at a login, may have been wrong.
      if (await ledger.isRefOfAnother(customer, ref)) await context.customer({ isFresh: true });
      return undefined;
    }
    throw notSent(
      `a row with the ref ${ref} was held by order ${holder}, which this ledger does not know`,
      `look at it: ${context.nextCommand(`orders show ${holder}`)}; to ship another one, add --allow-duplicate`,
    );
  }
  let settled = nothingToSettle;
  let away: CourierError | undefined;
  try {
    // Another customer has other refs.
    ({ id: customer } = await context.customer({ isFresh: true }));
  } catch (error) {
    away = asUnreached(error, context);
    settled = { ...nothingToSettle, failure: away };
    await releaseDeadRuns(ledger, customer, context);
  }
  let decision = await decide(customer);
  if (decision?.kind === "in_doubt" && !away) {
    await releaseDeadRuns(ledger, customer, context);
    const tools = await createReconcileTools({ ledger, customer, settleMs }, context);
    settled = await settleIfPossible([nameOperation(decision.operation)], tools);
    decision = await decide(customer);
  }
  if (!decision) return undefined;
  const { operation } = decision;
  if (decision.kind === "in_doubt")
    throw duplicate(
      operation,
      {
        content: order.content,
        left: settled.left.get(nameOperation(operation)),
        failure: settled.failure,
        isJustFound: false,
        ref,
        again: order.again,
      },
      context,
    );
  if (decision.kind === "changed") throw changed(ref, decision);
  if (decision.kind === "undone") {
    if (isDuplicateAllowed) return undefined;
    throw notSent(`no order with the ref ${ref} was made, and its run was undone`);
  }
  const made = operation.order?.id ?? "";
  if (away) throw notRead(made, ref, away);
  const isCancelled = decision.kind === "cancelled";
  const read = await readShipped(made, ref, context);
  if (read instanceof ServiceFailure) {
    if (!isCancelled) return asRecorded(operation, context);
    // A page in place of the order is no word about it.
    if (!saysNoSuchOrder(read)) throw notRead(made, ref, read);
  }
  // A cancelled order may be back.
  const found =
    !(read instanceof ServiceFailure) && (typeof read.status === "string" || !isCancelled) ? read : undefined;
  const other = found && (await describeOther(operation, found, ledger));
  if (found && other) {
    context.messages.warn(describeAnswer(operation, other));
    if (await withdrawIfCertain(operation, found, ledger, context.clock)) return findShipped(order, context);
  }
  const isOwn = other === undefined;
  if (isOwn && typeof found?.status === "string") await ledger.noteOrderState(customer, made, found.status);
  if (isOwn && found && isCancelled && found.status !== "cancelled") return findShipped(order, context);
  if (found && found.status !== "cancelled") {
    if (operation.isUnreported) await ledger.markReported([operation]);
    return found;
  }
  // What was sent may be another order, which stands.
  if (!isOwn)
    throw notSent(
      `order ${made}, which the answer to the order with the ref ${ref} named, was cancelled, and may be another order`,
      `see whose order it is: ${context.nextCommand(`orders show ${made}`)}; if ${context.nextCommand("orders list")} still does not have the sent one in an hour, send it with another ref`,
    );
  if (isDuplicateAllowed) return undefined;
  throw notSent(`${name(ref, operation)}, was cancelled`);
}

function notSent(reason: string, hint = "to ship it again, add --allow-duplicate"): CourierError {
  return new CourierError("duplicate", 2, `${reason}; nothing was sent`, { hint });
}

/** The failure where the service refuses to show it: that is no refusal of the order. Throws other failures. */
async function readShipped(id: string, ref: string, context: Context): Promise<OrderDetail | ServiceFailure> {
  try {
    return await (await context.service()).order(id);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.kind === "refused") return error;
    throw notRead(id, ref, error);
  }
}

function notRead(id: string, ref: string, failure: CourierError): CourierError {
  return failure.with({
    message: `the order with the ref ${ref} is ${id}; nothing was sent, and its state could not be read: ${failure.message}`,
  });
}

/** The order as the ledger has it. */
export function asRecorded({ order, orderState }: Operation, { messages }: Context): CreatedOrder {
  const { id = "", order_no, tracking_number, estimated_fee, created_at } = order ?? {};
  messages.note(`the service does not show order ${id} now; this is what is known of it`);
  const fee = estimated_fee ? { estimated_fee: jsonNumber(estimated_fee) } : {};
  return {
    id: jsonNumber(id),
    order_no: order_no ?? null,
    tracking_number: tracking_number ?? null,
    status: orderState ?? null,
    ...fee,
    created_at: created_at ?? null,
  };
}

function changed(
  ref: string,
  { operation, fields }: Extract<RefDecision, { kind: "changed" }>,
): CourierError {
  const what = fields === undefined ? "other content" : `another ${fields.join(", ")}`;
  return new CourierError("changed", 2, `${name(ref, operation)}, was sent with ${what}; nothing was sent`, {
    hint: "give a new order a ref of its own",
  });
}

function name(ref: string, { order }: Operation): string {
  return `the order with the ref ${ref}, ${order?.id}`;
}
