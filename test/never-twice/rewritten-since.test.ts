/** A service that begins to rewrite values after it kept those of more than 20 orders: all own orders show it, too. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { personWho } from "../support/answering.ts";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting } from "../support/shown-order.ts";
import type { UnfaithfulHome } from "../support/unfaithful-service.ts";
import type { MadeOrder } from "../support/unfaithful-ways.ts";
import { homeThatKnows, minuteMs, settleRows, shipRows } from "./known-home.ts";

const draft = (name: string, phone: string, detail: string, goods: string) => ({
  ...plainDraft,
  receiver: { ...plainDraft.receiver, name, phone, detail },
  item: { ...plainDraft.item, name: goods },
});
const withRef = (row: object, ref: string) => ({ ...row, ref });
const lost = draft("孙大力", "13722223333", "人民南路12号", "台灯");
const neverMs = 10_000 * minuteMs;

/** `lostBefore`: details of own orders are read where a create is lost. After two of them, they are all known. */
async function keptHome(lostBefore = 2): Promise<UnfaithfulHome> {
  const names = [..."一二三四五六七八九十甲乙丙丁戊己庚辛壬癸子丑寅卯"];
  const home = await homeThatKnows(
    (shown) => shown,
    names.map((name, index) =>
      withRef(draft(`王${name}`, `139001390${10 + index}`, `建国路${index}号`, "茶叶"), `K-${index}`),
    ),
  );
  for (const [index, name] of ["郑小红", "冯小红"].slice(0, lostBefore).entries()) {
    const row = withRef(draft(name, `1364444555${index}`, `北街${index}号`, "茶叶"), `F-${index}`);
    expect((await settleRows(home, [row], "after", new RegExp(name))).exit).toBe(0);
  }
  return home;
}

const other = { name: "客户", phone: "17000000000", address: "自提点三号柜" };
/** `goods` and the fields of the receiver, in lists, details or both. */
const begin =
  (fields: readonly ("name" | "phone" | "address" | "goods")[], only?: "list" | "detail"): Rewriting =>
  (shown, view) => {
    if (only !== undefined && only !== view) return shown;
    const receiver = Object.fromEntries(
      Object.entries(other).filter(([field]) => fields.includes(field as never)),
    );
    const item = fields.includes("goods") ? { name: "日用品" } : {};
    return { ...shown, receiver: { ...shown.receiver, ...receiver }, item: { ...shown.item, ...item } };
  };
const made = ({ service }: UnfaithfulHome) =>
  service.orders.filter(({ body }) => body.receiver.phone === lost.receiver.phone).length;

const inPairs: readonly (readonly [string, Rewriting])[] = [
  ["names and goods", begin(["name", "goods"])],
  ["names and goods in details", begin(["name", "goods"], "detail")],
  ["phones and addresses", begin(["phone", "address"])],
];

test.each<readonly [string, Rewriting]>([
  ...inPairs,
  ["names and goods in lists", begin(["name", "goods"], "list")],
  ["all of it", begin(["name", "phone", "address", "goods"])],
])("%s: a lost order is sent once", async (_what, rewrite) => {
  const home = await keptHome(1);
  home.service.ways = { rewrite };
  await settleRows(home, [withRef(lost, "A")], "after", /台灯/);
  expect(made(home)).toBe(1);
});

