/** Plain words for what can go wrong with an SQLite file, and what to do. */

import { existsSync, statfsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isDirectory } from "../core/directory.ts";
import { checkDisk, checkDiskFirst, diskHint, makeRoom, makeRoomFirst } from "../core/disk-errors.ts";
import { CourierError, systemCode } from "../core/errors.ts";
import { findLinkAbove, LinkToNothing, NotRegular, putBack } from "../core/regular-file.ts";
import { shellQuotePath } from "../core/shell-quote-path.ts";
import { allowMoreFiles, explainSystemError, namedCode, tooManyFiles } from "../core/system-errors.ts";
import { anotherStateDirectory, mustBeWritable } from "../core/wording.ts";
import { extendedSqliteCode, sqliteCode } from "./driver.ts";
import { findWriteLimit, isOfFileLimit } from "./file-limit.ts";
import { BesideNotRegular, hasFile } from "./private-file.ts";
import { followLink } from "./remove-file.ts";
import { resultCodes as code } from "./wait.ts";

/** What messages say of a file. */
export interface DatabaseFile {
  readonly path: string;
  /** The name of the file in messages, for example `ledger`. */
  readonly title: string;
  /** The hint for a damaged file; without it: restore it from a backup, or move it away. */
  readonly damagedHint?: string;
  /** A warning about beginning a new file elsewhere. */
  readonly newFileWarning?: string;
}

export function unusable(title: string, path: string, reason: string, remedy: string): CourierError {
  return new CourierError("database", 5, `the ${title} cannot be used: ${reason}: ${path}`, {
    hint: `the file was left as it is: ${remedy}`,
  });
}

/** The log of the lost file would be replayed on the backup. SQLite keeps it beside the file that a link leads to. */
export function deleteLog(path: string): string {
  const file = followLink(path);
  return `delete ${shellQuotePath(`${file}-wal`)} and ${shellQuotePath(`${file}-shm`)}`;
}

export function restore(path: string): string {
  return `${deleteLog(path)}, then restore it from a backup; or move it away with these two files`;
}

// Not another place: its empty file does not know what was sent.
const letWrite = "let your user write to it, to its -wal and -shm files, and in its directory";

const lockable =
  "check the disk; a network disk may have no locks: then move the state directory, with all that is in it, to a disk of this machine";

const reasons: Readonly<Record<number, readonly [reason: string, remedy: string]>> = {
  [code.busy]: ["another program keeps it locked", "end the one that hangs"],
  [code.readOnly]: ["it cannot be written to", letWrite],
  [code.io]: ["the disk reports an error", checkDiskFirst],
  // SQLite says the same where a single read of the disk has failed.
  [code.corrupt]: ["it is damaged", `${checkDiskFirst}; if it is still damaged, `],
  [code.full]: ["the disk is full", makeRoomFirst],
  [code.protocol]: ["its disk refuses locks", lockable],
  [code.cannotOpen]: ["it cannot be opened", letWrite],
  [code.notADatabase]: ["it is not an SQLite file, or damaged", ""],
};

/** SQLITE_IOERR_SHMSIZE: the file that the processes share could not grow. */
const sharedFileCannotGrow = 4_874;

function reasonOf(error: unknown): readonly [reason: string, remedy: string] | undefined {
  if (extendedSqliteCode(error) === sharedFileCannotGrow) return ["the disk may be full", makeRoomFirst];
  return reasons[sqliteCode(error) ?? 0];
}

/** SQLite makes so many files, and takes those away again that it could make before one failed. */
const filesOfDatabase = 3;

/** SQLite does not say why it cannot make a file: a disk may take so many files and no more. */
function reasonOfPlace(path: string): readonly [reason: string, remedy: string] | undefined {
  try {
    const { files, ffree } = statfsSync(dirname(path));
    // Some file systems count none.
    if (files > 0 && ffree < filesOfDatabase)
      return ["its disk has no place for further files", makeRoomFirst];
  } catch {
    // The other reason stands.
  }
  return undefined;
}

/** True where an error, or what caused it, may come from a full disk. */
export function mayBeFullDisk(error: unknown): boolean {
  if (extendedSqliteCode(error) === sharedFileCannotGrow || sqliteCode(error) === code.full) return true;
  return error instanceof Error && error.cause !== undefined && mayBeFullDisk(error.cause);
}

/** True where an error may go away while the process runs: the disk is full, or another process holds the lock. */
export function mayPass(error: unknown): boolean {
  if (mayBeFullDisk(error) || sqliteCode(error) === code.busy) return true;
  return error instanceof Error && error.cause !== undefined && mayPass(error.cause);
}

