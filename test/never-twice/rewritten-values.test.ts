/** A service that rewrites some values: lost orders are settled, and orders of other machines and people are not lost sight of. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { personWho } from "../support/answering.ts";
import { outcomes } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting, ShownOrder, ShownParty } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import { homeThatKnows, minuteMs, settleRows, shipRows } from "./known-home.ts";

const draft = (name: string, phone: string, detail: string, goods: string, more: object = {}) => ({
  ...plainDraft,
  receiver: { ...plainDraft.receiver, name, phone, detail },
  item: { ...plainDraft.item, name: goods, ...more },
});
type Row = ReturnType<typeof draft>;
const withRef = (row: object, ref: string) => ({ ...row, ref });
const names = "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳";
const plain = (index: number, more: object = {}): Row =>
  draft(`王${names.charAt(index)}`, `139001390${10 + index}`, `建国路${index}号`, "茶叶", more);
const lost = draft("孙大力", "13722223333", "人民南路12号", "台灯");
const inChengdu = (row: Row): Row => ({
  ...row,
  receiver: { ...row.receiver, province: "四川省", city: "成都市" },
});

const changeItem =
  (change: (item: NonNullable<ShownOrder["item"]>) => object): Rewriting =>
  (shown) => ({ ...shown, item: { ...shown.item, ...change(shown.item ?? {}) } });
const rounded = changeItem(({ weight }) => ({ weight: Math.round(Number(weight) * 100) / 100 }));
const single = changeItem(() => ({ quantity: 1 }));
const cut = changeItem(({ name }) => ({ name: String(name).slice(0, 20) }));
const shortAddress = (party: ShownParty | undefined) =>
  party && {
    ...party,
    address: [
      party.province === party.city ? "" : party.province,
      party.city,
      party.district,
      party.detail,
    ].join(""),
  };
const withoutDistrict: Rewriting = (shown) => {
  const { province, city } = shown.receiver ?? {};
  return province === city ? { ...shown, receiver: { ...shown.receiver, district: "" } } : shown;
};
const cityOnce: Rewriting = (shown) => ({ ...shown, receiver: shortAddress(shown.receiver) });

const simple: Readonly<Record<string, string>> = {
  張: "张",
  麗: "丽",
  陳: "陈",
  臺: "台",
  燈: "灯",
  華: "华",
};
const simplify = (text: unknown) => [...String(text)].map((letter) => simple[letter] ?? letter).join("");
const simplified: Rewriting = (shown) => ({
  ...shown,
  receiver: { ...shown.receiver, name: simplify(shown.receiver?.name) },
  item: { ...shown.item, name: simplify(shown.item?.name) },
});
const maskPhone = (phone: unknown) => String(phone).replace(/^(\d{3})\d{4}/, "$1****");
const masked: Rewriting = (shown) => ({
  ...shown,
  receiver: {
    ...shown.receiver,
    name: `${String(shown.receiver?.name).charAt(0)}*`,
    phone: maskPhone(shown.receiver?.phone),
  },
});

describe.each([
  [24, 2],
  [24, 1],
  [6, 1],
  [3, 1],
])("of %i known orders %i were rewritten", (count, few) => {
  const rare = (index: number, usual: object, odd: object) => plain(index, index < few ? odd : usual);
  test.each<[string, Rewriting, (index: number) => Row, Row]>([
    [
      "weight",
      rounded,
      (index) => rare(index, { weight: 0.5 }, { weight: 1.255 }),
      { ...lost, item: { ...lost.item, ...{ weight: 2.345 } } },
    ],
    [
      "quantity",
      single,
      (index) => rare(index, { quantity: 1 }, { quantity: 2 }),
      { ...lost, item: { ...lost.item, quantity: 3 } },
    ],
    ["address", withoutDistrict, (index) => (index < few ? plain(index) : inChengdu(plain(index))), lost],
  ])("a lost order whose %s the service is known to rewrite is found", async (_what, rewrite, make, row) => {
    const first = inChengdu(draft("郑小红", "13644445555", "北街7号", "茶叶"));
    const home = await homeThatKnows(
      rewrite,
      Array.from({ length: count }, (_, index) => withRef(make(index), `K-${index}`)),
    );
    expect((await settleRows(home, [withRef(first, "F")], "after", /郑小红/)).exit).toBe(0);
    const ran = await settleRows(home, [withRef(row, "A")], "after", /台灯/);
    expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  });
});

test("where the township is added to some addresses, a lost order is found", async () => {
  const withTownship: Rewriting = (shown) => {
    const detail = String(shown.receiver?.detail).replace("南路", "和平街道南路");
    return { ...shown, receiver: { ...shown.receiver, detail } };
  };
  const known = Array.from({ length: 24 }, (_, index) =>
    withRef(
      draft(
        `王${names.charAt(index)}`,
        `139001390${10 + index}`,
        `${index < 3 ? "南" : "建国"}路${index}号`,
        "茶叶",
      ),
      `K-${index}`,
    ),
  );
  const home = await homeThatKnows(withTownship, known);
  for (const [index, name] of ["郑小红", "周文", "孙大力"].entries()) {
    const row = draft(name, `1364444555${index}`, `南路${7 + index}号`, "茶叶");
    const ran = await settleRows(home, [withRef(row, `L-${index}`)], "after", /./);
    expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  }
});

describe("a service that is known to simplify characters", () => {
  const knownHome = () =>
    homeThatKnows(simplified, [
      ...[0, 1, 2, 3].map((index) => withRef(plain(index), `K-${index}`)),
      withRef(draft("陳華", "13777778888", "東路7號", "臺燈"), "T-1"),
    ]);

  test("an order that another machine made is not sent again by an import", async () => {
    const home = await knownHome();
    const row = draft("張麗", "13766665555", "中山路9號", "臺燈");
    home.service.foreign(row);
    home.clock.advance(minuteMs);
    const ran = await shipRows(home, [withRef(row, "N-1")]);
    const made = home.service.orders.filter(({ body }) => body.receiver.name === "張麗");
    expect([ran.exit, made.length], ran.stdout + ran.stderr).toEqual([3, 1]);
  });

  test("nor by a person without a question", async () => {
    const home = await knownHome();
    const row = draft("王大力", "13766665555", "中山路9号", "臺燈");
    const { id } = home.service.foreign(row);
    home.clock.advance(minuteMs);
    const file = path.join(home.directory, "order.json");
    await writeFile(file, JSON.stringify(row));
    const question = `Order ${id}, which this ledger does not know, may be equal. Send this one?`;
    const person = personWho(["What now?", "Send this order"], [question, false], ["What now?", "Quit"]);
    await home.courier(`orders create --file ${file}`, { terminal: 80, prompts: person });
    expect(home.service.orders.filter(({ body }) => body.receiver.name === "王大力")).toHaveLength(1);
  });

  test("find takes an own order for no other receiver's", async () => {
    const home = await knownHome();
    await home.courier("sync");
    expect((await home.courier("find 7778888")).stderr).not.toContain("another receiver than was sent");
  });
});

test.each([15, 25])(
  "where names and phones are hidden: settled beside %i orders of one family name",
  async (count) => {
    const home = await createUnfaithfulHome({ rewrite: masked });
    const rows = Array.from({ length: count }, (_, index) =>
      withRef(
        draft(
          `王${names.charAt(index)}`,
          `139${10 + index}0139${1000 + 37 * index}`,
          `建国路${index}号`,
          "茶叶",
        ),
        `K-${index}`,
      ),
    );
    const row = withRef(draft("王大力", "13722223333", "人民南路12号", "茶叶"), "L");
    const ran = await settleRows(home, [...rows, row], "before", /王大力/);
    const made = home.service.orders.filter(({ body }) => body.receiver.name === "王大力");
    expect([ran.exit, made.length], ran.stderr).toEqual([0, 1]);
  },
);

test("where digits are hidden, an order whose phone fits is the one that was sent", async () => {
  const hidden: Rewriting = (shown, view) => {
    const { receiver, ...order } = simplified(shown, view);
    return {
      ...order,
      receiver: { ...receiver, phone: maskPhone(receiver?.phone), address: "北京市北京市朝阳区****" },
    };
  };
  const home = await createUnfaithfulHome({ rewrite: hidden });
  const rows = [
    withRef(plain(0), "A"),
    withRef(draft("陳華", "13777778888", "東路7號", "臺燈"), "B"),
    withRef(plain(1), "C"),
  ];
  for (let time = 0; time < 2; time++) {
    expect((await shipRows(home, rows)).exit).toBe(0);
    home.clock.advance(minuteMs);
  }
  const cancelled = await home.courier("orders cancel ref:B --yes --json");
  expect(cancelled.exit, cancelled.stderr).toBe(0);
});

test("where long names of goods are cut: an own order for the same receiver does not keep a lost one in doubt", async () => {
  const home = await homeThatKnows(cut, [
    ...Array.from({ length: 24 }, (_, index) => withRef(plain(index), `K-${index}`)),
    withRef({ ...plain(25), item: { ...plainDraft.item, name: "非常长的商品名称".repeat(4) } }, "K-25"),
  ]);
  const own = { ...lost, item: { ...lost.item, name: "毛巾" } };
  const ran = await settleRows(home, [withRef(own, "B"), withRef(lost, "A")], "before", /台灯/);
  expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
});

/** Plain values of 25 orders are kept; what the service does to others no order has shown yet. */
async function homeThatKeeps(rewrite: Rewriting) {
  const whole = { weight: 0.5, value: 20, quantity: 1, description: "黑色" };
  const known = Array.from({ length: 25 }, (_, index) =>
    withRef(inChengdu(plain(index, whole)), `K-${index}`),
  );
  const home = await homeThatKnows(rewrite, known);
  const found = withRef(inChengdu(draft("郑小红", "13644445555", "北街7号", "茶叶")), "F");
  expect((await settleRows(home, [found], "after", /郑小红/)).exit).toBe(0);
  return home;
}

