/** Changes courier's JSON files: one process at a time, and no key in an unsafe directory. */

import { existsSync } from "node:fs";
import { platform } from "node:os";
import path from "node:path";
import type { Clock } from "../core/clock.ts";
import { makeWritableDirectory } from "../core/directory.ts";
import { ownFileError } from "../core/disk-errors.ts";
import { CourierError, systemCode } from "../core/errors.ts";
import { findLink } from "../core/regular-file.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { explainSystemError } from "../core/system-errors.ts";
import { mustBeWritable } from "../core/wording.ts";
import type { Json } from "../model/json.ts";
import { type LockOptions, takeLock } from "./config-lock.ts";
import { checkSecurePath } from "./secure-path.ts";
import { removeLeftovers, writeWholeFile } from "./whole-file.ts";

export interface UpdateSteps {
  /** Still has the lock, and comes only after the writing. */
  readonly afterwards?: () => Promise<void>;
  /** All is written but the file, which stays as it is: throws where it could not be written. */
  readonly isTrial?: boolean;
}

export interface WrittenFile<T> extends UpdateSteps {
  readonly file: string;
  /** What the file is called in messages. */
  readonly title: string;
  /** The secrets in a content: a new one is written only to a place that suits it. */
  readonly secrets: (content: T) => readonly string[];
  readonly lock: LockOptions | undefined;
  /** For the wait while another program has the file open. */
  readonly clock: Clock;
}

export interface FileChange<T> {
  readonly before: T;
  readonly after: T;
  /** What is written for `after`. */
  readonly content: object;
}

/**
 * Replaces a file's content by what `change` makes while the lock is held. The directory is made with mode
 * 0700, the file has mode 0600. Throws a file error: exit 5 where the disk is full or fails.
 */
export async function updateFile<T>(
  { file, title, secrets, lock, clock, isTrial = false, afterwards }: WrittenFile<T>,
  change: () => Promise<FileChange<T>>,
): Promise<void> {
  const link = findLink(file);
  if (link) throw ownFileError(`cannot write the ${title} ${file}: ${link.message}`, link, link.remedy);
  prepareDirectory(file, title);
  const release = await takeLock(file, title, lock);
  try {
    const { before, after, content } = await change();
    // Secrets that are already in the file may stay: this change does not concern them.
    const known = secrets(before);
    if (secrets(after).some((secret) => !known.includes(secret))) await checkSecurePath(file);
    await writeWholeFile(file, content as Record<string, Json>, clock, { isTrial });
    await afterwards?.();
  } catch (error) {
    if (error instanceof CourierError || systemCode(error) === undefined) throw error;
    const left = await removeLeftovers(file).catch(() => []);
    const kept = left.length > 0 ? `; ${left.join(", ")} is left there` : "";
    const message = `cannot write the ${title} ${file}: ${explainSystemError(error)}${kept}`;
    throw ownFileError(message, error, hintFor(error, file, left));
  } finally {
    release();
  }
}

function hintFor(error: unknown, file: string, left: readonly string[]): string | undefined {
  const directory = path.dirname(file);
  if (left.length > 0) return `delete it, for it may hold a key: rm ${left.map(shellQuote).join(" ")}`;
  if (systemCode(error) === "EBUSY" && platform() !== "win32")
    return `close that program; in a container, mount the directory ${directory} instead`;
  return undefined;
}

function prepareDirectory(file: string, title: string): void {
  const directory = path.dirname(file);
  try {
    makeWritableDirectory(directory);
  } catch (error) {
    throw ownFileError(
      `the ${title} cannot be kept in ${directory}: ${explainSystemError(error, "directory")}`,
      error,
      // Another place would have no account.
      existsSync(file) ? mustBeWritable(directory) : "choose another place with COURIER_CONFIG_DIR",
    );
  }
}
