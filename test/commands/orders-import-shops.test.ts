/** courier orders import of a shop's own export: lines of an order, hidden receivers, orders that are not to be sent. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { applicationId, migrations } from "../../src/ledger/schema.ts";
import type { Json } from "../../src/model/json.ts";
import { contentsOf } from "../../src/model/same-order.ts";
import { openDatabase } from "../../src/sqlite/database.ts";
import { createImportHome, errorOf, header, type ImportHome, outcomes } from "../support/imports.ts";
import { sheetOf as sheetOfRows, writeWorkbook } from "../support/workbooks.ts";

const sender = ",张三,13800138000";
const generic =
  "订单号,收件人姓名,收件人电话,收件人城市,收件人地址,物品名称,数量,重量,sender.name,sender.phone";
const sheetOf = (...rows: readonly string[]) => [...rows, ""].join("\n");

/** A Shopify file whose sender is a column of its own. */
const shopify = (...rows: readonly string[]) =>
  sheetOf(
    "Name,Financial Status,Fulfillment Status,Lineitem name,Lineitem quantity,Shipping Name,Shipping Phone,Shipping City,Shipping Address1,Billing Name,sender.name,sender.phone",
    ...rows,
  );
const order = (name: string, item = "Tea", status = "") =>
  `${name},paid,${status},${item},1,Ann,13900139000,Leeds,1 High St,Payer${sender}`;

const withoutFirstRow =
  "the row continues an order, and the first row of that order is not directly above it";

async function drafts(home: ImportHome): Promise<unknown[]> {
  return (await home.operations()).map(({ draft }) =>
    JSON.parse(JSON.stringify(draft), (_, value) => value?.value ?? value),
  );
}

function problemsOf(ran: { readonly stderr: string }) {
  const { details } = errorOf(ran) as unknown as {
    details: { row: number; column: string; message: string }[];
  };
  return details.map(({ row, column, message }) => `${row} ${column}: ${message}`);
}

describe("the platform", () => {
  test("is said once, with the counts; --check lists the columns that are not used", async () => {
    const home = await createImportHome(
      shopify(order("#1"), "#1,,,Cup,2,,,,,,,", order("#2", "Pot", "fulfilled")),
    );
    const sent = await home.courier(["orders", "import", home.file, "--yes"]);
    expect(sent.stderr).toContain("is a Shopify export: 2 orders in 3 rows\n");
    expect(sent.stderr).toContain(
      "not sent: 1 fulfilled already (row 3); --include-fulfilled sends the fulfilled ones\n",
    );
    expect(sent.stderr).toContain("1 column is not used; --check lists it\n");
    expect(sent.stderr).not.toContain("Billing Name");
    expect(sent.stdout).toMatch(/^ *1-2 +#1 +created/m);
    const checked = await home.courier(["orders", "import", home.file, "--check"]);
    expect(checked.stdout).toMatch(/^Read as +a Shopify export$/m);
    expect(checked.stdout).toMatch(/^Orders +1 in 3 rows$/m);
    expect(checked.stdout).toMatch(/^Columns not used +Billing Name$/m);
  });

  test("is switched off with --platform none; an unknown one gets a suggestion", async () => {
    const home = await createImportHome(shopify(order("#1")));
    const off = await home.courier([
      "orders",
      "import",
      home.file,
      "--check",
      "--json",
      "--platform",
      "none",
    ]);
    expect(off.exit).toBe(2);
    expect(errorOf(off).message).toContain("columns are not clear: ");
    const typo = await home.courier([
      "orders",
      "import",
      home.file,
      "--check",
      "--json",
      "--platform",
      "shopfy",
    ]);
    expect(errorOf(typo)).toMatchObject({ exit: 2, hint: "did you mean shopify?" });
    const wrong = await home.courier([
      "orders",
      "import",
      home.file,
      "--check",
      "--json",
      "--platform",
      "douyin",
    ]);
    expect(errorOf(wrong).message).toContain("has none of the columns of a Douyin export");
  });

  test("gives way to --map, column by column", async () => {
    const home = await createImportHome(shopify(order("#1")));
    const { exit, stderr } = await home.courier([
      ...["orders", "import", home.file, "--yes"],
      ...["--map", "Billing Name=receiver.name", "--map", "Shipping Phone="],
    ]);
    expect(exit, stderr).toBe(0);
    expect(await drafts(home)).toMatchObject([
      { receiver: { name: "Payer", city: "Leeds", detail: "1 High St" } },
    ]);
    expect((await drafts(home))[0]).not.toHaveProperty("receiver.phone");
  });

  test("of a workbook with merged cells is one order", async () => {
    const refs = ["A2:A3", "B2:B3", "C2:C3", "D2:D3"].map((each) => `<mergeCell ref="${each}"/>`);
    const merged = `<mergeCells>${refs.join("")}</mergeCells>`;
    const rows = [
      ["订单编号", "收货人姓名", "联系手机", "收货地址", "货品标题", "卖家会员名", "数量", "sender.name"],
      ["300", "李四", "13900139000", "广东省 深圳市 南山区 科技园1号楼", "绿茶", "demo", "2", "张三"],
      ["", "", "", "", "茶杯", "demo", "1", "张三"],
    ];
    const home = await createImportHome(writeWorkbook({ sheets: [{ name: "Orders", rows, after: merged }] }));
    const { exit, stderr, report } = await home.run();
    expect(exit, stderr).toBe(0);
    expect(report).toMatchObject([{ ref: "300", row: 2, rows: [2, 3] }]);
    expect(await drafts(home)).toMatchObject([{ item: { name: "绿茶; 茶杯", quantity: "3" } }]);
  });
});

const ownHeader = [
  "ref",
  "sender.name",
  "receiver.name",
  "receiver.phone",
  "receiver.city",
  "receiver.detail",
  "item.name",
  "item.quantity",
];

test("an order of merged cells that was refused is one order in the file of rejects, too", async () => {
  const columns = ["A", "B", "C", "D", "E", "F"];
  const refs = columns.map((column) => `<mergeCell ref="${column}2:${column}3"/>`);
  const after = `<mergeCells>${refs.join("")}</mergeCells>`;
  const rows = [
    ownHeader,
    ["A-1", "张三", "李四", "12", "北京市", "建国路88号", "绿茶", "2"],
    ["", "", "", "", "", "", "茶杯", "1"],
  ];
  const home = await createImportHome(writeWorkbook({ sheets: [{ name: "Orders", rows, after }] }));
  const rejects = path.join(home.directory, "bad.csv");
  expect((await home.run(`--rejects ${rejects}`)).exit).toBe(3);
  const text = await readFile(rejects, "utf8");
  const [, first, second] = text.split(/\r?\n/);
  expect(first).toMatch(/^A-1,.*,2,the service refused: receiver\.phone .*: “12”$/);
  expect(second).toBe(",,,,,,茶杯,1,");
  await writeFile(rejects, text.replace(",12,", ",13900139000,"));
  const ran = await home.importFile(rejects);
  expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "created"]);
  expect((await drafts(home)).at(-1)).toMatchObject({ item: { name: "绿茶; 茶杯", quantity: "3" } });
});

const to = (name: string, phone: string) => ["张三", name, phone, "北京市", "建国路88号"];
const mergedRef = '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>';

async function rejectsOf(workbook: Parameters<typeof writeWorkbook>[0], words = "") {
  const home = await createImportHome(writeWorkbook(workbook));
  const rejects = path.join(home.directory, "bad.csv");
  const first = await home.run(`--rejects ${rejects} ${words}`);
  return { home, rejects, first, text: await readFile(rejects, "utf8") };
}

describe("an order whose ref alone is merged over rows with its receiver", () => {
  test("is one order in the file of rejects, too", async () => {
    const rows = [
      ownHeader,
      ["A-1", ...to("李四", "12"), "绿茶", "2"],
      ["", ...to("李四", "12"), "茶杯", "1"],
    ];
    const { home, rejects, text } = await rejectsOf({ sheets: [{ name: "Orders", rows, after: mergedRef }] });
    await writeFile(rejects, text.replaceAll(",12,", ",13900139000,"));
    const ran = await home.importFile(rejects);
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "created"]);
    expect((await drafts(home)).at(-1)).toMatchObject({ item: { name: "绿茶; 茶杯", quantity: "3" } });
  });

  test("of two receivers stays a mistake there", async () => {
    const rows = [
      ownHeader,
      ["A-1", ...to("李四", "13900139000"), "绿茶", "2"],
      ["", ...to("王五", "13900139001"), "茶杯", "1"],
      ["A-2", ...to("赵六", "13900139002"), "茶杯", "1"],
    ];
    const { home, rejects, first } = await rejectsOf(
      { sheets: [{ name: "Orders", rows, after: mergedRef }] },
      "--skip-wrong",
    );
    expect([first.exit, home.posts], first.stderr).toEqual([3, 1]);
    expect((await home.importFile(rejects)).exit).toBe(2);
    expect(home.posts).toBe(1);
  });

  test.each([
    [
      "sender.name",
      "another sender",
      ["王店", ...to("李四", "13900139000").slice(1), "茶杯", "1", "express"],
    ],
    ["receiver.phone", "another receiver", [...to("李四", "13900139001"), "茶杯", "1", "express"]],
    ["receiver.phone", "another receiver", ["", "", "13900139001", "", "", "茶杯", "1", ""]],
    ["service_type", "another service level", [...to("李四", "+86 139-0013-9000"), "茶杯", "1", "standard"]],
  ])("with another %s in a further line is a mistake", async (column, what, cells) => {
    const rows = [
      [...ownHeader, "service_type"],
      ["A-1", ...to("李四", "13900139000"), "绿茶", "2", "express"],
      ["", ...cells],
    ];
    const home = await createImportHome(
      writeWorkbook({ sheets: [{ name: "Orders", rows, after: mergedRef }] }),
    );
    const ran = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(problemsOf(ran)).toEqual([`3 ${column}: ${what} than row 2, which has the same order number`]);
  });

  test("and was shipped: saved as text, its other line is held, as it is a part of that order", async () => {
    const rows = [
      ownHeader,
      ["A-1", ...to("李四", "13900139000"), "绿茶", "2"],
      ["", ...to("李四", "13900139000"), "茶杯", "1"],
    ];
    const home = await createImportHome(
      writeWorkbook({ sheets: [{ name: "Orders", rows, after: mergedRef }] }),
    );
    expect((await home.run()).exit).toBe(0);
    const text = await home.put(rows.map((cells) => cells.join(",")).join("\n"), "saved.csv");
    const saved = await home.importFile(text);
    expect([saved.exit, outcomes(saved.report), home.posts], saved.stderr).toEqual([3, "changed held", 1]);
    const allowed = await home.importFile(text, "--allow-duplicate row:2");
    expect([outcomes(allowed.report), home.posts], allowed.stderr).toEqual(["changed created", 2]);
  });
});

