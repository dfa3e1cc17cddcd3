/** Cancelling: who is asked, what is sent, and that the state shown is the one read back. */

import { mkdir, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { answerData, answerRaw, requestCount } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { createImportHome, errorOf, outcomes, row, sheet } from "../support/imports.ts";
import { createAtService, readRuns, recordRun } from "../support/ledger.ts";
import { createOrder, plainDraft } from "../support/orders.ts";
import { until } from "../support/process.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

async function homeWithOrders(count: number) {
  const home = await createServedHome();
  const orders = [];
  for (let made = 0; made < count; made++) orders.push(await createOrder(home));
  home.sandbox.faults.clear();
  return { ...home, orders };
}

/** The next reading of an order shows this state. */
function showOnce(home: ServedHome, id: number, status: string): void {
  const body = JSON.stringify({ success: true, data: { id, status } });
  answerRaw(home, `GET /api/v1/orders/${id}`, body, { times: 1 });
}

test("orders that were cancelled are reported where the ledger cannot record that, and no further one is sent", async () => {
  const home = await homeWithOrders(9);
  const ledger = (await loadDriver()).open(ledgerPath(home.stateDir));
  ledger.exec(
    "CREATE TRIGGER full BEFORE UPDATE OF state ON operations BEGIN SELECT RAISE(FAIL, 'full'); END",
  );
  ledger.close();
  const ids = home.orders.map(({ id }) => String(id));
  const { exit, stdout, stderr } = await home.courier(["orders", "cancel", ...ids, "--yes", "--json"]);
  const sent = requestCount(home, "DELETE");
  expect(sent, stderr).toBeLessThan(9);
  const outcomes = (JSON.parse(stdout) as { outcome: string }[]).map(({ outcome }) => outcome);
  expect(outcomes.sort()).toEqual([...Array(sent).fill("cancelled"), ...Array(9 - sent).fill("left_alone")]);
  expect(exit).toBe(5);
  expect(JSON.parse(stderr.trimEnd().split("\n")[0] ?? "").error.message).toMatch(
    new RegExp(`^${sent} of 9 orders cancelled; ${9 - sent} not reached; the ledger cannot be used: `),
  );
});

describe("at a terminal the order is shown and confirmed", () => {
  test("yes cancels it", async () => {
    const home = await homeWithOrders(1);
    const prompts = scriptedPrompts({ confirms: [true] });
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001", { terminal: 80, prompts });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(prompts.asked).toEqual(["Cancel order 1000001 (pending, 手机, to 李四)?"]);
    expect(stdout).toContain("cancelled");
    expect(requestCount(home, "DELETE")).toBe(1);
  });

  test("no leaves it as it is", async () => {
    const home = await homeWithOrders(1);
    const prompts = scriptedPrompts({ confirms: [false] });
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001", { terminal: 80, prompts });
    expect({ exit, stdout }).toEqual({ exit: 130, stdout: "" });
    expect(stderr).toContain("nothing was done");
    expect(requestCount(home, "DELETE")).toBe(0);
  });

  test("several orders are one question", async () => {
    const home = await homeWithOrders(2);
    const prompts = scriptedPrompts({ confirms: [true] });
    const { exit } = await home.courier("orders cancel 1000001 1000002", { terminal: 80, prompts });
    expect(exit).toBe(0);
    expect(prompts.asked).toEqual([
      "Cancel 2 orders: 1000001 (pending, 手机, to 李四); 1000002 (pending, 手机, to 李四)?",
    ]);
  });

  test("orders that there is nothing to cancel of are not asked about", async () => {
    const home = await homeWithOrders(1);
    const prompts = scriptedPrompts({});
    const unknown = await home.courier("orders cancel 8 9", { terminal: 80, prompts });
    expect(unknown.exit).toBe(3);
    await home.courier("orders cancel 1000001 --yes");
    expect((await home.courier("orders cancel 1000001", { terminal: 80, prompts })).exit).toBe(0);
    expect(prompts.asked).toEqual([]);
  });

  test("an order whose state rules it out is named before the question, which is about the others", async () => {
    const home = await homeWithOrders(2);
    await home.sandbox.advance({ trackingNumber: home.orders[0]?.tracking_number ?? "", to: "delivered" });
    const alone = scriptedPrompts({});
    expect((await home.courier("orders cancel 1000001", { terminal: 80, prompts: alone })).exit).toBe(1);
    const prompts = scriptedPrompts({ confirms: [true] });
    const { exit, stderr } = await home.courier("orders cancel 1000001 1000002", { terminal: 80, prompts });
    expect(exit).toBe(3);
    expect(stderr).toContain(
      "nothing is sent for 1000001 (delivered): pending and paid orders can be cancelled\n",
    );
    expect(prompts.asked).toEqual(["Cancel order 1000002 (pending, 手机, to 李四)?"]);
  });
});

describe("where nobody can answer, --yes is needed", () => {
  test.each([
    ["in a pipe", "orders cancel 1000001", {}],
    ["with --no-input", "orders cancel 1000001 --no-input", { terminal: 80 }],
    ["with --json", "orders cancel 1000001 --json", { terminal: 80 }],
    ["with --csv", "orders cancel 1000001 --csv", { terminal: 80 }],
  ])("%s: exit 2, and nothing is cancelled", async (_where, words, options) => {
    const home = await homeWithOrders(1);
    const prompts = scriptedPrompts({});
    const { exit, stdout, stderr } = await home.courier(words, { ...options, prompts });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain("cancelling order 1000001 needs a confirmation, and courier cannot ask here");
    expect(stderr).toContain("add --yes to confirm");
    expect(requestCount(home, "DELETE")).toBe(0);
  });

  test("several are counted, one that is named twice once", async () => {
    const home = await createServedHome();
    const { exit, stderr } = await home.courier("orders cancel 1000001 1000002 ref:A-3 1000001");
    expect([exit, home.sandbox.requests]).toEqual([2, []]);
    expect(stderr).toBe(
      "error: cancelling 3 orders needs a confirmation, and courier cannot ask here\nhint: add --yes to confirm\n",
    );
  });
});

describe("--yes", () => {
  test("a limit that lasts long ends it: a row for each order, and the service's wait", async () => {
    const home = await homeWithOrders(6);
    home.sandbox.faults.set([
      { method: "DELETE", path: "/api/v1/orders/1000001", kind: "rate_limit", retryAfter: "4000" },
    ]);
    const ids = home.orders.map(({ id }) => String(id));
    const { exit, stdout, stderr } = await home.courier(["orders", "cancel", ...ids, "--yes", "--json"]);
    expect(exit).toBe(5);
    const rows = JSON.parse(stdout) as { outcome: string; status: string; error?: { code: string } }[];
    expect(rows[0]).toMatchObject({
      outcome: "left_alone",
      status: "pending",
      error: { code: "rate_limited" },
    });
    expect(rows.slice(1, 4).map(({ outcome }) => outcome)).toEqual(Array(3).fill("cancelled"));
    expect(rows.slice(4)).toMatchObject(
      Array(2).fill({ outcome: "left_alone", status: "pending", message: "not reached" }),
    );
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "rate_limited",
      message: expect.stringMatching(
        /^3 of 6 orders cancelled; 2 not reached; order 1000001 is not cancelled, it is pending/,
      ),
      hint: "wait 67 min, then run the same command again",
    });
    expect(requestCount(home, "DELETE")).toBe(4);
    expect((await readRuns(home)).at(-1)?.counts).toEqual(
      new Map([
        ["cancel cancelled", 3],
        ["cancel unsent", 1],
      ]),
    );
  });

  test("a key that is refused: not cancelled, and what to do about the key", async () => {
    const home = await homeWithOrders(1);
    home.sandbox.faults.set([{ method: "DELETE", kind: "status", status: 401 }]);
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001 --yes --csv");
    expect(exit).toBe(4);
    expect(stdout).toMatch(/\n1000001,.*,left_alone,pending,pending,/);
    expect(stderr).toContain("order 1000001 is not cancelled");
    expect(stderr).toContain("store a new key with: courier login");
  });

  test("a limit after a lost answer proves nothing of the lost one", async () => {
    const home = await homeWithOrders(1);
    home.sandbox.faults.set([
      { method: "DELETE", kind: "drop_before", times: 1 },
      { method: "DELETE", kind: "status", status: 401 },
    ]);
    const { exit, stdout } = await home.courier("orders cancel 1000001 --yes --json");
    expect(exit).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: "unknown", status: null }]);
  });

  test("cancels, reads back, and shows one row in every form", async () => {
    for (const [form, expected] of [
      [
        "--json",
        /^\[\{"id":1000001,.*"outcome":"cancelled","status_before":"pending","status":"cancelled".*\}\]\n$/,
      ],
      ["--ndjson", /^\{"id":1000001,.*"outcome":"cancelled".*\}\n$/],
      ["--csv", /^id,order_no,.*\n1000001,CO.*,cancelled,pending,cancelled,order cancelled\n$/],
      ["--csv --fields id,status", /^id,status\n1000001,cancelled\n$/],
      ["", /^ID .*\n1000001 .* cancelled {2}pending {2}cancelled {2}order cancelled\n$/],
    ] as const) {
      const home = await homeWithOrders(1);
      const { exit, stdout, stderr } = await home.courier(`orders cancel 1000001 --yes ${form}`);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      expect(stdout.replace(/ +/g, (blanks) => (blanks.length > 2 ? "  " : blanks))).toMatch(expected);
      expect(home.sandbox.requests.slice(-3).map(({ method }) => method)).toEqual(["GET", "DELETE", "GET"]);
    }
  });

  test("an order named twice is cancelled once", async () => {
    const home = await homeWithOrders(1);
    const { exit, stdout } = await home.courier("orders cancel 1000001 01000001 1000001 --yes --json");
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(1);
    expect(requestCount(home, "DELETE")).toBe(1);
  });

  test("an order that is cancelled already is done: nothing is sent", async () => {
    const home = await homeWithOrders(1);
    await home.courier("orders cancel 1000001 --yes");
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001 --yes --json");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(JSON.parse(stdout)[0]).toMatchObject({ outcome: "already_cancelled", status: "cancelled" });
    expect(requestCount(home, "DELETE")).toBe(1);
  });

  test("an unknown order alone is the error itself: exit 1, nothing on stdout", async () => {
    const home = await createServedHome();
    expect(await home.courier("orders cancel 9 --yes")).toEqual({
      exit: 1,
      stdout: "",
      stderr: "error: the service refused: order 9 does not exist (NOT_FOUND)\n",
    });
  });

  test("one that cannot be read among several is left alone, not refused", async () => {
    const home = await homeWithOrders(2);
    answerRaw(home, "GET /api/v1/orders/1000002", "<html>blocked</html>", { status: 403 });
    const { exit, stdout } = await home.courier("orders cancel 1000001 1000002 --yes --json");
    expect(exit).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 1000001, outcome: "cancelled" },
      { id: 1000002, outcome: "left_alone", error: { status: 403 } },
    ]);
  });

  test("one unknown among several: a row for each, in their order, exit 3", async () => {
    const home = await homeWithOrders(2);
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000002 9 1000001 --yes --json");
    expect(exit).toBe(3);
    const rows = JSON.parse(stdout) as { id: number | string; outcome: string }[];
    expect(rows.map(({ id, outcome }) => [String(id), outcome])).toEqual([
      ["1000002", "cancelled"],
      ["9", "refused"],
      ["1000001", "cancelled"],
    ]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "some_refused",
      message: "1 of 3 orders was not cancelled",
      exit: 3,
    });
  });

  test.each(["picked", "delivered", "completed"])(
    "an order that is %s: nothing is sent, exit 1",
    async (to) => {
      const home = await homeWithOrders(2);
      await home.sandbox.advance({ trackingNumber: home.orders[0]?.tracking_number ?? "", to });
      const { exit, stdout, stderr } = await home.courier("orders cancel 1000001 --yes");
      expect(exit).toBe(1);
      expect(stdout).toMatch(new RegExp(`^1000001 .* not_cancellable +${to} +${to} `, "m"));
      expect(stderr).toBe(
        `error: order 1000001 is ${to}: nothing was sent\nhint: pending and paid orders can be cancelled\n`,
      );
      expect(requestCount(home, "DELETE")).toBe(0);
      const several = await home.courier("orders cancel 1000001 1000002 --yes --json");
      expect(several.exit).toBe(3);
      expect(JSON.parse(several.stdout)).toMatchObject([
        { outcome: "not_cancellable", status: to },
        { outcome: "cancelled" },
      ]);
      expect(requestCount(home, "DELETE")).toBe(1);
    },
  );

  test("a state that the specification does not list is for the service to decide", async () => {
    const home = await homeWithOrders(1);
    showOnce(home, 1000001, "on_hold");
    const { exit } = await home.courier("orders cancel 1000001 --yes --json");
    expect([exit, requestCount(home, "DELETE")]).toEqual([0, 1]);
  });

  test("an order that is picked up meanwhile: its state, the service's reason, exit 1", async () => {
    const home = await homeWithOrders(1);
    await home.sandbox.advance({ trackingNumber: home.orders[0]?.tracking_number ?? "", to: "picked" });
    showOnce(home, 1000001, "pending");
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001 --yes");
    expect(exit).toBe(1);
    expect(stdout).toContain("refused");
    expect(stderr).toContain("error: order 1000001 was not cancelled, it is picked: ");
    expect(stderr).toContain("(NOT_CANCELLABLE)\nhint: pending and paid orders can be cancelled\n");
  });
});

