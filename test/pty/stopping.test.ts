/** What ends or stops a question other than its answer: Ctrl-Z and fg, Ctrl-D, a signal; the terminal is whole after each. */

import { readdir, readFile, readlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test as testAnywhere } from "vitest";
import { openLedger } from "../../src/ledger/ledger.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { sentBodies } from "../support/answers.ts";
import { until } from "../support/process.ts";
import {
  createServedTerminalHome,
  createTerminalHome,
  keys,
  notingShell,
  type Terminal,
  type TerminalHome,
} from "../support/terminal.ts";
import { lacks } from "../support/tools.ts";
import { zhang } from "./person.ts";

const test = testAnywhere.skipIf(lacks("sh", "stty", "setsid"));
/** The standalone executable, whose runtime does not do this (decision 18). */
const isOnBun = process.env.COURIER_BIN !== undefined;
const testOnNode = testAnywhere.skipIf(isOnBun || lacks("sh", "stty", "setsid"));

const order = "orders create --item-name 书 --sender-name 张三 --receiver-name 李四 --yes".split(" ");

/** A shell with job control: after Ctrl-Z it notes the terminal's modes, writes a line and goes on with the job. */
const stoppable =
  'set -m; stty -g > before; "$@"; stty -g > stopped; echo "in the shell"; fg > fg.txt; code=$?; stty -g > after; exit $code';

async function expectWhole(home: TerminalHome, terminal: Terminal, ...moments: string[]) {
  expect(terminal.isCursorVisible).toBe(true);
  for (const moment of moments) expect(await home.read(moment), moment).toBe(await home.read("before"));
}

testOnNode.each(["/dev/stdin", "/dev/tty"])(
  "Ctrl-C ends a run that reads %s of a terminal: exit 130",
  async (name) => {
    const home = await createServedTerminalHome();
    const terminal = home.open(`orders create --file ${name} --yes`);
    await terminal.until(`waiting for data from ${name}`);
    terminal.type(keys.ctrlC);
    expect((await terminal.ended).exit).toBe(130);
  },
);

test("a file that is typed into /dev/tty is read to its end", async () => {
  const home = await createServedTerminalHome();
  const terminal = home.open("orders create --file /dev/tty --yes");
  await terminal.until("waiting for data from /dev/tty");
  terminal.type('{"sender":{"name":"A"},"receiver":{"name":"B"},"item":{"name":"C"}}\r\u0004');
  expect((await terminal.ended).exit).toBe(0);
  expect(sentBodies(home)).toHaveLength(1);
});

