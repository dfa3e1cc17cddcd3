/**
 * Answers of two creates that were sent at the same time and exchanged, at a service that hides or cuts texts: what is
 * shown in part tells nothing, and phone and address tell two people of one name apart.
 */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { effort, fc } from "../support/effort.ts";
import { outcomes, sheet } from "../support/imports.ts";
import type { Rewriting, ShownOrder } from "../support/shown-order.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";

const chengdu = "13847488266,成都市,人民南路四段124号";
const wuhan = "13851130569,武汉市,解放大道127号2单元";
const rowOf = (ref: string, name: string, place: string, goods: string, [weight, pieces]: [string, number]) =>
  `${ref},张三,13800138000,${name},${place},${goods},${weight},${pieces}`;
const tea = rowOf("A-1", "刘洋", chengdu, "茶叶", ["1.20", 3]);

const changeItem = (change: (name: string) => string | undefined) => (shown: ShownOrder) => ({
  ...shown,
  item: { ...shown.item, name: change(String(shown.item?.name)) },
});
const hideGoods = changeItem((name) => `${name.charAt(0)}***`);
const hideNames = (shown: ShownOrder) => ({
  ...shown,
  receiver: { ...shown.receiver, name: `${String(shown.receiver?.name).charAt(0)}**` },
});
const hidePhones = (shown: ShownOrder) => ({
  ...shown,
  receiver: { ...shown.receiver, phone: String(shown.receiver?.phone).replace(/(?<=^.{3})..../, "****") },
});
const hideStreets = (shown: ShownOrder) => ({
  ...shown,
  receiver: { ...shown.receiver, address: `${shown.receiver?.city}****` },
});
const nameAlone = ({ item: _item, ...shown }: ShownOrder) => ({
  ...shown,
  receiver: { name: shown.receiver?.name },
});
const roundWeights = (shown: ShownOrder) => ({
  ...shown,
  item: { ...shown.item, weight: Math.round(Number(shown.item?.weight)) },
});
const asItIs = (shown: ShownOrder) => shown;

/** Imports a sheet, and numbers the orders in the order of their rows. */
async function importedHome(...rows: readonly string[]) {
  const home = await createUnfaithfulHome();
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(...rows));
  const ship = async (words = "") => {
    const line = `orders import ${file} --yes --json --settle 10s ${words}`.trim();
    const ran = await home.courier(line.split(" "));
    return { ...ran, report: JSON.parse(ran.stdout) };
  };
  const first = await ship("--concurrency 1");
  expect([first.exit, first.report.map(({ id }: { id: number }) => id)], first.stderr).toEqual([
    0,
    rows.map((_, index) => index + 1),
  ]);
  return { home, file, ship };
}

/** From now on, of each two orders in turn, either is shown with the data of the other. */
function exchange(home: UnfaithfulHome, hide: (shown: ShownOrder) => ShownOrder): void {
  const bodies = home.service.orders.map(({ body }) => body);
  const rewrite: Rewriting = (shown) => {
    const body = bodies[(Number(shown.id) - 1) ^ 1];
    return hide(body ? { ...shown, receiver: { ...body.receiver }, item: { ...body.item } } : shown);
  };
  home.service.ways = { rewrite };
}

const latin: Readonly<Record<string, string>> = { 成都市: "Chengdu", 武汉市: "Wuhan" };
const inLatin: Rewriting = (shown, view) =>
  view === "list"
    ? { ...shown, receiver: { ...shown.receiver, city: latin[String(shown.receiver?.city)] } }
    : shown;

const cancelled = (home: UnfaithfulHome) =>
  home.service.orders.filter(({ status }) => status === "cancelled").map(({ id }) => id);
const detailsRead = (home: UnfaithfulHome) =>
  home.service.requests.filter(({ endpoint }) => endpoint === "detail").length;

