/** The promise of docs/never-twice.md, at a service that may do anything within its limits. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { describeKinds } from "../ledger/kinds.ts";
import { effort, fc, seed } from "../support/effort.ts";
import { createHandClock, type HandClock } from "../support/hand-clock.ts";
import {
  play,
  type Story,
  startOfStory,
  story,
  storyOfAddresses,
  storyOfCopies,
  storyOfSettings,
} from "./reconcile-model.ts";

describeKinds((open, kind) => {
  const numRuns = kind === "SQLite" ? effort(100, 1_500) : effort(30, 500);
  let directory = "";
  let ledger: Ledger;
  /** The clock of the story that is played. */
  let clock: HandClock;
  const playAnew = (told: Story) => {
    clock = createHandClock(startOfStory);
    return play(told, ledger, clock);
  };
  /** One database for all stories, each with a customer of its own. */
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "courier-model-"));
    // Signs of life on a server are by the real clock, which is not that of the story.
    ledger = await open(directory, () => (kind === "SQLite" ? clock.sinceBoot() : undefined));
  });
  afterAll(async () => {
    await ledger.close();
    await rm(directory, { recursive: true, force: true });
  });

  test("at most one order for each operation, and what is recorded is true", async () => {
    const totals = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        for (const [state, count] of (await playAnew(told)).states)
          totals.set(state, (totals.get(state) ?? 0) + count);
      }),
      { numRuns, examples: [[storyOfAddresses]] },
    );
    console.log(`model runs: ${numRuns} (TEST_SEED=${seed}); operations: ${JSON.stringify([...totals])}`);
    for (const state of ["created", "found", "unsent", "unknown"])
      expect(totals.get(state)).toBeGreaterThan(0);
  });

  test("whoever sets the hour meanwhile cuts no wait short: an order that is still on its way is not called absent", async () => {
    await fc.assert(
      fc.asyncProperty(storyOfSettings, async (told) => {
        await playAnew(told);
      }),
      { numRuns },
    );
  });

  test("a list that has lost orders proves nothing: an order that it hides is not called absent", async () => {
    await fc.assert(
      fc.asyncProperty(storyOfCopies, async (told) => {
        await playAnew(told);
      }),
      { numRuns: Math.ceil(numRuns / 4) }, // each story has many orders
    );
  });
});
