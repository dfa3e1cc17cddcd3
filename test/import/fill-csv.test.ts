/** The columns of a write-back in a CSV file: every byte that was there stays, whatever the file looks like. */

import { describe, expect, test } from "vitest";
import { createRecordFinder, fillCsv } from "../../src/import/write-back/fill-csv.ts";
import { placeColumns, type WrittenValues } from "../../src/import/write-back/titles.ts";
import { findRecords } from "../../src/sheets/csv-places.ts";
import { createEncoder } from "../../src/sheets/encode-text.ts";
import { quoteFormulaTexts } from "../../src/sheets/formula-texts.ts";
import { type Delimiter, readSheet, type SheetRow } from "../../src/sheets/sheet.ts";
import { type Encoding, readText } from "../../src/sheets/source.ts";
import { csvRecord } from "../../src/terminal/csv.ts";
import { collect, contentOf } from "../sheets/input-text.ts";
import { effort, fc } from "../support/effort.ts";

const values: WrittenValues = {
  tracking_number: "CR1",
  order_no: "-7",
  status: "paid; a,b\tc",
  estimated_fee: "1.50",
  error: 'no "x"',
};

interface Cell {
  readonly text: string;
  readonly quoted: boolean;
}

const encodings: readonly Encoding[] = ["utf-8", "utf-16le", "utf-16be", "gb18030", "big5", "windows-1252"];
const lettersOf = (encoding: Encoding) => {
  if (encoding === "big5") return ["a", "茶", "，", "功", "、", "0"];
  return encoding === "windows-1252" ? ["a", "é", "€", "0"] : ["a", "茶", "，", "丂", "é", "0"];
};

/** A file with what tells how it is written. */
const files = fc
  .record({
    encoding: fc.constantFrom(...encodings),
    delimiter: fc.constantFrom<Delimiter>(",", ";", "\t"),
    hasMark: fc.boolean(),
    isMac: fc.boolean(),
    endsWithBreak: fc.boolean(),
    quotesAll: fc.boolean(),
  })
  .chain((form) => {
    const letter = fc.constantFrom(...lettersOf(form.encoding), " ", "'");
    const bare = fc.oneof(
      fc.array(letter, { maxLength: 4 }).map((letters) => letters.join("")),
      fc.constantFrom("'0012", '="00,1"', " x ", ...(form.delimiter === "\t" ? ['5" cup', 'a"b"'] : [])),
    );
    const anything = fc
      .array(fc.oneof(letter, fc.constantFrom(form.delimiter, ",", '"', "\n", "\r\n", "\r")), {
        maxLength: 5,
      })
      .map((letters) => letters.join(""));
    const cell: fc.Arbitrary<Cell> = form.quotesAll
      ? anything.map((text) => ({ text, quoted: true }))
      : fc.oneof(
          bare.map((text) => ({ text, quoted: false })),
          anything.map((text) => ({ text, quoted: true })),
        );
    const line = fc.record({
      cells: fc.oneof(
        { weight: 5, arbitrary: fc.array(cell, { minLength: 3, maxLength: 3 }) },
        { weight: 1, arbitrary: fc.constant<Cell[]>([]) },
      ),
      lineEnd: fc.constantFrom(...(form.isMac ? ["\r", "\r\n"] : ["\n", "\r\n"])),
    });
    const header = ["a", "b", "c"].map((text) => ({ text, quoted: form.quotesAll }));
    return fc.record({
      form: fc.constant(form),
      lines: fc
        .array(line, { maxLength: 8 })
        .map((lines) => [{ cells: header, lineEnd: form.isMac ? "\r" : "\n" }, ...lines]),
    });
  });

const written = ({ text, quoted }: Cell) => (quoted ? `"${text.replaceAll('"', '""')}"` : text);
const isRow = (cells: readonly Cell[]) => cells.some(({ text }) => text.trim() !== "");

async function readAll(bytes: Buffer, encoding: Encoding, delimiter: Delimiter): Promise<SheetRow[]> {
  const text = readText(contentOf(bytes), "x.csv", { encoding, isGuessed: false });
  return collect(readSheet(quoteFormulaTexts(text), { delimiter }, "x.csv"));
}

/** A record of empty cells, which is no row, before a row whose only text is a quote. */
const emptyBeforeQuote = {
  form: {
    encoding: "utf-8",
    delimiter: "\t",
    hasMark: false,
    isMac: false,
    endsWithBreak: false,
    quotesAll: true,
  },
  lines: [
    ["a", "b", "c"],
    ["", "", ""],
    ['"', "", ""],
  ].map((texts) => ({ cells: texts.map((text) => ({ text, quoted: true })), lineEnd: "\n" })),
} as const;

