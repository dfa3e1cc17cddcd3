/** Workbooks that are damaged, protected, made to fill the memory, or no workbooks at all. */

import { describe, expect, test } from "vitest";
import { openWorkbook } from "../../src/sheets/workbook.ts";
import { sheetOf, writeWorkbook, writeZip, type ZipEntry } from "../support/workbooks.ts";
import { collect } from "./input-text.ts";

/** The rows of the first sheet. */
async function read(bytes: Buffer) {
  const workbook = await openWorkbook(bytes, "orders.xlsx");
  const [sheet] = workbook.sheets;
  if (!sheet) throw new Error("no sheet");
  const table = await workbook.readTable(sheet);
  return collect(table.read({ withHidden: true }));
}

const cellsOf = async (bytes: Buffer) => (await read(bytes)).map(({ cells }) => cells);
const good = sheetOf(["ref", "name"], ["A-1", "李四"]);
const withSheet = (xml: string) =>
  writeWorkbook({ sheets: [{ name: "S", rows: [] }], parts: { [sheet1]: xml } });
const sheet1 = "xl/worksheets/sheet1.xml";
const rowsXml = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;

/** A part of zeros, or of what it is given, whose list of parts may lie about its size. */
function bomb(entry: Partial<ZipEntry>): Buffer {
  const content = Buffer.alloc(20 * 2 ** 20, " ");
  return writeZip([
    { name: "xl/workbook.xml", content: Buffer.from(workbookXml) },
    { name: "xl/_rels/workbook.xml.rels", content: Buffer.from(relationsXml) },
    { name: sheet1, content, ...entry },
  ]);
}

const relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const workbookXml = `<workbook xmlns:x="${relation}"><sheets><sheet name="S" x:id="r"/></sheets></workbook>`;
const relationsXml = `<Relationships><Relationship Id="r" Type="${relation}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`;

describe("a workbook as other programs write it", () => {
  test("with prefixes, without addresses, in UTF-16, with inline texts", async () => {
    const rows =
      '<x:row><x:c t="inlineStr"><x:is><x:t>ref</x:t></x:is></x:c><x:c t="str"><x:v>name</x:v></x:c></x:row>' +
      '<x:row r="4"><x:c r="B4" t="inlineStr"><x:is><x:t><![CDATA[<李四>]]></x:t></x:is></x:c></x:row>';
    const xml = `<x:worksheet xmlns:x="m"><x:sheetData>${rows}</x:sheetData></x:worksheet>`;
    expect(await read(withSheet(xml))).toEqual([
      { line: 1, cells: ["ref", "name"] },
      { line: 4, cells: ["", "<李四>"] },
    ]);
    const utf16 = Buffer.from(`\uFEFF${xml}`, "utf16le");
    expect(
      await cellsOf(writeWorkbook({ sheets: [{ name: "S", rows: [] }], parts: { [sheet1]: utf16 } })),
    ).toEqual([
      ["ref", "name"],
      ["", "<李四>"],
    ]);
  });

  test("with rich texts and readings among the shared ones", async () => {
    const reading = '<rPh sb="0" eb="2"><t>LI SI</t></rPh><phoneticPr fontId="1"/>';
    const rich = '<r><rPr><b/></rPr><t xml:space="preserve">建国 </t></r><r><t>路</t></r>';
    const strings = `<sst><si><t>李四</t>${reading}</si><si>${rich}</si><si/><si><t> a_x0041_ </t></si></sst>`;
    const cells = [0, 1, 2, 3].map((index) => `<c t="s"><v>${index}</v></c>`).join("");
    const bytes = writeWorkbook({
      sheets: [{ name: "S", rows: [] }],
      parts: { [sheet1]: rowsXml(`<row>${cells}</row>`), "xl/sharedStrings.xml": strings },
    });
    expect(await cellsOf(bytes)).toEqual([["李四", "建国 路", "", "aA"]]);
  });

  test("with names of parts in other letter case, and without styles and texts", async () => {
    const bytes = writeZip([
      { name: "XL/Workbook.xml", content: Buffer.from(workbookXml) },
      { name: "xl/_rels/workbook.xml.rels", content: Buffer.from(relationsXml) },
      { name: "xl/worksheets/Sheet1.xml", content: Buffer.from(rowsXml('<row><c s="7"><v>1</v></c></row>')) },
    ]);
    expect(await cellsOf(bytes)).toEqual([["1"]]);
  });
});

