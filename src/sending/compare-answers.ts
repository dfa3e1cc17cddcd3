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
 * show yet is compared by the next import. Returns why orders were not compared, where the list was not read to its end.
 */
export async function compareAnswers(
  orderIds: readonly string[],
  tools: ReconcileTools,
): Promise<string | undefined> {
  const { ledger, customer, stop } = tools;
  let isTaken = false;
  let isCompared = false;
  const onWithdrawn = (operation: Operation) => {
    isTaken = true;
    tools.onWithdrawn?.(operation);
  };
  try {
    const first = await ledger.findWithDraft(customer, orderIds.slice(0, fewFirst));
    if (first.length === 0) return undefined;
    const dateFrom = await earliestDate(first, tools);
    const { summaries, missing, isWhole } = await findListed(orderIds, dateFrom, tools);
    const end = { customer, endedMs: tools.clock.now(), offsetMs: tools.clockOffsetMs() };
    if (isWhole && missing.length > 0) await ledger.recordMissing({ ...end, ids: missing });
    const owners = await ledger.findOwners(
      customer,
      summaries.map(({ id }) => id.value),
    );
    await readOthers({ summaries, owners }, { ...tools, onWithdrawn }, { most: mostRead, areJustMade: true });
    isCompared = isWhole;
    if (isTaken) await reconcile(tools);
    return isCompared ? undefined : "it is too long";
  } catch (error) {
    if (stop.aborted) return undefined;
    if (!(error instanceof ServiceFailure)) throw error;
    return isCompared ? undefined : error.message; // what is in doubt stays so
  }
}

/** Those of these orders that the list shows, those that it lacks, and whether it was read to its end, or until it had shown all. */
async function findListed(
  orderIds: readonly string[],
  dateFrom: string | undefined,
  { list }: ReconcileTools,
): Promise<{
  readonly summaries: readonly OrderSummary[];
  readonly missing: readonly string[];
  readonly isWhole: boolean;
}> {
  const left = new Set(orderIds);
  const summaries: OrderSummary[] = [];
  const most = Math.max(mostCalls, (2 * orderIds.length) / pageSize);
  let pagesRead = 0;
  const afterPage = (pages: number) => {
    pagesRead = pages;
  };
  for await (const summary of list(dateFrom, { afterPage })) {
    if (left.delete(summary.id.value)) summaries.push(summary);
    if (left.size === 0) break;
    if (pagesRead >= most) return { summaries, missing: [...left], isWhole: false };
  }
  return { summaries, missing: [...left], isWhole: true };
}
