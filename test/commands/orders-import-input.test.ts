/** The file of an import: what was checked is what is sent, whatever becomes of the file meanwhile. */

import { execFileSync } from "node:child_process";
import { readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { RunOptions } from "../support/courier.ts";
import { createImportHome, errorOf, header, row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { lacks } from "../support/tools.ts";

describe("a file that is changed while the question is open", () => {
  const rows = Array.from({ length: 30 }, (_, index) => row(`A-${index}`, `Name ${index}`));
  const names = rows.map((_, index) => `Name ${index}`).sort();

  test.each<[string, (file: string) => Promise<void>]>([
    ["with further rows", (file) => writeFile(file, sheet(...rows, row("A-99", "Later")))],
    [
      "in reverse order, in its place",
      (file) => writeFile(file, sheet(...rows.toReversed()), { flag: "r+" }),
    ],
    ["to nothing", (file) => writeFile(file, "")],
    ["by taking it away", (file) => rm(file)],
  ])("%s: the rows that were asked for are sent, and no others", async (_how, change) => {
    const home = await createImportHome(sheet(...rows));
    const asked: string[] = [];
    const prompts = {
      ...scriptedPrompts({}),
      async confirm(question: string) {
        asked.push(question);
        await change(home.file);
        return true;
      },
    };
    const ran = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    expect(asked).toEqual([expect.stringMatching(/^Create 30 orders /)]);
    expect(ran.exit, ran.stderr).toBe(0);
    expect((await home.receivers()).sort()).toEqual(names);
  });

  test("is imported as it is then by the next run", async () => {
    const home = await createImportHome(sheet(row("A-1", "王五")));
    expect((await home.run()).exit).toBe(0);
    await home.put(sheet(row("A-2", "赵六"), row("A-1", "王五")));
    expect((await home.run()).exit).toBe(0);
    expect(await home.receivers()).toEqual(["王五", "赵六"]);
  });
});

test("a file that is written while it is read is not taken: exit 2", async () => {
  const line = `${row("", "李四")}${"x".repeat(1_000)}\n`;
  const home = await createImportHome(`${header}\n${line.repeat(8_000)}`);
  let isOver = false;
  const ran = home.run("--check").finally(() => {
    isOver = true;
  });
  while (!isOver) await writeFile(home.file, line, { flag: "a" });
  const { exit, stderr } = await ran;
  expect(exit).toBe(2);
  expect(JSON.parse(stderr).error).toMatchObject({
    message: `${home.file} was changed while it was read`,
    hint: "run the same command again once it is saved",
  });
});

test("no copy of a file is kept anywhere while it is imported", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2")));
  const seen: string[] = [];
  const prompts = {
    ...scriptedPrompts({}),
    async confirm() {
      seen.push(...(await readdir(home.directory)), ...(await readdir(home.stateDir)));
      return true;
    },
  };
  expect((await home.courier(["orders", "import", home.file], { terminal: 120, prompts })).exit).toBe(0);
  expect(seen.filter((name) => !name.startsWith("ledger.db")).sort()).toEqual([
    "orders.csv",
    "service",
    "state",
  ]);
});

test.each([["--yes"], ["--check"]])(
  "a file of more than 256 MB is refused before it is read, with %s",
  async (flag) => {
    const home = await createImportHome("");
    await truncate(home.file, 300 * 2 ** 20);
    const before = process.memoryUsage().arrayBuffers;
    const { exit, stderr } = await home.courier(["orders", "import", home.file, flag]);
    expect(exit).toBe(2);
    expect(stderr).toContain(`error: ${home.file} is larger than 256 MB\nhint: split it into several files`);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 2 ** 20);
    expect(home.sandbox.requests).toHaveLength(0);
  },
);

test.each([
  ["nowhere.csv", "there is no such file"],
  [".", "it is a directory"],
])("%s: it is said that %s", async (name, reason) => {
  const home = await createImportHome("");
  const file = `${home.directory}/${name}`;
  const ran = await home.courier(["orders", "import", file, "--yes"]);
  expect(ran).toMatchObject({ exit: 2, stdout: "" });
  expect(ran.stderr).toContain(`cannot read ${file}: ${reason}`);
});

