/** Exports of shop platforms as they come: each is recognised, becomes orders, and is sent field by field. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { presets } from "../../src/import/presets/presets.ts";
import { effort, fc } from "../support/effort.ts";
import { createImportHome, errorOf, type ImportHome, outcomes } from "../support/imports.ts";

const sender = {
  name: "店主",
  phone: "13800138000",
  province: "广东省",
  city: "深圳市",
  detail: "南山路1号",
};
const lisi = { name: "李四", phone: "13900139000" };
const shenzhen = { province: "广东省", city: "深圳市", district: "南山区", detail: "科技园1号楼" };
const chaoyang = { province: "北京市", city: "北京市", district: "朝阳区", detail: "建国路88号" };
const ann = { name: "Ann Example", phone: "+1 555 010 0000" };
const springfield = { province: "IL", city: "Springfield", detail: "1 Main St Apt 2" };

interface Order {
  readonly rows?: readonly number[];
  readonly ref: string | undefined;
  readonly sender?: object;
  readonly receiver: object;
  readonly item: object;
}

interface Expected {
  readonly platform: string;
  readonly lines: number;
  readonly skipped?: Readonly<Record<string, number>>;
  readonly cleaned?: Readonly<Record<string, number>>;
  readonly orders: readonly Order[];
}

const expected: Readonly<Record<string, Expected>> = {
  "shopify.csv": {
    platform: "shopify",
    lines: 10,
    skipped: { fulfilled: 1, "pick-up": 1, refunded: 1, cancelled: 1, "nothing to ship": 1 },
    orders: [
      {
        rows: [1, 2, 3],
        ref: "#1001",
        receiver: {
          name: "李四",
          phone: "+8613900139000",
          province: "广东省",
          city: "深圳市",
          detail: "科技园1号楼 5层",
        },
        item: { name: "Green tea - 100g; Cup", quantity: 3 },
      },
      {
        rows: [9, 10],
        ref: "#1007",
        receiver: {
          name: "孙七",
          phone: "021 5555 0000",
          province: "SH",
          city: "上海市",
          detail: "南京西路1号",
        },
        item: { name: "Left over", quantity: 3 },
      },
    ],
  },
  "taobao.csv": {
    platform: "taobao",
    lines: 6,
    skipped: { fulfilled: 1, cancelled: 1, unpaid: 1 },
    cleaned: { "formula text": 3, apostrophe: 4 },
    orders: [
      {
        ref: "1234567890123456789",
        receiver: { ...lisi, ...shenzhen, detail: "粤海街道科技园1号楼(518000)" },
        item: { name: "绿茶 100克", quantity: 2 },
      },
      {
        ref: "1234567890123456790",
        receiver: {
          name: "王五",
          phone: "010-55550000",
          ...chaoyang,
          province: "北京",
          detail: "建国路88号(100000)",
        },
        item: { name: "茶杯", quantity: 1 },
      },
      {
        ref: "1234567890123456791",
        receiver: {
          name: "赵六",
          phone: "13700137000",
          province: "浙江省",
          city: "杭州市",
          district: "西湖区",
          detail: "文三路1号",
        },
        item: { name: "茶壶", quantity: 1 },
      },
    ],
  },
  "taobao-shipping.csv": {
    platform: "taobao-shipping",
    lines: 1,
    orders: [{ ref: "1234567890123456789", receiver: { ...lisi, ...shenzhen }, item: { name: "绿茶" } }],
  },
  "jd.csv": {
    platform: "jd",
    lines: 3,
    skipped: { cancelled: 1 },
    orders: [
      {
        rows: [1, 2],
        ref: "100000000001",
        receiver: { ...lisi, province: "广东", city: "深圳市", district: "福田区", detail: "深南大道1号" },
        item: { name: "绿茶; 茶杯", quantity: 3 },
      },
    ],
  },
  "pdd.csv": {
    platform: "pdd",
    lines: 2,
    skipped: { fulfilled: 1 },
    cleaned: { "full-width digits": 1 },
    orders: [
      {
        ref: "260101-123456789012345",
        receiver: { ...lisi, ...shenzhen },
        item: { name: "绿茶 100克", quantity: 2 },
      },
    ],
  },
  "douyin.csv": {
    platform: "douyin",
    lines: 4,
    cleaned: { tab: 9, "empty mark": 4, apostrophe: 1 },
    orders: [
      {
        rows: [1, 2, 3],
        ref: "6900000000000000001",
        receiver: { ...lisi, ...shenzhen, detail: "粤海街道 科技园1号楼" },
        item: { name: "绿茶 100克; 茶杯", quantity: 3 },
      },
      {
        ref: "6900000000000000004",
        receiver: { name: "王五", phone: "13800138001", ...chaoyang },
        item: { name: "茶壶", quantity: 1 },
      },
    ],
  },
  "xiaohongshu.csv": {
    platform: "xiaohongshu",
    lines: 3,
    skipped: { cancelled: 1 },
    orders: [
      {
        rows: [1, 2],
        ref: "P700000000000000001",
        receiver: { ...lisi, ...shenzhen },
        item: { name: "绿茶; 茶杯", quantity: 3 },
      },
    ],
  },
  "youzan.csv": {
    platform: "youzan",
    lines: 3,
    skipped: { "pick-up": 1 },
    cleaned: { "empty mark": 1 },
    orders: [
      {
        rows: [1, 2],
        ref: "E20260131000000000001",
        receiver: { ...lisi, ...shenzhen },
        item: { name: "绿茶 100克; 茶杯", quantity: 3 },
      },
    ],
  },
  "youzan-orders.csv": {
    platform: "youzan-orders",
    lines: 2,
    skipped: { "pick-up": 1 },
    orders: [
      { ref: "E20260131000000000003", receiver: { ...lisi, ...shenzhen }, item: { name: "绿茶,茶杯" } },
    ],
  },
  "weidian.csv": {
    platform: "weidian",
    lines: 4,
    skipped: { "pick-up": 1 },
    orders: [
      {
        rows: [1, 2, 3],
        ref: "800000000000001",
        receiver: { ...lisi, ...chaoyang },
        item: { name: "绿茶 100克; 茶杯", quantity: 3 },
      },
    ],
  },
  "1688.csv": {
    platform: "1688",
    lines: 3,
    skipped: { cancelled: 1 },
    orders: [
      {
        rows: [1, 2],
        ref: "3000000000000000001",
        receiver: { ...lisi, ...shenzhen },
        item: { name: "绿茶 A1; 茶杯", quantity: 14 },
      },
    ],
  },
  "ebay.csv": {
    platform: "ebay",
    lines: 5,
    skipped: { fulfilled: 1 },
    orders: [
      {
        rows: [1, 2, 3],
        ref: "01-00001-00001",
        receiver: { ...ann, ...springfield },
        item: { name: "Green tea [Size:100g]; Cup", quantity: 3 },
      },
      {
        ref: "102",
        receiver: {
          name: "Bob Example",
          phone: "+1 555 010 0001",
          province: "IL",
          city: "Springfield",
          detail: "2 Main St",
        },
        item: { name: "Pot", quantity: 1 },
      },
    ],
  },
  "ebay-uk.csv": {
    platform: "ebay",
    lines: 1,
    orders: [
      {
        ref: "02-00001-00001",
        receiver: {
          name: "Cara Example",
          phone: "+44 20 5555 0000",
          province: "Yorkshire",
          city: "Leeds",
          detail: "3 High St",
        },
        item: { name: "Tea", quantity: 1 },
      },
    ],
  },
  "etsy.csv": {
    platform: "etsy",
    lines: 3,
    skipped: { fulfilled: 1 },
    orders: [
      {
        rows: [1, 2],
        ref: "3000000001",
        receiver: { name: ann.name, ...springfield },
        item: { name: "Green tea Size:100g; Cup", quantity: 3 },
      },
    ],
  },
  "amazon.txt": {
    platform: "amazon",
    lines: 3,
    skipped: { fulfilled: 1 },
    orders: [
      {
        rows: [1, 2],
        ref: "111-0000001-0000001",
        receiver: { ...ann, ...springfield },
        item: { name: 'Green tea, 100 g; 5" cup "Best"', quantity: 3 },
      },
    ],
  },
  "woocommerce.csv": {
    platform: "woocommerce",
    lines: 4,
    skipped: { fulfilled: 1, unpaid: 1 },
    orders: [
      {
        rows: [1, 2],
        ref: "W-41",
        receiver: { ...ann, ...springfield },
        item: { name: "Green tea; Cup", quantity: 3 },
      },
    ],
  },
  "woocommerce-refunds.csv": {
    platform: "woocommerce",
    lines: 3,
    skipped: { refunded: 1 },
    orders: [
      {
        rows: [1, 2],
        ref: "46",
        receiver: { ...ann, ...springfield, detail: "1 Main St" },
        item: { name: "Cup", quantity: 1 },
      },
    ],
  },
  "woocommerce-orders.csv": {
    platform: "woocommerce",
    lines: 1,
    orders: [
      {
        ref: "43",
        receiver: { ...ann, ...springfield, detail: "1 Main St" },
        item: { name: "Green tea; Cup", quantity: 3 },
      },
    ],
  },
  "woocommerce-webtoffee.csv": {
    platform: "woocommerce",
    lines: 1,
    orders: [
      {
        ref: "44",
        receiver: { ...ann, phone: "+1 555 010 0009", ...springfield, detail: "1 Main St" },
        item: { name: "Green tea; Cup", quantity: 3 },
      },
    ],
  },
  "woocommerce-words.csv": {
    platform: "woocommerce-words",
    lines: 4,
    skipped: { fulfilled: 1 },
    orders: [
      {
        rows: [1, 2, 3],
        ref: "51",
        receiver: { ...ann, ...springfield, detail: "1 Main St, Apt 2" },
        item: { name: "Green tea 100g; Cup", quantity: 3 },
      },
    ],
  },
  "sf-large.csv": {
    platform: "waybills",
    lines: 1,
    cleaned: { amount: 1 },
    orders: [
      {
        ref: "S-1",
        sender: { name: "张三", phone: "13800138000", ...shenzhen },
        receiver: { ...lisi, ...chaoyang },
        item: { name: "绿茶", quantity: 2, weight: "1.50", value: "1200.00" },
      },
    ],
  },
  "sf-small.csv": {
    platform: "waybills",
    lines: 1,
    cleaned: { amount: 1 },
    orders: [{ ref: undefined, receiver: { ...lisi, ...chaoyang }, item: { name: "绿茶", weight: "1.5" } }],
  },
  "warehouse.csv": {
    platform: "waybills",
    lines: 1,
    cleaned: { amount: 1 },
    orders: [
      {
        ref: "K-1",
        receiver: { name: "李四", phone: "010-55550000", ...chaoyang },
        item: { name: "绿茶", quantity: 2 },
      },
    ],
  },
};

const folder = path.join(import.meta.dirname, "presets");
const readFixture = (name: string) => readFile(path.join(folder, name));

async function homeWith(name: string): Promise<ImportHome> {
  const home = await createImportHome("");
  await home.put(await readFixture(name), name);
  const words = Object.entries(sender).flatMap(([field, value]) => [`--${field}`, value]);
  const ran = await home.courier(["addresses", "add", "shop", ...words, "--default"]);
  expect(ran.exit, ran.stderr).toBe(0);
  return home;
}

const inHome = (home: ImportHome, name: string) => path.join(home.directory, name);

/** Numbers as texts, which keeps 1.50 apart from 1.5. */
function plain(draft: unknown): unknown {
  return JSON.parse(JSON.stringify(draft), (_, value) => value?.value ?? value);
}

