/** One watched parcel: its last known state, its changes, and since when it is stale. */

import type { Tracking, TrackingRecord } from "../model/interface.ts";
import type { Json } from "../model/json.ts";

/** What changed between two polls, or what the first poll found. Field names are a contract with scripts. */
export interface Change {
  readonly [field: string]: Json | undefined;
  readonly tracking_number: string;
  /** The state before; null at the first poll, and after an answer without one. */
  readonly previous: string | null;
  readonly current: string | null;
  readonly current_location: string | null;
  readonly estimated_delivery: string | null;
  /** The newest of `records`; null where the state changed without one. */
  readonly record: TrackingRecord | null;
  /** The new movements, in the order of the service; all of them at the first poll. */
  readonly records: readonly TrackingRecord[];
  readonly observed_at: string;
}

export interface Parcel {
  /** As it was given: the tracking number, or another name of the order. */
  readonly name: string;
  /** The name until a poll has found the number. */
  readonly trackingNumber: string;
  /** The last good answer. */
  readonly tracking: Tracking | undefined;
  /** When a poll last found a change; undefined before the first. */
  readonly changedMs: number | undefined;
  /** Polls have failed since then; `reason` is the latest failure's. */
  readonly stale: { readonly sinceMs: number; readonly reason: string } | undefined;
}

export function newParcel(name: string): Parcel {
  return { name, trackingNumber: name, tracking: undefined, changedMs: undefined, stale: undefined };
}

/** Movements of a parcel whose answers lack some: a service may word all of them anew each time. */
const mostKept = 250;

/** Applies the answer of a poll. `change` is undefined where nothing is new; at the first poll everything is new. */
export function applyPoll(
  parcel: Parcel,
  tracking: Tracking,
  nowMs: number,
): { readonly parcel: Parcel; readonly change: Change | undefined } {
  const before = parcel.tracking;
  const records = newRecords(recordsOf(before), recordsOf(tracking));
  const isNew =
    !before ||
    records.length > 0 ||
    (before.status ?? null) !== (tracking.status ?? null) ||
    (before.current_location ?? null) !== (tracking.current_location ?? null);
  // An answer may lack movements for once: they are not new when they are back.
  const isShort = newRecords(recordsOf(tracking), recordsOf(before)).length > 0;
  const known = isShort
    ? { ...tracking, records: [...records, ...recordsOf(before)].slice(0, mostKept) }
    : tracking;
  const seen = { ...parcel, tracking: known, stale: undefined };
  if (!isNew) return { parcel: seen, change: undefined };
  const change: Change = {
    tracking_number: parcel.trackingNumber,
    previous: before?.status ?? null,
    current: tracking.status ?? null,
    current_location: tracking.current_location ?? null,
    estimated_delivery: tracking.estimated_delivery ?? null,
    record: records[0] ?? null,
    records,
    observed_at: new Date(nowMs).toISOString(),
  };
  return { parcel: before ? { ...seen, changedMs: nowMs } : seen, change };
}

/** Applies a failed poll: the last known state stays. */
export function markStale(parcel: Parcel, reason: string, nowMs: number): Parcel {
  return { ...parcel, stale: { sinceMs: parcel.stale?.sinceMs ?? nowMs, reason } };
}

export function recordsOf(tracking: Tracking | undefined): readonly TrackingRecord[] {
  return (tracking?.records ?? []) as readonly TrackingRecord[];
}

/** Records that occur more often than before: equal ones may occur twice. */
function newRecords(
  before: readonly TrackingRecord[],
  after: readonly TrackingRecord[],
): readonly TrackingRecord[] {
  const known = new Map<string, number>();
  for (const record of before) known.set(identity(record), (known.get(identity(record)) ?? 0) + 1);
  // From the oldest: of equal records, the newest counts as new.
  return [...after]
    .reverse()
    .filter((record) => {
      const left = known.get(identity(record)) ?? 0;
      known.set(identity(record), left - 1);
      return left <= 0;
    })
    .reverse();
}

function identity({ location, description, occurred_at }: TrackingRecord): string {
  return JSON.stringify([location, description, occurred_at]);
}
