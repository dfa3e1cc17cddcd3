/** `courier orders resolve`: a person says what became of an order in doubt, and nobody else's order is taken. */

import { uptime } from "node:os";
import { describe, expect, test } from "vitest";
import { identifyProcess } from "../../src/core/process-identity.ts";
import { answerData } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { deadPid } from "../support/dead-process.ts";
import { createImportHome, lostForNow, outcomes, row, sheet, withLedger } from "../support/imports.ts";
import { createAtService, type RecordedCreate, readRuns, recordRun } from "../support/ledger.ts";
import { plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

async function homeInDoubt(states: readonly RecordedCreate[] = ["unknown"]) {
  const home = await createServedHome();
  await recordRun(home, states, { exit: 6 });
  return home;
}

async function operationOf(home: ServedHome, number = 1) {
  return (await readRuns(home))[0]?.operations[number - 1];
}

const wholeOrder = {
  sender: { name: "张三", phone: "13800138000", city: "深圳市", detail: "科技园路1号" },
  receiver: { name: "李四", phone: "13900139000", province: "北京市", district: "朝阳区" },
  item: { name: "手机", description: "全新", weight: 2.5, value: 2999, quantity: 1 },
  service_type: "express",
};
const wholeOrderShown = `Sender         张三  13800138000
               深圳市 科技园路1号
Receiver       李四  13900139000
               北京市 朝阳区
Item           手机
  description  全新
  weight       2.5
  value        2999
  quantity     1
Service level  express
`;

describe("without a name", () => {
  test("lists the orders in doubt of the account, each with its name, and asks the service nothing", async () => {
    const home = await homeInDoubt(["unknown", "created", "unknown", "refused"]);
    const before = home.sandbox.requests.length;
    const { exit, stdout, stderr } = await home.courier("orders resolve");
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr:
        "if it was created as order ID: courier orders resolve NAME --as ID\n" +
        "if it was not created: courier orders resolve NAME --not-created\n",
    });
    expect(stdout.replace(/ +/g, " ").split("\n")).toEqual([
      "NAME KIND STATE ROW REF ORDER TRACKING LAST SEEN TO SENT",
      "1.1 create unknown 2 R-1-1 - - - 李四 2026-03-01T08:00:00.000Z",
      "1.3 create unknown 4 R-1-3 - - - 李四 2026-03-01T08:00:00.000Z",
      "",
    ]);
    const listed = JSON.parse((await home.courier("orders resolve --json")).stdout);
    expect(listed.map(({ operation }: { operation: string }) => operation)).toEqual(["1.1", "1.3"]);
    expect(home.sandbox.requests).toHaveLength(before);
  });

  test("says that none is in doubt, and makes no ledger", async () => {
    const home = await createServedHome();
    expect(await home.courier("orders resolve")).toEqual({
      exit: 0,
      stdout: "",
      stderr: "No order is in doubt\n",
    });
    expect((await home.courier("log")).stderr).toBe("Nothing was recorded yet\n");
    expect((await home.courier("orders resolve --json")).stdout.trim()).toBe("[]");
  });

  test.each(["--as 1000001", "--not-created --yes"])("%s needs one: exit 2", async (flag) => {
    const home = await homeInDoubt();
    const { exit, stderr } = await home.courier(`orders resolve ${flag}`);
    expect(exit).toBe(2);
    expect(stderr).toMatch(
      /^error: --\S+ needs the name of an operation\nhint: .*courier orders resolve lists them\n$/,
    );
  });
});

