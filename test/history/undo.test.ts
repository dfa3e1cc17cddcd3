/** `courier undo`: exactly the orders of one run, each read before and after, through whatever goes wrong. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { identifyProcess, type ProcessIdentity } from "../../src/core/process-identity.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { answerData, answerRaw, requestCount, showCallsLeft } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { deadPid } from "../support/dead-process.ts";
import {
  createAtService,
  learnCustomer,
  readRuns,
  recordRun,
  stateAtService,
  withLedger,
} from "../support/ledger.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

type Row = {
  readonly operation: string;
  readonly id: number | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly status: string | null;
};

const rowsOf = (stdout: string) => JSON.parse(stdout) as Row[];
const short = (rows: readonly Row[]) =>
  rows.map(({ operation, outcome, reason }) => [operation, outcome, reason]);

/** The last line: progress may stand before it. */
const errorOf = (stderr: string) => JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error;

async function statesOf(home: ServedHome, orders: readonly ({ readonly id: string } | undefined)[]) {
  return Promise.all(orders.map((order) => order && stateAtService(home, order.id)));
}

function advance(home: ServedHome, order: { readonly tracking_number: string } | undefined, to: string) {
  home.sandbox.advance({ trackingNumber: order?.tracking_number ?? "", to });
}

async function deadProcess(): Promise<ProcessIdentity> {
  const own = identifyProcess(process);
  return { ...own, pid: deadPid(), started: "1" };
}

describe("at a terminal", () => {
  test("shows the counts and the calls, asks, cancels and reads back", async () => {
    const home = await createServedHome();
    const run = await recordRun(home, ["created", "created", "refused"]);
    const prompts = scriptedPrompts({ confirms: [true] });
    const { exit, stdout, stderr } = await home.courier("undo 1", { terminal: 100, prompts });
    expect(prompts.asked).toEqual(["Cancel 2 orders of run 1 (orders import, /srv/orders.csv)? (4 calls)"]);
    expect(exit).toBe(0);
    expect(stderr).toMatch(/run 1: all 2 orders are cancelled\n$/);
    expect(stdout).toContain("cancelled");
    expect(await statesOf(home, run.orders.slice(0, 2))).toEqual(["cancelled", "cancelled"]);
    const [undone, undo] = await readRuns(home);
    expect(undo).toMatchObject({ command: "undo", undoes: 1, exit: 0 });
    expect(undo?.operations).toMatchObject([
      { kind: "cancel", state: "cancelled", orderState: "cancelled" },
      { kind: "cancel", state: "cancelled", orderState: "cancelled" },
    ]);
    expect(undone?.operations.map(({ orderState }) => orderState)).toEqual([
      "cancelled",
      "cancelled",
      undefined,
    ]);
  });

  test("no leaves everything as it is, and is no run", async () => {
    const home = await createServedHome();
    const run = await recordRun(home, ["created"]);
    const prompts = scriptedPrompts({ confirms: [false] });
    const { exit, stdout, stderr } = await home.courier("undo 1", { terminal: 100, prompts });
    expect({ exit, stdout }).toEqual({ exit: 130, stdout: "" });
    expect(stderr).toContain("nothing was done");
    expect(await statesOf(home, run.orders)).toEqual(["pending"]);
    expect(await readRuns(home)).toHaveLength(1);
  });

  test("paid orders are counted apart, and what it is too late for", async () => {
    const home = await createServedHome();
    const { orders } = await recordRun(home, ["created", "created", "created"]);
    advance(home, orders[0], "paid");
    advance(home, orders[1], "in_transit");
    const prompts = scriptedPrompts({ confirms: [true] });
    const { exit, stderr } = await home.courier("undo 1", { terminal: 100, prompts });
    expect(prompts.asked).toEqual([
      "Cancel 2 orders of run 1 (orders import, /srv/orders.csv)? (1 of them paid: the interface does not say " +
        "whether the fee is refunded; 1 cannot be cancelled any more; 4 calls)",
    ]);
    expect(exit).toBe(3);
    expect(stderr).toContain(" 2 of 3 orders of run 1 cancelled; not cancelled: 1000002 (in_transit)\n");
    expect(await statesOf(home, orders)).toEqual(["cancelled", "in_transit", "cancelled"]);
  });

  test.each([
    [true, ["cancelled", "cancelled"], 0],
    [false, ["cancelled", "pending"], 3],
  ])("orders that were found need a second yes (%s)", async (isYes, states, exit) => {
    const home = await createServedHome();
    const { orders } = await recordRun(home, ["created", "found"]);
    const prompts = scriptedPrompts({ confirms: [true, isYes] });
    const ran = await home.courier("undo 1", { terminal: 100, prompts });
    expect(prompts.asked[1]).toBe(
      "1 order of it was found after the answer was lost: 1000002. Cancel these too?",
    );
    expect(ran.exit).toBe(exit);
    expect(await statesOf(home, orders)).toEqual(states);
  });

  test("without a number it is the last run that created something", async () => {
    const home = await createServedHome();
    await recordRun(home, ["created"]);
    const last = await recordRun(home, ["created"]);
    await recordRun(home, ["refused"], { exit: 3 });
    const prompts = scriptedPrompts({ confirms: [true] });
    expect((await home.courier("undo", { terminal: 100, prompts })).exit).toBe(0);
    expect(prompts.asked[0]).toContain("Cancel 1 order of run 2 ");
    expect(await statesOf(home, last.orders)).toEqual(["cancelled"]);
  });
});

