/** The tests of CSV: any reader gets back what was there, and no spreadsheet runs it. */

import { describe, expect, test } from "vitest";
import { type Json, jsonNumber, parseJson } from "../../src/model/json.ts";
import { csvRecord } from "../../src/terminal/csv.ts";
import { numberTexts } from "../model/arbitraries.ts";
import { fc } from "../support/effort.ts";

/** A reader as RFC 4180 describes it, which also ends records at a lone CR or LF, as spreadsheets do. */
function readCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|\r|\n)/gy;
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    const [, raw = "", end] = match;
    record.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw);
    if (end !== ",") {
      records.push(record);
      record = [];
    }
    if (cell.lastIndex === text.length) return records;
  }
  throw new Error(`not CSV: ${JSON.stringify(text)}`);
}

const cells = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc
    .array(
      fc.constantFrom(
        '"',
        ",",
        "\n",
        "\r",
        "\r\n",
        ";",
        "=",
        "+",
        "-",
        "@",
        "\t",
        " ",
        "a",
        "张",
        "'",
        "\ufeff",
      ),
    )
    .map((all) => all.join("")),
);

describe("cells", () => {
  test("are read back as they were, but for the apostrophe before a formula", () => {
    fc.assert(
      fc.property(fc.array(cells, { minLength: 1, maxLength: 6 }), (row) => {
        const [first, ...rest] = readCsv(csvRecord(row));
        expect(rest).toEqual([]);
        expect(first).toHaveLength(row.length);
        for (const [index, cell] of row.entries()) {
          expect([cell, `'${cell}`]).toContain(first?.[index]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("rows follow one another without touching", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(cells, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 5 }),
        (rows) => {
          expect(readCsv(rows.map((row) => csvRecord(row)).join(""))).toHaveLength(rows.length);
        },
      ),
    );
  });

  test("numbers stand as they came, negative ones too", () => {
    fc.assert(
      fc.property(numberTexts, (text) => {
        expect(csvRecord([jsonNumber(text)])).toBe(`${text}\n`);
      }),
    );
  });

  test("what is nested is JSON, what is missing is empty", () => {
    const nested = parseJson('{"a":[1.50,"x,y"],"b":null}');
    expect(readCsv(csvRecord([nested, null, undefined, true, ""]))).toEqual([
      ['{"a":[1.50,"x,y"],"b":null}', "", "", "true", ""],
    ]);
  });
});

describe("formulas", () => {
  test("no text cell begins like one, in any script's signs", () => {
    fc.assert(
      fc.property(fc.constantFrom(..."=+-@＝＋－＠\t\r\n"), cells, (sign, text) => {
        const [[cell] = []] = readCsv(csvRecord([sign + text, "x"]));
        expect(cell).toBe(`'${sign}${text}`);
      }),
    );
  });

  test.each<[Json, string]>([
    ["=1+1", "'=1+1"],
    ['=HYPERLINK("http://evil.test","x")', '\'=HYPERLINK("http://evil.test","x")'],
    ["+86 138", "'+86 138"],
    ["-", "'-"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["1=1", "1=1"],
    ["a-b", "a-b"],
    ["'quoted", "'quoted"],
  ])("%j: %j", (cell, expected) => {
    expect(readCsv(csvRecord([cell, "x"]))).toEqual([[expected, "x"]]);
  });
});
