/** Orders that a shop's file says not to send, and that were sent: the shop has exported it again since. */

import type { Ledger } from "../ledger/ledger.ts";
import { isCancelled, isInDoubt, isMade, type Operation } from "../ledger/operation.ts";
import type { Draft } from "../model/draft.ts";
import { maskPattern } from "../model/masked-text.ts";
import { differingFields } from "../model/same-order.ts";
import { fulfilledReasons, type SkipReason } from "./presets/preset.ts";
import { skipReasons } from "./reading-notes.ts";
import { type ImportRow, type RowsOptions, readRows, type WrongRow } from "./rows.ts";
import type { SkippedFacts } from "./sheet-records.ts";

export interface SentBefore {
  readonly order: ImportRow | WrongRow;
  /** Made, or in doubt. */
  readonly operation: Operation;
  /** Those of its rows that are in the parcel. */
  readonly rows: readonly number[];
  /** The others. */
  readonly leftOut: SkippedFacts["lines"];
  /** All goods of the parcel are in `rows`, and others are not in it. */
  readonly isPart: boolean;
  /** What the file says, without that it is fulfilled. */
  readonly reasons: readonly SkipReason[];
}

/** By their refs: their platform may have hidden the receivers meanwhile. */
export async function* findSentBefore(
  source: RowsOptions,
  { ledger, customer, shop }: { readonly ledger: Ledger; readonly customer: number; readonly shop: string },
): AsyncGenerator<SentBefore> {
  for await (const checked of readRows({
    ...source,
    tally: undefined,
    onLine: undefined,
    keepsSkipped: true,
  })) {
    const order = "ok" in checked ? checked.ok : checked;
    const { skipped, ref, draft } = order;
    if (!skipped || ref === undefined) continue;
    const sent = (await ledger.findByRef(customer, ref)).filter(
      (each) => each.shop === shop && (isMade(each) || isInDoubt(each)) && !isOfOther(draft, each.draft),
    );
    const operation = sent.findLast((each) => !isCancelled(each)) ?? sent.at(-1);
    if (!operation) continue;
    const { lines, isWhole } = linesInParcel(skipped, operation);
    const said = [skipped.reason, ...lines.flatMap(({ reason }) => reason ?? [])];
    const reasons = [...new Set(said)].filter((reason) => !isFulfilled(reason));
    const leftOut = skipped.lines.filter((line) => !lines.includes(line));
    const isPart = isWhole && leftOut.length > 0;
    // A row that sums up the order has no goods, and is one of it.
    const withGoods = new Set(skipped.lines.map(({ row }) => row));
    const summary = (order.rows ?? [order.row]).filter((row) => !withGoods.has(row));
    const rows = [...summary, ...lines.map(({ row }) => row)];
    yield { order, operation, rows, leftOut, isPart, reasons };
  }
}

/** What the file says of an order that was made. */
export function describeSaid(reasons: readonly SkipReason[]): string {
  return `the file says: ${reasons.map((reason) => skipReasons[reason]).join(", ")}`;
}

function isFulfilled(reason: SkipReason): boolean {
  return fulfilledReasons.includes(reason);
}

/** Refs are used again for other customers. */
function isOfOther({ receiver: one }: Draft, sent: Draft | undefined): boolean {
  const other = sent?.receiver;
  const differing = differingFields({ receiver: one ?? {} }, { receiver: other ?? {} }, () => true);
  return (["name", "phone"] as const).every(
    (field) =>
      one?.[field] !== undefined &&
      other?.[field] !== undefined &&
      !maskPattern.test(one[field]) &&
      differing.includes(`receiver.${field}`),
  );
}

/** A line may have been left out of the parcel, or be refunded since it was sent: its goods tell. */
function linesInParcel({ lines }: SkippedFacts, { draft }: Operation) {
  const names = new Set(draft?.item?.name?.split("; "));
  const namesOf = ({ goods }: { readonly goods: string | undefined }) => goods?.split("; ") ?? [];
  const sent = lines.filter(
    (line) => line.goods !== undefined && namesOf(line).every((name) => names.has(name)),
  );
  const found = new Set(sent.flatMap(namesOf));
  return sent.length > 0
    ? { lines: sent, isWhole: [...names].every((name) => found.has(name)) }
    : { lines: lines.filter(({ reason }) => reason === undefined || isFulfilled(reason)), isWhole: false };
}
