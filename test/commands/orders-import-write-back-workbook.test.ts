/** courier orders import --write-back of a workbook: its sheet with tracking numbers, and all the rest as it was. */

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import yauzl from "yauzl";
import { createImportHome, errorOf, header, type ImportHome, outcomes, row } from "../support/imports.ts";
import { findPython } from "../support/tools.ts";
import {
  sheetOf,
  type TestCell,
  type TestSheet,
  type TestWorkbook,
  writeWorkbook,
} from "../support/workbooks.ts";

const titles = header.split(",");
const cells = (...words: Parameters<typeof row>): TestCell[] => row(...words).split(",");

/** The parts of a zip file as they are packed. */
async function partsOf(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await yauzl.fromBufferPromise(bytes);
  const parts = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    const stream = await zip.openReadStreamPromise(entry, { decodeFileData: false });
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    parts.set(entry.fileName, Buffer.concat(chunks));
  }
  return parts;
}

async function xmlOf(bytes: Buffer, part = "xl/worksheets/sheet1.xml"): Promise<string> {
  const zip = await yauzl.fromBufferPromise(bytes);
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== part) continue;
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  }
  throw new Error(`no part ${part}`);
}

/** Imports a workbook and reads what was written back. */
async function importAndRead(home: ImportHome, words = "", from = home.file, name = "done.xlsx") {
  const done = path.join(home.directory, name);
  const ran = await home.importFile(from, `--write-back ${done} ${words}`);
  return { ...ran, done, bytes: await readFile(done).catch(() => Buffer.alloc(0)) };
}

const workbookOf = (sheet: Partial<TestSheet>, more: Partial<TestWorkbook> = {}) =>
  writeWorkbook({ sheets: [{ name: "Orders", rows: [], ...sheet }], ...more });

