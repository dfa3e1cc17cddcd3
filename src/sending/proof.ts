/**
 * The rules that settle creates in doubt, as a pure function (docs/never-twice.md): an order is found, or it is
 * proved that none was made, or the create stays in doubt.
 */

import type { Loss } from "../ledger/operation.ts";
import type { OrderDetail } from "../model/interface.ts";
import {
  type Comparison,
  distinguishingFields,
  type FieldKnowledge,
  isExact,
  isOtherOrder,
  unexplainedFields,
} from "./matching.ts";
import { longMs } from "./order-age.ts";

/** The service makes an order at most so long after its request has ended. */
export const latestMadeMs: Readonly<Record<Loss, number>> = { broken: 2_000, timeout: 60_000 };
/** The list shows an order at most so long after it was made, while the delay of the service is not known. */
export const unknownDelayMs = 15 * 60_000;
const leastDelayMs = 10_000;
const delayFactor = 10;
const unknownFactor = 2;

/** How late the service lists orders, learned from own orders. */
export interface ListDelay {
  /** After this time enough own orders were in a list; undefined while there are too few. */
  readonly shownMs: number | undefined;
  /** The longest time after which an own order was missing. */
  readonly missingMs: number;
}

/**
 * How long after it was made an order may be missing in the list. A person's own value counts unless an order was seen
 * to be missing for longer.
 */
export function latestListedMs({ shownMs, missingMs }: ListDelay, settleMs?: number): number {
  if (settleMs !== undefined) return Math.max(settleMs, unknownFactor * missingMs);
  if (shownMs === undefined) return Math.max(unknownDelayMs, unknownFactor * missingMs);
  return Math.max(leastDelayMs, Math.min(unknownDelayMs, delayFactor * shownMs), delayFactor * missingMs);
}

/** A create that may or may not have become an order. */
export interface DoubtfulCreate {
  readonly name: string;
  /** Equal for equal orders. */
  readonly content: string;
  /** The events in the ledger's order: when its request was sent and ended. */
  readonly sentEvent: number;
  /** Undefined while it is being sent. */
  readonly ended: { readonly event: number; readonly atMs: number; readonly loss: Loss } | undefined;
  /** When the first complete listing began that had no candidate for it. */
  readonly firstListingMs: number | undefined;
  /** The service refused in a way that is checked once. */
  readonly isRefused: boolean;
  /** An equal create was lost before, and no order of it was listed. */
  readonly isRepeated: boolean;
  /**
   * Orders that may be its own although they are no candidates: the one that its answer named, which may have been changed
   * since; and those of other creates that show its data.
   */
  readonly furtherIds: readonly string[];
}

/** An order in the list that no operation of the ledger owns. */
export interface UnownedOrder {
  readonly id: string;
  /** Undefined where it could not be read. */
  readonly detail: OrderDetail | undefined;
  /** The event of the listing that showed it first. */
  readonly firstSeenEvent: number;
  /** The event at which it was taken from a create: it may be the order of one that was sent before, too. */
  readonly withdrawnEvent?: number | undefined;
  compare(create: DoubtfulCreate): Comparison;
  /** True where its goods or its address are others, and no part or form of the sent ones. */
  isUnlike(create: DoubtfulCreate): boolean;
  /** True where it was made after the request was sent. */
  isNew(create: DoubtfulCreate): boolean;
  /** By how much its time stamp is older than the request, beyond the known error of time stamps. */
  olderByMs(create: DoubtfulCreate): number;
}

/** One complete listing, and what is known besides. */
export interface Evidence {
  readonly beganMs: number;
  readonly orders: readonly UnownedOrder[];
  /** What is known of how the service changes fields with values like those of this create. */
  fieldsFor(create: DoubtfulCreate): FieldKnowledge;
  /** The newest request of an own order in the list. */
  readonly newestOwn: { readonly sentEvent: number; readonly sentMs: number } | undefined;
  latestListedMs(create: DoubtfulCreate): number;
  /** The longest time after which an own order was seen to be missing in the list. */
  readonly missingMs: number;
  /** An own order that must be in the list, and that it lacks: it may lack the create's, too. */
  unlistedFor(create: DoubtfulCreate): string | undefined;
}

