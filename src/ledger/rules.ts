/** The rules by which an order is sent or not, as pure functions over what the ledger knows (docs/never-twice.md). */

import type { Draft } from "../model/draft.ts";
import { differingFields } from "../model/same-order.ts";
import { type Allowance, isCancelled, isInDoubt, isMade, type Operation } from "./operation.ts";

/** So soon after an order, an equal one is more likely a mistake than a second parcel. */
export const scriptWindowMs = 10 * 60_000;
/** At a terminal there is somebody who can be asked. */
export const terminalWindowMs = 24 * 3_600_000;

/** A row of an import, as the rules see it. */
export interface RowToSend {
  readonly row: number;
  readonly ref: string | undefined;
  /** Which of the equal rows without a ref it is, from 1, among those that `isTaken` leaves. */
  readonly occurrence: number;
  /** Operations that other rows of the same file are known to have become. */
  readonly isTaken?: ((operation: Operation) => boolean) | undefined;
  readonly content: string;
  readonly draft: Draft;
  /** Parts of the draft that a default gave and not the row itself. */
  readonly defaults: readonly string[];
}

/** What a file says about all of its rows. */
export interface FileFacts {
  /** The numbers of the file in the ledger, which knows it by several when it looks like several earlier ones. */
  readonly files: readonly number[];
  readonly shop: string;
  hasRef(ref: string): boolean;
  /** How many rows without a ref have this content. */
  countOf(content: string): number;
}

export interface RowPolicy {
  /** In which an equal order without a ref holds a row with one. */
  readonly windowMs: number;
  readonly retryRefused: boolean;
  /** Rows that equal an order of another file or command count as shipped. */
  readonly skipShipped: boolean;
  /** With `skipShipped`: orders that another row counts as its own already. One order covers one row. */
  readonly isCovered?: (operation: Operation) => boolean;
  /** Rows whose orders were cancelled are sent once more. */
  readonly resendCancelled: boolean;
  /** An order that equals a row and that this ledger does not know. */
  readonly elsewhere?: ((row: Pick<RowToSend, "row">) => OrderElsewhere | undefined) | undefined;
  /** Rows that were named as second orders. */
  isAllowed(row: Pick<RowToSend, "row" | "ref">): boolean;
}

/** An order that was made on another machine, or on the courier's own website. */
export interface OrderElsewhere {
  readonly orderId: string;
  /** False where something differs that the service may have changed, and where its details could not be read. */
  readonly isCertain: boolean;
}

export type RowDecision =
  /** It is to be sent; `supersedes` is an earlier refusal that it takes the place of. */
  | { readonly kind: "send"; readonly supersedes?: Operation; readonly allowance: Allowance }
  /** It has become this order already. `isElsewhere`: by another file or command. */
  | { readonly kind: "shipped"; readonly operation: Operation; readonly isElsewhere: boolean }
  /** Its order was made from another content; `fields` are those that differ, where it is still known. */
  | {
      readonly kind: "changed";
      readonly operation: Operation;
      readonly fields: readonly string[] | undefined;
    }
  | { readonly kind: "cancelled"; readonly operation: Operation }
  | { readonly kind: "refused"; readonly operation: Operation }
  /** Its own request is in doubt, or another run is at work on it. */
  | { readonly kind: "in_doubt"; readonly operation: Operation }
  /** An equal order stands in its way. */
  | { readonly kind: "held"; readonly operation: Operation }
  /** So does one that this ledger does not know; `isCovered`: the row counts as shipped by it. */
  | ({ readonly kind: "elsewhere"; readonly isCovered: boolean } & OrderElsewhere);

/**
 * Decides about one row. `own` are the operations that the row may have become: of the same ref, or of the same
 * content in the same file; `equal` are all others of the same content.
 */
export function decideRow(
  row: RowToSend,
  { own, equal }: { readonly own: readonly Operation[]; readonly equal: readonly Operation[] },
  file: FileFacts,
  policy: RowPolicy,
  nowMs: number,
): RowDecision {
  const isAllowed = policy.isAllowed(row);
  const operation = row.ref === undefined ? findSlot(row, own, file, policy) : findNamed(own);
  if (operation && operation.state !== "refused") {
    const decision = decideOwn(row, operation);
    // One more order for a row that was named; a second run with the same flag makes no third.
    const repeated = own.findLast(
      (each) => each.allowance !== "none" && each.content === row.content && isStanding(each),
    );
    if (decision.kind === "in_doubt") return decision;
    if (repeated) return isAllowed && repeated.allowance === "extra" ? decideOwn(row, repeated) : decision;
    if (decision.kind !== "cancelled") return isAllowed ? { kind: "send", allowance: "extra" } : decision;
    if (isAllowed) return { kind: "send", allowance: "equal" };
    return policy.resendCancelled ? { kind: "send", allowance: "none" } : decision;
  }
  if (operation && !policy.retryRefused && operation.content === row.content)
    return { kind: "refused", operation };
  const supersedes = operation ? { supersedes: operation } : {};
  const blocker = findBlocker(row, equal, file, policy, nowMs);
  const order = blocker || isAllowed ? undefined : policy.elsewhere?.(row);
  if (order) return { kind: "elsewhere", ...order, isCovered: policy.skipShipped && order.isCertain };
  if (!blocker) return { kind: "send", allowance: "none", ...supersedes };
  if (isMade(blocker) && isAllowed) return { kind: "send", allowance: "equal", ...supersedes };
  if (isMade(blocker) && policy.skipShipped)
    return { kind: "shipped", operation: blocker, isElsewhere: true };
  return { kind: "held", operation: blocker };
}

