/** Several orders named at once, as arguments and on stdin. */

import { describe, expect, test } from "vitest";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import { requestCount } from "../support/answers.ts";
import { createServedHome } from "../support/courier.ts";
import { createOrder, plainDraft } from "../support/orders.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

async function homeWithOrders(count: number) {
  const home = await createServedHome();
  const orders = [];
  for (let made = 0; made < count; made++) orders.push(await createOrder(home));
  return { ...home, orders };
}

function idsIn(stdout: string): string[] {
  return (JSON.parse(stdout) as { id?: number; order?: string }[]).map(({ id, order }) =>
    String(id ?? order),
  );
}

describe("orders show", () => {
  test("a number that names no order: a sync is advised only where it can help", async () => {
    const home = await createServedHome({ seedOrders: 5 });
    const never = await home.courier("orders show nosuch");
    expect([never.exit, never.stderr]).toEqual([
      1,
      "error: no order was found with the number “nosuch”, on this machine or in the first 300 orders of the service's list\n" +
        "hint: look through all orders: courier sync, then run this again\n",
    ]);
    await home.courier("sync");
    home.clock.advance(120_000);
    const known =
      "in the mirror, which had all orders of the service's list 2 min ago, or in the first 300 orders of the service's list";
    const synced = await home.courier("orders show nosuch");
    expect([synced.exit, synced.stderr]).toEqual([
      1,
      `error: no order was found with the number “nosuch”, ${known}\n` +
        "hint: find it by something else: courier find TEXT\n",
    ]);
    expect((await home.courier("track nosuch")).stderr).toContain(
      `\nhint: no order has this number ${known}; find it by something else: courier find TEXT\n`,
    );
    home.clock.advance(86_400_000);
    const old = (await home.courier("orders show nosuch")).stderr;
    expect(old).toContain("in the mirror, which had all orders of the service's list 1 d ago, or");
    expect(old).toContain(
      "\nhint: read the orders since the last sync: courier sync, then run this again; or find it ",
    );
  });

  test("a number is searched in the first 300 orders of the list, also where a page has ten of them", async () => {
    const home = await createServedHome({ seedOrders: 310 });
    const { stdout } = await home.courier("orders list --all --json");
    const [last, beyond] = JSON.parse(stdout).slice(299, 301);
    const real = await createTransport({}, 5_000);
    const transport: Transport = {
      close: () => real.close(),
      send(request) {
        const url = new URL(request.url);
        if (url.searchParams.has("limit")) url.searchParams.set("limit", "10");
        return real.send({ ...request, url });
      },
    };
    const options = { transport, env: { COURIER_STATE_DIR: `${home.directory}/elsewhere` } };
    const before = requestCount(home, "GET", "/api/v1/orders");
    const found = await home.courier(`orders show ${last.order_no} --json`, options);
    expect(JSON.parse(found.stdout).id).toBe(last.id);
    expect(requestCount(home, "GET", "/api/v1/orders") - before).toBe(30);
    const missing = await home.courier(`orders show ${beyond.order_no}`, options);
    expect(missing.stderr).toContain("in the first 300 orders of the service's list");
    expect(requestCount(home, "GET", "/api/v1/orders") - before).toBe(60);
  });

  test("a number is found although its order moved to a page that was read before", async () => {
    const home = await createUnfaithfulHome();
    for (let made = 0; made < 150; made++) home.service.foreign(plainDraft);
    const lists = () => home.service.requests.filter(({ endpoint }) => endpoint === "list").length;
    // Page 1 has orders 150 to 51. Then the newest one leaves the list: page 2 begins with order 49.
    home.service.ways = { omitFromList: ({ id }) => id === 150 && lists() > 1 };
    const { exit, stdout, stderr } = await home.courier("orders show UT00000050 --json");
    expect([exit, JSON.parse(stdout || "{}").id], stderr).toEqual([0, 50]);
  });

  test("one argument is an object; several, and -, are an array whatever the count", async () => {
    const home = await homeWithOrders(2);
    const [one, two] = home.orders;
    expect(JSON.parse((await home.courier(`orders show ${one?.id} --json`)).stdout)).toHaveProperty("id");
    const several = await home.courier(`orders show ${two?.tracking_number} ${one?.order_no} --json`);
    expect(several).toMatchObject({ exit: 0, stderr: "" });
    expect(idsIn(several.stdout)).toEqual([String(two?.id), String(one?.id)]);
    const stdin = `\uFEFF${one?.id}\r\n\r\n`;
    expect(idsIn((await home.courier("orders show - --json", { stdin })).stdout)).toEqual([String(one?.id)]);
    const none = await home.courier("orders show - --json", { stdin: "\n" });
    expect(none).toEqual({ exit: 0, stdout: "[]\n", stderr: "" });
  });

  test("a ref with blanks is one name a line", async () => {
    const home = await createServedHome();
    const words = ["orders", "create", "--file", "-", "--json", "--ref", "A 1"];
    const { plainDraft } = await import("../support/orders.ts");
    const created = await home.courier(words, { stdin: JSON.stringify(plainDraft) });
    expect(created.exit).toBe(0);
    const { exit, stdout } = await home.courier("orders show - --ndjson", { stdin: "ref:A 1\n" });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).id).toBe(JSON.parse(created.stdout).id);
  });

  test("one that fails is named in its place, the others are shown: exit 3", async () => {
    const home = await homeWithOrders(2);
    const [one, two] = home.orders;
    const line = `orders show ${one?.id} ref:B-9 77 ${two?.id}`;
    const json = await home.courier(`${line} --json`);
    expect(json.exit).toBe(3);
    expect(idsIn(json.stdout)).toEqual([String(one?.id), "ref:B-9", "77", String(two?.id)]);
    expect(JSON.parse(json.stdout)[1].error).toMatchObject({ code: "no_such_order" });
    expect(JSON.parse(json.stderr).error).toMatchObject({
      code: "some_refused",
      message: "2 of 4 orders were refused",
      exit: 3,
    });
    const shown = await home.courier(line);
    expect(shown.exit).toBe(3);
    expect(shown.stdout.match(/^Order number +CO/gm)).toHaveLength(2);
    expect(shown.stdout).toContain("Order ref:B-9  the ledger has no order with the ref “B-9”");
  });

  test("a service that fails for one: the others are shown, exit 5", async () => {
    const home = await homeWithOrders(2);
    const [one, two] = home.orders;
    home.sandbox.faults.set([
      { method: "GET", path: `/api/v1/orders/${one?.id}`, kind: "status", status: 500 },
    ]);
    const { exit, stdout, stderr } = await home.courier(`orders show ${one?.id} ${two?.id} --json`);
    expect(exit).toBe(5);
    expect(idsIn(stdout)).toEqual([String(one?.id), String(two?.id)]);
    expect(JSON.parse(stderr).error.message).toContain(
      `1 of 2 orders got no answer; ${one?.id}: the service`,
    );
  });
});

