/** Orders with the same content that may hold a row or a single order back. */

import { isMade, isOver, isStanding, type Operation } from "./operation.ts";
import { isHeldByRow, isOfFile, isOfRow, isRewritten } from "./order-of-row.ts";
import type { EqualOperation, FileFacts, RowPolicy, RowToSend } from "./row-to-send.ts";

/** In this time after an order, an equal one is probably a mistake. */
export const scriptWindowMs = 10 * 60_000;

/** Longer at a terminal, where a person can confirm. */
export const terminalWindowMs = 24 * 3_600_000;

/** The operation that holds the row: one in doubt first. */
export function findBlocker(
  row: RowToSend,
  equal: readonly EqualOperation[],
  file: FileFacts,
  { windowMs, skipShipped, isCovered = () => false }: RowPolicy,
  nowMs: number,
): EqualOperation | undefined {
  const seen = new Map<string, number>();
  const candidates = equal.filter((operation) => {
    if (!isStanding(operation)) return false;
    if (coversRow(operation, row, file)) return true;
    if (isOfCoveredRow(operation.covers, file)) return false;
    const isOfNumbered = row.ref === undefined && operation.ref === undefined && isHeldByRow(operation, file);
    if (!operation.isFormer && !isOfNumbered && isOfRow(operation, file, seen)) return false;
    if (isMade(operation) && isCovered(operation)) return false;
    // One order covers one row, of whatever file and shop. Only a ref that may be this one, rewritten, or that is this
    // one in another shop, as below, may be the same row.
    if (operation.covers)
      return operation.covers.some((each) => each.ref === row.ref || isRewritten(row, each, file));
    // Equal rows of an earlier reading may differ today: a person decides which one was sent.
    if (operation.isFormer) return true;
    const haveRefs = row.ref !== undefined && operation.ref !== undefined;
    // Other refs are other orders. But if a ref was removed from the file while its order is in doubt, it may be this
    // row. So may one that a spreadsheet program wrote in another way. An equal order of another shop with this very ref
    // is the same order, sent without its --shop, rather than a chance.
    if (haveRefs)
      return (
        (!isMade(operation) && isOfFile(operation, file)) ||
        operation.ref === row.ref ||
        isRewritten(row, operation, file)
      );
    if (!isMade(operation) || row.ref === undefined) return true;
    return isOfFile(operation, file) || isRecent(operation, windowMs, nowMs);
  });
  const unheld = skipShipped ? candidates.filter((operation) => !isHeldByRow(operation, file)) : [];
  const free = unheld.findLast(({ isFormer }) => !isFormer) ?? unheld.at(-1);
  return (
    candidates.find((operation) => coversRow(operation, row, file)) ??
    candidates.find((operation) => !isMade(operation)) ??
    free ??
    candidates.at(-1)
  );
}

/** True where the row has counted as shipped by this order. */
export function coversRow(
  { covers }: EqualOperation,
  { ref }: Pick<RowToSend, "ref">,
  { shop }: Pick<FileFacts, "shop">,
): boolean {
  return covers?.some((each) => each.ref === ref && each.shop === shop) === true;
}

/** True where a row of the file has counted as shipped by the order that covers these. */
export function isOfCoveredRow(
  covers: EqualOperation["covers"],
  { hasRef, shop }: Pick<FileFacts, "hasRef" | "shop">,
): boolean {
  return covers?.some((each) => each.shop === shop && hasRef(each.ref)) === true;
}

/**
 * Of equal orders, those that block a single order with this ref at any time, as they would hold a row: with a rewritten
 * ref, or with this ref in a shop.
 */
export function findRewritten(ref: string, equal: readonly Operation[]): readonly Operation[] {
  return equal.filter(
    (each) =>
      each.ref !== undefined &&
      isStanding(each) &&
      (each.ref === ref ? each.shop !== "" : isRewritten({ ref }, each, { shop: "" })),
  );
}

/** An equal order that has another ref, and is of no row of the file. */
export function findLike(
  { ref }: RowToSend,
  equal: readonly EqualOperation[],
  file: FileFacts,
): Operation | undefined {
  if (ref === undefined) return undefined;
  return equal.findLast(
    (each) => each.ref !== undefined && isMade(each) && isStanding(each) && !isOfRow(each, file, new Map()),
  );
}

/** The newest equal order of no row of the file, where a person took it back. Two refs tell that it is another one. */
export function findTakenBack(
  { ref }: RowToSend,
  equal: readonly EqualOperation[],
  file: FileFacts,
): EqualOperation | undefined {
  const newest = equal.findLast(
    (each) =>
      each.state !== "refused" &&
      !(each.ref !== undefined && ref !== undefined) &&
      !isOfRow(each, file, new Map()),
  );
  return newest && isOver(newest) ? newest : undefined;
}

/** An order that was found counts as recent until this is reported, and for a day one whose answer named another order. */
function isRecent(operation: Operation, windowMs: number, nowMs: number): boolean {
  const { isUnreported, isShownAsOther } = operation;
  return isUnreported || isWithin(operation, isShownAsOther ? terminalWindowMs : windowMs, nowMs);
}

function isWithin(operation: Operation, windowMs: number, nowMs: number): boolean {
  // The clock may have been set since: what is within the window by either counts. A time in the future counts as now.
  // An order made elsewhere was never sent from here: it counts from when it was found.
  const { endedAtMs = nowMs, sentAtMs = endedAtMs, sentForMs = windowMs } = operation;
  return nowMs - sentAtMs < windowMs || sentForMs < windowMs;
}

/** The equal orders of a single order without a ref. */
export interface Equals {
  /** In doubt: no flag allows an equal order. */
  readonly inDoubt: readonly Operation[];
  /** Made within the window: `--allow-duplicate` allows an equal order. */
  readonly recent: readonly Operation[];
  /** Made before the window, within a day: gives a warning. */
  readonly earlier: readonly Operation[];
}

export function findEquals(equal: readonly Operation[], windowMs: number, nowMs: number): Equals {
  const live = equal.filter(isStanding);
  const made = live.filter((operation) => isMade(operation));
  return {
    inDoubt: live.filter((operation) => !isMade(operation)),
    recent: made.filter((operation) => isRecent(operation, windowMs, nowMs)),
    earlier: made.filter(
      (operation) => !isRecent(operation, windowMs, nowMs) && isWithin(operation, terminalWindowMs, nowMs),
    ),
  };
}