describe("cells of goods that are merged over lines of one order", () => {
  const columns = [...ownHeader, "item.weight", "item.value", "规格"];
  const line = (name: string, ...numbers: readonly (string | null)[]) => [
    ...["", ...to("", "").map(() => ""), name],
    ...numbers,
  ];
  const head = (name: string, ...numbers: readonly (string | null)[]) => [
    ...["A-1", ...to("李四", "13900139000"), name],
    ...numbers,
  ];
  const workbook = (rows: Parameters<typeof writeWorkbook>[0]["sheets"][number]["rows"], refs: string) => ({
    sheets: [
      {
        name: "Orders",
        rows: [columns, ...rows],
        after: `<mergeCells>${refs.replace(/\S+/g, '<mergeCell ref="$&"/>')}</mergeCells>`,
      },
    ],
  });
  const ofOrder = "A2:A3 B2:B3 C2:C3 D2:D3 E2:E3 F2:F3";
  const weighed = workbook([head("绿茶", "1", "1.50", "30"), line("茶杯", "2")], `${ofOrder} I2:I3 J2:J3`);
  const sent = {
    ...{ name: "绿茶; 茶杯", quantity: { value: "3" } },
    ...{ weight: { value: "1.50" }, value: { value: "30" } },
  };
  const itemsOf = async (home: ImportHome) => (await home.operations()).map(({ draft }) => draft?.item);

  /** As earlier versions sent it. */
  const asSentBefore = (ref: string | undefined) => {
    const [name = "", phone = "", city = "", detail = ""] = to("李四", "13900139000").slice(1);
    return `${JSON.stringify({
      ...(ref === undefined ? {} : { ref }),
      ...{ sender: { name: "张三" }, receiver: { name, phone, city, detail } },
      item: { name: "绿茶; 茶杯", quantity: 3, weight: 3, value: 60 },
    })}\n`;
  };

  test("count once, with and without a ref that is merged", async () => {
    const home = await createImportHome(writeWorkbook(weighed));
    expect((await home.run()).exit).toBe(0);
    await home.put(
      writeWorkbook(
        workbook(
          [
            head("红茶", "2", "0.5"),
            line("茶壶", "1", "1.5", "30"),
            line("", null, null, null, "红色"),
            line("茶盘", "1", "1", "5"),
          ],
          "G3:G4 H3:H4 I3:I4 J2:J4",
        ),
      ),
    );
    expect((await home.run("--shop b")).exit).toBe(0);
    const items = await itemsOf(home);
    expect(items).toMatchObject([
      sent,
      { name: "红茶; 茶壶; 茶盘", quantity: { value: "4" }, weight: { value: "3.0" } },
    ]);
    expect(items[1]).not.toHaveProperty("value");
  });

  test("that an earlier version counted for each line: the order is known by its ref", async () => {
    const home = await createImportHome(asSentBefore("A-1"));
    await home.run();
    await home.put(writeWorkbook(weighed));
    const ran = await home.run();
    expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([0, "shipped", 1]);
  });

  test("that an earlier version counted for each line: without a ref, the order holds it", async () => {
    const home = await createImportHome(asSentBefore(undefined));
    await home.run();
    await home.put(writeWorkbook(weighed));
    const ran = await home.run();
    expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([3, "held", 1]);
  });

  test("count once in the file of rejects, too", async () => {
    const rows = [head("绿茶", "1", "1.50", "30"), line("茶杯", "2")];
    const { home, rejects, text } = await rejectsOf(
      workbook(
        rows.map((row) => row.map((cell) => (cell === "13900139000" ? "12" : cell))),
        `${ofOrder} I2:I3 J2:J3`,
      ),
    );
    await writeFile(rejects, text.replaceAll(",12,", ",13900139000,"));
    const ran = await home.importFile(rejects);
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "created"]);
    expect((await itemsOf(home)).at(-1)).toMatchObject(sent);
  });

  test("a number of pieces beside one name is that of the order", async () => {
    const rows = [head("绿茶", "2", "1"), line("", null, null, null, "红色")];
    const home = await createImportHome(writeWorkbook(workbook(rows, `${ofOrder} G2:G3 H2:H3 I2:I3`)));
    expect((await home.run()).exit).toBe(0);
    expect(await drafts(home)).toMatchObject([{ item: { name: "绿茶", quantity: "2", weight: "1" } }]);
  });

  test("a number of pieces beside several goods is a mistake, in the file of rejects, too", async () => {
    const { home, rejects, first } = await rejectsOf(
      workbook(
        [head("绿茶", "2"), line("茶杯", null), ["A-2", ...to("王五", "13900139001"), "茶盘", "1"]],
        `${ofOrder} H2:H3`,
      ),
      "--skip-wrong",
    );
    expect([first.exit, outcomes(first.report), home.posts], first.stderr).toEqual([3, "wrong created", 1]);
    expect(first.report[0]?.error).toMatchObject({
      column: "item.quantity",
      message: "is merged with the row above, and the goods are not: write the pieces of each row",
    });
    const again = await home.importFile(rejects);
    expect([again.exit, home.posts], again.stderr).toEqual([2, 1]);
  });
});

