/** Two hundred processes; `npm run chaos`. */

import { expect, test } from "vitest";
import { crowd } from "../crowd.ts";

test("200 processes, 40 at a time, lose nothing", async () => {
  const told = await crowd(200, 40);
  process.stdout.write(`${told}\n`);
  expect(told).toContain("none lost");
}, 900_000);
