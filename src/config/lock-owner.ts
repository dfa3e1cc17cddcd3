/** Owns the record of who holds a lock, and the removal of a lock whose holder is gone. */

import { randomUUID } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { mkdir, readFile, readlink, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { systemCode } from "../core/errors.ts";

/** This process and the others on this machine. */
export interface Neighbours {
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
}

/** Who holds a lock, as far as its record tells. */
export interface Holder {
  /** Undefined for a process of another machine. */
  readonly pid: number | undefined;
  /** False where the system does not tell whether the process of that id is still the same one. */
  readonly isCertain: boolean;
  /** What it has the lock for, where it said so: the file that it imports. */
  readonly work: string | undefined;
}

interface Owner {
  readonly pid: number;
  readonly work?: string | undefined;
  /** Where the process id means anything: this host, and on Linux its boot and set of processes. */
  readonly place: string;
  /** When the process began, where the system tells: ids are given again. */
  readonly begun: string | undefined;
  /** Which making of the lock it is of: a record may be older than the lock beside it. */
  readonly lock: string;
}

export interface LockOwner {
  /** Says who holds the lock that was just taken, and what for. */
  record(work: string | undefined): Promise<void>;
  forget(): Promise<void>;
  /** Who holds it now; undefined where nothing tells. */
  holder(): Promise<Holder | undefined>;
  /** True when it is certain that the holder is at work: its process lives, or has renewed the lock meanwhile. */
  isAlive(): Promise<boolean>;
  /**
   * Removes a lock whose holder is gone, or unknown and silent for too long since the first call. True when
   * it is gone.
   */
  clearAbandoned(): Promise<boolean>;
}

export interface LockWatch {
  /** How long an unknown holder may be silent. */
  readonly staleMs: number;
  readonly neighbours: Neighbours | undefined;
  /** Milliseconds of a clock that nobody can set. */
  readonly now: () => number;
}

/** `lockPath` is the lock itself, a directory that its holder touches every few seconds. */
export function createLockOwner(lockPath: string, { staleMs, neighbours, now }: LockWatch): LockOwner {
  const recordPath = `${lockPath}-owner`;
  const broomPath = `${lockPath}-broom`;
  const lock = createObserver(lockPath, now);
  const broom = createObserver(broomPath, now);

  /** The record of the lock that is there now. */
  async function readRecord(): Promise<Owner | undefined> {
    const owner = await readOwner(recordPath);
    return owner && owner.lock === (await identify(lockPath)) ? owner : undefined;
  }

  /** `alive` and `gone` are certain. */
  async function judge(): Promise<"alive" | "gone" | "unknown"> {
    const owner = await readRecord();
    if (!neighbours || owner?.place !== (await findPlace())) return "unknown";
    if (!neighbours.isAlive(owner.pid)) return "gone";
    const begun = await readBegin(owner.pid);
    // Its process may be stopped (Ctrl-Z) and renew nothing, and yet go on.
    if (begun === undefined || owner.begun === undefined) return "alive";
    return begun === owner.begun ? "alive" : "gone";
  }

  async function isAbandoned(): Promise<boolean> {
    const verdict = await judge();
    if (verdict !== "unknown") return verdict === "gone";
    const { stillMs } = await lock.look();
    return stillMs > staleMs;
  }

  /** False while another has it; one whose user was killed in the few milliseconds that it takes is removed. */
  async function takeBroom(): Promise<boolean> {
    try {
      await mkdir(broomPath);
      return true;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      const { stillMs } = await broom.look();
      if (stillMs > staleMs) await orUndefined(rmdir(broomPath));
      return false;
    }
  }

  return {
    async record(work) {
      if (!neighbours) return;
      const { pid } = neighbours;
      const lock = await identify(lockPath);
      if (lock === undefined) return;
      const owner: Owner = { pid, place: await findPlace(), begun: await readBegin(pid), lock, work };
      const draft = `${recordPath}.${randomUUID()}`;
      await orUndefined(writeFile(draft, JSON.stringify(owner), { mode: 0o600 }));
      await orUndefined(rename(draft, recordPath));
    },
    async forget() {
      if (neighbours) await orUndefined(rm(recordPath, { force: true }));
    },
    async holder() {
      const owner = await readRecord();
      if (!owner) return undefined;
      const isHere = owner.place === (await findPlace());
      return { pid: isHere ? owner.pid : undefined, isCertain: owner.begun !== undefined, work: owner.work };
    },
    isAlive: async () => (await judge()) === "alive" || (await lock.look()).hasMoved,
    async clearAbandoned() {
      if (!(await isAbandoned())) return false;
      // Of several who want to clear up only one does, and looks again: the lock may be another's by now.
      if (!(await takeBroom())) return false;
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

/** Looks at a directory now and then. The times of files tell nothing here: another machine's clock has set them. */
function createObserver(directory: string, now: () => number) {
  let seen: { readonly making: string; readonly mtimeNs: bigint } | undefined;
  let sinceMs = 0;
  let hasMoved = false;

  return {
    /** How long it has not changed, and whether it, and not another of its name, was seen to change. */
    async look(): Promise<{ readonly stillMs: number; readonly hasMoved: boolean }> {
      const found = await orUndefined(stat(directory, { bigint: true }));
      const next = found && { making: nameMaking(found), mtimeNs: found.mtimeNs };
      if (!next || next.making !== seen?.making || next.mtimeNs !== seen.mtimeNs) {
        hasMoved = next !== undefined && next.making === seen?.making;
        seen = next;
        sinceMs = now();
      }
      return { stillMs: next ? now() - sinceMs : 0, hasMoved };
    },
  };
}

async function readOwner(recordPath: string): Promise<Owner | undefined> {
  const text = await orUndefined(readFile(recordPath, "utf8"));
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Owner);
  } catch {
    return undefined;
  }
}

async function identify(directory: string): Promise<string | undefined> {
  const found = await orUndefined(stat(directory, { bigint: true }));
  return found && nameMaking(found);
}

/** Names one making of a directory: inodes are used again, but not at the same instant. */
function nameMaking({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino} ${birthtimeNs}`;
}

/** The boot tells machines of one name apart. */
async function findPlace(): Promise<string> {
  const [space = "", boot = ""] = await Promise.all([
    orUndefined(readlink("/proc/self/ns/pid")),
    orUndefined(readFile("/proc/sys/kernel/random/boot_id", "utf8")),
  ]);
  return [hostname(), space, boot.trim()].join(" ");
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
