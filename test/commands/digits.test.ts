/** Order and tracking numbers of digits alone: they name their orders, as ids do. */

import { describe, expect, test } from "vitest";
import { answerData, answerRaw, onePage, requestCount } from "../support/answers.ts";
import { createServedHome } from "../support/courier.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const number = "73129000005";
const foreign = {
  sender: { name: "店", phone: "1", province: "", city: "", district: "", detail: "" },
  receiver: { name: "李四", phone: "2", province: "", city: "", district: "", detail: "" },
  item: { name: "书", weight: 1, quantity: 1 },
};

async function homeWithDigits() {
  const home = await createUnfaithfulHome({
    rewrite: (shown) => ({ ...shown, tracking_number: number, order_no: "20261126001000005" }),
  });
  home.service.foreign(foreign);
  return home;
}

test.each([number, "20261126001000005"])("%s is found in the list, and in the mirror", async (name) => {
  const home = await homeWithDigits();
  for (const prepare of ["", "sync"]) {
    if (prepare) expect((await home.courier(prepare)).exit).toBe(0);
    const shown = await home.courier(["orders", "show", name, "--json"]);
    expect([shown.exit, JSON.parse(shown.stdout || "{}").id], shown.stderr).toEqual([0, 1]);
  }
  const cancelled = await home.courier(["orders", "cancel", name, "--yes"]);
  expect([cancelled.exit, home.service.orders[0]?.status], cancelled.stderr).toEqual([0, "cancelled"]);
});

test.each([
  ["orders cancel 773461000001 --yes", 3, "; name it by its id to cancel it"],
  ["orders show 773461000001", 0, ""],
])("a number that another order has by now is not taken for its order: %s", async (words, exit, choice) => {
  let isCorrected = false;
  const home = await createUnfaithfulHome({
    rewrite: (shown) => {
      const last = isCorrected ? 3 - Number(shown.id) : shown.id;
      return { ...shown, order_no: `N${shown.id}`, tracking_number: `77346100000${last}` };
    },
  });
  home.service.foreign(foreign);
  home.service.foreign(foreign);
  expect((await home.courier("sync")).exit).toBe(0);
  isCorrected = true;
  const ran = await home.courier(words);
  expect([ran.exit, home.service.orders[0]?.status], ran.stderr).toEqual([exit, "pending"]);
  expect(ran.stderr).toContain(
    `773461000001 was known as a number of order 1, which has N1 and 773461000002${choice}\n`,
  );
});

describe("a service that shows an order by its number in the path, too", () => {
  /** Another machine asks about an order that only the list may name. */
  async function homeWithNumberInPath(isListed: boolean) {
    const home = await createServedHome({ seedOrders: 1 });
    const [detail = "", list = ""] = await Promise.all(
      ["show 1", "list"].map(async (words) => (await home.courier(`orders ${words} --json`)).stdout),
    );
    const numbered = (json: string) => json.trim().replace(/"order_no": ?"[^"]*"/, `"order_no":"${number}"`);
    for (const name of [1, number]) answerData(home, `GET /api/v1/orders/${name}$`, numbered(detail));
    answerData(home, "GET /api/v1/orders", isListed ? numbered(list) : "[]", onePage);
    const elsewhere = { env: { COURIER_STATE_DIR: `${home.directory}/elsewhere` } };
    const run = (words: string) => home.courier([...words.split(" "), number], elsewhere);
    return { ...home, run };
  }

  test.each(["orders show", "orders slips -o -", "track"])("courier %s", async (words) => {
    const { run } = await homeWithNumberInPath(true);
    expect(await run(words)).toMatchObject({ exit: 0, stderr: "" });
  });

  test("no order is taken for another one where the list has no such number", async () => {
    const home = await homeWithNumberInPath(false);
    const ran = await home.run("orders cancel --yes");
    expect([ran.exit, requestCount(home, "DELETE")], ran.stderr).toEqual([70, 0]);
    expect(ran.stderr).toContain(`the service was asked for order ${number} and answered with order 1`);
  });
});

test("digits that name nothing are told as an id that no order has", async () => {
  const home = await homeWithDigits();
  const shown = await home.courier("orders show 99999999999");
  expect([shown.exit, shown.stdout]).toEqual([1, ""]);
  expect(shown.stderr).toContain("order 99999999999 does not exist");
});

