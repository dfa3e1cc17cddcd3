/** Pipes, directories and devices in the place of courier's own files: said at once, never waited for, left as they are. */

import { execFileSync } from "node:child_process";
import {
  access,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createServedProcessHome, type ProcessHome } from "../support/process.ts";

const kinds: Readonly<Record<string, (file: string) => unknown>> = {
  "a named pipe": (file) => execFileSync("mkfifo", [file]),
  "a directory": (file) => mkdir(file),
  "a device": (file) => symlink("/dev/zero", file),
};
const limit = { limitMs: 5_000 };

async function diagnoseConfig(courier: ProcessHome["courier"]): Promise<unknown> {
  const { stdout } = await courier("doctor --json", limit);
  return JSON.parse(stdout).find(({ check }: { check: string }) => check === "config");
}

const order = "orders create --sender-name A --receiver-name B --item-name C";

test.each(Object.entries(kinds))("the config file is %s", async (kind, make) => {
  const { configDir, configFile, courier } = await createServedProcessHome();
  await mkdir(configDir, { mode: 0o700 });
  await make(configFile);
  const before = await lstat(configFile);
  for (const words of ["accounts list", "addresses add shop --name A"]) {
    const { exit, stderr } = await courier(words, limit);
    expect([exit, stderr]).toEqual([
      2,
      `error: cannot read the config file ${configFile}: it is ${kind}, not a regular file\n` +
        "hint: move it away, then run the same command again\n",
    ]);
  }
  expect((await lstat(configFile)).ino).toBe(before.ino);
  const completed = await courier("__complete fish 3 addresses show ''", limit);
  expect(completed).toMatchObject({ exit: 0, stderr: "" });
});

test.each(Object.entries(kinds))("the ledger is %s: no order is sent", async (kind, make) => {
  const { sandbox, stateDir, courier } = await createServedProcessHome();
  await mkdir(stateDir, { mode: 0o700 });
  const file = path.join(stateDir, "ledger.db");
  await make(file);
  const { exit, stderr } = await courier(order, limit);
  expect([exit, stderr]).toEqual([
    5,
    `error: the ledger cannot be used: it is ${kind}, not a regular file: ${file}\n` +
      "hint: the file was left as it is: move it away; a new ledger does not know which orders were sent\n",
  ]);
  expect(sandbox.requests).toEqual([]);
});

const beside = ["ledger.db-wal", "ledger.db-shm", "ledger.db-journal"];
test.each(["a named pipe", "a directory"].flatMap((kind) => beside.map((name) => [kind, name] as const)))(
  "%s as %s: no order is sent, and the ledger stays",
  async (kind, name) => {
    const { sandbox, stateDir, courier } = await createServedProcessHome();
    expect(await courier(order, limit)).toMatchObject({ exit: 0 });
    const sent = sandbox.requests.length;
    const file = path.join(stateDir, name);
    await rm(file, { force: true });
    await kinds[kind]?.(file);
    const { exit, stderr } = await courier(order, limit);
    expect([exit, stderr]).toEqual([
      5,
      `error: the ledger cannot be used: ${name} is ${kind}, not a regular file: ${file}\n` +
        `hint: the file was left as it is: move ${name} away, and nothing else\n`,
    ]);
    expect(sandbox.requests).toHaveLength(sent);
    await rm(file, { recursive: true });
    expect((await courier("log --ndjson", limit)).stdout, "the hint keeps the run").toContain(
      '"command":"orders create"',
    );
  },
);

