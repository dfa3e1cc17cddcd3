/**
 * Reconciles the creates in doubt of an account: reads one complete listing and the details of candidates, and records
 * the outcomes in the ledger. The service has no idempotency key (4.2).
 */

import { mapInOrder } from "../core/concurrent.ts";
import { isCalendarDate, parseInstant, parseStamp, utcDate } from "../core/time.ts";
import { byCount, counted } from "../core/wording.ts";
import type { Learned, OwnRequest } from "../ledger/listings.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import { OrderTaken } from "../ledger/operation-errors.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { readOwner } from "./another-order.ts";
import { readHidden } from "./hidden-orders.ts";
import {
  alteredInDetails,
  alteredInList,
  fieldsOf,
  learnFromDetails,
  learnFromSummaries,
  readDetail,
} from "./learn-fields.ts";
import {
  type ComparedField,
  type Comparison,
  compareDetail,
  comparedFields,
  compareSummary,
  fieldBits,
  isOtherOrder,
  mostlyChangedFields,
  nothingShown,
} from "./matching.ts";
import { createAgeRules } from "./order-age.ts";
import { orderFacts } from "./order-facts.ts";
import { contradictList, hasOtherGoodsOrAddress, isOtherCity } from "./possible-orders.ts";
import { type DoubtfulCreate, type Finding, judge, latestListedMs, type UnownedOrder } from "./proof.ts";
import type { PageHooks, Reconciled, ReconcileTools, RecordedListing } from "./reconcile-types.ts";
import { begunByBoot, dateSlackMs, endedMs, sentMs, stampAsOfNow, wallTimeOf } from "./request-times.ts";
import { findUnlisted, mayHide } from "./unlisted.ts";
import { withdrawWrongClaims } from "./wrong-claims.ts";

const detailsAtOnce = 4;
/** Limits one poll. Details that are not read rule nothing out. */
const mostDetails = 200;
/** Limits one list, too. An order that is not read stays as it was recorded. */
const mostCancelled = 20;
/** Failures in a row after which no further details are read. */
const mostFailures = 8;

/**
 * Reconciles all creates in doubt of a customer once, and records the outcomes. Returns the results by operation name.
 * Throws ServiceFailure where the service does not show a complete list, and the reason of `stop` when it aborts.
 */
export async function reconcile(tools: ReconcileTools): Promise<ReadonlyMap<string, Reconciled>> {
  const open = await openCreates(tools);
  if (!open.some(({ state }) => state === "unknown")) return new Map();
  try {
    return await reconcileWith(await readListing(await earliestDate(open, tools), tools), tools);
  } finally {
    await recordOffset(tools); // a refusal has a Date header, too
  }
}

export async function recordOffset({
  ledger,
  customer,
  run,
  clock,
  clockOffsetMs,
}: Pick<ReconcileTools, "ledger" | "customer" | "run" | "clock" | "clockOffsetMs">): Promise<void> {
  const offsetMs = clockOffsetMs();
  const isUnset = (sentAtMs: number) => Math.abs(clock.asOfNow(sentAtMs) - sentAtMs) <= dateSlackMs;
  if (offsetMs !== undefined) await ledger.recordOffset(customer, run, offsetMs, isUnset);
}

/** Reads the list of orders to its end and records it. */
export async function readListing(
  dateFrom: string | undefined,
  tools: ReconcileTools,
  hooks?: PageHooks,
): Promise<RecordedListing> {
  const { list, clock, stop } = tools;
  const begunMs = clock.elapsed();
  const summaries: OrderSummary[] = [];
  for await (const summary of list(dateFrom, hooks)) {
    stop.throwIfAborted();
    summaries.push(summary);
  }
  return recordListing(begunMs, dateFrom, summaries, tools);
}

