/** Timeout of one try: the call's deadline, or half of it for a slow answer that can be requested again. */

import type { Clock } from "../core/clock.ts";
import { counted } from "../core/wording.ts";
import { ServiceFailure, timeoutFailure } from "./failure.ts";

/** Below this rate, a new connection is tried while there is time for one. */
const leastBytesPerSecond = 1_000;
/** A shorter deadline is not divided between tries. */
const shortestDividedMs = 10_000;

export interface TryLimits {
  readonly clock: Clock;
  readonly host: string;
  /** The deadline of the whole call, by the clock's `elapsed`, and as a span. */
  readonly untilMs: number;
  readonly timeoutMs: number;
  /** The request is idempotent: it may be sent again after any failure. */
  readonly isRepeatable: boolean;
  /** Ends the run: its reason is what the try ends with. */
  readonly stop: AbortSignal;
}

export interface TimeLimit {
  /** Aborts the try; its reason is a ServiceFailure, or that of `stop`. */
  readonly signal: AbortSignal;
  /** More of the answer has come. */
  received(bytes: number): void;
  /** The try is over. */
  end(): void;
}

/**
 * Ends a try at the call's deadline. A request that may be repeated is given up at half of the call's time
 * unless its answer comes at a usable rate, so that one stalled connection does not use up the whole.
 */
export function limitTry({ clock, host, untilMs, timeoutMs, isRepeatable, stop }: TryLimits): TimeLimit {
  const ending = new AbortController();
  const leftMs = untilMs - clock.elapsed();
  const halfMs = timeoutMs / 2;
  let bytesSoFar = 0;

  const expire = () => ending.abort(timeoutFailure(host, timeoutMs));
  const checkRate = () => {
    const seconds = halfMs / 1_000;
    if (bytesSoFar >= seconds * leastBytesPerSecond) cancel = clock.after(untilMs - clock.elapsed(), expire);
    else ending.abort(stalledFailure(host, seconds, bytesSoFar));
  };
  const isDivided = isRepeatable && timeoutMs >= shortestDividedMs && halfMs < leftMs;
  let cancel = isDivided ? clock.after(halfMs, checkRate) : clock.after(leftMs, expire);

  const onStop = () => ending.abort(stop.reason); // AbortSignal.any costs more than sending a request
  if (stop.aborted) onStop();
  stop.addEventListener("abort", onStop, { once: true });
  return {
    signal: ending.signal,
    received: (bytes) => {
      bytesSoFar += bytes;
    },
    end() {
      cancel();
      stop.removeEventListener("abort", onStop);
    },
  };
}

function stalledFailure(host: string, seconds: number, bytes: number): ServiceFailure {
  const message = `${host} sent ${counted(bytes, "byte")} within ${seconds} s`;
  return new ServiceFailure("no_response", message, { code: "stalled" });
}