describe.each(Object.entries(expected))("%s", (name, { platform, lines, skipped, cleaned, orders }) => {
  test("is checked and sent, field by field; a second run sends nothing", async () => {
    const home = await homeWith(name);
    const file = inHome(home, name);
    const checked = await home.courier(["orders", "import", file, "--check", "--json"]);
    expect(checked.exit, checked.stderr).toBe(0);
    expect(JSON.parse(checked.stdout)).toMatchObject({ platform, lines, rows: orders.length });
    expect(JSON.parse(checked.stdout).skipped).toEqual(skipped ?? {});
    if (cleaned) expect(JSON.parse(checked.stdout).cleaned).toEqual(cleaned);

    const { exit, stderr, report } = await home.importFile(file);
    expect(exit, stderr).toBe(0);
    expect(report.map(({ ref }) => ref ?? undefined)).toEqual(orders.map(({ ref }) => ref));
    expect(report.map((row) => ("rows" in row ? row.rows : undefined))).toEqual(
      orders.map(({ rows }) => rows),
    );
    const sent = (await home.operations()).map(({ draft }) => plain(draft));
    expect(sent).toEqual(
      orders.map((order) =>
        plain({ sender: order.sender ?? sender, receiver: order.receiver, item: texts(order.item) }),
      ),
    );

    const again = await home.importFile(file);
    expect(again.exit, again.stderr).toBe(0);
    expect(again.report.every(({ outcome }) => outcome === "shipped")).toBe(true);
    expect(home.posts).toBe(orders.length);
  });
});