/** Records a list that was read to its end. `begunMs`: when that began, as the clock's `elapsed`. */
export async function recordListing(
  begunMs: number,
  dateFrom: string | undefined,
  summaries: readonly OrderSummary[],
  tools: ReconcileTools,
): Promise<RecordedListing> {
  const { ledger, customer, clock } = tools;
  const offsetMs = tools.clockOffsetMs();
  const ids = summaries.map(({ id }) => id.value);
  const endedMs = clock.now();
  const beganMs = wallTimeOf(begunMs, clock);
  const stamps = new Map(
    summaries.flatMap(({ id, created_at }) => (created_at ? [[id.value, created_at] as const] : [])),
  );
  const facts = await ledger.recordListing({ customer, beganMs, endedMs, dateFrom, ids, stamps, offsetMs });
  const states = new Map(
    summaries.flatMap(({ id, status }) => (status ? [[id.value, status] as const] : [])),
  );
  await ledger.noteStates(customer, states, beganMs, (ids) => confirmStates(ids, states, tools));
  return { ...facts, begunMs, summaries };
}

/**
 * Of orders that a list calls cancelled, those whose details say so, too, and that are what their creates sent. Of orders
 * that it calls cancelled no more, those whose details do not contradict: an order that may be there is not sent again.
 */
async function confirmStates(
  ids: readonly string[],
  listed: ReadonlyMap<string, string>,
  tools: ReconcileTools,
): Promise<ReadonlySet<string>> {
  const isGone = (id: string) => listed.get(id) === "cancelled";
  const { stop, mostCancelledRead = mostCancelled } = tools;
  const [checked, unchecked] = [ids.slice(0, mostCancelledRead), ids.slice(mostCancelledRead)];
  const confirmed = new Set(unchecked.filter((id) => !isGone(id)));
  const left = unchecked.length - confirmed.size;
  if (left > 0)
    tools.warn?.(
      `the list calls ${counted(left, "more order")} of this ledger cancelled, which ${byCount(left, "was", "were")} not checked; the same command again checks further ones`,
    );
  const read = async (id: string) => ({ id, order: await readDetail(id, tools.detail) });
  for await (const { id, order } of mapInOrder(checked, detailsAtOnce, read, { stop })) {
    const isCancelled = order?.status === "cancelled";
    if (isCancelled !== isGone(id)) continue;
    const { other } = order ? await readOwner(order, tools) : {};
    if (other === undefined) confirmed.add(id);
  }
  return confirmed;
}

