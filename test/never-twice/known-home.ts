/** A service whose list a ledger knows: it has shown the orders of an earlier import. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { row, sheet } from "../support/imports.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

export const minuteMs = 60_000;

/** The list has shown the orders of three rows. `run` imports so many rows, four at most. */
export async function knownHome() {
  const home = await createUnfaithfulHome();
  const file = path.join(home.directory, "orders.csv");
  const rows = ["王一", "王二", "王三", "李四"].map((name, index) =>
    row(`A-${index}`, name, `1390013900${index}`),
  );
  const run = async (count = 4) => {
    await writeFile(file, sheet(...rows.slice(0, count)));
    const ran = await home.courier(`orders import ${file} --yes --json --settle 10s`);
    return { ...ran, report: JSON.parse(ran.stdout) };
  };
  expect((await run(3)).exit).toBe(0);
  home.clock.advance(minuteMs);
  expect((await run(3)).exit).toBe(0);
  return { home, run };
}
