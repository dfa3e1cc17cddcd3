/** Locks between processes: one holder at a time, and nobody waits for the dead. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readlink, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type LockTime, takeLock } from "../../src/config/lock.ts";
import type { Neighbours } from "../../src/config/lock-owner.ts";
import { leaveLock } from "./left-lock.ts";

const everyoneLives: Neighbours = { pid: process.pid, isAlive: () => true };
const nobodyLives: Neighbours = { pid: process.pid, isAlive: () => false };
const title = "the journal";

async function createFile(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-lock-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return path.join(directory, "journal");
}

/** A clock that stands still but for the waiting; `onWait` is what others do meanwhile. */
function handTime(onWait: (nowMs: number) => Promise<void> = async () => {}) {
  let nowMs = 0;
  const time: LockTime = {
    now: () => nowMs,
    async sleep(delayMs) {
      nowMs += delayMs;
      await onWait(nowMs);
    },
  };
  return { time, waitedMs: () => nowMs };
}

const elapsed = async (work: Promise<unknown>): Promise<number> => {
  const startedMs = performance.now();
  await work;
  return performance.now() - startedMs;
};

test("a lock whose holder is dead is taken over at once, and nothing is left behind", async () => {
  const file = await createFile();
  await leaveLock(file, everyoneLives);
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
    await leaveLock(file, everyoneLives);
    const anHourAgo = new Date(Date.now() - 3_600_000);
    await utimes(`${file}.lock`, anHourAgo, anHourAgo);
    const taking = takeLock(file, title, { patience: "none", neighbours: everyoneLives });
    expect(await elapsed(expect(taking).rejects.toThrow(/another courier.* is at work on it/))).toBeLessThan(
      1_000,
    );
  },
);

test.runIf(process.platform === "linux")("a process id that was given again is another process", async () => {
  const file = await createFile();
  await leaveLock(file, everyoneLives, { begun: "1" });
  await takeLock(file, title, { patience: "none", neighbours: everyoneLives }).then((release) => release());
});

test("a living holder that was stopped for long keeps its lock where nothing tells when it began", async () => {
  const file = await createFile();
  await leaveLock(file, everyoneLives, { begun: undefined }); // as on macOS, after Ctrl-Z
  const { time, waitedMs } = handTime();
  const taking = takeLock(file, title, { patience: "none", neighbours: everyoneLives, time });
  await expect(taking).rejects.toMatchObject({
    message: expect.stringContaining(`another courier (process ${process.pid}) is at work on it`),
    hint: `wait until it has ended, then run the same command again; if process ${process.pid} is no courier, remove ${file}.lock`,
  });
  expect(waitedMs()).toBe(0);
});

describe("a holder of which nothing is known", () => {
  const records = [
    ["no record", undefined],
    ["a record that is no JSON", "{"],
    ["a record of an earlier lock", JSON.stringify({ pid: 1, place: "", lock: "1 2" })],
  ] as const;

  test.each(records)("%s: is gone when it was silent for five seconds of ours", async (_what, record) => {
    const file = await createFile();
    await mkdir(`${file}.lock`);
    if (record !== undefined) await writeFile(`${file}.lock-owner`, record);
    const anHourAgo = new Date(Date.now() - 3_600_000);
    await utimes(`${file}.lock`, anHourAgo, anHourAgo);
    const { time, waitedMs } = handTime();
    const release = await takeLock(file, title, { patience: "none", neighbours: nobodyLives, time });
    await release();
    expect(waitedMs()).toBeGreaterThan(5_000);
    expect(waitedMs()).toBeLessThan(5_200);
  });

  test.each([-8_000, 0, 8_000])(
    "keeps its lock as long as it renews it, by a clock %d ms off ours",
    async (offMs) => {
      const file = await createFile();
      await leaveLock(file, everyoneLives, { place: "the-other-pc pid:[1]" });
      const renew = (ms: number) => utimes(`${file}.lock`, new Date(ms), new Date(ms));
      const startMs = Date.now() + offMs;
      await renew(startMs);
      let renewals = 0;
      const { time, waitedMs } = handTime(async (nowMs) => {
        if (Math.floor(nowMs / 2_000) > renewals) await renew(startMs + ++renewals * 2_000);
      });
      const taking = takeLock(file, title, { patience: "none", neighbours: nobodyLives, time });
      await expect(taking).rejects.toThrow(/another courier.* is at work on it/);
      expect(waitedMs(), "told when it is seen to be renewed").toBeLessThan(2_200);
      await expect(
        takeLock(file, title, { patience: "wait", neighbours: nobodyLives, time }),
      ).rejects.toThrow(/another courier.* is at work on it/);
      expect(waitedMs()).toBeGreaterThan(40_000);
    },
  );

  test.runIf(process.platform === "linux")(
    "is not taken for one of ours because its machine has our name",
    async () => {
      const file = await createFile();
      const space = await readlink("/proc/self/ns/pid"); // the same on every machine
      await leaveLock(file, everyoneLives, { place: `${hostname()} ${space} another-boot` });
      const { time, waitedMs } = handTime();
      const release = await takeLock(file, title, { patience: "none", neighbours: nobodyLives, time });
      await release();
      expect(waitedMs()).toBeGreaterThan(5_000);
    },
  );

  test("what a crash left of the clearing up is cleared up too", async () => {
    const file = await createFile();
    await mkdir(`${file}.lock`);
    await mkdir(`${file}.lock-broom`);
    const { time } = handTime();
    const release = await takeLock(file, title, { patience: "none", time });
    await release();
    expect(await readdir(path.dirname(file))).toEqual([]);
  });
});

test("two names of one file have one lock, also before it is there", async () => {
  const file = await createFile();
  const directory = path.dirname(file);
  await symlink("journal", path.join(directory, "link"));
  await symlink(directory, path.join(directory, "folder"));
  const options = { patience: "none", neighbours: everyoneLives } as const;
  const names = [file, path.join(directory, "link"), path.join(directory, "folder", "link")];
  for (const isThere of [false, true]) {
    if (isThere) await writeFile(file, "");
    for (const name of names) {
      const release = await takeLock(name, title, options);
      for (const other of names)
        await expect(takeLock(other, title, options)).rejects.toThrow(/another courier/);
      await release();
    }
  }
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
