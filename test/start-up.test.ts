/** What a start-up loads, opens and weighs: whatever the machine's speed, a stray import fails here. */

import { statSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createServedProcessHome, type ServedProcessHome } from "./support/process.ts";
import { canMount, mountDisk } from "./support/small-disk.ts";
import { sheetOf } from "./support/workbooks.ts";

const root = path.resolve(import.meta.dirname, "..");
const preload = path.join(root, "test/support/loaded.cjs");

/** Node.js's modules that a stream to a file or a pipe takes, and those of a connection. */
const streams = ["diagnostics_channel", "net", "stream", "stream/promises", "string_decoder"];
const connection = ["module", "os", "process", "v8"];

const cases = [
  { words: "--version", files: ["main"], builtins: [] },
  { words: "-V", files: ["main"], builtins: [] },
  { words: "--help", files: ["main", "root-help"], builtins: [] },
  { words: "help", files: ["main", "root-help"], builtins: [] },
  { words: "", files: ["main", "complete"], builtins: ["module", "os", "process"] }, // says who is logged in
  {
    words: "__complete fish 1 orders li",
    files: ["main", "complete"],
    builtins: ["module"],
  },
  {
    words: "profile --help",
    files: ["main", "root-help", "run", "profile"],
    builtins: [...streams, ...connection],
  },
  {
    words: "profile --json",
    files: ["main", "root-help", "run", "profile", "call"],
    builtins: [...streams, ...connection],
  },
  {
    words: "orders list --json",
    files: ["main", "root-help", "run", "lists", "call"],
    builtins: [...streams, ...connection],
  },
];

describe.each(cases)("courier $words", ({ words, files, builtins }) => {
  test("loads these modules and no others", async () => {
    const home = await createServedProcessHome();
    const { exit, stderr } = await runNode(home, ["-r", preload], words);
    const loaded = JSON.parse(stderr) as { files: string[]; builtins: string[] };
    expect(exit).toBe(0);
    expect(loaded.files.sort()).toEqual(["courier.cjs", ...files.map((name) => `${name}.cjs`)].sort());
    expect(loaded.builtins.filter((name) => !builtins.includes(name))).toEqual([]);
  });

  test("may open these files and no others", async () => {
    const home = await createServedProcessHome();
    const opened = [
      programOf(home),
      ...files.map((name) => path.join(programOf(home), "../../dist", `${name}.cjs`)),
      home.configFile,
    ];
    const permission = ["--permission", "--experimental-permission"].find(knows) ?? "";
    const allowed = [permission, ...(knows("--allow-net") ? ["--allow-net"] : [])];
    const options = [...allowed, "--no-warnings", ...opened.map((file) => `--allow-fs-read=${file}`)];
    expect(await runNode(home, options, words)).toMatchObject({ exit: 0, stderr: "" });
  });
});

test("a bare noun's help needs the parser, and none of the commands", async () => {
  const home = await createServedProcessHome();
  const { stderr } = await runNode(home, ["-r", preload], "orders --help");
  expect(JSON.parse(stderr).files.sort()).toEqual(["courier.cjs", "main.cjs", "root-help.cjs", "run.cjs"]);
});

test("an order that is only tried out loads nothing that makes a call", async () => {
  const home = await createServedProcessHome();
  const words = "orders create --sender-name a --receiver-name b --item-name c --dry-run --json";
  const { exit, stderr } = await runNode(home, ["-r", preload], words);
  expect(exit, stderr).toBe(0);
  const { files, builtins } = JSON.parse(stderr);
  expect(files).toContain("run.cjs");
  expect([...files, ...builtins].filter((name) => /^(call\.cjs|tls|https?)$/.test(name))).toEqual([]);
});

test("a list opens the ledger when it shows something new, and only then", async () => {
  const home = await createServedProcessHome();
  await home.courier("orders create --sender-name a --receiver-name b --item-name c", {
    env: { COURIER_STATE_DIR: path.join(home.directory, "elsewhere") },
  });
  const list = async () => {
    const { exit, stderr } = await runNode(home, ["-r", preload], "orders list --json");
    expect(exit).toBe(0);
    const { files, builtins } = JSON.parse(stderr) as { files: string[]; builtins: string[] };
    const isOfLedger = (name: string) => /^(open-)?ledger|photostructure|^sqlite$/.test(name);
    return [...files, ...builtins].filter(isOfLedger);
  };
  expect(await list()).toContain("open-ledger.cjs");
  expect(await list()).toEqual([]);
});

test("a tracking number is tracked without what finds an order by another name", async () => {
  const home = await createServedProcessHome();
  const made = await home.courier("orders create --sender-name a --receiver-name b --item-name c --json");
  const { id, tracking_number } = JSON.parse(made.stdout);
  const load = async (name: string) => {
    const { exit, stderr } = await runNode(home, ["-r", preload], `track ${name} --json`);
    expect(exit).toBe(0);
    return JSON.parse(stderr) as { files: string[]; builtins: string[] };
  };
  const isOfNames = (name: string) => /^(find|ledger|sqlite)/.test(name);
  const [typed, named] = [await load(tracking_number), await load(String(id))];
  expect([...typed.files, ...typed.builtins].filter(isOfNames)).toEqual([]);
  expect(typed.files.length).toBeLessThan(named.files.length);
  expect([...named.files, ...named.builtins].filter(isOfNames)).not.toEqual([]);
});