describe("a file that is not UTF-8", () => {
  const chinese = Buffer.concat([
    Buffer.from("sender.name,receiver.name,item.name\r\n"),
    Buffer.from([0xd5, 0xc5, 0xc8, 0xfd, 0x2c, 0xc0, 0xee, 0xcb, 0xc4, 0x2c, 0xb2, 0xe8, 0x0d, 0x0a]),
  ]);
  const german = Buffer.from(
    "sender.name;receiver.name;receiver.detail;item.name\nLi;Wang;Weg 5;Tee\nM\xfcller;J\xfcrgen K\xf6hler;Hauptstra\xdfe 5;Tee\n",
    "latin1",
  );
  const names = (home: { sandbox: { requests: readonly { body: string }[] } }) =>
    home.sandbox.requests.filter(({ body }) => body !== "").map(({ body }) => JSON.parse(body).receiver.name);

  test("is told with some of its text, before it is sent and by --check", async () => {
    const home = await createImportHome(chinese);
    const checked = await home.courier(["orders", "import", home.file, "--check"]);
    expect(checked.stdout).toMatch(/^Encoding +GB18030, such as “李四”; if that is wrong, use --encoding$/m);
    const data = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(JSON.parse(data.stdout)).toMatchObject({ encoding: "gb18030" });
    const sent = await home.run();
    expect(sent.stderr).toContain("read as GB18030, such as “李四”; if that is wrong, use --encoding\n");
    expect([sent.exit, names(home)]).toEqual([0, ["李四"]]);
  });

  /** 李四, and 茶. */
  const [receiver, item] = ["\xc0\xee\xcb\xc4", "\xb2\xe8"];

  test.each([
    [
      "a receiver's name of a later row",
      `ref,receiver.name,item.name\n1,Li,${item}\n2,${receiver},x\n`,
      "李四",
    ],
    ["a cell, where no receiver's name has one", `ref,receiver.name,item.name\n1,Li,${item}\n`, "茶"],
    ["a cell of no field", `ref,receiver.name,item.name,note\n1,Li,x,${item}\n`, "茶"],
    [
      "a row that is wrong",
      `ref,receiver.name,item.name,item.quantity\n1,${receiver},x,two\n2,Li,x,2\n`,
      "李四",
    ],
    ["a title", `ref,receiver.name,item.name,${item}\n1,Li,x,y\n`, "茶"],
    ["a line of JSON", `{"receiver":{"name":"${receiver}"},"item":{"name":"x"}}\n`, "李四"],
  ])("the text that is shown is the file's own, not the sender's: %s", async (_what, content, text) => {
    const home = await createImportHome(Buffer.from(content, "latin1"));
    await home.courier("addresses add shop --name 王五 --phone 13800138000");
    const words = ["orders", "import", home.file, "--sender", "@shop", "--check"];
    const { stdout } = await home.courier(words);
    expect(stdout).toMatch(new RegExp(`^Encoding +GB18030, such as “${text}”;`, "m"));
  });

  test("and cannot be Chinese is refused with row and column, and nothing is sent", async () => {
    const home = await createImportHome(german);
    const { exit, stderr } = await home.run();
    expect([exit, home.posts]).toEqual([2, 0]);
    expect(JSON.parse(stderr).error).toMatchObject({
      message: `${home.file} is neither UTF-8 nor, it seems, GB18030: row 2 would have “M黮ler” in sender.name`,
      hint: expect.stringMatching(/CSV UTF-8.*--encoding windows-1252.*--encoding gb18030/),
      details: { row: 2, line: 3, column: "sender.name", value: "M黮ler" },
    });
  });

  /** “張三”, “功” with a backslash among its bytes, “茶”. */
  const big5 = (text: string) =>
    Buffer.from(
      text.replace(
        /[張三功茶]/g,
        (each) => ({ 張: "\xb1i", 三: "\xa4T", 功: "\xa5\\", 茶: "\xaf\xf9" })[each] ?? "",
      ),
      "latin1",
    );

  test.each([
    ["a sheet", "sender.name,receiver.name,item.name\nLi,Wang,x\n張三,功,茶\n", "row 2"],
    ["a sheet with such a header", "張三,sender.name,receiver.name,item.name\nx,Li,Wang,x\n", "the header"],
    ["a header that is not known", "張三,功,茶\n1,2,3\n", "the header"],
    ["an order file", '{"sender":{"name":"張三"},"receiver":{"name":"功"},"item":{"name":"茶"}}\n', "row 1"],
  ])("and is Big5 is refused, and nothing is sent: %s", async (_what, content, where) => {
    const home = await createImportHome(big5(content));
    const ran = await home.run();
    expect([ran.exit, home.posts], ran.stderr).toEqual([2, 0]);
    expect(errorOf(ran)).toMatchObject({
      message: expect.stringContaining(`is neither UTF-8 nor, it seems, GB18030: ${where} would have “`),
      hint: expect.stringMatching(/CSV UTF-8.*--encoding big5/),
    });
  });

  test("is what --encoding big5 says, and is written back in Big5", async () => {
    const home = await createImportHome(
      big5("sender.name,receiver.name,item.name\n張三,功,茶\n張三,張三,\n"),
    );
    const [done, rejects] = ["done.csv", "rejects.csv"].map((name) => path.join(home.directory, name));
    const words = `--encoding big5 --skip-wrong --write-back ${done} --rejects ${rejects}`;
    const ran = await home.run(words);
    expect([ran.exit, names(home)], ran.stderr).toEqual([3, ["功"]]);
    const written = await readFile(done ?? "");
    const added = (line: number) => String(written).split("\n")[line]?.split(",").slice(3).join(",");
    expect(added(0)).toMatch(/^Courier tracking number,/);
    expect(written.includes(big5("\n張三,功,茶,CR"))).toBe(true);
    expect(await readFile(rejects ?? "", "utf8")).toContain("張三,張三,");
    expect(await home.importFile(done ?? "", "--encoding big5 --skip-wrong")).toMatchObject({
      report: [{ outcome: "shipped" }, { outcome: "wrong" }],
    });
  });

  test.each([
    ["windows-1252", "Jürgen Köhler"],
    ["gb18030", "J黵gen K鰄ler"],
  ])("is what --encoding %s says", async (encoding, name) => {
    const home = await createImportHome(german);
    expect(await home.run(`--encoding ${encoding} --concurrency 1`)).toMatchObject({ exit: 0 });
    expect(names(home)).toEqual(["Wang", name]);
  });

  test("nothing is said of one that is; another name is refused", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const checked = await home.courier(["orders", "import", home.file, "--check"]);
    expect(checked.stdout).not.toContain("Encoding");
    expect((await home.run()).stderr).not.toContain("read as");
    const wrong = await home.run("--encoding latin1");
    expect(wrong.exit).toBe(2);
    expect(wrong.stderr).toContain("--encoding takes utf-8, gb18030, big5, windows-1252, not “latin1”");
  });
});