describe("two receivers of one name", () => {
  const mug = rowOf("A-2", "刘洋", wuhan, "Mug (L)", ["0.50", 1]);
  const sameTea = rowOf("A-2", "刘洋", wuhan, "茶叶", ["1.20", 1]);
  const ways: [string, string, (shown: ShownOrder) => ShownOrder][] = [
    ["hidden goods", mug, hideGoods],
    ["hidden goods that look alike", rowOf("A-2", "刘洋", wuhan, "茶杯", ["0.50", 1]), hideGoods],
    ["hidden goods and phones", mug, (shown) => hidePhones(hideGoods(shown))],
    ["goods that are not shown", mug, changeItem(() => undefined)],
    ["the same goods, and nothing hidden", sameTea, asItIs],
    ["the same goods, and hidden phones", sameTea, hidePhones],
  ];

  test.each(ways)("%s: the next import gives each row its own order", async (_what, other, hide) => {
    const { home, file, ship } = await importedHome(tea, other);
    exchange(home, hide);
    const done = path.join(home.directory, "done.csv");
    const ran = await ship(`--write-back ${done}`);
    expect(ran.stderr).toContain("the answer to 1.1 named order 1, but the service shows the data of 1.2");
    for (let time = 0; time < 2; time++) {
      home.clock.advance(20 * 60_000);
      await ship();
    }
    const last = await ship(`--write-back ${done}`);
    expect([last.exit, last.report.map(({ id }: { id: number }) => id)], last.stderr).toEqual([0, [2, 1]]);
    const text = await readFile(done, "utf8");
    expect(text).toMatch(/^A-1,.*,UT00000002,/m);
    expect(text).toMatch(/^A-2,.*,UT00000001,/m);
    expect(await readFile(file, "utf8")).not.toContain("UT");
    expect(home.service.orders).toHaveLength(2);
  });

  test.each<[string, string, (shown: ShownOrder) => ShownOrder]>([
    ...ways,
    ["hidden goods, and rounded weights", mug, (shown) => roundWeights(hideGoods(shown))],
    ["cut goods", mug, changeItem((name) => name.slice(0, 3))],
    ["hidden goods and names", mug, (shown) => hideNames(hideGoods(shown))],
    [
      "hidden goods, names, phones and streets",
      mug,
      (shown) => hideStreets(hidePhones(hideNames(hideGoods(shown)))),
    ],
    ["hidden names, and the same goods", sameTea.replace("刘洋", "刘芳"), hideNames],
    ["names alone", sameTea.replace("刘洋", "刘芳"), nameAlone],
  ])("%s: no command takes the other's parcel for the row's", async (_what, other, hide) => {
    const { home, file, ship } = await importedHome(tea, other);
    exchange(home, hide);
    const slips = await home.courier(["orders", "slips", "2", "-o", path.join(home.directory, "slips.html")]);
    expect(slips.stderr).toMatch(
      /the answer to 1\.2 named order 2, but the service shows (the data of 1\.1|another receiver)/,
    );
    const ref = await home.courier("orders cancel ref:A-1 --yes");
    expect([ref.exit, cancelled(home)], ref.stderr).toEqual([expect.not.stringMatching(/^0$/), []]);
    const undone = await home.courier("undo 1 --yes");
    expect(cancelled(home), undone.stderr).toEqual([]);
    const written = path.join(home.directory, "written.csv");
    await home.courier(["orders", "write-back", file, "--refresh", "-o", written]);
    const text = await readFile(written, "utf8");
    expect(text).not.toMatch(/^A-1,.*UT00000001/m);
    expect(text).not.toMatch(/^A-2,.*UT00000002/m);
    for (let time = 0; time < 3; time++) {
      home.clock.advance(20 * 60_000);
      await ship();
    }
    expect(home.service.orders).toHaveLength(2);
  });
});

test.each<[string, string, (shown: ShownOrder) => ShownOrder]>([
  ["hidden goods", rowOf("A-2", "陈静", wuhan, "Mug (L)", ["0.50", 1]), hideGoods],
  [
    "cut goods, in one city",
    rowOf("A-2", "陈静", wuhan.replace("武汉市", "成都市"), "茶具", ["0.50", 1]),
    changeItem((name) => name.slice(0, 1)),
  ],
])(
  "%s, and receivers of two names: the next import takes the orders from the wrong rows",
  async (_what, other, hide) => {
    const { home, ship } = await importedHome(tea, other);
    exchange(home, hide);
    const ran = await ship();
    for (const number of [1, 2])
      expect(ran.stderr).toContain(`the answer to 1.${number} named order ${number}, but the service shows `);
    home.clock.advance(20 * 60_000);
    const last = await ship();
    const ids = last.report.map(({ id }: { id: number | null }) => id);
    expect([
      [2, 1],
      [null, null],
    ]).toContainEqual(ids);
    expect(home.service.orders).toHaveLength(2);
  },
);

test("goods that begin as the other's, for one receiver: the next import gives each row its own order", async () => {
  const { home, ship } = await importedHome(
    tea.replace("茶叶", "茶叶礼盒"),
    rowOf("A-2", "刘洋", chengdu, "茶叶", ["1.20", 3]),
  );
  exchange(home, asItIs);
  await ship();
  home.clock.advance(20 * 60_000);
  const last = await ship();
  expect([last.exit, last.report.map(({ id }: { id: number }) => id)], last.stderr).toEqual([0, [2, 1]]);
});

