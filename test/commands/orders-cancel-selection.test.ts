/** Orders that are cancelled by their state and day, whatever the service lists. */

import { describe, expect, test } from "vitest";
import type { Transport, WireRequest } from "../../src/api/transport.ts";
import { answerData, answerRaw, onePage, requestCount } from "../support/answers.ts";
import { createHome, createServedHome } from "../support/courier.ts";
import { effort, fc } from "../support/effort.ts";
import { type CreatedOrder, createOrder, plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

async function homeWithOrders(count: number) {
  const home = await createServedHome();
  const orders: CreatedOrder[] = [];
  for (let made = 0; made < count; made++) orders.push(await createOrder(home));
  const to = (index: number, state: string) =>
    home.sandbox.advance({ trackingNumber: orders[index]?.tracking_number ?? "", to: state });
  return { ...home, orders, to };
}

describe("by state and day", () => {
  test("a person sees the orders as a table and is asked once, with their count", async () => {
    const home = await homeWithOrders(3);
    await home.to(1, "picked");
    const prompts = scriptedPrompts({ confirms: [true] });
    const options = { terminal: 120, env: { NO_COLOR: "1" }, prompts };
    const { exit, stdout, stderr } = await home.courier("orders cancel --status pending --last 7d", options);
    expect(exit).toBe(0);
    expect(prompts.asked).toEqual(["Cancel these 2 orders?"]);
    expect(stderr).toMatch(/^ID +.*STATE.*\n1000003 .*pending.*\n1000001 .*pending/m);
    expect(stdout.match(/ cancelled /g)).toHaveLength(4);
    expect(requestCount(home, "DELETE")).toBe(2);
    const again = await home.courier("orders cancel --status pending", options);
    expect(again).toMatchObject({ exit: 0, stdout: "" });
    expect(again.stderr).toContain("No orders match");
  });

  test("no leaves all of them", async () => {
    const home = await homeWithOrders(2);
    const prompts = scriptedPrompts({ confirms: [false] });
    expect((await home.courier("orders cancel --status pending", { terminal: 80, prompts })).exit).toBe(130);
    expect(requestCount(home, "DELETE")).toBe(0);
  });

  test("a script needs --yes: exit 2, nothing is asked of the service", async () => {
    const home = await createServedHome();
    const { exit, stderr } = await home.courier("orders cancel --status pending,paid");
    expect([exit, home.sandbox.requests]).toEqual([2, []]);
    expect(stderr).toContain("cancelling all pending and paid orders needs a confirmation");
  });

  test("names a state that no order has and that may be misspelt", async () => {
    const home = await createServedHome({ seedOrders: 12 });
    const { exit, stdout, stderr } = await home.courier(
      "orders cancel --status pending,bogus --dry-run --json",
    );
    expect([exit, JSON.parse(stdout).length > 0]).toEqual([0, true]);
    expect(stderr).toContain("warning: unknown state “bogus”; known are ");
  });

  test("--dry-run shows what would be cancelled, by the list alone", async () => {
    const home = await homeWithOrders(2);
    const { exit, stdout } = await home.courier("orders cancel --status pending --dry-run --json");
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 1000002, outcome: "would_cancel", status: "pending" },
      { id: 1000001, outcome: "would_cancel", status: "pending" },
    ]);
    expect(requestCount(home, "DELETE")).toBe(0);
  });

  test.each([
    ["orders cancel 5 --status pending", "names of orders and --status exclude each other"],
    ["orders cancel --last 7d", "--from, --to and --last choose among the orders of --status"],
    ["orders cancel 5 --to today", "--from, --to and --last choose among the orders of --status"],
    ["orders cancel --status pending,delivered", "orders that are delivered cannot be cancelled"],
  ])("%s: exit 2", async (words, message) => {
    const home = await createServedHome();
    const { exit, stderr } = await home.courier(`${words} --yes`);
    expect([exit, home.sandbox.requests]).toEqual([2, []]);
    expect(stderr).toContain(`error: ${message}\nhint: `.slice(0, message.length + 7));
  });
});

