/** Retries: which failures of which methods are retried, and after how long. */

import { backoffMs } from "../core/backoff.ts";
import { isLasting, type ServiceFailure } from "./failure.ts";
import type { Method } from "./transport.ts";

const maxTries = 4;
const backoff = { baseMs: 300, longestMs: 8_000 };
const retriedStatuses = new Set([408, 502, 503, 504]);

/** True for methods that may be sent twice: GET reads, DELETE ends in the same state. */
export function isRepeatable(method: Method): boolean {
  return method === "GET" || method === "HEAD" || method === "DELETE";
}

/**
 * Milliseconds to wait before try number `tries + 1`, or undefined when the failure is final. A request
 * that may have taken effect is resent only when its method makes that harmless; a POST would create a
 * second order. `random` is in [0, 1).
 */
export function retryDelayMs(
  method: Method,
  failure: ServiceFailure,
  tries: number,
  random: number,
): number | undefined {
  if (tries >= maxTries || !isTransient(failure)) return undefined;
  if (!isRepeatable(method) && failure.mayHaveHappened) return undefined;
  if (failure.retryAfterMs !== undefined) return failure.retryAfterMs;
  return backoffMs(tries, backoff, random);
}

/** True for failures that may be gone a little later. */
export function isTransient(failure: ServiceFailure): boolean {
  switch (failure.kind) {
    case "unreachable":
      return !isLasting(causeCode(failure));
    case "no_response":
      return failure.code !== "timed_out"; // the deadline of the whole call has passed
    case "rate_limited":
      return true;
    case "server_error":
      return retriedStatuses.has(failure.status ?? 0);
    default:
      return false;
  }
}

function causeCode(failure: ServiceFailure): string | undefined {
  const details = failure.details;
  if (typeof details !== "object" || details === null || !("cause_code" in details)) return undefined;
  return typeof details.cause_code === "string" ? details.cause_code : undefined;
}
