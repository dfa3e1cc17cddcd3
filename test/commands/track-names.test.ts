/** `courier track` with an order's id, order number or ref in the place of a tracking number. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerData, answerRaw, requestCount } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { row, sheet } from "../support/imports.ts";
import { createOrder, plainDraft } from "../support/orders.ts";

async function createRef(home: ServedHome, ref: string, extra = "") {
  const words = `orders create --file - --json --ref ${ref} ${extra}`;
  return createOrder(home, plainDraft, words);
}

/** Another machine with the same account: it has no ledger, no mirror and no cache. */
function elsewhere(home: ServedHome): { env: Record<string, string> } {
  return { env: { COURIER_STATE_DIR: `${home.directory}/elsewhere` } };
}

async function numberOf(home: ServedHome, name: string, options = {}): Promise<string> {
  const { exit, stdout, stderr } = await home.courier(["track", name, "--json"], options);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  return JSON.parse(stdout).tracking_number;
}

test("an id, an order number, a tracking number or a ref names the parcel", async () => {
  const home = await createServedHome({ seedOrders: 5 });
  const created = await createRef(home, "A-17");
  for (const name of [String(created.id), created.order_no, created.tracking_number, "ref:A-17"])
    expect(await numberOf(home, name)).toBe(created.tracking_number);
});

test("a machine that has seen no order asks the service once for an id, and its list for a number", async () => {
  const home = await createServedHome({ seedOrders: 150 });
  const { stdout } = await home.courier("orders list --limit 100 --page 2 --json", elsewhere(home));
  const [order] = JSON.parse(stdout);
  for (const name of [String(order.id), order.order_no])
    expect(await numberOf(home, name, elsewhere(home))).toBe(order.tracking_number);
});

test("a tracking number takes one call, known here or not", async () => {
  const home = await createServedHome();
  const { tracking_number } = await createOrder(home);
  for (const options of [{}, elsewhere(home)]) {
    const before = home.sandbox.requests.length;
    await numberOf(home, tracking_number, options);
    expect(home.sandbox.requests.length - before).toBe(1);
  }
});

test("what names nothing is refused as before, and says what was searched", async () => {
  const home = await createServedHome({ seedOrders: 5 });
  const { exit, stdout, stderr } = await home.courier("track CO123");
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(stderr).toBe(
    "error: the service refused: tracking number CO123 does not exist (NOT_FOUND)\n" +
      "hint: no order has this number on this machine or in the first 300 orders of the service's list; " +
      "look through all orders: courier sync, then run this again\n",
  );
  const ref = await home.courier("track ref:B-1");
  expect(ref.exit).toBe(1);
  expect(ref.stderr).toContain("the ledger has no order with the ref “B-1”");
  expect((await home.courier("track ref:")).exit).toBe(2);
});

test("a ref that was sent again after its order was cancelled is that of the new order", async () => {
  const home = await createServedHome();
  const one = await createRef(home, "A-1");
  await home.courier(`orders cancel ${one.id} --yes`);
  const two = await createRef(home, "A-1", "--allow-duplicate");
  const { exit, stderr } = await home.courier("track ref:A-1");
  expect(exit, stderr).toBe(0);
  expect(requestCount(home, "GET", `/api/v1/tracking/${two.tracking_number}`)).toBe(1);
});

test("a ref that names orders of two shops is an error that lists them, and no parcel is tracked", async () => {
  const home = await createServedHome();
  const one = await createRef(home, "A-1");
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(row("A-1", "王五", "13700137001")));
  const imported = await home.courier(["orders", "import", file, "--shop", "second", "--yes", "--json"]);
  const [two] = JSON.parse(imported.stdout);
  const { exit, stdout, stderr } = await home.courier("track ref:A-1");
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(stderr).toMatch(/“ref:A-1” names 2 orders: /);
  for (const id of [one.id, two.id]) expect(stderr).toContain(String(id));
  expect(requestCount(home, "GET", `/api/v1/tracking/${two.tracking_number}`)).toBe(0);
});

