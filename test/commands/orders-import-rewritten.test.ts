/** courier orders import of a sheet that a program wrote again: with other refs, or with the numbers of its orders. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createImportHome, type ImportHome, outcomes, row, sheet } from "../support/imports.ts";
import { sheetOf } from "../support/workbooks.ts";

const dayMs = 86_400_000;

describe("a ref that a program rewrote", () => {
  test("does not make its order a new one: the row is held, at any time, and names both refs", async () => {
    const home = await createImportHome(sheet(row("000001"), row("3/4", "王五"), row("1.10", "赵六")));
    expect((await home.run()).exit).toBe(0);
    home.clock.advance(30 * dayMs);
    const rewritten = sheet(row("1"), row("46085", "王五"), row("1.1", "赵六"));
    const file = await home.put(rewritten, "saved.csv");
    const { exit, report, stderr } = await home.importFile(file);
    expect([exit, outcomes(report), home.posts]).toEqual([3, "held held held", 3]);
    expect(report.map(({ error }) => error?.message)).toEqual([
      "equals order 1000001, which was sent with the ref 000001: did a program rewrite the ref?",
      "equals order 1000002, which was sent with the ref 3/4: did a program rewrite the ref?",
      "equals order 1000003, which was sent with the ref 1.10: did a program rewrite the ref?",
    ]);
    expect(report[0]?.error?.code).toBe("duplicate");
    expect(stderr).toContain("3 rows are held and not sent: row 1 (1): equals order 1000001");
  });

  test("is known in the forms that spreadsheets and scripts make, and other refs are sent", async () => {
    const refs = [
      ["1234567890123456789", "1234567890123456768"],
      ["12345678901234567", "12345678901234568"],
      ["4-Mar-2026", "4-Mar-26"],
      ["50%", "0.5"],
      ["A-001", "A\u2013001"],
      ["12,5", "12.5"],
      ["(5)", "-5"],
      ["B-1", "B-2"],
    ] as const;
    const sheetOf = (form: 0 | 1) =>
      sheet(...refs.map((each, index) => row(`"${each[form]}"`, `李${"甲乙丙丁戊己庚辛"[index]}`)));
    const home = await createImportHome(sheetOf(0));
    const first = await home.run();
    expect(first.exit, first.stderr).toBe(0);
    const { exit, report, stderr } = await home.importFile(await home.put(sheetOf(1), "saved.csv"));
    expect([exit, outcomes(report), home.posts], stderr).toEqual([3, `${"held ".repeat(7)}created`, 9]);
  });

  test.each([
    ["12345678901234567", "12345678901234500"],
    ["10000000000000012", "10000000000000000"],
    ["1000000000000000123", "1000000000000000000"],
    ["99999999999999987", "99999999999999900"],
    ["1234567890123456789", "1234567890123456800"],
    ["0000000000012345", "12345"],
  ])("with another number of pieces: %s, rewritten as %s", async (ref, rewritten) => {
    const sheetWith = (name: string, pieces: number) => sheet(row(name).replace(/,[^,]*$/, `,${pieces}`));
    const home = await createImportHome(sheetWith(ref, 1));
    expect(outcomes((await home.run()).report)).toBe("created");
    const again = await home.importFile(await home.put(sheetWith(rewritten, 2), "saved.csv"));
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["held", 1]);
  });

  test("in a workbook, where the refs became numbers", async () => {
    const text = sheet(row("000001"), row("000002", "王五"));
    const home = await createImportHome(text);
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    const cells = text
      .trim()
      .split("\n")
      .map((line, index) =>
        line.split(",").map((cell, column) => (index > 0 && column === 0 ? Number(cell) : cell)),
      );
    const file = await home.put(sheetOf(...cells), "saved.xlsx");
    const { exit, report, stderr } = await home.importFile(file);
    expect([exit, outcomes(report), home.posts], stderr).toEqual([3, "held held", 2]);
  });

  test("is sent with --allow-duplicate, once, and shipped with --skip-shipped", async () => {
    const home = await createImportHome(sheet(row("001"), row("002", "王五")));
    expect((await home.run()).exit).toBe(0);
    const file = await home.put(sheet(row("1"), row("2", "王五")), "saved.csv");
    const first = await home.importFile(file, "--allow-duplicate 1 --skip-shipped");
    expect([first.exit, outcomes(first.report), home.posts]).toEqual([0, "created shipped", 3]);
    const again = await home.importFile(file, "--allow-duplicate 1");
    expect([outcomes(again.report), home.posts]).toEqual(["shipped held", 3]);
  });

  test("names another order where the file has both refs, the content differs, or it is of another shop", async () => {
    const home = await createImportHome(sheet(row("1"), row("01")));
    const first = await home.run();
    expect([first.exit, outcomes(first.report)]).toEqual([0, "created created"]);
    const both = await home.put(sheet(row("1"), row("01"), row("#01", "王五")), "both.csv");
    const second = await home.importFile(both);
    expect([second.exit, outcomes(second.report)]).toEqual([0, "shipped shipped created"]);
    const shop = await home.put(sheet(row("001")), "shop.csv");
    const third = await home.importFile(shop, "--shop two");
    expect([third.exit, outcomes(third.report)]).toEqual([0, "created"]);
  });

  test.each([
    ["cancelled", "orders cancel 1000001 --yes"],
    ["undone", "undo 1 --yes"],
  ])("is not sent again unasked after the first one was %s", async (_, takeBack) => {
    const home = await createImportHome(sheet(row("01")));
    await home.run();
    expect((await home.courier(takeBack)).exit).toBe(0);
    const file = await home.put(sheet(row("1")), "saved.csv");
    const { exit, report } = await home.importFile(file);
    expect([exit, outcomes(report), home.posts]).toEqual([0, "cancelled", 1]);
    const again = await home.importFile(file, "--allow-duplicate 1");
    expect([again.exit, outcomes(again.report), home.posts]).toEqual([0, "created", 2]);
    expect(outcomes((await home.importFile(file)).report)).toBe("shipped");
    // Sent again under the other ref, it holds the row with the former one.
    expect(outcomes((await home.run()).report)).toBe("held");
  });

  test("holds a row that was edited besides, where other rows show that a program rewrote the refs", async () => {
    const refs = ["000123", "000124", "000125", "000126"];
    const names = ["李四", "王五", "赵六", "孙七"];
    const home = await createImportHome(sheet(...refs.map((ref, index) => row(ref, names[index]))));
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    const saved = sheet(
      row("123", "李四"),
      row("124", "王五").replace("茶叶", "茶杯"),
      row("125", "赵六"),
      row("126", "周八", "13700137008").replace(/建国路\d+号/, "人民路7号"),
      row("127", "王五"),
    );
    const file = await home.put(saved, "saved.csv");
    const checked = await home.courier(["orders", "import", file, "--check", "--json"]);
    expect(JSON.parse(checked.stdout)).toMatchObject({ to_send: 2, held: 3 });
    const ran = await home.importFile(file);
    // A ref that was used again for another customer, and a further order of one.
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([3, "held held held created created"]);
    expect(ran.report[1]?.error?.message).toBe(
      "may be the edited row of operation 1.2, which is order 1000002, sent with the ref 000124",
    );
    const named = await home.importFile(file, "--allow-duplicate 124");
    expect(outcomes(named.report)).toBe("held created held shipped shipped");
  });

  test.each(["+86 139-0013-9001", "139 0013 9001"])(
    "holds such a row also where its phone is written as %s",
    async (phone) => {
      const other = row("SO-1001", "王一").replace("建国路88号", "东路1号");
      const home = await createImportHome(sheet(other, row("SO-1002", "王二", "13900139001")));
      expect((await home.run()).exit).toBe(0);
      const edited = row("1002", "王二", phone).replace("建国路88号", "南路9号");
      const file = await home.put(sheet(other.replace("SO-1001", "1001"), edited), "saved.csv");
      const ran = await home.importFile(file);
      expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([3, "held held", 2]);
    },
  );

  test.each([
    ["000018", "18"],
    ["18", "000018"],
    ["11-2", "2-Nov"],
    ["11-2", "11月2日"],
    ["2-Nov", "11-2"],
    ["1.10", "1.1"],
    ["1234567890123456789", "1234567890123450000"],
    ["2026112800001000000", "2026112800001000024"],
    ["2026112800000010", "2026112800000013"],
    ["2026/11/3", "26-11-3"],
    ["26-11-3", "2026-11-03"],
    ["2026/5/7", "5-7-2026"],
    ["12-Nov", "NOV-12"],
    ["1-Dec", "DEC1"],
    ["Jan-32", "32-1"],
    ["2026年2月", "2026-2"],
    ["-12", "(12)"],
    ["#1001", "1001"],
  ])("holds %s, alone in its file, after its row was corrected and sent with %s", async (ref, sent) => {
    // The rejects of a sheet are corrected in a spreadsheet program and imported; then the sheet is corrected, too.
    const ofDay = (first: string) => sheet(first, row("A-7", "王五"), row("A-8", "赵六"));
    const home = await createImportHome(ofDay(row(ref, "李四", "12")));
    expect(outcomes((await home.run("--concurrency 1")).report)).toBe("refused created created");
    const rejects = await home.put(sheet(row(sent).replace(/1$/, "2")), "rejects.csv");
    expect(outcomes((await home.importFile(rejects)).report)).toBe("created");
    home.clock.advance(2 * dayMs);
    const corrected = row(ref).replace("88号", "88号楼3单元").replace(/1$/, "3");
    await home.put(ofDay(corrected));
    const { exit, report } = await home.run();
    expect([exit, outcomes(report), home.posts]).toEqual([3, "held shipped shipped", 4]);
    expect(report[0]?.error?.message).toBe(
      `may be the edited row of operation 2.1, which is order 1000003, sent with the ref ${sent}`,
    );
    const another = await home.put(
      sheet(row(ref, "周八", "13700137008").replace("建国", "人民")),
      "another.csv",
    );
    expect(outcomes((await home.importFile(another)).report)).toBe("created");
  });

  test.each(["1001-B", "1001补发", "补1001", "10-01"])("counts %s as another parcel of 1001", async (ref) => {
    const home = await createImportHome(sheet(row("1001")));
    expect((await home.run()).exit).toBe(0);
    const { exit, report } = await home.importFile(
      await home.put(sheet(row(ref).replace("茶叶", "茶杯")), "again.csv"),
    );
    expect([exit, outcomes(report)]).toEqual([0, "created"]);
  });

  test("holds it also where the orders of the file are of several days", async () => {
    const refs = ["TB20260001", "TB20260002", "TB20260003"];
    const names = ["李四", "王五", "赵六"];
    const all = refs.map((ref, index) => row(ref, names[index]));
    const home = await createImportHome(sheet(...all.slice(0, 2)));
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    home.clock.advance(dayMs);
    await home.put(sheet(...all));
    expect(outcomes((await home.run()).report)).toBe("shipped shipped created");
    const saved = all
      .map((each) => each.replace("TB", ""))
      .map((each, index) => (index === 2 ? each.replace(/1$/, "2") : each));
    const { exit, report } = await home.importFile(
      await home.put(sheet(...saved), "saved.csv"),
      "--skip-shipped",
    );
    expect([exit, outcomes(report), home.posts]).toEqual([3, "shipped shipped held", 3]);
  });

  test("is held by the order that replaced its own, which was cancelled", async () => {
    const home = await createImportHome(sheet(row("18")));
    expect((await home.run()).exit).toBe(0);
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const file = await home.put(sheet(row("000018").replace(/1$/, "2")), "shop.csv");
    expect(outcomes((await home.importFile(file)).report)).toBe("created");
    await home.put(sheet(row("18").replace(/1$/, "3")));
    const { exit, report } = await home.run();
    expect([exit, outcomes(report), home.posts]).toEqual([3, "held", 2]);
    expect(report[0]?.error?.message).toContain("order 1000002, sent with the ref 000018");
  });

  test("is held where a workbook shows text beside a number, and the text was saved", async () => {
    const home = await createImportHome(sheet(row("1001"), row("1002", "王五")));
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    const file = await home.put(sheet(row("SO-1001"), row("1002号", "王五")), "saved.csv");
    const { exit, report } = await home.importFile(file);
    expect([exit, outcomes(report), home.posts]).toEqual([3, "held held", 2]);
  });
});

describe("a file whose rows all equal earlier orders with other refs", () => {
  const names = ["李四", "王五", "赵六"];
  const numbered = (prefix: string, rows = names) =>
    sheet(...rows.map((name, index) => row(`${prefix}${index}`, name)));

  test("is warned about by --check, and before the question", async () => {
    const home = await createImportHome(numbered("A-"));
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    const file = await home.put(numbered("B-"), "again.csv");
    const warning =
      "all 3 rows equal orders that this machine sent with other refs (row 1 (B-0): A-0; row 2 (B-1): A-1; row 3 (B-2): A-2): is it a file that was sent before?";
    const check = await home.courier(["orders", "import", file, "--check"]);
    expect(check.stdout.replace(/\s+/g, " ")).toContain(warning);
    const json = await home.courier(["orders", "import", file, "--check", "--json"]);
    expect(JSON.parse(json.stdout).warnings).toEqual([
      { code: "other_refs", count: 3, rows: ["row 1 (B-0)", "row 2 (B-1)", "row 3 (B-2)"] },
    ]);
    const { exit, stderr, report } = await home.importFile(file);
    expect(stderr).toContain(warning);
    expect([exit, outcomes(report)]).toEqual([0, "created created created"]);
  });

  test("but not where one row is new, or there are two", async () => {
    const home = await createImportHome(numbered("A-"));
    await home.run();
    for (const rows of [[...names, "钱七"], names.slice(1)]) {
      const file = await home.put(numbered("B-", rows), `again ${rows.length}.csv`);
      const check = await home.courier(["orders", "import", file, "--check"]);
      expect(check.stdout).toMatch(/^To send +\d$/m);
      expect(check.stdout).not.toContain("other refs");
    }
  });
});

describe("a sheet that has the numbers of its orders", () => {
  const another = (home: ImportHome) => ({
    env: { COURIER_STATE_DIR: `${home.directory}/another machine` },
  });
  const titles: Record<string, string> = {
    "Courier tracking number": "快递运单号",
    "Courier order number": "快递订单编号",
  };

  test.each(["English", "Chinese"])(
    "is not sent again from another machine, with %s titles",
    async (words) => {
      const home = await createImportHome(sheet(row("A-1"), row("", "王五"), row("A-3", "赵六", "12")));
      const done = path.join(home.directory, "done.csv");
      expect((await home.run(`--write-back ${done}`)).exit).toBe(3);
      let text = await readFile(done, "utf8");
      if (words === "Chinese")
        for (const [one, other] of Object.entries(titles)) text = text.replace(one, other);
      await writeFile(done, text.replace(",12,", ",13900139000,"));
      home.clock.advance(30 * dayMs);
      const { exit, report, stderr } = await home.importFile(done, "", another(home));
      expect([exit, outcomes(report), home.posts], stderr).toEqual([3, "held held created", 4]);
      expect(report[0]?.error).toMatchObject({
        code: "duplicate",
        message: expect.stringMatching(
          /^the sheet says that it is shipped as CR\d+; this machine knows no order of this row$/,
        ),
      });
      expect(stderr).toContain("2 rows are held and not sent: row 1 (A-1): the sheet says that");
      const check = await home.courier(["orders", "import", done, "--check", "--json"], another(home));
      expect(JSON.parse(check.stdout)).toMatchObject({ held: 2, to_send: 0 });
      const allowed = await home.importFile(done, "--allow-duplicate A-1", another(home));
      expect([outcomes(allowed.report), home.posts]).toEqual(["created held shipped", 5]);
      const again = await home.importFile(done, "--allow-duplicate A-1", another(home));
      expect([outcomes(again.report), home.posts]).toEqual(["shipped held shipped", 5]);
    },
  );

  test("keeps the numbers when another machine writes it back", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五")));
    expect((await home.run("--in-place")).exit).toBe(0);
    const before = await readFile(home.file, "utf8");
    home.clock.advance(30 * dayMs);
    const ran = await home.importFile(home.file, "--in-place", another(home));
    expect([ran.exit, outcomes(ran.report)]).toEqual([3, "held held"]);
    expect(await readFile(home.file, "utf8")).toBe(before);
  });

  test("is held also with --skip-shipped where the service calls that order cancelled", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    expect((await home.run("--in-place")).exit).toBe(0);
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const ran = await home.importFile(home.file, "--skip-shipped", another(home));
    expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([3, "held shipped", 2]);
    expect(ran.report[0]?.error?.message).toMatch(
      /^the sheet says that it is shipped as CR\d+, which the list calls cancelled: empty these cells if this is a new order$/,
    );
    const inPlace = await home.importFile(home.file, "--in-place", another(home));
    expect(inPlace.exit, inPlace.stderr).toBe(3);
    const [, first = ""] = (await readFile(home.file, "utf8")).split("\n");
    expect(first).toMatch(/,CR\d+,CO\d+,cancelled,[^,]+,"?the sheet says that it is shipped as CR\d+, which/);
  });

  test.each(["A-1", ""])(
    "that another machine made after this one's was undone keeps its number (ref %o)",
    async (ref) => {
      const home = await createImportHome(sheet(row(ref), row(ref && "A-2", "王五", "13700137001")));
      expect((await home.run()).exit).toBe(0);
      expect((await home.courier("undo 1 --yes")).exit).toBe(0);
      expect((await home.importFile(home.file, "--in-place", another(home))).exit).toBe(0);
      const before = await readFile(home.file, "utf8");
      for (const [words, exit, all] of [
        ["", 3, "held held"],
        ["--skip-shipped", 0, "shipped shipped"],
      ] as const) {
        const ran = await home.run(`--in-place ${words}`);
        expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([exit, all, 4]);
        const text = await readFile(home.file, "utf8");
        expect(text.replace(/,"[^"]*"$/gm, ",")).toBe(before);
      }
      const written = await home.courier(["orders", "write-back", home.file, "--in-place", "--refresh"]);
      expect(written.exit, written.stderr).toBe(0);
      expect(await readFile(home.file, "utf8")).toBe(before);
      const again = await home.run("--allow-duplicate row:1");
      expect([outcomes(again.report), home.posts]).toEqual(["created held", 5]);
    },
  );

  test("is shipped with --skip-shipped, and all rows are counted", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("", "王五")));
    expect((await home.run("--in-place")).exit).toBe(0);
    const before = await readFile(home.file, "utf8");
    await home.put(`${before}${row("A-3", "赵六")},,,,,\n`);
    home.clock.advance(30 * dayMs);
    const check = await home.courier(
      ["orders", "import", home.file, "--check", "--skip-shipped", "--json"],
      another(home),
    );
    expect(JSON.parse(check.stdout)).toMatchObject({ rows: 3, shipped: 2, held: 0, to_send: 1 });
    const ran = await home.importFile(home.file, "--skip-shipped --in-place", another(home));
    expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([
      0,
      "shipped shipped created",
      3,
    ]);
    expect(ran.stderr).toContain("from earlier runs: 2 already shipped; 1 to send\n");
    expect(ran.stderr).toContain("3 rows: 1 created, 2 already shipped\n");
    expect((await readFile(home.file, "utf8")).startsWith(before)).toBe(true);
  });

  test("is known on the machine that sent it, and an edited row without a ref is held", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("", "王五")));
    expect((await home.run("--in-place")).exit).toBe(0);
    const again = await home.run();
    expect([again.exit, outcomes(again.report)]).toEqual([0, "shipped shipped"]);
    await home.put((await readFile(home.file, "utf8")).replace("王五", "王五五"));
    const edited = await home.run();
    expect([edited.exit, outcomes(edited.report), home.posts]).toEqual([3, "shipped held", 2]);
  });
});

describe("an order that the shop's file gave another of its numbers before", () => {
  async function createShop(): Promise<ImportHome> {
    const home = await createImportHome("");
    const words = ["--name", "张三", "--phone", "13800138000", "--city", "深圳市", "--default"];
    expect((await home.courier(["addresses", "add", "shop", ...words])).exit).toBe(0);
    return home;
  }

  const ebay =
    "Sales Record Number,Order Number,Ship To Name,Ship To Address 1,Ship To City,Item Number,Item Title,Quantity";
  const sold = (record: string, number: string, name: string) =>
    `${record},${number},${name},1 Main St,Springfield,9,Tea,1`;

  test("is held in an eBay report whose Order Number is filled now, and a like order is sent", async () => {
    const home = await createShop();
    await home.put([ebay, sold("101", "", "Ann"), ""].join("\n"));
    expect(outcomes((await home.run()).report)).toBe("created");
    const rows = [sold("101", "12-1", "Ann"), sold("102", "12-2", "Bob"), sold("103", "12-3", "Ann")];
    await home.put([ebay, ...rows, ""].join("\n"));
    const again = await home.run();
    expect([again.exit, outcomes(again.report)], again.stderr).toEqual([3, "held created created"]);
    expect(again.report[0]?.error?.message).toContain("101");
    expect(outcomes((await home.run("--skip-shipped")).report)).toBe("shipped shipped shipped");
    expect(outcomes((await home.run("--allow-duplicate 12-1")).report)).toBe("created shipped shipped");
  });

  test("is held in a WooCommerce export that has order_number now; of another row, the number tells nothing", async () => {
    const head =
      "status,billing_first_name,shipping_first_name,shipping_address_1,shipping_city,item_name,item_quantity";
    const order = (name: string) => `processing,${name},${name},1 Main St,Springfield,Tea,1`;
    const home = await createShop();
    await home.put(`order_id,${head}\n501,${order("Ann")}\n502,${order("Bob")}\n`);
    expect(outcomes((await home.run()).report)).toBe("created created");
    const rows = [`501,W-1,${order("Ann")}`, `502,W-2,${order("Bob")}`, `503,W-3,${order("Cy")}`];
    await home.put([`order_id,order_number,${head}`, ...rows, ""].join("\n"));
    expect(outcomes((await home.run()).report)).toBe("held held created");
    await home.put(`order_id,order_number,${head}\n503,503,${order("Di")}\n`);
    expect(outcomes((await home.run()).report)).toBe("created");
    await home.put(`order_id,order_number,${head}\n503,900,${order("Di")}\n700,503,${order("Di")}\n`);
    expect(outcomes((await home.run()).report)).toBe("created shipped");
  });
});
