/** Retries while another connection uses the same SQLite file. */

import { type Clock, systemClock } from "../core/clock.ts";
import { sqliteCode } from "./driver.ts";

export interface WaitOptions {
  readonly clock?: Clock;
  /** Ends a wait, except for the moment that another writer needs to finish. */
  readonly signal?: AbortSignal;
  /** The longest wait from now; half a minute where undefined. */
  readonly limitMs?: () => number | undefined;
  /** Called when a wait has lasted for a second. */
  readonly onLongWait?: () => void;
}

/**
 * Retries `start` while another connection is busy, then runs `work` with its result. There is no `await` between
 * them: another call on the same connection could begin there, inside this transaction. Throws the driver's error
 * when the other connection is still busy at the end of the wait.
 */
export type WhenFree = <S, T>(start: () => S, work: (started: S) => T) => Promise<T>;

/** No writer takes so long, unless it is stopped. */
const longestWaitMs = 30_000;
/** Enough for a running writer to finish. */
const momentMs = 250;
const noteAfterMs = 1_000;
const firstPauseMs = 1;
const longestPauseMs = 25;

/** SQLite's result codes. */
export const resultCodes = {
  busy: 5,
  noMemory: 7,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  constraint: 19,
  notADatabase: 26,
};

/** Creates the wait of one connection. After a timeout, each next wait is a single try, until one succeeds. */
export function createWait({
  clock = systemClock(),
  signal,
  limitMs = () => undefined,
  onLongWait = () => {},
}: WaitOptions = {}): WhenFree {
  let hasTimedOut = false;
  let isNoted = false;

  return async (start, work) => {
    const startedMs = clock.elapsed();
    let untilMs = startedMs + (hasTimedOut ? 0 : (limitMs() ?? longestWaitMs));
    let isStopping = false;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
      let started: ReturnType<typeof start>;
      try {
        started = start();
      } catch (error) {
        if (!isBusy(error)) throw error;
        const nowMs = clock.elapsed();
        if (signal?.aborted && !isStopping) {
          isStopping = true;
          untilMs = Math.min(untilMs, nowMs + momentMs);
        }
        if (nowMs >= untilMs) {
          hasTimedOut = true;
          throw error;
        }
        if (nowMs - startedMs >= noteAfterMs && !isNoted) {
          isNoted = true;
          onLongWait();
        }
        // With jitter: of processes that retry at once, one would make nearly all commits.
        await clock.sleep(Math.ceil(pauseMs * (0.5 + Math.random())));
        continue;
      }
      hasTimedOut = false;
      isNoted = false;
      return work(started);
    }
  };
}

/** True where another connection is writing. */
export function isBusy(error: unknown): boolean {
  const number = sqliteCode(error);
  return number === resultCodes.busy || number === resultCodes.protocol;
}
