/** Sends one order: recorded before it leaves, and created, refused or in doubt afterwards. */

import { ServiceFailure } from "../api/failure.ts";
import type { CourierService } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import { CourierError } from "../core/errors.ts";
import type { CreateOutcome } from "../ledger/operations.ts";
import { LostClaim, OrderTaken } from "../ledger/operations.ts";
import type { Draft } from "../model/draft.ts";
import type { CreatedOrder } from "../model/interface.ts";
import { contentOf } from "../model/same-order.ts";
import { type BegunOrder, beginOrder, howToResolve, orderFacts } from "./guard.ts";
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
    if (error instanceof ServiceFailure && !error.mayHaveHappened) {
      await end(failureOutcome(error, draft));
      throw error;
    }
    await end({ state: "unknown" });
    if (context.signal.aborted) throw await interruptedWhileSending(error, begun, context);
    const lost = error as ServiceFailure;
    context.messages.note(`${lost.message}. Looking whether the order was created…`);
    return await lookForOrder(begun, lost, context);
  }
}

async function send(draft: Draft, service: CourierService, { messages }: Context): Promise<CreatedOrder> {
  const { order, message } = await service.createOrder(draft);
  if (message !== undefined) messages.note(`The service says: ${message}`);
  return order;
}

/** What a failure that certainly made no order means for the ledger. */
export function failureOutcome(failure: ServiceFailure, draft: Draft | undefined): CreateOutcome {
  const rejection = redactRejection(
    {
      code: failure.serviceCode ?? failure.code,
      message: failure.message,
      field: failure.refusedField,
    },
    draft ?? {},
  );
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
  if (result.kind === "found") {
    const { order } = result;
    const outcome = {
      state: "found",
      order: orderFacts(order),
      orderState: order.status ?? undefined,
    } as const;
    await recordFound(begun, outcome, context);
    context.messages.note(`The order was created: found it as ${order.id.value}`);
    return order;
  }
  if (result.kind === "absent")
    throw await unknown(begun, lost, "and it is not in the list of orders so far", context);
  const ids = result.candidates.map(({ id }) => id.value);
  throw await unknown(begun, lost, `and these orders may be it: ${ids.join(", ")}`, context, ids);
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
