/** Identity of a process and of the machine's boot: whether the process that made a record still runs. */

import { readFileSync, readlinkSync } from "node:fs"; // `fs/promises` takes longer to load than these to read
import { hostname, uptime } from "node:os";
import { systemCode } from "./errors.ts";

export interface ProcessIdentity {
  readonly pid: number;
  /** When it began, where the system tells: process ids are given again. */
  readonly started: string | undefined;
  /** Where the process id and the start mean anything: this host, and on Linux its boot and its namespaces. */
  readonly place: string;
}

export interface ProcessTable {
  readonly pid: number;
  /** Whether a process has this id. */
  readonly isAlive: (pid: number) => boolean;
}

/** The processes of this machine since it was started. */
export interface SystemProcesses extends ProcessTable {
  /** The machine was started after this, by its clock of now. */
  readonly bootedAfterMs: () => number;
}

/** How long the machine has run: setting its clock does not change it, and all its processes read the same. */
export interface SinceBoot {
  /** Differs after each start of the machine. */
  readonly boot: string;
  readonly ms: number;
}

export type Liveness = "alive" | "dead" | "unknown";

/** The identity of this process. */
export function identifyProcess({ pid }: Pick<ProcessTable, "pid">): ProcessIdentity {
  return { pid, started: readStart(pid), place: findPlace() };
}

/** `unknown` for a process of another machine or namespace. */
export function checkLiveness(owner: ProcessIdentity, table: ProcessTable): Liveness {
  const here = findPlace();
  if (owner.place !== here) return isEarlierBoot(owner.place, here) ? "dead" : "unknown";
  if (!table.isAlive(owner.pid)) return "dead";
  const started = readStart(owner.pid);
  if (started === undefined || owner.started === undefined) return "alive";
  return started === owner.started ? "alive" : "dead";
}

/**
 * The same for a process that made a record at a time by the machine's clock. Where the system does not tell when a
 * process began, one with its id is another one if the machine was started since.
 */
export function checkRecorder(owner: ProcessIdentity, atMs: number, table: SystemProcesses): Liveness {
  const liveness = checkLiveness(owner, table);
  const mayBeAnother = liveness === "alive" && owner.started === undefined;
  return mayBeAnother && atMs < table.bootedAfterMs() ? "dead" : liveness;
}

/** Clocks run apart by less than this share. */
const drift = 0.0002;
const leastDriftMs = 30_000;

/** When a machine was started at the earliest: its clock and the time that it has run are set and corrected apart. */
export function bootedAfter(nowMs: number): number {
  const uptimeMs = uptime() * 1_000;
  return nowMs - uptimeMs * (1 + drift) - leastDriftMs;
}

/** Asks whether a process has this id, with `signal 0` of the one given. */
export function hasProcess(kill: (pid: number, signal: 0) => unknown, pid: number): boolean {
  try {
    kill(pid, 0); // asks, and ends nothing
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}

/** The same machine, started anew since: none of its processes is left. */
function isEarlierBoot(place: string, here: string): boolean {
  const [[host, , boot], [ownHost, , ownBoot]] = [place.split(" "), here.split(" ")];
  const isKnown = [boot, ownBoot].every((each) => each !== undefined && each !== "-");
  return isKnown && host === ownHost && boot !== ownBoot;
}

/** Linux gives it to the namespace of time that the machine starts with. */
const firstTimes = "time:[4026531834]";

/** Host, namespaces of processes and of time, and boot. In another namespace of time, processes began at other times. */
export function findPlace(): string {
  const namespace = (kind: string) => orUndefined(() => readlinkSync(`/proc/self/ns/${kind}`)) ?? "";
  const space = namespace("pid") + namespace("time").replace(firstTimes, "");
  const boot = readBoot();
  return [hostname().replaceAll(" ", "_"), space || "-", boot || "-"].join(" ");
}

function readBoot(): string | undefined {
  return orUndefined(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
}

/** Linux names its boots. The time that it sleeps counts. */
export function readSinceBoot(): SinceBoot | undefined {
  const boot = readBoot();
  const seconds = orUndefined(uptime);
  return boot && seconds !== undefined ? { boot, ms: Math.round(seconds * 1_000) } : undefined;
}

/** A dead process that its parent has not collected is dead. */
function readStart(pid: number): string | undefined {
  const { state = "", started } = readProcess(pid) ?? {};
  return /[ZX]/.test(state) ? "dead" : started;
}

/** What Linux tells of a process; undefined for one that has ended. */
export function readProcess(pid: number) {
  const text = orUndefined(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (text === undefined) return undefined;
  // The name before it is in brackets and may hold anything.
  const [state, parent, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { pid, state, parent: Number(parent), started: rest[17] };
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