describe("an order with another receiver than was sent with its ref", () => {
  async function homeWithOther(status = "pending") {
    const home = await createServedHome();
    await recordRun(home, ["created", "created"]);
    const other = { id: 1000001, status, receiver: { name: "王五" }, item: { name: "花瓶" } };
    answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(other));
    return home;
  }
  const shown = "the service shows another receiver than was sent: 王五, 花瓶";

  test("is left alone, with what the service shows: exit 3", async () => {
    const home = await homeWithOther();
    const { exit, stdout, stderr } = await home.courier("orders cancel ref:R-1-1 --yes --json");
    expect(exit).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        id: 1000001,
        outcome: "left_alone",
        status: "pending",
        message: `${shown}; 1.1 is in doubt now: courier orders resolve 1.1; name it by its id to cancel it`,
      },
    ]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "some_not_cancelled",
      message: `order 1000001 was left alone: ${shown}; 1.1 is in doubt now: courier orders resolve 1.1; name it by its id to cancel it`,
      hint: "see whose order it is: courier orders show 1000001",
    });
    expect(requestCount(home, "DELETE")).toBe(0);
    // The next import looks for the order that was sent.
    const open = JSON.parse((await home.courier("orders resolve --json")).stdout);
    expect(open).toMatchObject([{ operation: "1.1" }]);
  });

  test.each(["cancelled", "delivered"])(
    "is left alone where it is %s: the sent one may not be",
    async (status) => {
      const home = await homeWithOther(status);
      const preview = await home.courier("orders cancel ref:R-1-1 --dry-run --json");
      expect(JSON.parse(preview.stdout)).toMatchObject([{ outcome: "left_alone", message: shown }]);
      const message = `${shown}; 1.1 is in doubt now: courier orders resolve 1.1`;
      const { exit, stdout, stderr } = await home.courier("orders cancel ref:R-1-1 --yes --json");
      expect([exit, requestCount(home, "DELETE")], stderr).toEqual([3, 0]);
      expect(JSON.parse(stdout)).toMatchObject([{ id: 1000001, outcome: "left_alone", status, message }]);
      expect(errorOf({ stderr }).message).toBe(`order 1000001 was left alone: ${message}`);
    },
  );

  test.each([
    ["orders show ref:R-1-1 --json", "ref:R-1-1 led to", 6],
    ["orders show ref:R-1-1 ref:R-1-2 --json", "ref:R-1-1 led to", 3],
    ["orders slips ref:R-1-1 --json", "the answer to 1.1 named", 3],
  ])("%s says so, and shows no other order for the ref", async (words, answer, exit) => {
    const home = await homeWithOther();
    const ran = await home.courier(words);
    expect(ran.exit, ran.stderr).toBe(exit);
    expect(ran.stderr).toContain(`warning: ${answer} order 1000001, but ${shown}`);
    expect(ran.stderr.match(/warning/g)).toHaveLength(1);
    expect(ran.stdout).not.toContain("王五");
  });

  test("is left alone by --dry-run and beside others, which are cancelled", async () => {
    const home = await homeWithOther();
    const preview = await home.courier("orders cancel ref:R-1-1 ref:R-1-2 --dry-run --json");
    expect(JSON.parse(preview.stdout)).toMatchObject([
      { outcome: "left_alone" },
      { outcome: "would_cancel" },
    ]);
    const prompts = scriptedPrompts({ confirms: [true] });
    const { exit, stderr } = await home.courier("orders cancel ref:R-1-1 ref:R-1-2", {
      terminal: 80,
      prompts,
    });
    expect(exit).toBe(3);
    expect(stderr.replace(/\s+/g, " ")).toContain(`nothing is sent for 1000001: ${shown}`);
    expect(prompts.asked).toEqual([expect.stringContaining("Cancel order 1000002 ")]);
    expect(requestCount(home, "DELETE")).toBe(1);
    expect(requestCount(home, "DELETE", "/api/v1/orders/1000001")).toBe(0);
  });

  test.each(["1000001", "ref:R-1-1 1000001"])(
    "is left alone also where its id names it (%s); then the id means the order itself",
    async (names) => {
      const home = await homeWithOther();
      const { exit, stderr } = await home.courier(`orders cancel ${names} --yes`);
      expect([exit, requestCount(home, "DELETE")], stderr).toEqual([3, 0]);
      expect(stderr).toContain(`order 1000001 was left alone: ${shown}; 1.1 is in doubt now`);
      await home.courier("orders cancel 1000001 --yes --json");
      expect(requestCount(home, "DELETE", "/api/v1/orders/1000001")).toBe(1);
    },
  );

  test.each([
    ["is cancelled where a person found it and decided so", ["--reopen", "--as 1000001"], 1],
    ["is left alone where a list gave it", [], 0],
  ])("%s", async (_what, decisions, cancels) => {
    const home = await createServedHome();
    await recordRun(home, ["found"]);
    for (const words of decisions)
      expect((await home.courier(`orders resolve 1.1 ${words} --yes`)).exit).toBe(0);
    const other = { id: 1000001, status: "pending", receiver: { name: "王五" }, item: { name: "花瓶" } };
    answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(other));
    await home.courier("orders cancel ref:R-1-1 --yes --json");
    expect(requestCount(home, "DELETE")).toBe(cancels);
  });
});

