/** The ledger's files: what is refused and left as it is, modes, and kills, stops and starts at any moment. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLedger } from "../../src/ledger/ledger.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { applicationId, migrations } from "../../src/ledger/schema.ts";
import { openDatabase } from "../../src/sqlite/database.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { versionOf } from "../../src/sqlite/own-log.ts";
import { createServedHome } from "../support/courier.ts";
import { canMount, mountDisk } from "../support/small-disk.ts";
import { asUser } from "../support/unprivileged.ts";
import { quickMigrations, slowMigrations, testApplicationId } from "./migrations.ts";
import { createDirectory, createLedger, service } from "./opened.ts";

/** Files in the place of a ledger that are not one, and what is said of them. */
const strangers: Readonly<Record<string, readonly [make: (file: string) => Promise<void>, reason: string]>> =
  {
    "a later version": [
      async (file) => {
        await (await openLedger(path.dirname(file))).close();
        await changeFile(file, `PRAGMA user_version = ${migrations.length + 1}`);
      },
      `it has version ${migrations.length + 1}, but this courier supports versions up to ${migrations.length}`,
    ],
    "a database of another program": [
      (file) => changeFile(file, "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('keep me')"),
      "it is not a courier file",
    ],
    "a text file": [
      (file) => writeFile(file, "dear diary, ".repeat(500)),
      "it is not an SQLite file, or damaged",
    ],
    "a damaged ledger": [
      async (file) => {
        await (await openLedger(path.dirname(file))).close();
        await changeFile(file, "PRAGMA user_version");
        const bytes = await readFile(file);
        bytes.fill(0xa5, 100, 2_000);
        await writeFile(file, bytes);
      },
      "it is damaged",
    ],
  };

