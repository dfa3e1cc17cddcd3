/** Creates files that only their owner can read, before SQLite opens them. */

import {
  chownSync,
  closeSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { systemCode } from "../core/errors.ts";
import { NotRegular, Unreadable } from "../core/regular-file.ts";

/** The path is a link, and nothing is where it leads. SQLite would make the file there, for everyone to read. */
export class LinkToNothing extends Unreadable {
  constructor(target: string) {
    super(`it is a link to ${target}, where no file is`);
  }
}

/** One of the files that SQLite keeps beside its own is something else. */
export class BesideNotRegular extends NotRegular {
  readonly path: string;
  constructor(path: string, found: Stats) {
    super(found, basename(path));
    this.path = path;
  }
}

/** True for a file, and for a link to one that is missing. */
export function hasFile(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // in a directory that cannot be searched
  }
}

/**
 * Creates an empty file of mode 0600 where there is none. An existing file is not opened: closing it would drop the
 * locks that this process holds on it (POSIX). Throws Unreadable for anything but a file, at the path or at those of
 * SQLite's files beside it, and the system's errors.
 */
export function makePrivateFile(path: string): void {
  createWhereMissing(path);
  const file = realpathSync(path);
  for (const suffix of ["-journal", "-wal", "-shm"]) {
    // SQLite would wait for the writer of a pipe, with the whole process.
    const found = statSync(`${file}${suffix}`, { throwIfNoEntry: false });
    if (found && !found.isFile()) throw new BesideNotRegular(`${file}${suffix}`, found);
  }
}

function createWhereMissing(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) throw new LinkToNothing(readlinkSync(path));
    if (!found.isFile()) throw new NotRegular(found);
    return;
  }
  giveToOwner(path);
}

/** A run as root must not leave a file that the directory's owner cannot open. */
function giveToOwner(path: string): void {
  const { uid, gid } = statSync(dirname(path));
  if (statSync(path).uid === uid) return;
  try {
    chownSync(path, uid, gid);
  } catch {
    // only root may
  }
}