test("a cancel that was accepted and may happen yet is mentioned where its order counts as shipped", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五")));
  expect((await home.run()).exit).toBe(0);
  answerData(home, "DELETE /api/v1/orders/1000001", "null");
  expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(3);
  const again = await home.run();
  expect([again.exit, outcomes(again.report)]).toEqual([0, "shipped shipped"]);
  expect(again.stderr).toContain("2 already shipped (a cancel of 1 was sent, and may happen yet)");
  const created = await home.courier("orders create --file - --ref R --yes", {
    stdin: JSON.stringify(plainDraft),
  });
  expect(created.exit, created.stderr).toBe(0);
  answerData(home, "DELETE /api/v1/orders/1000003", "null");
  await home.courier("orders cancel 1000003 --yes");
  const repeated = await home.courier("orders create --file - --ref R --yes", {
    stdin: JSON.stringify(plainDraft),
  });
  expect(repeated.stderr).toContain(
    "is 1000003; nothing was sent; a cancel of it was sent, and may happen yet",
  );
});

describe("the state that counts is the one read back", () => {
  test("accepted, but not cancelled yet", async () => {
    const home = await homeWithOrders(1);
    answerData(home, "DELETE /api/v1/orders/\\d+", "null", '"message":"will be done"');
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001 --yes --ndjson");
    expect(exit).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "accepted",
      status: "pending",
      message: "will be done",
    });
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "some_not_cancelled",
      message: "order 1000001 was accepted for cancelling, but is still pending",
      hint: "to see what becomes of it, run the same command again later",
      exit: 3,
    });
  });

  test("accepted, and the order does not say its state", async () => {
    const home = await homeWithOrders(1);
    answerData(home, "GET /api/v1/orders/1000001", '{"id":1000001}');
    const { exit, stderr } = await home.courier("orders cancel 1000001 --yes");
    expect(exit).toBe(3);
    expect(stderr).toBe(
      "error: order 1000001 was accepted for cancelling, but does not say its state\n" +
        "hint: to see what becomes of it, run the same command again later\n",
    );
  });

  test("refused, and the order does not say its state: it may be cancelled, exit 5", async () => {
    const home = await homeWithOrders(1);
    await home.courier("orders cancel 1000001 --yes");
    answerData(home, "GET /api/v1/orders/1000001", '{"id":1000001}');
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001 --yes --json");
    expect(exit).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: "unknown", status: null }]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "state_unknown",
      message: expect.stringMatching(
        /^order 1000001 does not say its state, it may or may not be cancelled: .*\(NOT_CANCELLABLE\)$/,
      ),
      hint: "see: courier orders show 1000001",
      service_code: "NOT_CANCELLABLE",
      exit: 5,
    });
  });

  test("no clear answer, and the order does not say its state: it may be cancelled", async () => {
    const home = await homeWithOrders(1);
    answerData(home, "GET /api/v1/orders/1000001", '{"id":1000001}');
    home.sandbox.faults.add({ method: "DELETE", kind: "drop_before" });
    const { exit, stderr } = await home.courier("orders cancel 1000001 --yes");
    expect(exit).toBe(5);
    expect(stderr).toMatch(/^error: order 1000001 does not say its state, it may or may not be cancelled: /);
  });

  test("orders that do not say their state do not keep others from being cancelled", async () => {
    const home = await homeWithOrders(9);
    const ids = home.orders.map(({ id }) => String(id));
    const silent = ids.slice(0, 8);
    await home.courier(["orders", "cancel", ...silent, "--yes"]);
    for (const id of silent) answerData(home, `GET /api/v1/orders/${id}`, `{"id":${id}}`);
    const { exit, stdout, stderr } = await home.courier(["orders", "cancel", ...ids, "--yes", "--json"]);
    expect(exit).toBe(5);
    const outcomes = (JSON.parse(stdout) as { outcome: string }[]).map(({ outcome }) => outcome);
    expect(outcomes).toEqual([...silent.map(() => "unknown"), "cancelled"]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "state_unknown",
      message: expect.stringMatching(
        /^1 of 9 orders cancelled; of 8 orders it is not known whether they are cancelled; order 1000001 does not say its state, /,
      ),
    });
  });

  test("one of several accepted, but not cancelled yet: the others are done, exit 3", async () => {
    const home = await homeWithOrders(2);
    answerData(home, "DELETE /api/v1/orders/1000001", "null");
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001 1000002 --yes --csv");
    expect(exit).toBe(3);
    expect(stdout).toMatch(/\n1000001,.*,accepted,.*\n1000002,.*,cancelled,/);
    const [note, error] = stderr.trimEnd().split("\n");
    expect(note).toBe("order 1000001 was accepted for cancelling, but is still pending");
    expect(JSON.parse(error ?? "").error).toMatchObject({
      code: "some_not_cancelled",
      message: "1 of 2 orders was not cancelled",
      hint: "to see what becomes of it, run the same command again later",
      exit: 3,
    });
  });

  test.each(["drop_after", "truncate", "drop_mid_body"] as const)(
    "a lost answer (%s) is found out",
    async (kind) => {
      const home = await homeWithOrders(1);
      home.sandbox.faults.set([{ method: "DELETE", kind, times: 1 }]);
      const { exit, stdout } = await home.courier("orders cancel 1000001 --yes --json");
      expect(exit).toBe(0);
      expect(JSON.parse(stdout)[0]).toMatchObject({ outcome: "cancelled", status: "cancelled" });
    },
  );

  test("a service that keeps failing: exit 5, the state, and that it is safe to run again", async () => {
    const home = await homeWithOrders(1);
    home.sandbox.faults.set([{ method: "DELETE", kind: "drop_before" }]);
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001 --yes");
    expect(exit).toBe(5);
    expect(stdout).toMatch(/1000001 .* unknown +pending +pending/);
    expect(stderr).toMatch(
      /^error: order 1000001 was pending just now, and may be cancelled yet: .*\nhint: run the same command again in a minute: it reads the order first\n/,
    );
    expect(requestCount(home, "DELETE")).toBe(4);
  });

  test("a refusal after an answer that was lost does not say that the order is not cancelled", async () => {
    const home = await homeWithOrders(1);
    home.sandbox.faults.set([
      { method: "DELETE", kind: "drop_before", times: 1 },
      { method: "DELETE", kind: "refuse", status: 409, code: "IN_PROGRESS", message: "being cancelled" },
    ]);
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001 --yes --json");
    expect(exit).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: "unknown", status: "pending" }]);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "state_unknown",
      message: expect.stringMatching(/^order 1000001 was pending just now, and may be cancelled yet: /),
    });
  });
});

