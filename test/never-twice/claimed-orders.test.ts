/** An answer gave one create's order to another create: the first one's is not proved unmade, and not sent again. */

import { describe, expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting, ShownOrder } from "../support/shown-order.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";
import type { MadeOrder, ReceivedRequest, Ways } from "../support/unfaithful-ways.ts";
import { knownHome, minuteMs } from "./known-home.ts";

const draft = (name: string, phone: string, detail: string, item: string) => ({
  ...plainDraft,
  receiver: { ...plainDraft.receiver, name, phone, detail },
  item: { ...plainDraft.item, name: item },
});
const lost = draft("孙大力", "13722223333", "人民南路12号", "台灯");
const next = draft("周文", "13533334444", "解放大道127号", "毛巾");
const third = draft("赵小明", "13611112222", "南京东路5号", "陶瓷杯");
const neverMs = 10_000 * minuteMs;
const nameOf = ({ body }: ReceivedRequest) => JSON.parse(body).receiver.name;

const create = ({ courier }: UnfaithfulHome, body: object, ref: string) =>
  courier(`orders create --file - --ref ${ref} --yes --json`, { stdin: JSON.stringify(body) });

const made = ({ service }: UnfaithfulHome) =>
  service.orders.filter(({ body }) => body.receiver.name === "孙大力").length;

const showName =
  (change: (name: string) => string, only?: string): Rewriting =>
  (shown, view) =>
    only === undefined || only === view
      ? { ...shown, receiver: { ...shown.receiver, name: change(String(shown.receiver?.name)) } }
      : shown;
const hide = (name: string) => `${name.charAt(0)}**`;
const hideMost =
  (mark: string): Rewriting =>
  ({ receiver, ...shown }) => {
    const address = `${receiver?.city}朝阳区${mark}${String(receiver?.detail).slice(-3)}`;
    return { ...shown, receiver: { name: "***", phone: "17012345678", address } };
  };

/** Three orders are known. The fourth is the lost one's, and its answer goes to the next create, which makes none. */
async function exchanged(ways: Ways = {}): Promise<UnfaithfulHome> {
  const { home } = await knownHome();
  home.service.ways = { ...ways, loss: () => "after", refuseList: { status: 503 } };
  expect((await create(home, lost, "A")).exit).toBe(6);
  home.clock.advance(5_000);
  home.service.ways = { ...ways, answerWith: 4, commitDelayMs: neverMs };
  await create(home, next, "B");
  home.service.ways = ways;
  return home;
}

describe("a list is not up to date because it shows", () => {
  test("an order of a third create, which an answer gave to the next one", async () => {
    const { home } = await knownHome();
    const omitFromList = ({ id }: MadeOrder) => id >= 4;
    home.service.ways = { loss: () => "after", omitFromList };
    expect((await create(home, third, "C")).exit).toBe(6);
    expect((await create(home, lost, "A")).exit).toBe(6);
    home.clock.advance(5_000);
    home.service.ways = { answerWith: 4, omitFromList };
    await create(home, next, "B");
    home.clock.advance(20_000);
    home.service.ways = { omitFromList: ({ id }) => id >= 5 };
    await create(home, lost, "A");
    expect(made(home)).toBe(1);
  });

  test.each(["台灯", "毛巾"])(
    "an older order of the website, of %s, which an answer named",
    async (goods) => {
      const { home } = await knownHome();
      home.service.foreign(draft("赵小明", "13611112222", "南京东路5号", "台灯"));
      const omitFromList = ({ id }: MadeOrder) => id >= 4;
      home.service.ways = { loss: () => "after", omitFromList };
      expect((await create(home, lost, "A")).exit).toBe(6);
      home.clock.advance(5_000);
      home.service.ways = { answerWith: 4, omitFromList };
      await create(home, { ...next, item: { ...next.item, name: goods } }, "B");
      home.clock.advance(20_000);
      home.service.ways = { omitFromList: ({ id }) => id >= 5 };
      await create(home, lost, "A");
      expect(made(home)).toBe(1);
    },
  );

  test("an older order that a person gave to a create", async () => {
    const { home } = await knownHome();
    home.service.foreign(next);
    const omitFromList = ({ id }: MadeOrder) => id >= 5;
    home.service.ways = { loss: () => "after", omitFromList };
    expect((await create(home, lost, "A")).exit).toBe(6);
    home.clock.advance(5_000);
    home.service.ways = { loss: () => "before", omitFromList };
    await create(home, next, "B");
    home.service.ways = { omitFromList };
    await home.courier("orders resolve ref:B --as 4 --yes");
    home.clock.advance(20_000);
    await create(home, lost, "A");
    expect(made(home)).toBe(1);
  });
});

