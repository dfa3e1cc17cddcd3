/** courier orders import of a file with wrong rows: they are left out where that is said, and no order is sent twice. */

import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { describe, expect, test } from "vitest";
import { createImportHome, errorOf, header, outcomes, row, sheet } from "../support/imports.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { sheetOf } from "../support/workbooks.ts";

const wrongWeight = (text: string) => text.replace("1.50", "heavy");
const right = (text: string) => text.replaceAll("heavy", "1.50");
const lines = (text: string) => text.trimEnd().split("\n");
const asWorkbook = (text: string) => sheetOf(...lines(text).map((line) => line.split(",")));
const forms = [
  ["csv", "orders.csv", (text: string) => text],
  ["xlsx", "orders.xlsx", asWorkbook],
] as const;
const oneWrong = sheet(row("A-1"), wrongWeight(row("A-2", "王五")), row("A-3", "赵六"));

async function homeWith(content: string | Buffer, name = "orders.csv") {
  const home = await createImportHome("");
  const file = await home.put(content, name);
  // A copy would have the posts of now.
  return Object.assign(home, { file, run: (words?: string) => home.importFile(file, words) });
}

describe.each(forms)("a wrong row (%s)", (_form, name, write) => {
  test("is left out with --skip-wrong, and is in the report and in the file of rejects: exit 3", async () => {
    const home = await homeWith(write(oneWrong), name);
    const rejects = path.join(home.directory, "rejects.csv");
    const ran = await home.run(`--skip-wrong --rejects ${rejects}`);
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([3, "created wrong created"]);
    expect(ran.report[1]).toMatchObject({
      ref: "A-2",
      id: null,
      error: { code: "wrong", column: "item.weight", message: expect.stringContaining("must be a number") },
    });
    expect(ran.stderr).toContain("3 rows: 2 created, 1 wrong\n");
    expect(ran.stderr).toContain(`1 wrong row is in ${rejects}\n`);
    expect(errorOf(ran)).toMatchObject({ exit: 3, message: "of 3 rows: 1 wrong" });
    const text = (await readFile(rejects, "utf8")).replace("\uFEFF", "");
    expect(lines(text)[0]).toBe(`${header},error`);
    expect(lines(text)[1]).toContain("item.weight: must be a number, for example 2.50: “heavy”");
  });

  test("once corrected is sent once, from the file of rejects, the whole file, or both", async () => {
    const home = await homeWith(write(oneWrong), name);
    const rejects = path.join(home.directory, "rejects.csv");
    await home.run(`--skip-wrong --rejects ${rejects}`);
    await home.put(right(await readFile(rejects, "utf8")), "rejects.csv");
    const fixed = await home.importFile(rejects);
    expect([fixed.exit, outcomes(fixed.report)]).toEqual([0, "created"]);
    await home.put(write(right(oneWrong)), name);
    const whole = await home.run();
    expect([whole.exit, outcomes(whole.report)]).toEqual([0, "shipped shipped shipped"]);
    expect((await home.receivers()).sort()).toEqual(["李四", "王五", "赵六"].sort());
  });

  test("without a ref is held where the corrected file of rejects has shipped it", async () => {
    const content = sheet(row(""), wrongWeight(row("")), row("", "赵六"));
    const home = await homeWith(write(content), name);
    const rejects = path.join(home.directory, "rejects.csv");
    const first = await home.run(`--skip-wrong --rejects ${rejects}`);
    expect(outcomes(first.report)).toBe("created wrong created");
    // Its own row, corrected, equals the first one: both are orders of their own.
    await home.put(write(right(content)), name);
    const whole = await home.run();
    expect([whole.exit, outcomes(whole.report)]).toEqual([0, "shipped created shipped"]);
    await home.put(right(await readFile(rejects, "utf8")), "rejects.csv");
    const fixed = await home.importFile(rejects);
    expect([fixed.exit, outcomes(fixed.report)]).toEqual([3, "held"]);
    expect(await home.receivers()).toHaveLength(3);
  });
});

/** Opens and saves a CSV file as a spreadsheet program does: every row gets the cells of the widest one. */
async function saveInSpreadsheet(file: string, edit = (text: string) => text): Promise<void> {
  const rows: string[][] = parse(edit(await readFile(file, "utf8")), { bom: true, relax_column_count: true });
  const width = Math.max(...rows.map(({ length }) => length));
  await writeFile(file, stringify(rows.map((cells) => [...cells, ...Array(width - cells.length).fill("")])));
}

