/** The file of seen orders: what it keeps and for how long, under parallel processes and damage. */

import { existsSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findOrders, seenOrdersPath } from "../../src/config/seen-lines.ts";
import { openSeenOrders } from "../../src/config/seen-orders.ts";
import type { Sighting } from "../../src/model/sighting.ts";
import { createServedHome } from "../support/courier.ts";
import { createServedProcessHome } from "../support/process.ts";

const holder = { account: "shop", base_url: "https://api.example.com" };

test("what was seen last comes first, and later sightings take over what earlier ones tell", async () => {
  const place = await createPlace();
  await place.see({ id: "1", tracking_number: "T1", status: "pending", receiver: "李四", item: "书" });
  await place.see({ id: "2", status: "paid" });
  await place.see({ tracking_number: "T1", status: "delivered" });
  expect(await place.seen()).toEqual([
    { id: "1", tracking_number: "T1", status: "delivered", receiver: "李四", item: "书" },
    { id: "2", status: "paid" },
  ]);
});

test("of a run that sees thousands, the newest are kept, whatever order they came in", async () => {
  const place = await createPlace();
  const at = (id: number) => ({ id: String(id), created_at: new Date(id * 1_000).toISOString() });
  await place.see(...Array.from({ length: 2_500 }, (_, index) => at(index + 1)));
  const ids = (await place.seen()).map(({ id }) => id);
  expect(ids).toHaveLength(100);
  expect([ids[0], ids.at(-1)]).toEqual(["2500", "2401"]);
});

test("the file stays small, whatever the service sends", async () => {
  const place = await createPlace();
  const long = "长".repeat(10_000);
  for (let run = 0; run < 30; run++) {
    const orders = Array.from({ length: 100 }, (_, index) => ({
      id: String(run * 100 + index),
      item: long,
      receiver: long,
    }));
    await place.see(...orders, { id: "9".repeat(5_000) });
  }
  expect((await stat(place.file)).size).toBeLessThan(192 * 1024);
  expect((await place.seen()).map(({ id }) => id)).toContain("2999");
  expect(await readdir(path.dirname(place.file))).toEqual(["seen-orders.lock.db", "seen-orders.ndjson"]);
});

test("another service and another account have their own", async () => {
  const place = await createPlace();
  await place.see({ id: "1" });
  const text = await readFile(place.file, "utf8");
  expect(findOrders(text, { ...holder, base_url: "https://other.example.com" })).toEqual([]);
  expect(findOrders(text, { ...holder, account: "other" })).toEqual([]);
});

test("only its owner can read it", async () => {
  const place = await createPlace();
  await place.see({ id: "1" });
  expect((await stat(place.file)).mode & 0o777).toBe(0o600);
});

test("a torn line and lines of another shape are passed over", async () => {
  const place = await createPlace();
  await place.see({ id: "1" });
  await appendFile(place.file, '{"account":"shop","base_url":"https://api.example.com","orders":[{"id":"7');
  await place.see({ id: "2" });
  await appendFile(place.file, '[]\nnull\n{"orders":[null,3]}\nnot JSON\n');
  expect((await place.seen()).map(({ id }) => id)).toEqual(["2", "1"]);
});

test("forgetting an account leaves the others, and nothing of it", async () => {
  const place = await createPlace();
  await place.see({ id: "1" });
  place.orders.notice({ ...holder, account: "other" }, [{ id: "2" }]);
  await place.orders.keep();
  place.orders.notice(holder, [{ id: "3" }]);
  await place.orders.forget("shop");
  await place.orders.keep();
  expect(await place.seen()).toEqual([]);
  expect(await readFile(place.file, "utf8")).toContain('"other"');
  await place.orders.forget("other");
  expect(existsSync(place.file)).toBe(false);
});

test("a directory that cannot be made fails no command", async () => {
  const home = await createServedHome();
  await writeFile(home.stateDir, "a file");
  const { exit, stdout } = await home.courier("orders list --json");
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: "[]\n" });
});

test("parallel processes lose nothing", async () => {
  const home = await createServedProcessHome();
  const create = (name: string) =>
    home.courier(`orders create --sender-name a --receiver-name b --item-name ${name} --json`);
  const names = ["n1", "n2", "n3", "n4", "n5", "n6"];
  await Promise.all(names.map(create));
  const text = await readFile(seenOrdersPath(home.stateDir), "utf8");
  const seen = findOrders(text, { account: "(environment)", base_url: home.sandbox.baseUrl });
  expect(seen.map(({ item }) => item).sort()).toEqual(names);
});

test("a file that cannot be written anew when its account is forgotten is told", async () => {
  const warnings: string[] = [];
  const directory = await createDirectory();
  const orders = openSeenOrders(directory, (text) => warnings.push(text));
  await mkdir(seenOrdersPath(directory));
  await orders.forget("shop");
  expect(warnings).toEqual([expect.stringContaining("could not be forgotten")]);
});

async function createPlace() {
  const directory = await createDirectory();
  const orders = openSeenOrders(directory, () => {});
  const file = seenOrdersPath(directory);
  return {
    orders,
    file,
    /** One run. */
    async see(...sightings: readonly Sighting[]) {
      orders.notice(holder, sightings);
      await orders.keep();
    },
    seen: async () => findOrders(await readFile(file, "utf8"), holder),
  };
}

async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-seen-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
