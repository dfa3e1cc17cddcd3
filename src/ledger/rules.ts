/** The rules that decide whether an order is sent, as pure functions over the ledger (docs/never-twice.md). */

import { isWrittenAlike } from "../model/same-order.ts";
import { coversRow, findBlocker, findLike, findTakenBack } from "./equal-orders.ts";
import {
  type Allowance,
  isCancelled,
  isMade,
  isOver,
  isStanding,
  isUndone,
  nameOperation,
  type Operation,
} from "./operation.ts";
import {
  changedFields,
  findNamed,
  findOrderInTheWay,
  findRewrittenOver,
  findSlot,
  isHeldByRow,
  isMadeOf,
} from "./order-of-row.ts";
import type {
  EqualOperation,
  FileFacts,
  OrderElsewhere,
  RowName,
  RowPolicy,
  RowToSend,
} from "./row-to-send.ts";
import type { Work } from "./statements.ts";

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
   * this ledger knows and which is not the row's. `own`: the order with the row's values, whose number is beside another
   * row. `holder`: another row that has the number. `isDoubt`: the sheet has the name of an operation in doubt instead, which
   * is not the row's in this ledger.
   */
  | {
      readonly kind: "written";
      readonly isCancelled?: boolean;
      readonly isDoubt?: boolean;
      readonly receiver?: string | undefined;
      readonly number: string;
      readonly isCovered: boolean;
      readonly sent?: Operation | undefined;
      readonly own?: Operation | undefined;
      readonly holder?: RowName | undefined;
    }
  /** An equal order that was not sent from this machine blocks it; `isCovered`: the row counts as shipped by it. */
  | ({ readonly kind: "elsewhere"; readonly isCovered: boolean } & OrderElsewhere);

/** What is known of a row when it is decided about. */
export interface KnownOfRow {
  /** The operations that may belong to the row: with the same ref, or with the same content in the same file. */
  readonly own: readonly Operation[];
  /** All others with the same content. */
  readonly equal: readonly EqualOperation[];
  /** Has the number of the row's cells. */
  readonly numbered?: Operation | undefined;
  /** Finds an order that was not sent from this machine; without it, the policy does. */
  readonly elsewhere?: () => Work<OrderElsewhere | undefined>;
  /** Finds the order that the row may have been before it was edited. */
  readonly edited?: () => Work<Operation | undefined>;
  /** Tells whether the sheet calls the row in doubt by an operation that is not its own here. */
  readonly isInDoubtElsewhere?: () => Work<boolean>;
}

interface Facts extends KnownOfRow {
  readonly row: RowToSend;
  readonly file: FileFacts;
  readonly policy: RowPolicy;
  readonly nowMs: number;
  /** `--allow-duplicate` names the row, and whoever gave it could know what became of it. */
  readonly isAllowed: boolean;
}

/** Decides about one row. */
export function* decideRow(
  row: RowToSend,
  known: KnownOfRow,
  file: FileFacts,
  policy: RowPolicy,
  nowMs: number,
): Work<RowDecision> {
  const isAllowed = policy.isAllowed(row) && policy.wasInDoubt?.(row) !== true;
  const facts = { ...known, row, file, policy, nowMs, isAllowed };
  const operation = findOwn(facts);
  const decision =
    operation && operation.state !== "refused"
      ? yield* decideSent(operation, facts)
      : yield* decideUnsent(operation, facts);
  const isLikeOfDoubt = decision.kind === "elsewhere" && !decision.isCovered && decision.doubt !== undefined;
  const isOpen = decision.kind === "send" || isLikeOfDoubt;
  const former = isOpen && known.edited ? yield* known.edited() : undefined;
  if (isLikeOfDoubt && former && !isMade(former)) return { kind: "held", operation: former, isEdited: true };
  if (decision.kind !== "send") return decision;
  // A flag counts for an order that a person can know of.
  if (former && !(isMade(former) && isAllowed)) return { kind: "held", operation: former, isEdited: true };
  const mark = isAllowed ? undefined : row.markedDoubt;
  if (mark?.isOpen && known.isInDoubtElsewhere && (yield* known.isInDoubtElsewhere()))
    return { kind: "written", number: nameOperation(mark), isCovered: false, isDoubt: true };
  return former ? { ...decision, former } : decision;
}

