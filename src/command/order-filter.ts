/** Which orders a command is about, as options: states, and days of this machine's zone or of UTC (4.3). */

import type { CourierService, OrderFilter } from "../api/service.ts";
import type { Clock } from "../core/clock.ts";
import { describeOffset, largestOffsetMs } from "../core/clock-offset.ts";
import { dayOf, moveDay, type Zone, zoneName } from "../core/days.ts";
import { usageError } from "../core/errors.ts";
import { inQuotes } from "../core/shell-quote.ts";
import { findNearMiss } from "../core/suggest.ts";
import { parseInstant } from "../core/time.ts";
import { byCount, counted } from "../core/wording.ts";
import type { OrderSummary } from "../model/interface.ts";
import { stateChoices, stateNames } from "../model/states.ts";
import type { Messages } from "../terminal/messages.ts";
import { type Option, type OptionValues, quote, switchOption } from "./options.ts";
import { dayOption, lastDaysOption } from "./value-options.ts";

const statusOption: Option<readonly string[]> & { readonly placeholder: string } = {
  placeholder: "STATE",
  summary:
    `only orders in this state: ${stateNames.join(", ")}; several with commas; =STATE for one that courier does ` +
    "not know",
  parse: parseStates,
  candidates: stateChoices,
  isList: true,
  isCommaList: true,
};

export const filterOptions = {
  status: statusOption,
  from: dayOption(
    "only orders from this day on, in this machine's time zone: 2026-01-31, 2026-01, today, yesterday, 7d (days ago)",
  ),
  to: dayOption("only orders up to the end of this day"),
  last: lastDaysOption("only orders of the last N days, today included, such as 7d"),
  utc: switchOption("days are those of UTC"),
} as const;

/** Days as calendar dates, both included. */
export interface DayRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly zone: Zone;
  /** What they were counted from; undefined for days that were given as dates. */
  readonly today?: CountedToday | undefined;
}

/** A day by this machine's clock, and when it was read. */
interface CountedToday {
  readonly day: string;
  readonly atMs: number;
  readonly elapsedMs: number;
}

/** The orders that a command is about. */
export interface OrderQuery {
  /** Each once; none: orders in any state. */
  readonly statuses: readonly string[];
  /** Undefined: of any day. */
  readonly days: DayRange | undefined;
}

/** Throws a usage error for days that exclude each other. */
export function checkFilter(options: OptionValues<typeof filterOptions>, clock: Clock): OrderQuery {
  return { statuses: [...new Set(options.status)], days: checkDays(options, clock) };
}

function checkDays(
  { from, to, last, utc }: Omit<OptionValues<typeof filterOptions>, "status">,
  clock: Clock,
): DayRange | undefined {
  if (last !== undefined && (from ?? to) !== undefined)
    throw usageError(`--last and ${from ? "--from" : "--to"} exclude each other`);
  if (utc && (from ?? to ?? last) === undefined)
    throw usageError("--utc changes what --from, --to and --last mean, and none of them is given");
  if ((from ?? to ?? last) === undefined) return undefined;
  const zone = utc ? "utc" : "local";
  const atMs = clock.now();
  const today = dayOf(atMs, zone); // the first use of the local zone takes a few milliseconds
  const counted = { day: today, atMs, elapsedMs: clock.elapsed() };
  if (last !== undefined) return { from: moveDay(today, 1 - last), to: today, zone, today: counted };
  const isCounted = [from, to].some(
    (given) => given && given.days(today).first !== given.days(moveDay(today, 1)).first,
  );
  const range = {
    from: from?.days(today).first,
    to: to?.days(today).last,
    zone,
    today: isCounted ? counted : undefined,
  } as const;
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) {
    const name = (text = "", day = "") => (text === day ? text : `${text} (${day})`);
    throw usageError(`--from ${name(from?.text, range.from)} is after --to ${name(to?.text, range.to)}`);
  }
  return range;
}

/** Throws a usage error for a state that is a known one misspelt. */
function parseStates(text: string, flag: string): readonly string[] {
  if (text.startsWith("=")) return [text.slice(1)];
  const states = text.split(",").map((each) => each.trim());
  if (states.includes("")) throw usageError(`${flag} takes states separated by commas, not ${quote(text)}`);
  for (const state of states) {
    const meant = findNearMiss(state, stateNames);
    if (meant !== undefined)
      throw usageError(
        `unknown state ${quote(state)}; did you mean ${meant}?`,
        `to use it as typed: ${flag} ${inQuotes(`=${state}`)}`,
      );
  }
  return states;
}

/**
 * What the service is asked for: one list for each state, in the order in which an order passes through them. Which
 * zone its days are of is not shown (4.3), so that it is asked for one day more on each side.
 */
