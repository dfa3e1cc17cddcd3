/** courier orders import of a file with a header that is not known: its columns are decided once. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openWorkbook, type Worksheet } from "../../src/sheets/workbook.ts";
import { createImportHome, errorOf, type ImportHome, row, sheet } from "../support/imports.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { wordsOf } from "../support/words-of.ts";
import { sheetOf, writeWorkbook } from "../support/workbooks.ts";

const titles = ["单号", "客户", "客户电话", "送货地点", "货名", "件", "备注"];
const first = ["A-1", "李四", "13900139000", "北京市朝阳区建国路88号", "绿茶", "2", "放门口"];
const second = ["A-2", "王五", "13700137000", "广东省深圳市南山区科技园1号楼", "茶杯", "1", ""];
const text = (...rows: readonly (readonly string[])[]) =>
  rows.map((cells) => `${cells.join(",")}\n`).join("");
const forms: readonly [string, string, (...rows: readonly (readonly string[])[]) => string | Buffer][] = [
  ["csv", "orders.csv", text],
  ["xlsx", "orders.xlsx", sheetOf],
];

const written = ["快递运单号", "快递订单编号", "快递订单状态", "快递预估运费", "快递下单错误"];

/** The rows of a sheet that was written back, without empty cells at their ends; cells of CSV hold no delimiter. */
async function cellsOf(file: string): Promise<string[][]> {
  const bytes = await readFile(file);
  const all: (readonly string[])[] = [];
  if (file.endsWith(".csv"))
    for (const line of String(bytes).trimEnd().split("\n")) all.push(line.split(","));
  else {
    const workbook = await openWorkbook(bytes, file);
    const table = await workbook.readTable(workbook.sheets[0] as Worksheet);
    for await (const { cells } of table.read({ withHidden: true })) all.push(cells);
  }
  return all.map((cells) => cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1));
}

async function homeWith(content: string | Buffer, name = "orders.csv") {
  const home = await createImportHome("");
  const file = await home.put(content, name);
  await home.courier("addresses add shop --name 张三 --phone 13800138000 --default");
  return Object.assign(home, { file }); // a copy would have the posts of now
}

async function sent(home: ImportHome): Promise<unknown[]> {
  return home.sandbox.requests
    .filter(({ method }) => method === "POST")
    .map(({ body }) => JSON.parse(body) as unknown);
}

const ofFirst = {
  receiver: { name: "李四", phone: "13900139000", city: "北京市", district: "朝阳区", detail: "建国路88号" },
  item: { name: "绿茶", quantity: 2 },
};

describe.each(forms)("without a terminal (%s)", (_form, name, write) => {
  test("one message names every column in doubt, and its command line works as it is", async () => {
    const home = await homeWith(write(titles, first, second), name);
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    const { message, hint, details } = errorOf(ran) as ReturnType<typeof errorOf> & { details: unknown };
    expect(message).toBe(`${home.file}: 7 columns are not clear: ${titles.join(", ")}`);
    expect(details).toEqual([
      { column: "单号", example: "A-1", guess: "ref" },
      { column: "客户", example: "李四", guess: "receiver.name" },
      { column: "客户电话", example: "13900139000", guess: "receiver.phone" },
      { column: "送货地点", example: "北京市朝阳区建国路88号", guess: "receiver.address" },
      { column: "货名", example: "绿茶", guess: "item.name" },
      { column: "件", example: "2", guess: "item.quantity" },
      { column: "备注", example: "放门口", guess: null },
    ]);
    const line = hint.replace(/^.*run: /, "");
    const again = await home.courier(wordsOf(line, home.directory));
    expect(again.exit, again.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([ofFirst, { receiver: { name: "王五" } }]);
    expect(home.posts).toBe(2);
  });

  test("a person sees them in a table", async () => {
    const home = await homeWith(write(titles, first), name);
    const { stderr } = await home.courier(["orders", "import", home.file, "--yes"]);
    expect(stderr).toMatch(/^COLUMN +EXAMPLE +GUESS$/m);
    expect(stderr).toMatch(/^送货地点 +北京市朝阳区建国路88号 +receiver.address$/m);
    expect(stderr).toMatch(/^备注 +放门口 +not used$/m);
  });
});

test.each(forms)(
  "the decision holds for the sheet that was written back (%s)",
  async (_form, name, write) => {
    const home = await homeWith(write(titles, first), name);
    const prompts = scriptedPrompts({
      searches: ["", "", "", "", "", ""],
      choices: ["use these columns"],
      confirms: [true],
    });
    const done = path.join(home.directory, `done-${name}`);
    const words = ["orders", "import", home.file, "--write-back", done];
    const ran = await home.courier(words, { terminal: 120, prompts });
    expect(ran.exit, ran.stderr).toBe(0);
    const again = await home.courier(["orders", "write-back", done, "--in-place", "--json"]);
    expect(again.exit, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ orders: 1, unknown: 0 });
    const imported = await home.courier(["orders", "import", done, "--yes"]);
    expect([imported.exit, (await sent(home)).length], imported.stderr).toEqual([0, 1]);
  },
);

describe("the command line in the message", () => {
  test("quotes what a shell would act on, and adds the only sender there is", async () => {
    const home = await createImportHome("");
    const file = await home.put(
      text(["Cu$tomer's name", "Goods!", "Street `x`"], ["Ann", "Tea", "1 High St"]),
      "my orders.csv",
    );
    await home.courier("addresses add shop --name Li");
    const ran = await home.courier(["orders", "import", file, "--yes", "--json"]);
    const again = await home.courier(wordsOf(errorOf(ran).hint.replace(/^.*run: /, ""), home.directory));
    expect(again.exit, again.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([
      { sender: { name: "Li" }, receiver: { name: "Ann", detail: "1 High St" }, item: { name: "Tea" } },
    ]);
  });

  test("is not there for a field that no column looks like: it is named", async () => {
    const home = await homeWith(text(["aaa", "bbb"], ["x", "y"]));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect(errorOf(ran).hint).toContain(
      'no column looks like receiver.name: name it with --map "COLUMN=receiver.name"',
    );
  });
});

describe.each(forms)("at a terminal (%s)", (_form, name, write) => {
  test("a form asks for each column once; later files with this header need no question", async () => {
    const home = await homeWith(write(titles, first), name);
    const prompts = scriptedPrompts({
      searches: ["", "", "", "", "", ""],
      choices: ["use these columns"],
      confirms: [true],
    });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect(ran.exit, ran.stderr).toBe(0);
    expect(prompts.asked).toEqual([
      "单号 (such as A-1) is",
      "客户 (such as 李四) is",
      "客户电话 (such as 13900139000) is",
      "送货地点 (such as 北京市朝阳区建国路88号) is",
      "货名 (such as 绿茶) is",
      "件 (such as 2) is",
      "What now?",
      expect.stringContaining("Create 1 order"),
    ]);
    expect(ran.stderr).toContain(
      "saved for files with this header (forget it with: courier maps remove orders)",
    );
    expect(await sent(home)).toMatchObject([ofFirst]);

    const other = await home.put(write(titles, first, second), `june-${name}`);
    const later = await home.importFile(other);
    expect(later.exit, later.stderr).toBe(0);
    expect(later.report.map(({ ref, outcome }) => [ref, outcome])).toEqual([
      ["A-1", "shipped"],
      ["A-2", "created"],
    ]);
    expect(later.stderr).toContain("columns as decided for files with this header");
  });

  test("another field, and none, can be chosen, and changed in the review", async () => {
    const home = await homeWith(write(titles, first), name);
    const prompts = scriptedPrompts({
      // The goods have no column after the first round, so that 备注 is asked about, too.
      searches: ["", "", "", "", "item description", "not used", "not used", "item name"],
      choices: ["change 货名", "use these columns"],
      confirms: [false],
    });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect(prompts.asked).toContain("备注 (such as 放门口) is");
    expect(ran.exit, ran.stderr).toBe(130);
    const { header_maps: maps } = JSON.parse(
      await readFile(path.join(home.configDir, "config.json"), "utf8"),
    );
    expect(maps.orders.columns).toMatchObject({ 件: "", 货名: "item.name", 备注: "" });
  });

  test("a column that was empty and not asked about is no decision: it is asked about in a later file", async () => {
    const title = "门牌号";
    const header = ["单号", "客户", "收件人电话", "收件人城市", "收件人地址", title, "商品名称", "备注"];
    const cells = ["A-1", "李四", "13900139000", "北京市", "建国路88号", "", "绿茶", "放门口"];
    const home = await homeWith(text(header, cells));
    const prompts = scriptedPrompts({ searches: ["", ""], choices: ["use these"], confirms: [true] });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 100, prompts });
    expect([ran.exit, prompts.asked.join()], ran.stderr).toEqual([0, expect.not.stringContaining(title)]);
    await home.put(text(header, ["A-2", ...cells.slice(1, 5), "3单元502室", "绿茶", ""]));
    const { exit, stderr } = await home.importFile(home.file);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(title)]);
  });

  test("stopping sends and saves nothing", async () => {
    const home = await homeWith(write(titles, first), name);
    const prompts = scriptedPrompts({ searches: ["", "", "", "", "", ""], choices: ["stop"] });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect([ran.exit, home.posts]).toEqual([130, 0]);
    expect((await home.run()).exit).toBe(2);
  });
});

describe("courier maps", () => {
  async function decidedHome() {
    const home = await homeWith(text(titles, first));
    const prompts = scriptedPrompts({ searches: ["", "", "", "", "", ""], choices: ["use these"] });
    await home.courier(["orders", "import", home.file, "--check"], { terminal: 120, prompts });
    return home;
  }

  test("lists what was decided, and forgets it: the next import asks again", async () => {
    const home = await decidedHome();
    await home.courier(["orders", "import", home.file, "--check", "--save-map", "shop"]);
    const list = await home.courier("maps list --json");
    expect(JSON.parse(list.stdout)).toMatchObject([
      { map: "shop", applies: "with --use-map", columns: { 客户: "receiver.name" } },
      { map: "orders", applies: "to files with this header", columns: { 客户: "receiver.name" } },
    ]);
    expect((await home.courier("maps list")).stdout).toContain("客户 = receiver.name");
    const removed = await home.courier("maps remove orders --yes --json");
    expect(JSON.parse(removed.stdout)).toEqual({ map: "orders", removed: true });
    expect((await home.run()).exit).toBe(2);
    expect((await home.run("--use-map shop")).exit).toBe(0);
    const typo = await home.courier("maps remove shup --yes");
    expect([typo.exit, typo.stderr]).toEqual([2, expect.stringContaining("did you mean shop?")]);
  });

  test("what was decided counts for a file of rejects, and in whatever order the columns are", async () => {
    const home = await decidedHome();
    const refused = first.map((cell) => (cell === "13900139000" ? "12" : cell));
    await home.put(text(titles, refused, second));
    const rejects = path.join(home.directory, "rejects.csv");
    expect((await home.run(`--rejects ${rejects}`)).exit).toBe(3);
    await home.put((await readFile(rejects, "utf8")).replace(/,12,/, ",13900139000,"), "rejects.csv");
    expect((await home.importFile(rejects)).report).toMatchObject([{ ref: "A-1", outcome: "created" }]);
    const turned = await home.put(
      text(titles.toReversed(), first.toReversed(), second.toReversed()),
      "turned.csv",
    );
    const again = await home.importFile(turned);
    expect(again.report.map(({ outcome }) => outcome)).toEqual(["shipped", "shipped"]);
  });

  test("a short title that is behind another party than before is asked about again", async () => {
    const zhang = { 发货人: "张三", 电话: "13800138000" };
    const order = { 收货人: "李四", 地址: "北京市朝阳区建国路88号", 商品名称: "茶" };
    const sheetBy = (columns: string, row: Readonly<Record<string, string>>) =>
      text(
        columns.split(","),
        columns.split(",").map((title) => row[title] ?? ""),
      );
    const home = await homeWith(sheetBy("发货人,电话,收货人,地址,商品名称", { ...zhang, ...order }));
    const prompts = scriptedPrompts({
      searches: ["", "", ""],
      choices: ["use these columns", "send"],
      confirms: [true, true],
    });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect(ran.exit, ran.stderr).toBe(0);
    await home.put(
      sheetBy("发货人,收货人,电话,地址,商品名称", {
        ...{ ...order, 收货人: "王五", 电话: "13700137000" },
        发货人: "张三",
      }),
    );
    expect([(await home.run()).exit, home.posts]).toEqual([2, 1]);
    await home.put(sheetBy("商品名称,收货人,地址,发货人,电话", { ...zhang, ...order, 收货人: "韩七" }));
    const moved = await home.run();
    expect(moved.exit, moved.stderr).toBe(0);
    expect((await sent(home)).at(-1)).toMatchObject({ sender: { name: "张三", phone: "13800138000" } });
  });

  test("--map comes before it", async () => {
    const home = await decidedHome();
    const ran = await home.run("--map 备注=item.description");
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([{ item: { description: "放门口" } }]);
  });
});

test("a title above an unknown header is no column", async () => {
  const home = await homeWith(sheetOf(["六月订单"], titles, first), "orders.xlsx");
  const prompts = scriptedPrompts({
    searches: ["", "", "", "", "", ""],
    choices: ["use these"],
    confirms: [true],
  });
  const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
  expect(ran.exit, ran.stderr).toBe(0);
  expect(await sent(home)).toMatchObject([ofFirst]);
});

