/** `courier log`: what was done, run by run, in every form, without a call to the service. */

import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { identifyProcess } from "../../src/core/process-identity.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { createHome, createServedHome } from "../support/courier.ts";
import { deadPid } from "../support/dead-process.ts";
import { createImportHome, row, sheet } from "../support/imports.ts";
import { recordRun } from "../support/ledger.ts";
import { createOrder, plainDraft } from "../support/orders.ts";
import { createServedProcessHome } from "../support/process.ts";

async function homeWithRuns() {
  const home = await createServedHome();
  const first = await recordRun(home, ["created", "created", "refused"], { exit: 3 });
  home.clock.advance(3_600_000);
  const second = await recordRun(home, ["created", "unknown"], {
    exit: 6,
    command: "orders create",
    account: "shop",
    source: path.join(home.directory, "b.csv"),
  });
  home.clock.advance(60_000);
  return { ...home, first, second };
}

test.each(["orders show ID", "orders list --all", "orders export -o OUT", "undo 1 --yes"])(
  "the state in which an order was last seen is that which %s has shown",
  async (words) => {
    const home = await createServedHome();
    const created = await home.courier("orders create --file - --json", {
      stdin: JSON.stringify(plainDraft),
    });
    const { id, tracking_number } = JSON.parse(created.stdout);
    const stateOf = async () => JSON.parse((await home.courier("log show 1 --json")).stdout)[0].order_state;
    expect(await stateOf()).toBe("pending");
    home.sandbox.advance({ trackingNumber: tracking_number, to: "in_transit" });
    const output = path.join(home.directory, "out.csv");
    await home.courier(words.replace("ID", String(id)).replace("OUT", output));
    expect(await stateOf()).toBe("in_transit");
  },
);

const runsOf = (stdout: string) => (JSON.parse(stdout) as { run: number }[]).map(({ run }) => run);