export function widenedFilters({ statuses, days }: OrderQuery): readonly OrderFilter[] {
  // No date can be written beyond these: the list has no bound there.
  const dateFrom =
    days?.from === undefined || days.from === "0000-01-01" ? undefined : moveDay(days.from, -1);
  const dateTo = days?.to === undefined || days.to === "9999-12-31" ? undefined : moveDay(days.to, 1);
  const states = statuses.length === 0 ? [undefined] : statuses.toSorted((a, b) => placeOf(a) - placeOf(b));
  return states.map((status) => ({ status, dateFrom, dateTo }));
}

/** A state that courier does not know comes last. */
function placeOf(state: string): number {
  return stateNames.includes(state) ? stateNames.indexOf(state) : stateNames.length;
}

/** What an order says of itself: its state and when it was created. */
type OwnFacts = Pick<OrderSummary, "status" | "created_at">;

/**
 * Chooses orders by what they say of themselves, since the service may ignore its filters (4.3). An order without a
 * readable state or time is kept.
 */
export interface OwnFilter {
  /** `createdAt` as the service wrote it. */
  hasDay(createdAt: string | null | undefined): boolean;
  /** Counts an order that is of the days and in another state. */
  takes(order: OwnFacts): boolean;
  /** The same orders; counts those that were kept without a readable state or time. */
  counted<T extends OwnFacts>(orders: AsyncGenerator<T, void>): AsyncGenerator<T, void>;
  /** Orders of the days that were left out for their states so far. */
  leftOut(): number;
  /** Says how many orders were left out for their states, and how many were kept although state or day is not known. */
  warn(messages: Messages): void;
  /** "days of Asia/Shanghai"; undefined where orders of any day were chosen. */
  readonly note: string | undefined;
  /** From now on, the days are compared with what this service tells of its clock. */
  compareClock(service: Pick<CourierService, "clockOffsetMs">): void;
  /** Says that the days were counted from another day than the service's today; undefined where they were not, or none is known. */
  describeClock(): string | undefined;
}

export function createOwnFilter({ statuses, days }: OrderQuery, clock: Clock): OwnFilter {
  let leftOut = 0;
  let undated = 0;
  let stateless = 0;
  const findDay = (createdAt: string | null | undefined) => {
    if (days === undefined) return undefined;
    const instantMs = parseInstant(createdAt ?? "");
    return instantMs === undefined ? undefined : dayOf(instantMs, days.zone);
  };
  const hasDay = (createdAt: string | null | undefined) => {
    const day = findDay(createdAt);
    if (day === undefined) return true;
    return day >= (days?.from ?? day) && day <= (days?.to ?? day);
  };
  let service: Pick<CourierService, "clockOffsetMs"> | undefined;
  const describeClock = () => {
    const offsetMs = service?.clockOffsetMs();
    return offsetMs === undefined ? undefined : describeOtherDay(days, offsetMs, clock);
  };
  return {
    compareClock(compared) {
      service = compared;
    },
    describeClock,
    hasDay,
    takes({ status, created_at }) {
      if (!hasDay(created_at)) return false;
      const isOther = statuses.length > 0 && saysState(status) && !statuses.includes(status);
      if (isOther) leftOut += 1;
      return !isOther;
    },
    async *counted(orders) {
      for await (const order of orders) {
        if (days && findDay(order.created_at) === undefined) undated += 1;
        if (statuses.length > 0 && !saysState(order.status)) stateless += 1;
        yield order;
      }
    },
    leftOut: () => leftOut,
    warn(messages) {
      const otherDay = describeClock();
      if (otherDay !== undefined) messages.warn(otherDay);
      if (leftOut > 0)
        messages.warn(
          `the service also listed ${counted(leftOut, "order")} in other states, which ${byCount(leftOut, "is", "are")} left out`,
        );
      const warnOfKept = (kept: number, problem: string) => {
        const are = `${counted(kept, "order")} ${byCount(kept, "is", "are")}`;
        if (kept > 0) messages.warn(`${are} kept although ${byCount(kept, "its", "their")} ${problem}`);
      };
      warnOfKept(undated, "created_at cannot be read");
      warnOfKept(stateless, "status cannot be read");
    },
    note: days && `days of ${zoneName(days.zone, clock.now())}`,
  };
}

/** A clock that is wrong within the same day counts the same days. */
function describeOtherDay(days: DayRange | undefined, offsetMs: number, clock: Clock): string | undefined {
  if (!days?.today) return undefined;
  const { day, atMs, elapsedMs } = days.today;
  // The clock of this run may follow another one by now.
  const serviceMs = clock.now() + offsetMs - (clock.elapsed() - elapsedMs);
  const awayMs = serviceMs - atMs;
  if (Math.abs(awayMs) <= largestOffsetMs) return undefined;
  const there = dayOf(serviceMs, days.zone);
  if (there === day) return undefined;
  return `the clock of this machine is ${describeOffset(awayMs)}, and the days were counted from ${day} in place of ${there}`;
}

export function saysState(status: string | null | undefined): status is string {
  return typeof status === "string" && status !== "";
}
