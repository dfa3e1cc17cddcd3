/** Owns the one view of all orders, whether they are stored or generated. */

import type { Order, OrderContent, OrderEvent, OrderFacts } from "./order.ts";
import type { Seeds } from "./seeds.ts";
import type { OrderSource } from "./source.ts";
import type { Store } from "./store.ts";

export interface KnownOrder {
  readonly order: Order;
  readonly events: readonly OrderEvent[];
}

/** Decides by an order's present state what happens to it next; throws to leave it as it is. */
export type Decision = (facts: OrderFacts, events: readonly OrderEvent[]) => OrderEvent;

export interface Ledger {
  create(content: OrderContent): Order;
  find(id: number): KnownOrder | undefined;
  /** Applies a decision; of several at once each sees the ones before it. False for an unknown order. */
  change(id: number, decide: Decision): boolean;
  /** Looks from the newest order to the oldest. */
  list(selection: Selection): { readonly total: number; readonly orders: readonly KnownOrder[] };
}

export interface Selection {
  /** Without one every order counts, and only those of the page are looked at. */
  readonly matches?: ((facts: OrderFacts, events: readonly OrderEvent[]) => boolean) | undefined;
  readonly offset: number;
  readonly limit: number;
}

export function openLedger(store: Store, seeds: Seeds): Ledger {
  const sourceOf = (id: number): OrderSource => (id <= seeds.count ? seeds : store);

  function find(id: number): KnownOrder | undefined {
    const source = sourceOf(id);
    const order = source.order(id);
    return order && { order, events: source.events(id) };
  }

  /** Every id, newest first, without a list of the generated ones. */
  function newestFirst(): { readonly length: number; at(position: number): number } {
    const stored = store.ids();
    return {
      length: stored.length + seeds.count,
      at: (position) => stored[stored.length - 1 - position] ?? seeds.count - (position - stored.length),
    };
  }

  function select({ matches, offset, limit }: Selection): { total: number; ids: number[] } {
    const all = newestFirst();
    const ids: number[] = [];
    if (!matches) {
      const end = Math.min(offset + limit, all.length);
      for (let position = offset; position < end; position++) ids.push(all.at(position));
      return { total: all.length, ids };
    }
    let total = 0;
    for (let position = 0; position < all.length; position++) {
      const id = all.at(position);
      const facts = sourceOf(id).facts(id);
      if (!facts || !matches(facts, sourceOf(id).events(id))) continue;
      if (total >= offset && ids.length < limit) ids.push(id);
      total++;
    }
    return { total, ids };
  }

  return {
    create(content) {
      store.refresh();
      return store.create(content);
    },

    find(id) {
      store.refresh();
      return find(id);
    },

    change(id, decide) {
      store.refresh();
      const source = sourceOf(id);
      const facts = source.facts(id);
      if (!facts) return false;
      for (;;) {
        const events = source.events(id);
        const position = events.length;
        if (source.append(id, decide(facts, events), position)) return true;
      }
    },

    list(selection) {
      for (;;) {
        store.refresh();
        const { total, ids } = select(selection);
        const orders = ids.map(find);
        // A file that turned out unreadable no longer counts: select again without it.
        if (orders.every((known) => known !== undefined)) return { total, orders };
      }
    },
  };
}
