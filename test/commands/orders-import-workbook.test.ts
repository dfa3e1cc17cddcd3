/** `courier orders import` of .xlsx workbooks: sheets, hidden rows, formulas, merged cells, numbers. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import {
  createImportHome,
  errorOf,
  header,
  type ImportHome,
  outcomes,
  row,
  sheet,
} from "../support/imports.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { type TestCell, type TestRow, type TestWorkbook, writeWorkbook } from "../support/workbooks.ts";

const titles = header.split(",");
/** The cells of a row that the service takes, some of them replaced. */
function cells(ref: TestCell, changes: Readonly<Record<string, TestCell>> = {}): TestCell[] {
  const texts: TestCell[] = row("", "李四").split(",");
  return texts.map((text, index) => changes[titles[index] ?? ""] ?? (index === 0 ? ref : text));
}

const hidden = (ref: string): TestRow => ({ cells: cells(ref), attributes: 'hidden="1"' });
const error: TestCell = { attributes: 't="e"', xml: "<v>#N/A</v>" };
const formula = (value: string): TestCell => ({ attributes: 't="str"', xml: `<f>A1</f><v>${value}</v>` });
const unsaved: TestCell = { xml: "<f>A1&amp;B1</f>" };

/** A home with a workbook in it, which `orders import` is given. */
async function createWorkbookHome(workbook: TestWorkbook | TestWorkbook["sheets"][number]["rows"]) {
  const bytes = writeWorkbook(
    "sheets" in workbook ? workbook : { sheets: [{ name: "Orders", rows: [titles, ...workbook] }] },
  );
  const home = await createImportHome("");
  const file = await home.put(bytes, "orders.xlsx");
  return {
    ...home,
    file,
    bytes,
    get posts() {
      return home.posts;
    },
    importIt: (words?: string) => home.importFile(file, words),
    /** As a person at a terminal runs it. */
    ask: (answers: Parameters<typeof scriptedPrompts>[0], choose?: (labels: readonly string[]) => number) => {
      const asked: string[] = [];
      const scripted = scriptedPrompts(answers);
      const prompts = {
        ...scripted,
        async choose<T>(question: string, choices: readonly { value: T; label: string }[]): Promise<T> {
          asked.push(question, ...choices.map(({ label }) => label));
          const chosen = choices[choose?.(choices.map(({ label }) => label)) ?? 0];
          if (!chosen) throw new Error("nothing to choose");
          return chosen.value;
        },
        confirm(question: string) {
          asked.push(question);
          return scripted.confirm(question);
        },
      };
      const run = home.courier(["orders", "import", file], { terminal: 120, prompts });
      return run.then((ran) => ({ ...ran, asked }));
    },
  };
}

async function draftsOf(home: ImportHome) {
  return (await home.operations()).map(({ draft }) => draft);
}

