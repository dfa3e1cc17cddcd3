/** Collects the orders in this run's answers, and stores them in the cache when the run ends. */

import type { KnownOrder } from "../model/known-order.ts";
import type { KnownOrders } from "./known-orders.ts";
import { isCached, mostCached, type OrdersOwner, readCachedOrders, shorten } from "./order-cache.ts";

export interface NoticedOrders {
  notice(owner: OrdersOwner, orders: readonly KnownOrder[]): void;
  /** The orders that earlier runs with the same key have stored, with their states. */
  cachedStates(
    owner: OrdersOwner,
    keyTag: string | undefined,
  ): ReadonlyMap<string | undefined, string | undefined>;
  /** Drops the orders of an account. */
  drop(account: string): void;
  /**
   * Stores the orders. Opens the ledger only if they are not in the cache already. Throws what opening and writing
   * throw.
   */
  keep(ledger: () => Promise<KnownOrders>, nowMs: number): Promise<void>;
}

interface Noticed {
  readonly owner: OrdersOwner;
  /** The newest last. */
  orders: KnownOrder[];
  /** Creation time of the oldest order worth keeping, where there are thousands. */
  oldest: string;
}

/** A run may see thousands of orders: they are reduced only when there are more than these. */
const mostNoticed = 1_000;

export function createNoticedOrders(stateDirectory: string): NoticedOrders {
  const noticed = new Map<string, Noticed>();

  return {
    notice(owner, orders) {
      const key = JSON.stringify([owner.account, owner.service]);
      const known = noticed.get(key) ?? { owner, orders: [], oldest: "" };
      noticed.set(key, known);
      for (const order of [...orders].reverse())
        if ((order.createdAt ?? "") >= known.oldest) known.orders.push(order);
      if (known.orders.length <= mostNoticed) return;
      const kept = selectNewest(known.orders.reverse());
      known.orders = [...kept].reverse();
      known.oldest = kept.at(-1)?.createdAt ?? "";
    },
    cachedStates(owner, keyTag) {
      const cached = readCachedOrders(stateDirectory, owner).filter((order) => order.keyTag === keyTag);
      return new Map(cached.map(({ id, status }) => [id, status]));
    },
    drop(account) {
      for (const [key, { owner }] of noticed) if (owner.account === account) noticed.delete(key);
    },
    async keep(ledger, nowMs) {
      const all = [...noticed.values()];
      noticed.clear();
      for (const { owner, orders } of all) {
        const newest = selectNewest(orders.reverse());
        if (isCached(readCachedOrders(stateDirectory, owner), newest)) continue;
        await (await ledger()).rememberOrders(owner, [...newest].reverse(), nowMs);
      }
    },
  };
}

/** Each order once, newest first, as many as the cache holds. */
export function selectNewest(orders: readonly KnownOrder[]): readonly KnownOrder[] {
  return merge(orders.map(shorten))
    .sort((a, b) => compare(b.createdAt ?? "", a.createdAt ?? ""))
    .slice(0, mostCached);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Merges answers about the same order, newest first. Missing fields come from an earlier answer. */
function merge(seen: readonly KnownOrder[]): KnownOrder[] {
  const orders: KnownOrder[] = [];
  const byName = new Map<string, number>();
  for (const order of seen) {
    const { id, trackingNumber } = order;
    const names = [id && `id ${id}`, trackingNumber && `tracking ${trackingNumber}`].filter(
      (name) => name !== undefined,
    );
    if (names.length === 0) continue;
    const known = names.map((name) => byName.get(name)).find((place) => place !== undefined);
    const place = known ?? orders.push({}) - 1;
    orders[place] = { ...withoutGaps(order), ...orders[place] };
    for (const name of names) byName.set(name, place);
  }
  return orders;
}

function withoutGaps(order: KnownOrder): KnownOrder {
  return Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined));
}