function texts(item: object): object {
  return Object.fromEntries(Object.entries(item).map(([key, value]) => [key, String(value)]));
}

test("every platform has a fixture", () => {
  const shown = new Set([
    ...Object.values(expected).map(({ platform }) => platform),
    ...refused.map(([, name]) => name),
  ]);
  expect(presets.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
});

const refused: readonly (readonly [file: string, platform: string, message: string, hint: string])[] = [
  ["etsy-orders.csv", "etsy-orders", "it has no goods", "EtsySoldOrderItems"],
  ["pdd-orders.csv", "pdd-orders", "it has no receivers", "sheet for couriers"],
  ["taobao-orders.csv", "taobao-items", "it has no receivers", "发货报表"],
];

test.each(refused)("%s cannot be shipped, and the reason is said", async (name, _, message, hint) => {
  const home = await homeWith(name);
  const { exit, stderr } = await home.courier(["orders", "import", inHome(home, name), "--check", "--json"]);
  expect(exit).toBe(2);
  expect(errorOf({ stderr }).message).toContain(message);
  expect(errorOf({ stderr }).hint).toContain(hint);
});

const orderOf = fc.record({
  lines: fc.integer({ min: 1, max: 4 }),
  quantity: fc.integer({ min: 1, max: 9 }),
  isFulfilled: fc.boolean(),
});

test("the longer export of the next day creates the new orders only", async () => {
  const property = fc.asyncProperty(
    fc.array(orderOf, { minLength: 1, maxLength: 4 }),
    fc.array(orderOf, { minLength: 1, maxLength: 4 }),
    async (first, second) => {
      const home = await homeWith("shopify.csv");
      const header =
        "Name,Financial Status,Fulfillment Status,Lineitem name,Lineitem quantity,Shipping Name,Shipping Phone,Shipping City,Shipping Address1";
      const write = (orders: readonly { lines: number; quantity: number; isFulfilled: boolean }[]) =>
        [
          header,
          ...orders.flatMap(({ lines, quantity, isFulfilled }, index) =>
            Array.from({ length: lines }, (_, line) =>
              line === 0
                ? `#${index},paid,${isFulfilled ? "fulfilled" : "unfulfilled"},Tea ${line},${quantity},Ann,'13900139000,Leeds,1 High St`
                : `#${index},,,Tea ${line},${quantity},,,,`,
            ),
          ),
          "",
        ].join("\n");
      const open = (orders: readonly { isFulfilled: boolean }[]) =>
        orders.filter(({ isFulfilled }) => !isFulfilled).length;
      const one = await home.importFile(await home.put(write(first), "first.csv"));
      expect([one.exit, home.posts], one.stderr).toEqual([0, open(first)]);
      const two = await home.importFile(await home.put(write([...first, ...second]), "second.csv"));
      expect([two.exit, home.posts], two.stderr).toEqual([0, open([...first, ...second])]);
      expect(outcomes(two.report)).toBe(
        [...Array(open(first)).fill("shipped"), ...Array(open(second)).fill("created")].join(" "),
      );
    },
  );
  await fc.assert(property, { numRuns: effort(4, 100) });
});

/** A home with this export, and a default sender for its orders. */
async function createShopHome(text: string): Promise<ImportHome> {
  const home = await createImportHome(text);
  await home.courier("addresses add shop --name 店主 --phone 13800138000 --default");
  return home;
}

describe("the states of a JD order list", () => {
  const head = "订单号,商品名称,订购数量,京东价,订单状态,客户姓名,客户地址,联系电话";
  const file = (...states: readonly string[]) =>
    [
      head,
      ...states.map(
        (state, index) =>
          `10000000000${index},茶叶,1,99,${state},李四,广东深圳市南山区科技园${index}号,1390013900${index}`,
      ),
      "",
    ].join("\n");

  test.each([
    ["等待确认收货", "fulfilled already"],
    [" 完成", "fulfilled already"],
    ["已出库", "fulfilled already"],
    ["(删除)等待出库", "cancelled"],
    ["（删除）锁定", "cancelled"],
    ["订单取消", "cancelled"],
    ["锁定", "held by the platform"],
    ["(锁定)等待出库", "held by the platform"],
    ["退款中", "with a refund in progress"],
    ["待发货，退款处理中", "with a refund in progress"],
    ["买家已申请退款", "with a refund in progress"],
  ])("%s is not sent: %s", async (state, reason) => {
    const home = await createShopHome(file("等待出库", state));
    const ran = await home.run();
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "created"]);
    expect(ran.stderr).toContain(`1 ${reason}`);
  });

  test.each(["无退款申请", "退款关闭", "部分退款成功"])("%s is sent", async (state) => {
    const home = await createShopHome(file(state));
    const ran = await home.run();
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "created"]);
  });
});