describe("Ctrl-Z and fg", () => {
  test("in a line: what was typed is there again, and can be gone on with", async () => {
    const home = await createServedTerminalHome();
    const terminal = home.open("orders create", { shell: stoppable });
    await terminal.choose("Sender", "new address");
    await terminal.answer("Sender name", "张三");
    await terminal.until("? Sender phone");
    terminal.type("1380013");
    await terminal.until("? Sender phone 1380013");
    terminal.type(keys.ctrlZ);
    await terminal.until(/in the shell\n(?:.*\n)*\? Sender phone 1380013$/);
    terminal.type("8000");
    await terminal.until(/\? Sender phone 13800138000$/);
    await terminal.answer("Sender phone");
    await terminal.until("? Sender province");
    terminal.type(keys.ctrlC);
    expect((await terminal.ended).exit).toBe(130);
    await expectWhole(home, terminal, "stopped", "after");
    expect(terminal.screen()).toContain("your draft is kept");
  });

  test("in a list, in a search and at a yes or no", async () => {
    const home = await createTerminalHome();
    await home.open("addresses add shop --name 店 --default").ended;
    await home.open(order).ended;
    let terminal = home.open("orders create", { shell: stoppable });
    await terminal.until("? Receiver");
    terminal.type("shop");
    await terminal.until("? Receiver shop");
    terminal.type(keys.ctrlZ);
    await terminal.until(/in the shell.*\n(?:.*\n)*\? Receiver shop\n❯ @shop 店/);
    terminal.type(keys.ctrlC);
    await terminal.ended;

    terminal = home.open("orders create --repeat", { shell: stoppable });
    await terminal.until(/\? What now\?\n❯ Change the sender\n {2}Send this order/);
    terminal.type(keys.down);
    await terminal.until("❯ Send this order");
    terminal.type(keys.ctrlZ);
    await terminal.until(/in the shell.*\n(?:.*\n)*\? What now\?\n {2}Change the sender\n❯ Send this order/);
    await terminal.choose("What now?", "Quit without sending");
    expect((await terminal.ended).exit).toBe(130);
    await expectWhole(home, terminal, "stopped", "after");

    terminal = home.open("orders cancel 1000001", { shell: stoppable });
    await terminal.until("? Cancel order 1000001");
    terminal.type(keys.ctrlZ);
    await terminal.until(/in the shell.*\n(?:.*\n)*\? Cancel order 1000001/);
    await terminal.answer("Cancel order 1000001", "y");
    expect((await terminal.ended).exit).toBe(0);
    expect(terminal.screen()).toContain("cancelled");
    await expectWhole(home, terminal, "stopped", "after");
  });

  test("while an address is pasted", async () => {
    const home = await createServedTerminalHome();
    const terminal = home.open("orders create", { shell: stoppable });
    await terminal.choose("Sender", "paste an address as text");
    await terminal.until(/^>$/m);
    terminal.type("李四\r139");
    await terminal.until("> 139");
    terminal.type(keys.ctrlZ);
    await terminal.until(/in the shell\n(?:.*\n)*> 139$/);
    terminal.type("00139000\r\r");
    await terminal.until(/name +李四\n +phone +13900139000\n(?:.*\n)*\? Is this sender right\?/);
  });

  describe.skipIf(isOnBun)("a signal that ends it comes while it is stopped, as of a shell's kill %1", () => {
    const killed = (signal: string) =>
      [
        `set -m; stty -g > before; (trap : TERM HUP; "$@"; echo "$?" > code)`,
        `kill -${signal} %1; kill -CONT %1; until [ -s code ]; do sleep 0.05; done; stty -g > after`,
      ].join("; ");

    test.each([
      ["TERM", "143"],
      ["HUP", "129"],
    ])("in a line: the draft is kept: SIG%s", async (signal, code) => {
      const home = await createServedTerminalHome();
      const terminal = home.open("orders create", { shell: killed(signal) });
      await terminal.choose("Sender", "new address");
      await terminal.answer("Sender name", "张三");
      await terminal.until("? Sender phone");
      terminal.type(`138${keys.ctrlZ}`);
      await terminal.ended;
      expect(await home.read("code")).toBe(`${code}\n`);
      expect(terminal.screen()).toContain("your draft is kept");
      await expectWhole(home, terminal, "after");
    });

    test.each([
      ["a list", "orders create --repeat", "? What now?"],
      ["the paste of an address", "orders create", "? Sender"],
      ["a board", "track CR000000000001 --watch", "q ends"],
      ["a search screen", "find", "quit"],
    ])("%s", async (what, words, shown) => {
      const home = await createTerminalHome();
      await home.open(order).ended;
      const terminal = home.open(words, { shell: killed("TERM") });
      if (what.startsWith("the paste")) {
        await terminal.choose("Sender", "paste an address as text");
        await terminal.until(/^>$/m);
      } else await terminal.until(shown);
      terminal.type(keys.ctrlZ);
      await terminal.ended;
      expect(await home.read("code")).toBe("143\n");
      await expectWhole(home, terminal, "after");
    });
  });

  test("where no shell can let it go on, it goes on by itself", async () => {
    const home = await createServedTerminalHome();
    const terminal = home.open("orders create", { shell: 'exec setsid -w "$@"' });
    await terminal.until("? Sender");
    terminal.type(keys.ctrlZ);
    await terminal.choose("Sender", "new address");
    await terminal.until("? Sender name");
  });
});