describe("for a script", () => {
  test("as JSON: a row for each order, with what was left alone and why", async () => {
    const home = await createServedHome();
    const { orders } = await recordRun(home, ["created", "created", "found", "unknown", "refused"]);
    advance(home, orders[1], "picked");
    const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
    expect(short(rowsOf(stdout))).toEqual([
      ["1.1", "cancelled", null],
      ["1.3", "left_alone", "found"],
      ["1.2", "left_alone", "not_cancellable"],
      ["1.4", "left_alone", "in_doubt"],
    ]);
    expect(exit).toBe(6);
    expect(errorOf(stderr)).toMatchObject({
      code: "outcome_unknown",
      message:
        "1 of 4 orders of run 1 cancelled; not cancelled: 1000003 (pending), 1000002 (picked); in doubt: 1.4",
    });
    expect(await statesOf(home, orders.slice(0, 3))).toEqual(["cancelled", "picked", "pending"]);
  });

  test("--include-found is the second yes", async () => {
    const home = await createServedHome();
    const { orders } = await recordRun(home, ["found"]);
    const first = await home.courier("undo 1 --yes --json");
    expect(first.exit).toBe(3);
    expect(errorOf(first.stderr).hint).toContain("--include-found");
    expect((await home.courier("undo 1 --yes --include-found")).exit).toBe(0);
    expect(await statesOf(home, orders)).toEqual(["cancelled"]);
  });

  test("NDJSON and CSV", async () => {
    const home = await createServedHome();
    await recordRun(home, ["created", "created"]);
    const { stdout } = await home.courier("undo 1 --yes --ndjson");
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).outcome),
    ).toEqual(["cancelled", "cancelled"]);
    const csv = await home.courier("undo 1 --yes --csv --fields operation,id,outcome");
    expect(csv.stdout).toBe(
      "operation,id,outcome\n1.1,1000001,already_cancelled\n1.2,1000002,already_cancelled\n",
    );
  });

  test("an order that the service refuses to show does not count as read", async () => {
    const home = await createServedHome();
    await recordRun(home, ["created"]);
    home.sandbox.faults.set([
      { kind: "refuse", status: 404, code: "NOT_FOUND", message: "no", path: /orders\/\d/ },
    ]);
    const { stderr } = await home.courier("undo 1 --yes", { terminal: 100 });
    expect(stderr).toContain("reading the state of 1 order: 0 read");
    expect(stderr).not.toContain("1 read");
  });

  test("--dry-run reads the states, sends nothing, and is no run", async () => {
    const home = await createServedHome();
    const { orders } = await recordRun(home, ["created", "created", "found", "unknown"]);
    advance(home, orders[1], "picked");
    const { exit, stdout } = await home.courier("undo 1 --dry-run --json");
    expect(exit).toBe(0);
    expect(short(rowsOf(stdout))).toEqual([
      ["1.1", "would_cancel", null],
      ["1.3", "left_alone", "found"],
      ["1.2", "left_alone", "not_cancellable"],
      ["1.4", "left_alone", "in_doubt"],
    ]);
    expect(requestCount(home, "DELETE")).toBe(0);
    const runs = await readRuns(home);
    expect(runs).toHaveLength(1);
    expect(runs[0]?.operations[3]?.isUnwanted).toBe(false);
  });

  test.each([
    ["undo 1", "undoing run 1 needs a confirmation, and courier cannot ask here"],
    ["undo", "no run number given"],
    ["undo --yes", "no run number given"],
    ["undo x --yes", "a run needs its number, not “x”"],
    ["undo 1 2 --yes", "undo takes one run: remove “2”"],
    ["undo 9 --yes", "there is no run 9 in the log"],
    ["undo 2 --yes", "run 2 has nothing to undo: it created no order"],
    ["undo 3 --yes", "run 3 has nothing to undo: orders cancel creates no orders"],
  ])("%s: exit 2, and nothing is sent", async (words, message) => {
    const home = await createServedHome();
    await recordRun(home, ["created"]);
    await recordRun(home, ["refused", "unsent"], { exit: 3 });
    await recordRun(home, [], { command: "orders cancel", exit: 0 });
    const { exit, stdout, stderr } = await home.courier(words);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`error: ${message}`);
    expect(requestCount(home, "DELETE")).toBe(0);
  });

  test("one that does not exist is said before anything else", async () => {
    const home = await createServedHome();
    const { exit, stderr } = await home.courier("undo 99");
    expect(exit).toBe(2);
    expect(stderr).toContain("there is no run 99 in the log");
  });

  test("an undo cannot be undone", async () => {
    const home = await createServedHome();
    await recordRun(home, ["created"]);
    await home.courier("undo 1 --yes");
    const { exit, stderr } = await home.courier("undo 2 --yes");
    expect(exit).toBe(2);
    expect(stderr).toContain("run 2 has nothing to undo: undo creates no orders");
  });

  test("a run of another customer: exit 2, with the account that it is of", async () => {
    const home = await createServedHome();
    await recordRun(home, ["created"]);
    await withLedger(home, async (ledger) => {
      const service = home.sandbox.baseUrl;
      const other = await ledger.learnCustomer({ service, key: "other", profileId: "77", account: "shop" });
      const process = await deadProcess();
      const facts = { command: "orders create", account: "shop", service, customer: other.id, process };
      const run = await ledger.beginRun({ ...facts, startedAtMs: home.clock.now() });
      const create = {
        content: "c",
        draft: undefined,
        windowMs: 0,
        isDuplicateAllowed: true,
        accepted: new Set<string>(),
      };
      await ledger.beginCreate(run, create, home.clock.now());
    });
    const { exit, stderr } = await home.courier("undo 2 --yes");
    expect(exit).toBe(2);
    expect(stderr).toBe(
      "error: run 2 belongs to the account shop; the current account is (environment)\nhint: courier undo 2 --account shop\n",
    );
    expect(requestCount(home, "DELETE")).toBe(0);
  });
});

