/** The outcome of a row in words: why it is held, what changed, which order it is. */

import { isMade, nameOperation, type Rejection } from "../ledger/operation.ts";
import type { OrderElsewhere, RowName } from "../ledger/row-to-send.ts";
import type { RowDecision } from "../ledger/rules.ts";
import { getField } from "../model/fields.ts";
import { isJsonNumber } from "../model/json.ts";
import type { RowResult } from "./import-types.ts";
import { answerCell } from "./plain-text.ts";

/** `row 3 (1001)`, `rows 2-4 (1001)`. */
export function nameOfRow({ row, rows = [row], ref }: RowName): string {
  const name = rows.length > 1 ? `rows ${listRows(rows)}` : `row ${row}`;
  return ref === undefined ? name : `${name} (${ref})`;
}

/** `2-4, 7`. */
export function listRows(rows: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const row of rows) {
    const last = runs.at(-1);
    if (last && row === last[1] + 1) last[1] = row;
    else runs.push([row, row]);
  }
  return runs.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(", ");
}

/** Why an order holds a row with this ref. */
function describeHeld(
  { operation, isEdited }: Extract<RowDecision, { kind: "held" }>,
  ref: string | undefined,
): string {
  const name = nameOperation(operation);
  const id = operation.order?.id;
  const isLost = operation.state === "unknown";
  const settle = `courier orders resolve ${name}`;
  const isOtherRef = ref !== undefined && operation.ref !== undefined && operation.ref !== ref;
  const asSent = isOtherRef ? `, sent with the ref ${operation.ref}` : "";
  if (isEdited && isMade(operation))
    return `may be the edited row of operation ${name}, which is order ${id}${asSent}`;
  if (isEdited && isLost)
    return `order ${name} is in doubt, and no row of this file is it; this row may be its edited form: settle it first with: ${settle}`;
  const place = operation.row === undefined ? "" : `row ${operation.row}`;
  const shop = operation.shop === "" ? "without --shop" : `with --shop ${operation.shop}`;
  const isSameRef = ref !== undefined && operation.ref === ref;
  if (isMade(operation) && isSameRef)
    return `equals order ${id} (operation ${[name, place].filter(Boolean).join(", ")}), which was sent with this ref ${shop}`;
  if (isLost && isSameRef)
    return `equals operation ${name}${place && ` (${place})`}, which was sent with this ref ${shop} and is in doubt; settle it with: ${settle}`;
  if (isMade(operation) && isOtherRef)
    return `equals order ${id}, which was sent with the ref ${operation.ref}: did a program rewrite the ref?`;
  if (isMade(operation)) return `equals order ${id} (operation ${name})`;
  if (isLost) return `equals an order in doubt; settle it with: ${settle}`;
  return isEdited
    ? `may be the edited row of operation ${name}, which another run is sending`
    : `equals an order that another run is sending (operation ${name})`;
}

/** Why a row is held; undefined for a row that is not. */
export function describeHold(decision: RowDecision, ref: string | undefined): string | undefined {
  if (decision.kind === "held") return describeHeld(decision, ref);
  if (decision.kind === "written") return decision.isCovered ? undefined : describeWritten(decision);
  if (decision.kind === "elsewhere") return decision.isCovered ? undefined : describeElsewhere(decision);
  return undefined;
}

/** Why an order that was not sent from this machine holds a row. */
function describeElsewhere({ orderId, isCertain, doubt }: OrderElsewhere): string {
  const order = `${isCertain ? "equals" : "may equal"} order ${orderId}`;
  return doubt === undefined
    ? `${order}, which this ledger does not know`
    : `${order}, a possible match of ${doubt}, which is in doubt: settle it first with: courier orders resolve ${doubt}`;
}

/** Why the number in the sheet holds a row. */
function describeWritten({
  number: written,
  sent,
  own,
  holder,
  isCancelled,
  isDoubt,
  receiver,
}: Extract<RowDecision, { kind: "written" }>): string {
  if (isDoubt)
    return `the sheet says that it is in doubt as operation ${written}, which this ledger does not have for this row: settle it on the machine that sent it, and write the sheet back there`;
  const number = answerCell(written);
  const next = "empty these cells if this is a new order";
  if (sent && holder) return `${number} is the order of ${nameOfRow(holder)}: ${next}`;
  if (sent) {
    const what = sent.ref === undefined ? "from other values" : `for the ref ${sent.ref}`;
    const made = `${number} is order ${sent.order?.id}, which was made ${what}`;
    return own?.order
      ? `${made}; order ${own.order.id} was made from this row's values: if the rows were sorted without these cells, empty them in all rows`
      : `${made}: ${next}`;
  }
  if (holder) return `${number} is beside ${nameOfRow(holder)}, too: ${next}`;
  if (isCancelled)
    return `the sheet says that it is shipped as ${number}, which the list calls cancelled: ${next}`;
  if (receiver !== undefined) return `${number} is an order that the list shows for “${receiver}”: ${next}`;
  return `the sheet says that it is shipped as ${number}; this machine knows no order of this row`;
}

export function describeCancelled(orderId: string | undefined): string {
  return `order ${orderId} was cancelled`;
}

function describeUndone(row: number): string {
  return `no order was made, and its run was undone: --allow-duplicate row:${row} sends it`;
}

export type Explanation = Rejection & {
  /** The column that it is about, and what the row has there. */
  readonly column?: string | undefined;
  readonly value?: string | undefined;
};

/** The error of a row that was not created; `columns` maps fields to the column names of the file. */
export function explain(
  { row, outcome, decision, order, rejection, value }: RowResult,
  columns: ReadonlyMap<string, string>,
): Explanation | undefined {
  const nameOf = (field: string) => columns.get(field) ?? field;
  if (rejection) {
    const { field } = rejection;
    if (field === undefined) return rejection;
    const found = getField(row.draft, field);
    const shown = typeof found === "string" ? found : isJsonNumber(found) ? found.value : undefined;
    return { ...rejection, column: nameOf(field), value: value ?? shown };
  }
  const hold = outcome === "held" && decision ? describeHold(decision, row.ref) : undefined;
  if (hold !== undefined) return { code: "duplicate", message: hold };
  if (decision?.kind === "undone") return { code: "cancelled", message: describeUndone(row.row) };
  if (outcome === "cancelled") {
    const change = decision?.kind === "cancelled" ? decision.change : undefined;
    const also = change ? `, and ${describeChange(change.fields, columns)}` : "";
    return { code: "cancelled", message: `${describeCancelled(order?.id)}${also}` };
  }
  if (outcome === "changed" && decision?.kind === "changed")
    return { code: "changed", message: `order ${order?.id} ${describeChange(decision.fields, columns)}` };
  return undefined;
}

/** `columns` maps fields to the column names of the file. */
export function describeChange(
  fields: readonly string[] | undefined,
  columns: ReadonlyMap<string, string>,
): string {
  const names = new Set(fields?.map((field) => columns.get(field) ?? field)); // one column may hold several fields
  return `was made from other values${names.size > 0 ? `: ${[...names].join(", ")}` : ""}`;
}