describe("a refusal of an order that is shown as one that can be cancelled", () => {
  const refused = (code: string) => `{"success":false,"error":{"code":"${code}","message":"?"}}`;

  test("as a conflict, to a request that a server on the way has repeated: it may be cancelled, exit 5", async () => {
    const home = await homeWithOrders(1);
    answerRaw(home, "DELETE /api/v1/orders/1000001", refused("NOT_CANCELLABLE"), {
      status: 409,
      processed: true,
    });
    answerData(home, "GET /api/v1/orders/1000001", '{"id":1000001,"status":"pending"}');
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001 --yes --json");
    expect(exit).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: "unknown", status: "pending" }]);
    expect(JSON.parse(stderr).error.message).toMatch(
      /^order 1000001 was pending just now, and may be cancelled yet: /,
    );
  });

  test("however long after a cancel that was accepted: it may be cancelled yet", async () => {
    const home = await homeWithOrders(1);
    answerData(home, "DELETE /api/v1/orders/1000001", "null");
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(3);
    home.sandbox.faults.clear();
    answerRaw(home, "DELETE /api/v1/orders/1000001", refused("ALREADY_REQUESTED"), { status: 400 });
    answerData(home, "GET /api/v1/orders/1000001", '{"id":1000001,"status":"pending"}');
    home.clock.advance(3_600_000);
    const { exit, stderr } = await home.courier("orders cancel 1000001 --yes");
    expect(exit, stderr).toBe(5);
    expect(stderr).toMatch(/^error: order 1000001 was pending just now, and may be cancelled yet: /);
  });

  test.each(["orders cancel 1000001 --yes --json", "undo 1 --yes --json"])(
    "as a limit, after a cancel that was accepted, does not say that it is not cancelled: %s",
    async (words) => {
      const home = await homeWithOrders(1);
      const showLate = () =>
        answerData(home, "GET /api/v1/orders/1000001", '{"id":1000001,"status":"pending"}');
      showLate();
      expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(3);
      home.sandbox.faults.clear();
      const headers = { "Retry-After": "600" };
      answerRaw(home, "DELETE /api/v1/orders/1000001", refused("RATE_LIMITED"), { status: 429, headers });
      showLate();
      const { exit, stdout, stderr } = await home.courier(words);
      expect(exit, stderr).toBe(5);
      expect(JSON.parse(stdout)).toMatchObject([{ outcome: "unknown", status: "pending" }]);
      expect(stderr).not.toContain("is not cancelled");
    },
  );

  test("otherwise is one", async () => {
    const home = await homeWithOrders(1);
    answerRaw(home, "DELETE /api/v1/orders/1000001", refused("FORBIDDEN"), { status: 403 });
    const { exit, stdout } = await home.courier("orders cancel 1000001 --yes --json");
    expect(exit).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: "refused", status: "pending" }]);
  });
});

