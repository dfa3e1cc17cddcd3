/** Orders that this run's answers showed, remembered when the run ends. */

import type { KnownOrder } from "../model/known-order.ts";
import type { KnownOrders } from "./known-orders.ts";
import { isCached, mostCached, type OrdersOwner, readCachedOrders, shorten } from "./order-cache.ts";

export interface NoticedOrders {
  notice(owner: OrdersOwner, orders: readonly KnownOrder[]): void;
  /** Notes of an account are dropped. */
  drop(account: string): void;
  /**
   * Remembers what was noticed. The ledger is opened only where the cache does not say the same. Throws what
   * opening and writing throw.
   */
  keep(ledger: () => Promise<KnownOrders>, nowMs: number): Promise<void>;
}

interface Noticed {
  readonly owner: OrdersOwner;
  /** The last noticed first. */
  readonly orders: readonly KnownOrder[];
  /** Creation time of the oldest order worth keeping, where there are thousands. */
  readonly oldest: string;
}

/** A run may see thousands of orders: they are looked through now and then, not each time. */
const mostNoticed = 1_000;

export function createNoticedOrders(stateDirectory: string): NoticedOrders {
  const noticed = new Map<string, Noticed>();

  return {
    notice(owner, orders) {
      const key = JSON.stringify([owner.account, owner.service]);
      const { orders: before = [], oldest = "" } = noticed.get(key) ?? {};
      const all = [...orders.filter(({ createdAt = "" }) => createdAt >= oldest), ...before];
      if (all.length <= mostNoticed) return void noticed.set(key, { owner, orders: all, oldest });
      const kept = selectNewest(all);
      noticed.set(key, { owner, orders: kept, oldest: kept.at(-1)?.createdAt ?? "" });
    },
    drop(account) {
      for (const [key, { owner }] of noticed) if (owner.account === account) noticed.delete(key);
    },
    async keep(ledger, nowMs) {
      const all = [...noticed.values()];
      noticed.clear();
      for (const { owner, orders } of all) {
        const newest = selectNewest(orders);
        if (isCached(readCachedOrders(stateDirectory, owner), newest)) continue;
        await (await ledger()).rememberOrders(owner, [...newest].reverse(), nowMs);
      }
    },
  };
}

/** Each order once, newest first, whatever order the answers came in; as many as the cache holds. */
export function selectNewest(orders: readonly KnownOrder[]): readonly KnownOrder[] {
  return merge(orders.map(shorten))
    .sort((a, b) => compare(b.createdAt ?? "", a.createdAt ?? ""))
    .slice(0, mostCached);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The last noticed comes first; what a later answer did not show is taken from an earlier one. */
function merge(sightings: readonly KnownOrder[]): KnownOrder[] {
  const orders: KnownOrder[] = [];
  const byName = new Map<string, number>();
  for (const order of sightings) {
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
