/** A service whose list a ledger knows: it has shown the orders of an earlier import. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { row, sheet } from "../support/imports.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";

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

/** Imports orders from JSON. */
export const shipRows = ({ courier }: UnfaithfulHome, rows: readonly object[]) =>
  courier("orders import - --yes --json --concurrency 1", { stdin: JSON.stringify(rows) });

/** A service that shows orders so; its list has shown these. */
export async function homeThatKnows(rewrite: Rewriting, rows: readonly object[]): Promise<UnfaithfulHome> {
  const home = await createUnfaithfulHome({ rewrite });
  for (let time = 0; time < 2; time++) {
    expect((await shipRows(home, rows)).exit).toBe(0);
    home.clock.advance(minuteMs);
  }
  return home;
}

/** No answer comes for rows with `isLost` in their bodies, and the same import runs again later. */
export async function settleRows(
  home: UnfaithfulHome,
  rows: readonly object[],
  fate: "before" | "after",
  isLost = /./,
) {
  const { rewrite } = home.service.ways;
  const ways = rewrite ? { rewrite } : {};
  home.service.ways = {
    ...ways,
    loss: ({ body }) => (isLost.test(body) ? fate : "answered"),
    refuseList: { status: 503 },
  };
  let ran = await shipRows(home, rows);
  home.service.ways = ways;
  for (let time = 0; time < 3; time++) {
    home.clock.advance(60 * minuteMs);
    ran = await shipRows(home, rows);
  }
  return ran;
}
