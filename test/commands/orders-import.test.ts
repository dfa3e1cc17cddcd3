/** courier orders import from a user's chair: check, send, see what was refused, fix it, finish. */

import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { identifyProcess } from "../../src/core/process-identity.ts";
import { answerRaw, requestCount, showCallsLeft } from "../support/answers.ts";
import { createImportHome, errorOf, header, outcomes, row, sheet, withLedger } from "../support/imports.ts";
import { expectScreens } from "../support/screens.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const post = { method: "POST", path: "/api/v1/orders" } as const;
const three = sheet(row("A-1"), row("A-2", "王五", "12"), row("", "赵六"));

describe("--check", () => {
  test("says what a right file holds, and sends nothing", async () => {
    const home = await createImportHome(three);
    const { exit, stdout } = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      rows: 3,
      lines: 3,
      platform: null,
      skipped: {},
      cleaned: {},
      service_levels: { "": 3 },
      senders: ["张三"],
      unused_columns: [],
      rows_with_ref: 2,
      encoding: "utf-8",
      account: "(environment)",
      to_send: 3,
      shipped: 0,
      refused: 0,
      changed: 0,
      cancelled: 0,
      held: 0,
      unknown: 0,
      wrong: 0,
      compared: true,
      warnings: [],
      first_order: {
        row: 1,
        ref: "A-1",
        sender: { name: "张三", phone: "13800138000" },
        receiver: { name: "李四", phone: "13900139000", city: "北京市", detail: "建国路88号" },
        item: { name: "茶叶", weight: 1.5, quantity: 1 },
      },
    });
    expect(home.sandbox.requests).toHaveLength(0);
    await expect(stat(path.join(home.stateDir, "ledger.db"))).rejects.toThrow("ENOENT");
  });

  test("needs no account, and says that nothing was compared", async () => {
    const home = await createImportHome(three);
    const env = { COURIER_BASE_URL: "", COURIER_API_KEY: "" };
    const { exit, stdout } = await home.courier(["orders", "import", home.file, "--check"], { env });
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^Compared with +nothing: there is no account$/m);
    const named = await home.courier(["orders", "import", home.file, "--check", "--account", "nope"]);
    expect(named.exit).toBe(4);
  });

  test("promises no more than it can know", async () => {
    const home = await createImportHome(three);
    const { stdout } = await home.courier(["orders", "import", home.file, "--check"]);
    expect(stdout).toMatch(
      /^No mistakes found; nothing was sent\. The service also checks each order when it is sent/,
    );
    expect(stdout).toMatch(/^Refs +1 row has none$/m);
  });

  test("knows what earlier runs have done, asks the service nothing, and records nothing", async () => {
    const home = await createImportHome(three);
    await home.run();
    await home.put(sheet(row("A-1", "孙七"), row("A-2", "王五", "12"), row("", "赵六"), row("A-4")));
    const [calls, before] = [home.sandbox.requests.length, await home.operations()];
    const { exit, stdout } = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 4, to_send: 1, shipped: 1, refused: 1, changed: 1 });
    expect(home.sandbox.requests).toHaveLength(calls);
    expect(await home.operations()).toEqual(before);
    const runs = await withLedger(home.stateDir, (ledger) => ledger.listRuns({ limit: 9 }));
    expect(runs).toHaveLength(1);
  });

  test("of the embedded sandbox makes no ledger either", async () => {
    const home = await createImportHome(three);
    const env = { COURIER_BASE_URL: "", COURIER_API_KEY: "" };
    const ran = await home.courier(["orders", "import", home.file, "--check", "--account", "sandbox"], {
      env,
    });
    expect(ran.exit, ran.stderr).toBe(0);
    await expect(stat(path.join(home.stateDir, "ledger.db"))).rejects.toThrow("ENOENT");
  });

  test.each([["--check"], ["--yes"]])(
    "with %s every wrong cell is told, exit 2, and nothing is sent",
    async (flag) => {
      const home = await createImportHome(
        sheet(row("A-1", "李四", "1.38E+10"), row("A-2"), row("A-2").replace("1.50", "heavy")),
      );
      const ran = await home.courier(["orders", "import", home.file, flag, "--json"]);
      expect(ran.exit).toBe(2);
      if (flag === "--check") expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 3, wrong: 3, to_send: 0 });
      else expect(ran.stdout).toBe("");
      const { error } = JSON.parse(ran.stderr.trimEnd().split("\n").at(-1) ?? "");
      expect(error.message).toBe(`${home.file}: 2 of 3 rows are wrong`);
      expect(error.details).toMatchObject([
        { row: 1, line: 2, column: "receiver.phone", value: "1.38E+10" },
        { row: 3, line: 4, column: "item.weight", value: "heavy" },
        { row: 3, line: 4, column: "ref", value: "A-2" },
      ]);
      expect(home.posts).toBe(0);
    },
  );
});

