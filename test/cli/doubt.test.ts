/** The line about orders in doubt: who is told, when nobody is, and what it costs where there is none. */

import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { unnamedAccount } from "../../src/config/accounts.ts";
import { systemClock } from "../../src/core/clock.ts";
import { interrupted } from "../../src/core/errors.ts";
import { identifyProcess } from "../../src/core/process-identity.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { ctrlC, ctrlCAfter, personWho } from "../support/answering.ts";
import { putConfig } from "../support/config-file.ts";
import { createHome, createServedHome, type RunOptions, type ServedHome } from "../support/courier.ts";
import { deadPid } from "../support/dead-process.ts";
import { learnCustomer, type RecordedCreate, recordRun, withLedger } from "../support/ledger.ts";
import { plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { createServedTerminalHome } from "../support/terminal.ts";

const terminal = 100;
const inDoubt = /orders? (is|are) in doubt/;
const twoInDoubt = "2 orders are in doubt: courier orders resolve\n";
const order = JSON.stringify(plainDraft);
const table = "sender.name,receiver.name,item.name\n甲,乙,书\n";

/** A home whose ledger holds creates in these states, of a run that has ended. */
async function homeWith(states: readonly RecordedCreate[]): Promise<ServedHome> {
  const home = await createServedHome();
  await recordRun(home, states, { exit: 6 });
  return home;
}

const ownProcess = identifyProcess(process);

describe("at a terminal, at the end", () => {
  const commands: readonly (readonly [line: string, options: RunOptions])[] = [
    ["orders list", {}],
    ["orders list --all", {}],
    ["orders cancel 1000001 --yes", {}],
    ["orders create --file - --yes --allow-duplicate", { stdin: order }],
    ["orders create --file - --dry-run", { stdin: order }],
    ["orders import - --yes", { stdin: table }],
    ["", { fromStart: true }],
  ];

  test.each(commands)("courier %s", async (line, options) => {
    const home = await homeWith(["created", "unknown", "unknown"]);
    const { exit, stdout, stderr } = await home.courier(line, { terminal, ...options });
    expect(exit).toBe(0);
    expect(stdout).not.toMatch(inDoubt);
    expect(stderr.endsWith(twoInDoubt), stderr).toBe(true);
    expect(stderr.match(/orders are in doubt/g)).toHaveLength(1);
  });

  test("an undo of another run", async () => {
    const home = await homeWith(["unknown", "unknown"]);
    const { number } = await recordRun(home, ["created"]);
    const { exit, stderr } = await home.courier(`undo ${number} --yes`, { terminal });
    expect({ exit, isSaid: stderr.endsWith(twoInDoubt) }).toEqual({ exit: 0, isSaid: true });
  });

  test("one, and after an error", async () => {
    const home = await homeWith(["created", "unknown"]);
    const { exit, stderr } = await home.courier("orders cancel 77 --yes", { terminal });
    expect(exit).toBe(1);
    expect(stderr).toMatch(/error:.*\n1 order is in doubt: courier orders resolve\n$/s);
  });

  test("below the overview of a bare courier, and not below help", async () => {
    const home = await homeWith(["unknown", "unknown"]);
    const { exit, stderr } = await home.courier("", { terminal, fromStart: true });
    const help = await home.courier("--help", { terminal, fromStart: true });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: twoInDoubt });
    expect(help).toMatchObject({ exit: 0, stderr: "" });
  });

  test("below the overview at a pipe, too", async () => {
    const home = await homeWith(["unknown", "unknown"]);
    expect((await home.courier("", { fromStart: true })).stderr).toBe(twoInDoubt);
  });

  test("what a run was sending that has ended counts, what one still sends does not", async () => {
    const home = await homeWith(["unknown", "sending"]);
    const dead = { ...ownProcess, pid: deadPid(), started: "1" };
    await recordRun(home, ["sending", "ready"], { process: dead });
    await recordRun(home, ["sending", "sending"], { process: ownProcess });
    const { stderr } = await home.courier("orders list", { terminal });
    expect(stderr).toMatch(/^3 orders are in doubt/m);
  });

  test("cancels in doubt are no orders in doubt", async () => {
    const home = await homeWith(["created"]);
    const customer = await learnCustomer(home);
    await withLedger(home, async (ledger) => {
      const run = await ledger.beginRun({
        command: "orders cancel",
        account: unnamedAccount,
        service: home.sandbox.baseUrl,
        customer: customer.id,
        process: ownProcess,
        startedAtMs: home.clock.now(),
      });
      const name = await ledger.beginCancel(run, "1000001", home.clock.now());
      await ledger.endCancel(name, run.number, { state: "unknown" }, home.clock.now());
    });
    expect((await home.courier("orders list", { terminal })).stderr).not.toMatch(inDoubt);
  });

  test("of another customer: nothing", async () => {
    const home = await homeWith(["unknown"]);
    const other = await createServedHome({ apiKey: "another-key-0123456789" });
    const env = { COURIER_API_KEY: other.sandbox.apiKey, COURIER_BASE_URL: other.sandbox.baseUrl };
    for (const line of ["orders list", ""]) {
      const { exit, stderr } = await home.courier(line, { terminal, env, fromStart: true });
      expect(exit).toBe(0);
      expect(stderr).not.toMatch(inDoubt);
    }
  });

  test("the service is asked for nothing more", async () => {
    const home = await homeWith(["unknown"]);
    const before = home.sandbox.requests.length;
    await home.courier("", { terminal, fromStart: true });
    expect(home.sandbox.requests).toHaveLength(before);
    await home.courier("orders list", { terminal });
    expect(home.sandbox.requests).toHaveLength(before + 1);
  });
});