describe("an order that the next create's answer named is a possible match", () => {
  test.each<[string, Ways]>([
    ["fail", { refuseDetail: { status: 500 } }],
    ["are not there yet", { detailLagMs: 60 * minuteMs }],
  ])("where its details %s", async (_how, ways) => {
    const home = await exchanged();
    home.clock.advance(20 * minuteMs);
    home.service.ways = ways;
    const again = await create(home, lost, "A");
    expect([again.exit, made(home)], again.stderr).toEqual([2, 1]);
    home.service.ways = {};
    home.clock.advance(minuteMs);
    const last = await create(home, lost, "A");
    expect([last.exit, made(home)], last.stderr).toEqual([0, 1]);
  });

  test("where its details fail, and the ledger knows how the service shows orders", async () => {
    const home = await createUnfaithfulHome();
    const ship = (rows: readonly object[]) =>
      home.courier("orders import - --yes --json --concurrency 2", { stdin: JSON.stringify(rows) });
    const known = Array.from({ length: 24 }, (_, index) => ({
      ...draft(
        `王${"一二三四五六七八九十甲乙丙丁戊己庚辛壬癸子丑寅卯".charAt(index)}`,
        `139001390${10 + index}`,
        `建国路${index}号`,
        `茶叶${index}`,
      ),
      ref: `K-${index}`,
    }));
    for (let time = 0; time < 2; time++) {
      expect((await ship(known)).exit).toBe(0);
      home.clock.advance(minuteMs);
    }
    const rows = [
      { ...lost, ref: "A" },
      { ...next, ref: "B" },
    ];
    home.service.ways = {
      loss: (request) => (nameOf(request) === "孙大力" ? "after" : "answered"),
      answerWith: (request) =>
        nameOf(request) === "周文"
          ? home.service.orders.find(({ body }) => body.receiver.name === "孙大力")?.id
          : undefined,
      omitFromList: ({ id }) => id > 24,
    };
    await ship(rows);
    home.clock.advance(60 * minuteMs);
    home.service.ways = { refuseDetail: { status: 404, code: "NOT_FOUND" } };
    const again = await ship(rows);
    expect([again.exit, made(home)], again.stderr).toEqual([6, 1]);
  });

  test.each<[string, Rewriting]>([
    ["hides names", showName(hide)],
    ["hides names in its list", showName(hide, "list")],
    ["changes names", showName((name) => `${name}先生`)],
    ["hides names and streets (***), and shows numbers of its own", hideMost("***")],
    ["hides names and streets (…), and shows numbers of its own", hideMost("…")],
  ])("where the service %s", async (_how, rewrite) => {
    const home = await createUnfaithfulHome({ rewrite });
    for (const [index, name] of ["王一", "王二", "王三"].entries())
      await create(home, draft(name, `1390013900${index}`, `建国路${index}号`, "茶叶"), `P${index}`);
    await home.courier("orders list --all --json");
    home.service.ways = { rewrite, loss: () => "after", refuseList: { status: 503 } };
    expect((await create(home, lost, "A")).exit).toBe(6);
    home.clock.advance(5_000);
    home.service.ways = { rewrite, answerWith: 4, commitDelayMs: neverMs };
    await create(home, next, "B");
    home.service.ways = { rewrite };
    for (const minutes of [1, 20]) {
      home.clock.advance(minutes * minuteMs);
      await create(home, lost, "A");
    }
    expect(made(home)).toBe(1);
  });

  test("where more orders of one name are claimed than are read at once", async () => {
    const { home } = await knownHome();
    const rows = Array.from({ length: 25 }, (_, index) => {
      const row = draft("孙大力", `1372222${3000 + index}`, `人民南路${index}号`, "台灯");
      const city = `城${"甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥天地人".charAt(index)}市`;
      return { ...row, receiver: { ...row.receiver, province: undefined, city }, ref: `R-${index}` };
    });
    const isRow = ({ body }: ReceivedRequest, index: number) =>
      JSON.parse(body).receiver.phone === rows[index]?.receiver.phone;
    const ordersOf = (index: number) =>
      home.service.orders.filter(({ body }) => body.receiver.phone === rows[index]?.receiver.phone);
    home.service.ways = {
      loss: (request) => (isRow(request, 0) ? "after" : "answered"),
      answerWith: (request) => (isRow(request, 3) ? ordersOf(0)[0]?.id : undefined),
      commitDelayMs: (request) => (isRow(request, 3) ? neverMs : 0),
      refuseList: { status: 503 },
    };
    const ship = () =>
      home.courier("orders import - --yes --json --concurrency 2", { stdin: JSON.stringify(rows) });
    await ship();
    home.service.ways = {};
    home.clock.advance(20 * minuteMs);
    for (let time = 0; time < 2; time++) {
      await home.courier("orders list --all --json");
      home.clock.advance(10_000);
    }
    const again = await ship();
    expect(ordersOf(0), again.stderr).toHaveLength(1);
  });

  test("where the lost one is no order of the interface", async () => {
    const { home } = await knownHome();
    const stdin = JSON.stringify({ ...lost, item: { ...lost.item, weight: "0.5" } });
    const send = () => home.courier("api POST orders --input - --yes", { stdin });
    home.service.ways = { loss: () => "after", refuseList: { status: 503 } };
    await send();
    home.clock.advance(5_000);
    home.service.ways = { answerWith: 4, commitDelayMs: neverMs };
    await create(home, next, "B");
    home.service.ways = {};
    home.clock.advance(20 * minuteMs);
    await send();
    expect(made(home)).toBe(1);
  });

  test("where the next one is no order of the interface", async () => {
    const { home } = await knownHome();
    home.service.ways = { loss: () => "after", refuseList: { status: 503 } };
    expect((await create(home, lost, "A")).exit).toBe(6);
    home.clock.advance(5_000);
    home.service.ways = { answerWith: 4, commitDelayMs: neverMs };
    const stdin = JSON.stringify({ ...next, item: { ...next.item, weight: "0.5" } });
    await home.courier("api POST orders --input - --yes", { stdin });
    home.service.ways = {};
    home.clock.advance(20 * minuteMs);
    await create(home, lost, "A");
    expect(made(home)).toBe(1);
  });

  test("also after it is cancelled, and the list drops it", async () => {
    const { home } = await knownHome();
    home.service.ways = { loss: () => "after", refuseList: { status: 503 } };
    expect((await create(home, lost, "A")).exit).toBe(6);
    home.clock.advance(5_000);
    home.service.ways = { answerWith: 4, commitDelayMs: neverMs };
    await create(home, { ...lost, item: { ...lost.item, quantity: 3 } }, "B");
    home.clock.advance(5_000);
    home.service.ways = {};
    await create(home, lost, "A");
    home.service.ways = { omitFromList: ({ status }) => status === "cancelled" };
    await home.courier("api DELETE orders/4 --yes");
    for (const minutes of [20, 1]) {
      home.clock.advance(minutes * minuteMs);
      await create(home, lost, "A");
    }
    expect(made(home)).toBe(1);
  });
});

