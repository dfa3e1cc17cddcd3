/** Reconciles creates in doubt with a complete list of orders that a command reads anyway. */

import type { OrderFilter } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import { hasLedger } from "../command/found-ledger.ts";
import { byCount, counted } from "../core/wording.ts";
import type { OrderSummary } from "../model/interface.ts";
import { earliestDate, openCreates, reconcileWith, recordListing } from "./reconcile.ts";
import type { ReconcileTools } from "./reconcile-types.ts";
import { createReconcileTools } from "./settle.ts";

/** As many as are read to look for an order in doubt. */
const mostKept = 300_000;

/**
 * Passes the orders through. When all of them were read, and they cover the creates in doubt of the account, reconciles
 * these. A failure of that does not affect the list.
 */
export async function* settleOnTheWay(
  orders: AsyncGenerator<OrderSummary, void>,
  filter: OrderFilter,
  context: Context,
): AsyncGenerator<OrderSummary, void> {
  const tools = await toolsFor(filter, context).catch(() => undefined);
  if (!tools) return yield* orders;
  const begunMs = tools.clock.elapsed();
  const summaries: OrderSummary[] = [];
  for await (const order of orders) {
    if (summaries.length <= mostKept) summaries.push(order);
    yield order;
  }
  if (summaries.length > mostKept) return;
  const count = await reconcileListed(begunMs, filter.dateFrom, summaries, tools).catch(() => 0);
  if (count > 0)
    context.messages.note(
      `${counted(count, "order")} in doubt ${byCount(count, "is", "are")} settled; see ${context.nextCommand("log")}`,
    );
}

/** Undefined where nothing is in doubt, or where the list may not contain all candidates. */
async function toolsFor(filter: OrderFilter, context: Context): Promise<ReconcileTools | undefined> {
  if (filter.status !== undefined || filter.dateTo !== undefined) return undefined;
  if (!(await hasLedger(context))) return undefined;
  const customer = await context.knownCustomer();
  if (!customer) return undefined;
  const ledger = await context.ledger();
  const tools = await createReconcileTools({ ledger, customer: customer.id }, context);
  const open = await openCreates(tools);
  if (!open.some(({ state }) => state === "unknown")) return undefined;
  const { dateFrom } = filter;
  if (dateFrom === undefined) return tools;
  const earliest = await earliestDate(open, tools);
  return earliest !== undefined && dateFrom <= earliest ? tools : undefined;
}

async function reconcileListed(
  begunMs: number,
  dateFrom: string | undefined,
  summaries: readonly OrderSummary[],
  tools: ReconcileTools,
): Promise<number> {
  const listing = await recordListing(begunMs, dateFrom, summaries, tools);
  const results = await reconcileWith(listing, tools);
  return [...results.values()].filter(({ kind }) => kind === "settled").length;
}