export type Finding =
  | { readonly kind: "found"; readonly create: DoubtfulCreate; readonly order: OrderDetail }
  /** It is proved that no order was made. */
  | { readonly kind: "absent"; readonly create: DoubtfulCreate }
  /** No match so far. A poll at `untilMs` may prove more; a poll at `provedMs` proves the outcome. */
  | {
      readonly kind: "early";
      readonly create: DoubtfulCreate;
      /** When the request ended. */
      readonly endedMs: number;
      readonly untilMs: number;
      readonly provedMs: number;
      /** The list lacks this own order. */
      readonly lacks?: string;
    }
  /** Possible matches. */
  | { readonly kind: "unclear"; readonly create: DoubtfulCreate; readonly candidates: readonly string[] };

/** Creates of equal content, which are interchangeable. */
interface Group {
  readonly creates: readonly DoubtfulCreate[];
  readonly first: DoubtfulCreate;
  readonly isBeingSent: boolean;
  /** The orders that match this group and no other. */
  readonly orders: UnownedOrder[];
}

/** Applies the rules to all creates in doubt and one complete listing. */
export function judge(creates: readonly DoubtfulCreate[], evidence: Evidence): readonly Finding[] {
  const groups = groupByContent(creates);
  const isPossible = (order: UnownedOrder, create: DoubtfulCreate) =>
    order.firstSeenEvent >= create.sentEvent && !isRuledOut(order, create, evidence.fieldsFor(create));
  const isCandidate = (order: UnownedOrder, create: DoubtfulCreate) =>
    (order.withdrawnEvent ?? order.firstSeenEvent) >= create.sentEvent &&
    !isRuledOut(order, create, evidence.fieldsFor(create));
  for (const order of evidence.orders) assign(order, groups, isPossible, evidence);
  const taken = new Map<DoubtfulCreate, UnownedOrder>();
  for (const group of groups) for (const [create, order] of take(group)) taken.set(create, order);
  const gone = new Set([...taken.values()].map(({ id }) => id));
  const candidatesOf = (create: DoubtfulCreate): readonly string[] => {
    const possible = evidence.orders.filter((each) => !gone.has(each.id) && isCandidate(each, create));
    const further = create.furtherIds.filter((id) => !gone.has(id));
    return [...new Set([...nearestFirst(possible, create), ...further])];
  };
  for (const { creates: equal } of groups) passOn(equal, taken, candidatesOf);
  return creates.flatMap((create): Finding[] => {
    const order = taken.get(create);
    if (order?.detail) return [{ kind: "found", create, order: order.detail }];
    if (!create.ended) return [];
    const candidates = candidatesOf(create);
    if (candidates.length > 0) return [{ kind: "unclear", create, candidates }];
    return [judgeAbsence(create, create.ended, evidence)];
  });
}

/** Stamps may be cut to the hour or the day, or begin to be those of another time zone. */
const daysMs = 26 * 3_600_000;

