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
