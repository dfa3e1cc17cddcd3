/** Days, weeks and months of this machine's time zone; weeks are those of ISO 8601, from Monday to Sunday. */

export type Period = "day" | "week" | "month";

export interface PeriodSpan {
  /** `2026-10-05`, `2026-W41` or `2026-10`. */
  readonly key: string;
  readonly startMs: number;
  /** The first millisecond after it. */
  readonly endMs: number;
}

/** The period that has this instant. */
export function periodAt(instantMs: number, period: Period): PeriodSpan {
  const at = new Date(instantMs);
  const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
  if (period === "month")
    return {
      key: `${padYear(year)}-${pad(month + 1)}`,
      startMs: midnight(year, month, 1),
      endMs: midnight(year, month + 1, 1),
    };
  if (period === "day")
    return {
      key: `${padYear(year)}-${pad(month + 1)}-${pad(day)}`,
      startMs: midnight(year, month, day),
      endMs: midnight(year, month, day + 1),
    };
  const monday = day - ((at.getDay() + 6) % 7);
  return {
    key: weekKey(new Date(midnight(year, month, monday + 3))),
    startMs: midnight(year, month, monday),
    endMs: midnight(year, month, monday + 7),
  };
}

/** A week belongs to the year of its Thursday. */
function weekKey(thursday: Date): string {
  const year = thursday.getFullYear();
  const dayOfYear = Math.round((thursday.getTime() - midnight(year, 0, 1)) / 86_400_000);
  return `${padYear(year)}-W${pad(Math.floor(dayOfYear / 7) + 1)}`;
}

/** The instant at which a local day begins, given as `YYYY-MM-DD`; moved by whole days. */
export function dayStart(date: string, moveDays = 0): number {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return midnight(year, month - 1, day + moveDays);
}

function midnight(year: number, month: number, day: number): number {
  const date = new Date(2_000, 0, 1);
  date.setFullYear(year, month, day); // the constructor takes 99 for 1999
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}

function padYear(year: number): string {
  return String(year).padStart(4, "0");
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