test("an order that a process of another machine or container was sending is listed, and can be settled", async () => {
  const home = await createServedHome();
  const process = { ...identifyProcess({ pid: await deadPid() }), place: "attic - -" };
  await recordRun(home, ["sending"], { exit: undefined, process });
  const listed = JSON.parse((await home.courier("orders resolve --json")).stdout);
  expect(listed).toMatchObject([{ operation: "1.1", state: "sending" }]);
  const shown = await home.courier("orders resolve 1.1");
  expect(shown.stdout).toContain("if it was created as order ID: courier orders resolve 1.1 --as ID\n");
  for (const flag of ["--yes", ""]) {
    const refused = await home.courier(`orders resolve 1.1 --not-created ${flag}`);
    expect([refused.exit, (await operationOf(home))?.state]).toEqual([2, "sending"]);
    expect(refused.stderr).toContain("may still be sending 1.1: nothing was recorded");
  }
  const order = await createAtService(home);
  const settled = await home.courier(`orders resolve 1.1 --as ${order.id} --yes`);
  expect([settled.exit, (await operationOf(home))?.state], settled.stderr).toEqual([0, "found"]);
  expect((await home.courier("orders resolve --json")).stdout).toBe("[]\n");
});

describe("without --as and --not-created", () => {
  test("shows what is known, and changes nothing", async () => {
    const home = await homeInDoubt();
    const before = home.sandbox.requests.length;
    const { exit, stdout, stderr } = await home.courier("orders resolve 1.1");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout.replace(/ +/g, " ").split("\n").slice(0, 6)).toEqual([
      "Operation 1.1",
      "Kind create",
      "State unknown",
      "Row 2",
      "Ref R-1-1",
      "Order -",
    ]);
    expect(home.sandbox.requests).toHaveLength(before);
    expect(await readRuns(home)).toHaveLength(1);
  });

  test("shows the whole order that a person has to decide about", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ kind: "drop_before", method: "POST" }]);
    const sent = await home.courier("orders create --file - --yes", { stdin: JSON.stringify(wholeOrder) });
    expect(sent.exit).toBe(6);
    const { stdout } = await home.courier("orders resolve 1.1");
    expect(stdout.slice(stdout.indexOf("\n\n"))).toBe(`\n\nThe order:
${wholeOrderShown}
if it was created as order ID: courier orders resolve 1.1 --as ID
if it was not created: courier orders resolve 1.1 --not-created
`);
    for (const way of stdout.match(/courier orders resolve .*$/gm) ?? [])
      expect((await home.courier(way.replace("courier ", ""))).exit).toBe(2);
  });

  test("says that the ledger does not have the order where its body was none of the interface", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ kind: "drop_before", method: "POST" }]);
    const sent = await home.courier("api POST orders --input -", {
      stdin: '{"receiver":"李四"}',
    });
    expect(sent.exit, sent.stderr).toBe(6);
    const { stdout } = await home.courier("orders resolve 1.1");
    expect(stdout).toMatch(/\n\nThe ledger does not have the data of the order\n\nif it was created/);
  });

  test("at a terminal, and as JSON, by its ref", async () => {
    const home = await homeInDoubt();
    expect((await home.courier("orders resolve 1.1", { terminal: 80 })).stdout).toContain("unknown");
    const { stdout } = await home.courier("orders resolve ref:R-1-1 --json");
    expect(JSON.parse(stdout)).toMatchObject({ operation: "1.1", state: "unknown", id: null });
    expect(
      (await home.courier("orders resolve ref:R-1-1 --ndjson")).stdout.trimEnd().split("\n"),
    ).toHaveLength(1);
  });
});