/** The row's operation, by its place among equal rows, by its ref, or by the number in its cells. */
function findOwn({ row, own, equal, numbered, file, policy, nowMs }: Facts): Operation | undefined {
  const placed =
    row.ref === undefined
      ? findSlot(row, own, numbered, file, policy)
      : (findNamed(own) ?? findRewrittenOver(row, equal, file));
  if (!numbered || !isMadeOf(row, numbered, file)) return placed;
  const isSentAgain = placed !== undefined && isOver(placed) && isStanding(numbered);
  if (placed && placed.state !== "refused" && !isSentAgain) return placed;
  // A cancelled order may have been sent again from another file, and the sheet still has the old number.
  const isReplaced = isCancelled(numbered) && findBlocker(row, equal, file, policy, nowMs) !== undefined;
  return isReplaced ? placed : numbered;
}

/** About a row whose order was made, or may have been. */
function* decideSent(operation: Operation, facts: Facts): Work<RowDecision> {
  const { row, file, policy, isAllowed } = facts;
  const decision = decideOwn(row, operation);
  if (decision.kind === "in_doubt") return decision;
  const isTakenBack = decision.kind === "cancelled" || decision.kind === "undone";
  const repeated = findRepeated(operation, facts);
  if (repeated) {
    // Where the first one is over, the row has this one; of several equal rows it may be another's.
    const isLeft = isTakenBack && file.countOf(row.content) === 1;
    return isLeft || (isAllowed && repeated.allowance === "extra") ? decideOwn(row, repeated) : decision;
  }
  if (isTakenBack)
    return isAllowed ? { kind: "send", allowance: "equal" } : yield* decideTakenBack(decision, facts);
  // Whoever gave the flag did not know of an order that this run has found.
  const isJustFound = policy.foundNow?.has(nameOperation(operation)) === true;
  return isAllowed && !isJustFound ? { kind: "send", allowance: "extra" } : decision;
}

/**
 * A row that a flag names gets one more order; a second run with the same flag sends no third. Of equal rows, one that
 * was sent again leaves the others theirs.
 */
function findRepeated(operation: Operation, { row, own, file }: Facts): Operation | undefined {
  const hasRoom = own.filter(isStanding).length < file.countOf(row.content);
  return own.findLast(
    (each) =>
      (each.allowance === "extra" || (each.allowance === "equal" && (each === operation || !hasRoom))) &&
      each.content === row.content &&
      isStanding(each),
  );
}

/** About a row whose order a person took back: it may have been sent again, on another machine or in another way. */
function* decideTakenBack(decision: RefDecision, facts: Facts): Work<RowDecision> {
  const { row, equal, numbered, file, policy, nowMs } = facts;
  const { number, holder } = numbered ? { number: undefined } : numberOf(row, file);
  if (number !== undefined && holder === undefined) {
    const covering = coverWritten(number, row, policy);
    if (!covering.isCancelled) return { kind: "written", number, ...covering };
  }
  const again = findBlocker(row, equal, file, policy, nowMs);
  if (again) return decideBlocked(again, facts);
  const order = yield* findElsewhere(facts);
  if (order) return { kind: "elsewhere", ...order, isCovered: policy.skipShipped && order.isCertain };
  if (policy.resent?.has(nameOperation(decision.operation)))
    return { kind: "send", allowance: policy.isAllowed(row) ? "equal" : "none" };
  // Its values may be those of an order that replaced the cancelled one.
  const isChanged = decision.kind === "cancelled" && decision.change !== undefined;
  const former = isChanged && facts.edited ? yield* facts.edited() : undefined;
  return former ? { kind: "held", operation: former, isEdited: true } : decision;
}

