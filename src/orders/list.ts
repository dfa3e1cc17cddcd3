/** `courier orders list`: the account's orders, a page or all of them (specification, 4.3). */

import { allOrders } from "../api/pages.ts";
import { type OrderFilter, toCount } from "../api/service.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import { type Context, defineCommand, rows } from "../command/command.ts";
import { countOption, switchOption } from "../command/options.ts";
import { checkFilter, filterOptions } from "../command/order-filter.ts";
import { unknownState } from "../command/unknown-state.ts";
import { usageError } from "../core/errors.ts";
import { keepHeapSmall, manyRows } from "../core/small-heap.ts";
import { counted } from "../core/wording.ts";
import type { OrderSummary, Pagination } from "../model/interface.ts";
import { stateNames } from "../model/states.ts";
import { type Column, instant, show, state, styled } from "../terminal/blocks.ts";

const pagesAtOnce = 8;

export const listOrders = defineCommand({
  arguments: {},
  options: {
    ...filterOptions,
    page: countOption("N", "page number (the service's default: 1)", { min: 1 }),
    limit: countOption("N", "orders a page, 1 to 100 (the service's default: 10)", { min: 1, max: 100 }),
    all: switchOption("every page; fails if the list is incomplete"),
  },
  hasRows: true,
  confirms: true,
  mentionsDoubt: true,
  examples: [
    { line: "orders list --status pending", note: "orders awaiting payment" },
    {
      line: "orders list --from 2026-01-01 --to 2026-01-31 --all --csv > january.csv",
      note: "a month as a spreadsheet",
    },
    { line: "orders list --all --ndjson | jq -r .tracking_number", note: "every tracking number" },
  ],
  exits: [5],
  seeAlso: ["orders show", "orders export"],
  async run({ page, limit, all, ...options }, context) {
    const filter = checkFilter(options);
    if (all && page !== undefined) throw usageError("--all and --page exclude each other");
    const stream = all ? everyOrder(context, filter, limit) : onePage(context, filter, page, limit);
    return rows(hintAtUnknownState(stream, filter.status, context), orderColumns, "No orders");
  },
});

/** The list of states is open, so any is sent; but one that finds nothing may be misspelt. */
async function* hintAtUnknownState(
  orders: AsyncGenerator<OrderSummary, void>,
  status: string | undefined,
  { messages }: Context,
): AsyncGenerator<OrderSummary, void> {
  let isEmpty = true;
  for await (const order of orders) {
    isEmpty = false;
    yield order;
  }
  if (!isEmpty || status === undefined || stateNames.includes(status)) return;
  messages.warn(unknownState(status));
}

async function* everyOrder(
  context: Context,
  filter: OrderFilter,
  limit: number | undefined,
): AsyncGenerator<OrderSummary, void> {
  const service = await context.service();
  const orders = allOrders(service, filter, {
    concurrency: pagesAtOnce,
    beforeOthers: async (calls, orders) => {
      if (orders !== undefined && orders > manyRows) context.addCleanup(keepHeapSmall());
      await checkApiQuota(calls, service, context);
    },
    ...(limit === undefined ? {} : { pageSize: limit }),
  });
  const { settleOnTheWay } = await import("../sending/settle-on-the-way.ts");
  yield* settleOnTheWay(orders, filter, context);
}

async function* onePage(
  context: Context,
  filter: OrderFilter,
  page: number | undefined,
  limit: number | undefined,
): AsyncGenerator<OrderSummary, void> {
  const service = await context.service();
  const { orders, pagination } = await service.listOrders(filter, page, limit);
  yield* orders;
  const place = describePage(orders.length, pagination, page);
  if (place !== undefined) context.messages.note(`${place}; --all fetches everything`);
}

/** Which part of the list a page is, as far as the service says; undefined where it is all. */
function describePage(count: number, pagination: Pagination, page = 1): string | undefined {
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