describe("--as", () => {
  test("reads the order and records it as found", async () => {
    const home = await homeInDoubt();
    const order = await createAtService(home);
    const { exit, stdout, stderr } = await home.courier(`orders resolve 1.1 --as ${order.id} --json`);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      state: "found",
      id: 1000001,
      tracking_number: order.tracking_number,
      order_state: "pending",
    });
    expect((await operationOf(home))?.state).toBe("found");
    expect((await readRuns(home)).at(-1)).toMatchObject({ command: "orders resolve", exit: 0 });
  });

  test("an order that the service does not know: exit 1, and it stays in doubt", async () => {
    const home = await homeInDoubt();
    const { exit, stdout } = await home.courier("orders resolve 1.1 --as 9");
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect((await operationOf(home))?.state).toBe("unknown");
  });

  test("an order that another operation has become: exit 2, and it stays in doubt", async () => {
    const home = await homeInDoubt(["unknown", "created"]);
    const { exit, stderr } = await home.courier("orders resolve 1.1 --as 1000001");
    expect(exit).toBe(2);
    expect(stderr).toBe(
      "error: order 1000001 belongs to operation 1.2\nhint: courier orders resolve 1.2 shows it\n",
    );
    expect((await operationOf(home))?.state).toBe("unknown");
  });

  test.each(["1000002", "001000002"])(
    "nor does another operation lose its own order to it, which the service shows as another one: %s",
    async (id) => {
      const home = await createServedHome();
      await recordRun(home, ["created", "created"]);
      await withLedger(home.stateDir, (ledger) => ledger.markShown({ run: 1, number: 1 }, true));
      const { exit, stderr } = await home.courier(`orders resolve 1.1 --as ${id} --yes`);
      expect(exit, stderr).toBe(2);
      expect(stderr).toContain("error: order 1000002 belongs to operation 1.2\n");
      expect(await operationOf(home)).toMatchObject({ state: "created", order: { id: "1000001" } });
    },
  );

  test("an order with another phone and item to the same name is asked about, with both values", async () => {
    const home = await homeInDoubt();
    const receiver = { ...plainDraft.receiver, phone: "13700137000" };
    await createAtService(home, { ...plainDraft, receiver, item: { ...plainDraft.item, name: "台灯" } });
    const { exit, stderr } = await home.courier("orders resolve 1.1 --as 1000001");
    expect(exit).toBe(2);
    expect(stderr).toContain(
      `warning: order 1000001 has 13700137000, 台灯, but 1.1 was sent with ${plainDraft.receiver.phone}, ${plainDraft.item.name}\n`,
    );
    expect((await operationOf(home))?.state).toBe("unknown");
  });

  test.each([
    ["was made days before the request", {}, 29 * 24, "was made at \\S+, days before 1\\.1 was sent"],
    ["the same of a service without dates", { hideDate: true }, 29 * 24, "was made at .* was sent"],
    ["was listed an hour before the request", {}, 1, "was listed before 1\\.1 was sent"],
  ])("an equal order that %s is recorded only by who confirms it", async (_what, ways, hours, warning) => {
    const home = await createUnfaithfulHome(ways);
    home.service.foreign(plainDraft);
    expect((await home.courier("orders list")).exit).toBe(0);
    home.clock.advance(hours * 3_600_000);
    home.service.ways = { ...ways, loss: () => "after", refuseList: { status: 503 } };
    const create = ["orders", "create", "--file", "-", "--ref", "W-1", "--yes"];
    expect((await home.courier(create, { stdin: JSON.stringify(plainDraft) })).exit).toBe(6);
    home.service.ways = ways;
    const refused = await home.courier("orders resolve ref:W-1 --as 1");
    expect(refused.exit, refused.stderr).toBe(2);
    expect(refused.stderr).toMatch(new RegExp(`^warning: order 1 ${warning}\n`));
    const kept = await withLedger(home.stateDir, (ledger) => ledger.findOperation({ run: 1, number: 1 }));
    expect(kept?.state).toBe("unknown");
    expect((await home.courier("orders resolve ref:W-1 --as 2")).exit).toBe(0);
  });

  describe("an order to another receiver is recorded only by who confirms it", () => {
    const question = "Record that 1.1 was created as order 1000001?";
    const warning = "warning: order 1000001 has 王五, but 1.1 was sent with 李四\n";

    async function homeWithOther() {
      const home = await homeInDoubt();
      await createAtService(home, { ...plainDraft, receiver: { name: "王五" } });
      return home;
    }

    test.each([
      [true, 0, "found"],
      [false, 130, "unknown"],
    ])("at a terminal: %s", async (answer, exit, state) => {
      const home = await homeWithOther();
      const prompts = scriptedPrompts({ confirms: [answer] });
      const ran = await home.courier("orders resolve 1.1 --as 1000001", {
        terminal: 80,
        prompts,
        env: { NO_COLOR: "1" },
      });
      expect(ran.stderr).toContain(warning);
      expect(prompts.asked).toEqual([question]);
      expect([ran.exit, (await operationOf(home))?.state]).toEqual([exit, state]);
    });

    test("in a pipe: --yes", async () => {
      const home = await homeWithOther();
      const refused = await home.courier("orders resolve 1.1 --as 1000001");
      expect([refused.exit, (await operationOf(home))?.state]).toEqual([2, "unknown"]);
      expect(refused.stderr).toBe(
        `${warning}error: “${question}” needs a confirmation, and courier cannot ask here\nhint: add --yes to confirm\n`,
      );
      const recorded = await home.courier("orders resolve 1.1 --as 1000001 --yes");
      expect([recorded.exit, recorded.stderr]).toEqual([0, warning]);
      expect((await operationOf(home))?.state).toBe("found");
    });
  });
});