describe("a second Ctrl-C", () => {
  test.each([
    ["at a question", "orders create", "? Sender"],
    ["at the base URL of a login", "login", "? Base URL"],
    ["at the key of a login", "login --base-url http://127.0.0.1:9", "? API key"],
  ])("%s: exit 130, and the terminal is whole", async (_where, words, question) => {
    const home = await createServedTerminalHome();
    const terminal = home.open(words, { shell: notingShell });
    await terminal.until(question);
    terminal.type(keys.ctrlC);
    terminal.type(keys.ctrlC);
    expect(await terminal.ended).toEqual({ exit: 130, signal: undefined });
    await expectWhole(home, terminal, "after");
  });

  test("at a question, while another process keeps the ledger locked: the draft is waited for no longer", async () => {
    const home = await createServedTerminalHome();
    await (await openLedger(home.stateDir)).close();
    const other = (await loadDriver()).open(ledgerPath(home.stateDir));
    const terminal = home.open("orders create", { shell: notingShell });
    await terminal.choose("Sender", "new address");
    await terminal.answer("Sender name", "张三");
    await terminal.until("? Sender phone");
    other.exec("BEGIN IMMEDIATE");
    terminal.type(keys.ctrlC);
    await terminal.until("waiting for another courier process");
    terminal.type(keys.ctrlC);
    expect(await terminal.ended).toEqual({ exit: 130, signal: undefined });
    other.close();
    expect(terminal.screen()).not.toContain("your draft is kept");
    await expectWhole(home, terminal, "after");
  });
});

describe("Ctrl-C right after Esc ends the program at once", () => {
  const questions = [
    ["a search", "orders show", "? Which order?"],
    ["the base URL", "login", "? Base URL"],
    ["a column", "orders import orders.csv", "? 客户"],
    ["the search screen", "find", "Esc quit"],
  ] as const;
  const cases = questions.flatMap(([what, words, question]) => [
    [what, "in two pieces", words, question, [`x${keys.escape}`, keys.ctrlC]] as const,
    [what, "in one piece", words, question, ["x", `${keys.escape}${keys.ctrlC}`]] as const,
  ]);
  test.each(cases)("%s, %s", async (_what, _how, words, question, [before, last]) => {
    const home = await createTerminalHome();
    await home.open(order).ended;
    await writeFile(path.join(home.directory, "orders.csv"), "客户,货名,sender.name\n李四,绿茶,张三\n");
    const terminal = home.open(words, { shell: notingShell });
    await terminal.until(question);
    terminal.type(before);
    await terminal.until(/x$/m);
    terminal.type(last);
    expect(await terminal.ended).toEqual({ exit: 130, signal: undefined });
    await expectWhole(home, terminal, "after");
  });
});

describe("Ctrl-D", () => {
  test("at an empty line is as Ctrl-C: exit 130, and the draft is kept; in a line it takes a character", async () => {
    const home = await createServedTerminalHome();
    const terminal = home.open("orders create", { shell: notingShell });
    await terminal.choose("Sender", "new address");
    await terminal.answer("Sender name", "张三");
    await terminal.until("? Sender phone");
    terminal.type(`123${keys.left}${keys.left}${keys.ctrlD}`);
    await terminal.until(/\? Sender phone 13$/m);
    await terminal.answer("Sender phone");
    await terminal.until("? Sender province");
    terminal.type(keys.ctrlD);
    expect(await terminal.ended).toEqual({ exit: 130, signal: undefined });
    expect(terminal.screen()).toContain("error: interrupted");
    expect(terminal.screen()).toContain("your draft is kept");
    await expectWhole(home, terminal, "after");
  });

  test.each([
    ["a search", "orders create", "? Sender"],
    ["the base URL", "login", "? Base URL"],
    ["a hidden line", "login --base-url https://service.invalid", "? API key"],
    ["a yes or no", "orders cancel 1000001", "? Cancel order"],
    ["a list", "orders create --repeat", "? What now?"],
  ])("%s", async (_what, words, question) => {
    const home = await createTerminalHome();
    await home.open(order).ended;
    const terminal = home.open(words, { shell: notingShell });
    await terminal.until(question);
    terminal.type(keys.ctrlD);
    expect(await terminal.ended).toEqual({ exit: 130, signal: undefined });
    expect(terminal.screen()).toContain("error: interrupted");
    await expectWhole(home, terminal, "after");
  });

  test("at the paste of an address ends it, and with nothing pasted the form", async () => {
    const home = await createServedTerminalHome();
    const terminal = home.open("orders create", { shell: notingShell });
    await terminal.choose("Sender", "paste an address as text");
    await terminal.until(/^>$/m);
    terminal.type(`李四 13900139000\r${keys.ctrlD}`);
    await terminal.until(/name +李四\n(?:.*\n)*\? Is this sender right\?/);
    terminal.type(keys.ctrlC);
    await terminal.ended;

    const other = home.open("orders create --item-name 书", { shell: notingShell });
    await other.choose("Sender", "paste an address as text");
    await other.until(/^>$/m);
    other.type(keys.ctrlD);
    expect(await other.ended).toEqual({ exit: 130, signal: undefined });
    await expectWhole(home, other, "after");
  });
});

