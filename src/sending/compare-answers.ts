/** Compares orders that were just made with the list, which shows answers that were exchanged. */

import { ServiceFailure } from "../api/failure.ts";
import type { Operation } from "../ledger/operation.ts";
import type { OrderSummary } from "../model/interface.ts";
import { readOthers } from "./learn-fields.ts";
import { mostCalls } from "./orders-elsewhere.ts";
import { earliestDate, reconcile } from "./reconcile.ts";
import type { ReconcileTools } from "./reconcile-types.ts";

const pageSize = 100;
/** So many tell the day of the first one. */
const fewFirst = 20;
/** More details are not read. */
const mostRead = 200;

/**
 * Reads the list until it has shown these orders. Of those that are shown with another receiver the details are read: an
 * order that is certainly another create's is taken from its own, and looked for at once. An order that the list does not
 * show yet is compared by the next import. Returns why none was compared, where the service does not show its list.
 */
export async function compareAnswers(
  orderIds: readonly string[],
  tools: ReconcileTools,
): Promise<string | undefined> {
  const { ledger, customer, stop } = tools;
  let isTaken = false;
  const onWithdrawn = (operation: Operation) => {
    isTaken = true;
    tools.onWithdrawn?.(operation);
  };
  try {
    const first = await ledger.findAnswered(customer, orderIds.slice(0, fewFirst));
    if (first.length === 0) return undefined;
    const summaries = await findListed(orderIds, await earliestDate(first, tools), tools);
    const owners = await ledger.findOwners(customer, [...summaries.keys()]);
    await readOthers({ summaries: [...summaries.values()], owners }, { ...tools, onWithdrawn }, mostRead);
    if (isTaken) await reconcile(tools);
    return undefined;
  } catch (error) {
    if (stop.aborted) return undefined;
    if (error instanceof ServiceFailure) return error.message;
    throw error;
  }
}

/** Those of these orders that the list shows. */
async function findListed(
  orderIds: readonly string[],
  dateFrom: string | undefined,
  { list }: ReconcileTools,
): Promise<ReadonlyMap<string, OrderSummary>> {
  const left = new Set(orderIds);
  const found = new Map<string, OrderSummary>();
  // A longer list is not read.
  const most = Math.max(mostCalls, (2 * orderIds.length) / pageSize);
  let isLong = false;
  const afterPage = (pages: number) => {
    isLong = pages >= most;
  };
  for await (const summary of list(dateFrom, { afterPage })) {
    if (left.delete(summary.id.value)) found.set(summary.id.value, summary);
    if (left.size === 0 || isLong) break;
  }
  return found;
}
