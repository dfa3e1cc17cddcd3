/** `courier orders list`: the orders that match, a page of the service, or those of the mirror (4.3). */

import { ServiceFailure } from "../api/failure.ts";
import { toCount } from "../api/service.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import { type Context, defineCommand, type Output, rows } from "../command/command.ts";
import { matchingOrders } from "../command/matching-orders.ts";
import { countOption, switchOption } from "../command/options.ts";
import {
  checkFilter,
  createOwnFilter,
  filterOptions,
  type OrderQuery,
  type OwnFilter,
  saysState,
  widenedFilters,
} from "../command/order-filter.ts";
import { unknownState } from "../command/unknown-state.ts";
import { usageError } from "../core/errors.ts";
import { keepHeapSmall, manyRows } from "../core/small-heap.ts";
import { byCount, counted } from "../core/wording.ts";
import type { OrderSummary, Pagination } from "../model/interface.ts";
import { stateNames } from "../model/states.ts";
import { type Column, instant, show, state, styled } from "../terminal/blocks.ts";

type Orders = AsyncGenerator<OrderSummary, void>;

const pagesAtOnce = 8;
const maxPageSize = 100;
const defaultLimit = 10;

export const listOrders = defineCommand({
  description:
    "Reads pages of the service until --limit orders match. Orders come in the order of the service's list, which its\n" +
    "interface does not define; with several states, the newest come first. Days are those of this machine's time\n" +
    "zone, or of UTC with --utc: the service is asked for one day more on each side, and orders are chosen by their\n" +
    "created_at. With --page, the service's own pages and days apply. --offline reads the mirror, and makes no call.",
  arguments: {},
  options: {
    ...filterOptions,
    limit: countOption(
      "N",
      `at most N orders (default ${defaultLimit}); with --page or --all: orders a page, 1 to ${maxPageSize}`,
      { min: 1 },
      { short: "L" },
    ),
    all: switchOption("every order that matches; fails if the list is incomplete", { short: "a" }),
    page: countOption("N", "one page of the service, which chooses its orders and their days", { min: 1 }),
    offline: switchOption("from the mirror on this machine (courier sync), without a call"),
  },
  confirms: true,
  mentionsDoubt: true,
  examples: [
    {
      line: "orders list --status pending,paid --last 7d",
      note: "orders of the last seven days that can be cancelled",
    },
    {
      line: "orders list --from 2026-01 --to 2026-01 --all --csv > january.csv",
      note: "a month as a spreadsheet",
    },
    { line: "orders list --all --ndjson | jq -r .tracking_number", note: "every tracking number" },
  ],
  exits: [5],
  seeAlso: ["orders show", "orders export", "sync"],
  async run({ page, limit, all, offline, ...options }, context) {
    const query = checkFilter(options, context.clock);
    for (const [name, excluded] of [
      ["--all", all],
      ["--offline", offline],
    ] as const)
      if (excluded && page !== undefined) throw usageError(`${name} and --page exclude each other`);
    const paged = page !== undefined ? "--page" : all && !offline ? "--all" : undefined;
    if (paged && limit !== undefined && limit > maxPageSize)
      throw usageError(`--limit is at most ${maxPageSize} with ${paged}`);
    if (page !== undefined) return onePage(query, page, limit, context);
    const own = createOwnFilter(query, context.clock);
    if (offline)
      return fromMirror(query, own, all ? Number.POSITIVE_INFINITY : (limit ?? defaultLimit), context);
    if (all) {
      const tell = () => tellFooter([own.note], own, context);
      return {
        ...rows(own.counted(everyOrder(query, own, limit, context)), orderColumns, "No orders"),
        after: tell,
      };
    }
    return someOrders(query, own, limit, context);
  },
});
/** A state may be new at the service, so any is sent; but one that finds nothing may be misspelt. */
async function* hintAtUnknownState(
  orders: Orders,
  status: string | undefined,
  { messages }: Pick<Context, "messages">,
): Orders {
  let isEmpty = true;
  for await (const order of orders) {
    isEmpty &&= saysState(order.status) && order.status !== status;
    yield order;
  }
  if (!isEmpty || status === undefined || stateNames.includes(status)) return;
  messages.warn(unknownState(status));
}

