/** `courier find`: an order by any part of what is known of it, without a call. */

import { copyFile, rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openLedgerFile } from "../../src/ledger/ledger.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { mirrorFiles } from "../../src/mirror/mirror-files.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { createImportHome, row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { PausedCapture } from "../support/streams.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

async function createOrder(home: ServedHome, name: string, phone: string): Promise<{ id: number }> {
  const words = [
    "orders",
    "create",
    "--sender-name",
    "店",
    "--receiver-name",
    name,
    "--receiver-phone",
    phone,
  ];
  const more = ["--receiver-detail", "世纪大道 100 号", "--item-name", "Tea Pot", "--yes", "--json"];
  const { exit, stdout } = await home.courier([...words, ...more]);
  expect(exit).toBe(0);
  return JSON.parse(stdout);
}

async function idsOf(home: ServedHome, words: readonly string[]): Promise<number[]> {
  const { exit, stdout } = await home.courier(["find", ...words, "--json"]);
  expect(exit).toBe(0);
  return JSON.parse(stdout).map(({ id }: { id: number }) => id);
}

test("orders of this machine are found at once, by phone and address, with no call", async () => {
  const home = await createServedHome();
  const { id } = await createOrder(home, "李明", "139 0000 4466");
  await createOrder(home, "王伟", "13900001234");
  const before = home.sandbox.requests.length;
  for (const words of [["李"], ["明", "4466"], ["00004466"], ["tea"], ["TEA", "李"]])
    expect(await idsOf(home, words)).toContain(id);
  expect(await idsOf(home, ["李", "4466"])).toEqual([id]);
  expect(await idsOf(home, ["李", "1234"])).toEqual([]);
  expect(home.sandbox.requests.length).toBe(before);
});

test.each(["another", "an older"])(
  "orders that %s ledger has recorded since are found, too",
  async (which) => {
    const home = await createServedHome();
    await createOrder(home, "李明", "13900004466");
    const [ledger, backup] = [ledgerPath(home.stateDir), path.join(home.directory, "backup.db")];
    const opened = await openLedgerFile(home.stateDir);
    opened.exec(`VACUUM INTO '${backup}'`);
    opened.close();
    await createOrder(home, "李红", "13900004467");
    const { id: last } = await createOrder(home, "李强", "13900004468");
    expect(await idsOf(home, ["李强"])).toEqual([last]);
    for (const end of ["", "-wal", "-shm"]) await rm(`${ledger}${end}`, { force: true });
    if (which === "an older") await copyFile(backup, ledger);
    const { id } = await createOrder(home, "王伟", "13900001234");
    expect(await idsOf(home, ["王伟", "13900001234"])).toEqual([id]);
  },
);

test("an order of this machine is found by what was sent where the service hides a part of it", async () => {
  const home = await createUnfaithfulHome({
    rewrite: ({ receiver, ...order }) => ({
      ...order,
      receiver: { name: "王**", phone: "139****7919", address: "上海市****" },
    }),
  });
  const stdin = JSON.stringify({
    sender: { name: "店" },
    receiver: { name: "王小明", phone: "139 1000 7919", city: "上海市", detail: "世纪大道1号" },
    item: { name: "书" },
  });
  expect((await home.courier("orders create --file - --yes", { stdin })).exit).toBe(0);
  const finds = async () => {
    for (const words of ["王小明", "13910007919", "世纪大道"])
      expect(JSON.parse((await home.courier(["find", words, "--json"])).stdout), words).toHaveLength(1);
  };
  await finds();
  for (const line of ["orders show 1", "orders list --all", "sync"]) {
    expect((await home.courier(line)).exit).toBe(0);
    await finds();
  }
  expect((await home.courier("find 王小明")).stdout).toContain("王小明");
});

test("the answer says what was searched", async () => {
  const home = await createServedHome({ seedOrders: 40 });
  expect((await home.courier("find 李")).stderr).toContain(
    "the mirror is empty; read all of them with: courier sync",
  );
  await createOrder(home, "李明", "13900004466");
  const first = await home.courier("find 李");
  expect(first.stderr).toContain("only 1 order so far, since no sync was completed");
  await home.courier("sync");
  home.clock.advance(2 * 3_600_000);
  expect((await home.courier("find 李")).stderr).toContain("searched 41 orders, synced 2 h ago");
});

test("an order that was undone is found as cancelled", async () => {
  const home = await createServedHome();
  await createOrder(home, "李明", "13900004466");
  await home.courier("find");
  expect((await home.courier("undo 1 --yes")).exit).toBe(0);
  const { stdout } = await home.courier("find --json");
  expect(JSON.parse(stdout)).toMatchObject([{ status: "cancelled" }]);
});

test("the orders of a large import are found as cancelled once it was undone", async () => {
  const home = await createImportHome(
    sheet(...Array.from({ length: 120 }, (_, n) => row(`A-${n}`, `李${n}`))),
  );
  await home.run();
  expect((await home.courier("sync")).exit).toBe(0);
  expect((await home.courier("undo 1 --yes")).exit).toBe(0);
  expect(JSON.parse((await home.courier("find --all --json --status pending")).stdout)).toEqual([]);
});

test("what took a call each is kept of all orders and parcels of a run", async () => {
  const home = await createServedHome({ seedOrders: 220 });
  await home.courier("sync");
  const { stdout } = await home.courier("orders list --offline --all --json");
  const orders: { id: number; tracking_number: string }[] = JSON.parse(stdout).slice(0, 210);
  const ids = orders.map(({ id }) => id).join("\n");
  expect((await home.courier("orders show - --ndjson", { stdin: ids })).exit).toBe(0);
  expect((await home.courier("find")).stderr).toContain("; 10 orders have no phone");
  const numbers = orders.map((order) => order.tracking_number).join("\n");
  expect((await home.courier("track - --ndjson", { stdin: numbers })).exit).toBe(0);
  expect((await home.courier("report time")).stderr).toContain("10 orders have no tracking in the mirror");
});

test("a list that is read to its end much later takes no newer state back", async () => {
  const home = await createUnfaithfulHome();
  home.service.foreign({ sender: { name: "店" }, receiver: { name: "王" }, item: { name: "mug" } });
  expect((await home.courier("sync")).exit).toBe(0);
  const stdout = new PausedCapture();
  const listing = home.courier("orders list", { stdout });
  await stdout.isWaiting;
  home.clock.advance(60_000);
  expect((await home.courier("orders cancel 1 --yes")).exit).toBe(0);
  home.clock.advance(60_000);
  stdout.resume();
  expect((await listing).exit).toBe(0);
  expect(JSON.parse((await home.courier("find --json")).stdout)).toMatchObject([{ status: "cancelled" }]);
});

test("an order that was found later stands where it was created", async () => {
  const home = await createServedHome();
  home.sandbox.faults.set([
    { kind: "drop_after", method: "POST", times: 1 },
    { kind: "status", status: 503, method: "GET", path: /orders\?/, body: "" },
  ]);
  const words = "orders create --sender-name 店 --receiver-name 王 --item-name mug --yes --ref";
  expect((await home.courier(`${words} A-1`)).exit).toBe(6);
  home.clock.advance(60_000);
  expect((await home.courier(`${words.replace("mug", "pot")} A-2`)).exit).toBe(0);
  home.sandbox.faults.clear();
  home.clock.advance(3_600_000);
  expect((await home.courier(`${words} A-1`)).exit).toBe(0);
  const { stdout } = await home.courier("find --json");
  expect(JSON.parse(stdout).map(({ ref }: { ref: string }) => ref)).toEqual(["A-2", "A-1"]);
});

test("--limit, --all and what is left out", async () => {
  const home = await createServedHome({ seedOrders: 60 });
  await home.courier("sync");
  expect(await idsOf(home, [])).toHaveLength(20);
  expect(await idsOf(home, ["--limit", "3"])).toHaveLength(3);
  expect(await idsOf(home, ["--all"])).toHaveLength(60);
  expect((await home.courier("find --limit 3")).stderr).toContain("3 orders shown, more exist");
});

test("--status takes the last known state", async () => {
  const home = await createServedHome();
  const { id } = await createOrder(home, "李明", "13900004466");
  await home.courier("sync");
  expect(await idsOf(home, ["李", "--status", "pending"])).toEqual([id]);
  expect(await idsOf(home, ["李", "--status", "delivered"])).toEqual([]);
});

test.each(["orders list --all --offline", "find --all"])(
  "%s --status keeps an order whose state cannot be read, as orders list does",
  async (words) => {
    const home = await createUnfaithfulHome({
      rewrite: (order) => (order.id === 1 ? { ...order, status: null } : order),
    });
    for (let index = 0; index < 3; index++) home.service.foreign(plainDraft);
    expect((await home.courier("sync")).exit).toBe(0);
    const ids = async (words: string) => {
      const { stdout, stderr } = await home.courier(`${words} --json`);
      expect(stderr).toContain("warning: 1 order is kept although its status cannot be read\n");
      return (JSON.parse(stdout) as { id: number }[]).map(({ id }) => id);
    };
    expect(await ids("orders list --all --status pending")).toEqual([3, 2, 1]);
    expect(await ids(`${words} --status pending`)).toEqual([3, 2, 1]);
    expect(await ids(`${words} --status delivered`)).toEqual([1]);
  },
);

test("a shared ledger that does not answer ends no search", async () => {
  const home = await createUnfaithfulHome({
    rewrite: (order) => ({
      ...order,
      receiver: { ...order.receiver, name: "赵六" },
      item: { ...order.item, name: "钢笔" },
    }),
  });
  await home.courier(
    "orders create --sender-name 店 --receiver-name 王伟 --receiver-phone 13900139000 --item-name 茶叶 --yes",
  );
  expect((await home.courier("sync")).exit).toBe(0);
  const env = { COURIER_LEDGER: "postgres://shop@127.0.0.1:1/orders" };
  const { exit, stderr } = await home.courier("find --all", { env });
  expect(exit).toBe(0);
  expect(stderr).toContain("warning: the service shows order 1 with another receiver than was sent; ");
});

test("the next order is found although a killed run is still open", async () => {
  const home = await createServedHome();
  const { id } = await createOrder(home, "李明", "13900004466");
  expect(await idsOf(home, ["李"])).toEqual([id]);
  const { id: next } = await createOrder(home, "李伟", "13900004467");
  expect(await idsOf(home, ["李"])).toEqual([next, id]);
});

test("orders show takes an order number, a tracking number or a ref", async () => {
  const home = await createServedHome({ seedOrders: 20 });
  const words = [
    "orders",
    "create",
    "--sender-name",
    "店",
    "--receiver-name",
    "李明",
    "--item-name",
    "mug",
    "--ref",
    "A-17",
  ];
  const created = JSON.parse((await home.courier([...words, "--yes", "--json"])).stdout);
  for (const name of [created.order_no, created.tracking_number, "ref:A-17", String(created.id)]) {
    const { exit, stdout } = await home.courier(["orders", "show", name, "--json"]);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: created.id });
  }
});