/** The reason of an SQLite error in plain words; undefined for another error. */
export function explainSqliteError(error: unknown): string | undefined {
  const number = sqliteCode(error);
  if (number === undefined) return undefined;
  return reasonOf(error)?.[0] ?? (error instanceof Error ? error.message : String(error));
}

/** Plain words for a failure to open the file; other errors stay as they are. */
export function explainFailure(failure: unknown, options: DatabaseFile): unknown {
  const error = (systemCode(failure) === "ENOTDIR" && findLinkAbove(options.path)) || failure;
  const explained = explainSqlite(error, options);
  if (explained || error instanceof CourierError || systemCode(error) === undefined)
    return explained ?? error;
  const reason = explainSystemError(error, "directory");
  if (error instanceof LinkToNothing) {
    const { title, path } = options;
    return new CourierError("database", 5, `the ${title} cannot be used: ${reason}: ${path}`, {
      cause: error,
      hint: withWarning(putBack, options),
    });
  }
  if (error instanceof BesideNotRegular)
    return unusable(options.title, error.path, reason, `move ${basename(error.path)} away, and nothing else`);
  if (error instanceof NotRegular)
    return unusable(options.title, options.path, reason, withWarning("move it away", options));
  const place = places(dirname(options.path))[namedCode(error) ?? ""];
  // Not another place, as above.
  if (place && hasFile(options.path)) {
    const [problem, remedy] = place;
    return new CourierError(
      "database",
      5,
      `the ${options.title} cannot be used: ${problem}: ${options.path}`,
      {
        cause: error,
        hint: `${remedy}: SQLite writes beside a file that it reads, too`,
      },
    );
  }
  const message = `the ${options.title} cannot be kept at ${options.path}: ${reason}`;
  const directory = dirname(options.path);
  // In a directory that cannot be searched there may be a file.
  const elsewhere = place ? `${place[1]}, or ${anotherStateDirectory}` : anotherStateDirectory;
  // A ledger above a file of another kind would be left behind.
  const leavesLedger = options.newFileWarning === undefined && isDirectory(dirname(directory));
  const hint = leavesLedger ? (place?.[1] ?? mustBeWritable(directory)) : elsewhere;
  return new CourierError("database", 5, message, { cause: error, hint });
}

/** Why nothing can be written beside a file, and what to do. */
function places(directory: string): Readonly<Record<string, readonly [problem: string, remedy: string]>> {
  const parent = dirname(directory);
  if (parent !== directory && !existsSync(directory)) return places(parent);
  const denied = ["permission denied in its directory", `let your user write in ${directory}`] as const;
  return {
    EROFS: ["its disk is read-only", "make the disk writable"],
    ENOSPC: ["its disk is full", makeRoom],
    EDQUOT: ["the user's share of its disk is full", makeRoom],
    EIO: ["its disk reports an error", checkDisk],
    ESTALE: ["the server of its network disk does not know it any more", checkDisk],
    EACCES: denied,
    EPERM: denied,
  };
}

export function withWarning(hint: string, { newFileWarning }: DatabaseFile): string {
  return newFileWarning === undefined ? hint : `${hint}; ${newFileWarning}`;
}

/** Plain words for a failure of SQLite, and for the limit of open files; undefined for another error. */
export function explainSqlite(error: unknown, options: DatabaseFile): CourierError | undefined {
  const { path, title, damagedHint } = options;
  if (isOfFileLimit(error))
    return new CourierError("database", 5, `the ${title} cannot be used: ${tooManyFiles}: ${path}`, {
      cause: error,
      hint: allowMoreFiles,
    });
  const number = sqliteCode(error);
  if (number === undefined) return undefined;
  const message = error instanceof Error ? error.message : String(error);
  const limit = number === code.io ? findWriteLimit(path) : undefined;
  const [reason, remedy] =
    (limit && [explainSystemError(limit), diskHint(limit) ?? checkDiskFirst]) ||
    (number === code.cannotOpen && reasonOfPlace(path)) ||
    (reasonOf(error) ?? [message, "run the same command again with --debug"]);
  const isDamaged = number === code.corrupt || number === code.notADatabase;
  return new CourierError("database", 5, `the ${title} cannot be used: ${reason}: ${path}`, {
    cause: limit ? Object.assign(limit, { cause: error }) : error,
    hint: isDamaged ? (damagedHint ?? withWarning(`${remedy}${restore(path)}`, options)) : remedy,
  });
}