/** Like `reconcile`, with a listing that was read already. */
export async function reconcileWith(
  recorded: RecordedListing,
  tools: ReconcileTools,
): Promise<ReadonlyMap<string, Reconciled>> {
  const { ledger, customer, settleMs, clock } = tools;
  await recordOffset(tools);
  const listing = await withdrawWrongClaims(await openCreates(tools), recorded, tools);
  await learnFromSummaries(listing, tools);
  const open = await openCreates(tools);
  const begun = new Map(open.map((operation) => [nameOperation(operation), begunByBoot(operation, clock)]));
  let learned = await ledger.learned(customer, fieldBits);
  let altered = await alteredInList(listing, tools);
  const details = await readCandidates(open, listing, { learned, altered }, tools);
  if (details.size > 0 && (await learnFromDetails(listing, learned, tools)))
    learned = await ledger.learned(customer, fieldBits);
  const sent = open.flatMap(({ draft }) =>
    draft ? [{ draft, fields: fieldsOf(learned, draft, altered) }] : [],
  );
  const isRuledOut = (order: OrderDetail) =>
    sent.some(({ draft, fields }) => isOtherOrder(compareDetail(draft, order), fields));
  const hidden = await readHidden(open, listing, learned, tools);
  if ([...details.values(), ...hidden.shown.map(({ detail }) => detail)].some(isRuledOut))
    altered = new Set([...altered, ...(await alteredInDetails(listing, tools))]);
  const operations = new Map(open.map((operation) => [nameOperation(operation), operation]));
  const draftOf = ({ name }: DoubtfulCreate) => operations.get(name)?.draft;
  const rewritten = mostlyChangedFields(learned);
  const isUnlike = (draft: Draft | undefined, order: OrderDetail | undefined) =>
    draft !== undefined &&
    order !== undefined &&
    hasOtherGoodsOrAddress(draft, order, compareDetail(draft, order), rewritten);
  const { isNew, olderByMs } = await createAgeRules(open, begun, learned, tools);
  const orders = listing.summaries.flatMap((summary): UnownedOrder[] => {
    const id = summary.id.value;
    const firstSeenEvent = listing.firstSeen.get(id);
    if (firstSeenEvent === undefined) return [];
    const detail = details.get(id);
    const dated = parseStamp(summary.created_at) === undefined ? (detail ?? summary) : summary;
    return [
      {
        id,
        detail,
        firstSeenEvent,
        withdrawnEvent: listing.withdrawn.get(id),
        compare: memoiseByContent((create) => compare(draftOf(create), summary, detail)),
        isUnlike: (create) => isUnlike(draftOf(create), detail),
        isNew: (create) => isNew(create.name, dated),
        // Either may be rounded.
        olderByMs: (create) => {
          const olderMs = olderByMs(create.name, dated);
          if (parseStamp(detail?.created_at) === undefined) return olderMs;
          return Math.min(olderMs, olderByMs(create.name, detail ?? dated));
        },
      },
    ];
  });
  for (const { detail, firstSeenEvent, wasListed } of hidden.shown)
    orders.push({
      id: detail.id.value,
      detail,
      firstSeenEvent,
      compare: memoiseByContent((create) => {
        const draft = draftOf(create);
        return draft ? compareDetail(draft, detail) : nothingShown;
      }),
      isUnlike: (create) => isUnlike(draftOf(create), detail),
      isNew: (create) => isNew(create.name, detail, wasListed),
      olderByMs: (create) => olderByMs(create.name, detail),
    });
  const beganMs = wallTimeOf(listing.begunMs, clock);
  const unlisted = open.some(({ state }) => state === "unknown")
    ? await findUnlisted(listing, beganMs, tools)
    : [];
  const withdrawn = (await ledger.possibleOrders(customer)).filter((each) => each.wasWithdrawn);
  const answeredBy = (operation: Operation) => {
    const own = withdrawn.filter(({ name }) => nameOperation(name) === nameOperation(operation));
    return [...new Set([operation.withdrawnOrder ?? [], own.map(({ orderId }) => orderId)].flat())];
  };
  const owners = await ledger.findOwners(customer, open.flatMap(answeredBy));
  const repeated = await ledger.findAbsent(
    customer,
    open.flatMap(({ content }) => content ?? []),
  );
  const newestOwn = await findFresh(listing, learned, tools);
  // An order that was taken from its create since is in none of these lists of candidates.
  const isOvertaken =
    (await ledger.findOwners(customer, [...listing.owners.keys()])).size < listing.owners.size;
  const findings = judge(
    open.flatMap((operation) =>
      toDoubtful(
        operation,
        begun.get(nameOperation(operation)),
        {
          isRepeated: repeated.has(operation.content ?? ""),
          furtherIds: [
            ...(listing.contested.get(nameOperation(operation)) ?? []),
            ...answeredBy(operation).filter((id) => !owners.has(id)),
            ...(hidden.gone.get(nameOperation(operation)) ?? []),
          ],
        },
        tools,
      ),
    ),
    {
      beganMs,
      orders,
      fieldsFor: memoiseByContent((create) => fieldsOf(learned, draftOf(create), altered)),
      newestOwn: newestOwn && { ...newestOwn, sentMs: sentMs(newestOwn, tools) },
      // The list may stand still since it was learned how late it is: then each resending would be lost in it, too.
      latestListedMs: ({ isRepeated }) =>
        latestListedMs(isRepeated ? { ...learned, shownMs: undefined } : learned, settleMs),
      missingMs: learned.missingMs,
      unlistedFor: ({ name }) => {
        const request = operations.get(name);
        return request && unlisted.find((each) => mayHide(each, request))?.orderId;
      },
    },
  );
  // One that was read while the ledger was away may be older than the request, and its time would explain nothing.
  const isAfter = (name: string) => listing.begunMs >= (begun.get(name) ?? Number.NEGATIVE_INFINITY);
  const lackedBeside = (request: Operation) =>
    listing.unlisted.find((each) => mayHide(each, request))?.orderId;
  const notePossible = async (operation: Operation, ids: readonly string[]) => {
    const name = nameOperation(operation);
    const isShown = (id: string) =>
      listing.firstSeen.has(id) || (listing.owners.has(id) && !listing.unread.has(id));
    const further = ids.filter((id) => isShown(id) && !hidden.isNoted(name, id));
    if (further.length > 0) await ledger.notePossible(operation, further);
  };
  return recordFindings(
    findings,
    operations,
    { beganMs, isAfter, lackedBeside, isOvertaken, notePossible },
    tools,
  );
}

