/** An import through a failing service and sudden ends, small; test/chaos/full has the large one. */

import { expect, test } from "vitest";
import { chooseSeed, survive } from "./survive.ts";

const seed = chooseSeed();

test(`300 rows, 15 of them twice, 10 kills: each is created once (CHAOS_SEED=${seed})`, async () => {
  const told = await survive({ rows: 300, pairs: 15, kills: 10, longestLifeMs: 1_200 }, seed);
  expect(told).toContain("10 kills");
}, 600_000);
