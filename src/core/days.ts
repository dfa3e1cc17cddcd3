/** Days as people name them (`today`, `7d`, `2026-11`), in the zone of this machine or in UTC. */

import { formatLocal, isCalendarDate, localDate, utcDate } from "./time.ts";

export type Zone = "local" | "utc";

/** The days that a word names, given today: a month names several. */
export type DayName = (today: string) => { readonly first: string; readonly last: string };

const dayMs = 86_400_000;
const spanPattern = /^(\d{1,5})d$/;

/** Reads `2026-11-21`, `2026-11`, `today`, `yesterday` or `7d`: seven days before today. Undefined for anything else. */
export function readDay(text: string): DayName | undefined {
  const single = (day: string) => ({ first: day, last: day });
  if (text === "today") return single;
  if (text === "yesterday") return (today) => single(moveDay(today, -1));
  const days = readSpan(text);
  if (days !== undefined) return (today) => single(moveDay(today, -days));
  if (isCalendarDate(text)) return () => single(text);
  if (!isCalendarDate(`${text}-01`)) return undefined;
  const last = [31, 30, 29, 28].map((day) => `${text}-${day}`).find(isCalendarDate);
  return last === undefined ? undefined : () => ({ first: `${text}-01`, last });
}

/** The number of days in `7d`. */
export function readSpan(text: string): number | undefined {
  const days = spanPattern.exec(text)?.[1];
  return days === undefined ? undefined : Number(days);
}

/** The calendar date of an instant. */
export function dayOf(instantMs: number, zone: Zone): string {
  return zone === "utc" ? utcDate(instantMs) : localDate(instantMs);
}

/** Other days than those of the years 0 to 9999 cannot be written: the first or the last of them takes their place. */
export function moveDay(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const midnight = new Date(0).setUTCFullYear(year, month - 1, date) + days * dayMs;
  const [first, last] = [new Date(0).setUTCFullYear(0, 0, 1), Date.UTC(9999, 11, 31)];
  return utcDate(Math.min(last, Math.max(first, midnight)));
}

/** `Asia/Shanghai`, or the offset of now where the zone has no name. */
export function zoneName(zone: Zone, nowMs: number): string {
  if (zone === "utc") return "UTC";
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone && timeZone !== "undefined" ? timeZone : `UTC${formatLocal(nowMs).slice(-6)}`;
}
