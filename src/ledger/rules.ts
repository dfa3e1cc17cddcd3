/** The rules that decide whether an order is sent, as pure functions over the ledger (docs/never-twice.md). */

import type { Draft, DraftParty } from "../model/draft.ts";
import { differingFields, isWrittenAlike } from "../model/same-order.ts";
import {
  type Allowance,
  isCancelled,
  isInDoubt,
  isMade,
  isUndone,
  nameOperation,
  type Operation,
  type OperationName,
  type OrderFacts,
} from "./operation.ts";
import { isRewrittenRef } from "./rewritten-ref.ts";
import type { Work } from "./statements.ts";

/** In this time after an order, an equal one is probably a mistake. */
export const scriptWindowMs = 10 * 60_000;
/** Longer at a terminal, where a person can confirm. */
export const terminalWindowMs = 24 * 3_600_000;

/** What an earlier version of courier read of a row: the same row, in other words. */
export interface FormerIdentity {
  readonly ref: string | undefined;
  readonly content: string;
}

/** A row of an import. */
export interface RowToSend {
  readonly row: number;
  readonly ref: string | undefined;
  /** Its number among equal rows without a ref, from 1, without the operations that `isTaken`. */
  readonly occurrence: number;
  /** True for operations that belong to other rows of the same file. */
  readonly isTaken?: ((operation: Operation) => boolean) | undefined;
  readonly content: string;
  /** What earlier versions recorded of the same data, where that is another text. */
  readonly formerContent?: string | undefined;
  readonly former?: FormerIdentity;
  readonly draft: Draft;
  /** Parts of the draft that come from a default, not from the row. */
  readonly defaults: readonly string[];
  /** The tracking and order numbers that an earlier write-back wrote into the sheet. */
  readonly writtenNumbers?: readonly string[] | undefined;
  /** The operation in doubt that an earlier write-back named beside the row. */
  readonly markedDoubt?: OperationName | undefined;
  readonly below?: OrderAbove | undefined;
}

/** The order with a ref that is directly above a row without one. */
export interface OrderAbove {
  readonly ref: string;
  readonly content: string;
}

/**
 * The version of what an import makes of a row's cells, recorded with its operation; those of version 1 have none.
 * import/former-reading.ts has the earlier ones.
 */
export const readingVersion = 2;

/** `isFormer`: without a ref, only what an earlier version read tells that it may be the row's. */
export type EqualOperation = Operation & { readonly isFormer?: boolean };

/** An operation with the identity that the row has today, where an earlier version read the row in another way. */
export function asReadToday(
  operation: Operation,
  { ref, content, formerContent, former }: RowToSend,
): EqualOperation {
  if (formerContent !== undefined && operation.content === formerContent) return { ...operation, content };
  if (!former || operation.reading !== undefined) return operation;
  const isContent = operation.content === former.content;
  const isRef = former.ref !== undefined && operation.ref === former.ref;
  if (!isContent && !isRef) return operation;
  return {
    ...operation,
    content: isContent ? content : operation.content,
    ref: isRef ? ref : operation.ref,
    isFormer: former.ref === undefined && operation.ref === undefined,
  };
}

/** Facts about all rows of a file. */
export interface FileFacts {
  /** The numbers of the file in the ledger: several where it matches several earlier files. */
  readonly files: readonly number[];
  readonly shop: string;
  hasRef(ref: string): boolean;
  /** How many rows without a ref have this content. */
  countOf(content: string): number;
  /** What the numbers in the cells of rows tell; undefined where no row has one. */
  readonly byNumber?: RowsByNumber | undefined;
}

