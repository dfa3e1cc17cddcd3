/** What orders cost, from the figures of the mirror. */

import type { FigureChunk } from "../mirror/figures.ts";
import type { Mirror } from "../mirror/mirror.ts";
import { type Amount, createAmounts } from "./amounts.ts";
import { createGroups, type Grouping, isPeriod } from "./groups.ts";
import { type OrderRange, stateFilter } from "./range.ts";

export interface Spend {
  /** Orders counted, and those of them that lack something. */
  readonly orders: number;
  readonly withoutFee: number;
  readonly charged: Amount;
  readonly estimated: Amount;
}

export interface SpendReport {
  readonly all: Spend;
  readonly groups: readonly (Spend & { readonly key: string | null })[];
  /** Not among the others, unless they were asked for. */
  readonly cancelled: Spend;
  /** Orders without a readable created_at; in a report of some days, they are in no group. */
  readonly undated: number;
  /** Orders by payment_status, an empty text where it is not known. */
  readonly payments: ReadonlyMap<string, number>;
}

interface Tally {
  orders: number;
  withoutFee: number;
  /** Numbers of the fees' texts. */
  readonly charged: number[];
  readonly estimated: number[];
}

export async function countSpend(
  mirror: Mirror,
  by: Grouping,
  range: OrderRange,
  onProgress?: (orders: number) => void,
): Promise<SpendReport> {
  let texts: readonly string[] = [];
  let groups = createGroups(by, range.zone, texts, beginTally);
  const cancelled = beginTally();
  /** Orders by the number of their payment_status. */
  const paid: number[] = [];
  let undated = 0;
  const begin = (known: readonly string[]) => {
    texts = known;
    groups = createGroups(by, range.zone, texts, beginTally);
    const isInState = stateFilter(range, texts);
    const cancelledState = isInState ? -1 : texts.indexOf("cancelled");
    return (chunk: FigureChunk) => {
      const tallyOf = groups.tallies(chunk);
      const [created, state, payment] = [
        chunk.column("created"),
        chunk.column("state"),
        chunk.column("payment"),
      ];
      const [charged, estimated] = [chunk.column("charged"), chunk.column("estimated")];
      for (let row = 0; row < chunk.count; row++) {
        if (isInState && !isInState(state[row] ?? 0)) continue;
        const createdMs = created[row] ?? Number.NaN;
        if (Number.isNaN(createdMs)) undated += 1;
        if (!range.hasInstant(createdMs)) continue;
        const isCancelled = state[row] === cancelledState;
        const tally = isCancelled ? cancelled : tallyOf(row);
        const [charge = 0, estimate = 0] = [charged[row], estimated[row]];
        tally.orders += 1;
        if (charge !== 0) tally.charged.push(charge);
        if (estimate !== 0) tally.estimated.push(estimate);
        if (charge === 0 && estimate === 0) tally.withoutFee += 1;
        if (!isCancelled) paid[payment[row] ?? 0] = (paid[payment[row] ?? 0] ?? 0) + 1;
      }
    };
  };
  await mirror.readFigures(begin, onProgress);
  const found = groups.list();
  const tallies = [cancelled, ...found.map(({ tally }) => tally)];
  const amounts = createAmounts(
    texts,
    tallies.flatMap(({ charged, estimated }) => [charged, estimated]),
  );
  const spendOf = (indexes: readonly number[]): Spend => ({
    orders: indexes.reduce((sum, index) => sum + (tallies[index]?.orders ?? 0), 0),
    withoutFee: indexes.reduce((sum, index) => sum + (tallies[index]?.withoutFee ?? 0), 0),
    charged: amounts(indexes.map((index) => 2 * index)),
    estimated: amounts(indexes.map((index) => 2 * index + 1)),
  });
  const all = spendOf(found.map((_, index) => index + 1));
  const rows = found.map(({ key }, index) => ({ key, ...spendOf([index + 1]) }));
  return {
    all,
    groups: isPeriod(by) ? rows : sortByCost(all, rows),
    cancelled: spendOf([0]),
    undated,
    payments: new Map(Object.entries(paid).map(([number, count]) => [texts[Number(number)] ?? "", count])),
  };
}

function beginTally(): Tally {
  return { orders: 0, withoutFee: 0, charged: [], estimated: [] };
}

/** Charged fees, or the estimated ones where no order of the report has a charged one. For order and bars only. */
export function sizesOf({ all }: Pick<SpendReport, "all">): (spend: Spend) => number {
  const kind = all.charged.orders > 0 ? "charged" : "estimated";
  return (spend) => Number(spend[kind].sum ?? 0);
}

/** The dearest first, those without the field last. */
function sortByCost<T extends Spend & { readonly key: string | null }>(all: Spend, rows: readonly T[]): T[] {
  const sizeOf = sizesOf({ all });
  return rows.toSorted((a, b) => {
    if ((a.key === null) !== (b.key === null)) return a.key === null ? 1 : -1;
    return sizeOf(b) - sizeOf(a) || b.orders - a.orders || ((a.key ?? "") < (b.key ?? "") ? -1 : 1);
  });
}