describe("courier log", () => {
  test("shows the newest run first, with counts and how it ended, and asks the service nothing", async () => {
    const home = await homeWithRuns();
    const before = home.sandbox.requests.length;
    const { exit, stdout, stderr } = await home.courier("log", { env: { COURIER_API_KEY: "" } });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout.replace(/ +/g, " ").split("\n")).toEqual([
      "RUN TIME COMMAND FILE ACCOUNT COUNTS OUTCOME",
      ` 2 2026-03-01T09:00:00.000Z orders create ${home.directory}/b.csv shop 1 created, 1 in doubt exit 6`,
      " 1 2026-03-01T08:00:00.000Z orders import /srv/orders.csv (environment) 2 created, 1 refused exit 3",
      "",
    ]);
    expect(home.sandbox.requests).toHaveLength(before);
  });

  test("at a terminal, times are relative too", async () => {
    const home = await homeWithRuns();
    const { exit, stdout } = await home.courier("log", { terminal: 200 });
    expect(exit).toBe(0);
    expect(stdout).toContain("1 h ago");
    expect(stdout).toContain("1 min ago");
  });

  test("as JSON, NDJSON and CSV", async () => {
    const home = await homeWithRuns();
    const [newest] = JSON.parse((await home.courier("log --json")).stdout);
    expect(newest).toEqual({
      run: 2,
      started_at: "2026-03-01T09:00:00.000Z",
      ended_at: "2026-03-01T09:00:00.000Z",
      command: "orders create",
      account: "shop",
      service: home.sandbox.baseUrl,
      source: path.join(home.directory, "b.csv"),
      undoes: null,
      outcome: "failed",
      exit: 6,
      summary: "1 created, 1 in doubt",
      created: 1,
      found: 0,
      refused: 0,
      unsent: 0,
      ready: 0,
      in_doubt: 1,
      cancelled: 0,
      cancels_accepted: 0,
      not_cancelled: 0,
      cancels_in_doubt: 0,
    });
    expect((await home.courier("log --ndjson")).stdout.trimEnd().split("\n")).toHaveLength(2);
    const { stdout } = await home.courier("log --csv --fields run,outcome,exit,created,refused");
    expect(stdout).toBe("run,outcome,exit,created,refused\n2,failed,6,1,0\n1,failed,3,2,1\n");
  });

  test.each([
    ["--account shop", [2]],
    ["--unknown", [2]],
    ["--since 30m", [2]],
    ["--since 2h", [2, 1]],
    ["--since 2026-03-02", []],
    ["--since 2026-02-28", [2, 1]],
    ["--import b.csv", [2]],
    ["--import link.csv", [2]],
    ["--import other.csv", []],
    [`--import ${"n".repeat(300)}.csv`, []],
    ["--order 1000001", [1]],
    ["--order TRACKING", [2]],
    ["--limit 1", [2]],
    ["--all", [2, 1]],
  ])("%s", async (words, expected) => {
    const home = await homeWithRuns();
    await writeFile(path.join(home.directory, "b.csv"), "");
    await symlink("b.csv", path.join(home.directory, "link.csv"));
    const line = words
      .replace(/(\w+\.csv)/, path.join(home.directory, "$1"))
      .replace("TRACKING", home.second.orders[0]?.tracking_number ?? "");
    const { exit, stdout } = await home.courier(`log ${line} --json`);
    expect(exit).toBe(0);
    expect(runsOf(stdout)).toEqual(expected);
  });

  test("the runs that cancelled an order are found by its tracking number", async () => {
    const home = await homeWithRuns();
    await home.courier("orders cancel 1000003 --yes");
    const { stdout } = await home.courier(`log --order ${home.second.orders[0]?.tracking_number} --json`);
    expect(runsOf(stdout)).toEqual([3, 2]);
    expect(JSON.parse(stdout)[0]).toMatchObject({ command: "orders cancel", summary: "1 cancelled" });
  });

  test("the runs of an order are found by its order number and its ref, which several may have", async () => {
    const home = await createServedHome({ seedOrders: 1 });
    const create = async (ref: string, more = "") =>
      createOrder(home, plainDraft, `orders create --file - --json --allow-duplicate --ref ${ref} ${more}`);
    const first = await create("A-1");
    await create("A-2");
    await home.courier(`orders cancel ${first.id} --yes`);
    for (const name of [first.order_no, "ref:A-1"]) {
      const { stdout } = await home.courier(`log --order ${name} --json`);
      expect(runsOf(stdout)).toEqual([3, 1]);
    }
    expect((await home.courier("log --order ref:B-1")).stderr).toBe("No runs match\n");
  });

  test("an order from elsewhere that was cancelled here is found by the number that the mirror has", async () => {
    const home = await createServedHome();
    const there = { env: { COURIER_STATE_DIR: path.join(home.directory, "elsewhere") } };
    const made = await createOrder(home, plainDraft, undefined, there);
    await home.courier("sync");
    await home.courier(`orders cancel ${made.id} --yes`);
    for (const name of [made.order_no, made.tracking_number]) {
      const { stdout } = await home.courier(`log --order ${name} --json`);
      expect(runsOf(stdout)).toEqual([1]);
    }
  });

  test("--import - finds the imports of stdin", async () => {
    const home = await createImportHome("");
    await home.importFile("-", "", { stdin: sheet(row("A1")) });
    expect(runsOf((await home.courier(["log", "--import", "-", "--json"])).stdout)).toEqual([1]);
  });

  test("says on stderr when there are more", async () => {
    const home = await homeWithRuns();
    expect((await home.courier("log --limit 1")).stderr).toBe("only the newest run; --all shows every run\n");
    expect((await home.courier("log --limit 2")).stderr).toBe("");
  });

  test("a run without an end: running, gone, or out of sight", async () => {
    const home = await createServedHome();
    const own = identifyProcess(process);
    const dead = { ...own, pid: deadPid(), started: "1" };
    await recordRun(home, [], { exit: undefined, process: own });
    await recordRun(home, ["sending"], { exit: undefined, process: dead });
    await recordRun(home, [], { exit: undefined, process: { ...own, place: "elsewhere - -" } });
    await recordRun(home, [], { exit: 0 });
    const { stdout } = await home.courier("log --json");
    const outcomes = (JSON.parse(stdout) as { outcome: string }[]).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["done", "unknown", "killed", "running"]);
    const shown = (await home.courier("log")).stdout.trimEnd().split("\n").slice(1);
    const last = shown.map((line) => line.split(/ {2,}/).at(-1));
    expect(last).toEqual(["done", "may be running", "no end recorded", "running"]);
  });

  test("a run that ended, and could not record its end, is not shown as killed", async () => {
    const { stateDir, courier } = await createServedProcessHome();
    const create = (name: string) =>
      courier("orders create --file -", { stdin: JSON.stringify({ ...plainDraft, item: { name } }) });
    expect(await create("cup")).toMatchObject({ exit: 0 });
    const ledger = (await loadDriver()).open(ledgerPath(stateDir));
    ledger.exec(
      "CREATE TRIGGER full BEFORE UPDATE OF ended_at ON runs BEGIN SELECT RAISE(FAIL, 'full'); END",
    );
    ledger.close();
    const { exit, stderr } = await create("bowl");
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining("warning: the end of this run could not be recorded"),
    });
    const { stdout } = await courier("log show 2");
    expect(stdout).toMatch(/^Outcome +no end recorded$/m);
  });

  test("counts the rows that an import began: those that it did not reach are in no ledger", async () => {
    const home = await createImportHome(
      sheet(...Array.from({ length: 60 }, (_, index) => row(`A-${index}`))),
    );
    home.sandbox.faults.set([{ method: "POST", kind: "rate_limit", after: 10 }]);
    const imported = await home.courier(["orders", "import", home.file, "--yes"]);
    expect(imported.stderr).toContain("60 rows: 10 created, 50 not sent");
    const { stdout } = await home.courier("log --json");
    const [run] = JSON.parse(stdout);
    expect(run.unsent).toBeGreaterThan(0);
    expect(run.unsent).toBeLessThan(50);
    expect(run.summary).toBe(`10 created, ${run.unsent} begun but not created`);
  });

  test("where nothing was recorded, it is empty, and no ledger is made", async () => {
    const home = await createHome();
    await mkdir(home.stateDir, { recursive: true });
    expect(await home.courier("log")).toEqual({ exit: 0, stdout: "", stderr: "Nothing was recorded yet\n" });
    expect(await home.courier("log --json")).toEqual({ exit: 0, stdout: "[]\n", stderr: "" });
    expect(await readdir(home.stateDir)).toEqual([]);
  });

  test("a ledger that cannot be read is exit 5, and stays as it is", async () => {
    const home = await createHome();
    await mkdir(home.stateDir, { recursive: true });
    await writeFile(ledgerPath(home.stateDir), "no database at all, but a text of some length");
    const { exit, stdout, stderr } = await home.courier("log --json");
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
    expect(JSON.parse(stderr).error).toMatchObject({ code: "database", exit: 5 });
  });

  test.each([
    ["log list", "log takes the word show, not “list”"],
    ["log show", "log show needs the number of a run"],
    ["log show x", "a run needs its number, not “x”"],
    ["log show 0", "a run needs its number, not “0”"],
    ["log show 1 2", "log show takes one run: remove “2”"],
    ["log show 7", "there is no run 7 in the log"],
    ["log show 1 --all", "--all does not work with log show, which shows one run"],
    ["log --since 7", "--since takes a date such as 2026-01-31, or a time such as 7d or 2h, not “7”"],
    ["log --since tomorrow", "--since takes a date"],
    ["log --limit 0", "--limit takes a whole number of at least 1"],
    ["log --limit 3 --all", "--all and --limit exclude each other"],
  ])("%s: exit 2", async (words, message) => {
    const home = await createHome();
    const { exit, stdout, stderr } = await home.courier(words);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`error: ${message}`);
  });
});

