/** The loop of a watch: polls parcels when they are due, reports changes, and ends at the goal. */

import type { Clock } from "../core/clock.ts";
import type { Tracking } from "../model/interface.ts";
import { checkGoal, type Goal, type GoalResult } from "./goal.ts";
import { applyPoll, type Change, markStale, newParcel, type Parcel } from "./parcel.ts";
import { createSchedule, type Pace, type PollOutcome } from "./schedule.ts";

export interface WatchOptions {
  /** Each once. */
  readonly trackingNumbers: readonly string[];
  readonly pace: Pace;
  readonly goal: Goal;
  /** The watch ends when the clock's `elapsed` is this. */
  readonly untilMs: number | undefined;
  /** Polls in progress at once. */
  readonly concurrency: number;
  readonly poll: (name: string) => Promise<Tracking>;
  /** The tracking number of a parcel that was polled, where it may be named otherwise. */
  readonly numberOf?: (name: string) => string;
  /** Classifies the error of a poll; undefined for one that ends the watch, which throws it. */
  readonly classifyError: (error: unknown) => Trouble | undefined;
  /**
   * Called when the service refuses every open parcel, and again only after a poll has succeeded. Throws what ends
   * the watch; false where the check failed, so that it is called again.
   */
  readonly checkKey: () => Promise<boolean>;
  readonly clock: Clock;
  readonly random: () => number;
  /** The watch throws its reason. */
  readonly signal: AbortSignal;
  /** The watch ends with `quit`. */
  readonly quit: AbortSignal;
}

/** Why a poll failed. */
export interface Trouble {
  readonly reason: string;
  /** The name leads to no parcel: where no name does, the watch ends with the error. */
  readonly isOfName?: boolean;
  /** The service refused, and did not say whether the parcel or the key. */
  readonly isRefusal: boolean;
  /** The service answered HTTP 429. */
  readonly isLimit: boolean;
  readonly retryAfterMs: number | undefined;
}

export type WatchEvent =
  /** `isFirst`: what the first poll of this parcel found. */
  | { readonly kind: "change"; readonly name: string; readonly change: Change; readonly isFirst: boolean }
  | ({ readonly kind: "trouble"; readonly name: string } & Pick<Trouble, "reason" | "retryAfterMs">)
  /** A poll has succeeded again. */
  | { readonly kind: "recovery"; readonly name: string };

/** All parcels reached the goal; some cannot reach it; the time is up; a person ended the watch. */
export type WatchEnd = "reached" | "missed" | "time" | "quit";

/** What a board shows; it changes while `events` runs. */
export interface Board {
  /** How long the watch has run. */
  readonly elapsedMs: () => number;
  /** In the order in which they were given. */
  readonly parcels: () => readonly Parcel[];
  readonly goalResult: (parcel: Parcel) => GoalResult;
  /** The time of the next poll; undefined during a poll, and after the last. */
  readonly dueMs: (name: string) => number | undefined;
  readonly isPolling: (name: string) => boolean;
  readonly polls: () => number;
  /** The service has limited the rate. */
  readonly isPaused: () => boolean;
}

export interface Watch {
  readonly board: Board;
  /** Runs the watch. Throws errors that end it, what `checkKey` throws, and the signal's reason. */
  events(): AsyncGenerator<WatchEvent, WatchEnd>;
}

/** Timers may stop while a machine sleeps, so the clock is read at least this often. */
const longestWaitMs = 15_000;
/** A smaller leap of the clock is not taken for a sleep of the machine. */
const shortestSleepMs = 60_000;
/** Without it, a large board would wake the machine for every single poll. */
const shortestWaitMs = 100;

type Result = { readonly name: string } & ({ readonly tracking: Tracking } | { readonly error: unknown });