test("a person gives such an order to the create whose data it shows", async () => {
  const near = { ...lost, receiver: { ...lost.receiver, city: "天津市" } };
  const { home } = await knownHome();
  home.service.ways = { loss: () => "after", refuseList: { status: 503 } };
  expect((await create(home, lost, "A")).exit).toBe(6);
  home.service.ways = { answerWith: 4 };
  await create(home, near, "B");
  home.service.ways = {};
  home.clock.advance(20 * minuteMs);
  const again = await create(home, lost, "A");
  expect([again.exit, made(home)], again.stderr).toEqual([2, 2]);
  const resolved = await home.courier("orders resolve ref:A --as 4 --yes --json");
  expect([resolved.exit, JSON.parse(resolved.stdout).state], resolved.stderr).toEqual([0, "found"]);
  expect(resolved.stderr).toMatch(/^4\.1 is in doubt now: courier orders resolve 4\.1$/m);
  const other = await create(home, near, "B");
  expect([other.exit, JSON.parse(other.stdout).id, made(home)], other.stderr).toEqual([0, 5, 2]);
});

test.each([0, 1])(
  "the website's order that an answer named stays another one (%i kept orders before)",
  async (kept) => {
    const home = await createUnfaithfulHome();
    if (kept > 0) await create(home, third, "K");
    const { id } = home.service.foreign(draft("钱七", "13600136000", "中山路1号", next.item.name));
    home.service.ways = { answerWith: id, commitDelayMs: neverMs, omitFromList: () => true };
    const ship = () =>
      home.courier("orders import - --yes --json", {
        stdin: JSON.stringify([
          { ...next, ref: "A" },
          { ...lost, ref: "B" },
        ]),
      });
    await ship();
    home.service.ways = {};
    for (let time = 0; time < 3; time++) {
      home.clock.advance(minuteMs);
      expect((await ship()).stderr).toContain(`named order ${id}, but the service shows another receiver`);
    }
  },
);