describe("before it sends", () => {
  test("it says what it will do and asks once", async () => {
    const home = await createImportHome(three);
    const prompts = scriptedPrompts({ confirms: [false] });
    const ran = await home.courier(["orders", "import", home.file], { terminal: 100, prompts });
    expect(ran).toMatchObject({ exit: 130, stdout: "" });
    expect(prompts.asked).toEqual(["Create 3 orders with the account (environment)?"]);
    expect(ran.stderr).toContain("3 rows, account: (environment): 3 without a service level\n");
    expect(ran.stderr).toContain("from 张三\n");
    expect(home.posts).toBe(0);
  });

  test("without a terminal it needs --yes, and says so before it reads a pipe", async () => {
    const home = await createImportHome(three);
    const ran = await home.courier("orders import -", { stdin: "\0 no sheet" });
    expect(ran).toMatchObject({ exit: 2, stdout: "" });
    expect(ran.stderr).toContain("--yes");
  });

  test("a budget that is too small is a question, exit 2 where nobody can be asked, and a warning with --yes", async () => {
    const many = sheet(...Array.from({ length: 60 }, (_, index) => row(`A-${index}`)));
    const home = await createImportHome(many);
    showCallsLeft(home, 10);
    const prompts = scriptedPrompts({ confirms: [false] });
    const asked = await home.courier(["orders", "import", home.file], { terminal: 100, prompts });
    expect([asked.exit, home.posts]).toEqual([2, 0]);
    expect(prompts.asked).toEqual(["This takes 60 calls, but only 10 are left. Continue?"]);
    const { exit, stderr } = await home.run();
    expect(stderr).toContain("warning: this takes 60 calls, but only 10 are left");
    expect([exit, home.posts]).toEqual([0, 60]);
  });

  test("calls that another import is about to make are not counted as left", async () => {
    const home = await createImportHome(three);
    showCallsLeft(home, 100);
    await home.run();
    await withLedger(home.stateDir, async (ledger) => {
      const [first] = await ledger.listRuns({ limit: 1 });
      if (!first) throw new Error("no run");
      const self = identifyProcess(process);
      const other = await ledger.beginRun({ ...first, process: self, startedAtMs: Date.now() });
      await ledger.planCalls(other.number, 50);
    });
    const many = await home.put(sheet(...Array.from({ length: 60 }, (_, index) => row(`B-${index}`))));
    const prompts = scriptedPrompts({ confirms: [false] });
    const asked = await home.courier(["orders", "import", many], { terminal: 100, prompts });
    expect([asked.exit, home.posts]).toEqual([2, 3]);
    expect(prompts.asked).toEqual([
      "This takes 60 calls, but only 100 are left, and other runs are about to make 50 of them. Continue?",
    ]);
  });

  test("a run that ended, or was killed, makes no more calls", async () => {
    const home = await createImportHome(
      sheet(...Array.from({ length: 60 }, (_, index) => row(`A-${index}`))),
    );
    showCallsLeft(home, 100);
    await home.run();
    await withLedger(home.stateDir, async (ledger) => {
      const [first] = await ledger.listRuns({ limit: 1 });
      if (!first) throw new Error("no run");
      const killed = { ...first.process, started: "another process" };
      const other = await ledger.beginRun({ ...first, process: killed, startedAtMs: Date.now() });
      await ledger.planCalls(other.number, 50);
    });
    const next = sheet(...Array.from({ length: 60 }, (_, index) => row(`B-${index}`)));
    const { exit, stderr } = await home.importFile(await home.put(next));
    expect(stderr).toContain("This takes 60 calls; 100 are left.");
    expect([exit, home.posts]).toEqual([0, 120]);
  });
});