test.each(["", "ref:"])("a name that names no order (“%s”): exit 2", async (name) => {
  const home = await createServedHome();
  for (const verb of ["show", "cancel"]) {
    const { exit, stdout, stderr } = await home.courier(["orders", verb, "--", name]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`error: not the name of an order: “${name}”`);
  }
  expect(home.sandbox.requests).toEqual([]);
});

test.each(["abc", "1.5", "-1", "1e3", "0x1"])(
  "a name that no order has (“%s”): exit 1, and it is no path of the service",
  async (name) => {
    const home = await createServedHome({ seedOrders: 3 });
    for (const verb of ["show", "cancel"]) {
      const { exit, stdout, stderr } = await home.courier(
        ["orders", verb, "--yes", "--", name].filter((word) => verb === "cancel" || word !== "--yes"),
      );
      expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
      expect(stderr).toContain(`error: no order was found with the number “${name}”`);
    }
    expect(home.sandbox.requests.map(({ path }) => path.split("?")[0])).not.toContain(
      `/api/v1/orders/${name}`,
    );
  },
);

describe("what is cancelled is in the ledger", () => {
  async function lastRun(home: Parameters<typeof readRuns>[0]) {
    const run = (await readRuns(home)).at(-1);
    return run && { command: run.command, exit: run.exit, operations: run.operations };
  }

  test.each([
    ["cancelled", [], 0, "cancelled", "cancelled"],
    ["answer lost", [{ method: "DELETE", kind: "drop_after", times: 4 }], 0, "cancelled", "cancelled"],
    ["never processed", [{ method: "DELETE", kind: "drop_before" }], 5, "unknown", "pending"],
  ] as const)(
    "%s: recorded before, and with the state read back",
    async (_name, rules, exit, state, seen) => {
      const home = await homeWithOrders(1);
      home.sandbox.faults.set(rules);
      expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(exit);
      const run = await lastRun(home);
      expect(run).toMatchObject({ command: "orders cancel", exit });
      expect(run?.operations).toMatchObject([
        { kind: "cancel", state, orderState: seen, order: { id: "1000001" } },
      ]);
    },
  );

  test("a refusal is recorded with the service's reason", async () => {
    const home = await homeWithOrders(1);
    home.sandbox.advance({ trackingNumber: home.orders[0]?.tracking_number ?? "", to: "picked" });
    showOnce(home, 1000001, "pending");
    await home.courier("orders cancel 1000001 --yes");
    expect((await lastRun(home))?.operations).toMatchObject([
      { state: "refused", orderState: "picked", rejection: { code: "NOT_CANCELLABLE" } },
    ]);
  });

  test("an order that was created here is known to be cancelled from then on", async () => {
    const home = await createServedHome();
    const { orders } = await recordRun(home, ["created"]);
    await home.courier(["orders", "cancel", `00${orders[0]?.id}`, "--yes"]);
    const [made] = await readRuns(home);
    expect(made?.operations).toMatchObject([{ kind: "create", state: "created", orderState: "cancelled" }]);
  });

  test("without a usable ledger nothing is asked and nothing is sent: exit 5", async () => {
    const home = await createServedHome();
    await createAtService(home);
    await mkdir(home.stateDir, { recursive: true });
    await writeFile(ledgerPath(home.stateDir), "no database at all, but a text of some length");
    const prompts = scriptedPrompts({});
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001", { terminal: 80, prompts });
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
    expect(stderr).toContain("ledger.db");
    expect(prompts.asked).toEqual([]);
    expect(requestCount(home, "DELETE")).toBe(0);
  });
});

