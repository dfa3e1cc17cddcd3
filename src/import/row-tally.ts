/** What an import counts: rows by their outcome, why others have no order, and rows whose order proves to be another one's. */

import { isMade, nameOperation, type Operation, type OperationName } from "../ledger/operation.ts";
import type { RowDecision } from "../ledger/rules.ts";
import { type Counts, noCounts } from "./import-report.ts";
import type { ImportTools, Outcome, RowResult } from "./import-types.ts";
import { describeMisled } from "./unsent-rows.ts";

export interface Reasons {
  /** Rows that an order in doubt holds: no flag sends them. */
  readonly heldByDoubt: number;
  readonly heldAsEdited: number;
  /** By orders made elsewhere that may equal their rows. */
  readonly heldByPossible: number;
  /** The number beside them is another row's, or of another customer: no flag counts them as shipped. */
  readonly heldByOther: number;
  /** Rows with other values than their cancelled orders. */
  readonly correctedLater: number;
}

export interface RowTally {
  readonly counts: Counts;
  readonly reasons: Reasons;
  /** The ids of orders that the ledger could not record. */
  readonly unrecorded: readonly string[];
  /** Standing orders that were in doubt when their runs were undone. */
  readonly unwanted: readonly Operation[];
  /** The orders that this run has made, and the tracking numbers that it reports. */
  readonly made: ReadonlyMap<string, string | null | undefined>;
  /** Those of orders of earlier runs that could not be read since lists showed others in their places. */
  readonly unread: readonly string[];
  /** Counts a row when it is done, which may be before its turn in the report. */
  count(result: RowResult): void;
  /** The order of this operation is another one's. */
  onWithdrawn(operation: Operation): void;
  /** Another process may have taken orders from rows that this one has reported. */
  noteWithdrawnElsewhere(): Promise<void>;
  /** The result of a row that is not reported yet. */
  correct(result: RowResult): Promise<RowResult>;
  /** The rows that were reported with an order of another row or command. */
  misreported(): readonly number[];
  /** Counts those as what is known of them now. */
  recountMisreported(): Promise<void>;
}

export function openRowTally({ ledger, run: own }: Pick<ImportTools, "ledger" | "run">): RowTally {
  const counts = noCounts();
  const reasons = { heldByDoubt: 0, heldAsEdited: 0, heldByPossible: 0, heldByOther: 0, correctedLater: 0 };
  const unrecorded: string[] = [];
  const unwanted: Operation[] = [];
  const made = new Map<string, string | null | undefined>();
  const unread: string[] = [];
  /** Operations whose answers named an order of another one. */
  const withdrawn = new Set<string>();
  /** The rows with their orders: which operation it is, and what the row was counted as. */
  const misled = new Map<number, { readonly name: OperationName; readonly counted: Outcome }>();
  /** The rows of earlier runs' orders whose answers may still prove wrong, with those orders. */
  const shippedRows = new Map<string, { readonly row: number; readonly orderId: string | undefined }>();

  function count(result: RowResult): void {
    counts[result.outcome] += 1;
    noteShipped(result);
    if (result.decision?.kind === "held" && !isMade(result.decision.operation)) reasons.heldByDoubt += 1;
    else if (result.decision?.kind === "held" && result.decision.isEdited) reasons.heldAsEdited += 1;
    const hasNumber = (result.row.writtenNumbers ?? []).length > 0;
    const other = result.decision?.kind === "elsewhere" ? result.decision : undefined;
    if (other?.doubt !== undefined && !other.isCovered) reasons.heldByDoubt += 1;
    else if (other && !other.isCertain && !hasNumber) reasons.heldByPossible += 1;
    if (result.decision?.kind === "written" && isOfOtherRow(result.decision)) reasons.heldByOther += 1;
    if (result.decision?.kind === "cancelled" && result.decision.change) reasons.correctedLater += 1;
    if (result.outcome === "created" && result.order) made.set(result.order.id, result.order.tracking_number);
    if (result.isUnrecorded && result.order) unrecorded.push(result.order.id);
    if (result.decision?.kind === "shipped" && result.decision.operation.isUnwanted)
      unwanted.push(result.decision.operation);
  }

  function noteShipped({ row: { row }, outcome, decision }: RowResult): void {
    if (decision?.kind !== "shipped" || !isMade(decision.operation)) return;
    const { wasUnread, order } = decision.operation;
    if (wasUnread && order) unread.push(order.id);
    const name = nameOperation(decision.operation);
    shippedRows.set(name, { row, orderId: decision.operation.order?.id });
    if (withdrawn.has(name)) misled.set(row, { name: decision.operation, counted: outcome });
  }

  function onWithdrawn(operation: Operation): void {
    const name = nameOperation(operation);
    withdrawn.add(name);
    if (operation.run === own.number) misled.set(operation.row ?? 0, { name: operation, counted: "created" });
    const shipped = shippedRows.get(name);
    if (shipped) misled.set(shipped.row, { name: operation, counted: "shipped" });
  }

  async function noteWithdrawnElsewhere(): Promise<void> {
    for (const operation of await ledger.findWithdrawn(own.customer)) {
      const name = nameOperation(operation);
      if (operation.order?.id === operation.withdrawnOrder) continue; // it has it again
      const isReported =
        operation.run === own.number || shippedRows.get(name)?.orderId === operation.withdrawnOrder;
      if (isReported && !withdrawn.has(name)) onWithdrawn(operation);
    }
  }

  /** What is known of a create since its answer proved to name an order of another one. */
  async function readResult(
    name: OperationName,
  ): Promise<Pick<RowResult, "outcome" | "order" | "rejection">> {
    const { state, order } = (await ledger.findOperation(name)) ?? {};
    if (state === "found") return { outcome: "found", order };
    if (state !== "unknown") return { outcome: "unsent" };
    return { outcome: "unknown", rejection: describeMisled(name) };
  }

  function recount(counted: Outcome, { outcome }: Pick<RowResult, "outcome">): void {
    counts[counted] -= 1;
    counts[outcome] += 1;
  }

  async function correct(result: RowResult): Promise<RowResult> {
    const { row } = result;
    const wrong = misled.get(row.row);
    if (!wrong) return result;
    misled.delete(row.row);
    const known = await readResult(wrong.name);
    recount(wrong.counted, known);
    return { row, ...known };
  }

  return {
    counts,
    reasons,
    unrecorded,
    unwanted,
    made,
    unread,
    count,
    onWithdrawn,
    noteWithdrawnElsewhere,
    correct,
    misreported: () => [...misled.keys()].sort((a, b) => a - b),
    async recountMisreported() {
      for (const { name, counted } of misled.values()) recount(counted, await readResult(name));
    },
  };
}

function isOfOtherRow({
  sent,
  holder,
  receiver,
  isCancelled,
  isDoubt,
}: Extract<RowDecision, { kind: "written" }>): boolean {
  return (
    sent !== undefined ||
    holder !== undefined ||
    receiver !== undefined ||
    isCancelled === true ||
    isDoubt === true
  );
}
