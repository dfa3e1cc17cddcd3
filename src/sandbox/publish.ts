/**
 * Owns writing that many processes may do at once without a lock: a file appears under its name whole or
 * not at all, and a name is given once. The text goes to a draft of its own first, and the draft is then
 * linked to the name, which fails when somebody else has it. A process that is killed leaves a draft.
 */

import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "../core/directory.ts";
import { systemCode } from "../core/errors.ts";

/** Puts `text` under the first of the paths that is free and answers it; undefined when none is. */
export function publish(draftDir: string, text: string, paths: Iterable<string>): string | undefined {
  const draft = join(draftDir, randomUUID());
  inDirectoryOf(draft, () => writeFileSync(draft, text, { flag: "wx", mode: 0o600 }));
  try {
    for (const path of paths) if (link(draft, path)) return path;
    return undefined;
  } finally {
    unless("ENOENT", () => unlinkSync(draft));
  }
}

/** The text of a file, or undefined where there is none. */
export function readIfThere(path: string): string | undefined {
  return unless("ENOENT", () => readFileSync(path, "utf8"));
}

/** What an operation on a file answers, or undefined where it fails with a given code. */
export function unless<T>(code: string, operation: () => T): T | undefined {
  try {
    return operation();
  } catch (error) {
    if (systemCode(error) === code) return undefined;
    throw error;
  }
}

function link(draft: string, path: string): boolean {
  const linked = unless("EEXIST", () => {
    inDirectoryOf(path, () => linkSync(draft, path));
    return true;
  });
  return linked ?? false;
}

/** Directories are made when the first file needs them. */
function inDirectoryOf(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    makeDirectory(dirname(path));
    write();
  }
}