/** A row that has the number of an order with its ref or content has that order, wherever it is in the sheet. */
export interface RowsByNumber {
  /** The name of the row's operation. */
  operationOf(row: number): string | undefined;
  /** The row that has the operation's order. */
  holderOf(operation: OperationName): RowName | undefined;
  /** The number in the row's cells. */
  numberOf(row: number): RowNumber | undefined;
  /** The first row that has the number in its cells. */
  rowOf(number: string): number | undefined;
  /** How many rows without a ref that have their operations by number, and this content, are above the row. */
  countBefore(row: Pick<RowToSend, "row" | "content">): number;
  /** The same for rows with other numbers: the orders of this ledger belong to their equal rows first. */
  foreignBefore(row: Pick<RowToSend, "row" | "content">): number;
  /** True for a row without a ref, with numbers none of which is known to be its own. */
  isForeign(row: Pick<RowToSend, "row" | "content">): boolean;
  /** How many rows without a ref and without any number have this content, of so many in all. */
  countPlain(content: string, all: number): number;
}

/** How a row is named: by its number, or the numbers of an order's rows. */
export interface RowName {
  readonly row: number;
  readonly rows?: readonly number[] | undefined;
  readonly ref: string | undefined;
}

/** The order whose number a row has in its cells. */
export interface RowNumber {
  readonly number: string;
  /** The create of the order that has this number, where this ledger knows one. */
  readonly operation?: OperationName | undefined;
  /** Another row that has the number, too: the order counts for that one. */
  readonly holder?: RowName | undefined;
}

export interface RowPolicy {
  /** The time in which an equal order without a ref holds a row with one. */
  readonly windowMs: number;
  /** Rows that earlier runs sent, and that were refused, are sent again. */
  readonly retryRefused: boolean;
  /** The names of operations of this run that were refused: a flag does not send them once more. */
  readonly refusedNow?: Pick<ReadonlySet<string>, "has"> | undefined;
  /** Rows that equal an order of another file or command, or have the number of an order, count as shipped. */
  readonly skipShipped: boolean;
  /** With `skipShipped`: orders that cover another row already. One order covers one row. */
  readonly isCovered?: (operation: Operation) => boolean;
  /** Rows whose orders were cancelled are sent again. */
  readonly resendCancelled: boolean;
  /** An equal order that was not sent from this machine. */
  readonly elsewhere?:
    | ((
        row: Pick<RowToSend, "content">,
        isTaken?: (orderId: string) => boolean,
      ) => OrderElsewhere | undefined)
    | undefined;
  /** True for an order in the list of this run that is another one than the row's: another name alone does not say so. */
  readonly isRuledOut?: ((row: Pick<RowToSend, "draft">, orderId: string) => boolean) | undefined;
  /** The numbers of an order elsewhere, where a list has shown it. */
  readonly numbersElsewhere?: ((orderId: string) => readonly string[]) | undefined;
  /** True for the number of an order that the service's list calls cancelled. */
  readonly isCancelledNumber?: ((number: string) => boolean) | undefined;
  /** The receiver whom the service's list shows for the order with a number, where it is another than the row's. */
  readonly otherReceiver?: ((number: string, draft: Draft) => string | undefined) | undefined;
  /** Of the orders elsewhere, those that cover another row already. */
  readonly isTaken?: (orderId: string) => boolean;
  /** The order that a row may be, which was edited after a program had rewritten its ref. */
  readonly rewritten?: ((row: Pick<RowToSend, "ref" | "draft">) => Operation | undefined) | undefined;
  /** Operations that were in doubt when this run began, and whose orders it found. */
  readonly foundNow?: ReadonlySet<string> | undefined;
  /** True for rows that `--allow-duplicate` names. */
  isAllowed(row: Pick<RowToSend, "row" | "ref">): boolean;
}

/** An order that was made on another machine, or on the courier's website. */
export interface OrderElsewhere {
  readonly orderId: string;
  /** False where a field differs that the service may have changed, or where its details could not be read. */
  readonly isCertain: boolean;
  /** All that was sent is shown, and the same. */
  readonly isWhole?: boolean;
  /** As its details show it, where they were read. */
  readonly order?: OrderFacts | undefined;
  readonly orderState?: string | undefined;
}