describe("Ctrl-C", () => {
  type Rule = Parameters<ServedHome["sandbox"]["faults"]["set"]>[0][number];

  /** Interrupts the run when the condition holds. */
  async function interruptedCancel(home: ServedHome, words: string, when: () => boolean) {
    const stop = new AbortController();
    const ending = home.courier(`orders cancel ${words} --yes --json`, { signal: stop.signal });
    await until("the moment has come", when);
    stop.abort(interrupted(130));
    const { exit, stdout, stderr } = await ending;
    const rows = stdout === "" ? [] : (JSON.parse(stdout) as { id: number; outcome: string }[]);
    return { exit, rows: rows.map(({ id, outcome }) => [id, outcome]), error: JSON.parse(stderr).error };
  }

  test.each<[string, Rule, string]>([
    ["before the answer", { kind: "stall", method: "DELETE" }, "DELETE"],
    ["in the middle of the answer", { kind: "stall_body", method: "DELETE" }, "DELETE"],
    ["while the order is read back", { kind: "stall", method: "GET", after: 1 }, "GET"],
  ])("%s: the order may be cancelled, and the hint names what shows it", async (_when, rule, method) => {
    const home = await homeWithOrders(1);
    home.sandbox.faults.set([rule]);
    const before = requestCount(home, method);
    const { exit, rows, error } = await interruptedCancel(
      home,
      "1000001",
      () => requestCount(home, method) - before === 1 + (rule.after ?? 0),
    );
    expect(exit).toBe(130);
    expect(error).toMatchObject({
      code: "outcome_unknown",
      message: "stopped while order 1000001 was being cancelled: it may or may not be cancelled",
      hint: "see: courier orders show 1000001",
    });
    expect(rows).toEqual([[1000001, "unknown"]]);
    expect((await readRuns(home)).at(-1)).toMatchObject({
      operations: [{ kind: "cancel", state: "unknown" }],
    });
  });

  test("where nothing is known to be cancelled, no count says so", async () => {
    const home = await homeWithOrders(2);
    home.sandbox.faults.set([{ kind: "stall", method: "DELETE" }]);
    const isBegun = () => requestCount(home, "DELETE") === 2;
    const { exit, error } = await interruptedCancel(home, "1000001 1000002", isBegun);
    expect([exit, error.message]).toEqual([
      130,
      "stopped while orders 1000001, 1000002 were being cancelled: they may or may not be cancelled",
    ]);
  });

  test("with several: names those in progress, and counts those that were not reached", async () => {
    const home = await homeWithOrders(6);
    home.sandbox.faults.set([{ kind: "stall", method: "DELETE", after: 1 }]);
    const ids = home.orders.map(({ id }) => String(id));
    const { exit, rows, error } = await interruptedCancel(
      home,
      ids.join(" "),
      () => requestCount(home, "DELETE") === 5,
    );
    expect(exit).toBe(130);
    expect(rows.map(([, outcome]) => outcome).sort()).toEqual([
      "cancelled",
      "left_alone",
      ...Array.from({ length: 4 }, () => "unknown"),
    ]);
    const open = rows.flatMap(([id, outcome]) => (outcome === "unknown" ? [id] : []));
    expect(error).toMatchObject({
      code: "outcome_unknown",
      message:
        `1 of 6 orders cancelled; stopped while orders ${open.join(", ")} were being cancelled: ` +
        "they may or may not be cancelled",
      hint: `see: ${open.map((id) => `courier orders show ${id}`).join("; ")}`,
    });
  });

  test("before a request was sent, no order is in doubt", async () => {
    const home = await homeWithOrders(1);
    home.sandbox.faults.set([{ kind: "stall" }]);
    const before = home.sandbox.requests.length;
    const { exit, error } = await interruptedCancel(
      home,
      "1000001",
      () => home.sandbox.requests.length > before,
    );
    expect({ exit, error }).toMatchObject({
      exit: 130,
      error: { code: "interrupted", message: "interrupted" },
    });
  });
});