test.each(["+86 (0)10 6552 9988", "010-65529988-8001"])(
  "a lost order to Beijing, %s, is not sent again where the service shortens the phone and names the city once",
  async (phone) => {
    const shorten = (text: unknown) =>
      String(text)
        .replace("(0)", "")
        .replace(/-8001$/, "");
    const home = await homeThatKeeps((shown, view) => {
      const { receiver, ...order } = cityOnce(shown, view);
      return { ...order, receiver: { ...receiver, phone: shorten(receiver?.phone) } };
    });
    const row = { ...lost, receiver: { ...lost.receiver, phone } };
    await settleRows(home, [withRef(row, "A")], "after", /台灯/);
    expect(home.service.orders).toHaveLength(27);
  },
);

describe("an order of another machine, at a service that has kept the values of 25 orders", () => {
  const { receiver, item } = lost;
  /** What becomes of a row where the list has an order of another machine that is shown so. */
  async function shipBeside(row: object, shown: { receiver?: object; item?: object }) {
    const home = await homeThatKeeps((order) =>
      order.receiver?.name === receiver.name
        ? {
            ...order,
            receiver: { ...order.receiver, ...shown.receiver },
            item: { ...order.item, ...shown.item },
          }
        : order,
    );
    const before = home.service.orders.length;
    home.service.foreign({ ...lost, ...row });
    home.clock.advance(minuteMs);
    const ran = await shipRows(home, [withRef({ ...lost, ...row }, "N-1")]);
    return [ran.exit, home.service.orders.length - before];
  }

  test.each([
    ["weight rounded", { item: { ...item, weight: 1.255 } }, { item: { weight: 1.26 } }],
    ["weight rounded up to a half", { item: { ...item, weight: 1.2 } }, { item: { weight: 1.5 } }],
    ["value rounded", { item: { ...item, value: 2999.5 } }, { item: { value: 3000 } }],
    ["another phone", {}, { receiver: { phone: "13899990000" } }],
    ["another address", {}, { receiver: { address: "北京市北京市海淀区中关村大街1号" } }],
  ])("holds its row: %s", async (_what, row, shown) => {
    expect(await shipBeside(row, shown)).toEqual([3, 1]);
  });

  test.each([
    ["another name", { item: { name: "毛巾" } }],
    ["another quantity", { item: { quantity: 5 } }],
    ["another weight", { item: { weight: 12.5 } }],
    ["another description", { item: { description: "红色" } }],
  ])("for the same customer does not where it has other goods: %s", async (_what, shown) => {
    const goods = { item: { ...item, weight: 0.5, quantity: 1, description: "黑色" } };
    expect(await shipBeside(goods, shown)).toEqual([0, 2]);
  });
});