test("hidden goods, and other numbers of pieces for one receiver: cancel leaves the order alone", async () => {
  const { home } = await importedHome(tea, rowOf("A-2", "刘洋", chengdu, "茶杯", ["1.20", 1]));
  exchange(home, hideGoods);
  const ref = await home.courier("orders cancel ref:A-1 --yes");
  expect([ref.exit, cancelled(home)], ref.stderr).toEqual([3, []]);
  expect(ref.stderr).toContain("the service shows the data of 1.2");
});

describe("a service that exchanges nothing", () => {
  test("and writes cities in its own way: each order is read once, 20 at a time, and nothing is said", async () => {
    const rows = Array.from({ length: 25 }, (_, index) =>
      rowOf(`A-${index}`, "刘洋", index % 2 ? wuhan : chengdu, "茶叶", ["1", index + 1]),
    );
    const { home, ship } = await importedHome(...rows);
    home.service.ways = { rewrite: inLatin };
    const reads: number[] = [];
    for (let time = 0; time < 4; time++) {
      const before = detailsRead(home);
      const ran = await ship();
      expect([ran.exit, new Set(outcomes(ran.report).split(" "))], ran.stderr).toEqual([
        0,
        new Set(["shipped"]),
      ]);
      expect(ran.stderr).not.toContain("warning");
      reads.push(detailsRead(home) - before);
    }
    expect(reads).toEqual([20, 5, 0, 0]);
  });

  test.each<[string, string, string]>([
    ["without 市", "成都市", "成都"],
    ["with its province", "成都市", "四川省成都市"],
    ["as a city that has the name of its province", "北京市", "北京"],
    ["hidden in part", "成都市", "成**"],
    ["not at all", "成都市", ""],
  ])("and shows a city %s: it is the sent one, and nothing is read", async (_how, sent, shown) => {
    const { home, ship } = await importedHome(tea.replace("成都市", sent));
    home.service.ways = {
      rewrite: (order, view) =>
        view === "list" ? { ...order, receiver: { ...order.receiver, city: shown } } : order,
    };
    const before = detailsRead(home);
    const ran = await ship();
    expect([ran.exit, outcomes(ran.report), detailsRead(home) - before], ran.stderr).toEqual([
      0,
      "shipped",
      0,
    ]);
  });

  const mug = (place: string, goods: string) => rowOf("A-2", "刘洋", place, goods, ["1", 3]);
  const phone = "028-61234567";
  const withPhone = (line: string, number: string) => line.replace("13847488266", number);
  const dropExtensions = (shown: ShownOrder) => ({
    ...shown,
    receiver: { ...shown.receiver, phone: String(shown.receiver?.phone).replace(/-800\d$/, "") },
  });
  test.each<[string, readonly string[], (shown: ShownOrder) => ShownOrder]>([
    ["hides goods, for receivers of one name", [tea, mug(wuhan, "茶杯")], hideGoods],
    [
      "hides goods and rounds weights, for one receiver",
      [tea, mug(chengdu, "茶杯")],
      (shown) => roundWeights(hideGoods(shown)),
    ],
    [
      "hides goods, names, phones and streets",
      [tea, mug(wuhan, "茶杯")],
      (shown) => hideStreets(hidePhones(hideNames(hideGoods(shown)))),
    ],
    ["cuts goods to those of another order", [tea, mug(wuhan, "茶")], changeItem((name) => name.slice(0, 1))],
    [
      "leaves out extensions, for one receiver",
      [withPhone(tea, `${phone}-8001`), withPhone(mug(chengdu, "茶叶"), `${phone}-8002`)],
      dropExtensions,
    ],
    [
      "leaves out an extension and hides goods, for one receiver",
      [withPhone(tea, `${phone}-8001`), withPhone(mug(chengdu, "茶杯"), phone)],
      (shown) => dropExtensions(hideGoods(shown)),
    ],
    [
      "cuts streets, hides goods and rounds weights, for one receiver",
      [tea, mug(chengdu, "茶杯")],
      (shown) => ({
        ...roundWeights(hideGoods(shown)),
        receiver: { ...shown.receiver, address: "成都市人民南路" },
      }),
    ],
  ])("and %s: every order is its create's, and is cancelled", async (_what, rows, hide) => {
    const { home, ship } = await importedHome(...rows);
    home.service.ways = { rewrite: hide };
    const ran = await ship();
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "shipped shipped"]);
    expect(ran.stderr).not.toContain("warning");
    for (const [index, ref] of ["A-1", "A-2"].entries()) {
      const ended = await home.courier(`orders cancel ref:${ref} --yes`);
      expect([ended.exit, ended.stderr]).toEqual([0, expect.not.stringContaining("warning")]);
      expect(cancelled(home)).toHaveLength(index + 1);
    }
  });
  test("and cuts goods to those of another order to the same receiver: no order is taken from its create", async () => {
    const { home, ship } = await importedHome(
      rowOf("A-1", "刘洋", chengdu, "Mug (L)", ["1", 3]),
      rowOf("A-2", "刘洋", chengdu, "Mug", ["1", 3]),
    );
    home.service.ways = { rewrite: changeItem((name) => name.slice(0, 3)) };
    const ran = await ship();
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "shipped shipped"]);
  });
});