export type RowDecision =
  /**
   * To be sent; `supersedes` is an earlier refusal that it replaces, `like` an equal order with another ref, `takenBack` an
   * equal one that a person took back, `former` the order that the row may have been before it was edited.
   */
  | {
      readonly kind: "send";
      readonly supersedes?: Operation;
      readonly like?: Operation | undefined;
      readonly takenBack?: Operation | undefined;
      readonly former?: Operation;
      readonly allowance: Allowance;
    }
  /** Already created. `isElsewhere`: by another file or command. */
  | { readonly kind: "shipped"; readonly operation: Operation; readonly isElsewhere: boolean }
  /** Its order has other content; `fields` differ, where the content is still known. */
  | {
      readonly kind: "changed";
      readonly operation: Operation;
      readonly fields: readonly string[] | undefined;
    }
  /** `change`: the order had other content, as in `changed`. */
  | {
      readonly kind: "cancelled";
      readonly operation: Operation;
      readonly change?: { readonly fields: readonly string[] | undefined };
    }
  /** Its run was undone while it was in doubt, and no order was made. */
  | { readonly kind: "undone"; readonly operation: Operation }
  | { readonly kind: "refused"; readonly operation: Operation }
  /** Its own request is in doubt, or another run is sending it. */
  | { readonly kind: "in_doubt"; readonly operation: Operation }
  /** An equal order blocks it. `isEdited`: an order of a row that is gone, and that this row may be, edited. */
  | { readonly kind: "held"; readonly operation: Operation; readonly isEdited?: boolean }
  /**
   * The sheet has the number of an order beside it. `isCovered`: the row counts as shipped. `isCancelled`: the service
   * calls that order cancelled. `receiver`: it shows that order for another receiver. `sent`: the order, which
   * this ledger knows and which is not the row's. `holder`: another row that has the number.
   */
  | {
      readonly kind: "written";
      readonly isCancelled?: boolean;
      readonly receiver?: string | undefined;
      readonly number: string;
      readonly isCovered: boolean;
      readonly sent?: Operation | undefined;
      readonly holder?: RowName | undefined;
    }
  /** An equal order that was not sent from this machine blocks it; `isCovered`: the row counts as shipped by it. */
  | ({ readonly kind: "elsewhere"; readonly isCovered: boolean } & OrderElsewhere);

/**
 * Decides about one row. `own` are the operations that may belong to the row: with the same ref, or with the same
 * content in the same file. `equal` are all others with the same content. `numbered` has the number of the row's cells.
 * `edited` finds the order that the row may have been before it was edited, `elsewhere` an order that was not sent from
 * this machine; without it, the policy does.
 */
export function* decideRow(
  row: RowToSend,
  known: KnownOfRow & { readonly edited?: () => Work<Operation | undefined> },
  file: FileFacts,
  policy: RowPolicy,
  nowMs: number,
): Work<RowDecision> {
  const decision = yield* decideUnedited(row, known, file, policy, nowMs);
  const former = decision.kind === "send" && known.edited ? yield* known.edited() : undefined;
  if (decision.kind !== "send" || !former) return decision;
  // A flag counts for an order that a person can know of.
  return isMade(former) && policy.isAllowed(row)
    ? { ...decision, former }
    : { kind: "held", operation: former, isEdited: true };
}

interface KnownOfRow {
  readonly own: readonly Operation[];
  readonly equal: readonly EqualOperation[];
  readonly numbered?: Operation | undefined;
  readonly elsewhere?: () => Work<OrderElsewhere | undefined>;
}

