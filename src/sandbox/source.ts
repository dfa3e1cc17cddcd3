/** Interface of the two sources of the orders repository: stored and generated orders. */

import type { KnownOrder, OrderEvent, OrderFacts } from "./order.ts";

/** Orders whose ids are `firstId` and the following ones, `count` in all, without gaps. */
export interface OrderSource {
  readonly firstId: number;
  readonly count: number;
  /** Undefined for an unknown id. */
  find(id: number): KnownOrder | undefined;
  /** As much as a filter needs, cheap enough to ask it of all orders. */
  facts(id: number): OrderFacts | undefined;
  /** What happened to an order since it was created, oldest first; for filters too. */
  events(id: number): readonly OrderEvent[];
}
