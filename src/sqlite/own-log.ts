/** Whether the log (WAL) beside a database is its own: SQLite replays any, also on a backup that was put in its place. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Driver } from "./driver.ts";

/** `user_version` has the version of the tables in its low bits, and above them a number that grows with the commits. */
const versionBits = 8;
const lastNumber = 0x7f_ffff;

export function versionOf(userVersion: number): number {
  return userVersion & ((1 << versionBits) - 1);
}

export function numberNext(userVersion: number, version: number): number {
  return ((((userVersion >> versionBits) + 1) & lastNumber) << versionBits) | version;
}

/** So that two files have different numbers. */
export function numberFirst(): number {
  return Math.floor(Math.random() * lastNumber) << versionBits;
}

/** The first page 1 in a log: it has the number of its file, or the next one. */
interface LogStart {
  readonly salt: string;
  readonly number: number;
  /** No more commits than these. */
  readonly frames: number;
}

/** Throws nothing: what cannot be read proves nothing. Other processes may be writing. */
export function hasForeignLog(driver: Driver, file: string): boolean {
  try {
    for (;;) {
      const log = readLogStart(file);
      if (!log) return false;
      if (!hasLogMode(file)) return true;
      const own = readUserVersion(driver, file) >> versionBits;
      if (readLogStart(file)?.salt !== log.salt) continue; // it was begun anew meanwhile
      return ((own - log.number + 1) & lastNumber) > log.frames;
    }
  } catch {
    return false;
  }
}

/** A file gets its log after this mode. A copy that SQLite made (VACUUM INTO) is in another one, and has other pages. */
function hasLogMode(file: string): boolean {
  const descriptor = openSync(file, "r");
  try {
    return readBytes(descriptor, 18, 1)[0] !== 1; // https://www.sqlite.org/fileformat.html, 1.3.3
  } finally {
    closeSync(descriptor);
  }
}

function readBytes(descriptor: number, place: number, bytes: number): Buffer {
  const into = Buffer.alloc(bytes);
  readSync(descriptor, into, 0, bytes, place);
  return into;
}

function readUserVersion(driver: Driver, file: string): number {
  const connection = driver.openWithoutLog(file);
  try {
    return Number(connection.prepare("PRAGMA user_version").get()?.user_version);
  } finally {
    connection.close();
  }
}

/** https://www.sqlite.org/fileformat.html, 4.1. Undefined where there is no page 1 with a number. */
function readLogStart(file: string): LogStart | undefined {
  const descriptor = openSync(`${file}-wal`, "r");
  const read = (place: number, bytes: number) => readBytes(descriptor, place, bytes);
  try {
    const { size } = fstatSync(descriptor);
    const salt = read(16, 8);
    const frameBytes = 24 + read(8, 4).readUInt32BE();
    for (let place = 32; place + frameBytes <= size; place += frameBytes) {
      const frame = read(place, 24 + 64);
      if (!frame.subarray(8, 16).equals(salt)) return undefined; // of an earlier log
      if (frame.readUInt32BE(0) !== 1) continue;
      const number = frame.readUInt32BE(24 + 60) >> versionBits;
      const frames = Math.floor(size / frameBytes);
      return number === 0 ? undefined : { salt: salt.toString("hex"), number, frames };
    }
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