describe("a CSV file that gets columns", () => {
  test("keeps all that was there, byte for byte, and is read with the same cells and the new ones", async () => {
    await fc.assert(
      fc.asyncProperty(files, async ({ form, lines }) => {
        const { encoding, delimiter, quotesAll } = form;
        const encode = createEncoder(encoding);
        const mark = form.hasMark && encoding.startsWith("utf-") ? "\ufeff" : "";
        const lastEnd = (index: number, lineEnd: string) =>
          index === lines.length - 1 && !form.endsWithBreak ? "" : lineEnd;
        const added = (cells: readonly string[]) =>
          cells.map((text) => {
            const cell = text === "" ? "" : csvRecord([text], delimiter).trimEnd();
            return delimiter + (quotesAll && !cell.startsWith('"') ? `"${cell}"` : cell);
          });
        const columns = placeColumns(["a", "b", "c"], 3, encoding);
        const [before, after] = [[mark], [mark]];
        for (const [index, { cells, lineEnd }] of lines.entries()) {
          const end = lastEnd(index, lineEnd);
          const record = cells.map(written).join(delimiter);
          before.push(record, end);
          const more =
            index === 0
              ? columns.map(({ title }) => title)
              : isRow(cells)
                ? Object.values(values)
                : undefined;
          after.push(record, ...(more ? added(more) : []), end);
        }
        const bytes = encode(before.join(""));
        const rows = await readAll(bytes, encoding, delimiter);
        const finder = createRecordFinder({ bytes, facts: { encoding, delimiter } }, "x.csv");
        const places = rows.map((row) => finder.find(row));
        const filling = {
          columns,
          headerLine: places[0] ?? 0,
          lines: new Map(places.slice(1).map((line) => [line, values])),
          writeCell: (text: string) => csvRecord([text], delimiter).trimEnd(),
        };
        const result = Buffer.concat([...fillCsv({ bytes, facts: { encoding, delimiter } }, filling)]);
        expect(new TextDecoder(encoding).decode(result)).toBe(
          new TextDecoder(encoding).decode(encode(after.join(""))),
        );
        expect(result.equals(encode(after.join("")))).toBe(true);
        const again = await readAll(result, encoding, delimiter);
        expect(again.map(({ cells }) => cells.slice(0, 3))).toEqual(rows.map(({ cells }) => cells));
        for (const { cells } of again.slice(1)) expect(cells.slice(3)).toEqual(Object.values(values));
      }),
      {
        numRuns: effort(150, 5_000),
        examples: [[emptyBeforeQuote]],
      },
    );
  });

  test("is not touched where its records are not those that were read", () => {
    const bytes = Buffer.from("a,b\n1,2\n");
    const facts = { encoding: "utf-8", delimiter: "," } as const;
    const find = (row: SheetRow) => createRecordFinder({ bytes, facts }, "x.csv").find(row);
    expect(find({ line: 2, cells: ["1", "2"] })).toBe(2);
    expect(() => find({ line: 2, cells: ["2", "1"] })).toThrow("x.csv, line 2: courier cannot add cells");
    expect(() => find({ line: 2, cells: ["1", "2", ""] })).toThrow("line 2");
  });
});

test("texts are encoded as they are decoded; what an encoding lacks is written as its code", () => {
  for (const encoding of encodings) {
    const text =
      { "windows-1252": "Größe €", big5: "快遞運單號 功" }[encoding as string] ?? "快递运单号 镕 é";
    expect(new TextDecoder(encoding).decode(createEncoder(encoding)(text), { stream: true })).toBe(text);
  }
  const lost: string[] = [];
  const encode = createEncoder("windows-1252", (character) => lost.push(character));
  expect(encode("é茶").toString("latin1")).toBe("é\\u8336");
  expect(lost).toEqual(["茶"]);
  expect(createEncoder("gb18030")("a😀").toString("latin1")).toBe("a\\ud83d\\ude00");
});

test("the places of records are found however lines end", () => {
  const lines = [
    ...findRecords(Buffer.from('a\r\rb,"\n\r\r\n"\r\nc'), { encoding: "utf-8", delimiter: "," }),
  ];
  expect(lines.map(({ line, cells }) => [line, cells.length])).toEqual([
    [1, 1],
    [2, 1],
    [6, 2],
    [7, 1],
  ]);
});
