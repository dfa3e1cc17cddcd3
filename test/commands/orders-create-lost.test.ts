/** A create whose answer is lost: one order at most, never sent twice, and the user is told what is known. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { answerRaw, requestCount } from "../support/answers.ts";
import { createHome, createServedHome, type Home, type ServedHome } from "../support/courier.ts";
import { createImportHome, row, sheet } from "../support/imports.ts";
import { createAtService, stateAtService } from "../support/ledger.ts";
import { createOrder, plainDraft } from "../support/orders.ts";
import type { WireFault } from "../support/wire-faults.ts";

const words = "orders create --file - --json --allow-duplicate";
const stdin = JSON.stringify(plainDraft);
const post = { method: "POST", path: "/api/v1/orders" } as const;

async function orderIds({ courier, sandbox }: ServedHome): Promise<number[]> {
  sandbox.faults.clear();
  const { stdout } = await courier("orders list --all --json");
  return (JSON.parse(stdout) as { id: number }[]).map(({ id }) => id);
}

async function untilStalled({ sandbox, clock }: ServedHome) {
  while (!sandbox.requests.some(({ method }) => method === "POST") || clock.waiting === 0)
    await new Promise(setImmediate);
  // The request is recorded before it takes effect: give the service its turns.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

const processed: [string, WireFault][] = [
  ["the connection drops after the service committed", { kind: "drop_after" }],
  ["the answer breaks off in the middle", { kind: "drop_mid_body" }],
  ["the answer is cut short", { kind: "truncate" }],
  ["the answer is a web page", { kind: "garbage", processed: true }],
  ["the answer is binary", { kind: "garbage", content: "binary", processed: true }],
  ["the answer has the wrong shape", { kind: "wrong_shape", processed: true }],
  ["the answer is a 500", { kind: "status", status: 500, body: "oops", processed: true }],
  ["the answer is a 502", { kind: "status", status: 502, processed: true }],
  ["the answer is a 503", { kind: "status", status: 503, processed: true }],
  ["the answer is a 504", { kind: "status", status: 504, processed: true }],
];

describe.each(processed)("created, but %s", (_what, fault) => {
  test("the order is found, given back as if nothing had happened, and was sent once", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ ...post, ...fault }]);
    const { exit, stdout, stderr } = await home.courier(words, { stdin });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1000001, tracking_number: "CR988818558542" });
    expect(stderr).toContain("Checking whether the order was created…\n");
    expect(stderr).toContain("The order was created: found it as 1000001\n");
    expect(requestCount(home, "POST")).toBe(1);
    expect(await orderIds(home)).toEqual([1000001]);
  });
});

test.each([{ phone: "13900139000" }, { city: "北京市", detail: "建国路88号" }])(
  "an order with nothing of the receiver but %o is found, too",
  async (receiver) => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ ...post, kind: "drop_after" }]);
    const few = JSON.stringify({ ...plainDraft, receiver });
    const { exit, stdout, stderr } = await home.courier(words, { stdin: few });
    expect(exit, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1000001 });
  },
);

test("a clock that was known to be behind, and was set right, gives the hint no later day", async () => {
  const home = await createServedHome();
  home.sandbox.faults.set([{ ...post, kind: "drop_before" }]);
  expect((await home.courier("orders create --file -", { stdin })).exit).toBe(6);
  const ledger = (await loadDriver()).open(ledgerPath(home.stateDir));
  ledger.exec(`UPDATE operations SET offset_ms = ${2 * 86_400_000}`);
  ledger.close();
  const again = await home.courier("orders create --file -", { stdin });
  expect(again.exit).toBe(2);
  expect(again.stderr).toContain("courier orders list --from 2026-02-28 --all");
});

const unprocessed: [string, WireFault][] = [
  ["the connection drops before the service acted", { kind: "drop_before" }],
  ["a web page came back", { kind: "garbage" }],
  ["a 500 came back", { kind: "status", status: 500, body: "oops" }],
  ["a 502 came back", { kind: "status", status: 502 }],
  ["a 503 came back", { kind: "status", status: 503 }],
  ["a 504 came back", { kind: "status", status: 504 }],
];

describe.each(unprocessed)("not created, and %s", (_what, fault) => {
  test("exit 6 says how to look, nothing was sent twice, and there is no order", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ ...post, ...fault }]);
    const { exit, stdout, stderr } = await home.courier("orders create --file -", { stdin });
    expect({ exit, stdout }).toEqual({ exit: 6, stdout: "" });
    expect(stderr).toContain("error: it is not known whether the order was created: ");
    expect(stderr).toContain("and it is not listed so far\n");
    expect(stderr).toMatch(
      /hint: run the same command again after 08:1[56]:\d\d, when the outcome can be proved; or look for the order: courier orders list --from 2026-02-28 --all; then decide: courier orders resolve 1.1 --as ORDER, or --not-created\n/,
    );
    expect(home.clock.delays).toEqual([2_000, 4_000, 5_000]);
    expect(requestCount(home, "POST")).toBe(1);
    expect(await orderIds(home)).toEqual([]);
  });
});

describe.each(["stall", "stall_body"] as const)("the service commits and then stalls (%s)", (kind) => {
  test("after the deadline the order is found", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ ...post, kind }]);
    const running = home.courier(`${words} --timeout 12`, { stdin });
    await untilStalled(home);
    home.clock.advance(12_000);
    const { exit, stdout, stderr } = await running;
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).id).toBe(1000001);
    expect(stderr).toContain("did not answer within 12 s. Checking whether the order was created…");
    expect(requestCount(home, "POST")).toBe(1);
    expect(await orderIds(home)).toEqual([1000001]);
  });
});

/** A service that loses the answer of each create, and whose pages all have further orders. */
async function createEndlessHome(createdAt: string): Promise<{ home: Home; calls: () => number }> {
  let calls = 0;
  let id = 0;
  const server = createServer((request, response) => {
    if (request.method === "POST") return void request.socket.destroy();
    const isList = request.url?.startsWith("/api/v1/orders");
    if (isList) calls += 1;
    if (calls > 200) return void request.socket.destroy();
    const orders = () =>
      Array.from({ length: 5_000 }, () => ({ id: ++id, status: "pending", created_at: createdAt }));
    const data = isList ? orders() : { id: 1, name: "A", api_calls_remaining: 1_000_000 };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ success: true, data, pagination: {} }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = { COURIER_API_KEY: "test-key-0123456789", COURIER_BASE_URL: `http://127.0.0.1:${port}` };
  return { home: await createHome(env), calls: () => calls };
}

describe("the list has ever further orders", () => {
  const noEnd = "the list of orders has no end so far: gave up after ";

  test("all older than the days asked for: a create ends with exit 6, and nothing is claimed", async () => {
    const { home, calls } = await createEndlessHome("2026-01-30T08:00:00Z");
    const { exit, stdout, stderr } = await home.courier(`${words} --quiet`, { stdin });
    expect({ exit, stdout }).toEqual({ exit: 6, stdout: "" });
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ code: "outcome_unknown", details: { candidates: [] } });
    expect(error.message).toContain(`and the check failed too: ${noEnd}`);
    expect(calls()).toBeLessThan(80);
  });

  test("of today: an import leaves its row in doubt, exit 6", async () => {
    const { home, calls } = await createEndlessHome("2026-03-01T08:00:00Z");
    const file = ["orders", "import", "-", "--yes", "--ndjson"];
    const { exit, stdout, stderr } = await home.courier(file, { stdin: sheet(row("1001")) });
    expect(exit, stderr).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "unknown" });
    expect(stderr).toContain(noEnd);
    expect(calls()).toBeLessThan(150); // orders made elsewhere are looked for first
  });
});

