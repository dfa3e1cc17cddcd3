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

/**
 * Why a path does not name the file that it seems to name: the system follows links before it goes up at `..`, and all
 * else here takes `..` and the directory before it away. Undefined where both mean the same.
 */
export async function findDetour(file: string): Promise<string | undefined> {
  const parts = file.split(separators);
  const last = parts.pop() ?? "";
  if (["", ".", ".."].includes(last)) return "it names a directory, and not a file";
  if (!parts.includes("..")) return undefined;
  const directory = parts.length === 1 ? `${parts[0]}${path.sep}` : parts.join(path.sep);
  const [bySystem, byText] = await Promise.all(
    [directory, path.resolve(directory)].map((each) => realpath(each).catch(() => undefined)),
  );
  return bySystem === byText ? undefined : "its path has .. behind a link, or behind what is no directory";
}

const separators = path.sep === "\\" ? /[\\/]/ : "/";
