/** Cache of the fields that lists filter by: each refresh reads only what was added since. */

import type { Database } from "../sqlite/database.ts";
import { firstStoredId } from "./defaults.ts";
import type { OrderEvent, OrderFacts, ServiceType } from "./order.ts";

export interface FactsCache {
  /** Called in a snapshot; also notices that all orders were deleted since. */
  refresh(): void;
  facts(id: number): OrderFacts | undefined;
  events(id: number): readonly OrderEvent[];
}

/** Number of rows in memory at a time. */
const batchSize = 10_000;
const noEvents: readonly OrderEvent[] = [];

export function createFactsCache(database: Database): FactsCache {
  /** Ids have no gaps: the first is that of the order `firstStoredId`. About 50 bytes an order. */
  let facts: OrderFacts[] = [];
  let events = new Map<number, OrderEvent[]>();
  let lastEvent = 0;
  let resets: number | undefined;

  function readOrders(): void {
    const following = database.sql(
      "SELECT created_ms, service_type FROM orders WHERE id >= ? ORDER BY id LIMIT ?",
    );
    for (;;) {
      const rows = following.all(firstStoredId + facts.length, batchSize);
      for (const { created_ms, service_type } of rows) {
        facts.push({ createdMs: Number(created_ms), serviceType: service_type as ServiceType });
      }
      if (rows.length < batchSize) return;
    }
  }

  function readEvents(): void {
    const following = database.sql(
      "SELECT number, order_id, state, at_ms FROM events WHERE number > ? ORDER BY number LIMIT ?",
    );
    for (;;) {
      const rows = following.all(lastEvent, batchSize);
      for (const { number, order_id, state, at_ms } of rows) {
        const event = { to: String(state), atMs: Number(at_ms) };
        const before = events.get(Number(order_id));
        if (before) before.push(event);
        else events.set(Number(order_id), [event]);
        lastEvent = Number(number);
      }
      if (rows.length < batchSize) return;
    }
  }

  return {
    refresh() {
      const found = Number(database.sql("SELECT resets FROM sandbox").get()?.resets);
      if (found !== resets) {
        facts = [];
        events = new Map();
        lastEvent = 0;
        resets = found;
      }
      readOrders();
      readEvents();
    },
    facts: (id) => facts[id - firstStoredId],
    events: (id) => events.get(id) ?? noEvents,
  };
}
