/** Files of courier's own that another process keeps locked: the wait is told, bounded, and ends with the run. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { takeLock } from "../../src/config/config-lock.ts";
import { interrupted } from "../../src/core/errors.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { sandboxDirectory, storedOrdersPath } from "../../src/sandbox/stored-orders.ts";
import { type Connection, loadDriver } from "../../src/sqlite/driver.ts";
import { createHome, createServedHome, type Home, type ServedHome } from "../support/courier.ts";
import { row, sheet } from "../support/imports.ts";
import { lockWhileListing } from "../support/locked-ledger.ts";

const order = "orders create --sender-name A --receiver-name B --item-name C";

/** A home with a ledger that another process writes to, and does not come to an end. */
async function homeWithLockedLedger(): Promise<ServedHome & { readonly other: Connection }> {
  const home = await createServedHome();
  expect((await home.courier(order)).exit).toBe(0);
  const other = (await loadDriver()).open(ledgerPath(home.stateDir));
  onTestFinished(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  return { ...home, other };
}

const posts = ({ sandbox }: ServedHome) => sandbox.requests.filter(({ method }) => method === "POST").length;

/** Calls `act` when the run has waited for so long. */
function afterWait({ clock }: Home, ms: number, act: () => void): void {
  const { sleep } = clock;
  const untilMs = clock.elapsed() + ms;
  let isDone = false;
  clock.sleep = async (...given) => {
    await sleep(...given);
    if (isDone || clock.elapsed() < untilMs) return;
    isDone = true;
    act();
  };
}

test.each([undefined, 80])("a long wait for the ledger is told once, terminal: %s", async (terminal) => {
  const home = await homeWithLockedLedger();
  const fromMs = home.clock.elapsed();
  const words = `${order} --allow-duplicate --no-input`;
  const { exit, stderr } = await home.courier(words, terminal === undefined ? {} : { terminal });
  const file = ledgerPath(home.stateDir);
  expect(stderr).toContain(`waiting for another courier process that is writing to ${file}…\n`);
  expect(stderr.match(/waiting for/g)).toHaveLength(1);
  expect(stderr).toMatch(/the ledger cannot be used: another program keeps it locked: /);
  expect([exit, posts(home)]).toEqual([5, 1]);
  const waitedMs = home.clock.elapsed() - fromMs;
  expect(waitedMs).toBeGreaterThanOrEqual(30_000);
  expect(waitedMs, "the end does not wait as long once more").toBeLessThan(31_000);
});

describe("a ledger that is locked while the list is read for an order in doubt", () => {
  test.each([order, "orders resolve 1.1 --not-created --yes"])("courier %s", async (words) => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ method: "POST", path: "/api/v1/orders", kind: "drop_before" }]);
    expect((await home.courier(order)).exit).toBe(6);
    home.sandbox.faults.clear();
    const { transport, hasLocked } = await lockWhileListing(home);
    const { exit, stderr } = await home.courier(words, { transport });
    expect(hasLocked()).toBe(true);
    expect(stderr).toMatch(/^error: the ledger cannot be used: another program keeps it locked: /m);
    expect([exit, posts(home)], stderr).toEqual([5, 1]);
    expect(stderr).toContain("hint: end the one that hangs");
  });
});

test("an order is sent once the ledger is free, and compared with what is in it", async () => {
  const home = await homeWithLockedLedger();
  afterWait(home, 2_000, () => home.other.exec("ROLLBACK"));
  const ran = await home.courier(order);
  expect(ran.stderr).toMatch(/^waiting for another courier process.*\nerror: the same order was sent/);
  expect([ran.exit, posts(home)]).toEqual([2, 1]);
});

