/** The loop that follows parcels: looks when it is time, tells what changed, and knows when to end. */

import type { Clock } from "../core/clock.ts";
import type { Tracking } from "../model/interface.ts";
import { type Goal, judge, type Verdict } from "./goal.ts";
import { type Change, miss, newParcel, type Parcel, see } from "./parcel.ts";
import { createSchedule, type LookOutcome, type Pace } from "./schedule.ts";

export interface WatchOptions {
  /** Each once. */
  readonly trackingNumbers: readonly string[];
  readonly pace: Pace;
  readonly goal: Goal;
  /** The watch ends when the clock's `elapsed` is this, come what may. */
  readonly untilMs: number | undefined;
  /** Looks under way at once. */
  readonly concurrency: number;
  readonly look: (trackingNumber: string) => Promise<Tracking>;
  /** What a failed look means; undefined when it ends the watch, which then throws it. */
  readonly forgive: (error: unknown) => Trouble | undefined;
  /**
   * Called when the service has refused every parcel that is still looked at, and again only after a look has
   * answered. Throws what ends the watch; false where it could not find out, so that it is called again.
   */
  readonly checkKey: () => Promise<boolean>;
  readonly clock: Clock;
  readonly random: () => number;
  /** The watch throws its reason. */
  readonly signal: AbortSignal;
  /** The watch ends with `quit`. */
  readonly quit: AbortSignal;
}

/** Why a look failed. */
export interface Trouble {
  readonly reason: string;
  /** The service said no, without saying whether to the parcel or to the key. */
  readonly isRefusal: boolean;
  /** The service answered HTTP 429. */
  readonly isLimit: boolean;
  readonly retryAfterMs: number | undefined;
}

export type WatchEvent =
  /** `isFirst`: what the first look at this parcel found. */
  | { readonly kind: "change"; readonly change: Change; readonly isFirst: boolean }
  | { readonly kind: "trouble"; readonly trackingNumber: string; readonly reason: string }
  /** A look has answered again. */
  | { readonly kind: "recovery"; readonly trackingNumber: string };

/** Every parcel got where it was to get; some never will; the time is over; somebody had seen enough. */
export type WatchEnd = "reached" | "missed" | "time" | "quit";

/** What a board shows; it changes while `events` runs. */
export interface Board {
  /** How long the watch has run. */
  readonly elapsedMs: () => number;
  /** In the order in which they were given. */
  readonly parcels: () => readonly Parcel[];
  readonly verdict: (parcel: Parcel) => Verdict;
  /** The hour of the next look; undefined while one is under way, and after the last. */
  readonly dueMs: (trackingNumber: string) => number | undefined;
  readonly isUnderWay: (trackingNumber: string) => boolean;
  readonly looks: () => number;
  /** The service has asked for a rest. */
  readonly isPaused: () => boolean;
}

export interface Watch {
  readonly board: Board;
  /** Runs the watch. Throws what `forgive` does not forgive, what `checkKey` throws, and the signal's reason. */
  events(): AsyncGenerator<WatchEvent, WatchEnd>;
}

/** Timers may stand still while a machine sleeps: so often the hour is read anew. */
const longestNapMs = 15_000;
/** An hour that leaps ahead by less is no sleep. */
const shortestSleepMs = 60_000;
/** A large board would wake the machine for every single look. */
const shortestNapMs = 100;

type Result = { readonly trackingNumber: string } & (
  | { readonly tracking: Tracking }
  | { readonly error: unknown }
);