/** A time stamp alone proves nothing: distinguishing fields must differ as well. */
function isRuledOut(order: UnownedOrder, create: DoubtfulCreate, fields: FieldKnowledge): boolean {
  const comparison = order.compare(create);
  if (isOtherOrder(comparison, fields)) return true;
  const [olderMs, differing] = [order.olderByMs(create), unexplainedFields(comparison, fields)];
  if (olderMs <= longMs || differing.length === 0) return false;
  return olderMs > daysMs || differing.length >= 3 || differing.some((field) => fields.kept.has(field));
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

/** Assigns an order to its group; to none where it matches several groups exactly. */
function assign(
  order: UnownedOrder,
  groups: readonly Group[],
  isPossible: (order: UnownedOrder, create: DoubtfulCreate) => boolean,
  { fieldsFor }: Evidence,
): void {
  if (!order.detail) return;
  const exact = groups.filter(
    ({ creates, first }) =>
      isExact(order.compare(first), fieldsFor(first)) &&
      !order.isUnlike(first) &&
      creates.some((create) => isPossible(order, create)),
  );
  const [only, other] = exact;
  if (only && !other) only.orders.push(order);
}

/**
 * Of n equal creates, k new orders settle k. The order that was seen first goes to the oldest create: it can belong to
 * the fewest of them, and the orders of later creates may not be listed yet. With more orders than creates, or while
 * one is being sent, none can be matched.
 */
function take({ creates, orders, isBeingSent }: Group): readonly (readonly [DoubtfulCreate, UnownedOrder])[] {
  if (isBeingSent) return [];
  const left = [...creates].sort((a, b) => a.sentEvent - b.sentEvent);
  const oldest = [...orders].sort(
    (a, b) => a.firstSeenEvent - b.firstSeenEvent || compareTexts(stampOf(a), stampOf(b)),
  );
  const pairs: (readonly [DoubtfulCreate, UnownedOrder])[] = [];
  for (const order of oldest) {
    const place = left.findIndex((create) => mayBe(order, create));
    const [create] = place < 0 ? [] : left.splice(place, 1);
    if (create) pairs.push([create, order]);
    else if (creates.some((each) => mayBe(order, each))) return [];
  }
  return pairs;
}

/**
 * Of two equal creates either may have made an order. It goes to the one without another possible match: that one would
 * count as not made, although the match may be the order of the other one.
 */
function passOn(
  creates: readonly DoubtfulCreate[],
  taken: Map<DoubtfulCreate, UnownedOrder>,
  candidatesOf: (create: DoubtfulCreate) => readonly string[],
): void {
  for (const create of creates) {
    if (taken.has(create) || candidatesOf(create).length > 0) continue;
    for (const [other, order] of taken) {
      if (!creates.includes(other) || !mayBe(order, create) || candidatesOf(other).length === 0) continue;
      taken.delete(other);
      taken.set(create, order);
      break;
    }
  }
}

function mayBe(order: UnownedOrder, create: DoubtfulCreate): boolean {
  return order.firstSeenEvent >= create.sentEvent && order.isNew(create);
}

function stampOf({ detail }: UnownedOrder): string {
  return detail?.created_at ?? "";
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Of one that could not be read, few fields are shown: those that tell orders apart and differ count first. */
function nearestFirst(orders: readonly UnownedOrder[], create: DoubtfulCreate): readonly string[] {
  const rank = (order: UnownedOrder) => {
    const comparison = order.compare(create);
    const differing = distinguishingFields.filter((field) => comparison[field] === "differs").length;
    const agreeing = Object.values(comparison).filter((agreement) => agreement === "agrees").length;
    return agreeing - 100 * differing;
  };
  return [...orders].sort((a, b) => rank(b) - rank(a)).map(({ id }) => id);
}

/**
 * There is no candidate in the list. It is proved that no order was made when the service cannot be processing the
 * request any more, two separate listings have no candidate, and the list is up to date.
 */
function judgeAbsence(
  create: DoubtfulCreate,
  ended: NonNullable<DoubtfulCreate["ended"]>,
  { beganMs, newestOwn, latestListedMs: listedMsOf, missingMs, unlistedFor }: Evidence,
): Finding {
  const { isRefused, firstListingMs = beganMs } = create;
  const lacks = unlistedFor(create);
  if (lacks !== undefined) {
    const laterMs = beganMs + listedMsOf(create);
    return { kind: "early", create, endedMs: ended.atMs, untilMs: laterMs, provedMs: laterMs, lacks };
  }
  const madeMs = isRefused ? latestMadeMs.broken + unknownFactor * missingMs : latestMadeMs[ended.loss];
  const quietMs = ended.atMs + madeMs;
  if (isRefused && beganMs >= quietMs) return { kind: "absent", create };
  const firstMs = Math.max(ended.atMs, Math.min(firstListingMs, beganMs));
  const secondMs = isRefused ? quietMs : Math.max(quietMs, firstMs + madeMs);
  const provedMs = isRefused ? quietMs : Math.max(secondMs, quietMs + listedMsOf(create));
  const early = { kind: "early", create, endedMs: ended.atMs, provedMs } as const;
  if (beganMs < secondMs) return { ...early, untilMs: secondMs };
  // By the order of events, not by the clock alone, the own order was sent after the lost request had ended.
  const isFresh = newestOwn !== undefined && newestOwn.sentEvent > ended.event && newestOwn.sentMs >= quietMs;
  return isFresh || beganMs >= provedMs ? { kind: "absent", create } : { ...early, untilMs: provedMs };
}
