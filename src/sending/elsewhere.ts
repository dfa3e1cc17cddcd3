/** Orders of the account that were not sent from this machine, but from another one or the courier's website. */

import { CourierError, isInterruption } from "../core/errors.ts";
import { lazy } from "../core/lazy.ts";
import { parseInstant, utcDate } from "../core/time.ts";
import type { Operation } from "../ledger/operation.ts";
import type { OrderElsewhere } from "../ledger/rules.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { contentOf } from "../model/same-order.ts";
import { fieldsOf, readDetail } from "./learn-fields.ts";
import { compareDetail, compareSummary, fieldBits, isExact, isLikely, normalise } from "./matching.ts";
import {
  earliestDate,
  openCreates,
  readListing,
  reconcileWith,
  recordOffset,
  stampsBehindMs,
} from "./reconcile.ts";
import type { Reconciled, ReconcileTools, RecordedListing } from "./reconcile-types.ts";

export interface OrdersElsewhere {
  /** True where there are none. */
  readonly isEmpty: boolean;
  /** Orders that equal a draft as far as the service shows them, then orders that may equal it. */
  findEqual(draft: Draft): Promise<readonly OrderElsewhere[]>;
}

export interface Survey {
  /** Undefined where they were not compared. */
  readonly elsewhere: OrdersElsewhere | undefined;
  /** Operations in doubt whose orders were found in the same list. */
  readonly found: ReadonlySet<string>;
  /** Until when all orders since the last comparison are in the list; undefined where they are not. */
  readonly comparedMs: number | undefined;
}

export interface SurveyOptions {
  /** An import compares with the orders since the last one did, however long ago that is, and of a week at least. */
  readonly isImport?: boolean;
  /** Asks whether the comparison may make so many calls. */
  readonly mayCost: (calls: number) => Promise<boolean>;
  /** Called with the reason where orders made elsewhere are not compared. */
  readonly note: (text: string) => void;
}

const dayMs = 86_400_000;
const fewestDays = 1;
const mostDays = 3;
const week = 7;
/** More calls need a confirmation. */
const mostCalls = 50;

/**
 * Lists the orders since the last complete listing of the account, and reconciles orders in doubt with them. Notes
 * where the service does not show the list, or where it needs too many calls.
 */
export async function surveyElsewhere(tools: ReconcileTools, options: SurveyOptions): Promise<Survey> {
  const { ledger, customer, clock, stop } = tools;
  const { mayCost, note } = options;
  const found = new Set<string>();
  const skip = (reason: string) => {
    note(`Orders made elsewhere were not compared: ${reason}`);
    return { elsewhere: undefined, found, comparedMs: undefined };
  };
  let listing: RecordedListing;
  let isComplete: boolean;
  try {
    const open = await openCreates(tools);
    ({ listing, isComplete } = await readRecent(open, tools, options));
    await recordOffset(tools);
    const results = open.length > 0 ? await reconcileWith(listing, tools) : new Map<string, Reconciled>();
    for (const [name, result] of results) if (result.kind === "settled" && result.order) found.add(name);
  } catch (error) {
    stop.throwIfAborted();
    if (error instanceof TooExpensive) return skip(`that takes ${error.calls}`);
    if (!(error instanceof CourierError) || error.exit === 4 || isInterruption(error.exit)) throw error;
    return skip(error.message);
  }
  const learned = await ledger.learned(customer, fieldBits);
  const owners = await ledger.findOwners(customer, [...listing.firstSeen.keys()]);
  /** When creates of this machine without an answer were sent: an order that no operation owns, and is new, may be theirs. */
  const unanswered = new Map<string, number[]>();
  for (const { content = "", sentEvent = 0 } of await openCreates(tools))
    unanswered.set(content, [...(unanswered.get(content) ?? []), sentEvent]);
  const byName = new Map<string, OrderSummary[]>();
  for (const summary of listing.summaries) {
    const id = summary.id.value;
    if (!listing.firstSeen.has(id) || owners.has(id) || summary.status === "cancelled") continue;
    const name = normalise(summary.receiver?.name ?? "");
    byName.set(name, [...(byName.get(name) ?? []), summary]);
  }
  const details = new Map<string, OrderDetail | undefined>();
  const unknownOrders = [...byName.values()].reduce((sum, orders) => sum + orders.length, 0);
  const mayReadMore = lazy(() => mayCost(unknownOrders));
  const canRead = async () => details.size < mostCalls || (await mayReadMore());
  const elsewhere: OrdersElsewhere = {
    isEmpty: byName.size === 0,
    async findEqual(draft) {
      const equal: OrderElsewhere[] = [];
      const possible: OrderElsewhere[] = [];
      const fields = fieldsOf(learned, draft);
      for (const summary of byName.get(normalise(draft.receiver?.name ?? "")) ?? []) {
        const id = summary.id.value;
        const isItem = compareSummary(draft, summary)["item.name"] !== "differs";
        if (!isItem && !fields.changed.has("item.name")) continue;
        if (!details.has(id) && (await canRead())) details.set(id, await readDetail(id, tools.detail));
        const detail = details.get(id);
        const comparison = detail && compareDetail(draft, detail);
        if (comparison && isExact(comparison, fields)) equal.push({ orderId: id, isCertain: true });
        else if (!comparison || isLikely(comparison, fields))
          possible.push({ orderId: id, isCertain: false });
      }
      const sent = unanswered.get(contentOf(draft)) ?? [];
      const all = [...equal, ...possible];
      const isNew = ({ orderId }: OrderElsewhere) =>
        (listing.firstSeen.get(orderId) ?? 0) >= Math.min(...sent);
      const theirs = new Set(all.filter(isNew).slice(0, sent.length));
      return all.filter((each) => !theirs.has(each));
    },
  };
  return { elsewhere, found, comparedMs: isComplete ? clock.now() : undefined };
}

