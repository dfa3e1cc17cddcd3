/** System errors in plain words. */

import { constants } from "node:os";
import { CourierError, systemCode } from "./errors.ts";
import { Unreadable } from "./regular-file.ts";

const denied = "permission denied";
const isDirectory = "it is a directory";
const inUse = "another program is using it";
const noDevice = "there is no such device";
export const tooLittleMemory = "there is too little memory";
export const tooManyFiles = "too many files are open";

/** One table for all that is read, written or started. */
const systemReasons: Readonly<Record<string, string>> = {
  EACCES: denied,
  EPERM: denied,
  EROFS: "its disk is read-only",
  // Linux and macOS say it of a file that a container has as a mount.
  EBUSY: `${inUse}, or it is mounted on its own`,
  ETXTBSY: inUse,
  EFTYPE: "it is not a regular file",
  EIO: "the disk reports an error",
  EINVAL: "the system does not accept it. Is the name allowed here?",
  UNKNOWN: "the system does not say why. Is the file open in another program?",
  EBADF: "it is not open for that",
  EFBIG: "the limit on file sizes is reached (ulimit -f)",
  ENXIO: noDevice,
  ENODEV: noDevice,
  ENFILE: tooManyFiles,
  EAGAIN: "the system is out of processes or memory",
  ENOMEM: tooLittleMemory,
  EPIPE: "its reader is gone",
  ECONNRESET: "its connection broke",
  ENOEXEC: "it is not a program that this system can run",
  EISDIR: isDirectory,
  ERR_FS_EISDIR: isDirectory,
  ENOTDIR: "a part of its path is no directory",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ESTALE: "the server of its network disk does not know it any more",
  ENOLCK: "its disk refuses locks",
  EMFILE: tooManyFiles,
  ENAMETOOLONG: "the name is too long",
  E2BIG: "what it is given is too long",
  ENOTEMPTY: "it is not empty",
  ELOOP: "its links lead in a circle",
};

/** The code of a failed system call. Node.js gives some errors no name that the system has one for. */
export function namedCode(error: unknown): string | undefined {
  const code = systemCode(error);
  const number = /^Unknown system error -(\d+)$/.exec(code ?? "")?.[1];
  if (number === undefined) return code;
  return Object.entries(constants.errno).find(([, each]) => each === Number(number))?.[0] ?? code;
}

/** Why a call to the system failed, in a user's words where there are any; `missing` is what ENOENT is about. */
export function explainSystemError(
  error: unknown,
  missing: "file" | "directory" | "program" = "file",
): string {
  if (error instanceof Unreadable) return error.message;
  const code = namedCode(error);
  if (code === "ENOENT") return `there is no such ${missing}`;
  return code === undefined ? String(error) : explainSystemCode(code);
}

export function explainSystemCode(code: string): string {
  return systemReasons[code] ?? code;
}

/** True where the process, or the system, may open no more files. */
export function isFileLimit(code: string | undefined): boolean {
  return code === "EMFILE" || code === "ENFILE";
}

export const allowMoreFiles = "more may be open after: ulimit -n 1024";
export const allowMoreMemory = "free some memory, or allow more: ulimit -v unlimited";

/**
 * The error for a result that could not be written completely. `mayHaveSent`: the command may have sent something.
 * `mayHaveChanged`: it may have changed what is stored on this machine.
 */
export function unwrittenError(
  what: string,
  error: unknown,
  {
    mayHaveSent,
    mayHaveChanged = false,
    left = "",
    log = "courier log",
  }: {
    readonly mayHaveSent: boolean;
    readonly mayHaveChanged?: boolean;
    readonly left?: string;
    /** The command that shows what was done. */
    readonly log?: string | undefined;
  },
): CourierError {
  const again = mayHaveChanged
    ? "what it changes on this machine, such as a removal, is done; else run the same command again once it can be written"
    : "run the same command again once it can be written";
  return new CourierError("unwritten", 5, `${what} cannot be written: ${explainSystemError(error)}${left}`, {
    hint: mayHaveSent
      ? `before you run it again, see what was done: ${log}`
      : `no order was made or cancelled: ${again}`,
    cause: error,
  });
}
