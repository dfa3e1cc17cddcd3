/** How much of the list `orders list` reads: until enough orders match, one page of the service, or the mirror. */

import { describe, expect, test } from "vitest";
import { answerRaw, onePage, requestCount } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { createOrder } from "../support/orders.ts";

function idsIn(stdout: string): number[] {
  return JSON.parse(stdout).map(({ id }: { id: number }) => id);
}

function queries({ sandbox }: ServedHome): string[] {
  return sandbox.requests.map(({ path }) => path.split("?")[1] ?? "");
}

describe("without --page", () => {
  test("ten orders, and that more exist", async () => {
    const home = await createServedHome({ seedOrders: 25 });
    const { stdout, stderr } = await home.courier("orders list --json");
    expect(idsIn(stdout)).toEqual([25, 24, 23, 22, 21, 20, 19, 18, 17, 16]);
    expect(stderr).toBe("10 shown, more exist (25 in all); --all shows every one\n");
    expect(queries(home)).toEqual(["page=1&limit=10"]);
  });

  test("--limit may be more than a page of the service", async () => {
    const home = await createServedHome({ seedOrders: 260 });
    const { stdout, stderr } = await home.courier("orders list --limit 250 --json");
    expect(idsIn(stdout)).toHaveLength(250);
    expect(stderr).toBe("250 shown, more exist (260 in all); --all shows every one\n");
    expect(queries(home)).toEqual(["page=1&limit=100", "page=2&limit=100", "page=3&limit=100"]);
    const all = await home.courier("orders list --limit 260 --json");
    expect(idsIn(all.stdout)).toHaveLength(260);
    expect(all.stderr).toBe("");
  });

  test("pages are read until enough orders are of the days, and no further", async () => {
    const home = await createServedHome({ seedOrders: 400 });
    const all = JSON.parse((await home.courier("orders list --all --json")).stdout);
    const day = all[350].created_at.slice(0, 10);
    const before = home.sandbox.requests.length;
    const { stdout, stderr } = await home.courier(`orders list --to ${day} --limit 3 --json`);
    const expected = all.filter(({ created_at }: { created_at: string }) => created_at.slice(0, 10) <= day);
    expect(JSON.parse(stdout)).toEqual(expected.slice(0, 3));
    expect(stderr).toBe("3 shown, more exist; --all shows every one; days of UTC\n");
    expect(home.sandbox.requests.length - before).toBe(1);
  });

  test("a service that ignores the days is read to the end, and not believed", async () => {
    const home = await createServedHome();
    const page = (number: number) =>
      Array.from({ length: 2 }, (_, index) => ({
        id: number * 10 + index,
        created_at: number === 3 ? "2026-02-01T12:00:00Z" : "2026-03-01T12:00:00Z",
      }));
    for (const number of [1, 2, 3]) {
      const pagination = { current_page: number, total_pages: 3, total_items: 6, per_page: 2 };
      home.sandbox.faults.add({
        kind: "status",
        status: 200,
        path: new RegExp(`[?&]page=${number}(&|$)`),
        contentType: "application/json",
        body: JSON.stringify({ success: true, data: page(number), pagination }),
      });
    }
    const { stdout, stderr } = await home.courier("orders list --to 2026-02-01 --limit 1 --json");
    expect(idsIn(stdout)).toEqual([30]);
    expect(stderr).toBe("1 shown, more exist; --all shows every one; days of UTC\n");
    const rest = await home.courier("orders list --to 2026-02-01 --limit 2 --json");
    expect(idsIn(rest.stdout)).toEqual([30, 31]);
    expect(rest.stderr).toBe("days of UTC\n");
  });

  test("a list that ends before the service's own count is said to be incomplete", async () => {
    const home = await createServedHome();
    const pagination = { current_page: 1, total_pages: 1, total_items: 5, per_page: 10 };
    answerRaw(
      home,
      "GET /api/v1/orders",
      JSON.stringify({ success: true, data: [{ id: 2 }, { id: 1 }], pagination }),
    );
    const { exit, stdout, stderr } = await home.courier("orders list --json");
    expect(exit).toBe(0);
    expect(idsIn(stdout)).toEqual([2, 1]);
    expect(stderr).toBe("warning: the list of orders is incomplete: 2 of 5 orders were seen\n");
  });
});

describe("with --page", () => {
  test("the service's own page and days apply, and the footer says so", async () => {
    const home = await createServedHome({ seedOrders: 25 });
    const { stdout, stderr } = await home.courier(
      "orders list --page 2 --from 2020-01-01 --to 2026-03-31 --json",
    );
    expect(idsIn(stdout)).toHaveLength(10);
    expect(stderr).toBe("page 2 of 3 (25 orders), by the service's own days; --all fetches everything\n");
    const whole = await home.courier("orders list --page 1 --limit 100 --last 1d --json");
    expect(whole.stderr).toBe("by the service's own days\n");
    expect(queries(home)).toEqual([
      "page=2&date_from=2020-01-01&date_to=2026-03-31",
      "page=1&limit=100&date_from=2026-03-01&date_to=2026-03-01",
    ]);
  });

  test.each([
    ["--page 1 --limit 101", "--limit is at most 100 with --page"],
    ["--all --limit 101", "--limit is at most 100 with --all"],
    ["--page 1 --status pending,paid", "--page takes one state: the service's pages are of one list"],
    ["--page 1 --all", "--all and --page exclude each other"],
    ["--page 1 --offline", "--offline and --page exclude each other"],
  ])("%s: exit 2, nothing sent", async (words, message) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(`orders list ${words}`);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`error: ${message}`);
    expect(home.sandbox.requests).toEqual([]);
  });
});

