/** Imports at the same time: they share the rows, each row is sent once, and each of them reports all rows. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { type JsonObject, stringifyJson } from "../../src/model/json.ts";
import { createImportHome, type ImportHome, outcomes, row, sheet, withLedger } from "../support/imports.ts";
import { until } from "../support/process.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const post = { method: "POST", path: "/api/v1/orders" } as const;
const words = "--concurrency 2";
const countTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe("several imports of one account at once", () => {
  test.each<[string, (rows: readonly string[]) => readonly string[]]>([
    ["the same file", (rows) => rows],
    ["a re-sorted copy", (rows) => rows.toReversed()],
  ])("of %s: each row once, and all of them report all rows", async (_what, sort) => {
    const rows = countTo(30).map((index) => row(index % 3 === 0 ? "" : `A-${index}`, `名${index % 5}`));
    const home = await createImportHome(sheet(...rows));
    home.sandbox.faults.set([{ ...post, kind: "latency", ms: 3 }]);
    const copy = await home.put(sheet(...sort(rows)), "copy.csv");
    const all = await Promise.all([
      home.run(words),
      home.importFile(copy, words),
      home.importFile("-", words, { stdin: sheet(...rows) }),
    ]);
    expect(home.posts).toBe(30);
    for (const { exit, report, stderr } of all) {
      expect(exit, stderr).toBe(0);
      expect(report.map(({ row: number }) => number)).toEqual(countTo(30));
      expect(new Set(report.map(({ id }) => id)).size, "each row its own order").toBe(30);
    }
    const made = all.flatMap(({ report }) => report).filter(({ outcome }) => outcome === "created");
    expect(made).toHaveLength(30);
  });

  test("of overlapping files: the refs that both have ship once", async () => {
    const home = await createImportHome(sheet(...countTo(20).map((index) => row(`A-${index}`))));
    home.sandbox.faults.set([{ ...post, kind: "latency", ms: 3 }]);
    const other = await home.put(sheet(...countTo(20).map((index) => row(`A-${index + 10}`))), "other.csv");
    const both = await Promise.all([home.run(words), home.importFile(other, words)]);
    expect(both.map(({ exit }) => exit)).toEqual([0, 0]);
    expect(both.map(({ report }) => report.length)).toEqual([20, 20]);
    expect(home.posts).toBe(30);
  });

  test("of different files with an equal row without a ref: one ships it, the other holds it", async () => {
    const home = await createImportHome(sheet(row("", "王五"), row("", "赵六")));
    home.sandbox.faults.set([{ ...post, kind: "latency", ms: 3 }]);
    const other = await home.put(sheet(row("", "王五"), row("", "孙七")), "other.csv");
    const both = await Promise.all([home.run(words), home.importFile(other, words)]);
    expect(both.map(({ exit }) => exit).sort()).toEqual([0, 3]);
    expect([...(await home.receivers())].sort()).toEqual(["孙七", "王五", "赵六"].sort());
  });

  test("one that the service told to wait makes the others wait, too", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    expect((await home.run(words)).exit).toBe(0);
    await withLedger(home.stateDir, (ledger) =>
      ledger.noteRest(1, { untilMs: home.clock.now() + 20_000, waitMs: 20_000 }, home.clock.now()),
    );
    const other = await home.put(sheet(row("B-1"), row("B-2")), "other.csv");
    const startedMs = home.clock.elapsed();
    const { exit, stderr } = await home.importFile(other, words);
    expect([exit, home.posts], stderr).toEqual([0, 3]);
    expect(home.clock.elapsed() - startedMs).toBeGreaterThanOrEqual(20_000);
    expect(home.clock.elapsed() - startedMs).toBeLessThan(25_000);

    // A clock that was set back since makes no wait longer than the service asked for.
    await withLedger(home.stateDir, (ledger) =>
      ledger.noteRest(1, { untilMs: home.clock.now() + 20_000, waitMs: 20_000 }, home.clock.now()),
    );
    home.clock.jump(-3_600_000);
    const third = await home.put(sheet(row("C-1")), "third.csv");
    const thirdMs = home.clock.elapsed();
    expect((await home.importFile(third, words)).exit).toBe(0);
    expect(home.clock.elapsed() - thirdMs).toBeLessThan(21_000);
  });

  test.each([5, 7, 14, 23])(
    "with answers lost to each of them: each row once, and none in doubt (%s)",
    async (seed) => {
      const rows = countTo(24).map((index) => row(index % 2 === 0 ? "" : `A-${index}`, `名${index % 4}`));
      const home = await createImportHome(sheet(...rows));
      home.sandbox.faults.set([
        { ...post, kind: "drop_after", probability: 0.2, seed },
        { ...post, kind: "drop_before", probability: 0.2, seed: seed + 2 },
      ]);
      const faithful = `${words} --settle 10s`;
      const both = await Promise.all([home.run(faithful), home.run(faithful)]);
      home.sandbox.faults.clear();
      const last = await home.run("--settle 10s");
      expect(last.exit, [...both, last].map(({ stderr }) => stderr).join("\n")).toBe(0);
      expect(new Set(last.report.map(({ id }) => id)).size).toBe(24);
      expect(await home.receivers()).toHaveLength(24);
      const states = new Set((await home.operations()).map(({ state }) => state));
      expect([...states].filter((state) => ["ready", "sending", "unknown"].includes(state))).toEqual([]);
    },
  );
});

test.each(["", "A-1"])(
  "a row that one reports as refused, and another one sends meanwhile, is named at the end: ref “%s”",
  async (ref) => {
    const home = await createImportHome(sheet(row(ref)));
    const message = "not today";
    home.sandbox.faults.set([
      { ...post, kind: "refuse", status: 400, code: "INVALID_PARAMETER", message, times: 1 },
    ]);
    expect((await home.run(words)).exit).toBe(3);

    await home.put(sheet(row(ref), ...countTo(30).map((index) => row(`B-${index}`, `名${index}`))));
    home.sandbox.faults.set([{ ...post, kind: "latency", ms: 3 }]);
    const rejects = path.join(home.directory, "rejects.csv");
    const running = home.run(`--concurrency 1 --rejects ${rejects}`);
    await until("it sends", () => home.posts >= 3);
    const other = await home.run("--concurrency 1 --retry-refused");
    const { exit, report, stderr } = await running;
    expect([exit, report[0]?.outcome, other.exit, other.report[0]?.outcome]).toEqual([
      3,
      "refused",
      0,
      "created",
    ]);
    expect(stderr).toContain(
      `warning: row 1 was refused, and another courier process has sent it since: take it out of ${rejects}\n`,
    );
    expect(other.stderr).not.toContain("since");

    await home.put(sheet(row(ref), row("C-1", "周八")));
    const later = await home.run(words);
    expect([later.exit, outcomes(later.report)]).toEqual([0, "shipped created"]);
  },
);

test("equal rows of which one is refused and the other one sent are both told as they are", async () => {
  const home = await createImportHome(sheet(row(""), row("")));
  home.sandbox.faults.set([
    { ...post, kind: "refuse", status: 400, code: "INVALID_PARAMETER", message: "no", times: 1 },
  ]);
  const { exit, report, stderr } = await home.run("--concurrency 1");
  expect([exit, outcomes(report)]).toEqual([3, "refused created"]);
  expect(stderr).not.toContain("since");
});

test.each([
  ["", "refused", undefined],
  ["--retry-refused", "created", "row 1 was refused, and another courier process has sent it since"],
])(
  "of equal rows, one that is refused is not the other one, which another process sends %s",
  async (flag, first, warning) => {
    const between = countTo(30).map((index) => row(`B-${index}`, `名${index}`));
    const home = await createImportHome(sheet(row(""), ...between, row("")));
    home.sandbox.faults.set([
      { ...post, kind: "refuse", status: 400, code: "INVALID_PARAMETER", message: "no", times: 1 },
      { ...post, kind: "latency", ms: 3, times: 10 },
    ]);
    const running = home.run("--concurrency 1");
    await until("it sends", () => home.posts >= 3);
    const other = await home.run(`--concurrency 8 ${flag}`);
    const { report, stderr } = await running;
    expect([report[0]?.outcome, report.at(-1)?.outcome]).toEqual(["refused", "shipped"]);
    expect([other.report[0]?.outcome, other.report.at(-1)?.outcome]).toEqual([first, "created"]);
    if (warning === undefined) expect(stderr).not.toContain("since");
    else expect(stderr).toContain(warning);
  },
);

/** An import of two rows whose requests get no answer before `wakeUp`, which is called after `wakesAfterMs`. */
async function stopWhileSending(wakesAfterMs = Number.POSITIVE_INFINITY) {
  const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五")));
  const latencyMs = 3;
  home.sandbox.faults.set([{ ...post, kind: "latency", ms: latencyMs }]);
  const { clock } = home;
  const sleep = clock.sleep.bind(clock);
  let wakeUp = () => {};
  const isAwake = new Promise<void>((resolve) => {
    wakeUp = resolve;
  });
  const fromMs = clock.elapsed();
  clock.sleep = async (delayMs, signal) => {
    if (delayMs === latencyMs) await isAwake;
    else if (clock.elapsed() - fromMs > wakesAfterMs) wakeUp();
    return sleep(delayMs, signal);
  };
  const stopped = home.run("--concurrency 2");
  await until("its rows are sent", () => home.posts === 2);
  return { home, stopped, wakeUp: () => wakeUp(), fromMs };
}