describe("orders cancel -", () => {
  test("cancels the orders on stdin, one that stands there twice once", async () => {
    const home = await homeWithOrders(3);
    const [one, two, three] = home.orders;
    const stdin = `${one?.id}\n\n  ${two?.tracking_number}\r\n${one?.order_no}\n`;
    const { exit, stdout, stderr } = await home.courier("orders cancel - --yes --json", { stdin });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(idsIn(stdout)).toEqual([String(one?.id), String(two?.id)]);
    expect(requestCount(home, "DELETE")).toBe(2);
    expect(requestCount(home, "DELETE", `/api/v1/orders/${three?.id}`)).toBe(0);
  });

  test("needs --yes, as nobody can answer: exit 2, nothing is asked of the service", async () => {
    const home = await createServedHome();
    const { exit, stderr } = await home.courier("orders cancel -", { stdin: "5\n" });
    expect([exit, home.sandbox.requests]).toEqual([2, []]);
    expect(stderr).toContain("cancelling the orders on stdin needs a confirmation");
  });

  test("nothing on stdin is nothing to cancel", async () => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier("orders cancel - --yes", { stdin: "\n" });
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: "", stderr: "No orders on stdin\n" });
  });
});

test.each(["orders show -", "orders cancel - --yes", "track -"])(
  "%s: a line that is no name is named by its number: exit 2, nothing is sent",
  async (words) => {
    const home = await createServedHome();
    const { exit, stderr } = await home.courier(words, { stdin: "5\n\nref:\n" });
    expect([exit, home.sandbox.requests]).toEqual([2, []]);
    expect(stderr).toBe(
      "error: line 3 of stdin: not the name of an order: “ref:”\nhint: give one id, number or ref:REF a line\n",
    );
  },
);

test("a line of stdin with very many blanks takes no time", async () => {
  const home = await createServedHome();
  await createOrder(home);
  const begunMs = performance.now();
  await home.courier("orders show -", { stdin: `1000001\nref:a${" ".repeat(60_000)}b\n` });
  expect(performance.now() - begunMs).toBeLessThan(3_000);
});
