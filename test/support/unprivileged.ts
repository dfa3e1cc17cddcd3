/** Work as a user who may not do everything, also where the tests run as root. */

import { chown } from "node:fs/promises";

const nobody = 65_534;

/** Gives `paths` to that user first. Only the effective user changes, and it is changed back. */
export async function asUser(paths: readonly string[], work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work();
  for (const path of paths)
    await chown(path, nobody, nobody).catch((error: NodeJS.ErrnoException) => {
      // SQLite may still be taking away what it keeps beside a database.
      if (error.code !== "ENOENT" || !/-(wal|shm)$/.test(path)) throw error;
    });
  process.seteuid?.(nobody);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}