test("when looking fails too, exit 6 says both, as JSON with the time of sending", async () => {
  const home = await createServedHome();
  home.sandbox.faults.set([
    { ...post, kind: "drop_after" },
    { method: "GET", path: "/api/v1/orders", kind: "status", status: 500 },
  ]);
  const { exit, stdout, stderr } = await home.courier(`${words} --quiet`, { stdin });
  expect({ exit, stdout }).toEqual({ exit: 6, stdout: "" });
  const { error } = JSON.parse(stderr);
  expect(error).toMatchObject({ code: "outcome_unknown", exit: 6 });
  expect(error.message).toContain("and the check failed too: the service is failing: HTTP 500");
  expect(error.hint).toMatch(/^run the same command again, which checks first; or look for the order: /);
  expect(error.details).toEqual({ sent_at: "2026-03-01T08:00:00.000Z", candidates: [] });
  expect(requestCount(home, "POST")).toBe(1);
});

test("the same order again, while looking fails: exit 2 says why it is still in doubt", async () => {
  const home = await createServedHome();
  home.sandbox.faults.set([
    { ...post, kind: "drop_after", times: 1 },
    { method: "GET", path: "/api/v1/orders", kind: "status", status: 503 },
  ]);
  const order = "orders create --file - --json";
  expect((await home.courier(order, { stdin })).exit).toBe(6);
  const { exit, stderr } = await home.courier(order, { stdin });
  expect(exit).toBe(2);
  expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
    code: "duplicate",
    message: expect.stringMatching(
      /may or may not have been created; nothing was sent; the check failed: the service is failing: HTTP 503/,
    ),
  });
  expect(requestCount(home, "POST")).toBe(1);
});

