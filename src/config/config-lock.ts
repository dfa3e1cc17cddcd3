/** Locks on courier's own files: one process at a time changes a file. */

import path from "node:path";
import { ownFileError } from "../core/disk-errors.ts";
import { CourierError, fileError, systemCode } from "../core/errors.ts";
import { findRealPath } from "../core/real-path.ts";
import { NotRegular } from "../core/regular-file.ts";
import { allowMoreFiles, explainSystemError, tooManyFiles } from "../core/system-errors.ts";
import { explainSqliteError } from "../sqlite/database-errors.ts";
import { sqliteCode } from "../sqlite/driver.ts";
import { isOfFileLimit } from "../sqlite/file-limit.ts";
import { holdLock } from "../sqlite/lock.ts";
import { BesideNotRegular } from "../sqlite/private-file.ts";
import { resultCodes, type WaitOptions } from "../sqlite/wait.ts";

/** A change takes milliseconds, but may wait for a person who unlocks the key ring. */
const longestWaitMs = 40_000;

/** How a change waits for another process that holds the lock. */
export interface LockOptions extends Pick<WaitOptions, "signal" | "onLongWait"> {
  readonly waitMs?: number | undefined;
}

/**
 * Takes the lock on a file, which need not exist, and gives back what releases it. The lock of `config.json` is
 * `config.lock.db` beside it; all names of one file (symbolic links) have the same lock. It ends with its process.
 * Throws a file error (exit 5 where the disk is full), and `database` (exit 5) without an SQLite driver.
 */
export async function takeLock(
  file: string,
  title: string,
  { waitMs = longestWaitMs, ...wait }: LockOptions = {},
): Promise<() => void> {
  const place = await findRealPath(file).catch((error) => fail(explainSystemError(error), error));
  const lockPath = nameLock(place);
  const release = await holdLock(lockPath, title, { ...wait, limitMs: () => waitMs }).catch((error) => {
    if (error instanceof CourierError) throw error;
    if (isOfFileLimit(error)) fail(tooManyFiles, error, allowMoreFiles);
    const reason = explainSqliteError(error) ?? (systemCode(error) && explainSystemError(error, "directory"));
    if (reason === undefined) throw error;
    return fail(
      `${reason}: ${error instanceof BesideNotRegular ? error.path : lockPath}`,
      error,
      error instanceof NotRegular || sqliteCode(error) === resultCodes.notADatabase
        ? "move it away, then run the same command again"
        : "check the permissions of this empty file, and that its file system supports locks",
    );
  });
  if (release) return release;
  throw fileError(`cannot lock the ${title} ${file}: another courier process is changing it`, {
    hint: "wait until it has ended, then run the same command again",
  });

  function fail(reason: string, cause: unknown, hint?: string): never {
    throw ownFileError(`cannot lock the ${title} ${file}: ${reason}`, cause, hint);
  }
}

/** The path of the lock of a file. */
export function nameLock(file: string): string {
  const { dir, name } = path.parse(file);
  return path.join(dir, `${name}.lock.db`);
}
