/** Checks an output file: it must not be the input, nor a file that courier keeps. */

import { nameLock } from "../config/config-lock.ts";
import { usageError } from "../core/errors.ts";
import { type FileName, isSameFile } from "../core/same-file.ts";
import { ledgerPath } from "../ledger/ledger.ts";
import { orderCachePath } from "../ledger/order-cache.ts";
import { sandboxDirectory, storedOrdersPath } from "../sandbox/stored-orders.ts";
import type { Directories } from "./directories.ts";
import type { Host } from "./host.ts";

/** A file that must not be overwritten; `what` completes “is the same file as”. */
export interface TakenFile {
  readonly what: string;
  readonly file: FileName;
}

/** Throws a usage error where `file`, which `flag` gives, is no file's name, or is one of `taken`. */
export async function checkOutputPlace(
  flag: string,
  file: string,
  taken: readonly TakenFile[],
): Promise<void> {
  if (file === "")
    throw usageError(
      `${flag} is given no name`,
      "give it the name of a file; is a variable of the shell not set?",
    );
  if (file === "-")
    throw usageError(
      `${flag} writes a file, and not to stdout`,
      "give it the name of a file; one that is called - is ./-",
    );
  for (const { what, file: other } of taken) {
    if (await isSameFile(file, other))
      throw usageError(`${flag} ${file} is the same file as ${what}`, `give ${flag} another name`);
  }
}

/** The input of a command, `-` for stdin, and what the shell has opened for its output. */
export function filesBeside(
  input: string,
  { stdin, stdout, stderr }: Pick<Host, "stdin" | "stdout" | "stderr">,
): readonly TakenFile[] {
  const opened = (what: string, { fd }: { readonly fd?: number | undefined }) =>
    fd === undefined ? [] : [{ what, file: fd }];
  const source = input === "-" ? opened("stdin", stdin) : [{ what: `the input ${input}`, file: input }];
  return [...source, ...opened("stdout", stdout), ...opened("stderr", stderr)];
}

/** The files that courier keeps, whether they exist or not. */
export function keptFiles(configFile: string, { state }: Directories): readonly TakenFile[] {
  const databases: readonly (readonly [string, string])[] = [
    ["the lock of the config file", nameLock(configFile)],
    ["the ledger", ledgerPath(state)],
    ["the sandbox", storedOrdersPath(sandboxDirectory(state))],
  ];
  return [
    name("the config file", configFile),
    name("the orders for the Tab key", orderCachePath(state)),
    ...databases.flatMap(([what, file]) => sideFiles.map((ending) => name(what, file + ending))),
  ];
}

/** What SQLite keeps beside a database. */
const sideFiles = ["", "-wal", "-shm", "-journal"] as const;

function name(what: string, file: string): TakenFile {
  return { what: `${what} ${file}`, file };
}