test.each(Object.entries(kinds))("the lock of the config file is %s", async (kind, make) => {
  const { configDir, courier } = await createServedProcessHome();
  await mkdir(configDir, { mode: 0o700 });
  const file = path.join(configDir, "config.lock.db");
  await make(file);
  const { exit, stderr } = await courier("addresses add shop --name A", limit);
  expect(exit).toBe(2);
  expect(stderr).toContain(`it is ${kind}, not a regular file: ${file}\n`);
  expect(await diagnoseConfig(courier)).toMatchObject({
    status: "fail",
    detail: expect.stringContaining(`it is ${kind}, not a regular file`),
    advice: "move it away, then run the same command again",
  });
  await rm(file, { recursive: true });
  await make(`${file}-journal`);
  expect((await courier("addresses add shop --name A", limit)).stderr).toContain(
    `config.lock.db-journal is ${kind}, not a regular file: ${file}-journal\nhint: move it away`,
  );
});

test("a lock of the config file that holds a text is to be moved away, and doctor says so, too", async () => {
  const { configDir, courier } = await createServedProcessHome();
  await mkdir(configDir, { mode: 0o700 });
  const file = path.join(configDir, "config.lock.db");
  expect(await diagnoseConfig(courier)).toMatchObject({ status: "ok" });
  expect(await readdir(configDir), "doctor makes no file").toEqual([]);
  await writeFile(file, "a note of mine\n".repeat(100), { mode: 0o600 });
  const reason = `cannot lock the config file ${path.join(configDir, "config.json")}: it is not an SQLite file, or damaged`;
  const hint = "move it away, then run the same command again";
  const { exit, stderr } = await courier("addresses add shop --name A", limit);
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: `error: ${reason}: ${file}\nhint: ${hint}\n` });
  expect(await diagnoseConfig(courier)).toMatchObject({ status: "fail", advice: hint });
  await rename(file, `${file}.mine`);
  expect(await courier("addresses add shop --name A", limit)).toMatchObject({ exit: 0 });
  expect(await diagnoseConfig(courier)).toMatchObject({ status: "ok" });
});

test.each(
  Object.entries(kinds).flatMap(([kind, make]) =>
    ["completion-orders.json", "completion-orders.json.new"].map((name) => [kind, name, make] as const),
  ),
)("%s as %s does without the orders for the Tab key", async (_kind, name, make) => {
  const { stateDir, courier } = await createServedProcessHome();
  await mkdir(stateDir, { mode: 0o700 });
  await make(path.join(stateDir, name));
  expect(await courier(`${order} --json --quiet`, limit)).toMatchObject({ exit: 0, stderr: "" });
  const completed = await courier("__complete fish 3 orders show ''", limit);
  expect(completed).toMatchObject({ exit: 0, stderr: "" });
  await rm(path.join(stateDir, name), { recursive: true, force: true });
});

test("the ledger is a link to nothing, such as a disk that is missing: nothing is sent, and nothing made", async () => {
  const { sandbox, directory, stateDir, courier } = await createServedProcessHome();
  const elsewhere = path.join(directory, "elsewhere");
  await mkdir(stateDir, { mode: 0o700 });
  await mkdir(elsewhere);
  for (const target of [path.join(elsewhere, "l.db"), path.join(directory, "missing", "l.db")]) {
    const file = path.join(stateDir, "ledger.db");
    await rm(file, { force: true });
    await symlink(target, file);
    const { exit, stderr } = await courier(order, limit);
    expect([exit, stderr]).toEqual([
      5,
      `error: the ledger cannot be used: it is a link to ${target}, where no file is: ${file}\n` +
        "hint: is a disk missing, or was the file moved? Put it back, or let the link point to it; " +
        "a new ledger does not know which orders were sent\n",
    ]);
    const { stdout } = await courier("doctor --json", limit);
    const { status, detail } = JSON.parse(stdout).find(({ check }: { check: string }) => check === "ledger");
    expect({ status, detail }).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("where no file is"),
    });
  }
  expect(sandbox.requests.filter(({ method }) => method === "POST")).toEqual([]);
  expect(await readdir(elsewhere)).toEqual([]);
});