/** So many are compared. */
const mostFresh = 10;

/**
 * The newest request of an own order that the list shows, and does not contradict: an answer may have named an older one.
 * One that was found, or that a person named, may be older, too.
 */
async function findFresh(
  { summaries, owners }: RecordedListing,
  learned: Learned,
  { ledger, customer }: ReconcileTools,
): Promise<OwnRequest | undefined> {
  const changed = mostlyChangedFields(learned); // one that was changed once may be a wrong claim
  const byId = new Map(summaries.map((summary) => [summary.id.value, summary]));
  for (const { draft, order, sentEvent, sentAtMs, offsetMs } of await ledger.newestAnswered(
    customer,
    [...owners.keys()],
    mostFresh,
  )) {
    const summary = byId.get(order?.id ?? "");
    if (!summary || !draft || sentEvent === undefined || sentAtMs === undefined) continue;
    const shown = compareSummary(draft, summary);
    const isOther = comparedFields.some((field) => shown[field] === "differs" && !changed.has(field));
    if (!isOther && !isOtherCity(draft.receiver, summary.receiver?.city))
      return { sentEvent, sentMs: sentAtMs, offsetMs };
  }
  return undefined;
}

/**
 * Creates that were sent, or are being sent, without a known outcome. A row that another machine's order covered was not
 * sent: what counts is when that order was taken from it.
 */
export async function openCreates({ ledger, customer }: ReconcileTools): Promise<readonly Operation[]> {
  const open = await ledger.openOperations(customer);
  return open
    .map(({ operation }) => ({ ...operation, sentEvent: operation.sentEvent ?? operation.endedEvent }))
    .filter(({ kind, state, sentEvent }) => kind === "create" && state !== "ready" && sentEvent);
}

/** How far time stamps of own orders are behind the service's clock. Lists filter by time stamps. */
export async function stampsBehindMs({
  ledger,
  customer,
}: Pick<ReconcileTools, "ledger" | "customer">): Promise<number> {
  const { stampAhead } = await ledger.learned(customer, fieldBits);
  return Math.min(0, stampAhead?.leastMs ?? 0);
}

/**
 * The day from which a list shows every order of these creates; undefined where only the whole list certainly does. Our
 * own clock tells no day of the service. Its time zone is not specified: one more day covers all zones, and several
 * clocks of the service. Its time stamps may be behind its clock.
 */
export async function earliestDate(
  open: readonly Operation[],
  tools: ReconcileTools,
): Promise<string | undefined> {
  const { ledger, customer, clock, clockOffsetMs } = tools;
  // An order that was made before the first request has an earlier stamp than all of theirs.
  const before = Math.min(...open.map(({ sentEvent }) => sentEvent ?? 0));
  const stamp = await ledger.newestStamp(customer, before);
  const earlierMs = stamp === undefined ? undefined : dayOfStamp(stamp);
  const sent = open.map(({ sentAtMs, offsetMs, isOffsetMeasured }) =>
    sentAtMs !== undefined && offsetMs !== undefined && isOffsetMeasured ? sentAtMs + offsetMs : undefined,
  );
  const isTimed = sent.every((ms) => ms !== undefined);
  if (earlierMs === undefined && !isTimed) return undefined;
  const offsetMs = clockOffsetMs();
  const times = [...sent, offsetMs === undefined ? undefined : clock.now() + offsetMs];
  const behindMs = await stampsBehindMs(tools);
  const stamps = [earlierMs, ...times.map((ms) => (ms === undefined ? undefined : ms + behindMs))];
  return utcDate(Math.min(...stamps.filter((ms) => ms !== undefined)), -1);
}

