/** Which operations the equal rows of an import have become. */

import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { ClaimedRow } from "../ledger/operations.ts";
import type { FileFacts, RowDecision, RowToSend } from "../ledger/rules.ts";
import type { ImportRow } from "./rows.ts";

/** A row that was claimed or decided about. */
export interface Claim extends ClaimedRow {
  readonly row: ImportRow;
}

/**
 * Equal rows without a ref are interchangeable, but no two of them are one order: keeps the operations that rows
 * of this run have become, since the others' numbers change when one of them turns out not to be made.
 */
export function createEqualRows(file: FileFacts, later: () => Iterable<ImportRow>) {
  const taken = new Map<string, Map<number, string>>();
  const isEqual = ({ ref, content }: ImportRow) => ref === undefined && file.countOf(content) > 1;

  return {
    /** The rows as the ledger is to see them: numbered among those that have become nothing yet. */
    place(rows: readonly ImportRow[]): readonly RowToSend[] {
      if (!rows.some(isEqual)) return rows;
      const counts = new Map<string, number>();
      const countUp = (content: string) => {
        const count = (counts.get(content) ?? 0) + 1;
        counts.set(content, count);
        return count;
      };
      for (const row of later()) if (isEqual(row)) countUp(row.content);
      return rows.map((row) => {
        if (!isEqual(row)) return row;
        const names = new Set(taken.get(row.content)?.values());
        const isTaken = (operation: Operation) => names.has(nameOperation(operation));
        return { ...row, occurrence: countUp(row.content), isTaken };
      });
    },
    take({ row, decision, operation }: Claim): void {
      if (!isEqual(row)) return;
      const own = operation ?? ownOperation(decision);
      if (!own) return;
      const names = taken.get(row.content) ?? new Map<number, string>();
      taken.set(row.content, names.set(row.row, nameOperation(own)));
    },
    release({ content, row }: ImportRow): void {
      taken.get(content)?.delete(row);
    },
  };
}

/** The operation that the row itself has become. */
function ownOperation(decision: RowDecision): Operation | undefined {
  if (decision.kind === "send" || decision.kind === "held" || decision.kind === "elsewhere") return undefined;
  return decision.kind === "shipped" && decision.isElsewhere ? undefined : decision.operation;
}
