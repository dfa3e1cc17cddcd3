/** Settles creates in doubt with a complete list of orders that a command reads anyway. */

import type { OrderFilter } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import { hasLedger } from "../ledger/ledger.ts";
import type { OrderSummary } from "../model/interface.ts";
import { earliestDate, openCreates, reconcileWith, recordListing } from "./reconcile.ts";
import type { ReconcileTools } from "./reconcile-types.ts";
import { createReconcileTools } from "./settle.ts";

/**
 * Passes the orders on. Once all of them were read, and they cover the creates in doubt of the account, these are
 * reconciled with them. Whatever fails at that takes nothing away from the list.
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
    summaries.push(order);
    yield order;
  }
  const count = await settle(begunMs, filter.dateFrom, summaries, tools).catch(() => 0);
  if (count > 0)
    context.messages.note(
      `${count === 1 ? "1 order in doubt is settled" : `${count} orders in doubt are settled`}: courier log`,
    );
}

/** Undefined where nothing is in doubt, or the list does not show all that it could be. */
async function toolsFor(filter: OrderFilter, context: Context): Promise<ReconcileTools | undefined> {
  if (filter.status !== undefined || filter.dateTo !== undefined) return undefined;
  if (!hasLedger(context.machine.stateDirectory)) return undefined;
  const customer = await context.knownCustomer();
  if (!customer) return undefined;
  const ledger = await context.ledger();
  const tools = await createReconcileTools({ ledger, customer: customer.id }, context);
  const open = await openCreates(tools);
  if (!open.some(({ state }) => state === "unknown")) return undefined;
  const { dateFrom } = filter;
  return dateFrom === undefined || dateFrom <= (await earliestDate(open, tools)) ? tools : undefined;
}

async function settle(
  begunMs: number,
  dateFrom: string | undefined,
  summaries: readonly OrderSummary[],
  tools: ReconcileTools,
): Promise<number> {
  const listing = await recordListing(begunMs, dateFrom, summaries, tools);
  const results = await reconcileWith(listing, tools);
  return [...results.values()].filter(({ kind }) => kind === "settled").length;
}
