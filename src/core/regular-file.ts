/** Reads regular files: throws for a pipe, a device or a link to nothing in the place of one of courier's files. */

import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./errors.ts";

/** What is found at the path is not read: the message says why, in words for people. */
export class Unreadable extends Error {
  readonly code = "EFTYPE";

  constructor(
    message: string,
    /** What to do about it. */
    readonly remedy = "move it away",
  ) {
    super(message);
  }
}

/** The path is not a regular file. */
export class NotRegular extends Unreadable {
  constructor(found: Pick<Stats, "isDirectory" | "isFIFO" | "isSocket">, name = "it") {
    const kind = found.isDirectory()
      ? "a directory"
      : found.isFIFO()
        ? "a named pipe"
        : found.isSocket()
          ? "a socket"
          : "a device";
    super(`${name} is ${kind}, not a regular file`);
  }
}

/** What to do about a link to nothing. */
export const putBack = "is a disk missing, or was the file moved? Put it back, or let the link point to it";

/** The path is a link, and nothing is where it leads: what is missing is not known to be missing. */
export class LinkToNothing extends Unreadable {
  constructor(target: string, directory?: string) {
    const [name, kind] =
      directory === undefined ? ["it", "file"] : [`the directory ${directory}`, "directory"];
    super(`${name} is a link to ${target}, where no ${kind} is`, putBack);
  }
}

/** The link to nothing that a missing path is, or would lie behind; undefined where it can be made. */
export function findLink(path: string): LinkToNothing | undefined {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() && !isThere(path))
      return new LinkToNothing(readlinkSync(path));
  } catch (error) {
    if (systemCode(error) !== "ELOOP") return undefined; // opening the path reports the error
  }
  return findLinkAbove(path);
}

/** The same of the directories above a path. */
export function findLinkAbove(path: string): LinkToNothing | undefined {
  const directory = dirname(path);
  try {
    const found = lstatSync(directory, { throwIfNoEntry: false });
    if (!found) return directory === path ? undefined : findLinkAbove(directory);
    if (!found.isSymbolicLink() || isThere(directory)) return undefined;
    return new LinkToNothing(readlinkSync(directory), directory);
  } catch {
    return undefined; // opening the path reports the error
  }
}

/** Not where links lead in a circle. */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (systemCode(error) === "ELOOP") return false;
    throw error;
  }
}

/** Courier's own JSON files have some kilobytes. One as large as a disk would take all memory. */
export const mostOwnBytes = 16 * 2 ** 20;
export const tooLarge = `larger than ${mostOwnBytes / 2 ** 20} MiB`;

/**
 * The text of one of courier's own files. Throws Unreadable for what is no file, for a larger one, and for one that an
 * editor saved in another encoding: read as UTF-8, its text would be lost at the next write; for a link to nothing.
 * And the system's errors.
 */
export function readRegularFile(file: string): string {
  const descriptor = open(file);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new NotRegular(found);
    if (found.size > mostOwnBytes) throw new Unreadable(`it is ${tooLarge}`);
    const bytes = readFileSync(descriptor);
    if (!isUtf8(bytes)) throw new Unreadable("it is not in UTF-8", "save it as UTF-8");
    return bytes.toString();
  } finally {
    closeSync(descriptor);
  }
}

/** Opening a pipe as a file would wait for its writer. Windows has no such flag, and no such pipes. */
function open(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (["ENOENT", "ELOOP"].includes(code)) throw findLink(file) ?? error;
    if (code !== "ENXIO") throw error;
    throw new NotRegular({ isDirectory: () => false, isFIFO: () => false, isSocket: () => true });
  }
}
