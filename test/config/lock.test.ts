/** Locks between processes: one holder at a time, and nobody waits for the dead. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { takeLock } from "../../src/config/lock.ts";
import type { Neighbours } from "../../src/config/lock-owner.ts";

const everyoneLives: Neighbours = { pid: process.pid, isAlive: () => true };
const nobodyLives: Neighbours = { pid: process.pid, isAlive: () => false };
const title = "the journal";

async function createFile(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-lock-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return path.join(directory, "journal");
}

/** What a process that was killed leaves behind. */
async function leaveLock(file: string, neighbours = everyoneLives, changes: object = {}): Promise<void> {
  const release = await takeLock(file, title, { patience: "none", neighbours });
  const record = await readFile(`${file}.lock-owner`, "utf8");
  await release();
  await mkdir(`${file}.lock`);
  const { ino, birthtimeNs } = await import("node:fs").then(({ statSync }) =>
    statSync(`${file}.lock`, { bigint: true }),
  );
  await writeFile(
    `${file}.lock-owner`,
    JSON.stringify({ ...JSON.parse(record), lock: `${ino} ${birthtimeNs}`, ...changes }),
  );
}

const elapsed = async (work: Promise<unknown>): Promise<number> => {
  const startedMs = performance.now();
  await work;
  return performance.now() - startedMs;
};

test("a lock whose holder is dead is taken over at once, and nothing is left behind", async () => {
  const file = await createFile();
  await leaveLock(file);
  let release = async () => {};
  const taking = takeLock(file, title, { patience: "none", neighbours: nobodyLives });
  expect(await elapsed(taking.then((own) => (release = own)))).toBeLessThan(1_000);
  await release();
  expect(await readdir(path.dirname(file))).toEqual([]);
});

test("a real process that was killed is known to be dead", async () => {
  const file = await createFile();
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"]);
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const isAlive = (id: number) => {
    try {
      return process.kill(id, 0);
    } catch {
      return false;
    }
  };
  await leaveLock(file, { pid, isAlive });
  const neighbours = { pid: process.pid, isAlive };
  if (process.platform === "linux")
    await expect(takeLock(file, title, { patience: "none", neighbours })).rejects.toThrow(/another courier/);
  child.kill("SIGKILL");
  await once(child, "exit");
  const release = await takeLock(file, title, { patience: "none", neighbours });
  await release();
});

test.runIf(process.platform === "linux")(
  "a living holder is told of at once, however long ago it renewed its lock",
  async () => {
    const file = await createFile();
    await leaveLock(file);
    const anHourAgo = new Date(Date.now() - 3_600_000);
    await utimes(`${file}.lock`, anHourAgo, anHourAgo);
    const taking = takeLock(file, title, { patience: "none", neighbours: everyoneLives });
    expect(await elapsed(expect(taking).rejects.toThrow(/another courier is at work on it/))).toBeLessThan(
      1_000,
    );
  },
);

test.runIf(process.platform === "linux")("a process id that was given again is another process", async () => {
  const file = await createFile();
  await leaveLock(file, everyoneLives, { begun: "1" });
  await takeLock(file, title, { patience: "none", neighbours: everyoneLives }).then((release) => release());
});

test.each([
  ["no record", undefined],
  ["a record that is no JSON", "{"],
  ["a record of an earlier lock", JSON.stringify({ pid: 1, place: "", lock: "1 2" })],
])("with %s only the age of a lock tells", async (_what, record) => {
  const file = await createFile();
  await mkdir(`${file}.lock`);
  if (record !== undefined) await writeFile(`${file}.lock-owner`, record);
  const sixSecondsAgo = new Date(Date.now() - 6_000);
  await utimes(`${file}.lock`, sixSecondsAgo, sixSecondsAgo);
  const release = await takeLock(file, title, { patience: "none", neighbours: nobodyLives });
  await release();
});

test("of many that find a lock of the dead, one after the other takes it", async () => {
  const file = await createFile();
  const dead = 1; // the holders to come are alive, and known by their own id
  await leaveLock(file, everyoneLives, { pid: dead });
  const neighbours: Neighbours = { pid: process.pid, isAlive: (pid) => pid !== dead };
  let holders = 0;
  let most = 0;
  const work = async () => {
    const release = await takeLock(file, title, { patience: "wait", neighbours });
    holders += 1;
    most = Math.max(most, holders);
    await new Promise(setImmediate);
    holders -= 1;
    await release();
  };
  await Promise.all(Array.from({ length: 10 }, work));
  expect(most).toBe(1);
  expect(await readdir(path.dirname(file))).toEqual([]);
});
