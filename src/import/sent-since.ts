/** Rows that an import has reported as refused, and that another process has sent again since. */

import type { Clock } from "../core/clock.ts";
import { byCount } from "../core/wording.ts";
import type { Operation } from "../ledger/operation.ts";
import { skipNumbered } from "./equal-rows.ts";
import type { ImportTools } from "./import-types.ts";
import { listRows } from "./row-words.ts";
import type { ImportRow } from "./rows.ts";

const batchSize = 500;

/** The numbers of these rows. `refused`: of those that were reported so. */
export async function findSentSince(
  rows: AsyncIterable<ImportRow>,
  refused: ReadonlySet<number>,
  { ledger, run, file, policy }: Pick<ImportTools, "ledger" | "run" | "file" | "policy">,
  clock: Clock,
): Promise<readonly number[]> {
  const sent: number[] = [];
  let batch: ImportRow[] = [];
  const flush = async () => {
    const numbered = skipNumbered(batch, file);
    const decisions = await ledger.viewRows(run.customer, numbered, file, policy, clock.now());
    for (const [index, decision] of decisions.entries())
      if ((decision.kind === "shipped" || decision.kind === "in_doubt") && isSince(decision.operation))
        sent.push(batch[index]?.row ?? 0);
    batch = [];
  };
  // An equal row of this run, or of one before, is another order.
  const isSince = (operation: Operation) =>
    operation.run !== run.number && (operation.sentAtMs ?? 0) >= run.startedAtMs;
  for await (const row of rows) {
    if (!refused.has(row.row)) continue;
    batch.push(row);
    if (batch.length >= batchSize) await flush();
  }
  if (batch.length > 0) await flush();
  return sent;
}

/** The report has them as refused already; a corrected copy would be another order. */
export function describeSentSince(sent: readonly number[], rejects: string | undefined): string {
  const them = byCount(sent.length, "it", "them");
  const remedy = rejects === undefined ? `do not send ${them} again` : `take ${them} out of ${rejects}`;
  return `${byCount(sent.length, "row", "rows")} ${listRows(sent)} ${byCount(sent.length, "was", "were")} refused, and another courier process has sent ${them} since: ${remedy}`;
}
