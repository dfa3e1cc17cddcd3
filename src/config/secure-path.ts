/** Checks that a key is written only where no one else can read or redirect it, and fixes open permissions. */

import { chmod, lstat, stat } from "node:fs/promises";
import { platform } from "node:os";
import path from "node:path";
import { type CourierError, fileError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { explainSystemError } from "../core/system-errors.ts";

/** Windows has no such modes: there, a user's own folder is closed to others. */
const hasModes = platform() !== "win32";

/**
 * Throws a file error where a key written to `file` could land elsewhere or be read by others: the file or its
 * directory is a symbolic link, or everyone can write in the directory. A directory that does not exist yet will
 * be made private; the directories above it are not checked.
 */
export async function checkSecurePath(file: string): Promise<void> {
  const directory = path.dirname(file);
  if (await isLink(file)) throw refusal(`${file} is a symbolic link`, "put the file itself there");
  if (await isLink(directory))
    throw refusal(`${directory} is a symbolic link`, "name the real directory in COURIER_CONFIG_DIR");
  const mode = hasModes ? ((await stat(directory).catch(() => undefined))?.mode ?? 0) : 0;
  if (mode & 0o002)
    throw refusal(`everyone can write in ${directory}`, `close it with: chmod o-w ${shellQuote(directory)}`);
}

/** Closes a file to everyone but its owner. Gives back the mode that it had where others could read it. */
export async function closeToOthers(file: string): Promise<string | undefined> {
  const found = hasModes ? await stat(file).catch(() => undefined) : undefined;
  if (!found || (found.mode & 0o077) === 0) return undefined;
  await chmod(file, 0o600).catch((error) => {
    const reason = `others can read ${file}, and its permissions cannot be changed: ${explainSystemError(error)}`;
    throw refusal(reason, "choose another place with COURIER_CONFIG_DIR");
  });
  return (found.mode & 0o777).toString(8);
}

async function isLink(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined))?.isSymbolicLink() ?? false;
}

function refusal(reason: string, remedy: string): CourierError {
  return fileError(`the key was not written, since ${reason}`, {
    hint: `${remedy}, or keep the key elsewhere: courier login --key-store keychain, or --key-command`,
  });
}
