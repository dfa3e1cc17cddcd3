/** Several machines import at once, through a failing service, sudden ends, and a database that comes and goes. */

import { expect, test } from "vitest";
import { effort, seed } from "../support/effort.ts";
import { postgresPrograms } from "../support/postgres.ts";
import { surviveMachines } from "./machines.ts";

/** `npm run chaos`: an hour or less. */
const isFull = process.env.COURIER_CHAOS === "full";
const sized = (everyday: number, long: number, full: number) => (isFull ? full : effort(everyday, long));
const ordeal = {
  machines: sized(3, 4, 8),
  rows: sized(12, 60, 1_250),
  pairs: sized(2, 6, 63),
  kills: sized(3, 8, 50),
  longestLifeMs: sized(900, 2_000, 6_000),
  restarts: sized(1, 2, 5),
  partitionMs: sized(300, 3_000, 60_000),
  troubleMs: sized(2_000, 8_000, 120_000),
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