test.each([130, 143] as const)(
  "a signal ends the wait for the ledger at once: exit %i",
  async (signalExit) => {
    const home = await homeWithLockedLedger();
    const interruption = new AbortController();
    const fromMs = home.clock.elapsed();
    afterWait(home, 2_000, () => interruption.abort(interrupted(signalExit)));
    const { exit, stderr } = await home.courier(`${order} --allow-duplicate`, {
      signal: interruption.signal,
    });
    expect([exit, posts(home)]).toEqual([signalExit, 1]);
    expect(stderr).toContain(`error: ${signalExit === 130 ? "interrupted" : "terminated"}\n`);
    expect(home.clock.elapsed() - fromMs).toBeLessThan(2_500);
  },
);

test.each([`${order} --allow-duplicate`, "sandbox reset --yes"])(
  "a long wait for the sandbox is told, too: %s",
  async (words) => {
    const home = await createHome({ COURIER_ACCOUNT: "sandbox" });
    expect((await home.courier(order)).exit).toBe(0);
    const file = storedOrdersPath(sandboxDirectory(home.stateDir));
    const other = (await loadDriver()).open(file);
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    afterWait(home, 2_000, () => other.exec("ROLLBACK"));
    const { exit, stderr } = await home.courier(`${words} --no-input`);
    expect(stderr).toContain(`waiting for another courier process that is writing to ${file}…\n`);
    expect(exit).toBe(0);
  },
);

test("an import that waits for the ledger ends at a signal, and sends nothing", async () => {
  const home = await homeWithLockedLedger();
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(row("A-1")));
  const interruption = new AbortController();
  afterWait(home, 2_000, () => interruption.abort(interrupted(130)));
  const ran = await home.courier(`orders import ${file} --yes`, { signal: interruption.signal });
  expect([ran.exit, posts(home)]).toEqual([130, 1]);
});

test("an order whose answer a signal cuts off stays in doubt although the ledger is locked", async () => {
  const home = await createServedHome();
  expect((await home.courier(order)).exit).toBe(0);
  const other = (await loadDriver()).open(ledgerPath(home.stateDir));
  onTestFinished(() => other.close());
  const interruption = new AbortController();
  home.sandbox.faults.add({ kind: "latency", ms: 1, method: "POST" });
  const { sleep } = home.clock;
  home.clock.sleep = async (...given) => {
    if (posts(home) > 1 && !interruption.signal.aborted) {
      other.exec("BEGIN IMMEDIATE");
      interruption.abort(interrupted(130));
    }
    await sleep(...given);
  };
  const different = `${order.replace("name C", "name D")} --json`;
  const { exit, stderr } = await home.courier(different, { signal: interruption.signal });
  expect(exit).toBe(130);
  expect(stderr).toContain("may or may not have been created");
  other.exec("ROLLBACK");
  const again = await home.courier(different);
  expect([again.exit, posts(home)]).toEqual([2, 2]);
});

test("a list does not wait for the ledger only to offer its orders at the Tab key", async () => {
  const home = await homeWithLockedLedger();
  const elsewhere = path.join(home.directory, "elsewhere");
  expect(
    (await home.courier(`${order} --allow-duplicate`, { env: { COURIER_STATE_DIR: elsewhere } })).exit,
  ).toBe(0);
  const fromMs = home.clock.elapsed();
  const { exit, stdout, stderr } = await home.courier("orders list --json");
  expect([exit, JSON.parse(stdout).length, stderr]).toEqual([0, 2, ""]);
  expect(home.clock.elapsed() - fromMs).toBeLessThan(500);
});

test("a change of the config file ends at a signal while another process changes it", async () => {
  const home = await createServedHome();
  expect((await home.courier("addresses add shop --name A")).exit).toBe(0);
  const release = await takeLock(path.join(home.configDir, "config.json"), "config file");
  onTestFinished(release);
  const interruption = new AbortController();
  const ending = home.courier("addresses add li --name B", { signal: interruption.signal });
  await Promise.resolve();
  interruption.abort(interrupted(130));
  const { exit, stderr } = await ending;
  expect([exit, stderr]).toEqual([130, "error: interrupted\n"]);
});
