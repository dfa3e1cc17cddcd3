/** When parcels are looked at: often enough, never too often, whatever their looks come to. */

import { describe, expect, test } from "vitest";
import { createSchedule, type PollOutcome, pollsWithin, usualPace } from "../../src/track/schedule.ts";
import { fc } from "../support/effort.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `P${index}`);

interface Look {
  readonly parcel: string;
  readonly startedMs: number;
}

interface Plan {
  readonly parcels: number;
  readonly intervalMs: number;
  readonly isFixed?: boolean;
  readonly concurrency?: number;
  readonly spanMs: number;
  /** How long a look takes, and how it ends. */
  readonly play: (look: number, nowMs: number) => { readonly tookMs: number; readonly outcome: PollOutcome };
  readonly random?: () => number;
}

/** Plays a schedule to the end of a span, and gives back every look; fails when it stands still. */
function play({ parcels, intervalMs, isFixed = true, concurrency = 4, spanMs, play, random }: Plan): Look[] {
  const schedule = createSchedule({
    trackingNumbers: numbers(parcels),
    pace: { intervalMs, isFixed },
    nowMs: 0,
    concurrency,
    random: random ?? (() => 0.5),
  });
  const looks: Look[] = [];
  const polling: { parcel: string; endsMs: number; outcome: PollOutcome }[] = [];
  for (let nowMs = 0; nowMs <= spanMs; ) {
    for (const look of polling.filter(({ endsMs }) => endsMs <= nowMs)) {
      polling.splice(polling.indexOf(look), 1);
      schedule.end(look.parcel, look.outcome, nowMs);
    }
    for (let parcel = schedule.take(nowMs); parcel !== undefined; parcel = schedule.take(nowMs)) {
      expect(
        polling.map((look) => look.parcel),
        "two looks at one parcel",
      ).not.toContain(parcel);
      const { tookMs, outcome } = play(looks.length, nowMs);
      looks.push({ parcel, startedMs: nowMs });
      polling.push({ parcel, endsMs: nowMs + tookMs, outcome });
      expect(polling.length).toBeLessThanOrEqual(concurrency);
    }
    const times = [schedule.nextMs(), ...polling.map(({ endsMs }) => endsMs)];
    const nextMs = Math.min(...times.filter((time) => time !== undefined));
    if (nextMs === Number.POSITIVE_INFINITY) break;
    expect(nextMs).toBeGreaterThan(nowMs);
    nowMs = nextMs;
  }
  return looks;
}

/** The most looks that fall into any span of this length. */
function mostWithin(looks: readonly Look[], spanMs: number): number {
  let from = 0;
  return looks.reduce((most, { startedMs }, index) => {
    while ((looks[from]?.startedMs ?? 0) <= startedMs - spanMs + 1e-6) from += 1;
    return Math.max(most, index - from + 1);
  }, 0);
}

function gapsOf(looks: readonly Look[]): number[] {
  const latest = new Map<string, number>();
  return looks.flatMap(({ parcel, startedMs }) => {
    const before = latest.get(parcel);
    latest.set(parcel, startedMs);
    return before === undefined ? [] : [startedMs - before];
  });
}

const outcomes: fc.Arbitrary<PollOutcome> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: "same" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "changed" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "failed" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("rate_limited" as const),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 120_000 }), { nil: undefined }),
    }),
  },
);

test("whatever looks come to: never more of them in an interval than parcels, never two at one parcel", () => {
  const plans = fc.record({
    parcels: fc.integer({ min: 1, max: 60 }),
    intervalMs: fc.integer({ min: 1_000, max: 90_000 }),
    isFixed: fc.boolean(),
    concurrency: fc.integer({ min: 1, max: 6 }),
    results: fc.array(fc.tuple(fc.integer({ min: 1, max: 40_000 }), outcomes), { minLength: 1 }),
    randoms: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1 }),
  });
  fc.assert(
    fc.property(plans, ({ results, randoms, ...plan }) => {
      let drawn = 0;
      const looks = play({
        ...plan,
        spanMs: plan.intervalMs * 20,
        play: (look) => {
          const [tookMs, outcome] = results[look % results.length] ?? [1, { kind: "same" }];
          return { tookMs, outcome };
        },
        random: () => randoms[drawn++ % randoms.length] ?? 0,
      });
      expect(mostWithin(looks, plan.intervalMs)).toBeLessThanOrEqual(plan.parcels);
      expect(Math.min(plan.intervalMs, ...gapsOf(looks))).toBeGreaterThanOrEqual(plan.intervalMs - 1e-6);
    }),
  );
});

test("a fixed interval is kept to the millisecond once the first round has been spread", () => {
  const looks = play({
    parcels: 10,
    intervalMs: 10_000,
    spanMs: 300_000,
    play: () => ({ tookMs: 50, outcome: { kind: "same" } }),
  });
  const later = looks.filter(({ startedMs }) => startedMs > 20_000);
  expect(new Set(gapsOf(later))).toEqual(new Set([10_000]));
  const starts = later.map(({ startedMs }) => startedMs % 10_000);
  expect(new Set(starts).size, "spread evenly over the interval").toBe(10);
  expect(mostWithin(later, 1_000)).toBe(1);
});