describe("an order that has what another order in doubt was sent with", () => {
  const message = "order 1000001 shows what 1.1 was sent with, which is in doubt, too";

  async function homeWithTwo() {
    const home = await homeInDoubt();
    await recordRun(home, ["unknown"], { exit: 6 }); // to another phone and street
    await createAtService(home);
    return home;
  }

  test("is not given to the first one by a script", async () => {
    const home = await homeWithTwo();
    const { exit, stdout, stderr } = await home.courier("orders resolve 2.1 --as 1000001 --yes");
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(
      `error: ${message}: nothing was recorded\nhint: if it is this order: courier orders resolve 1.1 --as 1000001; ` +
        "if you know that it is another one, answer at a terminal, without --yes\n",
    );
    const states = async () => (await readRuns(home)).slice(0, 2).map((run) => run.operations[0]?.state);
    expect(await states()).toEqual(["unknown", "unknown"]);

    expect((await home.courier("orders resolve 1.1 --as 1000001")).exit).toBe(0);
    expect(await states()).toEqual(["found", "unknown"]);
  });

  test("nor where the service hides its name and phone", async () => {
    const home = await createImportHome(
      sheet(row("A-1"), row("A-2", "王五", "13700137001").replace("茶叶", "台灯")),
    );
    home.sandbox.faults.set(lostForNow("drop_after", 2));
    expect((await home.run("--concurrency 2")).exit).toBe(6);
    home.sandbox.faults.clear();
    const receiver = { name: "王*", phone: "137****7001", address: "北京市******" };
    const order = { id: 1000002, status: "pending", receiver, item: { name: "台灯" } };
    answerData(home, "GET /api/v1/orders/1000002", JSON.stringify(order));
    const { exit, stderr } = await home.courier("orders resolve ref:A-1 --as 1000002 --yes");
    expect([exit, home.posts], stderr).toEqual([2, 2]);
    expect(stderr).toContain(
      "error: order 1000002 shows what 1.2 was sent with, which is in doubt, too: nothing was",
    );
  });

  test("a person at a terminal is told, and decides", async () => {
    const home = await homeWithTwo();
    const prompts = scriptedPrompts({ confirms: [true] });
    const { exit, stderr } = await home.courier("orders resolve 2.1 --as 1000001", {
      terminal: 80,
      prompts,
      env: { NO_COLOR: "1" },
    });
    expect(stderr.replaceAll(/\n +/g, " ")).toContain(`warning: ${message}\n`);
    expect([exit, (await readRuns(home))[1]?.operations[0]?.state]).toEqual([0, "found"]);
  });

  test("and if the person was wrong, the other one is not sent again", async () => {
    const known = Array.from({ length: 22 }, (_, index) =>
      row(`K-${index}`, `客户${index}`, `1370013${1_000 + index}`),
    );
    const home = await createImportHome(sheet(...known));
    expect((await home.run()).exit).toBe(0);
    await home.put(sheet(row("A-1"), row("A-2", "王五", "13700137001").replace("茶叶", "台灯")));
    home.sandbox.faults.set(lostForNow("drop_after", 2));
    expect((await home.run("--concurrency 2")).exit).toBe(6);
    home.sandbox.faults.clear();
    const wrong = await home.courier("orders resolve ref:A-1 --as 1000024", {
      terminal: 80,
      prompts: scriptedPrompts({ confirms: [true] }),
    });
    expect(wrong.stderr).toContain("order 1000024 shows what 2.2 was sent with");
    expect(wrong.exit).toBe(0);

    home.clock.advance(60 * 60_000);
    const { exit, report } = await home.run("--settle 10s");
    expect([exit, outcomes(report)]).toEqual([6, "shipped unknown"]);
    expect(report[1]?.error?.message).toContain("1000024");
    expect(home.posts).toBe(24);
  });
});