describe("the states of orders", () => {
  const woo =
    "order_id,status,billing_first_name,shipping_first_name,shipping_address_1,shipping_city,item_name,item_quantity,item_refunded_qty";
  const files: Readonly<Record<string, (state: string) => string>> = {
    woocommerce: (state) => `${woo}\n41,${state},Pay,Ann,1 Main St,Springfield,Tea,1,0\n`,
    shopify: (state) =>
      `Name,Financial Status,Fulfillment Status,Lineitem name,Lineitem quantity,Shipping Name,Shipping City,Shipping Address1\n` +
      `#1,${/^(?:paid|part)/.test(state) ? `${state},unfulfilled` : `paid,${state}`},Tea,1,Ann,Leeds,1 High St\n`,
    taobao: (state) =>
      `订单编号,买家会员名,宝贝种类,订单状态,收货人姓名,联系手机,收货地址,宝贝标题\n1,demo,1,${state},李四,13900139000,广东省 深圳市 南山区 科技园1号楼,茶\n`,
    youzan: (state) =>
      `订单号,订单商品状态,商品名称,商品数量,收货人/提货人,收货人手机号/提货人手机号,收货人省份,收货人城市,详细收货地址/提货地址,商品发货状态\n1,${state},茶,1,李四,13900139000,广东省,深圳市,科技园1号楼,待发货\n`,
    weidian: (state) =>
      `订单编号,下单模板信息,是否已成团,商品id,商品名称,购买数量,收件人姓名,收件人手机,省,市,区,收货详细地址,订单状态\n1,,${state},7,茶,1,李四,13900139000,广东省,深圳市,南山区,科技园1号楼,待发货\n`,
    "1688": (state) =>
      `订单编号,卖家会员名,订单状态,收货人姓名,联系手机,收货地址,货品标题,数量\n1,demo,${state},李四,13900139000,广东省 深圳市 南山区 科技园1号楼,茶,1\n`,
  };

  async function checkFile(text: string) {
    const home = await createShopHome(text);
    const ran = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(ran.exit, ran.stderr).toBe(0);
    return JSON.parse(ran.stdout);
  }

  test.each([
    ["woocommerce", "unpaid", "on-hold", "checkout-draft", "wc-pending"],
    ["woocommerce", "fulfilled", "wc-shipped", "delivered"],
    ["woocommerce", "partly fulfilled", "partial-shipped"],
    ["woocommerce", "cancelled", "trash"],
    ["shopify", "cancelled", "restocked"],
    ["shopify", "on hold", "on_hold"],
    ["taobao", "unpaid", "没有创建支付宝交易", "付款确认中", "定金已付尾款未付"],
    ["taobao", "cancelled", "付款以前，卖家或买家主动关闭交易", "交易自动关闭"],
    ["taobao", "on hold", "已付款但禁止发货"],
    ["youzan", "on hold", "待成团"],
    ["weidian", "on hold", "否"],
    ["1688", "fulfilled", "等待物流公司揽件", "等待买家签收"],
    ["1688", "cancelled", "交易终止"],
  ] as const)("%s: %s", async (platform, reason, ...states) => {
    for (const state of states)
      expect(await checkFile(files[platform]?.(state) ?? "")).toMatchObject({
        ...{ platform, to_send: 0 },
        skipped: { [reason]: 1 },
      });
  });

  test.each([
    ["woocommerce", "processing", "awaiting-pickup"],
    ["shopify", "paid", "partially_refunded"],
    ["taobao", "买家已付款，等待卖家发货", "等待卖家推进"],
    ["youzan", "待发货", "待定"],
    ["1688", "等待卖家发货", "等待卖家推进"],
  ])("%s: of others than %s, such as %s, a warning is given", async (platform, known, unclear) => {
    expect(await checkFile(files[platform]?.(known) ?? "")).toMatchObject({ to_send: 1, warnings: [] });
    const checked = await checkFile(files[platform]?.(unclear) ?? "");
    expect(checked).toMatchObject({ to_send: 1, warnings: [{ code: "unclear_state", count: 1 }] });
    expect(checked.warnings[0].rows[0]).toContain(`“${unclear}”`);
  });

  const place = "李四,13900139000,广东省,深圳市,南山区,科技园1号楼";
  test.each([
    [
      "douyin",
      `收件人,收件人手机号,省,市,区,详细地址,主订单编号,选购商品,订单状态,售后状态\n${place},1,茶,待发货,`,
    ],
    [
      "xiaohongshu",
      `收件人姓名,收件人电话,省,市,区,收件人地址,订单号,小红书编码,SKU名称,订单状态,售后状态\n${place},1,,茶,待配货,`,
    ],
    [
      "weidian",
      `收件人姓名,收件人手机,省,市,区,收货/提货详细地址,订单编号,商品型号,商品名称,订单状态,退款状态\n${place},1,,茶,待发货,`,
    ],
    [
      "youzan",
      `收货人/提货人,收货人手机号/提货人手机号,收货人省份,收货人城市,收货人地区,详细收货地址/提货地址,订单号,商品名称,商品发货状态,商品退款状态\n${place},1,茶,待发货,`,
    ],
    [
      "youzan-orders",
      `收货人/提货人,收货人手机号/提货人手机号,收货人省份,收货人城市,收货人地区,详细收货地址/提货地址,订单号,全部商品名称,订单状态,订单退款状态\n${place},1,茶,待发货,`,
    ],
    [
      "pdd",
      `收货人,手机,省,市,区,街道,订单编号,商品编号,商品名称,承诺发货时间,订单状态,售后状态\n${place},1,,茶,,待发货,`,
    ],
  ])("%s: of a refund whose state is not known, a warning is given", async (platform, text) => {
    for (const state of [
      "-",
      "无售后或售后取消",
      "没有申请退款",
      "售后关闭",
      "退款已取消",
      "买家已撤销退款申请",
    ])
      expect(await checkFile(`${text}${state}\n`), state).toMatchObject({
        platform,
        to_send: 1,
        warnings: [],
      });
    for (const state of ["待商家处理", "退货中", "同意退款", "部分退款成功", "未处理"]) {
      const { warnings } = await checkFile(`${text}${state}\n`);
      expect(warnings, state).toMatchObject([{ code: "unclear_state", rows: [`row 1 (1) “${state}”`] }]);
    }
    expect(await checkFile(`${text}退款成功\n`)).toMatchObject({ to_send: 0, skipped: { refunded: 1 } });
  });

  test("WooCommerce: an order without a shipping address, or with refunds that are no number, is wrong", async () => {
    const home = await createShopHome(
      `${woo}\n41,processing,Pay,,,,Tea,1,0\n42,processing,Pay,Ann,1 Main St,Springfield,Tea,2,one\n43,processing,Pay,Ann,1 Main St,Springfield,Tea,2,-1\n`,
    );
    const ran = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(JSON.parse(ran.stderr).error.details).toMatchObject([
      { row: 1, message: expect.stringContaining("no column of the shipping address is filled") },
      { row: 2, column: "item_refunded_qty", value: "one", message: "must be a number of pieces" },
    ]);
  });
});

