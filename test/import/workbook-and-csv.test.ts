/** The same rows in CSV and in a workbook are the same orders, whatever is in them. */

import { stringify } from "csv-stringify/sync";
import { describe, expect, test } from "vitest";
import { type CheckedRow, readRows } from "../../src/import/rows.ts";
import { openWorkbook } from "../../src/sheets/workbook.ts";
import { collect, contentOf, read } from "../sheets/input-text.ts";
import { effort, fc } from "../support/effort.ts";
import { createImportHome, header, outcomes } from "../support/imports.ts";
import { type TestCell, writeWorkbook } from "../support/workbooks.ts";

const titles = header.split(",");

/** A cell as both write it. */
interface BothCell {
  readonly text: string;
  readonly cell: TestCell;
}

const ofText = (text: string): BothCell => ({ text, cell: text });
const ofNumber = (value: number): BothCell => ({ text: String(value), cell: value });

/** Texts as people write them. In CSV, quotes keep blanks at the ends of a text, and a workbook has none. */
const text = fc
  .oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.constantFrom(
      "李四",
      "A,B",
      'a "quoted" one',
      "two\nlines",
      "'007",
      "=1+1",
      "'=1",
      "_x0041_",
      "&amp; <b>",
      "TRUE",
      "1e5",
      "é\u200d",
    ),
  )
  .map((each) => each.replace(/\r/g, "").trim());
const phone = fc.oneof(
  fc
    .integer({ min: 13_000_000_000, max: 18_999_999_999 })
    .chain((value) => fc.constantFrom(ofNumber(value), ofText(String(value)), ofText(`+86${value}`))),
  fc.constantFrom(ofText(""), ofText("1.38E+10"), ofText("010-12345678")),
);
const amount = fc.oneof(
  fc.nat(99_999).map((value) => ofNumber(value / 100)),
  fc.nat(99_999).map((value) => ofText((value / 100).toFixed(2))),
  fc.constantFrom(ofText(""), ofText("heavy")),
);
const count = fc.oneof(
  fc.integer({ min: 1, max: 9 }).map(ofNumber),
  fc.constantFrom(ofText(""), ofText("2")),
);
const ref = fc.oneof(fc.nat(30).map(ofNumber), text.map(ofText), fc.constant(ofText("")));
const texts = text.map(ofText);
const bothRow: fc.Arbitrary<BothCell[]> = fc
  .tuple(ref, texts, phone, texts, phone, texts, texts, texts, amount, count)
  .map((cells) => [...cells]);
const blank = fc.constantFrom<BothCell[]>(
  [],
  titles.map(() => ofText("")),
  [ofText("")],
);

function toCsv(rows: readonly (readonly BothCell[])[]): string {
  const cells = rows.map((row) => titles.map((_, index) => row[index]?.text ?? ""));
  return stringify([titles, ...cells]);
}

function toWorkbook(rows: readonly (readonly BothCell[])[], inline: boolean): Buffer {
  const cells = rows.map((row) =>
    row.map(({ cell }) => (typeof cell === "string" ? escapeUnderscore(cell) : cell)),
  );
  return writeWorkbook({ inline, sheets: [{ name: "Orders", rows: [titles, ...cells] }] });
}

/** As a spreadsheet program writes a text that looks like an escaped character. */
function escapeUnderscore(value: string): string {
  return value.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_");
}

/** What becomes of each row: its order, or its problems by column. */
function outline(rows: readonly CheckedRow[]) {
  return rows.map((row) =>
    "ok" in row
      ? { ref: row.ok.ref, content: row.ok.content, occurrence: row.ok.occurrence, position: row.ok.position }
      : row.problems.map(({ column, value, message }) => [column, value, message.replace(/row \d+/, "")]),
  );
}

async function readWorkbookRows(bytes: Buffer): Promise<CheckedRow[]> {
  const workbook = await openWorkbook(bytes, "orders.csv");
  const [sheet] = workbook.sheets;
  if (!sheet) throw new Error("no sheet");
  const table = await workbook.readTable(sheet);
  const facts = { fingerprint: "", encoding: "utf-8", isGuessed: false, needsMark: true } as const;
  return collect(
    readRows({
      content: contentOf(bytes),
      name: "orders.csv",
      facts: { ...facts, form: "xlsx", delimiter: "," },
      mapping: new Map(),
      table: { read: () => table.read({ withHidden: false }) },
    }),
  );
}

describe("rows of a CSV file and of its workbook", () => {
  test("are the same orders, and have the same problems", async () => {
    const rows = fc.array(fc.oneof({ weight: 5, arbitrary: bothRow }, blank), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rows, fc.boolean(), async (given, inline) => {
        const csv = await read(toCsv(given));
        expect(outline(await readWorkbookRows(toWorkbook(given, inline)))).toEqual(outline(csv));
      }),
      { numRuns: effort(150, 5_000) },
    );
  });

  test("are sent once: the workbook after the CSV file creates nothing, and the other way round", async () => {
    const order = (reference: string, name: string): BothCell[] => [
      ofText(reference),
      ofText("张三"),
      ofNumber(13800138000),
      ofText(name),
      ofNumber(13900139000),
      ofText("北京市"),
      ofText("建国路88号"),
      ofText("茶叶"),
      ofNumber(1.5),
      ofNumber(1),
    ];
    const names = fc.constantFrom("李四", "王五", "赵六");
    const rows = fc.array(fc.tuple(fc.boolean(), names), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(rows, fc.boolean(), fc.boolean(), async (given, inline, isCsvFirst) => {
        const both = given.map(([hasRef, name], index) => order(hasRef ? `R-${index}` : "", name));
        const home = await createImportHome("");
        const csv = await home.put(toCsv(both), "orders.csv");
        const xlsx = await home.put(toWorkbook(both, inline), "orders.xlsx");
        const [first, second] = isCsvFirst ? [csv, xlsx] : [xlsx, csv];
        const created = await home.importFile(first);
        expect(outcomes(created.report)).toBe(given.map(() => "created").join(" "));
        const again = await home.importFile(second);
        expect([again.exit, outcomes(again.report)]).toEqual([0, given.map(() => "shipped").join(" ")]);
        expect(home.posts).toBe(given.length);
      }),
      { numRuns: effort(5, 100) },
    );
  });
});
