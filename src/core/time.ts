/** Parses and words times: calendar dates, ISO 8601 timestamps, "3 h ago". */

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const instantPattern = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)$/i;
const httpDatePattern = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** True for a `YYYY-MM-DD` that exists in the calendar (4.3: date_from, date_to). */
export function isCalendarDate(text: string): boolean {
  const match = datePattern.exec(text);
  if (!match) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const lastDay = new Date(Date.UTC(2_000 + (year % 400), month, 0)).getUTCDate(); // the calendar repeats after 400 years
  return month >= 1 && month <= 12 && day >= 1 && day <= lastDay;
}

/** The calendar date in UTC of an instant in milliseconds, moved by whole days. */
export function utcDate(instantMs: number, moveDays = 0): string {
  return new Date(instantMs + moveDays * 86_400_000).toISOString().slice(0, 10);
}

/** The calendar date in this machine's zone of an instant in milliseconds. */
export function localDate(instantMs: number): string {
  const date = new Date(instantMs);
  return `${String(date.getFullYear()).padStart(4, "0")}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/**
 * Milliseconds since 1970 of an ISO 8601 timestamp that carries its own offset. A timestamp without
 * one names no instant: the answer is undefined, and no zone is ever assumed for it.
 */
export function parseInstant(text: string): number | undefined {
  if (!instantPattern.test(text) || !isCalendarDate(text.slice(0, 10))) return undefined;
  const iso = text.toUpperCase().replace(" ", "T").replace(",", ".");
  const instantMs = Date.parse(iso.replace(/([+-]\d{2}):?(\d{2})?$/, (_, h, min = "00") => `${h}:${min}`));
  return Number.isNaN(instantMs) ? undefined : instantMs;
}

/** Programs write a missing time as a date of the years 0 to 1999: `0001-01-01T00:00:00Z`, `1970-01-01T00:00:00Z`. */
export function isNoTime(text: string | null | undefined): boolean {
  return /^[01]\d{3}-/.test(text ?? "");
}

/** The instant of a stamp; undefined for midnight, too: that may be a day without a time. */
export function parseStamp(text: string | null | undefined): number | undefined {
  const isDay = /[T ]00:00:00(?:[.,]0+)?(?:Z|[+-][\d:]+)?$/i.test(text ?? "");
  return text && !isDay && !isNoTime(text) ? parseInstant(text) : undefined;
}

/** Milliseconds since 1970 of a date in an HTTP header (RFC 9110, 5.6.7); undefined for anything else. */
export function parseHttpDate(text: string | undefined): number | undefined {
  if (text === undefined || !httpDatePattern.test(text)) return undefined;
  const instantMs = Date.parse(text);
  return Number.isNaN(instantMs) ? undefined : instantMs;
}

/** `2026-11-21 15:30 +08:00`: an instant in this machine's zone, with the offset that makes it exact. */
export function formatLocal(instantMs: number): string {
  const date = new Date(instantMs);
  const offset = -date.getTimezoneOffset();
  const sign = offset < 0 ? "-" : "+";
  const zone = `${sign}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`;
  return `${localDate(instantMs)} ${pad(date.getHours())}:${pad(date.getMinutes())} ${zone}`;
}

/** `15:30:08`: a time of day in this machine's zone, for times of today. */
export function formatHour(instantMs: number): string {
  const date = new Date(instantMs);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** `15:30:08`, or with its date where it is far: until when something lasts. */
export function formatUntil(instantMs: number, nowMs: number): string {
  const secondMs = Math.ceil(instantMs / 1_000) * 1_000;
  return Math.abs(secondMs - nowMs) < farMs ? formatHour(secondMs) : formatLocal(secondMs);
}

const farMs = 12 * 3_600_000;

const relativeUnits = [
  { name: "d", sizeMs: 86_400_000 },
  { name: "h", sizeMs: 3_600_000 },
  { name: "min", sizeMs: 60_000 },
] as const;
const secondUnit = { name: "s", sizeMs: 1_000 } as const;

/** Clocks differ: a time at most this far ahead counts as now. */
const momentMs = 10_000;

/** `3 h ago`, `in 2 d`, `just now`: how far an instant is from now, rounded towards now. */
export function formatRelative(instantMs: number, nowMs: number): string {
  const distanceMs = Math.abs(instantMs - nowMs);
  const unit = relativeUnits.find(({ sizeMs }) => distanceMs >= sizeMs);
  if (!unit) return instantMs - nowMs > momentMs ? "in under a minute" : "just now";
  const amount = formatSpan(distanceMs);
  return instantMs > nowMs ? `in ${amount}` : `${amount} ago`;
}

/** `3 d`, `2 h`, `5 min`, `12 s`: a span of time in its largest whole unit, rounded down. */
export function formatSpan(spanMs: number): string {
  const { name, sizeMs } = relativeUnits.find((unit) => spanMs >= unit.sizeMs) ?? secondUnit;
  return `${Math.floor(spanMs / sizeMs)} ${name}`;
}

/** `91 s`, `67 min`, `25 h`: how long to wait, rounded up in a unit that is small beside it. */
export function formatWait(waitMs: number): string {
  const { name, sizeMs } = relativeUnits.find((unit) => waitMs >= 2 * unit.sizeMs) ?? secondUnit;
  return `${Math.ceil(waitMs / sizeMs)} ${name}`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