describe("is refused with what it is", () => {
  const zip = (...names: string[]) => writeZip(names.map((name) => ({ name, content: Buffer.from("x") })));

  test.each<[string, Buffer, string]>([
    [
      "an .xlsb",
      zip("xl/workbook.bin"),
      "orders.xlsx is a binary workbook (.xlsb), which courier does not read",
    ],
    [
      "an .ods",
      zip("mimetype", "content.xml", "META-INF/manifest.xml"),
      "is an OpenDocument file such as .ods",
    ],
    ["a .docx", zip("word/document.xml"), "is a Word document"],
    ["a .pptx", zip("ppt/presentation.xml"), "is a PowerPoint presentation"],
    ["a .numbers", zip("Index/Document.iwa"), "is a Numbers document"],
    ["a zip file of CSV files", zip("may.csv", "june.csv"), "is a zip file, but no .xlsx workbook"],
    ["a zip file with nothing in it", zip(), "is a zip file, but no .xlsx workbook"],
  ])("%s", async (_what, bytes, message) => {
    await expect(read(bytes)).rejects.toMatchObject({
      exit: 2,
      code: "file",
      message: expect.stringContaining(message),
      hint: expect.stringContaining("import"),
    });
  });

  test.each<[string, Buffer, string]>([
    ["cut", good.subarray(0, good.length - 30), "its end is missing"],
    ["cut in the middle", good.subarray(0, good.length / 2), "its end is missing"],
    ["nothing but its first bytes", good.subarray(0, 4), "its end is missing"],
    [
      "without its sheet",
      writeWorkbook({ sheets: [{ name: "S", rows: [] }], parts: { [sheet1]: null } }),
      `the part ${sheet1} is missing`,
    ],
    [
      "without its list of parts",
      writeWorkbook({ sheets: [{ name: "S", rows: [] }], parts: { "xl/_rels/workbook.xml.rels": null } }),
      "the part xl/_rels/workbook.xml.rels is missing",
    ],
    ["with a part twice", zip("xl/workbook.xml", "XL/workbook.xml"), "the part XL/workbook.xml twice"],
    ["of XML that ends early", withSheet("<worksheet><sheetData><row>"), "is not valid XML"],
    ["of bytes that are no text", withSheet("<worksheet>\u0001</worksheet>"), "is not valid XML"],
    ["with rows out of order", withSheet(rowsXml('<row r="3"/><row r="2"/>')), "row 2 is out of place"],
    ["with a row that no sheet has", withSheet(rowsXml('<row r="1048577"/>')), "row 1048577 is out of place"],
    [
      "with cells out of order",
      withSheet(rowsXml('<row r="1"><c r="B1"/><c r="A1"/></row>')),
      "cell A1 is out of place",
    ],
    [
      "with a cell of another row",
      withSheet(rowsXml('<row r="1"><c r="A2"/></row>')),
      "cell A2 is out of place",
    ],
    [
      "with a text that is not there",
      withSheet(rowsXml('<row r="1"><c r="A1" t="s"><v>7</v></c></row>')),
      "the text of cell A1 is missing",
    ],
  ])("%s: damaged or incomplete", async (_what, bytes, reason) => {
    const message = expect.stringMatching(/^orders\.xlsx is damaged or incomplete: /);
    await expect(read(bytes)).rejects.toMatchObject({ exit: 2, message });
    await expect(read(bytes)).rejects.toThrow(reason);
  });

  test("a part with a bit that was flipped, by its checksum", async () => {
    const stored = Buffer.from(good);
    const at = stored.indexOf("xl/sharedStrings.xml") + 20 + 60;
    stored[at] = (stored[at] ?? 0) ^ 1;
    await expect(read(stored)).rejects.toThrow("is damaged or incomplete");
  });

  test("protected by a password, part by part", async () => {
    const bytes = bomb({ content: Buffer.from("x"), flags: 1 });
    await expect(read(bytes)).rejects.toThrow("orders.xlsx is protected by a password");
  });

  test.each([
    ["of its own", '<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet>&b;</worksheet>'],
    ["of another file", '<!DOCTYPE w SYSTEM "file:///etc/passwd"><worksheet/>'],
  ])("with entities %s", async (_what, xml) => {
    await expect(read(withSheet(xml))).rejects.toThrow("has a document type");
  });
});

describe("what is made to fill the memory is refused at once", () => {
  const limit = "orders.xlsx is larger than courier reads";
  const long = (text: string) => withSheet(rowsXml(text));

  test.each<[string, () => Buffer]>([
    ["a part that packs too well", () => bomb({})],
    ["a part that says it is larger than any sheet", () => bomb({ claimedBytes: 2 ** 31 })],
    ["a text without an end", () => long(`<row><c t="str"><v>${"x".repeat(3_000_000)}</v></c></row>`)],
    [
      "a text in many pieces",
      () => long(`<row><c t="inlineStr"><is>${"<t>xxxxxxxxxxxxxxxxxxxx</t>".repeat(60_000)}</is></c></row>`),
    ],
    ["an attribute without an end", () => long(`<row a="${randomText(3_000_000)}"/>`)],
    ["elements in elements without an end", () => long("<x>".repeat(300_000))],
    ["elements in elements, which all end", () => long(`${"<x>".repeat(300)}${"</x>".repeat(300)}`)],
    ["a comment without an end", () => long(`<!--${randomText(3_000_000)}`)],
    ["a header of more columns than an order has", () => long('<row><c r="XFD1"><v>1</v></c></row>')],
  ])("%s", async (_what, bytes) => {
    await expect(read(bytes())).rejects.toThrow(limit);
  });

  test("a part that is larger than the list says", async () => {
    await expect(read(bomb({ claimedBytes: 1_000 }))).rejects.toThrow("is damaged or incomplete");
  });

  test("empty rows and cells to the end of the sheet are no rows", async () => {
    const empty = Array.from({ length: 50_000 }, () => "<row><c/><c/></row>").join("");
    expect(await cellsOf(long(`<row><c><v>1</v></c></row>${empty}`))).toEqual([["1"]]);
  });
});

/** Text that does not pack well. */
function randomText(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (state % 26));
  }).join("");
}

describe("styles of cells", () => {
  const withStyles = (code: string, count: number) =>
    writeWorkbook({
      sheets: [{ name: "S", rows: [["ref"]] }],
      parts: {
        "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${code}"/></numFmts><cellXfs>${'<xf numFmtId="200"/>'.repeat(count)}</cellXfs></styleSheet>`,
      },
    });

  test("that repeat a number format are read", async () => {
    expect(await cellsOf(withStyles("0000", 60_000))).toEqual([["ref"]]);
  });

  test.each([
    ["a number format has more than 1000 characters", "0".repeat(1_001), 1],
    ["it has more than 100000 styles of cells", "0000", 100_001],
  ])("are refused where %s", async (reason, code, count) => {
    await expect(read(withStyles(code, count))).rejects.toMatchObject({
      message: `orders.xlsx is larger than courier reads: ${reason}`,
    });
  });
});
