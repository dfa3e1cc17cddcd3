/** How late the service lists own orders: recorded with each list, and learned from. */

import { findPlace, type SinceBoot } from "../core/process-identity.ts";
import type { SqlValue } from "../sqlite/driver.ts";
import { ask, type Work } from "./statements.ts";

/** A complete listing. */
export interface Listing {
  readonly customer: number;
  readonly beganMs: number;
  readonly endedMs: number;
  /** The listing starts at this creation date; undefined for all orders. */
  readonly dateFrom: string | undefined;
  readonly ids: readonly string[];
  /** The time stamps of orders that have one, as the service wrote them. */
  readonly stamps?: ReadonlyMap<string, string>;
  /** The service's clock minus ours at its end. */
  readonly offsetMs?: number | undefined;
}

const hourMs = 3_600_000;
/** Takes the time twice: by the numbers of runs, older operations are not read. */
export const firstRunSince = "coalesce((SELECT min(number) FROM runs WHERE coalesce(ended_at, ?) >= ?), 0)";
const ofRunsSince = `run >= ${firstRunSince}`;
/** An order that was missing once is taken to have been so for up to this time, or this multiple of the time. */
const soonMs = 10_000;
const soonFactor = 10;
/** How long an order was missing in lists, as SQL: null where none lacked it. */
export const missingSpan = `CASE WHEN missing_ms IS NULL THEN NULL
  WHEN first_shown_ms < 0 OR first_shown_ms IS NULL THEN missing_ms
  WHEN first_shown_ms <= ${soonMs} OR first_shown_ms <= ${soonFactor} * missing_ms THEN first_shown_ms
  WHEN missing_ms < ${soonMs / soonFactor} THEN ${soonMs} ELSE ${soonFactor} * missing_ms END`;
/** In place of `first_shown_ms` where the clock was set meanwhile, and it is not known by how much. */
const unknownSpan = -1;
/** Date headers have whole seconds: offsets that differ by less do not mean that the clock was set. */
const settingMs = 2_000;

/**
 * How long ago an own order was made, as SQL with its values. Setting the clock makes no difference where the machine
 * has run on since: its processes in one place read one time since boot.
 */
function spanUntil(end: Omit<ListEnd, "customer">): readonly [text: string, values: readonly SqlValue[]] {
  const { now } = end;
  const [byClock, clockValues] = spanByClock(end);
  if (!now) return [byClock, clockValues];
  return [
    `CASE WHEN sent_boot = ? AND sent_since_boot_ms <= ?
       AND EXISTS (SELECT 1 FROM runs WHERE runs.number = operations.owner AND place = ?)
       THEN ? - sent_since_boot_ms ELSE ${byClock} END`,
    [now.boot, now.ms, findPlace(), now.ms, ...clockValues],
  ];
}

/** The same by the wall clock, and by the service's where the offsets show that ours was set. */
function spanByClock({
  endedMs,
  offsetMs,
}: Omit<ListEnd, "customer">): readonly [text: string, values: readonly SqlValue[]] {
  if (offsetMs === undefined)
    return [`CASE WHEN ended_at <= ? THEN ? - ended_at ELSE ${unknownSpan} END`, [endedMs, endedMs]];
  const offset = Math.round(offsetMs);
  const serviceMs = endedMs + offset;
  return [
    `CASE WHEN abs(coalesce(offset_ms, assumed_offset_ms, ?) - ?) <= ${settingMs} AND ended_at <= ? THEN ? - ended_at
       WHEN abs(offset_ms - ?) > ${settingMs} AND ended_at + offset_ms <= ? THEN ? - ended_at - offset_ms
       ELSE ${unknownSpan} END`,
    [offset, offset, endedMs, endedMs, offset, serviceMs, serviceMs],
  ];
}

/** When a list was read to its end, by the wall clock and its offset to the service's, and by the time since boot. */
interface ListEnd {
  readonly customer: number;
  readonly endedMs: number;
  readonly offsetMs: number | undefined;
  readonly now: SinceBoot | undefined;
}

/** Records when own orders were first listed, and which are still missing. */
export function* recordDelays(
  { customer, beganMs, endedMs, dateFrom, ids, offsetMs }: Listing,
  now: SinceBoot | undefined,
): Work<void> {
  const list = JSON.stringify(ids);
  const end = { customer, endedMs, offsetMs, now };
  const [span, values] = spanUntil(end);
  yield ask(
    `UPDATE operations SET first_shown_ms = ${span}
     WHERE customer = ? AND kind = 'create' AND state = 'created' AND first_shown_ms IS NULL
       AND order_id IN (SELECT value FROM json_each(?))`,
    ...values,
    customer,
    list,
  );
  if (dateFrom !== undefined && dateFrom > new Date(beganMs - hourMs).toISOString().slice(0, 10)) return;
  // Older orders may be missing for other reasons: some services drop cancelled ones.
  yield* recordMissing(
    end,
    `${ofRunsSince} AND ended_at BETWEEN ? AND ? AND order_id NOT IN (SELECT value FROM json_each(?))`,
    [endedMs, beganMs - hourMs, beganMs - hourMs, beganMs, list],
  );
}

function* recordMissing(end: ListEnd, condition: string, further: readonly SqlValue[]): Work<void> {
  const [span, values] = spanUntil(end);
  yield ask(
    `UPDATE operations SET missing_ms = CASE WHEN missing_ms > ${span} THEN missing_ms ELSE ${span} END
     WHERE customer = ? AND kind = 'create' AND state = 'created' AND first_shown_ms IS NULL AND ${condition}`,
    ...values,
    ...values,
    end.customer,
    ...further,
  );
}

/** Records that a list of which no more was needed lacks these own orders. */
export function recordLacking(end: ListEnd, ids: readonly string[]): Work<void> {
  return recordMissing(end, "order_id IN (SELECT value FROM json_each(?))", [JSON.stringify(ids)]);
}