describe("a workbook", () => {
  test("is imported like the CSV file of the same rows", async () => {
    const home = await createWorkbookHome([cells("A-1"), cells("A-2", { "receiver.name": "王五" })]);
    const { exit, report, stderr } = await home.importIt();
    expect([exit, outcomes(report)], stderr).toEqual([0, "created created"]);
    expect(await home.receivers()).toEqual(["李四", "王五"]);
    const csv = await home.put(sheet(row("A-1"), row("A-2", "王五")), "same.csv");
    expect(outcomes((await home.importFile(csv)).report)).toBe("shipped shipped");
    expect(home.posts).toBe(2);
  });

  test("is known by its content, whatever its name, and on stdin", async () => {
    const home = await createWorkbookHome([cells("A-1")]);
    const named = await home.put(home.bytes, "export.csv");
    expect(outcomes((await home.importFile(named)).report)).toBe("created");
    const piped = await home.importFile("-", "", { stdin: home.bytes });
    expect([piped.exit, outcomes(piped.report)], piped.stderr).toEqual([0, "shipped"]);
  });

  test("is resumed: rows that were shipped are not sent again, and new ones are", async () => {
    const home = await createWorkbookHome([cells("A-1"), cells("")]);
    expect(outcomes((await home.importIt()).report)).toBe("created created");
    const longer = writeWorkbook({
      sheets: [{ name: "Orders", rows: [titles, cells("A-3"), cells("A-1"), cells("")] }],
    });
    await home.put(longer, "orders.xlsx");
    const { report } = await home.importIt();
    expect(report.map(({ row: number, outcome }) => [number, outcome])).toEqual([
      [2, "created"],
      [3, "shipped"],
      [4, "shipped"],
    ]);
  });

  test("names rows as the sheet numbers them, blank ones counted", async () => {
    const home = await createWorkbookHome([
      cells("A-1"),
      [],
      ["", null, " "],
      cells("A-2", { "receiver.phone": "12" }),
    ]);
    const rejects = path.join(home.directory, "rejects.csv");
    const { exit, report } = await home.importIt(`--rejects ${rejects}`);
    expect([exit, report.map(({ row: number }) => number)]).toEqual([3, [2, 5]]);
    const kept = await readFile(rejects, "utf8");
    expect(kept.startsWith("\uFEFFref,")).toBe(true);
    expect(kept).toContain("A-2,张三");
    const again = await home.importFile(await home.put(kept.replace(",12,", ",13900139000,"), "rejects.csv"));
    expect(outcomes(again.report)).toBe("created");
  });

  test("is not what a file of rejects can be", async () => {
    const home = await createWorkbookHome([cells("A-1")]);
    expect(errorOf(await home.importIt("--rejects rejects.XLSX"))).toMatchObject({
      exit: 2,
      message: "cannot write .XLSX files",
      hint: "use --rejects rejects.csv; Excel opens it",
    });
    expect(home.posts).toBe(0);
  });

  test("takes --allow-duplicate by the number of the row in the sheet", async () => {
    const home = await createWorkbookHome([cells(""), [], cells("")]);
    await home.importFile(await home.put(sheet(row("")), "other.csv"));
    expect(outcomes((await home.importIt()).report)).toBe("held held");
    expect(errorOf(await home.importIt("--allow-duplicate row:3"))).toMatchObject({
      exit: 2,
      message: "--allow-duplicate: the file has no row row:3",
    });
    const { report } = await home.importIt("--allow-duplicate row:4");
    expect(report.map(({ row: number, outcome }) => [number, outcome])).toEqual([
      [2, "held"],
      [4, "created"],
    ]);
  });

  test("with a mistake: the cell is named, and nothing is sent", async () => {
    const home = await createWorkbookHome([cells("A-1"), [], cells("A-2", { "item.quantity": "many" })]);
    const { exit, stderr } = await home.courier(["orders", "import", home.file, "--yes"]);
    expect([exit, home.posts]).toEqual([2, 0]);
    expect(stderr).toMatch(/ROW +CELL +COLUMN +VALUE +PROBLEM\n +4 +J4 +item\.quantity +many +must be/);
    const json = await home.importIt();
    expect(JSON.parse(json.stderr).error.details).toMatchObject([{ row: 4, cell: "J4", value: "many" }]);
  });

  test("of many rows: the first mistake is shown before the others are checked", async () => {
    const rows = Array.from({ length: 2_010 }, (_, index) => cells(`A-${index}`));
    const first = cells("A-0", { "item.quantity": "many" });
    const home = await createWorkbookHome([
      first,
      ...rows.slice(1),
      cells("B-1", { "item.quantity": "few" }),
    ]);
    const { exit, stderr } = await home.courier(["orders", "import", home.file, "--yes"]);
    expect([exit, home.posts]).toEqual([2, 0]);
    const [note, ...rest] = stderr.split("\n");
    expect(note).toBe(
      "row 2, J2, item.quantity “many”: must be a whole number of at least 0; checking the other rows",
    );
    expect(rest.join("\n")).toMatch(/\n +2 +J2 [\s\S]*\n2012 +J2012 [\s\S]*: 2 of 2011 rows are wrong\n/);
  });

  test("of many rows: the first mistake is shown before the rest is read", async () => {
    const rows = Array.from({ length: 4_000 }, (_, index) => cells(`A-${index}`));
    const home = await createWorkbookHome({
      sheets: [
        {
          name: "Orders",
          rows: [titles, cells("B-1", { "item.quantity": "many" }), ...rows],
          after: "</worksheet",
        },
      ],
    });
    const { exit, stderr } = await home.courier(["orders", "import", home.file, "--yes"]);
    expect(exit).toBe(2);
    const [note, failure] = stderr.split("\n");
    expect(note).toBe(
      "row 2, J2, item.quantity “many”: must be a whole number of at least 0; checking the other rows",
    );
    expect(failure).toContain("damaged");
  });

  test("needs no --encoding, and other files no --sheet", async () => {
    const home = await createWorkbookHome([cells("A-1")]);
    expect(errorOf(await home.importIt("--encoding gb18030"))).toMatchObject({ exit: 2, code: "usage" });
    await home.put(sheet(row("A-1")));
    const csv = path.join(home.directory, "orders.csv");
    expect(errorOf(await home.importFile(csv, "--sheet Orders"))).toMatchObject({
      exit: 2,
      message: `--sheet is for .xlsx workbooks, and ${csv} is CSV`,
    });
    expect((await home.importFile(csv, "--include-hidden")).exit).toBe(0);
  });
});