export function createWatch(options: WatchOptions): Watch {
  const { clock, goal, signal, quit, untilMs } = options;
  const startedMs = clock.elapsed();
  /** The hour, less what had elapsed. */
  let offsetMs = clock.now() - startedMs;
  const schedule = createSchedule({ ...options, nowMs: startedMs });
  const parcels = new Map(options.trackingNumbers.map((each) => [each, newParcel(each)]));
  const underWay = new Set<string>();
  const results: Result[] = [];
  let looks = 0;
  let begunMs = Number.NEGATIVE_INFINITY;
  let open = parcels.size;
  let missed = 0;
  let wake = () => {};
  /** Parcels whose last look was refused, since any look has answered. */
  const refused = new Set<string>();
  let keyCheck: "due" | "under way" | "done" = "due";
  let keyFailure: { readonly error: unknown } | undefined;

  const verdict = ({ tracking }: Parcel) => (tracking ? judge(tracking.status, goal) : "open");

  async function look(trackingNumber: string): Promise<void> {
    looks += 1;
    begunMs = clock.elapsed();
    underWay.add(trackingNumber);
    try {
      results.push({ trackingNumber, tracking: await options.look(trackingNumber) });
    } catch (error) {
      results.push({ trackingNumber, error });
    }
    underWay.delete(trackingNumber);
    wake();
  }

  async function checkKey(): Promise<void> {
    keyCheck = "under way";
    // A look that answers meanwhile knows better.
    const isOvertaken = () => keyCheck !== "under way";
    try {
      const isKnown = await options.checkKey();
      if (!isOvertaken()) keyCheck = isKnown ? "done" : "due";
    } catch (error) {
      if (!isOvertaken()) keyFailure = { error };
    }
    wake();
  }

  /** The service's own codes are not specified: only where it refuses everything, the key may be why (section 7). */
  function noteRefusal(trackingNumber: string, isRefusal: boolean): void {
    if (isRefusal) refused.add(trackingNumber);
    else refused.delete(trackingNumber);
    if (refused.size < open || keyCheck !== "due") return;
    refused.clear();
    void checkKey();
  }

  /** Takes a result in, and tells what it means to the one who watches. */
  function settle(result: Result): WatchEvent | undefined {
    const { trackingNumber } = result;
    const before = parcels.get(trackingNumber) ?? newParcel(trackingNumber);
    const [nowMs, elapsedMs] = [clock.now(), clock.elapsed()];
    if ("error" in result) {
      const trouble = options.forgive(result.error);
      if (!trouble) throw result.error;
      parcels.set(trackingNumber, miss(before, trouble.reason, nowMs));
      const outcome: LookOutcome = trouble.isLimit
        ? { kind: "rate_limited", retryAfterMs: trouble.retryAfterMs }
        : { kind: "failed" };
      schedule.end(trackingNumber, outcome, elapsedMs);
      noteRefusal(trackingNumber, trouble.isRefusal);
      return { kind: "trouble", trackingNumber, reason: trouble.reason };
    }
    const { parcel, change } = see(before, result.tracking, nowMs);
    parcels.set(trackingNumber, parcel);
    refused.clear();
    keyCheck = "due";
    const outcome = verdict(parcel);
    if (outcome !== "open") open -= 1;
    if (outcome === "missed") missed += 1;
    const kind = outcome !== "open" ? "done" : change ? "changed" : "same";
    schedule.end(trackingNumber, { kind }, elapsedMs);
    if (change) return { kind: "change", change, isFirst: before.tracking === undefined };
    return before.stale ? { kind: "recovery", trackingNumber } : undefined;
  }

  function ending(): WatchEnd | undefined {
    if (open === 0) return missed > 0 ? "missed" : "reached";
    if (quit.aborted) return "quit";
    return untilMs !== undefined && clock.elapsed() >= untilMs ? "time" : undefined;
  }

  /** An hour that leaps ahead may have been set as well: then the parcels are looked at once more than they need to be. */
  function noticeSleep(): void {
    const nowOffsetMs = clock.now() - clock.elapsed();
    const sleptMs = nowOffsetMs - offsetMs;
    offsetMs = nowOffsetMs;
    if (sleptMs >= shortestSleepMs) schedule.wake(sleptMs);
  }

  /** Until the next look is due, one has ended, or it is time to end. */
  async function rest(): Promise<void> {
    if (results.length > 0 || keyFailure || quit.aborted || signal.aborted) return;
    const nowMs = clock.elapsed();
    const wakeMs = Math.min(
      Math.max(schedule.nextMs() ?? Number.POSITIVE_INFINITY, begunMs + shortestNapMs),
      untilMs ?? Number.POSITIVE_INFINITY,
      nowMs + longestNapMs,
    );
    const delayMs = Math.max(0, wakeMs - nowMs);
    if (underWay.size === 0 && keyCheck !== "under way") return nap(delayMs);
    // An answer is on its way: a clock that leaps over sleeps must not leap over it.
    await new Promise<void>((resume) => {
      const cancel = clock.after(delayMs, resume);
      wake = () => {
        cancel();
        resume();
      };
    });
  }

  async function nap(delayMs: number): Promise<void> {
    const alarm = new AbortController();
    wake = () => alarm.abort("awake");
    try {
      await clock.sleep(delayMs, alarm.signal);
    } catch (error) {
      if (error !== "awake") throw error;
    }
  }

  async function* events(): AsyncGenerator<WatchEvent, WatchEnd> {
    const stir = () => wake();
    for (const each of [signal, quit]) each.addEventListener("abort", stir);
    try {
      for (;;) {
        signal.throwIfAborted();
        let hasChanged = false;
        for (let result = results.shift(); result; result = results.shift()) {
          const event = settle(result);
          hasChanged ||= event?.kind === "change" && !event.isFirst;
          if (event) yield event;
        }
        if (keyFailure) throw keyFailure.error;
        if (hasChanged && goal.kind === "change") return "reached";
        const end = ending();
        if (end) return end;
        noticeSleep();
        const take = () => schedule.take(clock.elapsed());
        for (let next = take(); next !== undefined; next = take()) void look(next);
        await rest();
      }
    } finally {
      for (const each of [signal, quit]) each.removeEventListener("abort", stir);
    }
  }

  const board: Board = {
    elapsedMs: () => clock.elapsed() - startedMs,
    parcels: () => [...parcels.values()],
    verdict,
    dueMs(trackingNumber) {
      const dueMs = schedule.dueMs(trackingNumber);
      return dueMs === undefined ? undefined : clock.now() + dueMs - clock.elapsed();
    },
    isUnderWay: (trackingNumber) => underWay.has(trackingNumber),
    looks: () => looks,
    isPaused: () => schedule.pausedUntilMs > clock.elapsed(),
  };
  return { board, events };
}