describe("after 25 plain names of receivers and goods were kept, an order of another machine holds its row", () => {
  const changed = (text: unknown) =>
    String(text).replace("Ż", "?").replaceAll(/[üû]/g, "?").replace("'", "&#39;").slice(0, 20);
  const change: Rewriting = ({ receiver, item, ...order }) => ({
    ...order,
    receiver: { ...receiver, name: changed(receiver?.name) },
    item: { ...item, name: changed(item?.name) },
  });

  test.each([
    ["Żaneta Müller", "tea"],
    ["Sinéad O'Brien", "tea"],
    ["Bartholomew Featherstone-Smythe", "tea"],
    ["Li Lei", "Crème brûlée"],
  ])("%s, %s", async (name, goods) => {
    const known = Array.from({ length: 25 }, (_, index) =>
      withRef(draft(`Anna Li ${index}`, `137001370${10 + index}`, `古翠路${index}号`, "book"), `P-${index}`),
    );
    const home = await homeThatKnows(change, known);
    const row = draft(name, "13722223333", "人民南路12号", goods);
    home.service.foreign(row);
    home.clock.advance(minuteMs);
    const ran = await shipRows(home, [withRef(row, "N-1")]);
    expect([ran.exit, home.service.orders.length], ran.stderr).toEqual([3, 26]);
    // Other goods for the same customer, of such a name, too, are another order.
    const other = { ...row, item: { ...row.item, name: "Große Lampe aus gelbem Glas" } };
    expect((await shipRows(home, [withRef(other, "N-2")])).exit).toBe(0);
  });
});