function* decideUnedited(
  row: RowToSend,
  { own, equal, numbered, elsewhere }: KnownOfRow,
  file: FileFacts,
  policy: RowPolicy,
  nowMs: number,
): Work<RowDecision> {
  const isAllowed = policy.isAllowed(row);
  const placed =
    row.ref === undefined
      ? findSlot(row, own, numbered, file, policy)
      : (findNamed(own) ?? findRewrittenOver(row, equal, file));
  const isSentAgain =
    placed !== undefined && isOver(placed) && numbered !== undefined && isStanding(numbered);
  const isUnplaced = !placed || placed.state === "refused" || isSentAgain;
  const isOfNumber = numbered !== undefined && isMadeOf(row, numbered, file);
  // A cancelled order may have been sent again from another file, and the sheet still has the old number.
  const isReplaced = () => numbered && isCancelled(numbered) && findBlocker(row, equal, file, policy, nowMs);
  const operation = isUnplaced && isOfNumber && !isReplaced() ? numbered : placed;
  if (operation && operation.state !== "refused") {
    const decision = decideOwn(row, operation);
    // A row that a flag names gets one more order; a second run with the same flag sends no third.
    // Of equal rows, one that was sent again leaves the others theirs.
    const hasRoom = own.filter(isStanding).length < file.countOf(row.content);
    const repeated = own.findLast(
      (each) =>
        (each.allowance === "extra" || (each.allowance === "equal" && (each === operation || !hasRoom))) &&
        each.content === row.content &&
        isStanding(each),
    );
    if (decision.kind === "in_doubt") return decision;
    // Where the first one is over, the row has this one; of several equal rows it may be another's.
    const isLeft = ["cancelled", "undone"].includes(decision.kind) && file.countOf(row.content) === 1;
    if (repeated)
      return isLeft || (isAllowed && repeated.allowance === "extra") ? decideOwn(row, repeated) : decision;
    // Whoever gave the flag did not know of an order that this run has found.
    const isJustFound = policy.foundNow?.has(nameOperation(operation)) === true;
    if (decision.kind !== "cancelled" && decision.kind !== "undone")
      return isAllowed && !isJustFound ? { kind: "send", allowance: "extra" } : decision;
    if (isAllowed) return { kind: "send", allowance: "equal" };
    // Another machine may have sent it again, and have written the number of that order.
    const unknown = numbered ? undefined : numberOf(row, file);
    const covering = unknown?.number === undefined ? undefined : coverWritten(unknown.number, row, policy);
    if (unknown?.number !== undefined && unknown.holder === undefined && covering && !covering.isCancelled)
      return { kind: "written", number: unknown.number, ...covering };
    // It may have been sent again in another way.
    const again = findBlocker(row, equal, file, policy, nowMs);
    if (again) return { kind: "held", operation: again };
    const order = elsewhere ? yield* elsewhere() : policy.elsewhere?.(row);
    if (order) return { kind: "elsewhere", ...order, isCovered: policy.skipShipped && order.isCertain };
    return policy.resendCancelled ? { kind: "send", allowance: "none" } : decision;
  }
  const isRefusedNow = operation !== undefined && policy.refusedNow?.has(nameOperation(operation));
  const blocker = findBlocker(row, equal, file, policy, nowMs);
  const isUnchanged =
    operation?.content === row.content &&
    (operation.draft === undefined || isWrittenAlike(row.draft, operation.draft));
  const isRefused = isUnchanged && (!policy.retryRefused || isRefusedNow);
  if (isRefused && !isSentSince(row, operation, blocker)) return { kind: "refused", operation };
  const supersedes = operation ? { supersedes: operation } : {};
  const { number, holder } = numberOf(row, file);
  const isOfOther = holder !== undefined || (numbered !== undefined && !isOfNumber);
  if (number !== undefined && isOfOther && (!blocker || isMade(blocker)))
    return isAllowed
      ? { kind: "send", allowance: "equal", ...supersedes }
      : { kind: "written", number, isCovered: false, sent: numbered, holder };
  const order = blocker ? undefined : elsewhere ? yield* elsewhere() : policy.elsewhere?.(row);
  if (order && isAllowed) return { kind: "send", allowance: "equal", ...supersedes };
  const covering = number === undefined ? undefined : coverWritten(number, row, policy, order);
  if (order && !(covering?.isCovered && !order.isCertain))
    return { kind: "elsewhere", ...order, isCovered: policy.skipShipped && order.isCertain };
  if (!blocker && number !== undefined && covering)
    return isAllowed
      ? { kind: "send", allowance: "equal", ...supersedes }
      : { kind: "written", number, ...covering };
  // A flag that names a row which nothing holds is used up by its one order.
  if (!blocker)
    return {
      kind: "send",
      allowance: isAllowed ? "equal" : "none",
      like: findLike(row, equal, file),
      takenBack: findTakenBack(row, equal, file),
      ...supersedes,
    };
  if (isMade(blocker) && isAllowed) return { kind: "send", allowance: "equal", ...supersedes };
  const isOfEqual = blocker.isFormer && file.countOf(row.former?.content ?? "") > 0;
  if (isMade(blocker) && policy.skipShipped && !isOfEqual && !isHeldByRow(blocker, file))
    return { kind: "shipped", operation: blocker, isElsewhere: true };
  return { kind: "held", operation: blocker };
}

