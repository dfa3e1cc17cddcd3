/** `courier orders export`: every order that matches, streamed to a file or a pipe (4.3 and 4.4). */

import { ServiceFailure } from "../api/failure.ts";
import type { CourierService } from "../api/service.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import { type Context, defineCommand, type Output, rows } from "../command/command.ts";
import { matchingOrders } from "../command/matching-orders.ts";
import { switchOption } from "../command/options.ts";
import {
  checkFilter,
  createOwnFilter,
  filterOptions,
  type OrderQuery,
  type OwnFilter,
} from "../command/order-filter.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { keepHeapSmall, manyRows } from "../core/small-heap.ts";
import { counted } from "../core/wording.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { settleOnTheWay } from "../sending/settle-on-the-way.ts";
import { type Column, show } from "../terminal/blocks.ts";
import { detailPaths } from "./detail-paths.ts";
import { orderColumns } from "./list.ts";

const pagesAtOnce = 8;
const detailsAtOnce = 8;

export const exportOrders = defineCommand({
  description:
    "CSV, unless --json or --ndjson is given or the file's name ends in .xlsx, .json or .ndjson. A workbook (.xlsx) has\n" +
    "amounts as numbers and times as dates of this machine's zone; what a spreadsheet would change is text. The export\n" +
    "is complete, or the command fails and leaves an older file of --output unchanged. A file there that courier did\n" +
    "not write, or that was changed since, is kept as FILE.old. --details takes one more call for each order.",
  arguments: {},
  options: { ...filterOptions, details: switchOption("everything that the service knows of each order") },
  confirms: true,
  exportsAs: "csv",
  examples: [
    {
      line: "orders export --from 2026-01 --to 2026-01 -o january.xlsx",
      note: "a month for Excel",
    },
    {
      line: "orders export --details --ndjson | jq -c '{id, phone: .receiver.phone}'",
      note: "with phone numbers",
    },
  ],
  exits: [5],
  seeAlso: ["orders list", "orders import"],
  async run({ details, ...options }, context): Promise<Output> {
    const query = checkFilter(options, context.clock);
    const own = createOwnFilter(query, context.clock);
    const after = () => tellOwn(own, context);
    if (details) return { ...rows(exportDetails(query, own, context), detailColumns, "No orders"), after };
    return {
      ...rows(own.counted(exportSummaries(query, own, context, 0)), orderColumns, "No orders"),
      after,
    };
  },
});

/** Says which days were meant, and which orders were kept without one. */
export async function tellOwn(own: OwnFilter, { messages }: Context): Promise<void> {
  own.warn(messages);
  if (own.note !== undefined) messages.note(own.note);
}

/** `callsEach`: how many further calls each order will take. */
async function* exportSummaries(
  query: OrderQuery,
  own: OwnFilter,
  context: Context,
  callsEach: number,
): AsyncGenerator<OrderSummary, void> {
  const service = await context.service();
  const meter = context.meter();
  let total: number | undefined;
  let seen = 0;
  async function* countRead(orders: AsyncGenerator<OrderSummary, void>): AsyncGenerator<OrderSummary, void> {
    for await (const order of orders) {
      seen += 1;
      meter.update(() =>
        total === undefined ? counted(seen, "order") : `${seen} of ${counted(total, "order")}`,
      );
      yield order;
    }
  }
  try {
    const found = matchingOrders(service, query, {
      own,
      concurrency: pagesAtOnce,
      beforeOthers: async (calls, orders) => {
        total = orders;
        if (orders !== undefined && orders > manyRows) context.addCleanup(keepHeapSmall());
        const most = calls + (orders ?? 0) * callsEach;
        // Orders of other days and states may be listed too, and take no further call.
        const upTo = (query.days || query.statuses.length > 0) && callsEach > 0 ? "up to " : "";
        await checkApiQuota(most, service, context, { what: `this takes ${upTo}${counted(most, "call")}` });
      },
      pass: (orders, filter) => countRead(settleOnTheWay(orders, filter, context)),
    });
    yield* found;
  } finally {
    meter.end();
  }
}

export async function* exportDetails(
  query: OrderQuery,
  own: OwnFilter,
  context: Context,
): AsyncGenerator<OrderDetail, void> {
  const service: CourierService = await context.service();
  const orders = exportSummaries(query, own, context, 1);
  const details = mapInOrder(orders, detailsAtOnce, ({ id }) => readDetail(id.value, service));
  // An order may have left its state since it was listed.
  for await (const order of own.counted(details)) if (own.takes(order)) yield order;
}

async function readDetail(id: string, service: CourierService): Promise<OrderDetail> {
  try {
    return await service.order(id);
  } catch (error) {
    throw namingOrder(id, error);
  }
}

/** A failure of one order says which one it is. */
export function namingOrder(id: string, error: unknown): unknown {
  if (!(error instanceof ServiceFailure) || !error.isOfOneRequest) return error;
  return error.with({ message: `order ${id}: ${error.message}` });
}

const amounts: readonly string[] = [
  "estimated_fee",
  "actual_fee",
  "item.weight",
  "item.value",
  "item.quantity",
];

/** Details are for files: their columns have names, and people read `courier orders show`. */
const detailColumns: readonly Column<OrderDetail>[] = detailPaths.map((path) => ({
  path,
  title: path.toUpperCase(),
  cell: (order) => show(order[path]),
  ...(amounts.includes(path) ? { holds: "number" as const } : {}),
  ...(path.endsWith("_at") ? { holds: "time" as const } : {}),
}));
