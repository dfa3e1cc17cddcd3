/** Owns reading a whole list: every page, in order, each order once (specification, 2.6 and 4.3). */

import { mapInOrder } from "../core/concurrent.ts";
import type { OrderSummary } from "../model/interface.ts";
import { ServiceFailure } from "./failure.ts";
import { type CourierService, type OrderFilter, type OrderPage, toCount } from "./service.ts";

const maxPageSize = 100;
const maxSweeps = 3;

export interface AllOrdersOptions {
  /** Pages asked for at once. */
  readonly concurrency: number;
  /** Orders a page, at most 100 (section 8). */
  readonly pageSize?: number;
  /** Told after each page: how many orders were seen, and how many the service says there are. */
  readonly onProgress?: (seen: number, total: number | undefined) => void;
}

/**
 * Yields every order that matches, once. Paging by number shifts while orders come and go: an order seen
 * twice is left out, and when the list changed while it was read, it is read again for what slipped
 * through. Throws ServiceFailure when a page fails or orders are still missing in the end, so that a
 * list that ends without an error is whole.
 */
export async function* allOrders(
  service: CourierService,
  filter: OrderFilter,
  options: AllOrdersOptions,
): AsyncGenerator<OrderSummary> {
  const seen = new Set<string>();
  for (let sweep = 1; ; sweep++) {
    const totals = new Set<number>();
    for await (const { orders, pagination } of pages(service, filter, options)) {
      const total = toCount(pagination.total_items);
      if (total !== undefined) totals.add(total);
      for (const order of orders) {
        if (seen.has(order.id.value)) continue;
        seen.add(order.id.value);
        yield order;
      }
      options.onProgress?.(seen.size, total);
    }
    const wanted = Math.max(0, ...totals);
    const isSteady = totals.size <= 1;
    if (seen.size >= wanted && (isSteady || sweep > 1)) return;
    if (sweep === maxSweeps) {
      throw new ServiceFailure(
        "failing",
        `the list kept changing: ${seen.size} of ${wanted} orders were seen`,
        {
          code: "list_incomplete",
          hint: "run the same command again, or narrow it with --from and --to",
        },
      );
    }
  }
}

/** Pages from the first to what the newest answer calls the last; an empty page is not the end. */
async function* pages(
  service: CourierService,
  filter: OrderFilter,
  { concurrency, pageSize = maxPageSize }: AllOrdersOptions,
): AsyncGenerator<OrderPage> {
  const first = await service.listOrders(filter, 1, pageSize);
  yield first;
  let last = toCount(first.pagination.total_pages) ?? 1;
  let next = 2;
  while (next <= last) {
    const range = Array.from({ length: last - next + 1 }, (_, index) => next + index);
    next = last + 1;
    for await (const page of mapInOrder(range, concurrency, (number) =>
      service.listOrders(filter, number, pageSize),
    )) {
      last = Math.max(last, toCount(page.pagination.total_pages) ?? 1);
      yield page;
    }
  }
}