test("log show N.K shows that operation, and how to settle one in doubt", async () => {
  const home = await createServedHome();
  home.sandbox.faults.set([{ kind: "drop_before", method: "POST" }]);
  await home.courier("orders create --file - --yes", { stdin: JSON.stringify(plainDraft) });
  const { exit, stdout, stderr } = await home.courier("log show 1.1");
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "to settle it: courier orders resolve 1.1\n" });
  expect(stdout).toMatch(/^1\.1 +create +unknown/m);
  expect(JSON.parse((await home.courier("log show 1.1 --json")).stdout)).toMatchObject([
    { operation: "1.1" },
  ]);
  expect(await home.courier("log show 1.2")).toMatchObject({
    exit: 2,
    stderr: "error: there is no operation 1.2 in the log\nhint: courier log show 1 shows those of run 1\n",
  });
});

describe("courier log show N", () => {
  test("the run's facts, and its operations with the service's reasons", async () => {
    const home = await homeWithRuns();
    const { exit, stdout, stderr } = await home.courier("log show 1");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const [head = "", list = ""] = stdout.split("\n\n");
    expect(head.replace(/ +/g, " ").split("\n")).toEqual([
      "Run 1",
      "Command orders import",
      "Account (environment)",
      `Service ${home.sandbox.baseUrl}`,
      "File /srv/orders.csv",
      "Started 2026-03-01T08:00:00.000Z",
      "Ended 2026-03-01T08:00:00.000Z",
      "Counts 2 created, 1 refused",
      "Outcome exit 3",
    ]);
    expect(list).toMatch(/^NAME +KIND +STATE +ROW +REF +ORDER +TRACKING +LAST SEEN +TO +SENT/);
    expect(list).toMatch(/\n1\.1 +create +created +2 +R-1-1 +1000001 +CR\d+ +- +李四 +2026-03-01T08/);
    expect(list).toMatch(/\n1\.3 +create +refused +4 +R-1-3 +- +- +- +李四 .*\n +receiver\.phone is wrong\n/);
  });

  test("as JSON, NDJSON and CSV: one object for each operation", async () => {
    const home = await homeWithRuns();
    const operations = JSON.parse((await home.courier("log show 1 --json")).stdout);
    expect(operations).toHaveLength(3);
    expect(operations[0]).toMatchObject({ operation: "1.1", kind: "create", state: "created", id: 1000001 });
    expect(operations[2]).toMatchObject({ id: null, error: { code: "INVALID_PARAMETER" } });
    expect((await home.courier("log show 1 --ndjson")).stdout.trimEnd().split("\n")).toHaveLength(3);
    const { stdout } = await home.courier("log show 2 --csv --fields operation,state,id");
    expect(stdout).toBe("operation,state,id\n2.1,created,1000003\n2.2,unknown,\n");
  });

  test("--fields at a terminal is a table alone", async () => {
    const home = await homeWithRuns();
    const { stdout } = await home.courier("log show 1 --fields operation,id", { terminal: 80 });
    expect(stdout.split("\n")[0]).toContain("OPERATION");
  });

  test("a run of another account than the one asked for: exit 2", async () => {
    const home = await homeWithRuns();
    expect((await home.courier("log show 2 --account shop")).exit).toBe(0);
    const { exit, stderr } = await home.courier("log show 1 --account shop");
    expect(exit).toBe(2);
    expect(stderr).toContain("run 1 belongs to the account (environment), not to shop");
  });
});

