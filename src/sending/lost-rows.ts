/** Owns finding out what became of rows whose answer was lost: one look at the list for all of them. */

import { mapInOrder } from "../core/concurrent.ts";
import { parseInstant, utcDate } from "../core/time.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import {
  type Agreement,
  type Candidates,
  compareAge,
  couldBe,
  type Dated,
  fold,
  isReworded,
  type OrderLookup,
  weighOrders,
} from "./reconcile.ts";

/** What was sent, as far as the search needs it. */
export interface SentRow {
  readonly draft: Draft;
  /** Equal for equal orders. */
  readonly content: string;
}

export interface LostRow<R extends SentRow = SentRow> {
  readonly row: R;
  /** When it was first sent, by our clock. */
  readonly sentAtMs: number;
  /** Service's clock minus ours at that time, where it was known. */
  readonly offsetMs: number | undefined;
}

export type Finding<R extends SentRow = SentRow> =
  /** This order is the row's. */
  | { readonly kind: "found"; readonly row: R; readonly order: OrderDetail }
  /** No order is: it was not created. */
  | { readonly kind: "absent"; readonly row: R }
  /** Orders may be the row's, but not for certain. */
  | { readonly kind: "unclear"; readonly row: R; readonly candidates: readonly string[] };

const detailsAtOnce = 4;
const dayMs = 86_400_000;

/**
 * Looks all lost rows up. `lookup.findClaimed` tells the orders that some row has become already: none is taken
 * twice. Equal rows are interchangeable: of two of them and one order, one is found and the other absent;
 * more orders than rows leave open which are whose, and so does an order that rows of different content may
 * have become. Rejects with the reason of `stop` when it aborts.
 */
export async function findLostRows<R extends SentRow>(
  lost: readonly LostRow<R>[],
  lookup: OrderLookup,
  stop: AbortSignal,
): Promise<readonly Finding<R>[]> {
  const summaries = await listCandidates(lost, lookup, stop);
  const orders = createDrawers<OrderDetail>();
  const details = mapInOrder(summaries, detailsAtOnce, ({ id }) => lookup.detail(id.value), { stop });
  for await (const order of details) orders.put(nameIn(order), order);
  stop.throwIfAborted();
  const now = lookup.clockOffsetMs();
  const groups = new Map<string, LostRow<R>[]>();
  for (const each of lost) {
    const group = groups.get(each.row.content);
    if (group) group.push(each);
    else groups.set(each.row.content, [each]);
  }
  const all = [...groups.values()].map((group) => {
    const name = fold(group[0]?.row.draft.receiver?.name ?? "");
    return chooseCandidates(group, orders.get(name), now);
  });
  const claims = new Map<string, number>();
  for (const { id } of all.flatMap(({ sure }) => sure)) claims.set(id.value, (claims.get(id.value) ?? 0) + 1);
  return all.flatMap((group) => settleGroup(group, claims));
}

/** Orders of the days in question that nobody owns and that one of the rows may have become. */
async function listCandidates(
  lost: readonly LostRow[],
  lookup: OrderLookup,
  stop: AbortSignal,
): Promise<readonly OrderSummary[]> {
  const rows = createDrawers<LostRow>();
  for (const each of lost) rows.put(fold(each.row.draft.receiver?.name ?? ""), each);
  const before = rangeOf(lost, lookup.clockOffsetMs());
  const listed = await list(before);
  // The first answer may tell that our clock is days off, and that the wrong dates were asked for.
  const after = rangeOf(lost, lookup.clockOffsetMs());
  return Math.abs(after.firstMs - before.firstMs) > dayMs / 2 ? list(after) : listed;

  async function list({ firstMs, lastMs }: { firstMs: number; lastMs: number }): Promise<OrderSummary[]> {
    const candidates: OrderSummary[] = [];
    // Which zone the service's dates are in is not specified: a day more on both sides covers every one.
    for await (const summary of lookup.list(utcDate(firstMs, -1), utcDate(lastMs, 2))) {
      stop.throwIfAborted();
      const mayBe = (each: LostRow) =>
        couldBe(summary, each.row.draft) && ageOf(summary, each, lookup.clockOffsetMs()) !== "differs";
      if (rows.get(nameIn(summary)).some(mayBe)) candidates.push(summary);
    }
    const claimed = await lookup.findClaimed(candidates.map(({ id }) => id.value));
    return candidates.filter(({ id }) => !claimed.has(id.value));
  }
}