/** True where an equal order was sent after the refusal: from a file of rejects, if nothing tells its row from this one. */
function isSentSince({ ref }: RowToSend, refused: Operation, blocker: EqualOperation | undefined): boolean {
  return ref === undefined && (blocker?.sentEvent ?? 0) > (refused.sentEvent ?? Number.POSITIVE_INFINITY);
}

/** The number in the row's cells. */
function numberOf(
  { row, writtenNumbers }: Pick<RowToSend, "row" | "writtenNumbers">,
  { byNumber }: FileFacts,
): { readonly number: string | undefined; readonly holder?: RowName | undefined } {
  return byNumber?.numberOf(row) ?? { number: writtenNumbers?.[0] };
}

/** `possible`: an order that may equal the row, whatever its receiver is called. */
function coverWritten(
  number: string,
  { draft }: Pick<RowToSend, "draft">,
  { skipShipped, isCancelledNumber = () => false, otherReceiver }: RowPolicy,
  possible?: OrderElsewhere,
) {
  const isCancelled = isCancelledNumber(number);
  const receiver = possible ? undefined : otherReceiver?.(number, draft);
  return { isCovered: skipShipped && !isCancelled && receiver === undefined, isCancelled, receiver };
}

/** Why an order with a ref is not sent again. */
export type RefDecision = Extract<
  RowDecision,
  { readonly kind: "shipped" | "changed" | "cancelled" | "undone" | "in_doubt" }
>;

/** Decides about a single order by its ref alone. `named` has that ref. Undefined where it may be sent. */
export function decideRef(
  { content, draft }: Pick<RowToSend, "content" | "draft">,
  named: readonly Operation[],
): RefDecision | undefined {
  const operation = findNamed(named);
  if (!operation || operation.state === "refused") return undefined;
  return decideOwn({ content, draft, defaults: [] }, operation);
}

function decideOwn(
  row: Pick<RowToSend, "content" | "draft" | "defaults">,
  operation: Operation,
): RefDecision {
  if (isUndone(operation)) return { kind: "undone", operation };
  if (!isMade(operation)) return { kind: "in_doubt", operation };
  const fields = operation.content === row.content ? [] : changedFields(row, operation);
  const isSame = fields?.length === 0;
  if (isCancelled(operation))
    return { kind: "cancelled", operation, ...(isSame ? {} : { change: { fields } }) };
  return isSame ? { kind: "shipped", operation, isElsewhere: false } : { kind: "changed", operation, fields };
}

/** The fields in which the row, without defaults, differs from the sent data; undefined after that was deleted. */
export function changedFields(
  { draft, defaults }: Pick<RowToSend, "draft" | "defaults">,
  sent: Pick<Operation, "draft" | "defaults">,
): readonly string[] | undefined {
  if (sent.draft === undefined) return undefined;
  const given = new Set([...defaults, ...sent.defaults]);
  return differingFields(draft, sent.draft, (part) => !given.has(part));
}

