/** Sends one order, recorded before it is sent. Afterwards it is created, refused or in doubt. */

import { ServiceFailure, shorten } from "../api/failure.ts";
import { isTransient } from "../api/retry.ts";
import type { CourierService } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import { CourierError, interrupted, interruptionExit } from "../core/errors.ts";
import { newLedgerWarning } from "../core/wording.ts";
import {
  type CreateOutcome,
  isMade,
  nameOperation,
  type Operation,
  type OperationName,
  type Rejection,
} from "../ledger/operation.ts";
import { isLedgerLost, LostClaim, OtherOrder } from "../ledger/operation-errors.ts";
import type { Draft } from "../model/draft.ts";
import type { CreatedOrder } from "../model/interface.ts";
import { contentOf, contentsOf } from "../model/same-order.ts";
import { isCancellable } from "../model/states.ts";
import { evidenceOf, lossOf } from "./evidence.ts";
import { type BegunOrder, beginOrder, howToResolve, sameAgain } from "./guard.ts";
import { orderFacts, stampAheadMs } from "./order-facts.ts";
import type { OrdersElsewhere } from "./orders-elsewhere.ts";
import type { StillInDoubt } from "./reconcile-types.ts";
import { redactRejection } from "./redacted-rejection.ts";
import { asRecorded, findShipped } from "./ref.ts";
import { createReconcileTools, settleInDoubt } from "./settle.ts";

/** A create polls for its own order at most so long: the service may still be processing it, or list it late. */
const timeLimitMs = 15_000;

export interface OrderToSend {
  readonly draft: Draft;
  /** The user's own name of the order: the same ref is the same order. */
  readonly ref?: string | undefined;
  readonly isDuplicateAllowed: boolean;
  /** `--settle`: how long an order may be missing in the list. */
  readonly settleMs?: number | undefined;
  /** For a hint: what sends the order of an operation, where the same command would not, because it was typed into the form. */
  readonly rerun?: ((operation: OperationName) => string) | undefined;
  /** For a hint, in place of "run the same command again", which may send another order later. */
  readonly again?: string | undefined;
  /** Orders that were not sent from this machine, where they are compared. */
  readonly elsewhere?: (() => Promise<OrdersElsewhere | undefined>) | undefined;
  /** Asks at a terminal; undefined where there is none. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
}

interface SentCreate extends BegunOrder, Pick<OrderToSend, "again"> {}

export interface SentOrder {
  readonly order: CreatedOrder;
  /** An earlier command has sent it: it has the same ref. */
  readonly isEarlier: boolean;
}

/** Sends an order as `sendNew` does, unless its ref has an order. Throws what `findShipped` does, too. */
export async function sendOrder(order: OrderToSend, context: Context): Promise<SentOrder | undefined> {
  const { draft, ref, isDuplicateAllowed, settleMs, again } = order;
  if (ref === undefined) return asNew(await sendNew(order, context), context);
  const named = { ref, draft, content: contentOf(draft), isDuplicateAllowed, settleMs, again };
  const find = async () => {
    const shipped = await findShipped(named, context);
    if (shipped) {
      const id = shipped.id.value;
      const ledger = await context.ledger();
      const { id: customer } = await context.customer();
      const isAsked =
        isCancellable(shipped.status) && (await ledger.findMaybeCancelled(customer, [id])).has(id);
      const asked = isAsked ? "; a cancel of it was sent, and may happen yet" : "";
      context.messages.note(
        `already shipped: the order with the ref ${ref} is ${id}; nothing was sent${asked}`,
      );
    }
    return shipped && { order: shipped, isEarlier: true };
  };
  const shipped = await find();
  if (shipped) return shipped;
  try {
    return asNew(await sendNew(order, context), context);
  } catch (error) {
    // Another process may have sent it since.
    const sent = error instanceof CourierError && error.code === "duplicate" ? await find() : undefined;
    if (sent) return sent;
    throw error;
  }
}

function asNew(order: CreatedOrder | undefined, { messages }: Context): SentOrder | undefined {
  if (order?.status === "cancelled") messages.warn(describeMadeCancelled(order.id.value));
  return order && { order, isEarlier: false };
}

/** 2.4: a newly created order is `pending`. */
export function describeMadeCancelled(id: string): string {
  return `order ${id} was created, but the service calls it cancelled already`;
}

/**
 * Sends a draft once. When the answer is lost, looks for the order and returns it as if the answer had arrived.
 * Undefined where an equal order is known and a person does not want a second one. Throws ServiceFailure when
 * the service refused or was never reached, `duplicate` (exit 2), `database` (exit 5) only before the order is sent,
 * and `outcome_unknown` (exit 6).
 */