describe("a run without an end", () => {
  test("one that still runs is refused", async () => {
    const home = await createServedHome();
    const process = identifyProcess(globalThis.process);
    await recordRun(home, ["created"], { exit: undefined, process });
    const { exit, stderr } = await home.courier("undo 1 --yes");
    expect(exit).toBe(2);
    expect(stderr).toContain(`run 1 is still running (pid ${process.pid})`);
  });

  test("one that was killed: what was ready was never sent, what was sending is in doubt", async () => {
    const home = await createServedHome();
    await recordRun(home, ["created", "sending", "ready"], { exit: undefined, process: await deadProcess() });
    const { exit, stdout } = await home.courier("undo 1 --yes --json");
    expect(exit).toBe(6);
    expect(short(rowsOf(stdout))).toEqual([
      ["1.1", "cancelled", null],
      ["1.2", "left_alone", "in_doubt"],
    ]);
    const [run] = await readRuns(home);
    expect(run?.operations.map(({ state, isUnwanted }) => [state, isUnwanted])).toEqual([
      ["created", false],
      ["unknown", true],
      ["unsent", false],
    ]);
  });

  test("one of another host that may still be sending is left to a person", async () => {
    const home = await createServedHome();
    const process = { ...(await deadProcess()), place: "attic - -" };
    await recordRun(home, ["created", "sending"], { exit: undefined, process });
    const refused = await home.courier("undo 1 --yes");
    expect(refused).toMatchObject({ exit: 2, stdout: "" });
    expect(refused.stderr).toMatch(
      /^error: run 1 \(.*attic.*\) may still be sending 1 order: nothing was cancelled\nhint: once you know that it has ended, answer at a terminal, without --yes\n/,
    );
    expect((await readRuns(home))[0]?.operations.map(({ state }) => state)).toEqual(["created", "sending"]);

    // The person may be wrong: a request that is still open is waited for as after a timeout, not as after a break.
    const prompts = scriptedPrompts({ confirms: [true, true] });
    const undone = await home.courier("undo 1 --settle 10s", { terminal: 100, prompts });
    expect(undone.exit, undone.stderr).toBe(6);
    const operations = (await readRuns(home))[0]?.operations;
    expect(operations?.map(({ state, loss }) => [state, loss])).toEqual([
      ["created", "broken"],
      ["unknown", "timeout"],
    ]);
    expect(operations?.[1]?.isUnwanted).toBe(true);
  });

  test("one of another host is asked about first", async () => {
    const home = await createServedHome();
    const process = { ...(await deadProcess()), place: "attic - -" };
    const { orders } = await recordRun(home, ["created"], { exit: undefined, process });
    const prompts = scriptedPrompts({ confirms: [true, true] });
    expect((await home.courier("undo 1", { terminal: 100, prompts })).exit).toBe(0);
    expect(prompts.asked[0]).toBe(
      `Run 1 has no recorded end. It began on attic as process ${process.pid}, which is not visible from here. Has it ended?`,
    );
    expect(await statesOf(home, orders)).toEqual(["cancelled"]);
  });
});

describe("in doubt", () => {
  test("it is marked, and cancelled by another undo once it has turned up", async () => {
    const home = await createServedHome();
    await recordRun(home, ["unknown"], { exit: 6 });
    const prompts = scriptedPrompts({ confirms: [true] });
    const { exit } = await home.courier("undo 1", { terminal: 100, prompts });
    expect(exit).toBe(6);
    expect(prompts.asked).toEqual([
      "Mark 1 order in doubt of run 1 (orders import, /srv/orders.csv) as unwanted? They are then not sent again.",
    ]);
    const order = await createAtService(home);
    const resolved = await home.courier(`orders resolve 1.1 --as ${order.id}`);
    expect(resolved.stderr).toContain(
      `its run was undone; to cancel the order: courier orders cancel ${order.id}\n`,
    );
    expect((await home.courier("undo 1 --yes --include-found")).exit).toBe(0);
    expect(await stateAtService(home, order.id)).toBe("cancelled");
  });
});

