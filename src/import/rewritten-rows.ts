/** Rows that were edited after a spreadsheet program had rewritten their refs, as it did in other rows of the file. */

import type { Ledger } from "../ledger/ledger.ts";
import type { Operation } from "../ledger/operation.ts";
import { isStanding } from "../ledger/operation.ts";
import { mayBeEdited } from "../ledger/order-of-row.ts";
import { isRewrittenRef } from "../ledger/rewritten-ref.ts";
import type { FileFacts, RowPolicy, RowToSend } from "../ledger/row-to-send.ts";
import type { RowDecision } from "../ledger/rules.ts";
import type { DraftParty } from "../model/draft.ts";

/** The run of an order that was sent with another form of the row's ref; undefined where the decision shows none. */
export function runOfRewritten(
  { ref }: Pick<RowToSend, "ref">,
  decision: RowDecision,
  { shop }: Pick<FileFacts, "shop">,
): number | undefined {
  if (!("operation" in decision) || ref === undefined) return undefined;
  const { operation } = decision;
  const isOther = operation.ref !== undefined && operation.ref !== ref && operation.shop === shop;
  return isOther ? operation.run : undefined;
}

const operationsAtOnce = 500;

/** For each row the standing order of these runs that it may be, by its ref and its receiver. */
export async function findRewrittenRows(
  runs: ReadonlySet<number>,
  { ledger, file }: { readonly ledger: Ledger; readonly file: FileFacts },
): Promise<NonNullable<RowPolicy["rewritten"]>> {
  const byReceiver = new Map<string, Operation[]>();
  for (const run of runs)
    for await (const operation of operationsOf(run, ledger)) {
      const { ref, shop, draft } = operation;
      if (ref === undefined || shop !== file.shop || file.hasRef(ref) || !isStanding(operation)) continue;
      for (const key of keysOf(draft?.receiver)) {
        const others = byReceiver.get(key);
        if (others) others.push(operation);
        else byReceiver.set(key, [operation]);
      }
    }
  return (row) =>
    keysOf(row.draft.receiver)
      .flatMap((key) => byReceiver.get(key) ?? [])
      .findLast(
        (operation) =>
          isRewrittenRef(row.ref ?? "", operation.ref ?? "") && mayBeEdited(row, operation, false),
      );
}

async function* operationsOf(run: number, ledger: Ledger): AsyncGenerator<Operation> {
  let after = 0;
  for (;;) {
    const found = await ledger.listOperations(run, after, operationsAtOnce);
    yield* found;
    after = found.at(-1)?.number ?? after;
    if (found.length < operationsAtOnce) return;
  }
}

/** The phone, and the street. */
function keysOf({ phone, detail }: DraftParty = {}): readonly string[] {
  return [phone, detail].flatMap((text) =>
    text === undefined ? [] : [text.replace(/\s/g, "").toLowerCase()],
  );
}
