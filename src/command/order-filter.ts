/** Which orders a command is about, as options: states, and days of this machine's zone or of UTC (4.3). */

import type { OrderFilter } from "../api/service.ts";
import type { Clock } from "../core/clock.ts";
import { dayOf, moveDay, type Zone, zoneName } from "../core/days.ts";
import { usageError } from "../core/errors.ts";
import { inQuotes } from "../core/shell-quote.ts";
import { findNearMiss } from "../core/suggest.ts";
import { parseInstant } from "../core/time.ts";
import { byCount, counted } from "../core/wording.ts";
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
  const today = dayOf(clock.now(), zone); // the first use of the local zone takes a few milliseconds
  if (last !== undefined) return { from: moveDay(today, 1 - last), to: today, zone };
  const range = { from: from?.days(today).first, to: to?.days(today).last, zone } as const;
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
 * What the service is asked for: one list for each state. Which zone its days are of is not shown (4.3), so that it is
 * asked for one day more on each side.
 */
export function widenedFilters({ statuses, days }: OrderQuery): readonly OrderFilter[] {
  // No date can be written beyond these: the list has no bound there.
  const dateFrom =
    days?.from === undefined || days.from === "0000-01-01" ? undefined : moveDay(days.from, -1);
  const dateTo = days?.to === undefined || days.to === "9999-12-31" ? undefined : moveDay(days.to, 1);
  const states = statuses.length === 0 ? [undefined] : statuses;
  return states.map((status) => ({ status, dateFrom, dateTo }));
}

/** Chooses orders by the days on which they were created. An order whose time cannot be read is kept. */
export interface DayFilter {
  /** `createdAt` as the service wrote it. */
  has(createdAt: string | null | undefined): boolean;
  /** The same orders; counts those whose time cannot be read. */
  counted<T extends { readonly created_at?: string | null | undefined }>(
    orders: AsyncGenerator<T, void>,
  ): AsyncGenerator<T, void>;
  /** Says how many of the counted orders were kept although their day is not known. */
  warn(messages: Messages): void;
  /** "days of Asia/Shanghai"; undefined where orders of any day were chosen. */
  readonly note: string | undefined;
}

export function createDayFilter(days: DayRange | undefined, clock: Clock): DayFilter {
  let unreadable = 0;
  const find = (createdAt: string | null | undefined) => {
    if (days === undefined) return undefined;
    const instantMs = parseInstant(createdAt ?? "");
    return instantMs === undefined ? undefined : dayOf(instantMs, days.zone);
  };
  return {
    has(createdAt) {
      const day = find(createdAt);
      if (day === undefined) return true;
      return day >= (days?.from ?? day) && day <= (days?.to ?? day);
    },
    async *counted(orders) {
      for await (const order of orders) {
        if (days && find(order.created_at) === undefined) unreadable += 1;
        yield order;
      }
    },
    warn(messages) {
      if (unreadable === 0) return;
      const are = `${counted(unreadable, "order")} ${byCount(unreadable, "is", "are")}`;
      messages.warn(`${are} kept although ${byCount(unreadable, "its", "their")} created_at cannot be read`);
    },
    note: days && `days of ${zoneName(days.zone, clock.now())}`,
  };
}
