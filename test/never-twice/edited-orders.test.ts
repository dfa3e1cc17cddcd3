/** Someone edits few orders at the service: that does not say that the service changes what it is sent. */

import { describe, expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting, ShownOrder } from "../support/shown-order.ts";
import type { UnfaithfulHome } from "../support/unfaithful-service.ts";
import { homeThatKnows, minuteMs, settleRows, shipRows } from "./known-home.ts";

const draft = (name: string, phone: string, detail: string, item: string) => ({
  ...plainDraft,
  receiver: { ...plainDraft.receiver, name, phone, detail },
  item: { ...plainDraft.item, name: item },
});
const to = (item: string) => draft("孙大力", "13722223333", "人民南路12号", item);
const lost = to("台灯");
const first = draft("郑小红", "13644445555", "北街7号", "茶叶");
const next = draft("周文", "13533334444", "解放大道127号", "毛巾");
const longGoods = "2026新款夏季男士短袖T恤纯棉宽松圆领上衣 XL 黑色";
const otherLongGoods = "秋冬加厚保暖羊毛围巾女士格子披肩两用百搭 红色";

const names = "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥天地玄黄宇宙洪荒";
const knownRow = (index: number, item = "茶叶") => ({
  ...draft(`王${names.charAt(index)}`, `139001390${10 + index}`, `建国路${index}号`, item),
  ref: `K-${index}`,
});
const knownRows = (count: number) => Array.from({ length: count }, (_, index) => knownRow(index));

const edit =
  (ids: readonly number[], change: (order: ShownOrder) => Partial<ShownOrder>): Rewriting =>
  (shown) =>
    ids.includes(Number(shown.id)) ? { ...shown, ...change(shown) } : shown;
const otherGoods = (ids: readonly number[]) => edit(ids, ({ item }) => ({ item: { ...item, name: "风筝" } }));
const otherName = (ids: readonly number[]) =>
  edit(ids, ({ receiver }) => ({ receiver: { ...receiver, name: "何方" } }));
const cut: Rewriting = (shown) => ({
  ...shown,
  item: { ...shown.item, name: [...String(shown.item?.name)].slice(0, 20).join("") },
});

/** A create in doubt had the list compared, too. */
async function editedHome(rewrite: Rewriting, count: number): Promise<UnfaithfulHome> {
  const home = await homeThatKnows(rewrite, knownRows(count));
  home.service.ways = { rewrite, loss: () => "after", refuseList: { status: 503 } };
  await shipRows(home, [{ ...first, ref: "F" }]);
  home.service.ways = { rewrite };
  home.clock.advance(minuteMs);
  expect((await shipRows(home, [{ ...first, ref: "F" }])).exit).toBe(0);
  home.clock.advance(minuteMs);
  return home;
}

/** The create is not made, and someone makes an order of other goods for its receiver on the courier's website. */
async function expectNotFound(home: UnfaithfulHome, row: object): Promise<void> {
  const { rewrite } = home.service.ways;
  const ways = rewrite ? { rewrite } : {};
  const create = () =>
    home.courier("orders create --file - --ref A --yes --json", { stdin: JSON.stringify(row) });
  home.service.ways = { ...ways, loss: () => "before", refuseList: { status: 503 } };
  expect((await create()).exit).toBe(6);
  home.service.ways = ways;
  home.clock.advance(1_000);
  const { id } = home.service.foreign(to("毛巾"));
  home.clock.advance(20 * minuteMs);
  for (let time = 0; time < 2; time++) {
    const again = await create();
    expect(again.stdout, again.stderr).not.toContain(`"id":${id}`);
    home.clock.advance(minuteMs);
  }
}

describe.each<[number, readonly number[]]>([
  [24, [3]],
  [6, [3]],
  [18, [3, 4]],
  [6, [3, 4]],
])("among %i orders", (count, ids) => {
  test(`whose goods were edited (${ids}): an order of other goods to the same receiver is not the lost one's`, async () => {
    await expectNotFound(await editedHome(otherGoods(ids), count), lost);
  });

  test(`whose receiver's name was edited (${ids}): an answer that names another's order is noticed at once`, async () => {
    const home = await editedHome(otherName(ids), count);
    let id = 0;
    home.service.ways = {
      ...home.service.ways,
      // Made on the courier's website meanwhile.
      answerWith: ({ body }) => {
        if (!body.includes("周文")) return undefined;
        id = home.service.foreign(draft("钱七", "13600136000", "中山路1号", "陶瓷杯")).id;
        return id;
      },
    };
    const ran = await shipRows(home, [
      { ...next, ref: "A" },
      { ...lost, ref: "B" },
    ]);
    expect(ran.stderr).toContain(`named order ${id}, but the service shows another receiver`);
  });
});

describe.each<[string, Rewriting]>([
  ["one of 24 orders was edited", otherGoods([3])],
  ["the service cuts long names of goods", cut],
])("%s", (_how, rewrite) => {
  const home = () =>
    homeThatKnows(rewrite, [...knownRows(7), knownRow(7, `${longGoods}-7`), ...knownRows(24).slice(8)]);

  test("an order of other goods is not the lost one's, whose goods have a long name", async () => {
    await expectNotFound(await home(), to(longGoods));
  });

  test("a create that made no order is settled beside one of other goods for the same receiver", async () => {
    const rows = [
      { ...to("毛巾"), ref: "B" },
      { ...lost, ref: "A" },
    ];
    const ran = await settleRows(await home(), rows, "before", /台灯/);
    expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  });
});

test("two lost orders of one receiver, whose goods have long names that are cut, are found", async () => {
  const home = await homeThatKnows(cut, [...knownRows(7), knownRow(7, `${longGoods}-7`)]);
  const rows = [longGoods, otherLongGoods].map((item, index) => ({ ...to(item), ref: `L-${index}` }));
  const ran = await settleRows(home, rows, "after");
  expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
});

test("where receivers of two orders were corrected: another machine's order of the same goods keeps none in doubt", async () => {
  const corrected: Rewriting = (shown, view) => {
    const phone = edit([38], ({ receiver }) => ({ receiver: { ...receiver, phone: "18812345678" } }));
    const street = edit([39], ({ receiver }) => ({ receiver: { ...receiver, detail: "中山路77号" } }));
    return phone(street(shown, view), view);
  };
  const home = await homeThatKnows(corrected, knownRows(40));
  const row = { ...to("茶叶"), ref: "L" };
  home.service.ways = { rewrite: corrected, loss: () => "before", refuseList: { status: 503 } };
  await shipRows(home, [row]);
  home.service.ways = { rewrite: corrected };
  home.clock.advance(1_000);
  home.service.foreign(first);
  let ran = await shipRows(home, [row]);
  for (let time = 0; time < 4; time++) {
    home.clock.advance(60 * minuteMs);
    ran = await shipRows(home, [row]);
  }
  expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
});