/** About a row without an order, or whose order was refused. */
function* decideUnsent(refused: Operation | undefined, facts: Facts): Work<RowDecision> {
  const { row, own, equal, numbered, file, policy, nowMs, isAllowed } = facts;
  const blocker = findBlocker(row, equal, file, policy, nowMs);
  if (refused && isRefusedAsIs(refused, facts) && !isShippedNow(refused, blocker, facts))
    return { kind: "refused", operation: refused };
  const supersedes = refused ? { supersedes: refused } : {};
  const sendEqual = { kind: "send", allowance: "equal", ...supersedes } as const;
  const { number, holder } = numberOf(row, file);
  const isOfOther = holder !== undefined || (numbered !== undefined && !isMadeOf(row, numbered, file));
  const inTheWay = refused ? undefined : findOrderInTheWay(row, own, file);
  if (number !== undefined && isOfOther && (!blocker || isMade(blocker)))
    return isAllowed
      ? sendEqual
      : { kind: "written", number, isCovered: false, sent: numbered, own: inTheWay, holder };
  if (blocker) return isMade(blocker) && isAllowed ? sendEqual : decideBlocked(blocker, facts);
  if (inTheWay) return isMade(inTheWay) && isAllowed ? sendEqual : { kind: "held", operation: inTheWay };
  const order = yield* findElsewhere(facts);
  if (order && isAllowed) return sendEqual;
  const covering = number === undefined ? undefined : coverWritten(number, row, policy, order);
  if (order && !(covering?.isCovered && !order.isCertain))
    return { kind: "elsewhere", ...order, isCovered: policy.skipShipped && order.isCertain };
  if (number !== undefined && covering)
    return isAllowed ? sendEqual : { kind: "written", number, ...covering };
  const takenBack = findTakenBack(row, equal, file);
  // The row counted as shipped by this order, as by one of its own.
  if (takenBack && isCancelled(takenBack) && coversRow(takenBack, row, file) && !isAllowed)
    return { kind: "cancelled", operation: takenBack };
  return {
    kind: "send",
    // A flag that names a row which nothing holds, or does not any more, is used up by its one order.
    allowance: policy.isAllowed(row) ? "equal" : "none",
    like: findLike(row, equal, file),
    takenBack,
    ...supersedes,
  };
}

/** True where neither the row nor a flag asks to send again what was refused. */
function isRefusedAsIs(refused: Operation, { row, policy }: Facts): boolean {
  const isUnchanged =
    refused.content === row.content &&
    (refused.draft === undefined || isWrittenAlike(row.draft, refused.draft));
  return isUnchanged && (!policy.retryRefused || policy.refusedNow?.has(nameOperation(refused)) === true);
}

/** About a row that equals an order. */
function decideBlocked(blocker: EqualOperation, { row, file, policy }: Facts): RowDecision {
  const contents = [...(row.formerContents ?? []), ...(row.former ?? []).map(({ content }) => content)];
  const isOfEqual = blocker.isFormer && contents.some((content) => file.countOf(content) > 0);
  const isShipped = coversRow(blocker, row, file) || (policy.skipShipped && !isOfEqual);
  if (isMade(blocker) && isShipped && !isHeldByRow(blocker, file))
    return { kind: "shipped", operation: blocker, isElsewhere: true };
  return { kind: "held", operation: blocker };
}

function* findElsewhere({ row, elsewhere, policy }: Facts): Work<OrderElsewhere | undefined> {
  return elsewhere ? yield* elsewhere() : policy.elsewhere?.(row);
}

/**
 * True where the row has counted as shipped by an equal order, or one was sent after the refusal: from a file of rejects,
 * if nothing tells its row from this one.
 */
function isShippedNow(
  refused: Operation,
  blocker: EqualOperation | undefined,
  { row, file }: Pick<Facts, "row" | "file">,
): boolean {
  if (!blocker) return false;
  if (coversRow(blocker, row, file)) return true;
  return row.ref === undefined && (blocker.sentEvent ?? 0) > (refused.sentEvent ?? Number.POSITIVE_INFINITY);
}

/** The number in the row's cells. */
function numberOf(
  { row, writtenNumbers }: Pick<RowToSend, "row" | "writtenNumbers">,
  { byNumber }: FileFacts,
): { readonly number: string | undefined; readonly holder?: RowName | undefined } {
  return byNumber?.numberOf(row) ?? { number: writtenNumbers?.[0] };
}

/** `possible`: an order that may equal the row. Where it has the number, its receiver may be called otherwise. */
function coverWritten(
  number: string,
  { draft }: Pick<RowToSend, "draft">,
  { skipShipped, isCancelledNumber = () => false, numbersElsewhere, otherReceiver }: RowPolicy,
  possible?: OrderElsewhere,
) {
  const isCancelled = isCancelledNumber(number);
  const isOfPossible = possible && numbersElsewhere?.(possible.orderId).includes(number);
  const receiver = isOfPossible ? undefined : otherReceiver?.(number, draft);
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