describe("the report", () => {
  test("tells each row's outcome, in the order of the file", async () => {
    const home = await createImportHome(three);
    const { exit, report, stderr } = await home.run();
    expect(exit).toBe(3);
    expect(report).toEqual([
      {
        ref: "A-1",
        row: 1,
        outcome: "created",
        id: 1000001,
        order_no: expect.any(String),
        tracking_number: expect.any(String),
        estimated_fee: 14,
        error: null,
      },
      {
        ref: "A-2",
        row: 2,
        outcome: "refused",
        id: null,
        order_no: null,
        tracking_number: null,
        estimated_fee: null,
        error: {
          code: "INVALID_PARAMETER",
          message: expect.any(String),
          column: "receiver.phone",
          value: "12",
        },
      },
      expect.objectContaining({ ref: null, row: 3, outcome: "created", id: 1000002 }),
    ]);
    expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").error).toMatchObject({
      code: "some_refused",
      exit: 3,
    });
  });

  test("names a refused column as the file does", async () => {
    const home = await createImportHome(three.replace("receiver.phone", "收件人电话"));
    const { report } = await home.run();
    expect(report[1]?.error?.column).toBe("收件人电话");
    const { stdout } = await home.courier(["orders", "import", home.file, "--yes", "--quiet"]);
    expect(stdout).toContain("收件人电话: ");
  });

  test("has every form", async () => {
    const home = await createImportHome(three);
    await home.run();
    const words = ["orders", "import", home.file, "--yes", "--quiet"];
    const json = await home.courier([...words, "--json"]);
    expect(JSON.parse(json.stdout)).toHaveLength(3);
    const csv = await home.courier([...words, "--csv"]);
    expect(csv.stdout.split("\n").slice(0, 2)).toEqual([
      "row,ref,outcome,id,order_no,tracking_number,estimated_fee,error.message",
      "1,A-1,shipped,1000001,CO10259126790,CR988818558542,14.00,",
    ]);
    expect(home.posts).toBe(3);
  });

  test("fits the terminal", async () => {
    await expectScreens("orders-import", async (terminal) => {
      const home = await createImportHome(three);
      const ran = await home.courier(["orders", "import", home.file, "--yes"], {
        terminal,
        env: { NO_COLOR: "1" },
      });
      const meter = /\r\u001b\[K(\[[^\r\n]*)?/g;
      const stderr = ran.stderr.replaceAll(/127.0.0.1:\d+/g, "127.0.0.1:4010").replaceAll(meter, "");
      return { ...ran, stderr };
    });
  });

  test("exit 0 when all were created", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("")));
    expect(await home.run()).toMatchObject({ exit: 0 });
    expect(requestCount(home, "POST")).toBe(2);
  });
});