describe("a service that fails", () => {
  test("a wait that the service asks for is told, with its end", async () => {
    const home = await createServedHome();
    await recordRun(home, ["created", "created"]);
    home.sandbox.faults.set([{ method: "DELETE", kind: "rate_limit", retryAfter: "100", times: 1 }]);
    const { exit, stderr } = await home.courier("undo 1 --yes --timeout 6s");
    expect(exit, stderr).toBe(0);
    expect(stderr).toMatch(
      /cancelling: \d of 2 orders; rate limited by the service.*; going on at \d\d:\d\d:\d\d/,
    );
  });

  test("lost answers, 429 and 503 on every path: all are cancelled", async () => {
    const home = await createServedHome();
    const { orders } = await recordRun(
      home,
      Array.from({ length: 30 }, () => "created" as const),
    );
    const kinds = [
      { kind: "drop_before" },
      { kind: "drop_after" },
      { kind: "rate_limit", retryAfter: "1" },
      { kind: "status", status: 503 },
      { kind: "truncate" },
    ] as const;
    home.sandbox.faults.set(kinds.map((fault, index) => ({ ...fault, probability: 0.15, seed: index + 1 })));
    const { exit, stdout } = await home.courier("undo 1 --yes --json");
    home.sandbox.faults.clear();
    expect(exit).toBe(0);
    expect(new Set(rowsOf(stdout).map(({ operation }) => operation)).size).toBe(30);
    expect(new Set(await statesOf(home, orders))).toEqual(new Set(["cancelled"]));
    const undo = (await readRuns(home)).at(-1);
    expect(undo?.counts).toEqual(new Map([["cancel cancelled", 30]]));
  });

  test("an order that cannot be read back is unknown, and the others are cancelled: exit 5", async () => {
    const home = await createServedHome();
    const { orders } = await recordRun(home, ["created", "created", "created"]);
    home.sandbox.faults.set([
      { method: "GET", path: "/api/v1/orders/1000002", kind: "status", status: 500, after: 1 },
    ]);
    const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
    home.sandbox.faults.clear();
    expect(exit).toBe(5);
    expect(rowsOf(stdout).map(({ id, outcome }) => [id, outcome])).toEqual([
      [1000001, "cancelled"],
      [1000003, "cancelled"],
      [1000002, "unknown"],
    ]);
    expect(errorOf(stderr)).toMatchObject({
      code: "state_unknown",
      hint: "run the same command again: it continues where it stopped",
    });
    const undo = (await readRuns(home)).at(-1);
    expect(undo?.operations.map(({ state }) => state).sort()).toEqual(["cancelled", "cancelled", "unknown"]);

    const again = await home.courier("undo 1 --yes --json");
    expect(again.exit).toBe(0);
    expect(rowsOf(again.stdout).map(({ outcome }) => outcome)).toEqual(Array(3).fill("already_cancelled"));
    expect(
      (await readRuns(home)).flatMap(({ operations }) => operations.map(({ state }) => state)),
    ).not.toContain("unknown");
    expect(await statesOf(home, orders)).toEqual(Array(3).fill("cancelled"));
  });

  test("a service that is down is given up after a bounded time", async () => {
    const home = await createServedHome();
    await recordRun(
      home,
      Array.from({ length: 20 }, () => "created" as const),
    );
    home.sandbox.faults.set([{ method: "DELETE", kind: "status", status: 500 }]);
    const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
    expect(exit).toBe(5);
    expect(rowsOf(stdout)).toHaveLength(20);
    expect(errorOf(stderr).message).toContain("0 of 20 orders of run 1 cancelled");
    expect(requestCount(home, "DELETE")).toBeLessThan(60);
  });

  test("a key that is refused ends it at once: exit 4", async () => {
    const home = await createServedHome();
    await recordRun(home, ["created", "created"]);
    home.sandbox.faults.set([{ method: "DELETE", kind: "status", status: 401 }]);
    const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
    expect(exit).toBe(4);
    expect(requestCount(home, "DELETE")).toBe(2);
    expect(rowsOf(stdout)).toMatchObject(
      Array(2).fill({ outcome: "left_alone", reason: "failed", status: "pending" }),
    );
    expect(errorOf(stderr).hint).toContain("store a new key with: courier login");
  });

  test("a limit that lasts long ends it, with the service's wait: nothing is in doubt", async () => {
    const home = await createServedHome();
    await recordRun(
      home,
      Array.from({ length: 12 }, () => "created" as const),
    );
    home.sandbox.faults.set([{ method: "DELETE", kind: "rate_limit", retryAfter: "4000" }]);
    const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
    expect(exit).toBe(5);
    expect(requestCount(home, "DELETE")).toBeLessThanOrEqual(8);
    const reasons = new Set(rowsOf(stdout).map(({ outcome, reason }) => `${outcome}, ${reason}`));
    expect(reasons).toEqual(new Set(["left_alone, failed", "left_alone, stopped"]));
    expect(errorOf(stderr)).toMatchObject({
      code: "rate_limited",
      hint: "wait 67 min, then run the same command again",
    });
    expect(errorOf(stderr).message).not.toContain("unknown");
    expect([...((await readRuns(home)).at(-1)?.counts.keys() ?? [])]).toEqual(["cancel unsent"]);
  });

  test("refused for an order that could be cancelled: named, with its state, exit 3", async () => {
    const home = await createServedHome();
    await recordRun(home, ["created"]);
    home.sandbox.faults.set([
      { method: "DELETE", kind: "refuse", status: 403, code: "NOT_NOW", message: "not now" },
    ]);
    const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
    expect(exit).toBe(3);
    expect(rowsOf(stdout)[0]).toMatchObject({
      outcome: "refused",
      status: "pending",
      error: { service_code: "NOT_NOW" },
    });
    expect(errorOf(stderr).message).toContain("not cancelled: 1000001 (pending)");
  });

  test("too few calls left: exit 2 before anything is read", async () => {
    const home = await createServedHome();
    await recordRun(
      home,
      Array.from({ length: 20 }, () => "created" as const),
    );
    showCallsLeft(home, 59);
    const before = requestCount(home, "GET");
    const prompts = scriptedPrompts({ confirms: [false] });
    const { exit, stderr } = await home.courier("undo 1", { terminal: 100, prompts });
    expect(exit).toBe(2);
    expect(prompts.asked).toEqual(["Undoing run 1 takes up to 60 calls, but only 59 are left. Continue?"]);
    expect(stderr).toContain("undoing run 1 takes up to 60 calls, but only 59 are left");
    expect(requestCount(home, "GET") - before).toBe(1);
  });

  test("orders that are cancelled already take one call each", async () => {
    const home = await createServedHome();
    await recordRun(home, ["created", "created", "created"]);
    expect((await home.courier("undo 1 --yes")).exit).toBe(0);
    showCallsLeft(home, 3);
    const again = await home.courier("undo 1", { terminal: 100, prompts: scriptedPrompts({}) });
    expect(again.exit, again.stderr).toBe(0);
    expect(again.stdout).toMatch(/already_cancelled/);
  });
});

