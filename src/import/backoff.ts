/** Exponential backoff shared by all workers of an import, and when it gives up. */

import type { Clock } from "../core/clock.ts";

/** The service cannot be used now; rows that were not sent stay for the next run. */
export class ServiceUnavailable extends Error {}

export interface Backoff {
  /** The service has dealt with a request. */
  onSuccess(): void;
  /** A request failed, with or without an answer. Gives the wait before the next one; throws ServiceUnavailable. */
  onFailure(failure: Failure): number;
}

export interface Failure {
  readonly cause: Error;
  /** When the request left, as the clock's `elapsed`. */
  readonly sentMs: number;
  /** The service answered HTTP 429, and how long to wait where it says so. */
  readonly limit?: { readonly waitMs: number | undefined };
  /** The request may have been processed. */
  readonly isDoubtful?: boolean;
}

/** Without any request dealt with for so long, nobody wants to look on any more. */
export const longestSilenceMs = 60_000;
/** Nobody wants to sit through a longer wait that the service asks for. */
export const longestWaitMs = 300_000;
/** So many rows in doubt, or limits, in a row for each that is sent at once. */
const failuresInARow = 8;
const firstPauseMs = 500;
const longestPauseMs = 5_000;
const longestLimitMs = 30_000;

export function createBackoff(clock: Clock, random: () => number, concurrency: number): Backoff {
  let failingSinceMs: number | undefined;
  let failures = 0;
  let doubts = 0;
  let limits = 0;

  return {
    onSuccess() {
      failingSinceMs = undefined;
      [failures, doubts, limits] = [0, 0, 0];
    },
    onFailure({ cause, sentMs, limit, isDoubtful = false }) {
      failingSinceMs ??= sentMs;
      failures += 1;
      if (isDoubtful) doubts += 1;
      const waitMs = limit?.waitMs ?? 0;
      if (waitMs > longestWaitMs) {
        const message = `${cause.message}; it asks to wait ${Math.ceil(waitMs / 1_000)} s`;
        throw new ServiceUnavailable(message, { cause });
      }
      if (limit) {
        limits += 1;
        failingSinceMs = undefined; // it is there, and says when to come again
      }
      const silentMs = failingSinceMs === undefined ? 0 : clock.elapsed() - failingSinceMs;
      const isSilent = silentMs >= longestSilenceMs && failures > concurrency;
      if (isSilent || Math.max(doubts, limits) >= failuresInARow * concurrency) {
        throw new ServiceUnavailable(cause.message, { cause });
      }
      if (limit?.waitMs !== undefined) return limit.waitMs;
      // One lost answer among others tells nothing of the service.
      if (isDoubtful && failures <= concurrency) return 0;
      const longestMs = limit ? longestLimitMs : longestPauseMs;
      return random() * Math.min(longestMs, firstPauseMs * 2 ** Math.min(failures, 16)); // full jitter
    },
  };
}