describe("several", () => {
  test("names beside numbers, each in its place; a refused one keeps its name", async () => {
    const home = await createServedHome({ seedOrders: 3 });
    const [one, two] = [await createRef(home, "A-1"), await createRef(home, "A-2")];
    const words = ["track", String(one.id), "ref:A-2", one.tracking_number, "ref:B-9", "CR0", "--json"];
    const { exit, stdout } = await home.courier(words);
    expect(exit).toBe(3);
    const rows = JSON.parse(stdout) as { tracking_number: string; error?: { code: string } }[];
    expect(rows.map(({ tracking_number }) => tracking_number)).toEqual([
      one.tracking_number,
      two.tracking_number,
      one.tracking_number,
      "ref:B-9",
      "CR0",
    ]);
    expect(rows.map(({ error }) => error?.code)).toEqual([
      undefined,
      undefined,
      undefined,
      "no_such_order",
      "refused",
    ]);
  });

  test("an order's number that is given twice is found twice", async () => {
    const home = await createServedHome();
    const { order_no, tracking_number } = await createOrder(home);
    const { exit, stdout } = await home.courier(`track ${order_no} ${order_no} --json`);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ tracking_number }, { tracking_number }]);
  });

  test("many unknown names read the service's list once", async () => {
    const home = await createServedHome({ seedOrders: 5 });
    const names = Array.from({ length: 20 }, (_, index) => `CO${index}`);
    await home.courier(["track", ...names]);
    expect(requestCount(home, "GET", "/api/v1/orders")).toBeLessThanOrEqual(3);
    const ids = Array.from({ length: 40 }, (_, index) => String(90_000 + index));
    const before = home.sandbox.requests.length;
    await home.courier(["track", ...ids]);
    expect(home.sandbox.requests.length - before).toBeLessThanOrEqual(40 + 10 + 3);
  });
});

test("a watch follows the parcel that a name means, under its tracking number", async () => {
  const home = await createServedHome({ seedOrders: 3 });
  const created = await createRef(home, "A-1");
  for (const [name, options] of [
    ["ref:A-1", {}],
    [String(created.id), elsewhere(home)],
  ] as const) {
    const watched = await home.courier(["track", name, "--watch", "--until", "change", "--ndjson"], options);
    expect(watched.exit).toBe(0);
    const numbers = watched.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).tracking_number);
    expect(numbers).toEqual([created.tracking_number, created.tracking_number]);
  }
  const unknown = await home.courier(["track", "ref:B-1", "--watch", "--for", "1h"]);
  expect(unknown.exit).toBe(1);
});

describe("a watch of several", () => {
  test("one name without a parcel ends no watch of the others, and is followed once it has one", async () => {
    const home = await createServedHome();
    const { tracking_number } = await createOrder(home);
    await home.sandbox.advance({ trackingNumber: tracking_number, to: "delivering" });
    const order = (number: string) => `{"id":77,"tracking_number":${number},"status":"pending"}`;
    answerRaw(home, "GET /api/v1/orders/77", `{"success":true,"data":${order("null")}}`, { times: 2 });
    answerData(home, "GET /api/v1/orders/77", order('"CR77"'));
    answerData(home, "GET /api/v1/tracking/CR77", '{"tracking_number":"CR77","status":"delivered"}');
    const words = `track ${tracking_number} 77 ref:B-1 --watch --for 8h --ndjson`;
    const { exit, stdout, stderr } = await home.courier(words);
    expect(exit).toBe(7);
    for (const number of [tracking_number, "CR77"])
      expect(stdout).toMatch(new RegExp(`"${number}".*"current":"delivered"`));
    expect(stderr).toContain("77: order 77 has no tracking number; the watch goes on");
    expect(stderr).toContain("1 of 3 parcels not there yet");
  });

  test("a parcel that is given by several of its names is watched once, and reported once", async () => {
    const home = await createServedHome();
    const { id, order_no, tracking_number } = await createOrder(home);
    for (const names of [
      [tracking_number, id],
      [order_no, id, tracking_number],
    ]) {
      const words = `track ${names.join(" ")} --watch --interval 1m --until change --ndjson`;
      const { exit, stdout, stderr } = await home.courier(words);
      expect(exit).toBe(0);
      expect(stdout.trimEnd().split("\n")).toHaveLength(2);
      expect(stderr).toMatch(/^Watched 1 parcel for .*: 1 change, /m);
    }
  });

  test("two parcels whose numbers differ in a hyphen only are both waited for", async () => {
    const home = await createServedHome();
    const numbers = ["CR1000-1", "CR10001"];
    for (const [index, tracking_number] of numbers.entries()) {
      const status = index === 0 ? "delivered" : "in_transit";
      const order = JSON.stringify({ id: index + 7, tracking_number, status });
      answerData(home, `GET /api/v1/orders/${index + 7}$`, order);
      const tracking = JSON.stringify({ tracking_number, status, records: [] });
      answerData(home, `GET /api/v1/tracking/${tracking_number}$`, tracking);
    }
    const words = "track 7 8 --watch --until delivered --for 10m --ndjson";
    const { exit, stdout, stderr } = await home.courier(words);
    expect([exit, stdout.trim().split("\n").length], stderr).toEqual([7, 2]);
  });

  test("a number is watched once also where the service writes it in other signs than the person", async () => {
    const home = await createServedHome();
    const tracking = JSON.stringify({ tracking_number: "CR988", status: "delivered", records: [] });
    for (const number of ["cr%20988", "CR988"]) answerData(home, `GET /api/v1/tracking/${number}$`, tracking);
    answerData(home, "GET /api/v1/orders/7$", '{"id":7,"tracking_number":"CR988","status":"delivered"}');
    const { exit, stdout, stderr } = await home.courier(["track", "cr 988", "7", "--watch", "--ndjson"]);
    expect([exit, stdout.trim().split("\n").length], stderr).toEqual([0, 1]);
  });

  test("it ends at once where no name leads to a parcel", async () => {
    const home = await createServedHome();
    const { exit, stderr } = await home.courier("track ref:B-1 ref:B-2 --watch --for 1h");
    expect(exit).toBe(1);
    expect(stderr).toMatch(/error: the ledger has no order with the ref/);
  });

  test("a number that was tracked once stays that number, whatever orders have it", async () => {
    const home = await createServedHome();
    const order = (id: number) => `{"id":${id},"tracking_number":"CR5","status":"in_transit"}`;
    const page = '"pagination":{"current_page":1,"total_pages":1,"total_items":2,"per_page":100}';
    answerData(home, "GET /api/v1/orders", `[${order(5)},${order(6)}]`, page);
    const found = '{"success":true,"data":{"tracking_number":"CR5","status":"in_transit"}}';
    const refusal = '{"success":false,"error":{"code":"NOT_FOUND","message":"no such parcel"}}';
    answerRaw(home, "GET /api/v1/tracking/CR5", found, { times: 1 });
    answerRaw(home, "GET /api/v1/tracking/CR5", refusal, { status: 404, times: 1 });
    answerRaw(home, "GET /api/v1/tracking/CR5", found);
    const { exit, stderr } = await home.courier("track CR5 --watch --interval 1m --for 1h");
    expect(exit).toBe(7);
    expect(stderr).toContain("All parcels can be tracked again");
  });
});

