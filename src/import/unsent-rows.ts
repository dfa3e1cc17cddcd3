/** The report of rows that are not sent. */

import { formatUntil } from "../core/time.ts";
import { nameOperation, type OperationName, type Rejection, unknownOrder } from "../ledger/operation.ts";
import { isLedgerLost } from "../ledger/operation-errors.ts";
import type { RowDecision } from "../ledger/rules.ts";
import { describeNotListed, nameCandidates } from "../sending/candidates.ts";
import type { StillInDoubt } from "../sending/reconcile-types.ts";
import type { RowResult } from "./import-types.ts";
import type { ImportRow } from "./rows.ts";

/** What is known of a row in doubt, and the next step. */
export function describeDoubt(
  operation: OperationName,
  left: StillInDoubt | undefined,
  nowMs: number,
): string {
  const decide = `courier orders resolve ${nameOperation(operation)}`;
  if (left?.kind === "early")
    return `in doubt; ${describeNotListed(left)}: run the same command again after ${formatUntil(left.provedMs, nowMs)}, or decide with ${decide}`;
  if (!left || left.candidates.length === 0)
    return `in doubt, and its data was deleted: decide with ${decide}`;
  return `in doubt; possible matches: ${nameCandidates(left.candidates)}; decide with ${decide}`;
}

/** A row whose answer named the order of another one. */
export function describeMisled(operation: OperationName): Rejection {
  return inDoubtAs(
    `in doubt, because the answer named another order; run the import again to check, or decide with courier orders resolve ${nameOperation(operation)}`,
  );
}

export function inDoubtAs(message: string): Rejection {
  return { code: "outcome_unknown", message };
}

/** A row in doubt that the run did not check before `failure` ended it. */
export function notChecked(failure: unknown): Rejection {
  return isLedgerLost(failure)
    ? inDoubtAs(
        "in doubt, and the ledger is lost: look for its order in the list before you import the row again",
      )
    : inDoubtAs("in doubt; run the import again to check");
}

/** The result of a row that is not sent. */
export function resultOf(
  row: ImportRow,
  decision: RowDecision,
  givenUp: ReadonlyMap<string, StillInDoubt>,
  nowMs: number,
): RowResult {
  switch (decision.kind) {
    case "send":
      return { row, outcome: "unsent" };
    case "shipped":
      return { row, outcome: "shipped", decision, order: decision.operation.order };
    case "refused":
      return { row, outcome: "refused", decision, rejection: decision.operation.rejection };
    case "changed":
    case "cancelled":
      return { row, outcome: decision.kind, decision, order: decision.operation.order };
    case "undone":
      return { row, outcome: "cancelled", decision };
    case "held":
      return { row, outcome: "held", decision };
    case "written":
      return { row, outcome: decision.isCovered ? "shipped" : "held", decision };
    case "elsewhere": {
      const { orderId, isCovered, order = unknownOrder(orderId) } = decision;
      if (!isCovered) return { row, outcome: "held", decision };
      return { row, outcome: "shipped", decision, order };
    }
    case "in_doubt": {
      const { operation } = decision;
      const message = operation.isUnwanted
        ? "in doubt, and its run was undone: it is not sent again"
        : describeDoubt(operation, givenUp.get(nameOperation(operation)), nowMs);
      return { row, outcome: "unknown", decision, rejection: inDoubtAs(message) };
    }
  }
}
