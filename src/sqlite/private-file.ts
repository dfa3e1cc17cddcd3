/** Creates files that only their owner can read, before SQLite opens them. */

import {
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { systemCode } from "../core/errors.ts";
import { findLinkAbove, isThere, LinkToNothing, NotRegular } from "../core/regular-file.ts";
import { nameDraft } from "../core/replace-file.ts";

/** One of the files that SQLite keeps beside its own is something else. */
export class BesideNotRegular extends NotRegular {
  readonly path: string;
  constructor(path: string, found: Stats) {
    super(found, basename(path));
    this.path = path;
  }
}

export function hasContent(file: string): boolean {
  try {
    return statSync(file).size > 0;
  } catch {
    return false;
  }
}

/** True for a file, and where a link to nothing hides whether there is one: the path, or a directory above it. */
export function hasFile(path: string): boolean {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })) return true;
  } catch {
    return false; // in a directory that cannot be searched
  }
  return findLinkAbove(path) !== undefined;
}

/** True where a database exists, may be behind a link to nothing, or has left its log: opening it then creates no file. */
export function hasDatabase(path: string): boolean {
  return hasFile(path) || hasContent(`${path}-wal`);
}

/**
 * Creates a file of mode 0600 where there is none: empty, or with what `fill` writes to a draft of it. An existing file is not opened: closing it would drop the
 * locks that this process holds on it (POSIX). Throws Unreadable for anything but a file, at the path or at those of
 * SQLite's files beside it, and the system's errors.
 */
export function makePrivateFile(path: string, fill?: (draft: string) => void): void {
  createWhereMissing(path, fill);
  const file = realpathSync(path);
  for (const suffix of ["-journal", "-wal", "-shm"]) {
    // SQLite would wait for the writer of a pipe, with the whole process.
    const found = statSync(`${file}${suffix}`, { throwIfNoEntry: false });
    if (found && !found.isFile()) throw new BesideNotRegular(`${file}${suffix}`, found);
  }
}

function createWhereMissing(path: string, fill?: (draft: string) => void): void {
  try {
    if (fill) createFilled(path, fill);
    else createEmpty(path);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    // SQLite would make the file there, for everyone to read.
    if (!isThere(path)) throw new LinkToNothing(readlinkSync(path));
    const found = statSync(path);
    if (!found.isFile()) throw new NotRegular(found);
    return;
  }
  giveToOwner(path);
}

function createEmpty(path: string): void {
  closeSync(openSync(path, "wx", 0o600));
}

/** The file appears at its place with its content, also where the process is killed meanwhile. Throws EEXIST. */
function createFilled(path: string, fill: (draft: string) => void): void {
  if (lstatSync(path, { throwIfNoEntry: false }))
    throw Object.assign(new Error("exists"), { code: "EEXIST" });
  const draft = nameDraft(path);
  createEmpty(draft);
  try {
    fill(draft);
    linkSync(draft, path);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"].includes(systemCode(error) ?? "")) throw error;
    copyFileSync(draft, path, constants.COPYFILE_EXCL); // a file system without links
  } finally {
    rmSync(draft, { force: true });
  }
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
