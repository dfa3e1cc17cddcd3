/** Owns reading a whole list: every page, in order, each order once (specification, 2.6 and 4.3). */

import { mapInOrder } from "../core/concurrent.ts";
import type { OrderSummary } from "../model/interface.ts";
import { ServiceFailure } from "./failure.ts";
import { type CourierService, type OrderFilter, type OrderPage, toCount } from "./service.ts";

const maxPageSize = 100;
const maxSweeps = 3;
/** So many pages in a row without a further order are no list that shifts, but one that has no end. */
export const mostIdlePages = 100;

export interface AllOrdersOptions {
  /** Pages asked for at once. */
  readonly concurrency: number;
  /** Orders a page, at most 100 (section 8). */
  readonly pageSize?: number;
  /** Told after the first page how many calls the others need, and of how many orders; may reject to stop. */
  readonly beforeOthers?: (calls: number, orders: number) => Promise<void>;
}

/**
 * Yields every order that matches, once. Paging by number shifts while orders come and go: an order seen
 * twice is left out, and when the list became shorter while it was read, or fewer orders were seen than
 * there were at the start, it is read again for what slipped through. Throws ServiceFailure when a page
 * fails or the list never holds still, so that one that ends without an error has every order that
 * was there all the while.
 */
export async function* allOrders(
  service: CourierService,
  filter: OrderFilter,
  options: AllOrdersOptions,
): AsyncGenerator<OrderSummary> {
  const seen = new Set<number | string>();
  for (let sweep = 1; ; sweep++) {
    const sweepIds = sweep === 1 ? seen : new Set<number | string>();
    let wanted: number | undefined;
    let highest = 0;
    let hasShrunk = false;
    let idlePages = 0;
    const beforeOthers = sweep === 1 ? options.beforeOthers : undefined;
    for await (const { orders, pagination } of pages(service, filter, options, beforeOthers)) {
      const total = toCount(pagination.total_items);
      if (total !== undefined) {
        wanted ??= total;
        hasShrunk ||= total < highest;
        highest = Math.max(highest, total);
      }
      const known = sweepIds.size;
      for (const order of orders) {
        const key = keyOf(order.id.value);
        const isNew = !seen.has(key);
        sweepIds.add(key);
        seen.add(key);
        if (isNew) yield order;
      }
      idlePages = sweepIds.size > known ? 0 : idlePages + 1;
      if (idlePages > mostIdlePages) throw endless(sweepIds.size);
    }
    if (!hasShrunk && sweepIds.size >= (wanted ?? 0)) return;
    if (sweep === maxSweeps) {
      throw new ServiceFailure(
        "failing",
        `the list kept changing: ${sweepIds.size} of ${highest} orders were seen`,
        {
          code: "list_incomplete",
          hint: "run the same command again, or narrow it with --from and --to",
        },
      );
    }
  }
}

/** A number takes a third of a text's memory; an id may be larger than one can hold. */
function keyOf(id: string): number | string {
  const number = Number(id);
  return Number.isSafeInteger(number) && String(number) === id ? number : id;
}

function endless(orders: number): ServiceFailure {
  const told = `the list of orders goes on without further orders: ${mostIdlePages} pages after the first ${orders}`;
  return new ServiceFailure("garbled", told, { code: "wrong_shape" });
}

/** Pages from the first to what the newest answer calls the last; an empty page is not the end. */
async function* pages(
  service: CourierService,
  filter: OrderFilter,
  { concurrency, pageSize = maxPageSize }: AllOrdersOptions,
  beforeOthers: AllOrdersOptions["beforeOthers"],
): AsyncGenerator<OrderPage> {
  const first = await service.listOrders(filter, 1, pageSize);
  let last = toCount(first.pagination.total_pages) ?? 1;
  await beforeOthers?.(last - 1, toCount(first.pagination.total_items) ?? 0);
  yield first;
  let next = 2;
  while (next <= last) {
    const range = numbers(next, last);
    next = last + 1;
    for await (const page of mapInOrder(range, concurrency, (number) =>
      service.listOrders(filter, number, pageSize),
    )) {
      last = Math.max(last, toCount(page.pagination.total_pages) ?? 1);
      yield page;
    }
  }
}

function* numbers(from: number, to: number): Generator<number> {
  for (let number = from; number <= to; number++) yield number;
}
