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

type GoodsLine = SkippedFacts["lines"][number];

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
  const said = [facts, ...lines].flatMap(({ reason }) => reason ?? []);
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

/**
 * A line may have been left out of the parcel, or be refunded since it was sent: its goods tell. Of lines with equal goods,
 * those that are to be sent, or have left, come first: another one is in the parcel only where goods are left for it.
 */
function linesInParcel({ lines }: SkippedFacts, { draft }: Operation) {
  const left = new Map<string, number>();
  for (const name of draft?.item?.name?.split("; ") ?? []) left.set(name, (left.get(name) ?? 0) + 1);
  const sent = new Set<GoodsLine>();
  const takeGoods = (line: GoodsLine, fewest: number) => {
    const names = line.goods?.split("; ") ?? [];
    if (names.length === 0 || names.some((name) => (left.get(name) ?? -1) < fewest)) return;
    sent.add(line);
    for (const name of names) left.set(name, Math.max(0, (left.get(name) ?? 0) - 1));
  };
  const isWanted = ({ reason }: GoodsLine) => reason === undefined || isFulfilled(reason);
  // Equal goods of a merged cell are named once.
  for (const line of lines) if (isWanted(line)) takeGoods(line, 0);
  for (const line of lines) if (!isWanted(line)) takeGoods(line, 1);
  return sent.size > 0
    ? {
        lines: lines.filter((line) => sent.has(line)),
        isWhole: [...left.values()].every((count) => count === 0),
      }
    : { lines: lines.filter(isWanted), isWhole: false };
}