test.each([1, 2])(
  "digits that are the id of one order and the number of another one are ambiguous, of which %i are known: nothing is cancelled",
  async (count) => {
    const home = await createServedHome();
    const byId = { id: Number(number), status: "pending" };
    const listed = [{ id: 1, order_no: "CO1", tracking_number: number, status: "pending" }, byId].slice(
      0,
      count,
    );
    const pagination = { current_page: 1, total_pages: 1, total_items: count, per_page: 100 };
    answerRaw(home, "GET /api/v1/orders", JSON.stringify({ success: true, data: listed, pagination }));
    answerData(home, `GET /api/v1/orders/${number}`, JSON.stringify(byId));
    expect((await home.courier("sync")).exit).toBe(0);
    const cancelled = await home.courier(["orders", "cancel", number, "--yes"]);
    expect([cancelled.exit, requestCount(home, "DELETE")], cancelled.stderr).toEqual([1, 0]);
    expect(cancelled.stderr).toMatch(
      new RegExp(`names 2 orders: (?:${number}, 1|1, ${number})\nhint: name one by its order number\n`),
    );
  },
);

test("short digits with a zero before them are no id where an order has them as its number", async () => {
  const home = await createUnfaithfulHome({
    rewrite: (shown) => ({ ...shown, tracking_number: `0${3 - Number(shown.id)}` }),
  });
  home.service.foreign(foreign);
  home.service.foreign(foreign);
  expect((await home.courier("sync")).exit).toBe(0);
  const cancelled = await home.courier("orders cancel 02 --yes");
  expect([cancelled.exit, home.service.orders.map(({ status }) => status)], cancelled.stderr).toEqual([
    0,
    ["cancelled", "pending"],
  ]);
});

test("digits with zeros that are the number of the order whose id they hold name one order", async () => {
  const home = await createServedHome();
  const order = { id: 7, order_no: "CO1", tracking_number: "007", status: "pending" };
  const pagination = { current_page: 1, total_pages: 1, total_items: 1, per_page: 100 };
  answerRaw(home, "GET /api/v1/orders", JSON.stringify({ success: true, data: [order], pagination }));
  answerData(home, "GET /api/v1/orders/007", JSON.stringify(order));
  answerData(home, "GET /api/v1/orders/7", JSON.stringify(order));
  expect((await home.courier("sync")).exit).toBe(0);
  const shown = await home.courier("orders show 007 --json");
  expect([shown.exit, JSON.parse(shown.stdout || "{}").id], shown.stderr).toEqual([0, 7]);
});

describe("digits with zeros that are the number of one order, and hold the id of another", () => {
  /** As most servers do, this one reads the id in a path as a number. */
  async function homeWithPadded() {
    const home = await createServedHome();
    const orders = ["王五", "李四", "赵六"].map((name, index) => ({
      id: index + 1,
      order_no: `00000000${3 - index}`,
      tracking_number: `CR${index + 1}`,
      status: "pending",
      receiver: { name },
    }));
    for (const order of orders) answerData(home, `GET /api/v1/orders/0*${order.id}$`, JSON.stringify(order));
    const pagination = '"pagination":{"current_page":1,"total_pages":1,"total_items":3,"per_page":100}';
    answerData(home, "GET /api/v1/orders$", JSON.stringify(orders), pagination);
    return home;
  }

  test.each(["sync", "--version"])("cancel neither after %s", async (first) => {
    const home = await homeWithPadded();
    await home.courier(first);
    const { exit, stderr } = await home.courier("orders cancel 000000003 --yes");
    expect([exit, requestCount(home, "DELETE")], stderr).toEqual([1, 0]);
    expect(stderr).toMatch(/000000003.* names 2 orders: 3, 1\nhint: name one by its id/);
  });

  test("have no slip", async () => {
    const home = await homeWithPadded();
    const { exit, stdout } = await home.courier("orders slips 000000003 --json");
    expect([exit, stdout]).toEqual([1, ""]);
  });
});

test("a number is found although the service fails for so large an id", async () => {
  const home = await createServedHome();
  const large = "99999999999999999999";
  const body = '{"success":false,"error":{"code":"INTERNAL","message":"out of range"}}';
  answerRaw(home, `GET /api/v1/orders/${large}`, body, { status: 500 });
  const order = { id: 7, order_no: "N7", tracking_number: large, status: "pending" };
  answerData(home, "GET /api/v1/orders/7$", JSON.stringify(order));
  const pagination = '"pagination":{"current_page":1,"total_pages":1,"total_items":1,"per_page":100}';
  answerData(home, "GET /api/v1/orders$", JSON.stringify([order]), pagination);
  const { exit, stdout, stderr } = await home.courier(`orders show ${large} --json`);
  expect([exit, JSON.parse(stdout || "{}").id], stderr).toEqual([0, 7]);
  const unknown = await home.courier(`orders show ${large}9`);
  expect(unknown.exit).not.toBe(0);
});