describe("a file of rejects that a spreadsheet program has saved", () => {
  const fewColumns = "ref,sender.name,sender.phone,receiver.name,receiver.phone,receiver.city";

  test.each([
    ["as it is", async (file: string) => writeFile(file, fixPhone(await readFile(file, "utf8")))],
    ["by a spreadsheet program", (file: string) => saveInSpreadsheet(file, fixPhone)],
  ])("has the message in its own column beside those of a write-back (saved %s)", async (_what, save) => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run("--in-place");
    // The shop's program appends a row without cells for the columns of the write-back.
    await home.put(`${await readFile(home.file, "utf8")}${row("A-2", "王五", "12")}\n`);
    const rejects = path.join(home.directory, "rejects.csv");
    expect(outcomes((await home.run(`--rejects ${rejects}`)).report)).toBe("shipped refused");
    await save(rejects);
    const fixed = await home.importFile(rejects);
    expect([fixed.exit, outcomes(fixed.report)], fixed.stderr).toEqual([0, "created"]);
    expect(await home.receivers()).toEqual(["李四", "王五"]);
  });
  const fixPhone = (text: string) => text.replace(",12,", ",13900139000,");

  test.each([
    ["few", "item.name,receiver.detail", "茶叶,建国路88号", "茶叶"],
    ["many", "receiver.detail,item.name", "建国路88号,茶叶", "建国路88号,5号楼3单元,茶叶"],
  ])("has no right row where one had too %s cells", async (_what, more, right, wrong) => {
    const begin = (ref: string, name: string) => `${ref},张三,13800138000,${name},13900139000,北京市`;
    const [good, bad] = [`${begin("A-1", "李四")},${right}`, `${begin("A-2", "王五")},${wrong}`];
    const home = await createImportHome([`${fewColumns},${more}`, good, bad, ""].join("\n"));
    const rejects = path.join(home.directory, "rejects.csv");
    expect(outcomes((await home.run(`--skip-wrong --rejects ${rejects}`)).report)).toBe("created wrong");
    const [, reject = ""] = lines(await readFile(rejects, "utf8"));
    expect(reject).toMatch(/^#N\/A,{8}"the row has \d cells, but the header 8; /);
    expect(reject).toContain(`“${bad}”`);
    await saveInSpreadsheet(rejects); // the person overlooks the row, or corrects others
    const again = await home.importFile(rejects);
    expect([again.exit, home.posts]).toEqual([2, 1]);
    expect(again.stderr).toContain("holds the error #N/A of a spreadsheet");
    // The row that is put back in its place is sent.
    const fixed = `${begin("A-2", "王五")},${right}`;
    await home.put([`${fewColumns},${more},error`, `${fixed},`, ""].join("\n"), "rejects.csv");
    expect(outcomes((await home.importFile(rejects)).report)).toBe("created");
  });
});

describe("a ref that is too long for an order number", () => {
  const long = "9".repeat(201);
  const message = "is too long for an order number (201 characters)";

  test("is a mistake of its row alone, in a sheet and in JSON", async () => {
    const home = await createImportHome(sheet(row("A-1"), row(long), row(long.slice(1))));
    const ran = await home.run("--skip-wrong");
    expect(outcomes(ran.report), ran.stderr).toBe("created wrong created");
    expect(ran.report[1]?.error).toMatchObject({ code: "wrong", column: "ref", message });
    const order = { receiver: { name: "李四" }, sender: { name: "张三" }, item: { name: "茶叶" } };
    const json = await home.put(JSON.stringify([{ ...order, ref: long }]), "orders.json");
    expect(errorOf(await home.importFile(json))).toMatchObject({ details: [{ column: "ref", message }] });
  });

  test("is refused by orders create, too", async () => {
    const home = await createImportHome("");
    const words = ["--sender-name", "张三", "--receiver-name", "李四", "--item-name", "茶叶", "--json"];
    const ran = await home.courier(["orders", "create", ...words, "--ref", long]);
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(errorOf(ran).message).toContain(message);
  });
});