describe("rejects come out in the form that went in, and go in again", () => {
  const mended = (text: string) => text.replaceAll(/\b12\b/g, "13700137000");
  const party = { name: "李四", phone: "12" };
  const records = [
    { ref: "J-1", sender: { name: "张三" }, receiver: party, item: { name: "茶叶", value: 1 } },
    { ref: "J-2", sender: { name: "张三" }, receiver: { name: "王五" }, item: { name: "书" } },
  ];

  test.each([
    ["csv", sheet(row("J-1", '"Li, ""Si"""', "12"), row("J-2"))],
    ["json", JSON.stringify(records, null, 2)],
    ["ndjson", records.map((record) => JSON.stringify(record)).join("\r\n")],
  ])("%s", async (form, content) => {
    const home = await createImportHome(content);
    const rejects = path.join(home.directory, `rejects.${form}`);
    const first = await home.run(`--rejects ${rejects}`);
    expect([first.exit, outcomes(first.report)]).toEqual([3, "refused created"]);
    const text = await readFile(rejects, "utf8");
    expect(text).toContain("receiver.phone");
    expect((await stat(rejects)).mode & 0o777).toBe(0o600);
    if (form === "csv") expect(text.split("\n")[0]).toBe(`${header},error`);

    await home.put(mended(text), `rejects.${form}`);
    const again = await home.courier(["orders", "import", rejects, "--yes", "--json"]);
    expect(again.exit).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject([{ ref: "J-1", row: 1, outcome: "created" }]);
    expect(home.posts).toBe(3);

    // The first file still has the row as it was refused; another file has shipped its ref by now.
    const third = await home.run("--retry-refused");
    expect([third.exit, outcomes(third.report), home.posts]).toEqual([3, "changed shipped", 3]);
  });

  test("twice refused, the rejects have one column of errors", async () => {
    const home = await createImportHome(`${header},error\n${row("A-1", "李四", "12")},old news\n`);
    const rejects = path.join(home.directory, "rejects.csv");
    await home.run(`--rejects ${rejects}`);
    const lines = (await readFile(rejects, "utf8")).trimEnd().split("\n");
    expect(lines[0]).toBe(`${header},error`);
    expect(lines[1]).not.toContain("old news");
  });

  test("the hint names the flags without which they would be read in another way", async () => {
    const lines = ["Ship Name,sender.name,receiver.phone,item.name", "李四,张三,12,书"];
    const home = await createImportHome(`${lines.join("\n")}\n`);
    const rejects = path.join(home.directory, "rejects.csv");
    const map = ["--map", "Ship Name=receiver.name"];
    const words = ["orders", "import", home.file, "--yes", "--rejects", rejects, ...map];
    const { exit, stderr } = await home.courier(words);
    expect(exit).toBe(3);
    expect(stderr).toContain(
      `hint: fix the rows in ${rejects} and import that file, with the same --map; where a row is right`,
    );
  });

  test("nothing is written where nothing was refused, and never over the input", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const rejects = path.join(home.directory, "rejects.csv");
    await home.run(`--rejects ${rejects}`);
    await expect(stat(rejects)).rejects.toThrow("ENOENT");
    expect((await home.run(`--rejects ${home.file}`)).exit).toBe(2);
  });

  test("two imports at once do not share a file of rejects: the one that ends last names the other's", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "12")));
    const other = await home.put(sheet(row("B-1"), row("B-2", "王五", "12")), "other.csv");
    const rejects = path.join(home.directory, "rejects.csv");
    const ran = await Promise.all(
      [home.file, other].map((file) => home.importFile(file, `--rejects ${rejects}`)),
    );
    expect(ran.map(({ exit }) => exit)).toEqual([3, 3]);
    expect(ran.map(({ stderr }) => stderr).join("")).toContain(`is now ${rejects}.old\n`);
    const refs = await Promise.all(
      [rejects, `${rejects}.old`].map(async (file) => /[AB]-2/.exec(await readFile(file, "utf8"))?.[0]),
    );
    expect(refs.sort()).toEqual(["A-2", "B-2"]);
    expect((await readdir(home.directory)).filter((name) => name.includes(".part"))).toEqual([]);
  });

  test("a file of the user's that is called like a draft stays as it is", async () => {
    const home = await createImportHome(sheet(row("A-1", "李四", "12")));
    const rejects = path.join(home.directory, "rejects.csv");
    await writeFile(`${rejects}.part`, "important");
    expect((await home.run(`--rejects ${rejects}`)).exit).toBe(3);
    expect(await readFile(`${rejects}.part`, "utf8")).toBe("important");
  });

  test("a directory is refused before anything is sent", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const { exit, stderr } = await home.run(`--rejects ${home.directory}`);
    expect([exit, home.posts]).toEqual([2, 0]);
    expect(stderr).toContain(`cannot write the rejects to ${home.directory}: it is a directory`);
  });

  test.each([
    ["", "it is a directory"],
    ["/nowhere/rejects.csv", "there is no such directory"],
    ["/orders.csv", "is the same file as the input"],
    ["/rejects.xlsx", "cannot write .xlsx files"],
  ])("--check refuses what the import refuses, in the same words: …%s", async (name, reason) => {
    const home = await createImportHome(sheet(row("A-1")));
    const words = `--rejects ${home.directory}${name}`;
    const imported = await home.run(words);
    const checked = await home.run(`${words} --check`);
    expect(checked).toMatchObject({ exit: 2, stdout: "" });
    expect(checked.stderr).toContain(reason);
    expect(errorOf(checked)).toEqual(errorOf(imported));
    expect(await readdir(home.directory)).not.toContainEqual(expect.stringMatching(/rejects/));
  });

  test("--check makes no file of rejects", async () => {
    const home = await createImportHome(sheet(row("A-1", "李四", "12")));
    const before = await readdir(home.directory);
    const rejects = path.join(home.directory, "rejects.csv");
    expect((await home.run(`--rejects ${rejects} --check`)).exit).toBe(0);
    expect((await readdir(home.directory)).sort()).toEqual(before.sort());
  });

  test.each([
    ["refused", row("A-2", "王五", "12"), 3, []],
    ["refused with --quiet", row("A-2", "王五", "12"), 3, ["--quiet"]],
    ["created", row("A-2"), 0, []],
  ] as const)(
    "a place that is gone by the end is a warning, and changes no exit code (%s)",
    async (_outcome, last, exit, flags) => {
      const home = await createImportHome(sheet(row("A-1"), last));
      const place = path.join(home.directory, "out");
      await mkdir(place);
      const confirm = async () => {
        await rm(place, { recursive: true });
        return true;
      };
      const words = ["orders", "import", home.file, "--rejects", path.join(place, "rejects.csv"), ...flags];
      const ran = await home.courier(words, { terminal: 200, prompts: { ...scriptedPrompts({}), confirm } });
      expect(ran.exit).toBe(exit);
      if (flags.length === 0)
        expect(ran.stderr).toContain(exit === 3 ? "2 rows: 1 created, 1 refused" : "2 rows: 2 created");
      if (exit === 3) expect(ran.stdout).toMatch(/2 .*A-2 .*refused/);
      const told =
        /warning: cannot write the rejects to .*rejects\.csv: there is no such directory; the report names/;
      if (exit === 3) expect(ran.stderr).toMatch(told);
      else expect(ran.stderr).not.toContain("warning");
      expect(ran.stderr).not.toContain("refused row is in");
      expect(ran.stderr).not.toContain("fix the rows in");
    },
  );
});