describe("a file that only looks like a workbook", () => {
  const oldOffice = (...streams: string[]) =>
    Buffer.concat([
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
      ...streams.map((name) => Buffer.from(`\0${name}\0`, "utf16le")),
    ]);
  const whole = writeWorkbook({ sheets: [{ name: "Orders", rows: [titles, cells("A-1")] }] });

  test.each<[string, Buffer, string]>([
    ["protected", oldOffice("EncryptionInfo", "EncryptedPackage"), "is protected by a password"],
    ["an .xls", oldOffice("Workbook"), "is an old Excel workbook (.xls), which courier does not read"],
    ["an .xls of 1995", oldOffice("Book"), "is an old Excel workbook (.xls), which courier does not read"],
    ["a .doc", oldOffice("WordDocument"), "is an old Word document, which courier does not read"],
    ["another old file", oldOffice(), "is an old Office file such as .xls, which courier does not read"],
    ["cut off", whole.subarray(0, -40), "is damaged or incomplete: its end is missing"],
    [
      "an HTML table",
      Buffer.from("<html><body><table><tr><td>订单号</td></tr></table></body></html>"),
      "is a web page that holds a table, which courier does not read",
    ],
  ])("%s: exit 2, what it is, and what to do", async (_what, content, message) => {
    const home = await createImportHome("");
    const file = await home.put(content, "orders.xlsx");
    const error = errorOf(await home.importFile(file));
    expect(error).toMatchObject({ exit: 2, code: "file", message: `${file} ${message}` });
    expect(error.hint).toContain("save it as .xlsx or “CSV UTF-8”, and import that file");
    expect(home.posts).toBe(0);
  });
});