function decideOwn(row: RowToSend, operation: Operation): RowDecision {
  if (!isMade(operation)) return { kind: "in_doubt", operation };
  if (isCancelled(operation)) return { kind: "cancelled", operation };
  if (operation.content === row.content) return { kind: "shipped", operation, isElsewhere: false };
  const fields = changedFields(row, operation);
  if (fields?.length === 0) return { kind: "shipped", operation, isElsewhere: false };
  return { kind: "changed", operation, fields };
}

/** The fields in which the row itself, without defaults, differs from what was sent; undefined where that is deleted. */
export function changedFields(
  { draft, defaults }: Pick<RowToSend, "draft" | "defaults">,
  sent: Pick<Operation, "draft" | "defaults">,
): readonly string[] | undefined {
  if (sent.draft === undefined) return undefined;
  const given = new Set([...defaults, ...sent.defaults]);
  return differingFields(draft, sent.draft, (part) => !given.has(part));
}

/** Equal rows of one file are as many orders: the n-th is the n-th of those that were made or may have been. */
function findSlot(
  { row, occurrence, content, isTaken = () => false }: RowToSend,
  own: readonly Operation[],
  file: FileFacts,
  policy: RowPolicy,
): Operation | undefined {
  const all = own.filter(({ allowance }) => allowance !== "extra");
  const slots = all.filter((each) => !isTaken(each));
  // A row that was named before, and is named again, is the row that it was: not its equals, which were held.
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
  const slot = [...others.filter(isStanding), ...others.filter(isCancelled), ...refused][rank - 1];
  if (slot) return slot;
  // However the rows are numbered, there are never more orders than rows.
  const standing = all.filter(isStanding);
  return standing.length >= file.countOf(content) ? standing.at(-1) : undefined;
}

/** The newest order of a ref that counts, else a cancelled one, else the newest refusal. */
function findNamed(own: readonly Operation[]): Operation | undefined {
  return (
    own.findLast((each) => isLive(each) && !isCancelled(each)) ??
    own.findLast(isLive) ??
    own.findLast(({ state }) => state === "refused")
  );
}

/** An order was made, or may have been, or is about to be. */
export function isLive(operation: Operation): boolean {
  return isMade(operation) || isInDoubt(operation) || operation.state === "ready";
}

/** It counts as the order of a row. */
function isStanding(operation: Operation): boolean {
  return isLive(operation) && !isCancelled(operation);
}

/** The operation that holds the row: one in doubt first. */
function findBlocker(
  row: RowToSend,
  equal: readonly Operation[],
  file: FileFacts,
  { windowMs, isCovered = () => false }: RowPolicy,
  nowMs: number,
): Operation | undefined {
  const seen = new Map<string, number>();
  const candidates = equal.filter((operation) => {
    if (!isStanding(operation)) return false;
    if (isOfRow(operation, file, seen)) return false;
    if (isMade(operation) && isCovered(operation)) return false;
    const haveRefs = row.ref !== undefined && operation.ref !== undefined;
    // Other refs are other orders. But a ref that is gone from the file while its order is in doubt may be this one.
    if (haveRefs) return !isMade(operation) && isOfFile(operation, file);
    if (!isMade(operation) || row.ref === undefined) return true;
    return isOfFile(operation, file) || isRecent(operation, windowMs, nowMs);
  });
  return candidates.find((operation) => !isMade(operation)) ?? candidates.at(-1);
}

/** True for an operation that another row of the same file has become. */
function isOfRow(operation: Operation, file: FileFacts, seen: Map<string, number>): boolean {
  const { ref, content = "", shop } = operation;
  if (ref !== undefined) return shop === file.shop && file.hasRef(ref);
  if (!isOfFile(operation, file)) return false;
  const rank = (seen.get(content) ?? 0) + 1;
  seen.set(content, rank);
  return rank <= file.countOf(content);
}

export function isOfFile(operation: Operation, { files }: FileFacts): boolean {
  return operation.file !== undefined && files.includes(operation.file);
}

/** What was found without its sender knowing counts as just made until that was told. */
function isRecent(operation: Operation, windowMs: number, nowMs: number): boolean {
  return operation.isUntold || isWithin(operation, windowMs, nowMs);
}

function isWithin(operation: Operation, windowMs: number, nowMs: number): boolean {
  // A clock that was set back makes times of the future: they count as just now.
  return nowMs - (operation.sentAtMs ?? nowMs) < windowMs;
}

/** What stands in the way of a single order that has no ref. */
export interface Equals {
  /** In doubt: no flag lets an equal order pass. */
  readonly inDoubt: readonly Operation[];
  /** Made within the window: `--allow-duplicate` lets an equal order pass. */
  readonly recent: readonly Operation[];
  /** Made before the window, within a day: worth a word. */
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
