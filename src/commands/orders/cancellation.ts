/** Owns the cancelling of one order: request, read back, and what became of it (specification, 4.4 and 4.5). */

import { ServiceFailure } from "../../api/failure.ts";
import type { CourierService } from "../../api/service.ts";
import type { Context } from "../../command/command.ts";
import type { CourierError } from "../../core/errors.ts";
import type { OrderDetail } from "../../model/interface.ts";
import { jsonNumber } from "../../model/json.ts";
import type { Cancellation } from "../../model/results.ts";
import { isCancellable } from "../../model/states.ts";
import { type Column, show, state, styled } from "../../terminal/blocks.ts";
import { errorDocument } from "../../terminal/messages.ts";

/** An order as it was found before, or what the service said instead. */
export interface Found {
  readonly id: string;
  readonly order?: OrderDetail;
  readonly refusal?: ServiceFailure;
}

/** Cancels an order and reads it back: what counts is the state that it then has. */
export async function cancelOne(
  { id, order, refusal }: Found,
  service: CourierService,
  context: Context,
): Promise<{ row: Cancellation; refusal?: ServiceFailure }> {
  if (!order)
    return { row: toRow(id, undefined, undefined, "refused", refusal), ...(refusal ? { refusal } : {}) };
  if (order.status === "cancelled") return { row: toRow(id, order, order, "already_cancelled") };
  try {
    const message = await service.cancelOrder(id);
    const after = await service.order(id);
    return {
      row: toRow(
        id,
        order,
        after,
        after.status === "cancelled" ? "cancelled" : "accepted",
        undefined,
        message,
      ),
    };
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.kind === "key_refused") throw error;
    // Refused, or an answer that was lost or garbled: what counts is the state that the order has now.
    const after = await readBack(id, service, error, context);
    if (after.status === "cancelled") return { row: toRow(id, order, after, "cancelled") };
    if (error.kind !== "refused") throw stillUncancelled(id, after, error);
    return { row: toRow(id, order, after, "refused", error), refusal: explain(error, id, after) };
  }
}

async function readBack(
  id: string,
  service: CourierService,
  cause: ServiceFailure,
  context: Context,
): Promise<OrderDetail> {
  try {
    return await service.order(id);
  } catch (error) {
    // A refusal may be the answer to a second try after a first that took effect: it settles nothing.
    const told = cause.kind === "refused" && error instanceof ServiceFailure ? error : cause;
    throw told.with({
      hint: `the order may or may not be cancelled; see: ${context.nextCommand(`orders show ${id}`)}`,
    });
  }
}

function stillUncancelled(id: string, after: OrderDetail, cause: ServiceFailure): CourierError {
  return cause.with({
    message: `order ${id} is not cancelled, it is ${show(after.status)}: ${cause.message}`,
    hint: "it is safe to run the same command again",
  });
}

function explain(refusal: ServiceFailure, id: string, after: OrderDetail): ServiceFailure {
  if (isCancellable(after.status)) return refusal;
  return refusal.with({
    message: `order ${id} was not cancelled, it is ${show(after.status)}: ${refusal.message}`,
    hint: "pending and paid orders can be cancelled",
  });
}

function toRow(
  id: string,
  before: OrderDetail | undefined,
  after: OrderDetail | undefined,
  outcome: Cancellation["outcome"],
  refusal?: ServiceFailure,
  message?: string,
): Cancellation {
  return {
    id: after?.id ?? before?.id ?? jsonNumber(id.replace(/^0+(?=\d)/, "")),
    order_no: after?.order_no ?? before?.order_no ?? null,
    tracking_number: after?.tracking_number ?? before?.tracking_number ?? null,
    outcome,
    status_before: before?.status ?? null,
    status: after?.status ?? null,
    message: message ?? refusal?.message ?? null,
    ...(refusal ? (errorDocument(refusal) as Pick<Cancellation, "error">) : {}),
  };
}

export const cancellationColumns: readonly Column<Cancellation>[] = [
  { path: "id", title: "ID", cell: ({ id }) => styled("strong", id) },
  { path: "order_no", title: "ORDER NO", cell: ({ order_no }) => show(order_no), spare: 1 },
  {
    path: "tracking_number",
    title: "TRACKING",
    cell: ({ tracking_number }) => show(tracking_number),
    spare: 2,
  },
  {
    path: "outcome",
    title: "OUTCOME",
    cell: ({ outcome }) =>
      styled(outcome === "refused" ? "bad" : outcome === "accepted" ? "warn" : "good", outcome),
  },
  { path: "status_before", title: "WAS", cell: ({ status_before }) => show(status_before) },
  { path: "status", title: "STATE NOW", cell: ({ status }) => state(status) },
  { path: "message", title: "MESSAGE", cell: ({ message }) => show(message) },
];