test("an import loads the reader of workbooks for a workbook alone", async () => {
  const home = await createServedProcessHome();
  const titles = ["sender.name", "receiver.name", "item.name"];
  const files = {
    "orders.csv": `${titles.join(",")}\na,b,c\n`,
    "orders.xlsx": sheetOf(titles, ["a", "b", "c"]),
  };
  const loaded = await Promise.all(
    Object.entries(files).map(async ([name, content]) => {
      const file = path.join(home.directory, name);
      await writeFile(file, content);
      const { exit, stderr } = await runNode(home, ["-r", preload], `orders import ${file} --check --json`);
      expect(exit, stderr).toBe(0);
      return JSON.parse(stderr).files.includes("open-sheet.cjs");
    }),
  );
  expect(loaded).toEqual([false, true]);
});

describe("weight", () => {
  // A few per cent above what they weigh: a new dependency shows, a new sentence does not.
  const kilobytes = { main: 12, "root-help": 22, run: 190, lists: 25, call: 184, complete: 112 };

  test.each(Object.entries(kilobytes))("%s: at most %i kB", async (name, limit) => {
    const home = await createServedProcessHome();
    const { size } = statSync(path.join(programOf(home), "../../dist", `${name}.cjs`));
    expect(size / 1_000).toBeLessThan(limit);
  });
});

describe("compiled code", () => {
  const kept = ["call.cjs", "root-help.cjs", "run.cjs"]; // profile.cjs has a few lines

  async function createHomeWithCache(disk?: string) {
    const home = await createServedProcessHome();
    const cache = disk ?? path.join(home.directory, "cache");
    await mkdir(cache, { recursive: true });
    const place = path.join(cache, "courier", `${process.version}-${process.arch}`);
    const call = (options: readonly string[] = []) =>
      home.run([process.execPath, ...options, programOf(home), "profile", "--json"], {
        env: { XDG_CACHE_HOME: cache },
      });
    expect(await call()).toMatchObject({ exit: 0, stderr: "" });
    return { call, place };
  }

  test("is kept for the user alone, and the next run compiles from it and leaves it as it is", async () => {
    const { call, place } = await createHomeWithCache();
    expect((await readdir(place)).sort()).toEqual(kept);
    const look = () => kept.map((name) => statSync(path.join(place, name)));
    const before = look();
    expect(before.map(({ mode }) => mode & 0o777)).toEqual(kept.map(() => 0o600));
    // What it was made of: another build's is not used.
    const names = await Promise.all(
      kept.map(async (name) => (await readFile(path.join(place, name))).subarray(0, 16)),
    );
    for (const name of names) expect(name.toString("latin1")).toMatch(/^[0-9a-f]{16}$/);
    const { stderr } = await call(["-r", path.join(root, "test/support/scripts-made.cjs")]);
    const made = JSON.parse(stderr) as { name: string; isFromCache: boolean }[];
    expect(made.map(({ name }) => name).sort()).toEqual(kept);
    expect(made.every(({ isFromCache }) => isFromCache)).toBe(true);
    expect(look().map(({ ino, mtimeMs }) => [ino, mtimeMs])).toEqual(
      before.map(({ ino, mtimeMs }) => [ino, mtimeMs]),
    );
  });

  test.skipIf(!canMount())(
    "that a full disk has no room for leaves nothing there (needs mount)",
    async () => {
      const { place } = await createHomeWithCache(await mountDisk("size=256k"));
      expect((await readdir(place)).filter((name) => !kept.includes(name))).toEqual([]);
    },
  );

  test.each([
    ["a changed byte", (bytes: Buffer) => bytes.fill(bytes.readUInt8(90_000) ^ 1, 90_000, 90_001)],
    ["a part that was never written", (bytes: Buffer) => bytes.fill(0, 60_000, 64_096)],
    ["half of it", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["nothing", () => Buffer.alloc(0)],
    ["another build's", (bytes: Buffer) => bytes.fill("0", 0, 15)],
  ])("that is damaged is not used: %s", async (_name, damage) => {
    const { call, place } = await createHomeWithCache();
    const file = path.join(place, "run.cjs");
    await writeFile(file, damage(await readFile(file)));
    const { exit, stdout, stderr } = await call(["-r", path.join(root, "test/support/scripts-made.cjs")]);
    expect([exit, JSON.parse(stdout).name]).toEqual([0, "Sandbox Account"]);
    const made = JSON.parse(stderr) as { name: string; isFromCache: boolean }[];
    expect(made.find(({ name }) => name === "run.cjs")?.isFromCache).toBe(false);
  });
});

function programOf({ program }: ServedProcessHome): string {
  return program.at(-1) ?? "";
}

/** Runs the program with options of Node.js, as a user without a cache directory would. */
function runNode(home: ServedProcessHome, options: readonly string[], words: string) {
  return home.run([process.execPath, ...options, programOf(home), ...words.split(" ").filter(Boolean)]);
}

function knows(option: string): boolean {
  return process.allowedNodeEnvironmentFlags.has(option);
}