function rangeOf(lost: readonly LostRow[], now: number | undefined) {
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { sentAtMs, offsetMs = now ?? 0 } of lost) {
    firstMs = Math.min(firstMs, sentAtMs + offsetMs);
    lastMs = Math.max(lastMs, sentAtMs + offsetMs);
  }
  return { firstMs, lastMs };
}

/**
 * Our clock may have been set since a row was sent by an earlier run; where its distance to the service's was not
 * known then, an order is another one only when it is days older.
 */
function ageOf({ created_at }: Dated, { sentAtMs, offsetMs }: LostRow, now: number | undefined): Agreement {
  return offsetMs === undefined
    ? compareAge(created_at, sentAtMs, now, dayMs)
    : compareAge(created_at, sentAtMs, offsetMs);
}

/** Rows of equal content, the first sent first, and the orders that they may have become. */
interface Group<R extends SentRow> extends Candidates {
  readonly rows: readonly LostRow<R>[];
}

function chooseCandidates<R extends SentRow>(
  group: readonly LostRow<R>[],
  orders: readonly OrderDetail[],
  now: number | undefined,
): Group<R> {
  const rows = [...group].sort((a, b) => a.sentAtMs - b.sentAtMs);
  const [first] = rows;
  if (!first) return { rows, sure: [], unsure: [], early: [] };
  const found = weighOrders(orders, first.row.draft, (order) => ageOf(order, first, now));
  // Else a late row could take the first order, and the first row's would be too old for the one that is left.
  const sure = [...found.sure].sort((a, b) => createdMs(a) - createdMs(b));
  return { rows, ...found, sure };
}

/** Of an order whose hour is known to fit. */
function createdMs({ created_at }: OrderDetail): number {
  return parseInstant(created_at ?? "") ?? 0;
}

/** `claims` tells how many groups an order surely fits: rows may differ by less than the service keeps. */
function settleGroup<R extends SentRow>(
  { rows, sure, unsure, early }: Group<R>,
  claims: ReadonlyMap<string, number>,
): Finding<R>[] {
  const isContested = sure.some(({ id }) => (claims.get(id.value) ?? 0) > 1);
  const isShort = sure.length < rows.length && early.length > 0;
  if (isContested || isShort || unsure.length > 0 || sure.length > rows.length) {
    const ids = [...sure, ...unsure, ...early].map(({ id }) => id.value);
    return rows.map(({ row }) => ({ kind: "unclear", row, candidates: ids }));
  }
  return rows.map(({ row }, index) => {
    const order = sure[index];
    return order ? { kind: "found", row, order } : { kind: "absent", row };
  });
}

/** The receiver's name of an order, or "" where the service hides it, so that it may be any. */
function nameIn({ receiver }: Pick<OrderSummary, "receiver">): string {
  const name = receiver?.name ?? "";
  return isReworded(name) ? "" : fold(name);
}

/** Things by name; one without a name may be of any, and may be asked for by any. */
function createDrawers<T>() {
  const all: T[] = [];
  const drawers = new Map<string, T[]>();
  return {
    put(name: string, thing: T) {
      all.push(thing);
      const drawer = drawers.get(name);
      if (drawer) drawer.push(thing);
      else drawers.set(name, [thing]);
    },
    get(name: string): readonly T[] {
      return name === "" ? all : [...(drawers.get(name) ?? []), ...(drawers.get("") ?? [])];
    },
  };
}
