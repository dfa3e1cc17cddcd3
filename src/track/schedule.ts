/**
 * When each parcel is looked at next. Pure but for what it was told: the time comes with each call, as the clock's
 * `elapsed`, so the same calls give the same schedule.
 */

/** How often a parcel is looked at. */
export interface Pace {
  readonly intervalMs: number;
  /** Neither grows nor varies. */
  readonly isFixed: boolean;
}

export const usualPace: Pace = { intervalMs: 60_000, isFixed: false };

/** Some carriers lock a number for a day that is asked for too often. */
const slowestMs = 600_000;
const growth = 1.5;
const jitter = 0.2;
/** Between any two looks, where the interval does not leave less; looks closer than that may share a moment. */
const widestSpacingMs = 100;
/** Of the pace that was asked for: 429 halves what is left of it, down to the least; a round without one gives some back. */
const leastShare = 1 / 32;
const shareBack = 1 / 4;
const longestPauseMs = 86_400_000;

export interface ScheduleOptions {
  readonly trackingNumbers: readonly string[];
  readonly pace: Pace;
  readonly nowMs: number;
  /** Looks under way at once. */
  readonly concurrency: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** How a look ended: the parcel has moved, stands as before, was not to be seen, or too many calls were made. */
export type LookOutcome =
  | { readonly kind: "changed" | "same" | "failed" }
  /** The parcel needs no further look. */
  | { readonly kind: "done" }
  | { readonly kind: "rate_limited"; readonly retryAfterMs: number | undefined };

export interface Schedule {
  /** The parcel to look at now, if any: its look has begun, and `end` has to be told how it ended. */
  take(nowMs: number): string | undefined;
  end(trackingNumber: string, outcome: LookOutcome, nowMs: number): void;
  /** When `take` may give something; undefined while that depends on a look that is under way. */
  nextMs(): number | undefined;
  /** The machine may have slept for so long: what would have come due meanwhile is due. A rest that the service asked for lasts. */
  wake(sleptMs: number): void;
  /** When the next look at this parcel is due; undefined while one is under way, and after the last. */
  dueMs(trackingNumber: string): number | undefined;
  /** Until when the service has asked for a rest; in the past if it has not. */
  readonly pausedUntilMs: number;
}

interface Entry {
  readonly trackingNumber: string;
  dueMs: number;
  startedMs: number;
  intervalMs: number;
  failures: number;
  /** Added once, after the first look: the first round is quicker than the interval, the later ones fill it. */
  shiftMs: number;
  state: "waiting" | "under way" | "done";
}

export function createSchedule(options: ScheduleOptions): Schedule {
  const { pace, random, concurrency } = options;
  const count = options.trackingNumbers.length;
  const spacingMs = Math.min(pace.intervalMs / Math.max(1, count), widestSpacingMs);
  const entries = options.trackingNumbers.map(
    (trackingNumber, index): Entry => ({
      trackingNumber,
      dueMs: options.nowMs + index * spacingMs,
      startedMs: 0,
      intervalMs: pace.intervalMs,
      failures: 0,
      shiftMs: index * (pace.intervalMs / count - spacingMs),
      state: "waiting",
    }),
  );
  const byNumber = new Map(entries.map((entry) => [entry.trackingNumber, entry]));
  let underWay = 0;
  let gateMs = options.nowMs;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  let share = 1;
  let slowedMs = Number.NEGATIVE_INFINITY;

  function first(): Entry | undefined {
    let earliest: Entry | undefined;
    for (const entry of entries)
      if (entry.state === "waiting" && (!earliest || entry.dueMs < earliest.dueMs)) earliest = entry;
    return earliest;
  }

  function nextMs(): number | undefined {
    const next = underWay < concurrency ? first() : undefined;
    return next && Math.max(next.dueMs, gateMs, pausedUntilMs);
  }

  function slowDown(entry: Entry, retryAfterMs: number | undefined, nowMs: number): void {
    // Looks that were under way when it was said say the same.
    if (entry.startedMs > slowedMs) share = Math.max(share / 2, leastShare);
    slowedMs = nowMs;
    const restMs = Math.min(retryAfterMs ?? pace.intervalMs, longestPauseMs);
    pausedUntilMs = Math.max(pausedUntilMs, nowMs + restMs);
  }

  /** Every answer gives its part of a round back, of those parcels that are still looked at. */
  function speedUp(): void {
    const open = entries.filter(({ state }) => state !== "done").length;
    share = Math.min(1, share + shareBack / Math.max(1, open));
  }

  function intervalAfter(entry: Entry, { kind }: LookOutcome): number {
    entry.failures = kind === "failed" ? entry.failures + 1 : 0;
    const startsAnew = kind === "changed" || kind === "rate_limited" || entry.failures === 1;
    if (pace.isFixed || startsAnew) return pace.intervalMs;
    return Math.max(pace.intervalMs, Math.min(entry.intervalMs * growth, slowestMs));
  }

  return {
    nextMs,
    take(nowMs) {
      const atMs = nextMs();
      const entry = first();
      if (!entry || atMs === undefined || atMs > nowMs) return undefined;
      // A machine that has slept finds all parcels due at once; their later looks are spread again.
      if (nowMs - entry.dueMs > pace.intervalMs) entry.shiftMs = random() * pace.intervalMs;
      entry.state = "under way";
      entry.startedMs = nowMs;
      underWay += 1;
      gateMs = Math.max(gateMs, nowMs - (widestSpacingMs - spacingMs)) + spacingMs / share;
      return entry.trackingNumber;
    },
    end(trackingNumber, outcome, nowMs) {
      const entry = byNumber.get(trackingNumber);
      if (entry?.state !== "under way") return;
      underWay -= 1;
      entry.state = outcome.kind === "done" ? "done" : "waiting";
      if (outcome.kind === "rate_limited") slowDown(entry, outcome.retryAfterMs, nowMs);
      else if (outcome.kind !== "failed") speedUp();
      entry.intervalMs = intervalAfter(entry, outcome);
      const varied = pace.isFixed ? 1 : 1 + jitter * random();
      const gapMs = (entry.intervalMs / share) * varied + entry.shiftMs;
      entry.shiftMs = 0;
      entry.dueMs = Math.max(entry.startedMs + gapMs, nowMs);
    },
    wake(sleptMs) {
      for (const entry of entries) entry.dueMs -= sleptMs;
    },
    dueMs(trackingNumber) {
      const entry = byNumber.get(trackingNumber);
      return entry?.state === "waiting" ? Math.max(entry.dueMs, pausedUntilMs) : undefined;
    },
    get pausedUntilMs() {
      return pausedUntilMs;
    },
  };
}

/** Looks that a board takes in a time in which nothing changes. */
export function looksWithin(durationMs: number, parcels: number, { intervalMs, isFixed }: Pace): number {
  if (isFixed) return parcels * (Math.floor(durationMs / intervalMs) + 1);
  let looks = 0;
  let gapMs = intervalMs;
  for (let atMs = 0; atMs <= durationMs; atMs += gapMs, gapMs = Math.min(gapMs * growth, slowestMs))
    looks += 1;
  return parcels * looks;
}