test("a number that this machine does not know is looked up in the service's list", async () => {
  const home = await createServedHome({ seedOrders: 20 });
  const [order] = JSON.parse((await home.courier("orders list --json")).stdout);
  const shown = await home.courier(["orders", "show", order.tracking_number, "--json"]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ id: order.id });
  const unknown = await home.courier("orders show CR000 --json");
  expect(unknown).toMatchObject({ exit: 1, stdout: "" });
  expect(JSON.parse(unknown.stderr).error).toMatchObject({ code: "no_such_order" });
  expect(unknown.stderr).toContain("courier sync");
});

test("a ref that this machine has not sent is no order of the service's list", async () => {
  const home = await createServedHome({ seedOrders: 5 });
  const { exit, stderr } = await home.courier("orders show ref:B-1");
  expect(exit).toBe(1);
  expect(stderr).toContain("the ledger has no order with the ref “B-1”");
});

test("orders cancel takes the number on the parcel, and a ref", async () => {
  const home = await createServedHome();
  const create = async (ref: string) => {
    const words = ["orders", "create", "--sender-name", "店", "--receiver-name", "李明", "--item-name", ref];
    return JSON.parse((await home.courier([...words, "--ref", ref, "--yes", "--json"])).stdout);
  };
  const [first, second] = [await create("A-1"), await create("A-2")];
  const words = ["orders", "cancel", first.tracking_number, "ref:A-2", String(first.id), "--yes", "--json"];
  const { exit, stdout } = await home.courier(words);
  expect(exit).toBe(0);
  expect(JSON.parse(stdout).map(({ id }: { id: number }) => id)).toEqual([first.id, second.id]);
  expect(await idsOf(home, ["--status", "cancelled"])).toHaveLength(2);
});