describe("--dry-run", () => {
  test("shows each order and what would be done, needs no --yes, sends and records nothing", async () => {
    const home = await homeWithOrders(2);
    home.sandbox.advance({ trackingNumber: home.orders[1]?.tracking_number ?? "", to: "picked" });
    const before = (await readRuns(home)).length;
    const { exit, stdout, stderr } = await home.courier("orders cancel 1000001 1000002 --dry-run --json");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 1000001, outcome: "would_cancel", status: "pending" },
      { id: 1000002, outcome: "not_cancellable", status: "picked" },
    ]);
    expect(requestCount(home, "DELETE")).toBe(0);
    expect(await readRuns(home)).toHaveLength(before);
  });

  test("an unknown order among several: exit 3, alone: exit 1", async () => {
    const home = await homeWithOrders(1);
    expect((await home.courier("orders cancel 1000001 9 --dry-run")).exit).toBe(3);
    expect((await home.courier("orders cancel 9 --dry-run")).exit).toBe(1);
  });
});

test("a dry run of which an order does not exist does not say that the others were cancelled", async () => {
  const home = await createServedHome({ seedOrders: 0 });
  for (let made = 0; made < 2; made++) await createOrder(home);
  const { exit, stderr } = await home.courier("orders cancel 1000001 1000002 999 --dry-run");
  expect([exit, stderr]).toEqual([3, expect.stringContaining("1 of 3 orders cannot be cancelled")]);
});