describe("interrupted", () => {
  test("Ctrl-C lets what is under way finish: exit 130, and another run does the rest", async () => {
    const home = await createServedHome();
    const { orders } = await recordRun(
      home,
      Array.from({ length: 12 }, () => "created" as const),
    );
    const stop = new AbortController();
    const { interrupted } = await import("../../src/core/errors.ts");
    const timer = setInterval(() => {
      if (requestCount(home, "DELETE") >= 3) stop.abort(interrupted(130));
    }, 1);
    home.sandbox.faults.set([{ method: "DELETE", kind: "latency", ms: 20 }]);
    const stopped = await home.courier("undo 1 --yes --json", { signal: stop.signal });
    clearInterval(timer);
    expect(stopped.exit).toBe(130);
    const sent = requestCount(home, "DELETE");
    expect(sent).toBeLessThan(12);
    const done = rowsOf(stopped.stdout).filter(({ outcome }) => outcome === "cancelled");
    expect(done).toHaveLength(sent);
    expect(stopped.stderr).toContain("of 12 orders of run 1 cancelled; not reached: ");

    home.sandbox.faults.clear();
    const again = await home.courier("undo 1 --yes --json");
    expect(again.exit).toBe(0);
    expect(rowsOf(again.stdout)).toHaveLength(12);
    expect(requestCount(home, "DELETE")).toBe(12);
    expect(new Set(await statesOf(home, orders))).toEqual(new Set(["cancelled"]));
  });

  test("a cancel that was sent by a killed undo is found out by reading", async () => {
    const home = await createServedHome();
    const { orders } = await recordRun(home, ["created", "created"]);
    const process = await deadProcess();
    const customer = await learnCustomer(home);
    await home.courier("orders cancel 1000001 --yes");
    await withLedger(home, async (ledger) => {
      await ledger.noteOrderState(customer.id, "1000001", "pending"); // as if nothing had been read back
      const facts = {
        account: "(environment)",
        service: home.sandbox.baseUrl,
        customer: customer.id,
        process,
      };
      const run = await ledger.beginRun({ command: "undo", undoes: 1, ...facts, startedAtMs: 1 });
      await ledger.beginCancel(run, "1000001", 1);
    });
    const before = requestCount(home, "DELETE");
    const { exit, stdout } = await home.courier("undo 1 --yes --json");
    expect(exit).toBe(0);
    expect(short(rowsOf(stdout))).toEqual([
      ["1.1", "already_cancelled", null],
      ["1.2", "cancelled", null],
    ]);
    expect(requestCount(home, "DELETE") - before).toBe(1);
    const killed = (await readRuns(home)).find(({ process: { pid } }) => pid === process.pid);
    expect(killed?.operations).toMatchObject([{ state: "cancelled", orderState: "cancelled" }]);
    expect(await statesOf(home, orders)).toEqual(["cancelled", "cancelled"]);
  });
});

