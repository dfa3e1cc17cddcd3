/** Failures of a disk after which the same command can be run again: what to do first. */

import { CourierError, fileError } from "./errors.ts";
import { namedCode } from "./system-errors.ts";

/** What to do first where a disk is full. */
export const makeRoom = "make room";
export const checkDisk = "check the disk";

const steps: Readonly<Record<string, string>> = {
  ENOSPC: makeRoom,
  EDQUOT: makeRoom,
  EIO: checkDisk,
  ESTALE: checkDisk,
  EFBIG: "allow larger files: ulimit -f unlimited",
};

export const thenAgain = (step: string) => `${step}, then run the same command again`;

export const makeRoomFirst = thenAgain(makeRoom);
export const checkDiskFirst = thenAgain(checkDisk);

/** What to do first about an error of the system, or one that it caused; undefined where the disk is not why. */
export function diskStep(error: unknown): string | undefined {
  return steps[namedCode(error) ?? ""] ?? (error instanceof Error ? diskStep(error.cause) : undefined);
}

/** The same as a hint. */
export function diskHint(error: unknown): string | undefined {
  const step = diskStep(error);
  return step === undefined ? undefined : thenAgain(step);
}

/** The error for a file of courier's own that cannot be written: exit 5 where the disk is why, else exit 2. */
export function ownFileError(message: string, cause: unknown, hint?: string): CourierError {
  const remedy = diskHint(cause);
  return remedy === undefined
    ? fileError(message, { cause, hint })
    : new CourierError("file", 5, message, { cause, hint: remedy });
}