test("nothing is cancelled where one of the names is unknown", async () => {
  const home = await createServedHome();
  const words = ["orders", "create", "--sender-name", "店", "--receiver-name", "李明", "--item-name", "mug"];
  const { tracking_number } = JSON.parse((await home.courier([...words, "--yes", "--json"])).stdout);
  const { exit } = await home.courier(["orders", "cancel", tracking_number, "CR000", "--yes"]);
  expect(exit).toBe(1);
  expect(home.sandbox.requests.some(({ method }) => method === "DELETE")).toBe(false);
});

test("a mirror of an earlier version is searched with an index of this one", async () => {
  const home = await createServedHome();
  const { id } = await createOrder(home, "Weiß", "+86 139-0000-4466");
  expect(await idsOf(home, ["weiss"])).toEqual([id]);
  const [file = ""] = mirrorFiles(home.stateDir);
  const database = (await loadDriver()).open(file);
  database.exec(
    "INSERT INTO grams (grams) VALUES ('delete-all'); DROP INDEX orders_not_shown; ALTER TABLE orders DROP COLUMN not_shown_since; PRAGMA user_version = 2",
  );
  database.close();
  for (const words of [["weiss"], ["13900004466"], ["139-0000-4466"], ["+8613900004466"], ["１３９０００"]])
    expect(await idsOf(home, words)).toEqual([id]);
});
