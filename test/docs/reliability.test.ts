/** docs/reliability.md names tests that exist, and every code of an answer that breaks the interface. */

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { expectations } from "../faults/expected.ts";

const root = path.resolve(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/reliability.md"), "utf8");

test("each promise is held by a test that is there", () => {
  const rows = page.split("\n").filter((line) => /^\| [A-Z].*`test\//.test(line));
  expect(rows.length).toBeGreaterThan(15);
  const named = [...page.matchAll(/`(test\/[\w./-]+\.ts)`/g)].map(([, file = ""]) => file);
  expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  const promises = page
    .split("\n")
    .filter((line) => /^\| (?!Promise|What|---)/.test(line) && line.includes(" | `"));
  for (const line of promises) expect(line).toContain("`test/");
});

test("every error code with exit 70 of the table of faults is explained", () => {
  const codes = new Set(expectations.flatMap(({ read }) => (read?.exit === 70 ? [read.code] : [])));
  expect(codes.size).toBeGreaterThan(2);
  for (const code of codes) expect(page).toContain(`70 \`${code}\``);
});
