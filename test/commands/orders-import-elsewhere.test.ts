/** Rows that equal orders of which this machine's ledger knows nothing: another machine, or the courier's website. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import type { Draft } from "../../src/model/draft.ts";
import { answerData, onePage } from "../support/answers.ts";
import { copyState } from "../support/copy-state.ts";
import { createImportHome, type ImportHome, outcomes, type Report, row, sheet } from "../support/imports.ts";
import { lockWhileListing } from "../support/locked-ledger.ts";
import { rewritings, tellingDraft } from "../support/rewritings.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import type { Ways } from "../support/unfaithful-ways.ts";

const dayMs = 86_400_000;

/** Makes the orders of a file from another machine: with another ledger. */
async function shipElsewhere(home: ImportHome, ...rows: readonly string[]): Promise<void> {
  const file = await home.put(sheet(...rows), "elsewhere.csv");
  const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
  expect((await home.importFile(file, "", { env })).exit).toBe(0);
}

describe("a row that equals an order made elsewhere", () => {
  test.each([
    ["phone", ",13700137009,,"],
    ["address", ",,深圳市,科技园路9号"],
  ])("is held where only the %s was sent", async (_name, receiver) => {
    const few = (ref: string) => `${ref},张三,13800138000,${receiver},茶叶,1.50,1`;
    const home = await createImportHome(sheet(few("W-1")));
    await shipElsewhere(home, few("W-1"));
    const ran = await home.run();
    expect([outcomes(ran.report), home.posts], ran.stderr).toEqual(["held", 1]);
  });

  test("is held where it was made while the question stood", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    const prompts = {
      ...scriptedPrompts({}),
      async confirm() {
        await shipElsewhere(home, row("X-1"));
        home.clock.advance(6_000);
        return true;
      },
    };
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect(ran.stderr).toContain("2 rows: 1 created, 1 held");
    expect([ran.exit, home.posts]).toEqual([3, 2]);
  });

  const elsewhereStreet = row("X-1").replace("建国路88号", "长安街1号");
  test.each<[string, string[], number[], number[], string[]]>([
    ["both equal ones", [row("X-1"), row("X-2")], [], [1000001, 1000002], ["--skip-shipped"]],
    [
      "the second equal one, as the first before",
      [row("X-1"), row("X-2")],
      [1000001],
      [1000002],
      ["--skip-shipped"],
    ],
    ["one that may equal it", [elsewhereStreet], [], [1000001], []],
  ])(
    "is sent where the order was cancelled while the question stood: %s",
    async (_what, rows, before, meanwhile, words) => {
      const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
      await shipElsewhere(home, ...rows);
      const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
      const cancel = async (ids: readonly number[]) => {
        for (const id of ids) expect((await home.courier(`orders cancel ${id} --yes`, { env })).exit).toBe(0);
      };
      await cancel(before);
      const prompts = {
        ...scriptedPrompts({}),
        async confirm() {
          await cancel(meanwhile);
          home.clock.advance(6_000);
          return true;
        },
      };
      const ran = await home.courier(["orders", "import", home.file, ...words], { terminal: 120, prompts });
      expect(ran.stderr).toContain("2 rows: 2 created");
      expect(home.posts).toBe(rows.length + 2);
    },
  );

  test("is not sent where another program locks the ledger while they are compared", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await shipElsewhere(home, row("X-1"));
    await home.courier("orders create --sender-name A --receiver-name B --item-name C");
    const { transport, hasLocked } = await lockWhileListing(home);
    const { exit, stderr } = await home.run("", { transport });
    expect(hasLocked()).toBe(true);
    expect([exit, home.posts], stderr).toEqual([5, 2]);
    expect(stderr).toContain("the ledger cannot be used: another program keeps it locked");
  });

  test("which --skip-shipped counted as shipped is no order of this run: undo leaves it alone", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    await shipElsewhere(home, row("X-1"));
    expect(outcomes((await home.run("--skip-shipped")).report)).toBe("shipped created");
    const undone = await home.courier("undo 1 --include-found --yes --json");
    expect(undone.exit, undone.stderr).toBe(0);
    expect(JSON.parse(undone.stdout)).toMatchObject([{ id: 1000002, outcome: "cancelled" }]);
  });

  test("and that a person took from its row again is named as a possible match until a person decides", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await shipElsewhere(home, row("X-1"));
    expect(outcomes((await home.run("--skip-shipped")).report)).toBe("shipped");
    expect((await home.courier("orders resolve ref:A-1 --reopen --yes")).exit).toBe(0);
    home.clock.advance(3_600_000);
    const { exit, report } = await home.run();
    expect([exit, report[0]?.error?.message]).toEqual([
      6,
      "in doubt; possible matches: 1000001; decide with courier orders resolve 1.1",
    ]);
    const decided = await home.courier("orders resolve 1.1 --not-created --yes");
    expect([decided.exit, decided.stderr]).toEqual([
      2,
      expect.stringContaining("error: order 1000001 may be 1.1: nothing was recorded\n"),
    ]);
    expect((await home.courier("orders resolve 1.1 --as 1000001 --yes")).exit).toBe(0);
    expect([outcomes((await home.run()).report), home.posts]).toEqual(["shipped", 1]);
  });

  test("covers no row that was written over for another customer, whose cells still have its number", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
    expect((await home.run("--in-place --concurrency 1", { env })).exit).toBe(0);
    const written = await readFile(home.file, "utf8");
    await home.put(
      written.replace("A-2", "A-3").replace("王五", "赵六").replace("13700137001", "13600136000"),
    );
    for (const words of ["", "--skip-shipped --in-place"]) {
      const { exit, report, stderr } = await home.run(words);
      expect([exit, outcomes(report)], stderr).toEqual([3, words === "" ? "held held" : "shipped held"]);
      expect(report[1]?.error?.message).toMatch(
        /^CR\d+ is an order that the list shows for “王五”: empty these cells if this is a new order$/,
      );
    }
    expect(await readFile(home.file, "utf8")).toMatch(
      /A-3.*CR\d+.*,CR\d+ is an order that the list shows for/,
    );
    expect(home.posts).toBe(2);
  });

  test("nor such a row that may equal an order with another number", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
    expect((await home.run("--in-place --concurrency 1", { env })).exit).toBe(0);
    await shipElsewhere(home, row("Z-1", "赵六", "13600136000").replace("建国路88号", "长安街1号"));
    const written = await readFile(home.file, "utf8");
    await home.put(
      written.replace("A-2", "A-3").replace("王五", "赵六").replace("13700137001", "13600136000"),
    );
    for (const words of ["", "--skip-shipped"]) {
      const { exit, report, stderr } = await home.run(words);
      expect([exit, report[1]?.outcome], stderr).toEqual([3, "held"]);
      expect(report[1]?.error?.message).toMatch(/^may equal order 1000003, /);
    }
  });

  test("gives its numbers to the row that it covers, in the report and in the sheet", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await shipElsewhere(home, row("X-1"));
    const done = path.join(home.directory, "done.csv");
    const ran = await home.run(`--skip-shipped --write-back ${done}`);
    const shown = await home.courier("orders show 1000001 --json");
    const { order_no, tracking_number } = JSON.parse(shown.stdout);
    expect(ran.report, ran.stderr).toMatchObject([{ outcome: "shipped", order_no, tracking_number }]);
    expect(await readFile(done, "utf8")).toMatch(
      new RegExp(`,${tracking_number},${order_no},pending,[^,]+,$`, "m"),
    );
    expect((await home.run()).report).toMatchObject([{ outcome: "shipped", order_no, tracking_number }]);
  });

  test.each(["", "--skip-shipped"])(
    "is that of the row with its number, not of an equal row above it (%s)",
    async (words) => {
      const home = await createImportHome(sheet(row("K-1")));
      const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
      expect((await home.importFile(home.file, "--in-place", { env })).exit).toBe(0);
      const [head, first] = (await readFile(home.file, "utf8")).split("\n");
      const text = [head, `${row("K-2")},,,,,`, first, ""].join("\n");
      await home.put(text);
      const held = await home.run();
      expect(outcomes(held.report), held.stderr).toBe("created held");
      const ran = await home.run(`${words} --in-place`);
      expect(outcomes(ran.report), ran.stderr).toBe(words ? "shipped shipped" : "shipped held");
      expect(home.posts).toBe(2);
      const [, two = "", one] = (await readFile(home.file, "utf8")).split("\n");
      expect(two).toMatch(/^K-2.*,CR\d+,/);
      expect(one?.split(",")[10]).toBe(first?.split(",")[10]);
    },
  );

  test("gives each of two equal rows the order whose number it has", async () => {
    const home = await createImportHome(sheet(row("K-1"), row("K-2"), row("K-3")));
    const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
    expect((await home.importFile(home.file, "--in-place --concurrency 1", { env })).exit).toBe(0);
    const before = await readFile(home.file, "utf8");
    const ran = await home.run("--skip-shipped --in-place");
    expect([ran.exit, ran.report.map(({ id }) => id)], ran.stderr).toEqual([0, [1000001, 1000002, 1000003]]);
    expect(await readFile(home.file, "utf8")).toBe(before);
  });

  test("that the service does not list any more leaves the numbers of the sheet alone", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await shipElsewhere(home, row("X-1"));
    expect(outcomes((await home.run()).report)).toBe("held");
    const numbered = sheet(row("A-1"))
      .replace(/$/m, ",Courier order number")
      .replace(/^A-1.*$/m, "$&,CO77");
    await home.put(numbered);
    const fault = { kind: "refuse", status: 403, code: "FORBIDDEN", message: "not now" } as const;
    home.sandbox.faults.set([{ ...fault, method: "GET", path: "/api/v1/orders" }]);
    const ran = await home.run("--skip-shipped --in-place");
    expect(outcomes(ran.report), ran.stderr).toBe("shipped");
    expect(await readFile(home.file, "utf8")).toMatch(/^A-1,.*,CO77,/m);
  });

  test("covers no row that --skip-shipped counted by another order before", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await shipElsewhere(home, row("A-1"));
    expect(outcomes((await home.run("--skip-shipped")).report)).toBe("shipped");
    await shipElsewhere(home, row("A-1"), row("A-2"));
    await home.put(sheet(row("A-1"), row("A-2"), row("A-3")));
    const ran = await home.run("--skip-shipped");
    expect(
      ran.report.map(({ id }) => id),
      ran.stderr,
    ).toEqual([1000001, 1000002, 1000003]);
    expect([outcomes(ran.report), home.posts]).toEqual(["shipped shipped created", 3]);
  });

  test("is held beside a create in doubt that was sent after that order was listed", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("B-1")));
    await shipElsewhere(home, row("X-1"));
    const draft = home.sandbox.requests.find(({ method }) => method === "POST")?.body ?? "";
    home.clock.advance(dayMs);
    const other = await home.put(sheet(row("Z-1", "王五", "13700137001")), "other.csv");
    expect((await home.importFile(other)).exit).toBe(0);
    home.sandbox.faults.set([{ kind: "drop_before", method: "POST", path: "/api/v1/orders" }]);
    const words = "orders create --file - --ref A-1 --yes --settle 1h";
    expect((await home.courier(words, { stdin: draft })).exit).toBe(6);
    home.sandbox.faults.clear();
    const ran = await home.run("--settle 1h");
    expect(ran.report[1]?.outcome, ran.stderr).toBe("held");
  });

  test("is sent once that order was cancelled, also after it held the row", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await shipElsewhere(home, row("X-1"));
    expect(outcomes((await home.run()).report)).toBe("held");
    const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
    expect((await home.courier("orders cancel 1000001 --yes", { env })).exit).toBe(0);
    const { report, stderr } = await home.run();
    expect(outcomes(report)).toBe("created");
    expect(stderr).toContain("row 1 (A-1): order 1000001");
  });

  test.each([3, 700])("covers one of %i equal rows: what is planned is what is sent", async (count) => {
    const rows = Array.from({ length: count }, (_, index) => row(`A-${index}`));
    const home = await createImportHome(sheet(...rows));
    await shipElsewhere(home, row("X-1"));
    const first = await home.run();
    expect(first.report.every(({ outcome }) => outcome === "held")).toBe(true);
    const planned = await home.courier([
      "orders",
      "import",
      home.file,
      "--skip-shipped",
      "--check",
      "--json",
    ]);
    expect(JSON.parse(planned.stdout)).toMatchObject({ to_send: count - 1, shipped: 1, held: 0 });
    const sent = await home.run("--skip-shipped");
    expect(sent.report.filter(({ outcome }) => outcome === "created")).toHaveLength(count - 1);
  });

  test("is held, the others are sent, and the report names the order", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    await shipElsewhere(home, row("X-1"));
    const { exit, report, stderr } = await home.run();
    expect([exit, outcomes(report)]).toEqual([3, "held created"]);
    expect(report[0]?.error).toMatchObject({
      code: "duplicate",
      message: "equals order 1000001, which this ledger does not know",
    });
    expect(stderr).toContain("1 row is held and not sent: row 1 (A-1): equals order 1000001");
  });

  test.each([
    ["are limited", { kind: "rate_limit", retryAfter: "90" } as const],
    ["are not found", { kind: "refuse", status: 404, code: "NOT_FOUND", message: "none" } as const],
  ])("is held where the details %s: it may be the same", async (_what, fault) => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    await shipElsewhere(home, row("X-1"));
    home.sandbox.faults.set([{ ...fault, method: "GET", path: "/api/v1/orders/\\d+" }]);
    for (const words of ["", "--skip-shipped"]) {
      const { exit, report } = await home.run(words);
      expect([exit, report[0]?.outcome]).toEqual([3, "held"]);
      expect(report[0]?.error?.message).toBe("may equal order 1000001, which this ledger does not know");
    }
    home.sandbox.faults.clear();
    const { report } = await home.run();
    expect(report[0]?.error?.message).toBe("equals order 1000001, which this ledger does not know");
    expect(home.posts).toBe(2);
  });

  test("holds its row by the ref, too: after a correction, and where a single order has it", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("B-1", "王五", "13700137001")));
    await shipElsewhere(home, row("X-1"));
    expect(outcomes((await home.run()).report)).toBe("held created");
    const corrected = row("A-1").replace("茶叶", "绿茶");
    await home.put(sheet(corrected, row("B-1", "王五", "13700137001")));
    const ran = await home.run("--skip-shipped");
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([3, "held shipped"]);
    expect(ran.report[0]?.error?.message).toBe("may equal order 1000001, which this ledger does not know");
    const draft = home.sandbox.requests.find(({ method }) => method === "POST")?.body ?? "";
    const single = await home.courier("orders create --file - --ref A-1 --yes", { stdin: draft });
    expect([single.exit, home.posts], single.stderr).toEqual([2, 2]);
    expect(single.stderr).toContain(
      "a row with the ref A-1 was held by order 1000001, which this ledger does not know; nothing was sent",
    );
    expect(outcomes((await home.run("--allow-duplicate A-1")).report)).toBe("created shipped");
    expect(outcomes((await home.run()).report)).toBe("shipped shipped");
  });

  test("holds all rows of equal content by their refs, also where a single order has one", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2"), row("B-1", "王五", "13700137001")));
    await shipElsewhere(home, row("X-1"));
    expect(outcomes((await home.run()).report)).toBe("held held created");
    const draft = home.sandbox.requests.find(({ method }) => method === "POST")?.body ?? "";
    for (const ref of ["A-1", "A-2"]) {
      const single = await home.courier(`orders create --file - --ref ${ref} --yes`, { stdin: draft });
      expect([single.exit, home.posts], single.stderr).toEqual([2, 2]);
      expect(single.stderr).toContain(`a row with the ref ${ref} was held by order 1000001`);
    }
  });

  test("is held with any number of others, also beyond those whose details are read", async () => {
    const rows = Array.from({ length: 60 }, (_, index) =>
      row(`A-${index}`, "李四", `137001370${10 + index}`),
    );
    const home = await createImportHome(sheet(...rows));
    await shipElsewhere(home, ...rows);
    expect(home.posts).toBe(60);
    const { exit, report } = await home.run();
    expect([exit, home.posts]).toEqual([3, 60]);
    expect(new Set(report.map(({ outcome }) => outcome))).toEqual(new Set(["held"]));
    for (let runs = 0; runs < 2; runs++) await home.run("--skip-shipped");
    expect([(await home.run()).exit, home.posts]).toEqual([0, 60]);
  });

  test("is held weeks later too, when no listing shows the order any more", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await shipElsewhere(home, row("X-1"));
    expect((await home.run()).exit).toBe(3);
    home.clock.advance(30 * dayMs);
    const later = await home.run();
    expect([later.exit, outcomes(later.report), home.posts]).toEqual([3, "held", 1]);
  });

  test.each([1, 4])(
    "covers one of two equal rows, also where they are decided one after the other (--concurrency %i)",
    async (concurrency) => {
      const rows = ["李四", "王五", "赵六", "孙七"].map((name, at) => row("", name, `1390013900${at}`));
      const home = await createImportHome(sheet(...rows, rows[0] ?? ""));
      await shipElsewhere(home, ...rows);
      const done = path.join(home.directory, "done.csv");
      const words = `--skip-shipped --concurrency ${concurrency}`;
      const ran = await home.run(`${words} --write-back ${done}`);
      expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([
        0,
        "shipped shipped shipped shipped created",
      ]);
      expect(ran.report.map(({ id }) => id)).toEqual([1000001, 1000002, 1000003, 1000004, 1000005]);
      expect(outcomes((await home.run(words)).report)).toBe("shipped shipped shipped shipped shipped");
      expect(home.posts).toBe(5);
    },
  );

  test("counts as shipped with --skip-shipped, one row for each order, from then on without it", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2")));
    await shipElsewhere(home, row("X-1"));
    const { exit, report } = await home.run("--skip-shipped");
    expect([exit, outcomes(report), home.posts]).toEqual([0, "shipped created", 2]);
    home.clock.advance(30 * dayMs);
    const again = await home.run();
    expect([again.exit, outcomes(again.report), home.posts]).toEqual([0, "shipped shipped", 2]);
  });

  test("holds no equal order once it was found long ago", async () => {
    const home = await createImportHome(sheet(row("")));
    await shipElsewhere(home, row("X-1"));
    expect(outcomes((await home.run("--skip-shipped")).report)).toBe("shipped");
    home.clock.advance(30 * dayMs);
    const single =
      "orders create --yes --sender-name 张三 --sender-phone 13800138000 --receiver-name 李四 --receiver-phone 13900139000 --receiver-city 北京市 --receiver-detail 建国路88号 --item-name 茶叶 --item-weight 1.50 --item-quantity 1";
    const created = await home.courier(single);
    expect([created.exit, home.posts], created.stderr).toEqual([0, 2]);
    home.clock.advance(dayMs);
    const next = await home.put(sheet(row("B-1"), row("B-2", "王五")), "next.csv");
    const ran = await home.importFile(next);
    expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([0, "created created", 4]);
  });

  test("is sent where it is named as a second order", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await shipElsewhere(home, row("X-1"));
    const { exit, report } = await home.run("--allow-duplicate A-1");
    expect([exit, outcomes(report), home.posts]).toEqual([0, "created", 2]);
    // The same command once more, for example after others of its rows had failed.
    const again = await home.run("--allow-duplicate A-1");
    expect([again.exit, outcomes(again.report), home.posts]).toEqual([0, "shipped", 2]);
  });

  test("is sent with a warning where the order was cancelled", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    await shipElsewhere(home, row("X-1"));
    await home.courier("orders cancel 1000001 --yes");
    const { exit, report, stderr } = await home.run();
    expect([exit, outcomes(report)]).toEqual([0, "created created"]);
    expect(stderr).toContain(
      "1 row with the values of an order that was cancelled (is its parcel still wanted?): row 1 (A-1): order 1000001",
    );
  });
});

