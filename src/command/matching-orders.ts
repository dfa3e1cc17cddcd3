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
 * order comes first, as far as each list begins with its newest. A reading to the end reads one list after the other, in
 * the order of `widenedFilters`: an order that moves on meanwhile is in a later one. With `maxSweeps: 1` the lists are
 * read side by side, and such an order may be left out. Throws as `allOrders`, which reads each list.
 */
export async function* matchingOrders(
  service: CourierService,
  query: OrderQuery,
  { own, pass = (orders) => orders, beforeOthers, ...options }: MatchingOptions,
): Orders {
  own.compareClock(service);
  const filters = widenedFilters(query);
  const isWhole = options.maxSweeps !== 1;
  const listOptions = { ...options, narrowBy: "--from and --to" }; // every command with these filters has them
  /** Lists whose first page has told how long they are. */
  let told = 0;
  let calls = 0;
  let orders: number | undefined = 0;
  const note = async (further: number, total: number | undefined) => {
    told += 1;
    calls += further;
    orders = orders === undefined || total === undefined ? undefined : orders + total;
  };
  /** Reads the first page of a list, which is read once more in its turn. */
  const measure = async (filter: OrderFilter) => {
    const beforeOthers = (further: number, total: number | undefined) => note(further + 1, total);
    const list = allOrders(service, filter, { ...listOptions, beforeOthers });
    await list.next();
    await list.return(undefined);
  };
  const lists = filters.map((filter, at) =>
    pass(
      allOrders(service, filter, {
        ...listOptions,
        beforeOthers: async (further, total) => {
          if (told > at) return;
          await note(further, total);
          // The sums are known before a list goes on.
          const goesOn = further > 0 || total === undefined;
          if (isWhole && goesOn) for (const later of filters.slice(told)) await measure(later);
          if (told === filters.length) await beforeOthers?.(calls, orders);
        },
      }),
      filter,
    ),
  );
  let read = 0;
  try {
    for await (const order of isWhole ? readInTurn(lists) : mergeNewestFirst(lists)) {
      read += 1;
      if (own.takes(order)) yield order;
    }
  } catch (error) {
    throw tellHowFar(error, read, told === filters.length ? orders : undefined);
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

/** Merges the lists once all but the last one are read, and held in memory. A failure of the service comes after what was read. */
async function* readInTurn(lists: readonly Orders[]): Orders {
  const held: Orders[] = [];
  for (const list of lists.slice(0, -1)) {
    const orders: OrderSummary[] = [];
    held.unshift(each(orders));
    try {
      for await (const order of list) orders.push(order);
    } catch (error) {
      if (error instanceof ServiceFailure) yield* mergeNewestFirst(held);
      throw error;
    }
  }
  // What was read last is true of an order that is in two lists.
  yield* mergeNewestFirst([...lists.slice(-1), ...held]);
}

async function* each(orders: readonly OrderSummary[]): Orders {
  yield* orders;
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
    (bMs ?? 0) - (aMs ?? 0) ||
    b.id.value.length - a.id.value.length ||
    Number(b.id.value > a.id.value) - Number(b.id.value < a.id.value)
  );
}