describe("the workbook", () => {
  test("has the columns as text, the fee as a number, and every other byte of the sheet and of all other parts", async () => {
    const before = workbookOf(
      {
        before: '<!-- a > <row> --><dimension ref="A1:J3"/><cols><col min="1" max="1" width="9"/></cols>',
        rows: [
          { cells: titles, attributes: 'spans="1:10"' },
          { cells: cells("A-1"), attributes: "spans='1:10' customFormat='1' s='2'" },
          { cells: cells("A-2", "王五", "12"), attributes: 'spans="1:10" ht="20"' },
        ],
        after: '<autoFilter ref="A1:J3"/><mergeCells><mergeCell ref="A9:B9"/></mergeCells>',
      },
      { formats: ["0.00", "@"], parts: { "xl/media/image1.png": Buffer.from([0, 1, 2, 255]) } },
    );
    const home = await createImportHome(before);
    const { exit, stderr, bytes, report } = await importAndRead(home);
    expect(exit, stderr).toBe(3);
    const [old, now] = [await partsOf(before), await partsOf(bytes)];
    expect([...now.keys()]).toEqual([...old.keys()]);
    for (const [name, packed] of old)
      if (!name.includes("sheet1")) expect(now.get(name)?.equals(packed), name).toBe(true);
    const xml = await xmlOf(bytes);
    const number = (report[0] as unknown as { tracking_number: string }).tracking_number;
    expect(xml).toContain(`<c r="K2" s="2" t="inlineStr"><is><t xml:space="preserve">${number}</t></is></c>`);
    expect(xml).toMatch(/<c r="N2" s="2"><v>[\d.]+<\/v><\/c><\/row>/);
    expect(xml).toMatch(
      /<c r="O3" t="inlineStr"><is><t xml:space="preserve">[^<]*refused[^<]*<\/t><\/is><\/c><\/row>/,
    );
    const without = xml
      .replace(/<c r="[K-O]\d[\s\S]*?(?=<\/row>)/g, "")
      .replace('ref="A1:O3"', 'ref="A1:J3"')
      .replace(/spans=(["'])1:15\1/g, "spans=$11:10$1");
    expect(without).toBe(await xmlOf(before));
  });

  test.each([
    ['<autoFilter ref="A1:J3"/>', "the filter ends before the new columns"],
    [
      '<tableParts count="1"><tablePart r:id="rId1"/></tableParts>',
      "the table does not have the new columns",
    ],
  ])("with %s, which would be sorted without the new columns, is told about once", async (after, fact) => {
    const rows = [{ cells: titles }, { cells: cells("A-1") }, { cells: cells("A-2", "王五") }];
    const home = await createImportHome(workbookOf({ rows, after }));
    const first = await importAndRead(home);
    expect(first.exit).toBe(0);
    const remedy = "before you sort";
    expect(first.stderr).toMatch(
      new RegExp(`^warning: .*done.xlsx: ${fact}, and a sort by it .* ${remedy}$`, "m"),
    );
    const second = await importAndRead(home, "", first.done, "second.xlsx");
    expect(second.exit, second.stderr).toBe(0);
    expect(second.stderr).not.toContain("sort");
  });

  test("with a filter over all columns, also those to come, needs no word", async () => {
    const rows = [{ cells: titles }, { cells: cells("A-1") }];
    const home = await createImportHome(workbookOf({ rows, after: '<autoFilter ref="A1:O2"/>' }));
    expect((await importAndRead(home)).stderr).not.toContain("filter");
  });

  test("keeps the numbers of another machine beside a row that has no order here", async () => {
    const columns = [...titles, "Courier tracking number", "Courier order number", "Courier error"];
    const home = await createImportHome(
      workbookOf({
        rows: [{ cells: columns }, { cells: [...cells("A-1", "李四", "12"), "CR701", "CO701", ""] }],
      }),
    );
    const { exit, stderr, bytes } = await importAndRead(home, "--allow-duplicate A-1");
    expect(exit, stderr).toBe(3);
    const xml = await xmlOf(bytes);
    const untouched = /<c r="K2".*?<\/c><c r="L2".*?<\/c>/;
    const [old = ""] = untouched.exec(await xmlOf(await readFile(home.file))) ?? [];
    expect(old).toContain('t="s"');
    expect(xml).toContain(`${old}<c r="M2" t="inlineStr">`);
    expect(xml).toContain("refused");
  });

  test("is read again with the same orders, and the columns are filled, not doubled", async () => {
    const home = await createImportHome(sheetOf(titles, cells("A-1"), cells("A-2", "王五", "12")));
    const first = await importAndRead(home);
    expect(first.exit, first.stderr).toBe(3);
    const second = await importAndRead(home, "", first.done, "second.xlsx");
    expect([second.exit, outcomes(second.report), home.posts], second.stderr).toEqual([
      3,
      "shipped refused",
      2,
    ]);
    expect(second.stderr).not.toContain("unused");
    expect(second.bytes.equals(first.bytes)).toBe(true);
  });

  test("is read again where a note and a total are below the table, and they are no rows", async () => {
    const beside = (column: number, cell: TestCell): TestCell[] => [
      ...Array.from({ length: column }, () => null),
      cell,
    ];
    const home = await createImportHome(
      workbookOf({
        rows: [
          titles,
          cells("A-1"),
          cells("A-2", "王五"),
          beside(titles.length, "packed by Wang"),
          beside(titles.length + 2, { xml: "<f>SUM(J2:J3)</f>" }),
        ],
      }),
    );
    const first = await importAndRead(home);
    expect([first.exit, outcomes(first.report)], first.stderr).toEqual([0, "created created"]);
    const second = await importAndRead(home, "", first.done, "second.xlsx");
    expect([second.exit, outcomes(second.report), home.posts], second.stderr).toEqual([
      0,
      "shipped shipped",
      2,
    ]);
    expect(second.bytes.equals(first.bytes)).toBe(true);
    const third = path.join(home.directory, "third.xlsx");
    const later = await home.courier(["orders", "write-back", first.done, "-o", third, "--json"]);
    expect(JSON.parse(later.stdout)).toMatchObject({ orders: 2, not_created: 0, unknown: 0 });
    expect((await readFile(third)).equals(first.bytes)).toBe(true);
  });

  test("ships a new order that is put above a total of the written fees", async () => {
    const home = await createImportHome(sheetOf(titles, cells("A-1")));
    expect((await importAndRead(home)).exit).toBe(0);
    const columns = [...titles, "Courier tracking number", "Courier estimated fee"];
    const total = [...titles.map(() => null), "Total", 12.5];
    const grown = await home.put(sheetOf(columns, cells("A-1"), cells("A-2", "王五"), total), "grown.xlsx");
    const ran = await home.importFile(grown);
    expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([0, "shipped created", 2]);
    const titled = [...columns, "Remarks"];
    const remark = [...titled.map(() => null).slice(1), "urgent"];
    const noted = await home.put(sheetOf(titled, cells("A-1"), cells("A-2", "王五"), remark), "noted.xlsx");
    const again = await home.importFile(noted);
    expect([again.exit, outcomes(again.report), home.posts], again.stderr).toEqual([0, "shipped shipped", 2]);
    expect(again.stderr).toContain("row 4 (urgent)\n"); // this column has a title: the row is named
  });

  test.each([
    [
      '<col min="11" max="16384" hidden="1"/>',
      '<col min="11" max="15"/><col min="16" max="16384" hidden="1"/>',
    ],
    [
      "<col max='16384' min='9' width='0' hidden='true' customWidth='1' style='1'></col>",
      "<col max='10' min='9' width='0' hidden='true' customWidth='1' style='1'/>" +
        "<col max='15' min='11' style='1'/>" +
        "<col max='16384' min='16' width='0' hidden='true' customWidth='1' style='1'></col>",
    ],
    ['<col min="12" max="13" hidden="1" width="3" style="1"/>', '<col min="12" max="13" style="1"/>'],
    ['<col min="1" max="10" hidden="1"/>', '<col min="1" max="10" hidden="1"/>'],
  ])("has its new columns in sight where the sheet hides what it does not use: %s", async (old, now) => {
    const before = `<cols>${old}</cols>`;
    const home = await createImportHome(
      workbookOf({ before, rows: [titles, cells("A-1")] }, { formats: ["@"] }),
    );
    const { exit, stderr, bytes } = await importAndRead(home);
    expect(exit, stderr).toBe(0);
    expect(await xmlOf(bytes)).toContain(`<cols>${now}</cols><sheetData>`);
  });

  test("keeps its columns of an earlier write-back hidden where a person hid them", async () => {
    const home = await createImportHome(sheetOf(titles, cells("A-1")));
    const first = await importAndRead(home);
    const sheet1 = (await xmlOf(first.bytes)).replace(
      "<sheetData>",
      '<cols><col min="15" max="15" hidden="1"/></cols><sheetData>',
    );
    const strings = { "xl/sharedStrings.xml": await xmlOf(first.bytes, "xl/sharedStrings.xml") };
    const file = await home.put(
      workbookOf({ rows: [] }, { parts: { "xl/worksheets/sheet1.xml": sheet1, ...strings } }),
      "hidden.xlsx",
    );
    const second = await importAndRead(home, "", file, "second.xlsx");
    expect(second.exit, second.stderr).toBe(0);
    expect(await xmlOf(second.bytes)).toBe(sheet1);
  });

  test("keeps styles of empty cells beside the rows, notes there, and extensions of rows", async () => {
    const empty = (style: number) => ({ attributes: `s="${style}"`, xml: "" });
    const home = await createImportHome(
      workbookOf(
        {
          rows: [
            [...titles, null, null, null],
            { cells: [...cells("A-1"), empty(1), { xml: "<v>7</v>" }, empty(2)] },
            { cells: cells("A-2"), attributes: "" },
          ],
        },
        { formats: ["0.0", "@"] },
      ),
    );
    const { exit, stderr, bytes } = await importAndRead(home);
    expect(exit, stderr).toBe(0);
    const xml = await xmlOf(bytes);
    expect(xml).toContain('<c r="L2" ><v>7</v></c><c r="M2" s="2" t="inlineStr">');
    expect(xml).toMatch(/<c r="M3" t="inlineStr">/);
    expect(xml).toMatch(/<c r="M1" t="inlineStr"><is><t xml:space="preserve">Courier tracking number</);
  });

  test("with rows that a filter hides gets no cells there with --skip-hidden", async () => {
    const home = await createImportHome(
      workbookOf({
        rows: [titles, { cells: cells("A-1"), attributes: 'hidden="1"' }, cells("A-2")],
        after: '<autoFilter ref="A1:J3"><filterColumn colId="0"/></autoFilter>',
      }),
    );
    const { exit, stderr, bytes } = await importAndRead(home, "--skip-hidden");
    expect(exit, stderr).toBe(0);
    const xml = await xmlOf(bytes);
    expect(xml).not.toContain('r="K2"');
    expect(xml).toContain('r="K3"');
  });

  test("of two sheets is changed in the one that was imported, on every line of merged orders", async () => {
    const rows: TestCell[][] = [
      ["订单编号", "收货人姓名", "联系手机", "收货地址", "货品标题", "卖家会员名", "数量", "sender.name"],
      ["300", "李四", "13900139000", "广东省 深圳市 南山区 科技园1号楼", "绿茶", "demo", "2", "张三"],
      ["", "", "", "", "茶杯", "demo", "1", "张三"],
    ];
    const after = `<mergeCells>${["A", "B", "C", "D"].map((each) => `<mergeCell ref="${each}2:${each}3"/>`).join("")}</mergeCells>`;
    const before = writeWorkbook({
      sheets: [
        { name: "Notes", rows: [["x"], ["y"]] },
        { name: "订单", rows, after },
      ],
    });
    const home = await createImportHome(before);
    const { exit, stderr, bytes } = await importAndRead(home, "--sheet 订单");
    expect(exit, stderr).toBe(0);
    expect(await xmlOf(bytes)).toBe(await xmlOf(before));
    const xml = await xmlOf(bytes, "xl/worksheets/sheet2.xml");
    expect(xml).toContain("快递运单号");
    const [number] = /CR\d+/.exec(xml) ?? [];
    expect(xml.split(`>${number}<`)).toHaveLength(3);
  });

  test("must have a name that ends in .xlsx", async () => {
    const home = await createImportHome(sheetOf(titles, cells("A-1")));
    const done = path.join(home.directory, "done.csv");
    const { exit, stderr } = await home.run(`--write-back ${done}`);
    expect([exit, home.posts]).toEqual([2, 0]);
    expect(stderr).toContain("is a workbook, and stays one");
  });

  test("is the sheet itself with --in-place, whatever its name", async () => {
    const before = sheetOf(titles, cells("A-1"));
    const home = await createImportHome(before);
    const { exit, stderr } = await home.run("--in-place");
    expect(exit, stderr).toBe(0);
    expect((await readFile(`${home.file}.bak`)).equals(before)).toBe(true);
    expect(await xmlOf(await readFile(home.file))).toContain("Courier tracking number");
  });
});

/** Prints whether openpyxl sees in the second workbook all that is in the first, and the cells that are new. */
const compare = `
import json, sys, openpyxl
def see(path):
    book = openpyxl.load_workbook(path)
    cells, facts = {}, {}
    for sheet in book.worksheets:
        for line in sheet.iter_rows():
            for cell in line:
                fact = [cell.value, cell.data_type, cell.number_format, cell.font.b, cell.fill.fgColor.rgb]
                if cell.value is not None or cell.has_style: cells[sheet.title + "!" + cell.coordinate] = fact
        hidden = [n for n, d in sheet.row_dimensions.items() if d.hidden]
        facts[sheet.title] = [sorted(str(r) for r in sheet.merged_cells.ranges), sheet.auto_filter.ref, hidden,
            sheet.freeze_panes, sheet.sheet_state, list(sheet.tables)]
    return cells, facts
(before, facts), (after, others) = see(sys.argv[1]), see(sys.argv[2])
changed = [name for name in before if before[name] != after.get(name)]
added = {name: after[name] for name in after if name not in before}
print(json.dumps({"changed": changed, "sameFacts": facts == others, "added": added}, default=str))
`;

/** Writes a workbook with styles, a table, a frozen row, formulas and a hidden sheet. */
const make = `
import json, sys, openpyxl
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.table import Table
book = openpyxl.Workbook()
sheet = book.active
sheet.title = "Orders"
for line in json.loads(sys.argv[2]): sheet.append(line)
for cell in sheet[1]: cell.font = Font(bold=True)
sheet["C2"].fill = PatternFill("solid", fgColor="FFFF00")
sheet["I3"] = 2.5
sheet["J3"] = 1
sheet["I3"].number_format = "0.000"
sheet.freeze_panes = "A2"
sheet.add_table(Table(displayName="T1", ref="A1:J4"))
other = book.create_sheet("Sums")
other["A1"] = "=SUM(Orders!I:I)"
other.merge_cells("B1:C2")
other.sheet_state = "hidden"
book.save(sys.argv[1])
`;

const python = findPython("openpyxl");
const runPython = (...words: readonly string[]) => execFileSync(python ?? "", ["-c", ...words]).toString();
const anyText = (start: string) => [
  expect.stringContaining(start),
  "s",
  "General",
  expect.anything(),
  expect.anything(),
];

describe.skipIf(!python)("with openpyxl, every other cell is as it was in a workbook", () => {
  test("of openpyxl", async () => {
    const home = await createImportHome("");
    const before = path.join(home.directory, "before.xlsx");
    runPython(make, before, JSON.stringify([titles, cells("A-1"), cells("A-2"), cells("A-3", "赵六", "12")]));
    const { exit, stderr, done } = await importAndRead(home, "--sheet Orders", before);
    expect(exit, stderr).toBe(3);
    const seen = JSON.parse(runPython(compare, before, done));
    expect(seen).toMatchObject({ changed: [], sameFacts: true });
    expect(seen.added).toMatchObject({
      "Orders!K1": ["Courier tracking number", "s", "General", true, expect.anything()],
      "Orders!K2": anyText("CR"),
      "Orders!N2": [expect.any(Number), "n", "General", false, expect.anything()],
      "Orders!M3": anyText("pending"),
      "Orders!O4": anyText("refused"),
    });
  });

  test("of LibreOffice", async () => {
    const home = await createImportHome("");
    const before = path.join(import.meta.dirname, "../sheets/files/libreoffice.xlsx");
    const { exit, stderr, done } = await importAndRead(home, "--skip-hidden", before);
    expect(exit, stderr).toBe(0);
    const seen = JSON.parse(runPython(compare, before, done));
    expect(seen).toMatchObject({ changed: [], sameFacts: true });
    const numbers = Object.values(seen.added as Record<string, unknown[]>).filter(([value]) =>
      /^CR\d+$/.test(String(value)),
    );
    expect(numbers).toHaveLength(6);
  });
});

test.each([
  ["sheet.macroEnabled", "a workbook with macros", "xlsm", "xlsx"],
  ["sheet", "a workbook", "xlsx", "xlsm"],
  ["template", "a template", "xltx", "xlsx"],
])(
  "a file of the kind %s keeps its ending: Excel opens it under no other one",
  async (type, kind, ending, other) => {
    const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.ms-excel.${type}.main+xml"/></Types>`;
    const home = await createImportHome("");
    const bytes = workbookOf({ rows: [titles, cells("A-1")] }, { parts: { "[Content_Types].xml": types } });
    const file = await home.put(bytes, `orders.${ending}`);
    const refused = await importAndRead(home, "", file, `done.${other}`);
    expect([refused.exit, home.posts], refused.stderr).toEqual([2, 0]);
    expect(errorOf(refused)).toMatchObject({
      message: `${file} is ${kind}, and stays one: ${refused.done} must end in .${ending}`,
      hint: `use --write-back ${path.join(home.directory, `done.${ending}`)}`,
    });
    const written = await importAndRead(home, "", file, `done.${ending}`);
    expect([written.exit, home.posts], written.stderr).toEqual([0, 1]);
    expect(await xmlOf(written.bytes, "[Content_Types].xml")).toBe(types);
  },
);
