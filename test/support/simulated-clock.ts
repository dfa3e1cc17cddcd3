/** A clock that leaps to the next thing that is waited for as soon as nothing else is to be done: a day takes no time. */

import { type Clock, trackHour } from "../../src/core/clock.ts";

export interface SimulatedClock extends Clock {
  /** Sets the hour as a person or a sleeping machine would: timers do not know of it. */
  jump(byMs: number): void;
}

interface Timer {
  readonly atMs: number;
  readonly expire: () => void;
}

export function createSimulatedClock(startIso: string): SimulatedClock {
  /** What timers see goes on evenly; what `now` says may jump. */
  let elapsedMs = 0;
  let offsetMs = Date.parse(startIso);
  const timers = new Set<Timer>();
  let isPumping = false;

  function pump(): void {
    isPumping = false;
    let next: Timer | undefined;
    for (const timer of timers) if (!next || timer.atMs < next.atMs) next = timer;
    if (!next) return;
    timers.delete(next);
    elapsedMs = Math.max(elapsedMs, next.atMs);
    next.expire();
    schedule();
  }

  function schedule(): void {
    if (isPumping || timers.size === 0) return;
    isPumping = true;
    setImmediate(pump);
  }

  function after(delayMs: number, expire: () => void): () => void {
    const timer = { atMs: elapsedMs + delayMs, expire };
    timers.add(timer);
    schedule();
    return () => timers.delete(timer);
  }

  return {
    ...trackHour(
      () => offsetMs + elapsedMs,
      () => elapsedMs,
    ),
    sinceBoot: () => ({ boot: "boot", ms: elapsedMs }),
    after,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const cancel = after(delayMs, resolve);
        signal?.addEventListener(
          "abort",
          () => {
            cancel();
            reject(signal.reason);
          },
          { once: true },
        );
      }),
    jump(byMs) {
      offsetMs += byMs;
    },
  };
}
