/** `--all` yields everything, in order, each order once, or fails. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import { answerRaw, requestCount } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { createOrder } from "../support/orders.ts";

const descending = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i);

function idsOf(ndjson: string): number[] {
  return ndjson
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line).id);
}

function answerPage(
  home: ServedHome,
  page: number,
  ids: readonly number[],
  pages: number | undefined,
  items: number | undefined,
  perPage = 2,
): void {
  const body = {
    success: true,
    data: ids.map((id) => ({ id })),
    pagination: { current_page: page, total_pages: pages, total_items: items, per_page: perPage },
  };
  home.sandbox.faults.add({
    kind: "status",
    status: 200,
    method: "GET",
    path: new RegExp(`[?&]page=${page}(&|$)`),
    contentType: "application/json",
    body: JSON.stringify(body),
  });
}

test("every order in the service's order, with one request a page of 100", async () => {
  const home = await createServedHome({ seedOrders: 1_234 });
  const { exit, stdout, stderr } = await home.courier("orders list --all --ndjson");
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(idsOf(stdout)).toEqual(descending(1_234, 1));
  const pages = home.sandbox.requests.map(({ path }) => new URLSearchParams(path.split("?")[1]).get("page"));
  expect(pages.map(Number).sort((a, b) => a - b)).toEqual(descending(13, 1).reverse());
});

test("--limit is the size of the pages; filters go with each", async () => {
  const home = await createServedHome({ seedOrders: 45 });
  const { stdout } = await home.courier("orders list --all --limit 20 --from 2020-01-01 --json");
  expect(JSON.parse(stdout)).toHaveLength(45);
  expect(requestCount(home, "GET")).toBe(3);
  for (const { path } of home.sandbox.requests) expect(path).toContain("limit=20&date_from=2019-12-31");
});

test("pages after the first are asked for at the same time", async () => {
  const home = await createServedHome({ seedOrders: 100 });
  // The second page never answers: were pages fetched one by one, none after it would be asked for.
  home.sandbox.faults.set([{ kind: "stall", path: /[?&]page=2(&|$)/ }]);
  const running = home.courier("orders list --all --limit 10 --ndjson");
  while (requestCount(home, "GET") < 7) await new Promise(setImmediate);
  home.clock.advance(30_000);
  const { exit, stdout } = await running;
  expect(exit).toBe(5);
  expect(idsOf(stdout)).toEqual(descending(100, 91));
});

describe("a list that changes while it is read", () => {
  test("an order that moved to the next page is printed once", async () => {
    const home = await createServedHome();
    answerPage(home, 1, [5, 4], 3, 5);
    answerPage(home, 2, [4, 3], 3, 5);
    answerPage(home, 3, [2, 1], 3, 5);
    const { exit, stdout } = await home.courier("orders list --all --limit 2 --ndjson");
    expect(exit).toBe(0);
    expect(idsOf(stdout)).toEqual([5, 4, 3, 2, 1]);
  });

  test("an empty page is not the end", async () => {
    const home = await createServedHome();
    answerPage(home, 1, [2], 3, 2);
    answerPage(home, 2, [], 3, 2);
    answerPage(home, 3, [1], 3, 2);
    const { exit, stdout } = await home.courier("orders list --all --limit 2 --ndjson");
    expect(exit).toBe(0);
    expect(idsOf(stdout)).toEqual([2, 1]);
  });

  test("orders that never appear fail the command", async () => {
    const home = await createServedHome();
    answerPage(home, 1, [5, 4], 2, 5);
    answerPage(home, 2, [3], 2, 5);
    answerPage(home, 3, [], 2, 5);
    const { exit, stdout, stderr } = await home.courier("orders list --all --limit 2 --ndjson");
    expect(exit).toBe(5);
    expect(idsOf(stdout)).toEqual([5, 4, 3]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "list_incomplete",
      message: "the list of orders is incomplete: 3 of 5 orders were seen",
      hint: "run the same command again, or narrow it with --from and --to",
    });
  });
});

describe("several states", () => {
  /** Three pending orders and a paid one. The oldest is paid before so many calls for a list. */
  async function homeWithStates(movedAt = Number.POSITIVE_INFINITY) {
    const home = await createServedHome();
    const oldest = await createOrder(home);
    const { tracking_number: paid } = await createOrder(home);
    await home.sandbox.advance({ trackingNumber: paid, to: "paid" });
    for (let made = 0; made < 2; made++) await createOrder(home);
    const real = await createTransport({}, 5_000);
    onTestFinished(() => real.close());
    const lists: string[] = [];
    const transport: Transport = {
      ...real,
      close: async () => {},
      async send(request) {
        const { pathname, searchParams } = new URL(request.url);
        if (!pathname.endsWith("/orders")) return real.send(request);
        lists.push(`${searchParams.get("status")} ${searchParams.get("page")}`);
        if (lists.length === movedAt)
          await home.sandbox.advance({ trackingNumber: oldest.tracking_number, to: "paid" });
        return real.send(request);
      },
    };
    return { home, oldest, lists, courier: (words: string) => home.courier(words, { transport }) };
  }

  test.each([
    ["orders list --all", 2],
    ["orders list --all --limit 2", 2],
    ["orders list --all --limit 2", 3],
    ["orders list", 2],
    ["orders export", 2],
    ["orders cancel --dry-run", 2],
    ["track", 2],
  ])("an order that is paid while they are read is not left out: %s, before call %i", async (words, call) => {
    const { oldest, lists, courier } = await homeWithStates(call);
    const { exit, stdout } = await courier(`${words} --status paid,pending --json`);
    expect([exit, lists.length]).toEqual([0, expect.toSatisfy((calls) => calls >= call)]);
    const numbers = (JSON.parse(stdout) as (typeof oldest)[]).map(({ tracking_number }) => tracking_number);
    expect(numbers.at(-1)).toBe(oldest.tracking_number);
    expect([numbers.length, new Set(numbers).size]).toEqual([4, 4]);
  });

  test("take a call for each page, and one more for each list after a longer one: how long it is", async () => {
    const { lists, courier } = await homeWithStates();
    await courier("orders list --all --status cancelled,paid,pending");
    expect(lists.splice(0)).toEqual(["pending 1", "paid 1", "cancelled 1"]);
    await courier("orders list --all --limit 2 --status paid,pending");
    expect(lists.splice(0)).toEqual(["pending 1", "paid 1", "pending 2", "paid 1"]);
  });

  test("a page that fails comes after the orders that were read, and the others are read no further", async () => {
    const { lists, courier, home } = await homeWithStates();
    home.sandbox.faults.add({ kind: "status", status: 500, path: /[?&]page=2(&|$)/ });
    const { exit, stdout, stderr } = await courier(
      "orders list --all --limit 2 --status pending,paid --ndjson",
    );
    expect([exit, idsOf(stdout).length]).toEqual([5, 2]);
    expect(JSON.parse(stderr).error.message).toContain("; 2 of 4 orders were read");
    expect(lists).toEqual(["pending 1", "paid 1", "pending 2"]);
  });
});