describe("at a terminal", () => {
  test("the other rows are offered", async () => {
    const home = await createImportHome(oneWrong);
    const prompts = scriptedPrompts({ confirms: [true, true] });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect([ran.exit, home.posts]).toEqual([3, 2]);
    expect(prompts.asked[0]).toBe("1 of 3 rows is wrong. Import the 2 others?");
    expect(ran.stderr).not.toContain("orders in");
    expect(ran.stderr).toContain("2 rows, account: (environment)");
    expect(ran.stderr).toContain("must be a number");
  });

  test("no sends nothing, as do --yes and scripts", async () => {
    const home = await createImportHome(oneWrong);
    const prompts = scriptedPrompts({ confirms: [false] });
    const rejects = path.join(home.directory, "rejects.csv");
    const words = ["orders", "import", home.file, "--rejects", rejects];
    const no = await home.courier(words, { terminal: 120, prompts });
    expect([no.exit, home.posts]).toEqual([2, 0]);
    const yes = await home.courier([...words, "--yes"], { terminal: 120, prompts: scriptedPrompts({}) });
    expect([yes.exit, home.posts]).toEqual([2, 0]);
    expect(yes.stderr).toContain(`${home.file}: 1 of 3 rows is wrong\n`);
    expect(yes.stderr).toContain("or add --skip-wrong to import the others");
    expect((await home.run()).exit).toBe(2);
    await expect(stat(rejects)).rejects.toThrow("ENOENT");
  });

  test("nothing is offered where every row is wrong", async () => {
    const home = await createImportHome(sheet(wrongWeight(row("A-1"))));
    const ran = await home.courier(["orders", "import", home.file, "--skip-wrong"], {
      terminal: 120,
      prompts: scriptedPrompts({}),
    });
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(ran.stderr).not.toContain("--skip-wrong to");
  });
});

describe("an order is not sent without its wrong part", () => {
  test("two rows with one ref are both left out", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2"), row("A-1", "王五")));
    expect(errorOf(await home.run())).toMatchObject({
      message: `${home.file}: 1 of 3 rows is wrong`,
      hint: expect.stringContaining(
        "add --skip-wrong to import the other; row 1 is left out too: row 3 has the same ref",
      ),
    });
    const checked = await home.courier(["orders", "import", home.file, "--check"]);
    expect(checked.stdout).toMatch(/^1 of 3 rows is wrong, and 1 left out with it; /);
    const written = path.join(home.directory, "written.csv");
    const ran = await home.run(`--skip-wrong --write-back ${written}`);
    expect([ran.exit, outcomes(ran.report)]).toEqual([3, "wrong created wrong"]);
    const lines = (await readFile(written, "utf8")).split("\n");
    expect([lines[1], lines[3]]).toEqual([
      expect.stringMatching(/,row 3 has the same ref$/),
      expect.stringMatching(/,ref: same ref as row 1$/),
    ]);
    expect(ran.report.map(({ error }) => error?.message)).toEqual(
      ["row 3 has the same ref", null, "same ref as row 1"].map((each) => each ?? undefined),
    );
  });

  test.each([
    ["a row with a cell too many below it", ",,,,,,,茶杯,1,1,1"],
    ["a line of goods that has a sender", ",张三,,,,,,茶杯,1,1"],
  ])("%s", async (_what, line) => {
    const home = await createImportHome(sheet(row("A-1"), line, row("A-2")));
    const ran = await home.run("--skip-wrong");
    expect([ran.exit, outcomes(ran.report)]).toEqual([3, "wrong wrong created"]);
    expect(ran.report[0]?.error?.message).toBe("row 2 is wrong, and may be a line of this order");
  });

  test.each([
    ["an order without a ref", sheet(row("A-1"), row("", "王五"), ",,,,,,,合计,,6")],
    [
      "an order that is not sent",
      [
        "Name,Financial Status,Fulfillment Status,Lineitem quantity,Lineitem name,Shipping Name,Shipping Address1,Shipping City,sender.name",
        ...["#1,paid,,1,Cup,Ann,Via 1,Rome,A", "#2,paid,,1,Cup,Cy,Via 1,Rome,A"],
        ...["#3,paid,fulfilled,1,Cup,Bob,Via 1,Rome,A", ",,,3,Total,,,,", ""],
      ].join("\n"),
    ],
  ])("a total below %s spoils none further up", async (_what, text) => {
    const home = await createImportHome(text);
    const ran = await home.run("--skip-wrong");
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([3, "created created wrong"]);
  });

  test("a wrong row that names another order, or another receiver, spoils none", async () => {
    const home = await createImportHome(
      sheet(row("A-1"), `${row("A-2")},surplus`, row("A-3"), wrongWeight(row("", "王五")), row("A-4")),
    );
    const ran = await home.run("--skip-wrong");
    expect(outcomes(ran.report)).toBe("created wrong created wrong created");
  });
});