describe("--not-created", () => {
  test("asks, and records that it may be sent again", async () => {
    const home = await homeInDoubt();
    const prompts = scriptedPrompts({ confirms: [true] });
    const options = { terminal: 80, prompts, env: { NO_COLOR: "1" } };
    const { exit, stderr } = await home.courier("orders resolve 1.1 --not-created", options);
    expect(exit).toBe(0);
    expect(stderr).toMatch(/The order:\nSender +张三 {2}13800138000\n[\s\S]*建国路88号\nItem +手机\n/);
    expect(prompts.asked).toEqual([
      "Record that 1.1 (to 李四, 手机, ref R-1-1) created no order, so that it may be sent again?",
    ]);
    expect(await operationOf(home)).toMatchObject({ state: "unsent", rejection: { code: "resolved" } });
  });

  test("no leaves it in doubt", async () => {
    const home = await homeInDoubt();
    const prompts = scriptedPrompts({ confirms: [false] });
    expect((await home.courier("orders resolve 1.1 --not-created", { terminal: 80, prompts })).exit).toBe(
      130,
    );
    expect((await operationOf(home))?.state).toBe("unknown");
    expect(await readRuns(home)).toHaveLength(1);
  });

  test("of an order that was created says so before it asks", async () => {
    const home = await homeInDoubt(["created"]);
    const { exit, stderr } = await home.courier("orders resolve 1.1 --not-created");
    expect(exit).toBe(2);
    expect(stderr).toContain("error: 1.1 is not in doubt: it is created (order 1000001)\n");
  });

  test("in a pipe it needs --yes", async () => {
    const home = await homeInDoubt();
    const { exit, stderr } = await home.courier("orders resolve 1.1 --not-created --json");
    expect(exit).toBe(2);
    expect(JSON.parse(stderr).error).toMatchObject({
      message: "recording that 1.1 created no order needs a confirmation, and courier cannot ask here",
      hint: "if you know it from the courier service, add --yes; if not, run the command that sent it again: it looks for the order",
    });
    expect((await home.courier("orders resolve 1.1 --not-created --yes")).exit).toBe(0);
    expect((await operationOf(home))?.state).toBe("unsent");
  });
});

