/**
 * Whether a database file has a second path. SQLite keeps its log beside the path by which a file was opened: by
 * two paths, two processes have two logs, and neither sees what the other one has committed.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { draftEnding } from "../core/replace-file.ts";

const hardLinked = [
  "it has a second name (a hard link), by which it could be used beside this one",
  "remove the other name; if that is a backup, replace this file by a copy of itself while no courier runs",
] as const;

const mountedAlone = [
  "it is mounted without the files that SQLite keeps beside it",
  "mount its directory instead",
] as const;

/** What is wrong with a file at its real path, and what to do; undefined where it has one path. */
export function findOtherName(file: string): readonly [problem: string, remedy: string] | undefined {
  if (hasOtherName(file)) return hardLinked;
  return isMountedAlone(file) ? mountedAlone : undefined;
}

/** Drafts of it that another process is about to take away do not count. */
function hasOtherName(file: string): boolean {
  const names = () => statSync(file).nlink;
  if (names() <= 1) return false;
  const { dev, ino } = statSync(file);
  const drafts = readdirSync(dirname(file)).filter((name) => {
    if (!name.startsWith(`${basename(file)}${draftEnding}`)) return false;
    const found = statSync(join(dirname(file), name), { throwIfNoEntry: false });
    return found?.dev === dev && found.ino === ino;
  });
  return names() > 1 + drafts.length;
}

/** On Linux. Elsewhere a directory is mounted, or nothing. */
function isMountedAlone(file: string): boolean {
  let mounts: string;
  try {
    mounts = readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    return false;
  }
  // Blanks and backslashes are in octal.
  const place = file.replace(/[\s\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
  return mounts.split("\n").some((line) => line.split(" ")[4] === place);
}
