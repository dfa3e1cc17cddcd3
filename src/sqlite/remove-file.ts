/** Deletes files that hold data of people, also where a link leads to them. */

import { realpathSync, rmSync, statSync } from "node:fs";
import { CourierError } from "../core/errors.ts";
import { findLink } from "../core/regular-file.ts";

/** What SQLite keeps beside a database. */
const endings = ["", "-wal", "-shm", "-journal"];

/**
 * Deletes a file, and the ones that SQLite keeps beside it; of a link also what it leads to. Throws `database`, exit 5,
 * for a link to nothing: the file may be on a disk that is missing. And the system's errors.
 */
export function removeFile(file: string, title: string): void {
  ensureNoLinkToNothing(file, title);
  for (const place of new Set([followLink(file), file]))
    for (const ending of endings) rmSync(`${place}${ending}`, { force: true });
}

/** Throws as above where the file is, or would lie behind, a link to nothing. */
export function ensureNoLinkToNothing(file: string, title: string): void {
  const link = findLink(file);
  if (!link) return;
  throw new CourierError("database", 5, `the ${title} cannot be deleted: ${link.message}: ${file}`, {
    cause: link,
    hint: link.remedy,
  });
}

/** The file that a link leads to; the path itself where that is none, such as a device. */
export function followLink(file: string): string {
  try {
    return statSync(file).isFile() ? realpathSync(file) : file;
  } catch {
    return file; // missing
  }
}