test("possible matches are named once", async () => {
  const home = await createServedHome();
  await createAtService(home);
  await createAtService(home);
  home.sandbox.faults.set([{ ...post, kind: "drop_before" }]);
  const { exit, stderr } = await home.courier("orders create --file -", { stdin });
  expect(exit).toBe(6);
  expect(stderr.match(/possible matches/g) ?? []).toHaveLength(1);
});

describe("a service that limits the rate of calls has not acted, so the order is sent again", () => {
  test("after the delay that it asked for", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ ...post, kind: "rate_limit", retryAfter: "2", times: 1 }]);
    const { exit, stdout } = await home.courier(words, { stdin });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).id).toBe(1000001);
    expect(home.clock.delays).toEqual([2_000]);
    expect(requestCount(home, "POST")).toBe(2);
    expect(await orderIds(home)).toEqual([1000001]);
  });

  test("four times at most, then exit 5 and no order", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ ...post, kind: "rate_limit", retryAfter: "1" }]);
    const { exit, stdout, stderr } = await home.courier("orders create --file -", { stdin });
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
    expect(stderr).toContain("error: rate limited by the service: too many requests (RATE_LIMITED)");
    expect(requestCount(home, "POST")).toBe(4);
    expect(await orderIds(home)).toEqual([]);
  });
});

test("a service that cannot be reached was sent nothing: exit 5, safe to run again", async () => {
  const home = await createServedHome();
  await home.sandbox.close();
  const { exit, stdout, stderr } = await home.courier("orders create --file -", { stdin });
  expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
  expect(stderr).toMatch(/^error: cannot reach 127\.0\.0\.1:\d+: the connection was refused\nhint: /);
  expect(home.clock.delays).toHaveLength(3);
});

describe("two identical orders from a minute ago do not confuse the search", () => {
  async function withTwins() {
    const home = await createServedHome();
    await createOrder(home);
    await createOrder(home);
    home.clock.advance(60_000);
    return home;
  }

  test("the new one is found", async () => {
    const home = await withTwins();
    home.sandbox.faults.set([{ ...post, kind: "drop_after" }]);
    const { exit, stdout } = await home.courier(words, { stdin });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).id).toBe(1000003);
    expect(await orderIds(home)).toEqual([1000003, 1000002, 1000001]);
  });

  test("none of them is taken for one that was not created", async () => {
    const home = await withTwins();
    home.sandbox.faults.set([{ ...post, kind: "drop_before" }]);
    const { exit, stdout } = await home.courier(words, { stdin });
    expect({ exit, stdout }).toEqual({ exit: 6, stdout: "" });
    expect(await orderIds(home)).toHaveLength(2);
  });
});

test.each([0, 500, 1_000])(
  "an identical order from %s ms ago is not taken for one that was not created",
  async (gapMs) => {
    const home = await createServedHome();
    await createOrder(home);
    home.clock.advance(gapMs);
    home.sandbox.faults.set([{ ...post, kind: "drop_before" }]);
    const { exit, stdout } = await home.courier(words, { stdin });
    expect({ exit, stdout }).toEqual({ exit: 6, stdout: "" });
  },
);

describe("an answer that names the order of another create, such as one that a cache repeats", () => {
  const repeated = { status: 201 } as const;
  const body = JSON.stringify({
    success: true,
    data: { id: 1000001, order_no: "CO1", tracking_number: "CR1", status: "pending", estimated_fee: 1 },
  });
  const other = JSON.stringify({ ...plainDraft, receiver: { ...plainDraft.receiver, name: "王五" } });

  test.each([
    [true, 0, ["王五", "李四"]],
    [false, 6, ["李四"]],
  ])("made %s: the list is looked at, exit %i", async (processed, exit, receivers) => {
    const home = await createServedHome();
    await home.courier("orders create --file - --json", { stdin });
    answerRaw(home, "POST /api/v1/orders", body, { ...repeated, processed });
    const ran = await home.courier("orders create --file - --json", { stdin: other });
    expect(ran.exit, ran.stderr).toBe(exit);
    expect(ran.stderr).toContain("the answer names another order: order 1000001 belongs to operation 1.1");
    if (processed) expect(JSON.parse(ran.stdout).id).toBe(1000002);
    else expect(ran.stderr).toContain("courier orders resolve 2.1 --as ORDER");
    expect(requestCount(home, "POST")).toBe(2);
    home.sandbox.faults.clear();
    const listed = JSON.parse((await home.courier("orders list --all --json")).stdout);
    expect(listed.map((order: { receiver: { name: string } }) => order.receiver.name)).toEqual(receivers);
  });

  test("a raw call names its own operation", async () => {
    const home = await createServedHome();
    await home.courier("orders create --file - --json", { stdin });
    answerRaw(home, "POST /api/v1/orders", body, repeated);
    const { exit, stderr } = await home.courier("api POST /orders --input -", { stdin: other });
    expect(exit).toBe(6);
    expect(stderr).toContain("hint: to decide: courier orders resolve 2.1");
    const log = await home.courier("log --unknown --json");
    expect(JSON.parse(log.stdout)).toMatchObject([{ run: 2, in_doubt: 1 }]);
  });
});