describe("before the questions of an order form", () => {
  async function openForm(home: ServedHome) {
    const { stderr } = await home.courier("orders create", {
      terminal,
      prompts: personWho(["Sender", "new address"], ["Sender name", ctrlC]),
    });
    return stderr;
  }

  test("one, that a killed run was sending: to whom, and when", async () => {
    const home = await createServedHome();
    const dead = { ...ownProcess, pid: deadPid(), started: "1" };
    await recordRun(home, ["sending"], { process: dead });
    home.clock.advance(180_000);
    expect(await openForm(home)).toMatch(
      /^An order to 李四, sent 3 min ago, is in doubt; to settle it: courier orders resolve\nPress Enter/,
    );
  });

  test("several: how many, and the last one", async () => {
    const home = await homeWith(["unknown", "created", "unknown"]);
    await recordRun(home, ["sending"], { process: ownProcess });
    expect(await openForm(home)).toMatch(
      /^2 orders are in doubt, the last one to 李四, sent just now; to settle them: courier orders resolve\nPress Enter/,
    );
  });

  test("one whose receiver is not recorded", async () => {
    const home = await createServedHome();
    const customer = await learnCustomer(home);
    await withLedger(home, async (ledger) => {
      const run = await ledger.beginRun({
        command: "api",
        account: unnamedAccount,
        service: home.sandbox.baseUrl,
        customer: customer.id,
        process: ownProcess,
        startedAtMs: home.clock.now(),
      });
      const create = { content: "x", draft: undefined, windowMs: 0, isDuplicateAllowed: true };
      await ledger.beginCreate(run, { ...create, accepted: new Set() }, home.clock.now());
      await ledger.releaseRun(run.number, home.clock.now());
    });
    expect(await openForm(home)).toMatch(
      /^An order, sent just now, is in doubt; to settle it: courier orders resolve\n/,
    );
  });

  test("above an unfinished one", async () => {
    const home = await homeWith(["unknown"]);
    await home.courier("orders create", {
      terminal,
      prompts: personWho(["Sender", "new address"], ["Sender name", ctrlCAfter("张三")]),
    });
    const prompts = personWho(["Continue with it?", ctrlC]);
    const { stderr } = await home.courier("orders create", { terminal, prompts });
    expect(stderr).toMatch(/^An order to 李四.* is in doubt.*\n.*An unfinished order:/);
  });

  test("none: nothing", async () => {
    const home = await homeWith(["created", "refused"]);
    expect(await openForm(home)).not.toContain("doubt");
  });

  test("the service is asked for nothing", async () => {
    const home = await homeWith(["unknown"]);
    const before = home.sandbox.requests.length;
    await openForm(home);
    expect(home.sandbox.requests).toHaveLength(before);
  });
});

// Wine has no pseudo-terminals of Windows.
if (process.platform !== "win32")
  test("in a real terminal, and not beside it", async () => {
    const home = await createServedTerminalHome();
    await recordRun({ ...home, clock: systemClock() }, ["unknown", "unknown"], { exit: 6 });
    for (const words of ["", "orders list"]) {
      const seen = home.open(words);
      expect((await seen.ended).exit).toBe(0);
      expect(seen.transcript().trimEnd().split("\n").at(-1)).toBe(twoInDoubt.trimEnd());
      const redirected = home.open(words, { shell: '"$@" 2> said.txt' });
      expect((await redirected.ended).exit).toBe(0);
      expect(redirected.transcript()).not.toMatch(inDoubt);
      expect(await home.read("said.txt")).not.toMatch(inDoubt);
    }
  });

