/** Somebody edits one order at the service: that does not say that the service changes what it is sent. */

import { describe, expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";
import { minuteMs } from "./known-home.ts";

const draft = (name: string, phone: string, detail: string, item: string) => ({
  ...plainDraft,
  receiver: { ...plainDraft.receiver, name, phone, detail },
  item: { ...plainDraft.item, name: item },
});
const lost = draft("孙大力", "13722223333", "人民南路12号", "台灯");
const first = draft("郑小红", "13644445555", "北街7号", "茶叶");
const next = draft("周文", "13533334444", "解放大道127号", "毛巾");

const ship = ({ courier }: UnfaithfulHome, rows: readonly object[]) =>
  courier("orders import - --yes --json --concurrency 2", { stdin: JSON.stringify(rows) });

const edit =
  (change: (order: Parameters<Rewriting>[0]) => Partial<Parameters<Rewriting>[0]>): Rewriting =>
  (shown) =>
    shown.id === 3 ? { ...shown, ...change(shown) } : shown;
const otherGoods = edit(({ item }) => ({ item: { ...item, name: "风筝" } }));
const otherName = edit(({ receiver }) => ({ receiver: { ...receiver, name: "何方" } }));

/** The service is known to keep what so many orders have, and shows one of them as it was edited. */
async function editedHome(rewrite: Rewriting, count: number): Promise<UnfaithfulHome> {
  const home = await createUnfaithfulHome();
  const known = Array.from({ length: count }, (_, index) => ({
    ...draft(
      `王${"一二三四五六七八九十甲乙丙丁戊己庚辛壬癸子丑寅卯".charAt(index)}`,
      `139001390${10 + index}`,
      `建国路${index}号`,
      "茶叶",
    ),
    ref: `K-${index}`,
  }));
  home.service.ways = { rewrite };
  for (let time = 0; time < 2; time++) {
    expect((await ship(home, known)).exit).toBe(0);
    home.clock.advance(minuteMs);
  }
  // A create in doubt has the list compared.
  home.service.ways = { rewrite, loss: () => "after", refuseList: { status: 503 } };
  await ship(home, [{ ...first, ref: "F" }]);
  home.service.ways = { rewrite };
  home.clock.advance(minuteMs);
  expect((await ship(home, [{ ...first, ref: "F" }])).exit).toBe(0);
  home.clock.advance(minuteMs);
  return home;
}

describe.each([24, 6])("among %i orders", (count) => {
  test("whose goods were edited: an order of other goods to the same receiver is not the lost one's", async () => {
    const home = await editedHome(otherGoods, count);
    const create = () =>
      home.courier("orders create --file - --ref A --yes --json", { stdin: JSON.stringify(lost) });
    home.service.ways = { rewrite: otherGoods, loss: () => "before", refuseList: { status: 503 } };
    expect((await create()).exit).toBe(6);
    home.service.ways = { rewrite: otherGoods };
    home.clock.advance(1_000);
    const { id } = home.service.foreign(draft("孙大力", "13722223333", "人民南路12号", "毛巾"));
    home.clock.advance(20 * minuteMs);
    for (let time = 0; time < 2; time++) {
      const again = await create();
      expect(again.stdout, again.stderr).not.toContain(`"id":${id}`);
      home.clock.advance(minuteMs);
    }
  });

  test("whose receiver's name was edited: an answer that names another's order is noticed at once", async () => {
    const home = await editedHome(otherName, count);
    let id = 0;
    home.service.ways = {
      rewrite: otherName,
      // Made on the courier's website meanwhile.
      answerWith: ({ body }) => {
        if (!body.includes("周文")) return undefined;
        id = home.service.foreign(draft("钱七", "13600136000", "中山路1号", "陶瓷杯")).id;
        return id;
      },
    };
    const ran = await ship(home, [
      { ...next, ref: "A" },
      { ...lost, ref: "B" },
    ]);
    expect(ran.stderr).toContain(`named order ${id}, but the service shows another receiver`);
  });
});