test("the number of orders at the end of an eBay report may be a cell of its own", async () => {
  const header =
    "Sales Record Number,Order Number,Ship To Name,Ship To Phone,Ship To Address 1,Ship To City,Item Title,Quantity";
  const order = "101,01-00001-00001,Ann Example,+1 555 010 0000,1 Main St,Springfield,Tea,1";
  const home = await createShopHome(
    [header, order, "", "1,record(s) downloaded,from ,Nov-18-26, to ,Nov-19-26", "Seller ID: demo", ""].join(
      "\n",
    ),
  );
  const ran = await home.run();
  expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "created"]);
});

test.each([
  [
    "taobao",
    "订单编号,买家会员名,订单状态,收货人姓名,收货地址,联系手机,宝贝标题,宝贝种类,宝贝总数量,物流单号",
    "1234567890123456789,x,买家已付款，等待卖家发货,李四,广东省 深圳市 南山区 科技园1号楼,13900139000,绿茶,1,1,",
  ],
  [
    "1688",
    "订单编号,卖家会员名,订单状态,收货人姓名,收货地址,联系手机,货品标题,数量,运单号",
    "123456,x,等待卖家发货,李四,广东省 深圳市 南山区 科技园1号楼,13900139000,绿茶,1,",
  ],
  [
    "weidian",
    "订单编号,商品名称,购买数量,收件人姓名,收件人手机,省,市,区,收货/提货详细地址,商品型号,订单状态,物流单号",
    "8001,绿茶,1,李四,13900139000,广东省,深圳市,南山区,科技园1号楼,,待发货,",
  ],
  [
    "pdd",
    "订单编号,商品编号,商品名称,商品数量,承诺发货时间,收货人,手机,省,市,区,街道,快递单号",
    "260101-1,1,绿茶,1,,赵一,13900139100,广东省,深圳市,南山区,科技园1号楼,",
  ],
])("%s: a dash is no tracking number", async (_, head, row) => {
  for (const [text, sent] of [
    ["-", "created"],
    ["SF1234567890", ""],
  ]) {
    const home = await createShopHome(`${head}\n${row}${text}\n`);
    const ran = await home.run();
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, sent]);
  }
});