describe("files as people have them", () => {
  const lines = (text: string) => text.trimEnd().split(/\r?\n/);

  test("one order as a JSON object over many lines is one row", async () => {
    const order = { sender: { name: "张三" }, receiver: { name: "李四" }, item: { name: "茶叶" } };
    const home = await createImportHome(JSON.stringify(order, null, 2));
    const { exit, report } = await home.run();
    expect([exit, outcomes(report), home.posts]).toEqual([0, "created", 1]);
  });

  test.each([
    ["semicolons", ";"],
    ["tabs", "\t"],
  ])("rejects of a sheet with %s have them too", async (_what, delimiter) => {
    const content = sheet(row("A-1", "李四", "12"), row("A-2")).replaceAll(",", delimiter);
    const home = await createImportHome(content);
    const rejects = path.join(home.directory, "rejects.csv");
    const first = await home.run(`--rejects ${rejects}`);
    expect([first.exit, outcomes(first.report)]).toEqual([3, "refused created"]);
    expect(first.stderr).toContain(`1 refused row is in ${rejects}\n`);
    expect(first.stderr).not.toContain("--rejects FILE");
    const text = await readFile(rejects, "utf8");
    expect(lines(text)[0]).toBe(`${header.replaceAll(",", delimiter)}${delimiter}error`);
    await home.put(
      text.replace(`${delimiter}12${delimiter}`, `${delimiter}13700137000${delimiter}`),
      "rejects.csv",
    );
    expect((await home.courier(["orders", "import", rejects, "--yes"])).exit).toBe(0);
  });

  test.each([
    ["with a mark", Buffer.from(`\uFEFF${sheet(row("A-1", "李四", "12"))}`), true],
    ["without one", Buffer.from(sheet(row("A-1", "李四", "12"))), false],
    ["in UTF-16", Buffer.from(`\uFEFF${sheet(row("A-1", "李四", "12"))}`, "utf16le"), true],
  ])("rejects of a sheet %s open in the same program", async (_what, content, hasMark) => {
    const home = await createImportHome(content);
    const rejects = path.join(home.directory, "rejects.csv");
    await home.run(`--rejects ${rejects}`);
    expect((await readFile(rejects, "utf8")).startsWith("\uFEFF")).toBe(hasMark);
  });
});

test("rows whose answer was lost stand in their place in the report", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五"), row("A-3", "赵六"), row("A-4")));
  home.sandbox.faults.set([
    { method: "POST", path: "/api/v1/orders", kind: "drop_after", times: 1 },
    { method: "POST", path: "/api/v1/orders", kind: "drop_before", times: 1 },
  ]);
  const { exit, report } = await home.run("--settle 10s");
  expect([exit, report.map(({ row: number }) => number)]).toEqual([0, [1, 2, 3, 4]]);
});

test("what a service says without end is cut for people; the details of JSON stay whole", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2"), row("A-3")));
  const message = "x".repeat(100_000);
  const details = { note: message };
  home.sandbox.faults.set([
    { ...post, kind: "refuse", status: 400, code: "INVALID_PARAMETER", message, details },
    { kind: "refuse", status: 400, code: "INVALID_PARAMETER", message, details },
  ]);
  const { report, stderr } = await home.run();
  expect(report.map(({ error }) => error?.message.length)).toEqual([1_000, 1_000, 1_000]);
  expect(report[0]?.error?.message).toMatch(/^the service refused: x+…$/);
  expect(stderr.length).toBeLessThan(5_000);
  const shown = await home.courier("orders show 7 --json");
  expect(JSON.parse(shown.stderr).error).toMatchObject({ message: expect.stringMatching(/…$/), details });
});

test("in a long report, what was refused is told once more at the end", async () => {
  const rows = Array.from({ length: 30 }, (_, index) =>
    row(`A-${index}`, "李四", index < 12 ? "12" : undefined),
  );
  const home = await createImportHome(sheet(...rows));
  const words = ["orders", "import", home.file, "--yes"];
  const { stdout, stderr } = await home.courier(words);
  expect(stdout.match(/^ {5}the service refused/gm)).toHaveLength(12);
  const told = stderr.slice(stderr.indexOf("row 1 (A-0): the service refused"));
  expect(told).toContain("row 10 (A-9): ");
  expect(told).toContain("and 2 more\n30 rows: 18 created, 12 refused\nerror: 12 of 30 rows were refused");
});