describe("several sheets", () => {
  const sheets = [
    { name: "Notes", rows: [["only a title"]] },
    { name: "May", rows: [titles, cells("A-1")] },
    { name: "June", rows: [titles, cells("A-2", { "receiver.name": "王五" }), cells("A-3")] },
  ];

  test("at a terminal, a menu of those with rows", async () => {
    const home = await createWorkbookHome({ sheets });
    const { exit, asked } = await home.ask({ confirms: [true] }, () => 1);
    expect(asked.slice(0, 3)).toEqual([
      `${home.file} has several sheets with rows. Import which one?`,
      "May (1 row)",
      "June (2 rows)",
    ]);
    expect([exit, (await home.receivers()).length]).toEqual([0, 2]);
  });

  test("Ctrl-C ends the reading of a sheet", async () => {
    const home = await createWorkbookHome({ sheets });
    const interruption = new AbortController();
    const prompts = {
      ...scriptedPrompts({}),
      async choose<T>(_question: string, choices: readonly { value: T }[]): Promise<T> {
        interruption.abort(interrupted(130));
        return (choices[0] as { value: T }).value;
      },
    };
    const words = ["orders", "import", home.file, "--check"];
    const { exit, stderr } = await home.courier(words, {
      prompts,
      terminal: 100,
      signal: interruption.signal,
    });
    expect([exit, stderr]).toEqual([130, expect.stringContaining("interrupted")]);
  });

  test("in a script: exit 2 with the names and the flag, which takes a name or a number", async () => {
    const home = await createWorkbookHome({ sheets });
    expect(errorOf(await home.importIt())).toMatchObject({
      exit: 2,
      message: `${home.file} has several sheets with rows: May (1 row), June (2 rows)`,
      hint: 'choose one with --sheet, for example --sheet "May"',
    });
    expect(outcomes((await home.importIt("--sheet 2")).report)).toBe("created");
    expect(outcomes((await home.importIt("--sheet June")).report)).toBe("created created");
    expect(errorOf(await home.importIt("--sheet Juni")).hint).toContain('did you mean --sheet "June"?');
  });

  test("equal rows without a ref on two sheets are two orders: the second one is held", async () => {
    const rows = [titles, cells("")];
    const home = await createWorkbookHome({
      sheets: [
        { name: "May", rows },
        { name: "June", rows: [...rows, cells("", { "receiver.name": "王五" })] },
      ],
    });
    expect(outcomes((await home.importIt("--sheet May")).report)).toBe("created");
    expect(outcomes((await home.importIt("--sheet June")).report)).toBe("held created");
  });

  test("a hidden sheet is read by its name alone", async () => {
    const secret = { name: "old", rows: [titles, cells("A-0")], attributes: 'state="veryHidden"' };
    const home = await createWorkbookHome({
      sheets: [secret, { name: "May", rows: [titles, cells("A-1")] }],
    });
    const { report, stderr } = await home.importIt();
    expect(report.map(({ ref }) => ref)).toEqual(["A-1"]);
    expect(stderr).toContain('not read: the hidden sheet “old”; --sheet "old" reads it');
    expect((await home.importIt("--sheet 1")).report.map(({ ref }) => ref)).toEqual(["A-1"]);
    expect((await home.importIt("--sheet old")).report.map(({ ref }) => ref)).toEqual(["A-0"]);
  });

  test("a sheet's number counts the tab of a chart, too", async () => {
    const relation = (id: string, kind: string, target: string) =>
      `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"/>`;
    const home = await createWorkbookHome({
      sheets: [
        { name: "Chart", rows: [] },
        { name: "November", rows: [titles, cells("A-11")] },
        { name: "October", rows: [titles, cells("A-10")] },
      ],
      parts: {
        "xl/chartsheets/sheet1.xml":
          '<chartsheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>',
        "xl/worksheets/sheet1.xml": null,
        "xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${[
          relation("rId1", "chartsheet", "chartsheets/sheet1.xml"),
          relation("rId2", "worksheet", "worksheets/sheet2.xml"),
          relation("rId3", "worksheet", "worksheets/sheet3.xml"),
          relation("rIdS", "sharedStrings", "sharedStrings.xml"),
          relation("rIdT", "styles", "styles.xml"),
        ].join("")}</Relationships>`,
      },
    });
    expect((await home.importIt("--sheet 2")).report.map(({ ref }) => ref)).toEqual(["A-11"]);
    expect(errorOf(await home.importIt("--sheet 1")).hint).toContain("its sheets: November, October");
  });

  test("with rows in hidden sheets only: exit 2", async () => {
    const home = await createWorkbookHome({
      sheets: [{ name: "old", rows: [titles, cells("A-0")], attributes: 'state="hidden"' }],
    });
    expect(errorOf(await home.importIt())).toMatchObject({
      exit: 2,
      message: `${home.file} has rows in hidden sheets only: “old”`,
    });
  });

  test("with no rows at all: exit 2", async () => {
    const home = await createWorkbookHome({ sheets: [{ name: "May", rows: [titles] }] });
    expect(errorOf(await home.importIt())).toMatchObject({ exit: 2, message: `${home.file} has no rows` });
  });
});

describe("hidden rows", () => {
  const rows = [titles, cells("A-1"), hidden("A-2"), cells("A-3")];
  const filtered = {
    sheets: [
      { name: "Orders", rows, after: '<autoFilter ref="A1:J4"><filterColumn colId="0"/></autoFilter>' },
    ],
  };

  test.each([
    [true, "created created created"],
    [false, "created created"],
  ])("at a terminal, they are asked about: %s", async (answer, expected) => {
    const home = await createWorkbookHome(filtered);
    const { exit, asked } = await home.ask({ confirms: [answer, true] });
    expect(asked[0]).toBe("1 of 3 rows is hidden by a filter. Ship it too?");
    expect([exit, (await home.operations()).map(() => "created").join(" ")]).toEqual([0, expected]);
  });

  test("in a script: exit 2, unless a flag decides", async () => {
    const home = await createWorkbookHome(filtered);
    expect(errorOf(await home.importIt())).toMatchObject({
      exit: 2,
      message: `${home.file}: 1 of 3 rows is hidden by a filter`,
      hint: "--skip-hidden leaves hidden rows out; --include-hidden imports them like the others",
    });
    expect(home.posts).toBe(0);
    expect(errorOf(await home.importIt("--skip-hidden --include-hidden")).exit).toBe(2);
    const skipping = await home.importIt("--skip-hidden");
    expect(skipping.report.map(({ row: number }) => number)).toEqual([2, 4]);
    expect(skipping.stderr).toContain(`${home.file}: 1 of 3 rows is hidden by a filter, and left out\n`);
    expect(outcomes((await home.importIt("--include-hidden")).report)).toBe("shipped created shipped");
  });

  test("that a person hid, or made flat, are hidden too; those above the header are left out", async () => {
    const flat = { cells: cells("A-2"), attributes: 'ht="0" customHeight="1"' };
    const above = { cells: ["technical", "names"], attributes: 'hidden="true"' };
    const home = await createWorkbookHome({
      sheets: [{ name: "Orders", rows: [above, titles, cells("A-1"), flat] }],
    });
    expect(errorOf(await home.importIt()).message).toBe(`${home.file}: 1 of 2 rows is hidden`);
    const { report, stderr } = await home.importIt("--skip-hidden");
    expect(report.map(({ row: number }) => number)).toEqual([3]);
    expect(stderr).toContain("not read: 1 hidden row above the header");
  });
});

describe("orders of several rows, some of them hidden", () => {
  const goods = (name: string): TestCell[] => titles.map((title) => (title === "item.name" ? name : ""));
  const hide = (row: TestCell[]): TestRow => ({ cells: row, attributes: 'hidden="1"' });
  const part = (rows: string) =>
    `part of this order is hidden (${rows}): show all its rows, or use --include-hidden`;
  const messages = (report: Awaited<ReturnType<ImportHome["run"]>>["report"]) =>
    report.map(({ ref, outcome, error: told }) => [ref, outcome, told?.message]);

  test.each<[string, TestRow["cells"] | TestRow, TestRow["cells"] | TestRow, string]>([
    ["first", hide(cells("A-2")), goods("茶杯"), "row 3"],
    ["second", cells("A-2"), hide(goods("茶杯")), "row 4"],
  ])(
    "the %s: the order is wrong, and the order above gets no goods of it",
    async (_which, one, two, rows) => {
      const home = await createWorkbookHome([cells("A-1"), one, two, cells("A-3")] as TestRow["cells"][]);
      const { exit, report } = await home.importIt("--skip-hidden --skip-wrong");
      expect([exit, messages(report)]).toEqual([
        3,
        [
          ["A-1", "created", undefined],
          ["A-2", "wrong", part(rows)],
          ["A-3", "created", undefined],
        ],
      ]);
      expect((await draftsOf(home)).map((draft) => draft?.item?.name)).toEqual(["茶叶", "茶叶"]);
      const all = await home.importIt("--include-hidden");
      expect([all.exit, outcomes(all.report)]).toEqual([0, "shipped created shipped"]);
    },
  );

  test("all: the order is left out, and no other row is said to be wrong", async () => {
    const home = await createWorkbookHome([
      cells("A-1"),
      hide(cells("A-2", { "receiver.phone": "12" })),
      hide(goods("茶杯")),
      cells("A-3"),
    ] as TestRow["cells"][]);
    const { exit, report, stderr } = await home.importIt("--skip-hidden");
    expect([exit, messages(report)], stderr).toEqual([
      0,
      [
        ["A-1", "created", undefined],
        ["A-3", "created", undefined],
      ],
    ]);
  });

  describe("in a file that repeats the columns of the order", () => {
    const jd = [
      "京东价",
      "订单号",
      "客户姓名",
      "联系电话",
      "客户地址",
      "商品名称",
      "订购数量",
      "sender.name",
    ];
    const line = (ref: string, item: string) =>
      ["9", ref, "李四", "13900139000", "广东省深圳市南山区科技园1号楼", item, "1", "张三"] as TestCell[];

    async function importLines(...rows: readonly (TestCell[] | TestRow)[]) {
      const sheets = [{ name: "Orders", rows: [jd, ...rows] as TestRow["cells"][] }];
      const home = await createWorkbookHome({ sheets });
      const { exit, report, stderr } = await home.importIt("--skip-hidden --skip-wrong");
      return { exit, told: messages(report), stderr };
    }

    test("half an order is not sent", async () => {
      const { exit, told } = await importLines(line("1", "茶"), hide(line("1", "杯")), line("2", "壶"));
      expect([exit, told]).toEqual([
        3,
        [
          ["1", "wrong", part("row 3")],
          ["2", "created", undefined],
        ],
      ]);
    });

    test.each([
      ["below", [line("1", "茶"), line("2", "壶"), hide(line("1", "杯"))]],
      ["above", [hide(line("1", "杯")), line("2", "壶"), line("1", "茶")]],
    ])("nor where the hidden row is apart, %s", async (_where, rows) => {
      const { exit, told } = await importLines(...rows);
      expect(exit).toBe(3);
      expect(told.filter(([, outcome]) => outcome === "created")).toEqual([["2", "created", undefined]]);
      expect(told.filter(([ref]) => ref === "1").map(([, outcome]) => outcome)).toContain("wrong");
    });

    test("orders that are hidden altogether are no mistake, even with rows apart", async () => {
      const { exit, told, stderr } = await importLines(
        hide(line("1", "茶")),
        line("2", "壶"),
        hide(line("1", "杯")),
      );
      expect([exit, told], stderr).toEqual([0, [["2", "created", undefined]]]);
      expect(stderr).toContain("is a JD order list: 1 order\n");
    });
  });
});

describe("cells", () => {
  test("formulas give their last saved value, which one note says", async () => {
    const home = await createWorkbookHome([
      cells("A-1", { "receiver.name": formula("王五"), "item.quantity": formula("") }),
      cells("A-2", { "receiver.name": formula("赵六"), "item.weight": { xml: "<f>1+1</f><v>2</v>" } }),
    ]);
    const { stderr } = await home.importIt();
    expect(await home.receivers()).toEqual(["王五", "赵六"]);
    expect(stderr.match(/formulas/g)).toHaveLength(1);
    expect(stderr).toContain("3 cells are formulas; their last saved values are used");
  });

  test.each([
    ["a formula that was never saved", unsaved, "is a formula without a saved value"],
    ["a formula that openpyxl wrote", { xml: "<f>A1</f><v></v>" }, "is a formula without a saved value"],
    ["an error", error, "holds the error #N/A"],
    [
      "a formula that failed",
      { attributes: 't="e"', xml: "<f>1/0</f><v>#DIV/0!</v>" },
      "holds the error #DIV/0!",
    ],
    ["a number of more than 15 digits", { xml: "<v>1234567890123456</v>" }, "has more than 15 digits"],
    ["what is no number", { xml: "<v>many</v>" }, "holds no number"],
  ])("%s is a mistake with its cell, where the column is used", async (_what, cell, message) => {
    const home = await createWorkbookHome([cells("A-1"), cells("A-2", { "receiver.phone": cell })]);
    const { exit, stderr } = await home.importIt();
    expect(exit).toBe(2);
    const { details } = JSON.parse(stderr.split("\n").find((line) => line.startsWith("{")) ?? "").error;
    expect(details).toMatchObject([{ row: 3, cell: "E3", message: expect.stringContaining(message) }]);
    const unused = await createWorkbookHome({
      sheets: [
        {
          name: "Orders",
          rows: [
            [...titles, "Total"],
            [...cells("A-1"), cell],
          ],
        },
      ],
    });
    expect(outcomes((await unused.importIt()).report)).toBe("created");
  });

  test.each([
    ["never saved", unsaved, "is a formula without a saved value"],
    ["that failed", error, "holds the error #N/A"],
  ])(
    "refs that are formulas %s are one mistake of all rows, and not the same ref",
    async (_what, cell, message) => {
      const home = await createWorkbookHome([cells(cell), cells(cell), cells(cell)]);
      const { exit, stdout, stderr } = await home.courier(["orders", "import", home.file, "--yes"]);
      expect(exit).toBe(2);
      expect(`${stdout}${stderr}`).not.toContain("same ref");
      expect(stderr.match(new RegExp(message, "g")), stderr).toHaveLength(1);
      expect(stderr).toMatch(/^all +- +ref /m);
    },
  );

  test("merged cells of an order give each of its rows their value", async () => {
    const later = { "receiver.name": null, "receiver.phone": null };
    const items = (name: string) => ({ "item.name": name });
    const home = await createWorkbookHome({
      sheets: [
        {
          name: "Orders",
          rows: [
            titles,
            cells("", items("茶叶")),
            cells("", { ...items("茶杯"), ...later }),
            [],
            cells("", { ...items("茶壶"), "receiver.name": "王五" }),
          ],
          after:
            '<mergeCells><mergeCell ref="D2:D4"/><mergeCell ref="E2:E3"/><mergeCell ref="F5:G5"/><mergeCell ref="A1:A2"/><mergeCell ref="J5"/></mergeCells>',
        },
      ],
    });
    const { report, stderr } = await home.importIt();
    expect(report.map(({ row: number }) => number)).toEqual([2, 3, 5]);
    expect((await draftsOf(home)).map((draft) => [draft?.receiver?.name, draft?.receiver?.phone])).toEqual([
      ["李四", "13900139000"],
      ["李四", "13900139000"],
      ["王五", "13900139000"],
    ]);
    expect(stderr).toContain("merged cells: each row gets the value of the first (D2:D4, E2:E3)");
  });

  test("a row of which all that is used is merged with the row above is no order of its own", async () => {
    const wide = [...titles, "备注"];
    const home = await createWorkbookHome({
      sheets: [
        {
          name: "Orders",
          rows: [
            wide,
            [...cells("", {}), "放门口"],
            [...Array(titles.length).fill(null), "周末送"],
            [...cells("", { "receiver.name": "王五" }), ""],
          ],
          after: `<mergeCells>${titles.map((_, at) => `<mergeCell ref="${String.fromCharCode(65 + at)}2:${String.fromCharCode(65 + at)}3"/>`).join("")}</mergeCells>`,
        },
      ],
    });
    const { report } = await home.importIt();
    expect(report.map(({ row: number }) => number)).toEqual([2, 4]);
    expect((await draftsOf(home)).map((draft) => draft?.receiver?.name)).toEqual(["李四", "王五"]);
  });

  test("numbers are exact; leading zeros and dates are as the sheet shows them", async () => {
    const styled = (style: number, value: string): TestCell => ({
      attributes: `s="${style}"`,
      xml: `<v>${value}</v>`,
    });
    const home = await createWorkbookHome({
      formats: ["00000", 14, "yyyy-mm-dd hh:mm", "000-0000-0000"],
      sheets: [
        {
          name: "Orders",
          rows: [
            titles,
            cells(styled(1, "42"), {
              "sender.phone": 13800138000,
              "receiver.phone": { xml: "<v>1.39001390E10</v>" },
              "receiver.name": styled(2, "46053"),
              "receiver.detail": styled(3, "46053.4375"),
              "receiver.city": true,
              "item.weight": { xml: "<v>0.10000000000000001</v>" },
              "item.name": styled(4, "13800138000"),
            }),
          ],
        },
      ],
    });
    const { exit, stderr } = await home.importIt();
    expect(exit, stderr).toBe(0);
    const [{ ref, draft } = {}] = await home.operations();
    expect([ref, draft]).toMatchObject([
      "00042",
      {
        sender: { phone: "13800138000" },
        receiver: { phone: "13900139000", name: "2026-01-31", city: "TRUE", detail: "2026-01-31T10:30:00" },
        item: { weight: { value: "0.1" }, name: "13800138000" },
      },
    ]);
    expect(stderr).toContain(
      "1 number is shown in a format of its own; the digits themselves are used (H2: 000-0000-0000)",
    );
  });

  test("with words in its format, in a field that is no number, is read as it is shown", async () => {
    const styled = (style: number, value: string): TestCell => ({
      attributes: `s="${style}"`,
      xml: `<v>${value}</v>`,
    });
    const wordsOfText = (style: number, text: string): TestCell => ({
      attributes: `s="${style}" t="inlineStr"`,
      xml: `<is><t>${text}</t></is>`,
    });
    const order = {
      "receiver.detail": styled(1, "12"),
      "item.quantity": styled(2, "3"),
      "item.name": wordsOfText(3, "茶"),
      "receiver.phone": styled(4, "13900139000"),
    };
    const rows = [
      cells("", { ...order, ref: styled(5, "12") }),
      cells("", { ...order, ref: styled(5, "1001"), "item.weight": "heavy" }),
    ];
    const home = await createWorkbookHome({
      formats: ['"建国路"0"号"', '0"件"', '"绿"@', '"电话"0', '"SO-"0000'],
      sheets: [{ name: "Orders", rows: [titles, ...rows] }],
    });
    const rejects = path.join(home.directory, "rejects.csv");
    await home.importIt(`--skip-wrong --rejects ${rejects}`);
    const expected = {
      receiver: { detail: "建国路12号", phone: "13900139000" },
      item: { name: "绿茶", quantity: { value: "3" } },
    };
    expect(await home.operations()).toMatchObject([{ ref: "SO-0012", draft: expected }]);
    await home.put((await readFile(rejects, "utf8")).replace("heavy", "1"), "rejects.csv");
    const { exit, stderr } = await home.courier(`orders import ${rejects} --yes`);
    expect(exit, stderr).toBe(0);
    expect(await home.operations()).toMatchObject([{}, { ref: "SO-1001", draft: expected }]);
  });

  test.each([
    ["item.weight", '0"g"', "500", "500g"],
    ["item.weight", '0.0"斤"', "2.5", "2.5斤"],
    ["item.weight", 'General"斤"', "3", "3斤"],
    ["item.value", '"USD "#,##0.00', "12", "USD 12"],
    ["item.quantity", '0"箱"', "2", "2箱"],
  ])(
    "%s that is shown in another unit (%s) is refused as the same text is",
    async (field, format, value, shown) => {
      const number: TestCell = { attributes: 's="1"', xml: `<v>${value}</v>` };
      for (const [cell, formats] of [
        [number, [format]],
        [shown, []],
      ] as const) {
        const rows = [
          [...titles, "item.value"],
          [...cells("A-1", { [field]: cell }), field === "item.value" ? cell : ""],
        ];
        const home = await createWorkbookHome({ formats, sheets: [{ name: "Orders", rows }] });
        const { exit, stderr } = await home.importIt();
        expect([exit, home.posts, stderr]).toEqual([2, 0, expect.stringContaining(shown)]);
      }
    },
  );

  test("an amount that is shown in its own unit is a number", async () => {
    const styled = (style: number, value: string): TestCell => ({
      attributes: `s="${style}"`,
      xml: `<v>${value}</v>`,
    });
    const own = { "item.weight": styled(1, "2.5"), "item.quantity": styled(2, "3") };
    const home = await createWorkbookHome({
      formats: ['0.00"kg"', '0"件"'],
      sheets: [{ name: "Orders", rows: [titles, cells("A-1", own)] }],
    });
    expect((await home.importIt()).exit).toBe(0);
    expect((await draftsOf(home))[0]?.item).toMatchObject({
      weight: { value: "2.5" },
      quantity: { value: "3" },
    });
  });

  test("a phone that is shown as 1.38E+10 is refused where its digits are lost", async () => {
    const shown = (value: string): TestCell => ({ attributes: 's="1"', xml: `<v>${value}</v>` });
    const workbook = (value: string) => ({
      formats: [11],
      sheets: [{ name: "Orders", rows: [titles, cells("A-1", { "receiver.phone": shown(value) })] }],
    });
    const lost = await createWorkbookHome(workbook("13800000000"));
    const { details } = JSON.parse((await lost.importIt()).stderr).error;
    expect(details).toMatchObject([
      { cell: "E2", value: "1.38E+10", message: expect.stringContaining("was changed by a spreadsheet") },
    ]);
    const kept = await createWorkbookHome(workbook("13800138000"));
    expect(outcomes((await kept.importIt()).report)).toBe("created");
    expect((await draftsOf(kept))[0]?.receiver?.phone).toBe("13800138000");
  });

  test("texts: rich, with a reading, with escapes, empty, beside the table", async () => {
    const inline = (xml: string): TestCell => ({ attributes: 't="inlineStr"', xml: `<is>${xml}</is>` });
    const home = await createWorkbookHome({
      sheets: [
        {
          name: "Orders",
          before: '<cols><col min="6" max="6" hidden="1"/></cols>',
          rows: [
            titles,
            [
              ...cells("'=A-1", {
                "receiver.name": inline(
                  '<r><t>李</t></r><r><rPr/><t>四</t></r><rPh sb="0" eb="1"><t>LI</t></rPh>',
                ),
                "receiver.detail": inline("<t>&#x1F600; a_x000A_b_x005F_x0041_</t>"),
                "item.name": inline("<t>\u3000茶叶 \n</t>"),
              }),
              "beside the table",
            ],
          ],
        },
      ],
    });
    const { stderr } = await home.importIt();
    const [{ ref, draft } = {}] = await home.operations();
    expect([ref, draft?.receiver?.name, draft?.receiver?.detail, draft?.item?.name]).toEqual([
      "=A-1",
      "李四",
      "😀 a\nb_x0041_",
      "茶叶",
    ]);
    expect(stderr).toContain("hidden columns are read like the others: receiver.city");
  });

  test("of a workbook that counts days from 1904", async () => {
    const home = await createWorkbookHome({
      formats: [14],
      properties: 'date1904="1"',
      sheets: [
        {
          name: "Orders",
          rows: [titles, cells("A-1", { "receiver.name": { attributes: 's="1"', xml: "<v>44591</v>" } })],
        },
      ],
    });
    await home.importIt();
    expect(await home.receivers()).toEqual(["2026-01-31"]);
  });
});