export function createWatch(options: WatchOptions): Watch {
  const { clock, goal, signal, quit, untilMs } = options;
  const startedMs = clock.elapsed();
  /** The wall clock minus the clock's `elapsed`. */
  let offsetMs = clock.now() - startedMs;
  const schedule = createSchedule({ ...options, nowMs: startedMs });
  const parcels = new Map(options.trackingNumbers.map((each) => [each, newParcel(each)]));
  const inProgress = new Set<string>();
  const results: Result[] = [];
  let polls = 0;
  let begunMs = Number.NEGATIVE_INFINITY;
  let open = parcels.size;
  let missed = 0;
  let wake = () => {};
  /** Parcels that were refused since the last poll that succeeded. */
  const refused = new Set<string>();
  /** Parcels whose name led to none. */
  const unnamed = new Set<string>();
  let keyCheck: "due" | "running" | "done" = "due";
  let keyFailure: { readonly error: unknown } | undefined;

  const goalResult = ({ tracking }: Parcel) => (tracking ? checkGoal(tracking.status, goal) : "open");

  async function poll(name: string): Promise<void> {
    polls += 1;
    begunMs = clock.elapsed();
    inProgress.add(name);
    try {
      results.push({ name, tracking: await options.poll(name) });
    } catch (error) {
      results.push({ name, error });
    }
    inProgress.delete(name);
    wake();
  }

  async function checkKey(): Promise<void> {
    keyCheck = "running";
    // A poll that succeeds meanwhile makes the check irrelevant.
    const isOvertaken = () => keyCheck !== "running";
    try {
      const isKnown = await options.checkKey();
      if (!isOvertaken()) keyCheck = isKnown ? "done" : "due";
    } catch (error) {
      if (!isOvertaken()) keyFailure = { error };
    }
    wake();
  }

  /**
   * The service's own codes are not specified: the key may be the reason only where it refuses everything (section
   * 7).
   */
  function noteRefusal(name: string, isRefusal: boolean): void {
    if (isRefusal) refused.add(name);
    else refused.delete(name);
    if (refused.size < open || keyCheck !== "due") return;
    refused.clear();
    void checkKey();
  }

  /** An order may be given by several of its names. CR1000-1 and CR10001 are two parcels; a service may write `cr 1` as CR1. */
  function isWatched(name: string, trackingNumber: string, told: string): boolean {
    if (trackingNumber === name) return false;
    const numbers = [trackingNumber, told].map((each) => each.toUpperCase());
    const has = (number = "") => numbers.includes(number.toUpperCase());
    return [...parcels.values()].some(
      (each) => each.name !== name && (has(each.trackingNumber) || has(each.tracking?.tracking_number)),
    );
  }

  /** Applies the result of a poll. Returns the event to report, if any. */
  function applyResult(result: Result): WatchEvent | undefined {
    const { name } = result;
    const before = parcels.get(name) ?? newParcel(name);
    const [nowMs, elapsedMs] = [clock.now(), clock.elapsed()];
    if ("error" in result) {
      const trouble = options.classifyError(result.error);
      if (trouble?.isOfName) unnamed.add(name);
      if (!trouble || unnamed.size === parcels.size) throw result.error;
      parcels.set(name, markStale(before, trouble.reason, nowMs));
      const outcome: PollOutcome = trouble.isLimit
        ? { kind: "rate_limited", retryAfterMs: trouble.retryAfterMs }
        : { kind: "failed" };
      schedule.end(name, outcome, elapsedMs);
      noteRefusal(name, trouble.isRefusal);
      const { reason, retryAfterMs } = trouble;
      return { kind: "trouble", name, reason, retryAfterMs };
    }
    unnamed.delete(name);
    refused.clear();
    keyCheck = "due";
    const trackingNumber = options.numberOf?.(name) ?? name;
    if (isWatched(name, trackingNumber, result.tracking.tracking_number)) {
      parcels.delete(name);
      open -= 1;
      schedule.end(name, { kind: "done" }, elapsedMs);
      return before.stale ? { kind: "recovery", name } : undefined;
    }
    const { parcel, change } = applyPoll({ ...before, trackingNumber }, result.tracking, nowMs);
    parcels.set(name, parcel);
    const outcome = goalResult(parcel);
    if (outcome !== "open") open -= 1;
    if (outcome === "missed") missed += 1;
    const kind = outcome !== "open" ? "done" : change ? "changed" : "same";
    schedule.end(name, { kind }, elapsedMs);
    if (change) return { kind: "change", name, change, isFirst: before.tracking === undefined };
    return before.stale ? { kind: "recovery", name } : undefined;
  }

  function ending(): WatchEnd | undefined {
    if (open === 0) return missed > 0 ? "missed" : "reached";
    if (quit.aborted) return "quit";
    return untilMs !== undefined && clock.elapsed() >= untilMs ? "time" : undefined;
  }

  /** A leap may also mean that the clock was set: then the parcels are polled once more than necessary. */
  function detectSleep(): void {
    const nowOffsetMs = clock.now() - clock.elapsed();
    const sleptMs = nowOffsetMs - offsetMs;
    offsetMs = nowOffsetMs;
    if (sleptMs >= shortestSleepMs) schedule.wake(sleptMs);
  }

  /** Waits until the next poll is due, a poll has ended, or the watch ends. */
  async function waitForNext(): Promise<void> {
    if (results.length > 0 || keyFailure || quit.aborted || signal.aborted) return;
    const nowMs = clock.elapsed();
    const wakeMs = Math.min(
      Math.max(schedule.nextMs() ?? Number.POSITIVE_INFINITY, begunMs + shortestWaitMs),
      untilMs ?? Number.POSITIVE_INFINITY,
      nowMs + longestWaitMs,
    );
    const delayMs = Math.max(0, wakeMs - nowMs);
    if (inProgress.size === 0 && keyCheck !== "running") return sleepFor(delayMs);
    // A test clock that skips waits must not skip the answer of a poll.
    await new Promise<void>((resume) => {
      const cancel = clock.after(delayMs, resume);
      wake = () => {
        cancel();
        resume();
      };
    });
  }

  async function sleepFor(delayMs: number): Promise<void> {
    const alarm = new AbortController();
    wake = () => alarm.abort("awake");
    try {
      await clock.sleep(delayMs, alarm.signal);
    } catch (error) {
      if (error !== "awake") throw error;
    }
  }

  async function* events(): AsyncGenerator<WatchEvent, WatchEnd> {
    const onAbort = () => wake();
    for (const each of [signal, quit]) each.addEventListener("abort", onAbort);
    try {
      for (;;) {
        signal.throwIfAborted();
        let hasChanged = false;
        for (let result = results.shift(); result; result = results.shift()) {
          const event = applyResult(result);
          hasChanged ||= event?.kind === "change" && !event.isFirst;
          if (event) yield event;
        }
        if (keyFailure) throw keyFailure.error;
        if (hasChanged && goal.kind === "change") return "reached";
        const end = ending();
        if (end) return end;
        detectSleep();
        const take = () => schedule.take(clock.elapsed());
        for (let next = take(); next !== undefined; next = take()) void poll(next);
        await waitForNext();
      }
    } finally {
      for (const each of [signal, quit]) each.removeEventListener("abort", onAbort);
    }
  }

  const board: Board = {
    elapsedMs: () => clock.elapsed() - startedMs,
    parcels: () => [...parcels.values()],
    goalResult,
    dueMs(name) {
      const dueMs = schedule.dueMs(name);
      return dueMs === undefined ? undefined : clock.now() + dueMs - clock.elapsed();
    },
    isPolling: (name) => inProgress.has(name),
    polls: () => polls,
    isPaused: () => schedule.pausedUntilMs > clock.elapsed(),
  };
  return { board, events };
}
