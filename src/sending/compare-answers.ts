/** Compares orders that were just made with the list, which shows answers that were exchanged. */

import { ServiceFailure } from "../api/failure.ts";
import { byCount } from "../core/wording.ts";
import type { Operation } from "../ledger/operation.ts";
import type { OrderSummary } from "../model/interface.ts";
import { nameCandidates } from "./candidates.ts";
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
 * `answered`: their tracking numbers, of which the list may have others.
 */
export async function compareAnswers(
  answered: ReadonlyMap<string, string | null | undefined>,
  tools: ReconcileTools,
): Promise<string | undefined> {
  const { ledger, customer, stop } = tools;
  const orderIds = [...answered.keys()];
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
    warnOfNumbers(summaries, answered, tools);
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

function warnOfNumbers(
  summaries: readonly OrderSummary[],
  answered: ReadonlyMap<string, string | null | undefined>,
  { warn }: ReconcileTools,
): void {
  const others = summaries.flatMap(({ id: { value: id }, tracking_number }) => {
    const before = answered.get(id);
    return before && tracking_number && before !== tracking_number ? [id] : [];
  });
  if (others.length > 0)
    warn?.(
      `the service's list has ${byCount(others.length, "another tracking number", "other tracking numbers")} than its answers, and than this report, for order ${nameCandidates(others)}: orders write-back has those of the list`,
    );
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
