/** The passing of time: everything that reads the hour or waits does it through a clock. */

export interface Clock {
  /**
   * Milliseconds since 1970-01-01T00:00:00Z, for what is shown, stored or compared with the stamps of others. Somebody
   * may set the hour at any moment, so no span is computed from it.
   */
  now(): number;
  /** Milliseconds since a moment of its own, for spans and deadlines: goes on evenly when the hour is set. */
  elapsed(): number;
  /**
   * The latest hour that a stamp may stand for, by the hour of now: other than the stamp where the hour was set since
   * this process began.
   */
  asOfNow(stampMs: number): number;
  /** Resolves after `delayMs`; rejects with the signal's reason as soon as it aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls `expire` once after `delayMs` unless the returned function was called before. */
  after(delayMs: number, expire: () => void): () => void;
}

/** The machine's own clock. `elapsed`: a monotonic reading that costs less to load than the usual one. */
export function systemClock(elapsed: () => number = () => performance.now()): Clock {
  return {
    ...trackHour(() => Date.now(), elapsed),
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

/** What is overdue is due now; later releases of the runtimes warn of less than zero. */
function atLeastZero(delayMs: number): number {
  return Math.max(0, delayMs);
}

/** Two readings are never of one instant; less than this is no setting of the hour. */
const settingMs = 250;

/** Hours that were read between two settings. */
interface Stretch {
  readonly fromMs: number;
  toMs: number;
  /** The hour, less what had elapsed. */
  readonly offsetMs: number;
}

/** Remembers, with each reading of the hour, whether it was set since the last one. */
export function trackHour(
  readHour: () => number,
  elapsed: () => number,
): Pick<Clock, "now" | "elapsed" | "asOfNow"> {
  // Stamps of other processes are older than the first reading, and by the same hour.
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