describe.each(forms)("rows with nothing in a column that is used (%s)", (form, name, write) => {
  const remarked = [
    "ref",
    "收件人姓名",
    "收件人电话",
    "收件人地址",
    "物品名称",
    "数量",
    "订单备注",
    "",
    "汇总",
  ];
  const rows = [
    ["A-1", "李四", "13900139000", "北京市朝阳区建国路88号", "绿茶", "2", "", "", ""],
    ["", "", "", "", "", "", "以上加急", "", ""],
    ["", "", "", "", "茶杯", "1", "", "", ""],
    ["A-2", "王五", "13700137000", "广东省深圳市南山区科技园1号楼", "茶壶", "1", "", "", ""],
    ["", "", "", "", "", "", "", "今日", "2单"],
  ];
  const [remark, sum] = form === "csv" ? [2, 5] : [3, 6];

  test("hold no orders, and are named; the orders around them are whole", async () => {
    const home = await homeWith(write(remarked, ...rows), name);
    const done = path.join(home.directory, `done-${name}`);
    const checked = await home.courier(["orders", "import", home.file, "--check"]);
    const named = `row ${remark} (以上加急), row ${sum} (今日, 2单)`;
    expect(checked.stdout).toMatch(new RegExp(`^No orders +${named.replace(/[()]/g, ".")}$`, "m"));
    const ran = await home.importFile(home.file, `--write-back ${done}`);
    expect([ran.exit, ran.report.map(({ outcome }) => outcome)], ran.stderr).toEqual([
      0,
      ["created", "created"],
    ]);
    expect(ran.stderr).toContain(`: 2 orders in 3 rows\n`);
    expect(ran.stderr).toContain(`no orders, as no column that is used is filled: ${named}\n`);
    expect(await sent(home)).toMatchObject([{ item: { name: "绿茶; 茶杯" } }, { item: { name: "茶壶" } }]);
    const cells = await cellsOf(done);
    expect([cells[2], cells[5]]).toEqual([
      ["", "", "", "", "", "", "以上加急"],
      ["", "", "", "", "", "", "", "今日", "2单"],
    ]);
    const again = await home.importFile(done);
    expect([again.exit, home.posts], again.stderr).toEqual([0, 2]);
  });

  test.each(["赠品", "商品规格", "颜色", "SKU", "Items", "平台单号", "收件地址2", "联系人"])(
    "are mistakes where the column may be of goods or of a receiver (%s)",
    async (title) => {
      const titles = remarked.map((each) => (each === "订单备注" ? title : each));
      const home = await homeWith(write(titles, ...rows.slice(0, 4)), name);
      const ran = await home.importFile(home.file, `--skip-wrong --map ${title}=`);
      expect([ran.exit, ran.report.map(({ outcome }) => outcome)], ran.stderr).toEqual([
        3,
        ["wrong", "wrong", "wrong", "created"],
      ]);
    },
  );

  test("are counted where they are many", async () => {
    const many = Array.from({ length: 8 }, (_, index) => ["", "", "", "", "", "", `备注${index}`, "", ""]);
    const home = await homeWith(write(remarked, ...rows.slice(0, 1), ...many), name);
    const ran = await home.importFile(home.file);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(ran.stderr).toContain(`row ${remark + 4} (备注4) and 3 more rows\n`);
  });
});

describe.each(forms)("lines above the header (%s)", (_form, name, write) => {
  const known = ["ref", "收件人姓名", "收件人电话", "收件人地址", "物品名称", "数量"];
  const rows = [
    ["A-1", "李四", "13900139000", "北京市朝阳区建国路88号", "绿茶", "2"],
    ["A-2", "王五", "13700137000", "广东省深圳市南山区科技园1号楼", "茶杯", "many"],
  ];

  test.each([
    ["a title and a note", [["六月订单"], ["仅供内部使用"]]],
    ["a title and two cells", [["六月订单"], ["导出日期", "2026-06-30"]]],
    [
      "a title, two notes and the titles of groups",
      [["六月订单"], ["a", "b"], ["c"], ["", "收方", "", "", "货"]],
    ],
  ])("%s are left out, and stay in the sheet that is written back", async (_what, above) => {
    const home = await homeWith(write(...above, known, ...rows), name);
    const done = path.join(home.directory, `done-${name}`);
    const rejects = path.join(home.directory, "rejects.csv");
    const ran = await home.importFile(home.file, `--skip-wrong --write-back ${done} --rejects ${rejects}`);
    expect(ran.exit, ran.stderr).toBe(3);
    const texts = above.map((cells) => cells.filter((cell) => cell !== "").join(", "));
    expect(ran.stderr).toContain(`the rows above the header are not read: ${texts.join(" | ")}`);
    const [row, wrongRow] = name.endsWith(".csv") ? [1, 2] : [above.length + 2, above.length + 3];
    expect(ran.report).toMatchObject([
      { row, ref: "A-1", outcome: "created" },
      { row: wrongRow, ref: "A-2", outcome: "wrong" },
    ]);
    expect(await sent(home)).toMatchObject([{ receiver: { name: "李四" }, item: { name: "绿茶" } }]);
    const refused = (await readFile(rejects, "utf8")).split("\n");
    expect(refused[0]).toMatch(/ref,收件人姓名,收件人电话,收件人地址,物品名称,数量,error$/);
    expect(refused[1]).toMatch(/^A-2,王五,/);
    const cells = await cellsOf(done);
    expect(cells.slice(0, above.length)).toEqual(above);
    expect(cells[above.length]).toEqual([...known, ...written]);
    expect(cells[above.length + 1]?.slice(0, 7)).toEqual([...(rows[0] ?? []), expect.stringMatching(/^CR/)]);
    expect(cells[above.length + 2]?.slice(0, 7)).toEqual([...(rows[1] ?? []), ""]);
    const again = await home.importFile(done, "--skip-wrong");
    expect(again.report.map(({ outcome }) => outcome)).toEqual(["shipped", "wrong"]);
    expect(home.posts).toBe(1);
  });

  test.each<[string, ...(readonly string[])[]]>([
    ["in Chinese", ["订单", "收件人", "", "", "商品"]],
    ["that are names of three columns", ["订单号", "收件人", "", "", "商品"]],
    ["in English", ["Order", "Receiver", "", "", "Item"]],
    ["below a title", ["六月订单"], ["", "收货人", "", "", "物品"]],
  ])("with titles of groups, %s: the header is below them", async (_what, ...above) => {
    const home = await homeWith(write(...above, known, rows[0] ?? []), name);
    const ran = await home.importFile(home.file);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(ran.report).toMatchObject([{ ref: "A-1", outcome: "created" }]);
    expect(await sent(home)).toMatchObject([
      { receiver: { name: "李四", phone: "13900139000", detail: rows[0]?.[3] }, item: { quantity: 2 } },
    ]);
  });

  const twoLines: readonly (readonly [string, readonly string[], readonly string[], readonly string[]])[] = [
    [
      "as many known names in both",
      ["订单编号", "收件人", "", "", "商品", "数量"],
      ["", "收件人姓名", "收件人电话", "收件人地址", "商品名称", ""],
      ["9101", "李四", "13900139701", "广东省广州市天河区文三路5号", "书", "5"],
    ],
    [
      "more known names in the lower one",
      ["订单编号", "收件人", "", "", "商品", "", "重量"],
      ["", "收件人姓名", "收件人电话", "收件人地址", "商品名称", "商品数量", ""],
      ["9101", "李四", "13900139701", "广东省广州市天河区文三路5号", "书", "5", "2.5"],
    ],
    [
      "short names below the receiver's",
      ["订单编号", "收件人", "", "", "商品", ""],
      ["", "姓名", "电话", "地址", "名称", "数量"],
      ["9101", "李四", "13900139701", "广东省广州市天河区文三路5号", "书", "5"],
    ],
    [
      "short names below sender and receiver",
      ["订单编号", "寄件人信息", "", "", "收件人信息", "", "", "商品信息", ""],
      ["", "姓名", "电话", "地址", "姓名", "电话", "地址", "名称", "数量"],
      [
        ...["9101", "赵六", "13700137000", "浙江省杭州市西湖区文三路1号"],
        ...["李四", "13900139701", "广东省广州市天河区文三路5号", "书", "5"],
      ],
    ],
    [
      "the receiver's address as the title of its group",
      ["订单编号", "收货地址", "", "", "货品", ""],
      ["", "姓名", "电话", "地址", "名称", "数量"],
      ["9101", "李四", "13900139701", "广东省广州市天河区文三路5号", "书", "5"],
    ],
    [
      "the words of a courier's batch sheet",
      ["订单编号", "收件人", "", "", "托寄物", ""],
      ["", "姓名", "电话", "地址", "名称", "数量"],
      ["9101", "李四", "13900139701", "广东省广州市天河区文三路5号", "书", "5"],
    ],
    [
      "two languages",
      ["订单编号", "收件人 Receiver", "", "", "商品/Goods", ""],
      ["", "姓名", "电话", "地址", "名称", "数量"],
      ["9101", "李四", "13900139701", "广东省广州市天河区文三路5号", "书", "5"],
    ],
    [
      "many columns that are not used",
      ["订单编号", "收件人", "", "", "", "商品", "", "", "", "", "其他", ""],
      ["", "客户编号", "姓名", "电话", "地址", "名称", "数量", "颜色", "客服", "仓库", "备注", "等级"],
      [
        ...["9101", "K1", "李四", "13900139701", "广东省广州市天河区文三路5号", "书", "5"],
        ...["红", "小王", "一号", "轻放", "A"],
      ],
    ],
    [
      "in English",
      ["Order", "Recipient details", "", "", "Product", ""],
      ["", "Name", "Phone", "Address", "Name", "Qty"],
      ["9101", "李四", "13900139701", "广东省广州市天河区文三路5号", "书", "5"],
    ],
    [
      "in English, of the receiver",
      ["Order", "Receiver", "", "", "Item", ""],
      ["", "Name", "Phone", "Address", "Name", "Quantity"],
      ["9101", "李四", "13900139701", "广东省广州市天河区文三路5号", "书", "5"],
    ],
  ];
  test.each(twoLines)(
    "a header in two lines, %s: each column has the titles of both",
    async (_what, ...sheet) => {
      const home = await homeWith(write(...sheet), name);
      const rejects = path.join(home.directory, "rejects.csv");
      const done = path.join(home.directory, `done-${name}`);
      const ran = await home.importFile(home.file, `--write-back ${done}`);
      expect(ran.exit, ran.stderr).toBe(0);
      expect(ran.stderr).not.toContain("no title");
      expect(ran.stderr).not.toContain("not read");
      expect(ran.report).toMatchObject([{ ref: "9101", outcome: "created" }]);
      expect(await sent(home)).toMatchObject([
        {
          sender: { phone: sheet[2].length === 9 ? "13700137000" : "13800138000" },
          receiver: { name: "李四", phone: "13900139701", detail: "广东省广州市天河区文三路5号" },
          item: { name: "书", quantity: 5, ...(sheet[0].includes("重量") ? { weight: 2.5 } : {}) },
        },
      ]);
      const cells = await cellsOf(done);
      expect(cells[0]).toEqual(sheet[0].slice(0, sheet[0].findLastIndex((cell) => cell !== "") + 1));
      const width = sheet[1].length;
      const ends = [sheet[1], sheet[2]].map((each) => each.findLastIndex((cell) => cell !== "") + 1);
      expect(cells[1]?.slice(0, ends[0])).toEqual(sheet[1].slice(0, ends[0]));
      expect(cells[1]?.slice(width)).toHaveLength(written.length);
      expect(cells[2]?.slice(0, width)).toEqual(sheet[2]);
      expect(cells[2]?.[width]).toMatch(/^CR/);
      const sentAgain = await home.importFile(done, "--in-place");
      expect(sentAgain.report, sentAgain.stderr).toMatchObject([{ outcome: "shipped" }]);
      // The ref finds the order of a row that was changed since.
      const changed = sheet[2].map((cell) => cell.replace("文三路5号", "文三路5号3楼"));
      const wrong = sheet[2].map((cell) => cell.replace("9101", "9102").replace(/^5$/, "many"));
      const edited = await home.put(write(sheet[0], sheet[1], changed, wrong), name);
      const again = await home.importFile(edited, `--skip-wrong --rejects ${rejects}`);
      expect([again.exit, home.posts], again.stderr).toEqual([3, 1]);
      expect(again.report).toMatchObject([{ outcome: "changed" }, { outcome: "wrong" }]);
      await home.put((await readFile(rejects, "utf8")).replace(",many", ",5"), "rejects.csv");
      expect((await home.importFile(rejects)).report).toMatchObject([{ ref: "9102", outcome: "created" }]);
    },
  );

  describe("a header in two lines with names that are not known", () => {
    const upper = ["店里的号", "收件人", "", "", "商品", ""];
    const lower = ["", "谁", "电话", "地址", "名称", "件数"];
    const row = ["9101", "李四", "13900139701", "广东省广州市天河区文三路5号", "书", "5"];
    const order = { receiver: { name: "李四", phone: "13900139701" }, item: { name: "书", quantity: 5 } };

    test("is decided once", async () => {
      const home = await homeWith(write(upper, lower, row), name);
      const prompts = scriptedPrompts({
        searches: ["ref", "receiver.name"],
        choices: ["use these"],
        confirms: [true],
      });
      const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
      expect(ran.exit, ran.stderr).toBe(0);
      expect(await sent(home)).toMatchObject([order]);
      const again = await home.importFile(home.file);
      expect(again.stderr).toContain("columns as decided for files with this header");
      expect(again.report).toMatchObject([{ ref: "9101", outcome: "shipped" }]);
    });

    test("takes --map for names of both; where it names the upper one alone, the lower one is no order", async () => {
      const home = await homeWith(write(upper, lower, row), name);
      const words = ["orders", "import", home.file];
      const ran = await home.courier([
        ...words,
        "--yes",
        "--map",
        "店里的号=ref",
        "--map",
        "谁=receiver.name",
      ]);
      expect(ran.exit, ran.stderr).toBe(0);
      expect(await sent(home)).toMatchObject([order]);
      const known = lower.map((title) => title.replace("谁", "姓名"));
      await home.put(write(upper, known, row), name);
      const ofUpper = await home.courier([...words, "--map", "收件人=receiver.name", "--check"]);
      expect([ofUpper.exit, home.posts], ofUpper.stderr).toEqual([2, 1]);
      expect(ofUpper.stderr).toMatch(
        /it is not clear which (?:line|row) is the header: (?:line|row) 1 or (?:line|row) 2/,
      );
    });
  });

  test("of an unknown header are no columns where each has one cell", async () => {
    const home = await homeWith(write(["六月订单"], ["仅供内部使用"], titles, first, second), name);
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    const { message, hint } = errorOf(ran);
    expect(message).toBe(`${home.file}: 7 columns are not clear: ${titles.join(", ")}`);
    const again = await home.courier(wordsOf(hint.replace(/^.*run: /, ""), home.directory));
    expect(again.exit, again.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([ofFirst, { receiver: { name: "王五" } }]);
  });

  test.each<[string, ...(readonly string[])[]]>([
    [
      "a label with its value",
      ["发货单", "", "寄件人", "王店"],
      ["订单号", "收件人", "收件电话", "地址", "商品", "数量"],
    ],
    ["a label above short titles", ["寄件人", "王店"], ["姓名", "电话", "地址", "商品", "数量"]],
    [
      "a label in English",
      ["From", "My Shop"],
      ["Name", "Receiver phone", "Receiver address", "Item", "Qty"],
    ],
    ["a label of one column", ["发件人", "张三"], known],
    ["a group that may be anyone's", ["客户", "", "", "商品", ""], ["姓名", "电话", "地址", "名称", "数量"]],
    [
      "a title that is a group's name",
      ["", "", "寄件信息", "", "", ""],
      ["订单号", "收件人", "电话", "地址", "商品", "数量"],
    ],
    ["a full order with another phone", ["A0", "李四", "010-88886666", "北京市朝阳区1号", "书", "3"], known],
    ["an order without a phone", ["A0", "李四", "", "建国路", "书", "3"], known],
    [
      "an order in one cell and its goods",
      ["李四 13900139002 北京市朝阳区1号", "笔"],
      ["收件信息", "商品", "数量"],
    ],
    [
      "an order of another export",
      ["客户", "手机", "地点", "货品", "件数"],
      ["张三", "13900139001", "北京", "书", "1"],
      ["收件人", "收件电话", "收件地址", "商品", "数量"],
    ],
  ])(
    "%s above titles: it is not clear which is the header, also where a hint is followed",
    async (_what, ...sheet) => {
      const home = await homeWith(
        write(...sheet, ["9101", "13900139000", "北京路1号", "2", "3", "4"].slice(0, sheet.at(-1)?.length)),
        name,
      );
      const words = ["orders", "import", home.file, "--yes", "--json"];
      const ran = await home.courier(words);
      const { message, hint } = errorOf(ran);
      expect(message).toMatch(
        /: it is not clear which (?:line|row) is the header: (?:line|row) \d or (?:line|row) \d$/,
      );
      expect(hint).toMatch(
        /^write all titles of columns into one (?:line|row), delete what is above it, and run/,
      );
      const mapped = await home.courier([...words, "--map", `${sheet[0]?.[0]}=receiver.name`]);
      expect([ran.exit, mapped.exit, home.posts], mapped.stderr).toEqual([2, 2, 0]);
    },
  );

  test("a line of labels above short titles is not read, and the titles are questions", async () => {
    const labels = ["店铺：", "王店", "日期：", "6月1日"];
    const home = await homeWith(
      write(
        labels,
        ["收件人", "电话", "地址", "商品", "数量"],
        ["李四", "13900139000", "北京路1号", "书", "5"],
      ),
      name,
    );
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    const again = await home.courier(
      wordsOf(errorOf(ran).hint.replace(/^.*(?:run|command): /, ""), home.directory),
    );
    expect(again.exit, again.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([{ receiver: { name: "李四", phone: "13900139000" } }]);
  });

  test("an order whose texts are names of columns is no second line of a header with an empty title", async () => {
    const header = ["收件人", "收件电话", "收件地址", "商品", "", "数量"];
    const named = ["姓名", "13900139001", "地址", "名称", "红", "1"];
    const row = ["张三", "13900139002", "北京路1号", "书", "蓝", "2"];
    const home = await homeWith(write(header, named, row), name);
    const ran = await home.importFile(home.file, "--skip-wrong");
    expect(
      ran.report.map(({ outcome }) => outcome),
      ran.stderr,
    ).toEqual(["wrong", "created"]);
    expect(await sent(home)).toMatchObject([
      { receiver: { name: "张三", phone: "13900139002" }, item: { quantity: 2 } },
    ]);
  });

  test("short titles that occur twice can be named: the group's are joined", async () => {
    const upper = ["收件人", "", "", "商品", "", "寄件人", "", ""];
    const lower = ["姓名", "电话", "地址", "名称", "数量", "姓名", "电话", "地址"];
    const row = ["李四", "13900139701", "北京路1号", "书", "5", "赵六", "13700137000", "上海路2号"];
    const home = await homeWith(write(upper, lower, row), name);
    const flags = ["--map", "收件人姓名=receiver.name", "--map", "寄件人姓名=sender.name"];
    const ran = await home.courier(["orders", "import", home.file, "--yes", ...flags]);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([
      { receiver: { name: "李四" }, sender: { name: "赵六" }, item: { name: "书" } },
    ]);
  });

  test("a header in two lines below five of notes is in doubt; below four it is read whole", async () => {
    const [, upper = [], lower = [], row = []] = twoLines[2] ?? [];
    const notes = ["六月订单", "仓库一", "仓库二", "仓库三"].map((each) => [each]);
    const home = await homeWith(write(...notes, upper, lower, row), name);
    const ran = await home.importFile(home.file);
    expect(ran.report, ran.stderr).toMatchObject([{ ref: "9101", outcome: "created" }]);
    expect(await sent(home)).toMatchObject([{ receiver: { phone: "13900139701" }, item: { quantity: 5 } }]);
    await home.put(write(["仓库四"], ...notes, upper, lower, row), name);
    const further = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([further.exit, home.posts], further.stderr).toEqual([2, 1]);
  });

  test("a header in two lines on each page is wrong where it comes again", async () => {
    const [, upper = [], lower = [], row = []] = twoLines[2] ?? [];
    const home = await homeWith(
      write(
        upper,
        lower,
        row,
        upper,
        lower,
        row.map((cell) => cell.replace("9101", "9102")),
      ),
      name,
    );
    const ran = await home.importFile(home.file, "--skip-wrong");
    expect(
      ran.report.map(({ outcome }) => outcome),
      ran.stderr,
    ).toEqual(["created", "wrong", "wrong", "created"]);
  });

  test("a --map of merged titles, of short ones, and of those that are shown joins both lines", async () => {
    const upper = ["订单号", "收件人", "", "", "货品", "数量"];
    const lower = ["", "姓名", "电话", "地址", "", ""];
    const row = ["9101", "李四", "13900139701", "北京路1号", "书", "5"];
    for (const map of [
      { 货品: "item.name" },
      { 货品: "item.name", 订单号: "ref" },
      { 货品: "item.name", 订单号: "" },
      { 货品: "item.name", 姓名: "receiver.name", 电话: "receiver.phone", 地址: "receiver.detail" },
      { 货品: "item.name", 收件人姓名: "receiver.name" },
    ]) {
      const home = await homeWith(write(upper, lower, row), name);
      const flags = Object.entries(map).flatMap(([title, field]) => ["--map", `${title}=${field}`]);
      const ran = await home.courier(["orders", "import", home.file, "--yes", ...flags]);
      expect(ran.exit, ran.stderr).toBe(0);
      expect(await sent(home)).toMatchObject([
        {
          receiver: { name: "李四", phone: "13900139701", detail: "北京路1号" },
          item: { name: "书", quantity: 5 },
        },
      ]);
    }
  });

  test.each([
    ["of an unknown header", [["六月订单"], ["导出日期", "2026-06-30"], titles]],
    ["that name a column themselves", [["发件人", "张三"], ["导出日期", "2026-06-30"], known]],
  ])("%s leave it in doubt, and are to be deleted", async (_what, above) => {
    const home = await homeWith(write(...above, ...rows), name);
    const line = name.endsWith(".csv") ? "line" : "row";
    const cells = above[0]?.length === 1 ? "1 cell" : "2 cells";
    const error = {
      message: `${home.file}: it is not clear which ${line} is the header: ${line} 1 has ${cells}, ${line} 3 has ${above[2]?.length}`,
      hint: expect.stringContaining(`delete the ${line}s above the header, and run the same command again`),
    };
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts, errorOf(ran)]).toMatchObject([2, 0, error]);
    const asked = await home.courier(["orders", "import", home.file, "--json"], {
      terminal: 120,
      prompts: scriptedPrompts({}),
    });
    expect([asked.exit, home.posts, errorOf(asked)]).toMatchObject([2, 0, error]);
  });

  test("are looked for in five lines", async () => {
    const above = ["六月订单", "仓库一", "仓库二", "仓库三", "仓库四"].map((each) => [each]);
    const home = await homeWith(write(...above, known, ...rows), name);
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(errorOf(ran).message).toContain("is the header");
    expect(errorOf(ran).hint).toMatch(/^delete the (?:lines|rows) above the header/);
  });
});