test.each([
  [
    "pdd",
    "订单编号,商品编号,商品名称,商品数量,承诺发货时间,收货人,手机,省,市,区,街道,详细地址",
    "1,1,绿茶,1,,李四,13900139000,广东省,深圳市,南山区,粤海街道,科技园1号楼",
    { ...shenzhen, detail: "粤海街道 科技园1号楼" },
  ],
  ...[
    ["北京市,市辖区,朝阳区,建国路88号", chaoyang],
    ["北京市,朝阳区,,建国路88号", chaoyang],
    [
      "重庆市,县,城口县,东大街1号",
      { province: "重庆市", city: "重庆市", district: "城口县", detail: "东大街1号" },
    ],
  ].map(
    ([place, address]) =>
      [
        "weidian",
        "订单编号,商品名称,商品型号,购买数量,收件人姓名,收件人手机,省,市,区,收货/提货详细地址",
        `1,绿茶,,1,李四,13900139000,${place}`,
        address,
      ] as const,
  ),
  ...[
    ["广东省,深圳市,南山区,广东省深圳市南山区科技园1号楼", shenzhen],
    ["广东省,深圳市,南山区,广东省 深圳市 南山区 科技园1号楼", shenzhen],
    ["北京市,北京市,朝阳区,北京市朝阳区建国路88号", chaoyang],
    ["广东省,深圳市,南山区,广东省政府1号楼", { ...shenzhen, detail: "广东省政府1号楼" }],
    ["广东省,深圳市,南山区,广东省深圳市南山区", { ...shenzhen, detail: "广东省深圳市南山区" }],
  ].map(
    ([place, address]) =>
      [
        "youzan",
        "订单号,商品名称,商品规格,商品数量,收货人/提货人,收货人手机号/提货人手机号,收货人省份,收货人城市,收货人地区,详细收货地址/提货地址,商品发货状态",
        `1,绿茶,-,1,李四,13900139000,${place},待发货`,
        address,
      ] as const,
  ),
] as const)("%s: the columns of an address make one address: %s, %s", async (_, head, row, address) => {
  const home = await createShopHome(`${head}\n${row}\n`);
  const ran = await home.run();
  expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "created"]);
  expect((await home.operations())[0]?.draft?.receiver).toEqual({ ...lisi, ...(address as object) });
});

