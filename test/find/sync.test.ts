/** `courier sync`: after it the mirror has what the service has, with a bounded number of calls. */

import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import { requestCount, showCallsLeft } from "../support/answers.ts";
import { putConfig } from "../support/config-file.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { row, sheet } from "../support/imports.ts";
import { createOrder } from "../support/orders.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

interface Listed {
  readonly id: number;
  readonly status: string;
}

async function listed(home: ServedHome): Promise<Listed[]> {
  const { exit, stdout } = await home.courier("orders list --all --json");
  expect(exit).toBe(0);
  return JSON.parse(stdout);
}

async function mirrored(home: ServedHome, words = "find --all --json"): Promise<Listed[]> {
  const { exit, stdout } = await home.courier(words);
  expect(exit).toBe(0);
  return JSON.parse(stdout);
}

/** As where a connection breaks for good: nothing tries it again. */
const failedPage = (page: number) =>
  ({
    kind: "refuse",
    path: new RegExp(`[?&]page=${page}(&|$)`),
    status: 403,
    code: "NO",
    message: "no",
  }) as const;

/** A whole list with these orders. */
const listing = (path: RegExp, orders: readonly Listed[]) => ({
  kind: "status" as const,
  path,
  status: 200,
  contentType: "application/json",
  body: JSON.stringify({
    success: true,
    data: orders,
    pagination: { current_page: 1, total_pages: 1, total_items: orders.length, per_page: 100 },
  }),
});

const byId = (a: Listed, b: Listed) => a.id - b.id;
const states = (orders: readonly Listed[]) => orders.map(({ id, status }) => ({ id, status })).sort(byId);

async function sync(home: ServedHome, words = "sync --json") {
  const before = home.sandbox.requests.length;
  const { exit, stdout, stderr } = await home.courier(words);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  return { ...JSON.parse(stdout), requests: home.sandbox.requests.length - before };
}

