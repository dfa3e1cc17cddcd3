/** The result of an undo for one order, as a row. */

import type { ServiceFailure } from "../api/failure.ts";
import { isMade, nameOperation, type Operation } from "../ledger/operation.ts";
import type { OrderDetail } from "../model/interface.ts";
import { jsonNumber } from "../model/json.ts";
import type { Undone } from "../model/results.ts";
import { type CancelResult, unshown } from "../sending/cancel.ts";
import { type Column, type Style, show, state, styled } from "../terminal/blocks.ts";
import { errorDocument } from "../terminal/messages.ts";
import type { OtherOrder, ReadOrder, UnreadOrder } from "./undo-plan.ts";

interface Facts {
  readonly outcome: Undone["outcome"];
  readonly reason?: Undone["reason"];
  readonly before?: OrderDetail | undefined;
  readonly after?: OrderDetail | undefined;
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  readonly failure?: ServiceFailure | undefined;
}

function toRow(operation: Operation, facts: Facts): Undone {
  const { outcome, reason = null, before, after, failure } = facts;
  const { ref, row, order } = operation;
  const status = after?.status ?? facts.status ?? null;
  return {
    operation: nameOperation(operation),
    row: row ?? null,
    ref: ref ?? null,
    id: order ? jsonNumber(order.id) : null,
    order_no: order?.order_no ?? before?.order_no ?? null,
    tracking_number: order?.tracking_number ?? before?.tracking_number ?? null,
    outcome,
    reason,
    status_before: before?.status ?? null,
    status,
    message: facts.message ?? failure?.message ?? null,
    ...(failure ? (errorDocument(failure) as Pick<Undone, "error">) : {}),
  };
}

/** An earlier run cancelled the order and read it back. */
export function rowDoneBefore(operation: Operation): Undone {
  return toRow(operation, { outcome: "already_cancelled", status: operation.orderState });
}

export function rowAlreadyCancelled({ operation, order }: ReadOrder): Undone {
  return toRow(operation, { outcome: "already_cancelled", before: order, after: order });
}

export function rowWouldCancel({ operation, order }: ReadOrder): Undone {
  return toRow(operation, { outcome: "would_cancel", before: order, after: order });
}

export function rowTooLate({ operation, order }: ReadOrder): Undone {
  const message = "pending and paid orders can be cancelled";
  return toRow(operation, {
    outcome: "left_alone",
    reason: "not_cancellable",
    before: order,
    after: order,
    message,
  });
}

const changedSince = "it has changed since it was asked about";

function describeFound({ isDecided }: Operation): string {
  const how = isDecided ? "confirmed with orders resolve --as" : "found after its answer was lost";
  return `${how}; --include-found cancels it too`;
}

export function rowFound({ operation, order }: ReadOrder): Undone {
  const message = describeFound(operation);
  return toRow(operation, { outcome: "left_alone", reason: "found", before: order, after: order, message });
}

/** Another process has settled it since a person was asked about it. `again`: it was sent once more. */
export function rowSettled(
  operation: Operation,
  again: Operation | undefined,
  includeFound: boolean,
): Undone {
  if (isMade(operation)) {
    const reason = includeFound ? "changed" : "found";
    const message = includeFound ? changedSince : describeFound(operation);
    return toRow(operation, { outcome: "left_alone", reason, status: operation.orderState, message });
  }
  const order = again?.order ? ` (order ${again.order.id})` : "";
  const message = again
    ? `not made; sent again as ${nameOperation(again)}${order}`
    : operation.file === undefined
      ? "not made"
      : "not made; an import sends it again, or has sent it";
  return toRow(operation, { outcome: "left_alone", reason: "not_made", message });
}

export function rowChanged({ operation, order }: ReadOrder): Undone {
  return toRow(operation, {
    outcome: "left_alone",
    reason: "changed",
    before: order,
    after: order,
    message: changedSince,
  });
}

export function rowStopped({ operation, order }: ReadOrder): Undone {
  return toRow(operation, {
    outcome: "left_alone",
    reason: "stopped",
    before: order,
    message: "not reached",
  });
}

export function rowUnread({ operation, failure }: UnreadOrder): Undone {
  return toRow(operation, { outcome: "unknown", reason: "not_read", failure });
}

/** An earlier run cancelled it. */
export function rowUnshown({ operation }: Pick<UnreadOrder, "operation">, before?: OrderDetail): Undone {
  return toRow(operation, { outcome: "unknown", reason: "not_shown", before, message: unshown });
}

export function rowOther({ operation, order, why }: OtherOrder): Undone {
  return toRow(operation, {
    outcome: "left_alone",
    reason: "other_order",
    before: order,
    after: order,
    message: why,
  });
}

export function rowRefused({ operation, failure }: UnreadOrder): Undone {
  return toRow(operation, { outcome: "refused", failure });
}

export function rowInDoubt(operation: Operation, isMarked: boolean): Undone {
  const message = isMarked
    ? "in doubt: it is not sent again; once its order is found, orders cancel cancels it"
    : "in doubt: it may or may not exist";
  return toRow(operation, { outcome: "left_alone", reason: "in_doubt", message });
}

export function rowResult({ operation, order }: ReadOrder, result: CancelResult): Undone {
  if (result.kind === "unshown") return rowUnshown({ operation }, order);
  const { after } = result;
  if (result.kind === "open") {
    const { failure, isUntouched } = result;
    const facts = { before: order, after, failure };
    if (!isUntouched) return toRow(operation, { outcome: "unknown", ...facts });
    const status = order.status ?? undefined;
    return toRow(operation, { outcome: "left_alone", reason: "failed", status, ...facts });
  }
  const { state: outcome, message, refusal: failure } = result;
  return toRow(operation, { outcome, before: order, after, message, failure });
}

const outcomeStyles: Readonly<Record<Undone["outcome"], Style>> = {
  cancelled: "good",
  already_cancelled: "good",
  would_cancel: "good",
  accepted: "warn",
  left_alone: "warn",
  unknown: "warn",
  refused: "bad",
};

export const undoneColumns: readonly Column<Undone>[] = [
  { path: "operation", title: "NAME", cell: ({ operation }) => operation },
  {
    path: "row",
    title: "ROW",
    cell: ({ row }) => (row === null ? "-" : String(row)),
    align: "right",
    spare: 1,
  },
  { path: "ref", title: "REF", cell: ({ ref }) => show(ref), spare: 4 },
  { path: "id", title: "ID", cell: ({ id }) => styled("strong", id) },
  { path: "order_no", title: "ORDER NO", cell: ({ order_no }) => show(order_no), spare: 2 },
  {
    path: "tracking_number",
    title: "TRACKING",
    cell: ({ tracking_number }) => show(tracking_number),
    spare: 3,
  },
  { path: "outcome", title: "OUTCOME", cell: ({ outcome }) => styled(outcomeStyles[outcome], outcome) },
  { path: "reason", title: "REASON", cell: ({ reason }) => show(reason), isRemark: true },
  { path: "status_before", title: "WAS", cell: ({ status_before }) => show(status_before) },
  {
    path: "status",
    title: "STATE NOW",
    cell: ({ status }) => (status === null ? "-" : state(status)),
  },
  { path: "message", title: "MESSAGE", cell: ({ message }) => show(message), flexible: true, spare: 5 },
];
