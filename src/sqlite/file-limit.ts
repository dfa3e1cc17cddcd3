/** Finds out whether SQLite could not open a file because too many are open, which it does not say. */

import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { systemCode } from "../core/errors.ts";
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