test("a group's title in a workbook reaches as far as its merged cells", async () => {
  const rows = [
    ["寄件人", "", "", "", "", "商品", ""],
    ["姓名", "电话", "地址", "收件人", "收件电话", "名称", "数量"],
    ["王店", "13700137000", "北京路1号", "李四", "13900139000", "书", "5"],
  ];
  const workbookOf = (ranges: readonly string[]) => {
    const after = `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join("")}</mergeCells>`;
    return writeWorkbook({ sheets: [{ name: "Orders", rows, after }] });
  };
  const home = await homeWith(workbookOf(["A1:C1", "F1:G1"]), "orders.xlsx");
  const ran = await home.importFile(home.file);
  expect(ran.exit, ran.stderr).toBe(0);
  expect(await sent(home)).toMatchObject([
    {
      sender: { name: "王店", phone: "13700137000", detail: "北京路1号" },
      receiver: { phone: "13900139000" },
    },
  ]);
  // The address may be the receiver's.
  await home.put(workbookOf(["A1:B1", "F1:G1"]), "orders.xlsx");
  const narrow = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
  expect([narrow.exit, home.posts], narrow.stderr).toEqual([2, 1]);
  expect(errorOf(narrow).message).toContain("column “地址”: sender or receiver?");
});

test("a title that is a formula without a saved value is refused where its column is filled", async () => {
  const title = { xml: "<f>Titles!B1</f>" };
  const workbookOf = (phone: string, street: string) =>
    writeWorkbook({
      sheets: [
        {
          name: "Orders",
          rows: [
            ["ref", "receiver.name", title, "receiver.city", title, "item.name"],
            ["1", "李四", phone, "北京市", street, "茶"],
          ],
        },
      ],
    });
  const home = await homeWith(workbookOf("", "建国路88号"), "orders.xlsx");
  const ran = await home.importFile(home.file);
  expect([ran.exit, home.posts]).toEqual([2, 0]);
  expect(errorOf(ran).message).toContain(
    "orders.xlsx: the title in E1 is a formula without a saved value; open the file in the spreadsheet program, save it, and try again",
  );
  await home.put(workbookOf("", ""), "orders.xlsx");
  const without = await home.importFile(home.file);
  expect([without.exit, home.posts], without.stderr).toEqual([0, 1]);
});

test("of a title that is merged over several columns, no text below it is lost", async () => {
  const workbookOf = (...address: readonly string[]) => {
    const rows = [
      ["订单号", "收件人", "收件电话", "收件地址", "", "", "商品"],
      ["A1", "李四", "13900139000", "北京市朝阳区建国路88号", "", "", "茶"],
      ["A2", "王五", "13900139001", ...address, "茶"],
    ];
    const after = '<mergeCells><mergeCell ref="D1:F1"/></mergeCells>';
    return writeWorkbook({ sheets: [{ name: "Orders", rows, after }] });
  };
  const home = await homeWith(workbookOf("广东省", "深圳市南山区", "科技园路1号"), "orders.xlsx");
  const ran = await home.importFile(home.file, "--map 收件地址=receiver.address");
  expect([ran.exit, home.posts]).toEqual([2, 0]);
  expect(errorOf(ran).message).toContain(
    "“深圳市南山区” has no title of its own: “收件地址” is merged over several columns",
  );
  await home.put(workbookOf("广东省深圳市南山区科技园路1号", "", ""), "orders.xlsx");
  const whole = await home.importFile(home.file, "--map 收件地址=receiver.address");
  expect([whole.exit, home.posts], whole.stderr).toEqual([0, 2]);
});

test("a title that is merged over a table is no group; a group that is no party's is named by its short titles", async () => {
  const workbookOf = (rows: readonly (readonly string[])[], ...ranges: readonly string[]) => {
    const after = `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join("")}</mergeCells>`;
    return writeWorkbook({ sheets: [{ name: "Orders", rows, after }] });
  };
  const titled = workbookOf(
    [
      ["寄件信息"],
      ["订单号", "收件人", "电话", "地址", "商品", "数量"],
      ["A1", "张三", "13900139001", "北京路1号", "书", "1"],
    ],
    "A1:F1",
  );
  const home = await homeWith(titled, "orders.xlsx");
  const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
  expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
  expect(errorOf(ran).message).toContain("it is not clear which row is the header: row 1 or row 2");
  const upper = ["订单号", "客户信息", "", "", "商品", "", "发货人", "", ""];
  const lower = ["", "姓名", "电话", "地址", "名称", "数量", "姓名", "电话", "地址"];
  const row = ["A1", "张三", "13900139001", "北京路1号", "书", "2", "赵六", "13700137000", "上海路2号"];
  await home.put(workbookOf([upper, lower, row], "B1:D1", "E1:F1", "G1:I1"), "orders.xlsx");
  const asked = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
  expect([asked.exit, home.posts], asked.stderr).toEqual([2, 0]);
  const again = await home.courier(
    wordsOf(errorOf(asked).hint.replace(/^.*(?:run|command): /, ""), home.directory),
  );
  expect(again.exit, again.stderr).toBe(0);
  expect(await sent(home)).toMatchObject([
    { sender: { name: "赵六", phone: "13700137000" }, receiver: { name: "张三", phone: "13900139001" } },
  ]);
});

