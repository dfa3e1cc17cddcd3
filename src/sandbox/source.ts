/** Owns what the ledger asks of a place where orders are kept. */

import type { Order, OrderEvent, OrderFacts } from "./order.ts";

/** Where orders are kept. Ids that are unknown to it answer undefined. */
export interface OrderSource {
  order(id: number): Order | undefined;
  /** As `order`, for whoever looks through many. */
  facts(id: number): OrderFacts | undefined;
  /** What happened to an order since, oldest first. */
  events(id: number): readonly OrderEvent[];
  /** Adds an event as the one at `position`; false when that position was taken by somebody else. */
  append(id: number, event: OrderEvent, position: number): boolean;
}
