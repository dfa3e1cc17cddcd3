/** courier orders import of a shop's export that calls orders cancelled or refunded which were sent from an earlier one. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createImportHome, type ImportHome, lostForNow, outcomes } from "../support/imports.ts";

const header =
  "Name,Financial Status,Fulfillment Status,Lineitem quantity,Lineitem name,Lineitem fulfillment status,Shipping Name,Shipping Address1,Shipping City,Shipping Phone,Cancelled at";

interface Facts {
  readonly paid?: string;
  readonly sent?: string;
  readonly cancelled?: string;
}

function order(
  ref: string,
  name: string,
  { paid = "paid", sent = "unfulfilled", cancelled = "" }: Facts = {},
) {
  return `${ref},${paid},${sent},1,Cup,pending,${name},Via 1,Rome,+39 06 1234567,${cancelled}`;
}

const exportOf = (...rows: readonly string[]) => [header, ...rows, ""].join("\n");

async function createShop(...rows: readonly string[]): Promise<ImportHome> {
  const home = await createImportHome(exportOf(...rows));
  const words = ["--name", "张三", "--phone", "13800138000", "--city", "深圳市", "--default"];
  expect((await home.courier(["addresses", "add", "shop", ...words])).exit).toBe(0);
  return home;
}

/** The tracking number, the state and the error beside each row. */
async function cellsOf(file: string) {
  const [, ...rows] = (await readFile(file, "utf8")).trimEnd().split("\n");
  return rows
    .map((line) => line.split(",").slice(11))
    .map(([number = "", , state = "", , ...error]) => ({
      number: number.slice(0, 2),
      state,
      error: error.join(",").replaceAll('"', ""),
    }));
}

const nextDay = [
  order("#1", "Ann", { cancelled: "2026-03-02 10:00:00 +0800" }),
  order("#2", "Bob", { paid: "refunded" }),
  order("#3", "Cy", { sent: "fulfilled" }),
];

