/** An equal order that another machine made long after a lost request is not taken for the lost one. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { outcomes, row, sheet } from "../support/imports.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const hourMs = 3_600_000;

test.each([
  [1 / 60, "found"],
  [2, "unknown"],
  [25, "unknown"],
])("made %d h later: %s", async (hours, outcome) => {
  const home = await createUnfaithfulHome();
  const file = path.join(home.directory, "orders.csv");
  const words = ["orders", "import", file, "--yes", "--json"];
  await writeFile(file, sheet(row("A-1")));
  expect((await home.courier(words)).exit).toBe(0);
  const [own] = home.service.orders;
  await writeFile(file, sheet(row("A-1"), row("A-2", "王五", "13700137001")));
  home.service.ways = { loss: () => "before", refuseList: { status: 503 } };
  expect((await home.courier(words)).exit).toBe(6);
  home.service.ways = {};
  home.clock.advance(hours * hourMs);
  const body = own?.body as NonNullable<typeof own>["body"];
  home.service.foreign({ ...body, receiver: { ...body.receiver, name: "王五", phone: "13700137001" } });
  home.clock.advance(hourMs);
  const { exit, stdout, stderr } = await home.courier(words);
  expect(outcomes(JSON.parse(stdout)), stderr).toBe(`shipped ${outcome}`);
  expect(exit).toBe(outcome === "found" ? 0 : 6);
  if (outcome === "unknown") expect(stdout).toContain("possible matches: 2");
});