test("where the list is refused, the import goes on and says so once", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  await shipElsewhere(home, row("X-1"));
  home.sandbox.faults.set([{ method: "GET", path: "/api/v1/orders", kind: "status", status: 403 }]);
  const { exit, report, stderr } = await home.run();
  expect([exit, outcomes(report)]).toEqual([0, "created"]);
  expect(stderr.split("Orders made elsewhere were not compared: ")).toHaveLength(2);
});

test("a list that takes more than 50 calls is asked about, and left out by a script", async () => {
  const home = await createUnfaithfulHome({ pageCap: 1 });
  for (let count = 0; count < 60; count++) home.service.foreign(tellingDraft);
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(row("A-1")));
  const words = ["orders", "import", file];
  const { exit, stderr } = await home.courier([...words, "--yes"]);
  expect(exit, stderr).toBe(0);
  expect(stderr).toContain("Orders made elsewhere were not compared: that takes 59 calls\n");
  const lists = () => home.service.requests.filter(({ endpoint }) => endpoint === "list").length;
  expect(lists()).toBe(2);
  const questions: string[] = [];
  const prompts = {
    ...scriptedPrompts({}),
    async confirm(question: string) {
      questions.push(question);
      return true;
    },
  };
  await home.courier(words, { terminal: 80, prompts });
  expect(questions[0]).toBe("Comparing with orders made elsewhere takes 60 calls. Compare?");
  expect(lists()).toBe(2 + 61);
});