test("a row that may be goods of a Weidian order, or sum it up, is a mistake", async () => {
  const fileOf = (columns: string, ...rows: readonly string[]) =>
    [
      `订单编号,商品名称,商品型号,购买数量,收件人姓名,收件人手机,省,市,区,收货/提货详细地址,${columns}`,
      ...rows.map((row) => row.replace("@", ",1,李四,13900139000,广东省,深圳市,南山区,科技园1号楼,")),
      "",
    ].join("\n");
  const home = await createShopHome(fileOf("SKU ID", "1,绿茶,@12", "1,茶杯,@"));
  const ran = await home.courier(["orders", "import", home.file, "--check", "--json"]);
  expect([ran.exit, JSON.parse(ran.stderr).error.details], ran.stderr).toMatchObject([
    2,
    [{ row: 1, message: expect.stringContaining("row 2 may be goods of this order, or sum it up") }],
  ]);
  await home.put(fileOf("SKU ID,商品id", "1,绿茶,@12,7", "1,茶杯,@,8", "2,茶壶,@,9"));
  expect(outcomes((await home.run()).report)).toBe("created created");
  expect((await home.operations())[0]?.draft?.item).toMatchObject({ name: "绿茶; 茶杯" });
});

test("the states of a Xiaohongshu order are those of each SKU", async () => {
  const line = (ref: string, state: string, refund: string, goods: string) =>
    `P${ref},${state},${refund},${goods},1,,李四,13900139000,广东省,深圳市,南山区,科技园1号楼`;
  const home = await createShopHome(
    [
      "订单号,订单状态,售后状态,SKU名称,SKU件数,小红书编码,收件人姓名,收件人电话,省,市,区,收件人地址",
      line("1", "待配货", "无售后", "绿茶"),
      line("1", "待配货", "退款成功", "茶杯"),
      line("2", "已发货", "", "茶杯"),
      line("2", "待配货", "", "红茶"),
      line("3", "待配货", "退款成功", "茶杯"),
      line("3", "待配货", "无售后", "白茶"),
      "",
    ].join("\n"),
  );
  const ran = await home.run();
  expect(ran.exit, ran.stderr).toBe(0);
  const sent = (await home.operations()).map(({ draft }) => draft?.item?.name);
  expect(sent.toSorted()).toEqual(["白茶", "红茶", "绿茶"].toSorted());
});

