/** Finds out which limit a file met, which SQLite does not say: of open files, of their size, or of a quota. */

import { closeSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { systemCode } from "../core/errors.ts";
import { nameDraft } from "../core/replace-file.ts";
import { isFileLimit } from "../core/system-errors.ts";
import { sqliteCode } from "./driver.ts";
import { resultCodes } from "./wait.ts";

/** A database, its WAL and its shared memory. SQLite has closed those that it could open before one failed. */
const filesAtOnce = 3;

/** True where an error of the system or of SQLite comes from the limit of open files. */
export function isOfFileLimit(error: unknown): boolean {
  return sqliteCode(error) === resultCodes.cannotOpen ? isAtFileLimit() : isFileLimit(systemCode(error));
}

function isAtFileLimit(): boolean {
  const opened: number[] = [];
  try {
    // Not the database: closing it would drop the locks that this process holds on it (POSIX).
    while (opened.length < filesAtOnce) opened.push(openSync(devNull, "r"));
    return false;
  } catch (error) {
    return isFileLimit(systemCode(error));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** More than SQLite writes at once. */
const stepBytes = 65_536;

/** The system's error for a write behind the end of the largest of a database's files, where a limit is why. */
export function findWriteLimit(database: string): Error | undefined {
  // Not the database itself: closing it would drop the locks that this process holds on it (POSIX).
  const probe = nameDraft(database);
  try {
    const descriptor = openSync(probe, "wx", 0o600);
    try {
      writeSync(descriptor, Buffer.alloc(1), 0, 1, largest(database) + stepBytes);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const isLimit = ["EFBIG", "EDQUOT"].includes(systemCode(error) ?? "");
    return isLimit && error instanceof Error ? error : undefined;
  } finally {
    remove(probe);
  }
  return undefined;
}

/** What cannot be removed must not hide why the database failed. */
function remove(probe: string): void {
  try {
    rmSync(probe, { force: true });
  } catch {
    // it stays, and is in no one's way
  }
}

function largest(database: string): number {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return Math.max(...["", "-wal", "-shm"].map((ending) => sizeOf(`${database}${ending}`)));
}
