/** The orders that match states and days: a list of the service for each state, merged, and chosen by what each order says of itself (4.3). */

import { ServiceFailure } from "../api/failure.ts";
import { type AllOrdersOptions, allOrders } from "../api/pages.ts";
import type { CourierService, OrderFilter } from "../api/service.ts";
import { parseInstant } from "../core/time.ts";
import { byCount, counted } from "../core/wording.ts";
import type { OrderSummary } from "../model/interface.ts";
import { type OrderQuery, type OwnFilter, widenedFilters } from "./order-filter.ts";

type Orders = AsyncGenerator<OrderSummary, void>;

export interface MatchingOptions extends AllOrdersOptions {
  readonly own: OwnFilter;
  /** Passes on what one list shows, before orders of other days and states are left out. */
  readonly pass?: (orders: Orders, filter: OrderFilter) => Orders;
}

/**
 * Every order that matches, once, in the order of the service's list. Several lists are merged so that the newest
 * order comes first, as far as each list begins with its newest. Throws as `allOrders`, which reads each list.
 */
export async function* matchingOrders(
  service: CourierService,
  query: OrderQuery,
  { own, pass = (orders) => orders, beforeOthers, ...options }: MatchingOptions,
): Orders {
  own.compareClock(service);
  const filters = widenedFilters(query);
  let begun = 0;
  let calls = 0;
  let orders: number | undefined = 0;
  const lists = filters.map((filter) =>
    pass(
      allOrders(service, filter, {
        ...options,
        narrowBy: "--from and --to", // every command with these filters has them
        // Each list begins before one of them goes on: the last one knows the sums.
        beforeOthers: async (further, total) => {
          begun += 1;
          calls += further;
          orders = orders === undefined || total === undefined ? undefined : orders + total;
          if (begun === filters.length) await beforeOthers?.(calls, orders);
        },
      }),
      filter,
    ),
  );
  let read = 0;
  try {
    for await (const order of mergeNewestFirst(lists)) {
      read += 1;
      if (own.takes(order)) yield order;
    }
  } catch (error) {
    throw begun === filters.length ? tellHowFar(error, read, orders) : error;
  }
}

/** A list that is not complete says so itself. */
function tellHowFar(error: unknown, read: number, total: number | undefined): unknown {
  if (!(error instanceof ServiceFailure) || error.code === "list_incomplete" || read === 0) return error;
  const orders = total === undefined ? counted(read, "order") : `${read} of ${counted(total, "order")}`;
  return error.with({
    message: `${error.message}; ${orders} ${byCount(total ?? read, "was", "were")} read`,
    hint: error.hintBefore("run the same command again"),
  });
}

async function* mergeNewestFirst(lists: readonly Orders[]): Orders {
  const [only] = lists;
  if (only && lists.length === 1) return yield* only;
  const seen = new Set<string>();
  const heads: { readonly list: Orders; order: OrderSummary }[] = [];
  try {
    for (const list of lists) {
      const next = await list.next();
      if (!next.done) heads.push({ list, order: next.value });
    }
    for (;;) {
      const [newest] = heads.toSorted((a, b) => compareAge(a.order, b.order));
      if (!newest) return;
      const { id } = newest.order;
      if (!seen.has(id.value)) yield newest.order;
      seen.add(id.value);
      const next = await newest.list.next();
      if (next.done) heads.splice(heads.indexOf(newest), 1);
      else newest.order = next.value;
    }
  } finally {
    for (const list of lists) await list.return();
  }
}

/** Negative where `a` is newer. One without a time comes at once; of equal times the larger id is the later one. */
function compareAge(a: OrderSummary, b: OrderSummary): number {
  const [aMs, bMs] = [a, b].map(({ created_at }) => parseInstant(created_at ?? "") ?? Number.MAX_VALUE);
  return (
    (bMs ?? 0) - (aMs ?? 0) || b.id.value.length - a.id.value.length || (b.id.value > a.id.value ? 1 : -1)
  );
}
