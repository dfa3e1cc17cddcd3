/** Failures of a disk after which the same command can be run again: what to do first. */

import { CourierError, fileError, systemCode } from "./errors.ts";

/** What to do first where a disk is full. */
export const makeRoom = "make room";

const again = "then run the same command again";

export const makeRoomFirst = `${makeRoom}, ${again}`;
export const checkDiskFirst = `check the disk, ${again}`;

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: makeRoomFirst,
  EDQUOT: makeRoomFirst,
  EIO: checkDiskFirst,
};

/** The error for a file of courier's own that cannot be written: exit 5 where the disk is why, else exit 2. */
export function ownFileError(message: string, cause: unknown, hint?: string): CourierError {
  const remedy = remedies[systemCode(cause) ?? ""];
  return remedy === undefined
    ? fileError(message, { cause, hint })
    : new CourierError("file", 5, message, { cause, hint: remedy });
}