test.each([
  [
    "etsy-orders",
    "Order ID,Buyer User ID,Full Name,Number of Items,Date Shipped,receiver.detail,Ship City,Item Name",
    "1,buyer,Ann Example,1,",
    ",1 Main St,Springfield,Tea",
    "02/01/2026",
  ],
  [
    "pdd-orders",
    "订单号,订单状态,商品数量(件),商家实收金额(元),快递单号,收货人,收货人手机,收货地址,商品名称",
    "1,待发货,1,9,",
    ",李四,13900139000,广东省深圳市南山区科技园1号楼,茶",
    "YT1234567890",
  ],
  [
    "taobao-items",
    "主订单编号,商品属性,退款状态,收货人姓名,收货人手机,收货地址,商品标题",
    "1,,",
    ",李四,13900139000,广东省深圳市南山区科技园1号楼,茶",
    "退款成功",
  ],
])(
  "%s with the columns that it lacks: an order that left, or is not wanted, is left out",
  async (platform, head, before, after, left) => {
    const check = async (text: string) => {
      const home = await createShopHome(`${head}\n${before}${text}${after}\n`);
      const maps = platform === "etsy-orders" ? ["--map", "Full Name=receiver.name"] : [];
      const ran = await home.courier(["orders", "import", home.file, "--check", "--json", ...maps]);
      expect(ran.exit, ran.stderr).toBe(0);
      return JSON.parse(ran.stdout);
    };
    expect(await check("")).toMatchObject({ platform, to_send: 1 });
    expect(await check(left)).toMatchObject({ platform, to_send: 0 });
  },
);
