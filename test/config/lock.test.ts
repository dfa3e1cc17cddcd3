/** The lock on the config file, between real processes: one holder at a time, and a killed one holds nothing. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { saveParties } from "../../src/config/address-book.ts";
import { takeLock } from "../../src/config/config-lock.ts";
import { openConfigStore } from "../../src/config/store.ts";
import { createProcessHome } from "../support/process.ts";

const shortMs = 300;

async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-lock-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A process that holds the lock on the config file in `directory`. */
async function startHolder(directory: string): Promise<ChildProcess> {
  const program = path.join(import.meta.dirname, "lock-holder.ts");
  const words = ["--import", "tsx", program, path.join(directory, "config.json")];
  const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [told] = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  expect(String(told)).toBe("held\n");
  return child;
}

const addParty = (directory: string, name: string, waitMs?: number) =>
  saveParties(openConfigStore(directory, { lock: { waitMs } }), { [name]: { name: "Anna" } }, {});

const held = (directory: string) => ({
  code: "file",
  exit: 2,
  message: `cannot lock the config file ${directory}/config.json: another courier process is changing it`,
  hint: "wait until it has ended, then run the same command again",
});

describe("a process that holds the lock", () => {
  test("keeps others out until it has finished, and its lock file stays empty", async () => {
    const directory = await createDirectory();
    const holder = await startHolder(directory);
    await expect(addParty(directory, "early", shortMs)).rejects.toMatchObject(held(directory));
    expect(await readdir(directory)).toEqual(["config.lock.db"]);
    const adding = addParty(directory, "late");
    holder.stdin?.end();
    await adding;
    expect((await readdir(directory)).sort()).toEqual(["config.json", "config.lock.db"]);
    expect((await stat(path.join(directory, "config.lock.db"))).size).toBe(0);
  });

  test("and is killed holds nothing: the next one has the lock at once", async () => {
    const directory = await createDirectory();
    const holder = await startHolder(directory);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    const release = await takeLock(path.join(directory, "config.json"), "config file", { waitMs: 0 });
    release();
    expect(await readdir(directory)).toEqual(["config.lock.db"]);
  });

  test("and is stopped (Ctrl-Z) keeps it; others wait, then say why they cannot go on", async () => {
    const directory = await createDirectory();
    const holder = await startHolder(directory);
    holder.kill("SIGSTOP");
    const startedMs = performance.now();
    await expect(addParty(directory, "early", shortMs)).rejects.toMatchObject(held(directory));
    const waitedMs = performance.now() - startedMs;
    expect(waitedMs).toBeGreaterThanOrEqual(shortMs);
    expect(waitedMs).toBeLessThan(shortMs + 5_000);
    const adding = addParty(directory, "late");
    holder.kill("SIGCONT");
    holder.stdin?.end();
    await adding;
  });
});

test("20 processes that add an address at the same time lose none", async () => {
  const { courier, configDir, configFile } = await createProcessHome();
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const ended = await Promise.all(names.map((name) => courier(`addresses add ${name} --name Anna`)));
  expect(ended.map(({ exit, stderr }) => (exit === 0 ? 0 : stderr))).toEqual(names.map(() => 0));
  const { addresses } = JSON.parse(await readFile(configFile, "utf8"));
  expect(Object.keys(addresses).sort()).toEqual([...names].sort());
  expect((await readdir(configDir)).sort()).toEqual(["config.json", "config.lock.db"]);
});

test("a second caller in the same process waits like another process", async () => {
  const file = path.join(await createDirectory(), "config.json");
  const release = await takeLock(file, "config file");
  await expect(takeLock(file, "config file", { waitMs: 0 })).rejects.toMatchObject(held(path.dirname(file)));
  await expect(takeLock(file, "config file", { waitMs: 0 }), "still held").rejects.toThrow();
  release();
  (await takeLock(file, "config file", { waitMs: 0 }))();
});

test("all names of one file have one lock, also before the file exists", async () => {
  const directory = await createDirectory();
  const file = path.join(directory, "config.json");
  await symlink("config.json", path.join(directory, "link"));
  await symlink(directory, path.join(directory, "folder"));
  const names = [file, path.join(directory, "link"), path.join(directory, "folder", "link")];
  for (const exists of [false, true]) {
    if (exists) await writeFile(file, "{}");
    for (const name of names) {
      const release = await takeLock(name, "config file");
      for (const other of names)
        await expect(takeLock(other, "config file", { waitMs: 0 })).rejects.toThrow(
          /another courier process/,
        );
      release();
    }
  }
});

test("a run as root gives the lock file to the owner of the directory", async ({ skip }) => {
  skip(process.getuid?.() !== 0, "only root can");
  const directory = await createDirectory();
  await chown(directory, 1_000, 1_000);
  await addParty(directory, "shop");
  expect((await stat(path.join(directory, "config.lock.db"))).uid).toBe(1_000);
});

describe("a lock file that cannot be used", () => {
  test("is named, with the reason", async () => {
    const directory = await createDirectory();
    const lock = path.join(directory, "config.lock.db");
    await mkdir(lock);
    await expect(addParty(directory, "shop")).rejects.toMatchObject({
      code: "file",
      exit: 2,
      message: `cannot lock the config file ${directory}/config.json: it is a directory, not a regular file: ${lock}`,
      hint: "move it away, then run the same command again",
    });
  });

  test("because it is no SQLite file is left as it is", async () => {
    const directory = await createDirectory();
    const lock = path.join(directory, "config.lock.db");
    await writeFile(lock, "something else entirely ".repeat(50));
    await expect(addParty(directory, "shop")).rejects.toMatchObject({
      message: expect.stringContaining(`it is not an SQLite file, or damaged: ${lock}`),
    });
    expect(await readFile(lock, "utf8")).toContain("something else");
  });
});