interface Story {
  readonly other: {
    readonly name: string;
    readonly phone: string;
    readonly city: string;
    readonly street: string;
  };
  readonly goods: readonly [string, string];
  readonly pieces: number;
  readonly hiding: readonly string[];
  readonly isExchanged: boolean;
}

const hidings: Readonly<Record<string, (shown: ShownOrder) => ShownOrder>> = {
  "goods hidden": hideGoods,
  "goods cut": changeItem((name) => name.slice(0, 3)),
  "names hidden": hideNames,
  "phones hidden": hidePhones,
  "streets hidden": hideStreets,
  "weights rounded": roundWeights,
};

const story: fc.Arbitrary<Story> = fc.record({
  other: fc.record({
    name: fc.constantFrom("刘洋", "刘洋", "刘芳", "陈静"),
    phone: fc.constantFrom("13847488266", "13851130569"),
    city: fc.constantFrom("成都市", "武汉市"),
    street: fc.constantFrom("人民南路四段124号", "解放大道127号2单元"),
  }),
  goods: fc.tuple(
    fc.constantFrom("茶叶礼盒", "Mug (L)"),
    fc.constantFrom("茶叶礼盒", "茶叶套装", "Mug (M)", "台灯"),
  ),
  pieces: fc.constantFrom(3, 1),
  hiding: fc.subarray(["cities in other letters", ...Object.keys(hidings)]),
  isExchanged: fc.boolean(),
});

test("whatever a service hides: no order of an honest one is another's, and no exchanged one goes to another receiver", async () => {
  const counts = { honest: 0, exchanged: 0 };
  await fc.assert(
    fc.asyncProperty(story, async ({ other, goods, pieces, hiding, isExchanged }) => {
      const place = [other.phone, other.city, other.street].join(",");
      const { home, file, ship } = await importedHome(
        rowOf("A-1", "刘洋", chengdu, goods[0], ["1.20", 3]),
        rowOf("A-2", other.name, place, goods[1], ["0.60", pieces]),
      );
      const hide = (shown: ShownOrder) =>
        Object.entries(hidings).reduce(
          (each, [what, way]) => (hiding.includes(what) ? way(each) : each),
          shown,
        );
      if (isExchanged) exchange(home, hide);
      else home.service.ways = { rewrite: hide };
      const { rewrite } = home.service.ways;
      if (rewrite && hiding.includes("cities in other letters"))
        home.service.ways = { rewrite: (shown, view) => inLatin(rewrite(shown, view), view) };

      if (!isExchanged) {
        counts.honest += 1;
        const ran = await ship();
        expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "shipped shipped"]);
        expect(ran.stderr).not.toContain("warning");
        const ended = await home.courier("orders cancel ref:A-1 ref:A-2 --yes");
        expect([ended.exit, cancelled(home)], ended.stderr).toEqual([0, [1, 2]]);
        return;
      }
      // One receiver may get either order.
      const [isOtherPhone, isOtherStreet] = [
        !chengdu.startsWith(other.phone),
        !chengdu.endsWith(other.street),
      ];
      if (!isOtherPhone || !isOtherStreet) return;
      counts.exchanged += 1;
      const done = path.join(home.directory, "done.csv");
      if (other.city === "武汉市" || other.name === "陈静") {
        const ran = await ship(`--write-back ${done}`);
        expect(ran.stderr).toContain("the answer to 1.1 named order 1, but ");
        expect(await readFile(done, "utf8")).not.toMatch(/^A-1,.*UT00000001|^A-2,.*UT00000002/m);
      }
      const refs = await home.courier("orders cancel ref:A-1 ref:A-2 --yes --json");
      const undone = await home.courier("undo 1 --yes");
      // Those that an import has found are their rows' own.
      const found: { id: number; ref: string }[] = refs.exit === 0 ? JSON.parse(refs.stdout) : [];
      for (const id of cancelled(home))
        expect(
          found.map((each) => each.id),
          refs.stderr + undone.stderr,
        ).toContain(id);
      await home.courier(["orders", "write-back", file, "--refresh", "-o", `${done}.2`]);
      expect(await readFile(`${done}.2`, "utf8")).not.toMatch(/^A-1,.*UT00000001|^A-2,.*UT00000002/m);
      home.clock.advance(20 * 60_000);
      await ship();
      expect(home.service.orders).toHaveLength(2);
    }),
    { numRuns: effort(20, 600) },
  );
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
});
