/** Locks between processes: each is a write transaction on an empty SQLite file. It ends with its process. */

import { accessSync, constants } from "node:fs";
import { findDriver } from "./database.ts";
import type { Connection } from "./driver.ts";
import { makePrivateFile } from "./private-file.ts";
import { createWait, isBusy, type WaitOptions } from "./wait.ts";

/**
 * Takes the lock and returns a function that releases it; undefined when another process, or another caller in this
 * one, still holds it at the end of the wait. The file is created with mode 0600 in an existing directory, stays
 * empty, and is never removed: otherwise two processes could hold the lock. Throws `database` (exit 5) without an
 * SQLite driver, and the errors of the system and of SQLite.
 */
export async function holdLock(
  path: string,
  title: string,
  wait: WaitOptions,
): Promise<(() => void) | undefined> {
  const driver = await findDriver(title);
  makePrivateFile(path);
  accessSync(path, constants.W_OK); // on a read-only file, SQLite would take a shared lock
  const connection = driver.open(path);
  try {
    // A driver that waits would block the process. The rollback journal needs no file.
    connection.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY;");
    const begin = () => connection.exec("BEGIN IMMEDIATE");
    await createWait(wait)(begin, () => {});
  } catch (error) {
    connection.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return () => release(connection);
}

/** Bun's `close` may wait for statements to be collected, so the transaction ends first. */
function release(connection: Connection): void {
  try {
    connection.exec("ROLLBACK");
  } finally {
    connection.close();
  }
}
