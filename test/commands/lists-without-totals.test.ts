/** A service that does not say how long its list is: long lists are read in sight of the user, and none without end. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHome, type Home } from "../support/courier.ts";
import { row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";

interface UncountedList {
  readonly pageSize: number;
  /** Without end where left out. */
  readonly pages?: number | undefined;
  /** The first answer to a create is lost. */
  readonly losesAnswer?: boolean;
  /** Orders have an id and a state, and nothing else. */
  readonly isBare?: boolean;
  /** The service says how many orders there are. */
  readonly isCounted?: boolean;
}

/** A service with orders of other people. `lists` counts the pages that were asked for. */
async function createListHome(list: UncountedList): Promise<{ home: Home; lists: () => number }> {
  const { pageSize, pages = Number.POSITIVE_INFINITY, isCounted = false, isBare = false } = list;
  let lists = 0;
  let losses = list.losesAnswer ? 1 : 0;
  const orderOf = (id: number) => ({
    id,
    order_no: `ON${id}`,
    tracking_number: `TR${String(id).padStart(16, "0")}`,
    status: "pending",
    created_at: "2026-03-01T08:00:00Z",
    item_name: "茶",
    receiver: { name: "赵六", city: "上海市" },
  });
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://service");
    response.sendDate = false;
    response.setHeader("content-type", "application/json");
    const send = (data: object, beside = {}) =>
      response.end(JSON.stringify({ success: true, data, ...beside }));
    if (request.method === "POST") {
      if (losses-- > 0) return void request.socket.destroy();
      return void send({ ...orderOf(9), estimated_fee: 1 });
    }
    if (pathname.endsWith("/profile")) return void send({ id: 1, name: "A", api_calls_remaining: 1_000_000 });
    const page = Number(searchParams.get("page") ?? 1);
    lists += 1;
    if (lists > 400) return void request.socket.destroy();
    const ids = Array.from({ length: page > pages ? 0 : pageSize }, (_, at) => page * pageSize + at);
    const totals = isCounted ? { total_items: pages * pageSize, total_pages: pages } : {};
    send(isBare ? ids.map((id) => ({ id, status: "pending" })) : ids.map(orderOf), { pagination: totals });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const home = await createHome({
    COURIER_API_KEY: "test-key-0123456789",
    COURIER_BASE_URL: `http://127.0.0.1:${port}`,
    NO_COLOR: "1",
  });
  return { home, lists: () => lists };
}

describe("orders made elsewhere are compared in at most 50 calls", () => {
  test.each([
    [50, false],
    [81, true],
    [undefined, true],
  ])("of a list of %s pages: left out %s", async (pages, isLeftOut) => {
    const { home, lists } = await createListHome({ pageSize: 20, pages });
    const { exit, stderr } = await home.courier("orders import - --yes --json", {
      stdin: sheet(row("1001")),
    });
    expect(exit, stderr).toBe(0);
    expect(stderr.includes("Orders made elsewhere were not compared: that takes more than 50 calls\n")).toBe(
      isLeftOut,
    );
    expect(lists()).toBeLessThanOrEqual(52);
  });
});

describe("a list without end", () => {
  test.each([
    ["orders cancel --status pending --yes", "; nothing was cancelled"],
    ["track --all-active", ""],
  ])("ends %s: exit 5", async (words, end) => {
    const { home, lists } = await createListHome({ pageSize: 5_000, isBare: true });
    const { exit, stdout, stderr } = await home.courier(`${words} --json --quiet`);
    expect([exit, stdout]).toEqual([5, ""]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "list_incomplete",
      message: `the list of orders has no end so far: gave up after 61 pages with 305000 orders${end}`,
    });
    expect(lists()).toBeLessThan(80);
  });

  test("ends orders list --all: exit 70", async () => {
    const { home } = await createListHome({ pageSize: 20_000, isBare: true });
    const { exit, stderr } = await home.courier("orders list --all --ndjson --quiet");
    expect(exit).toBe(70);
    expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
      code: "wrong_shape",
      message: expect.stringContaining("gave up after 1020000 orders: the service does not say how many"),
    });
  });
});

describe.each([
  [false, /\d+ orders read/],
  [true, /\d+ of 300 orders read/],
])("a long list, counted %s, is read in sight of the user", (isCounted, progress) => {
  test("by a create whose answer was lost, and by orders resolve", async () => {
    const { home } = await createListHome({ pageSize: 100, pages: 3, isCounted, losesAnswer: true });
    const stdin = JSON.stringify(plainDraft);
    const created = await home.courier("orders create --file - --yes", { terminal: 80, stdin });
    expect(created.exit, created.stderr).toBe(6);
    expect(created.stderr).toMatch(progress);
    const resolved = await home.courier("orders resolve 1.1 --not-created --yes", { terminal: 80 });
    expect(resolved.stderr).toMatch(progress);
  });

  test.each(["orders cancel --status pending --dry-run", "track --all-active"])("by %s", async (words) => {
    const { home } = await createListHome({ pageSize: 100, pages: 3, isCounted });
    const { stderr } = await home.courier(words, { terminal: 80 });
    expect(stderr).toMatch(progress);
  });
});