test("an order that is taken from another create is a possible match at once", async () => {
  const { home } = await knownHome();
  for (const [index, name] of ["Ann Lee", "Bob Ray"].entries())
    await create(home, draft(name, `1390000000${index}`, `Road ${index}`, "Tea"), `P${index}`);
  const rewrite = (shown: ShownOrder, view: "list" | "detail") =>
    /^[ -~]*$/.test(String(shown.receiver?.name))
      ? shown
      : showName((name) => `${name.charAt(0)}*`)(shown, view);
  home.service.ways = { rewrite };
  await home.courier("orders list --all --json");
  const omitFromList = ({ id }: MadeOrder) => id >= 6;
  home.service.ways = { rewrite, loss: () => "after", omitFromList };
  expect((await create(home, lost, "A")).exit).toBe(6);
  home.clock.advance(14 * minuteMs);
  home.service.ways = { rewrite, answerWith: 6, omitFromList };
  await create(home, next, "B");
  home.clock.advance(2 * minuteMs);
  home.service.ways = { rewrite, omitFromList: ({ id }) => id >= 7 };
  for (let time = 0; time < 2; time++) await create(home, lost, "A");
  expect(made(home)).toBe(1);
});

test("an order that a failure named stays possible where the next answer names it, too", async () => {
  const { home } = await knownHome();
  const omitFromList = ({ id }: MadeOrder) => id === 4;
  home.service.ways = {
    failAfterCommit: { status: 500, code: "X", message: "y", data: { id: 4 } },
    omitFromList,
    refuseDetail: { status: 503 },
  };
  await create(home, lost, "A");
  home.clock.advance(5_000);
  home.service.ways = { answerWith: 4, commitDelayMs: neverMs, omitFromList };
  await create(home, next, "B");
  home.service.ways = { omitFromList };
  await create(home, third, "C");
  home.clock.advance(5_000);
  await create(home, lost, "A");
  expect(made(home)).toBe(1);
});

test.each<[string, Rewriting]>([
  ["as they were sent", (shown) => shown],
  ["hidden", showName(hide)],
  ["changed", showName((name) => `${name}先生`)],
])("two answers name one order, whose names are shown %s: it is made once", async (_how, rewrite) => {
  const home = await createUnfaithfulHome({ rewrite });
  home.service.foreign(lost);
  home.service.ways = { rewrite, answerWith: 1, commitDelayMs: neverMs, omitFromList: () => true };
  await create(home, next, "B");
  await create(home, lost, "A");
  home.clock.advance(20 * minuteMs);
  home.service.ways = { rewrite };
  await create(home, lost, "A");
  expect(made(home)).toBe(1);
});

test.each([409, 422, 500])(
  "an older order that no list shows is not found because a failure (HTTP %i) named it",
  async (status) => {
    const { home, run } = await knownHome();
    home.service.foreign(lost);
    const omitFromList = ({ id }: MadeOrder) => id === 4;
    home.service.ways = { omitFromList };
    home.clock.advance(120 * minuteMs);
    await run(3);
    home.clock.advance(minuteMs);
    const failWithoutCommit = { status, code: "DUPLICATE", message: "there is one", data: { id: 4 } };
    home.service.ways = { omitFromList, failWithoutCommit };
    expect((await create(home, lost, "A")).exit).not.toBe(0);
  },
);