/** Each of the equal rows of a file is one order: the n-th row is the n-th order that was made, or may have been. */
function findSlot(
  { row, occurrence, content, isTaken = () => false }: RowToSend,
  own: readonly Operation[],
  numbered: Operation | undefined,
  file: FileFacts,
  policy: RowPolicy,
): Operation | undefined {
  const all = own.filter(({ allowance }) => allowance !== "extra");
  const isByNumber = numbered && file.byNumber?.operationOf(row) === nameOperation(numbered);
  if (isByNumber) return numbered;
  const slots = all.filter(
    (each) => !isTaken(each) && !isHeldByRow(each, file) && !isWrittenBeside(each, row, file),
  );
  // A row that a flag names again keeps its operation. Its equal rows, which were held, do not get it.
  const isNamed = (each: Operation) =>
    each.allowance === "equal" &&
    each.row !== undefined &&
    isStanding(each) &&
    policy.isAllowed({ row: each.row, ref: undefined });
  const named = slots.filter(isNamed);
  const itself = named.find((each) => each.row === row);
  if (itself) return itself;
  const others = slots.filter((each) => !named.includes(each));
  const refused = others.filter(({ state }) => state === "refused");
  const rank = occurrence - named.filter((each) => (each.row ?? 0) < row).length;
  const slot = [...others.filter(isStanding), ...others.filter(isOver), ...refused][rank - 1];
  if (slot) return slot;
  // There are never more orders than rows, however the rows are numbered.
  const standing = all.filter(isStanding);
  return standing.length >= file.countOf(content) ? standing.at(-1) : undefined;
}

/** True where the order that has the row's number was made of this row. */
function isMadeOf(row: RowToSend, operation: Operation, file: FileFacts): boolean {
  if (file.byNumber?.numberOf(row.row)?.holder || !canHaveRef(row.ref, operation, file)) return false;
  return operation.content === row.content || changedFields(row, operation)?.length === 0;
}

/** False where an order was sent with another row's ref. */
export function canHaveRef(
  ref: string | undefined,
  { ref: sent }: Pick<Operation, "ref">,
  { hasRef }: Pick<FileFacts, "hasRef">,
): boolean {
  if (sent === undefined || sent === ref) return true;
  return !hasRef(sent) && (ref === undefined || isRewrittenRef(ref, sent));
}

/** True where another row has a number of the operation's order, which this run may have recorded just now. */
function isWrittenBeside({ order }: Operation, row: number, { byNumber }: FileFacts): boolean {
  return [order?.tracking_number, order?.order_no].some((number) => {
    const holder = number ? byNumber?.rowOf(number) : undefined;
    return holder !== undefined && holder !== row;
  });
}

/** True where a row of the file has the number of the operation's order. */
function isHeldByRow(operation: Operation, { byNumber }: FileFacts): boolean {
  return byNumber?.holderOf(operation) !== undefined;
}

/** The newest live order of a ref, else one that is cancelled or undone, else the newest refusal. */
function findNamed(own: readonly Operation[]): Operation | undefined {
  return (
    own.findLast((each) => isLive(each) && !isCancelled(each)) ??
    own.findLast(isOver) ??
    own.findLast(({ state }) => state === "refused")
  );
}

/** True for an order that a person took back. */
function isOver(operation: Operation): boolean {
  return isCancelled(operation) || isUndone(operation);
}

/** True where an order was made, or may have been made, or is about to be sent. */
export function isLive(operation: Operation): boolean {
  return isMade(operation) || isInDoubt(operation) || operation.state === "ready";
}

/** True for a live order that is not cancelled. */
export function isStanding(operation: Operation): boolean {
  return isLive(operation) && !isCancelled(operation);
}

