/** Sends one order: recorded before it leaves, and created, refused or in doubt afterwards. */

import { ServiceFailure } from "../api/failure.ts";
import type { CourierService } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import { CourierError } from "../core/errors.ts";
import type { Rejection } from "../ledger/operation.ts";
import type { CreateOutcome } from "../ledger/operations.ts";
import { LostClaim, OrderTaken } from "../ledger/operations.ts";
import type { Draft } from "../model/draft.ts";
import type { CreatedOrder, OrderDetail } from "../model/interface.ts";
import { contentOf } from "../model/same-order.ts";
import { evidenceOf } from "./evidence.ts";
import { type BegunOrder, beginOrder, howToResolve, orderFacts, refusalCheckMs } from "./guard.ts";
import { lookFor } from "./lookup.ts";
import type { SearchResult } from "./reconcile.ts";
import { redactRejection } from "./redacted-rejection.ts";

/** The service may still be at work on an order whose answer was lost, so one look is not enough. */
const waitsBeforeLooksMs = [0, 1_000, 3_000];

export interface OrderToSend {
  readonly draft: Draft;
  readonly isDuplicateAllowed: boolean;
  /** Asks somebody at a terminal; undefined where nobody can be asked. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
}

/**
 * Sends a draft once. When the answer is lost, looks for the order and gives it back as if the answer had come.
 * Undefined where an equal order is known and somebody does not want a second one. Throws ServiceFailure when
 * the service refused or was never reached, `duplicate` (exit 2) and `outcome_unknown` (exit 6).
 */
export async function sendOrder(order: OrderToSend, context: Context): Promise<CreatedOrder | undefined> {
  const { draft } = order;
  const begun = await beginOrder({ ...order, command: "orders create", content: contentOf(draft) }, context);
  if (!begun) return undefined;
  const end = (outcome: CreateOutcome) => recordEnd(begun, outcome, context);
  if (context.signal.aborted) {
    await end({ state: "unsent" });
    throw context.signal.reason;
  }
  const service = await context.service();
  try {
    const created = await send(draft, service, context);
    await end({ state: "created", order: orderFacts(created), orderState: created.status ?? undefined });
    return created;
  } catch (error) {
    if (!(error instanceof ServiceFailure) && !context.signal.aborted) throw error;
    const lost = error as ServiceFailure;
    const evidence = error instanceof ServiceFailure ? evidenceOf(error) : "in_doubt";
    if (evidence === "not_made") {
      await end(failureOutcome(lost, draft));
      throw error;
    }
    await end({
      state: "unknown",
      ...(evidence === "refused" ? { rejection: rejectionOf(lost, draft) } : {}),
    });
    if (context.signal.aborted) throw await interruptedWhileSending(error, begun, context);
    if (evidence === "refused") return await checkRefusal(begun, lost, context);
    context.messages.note(`${lost.message}. Looking whether the order was created…`);
    return await lookForOrder(begun, lost, context);
  }
}

async function send(draft: Draft, service: CourierService, { messages }: Context): Promise<CreatedOrder> {
  const { order, message } = await service.createOrder(draft);
  if (message !== undefined) messages.note(`The service says: ${message}`);
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
 * Records how a create ended. The order comes first: where the ledger cannot be written any more, that is told
 * and the operation stays in doubt there, so that it is looked for before an equal one is sent.
 */
export async function recordEnd(
  { ledger, run, operation }: BegunOrder,
  outcome: CreateOutcome,
  context: Context,
): Promise<void> {
  try {
    await ledger.endCreate(operation, run.number, outcome, context.clock.now());
  } catch (error) {
    if (error instanceof OrderTaken) throw orderTaken(error);
    if (!(error instanceof CourierError) && !(error instanceof LostClaim)) throw error;
    const made = "order" in outcome ? `order ${outcome.order.id} was created, but ` : "";
    context.messages.warn(`${made}the ledger could not record it: ${error.message}`);
  }
}

function orderTaken({ orderId, holder }: OrderTaken): CourierError {
  return new CourierError(
    "outcome_unknown",
    6,
    `it is not known whether the order was created: the service answered with order ${orderId}, which operation ${holder.run}.${holder.number} has made`,
    { hint: `see which order it is: courier log show ${holder.run}`, details: { candidates: [orderId] } },
  );
}

/**
 * The service says no in a way that the specification does not define: a complete look a little later decides.
 * Throws the refusal where no order is there.
 */
async function checkRefusal(
  begun: BegunOrder,
  refusal: ServiceFailure,
  context: Context,
): Promise<CreatedOrder> {
  const { ledger, operation } = begun;
  let result: SearchResult;
  try {
    await context.clock.sleep(refusalCheckMs, context.signal);
    const sent = await ledger.findOperation(operation);
    result = sent ? await lookFor(sent, ledger, context) : { kind: "unclear", candidates: [] };
  } catch (error) {
    if (context.signal.aborted) throw await interruptedWhileSending(error, begun, context);
    if (!(error instanceof ServiceFailure)) throw error;
    throw await unknown(begun, refusal, `and looking for it failed too: ${error.message}`, context);
  }
  if (result.kind === "found") return adopt(begun, result.order, context);
  if (result.kind === "unclear") throw await unclear(begun, refusal, result.candidates, context);
  const rejection = (await ledger.findOperation(operation))?.rejection;
  if (rejection) await ledger.settleCreate(operation, { state: "refused", rejection }, context.clock.now());
  throw refusal;
}

/** The order is there: it is given back as if its answer had come. */
async function adopt(begun: BegunOrder, order: OrderDetail, context: Context): Promise<CreatedOrder> {
  const outcome = {
    state: "found",
    order: orderFacts(order),
    orderState: order.status ?? undefined,
  } as const;
  await recordFound(begun, outcome, context);
  context.messages.note(`The order was created: found it as ${order.id.value}`);
  return order;
}

async function unclear(
  begun: BegunOrder,
  lost: ServiceFailure,
  candidates: readonly OrderDetail[],
  context: Context,
): Promise<CourierError> {
  const ids = candidates.map(({ id }) => id.value);
  const told =
    ids.length === 0
      ? "and what was sent is no longer known"
      : `and these orders may be it: ${ids.join(", ")}`;
  return unknown(begun, lost, told, context, ids);
}

async function lookForOrder(
  begun: BegunOrder,
  lost: ServiceFailure,
  context: Context,
): Promise<CreatedOrder> {
  const { ledger, operation } = begun;
  let result: SearchResult = { kind: "absent" };
  try {
    for (const waitMs of waitsBeforeLooksMs) {
      if (waitMs > 0) await context.clock.sleep(waitMs, context.signal);
      const sent = await ledger.findOperation(operation);
      if (sent) result = await lookFor(sent, ledger, context);
      if (result.kind !== "absent") break;
    }
  } catch (error) {
    if (context.signal.aborted) throw await interruptedWhileSending(error, begun, context);
    if (!(error instanceof ServiceFailure)) throw error;
    throw await unknown(begun, lost, `and looking for it failed too: ${error.message}`, context);
  }
  if (result.kind === "found") return adopt(begun, result.order, context);
  if (result.kind === "absent")
    throw await unknown(begun, lost, "and it is not in the list of orders so far", context);
  throw await unclear(begun, lost, result.candidates, context);
}

async function recordFound({ ledger, operation }: BegunOrder, outcome: CreateOutcome, context: Context) {
  try {
    await ledger.settleCreate(operation, outcome, context.clock.now());
  } catch (error) {
    if (error instanceof OrderTaken) throw orderTaken(error);
    if (!(error instanceof CourierError)) throw error;
    context.messages.warn(`the order was found, but the ledger could not record it: ${error.message}`);
  }
}

async function unknown(
  { ledger, operation }: BegunOrder,
  lost: ServiceFailure,
  found: string,
  context: Context,
  candidates: readonly string[] = [],
): Promise<CourierError> {
  const sent = await ledger.findOperation(operation);
  return new CourierError(
    "outcome_unknown",
    6,
    `it is not known whether the order was created: ${lost.message}, ${found}`,
    {
      hint: sent ? howToResolve(sent, context) : "look for it before you send it again",
      status: lost.status,
      serviceCode: lost.serviceCode,
      details: {
        sent_at: sent?.sentAtMs === undefined ? null : new Date(sent.sentAtMs).toISOString(),
        candidates,
      },
      cause: lost,
    },
  );
}

async function interruptedWhileSending(cause: unknown, { ledger, operation }: BegunOrder, context: Context) {
  const { reason } = context.signal;
  const exit = reason instanceof CourierError && reason.exit === 143 ? 143 : 130;
  const message = "stopped while the order was being sent: it may or may not have been created";
  const sent = await ledger.findOperation(operation).catch(() => undefined);
  return new CourierError("outcome_unknown", exit, message, {
    hint: sent ? howToResolve(sent, context) : "look for it before you send it again",
    cause,
  });
}
