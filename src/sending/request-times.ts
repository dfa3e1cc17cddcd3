/** When requests were sent and ended, by our clock as it is now: it may have been set since, and the service has its own. */

import type { Clock } from "../core/clock.ts";
import type { OwnRequest } from "../ledger/listings.ts";
import type { Operation } from "../ledger/operation.ts";
import type { ReconcileTools } from "./reconcile-types.ts";

/** Date headers have whole seconds, and answers take a moment. */
export const dateSlackMs = 2_000;

/** Converts the clock's `elapsed` to a time of the current wall clock. */
export function wallTimeOf(elapsedMs: number, clock: Clock): number {
  return Math.round(clock.now() - (clock.elapsed() - elapsedMs));
}

/** When a request was sent, as the clock's `elapsed`, of an operation that was just read; undefined after another boot. */
export function begunByBoot({ sentForMs }: Operation, clock: Clock): number | undefined {
  return sentForMs === undefined ? undefined : clock.elapsed() - sentForMs;
}

/** The two clocks are read one after the other; a smaller difference does not mean that one was set. */
const settingMs = 250;

/**
 * The latest time that a stamp of an operation may mean by our current clock, which may have been set since. By the time
 * since boot it is known when the request was sent, and no stamp is earlier. Undefined where that and the clock of now
 * do not explain the stamp.
 */
export function stampAsOfNow(
  stampMs: number | undefined,
  { sentAtMs }: Operation,
  begunMs: number | undefined,
  clock: Clock,
): number | undefined {
  if (stampMs === undefined) return undefined;
  const nowMs = clock.now();
  let readings = [clock.asOfNow(stampMs)];
  if (begunMs !== undefined && sentAtMs !== undefined) {
    const sentMs = wallTimeOf(begunMs, clock);
    const setByMs = sentMs - sentAtMs;
    if (Math.abs(setByMs) > settingMs)
      readings = [...readings, stampMs + setByMs].filter((ms) => ms >= sentMs - settingMs);
  }
  readings = readings.filter((ms) => ms <= nowMs);
  return readings.length > 0 ? Math.max(...readings) : undefined;
}

/**
 * When a request ended, by our current clock. If our clock was set since, or if its offset to the service's clock has
 * changed, the latest possible time counts.
 */
export function endedMs(
  { endedAtMs, offsetMs, firstListingMs }: Operation,
  asOfNow: (stampMs: number | undefined) => number | undefined,
  { clock, clockOffsetMs }: ReconcileTools,
): number | undefined {
  if (endedAtMs === undefined) return undefined;
  const nowMs = clock.now();
  const firstMs = asOfNow(firstListingMs) ?? nowMs;
  const hereMs = asOfNow(endedAtMs);
  const nowOffsetMs = clockOffsetMs();
  // The clock of that time is unknown: the first listing is the first certain time.
  if (offsetMs === undefined || nowOffsetMs === undefined) return Math.max(hereMs ?? firstMs, firstMs);
  const readings = [endedAtMs, hereMs, endedAtMs + moved(offsetMs, nowOffsetMs)].filter(
    (ms): ms is number => ms !== undefined && ms <= nowMs,
  );
  return readings.length > 0 ? Math.max(...readings) : firstMs;
}

/** When an own request was sent, by our current clock: the earliest possible time. */
export function sentMs(
  { sentMs: atMs, offsetMs }: OwnRequest,
  { clock, clockOffsetMs }: ReconcileTools,
): number {
  const nowOffsetMs = clockOffsetMs();
  const hereMs = Math.min(atMs, clock.asOfNow(atMs));
  if (offsetMs === undefined || nowOffsetMs === undefined) return hereMs;
  return Math.min(hereMs, atMs + moved(offsetMs, nowOffsetMs));
}

function moved(thenMs: number, nowMs: number): number {
  return Math.abs(thenMs - nowMs) > dateSlackMs ? thenMs - nowMs : 0;
}