describe("an order that the service does not know", () => {
  async function setUp(count: number) {
    const home = await createServedHome();
    const { orders } = await recordRun(home, Array<"created">(count).fill("created"));
    home.sandbox.faults.set([
      {
        method: "GET",
        path: "/api/v1/orders/1000001",
        kind: "refuse",
        status: 404,
        code: "NOT_FOUND",
        message: "no such order",
      },
    ]);
    return { home, orders };
  }

  test("is refused, the others are cancelled: exit 3, and again without another question", async () => {
    const { home, orders } = await setUp(2);
    const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
    expect(exit).toBe(3);
    expect(rowsOf(stdout)).toMatchObject([
      { id: 1000002, outcome: "cancelled" },
      {
        id: 1000001,
        outcome: "refused",
        reason: null,
        status: null,
        error: { code: "refused", status: 404 },
      },
    ]);
    const { code, message, hint } = errorOf(stderr);
    expect(code).toBe("some_not_cancelled");
    expect(message).toBe(
      "1 of 2 orders of run 1 cancelled; not cancelled: 1000001; the service refused: no such order (NOT_FOUND)",
    );
    expect(hint).toBe(`ask the service about order 1000001; its order number is ${orders[0]?.order_no}`);
    expect(await stateAtService(home, orders[1]?.id ?? "")).toBe("cancelled");

    const prompts = scriptedPrompts({ confirms: [] });
    const again = await home.courier("undo 1", { terminal: 100, prompts });
    expect(again.exit).toBe(3);
    expect(prompts.asked).toEqual([]);
    expect(again.stderr).not.toContain("again");
    expect(await readRuns(home)).toHaveLength(2);
  });

  test("is shown by --dry-run as refused: exit 3", async () => {
    const { home } = await setUp(1);
    const { exit, stdout, stderr } = await home.courier("undo 1 --dry-run --json");
    expect(exit).toBe(3);
    expect(rowsOf(stdout)).toMatchObject([{ outcome: "refused", reason: null }]);
    expect(errorOf(stderr)).toMatchObject({
      code: "some_not_cancelled",
      message: "1 order of run 1 cannot be cancelled: the service refused: no such order (NOT_FOUND)",
    });
  });
});

test.each([
  ["a gateway's page", 403, "<html>blocked</html>"],
  ["a gateway's page for a service that is away", 404, "<html>no backend</html>"],
  ["maintenance", 200, '{"success":false,"error":{"code":"MAINTENANCE","message":"back soon"}}'],
])("an order that is answered with %s (HTTP %i): its state is not known", async (_what, status, body) => {
  const home = await createServedHome();
  await recordRun(home, ["created", "created"]);
  answerRaw(home, "GET /api/v1/orders/1000001", body, { status });
  const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
  expect(rowsOf(stdout)).toMatchObject([
    { id: 1000002, outcome: "cancelled" },
    { id: 1000001, outcome: "unknown" },
  ]);
  expect([exit, errorOf(stderr).code], stderr).toEqual([5, "state_unknown"]);
  expect(errorOf(stderr).message).not.toContain("not cancelled");
  expect(errorOf(stderr).hint).toContain("run the same command again");
});

describe("a cancel that took effect, whose answer is lost, while reads come from an older copy", () => {
  async function homeWithOldReads(times: number) {
    const home = await createServedHome();
    await recordRun(home, ["created"]);
    const detail = (await home.courier("orders show 1000001 --json")).stdout;
    const path = "/api/v1/orders/1000001";
    home.sandbox.faults.set([
      { kind: "drop_after", method: "DELETE", path, times: 1 },
      {
        kind: "refuse",
        method: "DELETE",
        path,
        status: 409,
        code: "NOT_CANCELLABLE",
        message: "it is cancelled",
      },
      {
        kind: "status",
        status: 200,
        method: "GET",
        path,
        times,
        contentType: "application/json",
        body: `{"success":true,"data":${detail}}`,
      },
    ]);
    return home;
  }

  test("is found as cancelled once they show it", async () => {
    const home = await homeWithOldReads(3);
    const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
    expect([exit, rowsOf(stdout).map(({ outcome }) => outcome)], stderr).toEqual([0, ["cancelled"]]);
  });

  test.each(["undo 1 --yes --json", "orders cancel 1000001 --yes --json"])(
    "is unknown before, also to the same command again, and not refused: %s",
    async (words) => {
      const home = await homeWithOldReads(1_000);
      for (let time = 0; time < 2; time++) {
        const { exit, stdout, stderr } = await home.courier(words);
        expect([exit, rowsOf(stdout).map(({ outcome }) => outcome)], stderr).toEqual([5, ["unknown"]]);
        expect(stderr).not.toContain("not cancelled: 1000001");
      }
      home.sandbox.faults.clear();
      expect(await stateAtService(home, "1000001")).toBe("cancelled");
    },
  );
});

test("an order that is accepted for cancelling, but not cancelled: exit 3, as orders cancel has it", async () => {
  const home = await createServedHome();
  const { orders } = await recordRun(home, ["created", "created"]);
  answerData(home, `DELETE /api/v1/orders/${orders[0]?.id}`, "null");
  const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
  expect(exit).toBe(3);
  expect(rowsOf(stdout).map(({ outcome }) => outcome)).toEqual(["accepted", "cancelled"]);
  expect(errorOf(stderr)).toMatchObject({
    code: "some_not_cancelled",
    message: `1 of 2 orders of run 1 cancelled; accepted for cancelling, but not shown as cancelled: ${orders[0]?.id} (pending)`,
    hint: "to see what becomes of it, run the same command again later",
  });
});