test.each(["the config file", "its directory"])(
  "%s is a link to nothing: no command takes it for a missing one, and nothing is sent",
  async (what) => {
    const home = await createServedProcessHome();
    const saved = "addresses add shop --name 店 --phone 13800138000 --default";
    expect(await home.courier(saved)).toMatchObject({ exit: 0 });
    const file = what === "the config file" ? path.join(home.configDir, "config.json") : home.configDir;
    const target = path.join(home.directory, "missing", "moved");
    await rename(file, path.join(home.directory, "moved"));
    await symlink(target, file);
    const changes = ["addresses remove shop --yes", "accounts use sandbox", saved];
    const reads = ["addresses list", "accounts list", "templates list", "orders list", "track CR1", order];
    for (const words of [...reads, ...changes]) {
      const { exit, stdout, stderr } = await home.courier(words, limit);
      expect({ exit, stdout, stderr }, words).toEqual({
        exit: 2,
        stdout: "",
        stderr: expect.stringMatching(/ config file .* is a link to .*moved, where no (file|directory) is/),
      });
      expect(stderr, words).toContain("is a disk missing");
    }
    const { exit, stdout } = await home.courier("doctor --json", limit);
    const failed = JSON.parse(stdout).filter(({ status }: { status: string }) => status === "fail");
    expect(failed).toMatchObject([
      { check: "config", detail: expect.stringContaining("/missing/moved, where no ") },
    ]);
    expect(exit).toBe(2);
    expect(home.sandbox.requests).toEqual([]);
  },
  60_000,
);

test("the sandbox is a link to nothing: a reset does not say that it is empty", async () => {
  const { directory, stateDir, courier } = await createServedProcessHome();
  expect(await courier("orders list --account sandbox")).toMatchObject({ exit: 0 });
  const file = path.join(stateDir, "sandbox", "sandbox.db");
  await rename(file, path.join(directory, "moved"));
  await symlink(path.join(directory, "missing", "moved"), file);
  const { exit, stderr } = await courier("sandbox reset --yes", limit);
  expect([exit, stderr]).toEqual([5, expect.stringContaining("where no file is")]);
});

const readsLedger: readonly string[] = [
  "log",
  "log --order 10001",
  "log --unknown --all --json",
  "log show 1",
  "orders resolve",
  "orders resolve 1.1",
  "orders slips --run 1",
  "undo 1",
  "ledger status",
  "ledger forget --yes",
];

test.each(["the ledger", "its directory"])(
  "%s is a link to nothing: no command says that nothing was recorded",
  async (what) => {
    const { directory, stateDir, courier } = await createServedProcessHome();
    expect(await courier(order)).toMatchObject({ exit: 0 });
    const file = what === "the ledger" ? path.join(stateDir, "ledger.db") : stateDir;
    const target = path.join(directory, "missing", "moved");
    await rename(file, path.join(directory, "moved"));
    await symlink(target, file);
    for (const words of [...readsLedger, order]) {
      const { exit, stdout, stderr } = await courier(words, limit);
      expect({ exit, stdout, stderr }, words).toEqual({
        exit: 5,
        stdout: "",
        stderr: expect.stringMatching(/is a link to .*moved, where no (file|directory) is/),
      });
      expect(stderr, words).toContain("is a disk missing");
    }
    const { stdout } = await courier("doctor --json", limit);
    const failed = JSON.parse(stdout).filter(({ status }: { status: string }) => status === "fail");
    expect(failed).toMatchObject([
      {
        check: what === "the ledger" ? "ledger" : "state",
        detail: expect.stringContaining("/missing/moved, where no "),
      },
    ]);
    expect(await courier("orders list", limit), "what needs no ledger works").toMatchObject({ exit: 0 });
  },
  60_000,
);