describe.each(inPairs)("%s: a lost order is not sent again that the list does not show", (_what, rewrite) => {
  test("any more", async () => {
    const home = await keptHome();
    home.service.ways = { rewrite, loss: () => "after" };
    expect((await shipRows(home, [withRef(lost, "A")])).exit).toBe(6);
    const last = home.service.orders.length;
    home.service.ways = { rewrite, omitFromList: ({ id }) => id === last };
    for (let time = 0; time < 3; time++) {
      home.clock.advance(60 * minuteMs);
      await shipRows(home, [withRef(lost, "A")]);
    }
    expect(made(home)).toBe(1);
  });

  test("and that a failure named", async () => {
    const home = await keptHome();
    const next = home.service.orders.length + 1;
    const hidden = { rewrite, omitFromList: ({ id }: MadeOrder) => id === next };
    home.service.ways = {
      ...hidden,
      failAfterCommit: { status: 422, code: "X", message: "y", data: { id: next } },
    };
    await shipRows(home, [withRef(lost, "A")]);
    home.service.ways = hidden;
    home.clock.advance(60 * minuteMs);
    await shipRows(home, [withRef(lost, "A")]);
    expect(made(home)).toBe(1);
  });
});

describe.each(inPairs)(
  "%s: a lost order is not sent again whose id the next create's answer has",
  (_what, rewrite) => {
    const create = ({ courier }: UnfaithfulHome, body: object, ref: string) =>
      courier(`orders create --file - --ref ${ref} --yes --json`, { stdin: JSON.stringify(body) });

    test.each(["周文", "孙大力"])("for %s", async (name) => {
      const home = await keptHome();
      home.service.ways = { rewrite, loss: () => "after", refuseList: { status: 503 } };
      expect((await create(home, lost, "A")).exit).toBe(6);
      home.clock.advance(5_000);
      home.service.ways = { rewrite, answerWith: home.service.orders.length, commitDelayMs: neverMs };
      await create(home, draft(name, "13533334444", "解放大道127号", "毛巾"), "B");
      home.service.ways = { rewrite };
      home.clock.advance(20 * minuteMs);
      await create(home, lost, "A");
      expect(made(home)).toBe(1);
    });

    test("after it is cancelled, and no list had it", async () => {
      const home = await keptHome();
      const next = home.service.orders.length + 1;
      const hidden = { rewrite, omitFromList: ({ id }: MadeOrder) => id === next };
      const failAfterCommit = { status: 500, code: "X", message: "y", data: { id: next } };
      home.service.ways = { ...hidden, failAfterCommit, refuseDetail: { status: 503 } };
      await create(home, lost, "A");
      home.clock.advance(5_000);
      home.service.ways = { ...hidden, answerWith: next, commitDelayMs: neverMs };
      await create(home, draft("周文", "13533334444", "解放大道127号", "毛巾"), "B");
      home.service.ways = hidden;
      await home.courier(`api DELETE orders/${next} --yes`);
      home.clock.advance(200 * minuteMs);
      await create(home, lost, "A");
      expect(made(home)).toBe(1);
    });
  },
);

describe("an order that another machine made is not sent again", () => {
  const alone = (["phone", "address", "goods"] as const).map((field) => [field, begin([field])] as const);

  test.each<readonly [string, Rewriting]>([...inPairs, ...alone, ["name", begin(["name"])]])(
    "by an import: %s",
    async (_what, rewrite) => {
      const home = await keptHome();
      home.service.ways = { rewrite };
      home.service.foreign(lost);
      home.clock.advance(minuteMs);
      const ran = await shipRows(home, [withRef(lost, "A")]);
      expect([ran.exit, made(home)], ran.stderr).toEqual([3, 1]);
    },
  );

  test.each(alone)("by a person without a question: %s", async (what, rewrite) => {
    const home = await keptHome();
    home.service.ways = { rewrite };
    const { id } = home.service.foreign(lost);
    home.clock.advance(minuteMs);
    const file = path.join(home.directory, "order.json");
    await writeFile(file, JSON.stringify(lost));
    const isSame = what !== "goods";
    const question = isSame
      ? `An equal order, ${id}, exists, …`
      : `Order ${id}, which this ledger does not know, …`;
    const person = personWho(["What now?", "Send this order"], [question, false], ["What now?", "Quit"]);
    await home.courier(`orders create --file ${file}`, { terminal: 80, prompts: person });
    expect(made(home)).toBe(1);
  });
});
