/** Assigns operations to the equal rows of an import. */

import type { ClaimedRow } from "../ledger/import-rows.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { FileFacts, RowToSend } from "../ledger/row-to-send.ts";
import type { RowDecision } from "../ledger/rules.ts";
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
      const { byNumber } = file;
      const isByPosition = (row: ImportRow) => isEqual(row) && byNumber?.operationOf(row.row) === undefined;
      for (const row of later()) if (isByPosition(row) && !byNumber?.isForeign(row)) countUp(row.content);
      return rows.map((row) => {
        if (!isByPosition(row)) return row;
        const { content } = row;
        const ended = taken.get(content) ?? new Map<number, string>();
        const names = new Set(ended.values());
        const isTaken = (operation: Operation) => names.has(nameOperation(operation));
        if (!byNumber?.isForeign(row)) return { ...row, occurrence: countUp(content), isTaken };
        const isForeign = (each: number) => byNumber.isForeign({ row: each, content });
        const isPlain = (each: number) => !isForeign(each) && byNumber.operationOf(each) === undefined;
        const count = (isMeant: (each: number) => boolean) => [...ended.keys()].filter(isMeant).length;
        const left = byNumber.countPlain(content, file.countOf(content)) - count(isPlain);
        const before = byNumber.foreignBefore(row) - count((each) => each < row.row && isForeign(each));
        return { ...row, occurrence: Math.max(0, left) + before + 1, isTaken };
      });
    },
    take({ row, decision, operation, recorded }: Claim): void {
      if (!isEqual(row)) return;
      const own = operation ?? recorded ?? ownOperation(decision);
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
export function skipNumbered(
  rows: readonly ImportRow[],
  { byNumber, countOf }: FileFacts,
): readonly RowToSend[] {
  if (!byNumber) return rows;
  return rows.map((row) => {
    if (row.ref !== undefined) return row;
    const foreign = byNumber.foreignBefore(row);
    const occurrence = byNumber.isForeign(row)
      ? byNumber.countPlain(row.content, countOf(row.content)) + foreign + 1
      : row.occurrence - byNumber.countBefore(row) - foreign;
    return { ...row, occurrence };
  });
}
