/** Days, weeks and months of this machine's time zone or of UTC; weeks are those of ISO 8601, from Monday to Sunday. */

import type { Zone } from "../core/days.ts";

export type Period = "day" | "week" | "month";

export interface PeriodSpan {
  /** `2026-10-05`, `2026-W41` or `2026-10`. */
  readonly key: string;
  readonly startMs: number;
  /** The first millisecond after it. */
  readonly endMs: number;
}

/** The period that has this instant. */
export function periodAt(instantMs: number, period: Period, zone: Zone): PeriodSpan {
  const { year, month, day, weekday } = partsOf(instantMs, zone);
  const span = (key: string, first: readonly [number, number], end: readonly [number, number]) => ({
    key,
    startMs: midnight(year, ...first, zone),
    endMs: midnight(year, ...end, zone),
  });
  const monthKey = `${padYear(year)}-${pad(month + 1)}`;
  if (period === "month") return span(monthKey, [month, 1], [month + 1, 1]);
  if (period === "day") return span(`${monthKey}-${pad(day)}`, [month, day], [month, day + 1]);
  const monday = day - ((weekday + 6) % 7);
  const thursdayMs = midnight(year, month, monday + 3, zone);
  return span(weekKey(thursdayMs, zone), [month, monday], [month, monday + 7]);
}

/** A week belongs to the year of its Thursday. */
function weekKey(thursdayMs: number, zone: Zone): string {
  const { year } = partsOf(thursdayMs, zone);
  const dayOfYear = Math.round((thursdayMs - midnight(year, 0, 1, zone)) / 86_400_000);
  return `${padYear(year)}-W${pad(Math.floor(dayOfYear / 7) + 1)}`;
}

/** The instant at which a day begins, given as `YYYY-MM-DD`; moved by whole days. */
export function dayStart(date: string, zone: Zone, moveDays = 0): number {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return midnight(year, month - 1, day + moveDays, zone);
}

function partsOf(instantMs: number, zone: Zone) {
  const at = new Date(instantMs);
  if (zone === "utc")
    return {
      year: at.getUTCFullYear(),
      month: at.getUTCMonth(),
      day: at.getUTCDate(),
      weekday: at.getUTCDay(),
    };
  return { year: at.getFullYear(), month: at.getMonth(), day: at.getDate(), weekday: at.getDay() };
}

/** The constructors of dates take the year 99 for 1999. */
function midnight(year: number, month: number, day: number, zone: Zone): number {
  if (zone === "utc") return new Date(0).setUTCFullYear(year, month, day);
  const date = new Date(2_000, 0, 1);
  date.setFullYear(year, month, day);
  return date.setHours(0, 0, 0, 0);
}

function padYear(year: number): string {
  return String(year).padStart(4, "0");
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
