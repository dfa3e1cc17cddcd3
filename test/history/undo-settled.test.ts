/** `courier undo`: what another process does with an order in doubt while the question stands. */

import { describe, expect, test } from "vitest";
import type { CreateOutcome } from "../../src/ledger/operation.ts";
import { createServedHome } from "../support/courier.ts";
import {
  createImportHome,
  type ImportHome,
  lostForNow,
  outcomes,
  row,
  sheet,
  withLedger,
} from "../support/imports.ts";
import { createOrder, plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

/** The order of the first row was made; the answer to the second is lost. */
async function createHomeInDoubt(kind: "drop_before" | "drop_after", ref = "A-1") {
  const home = await createImportHome(sheet(row("A-0", "王五", "13900139001"), row(ref)));
  home.sandbox.faults.set(
    lostForNow(kind).map((rule, index) => (index === 0 ? { ...rule, after: 1 } : rule)),
  );
  expect(outcomes((await home.run("--concurrency 1")).report)).toBe("created unknown");
  return home;
}

/** Undoes the first run; something happens while the question stands, which is answered with yes. */
async function undoWhile(home: ImportHome, happen: () => Promise<void>, words = "undo 1") {
  const prompts = scriptedPrompts({ confirms: [true] });
  const asking = {
    ...prompts,
    async confirm(question: string) {
      await happen();
      return prompts.confirm(question);
    },
  };
  const ran = await home.courier(words, { terminal: 160, prompts: asking });
  expect(prompts.asked[0], ran.stderr).toContain("1 order in doubt will not be sent again");
  expect(ran.stdout + ran.stderr).not.toMatch(/in doubt: (it|1)/);
  return ran;
}

/** Another process imports the same file, and the service has recovered. */
const importAgain = (home: ImportHome) => async () => {
  home.sandbox.faults.clear();
  home.clock.advance(60_000);
  expect((await home.run("--settle 1s")).exit).toBe(0);
};

/** Another process settles it at once, so that the answer is not late. */
const settle = (home: ImportHome, outcome: CreateOutcome) => () =>
  withLedger(home.stateDir, async (ledger) => {
    const name = { run: 1, number: 2 };
    expect(await ledger.settleCreate(name, outcome, home.clock.now())).toBe(true);
  });

const stateOfSecond = async (home: ImportHome) => {
  const { state, isUnwanted } = (await home.operations())[1] ?? {};
  return [state, isUnwanted];
};

describe("one that was not made", () => {
  test("and was sent again is named, with the new order", async () => {
    const home = await createHomeInDoubt("drop_before");
    const { exit, stdout, stderr } = await undoWhile(home, importAgain(home));
    expect(exit, stderr).toBe(3);
    expect(stdout).toContain("not made; sent again as 2.1 (order 1000002)");
    expect(stderr).toContain("1 of 2 orders of run 1 cancelled; not made: 1.2\n");
    expect(stderr).toContain("to see what was sent since: courier log\n");
    expect(await stateOfSecond(home)).toEqual(["unsent", false]);
    expect(outcomes((await home.run()).report)).toBe("cancelled shipped");
  });

  test.each(["A-1", ""])("is not called in doubt after an answer at once (ref “%s”)", async (ref) => {
    const home = await createHomeInDoubt("drop_before", ref);
    const { exit, stdout, stderr } = await undoWhile(home, settle(home, { state: "unsent" }));
    expect(exit, stderr).toBe(3);
    expect(stdout).toContain("not made; an import sends it again, or has sent it");
    expect(await stateOfSecond(home)).toEqual(["unsent", false]);
  });
});

test("a single create that was not made is sent again by no import", async () => {
  const home = await createServedHome();
  home.sandbox.faults.set(lostForNow("drop_before"));
  const stdin = JSON.stringify(plainDraft);
  expect((await home.courier("orders create --file - --yes", { stdin })).exit).toBe(6);
  const prompts = {
    ...scriptedPrompts({}),
    async confirm() {
      await withLedger(home.stateDir, (ledger) =>
        ledger.settleCreate({ run: 1, number: 1 }, { state: "unsent" }, home.clock.now()),
      );
      return true;
    },
  };
  const { exit, stdout, stderr } = await home.courier("undo 1", { terminal: 160, prompts });
  expect(exit, stderr).toBe(3);
  expect(stdout).toMatch(/ not made *$/m);
});

describe("one that was found", () => {
  test("is named, left alone, and cancelled where it is asked for", async () => {
    const home = await createHomeInDoubt("drop_after");
    const { exit, stdout, stderr } = await undoWhile(home, importAgain(home));
    expect(exit, stderr).toBe(3);
    expect(stdout).toContain("found after its answer was lost; --include-found cancels it too");
    expect(stderr).toContain("1 of 2 orders of run 1 cancelled; not cancelled: 1000002 (pending)\n");
    expect(await stateOfSecond(home)).toEqual(["found", false]);
    const again = await home.courier("undo 1 --yes --include-found");
    expect(again.exit, again.stderr).toBe(0);
  });

  test("is left alone with --include-found, too: the question was not about it", async () => {
    const home = await createHomeInDoubt("drop_after");
    const { exit, stderr } = await undoWhile(home, importAgain(home), "undo 1 --include-found");
    expect(exit, stderr).toBe(3);
    expect(stderr).toContain("not cancelled: 1000002 (pending)\n");
    expect(stderr).toContain("run the same command again: it asks about what has changed");
  });

  test.each([
    ["undo 1", "add --include-found to cancel orders that were found or confirmed later"],
    ["undo 1 --include-found", "run the same command again: it asks about what has changed"],
  ])("is named after an answer at once: %s", async (words, hint) => {
    const home = await createHomeInDoubt("drop_after");
    const order = { id: "1000002", order_no: null, tracking_number: null, estimated_fee: null };
    const found = { state: "found", order, orderState: "pending" } as const;
    const { exit, stdout, stderr } = await undoWhile(home, settle(home, found), words);
    expect(exit, stderr).toBe(3);
    expect(stderr).toContain("1 of 2 orders of run 1 cancelled; not cancelled: 1000002 (pending)\n");
    expect(stderr).toContain(hint);
    expect(stdout.includes("--include-found cancels it too")).toBe(!words.includes("--include-found"));
    expect(await stateOfSecond(home)).toEqual(["found", false]);
  });

  test("by a person, who confirmed what its answer had named, is not called lost", async () => {
    const home = await createServedHome();
    await createOrder(home);
    await withLedger(home.stateDir, (ledger) => ledger.markShown({ run: 1, number: 1 }, true));
    expect((await home.courier("orders resolve 1.1 --as 1000001 --yes")).exit).toBe(0);
    const { exit, stdout, stderr } = await home.courier("undo 1 --yes --json");
    expect(exit, stderr).toBe(3);
    expect(JSON.parse(stdout)[0].message).toBe(
      "confirmed with orders resolve --as; --include-found cancels it too",
    );
    expect(stderr).not.toContain("lost");
  });
});