async function sendNew(order: OrderToSend, context: Context): Promise<CreatedOrder | undefined> {
  const { draft, rerun, again } = order;
  if (!order.isDuplicateAllowed && !(await passesElsewhere(order))) return undefined;
  const recorded = await beginOrder({ ...order, command: "orders create", ...contentsOf(draft) }, context);
  if (!recorded) return undefined;
  const begun = { ...recorded, again: rerun?.(recorded.operation) ?? again };
  const end = (outcome: CreateOutcome) => recordEnd(begun, outcome, context);
  if (context.signal.aborted) {
    await end({ state: "unsent" });
    throw context.signal.reason;
  }
  const service = await context.service();
  try {
    const created = await send(draft, service, begun, context);
    const problem = await end({
      state: "created",
      order: orderFacts(created),
      orderState: created.status ?? undefined,
      stampAheadMs: stampAheadMs(created.created_at, context.clock.now(), service.clockOffsetMs()),
    });
    if (problem instanceof OtherOrder)
      throw new ServiceFailure("invalid_response", problem.reason, { cause: problem });
    if (problem) throw problem;
    return created;
  } catch (error) {
    if (isLedgerLost(error)) throw error;
    if (!(error instanceof ServiceFailure) && !context.signal.aborted) throw error;
    const lost = error as ServiceFailure;
    const evidence = error instanceof ServiceFailure ? evidenceOf(error, draft) : "in_doubt";
    if (evidence === "not_made") {
      await end(failureOutcome(lost, draft));
      if (!isTransient(lost)) throw lost;
      if (context.signal.aborted) throw stoppedBetweenTries(context.signal.reason, begun);
      if (again === undefined) throw lost;
      throw lost.with({ hint: lost.hint === undefined ? again : `${lost.hint}; or ${again}` });
    }
    await end({
      state: "unknown",
      loss: lossOf(error),
      namedOrder: error instanceof ServiceFailure ? error.namedOrder : undefined,
      ...(evidence === "refused" ? { rejection: rejectionOf(lost, draft) } : {}),
    });
    if (context.signal.aborted) throw await interruptedWhileSending(error, begun, context);
    if (evidence === "in_doubt")
      context.messages.note(`${lost.message}. Checking whether the order was created…`);
    return await lookForOrder(begun, lost, order.settleMs, context);
  }
}

/** False where an equal order was made elsewhere and a person does not want a second one. */
async function passesElsewhere({ draft, elsewhere, ask }: OrderToSend): Promise<boolean> {
  const [order] = (await (await elsewhere?.())?.findEqual(draft)) ?? [];
  if (!order || !ask) return true;
  const { orderId, isCertain } = order;
  if (isCertain)
    return ask(`An equal order, ${orderId}, exists, which this ledger does not know. Send it again?`);
  return ask(`Order ${orderId}, which this ledger does not know, may be equal. Send this one?`);
}

async function send(
  draft: Draft,
  service: CourierService,
  { ledger, run, operation }: BegunOrder,
  { messages }: Context,
): Promise<CreatedOrder> {
  const mayLeave = () => ledger.holdsClaim(operation, run.number);
  const { order, message } = await service.createOrder(draft, { mayLeave });
  if (message !== undefined) messages.note(`The service says: ${shorten(message)}`);
  return order;
}

/** Why an order was refused, without personal data. */
export function rejectionOf(failure: ServiceFailure, draft: Draft | undefined): Rejection {
  const code = failure.serviceCode ?? failure.code;
  return redactRejection({ code, message: failure.message, field: failure.refusedField }, draft ?? {});
}

/** What a failure that certainly made no order means for the ledger. */
export function failureOutcome(failure: ServiceFailure, draft: Draft | undefined): CreateOutcome {
  const rejection = rejectionOf(failure, draft);
  return { state: failure.kind === "refused" ? "refused" : "unsent", rejection };
}

/**
 * Records the outcome of a create. Where the ledger cannot be written, warns and goes on: the operation stays in doubt
 * there, so that it is reconciled before an equal one is sent. Where the answer names another order, this operation is in
 * doubt, and the result says so; so it does where an order was created and the ledger is lost, which nothing would find.
 */
export async function recordEnd(
  { ledger, run, operation }: BegunOrder,
  outcome: CreateOutcome,
  context: Context,
): Promise<OtherOrder | CourierError | undefined> {
  try {
    await ledger.endCreate(operation, run.number, outcome, context.clock.now());
  } catch (error) {
    if (error instanceof OtherOrder) {
      const doubt = { state: "unknown", loss: lossOf(error), namedOrder: error.possibleOrder } as const;
      await recordEnd({ ledger, run, operation }, doubt, context);
      return error;
    }
    if (!(error instanceof CourierError) && !(error instanceof LostClaim)) throw error;
    const made = "order" in outcome ? `order ${outcome.order.id} was created, but ` : "";
    if ("order" in outcome && isLedgerLost(error)) return lostRecord(outcome.order.id, error, context);
    context.messages.warnAlways(`${made}the ledger could not record it: ${error.message}`);
  }
  return undefined;
}

/** Exit code 6: a repeated command would send the order again. */
function lostRecord(id: string, cause: CourierError, { nextCommand }: Context): CourierError {
  const message = `order ${id} was created, but the ledger could not record it: ${cause.message}`;
  return new CourierError("ledger_lost", 6, message, {
    hint: `do not send it again; see the order: ${nextCommand(`orders show ${id}`)}; ${newLedgerWarning}`,
    details: { id },
    cause,
  });
}