async function* everyOrder(
  query: OrderQuery,
  own: OwnFilter,
  limit: number | undefined,
  context: Context,
): Orders {
  const service = await context.service();
  const { settleOnTheWay } = await import("../sending/settle-on-the-way.ts");
  yield* matchingOrders(service, query, {
    own,
    concurrency: pagesAtOnce,
    beforeOthers: async (calls, orders) => {
      if (orders !== undefined && orders > manyRows) context.addCleanup(keepHeapSmall());
      await checkApiQuota(calls, service, context);
    },
    pass: (orders, filter) =>
      hintAtUnknownState(settleOnTheWay(orders, filter, context), filter.status, context),
    ...(limit === undefined ? {} : { pageSize: limit }),
  });
}

function someOrders(query: OrderQuery, own: OwnFilter, limit = defaultLimit, context: Context): Output {
  let total: number | undefined;
  const read = readPages(query, own, limit, (orders) => (total = orders), context);
  // The service's own count is that of one list, and of orders of any day; it may have ignored the state.
  const isCounted = query.days === undefined && query.statuses.length <= 1;
  const describe = (all: number) =>
    query.statuses.length === 0
      ? `, more exist (${all} in all)`
      : `; the service counts ${counted(all, "order")}`;
  const taken = takeFirst(
    limit,
    read,
    () => (isCounted && own.leftOut() === 0 ? total : undefined),
    describe,
  );
  const after = () => tellFooter([taken.footer(), own.note], own, context);
  return { ...rows(own.counted(taken.orders), orderColumns, "No orders"), after };
}

/** Reads no page ahead and none again: the reader stops when it has enough. */
async function* readPages(
  query: OrderQuery,
  own: OwnFilter,
  limit: number,
  onTotal: (orders: number | undefined) => void,
  context: Context,
): Orders {
  const service = await context.service();
  const pageSize = query.days ? maxPageSize : Math.min(limit, maxPageSize);
  let allCalls = 0;
  let checked = 0;
  const checkCalls = async (most: number) => {
    if (most <= checked) return;
    checked = most;
    await checkApiQuota(most, service, context, { what: `this takes up to ${counted(most, "call")}` });
  };
  /** A service that ignores the state may have to be read to the end. */
  async function* checkIgnored(orders: Orders, status: string | undefined): Orders {
    for await (const order of orders) {
      yield order;
      if (status !== undefined && order.status !== status) await checkCalls(allCalls);
    }
  }
  const orders = matchingOrders(service, query, {
    own,
    concurrency: 1,
    maxSweeps: 1,
    pageSize,
    beforeOthers: async (calls, orders) => {
      onTotal(orders);
      allCalls = calls;
      await checkCalls(query.days ? calls : Math.min(calls, Math.ceil(limit / pageSize) - 1));
    },
    pass: (orders, { status }) => checkIgnored(hintAtUnknownState(orders, status, context), status),
  });
  let isEmpty = true;
  try {
    for await (const order of orders) {
      isEmpty = false;
      yield order;
    }
  } catch (error) {
    // "No orders" would be untrue.
    if (isEmpty || !(error instanceof ServiceFailure && error.code === "list_incomplete")) throw error;
    context.messages.warn(error.message);
  }
}

/**
 * The first orders. `total`: how many there are, where that is known without reading on; `describe` says so.
 */
function takeFirst(
  limit: number,
  orders: Orders,
  total: () => number | undefined = () => undefined,
  describe = (_all: number) => "",
) {
  let count = 0;
  let hasMore = false;
  async function* take(): Orders {
    for await (const order of orders) {
      hasMore = count === limit;
      if (hasMore) return;
      count += 1;
      yield order;
      const all = total();
      if (count < limit || all === undefined) continue;
      hasMore = all > limit;
      return;
    }
  }
  return {
    orders: take(),
    footer() {
      if (!hasMore) return undefined;
      const all = total();
      return `${count} shown${all === undefined ? ", more exist" : describe(all)}; --all shows every one`;
    },
  };
}

async function tellFooter(
  parts: readonly (string | undefined)[],
  own: OwnFilter,
  { messages }: Context,
): Promise<void> {
  own.warn(messages);
  const footer = parts.filter((part) => part !== undefined).join("; ");
  if (footer !== "") messages.note(footer);
}

