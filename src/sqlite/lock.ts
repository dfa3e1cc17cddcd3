/** Locks between processes: each is a write transaction on an empty SQLite file, and ends with its process. */

import { accessSync, constants } from "node:fs";
import { findDriver } from "./database.ts";
import type { Connection } from "./driver.ts";
import { makePrivateFile } from "./private-file.ts";
import { createWait, isBusy, type WaitOptions } from "./wait.ts";

/**
 * Takes the lock and gives back what releases it; undefined when another process, or another caller in this one,
 * still holds it at the end of the wait. The file is made with mode 0600 in a directory that exists, stays empty, and
 * stays there: removing it would let two processes hold the lock. Throws `database` (exit 5) without an SQLite
 * driver, and the errors of the system and of SQLite.
 */
export async function holdLock(
  path: string,
  title: string,
  wait: WaitOptions,
): Promise<(() => void) | undefined> {
  const driver = await findDriver(title);
  makePrivateFile(path);
  accessSync(path, constants.W_OK); // of a file that it may only read, SQLite would take a lock for readers
  const connection = driver.open(path);
  try {
    // A driver that waits would block the process. SQLite begins with an undo journal, which no file has to hold.
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
