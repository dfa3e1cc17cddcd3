/** Cells written into the XML of a worksheet, whatever it is cut into, and however the program wrote it. */

import { describe, expect, test } from "vitest";
import { type CellText, editWorksheet, findLastColumn } from "../../src/sheets/worksheet-edit.ts";

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const cells: Readonly<Record<number, readonly CellText[]>> = {
  1: [{ column: 2, text: "Title", isTitle: true }],
  2: [
    { column: 2, text: "0012 & <b>" },
    { column: 3, text: "1.50", isNumber: true },
  ],
  3: [
    { column: 2, text: "" },
    { column: 3, text: "12345678901234567", isNumber: true },
  ],
};
const edit = { cellsOf: (row: number) => cells[row] ?? [], lastColumn: 3 };

async function edited(xml: string, size = 65_536): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const each of editWorksheet(cut(Buffer.from(xml), size), edit)) pieces.push(each);
  return Buffer.concat(pieces).toString();
}

const inline = (text: string) => `t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
const sheet = (rows: string, dimension = "A1:B4") =>
  `<?xml version="1.0"?>\n<worksheet><dimension ref='${dimension}'/><sheetData>${rows}</sheetData><f>C9</f></worksheet>`;

const before = sheet(
  '<row r="1" spans="1:2"><c r="A1" s="4" t="s"><v>0</v></c></row><!-- <row r="2"> > -->' +
    `<row r="2" s="7" customFormat="1" spans='1:2 4:4' title=">"><c r="A2"/><c r="D2" s="9"><f>1+1</f><v>2</v></c><c r="E2"><v>5</v></c></row>` +
    '<row r="3" /><row r="4"><c r="A4"><is><t>é<![CDATA[</row>]]></t></is></c></row>',
);
const after = sheet(
  `<row r="1" spans="1:4"><c r="A1" s="4" t="s"><v>0</v></c><c r="C1" s="4" ${inline("Title")}</row><!-- <row r="2"> > -->` +
    `<row r="2" s="7" customFormat="1" spans='1:2 4:4' title=">"><c r="A2"/><c r="C2" s="7" ${inline("0012 &amp; &lt;b&gt;")}<c r="D2" s="9"><v>1.50</v></c><c r="E2"><v>5</v></c></row>` +
    `<row r="3"><c r="D3" ${inline("12345678901234567")}</row><row r="4"><c r="A4"><is><t>é<![CDATA[</row>]]></t></is></c></row>`,
  "A1:D4",
);

describe("the XML of a worksheet", () => {
  test("has the new cells in their places, whatever it is cut into", async () => {
    for (const size of [1, 2, 3, 7, 64, 65_536]) expect(await edited(before, size), String(size)).toBe(after);
  });

  test("is as it was where no cell is written", async () => {
    const nothing = { cellsOf: () => [], lastColumn: 0 };
    const pieces: Buffer[] = [];
    for await (const each of editWorksheet(cut(Buffer.from(before), 11), nothing)) pieces.push(each);
    expect(Buffer.concat(pieces).toString()).toBe(before);
  });

  test("keeps a prefix, cells without an address, extensions of a row, and UTF-16", async () => {
    const rows = (more: string) =>
      `\ufeff<x:worksheet><x:sheetData><x:row><x:c/></x:row><x:row><x:c t="n"><x:v>1</x:v></x:c>${more}<x:extLst><x:ext/></x:extLst></x:row></x:sheetData></x:worksheet>`;
    const one = {
      cellsOf: (row: number) => (row === 2 ? [{ column: 1, text: "_x0041_" }] : []),
      lastColumn: 1,
    };
    for (const encode of [
      (text: string) => Buffer.from(text),
      (text: string) => Buffer.from(text, "utf16le"),
    ]) {
      const pieces: Buffer[] = [];
      for await (const each of editWorksheet(cut(encode(rows("")), 5), one)) pieces.push(each);
      const cell =
        '<x:c r="B2" t="inlineStr"><x:is><x:t xml:space="preserve">_x005F_x0041_</x:t></x:is></x:c>';
      expect(Buffer.concat(pieces).equals(encode(rows(cell)))).toBe(true);
    }
  });

  test("is as wide as its last cell that holds something, and as its merged cells", async () => {
    expect(await findLastColumn(cut(Buffer.from(before), 9))).toBe(4);
    const merged = '<sheetData/><mergeCells><mergeCell ref="A1:H1"/></mergeCells>';
    expect(await findLastColumn(cut(Buffer.from(merged), 9))).toBe(7);
    expect(await findLastColumn(cut(Buffer.from("<sheetData/>"), 9))).toBe(-1);
  });
});