describe("orders made elsewhere since the last import", () => {
  /** As from a backup: the ledger knows nothing of what was sent after `days`. */
  async function createRestoredHome(rows: readonly string[], days: number, ways: Ways = {}) {
    const home = await createUnfaithfulHome(ways);
    const file = path.join(home.directory, "orders.csv");
    const run = async (...rows: readonly string[]) => {
      await writeFile(file, sheet(...rows));
      const { exit, stdout, stderr } = await home.courier(["orders", "import", file, "--yes", "--ndjson"]);
      return {
        exit,
        report: outcomes(
          stdout
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line)),
        ),
        stderr,
      };
    };
    await run(rows[0] ?? "");
    const backup = path.join(home.directory, "backup");
    await copyState(home.stateDir, backup);
    home.clock.advance(dayMs);
    await run(...rows);
    home.clock.advance(days * dayMs);
    await copyState(backup, home.stateDir);
    return { ...home, run };
  }

  const rows = [row("A-1"), row("A-2", "王五", "13700137001"), row("A-3", "赵六", "13700137002")];

  test("are compared, however long ago that was: a ledger that was restored sends nothing twice", async () => {
    const home = await createRestoredHome(rows, 20);
    const { exit, report, stderr } = await home.run(...rows);
    expect([exit, report, home.service.orders.length], stderr).toEqual([3, "shipped held held", 3]);
  });

  test("a command that reads the list in between does not count as a comparison", async () => {
    const home = await createRestoredHome(rows, 5);
    home.service.ways = { loss: () => "before" };
    const create = await home.courier(
      "orders create --sender-name 张三 --receiver-name 钱七 --item-name 书 --yes",
    );
    expect(create.exit).toBe(6);
    home.service.ways = {};
    const { exit, report, stderr } = await home.run(...rows);
    expect([exit, report, home.service.orders.length], stderr).toEqual([3, "shipped held held", 3]);
  });

  test("nor does an import of another file: a week is compared at least", async () => {
    const home = await createRestoredHome(rows, 5);
    expect((await home.run(row("Z-1", "钱七", "13700137003"))).report).toBe("created");
    const { exit, report, stderr } = await home.run(...rows);
    expect([exit, report, home.service.orders.length], stderr).toEqual([3, "shipped held held", 4]);
  });

  test("where that takes too many calls, the last three days are compared, and that is said each time", async () => {
    const home = await createRestoredHome(rows, 20, { pageCap: 1 });
    for (let count = 0; count < 60; count++) home.service.foreign(tellingDraft);
    home.clock.advance(5 * dayMs);
    for (let run = 0; run < 2; run++) {
      const { exit, stderr } = await home.run(row("Z-1", "钱七", "13700137003"));
      expect(exit, stderr).toBe(0);
      expect(stderr).toMatch(
        /Orders made elsewhere before 2026-03-24 were not compared: that takes 6\d calls\n/,
      );
    }
  });
});

