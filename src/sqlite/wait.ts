/** The wait for other connections that use the same SQLite file. */

import { type Clock, systemClock } from "../core/clock.ts";
import { sqliteCode } from "./driver.ts";

export interface WaitOptions {
  readonly clock?: Clock;
  /** Ends a wait. What another writer is about to finish is still waited for, which takes a moment. */
  readonly signal?: AbortSignal;
  /** The longest wait that begins now; half a minute where undefined. */
  readonly limitMs?: () => number | undefined;
  /** Called when a wait has lasted for a second. */
  readonly onLongWait?: () => void;
}

/**
 * Tries `start` until no other connection is in the way, then runs `work` with its result. Both run in one step
 * with no `await` between them: another call on the same connection could begin there, inside this transaction.
 * Throws the driver's error when another connection is still in the way at the end of the wait.
 */
export type WhenFree = <S, T>(start: () => S, work: (started: S) => T) => Promise<T>;

/** Another writer is never at work for so long, unless it is stopped in the middle. */
const longestWaitMs = 30_000;
/** Enough for a writer that is at work. */
const momentMs = 250;
const noteAfterMs = 1_000;
const firstPauseMs = 1;
const longestPauseMs = 25;

/** SQLite's numbers for what went wrong. */
export const resultCodes = {
  busy: 5,
  noMemory: 7,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  notADatabase: 26,
};

/** Makes the wait of one connection. After a wait in vain, each next one is a single try until one succeeds. */
export function createWait({
  clock = systemClock(),
  signal,
  limitMs = () => undefined,
  onLongWait = () => {},
}: WaitOptions = {}): WhenFree {
  let wasInVain = false;
  let isNoted = false;

  return async (start, work) => {
    const startedMs = clock.elapsed();
    let untilMs = startedMs + (wasInVain ? 0 : (limitMs() ?? longestWaitMs));
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
          wasInVain = true;
          throw error;
        }
        if (nowMs - startedMs >= noteAfterMs && !isNoted) {
          isNoted = true;
          onLongWait();
        }
        // Of processes that try again at once, one would make nearly all commits.
        await clock.sleep(Math.ceil(pauseMs * (0.5 + Math.random())));
        continue;
      }
      wasInVain = false;
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
