/** Rows that were edited after a spreadsheet program had rewritten their refs, as it did in other rows of the file. */

import type { Ledger } from "../ledger/ledger.ts";
import { isStanding, type Operation, type OperationName } from "../ledger/operation.ts";
import { mayBeEdited } from "../ledger/order-of-row.ts";
import { isRewrittenRef } from "../ledger/rewritten-ref.ts";
import type { FileFacts, RowPolicy, RowToSend } from "../ledger/row-to-send.ts";
import type { RowDecision } from "../ledger/rules.ts";
import type { DraftParty } from "../model/draft.ts";
import { barePhone } from "../model/phone.ts";

/** True where the order of the row was sent with another form of its ref. */
export function isOfRewritten(
  { ref }: Pick<RowToSend, "ref">,
  decision: RowDecision,
  { shop }: Pick<FileFacts, "shop">,
): boolean {
  if (!("operation" in decision) || ref === undefined) return false;
  const { operation } = decision;
  return operation.ref !== undefined && operation.ref !== ref && operation.shop === shop;
}

const operationsAtOnce = 500;

/** For each of the rows the standing order of the shop that it may be, by its ref and its receiver. */
export async function findRewrittenRows(
  rows: AsyncIterable<Pick<RowToSend, "draft">>,
  {
    ledger,
    customer,
    file,
  }: { readonly ledger: Ledger; readonly customer: number; readonly file: FileFacts },
): Promise<NonNullable<RowPolicy["rewritten"]>> {
  const byReceiver = new Map<string, Operation[]>();
  for await (const { draft } of rows) for (const key of keysOf(draft.receiver)) byReceiver.set(key, []);
  for await (const operation of createsWithRefs(customer, file.shop, ledger)) {
    if (file.hasRef(operation.ref ?? "") || !isStanding(operation)) continue;
    for (const key of keysOf(operation.draft?.receiver)) byReceiver.get(key)?.push(operation);
  }
  return (row) =>
    keysOf(row.draft.receiver)
      .flatMap((key) => byReceiver.get(key) ?? [])
      .findLast(
        (operation) =>
          isRewrittenRef(row.ref ?? "", operation.ref ?? "") && mayBeEdited(row, operation, false),
      );
}

async function* createsWithRefs(customer: number, shop: string, ledger: Ledger): AsyncGenerator<Operation> {
  let after: OperationName = { run: 0, number: 0 };
  for (;;) {
    const found = await ledger.createsWithRefs(customer, shop, after, operationsAtOnce);
    yield* found;
    after = found.at(-1) ?? after;
    if (found.length < operationsAtOnce) return;
  }
}

/** The phone, and the street: `mayBeEdited` takes an order only where one of them is the same. */
function keysOf({ phone, detail }: DraftParty = {}): readonly string[] {
  return [phone && barePhone(phone), detail?.replace(/\s/g, "").toLowerCase()].filter(
    (key) => key !== undefined,
  );
}
