/** Runs an action for many items, and retries failed items in further passes after growing pauses. */

import type { ServiceFailure } from "../api/failure.ts";
import type { Clock } from "../core/clock.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { formatUntil } from "../core/time.ts";

const atOnce = 4;
/** Failures in a row after which the service counts as down: the pass stops, and a pause follows. */
const mostInARow = 8;
/** The longest pause before each further pass. Only passes without any success use up the list. */
const pausesMs = [1_000, 5_000, 20_000];
/** Stops where the service asks for a longer wait. */
const longestPauseMs = 120_000;

export type Attempt<R> = { readonly done: R } | { readonly failure: ServiceFailure };

export type Ended<T, R> =
  | { readonly kind: "done"; readonly item: T; readonly done: R }
  /** `isTried`: false for an item that was not tried before the last pass stopped. */
  | { readonly kind: "failed"; readonly item: T; readonly failure: ServiceFailure; readonly isTried: boolean }
  /** Not begun before the stop. */
  | { readonly kind: "stopped"; readonly item: T };

export interface PassOptions {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Aborts when no further item may begin. */
  readonly signal: AbortSignal;
  /** Called with why and until when nothing is sent, before each pause. */
  readonly onPause: (why: string) => void;
}

/** Returns each item once, as soon as it is done. Items that fail in the last pass come last. */
export async function* inPasses<T, R>(
  items: readonly T[],
  attempt: (item: T) => Promise<Attempt<R>>,
  { clock, random, signal, onPause }: PassOptions,
): AsyncGenerator<Ended<T, R>, void> {
  const tried = new Map<T, ServiceFailure>();
  let waiting = items;
  let last: ServiceFailure | undefined;
  for (let idle = 0; waiting.length > 0; ) {
    const breaker = new AbortController();
    const stop = AbortSignal.any([signal, breaker.signal]);
    const act = async (item: T) => ({ item, result: await attempt(item) });
    const failed: T[] = [];
    let [begun, inARow] = [0, 0];
    for await (const { item, result } of mapInOrder(waiting, atOnce, act, { stop, isIrrevocable: true })) {
      begun += 1;
      if ("done" in result) {
        inARow = 0;
        yield { kind: "done", item, done: result.done };
        continue;
      }
      last = result.failure;
      tried.set(item, last);
      failed.push(item);
      inARow += 1;
      if (inARow >= mostInARow || last.kind === "key_refused" || asksTooLong(last)) breaker.abort();
    }
    idle = failed.length < begun ? 0 : idle + 1;
    // Items that were not begun come first: they may succeed.
    waiting = [...waiting.slice(begun), ...failed];
    if (waiting.length === 0) return;
    const pauseMs = last && pauseAfter(last, idle, random());
    if (signal.aborted || pauseMs === undefined || last === undefined) break;
    onPause(`${last.message}; going on at ${formatUntil(clock.now() + pauseMs, clock.now())}`);
    if (!(await pause(clock, pauseMs, signal))) break;
  }
  for (const item of waiting) {
    const failure = tried.get(item) ?? (signal.aborted ? undefined : last);
    if (failure) yield { kind: "failed", item, failure, isTried: tried.has(item) };
    else yield { kind: "stopped", item };
  }
}

/** Undefined where another pass would not help. */
function pauseAfter(failure: ServiceFailure, idle: number, random: number): number | undefined {
  const longest = pausesMs[Math.max(0, idle - 1)];
  if (longest === undefined || failure.kind === "key_refused") return undefined;
  if (asksTooLong(failure)) return undefined;
  return Math.max(failure.retryAfterMs ?? 0, longest * (0.5 + random / 2));
}

function asksTooLong({ retryAfterMs = 0 }: ServiceFailure): boolean {
  return retryAfterMs > longestPauseMs;
}

async function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(delayMs, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
