/** An import through a failing service and sudden ends, small; test/chaos/full has the large one. */

import { expect, test } from "vitest";
import { chooseSeed, survive, surviveTogether } from "./survive.ts";

const seed = chooseSeed();

test(`300 rows, 15 of them twice, 10 kills: each is created once (CHAOS_SEED=${seed})`, async () => {
  const told = await survive({ rows: 300, pairs: 15, kills: 10, longestLifeMs: 1_200 }, seed);
  expect(told).toContain("10 kills");
}, 600_000);

test(`three processes at once, 120 rows each, 9 kills: each ref and row once (CHAOS_SEED=${seed})`, async () => {
  const ordeal = { files: 3, rows: 120, pairs: 10, kills: 9, longestLifeMs: 1_500 };
  expect(await surviveTogether(ordeal, seed)).toMatch(/^\d kills/);
}, 600_000);
