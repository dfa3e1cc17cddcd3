/** An import through a failing service and sudden ends. */

import { expect, test } from "vitest";
import { effort, seed } from "../support/effort.ts";
import { survive, surviveTogether } from "./survive.ts";

const alone = {
  rows: effort(20, 2_000),
  pairs: effort(3, 100),
  kills: effort(2, 50),
  longestLifeMs: effort(700, 3_000),
};
test(`${alone.rows} rows, ${alone.pairs} of them twice, ${alone.kills} kills: each is created once`, async () => {
  const told = await survive(alone, seed);
  console.log(told);
  expect(told).toContain(`${alone.kills} kills`);
});

const together = {
  files: effort(2, 3),
  rows: effort(12, 800),
  pairs: effort(3, 60),
  kills: effort(2, 60),
  longestLifeMs: effort(700, 3_000),
};
test(`${together.files} processes at once, ${together.rows} rows each, ${together.kills} kills: each ref and row once`, async () => {
  const told = await surviveTogether(together, seed);
  console.log(told);
  expect(told).toMatch(/^\d+ kills/);
});