describe("the ledger", () => {
  test("can be read by its owner alone, and keeps no personal data of a refusal's words", async () => {
    const home = await createImportHome(three);
    home.sandbox.faults.set([
      {
        ...post,
        kind: "refuse",
        status: 400,
        code: "INVALID_PARAMETER",
        message: "13900139000 of 李四, 建国路88号, is odd",
        times: 1,
      },
    ]);
    const { report } = await home.run("--concurrency 1");
    expect(report[0]?.error?.message).toContain("13900139000 of 李四, 建国路88号, is odd");
    expect((await stat(path.join(home.stateDir, "ledger.db"))).mode & 0o777).toBe(0o600);
    const [refused] = await home.operations();
    expect(refused?.rejection?.message).toContain("is odd");
    for (const personal of ["李四", "13900139000", "建国路"])
      expect(refused?.rejection?.message).not.toContain(personal);
    expect(await readFile(path.join(home.stateDir, "ledger.db"), "latin1")).not.toContain("test-key");
  });

  test("names run, file and row of each order", async () => {
    const home = await createImportHome(three);
    await home.run("--concurrency 1");
    const operations = await home.operations();
    expect(operations.map(({ state, row: number, ref, shop }) => [state, number, ref, shop])).toEqual([
      ["created", 1, "A-1", ""],
      ["refused", 2, "A-2", ""],
      ["created", 3, undefined, ""],
    ]);
    const [run] = await withLedger(home.stateDir, (ledger) => ledger.listRuns({ limit: 9 }));
    expect(run).toMatchObject({ command: "orders import", source: home.file, exit: 3 });
    expect(run?.endedAtMs).toBeDefined();
  });

  test("that cannot be made is told before anything is sent: exit 5", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const ran = await home.run("", { env: { COURIER_STATE_DIR: path.join(home.file, "state") } });
    expect([ran.exit, home.posts]).toEqual([5, 0]);
    expect(errorOf(ran)).toMatchObject({
      code: "database",
      hint: "choose another place with COURIER_STATE_DIR; a new ledger does not know which orders were sent",
    });
  });
});

test.each(["", " --ndjson", " --json"])(
  "what orders export%s wrote is refused: its orders exist",
  async (form) => {
    const home = await createImportHome(three);
    await home.run();
    const exported = await home.courier(`orders export --details${form}`);
    expect(exported.exit).toBe(0);
    const before = requestCount(home, "POST");
    const { exit, stderr } = await home.courier(["orders", "import", "-", "--yes"], {
      stdin: exported.stdout,
    });
    expect(exit).toBe(2);
    expect(stderr).toContain("the file lists existing orders");
    expect(requestCount(home, "POST")).toBe(before);
  },
);

test("a quantity of 2.0, as scripts write it, is a whole number; 1.000 may be a thousand", async () => {
  const quantities = ["2.0", "3.00件", "1.000", "1.5"];
  const rows = quantities.map((quantity, index) => `A-${index},张三,李四,书,${quantity}`);
  const home = await createImportHome(
    ["ref,sender.name,receiver.name,item.name,item.quantity", ...rows].join("\n"),
  );
  const checked = await home.courier(["orders", "import", home.file, "--check", "--json"]);
  expect(checked.exit).toBe(2);
  expect(JSON.parse(checked.stdout)).toMatchObject({
    rows: 4,
    wrong: 2,
    cleaned: { amount: 2 },
    first_order: { ref: "A-0", item: { quantity: 2 } },
  });
});

test("a quantity has a counter of pieces or a ×; what counts something else is refused", async () => {
  const pieces = [
    "2盒",
    "2 瓶",
    "２袋",
    "2(套)",
    "2 pieces",
    "x2",
    "X 2",
    "×2",
    "* 2",
    "2x",
    "2 ×",
    "×2盒",
    "2隻",
  ];
  const others = [
    "500g",
    "1斤",
    "2箱",
    "2打",
    "1.5盒",
    "2件套",
    "x2x",
    "2*3",
    "12瓶/箱",
    "x",
    "盒",
    "-2盒",
    "2盒3瓶",
  ];
  const rows = [...pieces, ...others].map((each, index) => `A-${index},张三,李四,书,${each}`);
  const home = await createImportHome(
    ["ref,sender.name,receiver.name,item.name,item.quantity", ...rows].join("\n"),
  );
  const { exit, report } = await home.run("--skip-wrong");
  expect([exit, outcomes(report)]).toEqual([
    3,
    [...pieces.map(() => "created"), ...others.map(() => "wrong")].join(" "),
  ]);
  const quantities = (await home.operations()).map(({ draft }) => draft?.item?.quantity?.value);
  expect(quantities).toEqual(pieces.map(() => "2"));
  const wrong = report.filter(({ outcome }) => outcome === "wrong");
  expect(new Set(wrong.map(({ error }) => error?.message))).toEqual(
    new Set(["must be a whole number of at least 0"]),
  );
});