test("beside a process that is stopped, the wait names it", async () => {
  const { home, stopped } = await stopWhileSending(20_000);
  const ran = await home.run();
  expect(ran.stderr).toContain(`another courier process (pid ${process.pid}) is sending 2 rows of this file`);
  expect([(await stopped).exit, ran.exit, home.posts]).toEqual([0, 0, 2]);
});

test("beside a process that stays stopped, it ends after five minutes and says which one that is", async () => {
  const { home, stopped, wakeUp, fromMs } = await stopWhileSending();
  const ran = await home.run();
  expect(home.clock.elapsed() - fromMs).toBeLessThan(6 * 60_000);
  expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([6, "unknown unknown"]);
  const reason = `another courier process (pid ${process.pid}) has been sending it for 5 min`;
  expect(ran.report[0]?.error?.message).toBe(
    `${reason}: let that process go on, or end it, and run the import again; if you know that it has ended: courier orders resolve 1.1`,
  );
  wakeUp();
  expect([(await stopped).exit, home.posts]).toEqual([0, 2]);
});

test.each(["is sending", "has sent"])(
  "one that is stopped reports the rows that another one %s",
  async (at) => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五")));
    const latencyMs = 3;
    home.sandbox.faults.set([{ ...post, kind: "latency", ms: latencyMs }]);
    const { clock } = home;
    const sleep = clock.sleep.bind(clock);
    const stop = new AbortController();
    let wakeUp = () => {};
    const isAwake = new Promise<void>((resolve) => {
      wakeUp = resolve;
    });
    const fromMs = clock.elapsed();
    let sending: ReturnType<ImportHome["run"]> | undefined;
    clock.sleep = async (delayMs, signal) => {
      if (delayMs === latencyMs) await isAwake;
      else if (clock.elapsed() - fromMs > 20_000) {
        if (at === "has sent") {
          wakeUp();
          await sending;
        }
        stop.abort(interrupted(130));
      }
      return sleep(delayMs, signal);
    };
    sending = home.run("--concurrency 2");
    await until("its rows are sent", () => home.posts === 2);
    const ran = await home.run("", { signal: stop.signal });
    const outcome = at === "has sent" ? "shipped" : "unknown";
    expect(ran.report.map((each) => [each.ref, each.outcome])).toEqual([
      ["A-1", outcome],
      ["A-2", outcome],
    ]);
    expect(ran.exit, ran.stderr).toBe(at === "has sent" ? 0 : 130);
    expect(ran.stderr).not.toContain("not sent");
    wakeUp();
    expect([(await sending).exit, home.posts]).toEqual([0, 2]);
  },
);

