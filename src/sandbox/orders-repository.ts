/** All orders, stored and generated. */

import type { Decision, KnownOrder, Order, OrderContent, OrderEvent, OrderFacts } from "./order.ts";
import type { Seeds } from "./seeds.ts";
import type { OrderSource } from "./source.ts";
import type { StoredOrders } from "./stored-orders.ts";

export interface OrdersRepository {
  create(content: OrderContent): Promise<Order>;
  find(id: number): Promise<KnownOrder | undefined>;
  /** Applies a decision; of several at once each sees the ones before it. False for an unknown order. */
  change(id: number, decide: Decision): Promise<boolean>;
  /** Goes from the newest order to the oldest. */
  list(selection: Selection): Promise<Listing>;
}

export interface Selection {
  /** Without one every order counts, and only those of the page are read. */
  readonly matches?: ((facts: OrderFacts, events: readonly OrderEvent[]) => boolean) | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface Listing {
  readonly total: number;
  readonly orders: readonly KnownOrder[];
}

export function createOrdersRepository(stored: StoredOrders, seeds: Seeds): OrdersRepository {
  const isGenerated = (id: number) => id <= seeds.count;
  return {
    create: (content) => stored.create(content),
    find: async (id) => (isGenerated(id) ? seeds.find(id) : stored.read((orders) => orders.find(id))),
    change: async (id, decide) => (isGenerated(id) ? seeds.change(id, decide) : stored.change(id, decide)),
    list: (selection) => stored.read((orders) => list([orders, seeds], selection)),
  };
}

function list(sources: readonly OrderSource[], selection: Selection): Listing {
  const { offset, limit } = selection;
  const orders: KnownOrder[] = [];
  let total = 0;
  for (const source of sources) {
    const ids = select(source, selection.matches);
    const start = Math.max(0, offset - total);
    const end = Math.min(ids.length, offset + limit - total);
    for (const id of start < end ? ids.slice(start, end) : []) {
      const known = source.find(id);
      if (known) orders.push(known);
    }
    total += ids.length;
  }
  return { total, orders };
}

/** As much of an array as a page needs. */
type Ids = Pick<readonly number[], "length" | "slice">;

/** The ids of a source that match, newest first; without a filter they are calculated, not listed. */
function select(source: OrderSource, matches: Selection["matches"]): Ids {
  const { firstId, count } = source;
  const lastId = firstId + count - 1;
  if (!matches) {
    const slice = (start = 0, end = count) =>
      Array.from({ length: end - start }, (_, index) => lastId - start - index);
    return { length: count, slice };
  }
  const ids: number[] = [];
  for (let id = lastId; id >= firstId; id--) {
    const facts = source.facts(id);
    if (facts && matches(facts, source.events(id))) ids.push(id);
  }
  return ids;
}
