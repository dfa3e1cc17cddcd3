/** Which recorded order is the one of a row. */

import type { DraftParty } from "../model/draft.ts";
import { contentsOf, differingFields } from "../model/same-order.ts";
import {
  isCancelled,
  isLive,
  isOver,
  isStanding,
  isUndone,
  nameOperation,
  type Operation,
} from "./operation.ts";
import { isRewrittenRef } from "./rewritten-ref.ts";
import type { EqualOperation, FileFacts, RowPolicy, RowToSend } from "./row-to-send.ts";

/** Each of the equal rows of a file is one order: the n-th row is the n-th order that was made, or may have been. */
export function findSlot(
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
  // One that was undone may have been sent again, and leaves its row to one that was cancelled by itself.
  const isOfUndone = (each: Operation) => isUndone(each) || policy.undone?.has(nameOperation(each)) === true;
  const over = others.filter(isOver);
  const takenBack = [...over.filter((each) => !isOfUndone(each)), ...over.filter(isOfUndone)];
  const places = [...others.filter(isStanding), ...takenBack, ...refused];
  if (places[rank - 1]) return places[rank - 1];
  // There are never more orders than rows, however the rows are numbered: a row may have one that a flag named.
  const isFull = all.filter(isStanding).length >= file.countOf(content);
  return isFull ? named[occurrence - 1 - (rank < 1 ? 0 : places.length)] : undefined;
}

/** The order that leaves no room for one more, as equal rows have as many as they are: one that no row has, if any. */
export function findOrderInTheWay(
  { row, ref, content }: RowToSend,
  own: readonly Operation[],
  file: FileFacts,
): Operation | undefined {
  const standing = own.filter((each) => each.allowance !== "extra" && isStanding(each));
  if (ref !== undefined || standing.length < file.countOf(content)) return undefined;
  return (
    standing.find((each) => isWrittenBeside(each, row, file) && !isHeldByRow(each, file)) ?? standing.at(-1)
  );
}

/** True where the order that has the row's number was made of this row. */
export function isMadeOf(row: RowToSend, operation: Operation, file: FileFacts): boolean {
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
export function isHeldByRow(operation: Operation, { byNumber }: FileFacts): boolean {
  return byNumber?.holderOf(operation) !== undefined;
}

/** The newest live order of a ref, else one that is cancelled or undone, else the newest refusal. */
export function findNamed(own: readonly Operation[]): Operation | undefined {
  return (
    own.findLast((each) => isLive(each) && !isCancelled(each)) ??
    own.findLast(isOver) ??
    own.findLast(({ state }) => state === "refused")
  );
}

/** An order with a rewritten form of the row's ref that a person took back. */
export function findRewrittenOver(
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

/** True for an operation that belongs to another row of the same file. */
export function isOfRow(operation: Operation, file: FileFacts, seen: Map<string, number>): boolean {
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

/** What a row without a ref or a sender was recorded as by earlier runs of its file, which had another default sender. */
export function contentsBefore(
  { ref, draft, formerDrafts = [], defaults, content }: RowToSend,
  { senders }: Pick<FileFacts, "senders">,
): readonly string[] {
  if (!senders || ref !== undefined || !defaults.includes("sender")) return [];
  const drafts = [draft, ...formerDrafts];
  const before = senders.before.flatMap((sender) =>
    drafts.map((each) => contentsOf({ ...each, sender }).content),
  );
  return before.filter((each) => each !== content);
}

/** The content that the operation's row has with the default sender of today. */
export function contentToday(
  { ref, content, draft, defaults, file }: Pick<Operation, "ref" | "content" | "draft" | "defaults" | "file">,
  { files, senders }: Pick<FileFacts, "files" | "senders">,
): string | undefined {
  const isDefault = ref === undefined && defaults.includes("sender") && isOfFile({ file }, { files });
  return senders && draft && isDefault ? contentsOf({ ...draft, sender: senders.today }).content : content;
}

export function isRewritten(
  { ref = "", otherNumbers = [] }: Pick<RowToSend, "ref" | "otherNumbers">,
  operation: Pick<Operation, "ref" | "shop">,
  { shop }: Pick<FileFacts, "shop">,
): boolean {
  const { ref: sent = "" } = operation;
  return operation.shop === shop && (otherNumbers.includes(sent) || isRewrittenRef(ref, sent));
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