/** The operation that holds the row: one in doubt first. */
function findBlocker(
  row: RowToSend,
  equal: readonly EqualOperation[],
  file: FileFacts,
  { windowMs, skipShipped, isCovered = () => false }: RowPolicy,
  nowMs: number,
): EqualOperation | undefined {
  const seen = new Map<string, number>();
  const candidates = equal.filter((operation) => {
    if (!isStanding(operation)) return false;
    const isOfNumbered = row.ref === undefined && operation.ref === undefined && isHeldByRow(operation, file);
    if (!operation.isFormer && !isOfNumbered && isOfRow(operation, file, seen)) return false;
    if (isMade(operation) && isCovered(operation)) return false;
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
  const free = skipShipped ? candidates.findLast((operation) => !isHeldByRow(operation, file)) : undefined;
  return candidates.find((operation) => !isMade(operation)) ?? free ?? candidates.at(-1);
}

function isRewritten(
  { ref = "" }: Pick<RowToSend, "ref">,
  operation: Operation,
  { shop }: Pick<FileFacts, "shop">,
): boolean {
  return operation.shop === shop && isRewrittenRef(ref, operation.ref ?? "");
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

/** An order with a rewritten form of the row's ref that a person took back. */
function findRewrittenOver(
  row: RowToSend,
  equal: readonly EqualOperation[],
  file: FileFacts,
): Operation | undefined {
  return equal.findLast(
    (each) =>
      each.ref !== undefined &&
      each.ref !== row.ref &&
      isOver(each) &&
      isRewritten(row, each, file) &&
      !isOfRow(each, file, new Map()),
  );
}

/** An equal order that has another ref, and is of no row of the file. */
function findLike(
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
function findTakenBack(
  { ref }: RowToSend,
  equal: readonly EqualOperation[],
  file: FileFacts,
): Operation | undefined {
  const newest = equal.findLast(
    (each) =>
      each.state !== "refused" &&
      !(each.ref !== undefined && ref !== undefined) &&
      !isOfRow(each, file, new Map()),
  );
  return newest && isOver(newest) ? newest : undefined;
}

/**
 * True where the row may be an edited form of the operation's row. Of two files that share no row, and of single orders,
 * one field of the receiver alone tells too little.
 */
export function mayBeEdited(
  { row, ref, draft }: Pick<RowToSend, "ref" | "draft"> & { readonly row?: number },
  operation: Operation,
  isSameFile: boolean,
): boolean {
  const receiver = draft.receiver ?? {};
  const differing = new Set(
    differingFields({ receiver }, { receiver: operation.draft?.receiver ?? {} }, () => true),
  );
  const isSame = (field: keyof DraftParty) =>
    receiver[field] !== undefined && !differing.has(`receiver.${field}`);
  if (isSame("phone") && (isSameFile || isSame("name"))) return true;
  const address = ["province", "city", "district", "detail"] as const;
  if (isSame("detail") && !address.some((field) => differing.has(`receiver.${field}`))) return true;
  // Of two refs that differ, the place alone tells nothing: a file of another day may have its path.
  const haveRefs = ref !== undefined && operation.ref !== undefined;
  return isSameFile && operation.row === row && (!haveRefs || isSame("name"));
}

/** True for an operation that belongs to another row of the same file. */
function isOfRow(operation: Operation, file: FileFacts, seen: Map<string, number>): boolean {
  const { ref, content = "", shop } = operation;
  if (ref !== undefined) return shop === file.shop && file.hasRef(ref);
  if (!isOfFile(operation, file)) return false;
  const rank = (seen.get(content) ?? 0) + 1;
  seen.set(content, rank);
  return rank <= file.countOf(content);
}

export function isOfFile(operation: Pick<Operation, "file">, { files }: Pick<FileFacts, "files">): boolean {
  return operation.file !== undefined && files.includes(operation.file);
}

/** An order that was found counts as recent until this is reported. */
function isRecent(operation: Operation, windowMs: number, nowMs: number): boolean {
  return operation.isUnreported || isWithin(operation, windowMs, nowMs);
}

function isWithin(operation: Operation, windowMs: number, nowMs: number): boolean {
  // The clock may have been set since: what is within the window by either counts. A time in the future counts as now.
  const { sentAtMs = nowMs, sentForMs = windowMs } = operation;
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
