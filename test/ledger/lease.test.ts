/** The right to send what was claimed in a shared ledger: it is lost for good where no sign of life could be given. */

import { expect, test } from "vitest";
import type { Clock } from "../../src/core/clock.ts";
import { CourierError } from "../../src/core/errors.ts";
import { createLease, leaseMs, readClocks, takeOverMs } from "../../src/ledger/shared/lease.ts";
import { createHandClock } from "../support/hand-clock.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

function createHeld(beat: () => Promise<unknown>, change: (clock: Clock) => Partial<Clock> = () => ({})) {
  const hand = createHandClock("2026-03-01T08:00:00Z");
  const clock = { ...hand, ...change(hand) };
  const beats: (readonly number[])[] = [];
  const lease = createLease(clock, (runs) => {
    beats.push([...runs]);
    return beat();
  });
  lease.hold(7, readClocks(clock));
  return { hand, lease, beats };
}

test("signs of life keep it", async () => {
  const { hand, lease, beats } = createHeld(async () => {});
  for (let turn = 0; turn < 20; turn++) {
    hand.advance(5_000);
    await settled();
    expect(lease.isHeld()).toBe(true);
  }
  expect(beats).toEqual(Array.from({ length: 20 }, () => [7]));
  lease.end();
  hand.advance(60_000);
  await settled();
  expect(beats).toHaveLength(20);
});

test("without an answer from the server it ends, and a later one does not bring it back", async () => {
  let answers = false;
  const { hand, lease } = createHeld(async () => {
    if (!answers) throw new Error("away");
  });
  hand.advance(leaseMs - 1);
  await settled();
  expect(lease.isHeld()).toBe(true);
  answers = true;
  hand.advance(leaseMs);
  await settled();
  expect(lease.isHeld()).toBe(false);
  hand.advance(5_000);
  await settled();
  expect(lease.isHeld()).toBe(false);
});

test("a machine that slept has lost it, though its monotonic clock stood still", () => {
  let sleptMs = 0;
  const { lease } = createHeld(
    async () => {},
    (clock) => ({ sinceBoot: () => ({ boot: "boot 1", ms: clock.elapsed() + sleptMs }) }),
  );
  expect(lease.isHeld()).toBe(true);
  sleptMs = leaseMs;
  expect(lease.isHeld()).toBe(false);
});

test("setting the clock of the machine does not end it, where the system counts the time since boot", () => {
  const { hand, lease } = createHeld(async () => {});
  hand.jump(3_600_000);
  expect(lease.isHeld()).toBe(true);
});

test("others take over long after it ended", () => {
  expect(takeOverMs).toBeGreaterThanOrEqual(leaseMs + 120_000);
});

test("where the connection breaks nothing is sure before the next sign of life, which comes at once", async () => {
  let answers = true;
  const { hand, lease, beats } = createHeld(async () => {
    if (!answers) throw new Error("away");
  });
  expect(lease.isSure()).toBe(true);
  answers = false;
  lease.doubt();
  hand.advance(0);
  await settled();
  expect([beats.length, lease.isSure(), lease.isHeld()]).toEqual([1, false, true]);
  answers = true;
  hand.advance(1_000);
  await settled();
  expect([beats.length, lease.isSure()]).toEqual([2, true]);
});

test("a database that has lost what was recorded is said to have lost it, for good", async () => {
  const loss = new CourierError("ledger_lost", 5, "lost");
  let fails = true;
  const { hand, lease } = createHeld(async () => {
    if (fails) throw loss;
  });
  lease.doubt();
  hand.advance(0);
  await settled();
  expect(() => lease.isSure()).toThrow(loss);
  fails = false;
  hand.advance(5_000);
  await settled();
  expect(() => lease.isSure()).toThrow(loss);
});