describe("groups above titles of which most are not known", () => {
  const place = "广东省深圳市南山区科技园路1号";
  const workbookOf = (rows: readonly (readonly string[])[], ranges: readonly string[]) => {
    const after = `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join("")}</mergeCells>`;
    return writeWorkbook({ sheets: [{ name: "Orders", rows, after }] });
  };

  test.each<[string, readonly string[], ...(readonly string[])[]]>([
    [
      "in Chinese",
      ["B1:D1"],
      ["订单", "收货人", "", "", "商品"],
      ["单号", "联系人", "联系电话", "送货地址", "品名"],
      ["A1", "张三", "13900139001", place, "书"],
    ],
    [
      "in English",
      ["B1:E1"],
      ["Order", "Recipient", "", "", "", "Item"],
      ["ID", "First Name", "Last Name", "Phone", "Address", "Title"],
      ["1", "San", "Zhang", "13900139001", "1 Road", "Book"],
    ],
    [
      "with numbers in titles",
      ["B1:D1", "E1:F1"],
      ["Order", "Consignee", "", "", "Item", ""],
      ["No", "Contact", "Cell (11 digits)", "Address Line 1", "Description", "Pcs"],
      ["1", "Zhang", "13900139001", "1 Road", "Book", "1"],
    ],
    [
      "in traditional characters",
      ["B1:D1"],
      ["訂單", "收件人", "", "", "商品"],
      ["編號", "聯絡人", "行動電話", "送貨地址", "品名"],
      ["A1", "王小明", "0912345678", "台北市1號", "書"],
    ],
    [
      "without a column of the order",
      ["A1:C1", "D1:E1"],
      ["收件人", "", "", "商品", ""],
      ["联系人", "联系电话", "送货地址", "品名", "规格"],
      ["张三", "13900139001", place, "书", "大"],
    ],
    [
      "of which the goods are not known",
      ["A1:C1"],
      ["收货人", "", "", "货物"],
      ["联系人", "联系号码", "送货地址", "品名"],
      ["张三", "13900139001", place, "书"],
    ],
  ])("%s: no line of titles is sent, and no order without them", async (_what, ranges, ...rows) => {
    for (const [content, name, line] of [
      [workbookOf(rows, ranges), "orders.xlsx", "row"],
      [sheetOf(...rows), "orders.xlsx", "row"],
      [text(...rows), "orders.csv", "line"],
    ] as const) {
      const home = await homeWith(content, name);
      const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
      expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
      expect(errorOf(ran).message).toContain(
        `it is not clear which ${line} is the header: ${line} 1 or ${line} 2`,
      );
      expect(errorOf(ran).hint).toContain(`write all titles of columns into one ${line}`);
    }
  });

  test("a merged title is one of them, whatever it says", async () => {
    const rows = [
      ["号", "客户", "", "", "商品"],
      ["单号", "谁", "怎么找", "送到", "内容"],
      ["A1", "张三", "13900139001", place, "书"],
    ];
    const home = await homeWith(workbookOf(rows, ["B1:D1"]), "orders.xlsx");
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    expect(errorOf(ran).message).toContain("it is not clear which row is the header: row 1 or row 2");
  });

  test.each<[string, readonly string[], ...(readonly string[])[]]>([
    [
      "merged over two columns",
      ["A1:B1"],
      ["收件人", "", "收件电话", "收件地址", "商品"],
      ["张三", "", "13900139001", place, "书"],
    ],
    [
      "merged as the cells of orders are",
      ["A1:B1", "A2:B2"],
      ["收件人", "", "收件地址", "商品"],
      ["张三", "", "深圳市南山区科技园", "书"],
    ],
    [
      "beside a column without a title",
      [],
      ["收件人", "收件电话", "收件地址", "商品", ""],
      ["张三", "13900139001", place, "书", "红"],
    ],
  ])("a title %s is a header in one line", async (_what, ranges, ...rows) => {
    const home = await homeWith(workbookOf(rows, ranges), "orders.xlsx");
    const ran = await home.importFile(home.file);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([{ receiver: { name: "张三" }, item: { name: "书" } }]);
  });
});

describe("a title that --map names for one party, below the group of the other", () => {
  const row = ["王店", "13700137000", "北京路1号", "李四", "13900139000", "上海路2号", "书"];
  const upper = ["寄件人", "", "", "收件人", "", "", "商品"];
  const workbookOf = (rows: readonly (readonly string[])[], ...ranges: readonly string[]) => {
    const after = `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join("")}</mergeCells>`;
    return writeWorkbook({ sheets: [{ name: "Orders", rows, after }] });
  };
  const receiver = ["姓名=receiver.name", "电话=receiver.phone", "地址=receiver.detail"];
  const flagsOf = (maps: readonly string[]) => maps.flatMap((map) => ["--map", map]);
  const grouped = (lower: readonly string[]) => workbookOf([upper, lower, row], "A1:C1", "D1:F1");
  const refused = async (home: ImportHome, words: readonly string[], title: string) => {
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json", ...words]);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    const { message, hint } = errorOf(ran);
    expect(message).toMatch(
      new RegExp(`column “${title}” is below “寄件人”, and a map makes it receiver\\.`),
    );
    return hint;
  };

  test.each([
    ["all of its titles", ["姓名", "电话", "地址", "名字", "手机", "详细地址", ""], receiver, "姓名"],
    [
      "one that only this group has",
      ["姓名", "电话", "地址", "姓名", "手机", "地址", ""],
      ["电话=receiver.phone"],
      "电话",
    ],
    [
      "one that is not known",
      ["联系人", "电话", "地址", "姓名", "手机", "详细地址", ""],
      ["联系人=receiver.name"],
      "联系人",
    ],
  ])("%s: nothing is sent", async (_what, lower, maps, title) => {
    const home = await homeWith(grouped(lower), "orders.xlsx");
    const hint = await refused(home, flagsOf(maps), title);
    expect(hint).toContain(`--map "寄件人${title}=receiver.`);
    // Both titles together leave no doubt.
    const named = flagsOf(maps.map((map) => `寄件人${map}`));
    const both = await home.courier(["orders", "import", home.file, "--yes", ...named]);
    expect(both.exit, both.stderr).toBe(0);
    const [, field = ""] = maps[0]?.split("receiver.") ?? [];
    expect(await sent(home)).toMatchObject([{ receiver: { [field]: field === "name" ? "王店" : row[1] } }]);
  });

  test("a title that is not known ends a group whose cells are not merged", async () => {
    const lower = ["姓名", "电话", "地址", "客户", "客户电话", "客户地址", ""];
    const home = await homeWith(text(["寄件人", "", "", "", "", "", "商品"], lower, row));
    const maps = ["客户=receiver.name", "客户电话=receiver.phone", "客户地址=receiver.detail"];
    const ran = await home.courier(["orders", "import", home.file, "--yes", ...flagsOf(maps)]);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([{ sender: { name: "王店" }, receiver: { name: "李四" } }]);
  });

  test("in a text file, and with columns that were saved for its lower line", async () => {
    const lower = ["姓名", "电话", "地址", "商品"];
    const home = await homeWith(text(lower, ["李四", "13900139000", "上海路2号", "书"]));
    const saved = await home.courier(["orders", "import", home.file, "--check"], {
      terminal: 120,
      prompts: scriptedPrompts({ searches: ["", "", ""], choices: ["use these columns"], confirms: [true] }),
    });
    expect(saved.exit, saved.stderr).toBe(0);
    const rows = [["寄件人", "", "", ""], lower, ["王店", "13700137000", "北京路1号", "书"]];
    await home.put(text(...rows));
    await refused(home, [], "姓名");
    const workbook = await home.put(workbookOf(rows, "A1:D1"), "orders.xlsx");
    await refused(Object.assign(home, { file: workbook }), [], "姓名");
  });

  test("with a map that was saved by name", async () => {
    const home = await homeWith(
      text(["姓名", "电话", "地址", "商品"], ["李四", "13900139000", "上海路2号", "书"]),
    );
    const plain = ["orders", "import", home.file, "--check", ...flagsOf(receiver), "--save-map", "mine"];
    const saved = await home.courier(plain);
    expect(saved.exit, saved.stderr).toBe(0);
    const lower = ["姓名", "电话", "地址", "名字", "手机", "详细地址", ""];
    const file = await home.put(grouped(lower), "orders.xlsx");
    await refused(Object.assign(home, { file }), ["--sender", "@shop", "--use-map", "mine"], "姓名");
    // A group that it fits.
    const fits = workbookOf(
      [
        ["收件人", "", "", "商品"],
        ["姓名", "电话", "地址", ""],
        ["李四", "13900139000", "上海路2号", "书"],
      ],
      "A1:C1",
    );
    await home.put(fits, "orders.xlsx");
    const ran = await home.courier(["orders", "import", file, "--yes", "--use-map", "mine"]);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([{ receiver: { name: "李四", phone: "13900139000" } }]);
  });
});

describe("short titles directly behind a party's name", () => {
  const row = ["王店", "13700137000", "北京市朝阳区建国路1号", "李四", "13900139000", "上海路2号", "书"];
  const whole = [
    {
      sender: { name: "王店", phone: "13700137000", detail: "北京市朝阳区建国路1号" },
      receiver: { name: "李四", phone: "13900139000", detail: "上海路2号" },
    },
  ];

  test.each([
    ["寄件人,电话,地址,收件人,电话,地址,物品", "电话", "收件人电话 and 寄件人电话"],
    ["Sender,Phone,Address,Receiver,Phone,Address,Item", "Phone", "Receiver Phone and Sender Phone"],
  ])("%s: two columns of one name are to be named by party", async (titles, title, names) => {
    const home = await homeWith(text(titles.split(","), row));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    expect(errorOf(ran)).toMatchObject({
      message: `two columns have the name ${title}`,
      hint: `name them by party in the file: ${names}`,
    });
  });

  test.each([
    "寄件人,电话,地址,收件人,电话2,地址2,物品",
    "寄件人,电话,地址,收件人,电话.1,地址.1,物品",
    "Sender,Phone,Address,Receiver,Phone 2,Address 2,Item",
    "收件人,电话,地址,寄件人,电话2,地址2,物品",
  ])("%s: the guesses are of the nearest party", async (titles) => {
    const isSenderFirst = /^(?:寄|S)/.test(titles);
    const cells = isSenderFirst ? row : [...row.slice(3, 6), ...row.slice(0, 3), "书"];
    const home = await homeWith(text(titles.split(","), cells));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    const line = errorOf(ran)
      .hint.replace(/^.*run: /, "")
      .replace(/address/g, "detail");
    const again = await home.courier(wordsOf(line, home.directory));
    expect(again.exit, again.stderr).toBe(0);
    expect(await sent(home)).toMatchObject(whole);
  });

  test("a field that this party has already is the receiver's; other columns between say nothing", async () => {
    const home = await homeWith(
      text(["寄件人", "寄件人电话", "寄件人地址", "姓名", "电话", "地址", "物品"], row),
    );
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect(errorOf(ran)).toMatchObject({
      details: [{ guess: "receiver.name" }, { guess: "receiver.phone" }, { guess: "receiver.detail" }],
    });
    await home.put(
      text(["寄件人", "物品", "客户", "电话", "地址"], ["王店", "书", "李四", "13900139000", "上海路2号"]),
    );
    const further = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect(errorOf(further)).toMatchObject({
      details: [
        { column: "客户", guess: "receiver.name" },
        { column: "电话", guess: "receiver.phone" },
        { column: "地址", guess: "receiver.detail" },
      ],
    });
  });
});