describe("no line", () => {
  test.each([
    ["orders list", {}],
    ["orders list --json", { terminal }],
    ["orders list --ndjson", { terminal }],
    ["orders list --csv", { terminal }],
    ["orders list --quiet", { terminal }],
    ["orders list --help", { terminal }],
    ["orders show 1000001", { terminal }],
    ["profile", { terminal }],
    ["--help", { terminal, fromStart: true }],
  ] as const)("courier %s %o", async (line, options) => {
    const home = await homeWith(["created", "unknown"]);
    const { exit, stderr } = await home.courier(line, options);
    expect(exit).toBe(0);
    expect(stderr).not.toMatch(inDoubt);
  });

  test("after exit 6, which has said it", async () => {
    const home = await homeWith(["unknown"]);
    home.sandbox.faults.set([{ kind: "drop_before", method: "POST" }]);
    const { exit, stderr } = await home.courier("orders create --file - --yes", { terminal, stdin: order });
    expect(exit).toBe(6);
    expect(stderr).not.toMatch(inDoubt);
  });

  test("after a no, and after a signal", async () => {
    const home = await homeWith(["created", "unknown"]);
    const prompts = scriptedPrompts({ confirms: [false] });
    const no = await home.courier("orders cancel 1000001", { terminal, prompts });
    expect(no).toMatchObject({ exit: 130, stderr: expect.not.stringMatching(inDoubt) });
    const signal = AbortSignal.abort(interrupted(143));
    const ended = await home.courier("orders list", { terminal, signal });
    expect(ended).toMatchObject({ exit: 143, stderr: expect.not.stringMatching(inDoubt) });
  });

  test.each(["orders list", ""])("and no ledger where there is none: courier %s", async (line) => {
    const home = await createHome();
    await home.courier(line, { terminal, fromStart: true, env: { COURIER_API_KEY: "k-123456" } });
    expect(existsSync(ledgerPath(home.stateDir))).toBe(false);
    expect(existsSync(home.configDir)).toBe(false);
  });

  test.each(["orders list --limit 1", ""])("where the ledger is damaged: courier %s", async (line) => {
    const home = await createServedHome();
    await mkdir(home.stateDir, { recursive: true });
    await writeFile(ledgerPath(home.stateDir), "no database".repeat(1_000));
    const { exit, stderr } = await home.courier(line, { terminal, fromStart: true });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: line === "" ? "" : "No orders\n" });
  });

  test("without an account", async () => {
    const home = await homeWith(["unknown"]);
    const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
    const { exit, stderr } = await home.courier("", { terminal, env, fromStart: true });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  });
});

describe("a customer that is not found by the key", () => {
  const noEnv = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

  test("a key command is not run for the help of a bare courier", async () => {
    const home = await createServedHome();
    await recordRun(home, ["unknown", "unknown"], { account: "shop", exit: 6 });
    const mark = path.join(home.directory, "asked");
    const shop = { base_url: home.sandbox.baseUrl, key_command: `sh -c 'touch ${mark}; echo key'` };
    await putConfig(home, { current: "shop", accounts: { shop } });
    const { exit, stderr } = await home.courier("", { terminal, fromStart: true, env: noEnv });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: twoInDoubt });
    expect(existsSync(mark)).toBe(false);
    await putConfig(home, {
      current: "shop",
      accounts: { shop: { ...shop, base_url: "https://else.test" } },
    });
    expect((await home.courier("", { terminal, fromStart: true, env: noEnv })).stderr).toBe("");
  });

  test("the embedded sandbox is not started, and only its present customer counts", async () => {
    const home = await createHome();
    await putConfig(home, { current: "sandbox", accounts: {} });
    await home.courier("orders create --file - --json", { stdin: order });
    await withLedger(home, async (ledger) => {
      const [made] = await ledger.listRuns({ limit: 1 });
      if (!made) throw new Error("no run");
      const run = await ledger.beginRun({ ...made, source: undefined, undoes: undefined });
      const create = { content: "x", draft: undefined, windowMs: 0, isDuplicateAllowed: true };
      await ledger.beginCreate(run, { ...create, accepted: new Set() }, home.clock.now());
      await ledger.releaseRun(run.number, home.clock.now());
    });
    const said = "1 order is in doubt: courier orders resolve\n";
    expect((await home.courier("", { terminal, fromStart: true })).stderr).toBe(said);
    expect((await home.courier("orders list", { terminal })).stderr).toMatch(inDoubt);
    await home.courier("sandbox reset --yes");
    await home.courier("orders create --file - --json", { stdin: order });
    expect((await home.courier("", { terminal, fromStart: true })).stderr).toBe("");
    expect((await home.courier("orders list", { terminal })).stderr).not.toMatch(inDoubt);
  });
});
