/** Several machines import at once, through a failing service, sudden ends, and a database that comes and goes. */

import { expect, test } from "vitest";
import { effort, seed } from "../support/effort.ts";
import { postgresPrograms } from "../support/postgres.ts";
import { surviveMachines } from "./machines.ts";

const ordeal = {
  machines: effort(3, 8),
  rows: effort(12, 1_250),
  pairs: effort(2, 63),
  kills: effort(3, 50),
  longestLifeMs: effort(900, 6_000),
  restarts: effort(1, 5),
  partitionMs: effort(300, 60_000),
  troubleMs: effort(2_000, 120_000),
};
const size = `${ordeal.machines} machines, ${ordeal.rows} rows each, ${ordeal.kills} kills`;
test.skipIf(postgresPrograms === undefined)(
  `${size}: each ref and row once`,
  async () => {
    const told = await surviveMachines(ordeal, seed);
    console.log(told);
    expect(told).toMatch(/^\d+ kills/);
  },
  effort(120_000, 7_200_000),
);
