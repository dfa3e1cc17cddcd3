/** One operation of a run as a row of a result. */

import { nameOperation, type Operation } from "../ledger/operation.ts";
import { jsonNumber } from "../model/json.ts";
import { withoutZeros } from "../model/order-id.ts";
import type { OperationRow } from "../model/results.ts";
import { integerPattern } from "../model/schema.ts";
import { type Column, instant, type Style, show, state, styled, type Text } from "../terminal/blocks.ts";

export function toOperationRow(operation: Operation): OperationRow {
  const { kind, ref, row, order, orderState, draft, sentAtMs, endedAtMs, rejection } = operation;
  return {
    operation: nameOperation(operation),
    kind,
    state: operation.state,
    unwanted: operation.isUnwanted,
    row: row ?? null,
    ref: ref ?? null,
    id: order && integerPattern.test(order.id) ? jsonNumber(withoutZeros(order.id)) : null,
    order_no: order?.order_no ?? null,
    tracking_number: order?.tracking_number ?? null,
    order_state: orderState ?? null,
    receiver: draft?.receiver?.name ?? null,
    sent_at: toIso(isNeverSent(operation) ? undefined : sentAtMs),
    ended_at: toIso(endedAtMs),
    error: rejection
      ? { code: rejection.code, message: rejection.message, field: rejection.field ?? null }
      : null,
  };
}

/** It ended before its request left, and no list was asked for its order: it has a time because it was about to be sent. */
function isNeverSent({ state: ended, firstListingMs }: Operation): boolean {
  return ended === "unsent" && firstListingMs === undefined;
}

export function toIso(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : new Date(timeMs).toISOString();
}

const stateStyles: Readonly<Record<OperationRow["state"], Style>> = {
  ready: "dim",
  sending: "warn",
  unknown: "warn",
  created: "good",
  found: "good",
  cancelled: "good",
  accepted: "warn",
  refused: "bad",
  unsent: "dim",
};

export function showOperationState({ state, unwanted }: OperationRow): Text {
  const word = styled(stateStyles[state], state);
  return unwanted ? [word, " (unwanted)"] : word;
}

export const operationColumns: readonly Column<OperationRow>[] = [
  { path: "operation", title: "NAME", cell: ({ operation }) => styled("strong", operation) },
  { path: "kind", title: "KIND", cell: ({ kind }) => kind, spare: 5 },
  { path: "state", title: "STATE", cell: showOperationState },
  {
    path: "row",
    title: "ROW",
    cell: ({ row }) => (row === null ? "-" : String(row)),
    align: "right",
    spare: 4,
  },
  { path: "ref", title: "REF", cell: ({ ref }) => show(ref) },
  { path: "id", title: "ORDER", cell: ({ id }) => show(id) },
  {
    path: "tracking_number",
    title: "TRACKING",
    cell: ({ tracking_number }) => show(tracking_number),
    spare: 6,
  },
  {
    path: "order_state",
    title: "LAST SEEN",
    cell: ({ order_state }) => (order_state === null ? "-" : state(order_state)),
    spare: 2,
  },
  { path: "receiver", title: "TO", cell: ({ receiver }) => show(receiver), flexible: true, spare: 3 },
  { path: "sent_at", title: "SENT", cell: ({ sent_at }) => instant(sent_at), spare: 1 },
  { path: "error.message", title: "ERROR", cell: ({ error }) => show(error?.message), isRemark: true },
];

/** The error of an operation, shown under its line. */
export function remarkOnOperation({ error, state }: OperationRow): Text | undefined {
  return error === null ? undefined : styled(stateStyles[state], error.message);
}
