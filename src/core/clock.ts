/** Owns the passing of time: everything that reads the hour or waits does it through a clock. */

export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason as soon as it aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls `expire` once after `delayMs` unless the returned function was called before. */
  after(delayMs: number, expire: () => void): () => void;
}

/** The machine's own clock. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
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
