/** courier orders import at a terminal: only the rows that were not created are listed; scripts get every row. */

import { expect, test } from "vitest";
import { createImportHome, header, row, sheet } from "../support/imports.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const rows = Array.from({ length: 30 }, (_, index) => row(`A-${index}`));
const content = sheet(...rows, row("X-1", "王五", "12"));
const yes = () => scriptedPrompts({ confirms: [true] });

test("created and shipped rows are counted, the others are listed once, and the log has all", async () => {
  const home = await createImportHome(content);
  const first = await home.courier(["orders", "import", home.file], {
    terminal: 120,
    prompts: yes(),
    env: { NO_COLOR: "1" },
  });
  expect(first.exit).toBe(3);
  expect(first.stdout).not.toContain("created");
  expect(first.stdout).toMatch(/^ *31 +X-1 +refused/m);
  expect(first.stderr).not.toContain("row 31 (X-1)");
  expect(first.stderr).toContain("31 rows: 30 created, 1 refused\n");
  const [, line = ""] = /^each order: courier (.*)$/m.exec(first.stderr) ?? [];
  expect((await home.courier(line)).stdout).toContain("A-29");

  await home.put(sheet(...rows, row("X-1")));
  const again = await home.courier(["orders", "import", home.file], {
    terminal: 120,
    prompts: yes(),
    env: { NO_COLOR: "1" },
  });
  expect([again.exit, again.stdout]).toEqual([0, ""]);
  expect(again.stderr).toContain("31 rows: 1 created, 30 already shipped\n");
});

test.each([["--json"], ["--csv"], ["--ndjson"], ["--fields row,outcome"]])(
  "the whole report is printed with %s",
  async (flags) => {
    const home = await createImportHome(content);
    const words = ["orders", "import", home.file, "--yes", ...flags.split(" ")];
    const { stdout, stderr } = await home.courier(words, { terminal: 120, env: { NO_COLOR: "1" } });
    expect(stdout.match(/\bcreated\b/g), stderr).toHaveLength(30);
  },
);

test("a pipe gets the whole report", async () => {
  const home = await createImportHome(content);
  const { stdout, stderr } = await home.courier(["orders", "import", home.file, "--yes"]);
  expect(stdout.match(/\bcreated\b/g)).toHaveLength(30);
  expect(stderr).not.toContain("each order:");
});

test("where an order has several rows, orders and rows are counted apart", async () => {
  const goods = header
    .split(",")
    .map((name) => (name.startsWith("item.name") ? "茶杯" : ""))
    .join(",");
  const home = await createImportHome(sheet(row("A-1"), goods, row("A-2", "王五", "12"), goods));
  const ran = await home.courier(["orders", "import", home.file], {
    terminal: 120,
    prompts: yes(),
    env: { NO_COLOR: "1" },
  });
  expect(ran.stderr).toContain("2 orders in 4 rows: 1 created, 1 refused\n");
  expect(ran.stderr).toContain("error: 1 of 2 orders was refused\n");
});