/** Of a stamp that names no instant, the first moment of its day. Undefined where it has none. */
function dayOfStamp(stamp: string): number | undefined {
  const day = stamp.slice(0, 10);
  return parseInstant(stamp) ?? (isCalendarDate(day) ? Date.parse(day) : undefined);
}

function toDoubtful(
  operation: Operation,
  begunMs: number | undefined,
  { isRepeated, furtherIds }: Pick<DoubtfulCreate, "isRepeated" | "furtherIds">,
  tools: ReconcileTools,
): DoubtfulCreate[] {
  const { content = "", sentEvent, endedEvent, loss, firstListingMs, rejection, state } = operation;
  if (sentEvent === undefined) return [];
  const asOfNow = (stampMs: number | undefined) => stampAsOfNow(stampMs, operation, begunMs, tools.clock);
  const atMs = endedMs(operation, asOfNow, tools);
  const isEnded = state === "unknown" && endedEvent !== undefined && atMs !== undefined;
  return [
    {
      name: nameOperation(operation),
      content,
      sentEvent,
      ended: isEnded ? { event: endedEvent, atMs, loss } : undefined,
      firstListingMs: asOfNow(firstListingMs),
      isRefused: rejection !== undefined,
      isRepeated,
      furtherIds,
    },
  ];
}

function compare(
  draft: Draft | undefined,
  summary: OrderSummary,
  detail: OrderDetail | undefined,
): Comparison {
  if (!draft) return nothingShown; // its data was deleted, or its body was not an order of the interface
  const isRead = detail !== undefined && !contradictList(draft, summary, detail);
  return isRead ? compareDetail(draft, detail) : compareSummary(draft, summary);
}

/** Computes a value once for all creates of equal content. */
function memoiseByContent<T extends object>(compute: (create: DoubtfulCreate) => T) {
  const known = new Map<string, T>();
  return (create: DoubtfulCreate): T => {
    const before = known.get(create.content);
    if (before) return before;
    const value = compute(create);
    known.set(create.content, value);
    return value;
  };
}

/** Reads the orders without an owner that the list does not rule out. Orders that cannot be read are left out. */
async function readCandidates(
  open: readonly Operation[],
  { summaries, firstSeen, withdrawn }: RecordedListing,
  { learned, altered }: { readonly learned: Learned; readonly altered: ReadonlySet<ComparedField> },
  { detail, stop }: ReconcileTools,
): Promise<ReadonlyMap<string, OrderDetail>> {
  const known = open.flatMap(({ draft, sentEvent = 0 }) =>
    draft ? [{ draft, sentEvent, fields: fieldsOf(learned, draft, altered) }] : [],
  );
  const candidates = summaries.flatMap((summary) => {
    const seenEvent = withdrawn.get(summary.id.value) ?? firstSeen.get(summary.id.value);
    if (seenEvent === undefined) return [];
    const possible = known.flatMap(({ draft, sentEvent, fields }) => {
      const comparison = compareSummary(draft, summary);
      return seenEvent >= sentEvent && !isOtherOrder(comparison, fields) ? [comparison] : [];
    });
    if (possible.length === 0) return [];
    const isNamed = possible.some((comparison) => comparison["receiver.name"] === "agrees");
    return [{ id: summary.id.value, isNamed }];
  });
  const nearestFirst = candidates.sort((a, b) => Number(b.isNamed) - Number(a.isNamed));
  const details = new Map<string, OrderDetail>();
  let failures = 0;
  const read = async ({ id }: { id: string }) => {
    if (failures >= mostFailures) return { id, order: undefined };
    const order = await readDetail(id, detail);
    failures = order ? 0 : failures + 1;
    return { id, order };
  };
  const answers = mapInOrder(nearestFirst.slice(0, mostDetails), detailsAtOnce, read, { stop });
  for await (const { id, order } of answers) if (order?.id.value === id) details.set(id, order);
  stop.throwIfAborted();
  return details;
}