describe("a service that does not say how many orders there are", () => {
  test.each(["orders list --all", "orders export"])("%s reads to the end of smaller pages", async (words) => {
    for (const pages of [undefined, 2]) {
      const home = await createServedHome();
      answerPage(home, 1, [5, 4], pages, undefined);
      answerPage(home, 2, [3, 2], pages, undefined);
      answerPage(home, 3, [1], pages, undefined);
      answerPage(home, 4, [], pages, undefined);
      const { exit, stdout, stderr } = await home.courier(`${words} --ndjson`);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      expect(idsOf(stdout)).toEqual([5, 4, 3, 2, 1]);
      expect(home.sandbox.requests.map(({ path }) => path.replace(/.*\?/, ""))).toEqual([
        "page=1&limit=100",
        "page=2&limit=2",
        "page=3&limit=2",
        "page=4&limit=2",
      ]);
    }
  });

  test("and refuses the page after the last: the rows, then exit 5 and how many they were", async () => {
    const home = await createServedHome();
    answerPage(home, 1, [2, 1], undefined, undefined, 100);
    home.sandbox.faults.add({
      kind: "refuse",
      status: 404,
      code: "NOT_FOUND",
      message: "no such page",
      path: /[?&]page=2(&|$)/,
    });
    const { exit, stdout, stderr } = await home.courier("orders list --all", { terminal: 80 });
    expect(exit).toBe(5);
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(stderr).toContain("2 orders were seen, and the service does not say of how many");
  });

  test("an export to a file keeps the older file where the list is incomplete", async () => {
    const home = await createServedHome();
    const file = path.join(home.directory, "a.csv");
    await writeFile(file, "old");
    answerPage(home, 1, [2, 1], 1, 3, 100);
    answerPage(home, 2, [], 1, 3, 100);
    const { exit, stderr } = await home.courier(["orders", "export", "-o", file]);
    expect(exit).toBe(5);
    expect(stderr).toContain("error: the list of orders is incomplete: 2 of 3 orders were seen");
    expect(await readFile(file, "utf8")).toBe("old");
  });
});

