/** The key table agrees with a Map; the rate limiter paces everyone together. */

import { describe, expect, test } from "vitest";
import { createCompactHashMap } from "../../src/import/compact-hash-map.ts";
import { createRateLimiter } from "../../src/import/rate-limiter.ts";
import { fc } from "../support/effort.ts";
import { createHandClock } from "../support/hand-clock.ts";

describe("a key table", () => {
  test("agrees with a Map, through every growth", () => {
    const operations = fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.integer({ min: 0, max: 2 ** 50 })), {
      maxLength: 2_000,
      size: "max",
    });
    fc.assert(
      fc.property(operations, (list) => {
        const table = createCompactHashMap();
        const map = new Map<string, number>();
        for (const [key, value] of list) {
          table.set(key, value);
          map.set(key, value);
        }
        expect(table.size).toBe(map.size);
        for (const [key, value] of map) expect(table.get(key)).toBe(value);
        for (const key of ["absent", "nobody", ""]) expect(table.has(key)).toBe(map.has(key));
      }),
      { numRuns: 20 },
    );
  });

  test("holds a hundred thousand keys", () => {
    const table = createCompactHashMap();
    for (let index = 0; index < 100_000; index++) table.set(`key ${index}`, index);
    for (let index = 0; index < 100_000; index += 997) expect(table.get(`key ${index}`)).toBe(index);
    expect([table.size, table.has("key 100000")]).toEqual([100_000, false]);
  });
});

describe("a rate limiter", () => {
  const never = new AbortController().signal;

  test("lets everyone pass at once where no rate was asked for", async () => {
    const clock = createHandClock("2026-03-01T08:00:00Z");
    const limiter = createRateLimiter(clock);
    for (let index = 0; index < 100; index++) await limiter.pass(never);
    expect(clock.delays).toEqual([]);
  });

  test("spaces requests evenly at a rate", async () => {
    const clock = createHandClock("2026-03-01T08:00:00Z");
    const limiter = createRateLimiter(clock, 4);
    const startMs = clock.now();
    const passedMs: number[] = [];
    for (let index = 0; index < 5; index++) {
      await limiter.pass(never);
      passedMs.push(clock.now() - startMs);
    }
    expect(passedMs).toEqual([0, 250, 500, 750, 1_000]);
  });

  test("keeps the rate although timers fire late, and makes up for no idle time", async () => {
    const clock = createHandClock("2026-03-01T08:00:00Z");
    const late = {
      ...clock,
      async sleep(delayMs: number) {
        await clock.sleep(delayMs + 1);
      },
    };
    const limiter = createRateLimiter(late, 100);
    const startMs = clock.now();
    for (let index = 0; index < 101; index++) await limiter.pass(never);
    expect(clock.now() - startMs).toBeLessThanOrEqual(1_002);
    clock.advance(5_000);
    const thenMs = clock.now();
    for (let index = 0; index < 4; index++) await limiter.pass(never);
    expect(clock.now() - thenMs).toBeGreaterThanOrEqual(30);
  });

  test("holds everyone up once when several ask for a pause, for the longest of them", async () => {
    const clock = createHandClock("2026-03-01T08:00:00Z");
    const limiter = createRateLimiter(clock);
    for (const delayMs of [1_000, 3_000, 2_000]) limiter.pause(delayMs);
    await Promise.all([1, 2, 3, 4].map(() => limiter.pass(never)));
    expect(Math.max(...clock.delays)).toBe(3_000);
    const before = clock.now();
    await limiter.pass(never);
    expect(clock.now()).toBe(before);
  });

  test("lets nobody pass who came later, whichever timer fires first", async () => {
    const clock = createHandClock("2026-03-01T08:00:00Z");
    let sleepers: { readonly dueMs: number; readonly wake: () => void }[] = [];
    const lastFirst = {
      ...clock,
      sleep: (delayMs: number) =>
        new Promise<void>((wake) => sleepers.unshift({ dueMs: clock.now() + delayMs, wake })),
    };
    const limiter = createRateLimiter(lastFirst, 1);
    const passed: number[] = [];
    for (const each of [1, 2, 3, 4]) void limiter.pass(never).then(() => passed.push(each));
    for (let second = 0; second < 5; second++) {
      await new Promise(setImmediate);
      clock.advance(1_000);
      const due = sleepers.filter(({ dueMs }) => dueMs <= clock.now());
      sleepers = sleepers.filter(({ dueMs }) => dueMs > clock.now());
      for (const { wake } of due) wake();
    }
    expect(passed).toEqual([1, 2, 3, 4]);
  });

  test("ends the wait when told to stop", async () => {
    const clock = createHandClock("2026-03-01T08:00:00Z");
    const limiter = createRateLimiter(clock);
    limiter.pause(1_000);
    await expect(limiter.pass(AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
  });
});