const notRead: Readonly<Record<string, readonly [make: (file: string) => unknown, reason: string]>> = {
  "a plain file": [(file) => writeFile(file, ""), "a part of its path is no directory"],
  "a link to itself": [(file) => symlink(file, file), "its links lead in a circle"],
};
test.each(Object.entries(notRead))("the directory of mirrors is %s", async (_kind, [make, reason]) => {
  const { stateDir, courier } = await createServedProcessHome();
  await mkdir(stateDir, { mode: 0o700 });
  const directory = path.join(stateDir, "mirror");
  await make(directory);
  const { exit, stderr } = await courier("orders export -o x.csv", limit);
  expect([exit, stderr]).toEqual([
    5,
    `error: the mirrors in ${directory} cannot be read: ${reason}\n` +
      `hint: ${directory} must be a directory that your user can read\n`,
  ]);
  // Another state directory would be another ledger, which does not know what was sent.
  const synced = await courier("sync", limit);
  expect([synced.exit, synced.stderr]).toEqual([
    5,
    expect.stringMatching(
      /cannot be kept at .*\nhint: .* must be a directory that your user can write to, |is a link to .*\nhint: is a disk missing/,
    ),
  ]);
  const { stdout } = await courier("doctor --json", limit);
  const { status, detail } = JSON.parse(stdout).find(({ check }: { check: string }) => check === "mirror");
  expect({ status, detail }).toEqual({ status: "fail", detail: expect.stringContaining(reason) });
});

test.each(["sync", "find X"])(
  "a ledger that is a link to itself: %s says so, and is no bug",
  async (words) => {
    const { stateDir, courier } = await createServedProcessHome();
    await mkdir(stateDir, { mode: 0o700 });
    await symlink("ledger.db", path.join(stateDir, "ledger.db"));
    const { exit, stderr } = await courier(words, limit);
    expect([exit, stderr]).toEqual([
      5,
      expect.stringContaining("the ledger cannot be used: it is a link to "),
    ]);
  },
);

test("a config file of 17 MiB is refused before it is read, and the Tab key ignores it", async () => {
  const { configDir, configFile, courier } = await createServedProcessHome();
  await mkdir(configDir, { mode: 0o700 });
  await writeFile(configFile, '{"addresses":{"shop":{"name":"A"}}}');
  await truncate(configFile, 17 * 2 ** 20);
  const { exit, stderr } = await courier("accounts list", limit);
  expect([exit, stderr]).toEqual([
    2,
    `error: cannot read the config file ${configFile}: it is larger than 16 MiB\n` +
      "hint: move it away, then run the same command again\n",
  ]);
  await access(configFile);
});

test("a file of orders for the Tab key that is larger than 16 MiB is ignored", async () => {
  const { stateDir, courier } = await createServedProcessHome();
  expect(await courier(order, limit)).toMatchObject({ exit: 0 });
  const file = path.join(stateDir, "completion-orders.json");
  const complete = () => courier(["__complete", "fish", "2", "orders", "show", ""], limit);
  expect((await complete()).stdout).toMatch(/^words\n\S/);
  const padded = Buffer.alloc(17 * 2 ** 20, " ");
  padded.write(await readFile(file, "utf8"));
  await writeFile(file, padded);
  expect(await complete()).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^words\s*$/),
    stderr: "",
  });
});

test.each([
  ["the config file", "config/config.json", 2],
  ["the config file's directory", "config", 2],
  ["the ledger", "state/ledger.db", 5],
  ["the ledger's directory", "state", 5],
])("%s is a link to itself: the hint is to mend the link", async (_what, name, code) => {
  const { directory, configDir, stateDir, sandbox, courier } = await createServedProcessHome();
  const parent = name.startsWith("config") ? configDir : stateDir;
  const file = name.includes("/") ? path.join(parent, path.basename(name)) : parent;
  await rm(parent, { recursive: true, force: true });
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await symlink(file, file);
  const { exit, stderr } = await courier(order, { ...limit, cwd: directory });
  expect([exit, stderr]).toEqual([code, expect.stringContaining("let the link point to it")]);
  expect(sandbox.requests.filter(({ method }) => method === "POST")).toEqual([]);
});
