/** The rate limiter of an import: all workers wait for it before each request. */

import type { Clock } from "../core/clock.ts";

export interface RateLimiter {
  /** Resolves when the next request may leave, in the order of the calls. Rejects with the signal's reason. */
  pass(signal: AbortSignal): Promise<void>;
  /** No request starts for so long. Returns when the longest pause ends, as the clock's `elapsed`. */
  pause(delayMs: number): number;
}

const latestTimerMs = 20;

/** `ratePerSecond` spaces the requests evenly; without it only pauses delay them. */
export function createRateLimiter(clock: Clock, ratePerSecond?: number): RateLimiter {
  const spacingMs = ratePerSecond === undefined ? 0 : 1_000 / ratePerSecond;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  let nextSlotMs = Number.NEGATIVE_INFINITY;
  let last = Promise.resolve();

  async function openGate(signal: AbortSignal): Promise<void> {
    for (;;) {
      const nowMs = clock.elapsed();
      const freeAtMs = Math.max(pausedUntilMs, nextSlotMs);
      if (freeAtMs <= nowMs) {
        // A timer that fires late must not delay all later requests.
        nextSlotMs = (nowMs - nextSlotMs > latestTimerMs ? nowMs : nextSlotMs) + spacingMs;
        return;
      }
      await clock.sleep(freeAtMs - nowMs, signal);
    }
  }

  return {
    pass(signal) {
      // One after the other: timers that are due at once fire in any order, so a row could wait for ever.
      const passed = last.then(() => openGate(signal));
      last = passed.catch(() => {});
      return passed;
    },
    pause(delayMs) {
      pausedUntilMs = Math.max(pausedUntilMs, clock.elapsed() + delayMs);
      return pausedUntilMs;
    },
  };
}