test("orders that do not say their state are not called not cancelled, also once they are", async () => {
  const home = await createServedHome();
  await recordRun(home, ["created", "created"]);
  const hideState = () => {
    for (const id of [1000001, 1000002]) answerData(home, `GET /api/v1/orders/${id}`, `{"id":${id}}`);
  };
  hideState();
  const first = await home.courier("undo 1 --yes --json");
  expect([first.exit, rowsOf(first.stdout).map(({ outcome }) => outcome)]).toEqual([
    3,
    ["accepted", "accepted"],
  ]);
  expect(errorOf(first.stderr).message).toMatch(
    /^0 of 2 orders of run 1 cancelled; accepted for cancelling, but not shown as cancelled: 100000[12], 100000[12]$/,
  );
  // The service refuses to cancel them once more.
  const again = await home.courier("undo 1 --yes --json");
  expect([again.exit, rowsOf(again.stdout).map(({ outcome }) => outcome)], again.stderr).toEqual([
    5,
    ["unknown", "unknown"],
  ]);
  expect(errorOf(again.stderr).message).not.toContain("not cancelled");
});

test("an import is undone, and imported again sends nothing unless it is told to", async () => {
  const home = await createServedHome();
  const file = path.join(home.directory, "orders.csv");
  const lines = Array.from(
    { length: 5 },
    (_, index) => `A-${index},Anna,13800138000,Bert,13900139000,Book ${index}`,
  );
  const heading = "ref,sender.name,sender.phone,receiver.name,receiver.phone,item.name";
  await writeFile(file, [heading, ...lines, ""].join("\n"));
  expect((await home.courier(["orders", "import", file, "--yes"])).exit).toBe(0);
  const listed = await home.courier(["log", "--import", file, "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ command: "orders import", created: 5, source: file }]);
  const [{ run }] = JSON.parse(listed.stdout);
  const { exit, stdout } = await home.courier(`undo ${run} --yes --json`);
  expect(exit).toBe(0);
  expect(rowsOf(stdout).map(({ outcome }) => outcome)).toEqual(Array(5).fill("cancelled"));
  expect(stdout).toContain('"ref":"A-0"');
  const posts = requestCount(home, "POST");
  await home.courier(["orders", "import", file, "--yes"]);
  expect(requestCount(home, "POST")).toBe(posts);
});

describe("an order that the service does not show after it accepted the cancel", () => {
  async function homeThatHides() {
    const home = await createServedHome();
    await recordRun(home, ["created", "created", "created"]);
    for (const id of [1000001, 1000002]) {
      answerRaw(home, `DELETE /api/v1/orders/${id}`, '{"success":true,"message":"cancelled"}');
      const gone = '{"success":false,"error":{"code":"NOT_FOUND","message":"no such order"}}';
      home.sandbox.faults.add({
        kind: "status",
        status: 404,
        method: "GET",
        path: `/api/v1/orders/${id}`,
        body: gone,
        contentType: "application/json",
        after: 1,
      });
    }
    return home;
  }
  const expected = {
    code: "state_unknown",
    exit: 5,
    message:
      "1 of 3 orders of run 1 cancelled; the service accepted the cancel of orders 1000001, 1000002, and does not show them any more",
    hint: "look for them in the list: courier orders list --all",
  };

  test("undo says so, sends one request for each, and says the same again", async () => {
    const home = await homeThatHides();
    for (const _run of ["first", "second"]) {
      const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
      expect(exit).toBe(5);
      expect(errorOf(stderr)).toMatchObject(expected);
      const hidden = rowsOf(stdout).filter(({ reason }) => reason === "not_shown");
      expect(hidden.map(({ id, outcome, status }) => [id, outcome, status])).toEqual([
        [1000001, "unknown", null],
        [1000002, "unknown", null],
      ]);
    }
    expect(requestCount(home, "DELETE")).toBe(3);
  });

  test("orders cancel says the same, of one and of several", async () => {
    const home = await homeThatHides();
    for (const _run of ["first", "second"]) {
      const { exit, stdout, stderr } = await home.courier("orders cancel 1000001 1000002 --yes --json");
      expect(exit).toBe(5);
      expect(errorOf(stderr)).toMatchObject({
        ...expected,
        message: expected.message.replace(/^1 of 3 [^;]*; /, ""),
      });
      expect(rowsOf(stdout).map(({ id, outcome }) => [id, outcome])).toEqual([
        [1000001, "unknown"],
        [1000002, "unknown"],
      ]);
    }
    const { exit, stderr } = await home.courier("orders cancel 1000002 --yes --json");
    expect(exit).toBe(5);
    expect(errorOf(stderr).message).toBe(
      "the service accepted the cancel of order 1000002, and does not show it any more",
    );
    expect(requestCount(home, "DELETE")).toBe(2);
  });
});

test("an accepted cancel whose order is refused for another reason: the reason is told", async () => {
  const home = await createServedHome();
  await recordRun(home, ["created"]);
  answerRaw(home, "DELETE /api/v1/orders/1000001", '{"success":true,"message":"cancelled"}');
  home.sandbox.faults.add({
    kind: "status",
    status: 403,
    method: "GET",
    path: "/api/v1/orders/1000001",
    body: '{"success":false,"error":{"code":"FORBIDDEN","message":"daily quota used up"}}',
    contentType: "application/json",
    after: 1,
  });
  const { exit, stderr } = await home.courier("orders cancel 1000001 --yes --json");
  expect(exit).toBe(5);
  expect(errorOf(stderr).message).toContain("daily quota used up");
  expect(stderr).not.toContain("does not show");
});

describe("an order whose details are refused after an earlier cancel that may have worked", () => {
  /** The cancel of 1000001 is accepted and that of 1000002 is lost; both are read as pending, and refused from then on. */
  async function homeThatRefuses(status: number) {
    const home = await createServedHome();
    await recordRun(home, ["created", "created", "created"]);
    answerRaw(home, "DELETE /api/v1/orders/1000001", '{"success":true,"message":"cancelled"}');
    answerRaw(home, "DELETE /api/v1/orders/1000002", "<html>");
    await home.courier("orders cancel 1000001 --yes");
    await home.courier("orders cancel 1000002 --yes");
    for (const id of [1000001, 1000002, 1000003])
      home.sandbox.faults.add({
        kind: "status",
        status,
        method: "GET",
        path: `/api/v1/orders/${id}`,
        body: '{"success":false,"error":{"code":"REFUSED","message":"no details today"}}',
        contentType: "application/json",
      });
    return { ...home, deleted: requestCount(home, "DELETE") };
  }

  test.each([400, 403, 404])("is unknown to undo, HTTP %i: exit 5", async (status) => {
    const home = await homeThatRefuses(status);
    for (const flag of ["--yes", "--dry-run"]) {
      const { exit, stdout, stderr } = await home.courier(`undo 1 ${flag} --json`);
      expect(exit).toBe(5);
      // Only 404 says that there is no such order.
      const last = status === 404 ? [1000003, "refused", null] : [1000003, "unknown", "not_read"];
      const rows = rowsOf(stdout).map(({ id, outcome, reason }) => [id, outcome, reason]);
      expect(rows.sort()).toEqual([[1000001, "unknown", "not_read"], [1000002, "unknown", "not_read"], last]);
      expect(errorOf(stderr).code).toBe("state_unknown");
      expect(errorOf(stderr).message).toContain("no details today");
      expect(errorOf(stderr).message).not.toMatch(/not cancelled: 1000001/);
    }
    expect(requestCount(home, "DELETE")).toBe(home.deleted);
  });

  test.each([400, 403, 404])("is unknown to orders cancel, HTTP %i: exit 5", async (status) => {
    const home = await homeThatRefuses(status);
    for (const flag of ["--yes", "--dry-run"]) {
      const several = await home.courier(`orders cancel 1000001 1000002 1000003 ${flag} --json`);
      expect(several.exit).toBe(5);
      expect(rowsOf(several.stdout).map(({ id, outcome }) => [id, outcome])).toEqual([
        [1000001, "unknown"],
        [1000002, "unknown"],
        [1000003, status === 404 ? "refused" : "left_alone"],
      ]);
      const { exit, stderr } = await home.courier(`orders cancel 1000002 ${flag} --json`);
      expect(exit).toBe(5);
      expect(errorOf(stderr)).toMatchObject({
        code: "state_unknown",
        message: expect.stringMatching(/^order 1000002 may or may not be cancelled: .*no details today/),
        hint: "see: courier orders show 1000002",
      });
    }
    const untouched = await home.courier("orders cancel 1000003 --yes --json");
    expect(untouched.exit).toBe(1);
    expect(requestCount(home, "DELETE")).toBe(home.deleted);
  });
});

test("an order with another receiver than was sent is left alone, and its create is in doubt: exit 6", async () => {
  const home = await createServedHome();
  await recordRun(home, ["created", "created"]);
  const other = { id: 1000001, status: "pending", receiver: { name: "王五" }, item: { name: "花瓶" } };
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(other));
  const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
  expect(exit).toBe(6);
  expect(short(rowsOf(stdout))).toEqual([
    ["1.2", "cancelled", null],
    ["1.1", "left_alone", "other_order"],
  ]);
  expect(errorOf(stderr)).toMatchObject({
    code: "outcome_unknown",
    message: expect.stringContaining("in doubt: 1.1"),
    hint:
      "see whose order it is: courier orders show 1000001; then run it again later to check again, or decide each: " +
      "courier orders resolve 1.1",
  });
  expect(requestCount(home, "DELETE", "/api/v1/orders/1000001")).toBe(0);
});

test("orders that were cancelled are reported where the ledger cannot record that, and no further one is sent", async () => {
  const home = await createServedHome();
  await recordRun(home, Array(9).fill("created"));
  const ledger = (await loadDriver()).open(ledgerPath(home.stateDir));
  ledger.exec(
    "CREATE TRIGGER full BEFORE UPDATE OF state ON operations BEGIN SELECT RAISE(FAIL, 'full'); END",
  );
  ledger.close();
  const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
  const sent = requestCount(home, "DELETE");
  expect(sent, stderr).toBeLessThan(9);
  const outcomes = rowsOf(stdout).map(({ outcome }) => outcome);
  expect(outcomes.sort()).toEqual([...Array(sent).fill("cancelled"), ...Array(9 - sent).fill("left_alone")]);
  expect(exit).toBe(5);
  expect(stderr).toMatch(
    new RegExp(
      `${sent} of 9 orders of run 1 cancelled; .*not reached: ${9 - sent}; the ledger cannot be used: `,
    ),
  );
});
