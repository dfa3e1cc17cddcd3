/** The outcome of a cancellation: as a row of the result, and as an error. */

import { type ServiceFailure, saysNoSuchOrder } from "../api/failure.ts";
import type { Context } from "../command/command.ts";
import { CourierError, interruptionExit } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { jsonNumber } from "../model/json.ts";
import { withoutZeros } from "../model/order-id.ts";
import type { Cancellation } from "../model/results.ts";
import { isCancellable } from "../model/states.ts";
import { type CancelResult, unshown } from "../sending/cancel.ts";
import { type Column, type Style, show, state, styled } from "../terminal/blocks.ts";
import { errorDocument } from "../terminal/messages.ts";

type KnownOrder = OrderDetail | OrderSummary;

/** An order as it was found before, in detail or in a list, or what the service said instead. */
export interface Found {
  readonly id: string;
  readonly order?: KnownOrder;
  readonly refusal?: ServiceFailure;
  /** An earlier cancel was accepted. */
  readonly isAccepted?: boolean;
  /** An earlier cancel was accepted, or its outcome is unknown. */
  readonly mayBeCancelled?: boolean;
  /** Why it is another order than its names mean. */
  readonly other?: string | undefined;
  /** Its id names it, and another name led to it that may mean another order: why. */
  readonly stray?: string | undefined;
}

export interface Reported {
  readonly row: Cancellation;
  readonly refusal?: CourierError;
  /** Why there is no clear answer. */
  readonly failure?: CourierError;
  /** It was accepted for cancelling, and is not shown any more. */
  readonly isUnshown?: boolean;
}

/**
 * An order that nothing is sent for: the service does not know it, it is cancelled, its state rules a cancel out, or it
 * is another order than was sent.
 */
export function reportUntouched(
  { id, order, refusal, isAccepted, mayBeCancelled, other }: Found,
  context: Context,
): Reported {
  if (isAccepted) return reportUnshown(id, undefined);
  if (refusal && mayBeCancelled) {
    const open = { kind: "open", failure: refusal, after: undefined, isUntouched: false } as const;
    return reportResult(id, undefined, open, context);
  }
  if (order && other !== undefined) return reportOther(id, order, other, context.nextCommand);
  if (order?.status === "cancelled") return { row: toRow(id, order, order, "already_cancelled") };
  if (order)
    return {
      row: toRow(id, order, order, "not_cancellable", undefined, onlyThese),
      refusal: new CourierError(
        "not_cancellable",
        1,
        `order ${id} is ${show(order.status)}: nothing was sent`,
        {
          hint: onlyThese,
        },
      ),
    };
  // A page in the place of the order is no word about it: nothing was sent.
  const outcome = saysNoSuchOrder(refusal) ? "refused" : "left_alone";
  return { row: toRow(id, undefined, undefined, outcome, refusal), ...(refusal ? { refusal } : {}) };
}

function reportOther(
  id: string,
  order: KnownOrder,
  other: string,
  nextCommand: Context["nextCommand"],
): Reported {
  const hint = `see whose order it is: ${nextCommand(`orders show ${shellQuote(id)}`)}`;
  return reportMismatch(id, order, other, hint);
}

/** The outcome of a dry run for an order that was found. */
export function reportDryRun(id: string, order: KnownOrder): Reported {
  return { row: toRow(id, order, order, "would_cancel") };
}

/** An order that is not meant, or not any more: nothing is sent for it. */
export function reportMismatch(id: string, order: KnownOrder, reason: string, hint?: string): Reported {
  const refusal = new CourierError("some_not_cancelled", 3, `order ${id} was left alone: ${reason}`, {
    hint,
  });
  return { row: toRow(id, order, order, "left_alone", undefined, reason), refusal };
}

/** An order of the list that the service refuses to show: nothing is sent for it. */
export function reportUnread(id: string, order: KnownOrder, refusal: ServiceFailure): Reported {
  return reportMismatch(id, order, `it is listed, and cannot be read: ${refusal.message}`);
}

/** An order that the service accepted for cancelling, and that was read back in another state. */
export function describeAccepted({ id, status, status_before }: Cancellation): string {
  const now = status === status_before ? `is still ${show(status)}` : `is ${show(status)}`;
  return `order ${show(id)} was accepted for cancelling, but ${status === null ? "does not say its state" : now}`;
}

/** An order whose turn did not come, because the command ended before. */
export function reportNotTried({ id, order }: Found): Reported {
  return { row: toRow(id, order, order, "left_alone", undefined, "not reached") };
}

/** An order whose cancellation was being sent when the run was stopped. */
export function reportStopped({ id, order }: Found): Reported {
  return { row: toRow(id, order, undefined, "unknown", undefined, "stopped while it was being cancelled") };
}