/** Looks for the order. Returns it as if its answer had arrived, or throws what is known. */
async function lookForOrder(
  begun: SentCreate,
  lost: ServiceFailure,
  settleMs: number | undefined,
  context: Context,
): Promise<CreatedOrder> {
  const { ledger, run, operation } = begun;
  const name = nameOperation(operation);
  let left: StillInDoubt | undefined;
  try {
    const { customer, number } = run;
    const tools = await createReconcileTools({ ledger, customer, run: number, settleMs }, context);
    const settled = await settleInDoubt([name], tools, { timeLimitMs, polls: true });
    const order = settled.found.get(name);
    if (order) {
      await ledger.markReported([operation]).catch(() => {}); // then an equal order is asked about
      context.messages.note(`The order was created: found it as ${order.id.value}`);
      return order;
    }
    left = settled.left.get(name);
  } catch (error) {
    if (context.signal.aborted) throw await interruptedWhileSending(error, begun, context);
    if (!(error instanceof CourierError)) throw error;
    const doubt = await unknown(
      begun,
      lost,
      `and the check failed too: ${error.message}`,
      undefined,
      context,
    );
    const needsPerson =
      error instanceof ServiceFailure && error.kind === "unreachable" && !isTransient(error);
    throw needsPerson ? doubt.with({ hint: error.hintBefore(doubt.hint ?? "") }) : doubt;
  }
  const settled = await readOperation(begun);
  // Another process has settled it.
  if (settled && isMade(settled) && settled.order) return readMade(settled, settled.order.id, context);
  if (settled?.state === "refused") throw lost;
  if (settled?.state === "unsent") throw notCreated(lost, begun);
  throw await unknown(begun, lost, describeLeft(left), left, context);
}

/** It exists, whatever comes of reading it. */
async function readMade(operation: Operation, id: string, context: Context): Promise<CreatedOrder> {
  try {
    return await (await context.service()).order(id);
  } catch (error) {
    if (!(error instanceof CourierError) && !context.signal.aborted) throw error;
    return asRecorded(operation, context);
  }
}

function describeLeft(left: StillInDoubt | undefined): string {
  // What the ledger does not have as in doubt is compared with no list.
  if (!left) return "and it was not looked for, because the ledger could not record that";
  if (left.kind !== "unclear") return "and it is not listed so far";
  const { candidates } = left;
  if (candidates.length === 0) return "and its data was deleted";
  return "and there are orders that may be it";
}

function notCreated(lost: ServiceFailure, { again = sameAgain }: SentCreate): CourierError {
  const unshown = lost.namedOrder === undefined ? "" : ", which the service does not have";
  return new CourierError("not_created", 5, `the order was not created: ${lost.message}${unshown}`, {
    hint: `${again}: it sends the order`,
    status: lost.status,
    serviceCode: lost.serviceCode,
    cause: lost,
  });
}

/** Undefined where the ledger cannot be read: the order is reported without it. */
async function readOperation({ ledger, operation }: BegunOrder): Promise<Operation | undefined> {
  return ledger.findOperation(operation).catch(() => undefined);
}

/** `outcome_unknown`, with the next steps for its own operation. */
async function unknown(
  begun: SentCreate,
  lost: ServiceFailure,
  found: string,
  left: StillInDoubt | undefined,
  context: Context,
): Promise<CourierError> {
  const sent = await readOperation(begun);
  return new CourierError(
    "outcome_unknown",
    6,
    `it is not known whether the order was created: ${lost.message}, ${found}`,
    {
      hint: await nextSteps(begun, sent, left, context),
      status: lost.status,
      serviceCode: lost.serviceCode,
      details: {
        sent_at: sent?.sentAtMs === undefined ? null : new Date(sent.sentAtMs).toISOString(),
        candidates: left?.kind === "unclear" ? left.candidates : [],
      },
      cause: lost,
    },
  );
}

/** The service is busy, or cannot be reached. */
function stoppedBetweenTries(reason: unknown, { again = sameAgain }: SentCreate): CourierError {
  return interrupted(
    interruptionExit(reason),
    "stopped before the order was sent again: none was created",
    `${again}: it sends the order`,
  );
}

async function interruptedWhileSending(cause: unknown, begun: SentCreate, context: Context) {
  const exit = interruptionExit(context.signal.reason);
  const message = "stopped while the order was being sent: it may or may not have been created";
  const sent = await readOperation(begun);
  return new CourierError("outcome_unknown", exit, message, {
    hint: await nextSteps(begun, sent, undefined, context),
    cause,
  });
}

/** Of an operation that the ledger has. A new ledger would not stop a repeated command. */
async function nextSteps(
  { ledger, again }: SentCreate,
  sent: Operation | undefined,
  left: StillInDoubt | undefined,
  context: Context,
): Promise<string> {
  const problem = await ledger.checkPlace().catch((error: unknown) => error);
  const look = `look for the order: ${context.nextCommand("orders list --all")}`;
  if (isLedgerLost(problem)) return `before you send it again, ${look}; ${newLedgerWarning}`;
  return sent ? howToResolve(sent, left, context, again) : `before you send it again, ${look}`;
}