describe("states", () => {
  test.each([
    ["pendng", "pending", "=pendng"],
    ["Pending", "pending", "=Pending"],
    ["paid,deliverd", "delivered", "=deliverd"],
  ])("within two letters of a known one (%s): exit 2 with that one", async (status, meant, literal) => {
    const home = await createServedHome({ seedOrders: 3 });
    for (const command of ["orders list", "orders export", "orders slips", "track", "find"]) {
      const { exit, stderr } = await home.courier(`${command} --status ${status}`);
      expect(exit).toBe(2);
      expect(stderr).toBe(
        `error: unknown state “${literal.slice(1)}”; did you mean ${meant}?\n` +
          `hint: to use it as typed: --status "${literal}"\n`,
      );
    }
    expect(home.sandbox.requests).toEqual([]);
  });

  test("=word is sent as typed, and one that nobody knows is said when nothing is found", async () => {
    const home = await createServedHome({ seedOrders: 3 });
    const { exit, stderr } = await home.courier(["orders", "list", "--status", "=pendng", "--json"]);
    expect(exit).toBe(0);
    expect(stderr).toBe("warning: unknown state “pendng”; did you mean pending?\n");
    expect(queries(home)).toEqual(["page=1&limit=10&status=pendng"]);
  });

  test("several are a union: newest first, each order once", async () => {
    const home = await createServedHome({ seedOrders: 300 });
    const all: { id: number; status: string }[] = JSON.parse(
      (await home.courier("orders list --all --json")).stdout,
    );
    const states = ["pending", "paid", "cancelled"];
    const expected = all.filter(({ status }) => states.includes(status)).map(({ id }) => id);
    expect(new Set(all.map(({ status }) => status)).size).toBeGreaterThan(3);
    for (const words of [
      "--status pending,paid --status cancelled",
      "--status cancelled,paid,pending,paid",
    ]) {
      const { stdout, stderr } = await home.courier(`orders list ${words} --all --json`);
      expect(idsIn(stdout)).toEqual(expected);
      expect(stderr).toBe("");
      expect(idsIn((await home.courier(`orders export ${words} --json`)).stdout)).toEqual(expected);
    }
    const some = await home.courier("orders list --status pending,paid,cancelled --limit 4 --json");
    expect(idsIn(some.stdout)).toEqual(expected.slice(0, 4));
    expect(some.stderr).toBe("4 shown, more exist; --all shows every one\n");
  });

  test("an order that two listings show is printed once", async () => {
    const home = await createServedHome();
    const { id } = await createOrder(home);
    answerRaw(
      home,
      "GET /api/v1/orders",
      JSON.stringify({
        success: true,
        data: [{ id, status: "paid", created_at: "2026-03-01T08:00:00Z" }],
        pagination: { current_page: 1, total_pages: 1, total_items: 1, per_page: 10 },
      }),
    );
    const { stdout } = await home.courier("orders list --status pending,paid --json");
    expect(JSON.parse(stdout)).toMatchObject([{ id, status: "paid" }]);
    expect(requestCount(home, "GET", "/api/v1/orders")).toBe(2);
  });

  test.each(["", ",", "pending,", "pending,,paid"])("“%s” is no list of states", async (status) => {
    const { courier } = await createServedHome();
    const { exit, stderr } = await courier(["orders", "list", `--status=${status}`]);
    expect(exit).toBe(2);
    expect(stderr).toContain(`--status takes states separated by commas, not “${status}”`);
  });
});

describe("--offline", () => {
  test("lists the mirror with the same columns and filters, without a call, and says its age", async () => {
    const home = await createServedHome({ seedOrders: 40 });
    await home.courier("sync");
    const online = await home.courier("orders list --status pending,delivered --all --csv");
    home.clock.advance(2 * 3_600_000);
    const before = home.sandbox.requests.length;
    const offline = await home.courier("orders list --status pending,delivered --all --csv --offline");
    expect(offline).toEqual({
      exit: 0,
      stdout: online.stdout,
      stderr: "from the mirror of 40 orders, synced 2 h ago; courier sync brings it up to date\n",
    });
    const few = await home.courier("orders list --offline --limit 2 --to yesterday");
    expect(few.stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(few.stderr).toBe(
      "2 shown, more exist; --all shows every one; days of UTC\n" +
        "from the mirror of 40 orders, synced 2 h ago; courier sync brings it up to date\n",
    );
    expect(home.sandbox.requests.length).toBe(before);
  });

  test("a mirror that was never synced has only what this machine created, and says so", async () => {
    const home = await createServedHome({ seedOrders: 5 });
    const { id } = await createOrder(home);
    await home.courier("find x");
    const { stdout, stderr } = await home.courier("orders list --offline --json");
    expect(JSON.parse(stdout)).toMatchObject([{ id, item_name: "手机" }]);
    expect(stderr).toContain(
      "the mirror has only 1 order so far, since no sync was completed; read all of them with: courier sync\n",
    );
  });

  test("without a mirror: an error with the way to get one", async () => {
    const home = await createServedHome({ seedOrders: 5 });
    const { exit, stdout, stderr } = await home.courier("orders list --offline");
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toMatch(
      /^error: --offline reads the mirror, and this machine has none of the account .*\nhint: to make one: courier sync/,
    );
    expect(home.sandbox.requests).toEqual([]);
  });
});

test("an empty page of a list that has orders is a failure, not an empty list", async () => {
  const home = await createServedHome();
  answerRaw(home, "GET /api/v1/orders", `{"success":true,"data":[],${onePage}}`);
  const { exit, stdout, stderr } = await home.courier("orders list --json");
  expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
  expect(stderr).toContain("0 of 1 order was seen");
});
