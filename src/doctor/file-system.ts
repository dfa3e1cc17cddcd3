/** The file system that a directory is on, or will be on once it is made. */

import { statfs as systemStatfs } from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../core/errors.ts";

/** What the system says of a file system. */
export interface FileSystemFacts {
  /** The type's number, as `statfs` of Linux gives it. */
  readonly type: number | bigint;
  /** 0 where the file system counts none. */
  readonly blocks?: number | bigint;
  readonly bsize?: number | bigint;
  /** Blocks that users other than root may still fill. */
  readonly bavail?: number | bigint;
}

export type Statfs = (path: string) => Promise<FileSystemFacts>;

/** The facts of the directory, or of the first one above it that exists. Undefined where the system does not tell. */
export async function readFileSystem(
  directory: string,
  statfs: Statfs = systemStatfs,
): Promise<FileSystemFacts | undefined> {
  try {
    return await statfs(directory);
  } catch (error) {
    const above = dirname(directory);
    const isMissing = systemCode(error) === "ENOENT" && above !== directory;
    return isMissing ? readFileSystem(above, statfs) : undefined;
  }
}

/** The bytes that are free on the file system of a directory. Undefined where the system does not tell. */
export async function readFreeBytes(directory: string, statfs?: Statfs): Promise<number | undefined> {
  const { blocks = 0, bsize, bavail } = (await readFileSystem(directory, statfs)) ?? {};
  if (bsize === undefined || bavail === undefined || Number(blocks) === 0) return undefined;
  return Number(bsize) * Number(bavail);
}
