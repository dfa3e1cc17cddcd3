/** docs/architecture.md names files that exist, and every room of src/. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/architecture.md"), "utf8");
const sources = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" });

test("every file that the page names is there", () => {
  const named = [...page.matchAll(/(?<![\w/.-])[\w/-]+\.ts\b/g)].map(([file]) => file);
  expect(named.length).toBeGreaterThan(100);
  const isThere = (file: string) =>
    sources.some((each) => `/${each}`.endsWith(`/${file}`)) || /^test\//.test(file);
  expect(named.filter((file) => !isThere(file))).toEqual([]);
});

test("the page names every room", () => {
  const rooms = readdirSync(path.join(root, "src"), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name);
  expect(rooms.filter((name) => !page.includes(` ${name}/`))).toEqual([]);
});
