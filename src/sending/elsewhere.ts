/** Reads the list for orders that were not sent from this machine, but from another one or the courier's website. */

import { ServiceFailure } from "../api/failure.ts";
import { parseInstant, utcDate } from "../core/time.ts";
import type { Operation } from "../ledger/operation.ts";
import type { OrderSummary } from "../model/interface.ts";
import {
  createOrdersElsewhere,
  joinElsewhere,
  mostCalls,
  type OrdersElsewhere,
  type SurveyOptions,
} from "./orders-elsewhere.ts";
import {
  earliestDate,
  openCreates,
  readListing,
  reconcileWith,
  recordOffset,
  stampsBehindMs,
} from "./reconcile.ts";
import type { Reconciled, ReconcileTools, RecordedListing } from "./reconcile-types.ts";
import { describeGap } from "./unlisted.ts";

export interface Survey {
  /** Undefined where they were not compared. */
  readonly elsewhere: OrdersElsewhere | undefined;
  /** Operations in doubt whose orders were found in the same list. */
  readonly found: ReadonlySet<string>;
  /** The possible matches of operations in doubt, with one of these. */
  readonly doubts: ReadonlyMap<string, string>;
  /**
   * Until when all orders since the last comparison are in the list, by the service's clock if it is known. Undefined
   * where they are not.
   */
  readonly comparedMs: number | undefined;
  /** The tracking and order numbers of the listed orders, by id. */
  readonly numbers: ReadonlyMap<string, readonly string[]>;
  /** Those of the orders that the list calls cancelled. */
  readonly cancelledNumbers: ReadonlySet<string>;
  /** The name of the receiver that the list shows for each number. */
  readonly receivers: ReadonlyMap<string, string>;
}

const dayMs = 86_400_000;
const fewestDays = 1;
const mostDays = 3;
const week = 7;

/**
 * Lists the orders since an earlier listing of the account, and reconciles orders in doubt with them. Notes
 * where the service does not show the list, or where it needs too many calls.
 */
export async function surveyElsewhere(tools: ReconcileTools, options: SurveyOptions): Promise<Survey> {
  const { stop } = tools;
  const { note } = options;
  const found = new Set<string>();
  const doubts = new Map<string, string>();
  const skip = (reason: string) => {
    note(`Orders made elsewhere were not compared: ${reason}`);
    return { ...describeListed([]), elsewhere: undefined, found, doubts, comparedMs: undefined };
  };
  let listing: RecordedListing;
  let isComplete: boolean;
  try {
    const open = await openCreates(tools);
    ({ listing, isComplete } = await readRecent(open, tools, options));
    await recordOffset(tools);
    const results = open.length > 0 ? await reconcileWith(listing, tools) : new Map<string, Reconciled>();
    for (const [name, result] of results) {
      if (result.kind === "settled" && result.order) found.add(name);
      if (result.kind === "unclear") for (const id of result.candidates) doubts.set(id, name);
    }
  } catch (error) {
    stop.throwIfAborted();
    if (error instanceof TooExpensive) {
      await recordOffset(tools);
      return skip(`that takes ${error.calls}`);
    }
    // Where the ledger cannot be used, orders might be made twice.
    if (!(error instanceof ServiceFailure) || error.exit === 4) throw error;
    return skip(error.message);
  }
  const gap = await describeGap(listing, tools);
  if (gap !== undefined) {
    note(`Not all orders made elsewhere were compared: ${gap}`);
    isComplete = false;
  }
  const elsewhere = await createOrdersElsewhere(listing, tools, options);
  const comparedMs = isComplete ? serviceTime(tools) : undefined;
  return { ...describeListed(listing.summaries), elsewhere, found, doubts, comparedMs };
}

/** What two surveys of one command know. */
export function joinSurveys(first: Survey, later: Survey): Survey {
  return {
    elsewhere: joinElsewhere(first.elsewhere, later.elsewhere),
    found: new Set([...first.found, ...later.found]),
    doubts: later.doubts,
    comparedMs: later.comparedMs ?? first.comparedMs,
    numbers: new Map([...first.numbers, ...later.numbers]),
    cancelledNumbers: new Set([...first.cancelledNumbers, ...later.cancelledNumbers]),
    receivers: new Map([...first.receivers, ...later.receivers]),
  };
}

function describeListed(
  summaries: readonly OrderSummary[],
): Pick<Survey, "numbers" | "cancelledNumbers" | "receivers"> {
  const cancelled = summaries.filter(({ status }) => status === "cancelled");
  const named = (each: OrderSummary) =>
    numbersOf(each).map((number) => [number, each.receiver?.name ?? ""] as const);
  return {
    numbers: new Map(summaries.map((each) => [each.id.value, numbersOf(each)])),
    cancelledNumbers: new Set(cancelled.flatMap(numbersOf)),
    receivers: new Map(summaries.flatMap(named)),
  };
}

function numbersOf({ tracking_number, order_no }: OrderSummary): readonly string[] {
  return [tracking_number, order_no].filter((each) => each != null);
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
  { isImport = false, listedMs, mayCost, note }: SurveyOptions,
): Promise<Recent> {
  const { ledger, customer } = tools;
  const lastMs = isImport ? await ledger.lastComparison(customer) : listedMs;
  const gap = lastMs === undefined ? undefined : daysSince(lastMs, tools);
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
    const readLast = (days: number) => readDays(days, open, tools, isCovered ? mayCost : never);
    // The next import counts from this one, or the time to come would be in the way of each.
    const isUnclear = gap === Number.POSITIVE_INFINITY;
    const ofWeek = isUnclear ? await orTooExpensive(readLast(week)) : undefined;
    const listing = ofWeek ?? (await readLast(fewest));
    if (!isCovered)
      note(
        `Orders made elsewhere before ${await firstDate(tools, ofWeek ? week : fewest)} were not compared: that takes ${error.calls}`,
      );
    return { listing, isComplete: isCovered || isUnclear };
  }
}

/** Undefined where it takes too many calls. */
async function orTooExpensive(listing: Promise<RecordedListing>): Promise<RecordedListing | undefined> {
  try {
    return await listing;
  } catch (error) {
    if (error instanceof TooExpensive) return undefined;
    throw error;
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
  if (days === Number.POSITIVE_INFINITY) return undefined;
  const { ledger, customer, clock, clockOffsetMs } = tools;
  const nowMs = clock.now();
  const newestMs = parseInstant((await ledger.newestStamp(customer)) ?? "");
  if (clockOffsetMs() !== undefined) {
    const serviceMs = serviceTime(tools);
    const behindMs = await stampsBehindMs(tools);
    // Stamps are never so far behind: the clock was ahead once. If the newest stamp is as far behind, it counts.
    const isOneHeader = behindMs < -mostDays * dayMs && newestMs !== undefined;
    return utcDate(isOneHeader ? Math.min(newestMs, serviceMs) : serviceMs + behindMs, -days);
  }
  return newestMs === undefined ? undefined : utcDate(Math.min(newestMs, nowMs), -days);
}

/**
 * The most days that the clocks tell: one of them may have been set meanwhile. All days where each was before that time
 * by more than machines differ.
 */
function daysSince(lastMs: number, tools: ReconcileTools): number {
  const sinceMs = Math.max(tools.clock.now(), serviceTime(tools)) - lastMs;
  return sinceMs < -dayMs ? Number.POSITIVE_INFINITY : Math.max(fewestDays, Math.ceil(sinceMs / dayMs));
}

/** By our own clock where the service's is not known. */
function serviceTime({ clock, clockOffsetMs }: ReconcileTools): number {
  return clock.now() + (clockOffsetMs() ?? 0);
}
