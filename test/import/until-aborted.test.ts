/** A signal that comes while the rows of a long file are checked: the rest is not read. */

import { expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import { readRows } from "../../src/import/rows.ts";
import { untilAborted } from "../../src/import/until-aborted.ts";
import { contentOfBytes, inspectSource } from "../../src/sheets/source.ts";
import { openWorkbook, type Worksheet } from "../../src/sheets/workbook.ts";
import { row, sheet } from "../support/imports.ts";
import { writeWorkbook } from "../support/workbooks.ts";

const count = 5_000;
const name = "orders.csv";
const text = sheet(...Array.from({ length: count }, (_, index) => row(`A-${index}`)));

async function readWorkbook() {
  const rows = text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(","));
  const workbook = await openWorkbook(writeWorkbook({ sheets: [{ name: "Orders", rows }] }), name);
  const table = await workbook.readTable(workbook.sheets[0] as Worksheet);
  return { ...table, read: () => table.read({ withHidden: false }) };
}

test.each([
  ["a text", async () => undefined],
  ["a workbook", readWorkbook],
])("of %s", async (_what, open) => {
  const content = contentOfBytes(Buffer.from(text));
  const facts = await inspectSource(content, name);
  const source = { name, content, facts, mapping: new Map(), table: await open() };
  const stop = new AbortController();
  let read = 0;
  const reading = async () => {
    for await (const _ of readRows(untilAborted(source, stop.signal))) {
      // A signal comes with a turn of the event loop.
      if (read === 0) setImmediate(() => stop.abort(interrupted(130)));
      read += 1;
    }
  };
  await expect(reading()).rejects.toThrow(/^interrupted$/);
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(count / 2);
});
