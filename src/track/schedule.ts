/**
 * The times of the next polls of a watch. It reads no clock: each call passes the time, as the clock's `elapsed`, so
 * that the same calls give the same schedule.
 */

/** How often a parcel is polled. */
export interface Pace {
  readonly intervalMs: number;
  /** The interval does not grow, and has no jitter. */
  readonly isFixed: boolean;
}

export const usualPace: Pace = { intervalMs: 60_000, isFixed: false };

/** The backoff of an unchanged parcel stops here. Some carriers block a number that is polled too often for a day. */
const slowestMs = 600_000;
const growth = 1.5;
const jitter = 0.2;
/** The longest gap between two polls in the first round; polls with shorter gaps may use one timer. */
const widestSpacingMs = 100;
/** HTTP 429 halves the rate factor, down to the least; each round without one adds a part. */
const leastRateFactor = 1 / 32;
const rateRecovery = 1 / 4;
/** A service that asks for a longer pause gets the next request after it. */
export const longestPauseMs = 86_400_000;

export interface ScheduleOptions {
  readonly trackingNumbers: readonly string[];
  readonly pace: Pace;
  readonly nowMs: number;
  /** Polls in progress at once. */
  readonly concurrency: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** How a poll ended. */
export type PollOutcome =
  | { readonly kind: "changed" | "same" | "failed" }
  /** The parcel needs no further poll. */
  | { readonly kind: "done" }
  | { readonly kind: "rate_limited"; readonly retryAfterMs: number | undefined };

export interface Schedule {
  /** The parcel to poll now, if any. The caller passes the outcome to `end`. */
  take(nowMs: number): string | undefined;
  end(trackingNumber: string, outcome: PollOutcome, nowMs: number): void;
  /** When `take` may return a parcel; undefined while that depends on a poll in progress. */
  nextMs(): number | undefined;
  /**
   * The machine was asleep for so long: polls of that time are due now. A pause for a rate limit does not get
   * shorter.
   */
  wake(sleptMs: number): void;
  /** When the next poll of this parcel is due; undefined during a poll, and after the last. */
  dueMs(trackingNumber: string): number | undefined;
  /** The end of the pause for a rate limit; in the past where there is none. */
  readonly pausedUntilMs: number;
}

interface ScheduledParcel {
  readonly trackingNumber: string;
  dueMs: number;
  startedMs: number;
  intervalMs: number;
  failures: number;
  /** Added once, after the first poll: the first round is shorter than the interval, later rounds spread over it. */
  shiftMs: number;
  state: "waiting" | "polling" | "done";
}

export function createSchedule(options: ScheduleOptions): Schedule {
  const { pace, random, concurrency } = options;
  const count = options.trackingNumbers.length;
  const spacingMs = Math.min(pace.intervalMs / Math.max(1, count), widestSpacingMs);
  const entries = options.trackingNumbers.map(
    (trackingNumber, index): ScheduledParcel => ({
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
  let inProgress = 0;
  let gateMs = options.nowMs;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  let rateFactor = 1;
  let slowedMs = Number.NEGATIVE_INFINITY;

  function first(): ScheduledParcel | undefined {
    let earliest: ScheduledParcel | undefined;
    for (const entry of entries)
      if (entry.state === "waiting" && (!earliest || entry.dueMs < earliest.dueMs)) earliest = entry;
    return earliest;
  }

  function nextMs(): number | undefined {
    const next = inProgress < concurrency ? first() : undefined;
    return next && Math.max(next.dueMs, gateMs, pausedUntilMs);
  }

  function slowDown(entry: ScheduledParcel, retryAfterMs: number | undefined, nowMs: number): void {
    // Polls that began before the last HTTP 429 report the same limit.
    if (entry.startedMs > slowedMs) rateFactor = Math.max(rateFactor / 2, leastRateFactor);
    slowedMs = nowMs;
    const pauseMs = Math.min(retryAfterMs ?? pace.intervalMs, longestPauseMs);
    pausedUntilMs = Math.max(pausedUntilMs, nowMs + pauseMs);
  }

  /** Each answer adds its part of a round of the parcels that are still watched. */
  function speedUp(): void {
    const open = entries.filter(({ state }) => state !== "done").length;
    rateFactor = Math.min(1, rateFactor + rateRecovery / Math.max(1, open));
  }

  function intervalAfter(entry: ScheduledParcel, { kind }: PollOutcome): number {
    entry.failures = kind === "failed" ? entry.failures + 1 : 0;
    const isReset = kind === "changed" || kind === "rate_limited" || entry.failures === 1;
    if (pace.isFixed || isReset) return pace.intervalMs;
    return Math.max(pace.intervalMs, Math.min(entry.intervalMs * growth, slowestMs));
  }

  return {
    nextMs,
    take(nowMs) {
      const atMs = nextMs();
      const entry = first();
      if (!entry || atMs === undefined || atMs > nowMs) return undefined;
      // After a sleep of the machine all parcels are due at once: their later polls are spread again.
      if (nowMs - entry.dueMs > pace.intervalMs) entry.shiftMs = random() * pace.intervalMs;
      entry.state = "polling";
      entry.startedMs = nowMs;
      inProgress += 1;
      gateMs = Math.max(gateMs, nowMs - (widestSpacingMs - spacingMs)) + spacingMs / rateFactor;
      return entry.trackingNumber;
    },
    end(trackingNumber, outcome, nowMs) {
      const entry = byNumber.get(trackingNumber);
      if (entry?.state !== "polling") return;
      inProgress -= 1;
      entry.state = outcome.kind === "done" ? "done" : "waiting";
      if (outcome.kind === "rate_limited") slowDown(entry, outcome.retryAfterMs, nowMs);
      else if (outcome.kind !== "failed") speedUp();
      entry.intervalMs = intervalAfter(entry, outcome);
      const varied = pace.isFixed ? 1 : 1 + jitter * random();
      const gapMs = (entry.intervalMs / rateFactor) * varied + entry.shiftMs;
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

/** How many polls a watch makes in a time in which nothing changes. */
export function pollsWithin(durationMs: number, parcels: number, { intervalMs, isFixed }: Pace): number {
  if (isFixed) return parcels * (Math.floor(durationMs / intervalMs) + 1);
  let polls = 0;
  let gapMs = intervalMs;
  for (let atMs = 0; atMs <= durationMs; atMs += gapMs, gapMs = Math.min(gapMs * growth, slowestMs))
    polls += 1;
  return parcels * polls;
}