test("nothing changes: the gaps grow to ten minutes and vary; a change brings them back", () => {
  const draws = [0, 0.25, 0.5, 0.75, 0.99];
  let drawn = 0;
  const looks = play({
    parcels: 1,
    ...usualPace,
    spanMs: 8 * 3_600_000,
    play: (look) => ({ tookMs: 1, outcome: { kind: look === 20 ? "changed" : "same" } }),
    random: () => draws[drawn++ % draws.length] ?? 0,
  });
  const gaps = gapsOf(looks);
  expect(gaps[0]).toBeGreaterThanOrEqual(60_000);
  expect(gaps[0]).toBeLessThan(110_000);
  const settled = gaps.slice(10, 20);
  expect(Math.min(...settled)).toBeGreaterThanOrEqual(600_000);
  expect(Math.max(...settled)).toBeLessThanOrEqual(720_000);
  expect(new Set(settled).size).toBeGreaterThan(1);
  expect(gaps[20]).toBeLessThanOrEqual(72_000);
});

test("a failed look is tried again after the interval, then ever more rarely", () => {
  const looks = play({
    parcels: 1,
    ...usualPace,
    spanMs: 2 * 3_600_000,
    play: (look) => ({ tookMs: 1, outcome: { kind: look < 10 ? "same" : "failed" } }),
    random: () => 0,
  });
  const gaps = gapsOf(looks).map((gap) => Math.round(gap / 1_000));
  expect(gaps.slice(10, 14)).toEqual([60, 90, 135, 203]);
});

test("429 holds the whole board for as long as was asked, and slows it until a round has gone well", () => {
  const looks = play({
    parcels: 10,
    intervalMs: 10_000,
    spanMs: 400_000,
    play: (look) => ({
      tookMs: 1,
      outcome: look === 25 ? { kind: "rate_limited", retryAfterMs: 120_000 } : { kind: "same" },
    }),
  });
  const limitedMs = looks[25]?.startedMs ?? 0;
  const after = looks.filter(({ startedMs }) => startedMs > limitedMs + 1);
  expect(after[0]?.startedMs).toBeGreaterThanOrEqual(limitedMs + 120_000);
  expect(mostWithin(after.slice(0, 10), 10_000), "no burst after the rest").toBeLessThanOrEqual(10);
  expect(Math.max(...gapsOf(after))).toBeLessThanOrEqual(40_000);
  expect(gapsOf(after.slice(-20)), "back to the interval in the end").toSatisfy((gaps: number[]) =>
    gaps.every((gap) => Math.abs(gap - 10_000) < 1_000),
  );
});

test("a limit that the service does not state is found: no parcel waits twice as long as it has to", () => {
  const [spanMs, mostAMinute] = [4 * 3_600_000, 60];
  let limits = 0;
  let answered = { minute: -1, calls: 0 };
  const looks = play({
    parcels: 200,
    intervalMs: 60_000,
    concurrency: 8,
    spanMs,
    play(_look, nowMs) {
      const minute = Math.floor(nowMs / 60_000);
      answered = { minute, calls: answered.minute === minute ? answered.calls + 1 : 1 };
      if (answered.calls <= mostAMinute) return { tookMs: 1, outcome: { kind: "same" } };
      limits += 1;
      return { tookMs: 1, outcome: { kind: "rate_limited", retryAfterMs: (minute + 1) * 60_000 - nowMs } };
    },
  });
  expect(looks.length).toBeGreaterThan((mostAMinute * spanMs) / 60_000 / 2);
  expect(limits, "once in two minutes at most").toBeLessThan(spanMs / 120_000);
});

test("looks that were under way at a 429 do not slow the board twice", () => {
  const schedule = createSchedule({
    trackingNumbers: numbers(2),
    pace: { intervalMs: 10_000, isFixed: true },
    nowMs: 0,
    concurrency: 4,
    random: () => 0,
  });
  schedule.take(0);
  schedule.take(100);
  const limited = { kind: "rate_limited", retryAfterMs: 1_000 } as const;
  schedule.end("P0", limited, 200);
  schedule.end("P1", limited, 210);
  expect(schedule.dueMs("P0")).toBe(20_000);
  expect(schedule.dueMs("P1")).toBeLessThan(26_000);
});

test("a machine that slept: the looks that it missed are made up one after the other, and spread again", () => {
  const schedule = createSchedule({
    trackingNumbers: numbers(20),
    pace: { intervalMs: 10_000, isFixed: true },
    nowMs: 0,
    concurrency: 20,
    random: Math.random,
  });
  let nowMs = 0;
  const round = (untilMs: number): number[] => {
    const starts: number[] = [];
    while (nowMs <= untilMs) {
      const parcel = schedule.take(nowMs);
      if (parcel === undefined) {
        nowMs = Math.max(nowMs, schedule.nextMs() ?? nowMs + 1);
        continue;
      }
      starts.push(nowMs);
      schedule.end(parcel, { kind: "same" }, nowMs);
    }
    return starts;
  };
  round(60_000);
  nowMs = 8 * 3_600_000;
  const woken = round(nowMs + 30_000);
  expect(woken[1] ?? 0, "no burst").toBeGreaterThanOrEqual((woken[0] ?? 0) + 100);
  const later = woken.filter((startMs) => startMs > 8 * 3_600_000 + 12_000);
  expect(new Set(later.map((startMs) => Math.floor(startMs / 1_000))).size).toBeGreaterThan(8);
});

describe("the looks that a board takes", () => {
  test.each([
    [3_600_000, 1, usualPace, 10],
    [3_600_000, 200, usualPace, 2_000],
    [3_600_000, 5, { intervalMs: 10_000, isFixed: true }, 1_805],
    [0, 7, usualPace, 7],
  ])("in %d ms, %d parcels", (spanMs, parcels, pace, looks) => {
    expect(pollsWithin(spanMs, parcels, pace)).toBe(looks);
  });
});