test("what is wrong in a workbook alone stays wrong in the file of rejects", async () => {
  const formula = (text: string) => ({ xml: `<f>${text}</f>` });
  const rows = [
    ownHeader,
    ["A-1", ...to("李四", "13900139001"), "绿茶", formula("2*3")],
    ["A-2", "张三", "王五", formula("1+1"), "北京市", formula("A1"), "绿茶", "1"],
    [{ xml: "<v>2026000000000000123</v>" }, ...to("赵六", "13900139003"), "绿茶", "1"],
    ["A-4", ...to("孙七", "13900139004"), "绿茶", "1"],
    { cells: ["", "", "", "", "", "", "坏茶", "5"], attributes: 'hidden="1"' },
    ["A-5", ...to("周八", "13900139005"), "绿茶", "1"],
  ];
  const { home, rejects, first, text } = await rejectsOf(
    { sheets: [{ name: "Orders", rows }] },
    "--skip-wrong --skip-hidden",
  );
  expect([first.exit, home.posts], first.stderr).toEqual([3, 1]);
  expect(first.stderr).toContain(`not in ${rejects}: the order of row 5, with hidden rows`);
  expect(text).not.toContain("坏茶");
  expect(text).toMatch(/^#N\/A,张三,赵六,/m);
  const again = await home.importFile(rejects);
  expect([again.exit, home.posts], again.stderr).toEqual([2, 1]);
  expect(again.stderr).toContain("#N/A");
});

test("an order that the platform calls partly shipped is left out and named: some of its goods have left", async () => {
  const head = "订单编号,收货人姓名,联系手机,收货地址,货品标题,卖家会员名,数量,sender.name,订单状态";
  const line = (ref: string, state: string) =>
    `${ref},李四,13900139000,广东省 深圳市 南山区 科技园1号楼,绿茶,demo,2,张三,${state}`;
  const home = await createImportHome(
    sheetOf(
      head,
      line("300", "卖家部分发货"),
      line("301", "买家已付款，等待卖家发货"),
      line("302", "部分已发货"),
    ),
  );
  const { exit, stderr, report } = await home.run();
  expect(exit, stderr).toBe(0);
  expect(report).toMatchObject([{ ref: "301", outcome: "created" }]);
  expect(stderr).toContain("2 fulfilled in part (rows 1, 3); --include-fulfilled sends the fulfilled ones");
  expect((await home.run("--include-fulfilled")).report).toHaveLength(3);
});

test("a row without a receiver's name or address is named before it is sent", async () => {
  const home = await createImportHome(
    sheetOf(
      generic,
      `X-1,,13900139000,,,Tea,1,1${sender}`,
      `X-2,Ann,13900139000,Leeds,1 High St,Tea,1,1${sender}`,
    ),
  );
  const { exit, stderr } = await home.run();
  expect([exit, home.posts], stderr).toEqual([0, 2]);
  expect(stderr).toContain("warning: 1 row without a receiver name: row 1 (X-1)\n");
  expect(stderr).toContain("warning: 1 row without a receiver address: row 1 (X-1)\n");
  expect((await home.run()).stderr).not.toContain("warning");
});

test("a row whose receiver has a place without a street is named before it is sent", async () => {
  const titles = "订单号,收件人,收件人手机,收件人省,收件人市,收件人详细地址,商品,sender.name";
  const rows = ["X-1,李四,13900139000,浙江省,杭州市,,茶,张三", "X-2,王五,13900139001,,,文三路1号,茶,张三"];
  const home = await createImportHome(sheetOf(titles, ...rows));
  const { exit, stderr } = await home.run();
  expect([exit, home.posts], stderr).toEqual([0, 2]);
  expect(stderr).toContain("warning: 1 row whose receiver has no street address: row 1 (X-1)\n");
});

test("a row without a phone, and one with a number in the name, is named before it is sent", async () => {
  const titles = "订单号,收件人,收件人手机,收件人地址,商品,sender.name";
  const rows = [
    "X-1,李四,,北京路1号,茶,张三",
    "X-2,李四 13900139000,,北京路1号,茶,张三",
    "X-3,李四3号,13900139000,北京路1号,茶,张三",
  ];
  const home = await createImportHome(sheetOf(titles, ...rows));
  const { exit, stderr } = await home.run();
  expect([exit, home.posts], stderr).toEqual([0, 3]);
  expect(stderr).toContain("warning: 2 rows without a receiver phone: row 1 (X-1), row 2 (X-2)\n");
  expect(stderr).toContain(
    "warning: 1 row with a number in the receiver's name (is it the phone?): row 2 (X-2)\n",
  );
  const withoutColumn = await createImportHome(
    sheetOf("订单号,收件人,收件人地址,商品,sender.name", "X-1,李四13900139000,北京路1号,茶,张三"),
  );
  const ran = await withoutColumn.run();
  expect(ran.stderr).toContain("1 row with a number in the receiver's name");
  expect(ran.stderr).not.toContain("without a receiver phone");
});

test.each(["商品2", "赠品", "Item 2"])("goods in a column %s are not sent, and named", async (title) => {
  const home = await createImportHome(
    sheetOf(
      `订单号,收件人,收件人手机,收件人地址,商品,${title},sender.name`,
      "X-1,李四,13900139000,北京路1号,茶,杯子,张三",
      "X-2,王五,13700137000,北京路2号,茶,,张三",
      "X-3,赵六,13600136000,北京路3号,茶,无,张三",
    ),
  );
  const { exit, stderr } = await home.run();
  expect([exit, home.posts], stderr).toEqual([0, 3]);
  expect(stderr).toContain(
    "warning: 1 row with further goods in a column that is not read: row 1 (X-1) “杯子”\n",
  );
});

test("a sender's name alone takes the place of the saved sender, and is named", async () => {
  const titles = "订单号,发货人,收件人,收件人手机,收件人地址,商品";
  const home = await createImportHome(
    sheetOf(titles, "X-1,小张,李四,13900139000,北京路1号,茶", "X-2,,李四,13900139000,北京路1号,书"),
  );
  await home.courier("addresses add shop --name 王店 --phone 13800138000 --city 北京市 --default");
  const { exit, stderr } = await home.run();
  expect([exit, home.posts], stderr).toEqual([0, 2]);
  expect(stderr).toContain(
    "warning: 1 row whose sender has a name alone: what the address book has of the sender is not added: row 1 (X-1)\n",
  );
  expect(await drafts(home)).toContainEqual(expect.objectContaining({ sender: { name: "小张" } }));
  const without = await createImportHome(sheetOf(titles, "X-1,小张,李四,13900139000,北京路1号,茶"));
  expect((await without.run()).stderr).not.toContain("name alone");
});

test("a batch sheet that a shop has added columns to is warned of as its own sheet is", async () => {
  const titles = "订单号,收件人,收件人手机,收件人地址,托寄物,订单状态,快递单号,赠品,sender.name";
  const rows = [
    "X-1,李四,13900139000,北京市朝阳区建国路1号,茶,已取消,,,张三",
    "X-2,王五,13700137000,北京市朝阳区建国路2号,茶,待发货,SF1234567890,,张三",
    "X-3,赵六,13600136000,北京市朝阳区建国路3号,茶,待发货,,杯子,张三",
  ];
  const home = await createImportHome(sheetOf(titles, ...rows));
  const { exit, stderr } = await home.run();
  expect([exit, home.posts], stderr).toEqual([0, 3]);
  expect(stderr).toContain(
    "1 row with a state in a column that is not read (cancelled, sent or not paid?): row 1 (X-1)",
  );
  expect(stderr).toContain(
    "1 row with a tracking number in a column that is not read (sent already?): row 2 (X-2)",
  );
  expect(stderr).toContain("1 row with further goods in a column that is not read: row 3 (X-3)");
});

test.each(["快递单号", "Tracking No."])(
  "a row with a number in a column %s is named: it may have left",
  async (title) => {
    const line = (ref: string, number: string) =>
      `${ref},Ann,13900139000,Leeds,1 High St,Tea,1,1${sender},${number}`;
    const home = await createImportHome(sheetOf(`${generic},${title}`, line("X-1", ""), line("X-2", "SF1")));
    const checked = await home.courier(`orders import ${home.file} --check --json`);
    expect(JSON.parse(checked.stdout).warnings).toEqual([
      { code: "tracking_number", count: 1, rows: ["row 2 (X-2)"] },
    ]);
    const ran = await home.run();
    expect([ran.exit, home.posts], ran.stderr).toEqual([0, 2]);
    expect(ran.stderr).toContain(
      "warning: 1 row with a tracking number in a column that is not read (sent already?): row 2 (X-2)\n",
    );
  },
);

test.each([
  ["订单状态", "已取消", "待发货"],
  ["状态", "退款", "待发货"],
  ["Status", "On Hold", "pending"],
  ["Status", "cancelled by buyer", "pending"],
  ["发货状态", "已发货", "未发货"],
  ["Order Status", "Cancelled", "pending"],
  ["Status", "shipped", ""],
  ["订单状态", "已作废", "待发货"],
  ["退款状态", "退款成功", "退款已取消"],
  ["售后状态", "退款中", "无"],
  ["商品售后", "退款完成", "已关闭"],
  ["商品发货", "已发货", "未发货"],
  ["Payment Status", "REFUNDED", "paid"],
  ["Cancelled at", "2026-11-01 10:00", ""],
])("a row whose column %s says %s is named: it may not be wanted", async (title, state, toSend) => {
  const line = (ref: string, text: string) =>
    `${ref},Ann,13900139000,Leeds,1 High St,Tea,1,1${sender},${text}`;
  const home = await createImportHome(
    sheetOf(`${generic},${title}`, line("X-1", toSend), line("X-2", state)),
  );
  const checked = await home.courier(`orders import ${home.file} --check --json`);
  expect(JSON.parse(checked.stdout).warnings).toEqual([
    { code: "unread_state", count: 1, rows: [`row 2 (X-2) “${state}”`] },
  ]);
  const ran = await home.run();
  expect([ran.exit, home.posts], ran.stderr).toEqual([0, 2]);
  expect(ran.stderr).toContain(
    `warning: 1 row with a state in a column that is not read (cancelled, sent or not paid?): row 2 (X-2) “${state}”\n`,
  );
});

describe("a Shopify order that is fulfilled in part", () => {
  const head = (line: string) =>
    `Name,Financial Status,Fulfillment Status,Lineitem name,Lineitem quantity${line},Shipping Name,Shipping Phone,Shipping City,Shipping Address1,sender.name,sender.phone`;
  const rest = `Ann,13900139000,Leeds,1 High St${sender}`;

  test("is left out where the file does not say which lines have left", async () => {
    const home = await createImportHome(
      sheetOf(head(""), `#1,paid,partial,Bag,3,${rest}`, `#2,paid,unfulfilled,Tea,1,${rest}`),
    );
    const ran = await home.run();
    expect([ran.exit, home.posts], ran.stderr).toEqual([0, 1]);
    expect(ran.stderr).toContain("not sent: 1 fulfilled in part (row 1); --include-fulfilled sends");
  });

  test("is sent without the lines that are fulfilled, also in part", async () => {
    const line = ",Lineitem fulfillment status";
    const home = await createImportHome(
      sheetOf(
        head(line),
        `#1,paid,partial,Bag,3,partial,${rest}`,
        "#1,,,Mug,1,pending,,,,,,",
        `#2,paid,partial,Pot,2,partial,${rest}`,
      ),
    );
    const ran = await home.run();
    expect([ran.exit, home.posts], ran.stderr).toEqual([0, 1]);
    expect(await drafts(home)).toMatchObject([{ item: { name: "Mug" } }]);
    expect(ran.stderr).toContain("left out of orders that are sent: fulfilled in part (row 1)");
    expect(ran.stderr).toContain("not sent: 1 fulfilled in part (row 3)");
  });
});

test("a workbook with the titles of groups above its header is read by the header, in its whole width", async () => {
  const home = await createImportHome(
    sheetOfRows(
      ["寄方信息", "", "收方信息", "", "", "商品信息"],
      ["寄方姓名", "寄方地址", "收方姓名", "收方联系方式", "收方地址", "托寄物内容", "托寄物数量"],
      ["张三", "广东省深圳市南山区科技园1号楼", "李四", "13900139000", "北京市朝阳区建国路88号", "绿茶", "2"],
    ),
  );
  const { exit, stderr } = await home.courier(["orders", "import", home.file, "--yes"]);
  expect(exit, stderr).toBe(0);
  expect(stderr).toContain("the row above the header is not read: 寄方信息, 收方信息, 商品信息");
  expect(await drafts(home)).toMatchObject([
    { sender: { city: "深圳市" }, receiver: { name: "李四" }, item: { name: "绿茶", quantity: "2" } },
  ]);
});

test("an order list of Taobao with few of its columns sends what its state says to send", async () => {
  const receiver = ["李四", "浙江省 杭州市 西湖区 文三路1号", "13900139001"];
  const states = ["买家已付款，等待卖家发货", "卖家已发货，等待买家确认", "交易关闭", "等待买家付款"];
  const lines = states.map((state, index) => [`4000${index}`, state, ...receiver, "茶叶", "2"].join(","));
  const titles = "订单编号,订单状态,收货人姓名,收货地址,联系手机,宝贝标题,宝贝总数量";
  const home = await createImportHome([titles, ...lines, ""].join("\n"));
  await home.courier("addresses add shop --name 店 --phone 13800138000 --city 深圳市");
  const ran = await home.run("--sender @shop");
  expect([ran.exit, ran.report.map(({ ref }) => ref)], ran.stderr).toEqual([0, ["40000"]]);
  expect(home.posts).toBe(1);
});

test("a Taobao 发货报表 without a known column of goods is sent where --map names one", async () => {
  const home = await createImportHome(
    sheetOf(
      "订单编号,收货人姓名,联系手机,收货地址,内件,sender.name",
      "1,李四,13900139000,北京市朝阳区建国路88号,绿茶,张三",
    ),
  );
  const ran = await home.run();
  expect([ran.exit, home.posts]).toEqual([2, 0]);
  expect(errorOf(ran)).toMatchObject({
    message: expect.stringContaining("is a Taobao 发货报表: it has no known column of goods"),
    hint: expect.stringContaining('or name yours with --map "COLUMN=item.name"'),
  });
  const named = await home.run("--map 内件=item.name");
  expect([named.exit, outcomes(named.report)], named.stderr).toEqual([0, "created"]);
  expect(await drafts(home)).toMatchObject([
    { receiver: { name: "李四", phone: "13900139000", district: "朝阳区" }, item: { name: "绿茶" } },
  ]);
});

test("a batch sheet whose receiver has its parts in columns of their own is read in whole", async () => {
  const home = await createImportHome(
    sheetOfRows(
      ["寄方联系人", "收方联系人", "收方手机号码", "收方省", "收方市", "收方区", "收方详细地址", "托寄物"],
      ["张三", "李四", "13900139000", "北京市", "北京市", "朝阳区", "建国路88号", "绿茶"],
    ),
  );
  const { exit, stderr } = await home.courier(["orders", "import", home.file, "--yes"]);
  expect(exit, stderr).toBe(0);
  const place = { province: "北京市", city: "北京市", district: "朝阳区", detail: "建国路88号" };
  expect(await drafts(home)).toMatchObject([
    { sender: { name: "张三" }, receiver: { name: "李四", phone: "13900139000", ...place } },
  ]);
});

describe("a total below the table, in the column of the goods", () => {
  const columns = "ref,receiver.name,receiver.phone,item.name,item.quantity,sender.name";
  const orders = ["v-1,a,13900139000,book,1,zs", "v-2,b,13900139001,cup,2,zs"];
  const message = "looks like a total of the rows above: delete the row, or give the item another name";

  test.each([
    ...["合计", "总计：", "小 计", "Total", "TOTALS:", "Sum", "Sub-total", "grand total"],
    ...["合计（2单）", "数量合计", "合计数量", "本页合计", "汇总", "共2件", "Total (2)", "合计: 3 件"],
    ...[
      "总数",
      "总数量",
      "累计",
      "总金额",
      "总额",
      "总件数",
      "總件數",
      "总重量",
      "总价",
      "商品总数",
      "总订单数",
    ],
    ...["件数合计", "合计件数", "总计件数", "總計件數", "本单合计", "以上合计", "金额合计（元）", "商品合计"],
    ...[
      "总共",
      "总共3件",
      "一共3件",
      "共2单3件",
      "共2单、3件",
      "共有 3 件",
      "2单合计",
      "合计：2单 3件",
      "总重量：5.5kg",
    ],
    ...["Total Qty", "Total Quantity", "Total items", "TOTAL PIECES", "Total weight (kg)", "Total qty: 3"],
    ...["Total number of items", "Total: 3 pcs", "Order total", "Sub-total amount"],
  ])("%s is a wrong row, and is not joined to the last order", async (word) => {
    const home = await createImportHome(sheetOf(columns, ...orders, `,,,${word},3,`));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect(ran.exit).toBe(2);
    expect(JSON.parse(ran.stderr).error.details).toEqual([
      { row: 3, line: 4, column: "item.name", value: word, message },
    ]);
    const skipped = await home.run("--skip-wrong");
    // As with any row that may be a line of it, the order above is not sent without the row.
    expect(skipped.report.map(({ ref, outcome }) => [ref, outcome])).toEqual([
      ["v-1", "created"],
      ["v-2", "wrong"],
      [null, "wrong"],
    ]);
    await home.put(sheetOf(columns, ...orders));
    expect([(await home.run()).exit, home.posts]).toEqual([0, 2]);
    expect(await drafts(home)).toMatchObject([
      { item: { name: "book" } },
      { item: { name: "cup", quantity: "2" } },
    ]);
  });

  const noGoods =
    "is a number without goods: where the row adds up the rows above, delete it, else name its goods";
  const noName = "looks like a total of the rows above: delete the row, or give the receiver another name";

  test.each([
    ["the sum alone", ",,,,3,,", "item.quantity", "3", noGoods],
    ["the word in a column that is not used", ",,,,3,,合计", "item.quantity", "3", noGoods],
    ["the word in the column of the names", ",合计,,,3,,", "receiver.name", "合计", noName],
    ["the word in the column of the phones", ",,Total,,3,,", "receiver.phone", "Total", noName],
  ])("is a wrong row, too, with %s", async (_, total, column, value, said) => {
    for (const header of [columns, columns.replace("ref", "x")]) {
      const home = await createImportHome(
        sheetOf(`${header},remark`, ...orders.map((each) => `${each},`), total),
      );
      const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
      expect(ran.exit, ran.stderr).toBe(2);
      expect(JSON.parse(ran.stderr.slice(ran.stderr.indexOf("{"))).error.details).toEqual([
        { row: 3, line: 4, column, value, message: said },
      ]);
    }
  });

  test("names the cell of a workbook, and without a ref column, too", async () => {
    const home = await createImportHome("");
    const file = await home.put(
      sheetOfRows(["receiver.name", "item.name", "sender.name"], ["a", "book", "zs"], ["", "合计", ""]),
      "orders.xlsx",
    );
    const ran = await home.courier(["orders", "import", file, "--yes", "--json"]);
    expect(JSON.parse(ran.stderr).error.details).toMatchObject([
      { row: 3, cell: "B3", column: "item.name", message },
    ]);
  });

  test("in a hidden row is left out with the other hidden rows", async () => {
    const home = await createImportHome("");
    const file = await home.put(
      sheetOfRows(
        ["ref", "receiver.name", "item.name", "item.quantity", "sender.name"],
        ["v-1", "a", "cup", "2", "zs"],
        { cells: ["", "", "合计", "2", ""], attributes: 'hidden="1"' },
      ),
      "orders.xlsx",
    );
    expect(await home.importFile(file, "--skip-hidden")).toMatchObject({ exit: 0 });
    expect(await drafts(home)).toMatchObject([{ item: { name: "cup", quantity: "2" } }]);
  });

  test.each([
    ...[
      "总套装",
      "总数学书",
      "总重庆火锅",
      "共享充电宝",
      "共3层蒸锅",
      "一共好茶",
      "合计划书",
      "小计算器",
      "小计价器",
      "2单合计书",
    ],
    ...[
      "Total War DVD",
      "Total Value Pack",
      "Total itemizer",
      "Sum 41 CD",
      "Sum 41 CD 2",
      "Item totaliser",
      "Qty",
      "3件",
    ],
  ])("is none where the goods have such a word in their name (%s)", async (name) => {
    const home = await createImportHome(sheetOf(columns, ...orders, `,,,${name},3,`));
    const { exit, stderr } = await home.run();
    expect(exit, stderr).toBe(0);
    expect((await drafts(home))[1]).toMatchObject({ item: { name: `cup; ${name}`, quantity: "5" } });
  });

  test("takes no long time to know that a long name is none", async () => {
    const names = ["合计", "合计（", "共1件", "Total", "Total items", "1件"].flatMap((word) => [
      `${word}${" ".repeat(3_000)}x`,
      `${word}${"1".repeat(3_000)}x`,
      `${word}${"1件".repeat(1_500)}x`,
    ]);
    const startedMs = performance.now();
    const home = await createImportHome(sheetOf(columns, ...orders, ...names.map((name) => `,,,${name},3,`)));
    await home.run("--check");
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  test("is none where the name has more, or the row has a ref or a receiver", async () => {
    const home = await createImportHome(
      sheetOf(columns, "v-1,a,13900139000,book,1,zs", ",,,Total gift,2,", "v-2,b,13900139001,Total,1,zs"),
    );
    expect((await home.run()).exit).toBe(0);
    expect(await drafts(home)).toMatchObject([
      { item: { name: "book; Total gift" } },
      { item: { name: "Total" } },
    ]);
  });
});

describe("a text that stands for the one above it", () => {
  const columns = "ref,receiver.name,receiver.phone,receiver.detail,item.name,item.quantity,sender.name";
  const above = "v-1,李四,13900139000,建国路88号,book,1,zs";
  const message = "says “as above”: write the value itself";

  test.each([
    ...["同上", "同 上", "（同上）", "(同上)", "同上。", "同上一行", "地址同上", "收件人同上", "電話：同上"],
    ...['""""', "''", "‘’", "〃", "″", "”", "〃〃", "↑", "↑↑"],
    ...["ditto", "Ditto", "ditto.", "do.", "(Ditto)", "same as above", "Same as above.", "as above"],
  ])("is not sent (%s)", async (word) => {
    const home = await createImportHome(
      sheetOf(columns, above, `v-2,${word},13900139001,${word},${word},1,zs`),
    );
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    expect(problemsOf(ran)).toEqual([
      `2 receiver.name: ${message}`,
      `2 receiver.detail: ${message}`,
      `2 item.name: ${message}`,
    ]);
    const skipped = await home.run("--skip-wrong");
    expect([skipped.exit, outcomes(skipped.report)], skipped.stderr).toEqual([3, "created wrong"]);
  });

  test("is not sent as a whole address, or in a further line of an order", async () => {
    const home = await createImportHome(
      sheetOf("ref,receiver.text,item.name,sender.name", "v-1,同上,book,zs", ",,同上,"),
    );
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect(problemsOf(ran)).toEqual([`1 receiver.text: ${message}`, `2 item.name: ${message}`]);
  });

  test("is no number either", async () => {
    const home = await createImportHome(sheetOf(columns, above, above.replace("1,zs", "同上,zs")));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect(problemsOf(ran)).toContain("2 item.quantity: must be a whole number of at least 0");
  });

  test.each([",〃,〃,〃,pen,1,", "〃,〃,〃,〃,pen,1,〃", "〃,,,,pen,1,zs", "'',↑,'',地址同上,pen,1,''"])(
    "keeps back the order above, of which it may be a line (%s)",
    async (line) => {
      const home = await createImportHome(sheetOf(columns, above, line, above.replace("v-1", "v-2")));
      const { exit, stderr, report } = await home.run("--skip-wrong");
      expect([exit, outcomes(report)], stderr).toEqual([3, "wrong wrong created"]);
    },
  );

  test("is none where the text has more", async () => {
    const home = await createImportHome(
      sheetOf(
        columns,
        above,
        'v-2,Ditto Li,13900139001,同上海路1号,"6"" pipe",1,zs',
        "v-3,Do,13900139002,地址同上海路1号,同上茶,1,zs",
      ),
    );
    const { exit, stderr } = await home.run();
    expect(exit, stderr).toBe(0);
    expect((await drafts(home)).slice(1)).toMatchObject([
      { item: { name: '6" pipe' } },
      { receiver: { name: "Do" }, item: { name: "同上茶" } },
    ]);
  });
});

describe("a 0, as a formula shows an empty cell,", () => {
  const columns =
    "ref,receiver.name,receiver.phone,receiver.city,receiver.detail,item.name,item.quantity,item.value,sender.name";
  const above = "v-1,李四,13900139000,北京市,建国路88号,book,1,5,zs";
  const message = "is 0, as a formula shows an empty cell: write the value, or empty the cell";

  test("is a mistake in a text of a party or of goods, and in a ref", async () => {
    const home = await createImportHome(sheetOf(columns, above, "0,0,0,0,0,0,0,0,zs"));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    expect(problemsOf(ran)).toEqual(
      ["ref", "receiver.name", "receiver.phone", "receiver.city", "receiver.detail", "item.name"].map(
        (column) => `2 ${column}: ${message}`,
      ),
    );
  });

  test.each([
    ["v-2,王五,13900139001,上海市,0,book,1,5,zs", "2 receiver.detail"],
    ["v-2,王五,0,上海市,上海路1号,book,1,5,zs", "2 receiver.phone"],
    ["v-2,王五,13900139001,上海市,上海路1号,0,1,5,zs", "2 item.name"],
    ["v-2,王五,13900139001,上海市,上海路1号,book,1,5,0", "2 sender.name"],
    ["v-2,王五,13900139001,上海市,上海路1号,'0,1,5,zs", "2 item.name"],
  ])("is named alone (%s)", async (line, place) => {
    const home = await createImportHome(sheetOf(columns, above, line));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([problemsOf(ran), home.posts]).toEqual([[`${place}: ${message}`], 0]);
  });

  test("is one mistake where the whole row has no more, and is no line of the order above", async () => {
    const home = await createImportHome(sheetOf(columns, above, "0,0,0,0,0,0,0,0,0", ",0,0,0,0,0,,0.00,"));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    const ofRow = "is 0 like the whole row, as formulas show empty cells: delete the row";
    expect(problemsOf(ran)).toEqual([`2 ref: ${ofRow}`, `3 receiver.name: ${ofRow}`]);
    const skipped = await home.run("--skip-wrong");
    expect([skipped.exit, outcomes(skipped.report)], skipped.stderr).toEqual([3, "created wrong wrong"]);
  });

  test("keeps back the order above, of which the row may be a line", async () => {
    const home = await createImportHome(
      sheetOf(columns, above, "0,0,0,0,0,pen,1,0,0", above.replace("v-1", "v-2")),
    );
    const skipped = await home.run("--skip-wrong");
    expect([skipped.exit, outcomes(skipped.report)], skipped.stderr).toEqual([3, "wrong wrong created"]);
  });

  test("stays in numbers, in longer texts and in a column that is joined to a street", async () => {
    const home = await createImportHome(sheetOf(columns, "00,0李,13900139000,北京市,0号,book 0,0,0,zs"));
    const ran = await home.run();
    expect(ran.stderr).toContain("warning: 1 row with 0 pieces: row 1 (00)\n");
    expect((await home.operations())[0]?.draft?.item).toMatchObject({
      ...{ name: "book 0", quantity: { value: "0" }, value: { value: "0" } },
    });
    await home.put(
      shopify(order("#1"))
        .replace("Shipping Address1", "Shipping Address1,Shipping Address2")
        .replace("1 High St", "1 High St,0"),
    );
    const joined = await home.run();
    expect([joined.exit, outcomes(joined.report)], joined.stderr).toEqual([0, "created"]);
  });
});

describe("a sample row of a template", () => {
  const columns = "ref,receiver.name,receiver.phone,item.name,item.quantity,sender.name";
  const good = "v-1,李四,13900139000,book,1,zs";
  const message = (name: string) =>
    `looks like a sample row of a template: delete the row, or give ${name.startsWith("item") ? "the item another name" : name === "ref" ? "the order another number" : "the receiver another name"}`;

  test.each([
    ["示例,示例,13800000000,衣服,1,zs", "ref"],
    ["示例：001,张三,13800000000,衣服,1,zs", "ref"],
    [",样例,13800000000,衣服,1,zs", "receiver.name"],
    ["001,例：张三,13800000000,衣服,1,zs", "receiver.name"],
    ["001,示例（勿删）,13800000000,衣服,1,zs", "receiver.name"],
    ["001,Example,13800000000,shirt,1,zs", "receiver.name"],
    ["001,SAMPLE (delete this row),13800000000,shirt,1,zs", "receiver.name"],
    ["001,张三,13800000000,示例,1,zs", "item.name"],
    ["示例数据,张三,13800000000,衣服,1,zs", "ref"],
    ["填写示例,张三,13800000000,衣服,1,zs", "ref"],
    ["模板,张三,13800000000,衣服,1,zs", "ref"],
    ["DEMO,张三,13800000000,衣服,1,zs", "ref"],
    ["（示例）001,张三,13800000000,衣服,1,zs", "ref"],
    ["001,（示例）张三,13800000000,衣服,1,zs", "receiver.name"],
    ["001,张三(样例),13800000000,衣服,1,zs", "receiver.name"],
    ["001,张三（示例）,13800000000,衣服,1,zs", "receiver.name"],
    ["001,Joe [Example],13800000000,shirt,1,zs", "receiver.name"],
  ])("is wrong, and is left out alone (%s)", async (row, column) => {
    const home = await createImportHome(sheetOf(columns, row, good));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    expect(problemsOf(ran)).toEqual([`1 ${column}: ${message(column)}`]);
    const skipped = await home.run("--skip-wrong");
    expect([skipped.exit, outcomes(skipped.report)], skipped.stderr).toEqual([3, "wrong created"]);
  });

  test("is none where the word is a part of a name, or goods are samples", async () => {
    const home = await createImportHome(
      sheetOf(
        columns,
        "SAMPLE-1,Joe Sample,13900139000,Sample,1,zs",
        "v-2,示例公司,13900139001,Sample: red,1,zs",
        "v-3,例,13900139002,样品,1,zs",
        "DEMO-4,Demo,13900139003,模板,1,zs",
        "v-5 (sample),Joe (sample),13900139004,布料（样例）,1,zs",
        "模板-6,示例张三,13900139005,Demo,1,zs",
      ),
    );
    const { exit, stderr, report } = await home.run();
    expect([exit, outcomes(report)], stderr).toEqual([0, Array(6).fill("created").join(" ")]);
  });
});

describe("lines of one order", () => {
  test("in any sheet are rows where only the goods are filled", async () => {
    const home = await createImportHome(
      sheetOf(
        generic,
        `A-1,李四,13900139000,北京市,建国路88号,绿茶,2,1.50${sender}`,
        ",,,,,茶杯,1,0.25,,",
        `A-2,王五,13700137000,北京市,建国路89号,茶壶,1,${sender}`,
        ",,,,,茶盘,1,2,,",
      ),
    );
    const { exit, stderr, report } = await home.run();
    expect(exit, stderr).toBe(0);
    expect(report).toMatchObject([
      { ref: "A-1", rows: [1, 2] },
      { ref: "A-2", rows: [3, 4] },
    ]);
    expect(await drafts(home)).toMatchObject([
      { item: { name: "绿茶; 茶杯", quantity: "3", weight: "1.75" } },
      { item: { name: "茶壶; 茶盘", quantity: "2" } },
    ]);
    expect((await drafts(home))[1]).not.toHaveProperty("item.weight");
  });

  test("never take a row that lacks only its receiver, or only its number", async () => {
    const home = await createImportHome(
      sheetOf(
        generic,
        `A-1,李四,13900139000,北京市,建国路88号,绿茶,2,${sender}`,
        `,,,,,茶杯,1,${sender}`,
        `,王五,13700137000,北京市,建国路89号,茶壶,1,,,`,
      ),
    );
    const ran = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(problemsOf(ran)).toEqual([
      "2 receiver: the row has no receiver",
      "3 sender: the row has no sender",
    ]);
  });

  test("with the receiver's phone are mistakes: alone, it is no receiver", async () => {
    const rows = (phone: string) => [
      `A-1,李四,13900139000,北京市,建国路88号,绿茶,2,1.50${sender}`,
      `,,${phone},,,茶杯,1,,,`,
      `A-2,王五,13700137000,北京市,建国路89号,茶壶,1,${sender}`,
    ];
    const home = await createImportHome(sheetOf(generic, ...rows("13900139000")));
    const ran = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(problemsOf(ran)).toEqual([
      "2 收件人电话: is a phone without a receiver's name or address: empty the cell where the row is a further line of the order above, else name the receiver",
    ]);
    const skipped = await home.run("--skip-wrong");
    expect([skipped.exit, outcomes(skipped.report)], skipped.stderr).toEqual([3, "wrong wrong created"]);
    await home.put(sheetOf(generic, ...rows("")));
    const fixed = await home.run();
    expect([fixed.exit, outcomes(fixed.report)], fixed.stderr).toEqual([0, "created shipped"]);
  });

  const ofReceiver = "is empty, and the receiver is that of row 1: ";
  const elseFill = " where they are of that order, else fill in the address";
  const leaveGoods = "leave only the goods filled";

  test.each([
    [",李四,,,,茶杯,1,,,", "收件人城市"],
    [",李四,13900139000,,,茶杯,1,,,", "收件人城市"],
    [`,李四,,,,茶杯,1,${sender}`, "收件人城市"],
  ])("with the receiver of the order above and no address are mistakes (%s)", async (line, column) => {
    const first = `A-1,李四,13900139000,北京市,建国路88号,绿茶,2,1.50${sender}`;
    const last = `A-2,王五,13700137000,北京市,建国路89号,茶壶,1,${sender}`;
    const home = await createImportHome(sheetOf(generic, first, line, line, last));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(problemsOf(ran)).toEqual(
      [2, 3].map((row) => `${row} ${column}: ${ofReceiver}${leaveGoods}${elseFill}`),
    );
    const skipped = await home.run("--skip-wrong");
    expect([skipped.exit, outcomes(skipped.report)], skipped.stderr).toEqual([
      3,
      "wrong wrong wrong created",
    ]);
  });

  test.each([",李四,,茶杯,1", ",李四,13900139000,茶杯,1", ",,13900139000,茶杯,1"])(
    "with the receiver above are mistakes in a sheet without a ref, too (%s)",
    async (line) => {
      const columns = "收件人地址,收件人,收件人电话,物品名称,数量";
      const first = "建国路88号,李四,13900139000,绿茶,2";
      const last = "建国路89号,王五,13700137000,茶壶,1";
      const home = await createImportHome(
        sheetOf(
          `${columns},sender.name,sender.phone`,
          ...[first, line, last].map((each) => `${each}${sender}`),
        ),
      );
      const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
      expect([ran.exit, home.posts]).toEqual([2, 0]);
      const addGoods = "add the goods to that row";
      expect(problemsOf(ran)).toEqual([`2 收件人地址: ${ofReceiver}${addGoods}${elseFill}`]);
      // The order above may lack goods.
      const skipped = await home.run("--skip-wrong");
      expect([skipped.exit, outcomes(skipped.report)], skipped.stderr).toEqual([3, "wrong wrong created"]);
    },
  );

  test("are none with a ref or a receiver of their own, or where no row has an address", async () => {
    const home = await createImportHome(
      sheetOf(
        generic,
        `A-1,李四,13900139000,北京市,建国路88号,绿茶,2,${sender}`,
        `A-2,李四,13900139000,,,茶杯,1,${sender}`,
        `A-3,李四,13900139000,北京市,建国路88号,茶杯,1,${sender}`,
        `,王五,13900139000,,,茶盘,1,${sender}`,
        `,李四,13900139000,北京市,建国路88号,茶盘,1,${sender}`,
      ),
    );
    const ran = await home.run();
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, Array(5).fill("created").join(" ")]);
    expect(ran.stderr).toContain("warning: 2 rows without a receiver address: row 2 (A-2), row 4\n");
    await home.put(
      sheetOf(
        "收件人,收件人电话,物品名称,sender.name",
        "赵六,13900139001,书,张三",
        "赵六,13900139001,笔,张三",
      ),
    );
    const without = await home.run();
    expect([without.exit, outcomes(without.report)], without.stderr).toEqual([0, "created created"]);
  });

  test("with two receivers, or apart from each other, are mistakes", async () => {
    const home = await createImportHome(
      shopify(order("#1"), `#1,,,Cup,2,Bob,,Leeds,1 High St,,,`, order("#2"), order("#1")),
    );
    const ran = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(problemsOf(ran)).toEqual([
      "2 Shipping Name: another receiver than row 1, which has the same order number",
      "4 ref: same ref as row 1; the rows of one order must follow each other",
    ]);
  });

  test("with pieces in some of them alone are sent without a number, and a warning says so", async () => {
    const home = await createImportHome(
      sheetOf(generic, `A-1,李四,13900139000,北京市,建国路88号,绿茶,5,${sender}`, ",,,,,茶杯,,,,"),
    );
    const ran = await home.run();
    expect(await drafts(home)).toMatchObject([{ item: { name: "绿茶; 茶杯" } }]);
    expect(ran.stderr).toContain(
      "warning: 1 row sent without a number of pieces, as only some of the goods have one: rows 1-2 (A-1)\n",
    );
  });

  test("with two senders are mistakes, and a masked phone in a further line is none", async () => {
    const titles =
      "order_id,order_number,status,billing_first_name,shipping_first_name,shipping_address_1,shipping_city,shipping_phone,item_name,item_quantity,sender.name";
    const line = (item: string, phone: string, from: string) =>
      `7,7,processing,Ann,Ann,1 High St,Leeds,${phone},${item},1,${from}`;
    const first = line("Tea", "+39061234567", "A");
    const home = await createImportHome(sheetOf(titles, first, line("Cup", "+3906***", "B")));
    const ran = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(problemsOf(ran)).toEqual([
      "2 sender.name: another sender than row 1, which has the same order number",
    ]);
    await home.put(sheetOf(titles, first, line("Cup", "+3906***", "A")));
    expect(outcomes((await home.run()).report)).toBe("created");
  });

  test("of Shopify without their first row are mistakes, and no pick-ups", async () => {
    const home = await createImportHome(
      shopify(
        order("#1"),
        order("#2"),
        "#1,,,Cup,2,,,,,,,",
        "#3,,,Pot,1,,,,,,,",
        "#4,paid,,Tea,1,,,,,Payer,,",
        order("#5"),
      ),
    );
    const words = ["orders", "import", home.file, "--check", "--json"];
    expect(problemsOf(await home.courier(words))).toEqual([
      `3 : ${withoutFirstRow}`,
      "3 ref: same ref as row 1; the rows of one order must follow each other",
      `4 : ${withoutFirstRow}`,
    ]);
    const { exit, report, stderr } = await home.run("--skip-wrong");
    expect([exit, report.map(({ ref, outcome }) => `${ref} ${outcome}`)]).toEqual([
      3,
      ["#1 wrong", "#2 created", "#1 wrong", "#3 wrong", "#5 created"],
    ]);
    expect(stderr).toContain("not sent: 1 picked up by the buyer (row 5)");
  });

  test("of Shopify away from their first row keep their numbers in a sheet that is written back", async () => {
    const home = await createImportHome(shopify(order("#1"), "#1,,,Cup,2,,,,,,,", order("#2")));
    await home.run();
    const sheet = path.join(home.directory, "sheet.csv");
    await home.courier(["orders", "write-back", home.file, "-o", sheet]);
    const [titles, first, second, third] = (await readFile(sheet, "utf8")).split(/\r?\n/);
    const number = (await home.operations())[0]?.order?.tracking_number ?? "none";
    expect(second).toContain(number);
    await home.put(sheetOf(titles ?? "", first ?? "", third ?? "", second ?? ""), "sheet.csv");
    await home.courier(["orders", "write-back", sheet, "--in-place"]);
    const [, , , apart] = (await readFile(sheet, "utf8")).split(/\r?\n/);
    expect(apart).toMatch(/^#1,.*Cup/);
    expect(apart).toContain(number);
    expect(apart).toContain(withoutFirstRow);
  });

  test("of Shopify go with a first row that does not fit the header", async () => {
    const home = await createImportHome(shopify(`${order("#1")},x`, "#1,,,Cup,2,,,,,,,", order("#2")));
    const { exit, report, stderr } = await home.run("--skip-wrong");
    expect([exit, outcomes(report)]).toEqual([3, "wrong wrong created"]);
    expect(stderr).not.toContain("picked up");
  });

  test("all go to the file of rejects, which can be imported", async () => {
    const home = await createImportHome(
      shopify(order("#1").replace("13900139000", "12"), "#1,,,Cup,2,,,,,,,", order("#2")),
    );
    const rejects = path.join(home.directory, "rejects.csv");
    const first = await home.run(`--rejects ${rejects}`);
    expect([first.exit, outcomes(first.report)]).toEqual([3, "refused created"]);
    const text = await readFile(rejects, "utf8");
    expect(text.split("\n").filter((line) => line.startsWith("#1"))).toHaveLength(2);
    await home.put(text.replace(",12,", ",13900139000,"), "rejects.csv");
    const fixed = await home.importFile(rejects);
    expect([fixed.exit, outcomes(fixed.report)], fixed.stderr).toEqual([0, "created"]);
    expect(fixed.report).toMatchObject([{ ref: "#1", rows: [1, 2] }]);
  });
});

describe("orders that are not to be sent", () => {
  test("are no mistake, even where they are all", async () => {
    const home = await createImportHome(
      shopify(order("#1", "Tea", "fulfilled").replace("13900139000", "139****9000")),
    );
    const { exit, stderr, report } = await home.run();
    expect([exit, report, home.posts], stderr).toEqual([0, [], 0]);
  });

  test("because they are fulfilled are sent with --include-fulfilled", async () => {
    const home = await createImportHome(
      shopify(order("#1", "Tea", "fulfilled"), order("#2").replace("paid", "refunded")),
    );
    const { exit, report } = await home.run("--include-fulfilled");
    expect([exit, report.map(({ ref }) => ref)]).toEqual([0, ["#1"]]);
  });
});

test("a receiver that the platform hides is named by row and column", async () => {
  const douyin = "主订单编号,选购商品,商品数量,收件人,收件人手机号,省,市,区,详细地址,sender.name";
  const home = await createImportHome(
    sheetOf(
      douyin,
      "1,茶,1,##abc==,$$def==,广东省,深圳市,南山区,##ghi==,张三",
      "2,茶,1,李*,1******0000,广东省,深圳市,南山区,科技园***,张三",
      "3,茶,1,~AbCd==~1~,$13900$abc$1$,广东省,深圳市,南山区,#xyz==#1#,张三",
      "4,茶,1,李××,139****9001,广东省,深圳市,南山区,已脱敏,张三",
      "5,茶,1,*,139****9001,广东省,深圳市,南山区,●●●●,张三",
      "6,茶,1,A*Star Ltd,13900139000,广东省,深圳市,南山区,科技园1号楼,张三",
      "7,茶,1,阿里木•买买提,13900139000,广东省,深圳市,南山区,$5 Shop~1×2,张三",
    ),
  );
  const ran = await home.courier(["orders", "import", home.file, "--check", "--json"]);
  const hidden = "cannot be shipped: the platform hid it";
  expect(problemsOf(ran)).toEqual(
    [1, 2, 3, 4, 5].flatMap((row) =>
      ["收件人", "收件人手机号", "详细地址"].map((column) => `${row} ${column}: ${hidden}`),
    ),
  );
});

test("an address that a buyer may have changed needs a person", async () => {
  const home = await createImportHome(
    sheetOf(
      "订单编号,买家会员名,宝贝种类,收货人姓名,联系手机,收货地址,宝贝标题,修改后的收货地址,sender.name",
      "1,demo,1,李四,13900139000,广东省 深圳市 南山区 科技园1号楼,茶,北京市 朝阳区 建国路88号,张三",
    ),
  );
  const ran = await home.courier(["orders", "import", home.file, "--check", "--json"]);
  expect(problemsOf(ran)).toEqual([
    expect.stringMatching(/^1 修改后的收货地址: the address may have been changed/),
  ]);
});

test("a platform's file whose order number has another title: no column is the ref, and the import says so", async () => {
  const titles = "买家会员名,宝贝种类,收货人姓名,联系手机,收货地址,宝贝标题,sender.name";
  const cells = "demo,1,李四,13900139000,广东省 深圳市 南山区 科技园1号楼,茶,张三";
  const said = 'no column was taken as the ref (your order number): name one with --map "COLUMN=ref"';
  const home = await createImportHome(sheetOf(`订单号,${titles}`, `1,${cells}`));
  expect((await home.courier(["orders", "import", home.file, "--check"])).stdout).toContain(said);
  expect((await home.run()).stderr).toContain(said);
  const named = await createImportHome(sheetOf(`订单编号,${titles}`, `1,${cells}`));
  expect((await named.run()).stderr).not.toContain("was taken as the ref");
});

test("exports of which nothing is to be sent are not one file", async () => {
  const titles = "买家会员名,宝贝种类,订单状态,收货人姓名,联系手机,收货地址,宝贝标题,sender.name";
  const order = (name: string, state = "买家已付款，等待卖家发货") =>
    `demo,1,${state},${name},13900139000,广东省 深圳市 南山区 科技园1号楼,茶,张三`;
  const home = await createImportHome(sheetOf(titles, order("李四")));
  const run = async (name: string, ...orders: readonly string[]) => {
    const { exit, report } = await home.importFile(await home.put(sheetOf(titles, ...orders), name));
    return [exit, ...report.map(({ outcome }) => outcome)];
  };
  expect(await run("a.csv", order("李四"))).toEqual([0, "created"]);
  expect(await run("a.csv", order("李四", "交易成功"))).toEqual([0]);
  expect(await run("b.csv", order("王五", "交易成功"))).toEqual([0]);
  expect(await run("b.csv", order("李四"), order("赵六"))).toEqual([3, "held", "created"]);
});

describe("a column that holds a whole address or party", () => {
  const columns = "ref,receiver.text,item.name,sender.name";

  test("is split, and an example is shown", async () => {
    const home = await createImportHome(
      sheetOf(columns, "1,张三 13900139000 广东省深圳市南山区科技园1号楼,茶,店主"),
    );
    const { exit, stderr } = await home.courier(["orders", "import", home.file, "--yes"]);
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain(
      "receiver.text is split in 1 row, such as: 张三 | 13900139000 | 广东省 | 深圳市 | 南山区 | 科技园1号楼",
    );
    expect(await drafts(home)).toMatchObject([
      {
        receiver: {
          name: "张三",
          phone: "13900139000",
          province: "广东省",
          city: "深圳市",
          district: "南山区",
          detail: "科技园1号楼",
        },
      },
    ]);
  });

  test("is named by row and column where it is not understood, and nothing is sent", async () => {
    const home = await createImportHome(
      sheetOf(
        columns,
        "1,张三 广东省深圳市南山区科技园1号楼,茶,店主",
        "2,科技园1号楼 13900139000,茶,店主",
        "3,收件人：李四 北京市朝阳区建国路88号 寄件人：张三 13800138000 广东省深圳市,茶,店主",
        "4,李四 13900139000 三河市燕郊镇北京市通州区对面3号,茶,店主",
        "5,李四 13900139000 三河市燕郊镇 北京市通州区对面3号,茶,店主",
      ),
    );
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect(ran.exit).toBe(2);
    expect(problemsOf(ran)).toEqual([
      expect.stringMatching(/^1 receiver.text: not understood: no certain telephone number/),
      expect.stringMatching(/^2 receiver.text: not understood: no certain .*city/),
      expect.stringMatching(/^3 receiver.text: not understood: no certain telephone number/),
      expect.stringMatching(/^4 receiver.text: not understood: no certain city/),
      expect.stringMatching(/^5 receiver.text: not understood: names two places/),
    ]);
    expect(home.posts).toBe(0);
  });

  test("of an address in a zone of its city is of one place", async () => {
    const addresses = [
      "江苏省 苏州市 苏州工业园区 星湖街1号",
      "山东省 威海市 威海经济技术开发区 云南路12号",
      "成都市 武侯区 成都高新区天府大道1号",
      "江苏省南京市浦口区 南京江北新区1号",
    ];
    const rows = addresses.map((each) => `李四 13900139000 ${each},茶,店主`);
    const home = await createImportHome(sheetOf("receiver.text,item.name,sender.name", ...rows));
    const { report, stderr } = await home.run();
    expect(outcomes(report), stderr).toBe("created created created created");
  });

  test("of an address keeps names in the street; --map chooses the column", async () => {
    const home = await createImportHome(
      sheetOf(
        "ref,receiver.name,receiver.phone,送到,item.name,sender.name",
        "1,李四,13900139000,北京市朝阳区建国路88号 王五 收,茶,店主",
      ),
    );
    const { exit, stderr } = await home.courier([
      ...["orders", "import", home.file, "--yes", "--map", "送到=receiver.address"],
    ]);
    expect(exit, stderr).toBe(0);
    expect(await drafts(home)).toMatchObject([
      {
        receiver: {
          name: "李四",
          province: "北京市",
          city: "北京市",
          district: "朝阳区",
          detail: "建国路88号 王五 收",
        },
      },
    ]);
  });

  test("and another with a part of it exclude each other", async () => {
    const home = await createImportHome(
      sheetOf("receiver.text,receiver.phone,item.name,sender.name", "a,1,b,c"),
    );
    const ran = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(errorOf(ran)).toMatchObject({
      exit: 2,
      hint: expect.stringMatching(
        /^leave one out: --map "receiver.phone="; the whole command: courier orders import /,
      ),
    });
  });
});

describe("a row that an earlier version read in another way", () => {
  const raw = { name: "李四", phone: "13900139000", city: "北京市", detail: "建国路88号" };
  const asSent = (ref: string | undefined, item: object) =>
    `${JSON.stringify({ ...(ref === undefined ? {} : { ref }), sender: { name: "张三" }, receiver: raw, item })}\n`;
  const columns = "订单号,收件人姓名,收件人电话,收件人城市,收件人地址,物品名称,商品数量,sender.name";

  /** Sends it as the first version did, which recorded no version of reading. */
  async function homeOfFirstVersion(content: string): Promise<ImportHome> {
    const home = await createImportHome(content);
    await home.run();
    const file = path.join(home.stateDir, "ledger.db");
    const database = await openDatabase({ path: file, title: "ledger", applicationId, migrations });
    await database.transaction(() => database.exec("UPDATE operations SET reading = NULL"));
    database.close();
    return home;
  }

  test("is known by the ref that it had", async () => {
    const home = await homeOfFirstVersion(asSent('="A-1"', { name: "茶" }));
    await home.put(sheetOf(columns, '"=""A-1""",李四,13900139000,北京市,建国路88号,茶,2,张三'));
    const { exit, report } = await home.run();
    expect([exit, outcomes(report), home.posts]).toEqual([0, "shipped", 1]);
  });

  test("is held without a ref, because another row may be the one that was sent", async () => {
    const home = await homeOfFirstVersion(asSent(undefined, { name: "茶" }));
    const one = ",李四,13900139000,北京市,建国路88号,茶,2,张三";
    await home.put(sheetOf(columns, one, one.replace(",2,", ",,")));
    const { exit, report } = await home.run();
    expect([exit, outcomes(report), home.posts]).toEqual([3, "held shipped", 1]);
    const skipped = await home.run("--skip-shipped");
    expect([skipped.exit, outcomes(skipped.report), home.posts]).toEqual([3, "held shipped", 1]);
    await home.put(sheetOf(columns, one));
    const alone = await home.run("--skip-shipped");
    expect([alone.exit, outcomes(alone.report), home.posts]).toEqual([0, "shipped", 1]);
  });

  test("never takes the order of a row that this version sent", async () => {
    const home = await createImportHome(sheetOf(columns, ",李四,13900139000,北京市,建国路88号,茶,,张三"));
    await home.run();
    const one = ",李四,13900139000,北京市,建国路88号,茶,,张三";
    await home.put(sheetOf(columns, one, one.replace(",,张三", ",2,张三")));
    const { exit, report } = await home.run();
    expect([exit, outcomes(report), home.posts]).toEqual([0, "shipped created", 2]);
  });

  test("is held where it has a ref only now, weeks later and in another file", async () => {
    const home = await homeOfFirstVersion(asSent(undefined, { name: "茶" }));
    home.clock.advance?.(30 * 86_400_000);
    const next = await home.put(
      sheetOf(
        "主订单编号,选购商品,收件人,收件人手机号,市,详细地址,sender.name",
        "1,茶,李四,13900139000,北京市,建国路88号,张三",
      ),
      "next.csv",
    );
    const flags =
      "--map 选购商品=item.name --map 收件人=receiver.name --map 收件人手机号=receiver.phone --map 市=receiver.city --map 详细地址=receiver.detail";
    const { exit, report } = await home.importFile(next, flags);
    expect([exit, outcomes(report), home.posts]).toEqual([3, "held", 1]);
  });
});

/** Sends a file with flags that make the reading of a version of it. */
async function homeOfEarlierVersion(
  content: string | Buffer,
  flags: string,
  reading: string,
): Promise<ImportHome> {
  const home = await createImportHome(content);
  const ran = await home.run(flags);
  expect(ran.exit, ran.stderr).toBe(0);
  const file = path.join(home.stateDir, "ledger.db");
  const database = await openDatabase({ path: file, title: "ledger", applicationId, migrations });
  await database.transaction(() => database.exec(`UPDATE operations SET reading = ${reading}`));
  database.close();
  return home;
}

describe("a row that version 2 of the reading read with fewer columns", () => {
  /** Sends it with these columns left out, as version 2 left them out. */
  const homeOfSecondVersion = (content: string | Buffer, leftOut: string) =>
    homeOfEarlierVersion(content, leftOut.replace(/\S+/g, "--map $&="), "2");

  const traditional = "收件人姓名,收件人電話,收件人地址,品名,數量,sender.name";
  const one = "李四,13900139000,建国路88号,茶,2,张三";

  test("is known by its ref, with titles in traditional characters", async () => {
    const content = sheetOf(`ref,${traditional}`, `A-1,${one}`);
    const home = await homeOfSecondVersion(content, "收件人電話 數量");
    expect(await drafts(home)).toEqual([
      { sender: { name: "张三" }, receiver: { name: "李四", detail: "建国路88号" }, item: { name: "茶" } },
    ]);
    const { exit, report, stderr } = await home.run();
    expect([exit, outcomes(report), home.posts], stderr).toEqual([0, "shipped", 1]);
    await home.put(content.replace("A-1", "A-2"));
    expect(outcomes((await home.run()).report)).toBe("created");
    expect((await drafts(home))[1]).toMatchObject({
      receiver: { phone: "13900139000" },
      item: { quantity: "2" },
    });
  });

  test.each([one, one.replace("茶", "绿 茶")])(
    "is held without a ref (%s), also in a longer file",
    async (row) => {
      const content = sheetOf(traditional, row);
      const home = await homeOfSecondVersion(content, "收件人電話 數量");
      const again = await home.run();
      expect([again.exit, outcomes(again.report), home.posts], again.stderr).toEqual([3, "held", 1]);
      const longer = await home.put(`${content}王五,13700137000,南京路1号,书,1,张三\n`, "longer.csv");
      const further = await home.importFile(longer);
      expect([outcomes(further.report), home.posts], further.stderr).toEqual(["held created", 2]);
    },
  );

  test.each(["2", "3"])(
    "is known where a second column of phones was left out (reading %s)",
    async (reading) => {
      const columns = "收件人,收件人手机,收件人电话,收件人地址,品名,sender.name";
      const one = "李四,,010-88886666,建国路88号,茶,张三";
      for (const [content, expected] of [
        [sheetOf(`ref,${columns}`, `A-1,${one}`), [0, "shipped", 1]],
        [sheetOf(columns, one), [3, "held", 1]],
      ] as const) {
        const map = "--map 收件人手机=receiver.phone --map 收件人电话=";
        const home = await homeOfEarlierVersion(content, map, reading);
        const both = map.replace(/=$/, "=receiver.phone");
        const { exit, report, stderr } = await home.run(both);
        expect([exit, outcomes(report), home.posts], stderr).toEqual(expected);
      }
    },
  );

  test.each([
    ["收件人,电话,收件地址,托寄物", "李四,13900139000,北京市朝阳区建国路88号,茶", "电话", "receiver.phone"],
    ["收件人,收件电话,收件地址,托寄物,件数", "李四,13900139000,北京市朝阳区建国路88号,茶,2", "件数", ""],
    [
      "收件人,收件手机,收件固话,收件地址,托寄物",
      "李四,,010-88886666,北京市朝阳区建国路88号,茶",
      "收件固话",
      "",
    ],
    ["收件人,收件电话,地址,托寄物", "李四,13900139000,北京市朝阳区建国路88号,茶", "地址", "receiver.address"],
    ["收件人,收件电话,地址,托寄物", "李四,13900139000,北京市朝阳区建国路88号,茶", "地址", "receiver.detail"],
  ])("%s (%s), of which a platform's titles left out %s, is known", async (columns, one, leftOut, field) => {
    for (const reading of ["2", "3"]) {
      const content = sheetOf(`订单号,${columns},sender.name`, `A-1,${one},张三`);
      const map = field === "" ? "" : `--map ${leftOut}=${field}`;
      const home = await homeOfEarlierVersion(content, `--map ${leftOut}=`, reading);
      const known = await home.run(map);
      expect([known.exit, outcomes(known.report), home.posts], known.stderr).toEqual([0, "shipped", 1]);
      const plain = sheetOf(`${columns},sender.name`, `${one},张三`);
      const other = await homeOfEarlierVersion(plain, `--map ${leftOut}=`, reading);
      const held = await other.run(map);
      expect([held.exit, outcomes(held.report), other.posts], held.stderr).toEqual([3, "held", 1]);
      const longer = await other.put(`${plain}${one.replace("李四", "王五")},张三\n`, "longer.csv");
      const further = await other.importFile(longer, map);
      expect([outcomes(further.report), other.posts], further.stderr).toEqual(["held created", 2]);
    }
  });

  test("a row of a batch sheet of which a part of the map was given is held", async () => {
    const content = sheetOf(
      "收件人,电话,地址,托寄物,sender.name",
      "李四,13900139000,北京市朝阳区建国路88号,茶,张三",
    );
    for (const reading of ["2", "3"]) {
      const [phone, address] = ["--map 电话=receiver.phone", "--map 地址=receiver.address"];
      const home = await homeOfEarlierVersion(content, `${phone} --map 地址=`, reading);
      const { exit, report, stderr } = await home.run(`${phone} ${address}`);
      expect([exit, outcomes(report), home.posts], stderr).toEqual([3, "held", 1]);
    }
  });

  test("a batch sheet that is read as before is shipped, as it was", async () => {
    const content = sheetOf(
      "收件人,收件电话,收件地址,托寄物,省,电话,sender.name,sender.phone,寄件地址",
      "李四,13900139000,北京市朝阳区建国路88号,茶,北京市,010-88886666,张三,13800138000,上海市黄浦区南京路1号",
    );
    for (const reading of ["2", "3"]) {
      const home = await homeOfEarlierVersion(content, "--map 省= --map 电话=", reading);
      const { exit, report, stderr } = await home.run();
      expect([exit, outcomes(report), home.posts], stderr).toEqual([0, "shipped", 1]);
    }
  });

  test("is held where its ref is read now, also as a line of an order that was several", async () => {
    const columns = "訂單編號,收件人,收件人手机,收件人地址,品名,sender.name";
    const content = sheetOf(
      columns,
      "A-1,李四,13900139000,建国路88号,茶,张三",
      "A-2,王五,13700137000,南京路1号,书,张三",
    );
    const home = await homeOfSecondVersion(content, "訂單編號");
    const again = await home.run();
    expect([again.exit, outcomes(again.report), home.posts], again.stderr).toEqual([3, "held held", 2]);
    const rows = [
      columns.split(","),
      ["B-1", "赵六", "13900139001", "上海路1号", "茶", "张三"],
      ["", "赵六", "13900139001", "上海路1号", "书", "张三"],
    ];
    const merged = writeWorkbook({ sheets: [{ name: "Orders", rows, after: mergedRef }] });
    const joined = await homeOfSecondVersion(merged, "訂單編號");
    expect(joined.posts).toBe(2);
    const one = await joined.run();
    expect([one.exit, outcomes(one.report), joined.posts], one.stderr).toEqual([3, "held", 2]);
  });

  test("is held where a person names a column that was left out", async () => {
    const content = sheetOf(
      "收件人,收件人手机,收件人省市区,收件人地址,品名,sender.name",
      "李四,13900139000,北京市朝阳区,建国路88号,茶,张三",
    );
    const home = await homeOfSecondVersion(content, "收件人省市区");
    const ran = await home.run("--map 收件人省市区=receiver.province");
    expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([3, "held", 1]);
    const known = await home.run();
    expect([known.exit, outcomes(known.report), home.posts], known.stderr).toEqual([3, "held", 1]);
    const other = await home.put(content.replace("茶", "书"), "other.csv");
    const sent = await home.importFile(other, "--map 收件人省市区=receiver.province");
    expect([outcomes(sent.report), home.posts], sent.stderr).toEqual(["created", 2]);
  });

  test.each(["receiver.province", ""])("is held where its region was %s, and is split now", async (path) => {
    const content = sheetOf(
      "收件人,收件人手机,收件人省市区,收件人地址,品名,sender.name",
      "李四,13900139000,北京市朝阳区,建国路88号,茶,张三",
    );
    const home = await createImportHome(content);
    const first = await home.run(`--map 收件人省市区=${path}`);
    expect([first.exit, home.posts], first.stderr).toEqual([0, 1]);
    const again = await home.run();
    expect([again.exit, outcomes(again.report), home.posts], again.stderr).toEqual([3, "held", 1]);
    await home.put(content.replace("茶", "书"));
    const sent = await home.run();
    expect([outcomes(sent.report), home.posts], sent.stderr).toEqual(["created", 2]);
  });

  const region = {
    header: "收件人,收件人手机,地区,收件人地址",
    row: "李四,13900139000,浙江省杭州市西湖区,文三路1号",
  };
  const door = { header: "收件人,收件人手机,收件人地址,门牌号", row: "李四,13900139000,文三路,1号" };
  const beside = {
    header: "收件人,收件人手机,收货地址,详细地址",
    row: "李四,13900139000,浙江省杭州市西湖区,文三路1号",
  };
  const whole = {
    header: "收件人,收件人手机,收货地址,门牌号",
    row: "李四,13900139000,浙江省杭州市西湖区文三路,1号",
  };
  const batch = {
    header: "收件人,收件人电话,收件人手机,收件人地址,托寄物",
    row: "李四,057188880000,13900139000,北京市朝阳区建国路1号,茶",
  };
  const phones = {
    header: "收件人,收件人电话,备用手机,收件人地址",
    row: "李四,057188880000,13900139000,文三路1号",
  };
  const joined = "收件人地址=receiver.detail 门牌号=receiver.detail";
  const both = "收件人电话=receiver.phone 备用手机=receiver.phone";
  test.each([
    [region, "地区=receiver.region", "地区=receiver.province"],
    [region, "地区=receiver.region", "地区=receiver.city"],
    [region, "地区=receiver.region", "地区="],
    [region, "地区=receiver.district", "地区=receiver.region"],
    [region, "地区=receiver.city", "地区=receiver.region"],
    [door, joined, "门牌号="],
    [door, "门牌号=", joined],
    [beside, "详细地址=", "收货地址=receiver.region 详细地址=receiver.detail"],
    [whole, "收货地址=receiver.address 门牌号=", "收货地址=receiver.detail 门牌号=receiver.detail"],
    [whole, "收货地址=receiver.address 门牌号=", "收货地址=receiver.address 门牌号=receiver.detail"],
    [batch, "收件人手机=", ""],
    [phones, "备用手机=", both],
    [phones, both, "备用手机="],
    [
      {
        header: "收件人,收件人电话,备用手机,收件人地址,门牌号",
        row: "李四,057188880000,13900139000,文三路,1号",
      },
      joined,
      `${both} ${joined}`,
    ],
    [
      { header: "Recipient First Name,Recipient Last Name,Recipient Phone", row: "Li,Lei,13900139000" },
      "Recipient_First_Name= Recipient_Last_Name=receiver.name",
      "",
    ],
    [
      {
        header: "收件人,收件人手机,收件人电话,地区,收件人地址,门牌号",
        row: "李四,13900139000,057188880000,浙江省杭州市西湖区,文三路,1号",
      },
      "收件人手机= 地区=receiver.district 门牌号=",
      `收件人手机=receiver.phone 收件人电话=receiver.phone 地区=receiver.region ${joined}`,
    ],
    [
      {
        header: "收件人,收件人电话,备用手机,收件人地址,门牌号,托寄物",
        row: "李四,057188880000,13900139000,北京市朝阳区建国路,1号,茶",
      },
      "收件人地址=receiver.address 门牌号=receiver.detail 备用手机=",
      `${both} 收件人地址=receiver.address 门牌号=receiver.detail`,
    ],
  ])("is held where the columns are decided in another way than before (%#)", async (sheet, before, now) => {
    const { header, row } = sheet;
    const home = await createImportHome(sheetOf(`${header},品名,sender.name`, `${row},茶,张三`));
    const run = (maps: string) => {
      const words = maps
        .split(" ")
        .filter(Boolean)
        .map((map) => map.replaceAll("_", " "));
      return home.courier([
        ...["orders", "import", home.file, "--yes", "--json"],
        ...words.flatMap((map) => ["--map", map]),
      ]);
    };
    const first = await run(before);
    expect([first.exit, home.posts], first.stderr).toEqual([0, 1]);
    const again = await run(now);
    expect([again.exit, home.posts], again.stderr).toEqual([3, 1]);
  });

  test("is held where its address was taken for the street, and is split now", async () => {
    const content = sheetOf(
      "收件人,手机,地址,托寄物,sender.name",
      "李四,13900139000,北京市朝阳区建国路88号,茶,张三",
    );
    const home = await createImportHome(content);
    const first = await home.run("--map 手机=receiver.phone --map 地址=receiver.detail");
    expect([first.exit, home.posts], first.stderr).toEqual([0, 1]);
    const again = await home.run("--map 手机=receiver.phone --map 地址=receiver.address");
    expect([again.exit, outcomes(again.report), home.posts], again.stderr).toEqual([3, "held", 1]);
  });

  test.each(["", "A-1"])("is known where a part of its street (ref “%s”) is read now", async (ref) => {
    const content = sheetOf(
      "ref,收件人,收件人手机,收件人省,收件人市,收件人区,街道,收件人地址,品名,sender.name",
      `${ref},李四,13900139000,浙江省,杭州市,西湖区,蒋村街道,文三路1号,茶,张三`,
    );
    const home = await createImportHome(content);
    const first = await home.run("--map 街道=");
    expect([first.exit, home.posts], first.stderr).toEqual([0, 1]);
    const joined = "--map 街道=receiver.detail --map 收件人地址=receiver.detail";
    const again = await home.run(joined);
    const known = ref === "" ? [3, "held", 1] : [0, "shipped", 1];
    expect([again.exit, outcomes(again.report), home.posts], again.stderr).toEqual(known);
    await home.put(content.replace("茶", "书").replace("A-1", "A-2"));
    const other = await home.run(joined);
    expect([outcomes(other.report), home.posts], other.stderr).toEqual(["created", 2]);
    expect((await drafts(home))[1]).toMatchObject({ receiver: { detail: "蒋村街道 文三路1号" } });
  });

  test("with titles of two lines is known by them", async () => {
    const content = sheetOf(
      "訂單號,收件人,,,品名,寄件人",
      ",姓名,電話,地址,,",
      "A-1,李四,13900139000,建国路88号,茶,张三",
    ).replace("訂單號", "ref");
    const home = await homeOfSecondVersion(content, "收件人電話");
    const { exit, report, stderr } = await home.run();
    expect([exit, outcomes(report), home.posts], stderr).toEqual([0, "shipped", 1]);
  });

  test("the phone and the address of 发货 are those of a sender who has a name", async () => {
    const receiver = "收件人,收件人手机,收件人地址,品名";
    const content = sheetOf(
      `ref,${receiver},发货人,发货电话,发货地址`,
      "A-1,李四,13900139000,建国路88号,茶,张三,13700137000,南京路1号",
    );
    const home = await homeOfSecondVersion(content, "发货电话 发货地址");
    const { exit, report, stderr } = await home.run();
    expect([exit, outcomes(report), home.posts], stderr).toEqual([0, "shipped", 1]);
    await home.put(content.replace("A-1", "A-2"));
    await home.run();
    await home.put(
      sheetOf(
        `ref,${receiver},sender.phone,发货地址`,
        "A-3,李四,13900139000,建国路88号,茶,13700137000,南京路1号",
      ),
    );
    await home.run("--map 发货地址=");
    expect((await drafts(home)).slice(1)).toMatchObject([
      { sender: { name: "张三", phone: "13700137000", detail: "南京路1号" } },
      { sender: { phone: "13700137000" } },
    ]);
  });
});

test("words for the receiver are never taken for the sender, and the billing address is of neither", async () => {
  const home = await createImportHome(
    sheetOf(
      "Order Number,Shipping Name,Shipping Phone,Delivery City,Ship Address,Billing Name,Billing City,Shipping,Shipping Country,Shipping Zip,Item Name,sender.name",
      "1,Ann,13900139000,Leeds,1 High St,Payer,York,12.00,UK,LS1,Tea,Shop",
    ),
  );
  const { exit, stderr } = await home.run();
  expect(exit, stderr).toBe(0);
  expect(await drafts(home)).toEqual([
    {
      sender: { name: "Shop" },
      receiver: { name: "Ann", phone: "13900139000", city: "Leeds", detail: "1 High St" },
      item: { name: "Tea" },
    },
  ]);
});

test("a file without any of this keeps the content of its rows", async () => {
  const home = await createImportHome(
    `${header}\nA-1,张三,13800138000,李四,+8613900139000,北京市,建国路88号,茶叶,1.50,1\n`,
  );
  await home.run();
  // The content that the first version recorded: sender, receiver, item and service level, hashed.
  expect(
    (await home.operations()).map(({ draft }) => contentsOf(draft as unknown as Json).formerContent),
  ).toEqual(["1:e7731a348c8b80fe3200994ea15f60d3"]);
});