test.each(["order_no", "id"] as const)(
  "an order that the service shows later is found by its %s, with few calls",
  async (field) => {
    const home = await createServedHome();
    const order = await createOrder(home);
    const none = '{"success":false,"error":{"code":"NOT_FOUND","message":"none"}}';
    const page = '"pagination":{"current_page":1,"total_pages":1,"total_items":0,"per_page":100}';
    answerRaw(home, "GET /api/v1/orders", `{"success":true,"data":[],${page}}`, { times: 2 });
    answerRaw(home, `GET /api/v1/orders/${order.id}`, none, { status: 404, times: 2 });
    const words = `track ${order[field]} --watch --interval 1m --until paid --for 3h --ndjson`;
    const { exit, stdout, stderr } = await home.courier(words, elsewhere(home));
    expect(exit, stderr).toBe(0);
    expect(stdout).toContain(order.tracking_number);
    expect(requestCount(home, "GET", "/api/v1/orders")).toBeLessThanOrEqual(3);
    expect(requestCount(home, "GET", `/api/v1/orders/${order.id}`)).toBeLessThanOrEqual(3);
  },
);

test("a list that fails once makes no name unknown for the rest of a watch", async () => {
  const home = await createServedHome();
  const { tracking_number, order_no } = await createOrder(home);
  await home.sandbox.advance({ trackingNumber: tracking_number, to: "delivering" });
  answerRaw(home, "GET /api/v1/orders", "oops", { status: 500, times: 1 });
  const words = `track ${order_no} --watch --interval 1m --for 8h --until delivered --ndjson`;
  const { exit, stdout } = await home.courier(words, elsewhere(home));
  expect(exit).toBe(0);
  expect(stdout).toContain('"current":"delivered"');
});

test("a list that fails is not read for each of many names, also in a watch", async () => {
  const home = await createServedHome();
  answerRaw(home, "GET /api/v1/orders", "oops", { status: 404 });
  const names = Array.from({ length: 20 }, (_, index) => `CO${index}`);
  await home.courier(["track", ...names]);
  expect(requestCount(home, "GET", "/api/v1/orders")).toBe(1);
  await home.courier(["track", ...names, "--watch", "--interval", "1m", "--for", "3m"]);
  expect(requestCount(home, "GET", "/api/v1/orders")).toBeLessThanOrEqual(1 + 4);
});

test.each(["orders show", "track", "orders cancel --yes"])(
  "courier %s 60,59 says how names are separated",
  async (words) => {
    const home = await createServedHome({ seedOrders: 2 });
    const { exit, stderr } = await home.courier(`${words} 60,59`);
    expect(exit).toBe(1);
    expect(stderr).toMatch(/^hint: .*write blanks between the names: 60 59$/m);
  },
);
