/** Whether two names mean one file: by device and inode, so that links and letter case do not matter. */

import { fstatSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { findRealPath } from "./real-path.ts";

/** A path, or the number of a descriptor that is open. */
export type FileName = string | number;

/**
 * True where both mean one regular file. Of two that are both yet to be made, the paths are compared without
 * links and without regard to letter case: there is nothing to ask whether the file system tells cases apart.
 */
export async function isSameFile(one: FileName, other: FileName): Promise<boolean> {
  const [found, second] = await Promise.all([identify(one), identify(other)]);
  if (found && second) return found.isFile() && found.dev === second.dev && found.ino === second.ino;
  if (found || second || typeof one === "number" || typeof other === "number") return false;
  const [place, secondPlace] = await Promise.all([resolve(one), resolve(other)]);
  return place.toLowerCase() === secondPlace.toLowerCase();
}

async function identify(file: FileName) {
  try {
    return typeof file === "number" ? fstatSync(file, { bigint: true }) : await stat(file, { bigint: true });
  } catch {
    return undefined; // opening it reports the error
  }
}

function resolve(file: string): Promise<string> {
  return findRealPath(file).catch(() => path.resolve(file));
}