describe("where the service's today is another day than this machine's", () => {
  const dayMs = 86_400_000;

  async function homeAheadBy(aheadMs: number) {
    const home = await createUnfaithfulHome({ dateSkewMs: -aheadMs });
    home.service.foreign(plainDraft);
    const deletes = () => home.service.requests.filter(({ endpoint }) => endpoint === "cancel").length;
    return { ...home, deletes };
  }

  test.each([
    ["--to 30d", 40 * dayMs, "40 d ahead of"],
    ["--from 2026-01-01 --to yesterday", 1.5 * dayMs, "1 d ahead of"],
    ["--last 7d", -40 * dayMs, "40 d behind"],
  ])("%s cancels nothing: exit 2", async (days, aheadMs, away) => {
    const home = await homeAheadBy(aheadMs);
    const { exit, stdout, stderr } = await home.courier(
      `orders cancel --status pending ${days} --yes --json`,
    );
    expect([exit, stdout, home.deletes()], stderr).toEqual([2, "", 0]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "clock",
      message: expect.stringMatching(
        new RegExp(`^the clock of this machine is ${away} the service's, .*; nothing was cancelled$`),
      ),
    });
    const preview = await home.courier(`orders cancel --status pending ${days} --dry-run`);
    expect(preview.exit).toBe(2);
  });

  test("days that are given as dates are the service's own", async () => {
    const home = await homeAheadBy(40 * dayMs);
    const today = new Date(home.clock.now() - 40 * dayMs).toISOString().slice(0, 10);
    const words = `orders cancel --status pending --from ${today} --to ${today} --utc --yes`;
    expect([(await home.courier(words)).exit, home.deletes()]).toEqual([0, 1]);
  });

  test("a clock that differs within the day, and one that is a moment ahead, count the same days", async () => {
    for (const aheadMs of [3_600_000, 30_000]) {
      const home = await homeAheadBy(aheadMs);
      const ran = await home.courier("orders cancel --status pending --last 1d --utc --yes");
      expect([ran.exit, home.deletes()], ran.stderr).toEqual([0, 1]);
    }
  });

  test.each(["orders list --last 7d", "orders list --last 7d --all", "orders export --last 7d"])(
    "%s warns",
    async (words) => {
      const home = await homeAheadBy(40 * dayMs);
      const { exit, stderr } = await home.courier(words);
      expect(exit).toBe(0);
      expect(stderr.replace(/\s+/g, " ")).toContain(
        "warning: the clock of this machine is 40 d ahead of the service's, and the days were counted from",
      );
    },
  );
});

interface Kept {
  readonly id: number;
  readonly status: string | null;
  readonly createdAt: string | null;
}

interface Manners {
  readonly ignoresStatus: boolean;
  readonly ignoresDays: boolean;
  /** Orders that the list shows in another state than they have. */
  readonly stale: readonly number[];
  /** Each page begins so many orders later than the one before ended. */
  readonly shift: number;
  readonly hidesTotals: boolean;
  /** Orders that it lists and does not show. */
  readonly unshown?: readonly number[];
}

const faithful: Manners = {
  ignoresStatus: false,
  ignoresDays: false,
  stale: [],
  shift: 0,
  hidesTotals: false,
};