describe("--not-created looks at the list first", () => {
  /** The create is of a time before which no list was read, so that a listed order is no proof by itself. */
  async function homeWithListed() {
    const home = await homeInDoubt();
    const order = await createAtService(home);
    return { ...home, id: order.id };
  }

  test("an equal order of no operation is named, and nothing is recorded: exit 2", async () => {
    const home = await homeWithListed();
    const { exit, stderr } = await home.courier("orders resolve 1.1 --not-created --yes");
    expect(exit).toBe(2);
    expect(stderr).toContain(`error: order ${home.id} may be 1.1: nothing was recorded\n`);
    expect(stderr).toContain(`hint: if it is this order: courier orders resolve 1.1 --as ${home.id}; `);
    expect((await operationOf(home))?.state).toBe("unknown");
  });

  test.each([
    ["hides what tells it apart", { name: "李*", phone: "139****9000", address: "北京市******" }],
    [
      "writes the name in another way",
      { name: "LI SI", phone: "13900139000", address: "北京市朝阳区建国路88号" },
    ],
  ])("so is one of which the service %s", async (_how, receiver) => {
    const home = await homeWithListed();
    const order = { id: Number(home.id), status: "pending", receiver, item: { name: "手机" } };
    answerData(home, `GET /api/v1/orders/${home.id}`, JSON.stringify(order));
    const { exit, stderr } = await home.courier("orders resolve 1.1 --not-created --yes");
    expect([exit, (await operationOf(home))?.state], stderr).toEqual([2, "unknown"]);
    expect(stderr).toContain(`error: order ${home.id} may be 1.1: nothing was recorded\n`);
  });

  test.each([
    [true, 0, "unsent"],
    [false, 130, "unknown"],
  ])("at a terminal a person who says %s is right", async (answer, exit, state) => {
    const home = await homeWithListed();
    const prompts = scriptedPrompts({ confirms: [answer] });
    const ran = await home.courier("orders resolve 1.1 --not-created", { terminal: 80, prompts });
    expect(ran.stderr).toContain(`order ${home.id} may be 1.1`);
    expect([ran.exit, (await operationOf(home))?.state]).toEqual([exit, state]);
  });

  test("an order that is not listed is said not to be, with what was read", async () => {
    const home = await homeInDoubt();
    const { exit, stderr } = await home.courier("orders resolve 1.1 --not-created --yes");
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^none of the 0 orders listed is it; one may still be listed until /);
  });

  test("and since when, where an own order tells from which day on the list has it", async () => {
    const home = await createServedHome();
    const create = "orders create --sender-name A --receiver-name B --no-input --item-name";
    expect((await home.courier(`${create} C`)).exit).toBe(0);
    home.sandbox.faults.set([
      { method: "POST", kind: "drop_before" },
      { method: "GET", kind: "status", status: 500 },
    ]);
    expect((await home.courier(`${create} D`)).exit).toBe(6);
    home.sandbox.faults.clear();
    const { exit, stderr } = await home.courier("orders resolve 2.1 --not-created --yes");
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^none of the 1 order listed since 2026-02-28 is it; one may still be listed /);
  });

  test("where it cannot be read a person may decide, and a script records nothing", async () => {
    const home = await homeWithListed();
    home.sandbox.faults.set([{ method: "GET", path: "/api/v1/orders", kind: "status", status: 500 }]);
    const unread = "the orders of the service could not be compared: ";
    const ran = await home.courier("orders resolve 1.1 --not-created --yes");
    expect([ran.exit, (await operationOf(home))?.state]).toEqual([5, "unknown"]);
    expect(ran.stderr).toContain(`error: ${unread}`);
    expect(ran.stderr).toContain("; nothing was recorded\nhint: run the same command again when the list");
    const prompts = scriptedPrompts({ confirms: [true] });
    const decided = await home.courier("orders resolve 1.1 --not-created", { terminal: 80, prompts });
    expect([decided.exit, (await operationOf(home))?.state]).toEqual([0, "unsent"]);
    expect(decided.stderr.replace(/\s+/g, " ")).toContain(`warning: ${unread}`);
  });
});