describe("a page says which part of the list it is, as far as the service says", () => {
  test.each([
    [2, 3, "page 1 of 2 (3 orders); --all fetches everything\n"],
    [2, undefined, "page 1 of 2; --all fetches everything\n"],
    [undefined, 3, "page 1 (3 orders); --all fetches everything\n"],
    [
      undefined,
      undefined,
      "page 1; the service does not say how many orders there are; --all fetches everything\n",
    ],
    [1, 2, ""],
    [1, undefined, ""],
    [undefined, 2, ""],
  ])("%s pages, %s orders", async (pages, items, said) => {
    const home = await createServedHome();
    answerRaw(
      home,
      "GET /api/v1/orders",
      JSON.stringify({
        success: true,
        data: [{ id: 2 }, { id: 1 }],
        pagination: { total_pages: pages, total_items: items },
      }),
    );
    const { exit, stderr } = await home.courier("orders list --page 1 --json");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: said });
  });
});

describe("a page that fails", () => {
  const failing = { kind: "status", status: 500, path: /[?&]page=3(&|$)/ } as const;

  test("fails the command; NDJSON holds whole lines of the pages before it", async () => {
    const home = await createServedHome({ seedOrders: 50 });
    home.sandbox.faults.set([failing]);
    const { exit, stdout, stderr } = await home.courier("orders list --all --limit 10 --ndjson");
    expect(exit).toBe(5);
    expect(idsOf(stdout)).toEqual(descending(50, 31));
    expect(stdout.endsWith("\n")).toBe(true);
    expect(JSON.parse(stderr).error).toMatchObject({ code: "server_error", status: 500, exit: 5 });
  });

  test("leaves no complete JSON document that could be taken for everything", async () => {
    const home = await createServedHome({ seedOrders: 50 });
    home.sandbox.faults.set([failing]);
    for (const options of [{}, { terminal: 80 }]) {
      const { exit, stdout } = await home.courier("orders list --all --limit 10 --json", options);
      expect(exit).toBe(5);
      expect(() => JSON.parse(stdout)).toThrow();
      expect(JSON.parse(`${stdout}]`)).toHaveLength(20);
    }
  });

  test("shows a person the rows before it, and the error", async () => {
    const home = await createServedHome({ seedOrders: 50 });
    home.sandbox.faults.set([failing]);
    const { exit, stdout, stderr } = await home.courier("orders list --all --limit 10", { terminal: 80 });
    expect(exit).toBe(5);
    expect(stdout.trimEnd().split("\n")).toHaveLength(21);
    expect(stderr).toContain("the service is failing: HTTP 500");
  });

  test("that fails for a moment is asked for again", async () => {
    const home = await createServedHome({ seedOrders: 50 });
    home.sandbox.faults.set([{ kind: "status", status: 503, path: /[?&]page=3(&|$)/, times: 2 }]);
    const { exit, stdout } = await home.courier("orders list --all --limit 10 --ndjson");
    expect(exit).toBe(0);
    expect(idsOf(stdout)).toEqual(descending(50, 1));
    expect(requestCount(home, "GET")).toBe(7);
  });
});

test("a list without usable paging breaks the interface: exit 70", async () => {
  for (const words of ["orders list", "orders list --all"]) {
    const home = await createServedHome();
    answerRaw(home, "GET /api/v1/orders", '{"success":true,"data":[]}');
    const { exit, stdout, stderr } = await home.courier(words);
    expect({ exit, stdout }).toEqual({ exit: 70, stdout: "" });
    expect(stderr).toContain("the list of orders came without usable paging: pagination is nothing");
  }
});