/** A service in memory that cancels whatever it is told to, and remembers which orders it was told to cancel. */
function serviceOf(orders: readonly Kept[], manners: Manners) {
  const cancelled = new Map<number, number>();
  const answer = (data: unknown, beside = {}) => ({ success: true, data, ...beside });
  const shownState = ({ id, status }: Kept) => (cancelled.has(id) ? "cancelled" : status);
  const listed = ({ id, status }: Kept) => (manners.stale.includes(id) ? "pending" : status);

  function list(query: URLSearchParams) {
    const { ignoresStatus, ignoresDays, shift, hidesTotals } = manners;
    const day = ({ createdAt }: Kept) => (createdAt ?? "").slice(0, 10);
    const matching = orders.filter(
      (order) =>
        (ignoresStatus || !query.get("status") || listed(order) === query.get("status")) &&
        (ignoresDays ||
          order.createdAt === null ||
          (day(order) >= (query.get("date_from") ?? "") && day(order) <= (query.get("date_to") ?? "9999"))),
    );
    const page = Number(query.get("page") ?? 1);
    const per_page = Math.min(Number(query.get("limit") ?? 10), 3);
    const first = (page - 1) * (per_page + shift);
    const shown = matching.slice(first, first + per_page);
    const totals = { total_items: matching.length, total_pages: Math.ceil(matching.length / per_page) };
    return answer(
      shown.map((order) => ({ id: order.id, status: listed(order), created_at: order.createdAt })),
      { pagination: { current_page: page, per_page, ...(hidesTotals ? {} : totals) } },
    );
  }

  function serve({ method, url }: WireRequest) {
    if (url.pathname.endsWith("/profile")) return answer({ id: 1, name: "A", api_calls_remaining: 9999 });
    if (url.pathname.endsWith("/orders")) return list(url.searchParams);
    const id = Number(url.pathname.split("/").at(-1));
    const order = orders.find((each) => each.id === id);
    if (!order || manners.unshown?.includes(id))
      return { success: false, error: { code: "NOT_FOUND", message: "no such order" } };
    if (method === "GET") return answer({ id, status: shownState(order), created_at: order.createdAt });
    cancelled.set(id, (cancelled.get(id) ?? 0) + 1);
    return { success: true, message: "cancelled" };
  }

  const transport: Transport = {
    async send(request) {
      const body = JSON.stringify(serve(request));
      const headers = { "content-type": "application/json" };
      return { status: 200, headers, body, bytes: Buffer.from(body) };
    },
    close: async () => {},
  };
  return { transport, cancelled };
}

const account = { COURIER_API_KEY: "test-key-0123456789", COURIER_BASE_URL: "http://127.0.0.1:9" };
const line = "orders cancel --status pending --from 2026-02-10 --to 2026-02-20 --utc --yes --json";

async function cancelAt(orders: readonly Kept[], manners: Partial<Manners>) {
  const home = await createHome(account);
  const { transport, cancelled } = serviceOf(orders, { ...faithful, ...manners });
  return { ...(await home.courier(line, { transport })), cancelled };
}

function keptOrders(count: number, facts: Partial<Kept> = {}): Kept[] {
  const base = { status: "pending", createdAt: "2026-02-15T08:00:00Z", ...facts };
  return Array.from({ length: count }, (_, index) => ({ id: index + 1, ...base }));
}

