/** What is known of one parcel that is followed: its last good state, what changed, since when it is stale. */

import type { Tracking, TrackingRecord } from "../model/interface.ts";
import type { Json } from "../model/json.ts";

/** What changed between two looks, or what the first look found. Field names are a contract with scripts. */
export interface Change {
  readonly [field: string]: Json | undefined;
  readonly tracking_number: string;
  /** The state before; null for the first look. */
  readonly previous: string | null;
  readonly current: string | null;
  readonly current_location: string | null;
  readonly estimated_delivery: string | null;
  /** The newest of `records`; null where the state changed without one. */
  readonly record: TrackingRecord | null;
  /** The movements that were not there before, as the service orders them; all of them for the first look. */
  readonly records: readonly TrackingRecord[];
  readonly observed_at: string;
}

export interface Parcel {
  readonly trackingNumber: string;
  /** The last good answer. */
  readonly tracking: Tracking | undefined;
  /** When it was last seen to change; undefined before it has. */
  readonly changedMs: number | undefined;
  /** Looks have failed since then; `reason` is the latest one's. */
  readonly stale: { readonly sinceMs: number; readonly reason: string } | undefined;
}

export function newParcel(trackingNumber: string): Parcel {
  return { trackingNumber, tracking: undefined, changedMs: undefined, stale: undefined };
}

/** A look has answered. `change` is there when something is new, as everything is at first. */
export function see(
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
  const seen = { ...parcel, tracking, stale: undefined };
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

/** A look has failed, which says nothing about the parcel: what was seen stays. */
export function miss(parcel: Parcel, reason: string, nowMs: number): Parcel {
  return { ...parcel, stale: { sinceMs: parcel.stale?.sinceMs ?? nowMs, reason } };
}

export function recordsOf(tracking: Tracking | undefined): readonly TrackingRecord[] {
  return (tracking?.records ?? []) as readonly TrackingRecord[];
}

/** Records that are there more often than before; equal ones may come twice. */
function newRecords(
  before: readonly TrackingRecord[],
  after: readonly TrackingRecord[],
): readonly TrackingRecord[] {
  const known = new Map<string, number>();
  for (const record of before) known.set(identity(record), (known.get(identity(record)) ?? 0) + 1);
  // From the oldest on, so that of equal ones the newest counts as new.
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