test("Ctrl-C at the question how many calls may be made ends the import", async () => {
  const home = await createUnfaithfulHome({ pageCap: 1 });
  for (let count = 0; count < 60; count++) home.service.foreign(tellingDraft);
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(row("A-1")));
  const questions: string[] = [];
  const prompts = {
    ...scriptedPrompts({}),
    async confirm(question: string) {
      questions.push(question);
      throw interrupted(130);
    },
  };
  const { exit } = await home.courier(["orders", "import", file], { terminal: 80, prompts });
  expect(exit).toBe(130);
  expect(questions).toHaveLength(1);
});

test("all orders that were cancelled elsewhere are known to be, also many at once", async () => {
  const rows = Array.from({ length: 70 }, (_, index) => row(`A-${index}`));
  const home = await createImportHome(sheet(...rows));
  expect((await home.run()).exit).toBe(0);
  const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
  expect((await home.courier("orders cancel --status pending --yes", { env })).exit).toBe(0);
  const ran = await home.run("--in-place");
  expect(new Set(ran.report.map(({ outcome }) => outcome)), ran.stderr).toEqual(new Set(["cancelled"]));
  expect(ran.stderr).toContain("0 orders with a tracking number, 70 without one");
});

describe("an order made elsewhere that the service shows in another way", () => {
  const hidden: Rewriting = (order) => ({
    ...order,
    receiver: order.receiver && { ...order.receiver, name: "客户" },
  });
  const item =
    (name: string): Rewriting =>
    (order) => ({ ...order, item: order.item && { ...order.item, name } });
  const both =
    (...all: readonly Rewriting[]): Rewriting =>
    (order, view) =>
      all.reduce((shown, rewrite) => rewrite(shown, view), order);

  test.each([
    ["the name hidden in part", rewritings["receiver name hidden in part"]],
    [
      "the name and the phone hidden in part",
      both(rewritings["receiver name hidden in part"], rewritings["digits of phones hidden"]),
    ],
    [
      "the phone hidden in part and the address cut",
      both(rewritings["digits of phones hidden"], rewritings["address cut at 12 characters"]),
    ],
    [
      "the phone hidden in part and the address cut with dots",
      both(rewritings["digits of phones hidden"], rewritings["address cut with dots"]),
    ],
    ["one name for all", hidden],
    ["the name in other characters", rewritings["traditional characters simplified"]],
    ["codes in the item's name", rewritings["& shown as &amp;"], "Tea & cup"],
    ["the item's name cut", rewritings["item name cut at 20 characters"]],
    ["the item's emoji as ?", rewritings["emoji shown as ?"]],
    ["one item for all", item("货物"), "茶叶"],
  ] satisfies [string, Rewriting, string?][])("holds the row: %s", async (_how, rewrite, goods?: string) => {
    const home = await createUnfaithfulHome({ rewrite });
    const draft = { ...tellingDraft, item: { ...tellingDraft.item, name: goods ?? tellingDraft.item.name } };
    home.service.foreign(draft);
    home.clock.advance(60_000);
    const other = { ...draft.receiver, name: "張偉", phone: "13700137999", detail: "古翠路9号" };
    const stdin = JSON.stringify([draft, { ...draft, receiver: other }]);
    const ran = await home.courier("orders import - --yes --json", { stdin });
    const report = JSON.parse(ran.stdout);
    expect([ran.exit, outcomes(report)], ran.stderr).toEqual([3, "held created"]);
    expect(report[0].error.message).toBe("may equal order 1, which this ledger does not know");
    expect(ran.stderr).toContain(
      "where the order that a row may equal is its own, leave the row out of the file",
    );
  });

  test.each<[string, Rewriting, typeof tellingDraft]>([
    [
      "the phone",
      ({ receiver: { phone: _, ...receiver } = {}, ...order }) => ({ ...order, receiver }),
      { ...tellingDraft, receiver: { ...tellingDraft.receiver, phone: "13711112222" } },
    ],
    [
      "the pieces",
      ({ item: { quantity: _, ...item } = {}, ...order }) => ({ ...order, item }),
      { ...tellingDraft, item: { ...tellingDraft.item, quantity: 7 } },
    ],
  ])("covers none of two rows that differ only in what is not shown: %s", async (_, rewrite, other) => {
    const home = await createUnfaithfulHome({ rewrite });
    home.service.foreign(tellingDraft);
    home.clock.advance(60_000);
    const stdin = JSON.stringify([other, tellingDraft]);
    for (const words of ["", "--skip-shipped"]) {
      const ran = await home.courier(`orders import - --yes --json ${words}`, { stdin });
      const report = JSON.parse(ran.stdout) as Report[];
      expect([ran.exit, outcomes(report)], ran.stderr).toEqual([3, "held held"]);
      expect(report[0]?.error?.message).toBe("may equal order 1, which this ledger does not know");
    }
    expect(home.service.orders).toHaveLength(1);
    // Alone, the row is covered by what is shown.
    const alone = await home.courier("orders import - --yes --json --skip-shipped", {
      stdin: JSON.stringify([tellingDraft]),
    });
    expect([alone.exit, outcomes(JSON.parse(alone.stdout))], alone.stderr).toEqual([0, "shipped"]);
  });

  describe("whose receiver's name the list shows in another form, or not at all", () => {
    const accented = { ...tellingDraft, receiver: { ...tellingDraft.receiver, name: "Anna Müller" } };
    const plainName: Rewriting = (order) => ({
      ...order,
      receiver: {
        ...order.receiver,
        name: String(order.receiver?.name ?? "")
          .normalize("NFD")
          .replace(/\p{M}/gu, ""),
      },
    });
    const noName: Rewriting = ({ receiver: { name: _, ...receiver } = {}, ...order }) => ({
      ...order,
      receiver,
    });
    const noItem: Rewriting = (order, view) => ({ ...plainName(order, view), item: undefined });
    const noPhone: Rewriting = (order, view) => {
      const { phone: _, ...receiver } = plainName(order, view).receiver ?? {};
      return { ...plainName(order, view), receiver };
    };

    const showTexts =
      (show: (text: string) => string): Rewriting =>
      (order, view) => {
        const { receiver, item: goods } = order;
        const [name, sent] = [show(String(receiver?.name)), show(String(goods?.name))];
        return view === "list" ? item(sent)({ ...order, receiver: { ...receiver, name } }, view) : order;
      };

    /** The outcomes of a row with that order's data, and one of another receiver, on a machine that does not know it. */
    async function importBeside(rewrite: Rewriting, ways: Partial<Ways> = {}) {
      const home = await createUnfaithfulHome({ rewrite });
      home.service.foreign(accented);
      home.clock.advance(60_000);
      home.service.ways = { ...home.service.ways, ...ways };
      const other = { ...tellingDraft.receiver, name: "王小明", phone: "13700137999", detail: "人民路1号" };
      const stdin = JSON.stringify([accented, { ...accented, receiver: other }]);
      const ran = await home.courier("orders import - --yes --json", { stdin });
      return [ran.exit, outcomes(JSON.parse(ran.stdout)), ran.stderr];
    }

    test.each([
      ["without accents, and the details cannot be read", plainName, { detailLagMs: 3_600_000 }],
      ["without accents, and no goods", noItem, {}],
      ["without accents, and no phone", noPhone, {}],
      ["as *, and the goods", showTexts(() => "*"), {}],
      ["as …, and the goods", showTexts(() => "…"), {}],
      ["from * on, and the goods", showTexts((text) => `*${text.slice(-1)}`), {}],
      ["from … on, and the goods", showTexts((text) => `…${text.slice(-1)}`), {}],
      ["up to …, and the goods", showTexts((text) => `${text.charAt(0)}…`), {}],
      ["as codes, and the goods", showTexts((text) => text.replace(/./gu, "&#27431;")), {}],
      ["as question marks, and the goods", showTexts((text) => text.replace(/./gu, "?")), {}],
    ] satisfies [string, Rewriting, Partial<Ways>][])("holds the row: %s", async (_, rewrite, ways) => {
      expect((await importBeside(rewrite, ways)).slice(0, 2)).toEqual([3, "held created"]);
    });

    test("holds every row with these goods where no name is shown, and no details", async () => {
      const [exit, found] = await importBeside(noName, { detailLagMs: 3_600_000 });
      expect([exit, found]).toEqual([3, "held held"]);
    });
  });

  test.each([
    ["the phone hidden in part", { phone: "13900139000" }, rewritings["digits of phones hidden"]],
    [
      "the address cut",
      { city: "杭州市", district: "西湖区", detail: "古翠路88号西楼" },
      rewritings["address cut at 12 characters"],
    ],
  ] satisfies [string, Draft["receiver"], Rewriting][])(
    "holds the row also where nothing else of the receiver was sent: %s",
    async (_how, receiver, rewrite) => {
      const home = await createUnfaithfulHome({ rewrite });
      const draft = { ...tellingDraft, receiver };
      home.service.foreign(draft);
      home.clock.advance(60_000);
      const other = { ...draft, receiver: { phone: "13700137999" } };
      const stdin = JSON.stringify([draft, other]);
      const ran = await home.courier("orders import - --yes --json", { stdin });
      expect([ran.exit, outcomes(JSON.parse(ran.stdout))], ran.stderr).toEqual([3, "held created"]);
    },
  );

  test("holds the ref of a row that it may equal: after a correction, and where a single order has it", async () => {
    const rewrite: Rewriting = (order) => ({ ...order, item: order.item && { ...order.item, quantity: 1 } });
    const home = await createUnfaithfulHome({ rewrite });
    const draft = { ...tellingDraft, item: { ...tellingDraft.item, quantity: 3 } };
    home.service.foreign(draft);
    home.clock.advance(60_000);
    const importRow = async (each: object) => {
      const stdin = JSON.stringify([{ ...each, ref: "A-1" }]);
      const ran = await home.courier("orders import - --yes --json", { stdin });
      return outcomes(JSON.parse(ran.stdout));
    };
    expect(await importRow(draft)).toBe("held");
    const corrected = {
      ...draft,
      receiver: { ...draft.receiver, phone: "13700137999", detail: "古翠路9号" },
    };
    expect(await importRow(corrected)).toBe("held");
    const words = "orders create --file - --ref A-1 --yes";
    const created = await home.courier(words, { stdin: JSON.stringify(draft) });
    expect([created.exit, home.service.orders.length], created.stderr).toEqual([2, 1]);
    expect(created.stderr).toContain(
      "a row with the ref A-1 was held by order 1, which this ledger does not know",
    );
    const again = await home.courier(`${words} --allow-duplicate`, { stdin: JSON.stringify(draft) });
    expect([again.exit, home.service.orders.length], again.stderr).toEqual([0, 2]);
  });

  test.each([
    ["with a ref", { ref: "F-1" }],
    ["without a ref", {}],
  ])(
    "is held also once the service is known to keep names, where only the name was corrected: %s",
    async (_how, ref) => {
      const home = await createUnfaithfulHome();
      home.service.foreign(tellingDraft);
      home.clock.advance(60_000);
      const { receiver } = tellingDraft;
      const corrected = { ...tellingDraft, ...ref, receiver: { ...receiver, name: `${receiver.name}明` } };
      const others = Array.from({ length: 25 }, (_, index) => ({
        ...tellingDraft,
        receiver: {
          name: `收件人${index}`,
          phone: `137001380${10 + index}`,
          city: "杭州市",
          detail: `人民路${index}号`,
        },
      }));
      const importRows = async () => {
        const stdin = JSON.stringify([corrected, ...others]);
        const ran = await home.courier("orders import - --yes --json", { stdin });
        home.clock.advance(3_600_000);
        return [ran.exit, (JSON.parse(ran.stdout) as Report[])[0]?.outcome];
      };
      for (let run = 0; run < 4; run++) expect(await importRows()).toEqual([3, "held"]);
      expect(home.service.orders).toHaveLength(26);
    },
  );

  test("and the number of its order, written into the row, makes it count as shipped", async () => {
    const rewrite = rewritings["receiver name hidden in part"];
    const home = await createUnfaithfulHome({ rewrite });
    const text = sheet(row("A-1"));
    const file = path.join(home.directory, "orders.csv");
    const importRows = async (content: string, words = "") => {
      await writeFile(file, content);
      const ran = await home.courier(`orders import ${file} --yes --json ${words}`.trim());
      const hint =
        content === text
          ? next
          : "--skip-shipped counts a row that equals an order, or has the number of one";
      if (ran.exit === 3) expect(ran.stderr).toContain(hint);
      return [ran.exit, outcomes(JSON.parse(ran.stdout))];
    };
    const next =
      'its own, write its tracking number into the row, in a column \\"Courier tracking number\\", and give --skip-shipped';
    const env = { COURIER_STATE_DIR: path.join(home.directory, "another machine") };
    await writeFile(file, text);
    expect((await home.courier(`orders import ${file} --yes`, { env })).exit).toBe(0);
    home.clock.advance(60_000);
    expect(await importRows(text, "--skip-shipped")).toEqual([3, "held"]);
    const written = text.replace(/$/m, ",Courier tracking number").replace(/^A-1.*$/m, "$&,UT00000001");
    expect(await importRows(written)).toEqual([3, "held"]);
    expect(await importRows(written, "--skip-shipped")).toEqual([0, "shipped"]);
    expect(home.service.orders).toHaveLength(1);
  });

  test("with other first digits of a hidden phone may equal the row, and covers none", async () => {
    const home = await createUnfaithfulHome({ rewrite: rewritings["digits of phones hidden"] });
    const draft = (phone: string) => ({ ...tellingDraft, receiver: { ...tellingDraft.receiver, phone } });
    home.service.foreign(draft("13911117777"));
    home.clock.advance(60_000);
    const stdin = JSON.stringify([draft("18622227777")]);
    const ran = await home.courier("orders import - --yes --json --skip-shipped", { stdin });
    expect(JSON.parse(ran.stdout)[0].error.message, ran.stderr).toMatch(/^may equal order 1, /);
  });

  test("equals the row where only the list adds to the item's name", async () => {
    const rewrite: Rewriting = (order, view) => (view === "list" ? item("茶叶等1件")(order, view) : order);
    const home = await createUnfaithfulHome({ rewrite });
    const draft = { ...tellingDraft, item: { ...tellingDraft.item, name: "茶叶" } };
    home.service.foreign(draft);
    home.clock.advance(60_000);
    const ran = await home.courier("orders import - --yes --json", { stdin: JSON.stringify([draft]) });
    expect(JSON.parse(ran.stdout)[0].error.message, ran.stderr).toMatch(/^equals order 1, /);
  });

  test("of other goods for the same receiver holds no row, once the service is known to keep their names", async () => {
    const home = await createUnfaithfulHome();
    const made = (name: string, goods: string) => ({
      ...tellingDraft,
      receiver: { ...tellingDraft.receiver, name },
      item: { ...tellingDraft.item, name: goods },
    });
    home.service.foreign(made("王五", "茶叶"));
    home.clock.advance(60_000);
    const importRows = async (...rows: readonly object[]) => {
      const ran = await home.courier("orders import - --yes --json", { stdin: JSON.stringify(rows) });
      return outcomes(JSON.parse(ran.stdout));
    };
    expect(await importRows(made("王五", "台灯"))).toBe("held");
    await importRows(
      ...Array.from({ length: 25 }, (_, index) =>
        made(`张${"一二三四五".at(index / 5)}${"甲乙丙丁戊".at(index % 5)}`, "茶杯"),
      ),
    );
    home.clock.advance(60_000);
    expect(await importRows(made("王五", "台灯"))).toBe("created");
    expect(await importRows(made("王五", "Lamp, dark red, with its bulb"))).toBe("created");
    expect(await importRows(made("王五", "茶叶"))).toBe("held");
  });

  test("is looked for among other names in at most 50 calls, until the service is known to keep names", async () => {
    const home = await createUnfaithfulHome();
    for (let count = 0; count < 60; count++)
      home.service.foreign({
        ...tellingDraft,
        receiver: { ...tellingDraft.receiver, name: `张${count}`, phone: `139001390${count}` },
      });
    home.clock.advance(60_000);
    const rows = Array.from({ length: 25 }, (_, index) => ({
      ...tellingDraft,
      receiver: {
        ...tellingDraft.receiver,
        name: `王${index}`,
        phone: `1370013700${index}`,
        detail: `古翠路${index}号`,
      },
    }));
    const read = () => home.service.requests.filter(({ endpoint }) => endpoint === "detail").length;
    const first = await home.courier("orders import - --yes --json", { stdin: JSON.stringify(rows) });
    expect([first.exit, read()], first.stderr).toEqual([0, 50]);
    expect(first.stderr).toContain(
      "Orders made elsewhere for other names were not compared: that takes more than 50 calls\n",
    );
    home.clock.advance(60_000);
    await home.courier("orders import - --yes --json", { stdin: JSON.stringify(rows.slice(0, 1)) });
    const before = read();
    const next = { ...rows[0], receiver: { ...rows[0]?.receiver, name: "赵六", phone: "13800138123" } };
    const last = await home.courier("orders import - --yes --json", { stdin: JSON.stringify([next]) });
    expect([last.exit, read() - before], last.stderr).toEqual([0, 0]);
  });
});

