/** courier orders import while it sends: pace, limits, a failing service, Ctrl-C, stdin, senders and columns. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import { enter, personWho } from "../support/answering.ts";
import { answerRaw } from "../support/answers.ts";
import {
  createImportHome,
  errorOf,
  header,
  type ImportHome,
  outcomes,
  row,
  sheet,
} from "../support/imports.ts";
import { withLedger } from "../support/ledger.ts";
import { createOrder } from "../support/orders.ts";
import { until } from "../support/process.ts";

const post = { method: "POST", path: "/api/v1/orders" } as const;
const rowsOf = (count: number) => sheet(...Array.from({ length: count }, (_, index) => row(`A-${index}`)));

describe("pace", () => {
  test("--rate spaces the requests evenly", async () => {
    const home = await createImportHome(rowsOf(5));
    const startMs = home.clock.now();
    expect((await home.run("--rate 2 --concurrency 1")).exit).toBe(0);
    expect(home.clock.delays).toEqual([500, 500, 500, 500]);
    expect(home.clock.now() - startMs).toBe(2_000);
  });

  test.each([
    ["", 4],
    ["--concurrency 7", 7],
    ["--concurrency 1", 1],
  ])("no more rows are sent at once than allowed: “%s”", async (words, limit) => {
    const home = await createImportHome(rowsOf(40));
    home.sandbox.faults.set([{ ...post, kind: "stall" }]);
    const interruption = new AbortController();
    const running = home.run(words, { signal: interruption.signal });
    await until("all are under way", () => home.posts >= limit);
    for (let trips = 0; trips < 20; trips++) await fetch(home.sandbox.baseUrl); // time enough for one more
    expect(home.posts).toBe(limit);
    interruption.abort(interrupted(130));
    for (let turns = 0; turns < 50; turns++) await turn();
    home.clock.advance(60_000); // the deadline of those that stall
    expect((await running).exit).toBe(130);
    expect(home.posts).toBe(limit);
  });

  test("429 with Retry-After holds all rows up once, and nothing is sent twice", async () => {
    const home = await createImportHome(rowsOf(12));
    home.sandbox.faults.set([{ ...post, kind: "rate_limit", retryAfter: "7", after: 4, times: 1 }]);
    const startMs = home.clock.now();
    const { exit } = await home.run();
    expect([exit, home.posts]).toEqual([0, 13]);
    expect(Math.max(...home.clock.delays)).toBe(7_000);
    expect(home.clock.now() - startMs).toBe(7_000);
    expect(await home.receivers()).toHaveLength(12);
  });

  test("a rest that was asked for is no silence: one failure after it does not end the import", async () => {
    const home = await createImportHome(rowsOf(3));
    home.sandbox.faults.set([
      { ...post, kind: "rate_limit", retryAfter: "90", times: 1 },
      { ...post, kind: "status", status: 503, times: 1 },
    ]);
    expect((await home.run("--concurrency 1 --settle 10s")).exit).toBe(0);
    expect(await home.receivers()).toHaveLength(3);
  });

  test("orders that were created while one row ended the import are reported and counted", async () => {
    const home = await createImportHome(rowsOf(6));
    home.sandbox.faults.set([{ ...post, kind: "rate_limit", retryAfter: "7200", times: 1 }]);
    const { exit, report, stderr } = await home.run();
    expect(exit).toBe(5);
    const created = await home.receivers();
    expect(created.length).toBeGreaterThan(0);
    expect(outcomes(report)).toBe(created.map(() => "created").join(" "));
    expect(stderr).toContain(`the import stopped after ${created.length} created orders: `);
  });

  test("an order that was found is not counted as created", async () => {
    const home = await createImportHome(rowsOf(2));
    home.sandbox.faults.set([
      { ...post, kind: "drop_after", times: 1 },
      { ...post, kind: "drop_before", times: 1 },
      { ...post, kind: "rate_limit", retryAfter: "7200" },
    ]);
    const { exit, report, stderr } = await home.run("--concurrency 3 --settle 1s");
    expect([exit, outcomes(report)]).toEqual([5, "found"]);
    expect(stderr).toContain("2 rows: 0 created, 1 found, 1 not sent");
    expect(stderr).toContain("the import stopped after 0 created orders and 1 found: ");
  });

  test("an order that was found before the import stopped is reported, not counted as not sent", async () => {
    const home = await createImportHome(rowsOf(2));
    home.sandbox.faults.set([
      { ...post, kind: "drop_after", times: 1 },
      { ...post, kind: "rate_limit", retryAfter: "7200" },
    ]);
    const { exit, report, stderr } = await home.run("--concurrency 1 --settle 1s");
    expect(stderr).toContain("2 rows: 0 created, 1 found, 1 not sent");
    expect([exit, outcomes(report)]).toEqual([5, "found"]);
    home.sandbox.faults.clear();
    expect(outcomes((await home.run()).report)).toBe("shipped created");
  });

  test("a wait of hours is not sat through: exit 5 says how long", async () => {
    const home = await createImportHome(rowsOf(3));
    home.sandbox.faults.set([{ ...post, kind: "rate_limit", retryAfter: "7200" }]);
    const { exit, stderr } = await home.run("--concurrency 1");
    expect(exit).toBe(5);
    expect(stderr).toContain("it asks to wait 2 h");
    expect(stderr).toContain("wait 2 h, then run the same command again");
    home.sandbox.faults.clear();
    expect((await home.run()).exit).toBe(0);
    expect(await home.receivers()).toHaveLength(3);
  });
});

describe("a service that cannot be used", () => {
  test("a key that is refused: what to do about it, and no list without rows", async () => {
    const home = await createImportHome(rowsOf(3));
    home.sandbox.faults.set([{ ...post, kind: "status", status: 401 }]);
    const ran = await home.courier(["orders", "import", home.file, "--yes"]);
    expect(ran.exit).toBe(4);
    expect(ran.stderr).toMatch(/\nhint: correct COURIER_API_KEY where it is set, .* courier login/);
    expect(ran.stdout + ran.stderr).not.toContain("No rows");
    expect(ran.stderr).toContain("3 rows: 0 created, 3 not sent");
  });

  test.each([
    ["fails", { kind: "status", status: 503 } as const, 6],
    ["drops every connection", { kind: "drop_before" } as const, 6],
    ["limits without end", { kind: "rate_limit" } as const, 5],
  ])("%s: the import stops, and the same command continues later", async (_what, fault, code) => {
    const home = await createImportHome(rowsOf(60));
    home.sandbox.faults.set([{ ...post, ...fault, after: 10 }]);
    const ran = await home.run();
    expect(ran.exit).toBe(code);
    const inDoubt = ran.report.filter(({ outcome }) => outcome === "unknown");
    const { message, hint } = errorOf(ran);
    if (code === 5) {
      expect(inDoubt).toEqual([]);
      expect(message).toMatch(/^the import stopped after \d+ created orders: /);
      expect(hint).toBe("wait a little, then run the same command again");
    } else {
      expect(message).toMatch(
        new RegExp(
          `^it is not known whether ${inDoubt.length} of 60 orders were created; \\d+ more rows were not sent$`,
        ),
      );
    }
    if (code === 6) expect(inDoubt.length, "few").toBeLessThanOrEqual(12);
    home.sandbox.faults.clear();
    expect((await home.run("--settle 10s")).exit).toBe(0);
    expect(await home.receivers()).toHaveLength(60);
  });

  test("lists an order at once, as COURIER_SETTLE says: the last rows of a first import are settled in 30 s", async () => {
    const home = await createImportHome(rowsOf(5));
    const lostAfterThree = [{ ...post, kind: "drop_before", after: 3, times: 2 } as const];
    home.sandbox.faults.set(lostAfterThree);
    const startMs = home.clock.now();
    const { exit, stderr } = await home.run("--concurrency 1", { env: { COURIER_SETTLE: "10s" } });
    expect(exit, stderr).toBe(0);
    expect(home.clock.now() - startMs).toBeLessThanOrEqual(30_000);
    expect(await home.receivers()).toHaveLength(5);
  });

  test("--settle wins over COURIER_SETTLE; one that is no time is refused before anything is sent", async () => {
    const home = await createImportHome(rowsOf(2));
    home.sandbox.faults.set([{ ...post, kind: "drop_before", times: 1 }]);
    const wrong = await home.run("", { env: { COURIER_SETTLE: "soon" } });
    expect([wrong.exit, home.posts]).toEqual([2, 0]);
    expect(wrong.stderr).toContain("COURIER_SETTLE takes a time such as 90s, 10m or 2h");
    const last = [{ ...post, kind: "drop_before", after: 1, times: 1 } as const];
    home.sandbox.faults.set(last);
    const patient = await home.run("--concurrency 1 --settle 10m", { env: { COURIER_SETTLE: "10s" } });
    expect(patient.exit).toBe(6);
  });

  test("is not reached: exit 5, nothing is in doubt", async () => {
    const home = await createImportHome(rowsOf(3));
    const env = { COURIER_BASE_URL: "http://127.0.0.1:1" };
    const { exit, stderr } = await home.run("", { env });
    expect(exit).toBe(5);
    expect(stderr).toContain("cannot reach 127.0.0.1:1");
  });

  test("a refused key ends it before anything is sent: exit 4", async () => {
    const home = await createImportHome(rowsOf(40));
    const env = { COURIER_API_KEY: "another-key-0000" };
    const { exit, report } = await home.run("", { env });
    expect([exit, report]).toEqual([4, []]);
    expect(home.posts).toBe(0);
  });

  test("a key that is refused in the middle ends it at once: exit 4, and what was created is reported", async () => {
    const home = await createImportHome(rowsOf(40));
    const unauthorized = { kind: "refuse", status: 401, code: "UNAUTHORIZED", message: "revoked" } as const;
    home.sandbox.faults.set([{ ...post, ...unauthorized, after: 8 }]);
    const { exit, report } = await home.run();
    expect([exit, outcomes(report)]).toEqual([4, Array(8).fill("created").join(" ")]);
    expect(home.posts).toBeLessThanOrEqual(12);
    home.sandbox.faults.clear();
    expect((await home.run()).exit).toBe(0);
    expect(await home.receivers()).toHaveLength(40);
  });

  test("a key that is refused before the rows of an earlier run: the totals say that those are shipped", async () => {
    const home = await createImportHome(sheet(row("A-9"), row("A-10")));
    expect((await home.run()).exit).toBe(0);
    await home.put(rowsOf(11));
    const unauthorized = { kind: "refuse", status: 401, code: "UNAUTHORIZED", message: "revoked" } as const;
    home.sandbox.faults.set([{ ...post, ...unauthorized, after: 1 }]);
    const ran = await home.courier(["orders", "import", home.file, "--yes", "--concurrency", "1"]);
    expect([ran.exit, home.posts]).toEqual([4, 4]);
    expect(ran.stderr).toContain("11 rows: 1 created, 2 already shipped, 8 not sent\n");
  });
});

describe("a service that goes away", () => {
  const waits = (stderr: string) => stderr.split("\n").filter((line) => line.startsWith("["));

  test("that refuses connections is told every few seconds, and given up after a minute", async () => {
    const home = await createImportHome(rowsOf(3));
    const { clock } = home;
    const sleep = clock.sleep.bind(clock);
    let startMs: number | undefined;
    clock.sleep = async (delayMs, signal) => {
      if (startMs === undefined) {
        await home.sandbox.close();
        for (let turns = 0; turns < 20; turns++) await turn(); // until the client has seen it
      }
      startMs ??= clock.now();
      return sleep(delayMs, signal);
    };
    const { exit, report, stderr } = await home.run("--rate 2 --concurrency 1");
    expect([exit, outcomes(report)]).toEqual([5, "created"]);
    const elapsedS = (clock.now() - (startMs ?? 0)) / 1_000;
    expect(elapsedS).toBeGreaterThanOrEqual(60);
    expect(elapsedS).toBeLessThanOrEqual(65);
    expect(waits(stderr).length).toBeGreaterThanOrEqual(8);
    expect(waits(stderr)[2]).toMatch(/1\/3 {2}no usable answer from the service for \d+ s, retrying$/);
  });

  test("that takes connections and never answers: silence is told, few rows are in doubt, and it ends", async () => {
    const home = await createImportHome(rowsOf(60));
    home.sandbox.faults.set([{ ...post, kind: "stall", after: 6 }]);
    const startMs = home.clock.now();
    let isOver = false;
    const running = home.run().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resume) => setTimeout(resume, 2)); // what has come over the wire is taken in
      if (home.posts >= 10) home.clock.advance(1_000);
    }
    const { exit, stderr } = await running;
    expect(exit, "those that left may be orders").toBe(6);
    expect((home.clock.now() - startMs) / 1_000).toBeLessThan(130);
    expect(home.posts).toBeLessThanOrEqual(6 + 3 * 4);
    expect(stderr).toMatch(/\[#*\.+\] \d\/60 {2}no answer for \d+ s/);
    expect(errorOf({ stderr })).toMatchObject({
      code: "outcome_unknown",
      exit: 6,
      message: expect.stringMatching(
        /^it is not known whether \d+ of 60 orders were created; \d+ more rows were not sent$/,
      ),
    });
    home.sandbox.faults.clear();
    home.clock.advance(60_000); // the service may be at work on what timed out for so long
    expect((await home.run("--settle 10s")).exit).toBe(0);
    expect(await home.receivers()).toHaveLength(60);
  });

  test("while orders are looked for, before sending and after a loss: it is told, and given up after a minute each", async () => {
    const home = await createImportHome(rowsOf(4));
    home.sandbox.faults.set([
      { ...post, kind: "drop_after", times: 1 },
      { kind: "drop_before", method: "GET", path: "/api/v1/orders" },
    ]);
    const startMs = home.clock.now();
    const { exit, report, stderr } = await home.run();
    expect([exit, outcomes(report)]).toEqual([6, "unknown created created created"]);
    expect((home.clock.now() - startMs) / 1_000).toBeLessThanOrEqual(140);
    expect(stderr).toContain("Orders made elsewhere were not compared: ");
    expect(stderr).toMatch(/3\/4 {2}no usable answer from the service for \d+ s, retrying/);
  });

  test("that asks for fewer calls: how long is told", async () => {
    const home = await createImportHome(rowsOf(8));
    home.sandbox.faults.set([{ ...post, kind: "rate_limit", retryAfter: "40", after: 4, times: 3 }]);
    const { exit, stderr } = await home.run("--concurrency 1");
    expect(exit).toBe(0);
    expect(waits(stderr).join("\n")).toContain("rate limited by the service, retrying in 40 s");
  });

  test("that asks for fewer calls: the longest wait is told, whatever is answered after that", async () => {
    const home = await createImportHome(rowsOf(6));
    const limited = { ...post, kind: "rate_limit", times: 1 } as const;
    home.sandbox.faults.set([
      { ...limited, retryAfter: "40" },
      { ...limited, retryAfter: "1" },
    ]);
    const { clock } = home;
    const sleep = clock.sleep.bind(clock);
    let hasWaited = false;
    clock.sleep = async (delayMs, signal) => {
      if (delayMs <= 20_000 || hasWaited) return sleep(delayMs, signal);
      hasWaited = true;
      await until("all three are there", () => home.posts >= 3);
      for (let turns = 0; turns < 200; turns++) await turn(); // until they are answered
      clock.advance(20_000);
    };
    const { exit, stderr } = await home.run("--concurrency 3");
    expect([exit, hasWaited]).toEqual([0, true]);
    expect(waits(stderr)[0]).toMatch(/ [01]\/6 {2}rate limited by the service, retrying in 20 s$/);
  });
});

describe("Ctrl-C", () => {
  test("once: what is under way is finished, the rest waits, and the message says how to go on", async () => {
    const home = await createImportHome(rowsOf(40));
    const interruption = new AbortController();
    home.sandbox.faults.set([{ ...post, kind: "latency", ms: 50 }]);
    const running = home.run("", { signal: interruption.signal });
    await until("some are under way", () => home.posts >= 6);
    const sent = home.posts;
    interruption.abort(interrupted(130));
    const { exit, report, stderr } = await running;
    expect(exit).toBe(130);
    expect(report.length).toBeGreaterThanOrEqual(sent);
    expect(report.length).toBeLessThan(40);
    expect(new Set(report.map(({ outcome }) => outcome))).toEqual(new Set(["created"]));
    const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
    expect(error.message).toBe(`stopped: ${report.length} created, ${40 - report.length} not sent`);
    expect(error.hint).toContain("run the same command again");
    // What was claimed and not sent has no time at which it was sent.
    const log = JSON.parse((await home.courier("log show 1 --json")).stdout) as Record<string, unknown>[];
    expect(log.filter(({ state }) => state === "unsent").every(({ sent_at }) => sent_at === null)).toBe(true);
    expect((await home.run()).exit).toBe(0);
    expect(await home.receivers()).toHaveLength(40);
  });

  test.each([
    ["with refs", (index: number) => row(`A-${index}`)],
    [
      "without refs, some of them equal",
      (index: number) => row("", index < 20 ? `王${index}` : `李${index % 10}`),
    ],
  ])("rows of an earlier run that it has not reached count as shipped: %s", async (_what, rowAt) => {
    const rows = Array.from({ length: 50 }, (_, index) => rowAt(index));
    const home = await createImportHome(sheet(...rows.slice(20)));
    expect((await home.run()).exit).toBe(0);
    expect(home.posts).toBe(30);
    await home.put(sheet(...rows));
    const interruption = new AbortController();
    home.sandbox.faults.set([{ ...post, kind: "latency", ms: 20 }]);
    const running = home.run("--concurrency 1", { signal: interruption.signal });
    await until("some are sent", () => home.posts >= 33);
    interruption.abort(interrupted(130));
    const ran = await running;
    const created = home.posts - 30;
    expect(created).toBeLessThan(20);
    const left = 20 - created;
    expect(errorOf(ran).message).toBe(`stopped: ${created} created, 30 already shipped, ${left} not sent`);
    expect(outcomes(ran.report).split(" ").sort()).toEqual([
      ...Array(created).fill("created"),
      ...Array(30).fill("shipped"),
    ]);
    home.sandbox.faults.clear();
    const rest = await home.run();
    expect([rest.exit, home.posts], rest.stderr).toEqual([0, 50]);
  });

  test("at once gives back the rows that are claimed and not sent: another import may send them", async () => {
    const home = await createImportHome(rowsOf(12));
    const interruption = new AbortController();
    home.sandbox.faults.set([{ ...post, kind: "stall" }]);
    const running = home.run("", { signal: interruption.signal });
    const states = async () => {
      const operations = await withLedger(home, (ledger) => ledger.listOperations(1));
      return operations.map(({ state }) => state).join(" ");
    };
    const sending = (count: number) => Array(count).fill("sending").join(" ");
    await until("all are under way", () => home.posts >= 4);
    await expect.poll(states).toBe(sending(8));
    interruption.abort(interrupted(130));
    await expect.poll(states).toBe(`${sending(4)} unsent unsent unsent unsent`);
    home.clock.advance(60_000); // the deadline of those that stall
    expect((await running).exit).toBe(130);
    expect(home.posts).toBe(4);
  });

  test("a lost answer at that moment is settled by the next run", async () => {
    const home = await createImportHome(rowsOf(2));
    const interruption = new AbortController();
    const { clock } = home;
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (_delayMs, signal) => {
      interruption.abort(interrupted(130));
      signal?.throwIfAborted();
    };
    home.sandbox.faults.set([{ ...post, kind: "drop_before", times: 1 }]);
    const first = await home.run("--concurrency 1", { signal: interruption.signal });
    expect(first.exit).toBe(130);
    expect(outcomes(first.report)).toContain("unknown");
    clock.sleep = sleep;
    expect((await home.run("--settle 10s")).exit).toBe(0);
    expect(await home.receivers()).toHaveLength(2);
  });
});

test("a second import of the same file, while the first is at work, waits for it and reports all rows", async () => {
  const home = await createImportHome(rowsOf(20));
  home.sandbox.faults.set([{ ...post, kind: "latency", ms: 20 }]);
  const first = home.run("--concurrency 2");
  await until("some are under way", () => home.posts >= 2);
  const second = await home.run("--concurrency 2");
  const both = [await first, second];
  expect(both.map(({ exit }) => exit)).toEqual([0, 0]);
  for (const { report } of both) {
    expect(report.map(({ row: number }) => number)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    expect(new Set(report.map(({ id }) => id)).size).toBe(20);
  }
  expect(home.posts).toBe(20);
});

describe("stdin", () => {
  const imported = (home: ImportHome, ...rows: string[]) =>
    home.importFile("-", "", { stdin: sheet(...rows) });

  test("is imported without further flags, and known again by its rows", async () => {
    const home = await createImportHome("");
    const first = await imported(home, row("A-1"), row("", "王五"));
    expect([first.exit, outcomes(first.report)]).toEqual([0, "created created"]);
    const again = await imported(home, row("", "王五"), row("A-1"));
    expect([again.exit, outcomes(again.report), home.posts]).toEqual([0, "shipped shipped", 2]);
    const longer = await imported(home, row("A-1"), row("A-2"));
    expect([longer.exit, outcomes(longer.report), home.posts]).toEqual([0, "shipped created", 3]);
  });

  test("with other rows is another file: an equal row without a ref is held, not taken for shipped", async () => {
    const home = await createImportHome("");
    expect((await imported(home, row("", "王五"), row("", "赵六"))).exit).toBe(0);
    const other = await imported(home, row("", "王五"), row("", "孙七"));
    expect([other.exit, outcomes(other.report), home.posts]).toEqual([3, "held created", 3]);
  });
});

describe("senders and columns", () => {
  test("of many senders three are named, and the others counted", async () => {
    const names = Array.from({ length: 25 }, (_, index) => `店${index + 1}`);
    const rows = names.map((name, index) => row(`A-${index}`).replace("张三", name));
    const home = await createImportHome(sheet(...rows, row("A-25").replace("张三", "店25")));
    const { stdout } = await home.courier(["orders", "import", home.file, "--check"]);
    expect(stdout).toMatch(/^Senders +店1, 店2, 店3 and 22 others$/m);
    expect((await home.run()).stderr).toContain("from 店1, 店2, 店3 and 22 others\n");
  });

  const bodies = (home: { sandbox: { requests: readonly { body: string }[] } }) =>
    home.sandbox.requests.filter(({ body }) => body !== "").map(({ body }) => JSON.parse(body));

  test("--sender fills in the sender of rows that have none", async () => {
    const home = await createImportHome("sender.name,receiver.name,item.name\n,A,B\n张三,C,D\n");
    await home.courier("addresses add shop --name Shop --city 深圳市");
    expect((await home.run("--sender @shop --concurrency 1")).exit).toBe(0);
    expect(bodies(home).map(({ sender }) => sender)).toEqual([
      { name: "Shop", city: "深圳市" },
      { name: "张三" },
    ]);
  });

  test.each([
    ["--sender @nobody", /nobody/],
    ["--sender shop", /@shop/],
  ])("%s is refused before anything is sent", async (words, message) => {
    const home = await createImportHome(sheet(row("A-1")));
    const { exit, stderr } = await home.run(words);
    expect([exit, home.posts]).toEqual([2, 0]);
    expect(stderr).toMatch(message);
  });

  test("--map names columns, --save-map keeps the names, --use-map brings them back", async () => {
    const content = "Ship Name,What,sender.name\nA,B,C\n";
    const home = await createImportHome(content);
    const map = ["--map", "Ship Name=receiver.name", "--map", "What=item.name", "--save-map", "shop"];
    const words = ["orders", "import", home.file, "--check"];
    expect((await home.courier([...words, ...map])).exit).toBe(0);
    expect((await home.courier(words)).exit).toBe(2);
    expect((await home.run("--use-map shop")).exit).toBe(0);
    expect(bodies(home)).toEqual([{ receiver: { name: "A" }, item: { name: "B" }, sender: { name: "C" } }]);
    const unknown = await home.courier([...words, "--use-map", "other"]);
    expect(unknown.exit).toBe(2);
    expect(unknown.stderr).toContain("saved: shop");
  });

  describe("--save-map over saved column names", () => {
    const first = ["--map", "Ship Name=receiver.name", "--map", "What=item.name", "--save-map", "shop"];
    const other = ["--use-map", "shop", "--map", "Who=sender.name", "--save-map", "shop"];
    const question = "The column map “shop” exists already. Replace it?";

    async function homeWithMap() {
      const home = await createImportHome("Ship Name,What,sender.name\nA,B,C\n");
      expect((await home.courier(["orders", "import", home.file, "--check", ...first])).exit).toBe(0);
      await home.put("Ship Name,What,Who\nA,B,C\n");
      const savedMap = async () => {
        const { maps } = JSON.parse(await readFile(path.join(home.configDir, "config.json"), "utf8"));
        return Object.keys(maps.shop);
      };
      return { ...home, savedMap, words: ["orders", "import", home.file, ...other] };
    }

    test("exit 2 before anything is sent, where nobody can be asked; --replace replaces them", async () => {
      const home = await homeWithMap();
      for (const more of [["--yes"], ["--check"]]) {
        const { exit, stdout, stderr } = await home.courier([...home.words, ...more]);
        expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
        expect(stderr).toContain("the column map “shop” exists already");
        expect(stderr).toContain("add --replace to replace it; or choose another name");
      }
      expect(await home.savedMap()).toEqual(["Ship Name", "What"]);
      expect(home.sandbox.requests).toEqual([]);
      expect((await home.courier([...home.words, "--yes", "--replace"])).exit).toBe(0);
      expect(await home.savedMap()).toEqual(["Ship Name", "What", "Who"]);
      const again = await home.courier([...home.words, "--yes"]);
      expect(again.exit, "the same column names are no others").toBe(0);
    });

    test("at a terminal it asks, and a no imports and leaves them", async () => {
      const home = await homeWithMap();
      const person = personWho([question, enter], ["Create 1 order…", true]);
      const { exit, stderr } = await home.courier(home.words, { terminal: 120, prompts: person });
      expect(exit).toBe(0);
      expect(stderr).toContain("the column map “shop” stays as it was");
      expect([
        home.sandbox.requests.filter(({ method }) => method === "POST").length,
        await home.savedMap(),
      ]).toEqual([1, ["Ship Name", "What"]]);
    });

    test("--replace alone is refused", async () => {
      const home = await homeWithMap();
      const { exit, stderr } = await home.courier(["orders", "import", home.file, "--yes", "--replace"]);
      expect(exit).toBe(2);
      expect(stderr).toContain("--replace needs --save-map");
    });
  });

  test("a spreadsheet of Chinese Excel ships", async () => {
    const gb = Buffer.concat([
      Buffer.from("sender.name,receiver.name,item.name\r\n"),
      Buffer.from([0xd5, 0xc5, 0xc8, 0xfd, 0x2c, 0xc0, 0xee, 0xcb, 0xc4, 0x2c, 0xb2, 0xe8, 0x0d, 0x0a]),
    ]);
    const home = await createImportHome(gb);
    expect((await home.run()).exit).toBe(0);
    expect(bodies(home)).toEqual([
      { sender: { name: "张三" }, receiver: { name: "李四" }, item: { name: "茶" } },
    ]);
  });

  test("columns that are no field are named before anything is sent", async () => {
    const home = await createImportHome(`${header},Colour\n${row("A-1")},red\n`);
    expect((await home.run()).stderr).toContain("unused columns: Colour");
  });
});

test("elsewhere than at a terminal, a line every few seconds says how far it is", async () => {
  const home = await createImportHome(rowsOf(30));
  const { stderr } = await home.run("--rate 2");
  const lines = stderr.split("\n").filter((line) => line.startsWith("["));
  expect(lines.length).toBeGreaterThanOrEqual(2);
  // On a machine that is busy, the first rows may be there late, and few of them.
  const last = /^\[(#*)\.*\] (\d+)\/30 {2}\d+\/s {2}\d+ created {2}\d+ s left$/.exec(lines.at(-1) ?? "");
  const [line, bar = "", done] = last ?? [];
  expect(line, lines.at(-1)).toMatch(/^\[[#.]{20}\] [1-9]/);
  expect(bar).toHaveLength(Math.floor((Number(done) / 30) * 20));
});

test.each([
  ["a refusal that proves nothing", { kind: "refuse", status: 400, code: "TIMEOUT", message: "late" }],
  ["an answer of the wrong shape", { kind: "wrong_shape", data: { id: "x" } }],
] as const)("a row in doubt after %s is not told of an answer that was lost", async (_what, fault) => {
  const home = await createImportHome(sheet(row("A-1")));
  home.sandbox.faults.set([
    { ...post, ...fault },
    { kind: "status", status: 503, method: "GET", path: "/api/v1/orders" },
  ]);
  const ran = await home.run();
  expect([ran.exit, ran.report.map(({ error }) => error?.message)]).toEqual([
    6,
    ["in doubt; run the import again to check"],
  ]);
  expect(errorOf(ran).hint).toBe(
    "run the same command again (after the time in the report, where it names one); or decide each: courier orders resolve lists them",
  );
});

describe("every answer names the order of another operation, such as one that a cache repeats", () => {
  const body = JSON.stringify({
    success: true,
    data: { id: 1000001, order_no: "CO1", tracking_number: "CR1", status: "pending", estimated_fee: 1 },
  });

  test("no order is made: the import stops sending, looks at the list, and the rows are in doubt", async () => {
    const home = await createImportHome(rowsOf(40));
    await createOrder(home);
    const before = home.posts;
    answerRaw(home, "POST /api/v1/orders", body, { status: 201 });
    const ran = await home.run();
    expect(ran.exit).toBe(6);
    expect(home.posts - before).toBeLessThanOrEqual(12);
    expect(
      home.sandbox.requests.some(({ method, path }) => method === "GET" && path.includes("date_from")),
    ).toBe(true);
    expect(ran.stderr).toContain("more rows were not sent");
    expect(new Set(ran.report.map(({ outcome }) => outcome))).toEqual(new Set(["unknown"]));
  });

  test("the orders are made: they are found, and each row is made once", async () => {
    const rows = [..."赵钱孙李周吴郑王冯陈"].map((name, index) => row(`A-${index}`, `${name}一`));
    const home = await createImportHome(sheet(...rows));
    await createOrder(home);
    answerRaw(home, "POST /api/v1/orders", body, { status: 201, processed: true });
    const ran = await home.run("--settle 10s");
    expect(ran.exit, ran.stderr).toBe(0);
    expect(new Set(ran.report.map(({ outcome }) => outcome))).toEqual(new Set(["found"]));
    expect(await home.receivers()).toHaveLength(11);
  });
});

test("orders that are cancelled from the start are warned of, at most five by name", async () => {
  const home = await createImportHome(rowsOf(7));
  for (const id of [11, 12, 13, 14, 15, 16, 17]) {
    const data = `{"id":${id},"order_no":"CO${id}","tracking_number":"CR${id}","status":"cancelled"}`;
    answerRaw(home, "POST /api/v1/orders", `{"success":true,"data":${data}}`, { status: 201, times: 1 });
  }
  const { exit, stderr } = await home.run("--concurrency 1");
  expect(exit, stderr).toBe(0);
  expect(stderr.match(/^warning: .*/gm)).toEqual([
    ...[1, 2, 3, 4, 5].map(
      (row) =>
        `warning: row ${row}: order ${row + 10} was created, but the service calls it cancelled already`,
    ),
    "warning: the service calls further orders of this import cancelled, too",
  ]);
});
