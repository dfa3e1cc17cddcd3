/** The backoff that all workers of an import share, and when it gives up. */

import { describeWait } from "../api/answer.ts";
import { backoffMs } from "../core/backoff.ts";
import type { Clock } from "../core/clock.ts";

/** The service cannot be used now; rows that were not sent stay for the next run. */
export class ServiceUnavailable extends Error {}

export interface Backoff {
  /** The service has accepted or refused an order. */
  onSuccess(): void;
  /** A request failed. Returns the wait before the next one in milliseconds; throws ServiceUnavailable. */
  onFailure(failure: Failure): number;
}

export interface Failure {
  readonly cause: Error;
  /** When the request was sent, as the clock's `elapsed`. */
  readonly sentMs: number;
  /** The service answered HTTP 429; `waitMs` is its Retry-After, where it sent one. */
  readonly rateLimit?: { readonly waitMs: number | undefined };
  /** The request may have been processed. */
  readonly isDoubtful?: boolean;
}

/** After so long without any answer, the import stops. */
export const longestUnansweredMs = 60_000;
/** The import stops where the service asks for a longer wait. */
export const longestWaitMs = 300_000;
/** Stops after so many doubtful or rate limited answers in a row, for each request sent at once. */
const failuresInARow = 8;
const afterFailure = { baseMs: 1_000, longestMs: 5_000 };
const afterRateLimit = { baseMs: 1_000, longestMs: 30_000 };

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
    onFailure({ cause, sentMs, rateLimit, isDoubtful = false }) {
      failingSinceMs ??= sentMs;
      failures += 1;
      if (isDoubtful) doubts += 1;
      const waitMs = rateLimit?.waitMs ?? 0;
      if (waitMs > longestWaitMs) {
        const message = `${cause.message}; it asks to ${describeWait(waitMs)}`;
        throw new ServiceUnavailable(message, { cause });
      }
      if (rateLimit) {
        limits += 1;
        failingSinceMs = undefined; // the service answers
      }
      const unansweredMs = failingSinceMs === undefined ? 0 : clock.elapsed() - failingSinceMs;
      const isUnanswered = unansweredMs >= longestUnansweredMs && failures > concurrency;
      if (isUnanswered || Math.max(doubts, limits) >= failuresInARow * concurrency) {
        throw new ServiceUnavailable(cause.message, { cause });
      }
      if (rateLimit?.waitMs !== undefined) return rateLimit.waitMs;
      // One lost answer among others does not mean that the service fails.
      if (isDoubtful && failures <= concurrency) return 0;
      return backoffMs(failures, rateLimit ? afterRateLimit : afterFailure, random());
    },
  };
}
