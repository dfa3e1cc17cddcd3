/** The answers to two rows were exchanged, and of each order the service shows little more than a part of the name. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { row, sheet } from "../support/imports.ts";
import type { Rewriting, ShownOrder } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import { minuteMs } from "./known-home.ts";

const rows = [row("C-1", "王小明", "13911001111"), row("C-2", "李小明", "13922002111")];
const full = (name: string) => name;
const star = (name: string) => `${name.charAt(0)}*`;

type Goods = (item: ShownOrder["item"]) => ShownOrder["item"];
const constant: Goods = (item) => ({ ...item, name: "物品" });
const none: Goods = () => undefined;
const same: Goods = (item) => item;

function showing(nameOf: (name: string) => string, goods: Goods): Rewriting {
  return ({ receiver, item, ...shown }) => ({
    ...shown,
    receiver: { name: nameOf(String(receiver?.name)), city: receiver?.city, address: null },
    item: goods(item),
  });
}

describe.each([0, 22])("with %i own orders known", (known) => {
  test.each<[string, (name: string) => string, Goods]>([
    ["names and one name for all goods", full, constant],
    ["parts of names and one name for all goods", star, constant],
    ["parts of names and goods", star, same],
    ["parts of names alone", star, none],
  ])("shown: %s", async (_what, nameOf, goods) => {
    const rewrite = showing(nameOf, goods);
    const home = await createUnfaithfulHome({ rewrite });
    const before = [...Array(known).keys()].map((at) => row(`K-${at}`, "张三", `1370000${1000 + at}`));
    const earlier = path.join(home.directory, "earlier.csv");
    await writeFile(earlier, sheet(...before));
    if (known > 0) expect((await home.courier(`orders import ${earlier} --yes`)).exit).toBe(0);
    home.clock.advance(60 * minuteMs);
    const exchanged: Rewriting = (shown, view) => {
      const place = Number(shown.id) - known;
      const other = place > 0 ? home.service.orders[known + (place === 1 ? 1 : 0)]?.body : undefined;
      return rewrite(other ? { ...shown, receiver: { ...shown.receiver, ...other.receiver } } : shown, view);
    };
    home.service.ways = { rewrite: exchanged };
    const file = path.join(home.directory, "orders.csv");
    await writeFile(file, sheet(...rows));
    const ship = async () => {
      const ran = await home.courier(`orders import ${file} --yes --in-place --concurrency 1`);
      home.clock.advance(minuteMs);
      expect(await readFile(file, "utf8"), ran.stderr).not.toContain("UT0");
      return ran;
    };
    const first = await ship();
    expect(first.exit, first.stderr).toBe(6);
    expect(first.stderr).toMatch(/the answer to \d\.1 named order \d+, but the service shows/);
    expect((await ship()).stderr).toMatch(/named order \d+, but the service shows|2 in doubt/);
    const cancelled = await home.courier("orders cancel ref:C-1 --yes");
    expect(cancelled.exit, cancelled.stderr).not.toBe(0);
    expect(home.service.orders.filter(({ status }) => status === "cancelled")).toEqual([]);
    // The orders of other rows are theirs.
    const others = await home.courier(`orders import ${earlier} --yes --json`);
    if (known > 0) expect(others.exit, others.stderr).toBe(0);
  });
});

async function homeShowing(rewrite: Rewriting, lines: readonly string[]) {
  const home = await createUnfaithfulHome({ rewrite });
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(...lines));
  const ship = async () => {
    const ran = await home.courier(`orders import ${file} --yes --in-place --concurrency 1`);
    home.clock.advance(minuteMs);
    return { ...ran, sheet: await readFile(file, "utf8") };
  };
  const cancel = async () => {
    const ran = await home.courier("orders cancel ref:C-1 --yes");
    const isLeft = home.service.orders.every(({ status }) => status !== "cancelled");
    return { ...ran, isLeft };
  };
  return { home, ship, cancel };
}

test.each<[string, (name: string) => string]>([
  ["names", full],
  ["parts of names", star],
])(
  "exchanged for orders of another machine, of which %s are shown: the doubt lasts",
  async (_what, nameOf) => {
    const hide = showing(nameOf, constant);
    const strangers = ["赵丽", "周强"];
    const { ship, cancel } = await homeShowing((shown, view) => {
      const name = strangers[Number(shown.id) - 1];
      return hide({ ...shown, receiver: { ...shown.receiver, name } }, view);
    }, rows);
    const first = await ship();
    expect([first.exit, first.sheet], first.stderr).toEqual([6, expect.not.stringContaining("UT0")]);
    for (let time = 0; time < 2; time++) {
      const again = await ship();
      expect(again.sheet, again.stderr).not.toContain("UT0");
      expect(again.stderr).toContain("the answer to 1.1 named order 1, but the service shows");
    }
    expect(await cancel()).toMatchObject({ exit: 3, isLeft: true });
  },
);

test.each<[string, Rewriting]>([
  ["names alone", showing(full, constant)],
  ["names and phones", ({ item, ...shown }) => ({ ...shown, item: constant(item) })],
])(
  "%s are shown, and no list could be read after the orders were made: the next import notices it",
  async (_what, hide) => {
    const { home, ship, cancel } = await homeShowing((shown, view) => {
      const other = home.service.orders[Number(shown.id) === 1 ? 1 : 0]?.body;
      return hide({ ...shown, receiver: { ...shown.receiver, ...other?.receiver } }, view);
    }, rows);
    const { ways } = home.service;
    home.service.ways = { ...ways, refuseList: { status: 503 } };
    await ship();
    home.service.ways = ways;
    const next = await ship();
    expect(next.stderr).toMatch(/the answer to 1\.1 named order 1, but the service shows/);
    expect(next.sheet, next.stderr).not.toMatch(/^C-1,.*UT00000001|^C-2,.*UT00000002/m);
    expect(await cancel()).toMatchObject({ isLeft: true });
  },
);

test("a service that writes all names in its own way is known by six orders: nothing is said of them any more", async () => {
  const hide = showing((name) => `Mr ${name.codePointAt(0)}`, constant);
  const lines = [...Array(6).keys()].map((at) =>
    row(`C-${at}`, `${"张王李赵周吴".charAt(at)}小明`, `1391100${1000 + at}`),
  );
  const { ship } = await homeShowing(hide, lines);
  expect((await ship()).exit).toBe(6);
  const again = await ship();
  expect([again.exit, again.stderr]).toEqual([0, expect.not.stringContaining("warning")]);
  expect(again.sheet.match(/UT0/g)).toHaveLength(6);
});