describe.each<[string, string | null]>([
  ["is late", "pending"],
  ["shows no states", null],
])("where the list %s, and the details show cancelled orders", (_what, status) => {
  async function homeWithCancelled() {
    const rewrite: Rewriting = (order, view) => (view === "list" ? { ...order, status } : order);
    const home = await createUnfaithfulHome({ rewrite });
    const file = path.join(home.directory, "orders.csv");
    await writeFile(file, sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    const words = ["orders", "import", file, "--yes", "--ndjson"];
    expect((await home.courier(words)).exit).toBe(0);
    expect((await home.courier("undo 1 --yes")).exit).toBe(0);
    const run = async (env = {}) => {
      const ran = await home.courier(words, { env });
      const report = ran.stdout.split("\n").filter(Boolean);
      return { ...ran, outcomes: report.map((line) => JSON.parse(line).outcome).join(" ") };
    };
    return { home, run };
  }

  test("its rows are cancelled, and not called shipped", async () => {
    const { home, run } = await homeWithCancelled();
    home.clock.advance(60_000);
    for (let times = 0; times < 2; times++) {
      const again = await run();
      expect([again.exit, again.outcomes], again.stderr).toEqual([0, "cancelled cancelled"]);
    }
    await home.courier("orders list --all");
    expect((await home.courier("log show 1 --json")).stdout).not.toContain("pending");
  });

  test("they hold no row of another machine", async () => {
    const { home, run } = await homeWithCancelled();
    const elsewhere = { COURIER_STATE_DIR: path.join(home.directory, "another machine") };
    const sent = await run(elsewhere);
    expect([sent.exit, sent.outcomes], sent.stderr).toEqual([0, "created created"]);
  });
});

test("an order that is back is shipped again, where its details say so", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  await home.run();
  expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
  const [order] = JSON.parse((await home.courier("orders list --json")).stdout);
  home.clock.advance(60_000);
  expect(outcomes((await home.run()).report)).toBe("cancelled");
  const back = { ...order, status: "paid" };
  const detail = JSON.parse((await home.courier("orders show 1000001 --json")).stdout);
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify({ ...detail, status: "paid" }));
  answerData(home, "GET /api/v1/orders", JSON.stringify([back]), onePage);
  const ran = await home.run();
  expect(outcomes(ran.report)).toBe("shipped");
});