test.each(["orders import F --yes", "orders create --file F --yes", "addresses import F"])(
  "a file of zero bytes alone is called so: %s",
  async (words) => {
    const home = await createImportHome(Buffer.alloc(4_096));
    const ran = await home.courier(words.replace("F", home.file));
    expect([ran.exit, ran.stderr]).toEqual([
      2,
      `error: ${home.file} holds only zero bytes: it is damaged, or was never written\nhint: download or copy it again\n`,
    ]);
  },
);

test("zero bytes at the end of a file, as a damaged disk leaves them, fill no screen", async () => {
  const home = await createImportHome(`${sheet(row("A-1"))}${"\0".repeat(4_096)}`);
  const { exit, stderr } = await home.courier(["orders", "import", home.file, "--yes"]);
  expect(exit).toBe(2);
  expect(stderr).toContain("\\u0000… (4096 characters)");
  expect(stderr.length).toBeLessThan(5_000);
  const { details } = errorOf(await home.run()) as unknown as { details: { value: string }[] };
  expect(details[0]?.value).toHaveLength(4_096);
});

describe.skipIf(lacks("mkfifo"))("an input that does not come at once (needs mkfifo)", () => {
  async function importPipe(options: RunOptions = {}) {
    const home = await createImportHome("");
    const pipe = path.join(home.directory, "p");
    execFileSync("mkfifo", [pipe]);
    const running = home.courier(["orders", "import", pipe, "--check"], options);
    return { home, pipe, running };
  }

  test("is waited for, which is said at a terminal after a second", async () => {
    const { home, pipe, running } = await importPipe({ terminal: 100 });
    await vi.waitUntil(() => home.clock.waiting > 0);
    home.clock.advance(1_000);
    await writeFile(pipe, sheet(row("A-1")));
    const { exit, stderr } = await running;
    expect(exit).toBe(0);
    expect(stderr).toContain(`waiting for data from ${pipe}\n`);
    expect(home.clock.waiting).toBe(0);
  });

  test("has a writer that does not come: a log is told, too", async () => {
    const { home, pipe, running } = await importPipe();
    await vi.waitUntil(() => home.clock.waiting > 0);
    home.clock.advance(1_000);
    await writeFile(pipe, sheet(row("A-1")));
    const { exit, stderr } = await running;
    expect(exit).toBe(0);
    expect(stderr).toContain(`waiting for a writer of ${pipe}\n`);
    expect(home.clock.waiting).toBe(0);
  });

  test.each([{ terminal: 100 }, {}])("and comes within a second: nothing is said (%o)", async (options) => {
    const { home, pipe, running } = await importPipe(options);
    await writeFile(pipe, sheet(row("A-1")));
    const { exit, stderr } = await running;
    home.clock.advance(1_000);
    expect(exit).toBe(0);
    expect(stderr).not.toContain("waiting");
  });
});

