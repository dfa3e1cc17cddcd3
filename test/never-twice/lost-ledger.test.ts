/** A ledger that somebody removes or replaces while orders are sent: sending stops, and what was created is told. */

import { mkdirSync, renameSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { openLedger } from "../../src/ledger/ledger.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { personWho, shortForm } from "../support/answering.ts";
import type { Ran } from "../support/courier.ts";
import { createImportHome, type ImportHome, row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { Capture } from "../support/streams.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const ways: Readonly<Record<string, (stateDir: string) => unknown>> = {
  removed: (stateDir) => rmSync(stateDir, { recursive: true }),
  "removed and made anew": (stateDir) => {
    rmSync(stateDir, { recursive: true });
    mkdirSync(stateDir, { mode: 0o700 });
  },
  "moved away": (stateDir) => renameSync(stateDir, `${stateDir}.old`),
  "replaced by another": (stateDir) => {
    renameSync(ledgerPath(`${stateDir}.other`), ledgerPath(stateDir));
  },
};

const rowCount = 40;

async function createHome(rows: number): Promise<ImportHome> {
  const home = await createImportHome(
    sheet(...Array.from({ length: rows }, (_, index) => row(`A-${index}`, `王${index}`))),
  );
  await mkdir(`${home.stateDir}.other`);
  await (await openLedger(`${home.stateDir}.other`)).close();
  return home;
}

/** Does it while the service is at work on a certain request for a new order. */
function duringPost(home: ImportHome, number: number, act: () => unknown): void {
  home.sandbox.faults.add({ kind: "latency", ms: 1, method: "POST" });
  const { sleep } = home.clock;
  let isDone = false;
  home.clock.sleep = async (...given) => {
    if (!isDone && home.posts >= number) {
      isDone = true;
      await act();
    }
    await sleep(...given);
  };
}

/** The error as JSON; a warning about the end of the run comes after it. */
function toldError({ stderr }: Pick<Ran, "stderr">): { code: string; message: string; hint: string } {
  return JSON.parse(stderr.split("\n").find((line) => line.startsWith("{")) ?? "").error;
}

describe.each(Object.entries(ways))("%s", (_name, lose) => {
  test("in the middle of an import: nothing more is sent, and each created row is reported", async () => {
    const home = await createHome(rowCount);
    duringPost(home, 10, () => lose(home.stateDir));
    const ran = await home.run();
    expect(ran.exit).toBe(6);
    const error = toldError(ran);
    expect(error.code).toBe("ledger_lost");
    expect(error.message).toMatch(
      /^the import stopped after \d+ created orders: the ledger was removed or replaced while courier was using it: .*ledger\.db; \d+ created orders? (?:was|were) not recorded: [\d, ]+$/,
    );
    expect(error.hint).toMatch(/^do not import this file again unchanged: .* courier orders list --all; /);
    expect(home.posts, "what had been begun").toBeLessThanOrEqual(18);
    const created = ran.report.filter(({ outcome }) => outcome === "created");
    expect(created).toHaveLength(home.posts);
    expect(await home.receivers()).toHaveLength(home.posts);
  });

  test("in the middle of an import that writes the sheet back: no sheet is promised for the next run", async () => {
    const home = await createHome(3);
    duringPost(home, 2, () => lose(home.stateDir));
    const ran = await home.run("--write-back back.csv");
    expect(ran.exit).toBe(6);
    expect(ran.stderr).not.toContain("fills them in");
    expect(ran.stderr).toContain("warning: the sheet was not written back, since the ledger is gone");
  });

  test("while the last row is sent: it is reported, and the import does not end well", async () => {
    const home = await createHome(1);
    duringPost(home, 1, () => lose(home.stateDir));
    const ran = await home.run();
    expect([ran.exit, ran.report.map(({ outcome }) => outcome)]).toEqual([6, ["created"]]);
  });

  test("while answers get lost: no row in doubt gives the advice to import again", async () => {
    const home = await createHome(3);
    duringPost(home, 3, () => lose(home.stateDir));
    home.sandbox.faults.add({ kind: "drop_after", method: "POST", path: "/api/v1/orders" });
    const ran = await home.run();
    expect([ran.exit, toldError(ran).code]).toEqual([6, "ledger_lost"]);
    const doubts = ran.report.filter(({ outcome }) => outcome === "unknown");
    expect(doubts.length).toBeGreaterThan(0);
    for (const { error } of doubts)
      expect(error?.message).toBe(
        "in doubt, and the ledger is lost: look for its order in the list before you import the row again",
      );
  });

  test("after the last row was recorded: it is noticed before the end", async () => {
    const home = await createHome(1);
    let isLost = false;
    const stdout = new Capture();
    const write = stdout.write.bind(stdout);
    stdout.write = (...given: unknown[]) => {
      if (!isLost) lose(home.stateDir);
      isLost = true;
      return write(...(given as [string]));
    };
    const ran = await home.run("", { stdout });
    expect([ran.exit, ran.report.map(({ outcome }) => outcome)]).toEqual([6, ["created"]]);
  });

  const single = ["orders", "create", "--file", "-", "--ref", "A-1", "--json"];
  const raw = ["api", "POST", "orders", "--input", "-", "--json"];
  const stdin = JSON.stringify(plainDraft);

  test.each([
    ["orders create", single],
    ["a raw call", raw],
  ])(
    "while %s is sent: it is told that no ledger has the order, and not to send it again",
    async (_way, words) => {
      const home = await createHome(1);
      duringPost(home, 1, () => lose(home.stateDir));
      const ran = await home.courier([...words, "--quiet"], { stdin });
      const error = toldError(ran);
      expect([ran.exit, error.code, home.posts], ran.stderr).toEqual([6, "ledger_lost", 1]);
      expect(error.message).toContain("order 1000001 was created, but the ledger could not record it");
      expect(error.hint).toContain("do not send it again");
    },
  );

  test("while the answer to orders create gets lost: no hint says to run the command again", async () => {
    const home = await createHome(1);
    duringPost(home, 1, () => lose(home.stateDir));
    home.sandbox.faults.add({ kind: "drop_after", method: "POST", path: "/api/v1/orders" });
    const ran = await home.courier(single, { stdin });
    const { code, hint, message } = toldError(ran);
    expect([ran.exit, code]).toEqual([6, "outcome_unknown"]);
    expect(message).not.toContain("not listed");
    expect(hint).toBe(
      "before you send it again, look for the order: courier orders list --all; a new ledger does not know which orders were sent",
    );
  });

  test("before the second try of orders create: it is not sent, and the ledger is named, not the network", async () => {
    const home = await createHome(1);
    home.sandbox.faults.add({ kind: "rate_limit", method: "POST", path: "/api/v1/orders", times: 1 });
    const { sleep } = home.clock;
    let isLost = false;
    home.clock.sleep = async (...given) => {
      if (!isLost && home.posts > 0) {
        isLost = true;
        lose(home.stateDir);
      }
      await sleep(...given);
    };
    const ran = await home.courier([...single, "--timeout", "20s", "--quiet"], { stdin });
    const { message, hint } = toldError(ran);
    expect([ran.exit, home.posts, await home.receivers()], ran.stderr).toEqual([5, 1, []]);
    expect(ran.stderr).toMatch(/^warning: the ledger could not record it: /m);
    expect(ran.stderr).toMatch(/^warning: the end of this run could not be recorded: /m);
    expect(message).toBe("the order was not sent: the ledger did not confirm that only this run sends it");
    expect(hint).toBe("see what was done: courier log");
  });

  test("before a single order leaves: it is not sent", async () => {
    const home = await createHome(1);
    const order = [
      "orders",
      "create",
      "--sender-name",
      "A",
      "--receiver-name",
      "B",
      "--item-name",
      "C",
      "--json",
    ];
    home.sandbox.faults.add({ kind: "latency", ms: 1, method: "GET" });
    const { sleep } = home.clock;
    let isLost = false;
    home.clock.sleep = async (...given) => {
      if (!isLost) lose(home.stateDir);
      isLost = true;
      await sleep(...given);
    };
    const ran = await home.courier(order);
    expect([ran.exit, toldError(ran).code, home.posts]).toEqual([5, "ledger_lost", 0]);
  });
});

test("an order that the form has sent is no draft: its end says nothing of one", async () => {
  const home = await createUnfaithfulHome();
  home.service.ways = { before: async () => rmSync(home.stateDir, { recursive: true }) };
  const person = personWho(...shortForm(), ["What now?", "Send this order"]);
  const ran = await home.courier("orders create", { terminal: 80, prompts: person });
  expect([ran.exit, home.service.orders.length], ran.stderr).toEqual([6, 1]);
  expect(ran.stderr).toContain("do not send it again");
  expect(ran.stderr).not.toContain("draft");
});