describe("--check", () => {
  const odd = sheet(
    row("A-1"),
    wrongWeight(row("A-2")),
    row("A-3", ""),
    row("A-4").replace("北京市,建国路88号", ","),
    row("A-5").replace(/,1$/, ",0"),
  );

  test.each(forms)(
    "counts what is new, shipped, changed and wrong, and warns (%s)",
    async (_form, name, write) => {
      const home = await homeWith(write(sheet(row("A-1"))), name);
      await home.run();
      await home.put(write(odd), name);
      const { exit, stdout } = await home.courier(["orders", "import", home.file, "--check", "--json"]);
      expect(exit).toBe(2);
      const [first, third, fourth, fifth] = name === "orders.csv" ? [1, 3, 4, 5] : [2, 4, 5, 6];
      expect(JSON.parse(stdout)).toMatchObject({
        rows: 5,
        to_send: 3,
        shipped: 1,
        changed: 0,
        wrong: 1,
        compared: true,
        warnings: [
          { code: "no_receiver_name", count: 1, rows: [`row ${third} (A-3)`] },
          { code: "no_address", count: 1, rows: [`row ${fourth} (A-4)`] },
          { code: "quantity_0", count: 1, rows: [`row ${fifth} (A-5)`] },
        ],
        first_order: {
          row: first,
          ref: "A-1",
          receiver: { city: "北京市", detail: "建国路88号" },
          item: { quantity: 1 },
        },
      });
      const shown = await home.courier(["orders", "import", home.file, "--check"]);
      expect(shown.stdout).toMatch(/^1 of 5 rows is wrong; nothing was sent/);
      expect(shown.stdout).toMatch(/^First order, row . \(A-1\):$/m);
      expect(shown.stdout).toMatch(/^ +receiver city +北京市$/m);
      expect(shown.stdout).toMatch(/^To send +3$/m);
      expect(shown.stdout).toMatch(/^Wrong +1$/m);
      expect(shown.stdout).toMatch(/^Warning +1 row with 0 pieces: row . \(A-5\)$/m);
    },
  );

  test("names a service level that is not known, and only a few of many rows", async () => {
    const rows = Array.from({ length: 5 }, (_, index) => `${row(`A-${index}`)},slow`);
    const home = await createImportHome(`${header},service_type\n${rows.join("\n")}\n`);
    const { exit, stdout } = await home.courier(["orders", "import", home.file, "--check"]);
    expect(exit).toBe(0);
    expect(stdout).toContain(
      "5 rows with a service level that is not known: row 1 (A-0), row 2 (A-1), row 3 (A-2) and 2 more",
    );
  });

  test("without an account says that it is not known what is new", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const env = { COURIER_BASE_URL: "", COURIER_API_KEY: "" };
    const { stdout } = await home.courier(["orders", "import", home.file, "--check"], { env });
    expect(stdout).toMatch(/^To send +not known$/m);
    const data = await home.courier(["orders", "import", home.file, "--check", "--json"], { env });
    expect(JSON.parse(data.stdout)).toMatchObject({ compared: false, account: null });
  });
});

test.each([
  ["the header again", ["ref", "receiver.name", "receiver.phone", "item.name"], "is the title of a column"],
  [
    "a header in another language",
    ["订单号", "收件人姓名", "收件人手机", "物品名称"],
    "is the title of a column",
  ],
  ["a line of hints", ["选填", "必填", "（必填）", "必填"], "says which columns are to be filled"],
  ["a line of hints with stars", ["选填", "*必填", "*必填", "＊必填"], "says which columns are to be filled"],
])("%s among the rows is wrong, and is not sent", async (_what, titles, message) => {
  const header = "ref,receiver.name,receiver.phone,item.name,sender.name";
  const home = await createImportHome(
    `${header}\nA-1,李四,13900139000,书,张三\n${titles.join(",")},\nA-2,王五,13900139001,书,张三\n`,
  );
  const ran = await home.run();
  expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
  expect(errorOf(ran)).toMatchObject({
    details: [{ row: 2, line: 3, column: "receiver.name", message: expect.stringContaining(message) }],
  });
  const skipped = await home.run("--skip-wrong");
  expect([skipped.exit, outcomes(skipped.report)]).toEqual([3, "created wrong created"]);
});
