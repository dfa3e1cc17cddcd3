/**
 * The rules by which creates in doubt are settled, as a pure function (docs/never-twice.md): an order is found, or it
 * is known that none was made, or it is still in doubt.
 */

import type { Loss } from "../ledger/operation.ts";
import type { OrderDetail } from "../model/interface.ts";
import {
  type Comparison,
  differsUnexplained,
  type FieldKnowledge,
  isExact,
  isOtherOrder,
} from "./matching.ts";

/** An order is made no later than this after its request has ended. */
export const latestMadeMs: Readonly<Record<Loss, number>> = { broken: 2_000, timeout: 60_000 };
/** An order is in the list no later than this after it was made, as long as the service's own delay is not known. */
const unknownDelayMs = 15 * 60_000;
const leastDelayMs = 10_000;
const delayFactor = 10;
const unknownFactor = 2;

/** What the ledger has learned of how late own orders came into view. */
export interface ListDelay {
  /** So soon after they were made enough own orders were in a list; undefined while they are too few. */
  readonly shownMs: number | undefined;
  /** The longest time after which one was not. */
  readonly missingMs: number;
}

/** How long after it was made an order may be missing in the list. */
export function latestListedMs({ shownMs, missingMs }: ListDelay): number {
  if (shownMs === undefined) return Math.max(unknownDelayMs, unknownFactor * missingMs);
  return Math.max(leastDelayMs, Math.min(unknownDelayMs, delayFactor * shownMs), delayFactor * missingMs);
}

/** A create that may or may not have become an order. */
export interface DoubtfulCreate {
  readonly name: string;
  /** Equal for equal orders. */
  readonly content: string;
  /** When its request left and ended, in the ledger's order of events. */
  readonly sentEvent: number;
  /** Undefined while it is being sent. */
  readonly ended: { readonly event: number; readonly atMs: number; readonly loss: Loss } | undefined;
  /** When the first complete listing began that had no candidate for it. */
  readonly firstLookMs: number | undefined;
  /** The service said no in a way that is checked once. */
  readonly isRefused: boolean;
}

/** An order in the list that no operation of the ledger has become. */
export interface UnownedOrder {
  readonly id: string;
  /** Undefined where it could not be read. */
  readonly detail: OrderDetail | undefined;
  /** The event of the listing that showed it first. */
  readonly firstSeenEvent: number;
  compare(create: DoubtfulCreate): Comparison;
  /** True where it is shown to have been made after the request left. */
  isNew(create: DoubtfulCreate): boolean;
  /** True where its time stamp is older than the request, by more than stamps are known to be off. */
  isStampedBefore(create: DoubtfulCreate): boolean;
}

/** One complete listing, and what is known besides. */
export interface Evidence {
  readonly beganMs: number;
  readonly orders: readonly UnownedOrder[];
  /** What the service is known to do with fields of such values as this create has. */
  fieldsFor(create: DoubtfulCreate): FieldKnowledge;
  /** The own order in the list whose request left last: when, and at which event. */
  readonly newestOwn: { readonly sentEvent: number; readonly sentMs: number } | undefined;
  readonly latestListedMs: number;
  /** The longest time after which an own order was seen to be missing in the list. */
  readonly missingMs: number;
}

export type Finding =
  | { readonly kind: "found"; readonly create: DoubtfulCreate; readonly order: OrderDetail }
  /** It is known that no order was made. */
  | { readonly kind: "absent"; readonly create: DoubtfulCreate }
  /** No order is it so far. A look may say more at `untilMs`, and says all at `provedMs`. */
  | {
      readonly kind: "early";
      readonly create: DoubtfulCreate;
      readonly untilMs: number;
      readonly provedMs: number;
    }
  /** These orders may be it. */
  | { readonly kind: "unclear"; readonly create: DoubtfulCreate; readonly candidates: readonly string[] };

/** Creates of equal content: which order is whose makes no difference. */
interface Group {
  readonly creates: readonly DoubtfulCreate[];
  readonly first: DoubtfulCreate;
  readonly isBeingSent: boolean;
  /** The orders that were taken for it and for no other group. */
  readonly orders: UnownedOrder[];
}

/** What one complete listing says of all creates in doubt. */
export function judge(creates: readonly DoubtfulCreate[], evidence: Evidence): readonly Finding[] {
  const groups = groupByContent(creates);
  const isPossible = (order: UnownedOrder, create: DoubtfulCreate) =>
    order.firstSeenEvent >= create.sentEvent && !isRuledOut(order, create, evidence.fieldsFor(create));
  for (const order of evidence.orders) assign(order, groups, isPossible, evidence);
  const taken = new Map<DoubtfulCreate, UnownedOrder>();
  for (const group of groups) for (const [create, order] of take(group)) taken.set(create, order);
  const gone = new Set([...taken.values()].map(({ id }) => id));
  return creates.flatMap((create): Finding[] => {
    const order = taken.get(create);
    if (order?.detail) return [{ kind: "found", create, order: order.detail }];
    if (!create.ended) return [];
    const candidates = evidence.orders.filter((each) => !gone.has(each.id) && isPossible(each, create));
    if (candidates.length > 0)
      return [{ kind: "unclear", create, candidates: nearestFirst(candidates, create) }];
    return [judgeAbsence(create, create.ended, evidence)];
  });
}

