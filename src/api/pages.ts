/** A whole list of orders, or the rest of one: every page, and an error where it is not complete (2.6 and 4.3). */

import { mapInOrder } from "../core/concurrent.ts";
import type { OrderSummary } from "../model/interface.ts";
import { type CourierService, type OrderFilter, type OrderPage, toCount } from "./service.ts";
import {
  afterPage,
  beginSweep,
  endPage,
  ensureBusy,
  ensureEnds,
  ensureShort,
  incomplete,
  isComplete,
  needsPageAfter,
  noteTotals,
  type Sweep,
} from "./sweep.ts";

const maxPageSize = 100;

export interface AllOrdersOptions {
  /** The command's flags that make the list shorter, where it has any. */
  readonly narrowBy?: string | undefined;
  /** Pages asked for at once. */
  readonly concurrency: number;
  /** Orders a page, at most 100 (section 8). */
  readonly pageSize?: number;
  /** Gives up a list that is longer than `ensureShort` allows; `uncounted`: only one whose length the service does not tell. */
  readonly isBounded?: boolean | "uncounted";
  /** How often a list that is not complete is read; 3 where left out. */
  readonly maxSweeps?: number;
  /**
   * Called after the first page with the number of calls that the others need and the number of orders, as far as the
   * service gives them; may reject to stop.
   */
  readonly beforeOthers?: ((calls: number, orders: number | undefined) => Promise<void>) | undefined;
  /** Called with each page that comes after the list became shorter while it was read. */
  readonly onShrunk?: (() => Promise<void>) | undefined;
  /** Called after each page with the number of pages that were read in this pass; may throw to stop. */
  readonly afterPage?: ((pages: number) => void) | undefined;
}

/**
 * Yields every order that matches, once. The list is complete when as many orders were seen as `total_items`
 * says, or where no page says it, when a page after the last brings no new order. Paging by number shifts while
 * orders come and go: an order seen twice is left out, and a list that became shorter while it was read, or is not
 * complete, is read again for what slipped through. Throws ServiceFailure when a page fails, and
 * `list_incomplete` after the last order where the list is still not complete, or is too long.
 */
export async function* allOrders(
  service: CourierService,
  filter: OrderFilter,
  options: AllOrdersOptions,
): AsyncGenerator<OrderSummary> {
  const { maxSweeps = 3, isBounded = false } = options;
  const seen = new Set<number | string>();
  for (let sweeps = 1; ; sweeps++) {
    const ids = sweeps === 1 ? seen : new Set<number | string>();
    const sweep = beginSweep(ids, { noun: "order", narrowBy: options.narrowBy });
    const beforeOthers = sweeps === 1 ? options.beforeOthers : undefined;
    for await (const { orders, pagination } of pages(service, filter, { ...options, beforeOthers }, sweep)) {
      noteTotals(sweep, toCount(pagination.total_pages), toCount(pagination.total_items));
      if (sweep.hasShrunk) await options.onShrunk?.();
      const known = ids.size;
      for (const order of orders) {
        const key = keyOf(order.id.value);
        const isNew = !seen.has(key);
        ids.add(key);
        seen.add(key);
        if (isNew) yield order;
      }
      endPage(sweep, known);
      const bounds = isBounded === "uncounted" ? sweep.wanted === undefined : isBounded;
      if (bounds) ensureShort(sweep.read, seen.size);
      options.afterPage?.(sweep.read);
    }
    if (isComplete(sweep)) return;
    if (sweeps === maxSweeps) throw incomplete(sweep);
  }
}

/**
 * Yields at least the orders whose ids are not in `seen`, which grows. Nothing is known of the list's order: after the pages at
 * the front that have new orders, it goes on a page before where the earlier reading can have ended at the earliest.
 * Orders that have left the list since are in `seen`, and others have moved to pages that are not read: with that page,
 * these are fewer than those. Where the orders seen are not as many as the service counts, or the list became shorter
 * while it was read, now or earlier (`hasShrunk`), it reads the whole list as `allOrders` does. Throws ServiceFailure.
 */
