/** Does something with each of many items, and again with those that failed, after pauses that grow. */

import type { ServiceFailure } from "../api/failure.ts";
import type { Clock } from "../core/clock.ts";
import { mapInOrder } from "../core/concurrent.ts";

const atOnce = 4;
/** So many failures one after the other: the service is down, and a pause does more than another call. */
const mostInARow = 8;
/** Before each pass that follows one without any success. */
const pausesMs = [1_000, 5_000, 20_000];
/** Nobody waits longer for a service that asks to. */
const longestPauseMs = 120_000;

export type Attempt<R> = { readonly done: R } | { readonly failure: ServiceFailure };

export type Ended<T, R> =
  | { readonly kind: "done"; readonly item: T; readonly done: R }
  /** `isTried`: false for an item that came after the service was given up. */
  | { readonly kind: "failed"; readonly item: T; readonly failure: ServiceFailure; readonly isTried: boolean }
  /** It was not begun before the stop. */
  | { readonly kind: "stopped"; readonly item: T };

export interface PassOptions {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Aborts when nothing further is to be begun. */
  readonly signal: AbortSignal;
}

/** Gives back each item once, as soon as it is settled; what still fails in the last pass comes last. */
export async function* inPasses<T, R>(
  items: readonly T[],
  attempt: (item: T) => Promise<Attempt<R>>,
  { clock, random, signal }: PassOptions,
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
      if (inARow >= mostInARow || last.kind === "key_refused") breaker.abort();
    }
    idle = failed.length < begun ? 0 : idle + 1;
    // What was not begun comes first: it may be about an order that nothing is wrong with.
    waiting = [...waiting.slice(begun), ...failed];
    if (waiting.length === 0) return;
    const pauseMs = last && pauseAfter(last, idle, random());
    if (signal.aborted || pauseMs === undefined || !(await pause(clock, pauseMs, signal))) break;
  }
  for (const item of waiting) {
    const failure = tried.get(item) ?? (signal.aborted ? undefined : last);
    if (failure) yield { kind: "failed", item, failure, isTried: tried.has(item) };
    else yield { kind: "stopped", item };
  }
}

/** Undefined where another pass is of no use. */
function pauseAfter(failure: ServiceFailure, idle: number, random: number): number | undefined {
  const longest = pausesMs[Math.max(0, idle - 1)];
  if (longest === undefined || failure.kind === "key_refused") return undefined;
  const askedMs = failure.retryAfterMs ?? 0;
  if (askedMs > longestPauseMs) return undefined;
  return Math.max(askedMs, longest * (0.5 + random / 2));
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
