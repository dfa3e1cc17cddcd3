/** A signal that comes while the rows of a long file are checked: the rest is not read. */

import { expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import { readRows } from "../../src/import/rows.ts";
import { untilAborted } from "../../src/import/until-aborted.ts";
import { inspectSource } from "../../src/sheets/source.ts";
import { contentOf } from "../sheets/input-text.ts";
import { row, sheet } from "../support/imports.ts";

const count = 5_000;
const name = "orders.csv";
const text = sheet(...Array.from({ length: count }, (_, index) => row(`A-${index}`)));

async function* lines() {
  for (const [index, each] of text.trimEnd().split("\n").entries())
    yield { line: index + 1, cells: each.split(",") };
}

const table = { read: lines, filledDown: [], columnsBeyond: [] };

test.each([
  ["a text", undefined],
  ["a workbook", table],
])("of %s", async (_what, table) => {
  const content = contentOf(text);
  const source = { name, content, facts: await inspectSource(content, name), mapping: new Map(), table };
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
