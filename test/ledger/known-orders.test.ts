/** Known orders: what the ledger and the cache for the Tab key keep of them, under parallel runs and damage. */

import { existsSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ordersOwnerOf } from "../../src/command/orders-owner.ts";
import { createNoticedOrders } from "../../src/ledger/noticed-orders.ts";
import { orderCachePath, readCachedOrders } from "../../src/ledger/order-cache.ts";
import type { KnownOrder } from "../../src/model/known-order.ts";
import { createServedHome } from "../support/courier.ts";
import { fc } from "../support/effort.ts";
import { createServedProcessHome } from "../support/process.ts";
import { createLedger, service } from "./opened.ts";

const owner = { account: "shop", service };

test("what was seen last comes first, and later answers add to earlier ones", async () => {
  const place = await createPlace();
  await place.see({ id: "1", trackingNumber: "T1", status: "pending", receiver: "李四", item: "书" });
  await place.see({ id: "2", status: "paid" });
  await place.see({ trackingNumber: "T1", status: "delivered" });
  expect(place.cached()).toEqual([
    { id: "1", trackingNumber: "T1", status: "delivered", receiver: "李四", item: "书" },
    { id: "2", status: "paid" },
  ]);
});

test("a parcel that was tracked first becomes the order with its number", async () => {
  const place = await createPlace();
  await place.see({ id: "1", status: "pending" });
  await place.see({ trackingNumber: "T1", status: "picked" });
  await place.see({ trackingNumber: "T2", status: "picked" });
  await place.see({ id: "1", trackingNumber: "T1", status: "paid" }, { id: "2", trackingNumber: "T2" });
  expect(place.cached()).toEqual([
    { id: "2", trackingNumber: "T2", status: "picked" },
    { id: "1", trackingNumber: "T1", status: "paid" },
  ]);
});

test("of a run that sees thousands, the newest are kept, whatever order they came in", async () => {
  const place = await createPlace();
  const at = (id: number) => ({ id: String(id), createdAt: new Date(id * 1_000).toISOString() });
  await place.see(...Array.from({ length: 2_500 }, (_, index) => at(index + 1)));
  const ids = place.cached().map(({ id }) => id);
  expect(ids).toHaveLength(100);
  expect([ids[0], ids.at(-1)]).toEqual(["2500", "2401"]);
});

test("the cache stays small, whatever the service sends, and the ledger bounded", async () => {
  const place = await createPlace();
  const long = "长".repeat(10_000);
  for (let run = 0; run < 12; run++) {
    const orders = Array.from({ length: 100 }, (_, index) => ({
      id: String(run * 100 + index),
      item: long,
      receiver: long,
    }));
    await place.see(...orders, { id: "9".repeat(5_000) });
  }
  expect((await stat(place.file)).size).toBeLessThan(64 * 1024);
  expect(place.cached()).toHaveLength(100);
  expect(await place.ledger.recentOrders(owner, 5_000)).toHaveLength(1_000);
});

test("only its owner can read it", async () => {
  const place = await createPlace();
  await place.see({ id: "1" });
  expect((await stat(place.file)).mode & 0o777).toBe(0o600);
});

test("another service and another account have their own; the last twenty are cached", async () => {
  const place = await createPlace();
  for (let number = 1; number <= 25; number++)
    await place.seeAs({ account: `a${number}`, service }, { id: String(number) });
  const idsOf = (account: string, at = service) =>
    readCachedOrders(place.ledger.directory, { account, service: at }).map(({ id }) => id);
  expect([idsOf("a25"), idsOf("a6"), idsOf("a5")]).toEqual([["25"], ["6"], []]);
  expect(idsOf("a25", "https://other.example.com")).toEqual([]);
  expect(await place.ledger.recentOrders({ account: "a5", service }, 9)).toEqual([{ id: "5" }]);
});

test.each([
  "",
  "{",
  "null",
  "[null, 3]",
  '[{"account":"shop","service":"https://api.example.com","orders":[null,7,{"id":7}]}]',
])("a cache that holds %j is passed over, and written again", async (text) => {
  const place = await createPlace();
  await place.see({ id: "1" });
  await writeFile(place.file, text);
  expect(place.cached().filter(({ id }) => id !== undefined)).toEqual([]);
  await place.see({ id: "1" });
  expect(place.cached()).toEqual([{ id: "1" }]);
});

describe("the ledger is opened for something new alone", () => {
  const order = { id: "1", trackingNumber: "T1", status: "pending", receiver: "李四", item: "书" };

  test.each<[string, KnownOrder, boolean]>([
    ["the same", order, false],
    ["less of it", { id: "1", status: "pending" }, false],
    ["by its tracking number", { trackingNumber: "T1", status: "pending" }, false],
    ["another state", { ...order, status: "paid" }, true],
    ["another tracking number", { ...order, trackingNumber: "T2" }, true],
    ["another order", { id: "2" }, true],
  ])("%s", async (_name, seen, isNew) => {
    const place = await createPlace();
    await place.see(order);
    expect(await place.see(seen)).toBe(isNew);
  });

  test("a name that was not known", async () => {
    const place = await createPlace();
    await place.see({ id: "1", status: "pending" });
    expect(await place.see(order)).toBe(true);
    expect(await place.see(order)).toBe(false);
  });
});

