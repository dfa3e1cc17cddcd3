/** The real path of a file, so that two names of one file are equal. */

import { readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "./errors.ts";

/** As many as the system itself follows. */
const mostLinks = 40;

/**
 * The path without symbolic links, also of a file that is yet to be made: in its directory, or where a
 * link points that leads nowhere yet. Throws the system's errors, but not for a directory that is missing.
 */
export async function findRealPath(file: string): Promise<string> {
  let place = path.resolve(file);
  for (let links = 0; links < mostLinks; links++) {
    const found = await orMissing(realpath(place));
    if (found !== undefined) return found;
    const directory = await orMissing(realpath(path.dirname(place)));
    if (directory === undefined) return place;
    place = path.join(directory, path.basename(place));
    const target = await readlink(place).catch(() => undefined);
    if (target === undefined) return place;
    place = path.resolve(directory, target);
  }
  return place;
}

async function orMissing(finding: Promise<string>): Promise<string | undefined> {
  return finding.catch((error) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  });
}