describe("a column of a party that is not known, beside a whole header", () => {
  const columns = ["订单号", "收件人", "收件人手机", "收件人地址", "商品"];
  const row = ["A-1", "李四", "13900139000", "建国路88号", "书"];
  const asked = async (home: ImportHome, ...words: readonly string[]) => {
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json", ...words]);
    const error: { message?: string; hint?: string; details?: unknown } = ran.exit === 0 ? {} : errorOf(ran);
    return { ran, ...error };
  };

  test.each<[string, string, string | null]>([
    ["收件人地区", "北京市", "receiver.region"],
    ["收货所在省", "浙江省", "receiver.province"],
    ["省/市/区", "北京市朝阳区", "receiver.region"],
    ["所在地区", "北京市朝阳区", "receiver.region"],
    ["收件人所在城市", "北京市", "receiver.city"],
    ["City/State", "NYC NY", "receiver.province"],
    ["收件地址2", "3单元502", "receiver.detail"],
    ["门牌号", "3单元502", "receiver.detail"],
    ["街道", "蒋村街道", "receiver.detail"],
    ["乡镇街道", "蒋村街道", "receiver.detail"],
    ["楼栋", "3幢", "receiver.detail"],
    ["Suite", "502", "receiver.detail"],
    ["Apartment", "502", "receiver.detail"],
    ["Unit", "5B", "receiver.detail"],
    ["县", "隆回县", "receiver.district"],
    ["送货地址", "上海路2号", null],
    ["固定电话", "010-88886666", "receiver.phone"],
    ["备用电话", "010-88886666", "receiver.phone"],
    ["电话2", "010-88886666", "receiver.phone"],
    ["其他联系方式", "010-88886666", "receiver.phone"],
    ["Home phone", "010-88886666", "receiver.phone"],
    ["收件人姓氏", "李", null],
    ["收件人固话", "010-88886666", "receiver.phone"],
  ])("%s is in doubt where it holds something", async (title, value, guess) => {
    const home = await homeWith(
      text([...columns, title], [...row, ""], ["A-2", "王五", "", "南京路1号", "笔", value]),
    );
    const { ran, message, hint, details } = await asked(home);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    expect(message).toBe(`${home.file}: 1 column is not clear: ${title}`);
    expect(details).toEqual([{ column: title, example: value, guess }]);
    expect(String(hint).includes("what is not used is not sent")).toBe(guess === null);
    const again = await home.courier(wordsOf(String(hint).replace(/^.*run: /, ""), home.directory));
    expect([again.exit, home.posts], again.stderr).toEqual([0, 2]);
    const [part = "", field = ""] = guess?.split(".") ?? [];
    const place = { province: "北京市", city: "北京市", detail: "南京路1号" };
    const street = { detail: `南京路1号 ${value}` };
    const held = field === "region" ? place : field === "detail" ? street : { [field]: value };
    const match = { [part]: expect.objectContaining(held) as unknown };
    if (guess !== null) expect(await sent(home)).toContainEqual(expect.objectContaining(match));
  });

  test.each(["收件人固定电话", "Receiver contact", "收件人联系电话号"])(
    "%s is the phone where no other column has it",
    async (title) => {
      const home = await homeWith(
        text(
          ["订单号", "收件人", title, "收件人地址", "商品"],
          ["A-1", "李四", "010-88886666", "建国路88号", "书"],
        ),
      );
      const { details } = await asked(home);
      expect(details).toEqual([{ column: title, example: "010-88886666", guess: "receiver.phone" }]);
    },
  );

  test.each([
    [
      "phone",
      "13800138000",
      "客户电话 买家手机 联系号码 电话/手机 送货电话 Contact_Number Phone_Number Cell Customer_Phone",
    ],
    [
      "detail",
      "南京路1号",
      "送货地址 邮寄地址 联系地址 住址 Address_Line_1 Street_Address Full_Address Customer_Address",
    ],
    ["name", "王五", "收件者 联系人 客户姓名 Full_Name Addressee Customer_Name"],
  ])(
    "titles that name no party, or a customer, mean the receiver where no other column has its %s",
    async (field, value, titles) => {
      const whole: Record<string, string> = {
        收件人: "李四",
        收件人手机: "13900139000",
        收件人地址: "建国路88号",
      };
      const own = { name: "收件人", phone: "收件人手机", detail: "收件人地址" }[field] ?? "";
      delete whole[own];
      for (const title of titles.split(" ").map((each) => each.replaceAll("_", " "))) {
        const home = await homeWith(
          text(
            ["订单号", ...Object.keys(whole), title, "商品"],
            ["A-1", ...Object.values(whole), value, "书"],
          ),
        );
        const { details, message } = await asked(home);
        expect(details, `${title}: ${message}`).toMatchObject([
          { column: title, guess: `receiver.${field}` },
        ]);
      }
    },
  );

  test("of two columns of one field, the one that holds something is guessed", async () => {
    const home = await homeWith(
      text(
        ["收件人", "收件人手机", "收件人地址", "物品", "商品"],
        ["李四", "13900139000", "建国路88号", "", "书"],
      ),
    );
    expect((await asked(home)).details).toMatchObject([
      { column: "物品", guess: null },
      { column: "商品", guess: "item.name" },
    ]);
  });

  test.each([
    ["收件人电话", "收件人手机"],
    ["收件人电话", "收件人手机（手机/电话二选一）"],
    ["收件人手机", "固话"],
  ])(
    "%s and %s are both the phone: the first that is filled counts, a mobile's before others",
    async (...phones) => {
      const [mobile = "", other = ""] = phones.toSorted((a) => (a.includes("手机") ? -1 : 1));
      const cellsOfPhones = (numbers: Readonly<Record<string, string>>) =>
        phones.map((title) => numbers[title] ?? "");
      const line = (ref: string, numbers: Readonly<Record<string, string>>) => [
        ...[ref, "李四"],
        ...cellsOfPhones(numbers),
        ...["建国路88号", "书"],
      ];
      const home = await homeWith(
        text(
          ["订单号", "收件人", ...phones, "收件人地址", "商品"],
          line("A-1", { [mobile]: "13900139000", [other]: "010-88886666" }),
          line("A-2", { [mobile]: "13900139002" }),
          line("A-3", { [other]: "010-88886663" }),
        ),
      );
      const { hint } = await asked(home);
      const again = await home.courier(
        wordsOf(String(hint).replace(/^.*(?:run|command): /, ""), home.directory),
      );
      expect(again.exit, again.stderr).toBe(0);
      const numbers = ["13900139000", "13900139002", "010-88886663"];
      expect(await sent(home)).toMatchObject(numbers.map((phone) => ({ receiver: { phone } })));
    },
  );

  test("two phones of a party keep both columns in the answers of a person, unless one is named anew", async () => {
    const write = (ref: string) =>
      text(
        ["订单号", "收件人", "收件人电话", "收件人手机", "收件人地址", "商品"],
        [`${ref}-1`, "李四", "", "13900139000", "建国路88号", "书"],
        [`${ref}-2`, "王五", "010-88886666", "", "南京路1号", "笔"],
      );
    const home = await homeWith(write("A"));
    const accept = { choices: ["use these columns"], confirms: [true] };
    const ran = await home.courier(["orders", "import", home.file], {
      terminal: 120,
      prompts: scriptedPrompts({ searches: ["", ""], ...accept }),
    });
    expect(ran.exit, ran.stderr).toBe(0);
    await home.put(write("B"));
    const next = await home.courier(["orders", "import", home.file, "--yes"]);
    expect(next.exit, next.stderr).toBe(0);
    const phones = ["13900139000", "010-88886666"].map((phone) => ({ receiver: { phone } }));
    expect(await sent(home)).toMatchObject([...phones, ...phones]);
    const other = await homeWith(write("A"));
    const named = await other.courier(["orders", "import", other.file], {
      terminal: 120,
      prompts: scriptedPrompts({ searches: ["not used", "sender phone"], ...accept }),
    });
    expect(named.exit, named.stderr).toBe(0);
    expect(await sent(other)).toMatchObject([{ sender: { phone: "13900139000" } }, {}]);
  });

  test("the phone and address of a sender may have short titles", async () => {
    const home = await homeWith(
      text(
        ["寄件人", "电话", "地址", "收件人", "收件人电话", "收件人地址", "物品"],
        ["王店", "13700137000", "北京路1号", "李四", "13900139000", "上海路2号", "书"],
      ),
    );
    const { hint, details } = await asked(home);
    expect(details).toMatchObject([
      { column: "电话", guess: "sender.phone" },
      { column: "地址", guess: "sender.detail" },
    ]);
    const again = await home.courier(wordsOf(String(hint).replace(/^.*run: /, ""), home.directory));
    expect(again.exit, again.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([
      {
        sender: { name: "王店", phone: "13700137000", detail: "北京路1号" },
        receiver: { phone: "13900139000" },
      },
    ]);
  });

  test.each([
    "收件人备注",
    "收件日期",
    "收货状态",
    "收件人邮编",
    "收件公司",
    "Receiver email",
    "收件人电话后四位",
    "Recipient country",
    "发货地区",
    "退货地址",
    "收件人固话",
    "Ship date",
    "Shipping method",
    "备用电话",
    "Country",
    "Phone Number",
    "Contact Number",
    "客户电话",
    "客户编号",
    "PO Number",
    "Height",
    "Seller Name",
    "Store Phone",
    "联系人",
    "Full Name",
    "Home Address",
    "Billing Address",
    "Unit",
    "固定电话",
  ])("%s is none that an order lacks", async (title) => {
    const home = await homeWith(text([...columns, title], [...row, "x"]));
    const { ran } = await asked(home);
    expect([ran.exit, home.posts], ran.stderr).toEqual([0, 1]);
  });

  test.each(forms)("nor is one that is empty, or was decided (%s)", async (_form, name, write) => {
    const home = await homeWith(write([...columns, "收件人地区"], [...row, ""]), name);
    expect((await asked(home)).ran.exit).toBe(0);
    const further = [...Array(30).keys()].map((each) => [`B-${each}`, ...row.slice(1), ""]);
    const last = ["A-2", "王五", "13700137000", "南京路1号", "笔", "上海市"];
    await home.put(write([...columns, "收件人地区"], ...further, last), name);
    expect((await asked(home)).ran.exit).toBe(2);
    const left = await asked(home, "--map", "收件人地区=", "--allow-duplicate", "all");
    expect(left.ran.stderr).not.toContain("not clear");
  });

  test("is asked about once at a terminal", async () => {
    const home = await homeWith(text([...columns, "收件人地区"], [...row, "北京市朝阳区"]));
    const prompts = scriptedPrompts({ searches: [""], choices: ["use these columns"], confirms: [true] });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([
      { receiver: { province: "北京市", city: "北京市", district: "朝阳区", detail: "建国路88号" } },
    ]);
    expect((await asked(home)).ran.exit).toBe(0);
  });
});

test.each(forms)(
  "the parts of a street are joined, as a person confirms once (%s)",
  async (_form, name, write) => {
    const titles = ["订单号", "收件人", "收件人手机", "街道", "收件人地址", "门牌号", "商品"];
    const home = await homeWith(
      write(titles, ["A-1", "李四", "13900139000", "蒋村街道", "文三路1号", "502", "书"]),
      name,
    );
    const prompts = scriptedPrompts({ searches: ["", ""], choices: ["use these columns"], confirms: [true] });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect(ran.exit, ran.stderr).toBe(0);
    await home.put(write(titles, ["A-2", "王五", "13700137000", "", "文三路2号", "", "书"]), name);
    const next = await home.importFile(home.file);
    expect(next.exit, next.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([
      { receiver: { detail: "蒋村街道 文三路1号 502" } },
      { receiver: { detail: "文三路2号" } },
    ]);
  },
);

test.each([
  ["文三路", "0", "门牌号"],
  ["0", "1号", "收件人地址"],
  ["文三路", "#N/A", "门牌号"],
  ["文三路", "同上", "门牌号"],
])("%s with %s is no street", async (street, door, column) => {
  const titles = ["订单号", "收件人", "收件人手机", "收件人地址", "门牌号", "商品"];
  const home = await homeWith(text(titles, ["A-1", "李四", "13900139000", street, door, "书"]));
  const maps = ["--map", "收件人地址=receiver.detail", "--map", "门牌号=receiver.detail"];
  const ran = await home.courier(["orders", "import", home.file, "--yes", "--json", ...maps]);
  expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
  expect(errorOf(ran)).toMatchObject({ details: [{ column }] });
});

test.each(["无", "-", "N/A", "微信联系"])("of several phones, %s is none", async (none) => {
  const titles = ["订单号", "收件人", "收件人手机", "收件人电话", "收件人地址", "商品"];
  const home = await homeWith(text(titles, ["A-1", "李四", none, "010-88886666", "建国路88号", "书"]));
  const maps = ["--map", "收件人手机=receiver.phone", "--map", "收件人电话=receiver.phone"];
  const ran = await home.courier(["orders", "import", home.file, "--yes", "--json", ...maps]);
  expect([ran.exit, home.posts], ran.stderr).toEqual([0, 1]);
  expect(await sent(home)).toMatchObject([{ receiver: { phone: "010-88886666" } }]);
});

describe.each(forms)("province, city and district in one column (%s)", (_form, name, write) => {
  const columns = ["订单号", "收件人", "收件人手机", "收件人省市区", "收件人地址", "商品"];
  const rowOf = (ref: string, region: string, street: string) => [
    ...[ref, "李四", "13900139000", region, street, "书"],
  ];
  const place = { province: "浙江省", city: "杭州市", district: "西湖区" };

  test.each(["收件人省市区", "收货省/市/区", "收貨人省市區", "Receiver 省市区", "收件人省市区县"])(
    "%s is split, with the street behind it",
    async (title) => {
      const titles = columns.map((each) => (each === "收件人省市区" ? title : each));
      const rows = [
        "浙江省杭州市西湖区",
        "浙江省 杭州市 西湖区",
        "浙江省-杭州市-西湖区",
        "浙江省/杭州市/西湖区",
      ];
      const table = rows.map((region, index) => rowOf(`A-${index}`, region, "文三路1号"));
      const home = await homeWith(write(titles, ...table), name);
      const { exit, stderr } = await home.importFile(home.file);
      expect(exit, stderr).toBe(0);
      expect(stderr).toContain(`${title} is split in 4 rows, such as: 浙江省 | 杭州市 | 西湖区 | 文三路1号`);
      const receiver = { name: "李四", phone: "13900139000", ...place, detail: "文三路1号" };
      expect(await sent(home)).toMatchObject(rows.map(() => ({ receiver })));
    },
  );

  test("a title of a group reaches it", async () => {
    const upper = ["订单号", "收件人信息", "", "", "", "商品"];
    const lower = ["", "姓名", "电话", "省市区", "详细地址", "名称"];
    const home = await homeWith(write(upper, lower, rowOf("A-1", "浙江省杭州市西湖区", "文三路1号")), name);
    const { exit, stderr } = await home.importFile(home.file);
    expect(exit, stderr).toBe(0);
    expect(await sent(home)).toMatchObject([{ receiver: { ...place, detail: "文三路1号" } }]);
  });

  test.each([
    ["华东", "文三路1号", "not understood: no city"],
    ["浙江省杭州市西湖区", "同上", "says “as above”"],
    ["同上", "文三路1号", "says “as above”"],
    ["浙江省杭州市西湖区", "文三路****", "the platform hid it"],
  ])("%s with %s is a mistake", async (region, street, message) => {
    const home = await homeWith(
      write(columns, rowOf("A-1", "浙江省杭州市西湖区", "文三路1号"), rowOf("A-2", region, street)),
      name,
    );
    const { exit, stderr } = await home.importFile(home.file);
    expect([exit, home.posts], stderr).toEqual([2, 0]);
    expect(stderr).toContain(message);
  });

  test.each([
    ["稠州北路1号", { city: "义乌市", detail: "稠州北路1号" }],
    ["义乌市稠州北路1号", { city: "义乌市", detail: "稠州北路1号" }],
    ["浙江省义乌市稠州北路1号", { city: "义乌市", detail: "稠州北路1号" }],
    ["浙江省金华市义乌市稠州北路1号", { city: "金华市", district: "义乌市", detail: "稠州北路1号" }],
    ["义乌市场路1号", { city: "义乌市", detail: "义乌市场路1号" }],
    ["", { city: "义乌市" }],
  ])("a city of a county's level is the city, where none above it is named: %s", async (street, fields) => {
    const home = await homeWith(write(columns, rowOf("A-1", "浙江省义乌市", street)), name);
    const { exit, stderr } = await home.importFile(home.file);
    expect(exit, stderr).toBe(0);
    const receiver = { name: "李四", phone: "13900139000", province: "浙江省", ...fields };
    expect((await sent(home)) as { receiver: unknown }[]).toEqual([expect.objectContaining({ receiver })]);
  });

  test.each([
    ["浙江省义乌市", "东阳市江滨路1号", "东阳市, not 义乌市"],
    ["浙江省义乌市", "浙江省金华市东阳市江滨路1号", "金华市, not 义乌市"],
    ["浙江省义乌市", "杭州市西湖区文三路1号", "杭州市, not 义乌市"],
  ])("%s with a street in another city is a mistake: %s", async (region, street, places) => {
    const home = await homeWith(write(columns, rowOf("A-1", region, street)), name);
    const { exit, stderr } = await home.importFile(home.file);
    expect([exit, home.posts], stderr).toEqual([2, 0]);
    expect(stderr).toContain(`names another place than the row: ${places}`);
  });

  test("it is read as far as the cells of a row are filled", async () => {
    const rows = [
      rowOf("A-1", "浙江省杭州市西湖区", ""),
      rowOf("A-2", "", "文三路2号"),
      rowOf("A-3", "浙江省杭州市", "西湖区文三路3号"),
      rowOf("A-4", "浙江省杭州市西湖区蒋村街道", "文三路4号"),
      rowOf("A-5", "北京 朝阳区", "建国路88号"),
      rowOf("A-6", "浙江省杭州市西湖区", "浙江省杭州市西湖区文三路6号"),
      rowOf("A-7", "浙江省杭州市西湖区", "西湖区文三路7号"),
    ];
    const home = await homeWith(write(columns, ...rows), name);
    const { exit, stderr } = await home.importFile(home.file);
    expect(exit, stderr).toBe(0);
    const person = { name: "李四", phone: "13900139000" };
    const orders = (await sent(home)) as { receiver: unknown }[];
    expect(new Set(orders.map(({ receiver }) => receiver))).toEqual(
      new Set([
        { ...person, ...place },
        { ...person, detail: "文三路2号" },
        { ...person, ...place, detail: "文三路3号" },
        { ...person, ...place, detail: "蒋村街道 文三路4号" },
        { ...person, province: "北京", city: "北京", district: "朝阳区", detail: "建国路88号" },
        { ...person, ...place, detail: "文三路6号" },
        { ...person, ...place, detail: "文三路7号" },
      ]),
    );
  });

  test("beside a column of the city it is not used", async () => {
    const titles = [...columns, "收件人城市"];
    const home = await homeWith(
      write(titles, [...rowOf("A-1", "浙江省杭州市西湖区", "文三路1号"), "杭州市"]),
      name,
    );
    const { exit, stderr } = await home.importFile(home.file);
    expect(exit, stderr).toBe(0);
    expect(await sent(home)).toMatchObject([{ receiver: { city: "杭州市", detail: "文三路1号" } }]);
    const both = await home.importFile(home.file, "--map 收件人省市区=receiver.region --allow-duplicate all");
    expect([both.exit, home.posts], both.stderr).toEqual([2, 1]);
    expect(both.stderr).toContain(
      "“收件人省市区” is receiver.region, and “收件人城市” is receiver.city, a part of it",
    );
  });
});

describe.each(forms)("a name in two columns (%s)", (_form, name, write) => {
  const titlesOf = (...names: readonly string[]) => [
    "Order",
    ...names,
    "Recipient Phone",
    "Recipient Address",
    "Item",
  ];
  const rowOf = (ref: string, ...names: readonly string[]) => [
    ref,
    ...names,
    "13900139000",
    "1 Wensan Road",
    "Cup",
  ];
  const namesOf = async (home: ImportHome) =>
    ((await sent(home)) as { receiver: { name?: string } }[]).map(({ receiver }) => receiver.name).toSorted();

  test.each([
    ["Recipient First Name", "Recipient Last Name"],
    ["Ship To First Name", "Ship To Last Name"],
    ["shipping_first_name", "shipping_last_name"],
    ["receiver.first_name", "receiver.last_name"],
    ["Receiver Given Name", "Receiver Family Name"],
    ["Consignee First Name", "Consignee Surname"],
  ])("%s and %s are one, whatever their order", async (first, last) => {
    const rows = [
      rowOf("1", "Lei", "Li"),
      rowOf("2", "雷", "李"),
      rowOf("3", "Lei", ""),
      rowOf("4", "", "Li"),
      rowOf("5", "Mary Ann", "O'Brien"),
    ];
    const home = await homeWith(write(titlesOf(first, last), ...rows), name);
    const { exit, stderr } = await home.importFile(home.file);
    expect(exit, stderr).toBe(0);
    expect(await namesOf(home)).toEqual(["Lei", "Lei Li", "Li", "Mary Ann O'Brien", "李雷"]);
    const turned = await homeWith(write(titlesOf(last, first), rowOf("1", "Li", "Lei")), name);
    await turned.importFile(turned.file);
    expect(await namesOf(turned)).toEqual(["Lei Li"]);
  });

  test("without a party they are asked about, and the command line joins them", async () => {
    const home = await homeWith(write(titlesOf("First Name", "Last Name"), rowOf("1", "Lei", "Li")), name);
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    const again = await home.courier(wordsOf(errorOf(ran).hint.replace(/^.*run: /, ""), home.directory));
    expect(again.exit, again.stderr).toBe(0);
    expect(await namesOf(home)).toEqual(["Lei Li"]);
  });

  test.each([
    ["Recipient Name", "Recipient Surname", "Lei", "Li", "Lei Li"],
    ["Name", "Last Name", "Lei", "Li", "Lei Li"],
    ["收件人名", "收件人姓", "雷", "李", "李雷"],
    ["收件人名字", "收件人姓氏", "雷", "李", "李雷"],
    ["名字", "姓氏", "雷", "李", "李雷"],
    ["Customer First", "Customer Last", "Lei", "Li", "Lei Li"],
    ["收件人名", "收件人姓", "李雷", "李", "李雷"],
    ["Recipient Name", "Recipient Surname", "Lei Li", "Li", "Lei Li"],
  ])("%s beside %s: %s and %s are %s", async (first, last, firstName, lastName, whole) => {
    const home = await homeWith(write(titlesOf(last, first), rowOf("1", lastName, firstName)), name);
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    const again = await home.courier(wordsOf(errorOf(ran).hint.replace(/^.*run: /, ""), home.directory));
    expect(again.exit, again.stderr).toBe(0);
    expect(await namesOf(home)).toEqual([whole]);
  });

  test("beside a whole name they are not used", async () => {
    const home = await homeWith(
      write(
        titlesOf("Recipient Name", "Recipient First Name", "Recipient Last Name"),
        rowOf("1", "Lei Li", "Lei", ""),
      ),
      name,
    );
    const { exit, stderr } = await home.importFile(home.file);
    expect(exit, stderr).toBe(0);
    expect(await namesOf(home)).toEqual(["Lei Li"]);
    const map = ["--map", "Recipient First Name=receiver.first_name"];
    const both = await home.courier(["orders", "import", home.file, "--yes", ...map]);
    expect([both.exit, home.posts], both.stderr).toEqual([2, 1]);
    expect(both.stderr).toContain("is receiver.first_name, a part of it");
  });

  test.each(["同上", "张*"])("%s in one of them is a mistake", async (text) => {
    const row = rowOf("1", "Lei", text);
    const home = await homeWith(write(titlesOf("Recipient First Name", "Recipient Last Name"), row), name);
    const { exit, stderr } = await home.importFile(home.file);
    expect([exit, home.posts], stderr).toEqual([2, 0]);
  });

  test("rows that were sent with the first name alone are held without a ref, and known by their ref", async () => {
    for (const ref of ["", "A-1"]) {
      const content = write(titlesOf("Recipient First Name", "Recipient Last Name"), rowOf(ref, "Lei", "Li"));
      const home = await homeWith(content, name);
      const maps = ["--map", "Recipient First Name=receiver.name", "--map", "Recipient Last Name="];
      const first = await home.courier(["orders", "import", home.file, "--yes", ...maps]);
      expect([first.exit, home.posts], first.stderr).toEqual([0, 1]);
      const again = await home.importFile(home.file);
      expect([again.exit, home.posts], again.stderr).toEqual([ref === "" ? 3 : 0, 1]);
    }
  });
});

test("the second line of a header is not left out where it is hidden", async () => {
  const upper = ["订单号", "收件人", "", "", "商品", ""];
  const cells = ["", "姓名", "电话", "地址", "名称", "数量"];
  const row = ["A1", "张三", "13900139001", "北京路1号", "书", "2"];
  const rows = [upper, { cells, attributes: 'hidden="1"' }, row];
  const home = await homeWith(writeWorkbook({ sheets: [{ name: "Orders", rows }] }), "orders.xlsx");
  const ran = await home.courier(["orders", "import", home.file, "--yes", "--skip-hidden", "--json"]);
  expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
  expect(errorOf(ran).message).toContain("it is not clear which row is the header: row 1 or row 2");
});

test("cells of a workbook that are merged within a header of two lines are no merged rows", async () => {
  const rows = [
    ["订单编号", "收件人", "", "商品", "数量", "颜色"],
    ["", "姓名", "地址", "名称", "", ""],
    ["9101", "李四", "北京市朝阳区建国路88号", "书", "5", "红"],
  ];
  const ranges = ["A2:A3", "B2:C2", "E2:E3", "F2:F3"].map((range) => `<mergeCell ref="${range}"/>`).join("");
  const after = `<mergeCells>${ranges}</mergeCells>`;
  const workbook = writeWorkbook({ sheets: [{ name: "Orders", rows: [["六月订单"], ...rows], after }] });
  const home = await homeWith(workbook, "orders.xlsx");
  const ran = await home.importFile(home.file);
  expect(ran.report, ran.stderr).toMatchObject([{ ref: "9101", outcome: "created" }]);
  expect(ran.stderr).not.toContain("merged");
});

test("the lines above a header say nothing of the delimiter below them", async () => {
  const known = ["收件人姓名", "收件人地址", "物品名称"].join(";");
  const home = await homeWith(`六月订单\n仅供内部使用\n${known}\n李四;北京市朝阳区建国路88号;绿茶\n`);
  const ran = await home.run();
  expect(ran.exit, ran.stderr).toBe(0);
  expect(await sent(home)).toMatchObject([{ receiver: { name: "李四" }, item: { name: "绿茶" } }]);
});

test.each([
  ["a comma above semicolons", "Orders, November 2026\n", ";"],
  ["commas above semicolons", "Orders, November 29, 2026\n", ";"],
  ["a comma above tabs", "导出时间: 2026-11-29, 共1单\n", "\t"],
  ["a semicolon above commas", "内部资料;请勿外传\n", ","],
  ["a bracket", "[2026-11-29] 订单导出\n", ","],
])("a title above the header may have %s", async (_what, title, delimiter) => {
  const home = await homeWith(title + sheet(row("A-1")).replaceAll(",", delimiter));
  const { exit, stderr, report } = await home.importFile(home.file);
  expect(exit, stderr).toBe(0);
  expect(report.map(({ ref }) => ref)).toEqual(["A-1"]);
});

test("a header that is known needs no decision; columns that are not used are no doubt", async () => {
  const home = await homeWith(
    text(["收件人姓名", "收件人电话", "物品名称", "备注"], ["李四", "13900139000", "茶", "x"]),
  );
  const prompts = scriptedPrompts({ confirms: [true] });
  const scripted = await home.run("--check");
  expect(scripted.exit, scripted.stderr).toBe(0);
  const full = await home.put(
    text(["收件人姓名", "收件人地址", "物品名称", "备注"], ["李四", "北京路1号", "茶", "x"]),
  );
  const ran = await home.courier(["orders", "import", full], { terminal: 120, prompts });
  expect(ran.exit, ran.stderr).toBe(0);
});

describe("very many columns", () => {
  const wide = (count: number, title: (index: number) => string) =>
    text(
      Array.from({ length: count }, (_, index) => title(index)),
      Array.from({ length: count }, () => "x"),
    );

  test.each([
    ["different names", wide(16_384, (index) => `c${index}`), "16384"],
    ["rows that became one line", wide(5_000, (index) => `${13_900_000_000 + index}`), "5000"],
    ["hardly any names", wide(20_000, (index) => (index === 0 ? "ref" : "")), "20000"],
  ])("a header of %s is refused at once", async (_what, content, count) => {
    const home = await homeWith(content);
    const startedMs = performance.now();
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    expect([ran.exit, await sent(home)]).toEqual([2, []]);
    const { message, hint } = errorOf(ran);
    expect(message).toMatch(
      new RegExp(`^${home.file}, line 1: the header has ${count} columns; courier reads at most \\d+`),
    );
    expect(hint).toBe("check that it is the right file, and that each order is on a line of its own");
  });

  test("a file of addresses, too", async () => {
    const home = await homeWith(wide(5_000, (index) => `c${index}`));
    const ran = await home.courier(["addresses", "import", home.file, "--json"]);
    expect([ran.exit, errorOf(ran).message]).toEqual([
      2,
      `${home.file}, line 1: the header has 5000 columns; courier reads at most 1000`,
    ]);
  });

  test("columns that a spreadsheet left empty do no harm", async () => {
    const pad = (cells: readonly string[]) => [...cells, ...Array.from({ length: 5_000 }, () => "")];
    const header = ["ref", "receiver.name", "receiver.detail", "item.name"];
    const home = await homeWith(text(pad(header), pad(["A-1", "李四", "建国路88号", "绿茶"])));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([{ receiver: { name: "李四" }, item: { name: "绿茶" } }]);
  });

  test("a message names the first of many columns, and the data have all", async () => {
    const home = await homeWith(wide(300, (index) => `c${index}`));
    const ran = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(ran.exit).toBe(2);
    const { message, details } = errorOf(ran) as ReturnType<typeof errorOf> & { details: unknown[] };
    expect(message).toBe(`${home.file}: 300 columns are not clear: c0, c1, c2 and 297 others`);
    expect(details).toHaveLength(300);
    const shown = await home.courier(["orders", "import", home.file, "--check"]);
    expect(shown.stderr.split("\n").length).toBeLessThan(60);
    expect(shown.stderr).toContain("and 250 more");
    const mapped = await home.courier(["orders", "import", home.file, "--check", "--map", "nothing=ref"]);
    expect(mapped.stderr).toContain("its columns: c0, c1, c2 and 297 others");
  });

  test("columns that are not used are counted in a check", async () => {
    const wideOrder = [titlesOfOrder, ["李四", "建国路88号", "绿茶"]].map((cells, row) => [
      ...cells,
      ...Array.from({ length: 300 }, (_, index) => (row === 0 ? `备${index}` : "x")),
    ]);
    const home = await homeWith(text(...wideOrder));
    const ran = await home.courier(["orders", "import", home.file, "--check"]);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(ran.stdout).toContain("备0, 备1, 备2 and 297 others");
  });
});

const titlesOfOrder = ["receiver.name", "receiver.detail", "item.name"];

describe("a column without a title", () => {
  const rows = [
    [...titlesOfOrder.slice(0, 2), "", "item.name", ""],
    ["李四", "建国路88号", "", "绿茶", ""],
    ["王五", "建国路89号", "北京市", "绿茶", ""],
  ];
  const check = async (content: string | Buffer) => {
    const home = await homeWith(content);
    const shown = await home.courier(["orders", "import", home.file, "--check"]);
    const data = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    return { ...shown, unused: JSON.parse(data.stdout).unused_columns };
  };

  test("that holds something beside a row is named by its letter among the unused ones", async () => {
    const ran = await check(text(...rows));
    expect(ran.stdout).toMatch(/^Columns not used +column C \(no title\)$/m);
    expect(ran.unused).toEqual(["column C (no title)"]);
  });

  test("is named in a workbook, also right of the header; a note below the table is in none", async () => {
    const beyond = [...(rows[2] ?? []).slice(0, 4), null, null, "fragile"];
    const note = [...Array.from({ length: 8 }, () => null), "packed by Wang"];
    const ran = await check(sheetOf(...rows.slice(0, 2), beyond, note));
    expect(ran.unused).toEqual(["column C (no title)", "column G (no title)"]);
  });
});

test.each([
  ["receiver.p\0hone", "a NUL character (U+0000)", "receiver.name"],
  ["receiver.phone\u0007", "a control character (U+0007)", "receiver.name"],
  ["receiver.phone\0", "a NUL character (U+0000)", "客户"],
])("a title with a character that no one sees is refused: %j", async (title, what, other) => {
  const home = await homeWith(text([other, title, "item.name"], ["李四", "13900139000", "绿茶"]));
  const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
  expect([ran.exit, errorOf(ran)]).toMatchObject([
    2,
    { message: `${home.file}: the title “${title}” of a column holds ${what}` },
  ]);
  expect(await sent(home)).toEqual([]);
});

test("without a guess, no command is offered that fails again", async () => {
  const home = await homeWith("a1,b2\nfoo,bar\n");
  const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
  expect(ran.exit).toBe(2);
  expect(errorOf(ran).hint).toMatch(/^no column looks like receiver\.name: name it with --map /);
  expect(errorOf(ran).hint).not.toContain("run:");
});

describe("a sheet of a shop that has titles of a known platform", () => {
  const whole = "浙江省杭州市西湖区文三路1号";
  const place = { province: "浙江省", city: "杭州市", district: "西湖区", detail: "文三路1号" };
  const lisi = { name: "李四", phone: "13900139000", ...place };
  const ofRow = (columns: string, line: string) => text(columns.split(","), line.split(","));
  /** Imports it as the hint says, where there is one. Gives back what was in doubt. */
  async function importAsHinted(home: ImportHome) {
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    if (ran.exit === 0) return [];
    const { hint, details } = errorOf(ran) as ReturnType<typeof errorOf> & { details: unknown };
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    const words = wordsOf(hint.replace(/^.*(?:run|command): /, ""), home.directory);
    const again = await home.courier(words);
    expect(again.exit, again.stderr).toBe(0);
    return (
      (details as { column: string; guess: string | null }[] | undefined) ?? [{ column: hint, guess: "" }]
    );
  }

  test.each<[string, string, string]>([
    ["收件人,电话,收件地址,托寄物", `李四,13900139000,${whole},茶叶`, "电话"],
    ["收件人,手机,收件人地址,托寄物内容", `李四,13900139000,${whole},茶叶`, "手机"],
    ["收件人,电话,地址,托寄物", `李四,13900139000,${whole},茶叶`, "电话 地址"],
    [
      "寄件人,寄件电话,收件人,电话,地址,托寄物",
      `张三,13800138000,李四,13900139000,${whole},茶叶`,
      "电话 地址",
    ],
    [
      "收件人,电话,省,市,区,详细地址,托寄物",
      "李四,13900139000,浙江省,杭州市,西湖区,文三路1号,茶叶",
      "电话 省 市 区 详细地址",
    ],
    [
      "收件人姓名,收件人手机,收件人电话,省,市,区,详细地址,品名",
      "李四,13900139000,,浙江省,杭州市,西湖区,文三路1号,茶叶",
      "省 市 区 详细地址",
    ],
    [
      "收件人姓名,收件人手机,收件人电话,所在地区,详细地址,品名",
      "李四,,13900139000,浙江省杭州市西湖区,文三路1号,茶叶",
      "所在地区 详细地址",
    ],
    ["收件人,收件手机,收件固话,收件地址,托寄物", `李四,,13900139000,${whole},茶叶`, ""],
    ["收件人,收件手机,联系电话,收件地址,托寄物", `李四,,13900139000,${whole},茶叶`, "联系电话"],
    [
      "收件人,收件电话,收件省,收件市,收件区,收件地址,托寄物",
      "李四,13900139000,浙江省,杭州市,西湖区,文三路1号,茶叶",
      "",
    ],
    [
      "收件人,收件电话,收件省,收件市,收件区,收件地址,托寄物",
      `李四,13900139000,浙江省,杭州市,西湖区,${whole},茶叶`,
      "",
    ],
    [
      "收件人,收件电话,收件人省市区,收件地址,托寄物",
      "李四,13900139000,浙江省杭州市西湖区,文三路1号,茶叶",
      "",
    ],
    [
      "收件人,收件电话,省市区,收件地址,托寄物",
      "李四,13900139000,浙江省杭州市西湖区,文三路1号,茶叶",
      "省市区",
    ],
    [
      "收件人,收件电话,省,市,区,收件地址,托寄物",
      "李四,13900139000,浙江省,杭州市,西湖区,文三路1号,茶叶",
      "省 市 区",
    ],
    ["收件人信息,托寄物", `李四 13900139000 ${whole},茶叶`, ""],
    ["订单编号,收货人姓名,联系手机,收货地址,商品名称", `1,李四,13900139000,${whole},茶叶`, ""],
    [
      "订单编号,收货人姓名,联系手机,省,市,区,收货地址,商品名称",
      "1,李四,13900139000,浙江省,杭州市,西湖区,文三路1号,茶叶",
      "省 市 区",
    ],
    [
      "支付单号,商品标题,收货人姓名,收货电话,收货省,收货市,收货区,收货地址",
      "1,茶叶,李四,13900139000,浙江省,杭州市,西湖区,文三路1号",
      "",
    ],
    [
      "订单号,商品,商品数量(件),商家实收金额(元),收货人,手机,省,市,区,详细地址",
      "1,茶叶,2,50,李四,13900139000,浙江省,杭州市,西湖区,文三路1号",
      "手机 省 市 区 详细地址",
    ],
  ])("%s (%s) is sent whole, also after the command in the hint", async (columns, line, doubts) => {
    const home = await homeWith(ofRow(columns, line));
    const asked = await importAsHinted(home);
    for (const [at, title] of doubts.split(" ").filter(Boolean).entries())
      expect(asked[at]?.column).toContain(title);
    expect(asked).toHaveLength(doubts.split(" ").filter(Boolean).length);
    expect(await sent(home)).toMatchObject([
      { sender: { name: "张三", phone: "13800138000" }, receiver: lisi, item: { name: "茶叶" } },
    ]);
  });

  test("a number of pieces is read by its words, the service level of another courier is not", async () => {
    const home = await homeWith(
      ofRow("收件人,收件电话,收件地址,托寄物,件数,快递类型", `李四,13900139000,${whole},茶叶,2,标快`),
    );
    const ran = await home.courier(["orders", "import", home.file, "--yes"]);
    expect(ran.exit, ran.stderr).toBe(0);
    const [order] = await sent(home);
    expect(order).toMatchObject({ receiver: lisi, item: { name: "茶叶", quantity: 2 } });
    expect(order).not.toHaveProperty("service_type");
  });

  test("groups of both parties over short titles are read with them", async () => {
    const home = await homeWith(
      text(
        ["寄件方信息", "", "", "收件方信息", "", "", "托寄物信息"],
        ["姓名", "电话", "地址", "姓名", "电话", "地址", "托寄物内容"],
        ["王店", "13700137000", "北京市朝阳区建国路88号", "李四", "13900139000", whole, "茶叶"],
      ),
    );
    expect(await importAsHinted(home)).toEqual([]);
    expect(await sent(home)).toMatchObject([
      { sender: { name: "王店", phone: "13700137000", city: "北京市" }, receiver: lisi },
    ]);
  });

  test.each([
    "收件人,收件电话,收件地址,托寄物,电话,省,市,区,收件信息,快递类型",
    "收件人,收件电话,收件地址,托寄物,姓名,收件人省市区,省市区,地区,详细地址,收货地址,参考号,件数,件数",
  ])("one that is read whole leaves out other columns, and asks nothing: %s", async (columns) => {
    const further = columns
      .split(",")
      .map((title) => ({ 电话: "010-88886666", 收件信息: "x" })[title] ?? "浙江省");
    const home = await homeWith(
      text(columns.split(","), ["李四", "13900139000", whole, "茶叶", ...further.slice(4)]),
    );
    expect(await importAsHinted(home)).toEqual([]);
    const [order] = await sent(home);
    expect(order).toEqual({
      sender: { name: "张三", phone: "13800138000" },
      receiver: lisi,
      item: { name: "茶叶" },
    });
  });

  test("two columns of one short title are named", async () => {
    const home = await homeWith(
      ofRow("寄件人,电话,收件人,电话,收件地址,托寄物", `王店,13700137000,李四,13900139000,${whole},茶叶`),
    );
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(errorOf(ran)).toMatchObject({
      message: "two columns have the name 电话",
      hint: "name them by party in the file: 收件人电话 and 寄件人电话",
    });
  });

  test("--map of a title that two columns have is refused, as in a sheet of no platform", async () => {
    const columns = "订单编号,买家会员名,宝贝种类,寄件人,电话,收货人姓名,电话,收货地址,宝贝标题";
    const home = await homeWith(ofRow(columns, `1,b,1,张三,13800138000,李四,13900139000,${whole},茶叶`));
    const words = ["orders", "import", home.file, "--yes", "--json", "--map", "电话=receiver.phone"];
    const ran = await home.courier([...words, "--platform", "taobao"]);
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(errorOf(ran)).toMatchObject({
      message: "two columns have the name 电话",
      hint: "name them by party in the file: 收件人电话 and 寄件人电话",
    });
  });

  test("what a person answers is kept beside the platform for files with this header", async () => {
    const columns = "订单号,收件人姓名,收件人手机,收件人电话,电话,地址,托寄物";
    const rows = (ref: string) =>
      text(
        columns.split(","),
        [`${ref}1`, "李四", "", "13900139000", "", whole, "茶叶"],
        [`${ref}2`, "王五", "", "", "010-88886666", whole, "茶叶"],
      );
    const home = await homeWith(rows("A"));
    const prompts = scriptedPrompts({ searches: ["", ""], choices: ["use these columns"], confirms: [true] });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect(ran.exit, ran.stderr).toBe(0);
    expect(ran.stderr).toContain(
      "it has further columns than a batch sheet of waybills; say once what its columns are",
    );
    const { stdout } = await home.courier("maps list --json");
    expect(JSON.parse(stdout)).toMatchObject([
      {
        columns: {
          收件人手机: "receiver.phone",
          收件人电话: "receiver.phone",
          电话: "receiver.phone",
          地址: "receiver.address",
        },
      },
    ]);
    await home.put(rows("B"));
    const next = await home.courier(["orders", "import", home.file, "--yes"]);
    expect(next.exit, next.stderr).toBe(0);
    expect(next.stderr).toContain("is a batch sheet of waybills: 2 orders");
    const both = [lisi, { ...lisi, name: "王五", phone: "010-88886666" }].map((receiver) => ({ receiver }));
    expect(await sent(home)).toMatchObject([...both, ...both]);
    const off = await home.courier([
      "orders",
      "import",
      home.file,
      "--check",
      "--platform",
      "none",
      "--json",
    ]);
    expect([off.exit, errorOf(off).message]).toEqual([2, expect.stringContaining("not clear")]);
  });

  test.each([
    ["收件地址", "--map 门牌号=receiver.detail", "托寄物"],
    ["地址", "--map 地址=receiver.address --map 门牌号=receiver.detail", "托寄物"],
    ["收货地址", "--map 收货地址=receiver.address --map 门牌号=receiver.detail", "商品"],
  ])(
    "a part of the street that --map names is joined to %s, and split with it",
    async (title, map, goods) => {
      const home = await homeWith(
        ofRow(`收件人,收件人手机,${title},门牌号,${goods}`, `李四,13900139000,${whole},3幢501,茶叶`),
      );
      const ran = await home.courier(`orders import ${home.file} --yes ${map}`);
      expect(ran.exit, ran.stderr).toBe(0);
      expect(await sent(home)).toMatchObject([{ receiver: { ...lisi, detail: "文三路1号 3幢501" } }]);
      const street = `--map ${title}=receiver.detail --map 门牌号=`;
      const unsplit = await home.courier(
        `orders import ${home.file} --yes --allow-duplicate row:1 ${street}`,
      );
      expect(unsplit.exit, unsplit.stderr).toBe(0);
      expect((await sent(home))[1]).toMatchObject({ receiver: { detail: whole } });
    },
  );

  test.each([
    "浙江省义乌市稠州北路1号",
    "义乌市稠州北路1号",
    "李四，86-13900139000，浙江省义乌市稠州北路1号",
  ])("an address in a city of a county's level is split: %s", async (address) => {
    const home = await homeWith(ofRow("收件人,收件电话,收件地址,托寄物", `李四,13900139000,${address},茶叶`));
    await importAsHinted(home);
    const [order] = (await sent(home)) as { receiver: Record<string, string> }[];
    expect(order?.receiver).toMatchObject({ name: "李四", city: "义乌市", detail: "稠州北路1号" });
    expect(order?.receiver["province"]).toBe(address.includes("浙江省") ? "浙江省" : undefined);
  });

  test.each([
    ["江苏省昆山市苏州市前进路1号", "no city"],
    ["义乌市 金华市稠州北路1号", "no city"],
    ["北京市上海市浦东新区世纪大道1号", "names two places"],
    ["浙江省杭州市上海市浦东新区世纪大道1号", "names two places"],
  ])("an address that names another city behind its own is a mistake: %s", async (address, problem) => {
    const home = await homeWith(
      ofRow("收件人,收件人手机,收件地址,托寄物", `李四,13900139000,${address},茶叶`),
    );
    const ran = await home.courier(
      `orders import ${home.file} --yes --map 收件地址=receiver.address --map 托寄物=item.name`,
    );
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(ran.stderr).toContain(`not understood: ${problem}`);
  });

  test("连江县 of 福州市 is no other city, though one in Taiwan is", async () => {
    const address = "福建省福州市连江县人民路1号";
    const home = await homeWith(
      ofRow("收件人,收件人手机,收件地址,托寄物", `李四,13900139000,${address},茶叶`),
    );
    await importAsHinted(home);
    expect(await sent(home)).toMatchObject([{ receiver: { city: "福州市", district: "连江县" } }]);
  });

  test.each(["地区", "所在地区"])(
    "a house number is joined to a whole address, also beside %s",
    async (region) => {
      const home = await homeWith(
        ofRow(
          `收件人,收件电话,${region},收件地址,门牌号,托寄物`,
          `李四,13900139000,浙江省杭州市西湖区,${whole},3幢501,茶叶`,
        ),
      );
      await importAsHinted(home);
      expect(await sent(home)).toMatchObject([{ receiver: { ...lisi, detail: "文三路1号 3幢501" } }]);
    },
  );

  test("at a terminal the guesses for a house number are accepted", async () => {
    const home = await homeWith(
      ofRow("收件人,收件人手机,地址,门牌号,托寄物", `李四,13900139000,${whole},3幢501,茶叶`),
    );
    const prompts = scriptedPrompts({ searches: ["", ""], choices: ["use these columns"], confirms: [true] });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([{ receiver: { ...lisi, detail: "文三路1号 3幢501" } }]);
  });

  test.each([
    ["收货地址", "详细地址", "商品"],
    ["地址", "详细地址", "商品"],
    ["地址", "详细地址", "托寄物"],
    ["收件人地址", "收件人详细地址", "商品"],
    ["收货人所在地", "收货地址", "商品"],
  ])("%s with regions beside the street in %s is the region (%s)", async (region, street, goods) => {
    const home = await homeWith(
      ofRow(
        `收件人,收件人手机,${region},${street},${goods}`,
        "李四,13900139000,浙江省杭州市西湖区,文三路1号,茶叶",
      ),
    );
    await importAsHinted(home);
    expect(await sent(home)).toMatchObject([{ receiver: lisi }]);
  });

  test("the review shows a whole address as one, and columns of its place as not used", async () => {
    const home = await homeWith(
      ofRow("收件人,电话,省,收件地址,托寄物", `李四,13900139000,浙江省,${whole},茶叶`),
    );
    const prompts = scriptedPrompts({ searches: [""], choices: ["use these columns"], confirms: [true] });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect(ran.exit, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(/收件地址 +receiver: whole address in one cell/);
    expect(ran.stderr).toContain("not used: 省");
    expect(await sent(home)).toMatchObject([{ receiver: lisi }]);
  });

  const inQingdao = "李四,13900139000,山东省,青岛市,市南区";

  test.each([
    ["香港新世界大厦1座2301", "收件人,收件电话,收件省,收件市,收件区,收件地址,托寄物"],
    ["台湾工业园3号", "收件人,收件电话,收件省,收件市,收件区,收件地址,托寄物"],
    ["香港新世界大厦1座2301", "收件人,收件电话,省,市,区,收件地址,托寄物"],
  ])(
    "a building with the name of a place goes to the place of its row: %s (%s)",
    async (address, columns) => {
      const home = await homeWith(ofRow(columns, `${inQingdao},${address},茶叶`));
      await importAsHinted(home);
      expect(await sent(home)).toMatchObject([
        { receiver: { province: "山东省", city: "青岛市", district: "市南区", detail: address } },
      ]);
    },
  );

  test.each([
    ["北京市朝阳区建国路88号", inQingdao, "北京市, not 青岛市"],
    ["香港九龙尖沙咀1号", inQingdao, "九龙, not 青岛市"],
    ["香港新世界大厦1座2301", "李四,13900139000,山东省,,", "香港, not 山东省"],
    ["上海市浦东新区世纪大道1号", "李四,13900139000,北京市,市辖区,朝阳区", "上海市, not 北京市"],
    ["四川省成都市武侯区人民南路1号", "李四,13900139000,重庆市,县,云阳县", "成都市, not 重庆市"],
    [
      "广东省深圳市南山区科技园1号",
      "李四,13900139000,湖北省,省直辖县级行政区划,仙桃市",
      "深圳市, not 仙桃市",
    ],
    ["北京市朝阳区建国路88号", "李四,13900139000,辽宁省,朝阳市,双塔区", "北京市, not 朝阳市"],
    ["牡丹江市西安区西三条路1号", "李四,13900139000,,西安市,雁塔区", "牡丹江市, not 西安市"],
    [
      "青海省海南藏族自治州共和县恰卜恰镇1号",
      "李四,13900139000,海南省,海口市,龙华区",
      "海南藏族自治州, not 海口市",
    ],
    ["吉林省长春市朝阳区人民大街1号", "李四,13900139000,吉林省,吉林市,船营区", "长春市, not 吉林市"],
    ["北京市朝阳区建国路88号", "李四,13900139000,广东省,,", "北京市, not 广东省"],
    ["海南省屯昌县人民路1号", "李四,13900139000,江西省,九江市,瑞昌市", "海南省, not 九江市"],
  ])("an address in another place than its row is refused: %s", async (address, columns, places) => {
    const home = await homeWith(
      ofRow("收件人,收件电话,收件省,收件市,收件区,收件地址,托寄物", `${columns},${address},茶叶`),
    );
    const ran = await home.run();
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(ran.stderr).toContain(`names another place than the row: ${places}`);
  });

  test.each([
    ["广东 深圳 南山", "南山大道1号", "南山", "南山大道1号"],
    ["上海 上海市 宝山区", "上海市宝山区人民路88号", "宝山区", "人民路88号"],
    ["北京 北京 朝阳", "朝阳北路101号", "朝阳", "朝阳北路101号"],
    ["浙江 金华 义乌", "义乌市场路1号", "义乌", "义乌市场路1号"],
    ["广东 深圳 南山", "南山区科技园1号", "南山", "科技园1号"],
    ["北京市市辖区朝阳区", "北京市朝阳区建国路88号", "朝阳区", "建国路88号"],
  ])("a street keeps its first words beside its region: %s, %s", async (region, street, district, detail) => {
    const order = `李四,13900139000,${region},${street},茶叶`;
    const home = await homeWith(ofRow("收件人,收件人手机,收件人省市区,收件人详细地址,商品名称", order));
    const ran = await home.run();
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await sent(home)).toMatchObject([{ receiver: { district, detail } }]);
  });

  test.each([
    ["广东省深圳市", "江苏省南京市玄武区中山路1号", "南京市, not 深圳市"],
    ["北京市市辖区朝阳区", "上海市浦东新区世纪大道1号", "上海市, not 北京市"],
    ["辽宁省朝阳市", "北京市朝阳区建国路88号", "北京市, not 朝阳市"],
    ["吉林省吉林市", "吉林省长春市朝阳区人民大街1号", "长春市, not 吉林市"],
  ])(
    "a street in another city than the region of its row is refused: %s, %s",
    async (region, street, places) => {
      const order = `李四,13900139000,${region},${street},茶叶`;
      const home = await homeWith(ofRow("收件人,收件人手机,收件人省市区,收件人详细地址,商品名称", order));
      const ran = await home.run();
      expect([ran.exit, home.posts]).toEqual([2, 0]);
      expect(ran.stderr).toContain(`names another place than the row: ${places}`);
    },
  );

  test.each([
    ["北京市朝阳区建国路88号", "北京,市辖区,朝阳区", "北京市"],
    ["北京市朝阳区建国路88号", "北京市,朝阳区,", "北京市"],
    ["浙江省金华市义乌市稠州路1号", "浙江省,义乌市,", "金华市"],
    ["浙江省金华市义乌市稠州路1号", "浙江省,义乌,", "金华市"],
    ["重庆市云阳县青龙街道1号", "重庆市,县,云阳县", "重庆市"],
    ["深圳市南山区科技园1号", "广东省,深圳(Shenzhen),", "深圳市"],
    ["广东省深圳市南山区科技园1号", "广东省,Shenzhen,", "深圳市"],
    ["河南省济源市文昌路1号", "河南省,省直辖县级行政区划,济源市", "济源市"],
    ["廣州市天河区体育西路1号", "广东省,广州,天河区", "廣州市"],
    ["香港九龙尖沙咀1号", "香港特别行政区,油尖旺区,", "九龙"],
  ])(
    "an address of the place that its row names in other words is sent: %s (%s)",
    async (address, place, city) => {
      const home = await homeWith(
        ofRow(
          "收件人,收件电话,收件省,收件市,收件区,收件地址,托寄物",
          `李四,13900139000,${place},${address},茶叶`,
        ),
      );
      expect(await importAsHinted(home)).toEqual([]);
      expect(await sent(home)).toMatchObject([{ receiver: { city } }]);
    },
  );

  test("a workbook with a further column that only a later row needs is asked about", async () => {
    const columns = ["收件人", "收件手机", "联系电话", "收件地址", "托寄物"];
    const further = [...Array(30).keys()].map((at) => [`李${at}`, "13900139000", "", whole, "茶叶"]);
    const home = await homeWith(
      sheetOf(columns, ...further, ["王五", "", "010-88886666", whole, "茶叶"]),
      "o.xlsx",
    );
    expect(await importAsHinted(home)).toMatchObject([{}]);
    expect((await sent(home)).at(-1)).toMatchObject({ receiver: { name: "王五", phone: "010-88886666" } });
  });
});

describe("the goods of a sheet are sent, whatever their column is called", () => {
  const order = (goods: string) => ["戌一", "13900289001", "", "北京市朝阳区建国路1号", goods, "3"];

  test.each([
    ...["商品名称", "商品", "货品名称", "宝贝标题", "商品标题", "品名"].map((goods) => [goods, "电话"]),
    ["商品名称", "座机"],
  ])("%s, beside a mobile phone and %s", async (goods, phone) => {
    const columns = ["收件人姓名", "收件人手机", `收件人${phone}`, "收件人地址", goods, "数量"];
    const home = await homeWith(text(columns, order("茶叶"), order("陶瓷杯")));
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
    expect([ran.exit, home.posts], ran.stderr).toEqual([0, 2]);
    expect(await sent(home)).toMatchObject([{ item: { name: "茶叶" } }, { item: { name: "陶瓷杯" } }]);
  });

  test.each([
    [["订单编号", "收件人", "收件电话", "收件地址", "货品", "件数"], "货品=item.name"],
    [["收件人姓名", "收件人手机", "收件人电话", "收件人地址", "货品", "数量"], "货品=item.name"],
    [
      ["Order Number", "Recipient Name", "Recipient Phone", "Recipient Address", "SKU", "Quantity"],
      "not clear: SKU",
    ],
  ])("an unknown one is in doubt: a quantity is no goods (%s)", async (columns, guess) => {
    const home = await homeWith(text(columns, order("茶叶")));
    const ran = await home.courier(["orders", "import", home.file, "--yes"]);
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(ran.stderr).toContain(guess);
  });

  test("a receiver in whose column's name is 货 is no goods", async () => {
    const columns = ["订单号", "收货人名", "手机号", "收货地址", "货品名", "数量"];
    const row = ["Z1", "艮一", "13900499001", "北京市朝阳区建国路1号", "茶叶", "1"];
    const home = await homeWith(text(columns, row));
    const ran = await home.courier(["orders", "import", home.file, "--yes"]);
    expect(ran.exit).toBe(2);
    const [, line = ""] = /run: (.*)$/m.exec(ran.stderr) ?? [];
    const again = await home.courier(wordsOf(line, home.directory));
    expect(again.exit, `${ran.stderr}${line}${again.stderr}`).toBe(0);
    expect(await sent(home)).toMatchObject([
      { receiver: { name: "艮一", phone: "13900499001" }, item: { name: "茶叶", quantity: 1 } },
    ]);
  });
});

test.each([
  ["ref,receiver.name,receiver.phone,receiver.city,item.name", "Weight (g)", "weight"],
  ["ref,receiver.name,receiver.phone,receiver.city,item.name", "Weight (lb)", "weight"],
  ["单号,客户,客户电话,送货地点,货名", "重量(g)", "weight"],
  ["单号,客户,客户电话,送货地点,货名", "重量（斤）", "weight"],
  ["单号,客户,客户电话,送货地点,货名", "数量(箱)", "quantity"],
])("%s,%s: a column in another unit is guessed to be no %s", async (others, title, field) => {
  const home = await homeWith(`${others},${title}\n1,李四,13900139000,北京市朝阳区建国路88号,茶,5\n`);
  const words = ["orders", "import", home.file, "--yes"];
  const ran = await home.courier([...words, "--json"]);
  if (ran.exit !== 0)
    expect(
      (await home.courier(wordsOf(errorOf(ran).hint.replace(/^.*(?:run|command): /, ""), home.directory)))
        .exit,
    ).toBe(0);
  const [order] = await sent(home);
  expect(order).toMatchObject({ item: { name: "茶" } });
  expect(order).not.toHaveProperty(["item", field]);
});

test.each(["重量(公斤)", "Weight (kg)", "重量(千克)"])("%s is the weight", async (title) => {
  const home = await homeWith(
    `ref,receiver.name,receiver.phone,receiver.city,item.name,${title}\n1,李四,13900139000,北京市,茶,5\n`,
  );
  const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
  expect(ran.exit, ran.stderr).toBe(0);
  expect(await sent(home)).toMatchObject([{ item: { weight: 5 } }]);
});

test("a column that looks like the weight in pounds is in doubt", async () => {
  const home = await homeWith(
    "ref,receiver.name,receiver.phone,receiver.city,item.name,Weight (lb)\n1,李四,13900139000,北京市,茶,5\n",
  );
  const ran = await home.courier(["orders", "import", home.file, "--yes", "--json"]);
  expect([ran.exit, home.posts]).toEqual([2, 0]);
  expect(errorOf(ran)).toMatchObject({
    message: "column “Weight (lb)” looks like item.weight in another unit",
    hint: expect.stringContaining("convert it to kg in the file"),
  });
});
