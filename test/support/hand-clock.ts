/** A clock moved by hand: nothing waits for real, every delay asked for is on record. */

import type { Clock } from "../../src/core/clock.ts";

export interface HandClock extends Clock {
  /** The delays that were slept, in milliseconds, in order. */
  readonly delays: readonly number[];
  /** Moves the hour forward and fires the timers that are due. */
  advance(byMs: number): void;
  /** Timers that wait for `advance`. */
  readonly waiting: number;
}

/** Starts at an ISO timestamp. A sleep ends at once and moves the hour by its delay; a timer waits for `advance`. */
export function createHandClock(startIso: string): HandClock {
  let nowMs = Date.parse(startIso);
  const delays: number[] = [];
  const timers = new Set<{ dueMs: number; expire: () => void }>();
  return {
    delays,
    now: () => nowMs,
    async sleep(delayMs, signal) {
      signal?.throwIfAborted();
      delays.push(delayMs);
      nowMs += delayMs;
    },
    after(delayMs, expire) {
      const timer = { dueMs: nowMs + delayMs, expire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(byMs) {
      nowMs += byMs;
      for (const timer of [...timers].sort((a, b) => a.dueMs - b.dueMs)) {
        if (timer.dueMs <= nowMs && timers.delete(timer)) timer.expire();
      }
    },
    get waiting() {
      return timers.size;
    },
  };
}