test("an order that may be the edited form of one in doubt is sent with a warning", async () => {
  const home = await createServedHome();
  home.sandbox.faults.set([{ ...post, kind: "drop_before" }]);
  expect((await home.courier(`${words} --settle 1h`, { stdin })).exit).toBe(6);
  home.sandbox.faults.clear();
  const item = { ...plainDraft.item, name: "Another" };
  const edited = await home.courier(words, { stdin: JSON.stringify({ ...plainDraft, item }) });
  expect(edited.exit, edited.stderr).toBe(0);
  expect(edited.stderr).toContain(
    "warning: an order for the same phone or address is in doubt (operation 1.1); if this one is its corrected form, both may be made: courier orders resolve 1.1",
  );
  const receiver = { ...plainDraft.receiver, phone: "13300000099", detail: "文三路9号" };
  const other = await home.courier(words, { stdin: JSON.stringify({ ...plainDraft, receiver }) });
  expect([other.exit, other.stderr.includes("same receiver")], other.stderr).toEqual([0, false]);
});

describe("an answer that names an order which was listed before the request left", () => {
  const dataOf = (id: number) =>
    JSON.stringify({
      success: true,
      data: { id, order_no: "CO1", tracking_number: "CR1", status: "pending", estimated_fee: 1 },
    });

  test("proves nothing: the own order is found, and the other one is left alone", async () => {
    const home = await createImportHome(sheet(row("A-1", "王五", "13700137001")));
    await createAtService(home);
    answerRaw(home, "POST /api/v1/orders", dataOf(1000001), { status: 201, processed: true, times: 1 });
    const { exit, report } = await home.run();
    expect([exit, report[0]?.outcome, Number(report[0]?.id)]).toEqual([0, "found", 1000002]);
    const undone = await home.courier("undo 1 --yes --include-found --json");
    expect(JSON.parse(undone.stdout)).toMatchObject([{ id: 1000002, outcome: "cancelled" }]);
    expect(await stateAtService(home, "1000001")).toBe("pending");
  });

  test("a single create and a raw call say so", async () => {
    const home = await createImportHome(sheet(row("A-1", "王五", "13700137001")));
    await createAtService(home);
    await home.run();
    answerRaw(home, "POST /api/v1/orders", dataOf(1000001), { status: 201 });
    const said = "the answer names another order: order 1000001 existed before the request was sent";
    const created = await home.courier("orders create --file - --json", { stdin });
    expect(created.exit, created.stderr).toBe(6);
    expect(created.stderr).toContain(said);
    const raw = await home.courier("api POST /orders --input -", { stdin: JSON.stringify({ sender: {} }) });
    expect(raw.exit).toBe(6);
    expect(raw.stderr).toContain(said);
  });
});

test("an answer with the id of another row's order, whose own answer was lost: each gets the order with its data", async () => {
  const home = await createImportHome(
    sheet(row("A", "爱丽丝", "13700137001"), row("B", "贝恩德", "13700137002")),
  );
  const body = JSON.stringify({ success: true, data: { id: 1000001, status: "pending" } });
  home.sandbox.faults.add({ ...post, kind: "drop_after", times: 1 });
  answerRaw(home, "POST /api/v1/orders", body, { status: 201, processed: true, times: 1 });
  const { exit, stderr } = await home.run("--concurrency 2");
  expect(exit, stderr).toBe(0);
  expect(stderr).toContain("warning: the answer to 1.2 named order 1000001, which has the data of 1.1: ");
  const operations = await home.operations();
  expect(operations.map(({ ref, state, order }) => [ref, state, order?.id])).toEqual([
    ["A", "found", "1000001"],
    ["B", "found", "1000002"],
  ]);
  await home.run();
  expect(home.posts).toBe(2);
});