describe("mistakes of rows", () => {
  test("in JSON: the real ones only, with their values", async () => {
    const order =
      '{"ref":"A-1","sender":{"name":"张三"},"receiver":{"name":"李四"},"item":{"name":"书","weight":"1.5"}}\n';
    const home = await createImportHome(
      order +
        order.replace("A-1", "A-2").replace('"weight":"1.5"', '"wieght":1.5') +
        order.replace("A-1", "A-3").replace('"weight":"1.5"', '"quantity":1.5') +
        order.replace('"A-1"', "1001").replace(',"weight":"1.5"', ""),
    );
    const { exit, stderr } = await home.courier(["orders", "import", home.file, "--check"]);
    expect(exit).toBe(2);
    const [first, second, third, fourth, ...more] = stderr
      .split("\n")
      .filter((line) => /^ *(all|\d+) /.test(line));
    expect(fourth).toMatch(/4 +4 +ref +1001 +must be a string, but is a number$/);
    expect(third).toMatch(/3 +3 +item\.quantity +1\.5 +must be an integer, but is 1\.5$/);
    expect(first).toMatch(/1 +1 +item\.weight +1\.5 +must be a number, but is a string$/);
    expect(second).toMatch(/2 +2 +item\.wieght +1\.5 +no such key; did you mean item\.weight\?$/);
    expect(more).toEqual([]);
  });

  test("in JSON: a key that is written as a path is to be nested", async () => {
    const home = await createImportHome(
      '{"sender":{"name":"张三"},"receiver.name":"李四","item.nmae":"书"}\n',
    );
    const { exit, stderr } = await home.courier(["orders", "import", home.file, "--check"]);
    expect(exit).toBe(2);
    expect(stderr).toMatch(/receiver\.name +no such key; nest it: "receiver": \{"name": …\}$/m);
    expect(stderr).toMatch(/item\.nmae +no such key; nest it: "item": \{"name": …\}$/m);
  });

  test("that all rows share stand there once, with the way on and the columns that are not used", async () => {
    const home = await createImportHome(
      "ref,receiver.name,item.name,item.weight,Colour\nA-1,李四,书,1.5,red\nA-2,王五,书,x,red\n",
    );
    const { exit, stdout, stderr } = await home.courier(["orders", "import", home.file, "--check"]);
    expect(exit).toBe(2);
    const [first, second, ...more] = stderr.split("\n").filter((line) => /^ *(all|\d+) /.test(line));
    expect(first).toMatch(/all +- +sender +the row has no sender$/);
    expect(second).toMatch(/2 +3 +item\.weight +x +must be a number/);
    expect(more).toEqual([]);
    expect(stdout).toMatch(/^Columns not used +Colour$/m);
    // Without a row that is right, nothing is known of their refs and senders.
    expect(stdout).not.toMatch(/^(?:Refs|Senders|Service levels) /m);
    const hint =
      "nothing was sent; add --sender @NAME, which is the sender of all rows; courier addresses add NAME saves it";
    expect(stderr).toContain(`${hint}; fix these rows and run the same command again`);
    // Where only the sender is missing, no row is to be fixed.
    const rest = await home.put("ref,receiver.name,item.name\nA-1,李四,书\nA-2,王五,书\n");
    expect((await home.courier(["orders", "import", rest, "--check"])).stderr).toContain(`${hint}\n`);
    const single = await home.put("ref,receiver.name,item.name\nA-1,李四,书\n");
    expect((await home.courier(["orders", "import", single, "--check"])).stderr).toContain(`${hint}\n`);
  });
});

test("without --yes and a terminal, a missing file is the first thing to say, and the confirmation the next", async () => {
  const home = await createImportHome(three);
  const missing = await home.courier("orders import nofile.csv");
  expect([missing.exit, missing.stderr]).toEqual([
    2,
    "error: cannot read nofile.csv: there is no such file\n",
  ]);
  const { exit, stderr } = await home.courier(["orders", "import", home.file]);
  expect([exit, stderr]).toEqual([
    2,
    `error: sending the orders of ${home.file} needs a confirmation, and courier cannot ask here\nhint: add --yes to confirm\n`,
  ]);
  const piped = await home.courier("orders import -", { stdin: three });
  expect([piped.exit, piped.stderr]).toEqual([
    2,
    "error: sending the orders of stdin needs a confirmation, and courier cannot ask here\nhint: add --yes to confirm\n",
  ]);
  expect(requestCount(home, "POST", "/api/v1/orders")).toBe(0);
});