/** A time stamp alone proves nothing: a telling field must differ as well. */
function isRuledOut(order: UnownedOrder, create: DoubtfulCreate, fields: FieldKnowledge): boolean {
  const comparison = order.compare(create);
  if (isOtherOrder(comparison, fields)) return true;
  return differsUnexplained(comparison, fields) && order.isStampedBefore(create);
}

function groupByContent(creates: readonly DoubtfulCreate[]): readonly Group[] {
  const groups = new Map<string, { creates: DoubtfulCreate[]; orders: UnownedOrder[] }>();
  for (const create of creates) {
    const group = groups.get(create.content) ?? { creates: [], orders: [] };
    group.creates.push(create);
    groups.set(create.content, group);
  }
  return [...groups.values()].map(({ creates: all, orders }) => ({
    creates: all,
    first: all[0] as DoubtfulCreate,
    isBeingSent: all.some(({ ended }) => !ended),
    orders,
  }));
}

/** Gives an order to the one group that it fits; to none where it fits several alike. */
function assign(
  order: UnownedOrder,
  groups: readonly Group[],
  isPossible: (order: UnownedOrder, create: DoubtfulCreate) => boolean,
  { fieldsFor }: Evidence,
): void {
  if (!order.detail) return;
  const exact = groups.filter(
    ({ creates, first }) =>
      isExact(order.compare(first), fieldsFor(first)) && creates.some((create) => isPossible(order, create)),
  );
  const [only, other] = exact;
  if (only && !other) only.orders.push(order);
}

/**
 * Of n equal creates, k new orders settle k: the oldest order goes to the oldest create, so that those left are the
 * ones that may still come into view. More orders than creates, or a create that is still being sent, leave open which
 * are whose.
 */
function take({ creates, orders, isBeingSent }: Group): readonly (readonly [DoubtfulCreate, UnownedOrder])[] {
  if (isBeingSent) return [];
  const left = [...creates].sort((a, b) => a.sentEvent - b.sentEvent);
  const oldest = [...orders].sort((a, b) => compareTexts(stampOf(a), stampOf(b)));
  const pairs: (readonly [DoubtfulCreate, UnownedOrder])[] = [];
  for (const order of oldest) {
    const place = left.findIndex((create) => order.firstSeenEvent >= create.sentEvent && order.isNew(create));
    const [create] = place < 0 ? [] : left.splice(place, 1);
    if (create) pairs.push([create, order]);
    else if (creates.some((each) => order.firstSeenEvent >= each.sentEvent && order.isNew(each))) return [];
  }
  return pairs;
}

function stampOf({ detail }: UnownedOrder): string {
  return detail?.created_at ?? "";
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Those that agree most come first. */
function nearestFirst(orders: readonly UnownedOrder[], create: DoubtfulCreate): readonly string[] {
  const agreeing = (order: UnownedOrder) =>
    Object.values(order.compare(create)).filter((agreement) => agreement === "agrees").length;
  return [...orders].sort((a, b) => agreeing(b) - agreeing(a)).map(({ id }) => id);
}

/**
 * No candidate is in the list. That none was made is known once the service cannot be at work on it any more, two
 * listings apart from each other say so, and the list is known to have caught up.
 */
function judgeAbsence(
  create: DoubtfulCreate,
  ended: NonNullable<DoubtfulCreate["ended"]>,
  { beganMs, newestOwn, latestListedMs: listedMs, missingMs }: Evidence,
): Finding {
  const { isRefused, firstLookMs = beganMs } = create;
  const madeMs = isRefused ? latestMadeMs.broken + missingMs : latestMadeMs[ended.loss];
  const quietMs = ended.atMs + madeMs;
  if (isRefused && beganMs >= quietMs) return { kind: "absent", create };
  const firstMs = Math.max(ended.atMs, Math.min(firstLookMs, beganMs));
  const secondMs = isRefused ? quietMs : Math.max(quietMs, firstMs + madeMs);
  const provedMs = isRefused ? quietMs : Math.max(secondMs, quietMs + listedMs);
  if (beganMs < secondMs) return { kind: "early", create, untilMs: secondMs, provedMs };
  // The order of events, and not the clock alone, says that the order was sent after the lost one had ended.
  const isFresh = newestOwn !== undefined && newestOwn.sentEvent > ended.event && newestOwn.sentMs >= quietMs;
  return isFresh || beganMs >= provedMs
    ? { kind: "absent", create }
    : { kind: "early", create, untilMs: provedMs, provedMs };
}
