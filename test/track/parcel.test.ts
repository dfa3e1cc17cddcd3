/** What counts as a change of a parcel, what it is called, and what a failed look leaves as it was. */

import { describe, expect, test } from "vitest";
import type { Tracking } from "../../src/model/interface.ts";
import { checkGoal } from "../../src/track/goal.ts";
import { applyPoll, markStale, newParcel } from "../../src/track/parcel.ts";

const nowMs = Date.parse("2026-03-01T08:00:00Z");

function record(step: number, place = `城${step}`) {
  return { location: place, description: `第${step}步`, occurred_at: `2026-03-01T0${step}:00:00Z` };
}

function tracking(status: string | null, steps: readonly number[], location?: string): Tracking {
  const place = location ?? `城${steps[0] ?? 0}`;
  return {
    tracking_number: "T1",
    status,
    current_location: place,
    records: steps.map((step) => record(step)),
  };
}

function seen(...looks: Tracking[]) {
  let parcel = newParcel("T1");
  let change: ReturnType<typeof applyPoll>["change"];
  for (const look of looks) ({ parcel, change } = applyPoll(parcel, look, nowMs));
  return { parcel, change };
}

describe("a change", () => {
  test("the first look tells the present state with all records, and is none that counts", () => {
    const { parcel, change } = seen(tracking("picked", [2, 1]));
    expect(change).toEqual({
      tracking_number: "T1",
      previous: null,
      current: "picked",
      current_location: "城2",
      estimated_delivery: null,
      record: record(2),
      records: [record(2), record(1)],
      observed_at: "2026-03-01T08:00:00.000Z",
    });
    expect(parcel.changedMs).toBeUndefined();
  });

  test("nothing is new: no change", () => {
    expect(seen(tracking("picked", [2, 1]), tracking("picked", [2, 1])).change).toBeUndefined();
  });

  test("only the records that were not there before, the newest first", () => {
    const { parcel, change } = seen(tracking("picked", [2, 1]), tracking("in_transit", [4, 3, 2, 1]));
    expect(change).toMatchObject({ previous: "picked", current: "in_transit", record: record(4) });
    expect(change?.records).toEqual([record(4), record(3)]);
    expect(parcel.changedMs).toBe(nowMs);
  });

  test("a state without a record, a record without a state, and a place alone", () => {
    const before = tracking("picked", [1]);
    expect(seen(before, tracking("delivered", [1])).change).toMatchObject({ record: null, records: [] });
    expect(seen(before, tracking("picked", [2, 1])).change).toMatchObject({
      previous: "picked",
      current: "picked",
    });
    expect(seen(before, tracking("picked", [1], "别处")).change).toMatchObject({ current_location: "别处" });
  });

  test("two equal records are two; one of them is new", () => {
    const { change } = seen(tracking("picked", [1]), tracking("picked", [1, 1]));
    expect(change?.records).toEqual([record(1)]);
  });

  test("a record that is worded anew is new; one that disappears is not", () => {
    const before = tracking("picked", [2, 1]);
    expect(seen(before, tracking("picked", [1], "城2")).change).toBeUndefined();
    const reworded = { ...before, records: [{ ...record(2), description: "改" }, record(1)] };
    expect(seen(before, reworded).change?.records).toHaveLength(1);
  });

  test.each([[[]], [[1]]])(
    "records of which an answer had only %j are not new when they are back",
    (steps) => {
      const [all, fewer] = [tracking("picked", [2, 1]), tracking("picked", steps, "城2")];
      const { parcel, change } = seen(all, fewer, all);
      expect([change, parcel.tracking?.records]).toEqual([undefined, all.records]);
      const moved = seen(all, tracking("in_transit", steps), tracking("delivered", [2, 1]));
      expect(moved.change).toMatchObject({ previous: "in_transit", current: "delivered", records: [] });
      expect(seen(all, fewer, tracking("picked", [3, 2, 1])).change?.records).toEqual([record(3)]);
    },
  );

  test("records that an answer with only a new one lacks are not new when they are back", () => {
    const [begun, only] = [tracking("in_transit", [3, 2, 1]), tracking("in_transit", [4])];
    expect(seen(begun, only).change?.records).toEqual([record(4)]);
    const { parcel, change } = seen(begun, only, tracking("in_transit", [4, 3, 2, 1]));
    expect([change, parcel.tracking?.records]).toEqual([undefined, [4, 3, 2, 1].map((step) => record(step))]);
  });

  test("a service that words all records anew each time makes no endless list of them", () => {
    const reworded = (poll: number) => ({
      ...tracking("in_transit", []),
      records: [1, 2].map((step) => ({ ...record(step), description: `${poll} min ago` })),
    });
    const { parcel } = seen(...Array.from({ length: 1_000 }, (_, poll) => reworded(poll)));
    expect(parcel.tracking?.records?.length).toBeLessThan(300);
  });

  test("a state that is missing is null, and coming to one is a change", () => {
    const nothing = { tracking_number: "T1" } as Tracking;
    expect(seen(nothing).change).toMatchObject({ previous: null, current: null, record: null });
    expect(seen(nothing, tracking("paid", [])).change).toMatchObject({ previous: null, current: "paid" });
  });
});

test("failed looks leave the last good state, and say since when and why now", () => {
  const { parcel } = seen(tracking("picked", [1]));
  const stale = markStale(markStale(parcel, "no network", nowMs), "too many calls", nowMs + 60_000);
  expect(stale).toEqual({ ...parcel, stale: { sinceMs: nowMs, reason: "too many calls" } });
  expect(applyPoll(stale, tracking("picked", [1]), nowMs).parcel.stale).toBeUndefined();
});

describe("what is waited for", () => {
  test.each([
    ["delivered", "final", "reached"],
    ["completed", "final", "reached"],
    ["cancelled", "final", "reached"],
    ["in_transit", "final", "open"],
    ["lost_at_sea", "final", "open"],
    [null, "final", "open"],
  ])("%s with no goal: %s, %s", (state, kind, goalResult) => {
    expect(checkGoal(state, { kind: kind as "final" })).toBe(goalResult);
  });

  test.each([
    ["in_transit", "in_transit", "reached"],
    ["delivering", "in_transit", "reached"],
    ["picked", "in_transit", "open"],
    ["cancelled", "in_transit", "missed"],
    ["cancelled", "cancelled", "reached"],
    ["delivered", "cancelled", "missed"],
    ["delivered", "completed", "open"],
    ["delivered", "at_pickup_point", "open"],
    ["completed", "at_pickup_point", "missed"],
    ["at_pickup_point", "at_pickup_point", "reached"],
    ["at_pickup_point", "delivered", "open"],
    [null, "delivered", "open"],
  ])("%s while waiting for %s: %s", (state, wanted, goalResult) => {
    expect(checkGoal(state, { kind: "state", state: wanted })).toBe(goalResult);
  });

  test.each([
    ["in_transit", "open"],
    ["delivered", "open"],
    ["completed", "missed"],
    ["cancelled", "missed"],
  ])("%s while waiting for a change: %s", (state, goalResult) => {
    expect(checkGoal(state, { kind: "change" })).toBe(goalResult);
  });
});
