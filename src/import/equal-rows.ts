/** Assigns operations to the equal rows of an import. */

import type { ClaimedRow } from "../ledger/import-rows.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { FileFacts, RowDecision, RowToSend } from "../ledger/rules.ts";
import type { ImportRow } from "./rows.ts";

/** A row that was claimed, or that got a decision. */
export interface Claim extends ClaimedRow {
  readonly row: ImportRow;
}

/**
 * Equal rows without a ref are interchangeable, but each is one order. This keeps the operation of each row of this
 * run, because the numbers of the other rows change when an order proves not to exist.
 */
export function createEqualRows(file: FileFacts, later: () => Iterable<ImportRow>) {
  const taken = new Map<string, Map<number, string>>();
  const isEqual = ({ ref, content }: ImportRow) => ref === undefined && file.countOf(content) > 1;

  return {
    /** Numbers the equal rows that have no operation yet. */
    numberRows(rows: readonly ImportRow[]): readonly RowToSend[] {
      if (!rows.some(isEqual)) return rows;
      const counts = new Map<string, number>();
      const countUp = (content: string) => {
        const count = (counts.get(content) ?? 0) + 1;
        counts.set(content, count);
        return count;
      };
      const isByPosition = (row: ImportRow) =>
        isEqual(row) && file.byNumber?.operationOf(row.row) === undefined;
      for (const row of later()) if (isByPosition(row)) countUp(row.content);
      return rows.map((row) => {
        if (!isByPosition(row)) return row;
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

/** The row's own operation, if any. */
function ownOperation(decision: RowDecision): Operation | undefined {
  if (!("operation" in decision) || decision.kind === "held") return undefined;
  return decision.kind === "shipped" && decision.isElsewhere ? undefined : decision.operation;
}

/** Rows as they are read, each with its number among those equal rows that only their places tell apart. */
export function skipNumbered(rows: readonly ImportRow[], { byNumber }: FileFacts): readonly RowToSend[] {
  if (!byNumber) return rows;
  return rows.map((row) =>
    row.ref === undefined ? { ...row, occurrence: row.occurrence - byNumber.countBefore(row) } : row,
  );
}