describe("a service that cannot be trusted", () => {
  test("filters that it ignores: orders of other states and days are left out, which is said", async () => {
    const orders = [
      ...keptOrders(2),
      { id: 8, status: "paid", createdAt: "2026-02-15T08:00:00Z" },
      { id: 9, status: "pending", createdAt: "2026-01-15T08:00:00Z" },
    ];
    const { exit, stderr, cancelled } = await cancelAt(orders, { ignoresStatus: true, ignoresDays: true });
    expect([exit, [...cancelled.keys()]]).toEqual([0, [1, 2]]);
    expect(stderr).toContain("the service also listed 1 order in other states, which is left out");
  });

  test("an order that is paid by now is left alone, the others are cancelled: exit 3", async () => {
    const orders = keptOrders(3).map((order) => (order.id === 2 ? { ...order, status: "paid" } : order));
    const { exit, stdout, cancelled } = await cancelAt(orders, { stale: [2] });
    expect([exit, [...cancelled.keys()]]).toEqual([3, [1, 3]]);
    expect(JSON.parse(stdout)[1]).toMatchObject({ id: 2, outcome: "left_alone", message: "it is paid now" });
  });

  test("an order that is listed and not shown is left alone, and not called refused: exit 3", async () => {
    const { exit, stdout, cancelled } = await cancelAt(keptOrders(3), { unshown: [2] });
    expect([exit, [...cancelled.keys()]]).toEqual([3, [1, 3]]);
    expect(JSON.parse(stdout)[1]).toMatchObject({
      id: 2,
      outcome: "left_alone",
      message: "it is listed, and cannot be read: the service refused: no such order (NOT_FOUND)",
    });
  });

  test("an order whose cancel was accepted, and that cannot be read, may be cancelled: exit 5", async () => {
    const home = await homeWithOrders(1);
    answerData(home, "GET /api/v1/orders/1000001", '{"id":1000001,"status":"pending"}');
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(3);
    home.sandbox.faults.clear();
    answerData(home, "GET /api/v1/orders$", '[{"id":1000001,"status":"pending"}]', onePage);
    answerRaw(home, "GET /api/v1/orders/1000001", "{}", { status: 503 });
    const { exit, stdout, stderr } = await home.courier("orders cancel --status pending --yes --json");
    expect(exit, stderr).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: "unknown", status: null }]);
    expect(stderr).toContain("order 1000001 may or may not be cancelled: ");
    expect(requestCount(home, "DELETE")).toBe(1);
  });

  test("a list that is not complete: nothing is cancelled", async () => {
    const { exit, stdout, stderr, cancelled } = await cancelAt(keptOrders(9), { shift: 1 });
    expect([exit, stdout, cancelled.size]).toEqual([5, "", 0]);
    expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
      code: "list_incomplete",
      message: expect.stringMatching(/; nothing was cancelled$/),
    });
  });

  test.each([
    ["time", { createdAt: "yesterday" }],
    ["state", { status: null }],
  ])("an order that does not say its %s: nothing is cancelled", async (_what, facts) => {
    const orders = [...keptOrders(2), { ...keptOrders(1, facts)[0], id: 7 } as Kept];
    const { exit, stderr, cancelled } = await cancelAt(orders, { ignoresStatus: true, ignoresDays: true });
    expect([exit, cancelled.size]).toEqual([70, 0]);
    expect(stderr).toContain("the list does not say state or time of order 7; nothing was cancelled");
  });

  test("whatever it lists, only orders with the state and of the days are cancelled, each once", async () => {
    const kept = fc.record({
      status: fc.constantFrom("pending", "pending", "paid", "picked", "delivered", "cancelled", "held", null),
      createdAt: fc.constantFrom(
        "2026-02-15T08:00:00Z",
        "2026-02-20T23:59:59Z",
        "2026-02-21T00:00:00Z",
        null,
      ),
    });
    const manners = fc.record({
      ignoresStatus: fc.boolean(),
      ignoresDays: fc.boolean(),
      stale: fc.subarray([1, 2, 3, 4, 5, 6, 7, 8]),
      shift: fc.constantFrom(-1, 0, 0, 1),
      hidesTotals: fc.boolean(),
    });
    const check = async (facts: readonly Omit<Kept, "id">[], how: Manners) => {
      const orders = facts.map((each, index) => ({ id: index + 1, ...each }));
      const { cancelled, exit } = await cancelAt(orders, how);
      const isMeant = ({ status, createdAt }: Kept) =>
        status === "pending" && createdAt !== null && createdAt < "2026-02-21";
      for (const order of orders)
        expect(cancelled.get(order.id) ?? 0).toBeLessThanOrEqual(isMeant(order) ? 1 : 0);
      // Without totals, a list that skips orders cannot be told from a complete one: fewer are cancelled, none wrongly.
      const isSkipping = how.hidesTotals && how.shift > 0;
      if (exit === 0 && !isSkipping) expect(cancelled.size).toBe(orders.filter(isMeant).length);
    };
    await fc.assert(fc.asyncProperty(fc.array(kept, { maxLength: 8 }), manners, check), {
      numRuns: effort(25, 500),
    });
  });
});
