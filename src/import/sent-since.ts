/** Rows that an import has reported as refused, and that another process has sent again since. */

import type { Clock } from "../core/clock.ts";
import { byCount } from "../core/wording.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { RowToSend } from "../ledger/row-to-send.ts";
import type { ImportTools, RowResult } from "./import-types.ts";
import { listRows } from "./row-words.ts";
import type { ImportRow } from "./rows.ts";

const batchSize = 500;

/** `note` is called with each result of the run, then `find` with all rows gives the numbers of these. */
export function createSentSince(
  { ledger, run, file, policy }: Pick<ImportTools, "ledger" | "run" | "file" | "policy">,
  clock: Clock,
) {
  const refused = new Set<number>();
  /** What the report gave to other rows: equal ones, which are other orders. */
  const given = new Set<string>();
  const isSince = (operation: Operation) =>
    operation.run !== run.number && (operation.sentAtMs ?? 0) >= run.startedAtMs;
  const isSent = (operation: Operation) => isSince(operation) && !given.has(nameOperation(operation));

  async function findIn(batch: readonly RowToSend[]): Promise<readonly number[]> {
    const decisions = await ledger.viewRows(run.customer, batch, file, policy, clock.now());
    return decisions.flatMap((decision, index) =>
      (decision.kind === "shipped" || decision.kind === "in_doubt") && isSent(decision.operation)
        ? [batch[index]?.row ?? 0]
        : [],
    );
  }

  return {
    note({ row, outcome, decision }: RowResult): void {
      if (outcome === "refused") refused.add(row.row);
      else if (decision && "operation" in decision && decision.kind !== "held" && isSince(decision.operation))
        given.add(nameOperation(decision.operation));
    },
    async find(rows: () => AsyncIterable<ImportRow>): Promise<readonly number[]> {
      const sent: number[] = [];
      if (refused.size === 0) return sent;
      const counts = new Map<string, number>();
      let batch: RowToSend[] = [];
      const flush = async () => {
        sent.push(...(await findIn(batch)));
        batch = [];
      };
      for await (const row of rows()) {
        if (!refused.has(row.row)) continue;
        const occurrence = row.ref === undefined ? (counts.get(row.content) ?? 0) + 1 : 1;
        counts.set(row.content, occurrence);
        batch.push({ ...row, occurrence, isTaken: (operation) => !isSent(operation) });
        if (batch.length >= batchSize) await flush();
      }
      if (batch.length > 0) await flush();
      return sent;
    },
  };
}

/** The report has them as refused already; a corrected copy would be another order. */
export function describeSentSince(sent: readonly number[], rejects: string | undefined): string {
  const them = byCount(sent.length, "it", "them");
  const remedy = rejects === undefined ? `do not send ${them} again` : `take ${them} out of ${rejects}`;
  return `${byCount(sent.length, "row", "rows")} ${listRows(sent)} ${byCount(sent.length, "was", "were")} refused, and another courier process has sent ${them} since: ${remedy}`;
}
