/** Options whose value is a number, a date or a span of time; the help of the whole program needs none of them. */

import { type DayName, readDay, readSpan } from "../core/days.ts";
import { usageError } from "../core/errors.ts";
import { formatDuration } from "../core/format-duration.ts";
import { parseDuration } from "../core/parse-duration.ts";
import { isPlainDecimal } from "../model/decimal.ts";
import { type JsonNumber, jsonNumber } from "../model/json.ts";
import { type Extras, quote, type Valued } from "./options.ts";

/** A decimal, kept as typed: `2.50` stays `2.50`. */
export function decimalOption(placeholder: string, summary: string, extras: Extras = {}): Valued<JsonNumber> {
  return {
    placeholder,
    summary,
    parse(text, flag) {
      if (isPlainDecimal(text)) return jsonNumber(text);
      throw usageError(`${flag} takes a number such as 2.50, not ${quote(text)}`);
    },
    ...extras,
  };
}

/** An integer of any size, kept as typed. */
export function integerOption(placeholder: string, summary: string, extras: Extras = {}): Valued<JsonNumber> {
  return {
    placeholder,
    summary,
    parse(text, flag) {
      if (isPlainDecimal(text) && !text.includes(".")) return jsonNumber(text);
      throw usageError(`${flag} takes a whole number, not ${quote(text)}`);
    },
    ...extras,
  };
}

/** A day as it was typed, and what it means. */
export interface GivenDay {
  readonly text: string;
  readonly days: DayName;
}

/** A day or a month: `2026-01-31`, `2026-01`, `today`, `yesterday`, `7d`. */
export function dayOption(summary: string, extras: Extras = {}): Valued<GivenDay> {
  return {
    placeholder: "DAY",
    summary,
    candidates: [{ value: "today" }, { value: "yesterday" }, { value: "7d", description: "seven days ago" }],
    parse(text, flag) {
      const days = readDay(text);
      if (days) return { text, days };
      throw usageError(
        `${flag} takes a day such as 2026-01-31, 2026-01, today, yesterday or 7d, not ${quote(text)}`,
      );
    },
    ...extras,
  };
}

/** A number of days, today included: `7d`. */
export function lastDaysOption(summary: string, extras: Extras = {}): Valued<number> {
  return {
    placeholder: "Nd",
    summary,
    candidates: [{ value: "1d", description: "today" }, { value: "7d" }, { value: "30d" }],
    parse(text, flag) {
      const days = readSpan(text);
      if (days) return days;
      throw usageError(`${flag} takes a number of days such as 7d, not ${quote(text)}`);
    },
    ...extras,
  };
}

/** A span of time in milliseconds, within bounds. */
export function durationOption(
  summary: string,
  bounds: { minMs: number; maxMs: number },
  extras: Extras = {},
): Valued<number> {
  const range = `from ${formatDuration(bounds.minMs)} to ${formatDuration(bounds.maxMs)}`;
  return {
    placeholder: "TIME",
    summary,
    parse(text, flag) {
      const value = parseDuration(text);
      if (value !== undefined && value >= bounds.minMs && value <= bounds.maxMs) return value;
      throw usageError(`${flag} takes a time such as 90s, 10m or 2h, ${range}, not ${quote(text)}`);
    },
    ...extras,
  };
}

/** How `--settle` and COURIER_SETTLE are given. */
export const settleOption = durationOption(
  "how long this service may take to list an order: one in doubt counts as not created after it",
  { minMs: 0, maxMs: 86_400_000 },
);