describe("orders that the shop cancelled or refunded after they were sent", () => {
  test("keep their numbers in the sheet, with what the file says, and are named with the way to cancel them", async () => {
    const home = await createShop(order("#1", "Ann"), order("#2", "Bob"), order("#3", "Cy"));
    expect(outcomes((await home.run("--concurrency 1")).report)).toBe("created created created");
    await home.put(exportOf(...nextDay, order("#4", "Di")));
    const warning =
      "2 orders that the file says not to send were sent before: row 1 (#1) is order 1000001 (the file says: cancelled); " +
      "row 2 (#2) is order 1000002 (the file says: refunded); " +
      "to cancel them: courier orders cancel 1000001 1000002";
    const checked = await home.courier(["orders", "import", home.file, "--check"]);
    expect(checked.stderr).toContain(`warning: ${warning}\n`);
    const done = path.join(home.directory, "done.csv");
    const ran = await home.run(`--write-back ${done}`);
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "created"]);
    expect(ran.stderr).toContain(warning);
    const beside = [
      { number: "CR", state: "pending", error: "order 1000001 was made, and the file says: cancelled" },
      { number: "CR", state: "pending", error: "order 1000002 was made, and the file says: refunded" },
      { number: "CR", state: "pending", error: "" },
      { number: "CR", state: "pending", error: "" },
    ];
    expect(await cellsOf(done)).toEqual(beside);
    const later = await home.courier(["orders", "write-back", home.file, "-o", `${done}.2`, "--json"]);
    expect(JSON.parse(later.stdout)).toMatchObject({
      orders: 4,
      tracking_numbers: 4,
      not_created: 0,
      unknown: 0,
    });
    expect(await cellsOf(`${done}.2`)).toEqual(beside);
    const form = ["--form", "shopify", "--carrier", "X"];
    const formed = await home.courier([
      "orders",
      "write-back",
      home.file,
      "-o",
      `${done}.3`,
      "--json",
      ...form,
    ]);
    expect(JSON.parse(formed.stdout)).toMatchObject({ orders: 4, tracking_numbers: 2, changed: 0 });
    expect(formed.stderr).toContain(
      `warning: 2 orders left out of ${done}.3: the sheet says not to send them\n`,
    );
    expect((await readFile(`${done}.3`, "utf8")).match(/^#\d/gm)?.sort()).toEqual(["#3", "#4"]);
  });

  test.each(["", "--skip-wrong"])("are named where an import stops at wrong rows, too %s", async (words) => {
    const home = await createShop(order("#1", "Ann"), order("#2", "Bob"));
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    await home.put(
      exportOf(order("#1", "Ann", { cancelled: "2026-03-02 10:00:00 +0800" }), order("#2", "李*")),
    );
    const stopped = await home.run(words);
    expect([stopped.exit, home.posts]).toEqual([2, 2]);
    expect(stopped.stderr).toContain("row 1 (#1) is order 1000001 (the file says: cancelled)");
    expect(stopped.stderr).toContain("courier orders cancel 1000001");
  });

  test("are not named any more once they are cancelled", async () => {
    const home = await createShop(order("#1", "Ann"), order("#2", "Bob"), order("#3", "Cy"));
    await home.run("--concurrency 1");
    await home.put(exportOf(...nextDay));
    expect((await home.courier("orders cancel 1000001 1000002 --yes")).exit).toBe(0);
    const done = path.join(home.directory, "done.csv");
    const ran = await home.run(`--write-back ${done}`);
    expect(ran.exit).toBe(0);
    expect(ran.stderr).not.toContain("sent before");
    expect((await cellsOf(done)).map(({ error }) => error)).toEqual([
      "order 1000001 was cancelled",
      "order 1000002 was cancelled",
      "",
    ]);
  });

  test("are in doubt where their answers were lost, and named once they are found", async () => {
    const home = await createShop(order("#1", "Ann"));
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect((await home.run()).exit).toBe(6);
    await home.put(exportOf(...nextDay.slice(0, 1)));
    const done = path.join(home.directory, "done.csv");
    const later = await home.courier(["orders", "write-back", home.file, "-o", done, "--json"]);
    expect(JSON.parse(later.stdout)).toMatchObject({ in_doubt: 1, unknown: 0 });
    expect((await cellsOf(done))[0]?.error).toMatch(
      /^in doubt; settle it with: courier orders resolve 1\.1$/,
    );
    const unread = await home.run();
    expect(unread.stderr).toContain(
      "1 order that the file says not to send was sent before: row 1 (#1) is in doubt as operation 1.1 (the file says: cancelled); what is in doubt: courier orders resolve",
    );
    home.sandbox.faults.clear();
    expect((await home.run()).stderr).toContain(
      "row 1 (#1) is order 1000001 (the file says: cancelled); to cancel it: courier orders cancel 1000001",
    );
  });

  test("are of another customer where the ref was used again", async () => {
    const home = await createShop(order("#1", "Ann"));
    await home.run();
    const other = nextDay[0]?.replace("Ann", "Zoe").replace("+39 06 1234567", "+39 06 7654321") ?? "";
    await home.put(exportOf(other));
    const done = path.join(home.directory, "done.csv");
    const ran = await home.run(`--write-back ${done}`);
    expect(ran.stderr).not.toContain("sent before");
    expect(await cellsOf(done)).toEqual([{ number: "", state: "", error: "not sent: cancelled" }]);
  });
});

test("the row that sums up an order is filled as its lines are", async () => {
  const text = (state: string) =>
    [
      "订单编号,订单状态,商品名称,商品型号,商品id,SKU ID,购买数量,收件人姓名,收件人手机,省,市,区,收货详细地址,下单模板信息",
      `7001,${state},茶等2件,,,,2,李四,13900139000,广东省,深圳市,南山区,科技园1号楼,`,
      `7001,${state},茶,,11,12,1,李四,13900139000,广东省,深圳市,南山区,科技园1号楼,`,
      `7001,${state},碗,,13,14,1,李四,13900139000,广东省,深圳市,南山区,科技园1号楼,`,
      "",
    ].join("\n");
  const home = await createShop();
  await home.put(text("待发货"));
  const words = "--in-place";
  expect(outcomes((await home.run(words)).report)).toBe("created");
  const written = await readFile(home.file, "utf8");
  await home.put(written.replaceAll("待发货", "已关闭"));
  const ran = await home.run(words);
  expect(ran.exit, ran.stderr).toBe(0);
  const rows = (await readFile(home.file, "utf8")).trimEnd().split("\n").slice(1);
  expect(rows).toHaveLength(3);
  for (const line of rows) {
    expect(line).toMatch(/,CR\d+,CO\d+,pending,/);
    expect(line).toContain("order 1000001 was made, and the file says: cancelled");
  }
});

