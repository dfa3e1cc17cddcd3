/** The tests of tables: aligned by display width, fitted to a terminal, ids never cut. */

import { describe, expect, test } from "vitest";
import type { Text } from "../../src/terminal/blocks.ts";
import { createTableWriter, type View } from "../../src/terminal/render.ts";
import { sanitise } from "../../src/terminal/sanitise.ts";
import { plainPaint } from "../../src/terminal/style.ts";
import { fitWidths } from "../../src/terminal/table.ts";
import { displayWidth } from "../../src/terminal/width.ts";
import { fc } from "../support/effort.ts";

const nowMs = Date.UTC(2026, 2, 1, 12);
const titles = [
  { title: "ID" },
  { title: "ORDER NO", spare: 1 },
  { title: "FEE", align: "right" },
  { title: "ITEM", flexible: true },
  { title: "TO", flexible: true },
] as const;

function viewOf(width: number | undefined): View {
  return { width, paint: plainPaint, nowMs };
}

async function layOut(rows: readonly (readonly Text[])[], width: number | undefined): Promise<string[]> {
  return createTableWriter(titles, viewOf(width)).write(rows);
}

const rows = [
  ["1001", "SO-2026-000001", "12.50", "手机", "李四"],
  ["12345678901234567890", "SO-2", "8", "a set of very fine porcelain cups", "Maximilian Mustermann"],
];

describe("by example", () => {
  test("in a pipe: everything, aligned, no blanks at the end", async () => {
    expect(await layOut(rows, undefined)).toEqual([
      "ID                    ORDER NO          FEE  ITEM                               TO",
      "1001                  SO-2026-000001  12.50  手机                               李四",
      "12345678901234567890  SO-2                8  a set of very fine porcelain cups  Maximilian Mustermann",
    ]);
  });

  test("in a pipe: one cell that is far too long moves the rest of its line, and no other", async () => {
    const long = "x".repeat(8_000_000);
    const table = Array.from({ length: 100 }, (_, index) => [
      String(index),
      "SO",
      "8",
      index === 1 ? long : "a",
      "王",
    ]);
    const lines = await layOut(table, undefined);
    expect(lines[2]).toBe(`1   SO          8  ${long}  王`);
    expect(lines[1]).toBe(`0   SO          8  a${" ".repeat(299)}  王`);
    expect(Math.max(...lines.filter((_, index) => index !== 2).map(displayWidth))).toBeLessThan(400);
  });

  test("at 80 columns: flexible columns give way, the widest first", async () => {
    expect(await layOut(rows, 80)).toEqual([
      "ID                    ORDER NO          FEE  ITEM              TO",
      "1001                  SO-2026-000001  12.50  手机              李四",
      "12345678901234567890  SO-2                8  a set of very f…  Maximilian Muste…",
    ]);
  });

  test("at 50 columns: spare columns leave", async () => {
    const lines = await layOut(rows, 50);
    expect(lines[0]).toMatch(/^ID +FEE +ITEM +TO$/);
    expect(lines.join("\n")).toContain("12345678901234567890");
  });

  test("at 30 columns: a list, one field a line", async () => {
    const lines = await layOut(rows, 30);
    expect(lines.slice(0, 5)).toEqual([
      "id        1001",
      "order no  SO-2026-000001",
      "fee       12.50",
      "item      手机",
      "to        李四",
    ]);
    expect(lines[5]).toBe("");
    expect(lines).toContain("id        12345678901234567890");
  });

  test("no rows: the titles alone", async () => {
    expect(await layOut([], undefined)).toEqual(["ID  ORDER NO  FEE  ITEM  TO"]);
  });
});

const cell = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.string({ unit: "binary", maxLength: 10 }),
  fc.constantFrom("深圳市南山区科技园路1号", "-", "a b c", "\u001b[31mred\u001b[0m", "x\ny"),
);
const ids = fc.stringMatching(/^[A-Z0-9-]{1,25}$/);
const anyRows = fc.array(
  fc.tuple(ids, ids, ids, cell, cell).map((row) => [...row]),
  { minLength: 1, maxLength: 6 },
);

describe("whatever the cells hold", () => {
  test("each row is one line within the terminal's width, or the table becomes a list", async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, fc.integer({ min: 20, max: 160 }), async (table, width) => {
        const lines = await layOut(table, width);
        if (!lines[0]?.startsWith("ID")) return;
        expect(lines).toHaveLength(table.length + 1);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 300 },
    );
  });

  test("ids are never cut, at any width", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRows,
        fc.option(fc.integer({ min: 1, max: 160 }), { nil: undefined }),
        async (table, width) => {
          const text = (await layOut(table, width)).join("\n");
          const unwrapped = text.replace(/\n +/g, "");
          for (const [id = ""] of table) expect(unwrapped).toContain(id);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("in a pipe nothing is cut, and every column begins at one place", async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, async (table) => {
        const lines = await layOut(table, undefined);
        expect(lines).toHaveLength(table.length + 1);
        const starts = lines[0]?.indexOf("ITEM") ?? 0;
        for (const [index, row] of table.entries()) {
          const line = lines[index + 1] ?? "";
          for (const text of row) expect(line).toContain(sanitise(text).trim());
          expect(displayWidth(line.slice(0, starts).trimEnd())).toBeLessThan(starts);
        }
      }),
      { numRuns: 200 },
    );
  });
});

test("rows that come later are aligned with those before", async () => {
  const table = createTableWriter(titles, viewOf(undefined));
  const first = await table.write([["1", "a", "5", "x", "y"]]);
  const second = await table.write([["2", "b", "6", "x", "y"]]);
  expect(first).toHaveLength(2);
  expect(second).toHaveLength(1);
  expect(second[0]?.replace("2", "1").replace("b", "a").replace("6", "5")).toBe(first[1]);
});

describe("fitting widths", () => {
  const flexible = [{}, { flexible: true }, { flexible: true }];

  test.each([
    [[10, 20, 30], undefined, [10, 20, 30]],
    [[10, 20, 30], 64, [10, 20, 30]],
    [[10, 20, 30], 54, [10, 20, 20]],
    [[10, 20, 30], 44, [10, 15, 15]],
    [[10, 20, 30], 26, [10, 6, 6]],
    [[10, 20, 30], 25, undefined],
    [[10, 3, 30], 25, [10, 3, 8]],
  ])("%j into %s: %j", (wanted, available, expected) => {
    expect(fitWidths(wanted, flexible, available)).toEqual(expected);
  });
});