export async function* restOfOrders(
  service: CourierService,
  seen: Set<string>,
  options: AllOrdersOptions & { readonly hasShrunk: boolean },
): AsyncGenerator<OrderSummary> {
  let { hasShrunk } = options;
  const seenBefore = seen.size;
  let size = maxPageSize;
  let last = 0;
  let total: number | undefined;
  let firstTotal: number | undefined;
  let idlePages = 0;
  const ask = (page: number) => service.listOrders({}, page, size);
  function* ordersOf({ orders, pagination }: OrderPage): Generator<OrderSummary> {
    const before = total;
    total = toCount(pagination.total_items);
    firstTotal ??= total;
    hasShrunk ||= (total ?? 0) < (before ?? 0);
    ensureEnds(seen.size - seenBefore, firstTotal, "order");
    last = toCount(pagination.total_pages) ?? 0;
    const knownBefore = seen.size;
    for (const { id } of orders) seen.add(id.value);
    idlePages = seen.size > knownBefore ? 0 : idlePages + 1;
    ensureBusy(idlePages, "order");
    yield* orders;
  }

  let page = 0;
  let known: number;
  do {
    page += 1;
    known = seen.size;
    const answer = await ask(page);
    if (page === 1) size = servedSize(answer, size);
    yield* ordersOf(answer);
  } while (seen.size > known && page < last);
  const next = Math.max(page, Math.floor(seenBefore / size) - 1) + 1;
  await options.beforeOthers?.(Math.max(0, last - next + 1), total);
  for await (const answer of mapInOrder(numbers(next, last), options.concurrency, ask)) {
    yield* ordersOf(answer);
    if (hasShrunk) await options.onShrunk?.();
  }
  if (hasShrunk || seen.size !== total) yield* allOrders(service, {}, options);
}

/** A number takes a third of the memory of a text; ids beyond 2^53 stay texts. */
function keyOf(id: string): number | string {
  const number = Number(id);
  return Number.isSafeInteger(number) && String(number) === id ? number : id;
}

/**
 * Pages from the first to what the newest answer calls the last, and on while orders are missing; an empty page
 * is not the end. `sweep` is brought up to date by the reader of each page.
 */
async function* pages(
  service: CourierService,
  filter: OrderFilter,
  { concurrency, pageSize = maxPageSize, beforeOthers }: AllOrdersOptions,
  sweep: Sweep,
): AsyncGenerator<OrderPage> {
  const first = await service.listOrders(filter, 1, pageSize);
  const size = servedSize(first, pageSize);
  const toldPages = toCount(first.pagination.total_pages) ?? 0;
  const total = toCount(first.pagination.total_items);
  const others = Math.max(0, (total ?? 0) - first.orders.length);
  const expected = Math.max(toldPages, 1 + Math.ceil(others / size));
  await beforeOthers?.(total === undefined ? toldPages : expected - 1, total);
  yield first;
  let read = 1;
  try {
    while (needsPageAfter(read, sweep)) {
      const last = Math.max(read + 1, expected, sweep.pages);
      const ask = (page: number) => service.listOrders(filter, page, size);
      for await (const page of mapInOrder(numbers(read + 1, last), concurrency, ask)) {
        yield page;
        read += 1;
        if (!needsPageAfter(read, sweep)) return;
      }
    }
  } catch (error) {
    throw afterPage(read, sweep, error);
  }
}

/**
 * Orders a page that the service serves, which may be fewer than it was asked for. Asked for no more than that, page 2
 * begins where page 1 ended, whether the service counts its pages by what it serves or by what it was asked for.
 */
function servedSize({ orders, pagination }: OrderPage, asked: number): number {
  const told = toCount(pagination.per_page) ?? orders.length;
  return Math.min(asked, Math.max(told, orders.length)) || asked;
}

function* numbers(from: number, to: number): Generator<number> {
  for (let number = from; number <= to; number++) yield number;
}