test("SIGTERM at a question: exit 143, the draft is kept, and the terminal is whole", async () => {
  const home = await createServedTerminalHome();
  const terminal = home.open("orders create", {
    shell:
      'set -m; stty -g > before; "$@" & echo $! > pid; fg > fg.txt; code=$?; stty -g > after; exit $code',
  });
  await terminal.choose("Sender", "new address");
  await terminal.answer("Sender name", zhang[0]);
  await terminal.until("? Sender phone");
  terminal.type("138");
  await terminal.until("? Sender phone 138");
  process.kill(Number(await home.read("pid")), "SIGTERM");
  expect(await terminal.ended).toEqual({ exit: 143, signal: undefined });
  expect(terminal.screen()).toContain("error: terminated");
  expect(terminal.screen()).toContain("your draft is kept");
  await expectWhole(home, terminal, "after");
  const next = home.open("orders create");
  await next.until(/Sender +\S+ {2}138\n/);
  await next.answer("Continue with it?");
  await next.answer("Sender name");
  await next.until("? Sender phone 138");
});

describe("SIGTERM and SIGHUP together, as a session ends, are one request", () => {
  const outliving = `trap : HUP TERM; "$@"; echo "$?" > code`;
  /** The system hands them over in an order of its own. */
  const ofTheFirst = /^(?:129|143)\n$/;

  test.each([[["SIGTERM", "SIGHUP"]], [["SIGHUP", "SIGTERM"]]] as const)(
    "at a question: the draft is kept: %s",
    async (signals) => {
      const home = await createServedTerminalHome();
      const terminal = home.open("orders create", { shell: outliving });
      await terminal.choose("Sender", "new address");
      await terminal.answer("Sender name", zhang[0]);
      await terminal.until("? Sender phone");
      const [first, second] = signals;
      terminal.signal(first);
      try {
        terminal.signal(second);
      } catch (error) {
        // On a busy machine, it may have ended between the two.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
      await terminal.ended;
      expect(await home.read("code")).toMatch(ofTheFirst);
      expect(terminal.screen()).toContain("your draft is kept");
    },
  );

  test("during an import: what is being sent is finished, and the run is recorded", async () => {
    const { home, terminal } = await importAtTerminal(outliving);
    terminal.signal("SIGTERM");
    terminal.signal("SIGHUP");
    await terminal.ended;
    expect(await home.read("code")).toMatch(ofTheFirst);
    const sent = home.sandbox.requests.filter(({ method }) => method === "POST").length;
    expect(await lastRun(home)).toMatchObject({ exit: expect.any(Number), created: sent });
  });
});

async function importAtTerminal(shell: string) {
  const home = await createServedTerminalHome();
  await writeFile(
    path.join(home.directory, "orders.csv"),
    `sender.name,receiver.name,item.name\n${"张三,李四,书\n".repeat(40)}`,
  );
  home.sandbox.faults.set([{ kind: "latency", ms: 100, method: "POST" }]);
  const terminal = home.open("orders import orders.csv --yes --concurrency 2", { shell });
  await terminal.until(/ [1-9]\d*\/40/);
  return { home, terminal };
}

async function lastRun(home: TerminalHome) {
  await home.open("log --ndjson", { shell: '"$@" > log.ndjson' }).ended;
  return JSON.parse((await home.read("log.ndjson")).split("\n")[0] ?? "");
}

describe("a terminal that closes", () => {
  /** The shell outlives its terminal, and notes how the program ended. */
  const outliving = `trap : HUP; "$@"; echo "$?" > code`;

  async function hangUp(home: TerminalHome, terminal: Terminal) {
    terminal.hangUp();
    await terminal.ended;
    expect(await home.read("code")).toBe("129\n");
  }

  test.each([
    ["in a line", "new address", "? Sender name"],
    ["at the paste of an address", "paste an address as text", />$/],
  ])("%s: the run ends by the hang-up", async (_where, choice, question) => {
    const home = await createServedTerminalHome();
    const terminal = home.open("orders create", { shell: outliving });
    await terminal.choose("Sender", choice);
    await terminal.until(question);
    await hangUp(home, terminal);
  });

  test.each([
    ["a search", "orders create", "? Sender"],
    ["a hidden line", "login --base-url https://service.invalid", "? API key"],
    ["a yes or no", "orders cancel 1000001", "? Cancel order"],
    ["a list", "orders create --repeat", "? What now?"],
    ["a board", "track CR000000000001 --watch", "CR000000000001"],
    ["the search screen", "find", "李四"],
  ])("%s", async (_what, words, question) => {
    const home = await createTerminalHome();
    await home.open(order).ended;
    const terminal = home.open(words, { shell: outliving });
    await terminal.until(question);
    await hangUp(home, terminal);
  });

  test.each([
    ["addresses import -", "alias,name,phone\r张三,张三,13800138000\r李四,李四,1390"],
    ["addresses import /dev/tty --yes", "alias,name,phone\r张三,张三,13800138000\r"],
    ["track -", ""],
    ["orders import -", ""],
    ["orders create --file -", ""],
  ])("while %s reads from it: what was typed so far is not taken for all", async (words, typed) => {
    const home = await createTerminalHome();
    const terminal = home.open(words, { shell: outliving });
    await terminal.until(/ends the input|waiting for data/);
    terminal.type(typed);
    if (typed !== "") await terminal.until(typed.split("\r").at(-2) ?? "");
    await hangUp(home, terminal);
    await home.open("addresses list --json", { shell: '"$@" > addresses.json' }).ended;
    expect(JSON.parse(await home.read("addresses.json"))).toEqual([]);
  });

  testOnNode("while a run of another session reads from it: no signal tells it (needs setsid)", async () => {
    const home = await createTerminalHome();
    const inSession = `setsid -w sh -c 'echo $$ > pid; exec "$@" 2> said' sh "$@"`;
    const terminal = home.open("addresses import -", { shell: `trap : HUP; ${inSession}; echo "$?" > code` });
    await until("it reads", async () => {
      const pid = (await home.read("pid").catch(() => "")).trim();
      if (pid === "") return false;
      const open = await readdir(`/proc/${pid}/fd`).catch(() => []);
      const links = await Promise.all(
        open.map((each) => readlink(`/proc/${pid}/fd/${each}`).catch(() => "")),
      );
      return links.filter((each) => each.startsWith("/dev/pts/")).length > 2; // one to read, beside stdin and stdout
    });
    terminal.hangUp();
    await terminal.ended;
    // It may be gone before its first read, which then finds nothing.
    expect(await home.read("code")).toMatch(/^(129|2)\n$/);
    expect(await home.read("said")).toMatch(/^error: (the terminal was closed|stdin is empty)\n.*\n?$/);
  });

  test("while the search screen has given way to a question", async () => {
    const home = await createTerminalHome();
    await home.open(order).ended;
    const terminal = home.open("find", { shell: outliving });
    await terminal.until("李四");
    terminal.type(keys.enter);
    await terminal.until("c cancel");
    terminal.type("c");
    await terminal.until("? Cancel order");
    await hangUp(home, terminal);
  });

  test("keeps the draft, and with its address what was typed", async () => {
    const home = await createServedTerminalHome();
    const terminal = home.open("orders create", { shell: outliving });
    await terminal.choose("Sender", "new address");
    await terminal.answer("Sender name", zhang[0]);
    await terminal.until("? Sender phone");
    terminal.type("138");
    await terminal.until("? Sender phone 138");
    await hangUp(home, terminal);
    const next = home.open("orders create");
    await next.until("An unfinished order:");
    await next.answer("Continue with it?");
    await next.answer("Sender name");
    await next.until("? Sender phone 138");
    expect(next.transcript()).toContain(`Sender name ${zhang[0]}`);
  });

  test("keeps an address of which a part was pasted", async () => {
    const home = await createServedTerminalHome();
    const terminal = home.open("orders create", { shell: outliving });
    await terminal.choose("Sender", "paste an address as text");
    await terminal.until(/^>$/m);
    terminal.type("李四 13900139000\r北京市朝阳");
    await terminal.until(/^> 北京市朝阳$/m);
    await hangUp(home, terminal);
    const next = home.open("orders create");
    await next.answer("Continue with it?");
    await next.until("? Sender name");
    expect(next.transcript()).toMatch(/李四[\s\S]*13900139000[\s\S]*朝阳/);
  });

  test("while an order is sent: the next form says so before it asks", async () => {
    const home = await createServedTerminalHome();
    home.sandbox.faults.add({ kind: "stall", method: "POST" });
    const terminal = home.open(order, { shell: outliving });
    await expect.poll(() => sentBodies(home).length).toBe(1);
    await hangUp(home, terminal);
    const next = home.open("orders create");
    await next.until(
      /^An order to 李四, sent .*, is in doubt; to settle it: courier[\s\S]*\nPress Enter[\s\S]*\? Sender/,
    );
  });

  test("during an import: what is being sent is finished, and the run is recorded", async () => {
    const { home, terminal } = await importAtTerminal(outliving);
    await hangUp(home, terminal);
    expect(await lastRun(home)).toMatchObject({ exit: 129 });
  });

  test("with stderr in a file, names there the order that is in doubt", async () => {
    const home = await createServedTerminalHome();
    home.sandbox.faults.add({ kind: "stall", method: "POST" });
    const words = "orders create --sender-name A --receiver-name B --item-name C --no-input";
    const shell = `trap : HUP; "$@" 2> errors.txt; echo "$?" > code`;
    const terminal = home.open(words, { shell });
    await until("sent", () => home.sandbox.requests.some(({ method }) => method === "POST"));
    await hangUp(home, terminal);
    expect(await home.read("errors.txt")).toContain("may or may not have been created");
  });

  testAnywhere.skipIf(lacks("sh", "stty", "nohup"))("under nohup, an import goes on to its end", async () => {
    const home = await createServedTerminalHome();
    await writeFile(
      path.join(home.directory, "orders.csv"),
      `sender.name,receiver.name,item.name\n${"张三,李四,书\n".repeat(8)}`,
    );
    home.sandbox.faults.set([{ kind: "latency", ms: 100, method: "POST" }]);
    const shell = `trap : HUP; nohup "$@"; echo "$?" > code`;
    const terminal = home.open("orders import orders.csv --yes --concurrency 2", { shell });
    const sent = () => home.sandbox.requests.filter(({ method }) => method === "POST").length;
    await until("it sends", () => sent() > 1);
    terminal.hangUp();
    await until("it has ended", async () => (await home.read("code")) !== "");
    expect([await home.read("code"), sent()]).toEqual(["0\n", 8]);
    expect(await home.read("nohup.out")).toContain("8 created");
  });

  testAnywhere.skipIf(lacks("sh", "stty"))(
    "where a script ignores the hang-up, an import goes on to its end, and says so by its exit code",
    async () => {
      const { home, terminal } = await importAtTerminal(`trap '' HUP; "$@"; echo "$?" > code`);
      terminal.hangUpShell();
      await until("it has ended", async () => (await home.read("code")) !== "");
      expect(await home.read("code")).toBe("0\n");
      expect(await lastRun(home)).toMatchObject({ exit: 0, created: 40 });
    },
  );

  test("during an import, with a second hang-up: it ends in order all the same", async () => {
    const { home, terminal } = await importAtTerminal(outliving);
    terminal.signal("SIGHUP");
    await terminal.until("stopping after the requests in progress");
    terminal.signal("SIGHUP");
    await terminal.ended;
    expect(await home.read("code")).toBe("129\n");
    expect(terminal.transcript()).toContain("error: ");
    const sent = home.sandbox.requests.filter(({ method }) => method === "POST").length;
    expect(await lastRun(home)).toMatchObject({ exit: 129, created: sent });
  });
});

describe("another device beside a terminal is no terminal that has closed", () => {
  test.each([
    ["a full disk", "orders list", "> /dev/full", 5, "the result cannot be written: the disk is full"],
    ["zeros", "orders show 9", "< /dev/zero", 1, "order 9 does not exist"],
    ["random bytes", "orders show 9", "< /dev/random", 1, "order 9 does not exist"],
  ])("%s: %s %s", async (_what, words, redirection, exit, said) => {
    const home = await createServedTerminalHome({ seedOrders: 3 });
    const terminal = home.open(words, { shell: `"$@" ${redirection}` });
    expect(await terminal.ended).toEqual({ exit, signal: undefined });
    expect(terminal.screen()).toContain(said);
  });
});

describe("keys that come in one piece, in the middle of a line", () => {
  test.each([
    ["Chinese", "小猫咪茶馆", "科技园小猫咪茶馆1号"],
    ["letters and arrows", `ab${keys.left}cd`, "科技园acdb1号"],
    ["with a character taken back", `小猫${keys.backspace}咪`, "科技园小咪1号"],
    ["emoji", "🏠👧x", "科技园🏠👧x1号"],
  ])("%s", async (_what, typed, line) => {
    const home = await createServedTerminalHome();
    const terminal = home.open("addresses add shop");
    await terminal.choose("Address", "new address");
    await terminal.until("? Address name");
    terminal.type("科技园1号");
    await terminal.until("? Address name 科技园1号");
    terminal.type(`${keys.left}${keys.left}`);
    terminal.type(typed);
    await terminal.until(`? Address name ${line}`);
    await terminal.answer("Address name");
    for (const field of ["phone", "province", "city", "district"]) await terminal.answer(`Address ${field}`);
    await terminal.until("? Address street address");
    terminal.type(keys.enter);
    await terminal.ended;
    const stored = JSON.parse(await readFile(path.join(home.configDir, "config.json"), "utf8"));
    expect(stored.addresses.shop).toEqual({ name: line });
    expect((await readdir(home.configDir)).sort()).toEqual(["config.json", "config.lock.db"]);
  });
});

const quit = "\u001c"; // Ctrl-\

describe("Ctrl-\\ is 131 wherever keys are read one by one, and is no text", () => {
  test("at a question: the draft is kept without it", async () => {
    const home = await createServedTerminalHome();
    const terminal = home.open("orders create", { shell: notingShell });
    await terminal.choose("Sender", "new address");
    await terminal.answer("Sender name", zhang[0]);
    await terminal.until("? Sender phone");
    terminal.type("138");
    await terminal.until("? Sender phone 138");
    terminal.type(quit);
    expect(await terminal.ended).toEqual({ exit: 131, signal: undefined });
    expect(terminal.screen()).toContain("error: quit");
    expect(terminal.screen()).toContain("your draft is kept");
    await expectWhole(home, terminal, "after");
    const next = home.open("orders create");
    await next.until(/Sender +\S+ {2}138\n/);
  });

  test.each([
    ["a yes or no", "sandbox reset", "? "],
    ["a hidden key", "login --account k --base-url http://127.0.0.1:9", /API key/],
    ["a board", "find", "Find:"],
  ])("at %s", async (_what, words, shown) => {
    const home = await createServedTerminalHome();
    const seen = await home.open("sync").ended;
    expect(seen.exit).toBe(0);
    await home.open("orders list --account sandbox").ended;
    const terminal = home.open(words, { shell: notingShell });
    await terminal.until(shown);
    terminal.type(quit);
    expect(await terminal.ended).toEqual({ exit: 131, signal: undefined });
    await expectWhole(home, terminal, "after");
  });
});

test("SIGUSR1 opens no debugger, which would show the key to every user of the machine", async () => {
  const home = await createServedTerminalHome();
  const terminal = home.open("login --account k --base-url http://127.0.0.1:9");
  await terminal.until(/API key/);
  terminal.signal("SIGUSR1");
  terminal.type(keys.ctrlC);
  expect((await terminal.ended).exit).toBe(130);
  expect(terminal.transcript()).not.toContain("ebugger");
});