test("forgetting an account leaves the others, and nothing of it", async () => {
  const place = await createPlace();
  await place.see({ id: "1", receiver: "Marker One" });
  await place.seeAs({ ...owner, account: "other" }, { id: "2" });
  await writeFile(`${place.file}.new`, "Marker One"); // of a run that was killed
  await place.ledger.forgetOrders("shop");
  expect(place.cached()).toEqual([]);
  expect(await readFile(place.file, "utf8")).not.toContain("Marker");
  expect(existsSync(`${place.file}.new`)).toBe(false);
  expect(await place.ledger.recentOrders(owner, 9)).toEqual([]);
  await place.ledger.forgetOrders("other");
  expect(existsSync(place.file)).toBe(false);
});

test("after any runs, the cache is what the ledger holds, and each order is as it was seen last", async () => {
  const text = (length: number) => fc.constantFrom(undefined, ..."abc".slice(0, length));
  const seen = fc.record({
    id: fc.integer({ min: 1, max: 6 }).map(String),
    status: text(3),
    receiver: text(2),
    item: text(2),
  });
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ account: text(2), orders: fc.array(seen, { maxLength: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ forgotten: fc.constantFrom("a", "b", "main") }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const place = await createPlace();
      const model = new Map<string, Map<string, string | undefined>>();
      for (const each of steps) {
        if ("forgotten" in each) {
          await place.ledger.forgetOrders(each.forgotten);
          model.delete(each.forgotten);
          continue;
        }
        const account = each.account ?? "main";
        await place.seeAs({ account, service }, ...each.orders);
        const states = model.get(account) ?? new Map();
        for (const { id, status } of each.orders) states.set(id, status ?? states.get(id));
        model.set(account, states);
      }
      for (const account of ["a", "b", "main"]) {
        const known = await place.ledger.recentOrders({ account, service }, 99);
        expect(readCachedOrders(place.ledger.directory, { account, service })).toEqual(known);
        const states = Object.fromEntries(known.map(({ id, status }) => [id, status]));
        expect(states).toEqual(Object.fromEntries(model.get(account) ?? []));
      }
    }),
    { numRuns: 20 },
  );
});

describe("a command does not fail, and says nothing, where orders cannot be remembered", () => {
  test("a directory that cannot be made", async () => {
    const home = await createServedHome();
    await writeFile(home.stateDir, "a file");
    expect(await home.courier("orders list --json")).toEqual({ exit: 0, stdout: "[]\n", stderr: "" });
  });

  test("a ledger that is none", async () => {
    const home = await createServedHome();
    const order = "orders create --sender-name a --receiver-name b --item-name c --quiet";
    expect((await home.courier(order)).exit).toBe(0);
    const state = path.join(home.directory, "other");
    await mkdir(state);
    await writeFile(path.join(state, "ledger.db"), "not a database, but some text of somebody's");
    const ran = await home.courier("orders list --json", { env: { COURIER_STATE_DIR: state } });
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(JSON.parse(ran.stdout)).toHaveLength(1);
    expect(await readFile(path.join(state, "ledger.db"), "utf8")).toContain("not a database");
  });
});

test("parallel processes lose nothing", async () => {
  const home = await createServedProcessHome();
  const create = (name: string) =>
    home.courier(`orders create --sender-name a --receiver-name b --item-name ${name} --json`);
  const names = ["n1", "n2", "n3", "n4", "n5", "n6"];
  const ran = await Promise.all(names.map(create));
  expect(ran.map(({ exit }) => exit)).toEqual(names.map(() => 0));
  const { baseUrl, apiKey } = home.sandbox;
  const key = { place: "given", apiKey } as const;
  const seenBy = ordersOwnerOf({ kind: "remote", name: "(environment)", baseUrl, key });
  const cached = readCachedOrders(home.stateDir, seenBy);
  expect(cached.map(({ item }) => item).sort()).toEqual(names);
});

async function createPlace() {
  const ledger = await createLedger();
  let nowMs = 0;
  /** One run; true where it opened the ledger. */
  async function seeAs(seenBy: typeof owner, ...orders: readonly KnownOrder[]): Promise<boolean> {
    let isOpened = false;
    const noticed = createNoticedOrders(ledger.directory);
    noticed.notice(seenBy, [...orders].reverse());
    nowMs += 1;
    await noticed.keep(async () => {
      isOpened = true;
      return ledger;
    }, nowMs);
    return isOpened;
  }
  return {
    ledger,
    file: orderCachePath(ledger.directory),
    seeAs,
    /** The last order of the arguments is seen last. */
    see: (...orders: readonly KnownOrder[]) => seeAs(owner, ...orders),
    cached: () => readCachedOrders(ledger.directory, owner),
  };
}
