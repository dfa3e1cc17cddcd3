/** What orders cost, from the figures of the mirror. */

import type { Mirror } from "../mirror/mirror.ts";
import { type Amount, summariseAmounts } from "./amounts.ts";
import { createGroups, type Grouping, isPeriod } from "./groups.ts";
import type { OrderRange } from "./range.ts";

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
  let groups = createGroups(by, texts, beginTally);
  const cancelled = beginTally();
  const payments = new Map<number, number>();
  let undated = 0;
  const begin = (known: readonly string[]) => {
    texts = known;
    groups = createGroups(by, texts, beginTally);
    const status = range.status === undefined ? undefined : texts.indexOf(range.status);
    const cancelledState = status === undefined ? texts.indexOf("cancelled") : -1;
    return (chunk: Parameters<typeof groups.tallyOf>[0]) => {
      const { created, state, payment, charged, estimated } = chunk.columns;
      for (let row = 0; row < chunk.count; row++) {
        if (status !== undefined && state[row] !== status) continue;
        const createdMs = created[row] ?? Number.NaN;
        if (Number.isNaN(createdMs)) undated += 1;
        if (!range.hasInstant(createdMs)) continue;
        const isCancelled = state[row] === cancelledState;
        const tally = isCancelled ? cancelled : groups.tallyOf(chunk, row);
        const [charge = 0, estimate = 0] = [charged[row], estimated[row]];
        tally.orders += 1;
        if (charge !== 0) tally.charged.push(charge);
        if (estimate !== 0) tally.estimated.push(estimate);
        if (charge === 0 && estimate === 0) tally.withoutFee += 1;
        if (!isCancelled) payments.set(payment[row] ?? 0, (payments.get(payment[row] ?? 0) ?? 0) + 1);
      }
    };
  };
  await mirror.readFigures(begin, onProgress);
  const found = groups.list();
  const [all, left, ...spends] = summarise(texts, [
    join(found.map(({ tally }) => tally)),
    cancelled,
    ...found.map(({ tally }) => tally),
  ]);
  const rows = found.map(({ key }, index) => ({ key, ...(spends[index] as Spend) }));
  return {
    all: all as Spend,
    groups: isPeriod(by) ? rows : sortByCost(all as Spend, rows),
    cancelled: left as Spend,
    undated,
    payments: new Map([...payments].map(([number, count]) => [texts[number] ?? "", count])),
  };
}

function beginTally(): Tally {
  return { orders: 0, withoutFee: 0, charged: [], estimated: [] };
}

function join(tallies: readonly Tally[]): Tally {
  return {
    orders: tallies.reduce((sum, { orders }) => sum + orders, 0),
    withoutFee: tallies.reduce((sum, { withoutFee }) => sum + withoutFee, 0),
    charged: tallies.flatMap(({ charged }) => charged),
    estimated: tallies.flatMap(({ estimated }) => estimated),
  };
}

function summarise(texts: readonly string[], tallies: readonly Tally[]): Spend[] {
  const amounts = summariseAmounts(
    texts,
    tallies.flatMap(({ charged, estimated }) => [charged, estimated]),
  );
  return tallies.map(({ orders, withoutFee }, index) => ({
    orders,
    withoutFee,
    charged: amounts[2 * index] as Amount,
    estimated: amounts[2 * index + 1] as Amount,
  }));
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