describe("where one own order was edited on the website, --skip-shipped holds a row", () => {
  const sent = { ...lost, item: { ...lost.item, quantity: 50 } };
  test.each<[string, Rewriting, object]>([
    [
      "beside an order to another city",
      (order) => ({ ...order, receiver: { ...order.receiver, address: "上海市静安区南京西路77号" } }),
      { receiver: { ...lost.receiver, province: "上海市", city: "上海市", detail: "漕溪路2号" } },
    ],
    [
      "beside an order of fewer pieces",
      changeItem(() => ({ quantity: 7 })),
      { item: { ...lost.item, quantity: 1 } },
    ],
  ])("%s", async (_what, change, elsewhere) => {
    const known = [0, 1, 2].map((index) => withRef(plain(index, { quantity: 1 }), `K-${index}`));
    const rewrite: Rewriting = (order, view) => (order.id === 1 ? change(order, view) : order);
    const home = await homeThatKnows(rewrite, known);
    await settleRows(home, [withRef(plain(4), "F")], "after"); // details of own orders are read
    home.service.foreign({ ...sent, ...elsewhere });
    home.clock.advance(minuteMs);
    const stdin = JSON.stringify([withRef(sent, "N-1")]);
    const ran = await home.courier("orders import - --yes --json --skip-shipped", { stdin });
    expect([ran.exit, outcomes(JSON.parse(ran.stdout))]).toEqual([3, "held"]);
  });
});