test("the first sync reads every order, with one call for a hundred", async () => {
  const home = await createServedHome({ seedOrders: 534 });
  const result = await sync(home);
  expect(result).toMatchObject({ orders: 534, listed: 534, looked_up: 0, calls: 6, requests: 7 });
  const [all, found] = [await listed(home), await mirrored(home)];
  expect(found.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
  for (const order of all) expect(found.find(({ id }) => id === order.id)).toMatchObject(order);
});

test("later syncs notice new and changed orders, with few calls", async () => {
  const home = await createServedHome({ seedOrders: 350 });
  await sync(home);
  home.clock.advance(3 * 86_400_000);
  const create = "orders create --sender-name 店 --receiver-name 李 --item-name mug --yes --json";
  expect((await home.courier(create)).exit).toBe(0);
  const before = states(await mirrored(home));
  const all = states(await listed(home));
  expect(all).not.toEqual(before);
  const settled = ["completed", "cancelled"];
  const active = before.filter(({ status }) => !settled.includes(status)).length;
  const { calls } = await sync(home);
  expect(states(await mirrored(home))).toEqual(all);
  expect(calls).toBeLessThanOrEqual(8 + Math.ceil(active / 100) + 1 + 4);
});

test("a service that does not know a state by its name is asked by date", async () => {
  const home = await createServedHome({ seedOrders: 120 });
  await sync(home);
  home.clock.advance(86_400_000);
  home.sandbox.faults.add({
    kind: "refuse",
    path: /status=/,
    status: 400,
    code: "INVALID_PARAMETER",
    message: "no such state",
  });
  const all = states(await listed(home));
  await sync(home);
  expect(states(await mirrored(home))).toEqual(all);
});

test.each([1, 2])(
  "%i of two orders without a time, stamped 0001-01-01, make no later sync fail",
  async (without) => {
    const home = await createServedHome();
    for (const _ of [1, 2]) await createOrder(home);
    const all = (await listed(home)).map((order, index) =>
      index < without ? { ...order, created_at: "0001-01-01T00:00:00Z" } : order,
    );
    home.sandbox.faults.set([
      listing(/orders\?page=1&limit=100$/, all),
      failing(/status=/, 400),
      failing(/date_from=(0000|-)/, 400), // a year that .NET and Python do not have
      listing(/date_from=2/, all.slice(without)),
    ]);
    const elsewhere = { env: { COURIER_STATE_DIR: path.join(home.directory, "another") } };
    for (const _ of ["first", "later"])
      expect(await home.courier("sync", elsewhere)).toMatchObject({ exit: 0, stderr: "" });
  },
);

test("show of an order that the service no longer shows leads to what this machine knows of it", async () => {
  const home = await homeWithDeletedOrder();
  home.deleteIt();
  home.clock.advance(3_900_000);
  const { exit, stderr } = await home.courier(`orders show ${home.gone.id}`);
  expect([exit, stderr]).toEqual([
    1,
    "error: the service refused: none (NOT_FOUND)\n" +
      `hint: this machine last saw it 1 h ago: courier find ${home.gone.id}\n`,
  ]);
  const found = await home.courier(`find ${home.gone.id} --json`);
  expect(JSON.parse(found.stdout)[0].not_shown_since).toBeDefined();
});

/** Three orders, one of them deleted at the service since the first sync. Another machine made them, or this one. */
async function homeWithDeletedOrder({ isOwn = false } = {}) {
  const home = await createServedHome();
  const elsewhere = { COURIER_STATE_DIR: path.join(home.directory, "another-machine") };
  const create = async (name: string) =>
    JSON.parse(
      (
        await home.courier(
          `orders create --sender-name 店 --receiver-name ${name} --receiver-phone 13900139000 --item-name mug --yes --json --allow-duplicate`,
          { env: isOwn ? {} : elsewhere },
        )
      ).stdout,
    ) as Listed;
  const orders = [await create("李"), await create("王"), await create("张")];
  await sync(home);
  const shown = (await listed(home)).slice(1);
  const gone = orders.at(-1) as Listed;
  const isRefused = {
    kind: "refuse",
    path: new RegExp(`orders/${gone.id}$`),
    status: 404,
    code: "NOT_FOUND",
    message: "none",
  } as const;
  const unlisted = [listing(/orders\?(?!.*status=(?!pending))/, shown), listing(/status=/, [])];
  const deleteIt = () => home.sandbox.faults.set([isRefused, ...unlisted]);
  return { ...home, gone, isRefused, unlisted, deleteIt };
}

test("an order that the service no longer shows is kept, with the day since when", async () => {
  const home = await homeWithDeletedOrder();
  home.deleteIt();
  home.clock.advance(86_400_000);
  expect(await sync(home)).toMatchObject({ orders: 3, looked_up: 1, not_shown: 1, without_phone: 2 });
  home.clock.advance(86_400_000);
  // It is not looked up each time.
  expect(await sync(home)).toMatchObject({ orders: 3, looked_up: 0, not_shown: 1 });
  const text = (await home.courier("sync")).stdout;
  expect(text).toContain("1 order is no longer shown by the service; what is known of it is kept\n");
  const found = await mirrored(home, "find mug --json");
  expect(found).toMatchObject([{ id: home.gone.id, not_shown_since: "2026-03-02T08:00:00.000Z" }, {}, {}]);
  expect(found[1]).not.toHaveProperty("not_shown_since");
  const table = await home.courier("find mug");
  expect(table.stdout).toContain("pending, not shown since 2026-03-02");
  expect(table.stderr).toMatch(/^searched 3 orders \(1 of them is no longer shown by the service\), synced /);
  expect(table.stderr).toContain("; 2 orders have no phone (courier sync --fetch-details 2)\n");
});

test("an order that the service no longer shows is so also after a first sync", async () => {
  const home = await homeWithDeletedOrder({ isOwn: true });
  home.deleteIt();
  home.clock.advance(3_600_000);
  expect(await sync(home, "sync --rebuild --json")).toMatchObject({ orders: 3, looked_up: 1, not_shown: 1 });
  expect(await mirrored(home, "find mug --json")).toMatchObject([
    { id: home.gone.id, not_shown_since: expect.any(String) },
    {},
    {},
  ]);
});

test.each(["", "after a sync that told so", "after a rebuild that failed"])(
  "a rebuild tells at once of an own order that the service showed before: %s",
  async (before) => {
    const home = await homeWithDeletedOrder({ isOwn: true });
    home.deleteIt();
    if (before.includes("told")) expect(await sync(home)).toMatchObject({ not_shown: 1 });
    if (before.includes("failed")) {
      home.sandbox.faults.set([failedPage(1)]);
      expect((await home.courier("sync --rebuild")).exit).not.toBe(0);
      home.deleteIt();
    }
    for (const _ of [1, 2])
      expect(await sync(home, "sync --rebuild --json")).toMatchObject({ looked_up: 1, not_shown: 1 });
    expect(await sync(home)).toMatchObject({ orders: 3, looked_up: 0, not_shown: 1 });
    expect((await home.courier("find mug")).stdout).toContain("pending, not shown since 2026-03-01");
  },
);

test.each(["sync", "sync --rebuild", "orders show 1"])(
  "an order that the service shows late is not called gone: %s",
  async (words) => {
    const home = await createUnfaithfulHome({ listLagMs: 60_000, detailLagMs: 60_000 });
    const create = "orders create --sender-name 店 --receiver-name 王 --item-name mug --yes";
    expect((await home.courier(create)).exit).toBe(0);
    const marked = async () => "not_shown_since" in JSON.parse((await home.courier("find --json")).stdout)[0];
    expect(await marked()).toBe(false);
    expect((await home.courier(words)).stdout).not.toContain("no longer shown");
    expect(await marked()).toBe(false);
    home.service.ways = { listLagMs: 86_400_000, detailLagMs: 86_400_000 };
    home.clock.advance(1_000_000);
    await home.courier(words);
    expect(await marked()).toBe(true);
  },
);

test("an order that the list shows is not called gone where its details are late", async () => {
  const home = await createUnfaithfulHome({ detailLagMs: 60_000 });
  const create = "orders create --sender-name 店 --receiver-name 王 --item-name mug --yes";
  expect((await home.courier(create)).exit).toBe(0);
  const elsewhere = { env: { COURIER_STATE_DIR: path.join(home.directory, "another-machine") } };
  const { exit, stdout } = await home.courier("sync --fetch-details 5", elsewhere);
  expect(exit, stdout).toBe(0);
  expect(stdout).toContain("1 order");
  expect(stdout).not.toContain("no longer shown");
});

test("an order that the service shows late is not called gone: tracked", async () => {
  const home = await createUnfaithfulHome({ listLagMs: 60_000, detailLagMs: 60_000 });
  const create = "orders create --sender-name 店 --receiver-name 王 --item-name mug --yes --json";
  const { tracking_number } = JSON.parse((await home.courier(create)).stdout);
  expect((await home.courier(`track ${tracking_number}`)).exit).toBe(0);
  expect((await home.courier("sync")).stdout).not.toContain("no longer shown");
});

test("an order that the service no longer shows is left out of lists, told in reports, and needs no details", async () => {
  const home = await homeWithDeletedOrder();
  home.deleteIt();
  home.clock.advance(86_400_000);
  await sync(home);
  const list = await home.courier("orders list --offline --json");
  expect((JSON.parse(list.stdout) as Listed[]).map(({ id }) => id)).not.toContain(home.gone.id);
  expect(list.stderr).toContain(
    "from the mirror of 2 orders, synced just now; left out 1 order that the service no longer shows, which courier find has; ",
  );
  const report = await home.courier("report spend --json");
  expect(JSON.parse(report.stdout)).toMatchObject({ mirror_orders: 3 });
  expect(report.stderr).toContain(
    "from 3 orders of the mirror (1 of them is no longer shown by the service), ",
  );
  const late = await home.courier("late --json");
  expect((JSON.parse(late.stdout) as Listed[]).map(({ id }) => id)).not.toContain(home.gone.id);
  expect(late.stderr).toContain("left out 1 order that the service no longer shows\n");
  expect(await sync(home, "sync --fetch-details 9 --json")).toMatchObject({ without_phone: 0, not_shown: 1 });
  expect((await home.courier("find mug")).stderr).not.toContain("--fetch-details");
});

test("a look-up that is refused for another reason marks no order", async () => {
  const home = await homeWithDeletedOrder();
  const forbidden = {
    kind: "refuse",
    path: /orders\/\d+$/,
    status: 403,
    code: "FORBIDDEN",
    message: "no",
  } as const;
  home.sandbox.faults.set([forbidden, ...home.unlisted]);
  expect(await sync(home)).toMatchObject({ orders: 3, looked_up: 0, not_shown: 0 });
  expect((await home.courier("sync --fetch-details 9")).exit).toBe(1);
  expect(await sync(home)).toMatchObject({ not_shown: 0 });
});

const failing = (path: RegExp, status: number) =>
  ({ kind: "refuse", method: "GET", path, status, code: "NO", message: "no" }) as const;

test("a sync is complete but for an order for whose details the service fails", async () => {
  const home = await homeWithDeletedOrder();
  await sync(home);
  home.clock.advance(86_400_000);
  home.sandbox.faults.set([failing(new RegExp(`orders/${home.gone.id}$`), 500), ...home.unlisted]);
  const { exit, stdout, stderr } = await home.courier("sync --json");
  expect({ exit, ...JSON.parse(stdout) }).toMatchObject({ exit: 5, orders: 3, looked_up: 0, not_shown: 0 });
  expect(JSON.parse(stderr).error).toMatchObject({
    message: `order ${home.gone.id}: the service is failing: no (NO)`,
    hint: "to go on: courier sync",
  });
  expect((await home.courier("find")).stderr).toContain("synced just now");
});

describe.each([403, 500])("where the service answers %i for the details", (status) => {
  test("of one order, --fetch-details reads those of the others", async () => {
    const home = await createServedHome({ seedOrders: 60 });
    await sync(home);
    home.sandbox.faults.set([failing(/orders\/60$/, status)]);
    const { exit, stderr } = await home.courier("sync --fetch-details 40 --verify");
    expect(exit).toBe(status === 403 ? 1 : 5);
    expect(stderr).toContain("error: order 60: ");
    expect(stderr).toContain("to go on: courier sync --fetch-details 40 --verify\n");
    expect((await home.courier("find")).stderr).toContain("21 orders have no phone");
  });

  test("of all orders, it stops soon", async () => {
    const home = await createServedHome({ seedOrders: 60 });
    await sync(home);
    home.sandbox.faults.set([failing(/orders\/\d+$/, status)]);
    const { exit, stdout, stderr } = await home.courier("sync --fetch-details 40");
    expect({ exit, stdout }).toEqual({ exit: status === 403 ? 1 : 5, stdout: "" });
    expect(stderr).toContain("to go on: courier sync --fetch-details 40\n");
    const asked = new Set(
      home.sandbox.requests.filter(({ path }) => /orders\/\d+$/.test(path)).map(({ path }) => path),
    );
    expect(asked.size).toBeLessThan(20);
  });
});

test("orders that are in no list are looked up only where calls are left for all of them", async () => {
  const home = await createServedHome({ seedOrders: 600 });
  await sync(home);
  home.clock.advance(3_600_000);
  home.sandbox.faults.set([listing(/orders\?/, []), failing(/orders\/\d+$/, 404)]);
  showCallsLeft(home, 60);
  const before = home.sandbox.requests.length;
  const { exit, stderr } = await home.courier("sync --no-input");
  expect(exit).toBe(2);
  expect(stderr).toMatch(/^error: this takes \d+ calls, but only 60 are left/);
  expect(home.sandbox.requests.length - before).toBeLessThan(20);
});

test("--fetch-details goes on where the service has no details of an order of its list", async () => {
  const home = await homeWithDeletedOrder();
  home.sandbox.faults.set([home.isRefused]);
  expect(await sync(home, "sync --fetch-details 9 --json")).toMatchObject({ without_phone: 1, not_shown: 0 });
});

test.each(["sync", "orders show"])(
  "once the service shows an order again, the mark goes: %s",
  async (words) => {
    const home = await homeWithDeletedOrder();
    home.deleteIt();
    await sync(home);
    expect((await mirrored(home)).filter((order) => "not_shown_since" in order)).toHaveLength(1);
    home.sandbox.faults.clear();
    expect(await home.courier(words === "sync" ? words : `${words} ${home.gone.id}`)).toMatchObject({
      exit: 0,
    });
    expect((await mirrored(home)).filter((order) => "not_shown_since" in order)).toEqual([]);
    expect((await home.courier("find mug")).stderr).toContain("searched 3 orders, synced");
  },
);

test("a sync that fails half-way is finished by the next one", async () => {
  const home = await createServedHome({ seedOrders: 450 });
  home.sandbox.faults.set([
    { kind: "refuse", path: /[?&]page=4(&|$)/, status: 403, code: "NO", message: "no" },
  ]);
  const failed = await home.courier("sync");
  expect(failed.exit).not.toBe(0);
  home.sandbox.faults.set([]);
  await sync(home);
  expect(states(await mirrored(home))).toEqual(states(await listed(home)));
});

test.each([
  [200, 2],
  [400, 3],
])(
  "after a sync of %i orders that failed at page %i, the next takes no more calls than the whole list",
  async (orders, page) => {
    const home = await createServedHome({ seedOrders: orders });
    home.sandbox.faults.set([failedPage(page)]);
    expect((await home.courier("sync")).exit).not.toBe(0);
    home.sandbox.faults.set([]);
    const { requests } = await sync(home);
    expect(requests).toBeLessThanOrEqual(1 + Math.ceil(orders / 100));
    expect(states(await mirrored(home))).toEqual(states(await listed(home)));
  },
);

test("a sync that fails at the same page each time gets further all the same", async () => {
  const home = await createServedHome({ seedOrders: 400 });
  home.sandbox.faults.set([failedPage(4)]);
  const read = [];
  for (let time = 0; time < 2; time++) {
    expect((await home.courier("sync")).exit).not.toBe(0);
    read.push((await mirrored(home)).length);
  }
  expect(read).toEqual([300, 300]);
  const before = home.sandbox.requests.length;
  home.sandbox.faults.set([]);
  await sync(home);
  const asked = home.sandbox.requests.slice(before).map(({ path }) => path.replace(/.*\?/, ""));
  expect(asked).toContain("page=4&limit=100");
  expect(asked).not.toContain("page=2&limit=100");
  expect(states(await mirrored(home))).toEqual(states(await listed(home)));
});

test("later syncs: each order that left its state is not looked up where a list is shorter", async () => {
  const home = await createServedHome({ seedOrders: 400 });
  await sync(home);
  const before = await mirrored(home);
  const settled = ["completed", "cancelled"];
  const isActive = ({ status }: Listed) => !settled.includes(status);
  home.clock.advance(20 * 86_400_000);
  const after = await listed(home);
  const left = before.filter(isActive).length - after.filter(isActive).length;
  const { calls, looked_up } = await sync(home);
  expect(looked_up).toBe(0);
  expect(states(await mirrored(home))).toEqual(states(after));
  const inWindow = after.filter((order) => !isActive(order)).length;
  const most = 8 + Math.ceil(before.filter(isActive).length / 100) + Math.ceil(before.length / 100);
  expect(calls).toBeLessThanOrEqual(most + Math.min(left, Math.ceil(inWindow / 100)));
});

test("a first sync goes on where the one before it ended", async () => {
  const home = await createServedHome({ seedOrders: 2_000 });
  home.sandbox.faults.set([
    { kind: "refuse", path: /[?&]page=15(&|$)/, status: 403, code: "NO", message: "no" },
  ]);
  expect((await home.courier("sync")).exit).not.toBe(0);
  home.sandbox.faults.set([]);
  home.clock.advance(3_600_000);
  const create = "orders create --sender-name 店 --receiver-name 李 --item-name mug --yes --json";
  expect((await home.courier(create)).exit).toBe(0);
  const { requests } = await sync(home);
  expect(states(await mirrored(home))).toEqual(states(await listed(home)));
  const active = (await mirrored(home)).filter(({ status }) => !["completed", "cancelled"].includes(status));
  // The profile; two pages of the front, seven from the 15th on; what changed since.
  expect(requests).toBeLessThanOrEqual(1 + 2 + 7 + 8 + Math.ceil(active.length / 100) + 1 + 4);
});

test("a first sync that goes on reads the whole list where orders were taken away in between", async () => {
  const home = await createServedHome({ seedOrders: 700 });
  home.sandbox.faults.set([
    { kind: "refuse", path: /[?&]page=5(&|$)/, status: 403, code: "NO", message: "no" },
  ]);
  expect((await home.courier("sync")).exit).not.toBe(0);
  home.sandbox.faults.set([]);
  const all = await listed(home);
  // Now 250 orders from the front are gone, and each page begins with what was 250 orders later.
  const left = all.slice(250);
  home.sandbox.faults.set(
    [1, 2, 3, 4, 5, 6, 7].map((page) => ({
      kind: "status" as const,
      path: new RegExp(`orders\\?(?!.*status=).*page=${page}(&|$)`),
      status: 200,
      contentType: "application/json",
      body: JSON.stringify({
        success: true,
        data: left.slice((page - 1) * 100, page * 100),
        pagination: { current_page: page, total_pages: 5, total_items: left.length, per_page: 100 },
      }),
    })),
  );
  expect(await home.courier("sync")).toMatchObject({
    exit: 0,
    stderr: expect.stringMatching(/^This takes 2\d\d calls; \d+ are left\.\n$/),
  });
  const ids = new Set((await mirrored(home)).map(({ id }) => id));
  expect(left.filter(({ id }) => !ids.has(id))).toEqual([]);
});

test("orders of one second are read newest first, and so are those of an import before a sync", async () => {
  const home = await createServedHome();
  const rows = Array.from({ length: 60 }, (_, index) => row(`R-${index}`, `李${index}`));
  const file = path.join(home.directory, "rows.csv");
  await writeFile(file, sheet(...rows));
  expect(await home.courier(`orders import ${file} --yes --concurrency 1`)).toMatchObject({ exit: 0 });
  const newest = async (words: string) => (await mirrored(home, words)).map(({ id }) => id);
  const ids = (await listed(home)).map(({ id }) => id).sort((a, b) => b - a);
  expect(await newest("find --limit 20 --json")).toEqual(ids.slice(0, 20));
  const [first] = await mirrored(home, "find --limit 1 --json");
  expect(first).toHaveProperty("created_at");
  await sync(home, "sync --rebuild --json");
  expect(await newest("find --limit 20 --json")).toEqual(ids.slice(0, 20));
});

test("--fetch-details makes phones findable, newest orders first", async () => {
  const home = await createServedHome({ seedOrders: 30 });
  await sync(home, "sync --fetch-details 10 --json");
  const [newest] = (await listed(home)).sort((a, b) => b.id - a.id);
  const shown = JSON.parse((await home.courier(`orders show ${newest?.id} --json`)).stdout);
  const tail = shown.receiver.phone.slice(-6);
  expect(await mirrored(home, `find ${tail} --json`)).toContainEqual(
    expect.objectContaining({ id: newest?.id }),
  );
  expect((await home.courier("find 李")).stderr).toContain("20 orders have no phone");
});

test.each(["here", "elsewhere"])(
  "an order without a phone that was made %s is not looked up again",
  async (where) => {
    const home = await createServedHome();
    const env: Record<string, string> =
      where === "here" ? {} : { COURIER_STATE_DIR: path.join(home.directory, "another") };
    await home.courier("orders create --sender-name 店 --receiver-name 王 --item-name mug --yes", { env });
    const isNew = where === "elsewhere";
    expect(await sync(home)).toMatchObject({ without_phone: Number(isNew) });
    expect((await home.courier("find")).stderr.includes("(courier sync --fetch-details 1)")).toBe(isNew);
    expect(await sync(home, "sync --fetch-details 1 --json")).toMatchObject({ without_phone: 0 });
    expect((await home.courier("find")).stderr).not.toContain("--fetch-details");
  },
);

test("--verify reads a state again whose count differs", async () => {
  const home = await createServedHome({ seedOrders: 200 });
  await sync(home);
  const [settled] = (await listed(home)).filter(({ status }) => status === "completed");
  expect(settled).toBeDefined();
  home.clock.advance(60 * 86_400_000);
  await sync(home, "sync --verify --json");
  expect(states(await mirrored(home))).toEqual(states(await listed(home)));
});

test("--verify believes no counts of a service that ignores the state, and reads the list once", async () => {
  const home = await createServedHome({ seedOrders: 250 });
  await sync(home);
  const real = await createTransport({}, 5_000);
  onTestFinished(() => real.close());
  const asked: string[] = [];
  const transport: Transport = {
    close: async () => {},
    send(request) {
      asked.push(request.url.search);
      const url = new URL(request.url);
      url.searchParams.delete("status");
      return real.send({ ...request, url });
    },
  };
  home.clock.advance(60 * 86_400_000);
  expect((await home.courier("sync --verify", { transport })).exit).toBe(0);
  expect(asked.filter((query) => query === "?page=2&limit=100")).toHaveLength(1);
  expect(asked.length).toBeLessThan(20);
  expect(states(await mirrored(home))).toEqual(states(await listed(home)));
});

test("--verify reads the list once where the service refuses a state", async () => {
  const home = await createServedHome({ seedOrders: 20 });
  await sync(home);
  home.clock.advance(60 * 86_400_000);
  home.sandbox.faults.set([
    { kind: "refuse", path: /[?&]status=/, status: 400, code: "INVALID_PARAMETER", message: "no such state" },
  ]);
  expect(await sync(home, "sync --verify --json")).toMatchObject({ orders: 20 });
  home.sandbox.faults.clear();
  expect(states(await mirrored(home))).toEqual(states(await listed(home)));
});

test.each(["ignores", "refuses"])(
  "--verify finds a completed order gone where the service %s the state",
  async (way) => {
    const home = await createServedHome();
    for (const _ of [1, 2]) {
      const { tracking_number } = await createOrder(home);
      await home.sandbox.advance({ trackingNumber: tracking_number, to: "completed" });
    }
    await sync(home);
    home.clock.advance(86_400_000);
    const [left, gone] = await listed(home);
    home.sandbox.faults.set([
      failing(new RegExp(`orders/${gone?.id}$`), 404),
      ...(way === "refuses" ? [failing(/status=/, 400)] : []),
      listing(/orders\?/, left ? [left] : []),
    ]);
    expect(await sync(home, "sync --verify --json")).toMatchObject({ orders: 2, not_shown: 1 });
  },
);

test("logout deletes the mirror", async () => {
  const home = await createServedHome({ seedOrders: 3 });
  await home.courier("login --account shop --no-verify --base-url http://127.0.0.1:9", {
    stdin: "key-0123456789",
  });
  const used = { env: { COURIER_BASE_URL: home.sandbox.baseUrl, COURIER_ACCOUNT: "shop" } };
  expect((await home.courier("sync", used)).exit).toBe(0);
  expect(await readdir(path.join(home.stateDir, "mirror"))).not.toEqual([]);
  expect((await home.courier("logout --account shop", used)).exit).toBe(0);
  expect(await readdir(path.join(home.stateDir, "mirror"))).toEqual([]);
});

test("the hint of a damaged mirror makes that of its own account again", async () => {
  const home = await createServedHome({ seedOrders: 3 });
  const account = { base_url: home.sandbox.baseUrl, key: home.sandbox.apiKey };
  await putConfig(home, { current: "main", accounts: { main: account, shop: account } });
  const options = { env: { COURIER_API_KEY: "", COURIER_BASE_URL: "" } };
  await home.courier("sync --account shop", options);
  const directory = path.join(home.stateDir, "mirror");
  for (const name of await readdir(directory))
    await writeFile(path.join(directory, name), "x".repeat(10_000));
  const { exit, stderr } = await home.courier("find 李 --account shop", options);
  const [, hinted = ""] = /make it again with courier (.*)\n/.exec(stderr) ?? [];
  expect({ exit, hinted }).toEqual({ exit: 5, hinted: "sync --rebuild --account shop" });
  await home.courier(hinted, options);
  expect((await home.courier("find 李 --account shop", options)).exit).toBe(0);
});

test("--rebuild replaces a damaged mirror, and says what is not known then", async () => {
  const home = await createServedHome({ seedOrders: 3 });
  await sync(home);
  const directory = path.join(home.stateDir, "mirror");
  const [file = ""] = await readdir(directory);
  for (const ending of ["-wal", "-shm"]) await rm(path.join(directory, `${file}${ending}`), { force: true });
  await writeFile(path.join(directory, file), "no database".repeat(1_000));
  const broken = await home.courier("find mug");
  expect(broken.exit).toBe(5);
  expect(broken.stderr).toContain("courier sync --rebuild");
  const { exit, stdout, stderr } = await home.courier("sync --rebuild --json");
  expect({ exit, orders: JSON.parse(stdout).orders }).toEqual({ exit: 0, orders: 3 });
  expect(stderr).toBe(
    "warning: the mirror cannot be read: the next track --changes may miss what has changed since the last one\n",
  );
  expect(requestCount(home, "GET")).toBeGreaterThan(1);
});
