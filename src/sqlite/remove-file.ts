/** Deletes files that hold data of people, also where a link leads to them. */

import { lstatSync, realpathSync, statSync, unlinkSync } from "node:fs";
import { diskHint } from "../core/disk-errors.ts";
import { CourierError, type ErrorFacts, systemCode } from "../core/errors.ts";
import { findLink } from "../core/regular-file.ts";
import { explainSystemError } from "../core/system-errors.ts";

/** A database, after what SQLite keeps beside it: a log without its file would be that of the next one there. */
const endings = ["-wal", "-shm", "-journal", ""];

/**
 * Deletes a file, and the ones that SQLite keeps beside it; of a link also what it leads to. Throws `database`, exit 5,
 * where one cannot be deleted, and for a link to nothing: the file may be on a disk that is missing.
 */
export function removeFile(file: string, title: string): void {
  ensureNoLinkToNothing(file, title);
  for (const place of new Set([followLink(file), file]))
    for (const ending of endings) remove(`${place}${ending}`, title);
}

function remove(file: string, title: string): void {
  try {
    unlinkSync(file); // rmSync has another reason where this is not permitted: that it is no directory
  } catch (error) {
    if (systemCode(error) === "ENOENT") return;
    throw undeletable(title, explainSystemError(error), file, {
      cause: error,
      hint: diskHint(error) ?? "once that is fixed, run the same command again",
    });
  }
}

function undeletable(title: string, reason: string, file: string, facts: ErrorFacts): CourierError {
  return new CourierError("database", 5, `the ${title} cannot be deleted: ${reason}: ${file}`, facts);
}

/** Throws as above where the file is, or would lie behind, a link to nothing. */
export function ensureNoLinkToNothing(file: string, title: string): void {
  const link = findLink(file);
  if (!link) return;
  throw undeletable(title, link.message, file, { cause: link, hint: link.remedy });
}

/** The file that a link leads to; the path itself where it is no link, or leads to no file, such as a device. */
export function followLink(file: string): string {
  try {
    return lstatSync(file).isSymbolicLink() && statSync(file).isFile() ? realpathSync(file) : file;
  } catch {
    return file; // missing
  }
}
