/** Reads regular files: throws for a pipe or a device in the place of one of courier's files, instead of waiting for it. */

import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
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

/** Courier's own JSON files have some kilobytes. One as large as a disk would take all memory. */
export const mostOwnBytes = 16 * 2 ** 20;
export const tooLarge = `larger than ${mostOwnBytes / 2 ** 20} MiB`;

/**
 * The text of one of courier's own files. Throws Unreadable for what is no file, for a larger one, and for one that an
 * editor saved in another encoding: read as UTF-8, its text would be lost at the next write. And the system's errors.
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
    if (systemCode(error) !== "ENXIO") throw error;
    throw new NotRegular({ isDirectory: () => false, isFIFO: () => false, isSocket: () => true });
  }
}
