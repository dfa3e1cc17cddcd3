/** What is known of an operation, and what a person may record of it. */

import { type Context, document, type Output } from "../command/command.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { OperationRow } from "../model/results.ts";
import {
  type Block,
  blank,
  fields,
  instant,
  line,
  show,
  state,
  styled,
  type Text,
} from "../terminal/blocks.ts";
import { draftRows } from "../terminal/draft-view.ts";
import { showOperationState, toOperationRow } from "./operation-row.ts";

export function showOperation(operation: Operation, isOpen: boolean, context: Context): Output {
  const ways = isOpen ? waysOut(nameOperation(operation), context) : [];
  return document(toOperationRow(operation), (row) => [
    ...operationView(row),
    ...orderView(operation),
    ...(isOpen ? [blank] : []),
    ...ways.map((way) => line(way)),
  ]);
}

/** What a person may record of an order in doubt. A pasted NAME or ID is refused. */
export function waysOut(name: string, { nextCommand }: Context): readonly string[] {
  return [
    `if it was created as order ID: ${nextCommand(`orders resolve ${name} --as ID`)}`,
    `if it was not created: ${nextCommand(`orders resolve ${name} --not-created`)}`,
  ];
}

function operationView(row: OperationRow): readonly Block[] {
  const facts: (readonly [string, Text])[] = [
    ["Operation", styled("strong", row.operation)],
    ["Kind", row.kind],
    ["State", showOperationState(row)],
    ["Row", row.row === null ? "-" : String(row.row)],
    ["Ref", show(row.ref)],
    ["Order", show(row.id)],
    ["Tracking number", show(row.tracking_number)],
    ["Last seen", row.order_state === null ? "-" : state(row.order_state)],
    ["Sent", instant(row.sent_at)],
    ["Ended", instant(row.ended_at)],
  ];
  if (row.error !== null) facts.push(["Error", show(row.error.message)]);
  return [fields(...facts)];
}

/** A name is not enough to tell an order from others. */
export function orderView({ kind, draft }: Operation): readonly Block[] {
  if (kind === "cancel") return [];
  if (!draft) return [blank, line("The ledger does not have the data of the order")];
  return [blank, line("The order:"), fields(...draftRows(draft))];
}