describe("an operation that a run is at work on", () => {
  async function homeSending(owner: "alive" | "dead" | "elsewhere", state: "ready" | "sending" = "sending") {
    const home = await createServedHome();
    const own = identifyProcess(process);
    const identity = {
      alive: own,
      dead: { ...own, pid: deadPid(), started: "1" },
      elsewhere: { ...own, place: "attic - -" },
    }[owner];
    await recordRun(home, [state], { exit: undefined, process: identity });
    return home;
  }

  test("is left to a run that goes on: exit 2", async () => {
    const home = await homeSending("alive");
    const { exit, stderr } = await home.courier("orders resolve 1.1 --not-created --yes");
    expect(exit).toBe(2);
    expect(stderr).toContain("run 1 is still running (pid ");
    expect((await operationOf(home))?.state).toBe("sending");
  });

  describe("where the system does not tell when processes began", () => {
    async function homeSendingBefore(beforeMs: number) {
      const home = await createServedHome();
      const unsure = { ...identifyProcess(process), started: undefined };
      const startedAtMs = home.clock.now() - beforeMs;
      await recordRun(home, ["sending"], { exit: undefined, process: unsure, startedAtMs });
      return home;
    }

    test("a run from before the machine was started has ended", async () => {
      const home = await homeSendingBefore(uptime() * 1_100 + 3_600_000);
      expect((await home.courier("orders resolve 1.1 --not-created --yes")).exit).toBe(0);
      expect((await operationOf(home))?.state).toBe("unsent");
    });

    test("a person may say that a later one has ended, a script may not", async () => {
      const home = await homeSendingBefore(0);
      const refused = await home.courier("orders resolve 1.1 --not-created --yes");
      expect(refused.exit).toBe(2);
      expect(refused.stderr).toMatch(
        /^hint: .*; if process \d+ is another program, run the same command at a terminal without --yes$/m,
      );
      for (const [answer, exit] of [
        [false, 2],
        [true, 0],
      ] as const) {
        const prompts = scriptedPrompts({ confirms: [answer, true] });
        const ran = await home.courier("orders resolve 1.1 --not-created", { terminal: 80, prompts });
        expect(ran.exit, ran.stderr).toBe(exit);
        expect(prompts.asked[0]).toMatch(/^This system does not tell .* began run 1\. Has the run ended\?$/);
      }
      expect((await operationOf(home))?.state).toBe("unsent");
    });
  });

  test("is taken from one that was killed", async () => {
    const home = await homeSending("dead");
    expect((await home.courier("orders resolve 1.1 --not-created --yes")).exit).toBe(0);
    expect((await operationOf(home))?.state).toBe("unsent");
  });

  test("one that was ready was never sent: there is nothing to resolve", async () => {
    const home = await homeSending("dead", "ready");
    const { exit, stderr } = await home.courier("orders resolve 1.1 --not-created --yes");
    expect(exit).toBe(2);
    expect(stderr).toContain("1.1 is not in doubt: it is unsent");
  });

  test("is taken from one of another host after a question that names it", async () => {
    const home = await homeSending("elsewhere");
    const order = await createAtService(home);
    const prompts = scriptedPrompts({ confirms: [true] });
    const { exit } = await home.courier(`orders resolve 1.1 --as ${order.id}`, { terminal: 80, prompts });
    expect(exit).toBe(0);
    expect(prompts.asked[0]).toContain("It began on attic as process");
    expect((await home.courier("orders resolve 1.1 --json")).stdout).toContain('"state":"found"');
  });

  test("in a pipe that needs --yes", async () => {
    const home = await homeSending("elsewhere");
    const order = await createAtService(home);
    expect((await home.courier(`orders resolve 1.1 --as ${order.id}`)).exit).toBe(2);
    expect((await operationOf(home))?.state).toBe("sending");
  });
});

test.each([
  ["orders resolve 1.1 --as 5 --not-created --yes", "--as and --not-created exclude each other"],
  ["orders resolve 12", "an operation is named 12.3, or ref:R, not “12”"],
  ["orders resolve 1.9", "there is no operation 1.9 in the log"],
  ["orders resolve ref:none", "no order with the ref none is recorded for this account"],
  ["orders resolve 1.2 --not-created --yes", "1.2 is not in doubt: it is created (order 1000001)"],
  ["orders resolve 2.1 --not-created --yes", "2.1 is a cancel of order 1000001"],
  ["orders resolve 1.1 --as x", "an order id is a whole number, not “x”"],
])("%s: exit 2", async (words, message) => {
  const home = await homeInDoubt(["unknown", "created"]);
  await home.courier("orders cancel 1000001 --yes");
  const { exit, stdout, stderr } = await home.courier(words);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  expect(stderr).toContain(`error: ${message}`);
  expect((await operationOf(home))?.state).toBe("unknown");
});
