/** A clock moved by hand: nothing waits for real, every delay asked for is on record. */

import { type Clock, trackHour } from "../../src/core/clock.ts";

export interface HandClock extends Clock {
  /** The delays that were slept, in milliseconds, in order. */
  readonly delays: readonly number[];
  /** Moves the hour forward and fires the timers that are due. */
  advance(byMs: number): void;
  /** Sets the hour as a person or a time server would: no timer and no span knows of it. */
  jump(byMs: number): void;
  /** Starts the machine anew. */
  reboot(): void;
  /** Timers that wait for `advance`. */
  readonly waiting: number;
}

/** Starts at an ISO timestamp. A sleep ends at once and moves the hour by its delay; a timer waits for `advance`. */
export function createHandClock(startIso: string): HandClock {
  let elapsedMs = 0;
  let boots = 1;
  let bootedMs = 0;
  let offsetMs = Date.parse(startIso);
  const delays: number[] = [];
  const timers = new Set<{ dueMs: number; expire: () => void }>();
  return {
    delays,
    ...trackHour(
      () => offsetMs + elapsedMs,
      () => elapsedMs,
    ),
    sinceBoot: () => ({ boot: `boot ${boots}`, ms: elapsedMs - bootedMs }),
    jump(byMs) {
      offsetMs += byMs;
    },
    reboot() {
      boots += 1;
      bootedMs = elapsedMs;
    },
    async sleep(delayMs, signal) {
      signal?.throwIfAborted();
      delays.push(delayMs);
      elapsedMs += delayMs;
    },
    after(delayMs, expire) {
      const timer = { dueMs: elapsedMs + delayMs, expire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(byMs) {
      elapsedMs += byMs;
      for (const timer of [...timers].sort((a, b) => a.dueMs - b.dueMs)) {
        if (timer.dueMs <= elapsedMs && timers.delete(timer)) timer.expire();
      }
    },
    get waiting() {
      return timers.size;
    },
  };
}