async function fromMirror(
  query: OrderQuery,
  own: OwnFilter,
  limit: number,
  context: Context,
): Promise<Output> {
  const { listMirror } = await import("./list-mirror.ts");
  const mirror = await listMirror(query, own, context);
  const taken = takeFirst(limit, mirror.orders);
  return {
    ...rows(own.counted(taken.orders), orderColumns, "No orders"),
    after: async () => {
      await mirror.warn();
      await tellFooter([taken.footer(), own.note], own, context);
      context.messages.note(await mirror.describeAge());
    },
  };
}

function onePage(
  { statuses, days }: OrderQuery,
  page: number,
  limit: number | undefined,
  context: Context,
): Output {
  const [status, other] = statuses;
  if (other !== undefined)
    throw usageError("--page takes one state: the service's pages are of one list", "leave out --page");
  const filter = { status, dateFrom: days?.from, dateTo: days?.to };
  const own = createOwnFilter({ statuses, days: undefined }, context.clock);
  // The service's days may be of another zone.
  const [widened] = widenedFilters({ statuses, days });
  const nearDays = days && { from: widened?.dateFrom, to: widened?.dateTo, zone: days.zone };
  const near = createOwnFilter({ statuses: [], days: nearDays }, context.clock);
  let place: string | undefined;
  let others = 0;
  let distant = 0;
  async function* read(): Orders {
    const service = await context.service();
    const { orders, pagination } = await service.listOrders(filter, page, limit);
    place = describePage(orders.length, pagination, page);
    others = orders.filter((order) => !own.takes(order)).length;
    distant = orders.filter(({ created_at }) => !near.hasDay(created_at)).length;
    yield* orders;
  }
  return {
    ...rows(hintAtUnknownState(read(), status, context), orderColumns, "No orders"),
    after: async () => {
      if (others > 0)
        context.messages.warn(
          `the service did not keep to --status ${status}: ${counted(others, "order")} of this page ${byCount(others, "is", "are")} in other states`,
        );
      if (distant > 0)
        context.messages.warn(
          `the service did not keep to the days: ${counted(distant, "order")} of this page ${byCount(distant, "is", "are")} of other days`,
        );
      const parts = [place, days && "by the service's own days"].filter((part) => part !== undefined);
      const more = place === undefined ? "" : "; --all fetches everything";
      if (parts.length > 0) context.messages.note(`${parts.join(", ")}${more}`);
    },
  };
}

/** Which part of the list a page is, as far as the service says; undefined where it is all. */
function describePage(count: number, pagination: Pagination, page: number): string | undefined {
  const pages = toCount(pagination.total_pages);
  const total = toCount(pagination.total_items);
  const isPart = pages !== undefined ? pages > 1 : count > 0 && (total ?? Number.POSITIVE_INFINITY) > count;
  if (!isPart) return undefined;
  const place = `page ${show(pagination.current_page ?? page)}${pages === undefined ? "" : ` of ${pages}`}`;
  if (total !== undefined) return `${place} (${counted(total, "order")})`;
  return pages === undefined ? `${place}; the service does not say how many orders there are` : place;
}

export const orderColumns: readonly Column<OrderSummary>[] = [
  { path: "id", title: "ID", cell: ({ id }) => styled("strong", id) },
  { path: "order_no", title: "ORDER NO", cell: ({ order_no }) => show(order_no), spare: 1 },
  { path: "tracking_number", title: "TRACKING", cell: ({ tracking_number }) => show(tracking_number) },
  { path: "status", title: "STATE", cell: ({ status }) => state(status) },
  { path: "payment_status", title: "PAYMENT", cell: ({ payment_status }) => show(payment_status), spare: 4 },
  {
    path: "actual_fee",
    title: "FEE",
    cell: ({ actual_fee }) => show(actual_fee),
    align: "right",
    holds: "number",
    spare: 6,
  },
  { path: "item_name", title: "ITEM", cell: ({ item_name }) => show(item_name), flexible: true },
  { path: "sender.name", title: "FROM", cell: ({ sender }) => show(sender?.name), flexible: true, spare: 3 },
  {
    path: "sender.city",
    title: "FROM CITY",
    cell: ({ sender }) => show(sender?.city),
    flexible: true,
    spare: 2,
  },
  { path: "receiver.name", title: "TO", cell: ({ receiver }) => show(receiver?.name), flexible: true },
  {
    path: "receiver.city",
    title: "TO CITY",
    cell: ({ receiver }) => show(receiver?.city),
    flexible: true,
    spare: 5,
  },
  { path: "created_at", title: "CREATED", cell: ({ created_at }) => instant(created_at), holds: "time" },
];