describe.each(Object.entries(strangers))("%s", (_name, [make, reason]) => {
  test("is refused with its path, exit 5, and stays as it is", async () => {
    const directory = await createDirectory();
    const file = ledgerPath(directory);
    await make(file);
    const before = await readFile(file);
    await expect(openLedger(directory)).rejects.toMatchObject({
      code: "database",
      exit: 5,
      message: `the ledger cannot be used: ${reason}: ${file}`,
      hint: expect.stringMatching(/./),
    });
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  test("stops an order before it is sent, and neither a list nor a login", async () => {
    const home = await createServedHome();
    await mkdir(home.stateDir, { mode: 0o700 });
    const file = ledgerPath(home.stateDir);
    await make(file);
    const before = await readFile(file);
    const order = "orders create --sender-name a --receiver-name b --item-name c --json";
    const ran = await home.courier(order);
    expect(ran).toMatchObject({ exit: 5, stdout: "" });
    expect(JSON.parse(ran.stderr).error).toMatchObject({
      code: "database",
      message: expect.stringContaining(file),
    });
    expect(await home.courier("orders list --json")).toEqual({ exit: 0, stdout: "[]\n", stderr: "" });
    const login = `login --base-url ${home.sandbox.baseUrl} --account shop --json --debug`;
    const loggedIn = await home.courier(login, { stdin: "test-key-0123456789" });
    expect(loggedIn.exit).toBe(0);
    expect(loggedIn.stderr).toContain("debug: the ledger does not know yet whose key this is: ");
    expect((await readFile(file)).equals(before)).toBe(true);
  });
});

test("a directory that cannot be made is named", async () => {
  const file = path.join(await createDirectory(), "file");
  await writeFile(file, "");
  await expect(openLedger(path.join(file, "state"))).rejects.toMatchObject({
    code: "database",
    exit: 5,
    message: `the ledger cannot be kept at ${path.join(file, "state", "ledger.db")}: a part of its path is no directory`,
  });
});

test("a directory that cannot be written in", async () => {
  const directory = await createDirectory();
  await chmod(directory, 0o500);
  await asUser([directory], async () => {
    await expect(openLedger(directory)).rejects.toMatchObject({ code: "database", exit: 5 });
  });
});

describe.skipIf(!canMount())("a small disk (needs root)", () => {
  test("read-only: refused with the path", async () => {
    const disk = await mountDisk("size=4m");
    await openElsewhere(disk, "k");
    await promisify(execFile)("mount", ["-o", "remount,ro", disk]);
    await expect(openLedger(disk)).rejects.toMatchObject({
      code: "database",
      exit: 5,
      message: expect.stringContaining(ledgerPath(disk)),
    });
  });

  test("full: the write fails, and all that was acknowledged is there", async () => {
    const disk = await mountDisk("size=1m");
    const ballast = path.join(disk, "ballast");
    await writeFile(ballast, Buffer.alloc(65_536));
    const ledger = await openLedger(disk);
    const owner = { account: "shop", service: "s" };
    let kept = 0;
    const fill = async () => {
      for (; ; kept++)
        await ledger.keepDraft(
          owner,
          { draft: { item: { name: `${kept} ${"x".repeat(9_000)}` } }, open: [] },
          undefined,
        );
    };
    await expect(fill()).rejects.toMatchObject({
      code: "database",
      exit: 5,
      message: `the ledger cannot be used: the disk is full: ${ledgerPath(disk)}`,
    });
    expect(kept).toBeGreaterThan(3);
    const found = (await ledger.findDrafts(owner))[0];
    expect(found?.draft.item?.name?.split(" ")[0]).toBe(String(kept - 1));
    await rm(ballast); // the check writes, too
    expect((await ledger.inspect()).integrity).toBe("ok");
    await ledger.close().catch(() => undefined);
  });
});

test("only its owner can read the files, and look into the directory, whatever the umask", async () => {
  const directory = await createDirectory();
  const state = path.join(directory, "new", "state");
  const before = process.umask(0o000);
  onTestFinished(() => void process.umask(before));
  const ledger = await createLedger(state);
  await ledger.learnCustomer({ service: "s", key: "k", profileId: "1", account: "shop" });
  expect((await readdir(state)).sort()).toEqual(["ledger.db", "ledger.db-shm", "ledger.db-wal"]);
  for (const name of await readdir(state))
    expect([name, (await stat(path.join(state, name))).mode & 0o777]).toEqual([name, 0o600]);
  expect((await stat(state)).mode & 0o777).toBe(0o700);
});

test("processes that open a new ledger at the same moment agree on it", async () => {
  const directory = path.join(await createDirectory(), "state");
  const keys = ["k1", "k2", "k3", "k4", "k1", "k2"];
  const outputs = await Promise.all(keys.map((key) => openElsewhere(directory, key)));
  const ids = outputs.map(({ stdout }) => Number(stdout));
  expect(new Set(ids).size).toBe(4);
  expect([ids[4], ids[5]]).toEqual([ids[0], ids[1]]);
  const ledger = await createLedger(directory);
  expect((await ledger.inspect()).integrity).toBe("ok");
});

test("a ledger of an earlier version keeps the refs of the rows that orders elsewhere have held", async () => {
  const directory = await createDirectory();
  const file = ledgerPath(directory);
  const earlier = { title: "ledger", applicationId, path: file, migrations: migrations.slice(0, 14) };
  const database = await openDatabase(earlier);
  database.exec(`INSERT INTO customers (id, service) VALUES (1, '${service}')`);
  database.exec(`INSERT INTO orders_elsewhere (customer, content, order_id, shop, ref, is_certain, is_cancelled)
    VALUES (1, 'a', '11', 'north', 'A-1', 0, 0), (1, 'b', '12', NULL, NULL, 1, 0), (1, 'c', '13', '', 'C-1', 1, 1)`);
  database.close();
  const ledger = await createLedger(directory);
  expect(await ledger.findHolder(1, "north", "A-1")).toBe("11");
  for (const [shop, ref] of [
    ["", "A-1"],
    ["", "C-1"],
    ["", ""],
  ] as const)
    expect(await ledger.findHolder(1, shop, ref)).toBeUndefined();
});

test("what a person decided with an earlier version counts as decided", async () => {
  const directory = await createDirectory();
  const file = ledgerPath(directory);
  const earlier = { title: "ledger", applicationId, path: file, migrations: migrations.slice(0, 17) };
  const database = await openDatabase(earlier);
  database.exec(`INSERT INTO customers (id, service) VALUES (1, '${service}')`);
  database.exec(`INSERT INTO runs (number, command, account, service, customer, started_at, pid, place)
    VALUES (1, 'orders import', 'shop', '${service}', 1, 1, 1, 'here')`);
  for (const [number, state] of ["found", "created"].entries())
    database.exec(`INSERT INTO operations (run, number, kind, state, customer, owner, order_id)
      VALUES (1, ${number}, 'create', '${state}', 1, 1, '${number}')`);
  database.close();
  const ledger = await createLedger(directory);
  const decided = (await ledger.listOperations(1, -1)).map(({ state, isDecided }) => [state, isDecided]);
  expect(decided).toEqual([
    ["found", true],
    ["created", false],
  ]);
});

test("a migration that is killed leaves the version before it or the one after, whole", async () => {
  const options = { title: "test", applicationId: testApplicationId };
  const found = new Set<number>();
  for (const killAtBytes of [1, 100_000, 3_000_000, Number.POSITIVE_INFINITY]) {
    const file = path.join(await createDirectory(), "test.db");
    (await openDatabase({ ...options, path: file, migrations: quickMigrations })).close();
    const child = start("migrate", file);
    await waitFor(child, /ready/);
    const isOver = once(child, "close");
    while (child.exitCode === null && (await sizeOf(`${file}-wal`)) < killAtBytes) await tick();
    child.kill("SIGKILL");
    await isOver;
    const version = await readVersion(file);
    found.add(version);
    const database = await openDatabase({ ...options, path: file, migrations: slowMigrations });
    expect(database.sql("SELECT count(*) AS n FROM rows").get()?.n).toBe(200_000);
    expect(database.sql("PRAGMA quick_check").get()?.quick_check).toBe("ok");
    database.close();
  }
  expect([...found].sort()).toEqual([1, 2]);
});

test("a copy of the files, taken while the writer stands still, holds all that it had acknowledged", async () => {
  const directory = path.join(await createDirectory(), "state");
  const child = start("create", directory);
  let said = "";
  child.stdout?.on("data", (text) => {
    said += text;
  });
  await waitFor(child, /\n/);
  for (let round = 1; round <= 8; round++) {
    const upTo = lastOf(said) + 1 + ((round * 13) % 7);
    while (lastOf(said) < upTo) await tick();
    child.kill("SIGSTOP");
    await untilStopped(child);
    const acknowledged = lastOf(said);
    const copy = path.join(await createDirectory(), "copy");
    await cp(directory, copy, { recursive: true });
    child.kill("SIGCONT");
    const ledger = await openLedger(copy);
    expect((await ledger.inspect()).integrity).toBe("ok");
    const numbers = (await ledger.listOperations(1)).map(({ number }) => number);
    expect(numbers.slice(0, acknowledged)).toEqual(Array.from({ length: acknowledged }, (_, at) => at + 1));
    await ledger.close();
  }
  child.kill("SIGKILL");
});

const node = ["--import", "tsx"];
const writer = path.join(import.meta.dirname, "writer.ts");

/** Opens a ledger in a process of its own, which prints whose key it is. */
function openElsewhere(directory: string, key: string): Promise<{ stdout: string }> {
  return promisify(execFile)(process.execPath, [...node, writer, "open", directory, key]);
}

function start(...words: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [...node, writer, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.setEncoding("utf8");
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function waitFor({ stdout }: ChildProcess, pattern: RegExp): Promise<void> {
  if (!stdout) return;
  for (let text = ""; !pattern.test(text); ) text += (await once(stdout, "data")).join("");
}

/** The last whole line is a number. */
function lastOf(said: string): number {
  return Number(said.split("\n").at(-2) ?? 0);
}

function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The signal is delivered a moment after the call. */
async function untilStopped({ pid }: ChildProcess): Promise<void> {
  const isStopped = async () => / T /.test(await readFile(`/proc/${pid}/stat`, "utf8").catch(() => " T "));
  while (!(await isStopped())) await tick();
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => ({ size: 0 }))).size;
}

async function readVersion(file: string): Promise<number> {
  const connection = (await loadDriver()).open(file);
  const version = versionOf(Number(connection.prepare("PRAGMA user_version").get()?.user_version));
  connection.close();
  return version;
}

async function changeFile(file: string, sql: string): Promise<void> {
  const connection = (await loadDriver()).open(file);
  connection.exec(sql);
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)"); // all of it in this one file
  connection.close();
}

const create = "orders create --sender-name A --receiver-name B --item-name C";

test.each([
  ["nothing", async () => {}],
  // It is in no one's way: SQLite keeps the log beside the file, not beside the link.
  ["something", (link: string) => mkdir(`${link}-wal`)],
])("a ledger behind a link, with %s where the log of the link would be", async (_what, makeBeside) => {
  const home = await createServedHome();
  const elsewhere = path.join(home.directory, "elsewhere");
  await (await openLedger(elsewhere)).close();
  await mkdir(home.stateDir, { mode: 0o700 });
  const link = ledgerPath(home.stateDir);
  await symlink(ledgerPath(elsewhere), link);
  await makeBeside(link);
  const sent = await home.courier(create);
  expect(sent.exit, sent.stderr).toBe(0);
  const again = await home.courier(create);
  expect(again.exit, "it knows that the same order was sent").toBe(2);
  expect(again.stderr).toContain("--allow-duplicate");
  const { stdout } = await home.courier("log --json");
  expect(JSON.parse(stdout)).toMatchObject([{ outcome: "failed" }, { outcome: "done" }]);
});

const newLedger = "a new ledger does not know which orders were sent";

test.each<[name: string, make: (file: string) => Promise<unknown>]>([
  ["a directory", (file) => mkdir(file)],
  ["another program's database", (file) => changeFile(file, "CREATE TABLE notes (text TEXT)")],
])("%s in its place: order and doctor warn of a new ledger", async (_name, make) => {
  const home = await createServedHome();
  await mkdir(home.stateDir, { mode: 0o700 });
  await make(ledgerPath(home.stateDir));
  const { exit, stderr } = await home.courier(create);
  expect(exit).toBe(5);
  expect(stderr).toContain(`hint: the file was left as it is: move it away; ${newLedger}\n`);
  expect((await home.courier("doctor")).stdout).toContain(newLedger);
});

test("a state directory that cannot be: each hint at another place warns of a new ledger", async () => {
  const home = await createServedHome();
  await writeFile(path.join(home.directory, "file"), "in the way");
  const env = { COURIER_STATE_DIR: path.join(home.directory, "file/state") };
  for (const words of [create, `${create} --account sandbox`, "orders list --account sandbox", "doctor"]) {
    const { stdout, stderr } = await home.courier(words, { env });
    const place = `choose another place with COURIER_STATE_DIR; ${newLedger}`;
    expect(`${stdout}${stderr}`.replace(/\s+/g, " "), words).toContain(place);
  }
});
