/** An import through a failing service and sudden ends, at full size; `npm run chaos`. */

import { expect, test } from "vitest";
import { chooseSeed, survive, surviveTogether } from "../survive.ts";

const seed = chooseSeed();

test(`2000 rows, 100 of them twice, 50 kills: each is created once (CHAOS_SEED=${seed})`, async () => {
  const told = await survive({ rows: 2_000, pairs: 100, kills: 50, longestLifeMs: 3_000 }, seed);
  process.stdout.write(`CHAOS_SEED=${seed}: ${told}\n`);
  expect(told).toContain("50 kills");
}, 1_800_000);

test(`three processes at once, 800 rows each, 60 kills: each ref and row once (CHAOS_SEED=${seed})`, async () => {
  const ordeal = { files: 3, rows: 800, pairs: 60, kills: 60, longestLifeMs: 3_000 };
  process.stdout.write(`CHAOS_SEED=${seed}: ${await surviveTogether(ordeal, seed)}\n`);
}, 1_800_000);
