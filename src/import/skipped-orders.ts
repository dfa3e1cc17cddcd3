/** Orders that a shop's file says not to send, and that were sent: the shop has exported it again since. */

import type { Ledger } from "../ledger/ledger.ts";
import { isCancelled, isInDoubt, isMade, type Operation } from "../ledger/operation.ts";
import type { Draft } from "../model/draft.ts";
import { maskPattern } from "../model/masked-text.ts";
import { differingFields } from "../model/same-order.ts";
import type { SkippedFacts } from "./order-record.ts";
import { fulfilledReasons, type SkipReason } from "./presets/preset.ts";
import { skipReasons } from "./reading-notes.ts";
import { type ImportRow, type RowsOptions, readRows, type WrongRow } from "./rows.ts";

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

interface Known {
  readonly ledger: Ledger;
  readonly customer: number;
  readonly shop: string;
}

/** A skipped order, with its ref. */
interface Skipped {
  readonly order: ImportRow | WrongRow;
  readonly ref: string;
  readonly facts: SkippedFacts;
}

const batchSize = 500;

/** By their refs: their platform may have hidden the receivers meanwhile. */
export async function* findSentBefore(source: RowsOptions, known: Known): AsyncGenerator<SentBefore> {
  const batch: Skipped[] = [];
  for await (const checked of readRows({
    ...source,
    tally: undefined,
    onLine: undefined,
    keepsSkipped: true,
  })) {
    const order = "ok" in checked ? checked.ok : checked;
    const { skipped: facts, ref } = order;
    if (!facts || ref === undefined) continue;
    batch.push({ order, ref, facts });
    if (batch.length >= batchSize) yield* sentOf(batch.splice(0), known);
  }
  yield* sentOf(batch, known);
}

async function* sentOf(
  batch: readonly Skipped[],
  { ledger, customer, shop }: Known,
): AsyncGenerator<SentBefore> {
  if (batch.length === 0) return;
  const found = await ledger.findByRefs(customer, [...new Set(batch.map(({ ref }) => ref))]);
  const made = found.filter((each) => each.shop === shop && (isMade(each) || isInDoubt(each)));
  if (made.length === 0) return;
  for (const { order, ref, facts } of batch) {
    const sent = made.filter((each) => each.ref === ref && !isOfOther(order.draft, each.draft));
    const operation = sent.findLast((each) => !isCancelled(each)) ?? sent.at(-1);
    if (operation) yield describeSent(order, facts, operation);
  }
}

function describeSent(order: Skipped["order"], facts: SkippedFacts, operation: Operation): SentBefore {
  const { lines, isWhole } = linesInParcel(facts, operation);
  const said = [facts.reason, ...lines.flatMap(({ reason }) => reason ?? [])];
  const leftOut = facts.lines.filter((line) => !lines.includes(line));
  // A row that sums up the order has no goods, and is one of it.
  const withGoods = new Set(facts.lines.map(({ row }) => row));
  const summary = (order.rows ?? [order.row]).filter((row) => !withGoods.has(row));
  return {
    order,
    operation,
    rows: [...summary, ...lines.map(({ row }) => row)],
    leftOut,
    isPart: isWhole && leftOut.length > 0,
    reasons: [...new Set(said)].filter((reason) => !isFulfilled(reason)),
  };
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