interface Recent {
  readonly listing: RecordedListing;
  /** It has all orders since the last comparison. */
  readonly isComplete: boolean;
}

/** Where the days of an import need too many calls, the last ones are compared, and what is left out is said. */
async function readRecent(
  open: readonly Operation[],
  tools: ReconcileTools,
  { isImport = false, mayCost, note }: SurveyOptions,
): Promise<Recent> {
  const { ledger, customer, clock } = tools;
  const lastMs = await (isImport ? ledger.lastComparison(customer) : ledger.lastListing(customer));
  const gap = lastMs === undefined ? undefined : daysSince(lastMs, clock.now());
  const fewest = Math.min(mostDays, gap ?? mostDays);
  if (!isImport)
    return {
      listing: await readDays(gap === undefined ? week : fewest, open, tools, mayCost),
      isComplete: true,
    };
  const isCovered = gap !== undefined && gap <= fewest;
  const never = async () => false;
  try {
    const days = Math.max(week, gap ?? week);
    return { listing: await readDays(days, open, tools, isCovered ? never : mayCost), isComplete: true };
  } catch (error) {
    if (!(error instanceof TooExpensive) || error.areMade) throw error;
    const listing = await readDays(fewest, open, tools, isCovered ? mayCost : never);
    if (!isCovered)
      note(
        `Orders made elsewhere before ${await firstDate(tools, fewest)} were not compared: that takes ${error.calls}`,
      );
    return { listing, isComplete: isCovered };
  }
}

async function readDays(
  days: number,
  open: readonly Operation[],
  tools: ReconcileTools,
  mayCost: SurveyOptions["mayCost"],
): Promise<RecordedListing> {
  const isClockKnown = () => tools.clockOffsetMs() !== undefined;
  const read = async (mayRead: (calls: number) => Promise<boolean>) => {
    const dates = [
      await firstDate(tools, days),
      ...(open.length > 0 ? [await earliestDate(open, tools)] : []),
    ];
    const dateFrom = dates.includes(undefined) ? undefined : dates.sort()[0];
    let most = mostCalls;
    return readListing(dateFrom, tools, {
      async beforeOthers(calls) {
        if (calls > mostCalls && !(await mayRead(calls))) throw new TooExpensive(`${calls} calls`);
        most = Math.max(most, 2 * calls);
      },
      // The first page may tell no number, or a wrong one.
      afterPage(pages) {
        if (pages - 1 > most) throw new TooExpensive(`more than ${most} calls`, true);
      },
    });
  };
  if (isClockKnown()) return read(mayCost);
  try {
    return await read(async (calls) => !isClockKnown() && mayCost(calls));
  } catch (error) {
    // The first page told the service's clock: fewer days may do.
    if (error instanceof TooExpensive && isClockKnown()) return read(mayCost);
    throw error;
  }
}

class TooExpensive extends Error {
  constructor(
    readonly calls: string,
    /** They were made already. */
    readonly areMade = false,
  ) {
    super(calls);
  }
}

/**
 * The day from which orders are compared; undefined for all. Where the service's clock is not known, ours may be ahead:
 * its newest stamp that is known counts if it is earlier.
 */
async function firstDate(tools: ReconcileTools, days: number): Promise<string | undefined> {
  const { ledger, customer, clock, clockOffsetMs } = tools;
  const nowMs = clock.now();
  const offsetMs = clockOffsetMs();
  if (offsetMs !== undefined) return utcDate(nowMs + offsetMs + (await stampsBehindMs(tools)), -days);
  const newestMs = parseInstant((await ledger.newestStamp(customer)) ?? "");
  return newestMs === undefined ? undefined : utcDate(Math.min(newestMs, nowMs), -days);
}

/** Undefined where the clock was set back since. */
function daysSince(lastMs: number, nowMs: number): number | undefined {
  return lastMs > nowMs ? undefined : Math.max(fewestDays, Math.ceil((nowMs - lastMs) / dayMs));
}
