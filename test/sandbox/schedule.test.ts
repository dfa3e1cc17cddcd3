/** The proof that an order's way is a function of the order, its events and the hour, and goes one way only. */

import { describe, expect, test } from "vitest";
import { serviceTypes } from "../../src/model/fields.ts";
import { wayStates } from "../../src/model/states.ts";
import type { OrderEvent, OrderFacts } from "../../src/sandbox/order.ts";
import {
  deliveryMs,
  eventTo,
  reachedChanges,
  type StateChange,
  stateAt,
  timeline,
} from "../../src/sandbox/schedule.ts";
import { trackingAnswer } from "../../src/sandbox/tracking-history.ts";
import { fc } from "../support/effort.ts";

const createdMs = Date.parse("2026-03-01T08:00:00Z");
const weekMs = 7 * 86_400_000;
const anyFacts = fc.record({
  createdMs: fc.integer({ min: createdMs - weekMs, max: createdMs + weekMs }),
  serviceType: fc.constantFrom(...serviceTypes),
});
/** An hour from a day before to two weeks after the order was created; small steps are as likely as large ones. */
const anyDelayMs = fc.oneof(
  fc.integer({ min: -86_400_000, max: 2 * weekMs }),
  fc.integer({ min: 0, max: 20 }),
);

/** What people do to an order over time: they wait, then move it on by some states, or cancel it. */
const anyLife = fc
  .tuple(
    anyFacts,
    fc.array(fc.record({ waitMs: anyDelayMs, steps: fc.integer({ min: 0, max: 7 }) }), { maxLength: 5 }),
  )
  .map(([facts, deeds]) => {
    const events: OrderEvent[] = [];
    let nowMs = facts.createdMs;
    for (const { waitMs, steps } of deeds) {
      nowMs += Math.max(0, waitMs);
      const reached = reachedChanges(facts, events, nowMs);
      const from = wayStates.indexOf(stateOf(reached));
      if (from === -1) break;
      const to = steps === 0 ? "cancelled" : wayStates[from + steps];
      if (to !== undefined) events.push(eventTo(to, reached, nowMs));
    }
    return { facts, events, nowMs };
  });

function stateOf(changes: readonly StateChange[]): string {
  return changes.at(-1)?.state ?? "";
}

function isStrictlyAscending(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value > (values[index - 1] ?? value));
}

function recordTimes(facts: OrderFacts, events: readonly OrderEvent[], nowMs: number): number[] {
  const order = {
    id: 1_000_001,
    ...facts,
    sender: { city: "深圳市" },
    receiver: { city: "北京市" },
    item: {},
  };
  const { records } = trackingAnswer({ order, events }, nowMs) as unknown as {
    records: { occurred_at: string }[];
  };
  return records.map(({ occurred_at }) => Date.parse(occurred_at));
}

describe("an order's way", () => {
  test("only ever grows with time", () => {
    fc.assert(
      fc.property(anyLife, anyDelayMs, anyDelayMs, ({ facts, events }, oneMs, otherMs) => {
        const [early, late] = [Math.min(oneMs, otherMs), Math.max(oneMs, otherMs)];
        const before = reachedChanges(facts, events, facts.createdMs + early);
        const after = reachedChanges(facts, events, facts.createdMs + late);
        expect(after.slice(0, before.length)).toEqual(before);
      }),
    );
  });

  test("is not rewritten by what happens later", () => {
    fc.assert(
      fc.property(anyLife, ({ facts, events }) => {
        events.forEach((event, index) => {
          const before = reachedChanges(facts, events.slice(0, index), event.atMs - 1);
          const after = timeline(facts, events.slice(0, index + 1));
          expect(after.slice(0, before.length)).toEqual(before);
        });
      }),
    );
  });

  test("is the same whenever it is asked for", () => {
    fc.assert(
      fc.property(anyLife, anyDelayMs, ({ facts, events }, delayMs) => {
        const frozen = events.map((event) => Object.freeze({ ...event }));
        const first = stateAt(Object.freeze({ ...facts }), Object.freeze(frozen), facts.createdMs + delayMs);
        timeline(facts, events);
        expect(stateAt(facts, events, facts.createdMs + delayMs)).toBe(first);
      }),
    );
  });

  test("passes every state once, in order, from pending, and ends completed or cancelled", () => {
    fc.assert(
      fc.property(anyLife, ({ facts, events }) => {
        const way = timeline(facts, events);
        const states = way.map(({ state }) => state);
        const isCancelled = states.at(-1) === "cancelled";
        const passed = isCancelled ? states.slice(0, -1) : states;
        expect(passed).toEqual(wayStates.slice(0, passed.length));
        expect(isCancelled || states.at(-1) === "completed").toBe(true);
        expect(isStrictlyAscending(way.map(({ sinceMs }) => sinceMs))).toBe(true);
      }),
    );
  });

  test("shows an event at once, however late the clock says it is", () => {
    fc.assert(
      fc.property(anyLife, anyDelayMs, ({ facts, events }, delayMs) => {
        const last = events.at(-1);
        fc.pre(last !== undefined);
        const states = reachedChanges(facts, events, facts.createdMs + delayMs).map(({ state }) => state);
        expect(states).toContain(last?.to);
      }),
    );
  });

  test("ends where it is cancelled", () => {
    fc.assert(
      fc.property(anyLife, anyDelayMs, ({ facts, events, nowMs }, delayMs) => {
        fc.pre(stateAt(facts, events, nowMs) !== "cancelled");
        const cancel = eventTo("cancelled", reachedChanges(facts, events, nowMs), nowMs);
        const cancelled = [...events, cancel];
        expect(stateAt(facts, cancelled, nowMs + delayMs)).toBe("cancelled");
        expect(recordTimes(facts, cancelled, nowMs + weekMs)).toEqual(recordTimes(facts, cancelled, nowMs));
      }),
    );
  });

  test("is faster for faster services", () => {
    const tookMs = serviceTypes.map((serviceType) => deliveryMs({ createdMs, serviceType }, []) - createdMs);
    const [standardMs = 0, expressMs = 0, sameDayMs = 0] = tookMs;
    expect(standardMs).toBeGreaterThan(expressMs);
    expect(expressMs).toBeGreaterThan(sameDayMs);
    expect(sameDayMs).toBeLessThan(86_400_000);
  });
});

describe("tracking records", () => {
  test("descend strictly in time and never vanish", () => {
    fc.assert(
      fc.property(anyLife, fc.integer({ min: 0, max: weekMs }), ({ facts, events, nowMs }, laterMs) => {
        const now = recordTimes(facts, events, nowMs);
        const later = recordTimes(facts, events, nowMs + laterMs);
        expect(isStrictlyAscending([...later].reverse())).toBe(true);
        expect(later.slice(later.length - now.length)).toEqual(now);
      }),
    );
  });

  test("do so after an advance through all states in the very millisecond of the creation", () => {
    const facts: OrderFacts = { createdMs, serviceType: "standard" };
    const event = eventTo("completed", reachedChanges(facts, [], createdMs), createdMs);
    const times = recordTimes(facts, [event], createdMs);
    expect(times).toHaveLength(wayStates.length + 1);
    expect(isStrictlyAscending([...times].reverse())).toBe(true);
    expect(times.at(-1)).toBe(createdMs);
    expect((times[0] ?? 0) - createdMs).toBeLessThan(20);
  });
});