test("--check --csv prints the counts as one row", async () => {
  const home = await createImportHome(three);
  const { exit, stdout, stderr } = await home.courier(["orders", "import", home.file, "--check", "--csv"]);
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  const [titles = "", counts = "", ...others] = stdout.trimEnd().split("\n");
  expect(others).toEqual([]);
  expect([titles.split(",")[0], counts.split(",")[0]]).toEqual(["rows", "3"]);
});

test("a default sender with a phone that cannot be meant is named by its alias, and nothing is sent", async () => {
  const home = await createImportHome("receiver.name,item.name\nLi,Tea\n");
  await mkdir(home.configDir, { recursive: true });
  const addresses = { shop: { name: "S", phone: "138\u200b1" } };
  const config = path.join(home.configDir, "config.json");
  await writeFile(config, JSON.stringify({ addresses, default_sender: "shop" }));
  for (const words of ["", "--sender @shop"]) {
    const ran = await home.run(words);
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(errorOf(ran)).toMatchObject({
      message: "sender.phone of @shop “138\u200b1” holds an invisible character (U+200B)",
    });
  }
});

describe("text that lost its Chinese to question marks on its way, as Windows PowerShell 5.1 pipes it", () => {
  const asPiped = (text: string) => text.replace(/[^\0-\x7f]/g, "?");
  const chinese = row("A-1");
  const json = JSON.stringify({ ref: "A", sender: { name: "张三" }, receiver: { name: "李四" }, item: {} });

  test.each([
    [
      "a row",
      asPiped(sheet(row("A-0", "Li", "1").replace(/[^\0-\x7f]+/g, "X"), chinese)),
      "row 2 has “??” in sender.name",
    ],
    ["the header", asPiped("寄件人姓名,收件人姓名,商品名称\n张三,李四,茶叶\n"), "the header has “?????”"],
    ["NDJSON", asPiped(json), "row 1 has “??” in sender.name"],
    ["a JSON array", asPiped(`[${json}]`), "row 1 has “??” in sender.name"],
    ["UTF-16, as > writes it", Buffer.from(`\ufeff${asPiped(sheet(chinese))}`, "utf16le"), "row 1 has “??”"],
  ])("%s is refused, and the way out is said", async (_what, text, message) => {
    const home = await createImportHome("");
    const piped = await home.importFile("-", "", { stdin: text });
    expect([piped.exit, home.posts]).toEqual([2, 0]);
    expect(errorOf(piped)).toMatchObject({
      message: expect.stringContaining(
        `stdin: characters became question marks before courier read them: ${message}`,
      ),
      hint: expect.stringMatching(
        /\$OutputEncoding = \[System\.Text\.UTF8Encoding\]::new\(\).* the name of the file/,
      ),
    });
    await home.put(text);
    const ran = await home.run();
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(errorOf(ran).hint).toContain("$OutputEncoding = [System.Text.UTF8Encoding]::new()");
  });

  test("in some cells only: each is named by its row and column, and nothing is sent", async () => {
    const home = await createImportHome(
      `${header}\nA-1,张三,1380013,??,1390013,???,1号,?,1,1\nA-2,张三,1380013,李四,1390013,北京市,1号,\u200b,1,1\n`,
    );
    const ran = await home.run();
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    const { details } = errorOf(ran) as unknown as { details: { row: number; column: string }[] };
    expect(details.map(({ row, column }) => `${row} ${column}`)).toEqual([
      "1 receiver.name",
      "1 receiver.city",
      "1 item.name",
      "2 item.name",
    ]);
    const rest = await home.run("--check");
    expect(rest.exit).toBe(2);
  });

  test("is not what has question marks of its own", async () => {
    const home = await createImportHome(
      `${header}\nA-1,Ann,1380013,Li?,1390013,Rome,Leave at door?,北京 ???,1,1\nA-2,Bo??,1380013,Li,1390013,Rome,Ring twice??,Tea,1,1\n`,
    );
    expect(await home.run("--check")).toMatchObject({ exit: 0 });
  });
});

test("a tracking number that the service gives later is in the report, as it is in the sheet", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  answerRaw(
    home,
    "POST /api/v1/orders",
    '{"success":true,"data":{"id":1000001,"order_no":"CO1","tracking_number":"","status":"pending"}}',
    { status: 201, times: 1, processed: true },
  );
  expect((await home.run()).report).toMatchObject([{ id: 1000001, tracking_number: null }]);
  const done = path.join(home.directory, "done.csv");
  const { report } = await home.run(`--write-back ${done}`); // its list shows the number
  const shown = JSON.parse((await home.courier("orders show 1000001 --json")).stdout);
  expect(report).toMatchObject([{ outcome: "shipped", tracking_number: shown.tracking_number }]);
  expect(await readFile(done, "utf8")).toContain(shown.tracking_number);
});