test("a line that was refunded after its order was sent and fulfilled is in the parcel", async () => {
  const line = (goods: string, status: string, refund: string) =>
    `69001,6900${goods.length},${goods},,1,,,,李四,13900139000,广东省,深圳市,南山区,粤海街道,科技园1号楼,,-,,${status},${refund},-,`;
  const text = (...lines: readonly string[]) =>
    [
      "主订单编号,子订单编号,选购商品,商品规格,商品数量,商家编码,订单应付金额,运费,收件人,收件人手机号,省,市,区,街道,详细地址,订单提交时间,商家备注,订单完成时间,订单状态,售后状态,取消原因,发货时间",
      ...lines,
      "",
    ].join("\n");
  const home = await createShop();
  await home.put(
    text(line("帽", "待发货", "-"), line("鞋子", "待发货", "-"), line("书包一", "待发货", "退款成功")),
  );
  expect(outcomes((await home.run()).report)).toBe("created");
  await home.put(
    text(line("帽", "已发货", "-"), line("鞋子", "已发货", "退款成功"), line("书包一", "已发货", "退款成功")),
  );
  const done = path.join(home.directory, "done.csv");
  const ran = await home.run(`--write-back ${done}`);
  expect(ran.exit, ran.stderr).toBe(0);
  const rows = (await readFile(done, "utf8")).trimEnd().split("\n").slice(1);
  const beside = rows.map((each) => each.split(",").slice(22));
  expect(beside[0]?.[0]).toMatch(/^CR/);
  expect(beside[1]?.[0]).toBe(beside[0]?.[0]);
  expect(rows[1]).toContain("order 1000001 was made, and the file says: refunded");
  expect(beside[2]).toEqual(["", "", "", "", "not sent: refunded"]);
});

test("of two lines with equal goods, the one that was refunded before the order was sent is not in the parcel", async () => {
  const home = await createShop();
  const head =
    "主订单编号,子订单编号,选购商品,商品数量,收件人,收件人手机号,省,市,区,详细地址,订单状态,售后状态";
  const line = (sub: string, state: string, after: string) =>
    `6900000000000000001,${sub},绿茶,1,李四,13900139000,广东省,深圳市,南山区,科技园1号楼,${state},${after}`;
  const sheetOf = (...lines: readonly string[]) => [head, ...lines, ""].join("\n");
  await home.put(sheetOf(line("1", "待发货", "-"), line("2", "待发货", "退款成功")));
  const first = await home.run();
  expect(outcomes(first.report), first.stderr).toBe("created");
  expect(first.stderr).toContain("left out of orders that are sent: refunded (row 2)");
  await home.put(sheetOf(line("2", "已关闭", "退款成功"), line("1", "已发货", "-")));
  const done = path.join(home.directory, "done.csv");
  const later = await home.run(`--write-back ${done}`);
  expect([later.exit, later.report], later.stderr).toEqual([0, []]);
  expect(later.stderr).not.toContain("orders cancel");
  const [, refunded, sent] = (await readFile(done, "utf8")).split("\n");
  expect(sent).toContain("CR");
  expect(refunded).toMatch(/,not sent: cancelled$/);
  // Of the parcel itself, the file says so.
  await home.put(sheetOf(line("1", "已关闭", "退款成功"), line("2", "已关闭", "退款成功")));
  expect((await home.run()).stderr).toContain("to cancel it: courier orders cancel 1000001");
});
