/** Creates files that only their owner can read, before SQLite opens them. */

import { chownSync, closeSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "../core/errors.ts";
import { NotRegular } from "../core/regular-file.ts";

/**
 * Creates an empty file of mode 0600 where there is none. An existing file is not opened: closing it would drop the
 * locks that this process holds on it (POSIX). Throws NotRegular for anything but a file, and the system's errors.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    const found = statSync(path, { throwIfNoEntry: false }); // SQLite refuses a broken link
    if (found && !found.isFile()) throw new NotRegular(found);
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
