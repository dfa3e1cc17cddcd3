/** Equal rows without refs, of which some have numbers of other orders: each order of this ledger is its own row's. */

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createImportHome, type ImportHome, outcomes, row, sheet } from "../support/imports.ts";

const equal = `${row("")},,,,,`;

/** The sheet of one row, shipped by `env`'s machine, with its number, and what `change` makes of it. */
async function sheetHome(
  change: (lines: readonly string[]) => readonly string[],
  env?: Record<string, string>,
) {
  const home = await createImportHome(sheet(row("")));
  const machine = env === undefined ? {} : { env: { COURIER_STATE_DIR: `${home.directory}/${env.name}` } };
  expect((await home.importFile(home.file, "--in-place", machine)).exit).toBe(0);
  const lines = (await readFile(home.file, "utf8")).trimEnd().split("\n");
  const text = [...change(lines), ""].join("\n");
  return { home, text, file: await home.put(text, "next.csv") };
}

async function twice(home: ImportHome, file: string, words = "") {
  const first = await home.importFile(file, words);
  const posts = home.posts;
  const cells = (await readFile(file, "utf8")).split("\n").map((line) => line.split(",").slice(10));
  const again = await home.importFile(file, words);
  return { first, again, cells, isSentAgain: home.posts > posts };
}

test.each(["", "--skip-shipped", "--in-place"])(
  "a row whose order another machine has, and a further one below it: the second is sent once (%s)",
  async (words) => {
    const { home, file } = await sheetHome((lines) => [...lines, equal], { name: "another machine" });
    const { first, again, cells, isSentAgain } = await twice(home, file, words);
    const held = words === "--skip-shipped" ? "shipped" : "held";
    expect([outcomes(first.report), outcomes(again.report)], again.stderr).toEqual([
      `${held} created`,
      `${held} shipped`,
    ]);
    expect([home.posts, isSentAgain]).toEqual([2, false]);
    if (words === "--in-place") {
      const number = (await home.courier("orders show 1000001 --json")).stdout.match(/CR\d+/)?.[0];
      expect(cells[1]?.[0]).toBe(number);
      expect(cells[2]?.[0]).toMatch(/^CR/);
      expect(cells[2]?.[4]).toBe("");
    }
  },
);

test("a row whose order was undone, and a further one below it", async () => {
  const { home, file } = await sheetHome((lines) => [...lines, equal]);
  expect((await home.courier("undo 1 --yes")).exit).toBe(0);
  const { first, again, cells, isSentAgain } = await twice(home, file, "--in-place");
  expect([outcomes(first.report), outcomes(again.report)], again.stderr).toEqual([
    "cancelled created",
    "cancelled shipped",
  ]);
  expect(isSentAgain).toBe(false);
  expect([cells[1]?.[2], cells[2]?.[2], cells[2]?.[4]]).toEqual(["cancelled", "pending", ""]);
});

test("a row that was copied with its number, and a further one below it", async () => {
  const { home, text } = await sheetHome((lines) => [...lines, lines[1] ?? "", equal]);
  const { first, again, isSentAgain } = await twice(home, await home.put(text));
  expect([outcomes(first.report), outcomes(again.report)], again.stderr).toEqual([
    "shipped held created",
    "shipped held shipped",
  ]);
  expect(isSentAgain).toBe(false);
});

test("a row that was copied with its number for another receiver, and a further one below it", async () => {
  const other = (line: string) => line.replace("李四", "王五");
  const { home, file } = await sheetHome((lines) => [lines[0] ?? "", other(lines[1] ?? ""), other(equal)]);
  const { first, again, isSentAgain } = await twice(home, file);
  expect([outcomes(first.report), outcomes(again.report)], again.stderr).toEqual([
    "held created",
    "held shipped",
  ]);
  expect(isSentAgain).toBe(false);
});
