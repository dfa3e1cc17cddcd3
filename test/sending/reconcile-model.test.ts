/** The promise of docs/never-twice.md, at a service that may do anything within its limits. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { describeKinds } from "../ledger/kinds.ts";
import { effort, fc, seed } from "../support/effort.ts";
import { play, story, storyOfSettings } from "./reconcile-model.ts";

describeKinds((open, kind) => {
  const numRuns = kind === "SQLite" ? effort(100, 1_500) : effort(30, 500);
  let directory = "";
  let ledger: Ledger;
  /** One database for all stories, each with a customer of its own. */
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "courier-model-"));
    ledger = await open(directory);
  });
  afterAll(async () => {
    await ledger.close();
    await rm(directory, { recursive: true, force: true });
  });

  test("at most one order for each operation, and what is recorded is true", async () => {
    const totals = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        for (const [state, count] of (await play(told, ledger)).states)
          totals.set(state, (totals.get(state) ?? 0) + count);
      }),
      { numRuns },
    );
    console.log(`model runs: ${numRuns} (TEST_SEED=${seed}); operations: ${JSON.stringify([...totals])}`);
    for (const state of ["created", "found", "unsent", "unknown"])
      expect(totals.get(state)).toBeGreaterThan(0);
  });

  test("whoever sets the hour meanwhile cuts no wait short: an order that is still on its way is not called absent", async () => {
    await fc.assert(
      fc.asyncProperty(storyOfSettings, async (told) => {
        await play(told, ledger);
      }),
      { numRuns },
    );
  });
});
