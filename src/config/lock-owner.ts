/** Owns the record of who holds a lock, and the removal of a lock whose holder is gone. */

import { randomUUID } from "node:crypto";
import { mkdir, readFile, readlink, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { systemCode } from "../core/errors.ts";

/** This process and the others on this machine. */
export interface Neighbours {
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
}

interface Owner {
  readonly pid: number;
  /** Where the process id means anything: this host, and on Linux its set of processes. */
  readonly place: string;
  /** When the process began, where the system tells: ids are given again. */
  readonly begun: string | undefined;
  /** Which making of the lock it is of: a record may be older than the lock beside it. */
  readonly lock: string;
}

export interface LockOwner {
  /** Says who holds the lock that was just taken. */
  record(): Promise<void>;
  forget(): Promise<void>;
  /** True when it is certain that the holder is at work. */
  isAlive(): Promise<boolean>;
  /** Removes a lock whose holder is gone, or unknown and silent for too long. True when it is gone. */
  clearAbandoned(): Promise<boolean>;
}

/** `lockPath` is the lock itself, a directory that its holder touches every few seconds. */
export function createLockOwner(
  lockPath: string,
  staleMs: number,
  neighbours: Neighbours | undefined,
): LockOwner {
  const recordPath = `${lockPath}-owner`;
  const broomPath = `${lockPath}-broom`;

  /** `alive` and `gone` are certain. */
  async function judge(): Promise<"alive" | "gone" | "unknown"> {
    const owner = await readOwner(recordPath);
    if (!neighbours || !owner) return "unknown";
    if (owner.lock !== (await identify(lockPath)) || owner.place !== (await findPlace())) return "unknown";
    if (!neighbours.isAlive(owner.pid)) return "gone";
    const begun = await readBegin(owner.pid);
    if (begun === undefined || owner.begun === undefined) return "unknown";
    return begun === owner.begun ? "alive" : "gone";
  }

  async function isAbandoned(): Promise<boolean> {
    const verdict = await judge();
    if (verdict !== "unknown") return verdict === "gone";
    const found = await orUndefined(stat(lockPath));
    return found !== undefined && Date.now() - found.mtimeMs > staleMs;
  }

  return {
    async record() {
      if (!neighbours) return;
      const { pid } = neighbours;
      const lock = await identify(lockPath);
      if (lock === undefined) return;
      const owner: Owner = { pid, place: await findPlace(), begun: await readBegin(pid), lock };
      const draft = `${recordPath}.${randomUUID()}`;
      await orUndefined(writeFile(draft, JSON.stringify(owner), { mode: 0o600 }));
      await orUndefined(rename(draft, recordPath));
    },
    async forget() {
      if (neighbours) await orUndefined(rm(recordPath, { force: true }));
    },
    isAlive: async () => (await judge()) === "alive",
    async clearAbandoned() {
      if (!(await isAbandoned())) return false;
      // Of several who want to clear up only one does, and looks again: the lock may be another's by now.
      if (!(await makeBroom(broomPath, staleMs))) return false;
      try {
        if (!(await isAbandoned())) return false;
        await rm(recordPath, { force: true });
        await rmdir(lockPath);
        return true;
      } catch (error) {
        if (systemCode(error) === "ENOENT") return true;
        throw error;
      } finally {
        await orUndefined(rmdir(broomPath));
      }
    },
  };
}

async function makeBroom(broomPath: string, staleMs: number): Promise<boolean> {
  try {
    await mkdir(broomPath);
    return true;
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    const found = await orUndefined(stat(broomPath));
    // Its user was killed within the few milliseconds that it takes.
    if (found && Date.now() - found.mtimeMs > 2 * staleMs) await orUndefined(rmdir(broomPath));
    return false;
  }
}

async function readOwner(recordPath: string): Promise<Owner | undefined> {
  const text = await orUndefined(readFile(recordPath, "utf8"));
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Owner);
  } catch {
    return undefined;
  }
}

/** Names one making of a directory: inodes are used again, but not at the same instant. */
async function identify(directory: string): Promise<string | undefined> {
  const found = await orUndefined(stat(directory, { bigint: true }));
  return found && `${found.ino} ${found.birthtimeNs}`;
}

async function findPlace(): Promise<string> {
  return [hostname(), (await orUndefined(readlink("/proc/self/ns/pid"))) ?? ""].join(" ");
}

/** Linux tells the state of a process and when it began; one that is dead but not yet buried never began. */
async function readBegin(pid: number): Promise<string | undefined> {
  const text = await orUndefined(readFile(`/proc/${pid}/stat`, "utf8"));
  // The name before it is in brackets and may hold anything.
  const [state = "", ...rest] = text?.slice(text.lastIndexOf(")") + 2).split(" ") ?? [];
  if (text === undefined) return undefined;
  return /[ZX]/.test(state) ? "dead" : rest[18];
}

async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch(() => undefined);
}