test.each(["orders import - --check", "track -", "orders create --file -", "addresses import -"])(
  "an input that is to be typed at the terminal is asked for: %s",
  async (words) => {
    const home = await createImportHome("");
    const atTerminal = await home.courier(words, { terminal: 100 });
    expect(atTerminal.stderr).toMatch(/^reading from the terminal; Ctrl-D ends the input\n/);
    const piped = await home.courier(words, { terminal: 100, stdin: "" });
    expect(piped.stderr).not.toContain("reading from");
  },
);

test("the check of a JSON file, which has no rows of its own, counts its orders", async () => {
  const home = await createImportHome("");
  const file = await home.put(JSON.stringify(plainDraft), "order.json");
  const { exit, stdout } = await home.courier(["orders", "import", file, "--check"]);
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/^Rows +1$/m)]);
});

test.each(["\t", "\u3000", " "])(
  "a cell with a long run of %j is read in a moment, and so is one that ends with it",
  async (blank) => {
    const run = blank.repeat(300_000); // a regular expression that tries each of them again takes an hour
    const names = [`a${run}b`, `${run}c`, `d${run}`].map((name) => `"${name}"`);
    const home = await createImportHome(sheet(...names.map((name, index) => row(`A-${index}`, name))));
    const { exit, stdout } = await home.run("--check");
    expect(exit, stdout).toBe(0);
  },
);

describe("an order report of Amazon, which quotes nothing", () => {
  const titles =
    "order-id,order-item-id,buyer-phone-number,product-name,quantity-to-ship,recipient-name,ship-address-1,ship-city";
  const report = (...rows: readonly (readonly [name: string, goods: string])[]) =>
    [
      titles.split(","),
      ...rows.map(([name, goods], index) => {
        const id = `111-000000${index}-0000001`;
        return [id, `${index}`, "+1 555 010 0000", goods, "1", name, `1 ${name} Street`, "Springfield"];
      }),
    ]
      .map((cells) => `${cells.join("\t")}\r\n`)
      .join("");

  test("is read as it is, whatever quotes its goods have, and is written back", async () => {
    const rows = [
      ["Ann", "\"World's Best Dad Mug"],
      ["Bob", "Cup"],
      ["Cat", 'Photo frame 8x10"'],
      ["Dan", '"The Best" Mug'],
    ] as const;
    const home = await createImportHome("");
    await home.courier("addresses add shop --name 张三 --phone 13800138000 --default");
    const file = await home.put(report(...rows), "unshipped.txt");
    const done = path.join(home.directory, "done.txt");
    const { exit, stderr } = await home.importFile(file, `--write-back ${done}`);
    expect(exit, stderr).toBe(0);
    const sent = home.sandbox.requests
      .filter(({ method }) => method === "POST")
      .map(({ body }) => JSON.parse(body));
    expect(sent.map(({ receiver, item }) => [receiver.name, item.name])).toEqual(rows);
    const lines = (await readFile(done, "utf8")).split("\r\n");
    for (const [index, line] of report(...rows)
      .split("\r\n")
      .entries())
      expect(lines[index]?.startsWith(line)).toBe(true);
    expect((await home.importFile(done)).exit).toBe(0);
    expect(home.posts).toBe(rows.length);
  });

  test("saved by a spreadsheet program has the quotes that this adds removed", async () => {
    const home = await createImportHome("");
    await home.courier("addresses add shop --name 张三 --phone 13800138000 --default");
    const file = await home.put(report(["Ann", '"""World\'s Best Dad Mug"']), "unshipped.txt");
    expect((await home.importFile(file)).exit).toBe(0);
    expect(home.sandbox.requests.find(({ method }) => method === "POST")?.body).toContain(
      JSON.stringify("\"World's Best Dad Mug"),
    );
  });
});
