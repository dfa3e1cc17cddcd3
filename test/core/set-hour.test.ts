/** Somebody sets the hour while courier waits: every wait takes as long as without. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { replaceFile } from "../../src/core/replace-file.ts";
import { createBackoff, longestUnansweredMs } from "../../src/import/backoff.ts";
import { createRateLimiter } from "../../src/import/rate-limiter.ts";
import { createServedHome } from "../support/courier.ts";
import { fc } from "../support/effort.ts";
import { createHandClock } from "../support/hand-clock.ts";
import { row, sheet } from "../support/imports.ts";
import type { WireRule } from "../support/wire-faults.ts";

const hourMs = 3_600_000;
const settings = fc.array(
  fc.oneof(
    fc.constantFrom(-hourMs, hourMs, -24 * hourMs, 24 * hourMs),
    fc.integer({ min: -90_000, max: 90_000 }),
  ),
  { minLength: 1, maxLength: 5 },
);

/** Runs a command line whose every wait somebody uses to set the hour, and gives back what it waited and said. */
async function runWith(settingsMs: readonly number[], words: string, faults: readonly WireRule[]) {
  const home = await createServedHome({ seedOrders: 3 });
  await writeFile(path.join(home.directory, "o.csv"), sheet(row("A-1"), row("A-2"), row("A-3")));
  home.sandbox.faults.set(faults);
  const { sleep } = home.clock;
  let sleeps = 0;
  const clock = home.clock as { sleep: typeof sleep };
  clock.sleep = async (delayMs, signal) => {
    const byMs = settingsMs[sleeps++] ?? 0;
    home.clock.jump(byMs);
    await sleep(delayMs, signal);
  };
  const { exit } = await home.courier(words.replace("FILE", path.join(home.directory, "o.csv")));
  return { exit, waitedMs: home.clock.elapsed() };
}

const cases: readonly (readonly [what: string, words: string, faults: readonly WireRule[]])[] = [
  [
    "the rest that the service asks a read for",
    "profile --json",
    [{ kind: "rate_limit", retryAfter: "7", times: 2 }],
  ],
  ["the rest between two tries", "profile --json", [{ kind: "status", status: 503, times: 3 }]],
  [
    "the pause of an import",
    "orders import FILE --yes --concurrency 1",
    [{ kind: "rate_limit", retryAfter: "20", method: "POST", times: 1 }],
  ],
];

describe.each(cases)("%s", (_what, words, faults) => {
  test("takes as long", async () => {
    const usual = await runWith([], words, faults);
    expect(usual.waitedMs).toBeGreaterThan(0);
    await fc.assert(
      fc.asyncProperty(settings, async (settingsMs) => {
        const { exit, waitedMs } = await runWith(settingsMs, words, faults);
        expect({ exit, waitedMs }).toEqual({ exit: usual.exit, waitedMs: usual.waitedMs });
      }),
      { numRuns: 6 },
    );
  });
});

/** The hour that is set by less than this is not told from two readings of one instant. */
const unseenMs = 250;

test("the wait for proof of an order in doubt is never shorter", async () => {
  const words = "orders import FILE --yes --concurrency 1 --settle 10s";
  const faults = [{ kind: "drop_before", method: "POST", times: 1 }] as const;
  const usual = await runWith([], words, faults);
  expect(usual).toMatchObject({ exit: 0, waitedMs: expect.toSatisfy((ms) => ms >= 12_000) });
  await fc.assert(
    fc.asyncProperty(settings, async (settingsMs) => {
      const { exit, waitedMs } = await runWith(settingsMs, words, faults);
      expect([0, 6]).toContain(exit);
      expect(waitedMs).toBeGreaterThanOrEqual(usual.waitedMs - unseenMs * settingsMs.length);
    }),
    { numRuns: 6 },
  );
});

test("track --watch --for ends when its time is over, and no sooner", async () => {
  await fc.assert(
    fc.asyncProperty(settings, async (settingsMs) => {
      const { exit, waitedMs } = await runWith(settingsMs, "track 1 --watch --for 60s --ndjson", [
        {
          kind: "status",
          status: 200,
          path: "/api/v1/tracking/1",
          contentType: "application/json",
          body: '{"success":true,"data":{"status":"picked"}}',
        },
      ]);
      expect({ exit, waitedMs }).toEqual({ exit: 7, waitedMs: 60_000 });
    }),
    { numRuns: 6 },
  );
});

test("a pause of all workers lasts as long as it was asked for", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60_000 }), settings, async (pauseMs, settingsMs) => {
      const clock = createHandClock("2026-03-01T08:00:00Z");
      const limiter = createRateLimiter(clock, 10);
      await limiter.pass(new AbortController().signal);
      limiter.pause(pauseMs);
      for (const byMs of settingsMs) clock.jump(byMs);
      await limiter.pass(new AbortController().signal);
      expect(clock.elapsed()).toBe(Math.max(100, pauseMs));
    }),
  );
});

test("a service is given up after the silence that was meant", () => {
  fc.assert(
    fc.property(settings, fc.integer({ min: 0, max: 120_000 }), (settingsMs, silentMs) => {
      const clock = createHandClock("2026-03-01T08:00:00Z");
      const backoff = createBackoff(clock, () => 0.5, 1);
      const failure = { cause: new Error("away"), sentMs: clock.elapsed() };
      backoff.onFailure(failure);
      clock.advance(silentMs);
      for (const byMs of settingsMs) clock.jump(byMs);
      const again = () => backoff.onFailure({ ...failure, sentMs: clock.elapsed() });
      if (silentMs >= longestUnansweredMs) expect(again).toThrow("away");
      else expect(again).not.toThrow();
    }),
  );
});

test("a file that another program holds is waited for as long, and no longer (needs /proc)", async () => {
  await fc.assert(
    fc.asyncProperty(settings, async (settingsMs) => {
      const clock = createHandClock("2026-03-01T08:00:00Z");
      const hourly = [...settingsMs];
      const sleep = async (delayMs: number) => {
        clock.jump(hourly.shift() ?? 0);
        await clock.sleep(delayMs);
      };
      // Nobody may give files of this kind another name: the system refuses it as it refuses a held one.
      await expect(
        replaceFile("/proc/self/status", "/proc/self/cmdline", { elapsed: clock.elapsed, sleep }),
      ).rejects.toThrow();
      expect(clock.elapsed()).toBeGreaterThan(1_700);
      expect(clock.elapsed()).toBeLessThanOrEqual(2_000);
    }),
    { numRuns: 10 },
  );
});