test("a process that was paused sends nothing that another one has taken over", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五"), row("A-3", "赵六")));
  const { clock } = home;
  const sleep = clock.sleep.bind(clock);
  let taken = 0;
  clock.sleep = async (delayMs, signal) => {
    taken += await withLedger(home.stateDir, (ledger) => takeOver(ledger, home));
    return sleep(delayMs, signal);
  };
  const ran = await home.run("--concurrency 1 --rate 1");
  expect(taken).toBeGreaterThan(0);
  expect([ran.exit, ran.report.length]).toEqual([0, 3]);
  expect([...(await home.receivers())].sort()).toEqual(["李四", "王五", "赵六"].sort());
  expect(home.posts).toBe(3);
});

/** What another process does with rows of a run that it takes for dead: it sends them itself. */
async function takeOver(ledger: Ledger, { sandbox, clock }: ImportHome): Promise<number> {
  const claimed = (await ledger.listOperations(1)).filter(({ state }) => state === "sending");
  if (claimed.length === 0) return 0;
  await ledger.releaseRun(1, clock.now());
  for (const operation of claimed) {
    const answer = await fetch(`${sandbox.baseUrl}/api/v1/orders`, {
      method: "POST",
      headers: { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" },
      body: stringifyJson(operation.draft as JsonObject),
    });
    const { data } = (await answer.json()) as { data: { id: number } };
    const order = { id: String(data.id), order_no: null, tracking_number: null, estimated_fee: null };
    await ledger.settleCreate(operation, { state: "found", order }, clock.now());
  }
  return claimed.length;
}

test("a copy that is imported while the question is open has all the rows, and the first finds them shipped", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2")));
  const copy = await home.put(await readFile(home.file), "copy.csv");
  const meanwhile: string[] = [];
  const prompts = {
    ...scriptedPrompts({}),
    async confirm() {
      const ran = await home.importFile(copy);
      meanwhile.push(`${ran.exit} ${outcomes(ran.report)}`);
      return true;
    },
  };
  const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
  expect(meanwhile).toEqual(["0 created created"]);
  expect(ran.exit).toBe(0);
  expect(ran.stderr).toContain("2 rows: 0 created, 2 already shipped\n");
  expect(home.posts).toBe(2);
});

test("imports of two accounts know nothing of each other", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  const env = { COURIER_BASE_URL: "", COURIER_API_KEY: "" };
  const both = await Promise.all([home.run(), home.run("--account sandbox", { env })]);
  expect(both.map(({ exit, report }) => `${exit} ${outcomes(report)}`)).toEqual(["0 created", "0 created"]);
});
