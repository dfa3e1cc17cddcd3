/** The clock: all code reads the time and waits through it, so that tests can replace it. */

import { readSinceBoot, type SinceBoot } from "./process-identity.ts";

export interface Clock {
  /**
   * Milliseconds since 1970-01-01T00:00:00Z, for what is shown, stored or compared with other timestamps. The clock of the
   * machine may be set at any moment, so no span is computed from it.
   */
  now(): number;
  /** Monotonic milliseconds, for spans and deadlines: setting the clock of the machine does not change them. */
  elapsed(): number;
  /** Undefined where the system does not name its boots. */
  sinceBoot(): SinceBoot | undefined;
  /**
   * The latest time that a stamp may mean by the clock of now. It differs from the stamp where the clock was set since
   * this process began.
   */
  asOfNow(stampMs: number): number;
  /** From now on the hour is that of another clock, which is so far ahead of the machine's. */
  follow(aheadMs: number): void;
  /** Resolves after `delayMs`; rejects with the signal's reason as soon as it aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls `expire` once after `delayMs` unless the returned function was called before. */
  after(delayMs: number, expire: () => void): () => void;
}

/** The machine's own clock. `elapsed`: a monotonic reading that costs less to load than the usual one. */
export function systemClock(elapsed: () => number = () => performance.now()): Clock {
  return {
    ...trackHour(() => Date.now(), elapsed),
    sinceBoot: trackBoot(elapsed),
    sleep(delayMs, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const onAbort = () => {
          clearTimeout(timer);
          reject(signal?.reason);
        };
        const timer = setTimeout(() => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        }, atLeastZero(delayMs));
        signal?.addEventListener("abort", onAbort, { once: true });
      });
    },
    after(delayMs, expire) {
      const timer = setTimeout(expire, atLeastZero(delayMs));
      return () => clearTimeout(timer);
    },
  };
}

/** An overdue delay is 0: later releases of the runtimes warn of negative ones. */
function atLeastZero(delayMs: number): number {
  return Math.max(0, delayMs);
}

/** The system is asked at most so often: many rows of an import are read in that time. */
const bootReadMs = 100;

function trackBoot(elapsed: () => number): () => SinceBoot | undefined {
  let last: SinceBoot | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = elapsed();
    if (nowMs - lastMs >= bootReadMs) [last, lastMs] = [readSinceBoot(), nowMs];
    return last;
  };
}

/** Wall clock and monotonic clock are read one after the other; a smaller difference does not mean that the clock was set. */
const settingMs = 250;

/** Readings between two settings of the clock. */
interface Stretch {
  readonly fromMs: number;
  toMs: number;
  /** Wall clock minus monotonic clock. */
  readonly offsetMs: number;
}

/** Notices, at each reading, that the clock was set since the last one. */
export function trackHour(
  readOwnHour: () => number,
  elapsed: () => number,
): Pick<Clock, "now" | "elapsed" | "asOfNow" | "follow"> {
  let followedMs = 0;
  const readHour = () => readOwnHour() + followedMs;
  // Stamps of other processes are older than the first reading, and by the same clock.
  const firstMs = readHour();
  let current: Stretch = { fromMs: Number.NEGATIVE_INFINITY, toMs: firstMs, offsetMs: firstMs - elapsed() };
  const before: Stretch[] = [];

  function now(): number {
    const nowMs = readHour();
    const offsetMs = nowMs - elapsed();
    if (Math.abs(offsetMs - current.offsetMs) > settingMs) {
      before.push(current);
      current = { fromMs: nowMs, toMs: nowMs, offsetMs };
    }
    current.toMs = nowMs;
    return nowMs;
  }

  return {
    now,
    elapsed,
    follow(aheadMs) {
      followedMs = aheadMs;
    },
    asOfNow(stampMs) {
      const nowMs = now();
      if (before.length === 0) return stampMs;
      const readings = [...before, current]
        .filter(({ fromMs, toMs }) => fromMs <= stampMs && stampMs <= toMs)
        .map(({ offsetMs }) => stampMs + current.offsetMs - offsetMs)
        .filter((readingMs) => readingMs <= nowMs);
      return readings.length > 0 ? Math.max(...readings) : stampMs;
    },
  };
}