/** The end of a run that was stopped while these orders were being cancelled. */
export function explainStop(ids: readonly string[], done: string, context: Context): CourierError {
  const orders = ids.length === 1 ? `order ${ids[0]} was` : `orders ${ids.join(", ")} were`;
  const it = ids.length === 1 ? "it" : "they";
  const looks = ids.map((id) => context.nextCommand(`orders show ${shellQuote(id)}`));
  return new CourierError(
    "outcome_unknown",
    interruptionExit(context.signal.reason),
    `${done}stopped while ${orders} being cancelled: ${it} may or may not be cancelled`,
    { hint: `see: ${looks.join("; ")}` },
  );
}

function reportUnshown(id: string, before: KnownOrder | undefined): Reported {
  return { row: toRow(id, before, undefined, "unknown", undefined, unshown), isUnshown: true };
}

export function reportResult(
  id: string,
  before: KnownOrder | undefined,
  result: CancelResult,
  { nextCommand }: Context,
): Reported {
  if (result.kind === "unshown") return reportUnshown(id, before);
  if (result.kind === "open") {
    const { failure, isUntouched, after } = result;
    const outcome = isUntouched ? "left_alone" : "unknown";
    const row = toRow(id, before, after ?? (isUntouched ? before : undefined), outcome, failure);
    return { row, failure: explainOpen(id, result, nextCommand) };
  }
  const { after, state, message, refusal } = result;
  const row = toRow(id, before, after, state, refusal, message);
  return refusal ? { row, refusal: explainRefusal(refusal, id, after) } : { row };
}

function explainOpen(
  id: string,
  { failure, after, isUntouched }: Extract<CancelResult, { kind: "open" }>,
  nextCommand: Context["nextCommand"],
): CourierError {
  const isShown = typeof after?.status === "string";
  if (isUntouched) {
    const state = isShown ? `, it is ${show(after.status)}` : "";
    return failure.with({
      message: `order ${id} is not cancelled${state}: ${failure.message}`,
      hint: failure.hintBefore("it is safe to run the same command again"),
    });
  }
  const look = isShown
    ? "run the same command again in a minute: it reads the order first"
    : `see: ${nextCommand(`orders show ${shellQuote(id)}`)}`;
  // The service may still be at work on the request that it did not answer.
  const unknown = isShown
    ? `order ${id} was ${show(after.status)} just now, and may be cancelled yet`
    : after
      ? `order ${id} does not say its state, it may or may not be cancelled`
      : `order ${id} may or may not be cancelled`;
  const message = `${unknown}: ${failure.message}`;
  if (failure.kind === "refused") {
    const { status, serviceCode } = failure;
    return new CourierError("state_unknown", 5, message, { hint: look, status, serviceCode, cause: failure });
  }
  return failure.with({
    message,
    hint: failure.kind === "rate_limited" ? `${failure.hint}; or ${look}` : failure.hintBefore(look),
  });
}

export const onlyThese = "pending and paid orders can be cancelled";

function explainRefusal(refusal: ServiceFailure, id: string, after: OrderDetail): ServiceFailure {
  if (isCancellable(after.status)) return refusal;
  return refusal.with({
    message: `order ${id} was not cancelled, it is ${show(after.status)}: ${refusal.message}`,
    hint: onlyThese,
  });
}

function toRow(
  id: string,
  before: KnownOrder | undefined,
  after: KnownOrder | undefined,
  outcome: Cancellation["outcome"],
  refusal?: ServiceFailure,
  message?: string,
): Cancellation {
  return {
    id: after?.id ?? before?.id ?? jsonNumber(withoutZeros(id)),
    order_no: after?.order_no ?? before?.order_no ?? null,
    tracking_number: after?.tracking_number ?? before?.tracking_number ?? null,
    outcome,
    status_before: before?.status ?? null,
    status: after?.status ?? null,
    message: message ?? refusal?.message ?? null,
    ...(refusal ? (errorDocument(refusal) as Pick<Cancellation, "error">) : {}),
  };
}

const outcomeStyles: Readonly<Record<Cancellation["outcome"], Style>> = {
  cancelled: "good",
  already_cancelled: "good",
  accepted: "warn",
  refused: "bad",
  left_alone: "warn",
  unknown: "warn",
  would_cancel: "good",
  not_cancellable: "warn",
};

export const cancellationColumns: readonly Column<Cancellation>[] = [
  { path: "id", title: "ID", cell: ({ id }) => styled("strong", id) },
  { path: "order_no", title: "ORDER NO", cell: ({ order_no }) => show(order_no), spare: 1 },
  {
    path: "tracking_number",
    title: "TRACKING",
    cell: ({ tracking_number }) => show(tracking_number),
    spare: 2,
  },
  { path: "outcome", title: "OUTCOME", cell: ({ outcome }) => styled(outcomeStyles[outcome], outcome) },
  { path: "status_before", title: "WAS", cell: ({ status_before }) => show(status_before) },
  { path: "status", title: "STATE NOW", cell: ({ status }) => state(status) },
  { path: "message", title: "MESSAGE", cell: ({ message }) => show(message) },
];