/** Records found orders before absent ones, so that a crash in between is safe. */
async function recordFindings(
  findings: readonly Finding[],
  operations: ReadonlyMap<string, Operation>,
  {
    beganMs,
    isAfter,
    lackedBeside,
    isOvertaken,
    notePossible,
  }: {
    readonly beganMs: number;
    readonly isAfter: (name: string) => boolean;
    /** An own order beside this one that the list lacks, so far or for good. */
    readonly lackedBeside: (operation: Operation) => string | undefined;
    /** The next poll has further candidates. */
    readonly isOvertaken: boolean;
    /** A later list may not show them, and a list proves nothing once it lacks what it had shown. */
    readonly notePossible: (operation: Operation, ids: readonly string[]) => Promise<void>;
  },
  tools: ReconcileTools,
): Promise<ReadonlyMap<string, Reconciled>> {
  const { ledger, clock } = tools;
  const results = new Map<string, Reconciled>();
  for (const finding of findings) {
    const operation = operations.get(finding.create.name);
    if (finding.kind !== "found" || !operation) continue;
    const isTaken = await settleFound(operation, finding.order, tools);
    results.set(
      finding.create.name,
      isTaken ? { kind: "settled", order: finding.order } : again(clock.now()),
    );
  }
  for (const finding of findings) {
    const { name } = finding.create;
    const operation = operations.get(name);
    if (!operation) continue;
    switch (finding.kind) {
      case "absent":
        if (isOvertaken) {
          results.set(name, again(clock.now()));
          break;
        }
        await settleAbsent(operation, tools);
        results.set(name, { kind: "settled" });
        break;
      case "early":
        if (isAfter(name)) await ledger.recordFirstListing(operation, beganMs, beganMs - finding.endedMs);
        results.set(name, toEarly(finding, lackedBeside(operation)));
        break;
      case "unclear":
        await notePossible(operation, finding.candidates);
        results.set(name, { kind: "unclear", candidates: finding.candidates });
    }
  }
  return results;
}

function toEarly(
  { untilMs, provedMs, ...finding }: Extract<Finding, { kind: "early" }>,
  lackedBeside: string | undefined,
): Reconciled {
  const lacks = finding.lacks ?? lackedBeside;
  return { kind: "early", untilMs, provedMs, ...(lacks === undefined ? {} : { lacks }) };
}

function again(nowMs: number): Reconciled {
  return { kind: "early", untilMs: nowMs, provedMs: nowMs };
}

/** False where another process has recorded the order for another operation. */
async function settleFound(
  operation: Operation,
  order: OrderDetail,
  { ledger, clock, others }: ReconcileTools,
): Promise<boolean> {
  const outcome = {
    state: "found",
    order: orderFacts(order),
    orderState: order.status ?? undefined,
  } as const;
  try {
    await ledger.settleCreate(operation, outcome, clock.now());
    others?.delete(order.id.value); // of the create that it belongs to, it is no other
    return true;
  } catch (error) {
    if (!(error instanceof OrderTaken)) throw error;
    return false;
  }
}

/** No order was made: records a refusal as refused, all else as unsent. */
async function settleAbsent(operation: Operation, { ledger, clock }: ReconcileTools): Promise<void> {
  const { rejection } = operation;
  const outcome = rejection ? ({ state: "refused", rejection } as const) : ({ state: "unsent" } as const);
  await ledger.settleCreate(operation, outcome, clock.now());
}