describe("courier api DELETE of an order that is written otherwise", () => {
  test.each(["01000001", "1000001.json"])("%s is order 1000001, and its doubt can be settled", async (id) => {
    const home = await createServedHome();
    await home.courier("orders create --file - --json", { stdin: JSON.stringify(plainDraft) });
    home.sandbox.faults.set([{ kind: "status", status: 500, method: "DELETE" }]);
    expect((await home.courier(`api DELETE orders/${id}`)).exit).toBe(6);
    home.sandbox.faults.clear();
    const { stdout } = await home.courier("log show 2 --json");
    expect(JSON.parse(stdout)).toMatchObject([{ kind: "cancel", id: 1000001, state: "unknown" }]);
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    expect((await home.courier("log --unknown --json")).stdout).toBe("[]\n");
  });

  test.each(["CO10259126790", "CR988818558542"])("%s is no id, and not recorded", async (id) => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ kind: "status", status: 500, method: "DELETE" }]);
    expect((await home.courier(`api DELETE orders/${id}`)).exit).toBe(6);
    expect((await home.courier("log --json")).stdout).toBe("[]\n");
  });

  test.each(["01000001", "CO10259126790"])("an earlier version may have recorded %s", async (id) => {
    const home = await createServedHome();
    await recordRun(home, ["created"], { exit: 0 });
    const database = (await loadDriver()).open(ledgerPath(home.stateDir));
    database.exec(`UPDATE operations SET order_id = '${id}'`);
    database.close();
    const { exit, stdout, stderr } = await home.courier("log show 1 --json");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(JSON.parse(stdout)[0].id).toBe(id === "01000001" ? 1000001 : null);
  });
});