test("an order of another machine that only the list calls cancelled holds its row", async () => {
  const rewrite: Rewriting = (order, view) => (view === "list" ? { ...order, status: "cancelled" } : order);
  const home = await createUnfaithfulHome({ rewrite });
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(row("A-1")));
  const words = ["orders", "import", file, "--yes", "--ndjson"];
  expect((await home.courier(words)).exit).toBe(0);
  const elsewhere = { env: { COURIER_STATE_DIR: path.join(home.directory, "another machine") } };
  const held = await home.courier(words, elsewhere);
  expect([held.exit, home.service.orders.length], held.stderr).toEqual([3, 1]);
  expect(JSON.parse(held.stdout)).toMatchObject({ outcome: "held" });
});

test.each<[string, string, string]>([
  ["***", "***", "***"],
  ["**, of their length", "**", "**"],
  ["empty", "", ""],
  ["hidden from the first character", "*四", "*叶"],
])(
  "an order whose names the list shows as %s holds the row of another machine",
  async (_what, name, item) => {
    const rewrite: Rewriting = (order, view) =>
      view === "list"
        ? { ...order, receiver: { ...order.receiver, name }, item: { ...order.item, name: item } }
        : order;
    const home = await createUnfaithfulHome({ rewrite });
    const file = path.join(home.directory, "orders.csv");
    await writeFile(file, sheet(row("A-1")));
    const words = ["orders", "import", file, "--yes", "--ndjson"];
    expect((await home.courier(words)).exit).toBe(0);
    const elsewhere = { env: { COURIER_STATE_DIR: path.join(home.directory, "another machine") } };
    const held = await home.courier(words, elsewhere);
    expect([held.exit, home.service.orders.length], held.stderr).toEqual([3, 1]);
  },
);

test("a row whose order was cancelled is held by the order that another machine has made of it since", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  const elsewhere = { env: { COURIER_STATE_DIR: `${home.directory}/another machine` } };
  await home.run();
  expect(outcomes((await home.run("--skip-shipped", elsewhere)).report)).toBe("shipped");
  expect((await home.courier("orders cancel ref:A-1 --yes")).exit).toBe(0);
  expect(outcomes((await home.run("--allow-duplicate A-1")).report)).toBe("created");
  const held = await home.run("", elsewhere);
  expect([held.exit, outcomes(held.report), home.posts], held.stderr).toEqual([3, "held", 2]);
  const done = `${home.directory}/done.csv`;
  const covered = await home.run(`--skip-shipped --write-back ${done}`, elsewhere);
  expect(outcomes(covered.report), covered.stderr).toBe("shipped");
  const { tracking_number } = JSON.parse((await home.courier("orders show 1000002 --json")).stdout);
  expect(await readFile(done, "utf8")).toContain(tracking_number);
});
