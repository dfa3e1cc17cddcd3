/** Checks an output file: it must not be the input, nor a file that courier keeps. */

import { fstatSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { Context } from "../command/command.ts";
import { hasLedger } from "../command/found-ledger.ts";
import { nameLock } from "../config/config-lock.ts";
import { usageError } from "../core/errors.ts";
import { findDetour, findRealPath } from "../core/real-path.ts";
import { ledgerPath } from "../ledger/ledger-file.ts";
import { orderCachePath } from "../ledger/order-cache.ts";
import { mirrorFiles } from "../mirror/mirror-files.ts";
import { sandboxDirectory, storedOrdersPath } from "../sandbox/stored-orders.ts";
import type { Directories } from "./directories.ts";
import type { Host } from "./host.ts";
import { ownOutputsPath } from "./own-outputs.ts";

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
  const detour = await findDetour(file);
  if (detour !== undefined)
    throw usageError(`${flag} ${file} cannot be written: ${detour}`, "name the file itself");
  for (const { what, file: other } of taken) {
    if (await isSameFile(file, other))
      throw usageError(`${flag} ${file} is the same file as ${what}`, `give ${flag} another name`);
  }
}

/** Throws a usage error where the file exists and was the input of an import in the ledger. */
export async function ensureNoImportInput(
  flag: string,
  file: string,
  context: Pick<Context, "ledger" | "sharesLedger" | "machine">,
): Promise<void> {
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile || !(await hasLedger(context))) return;
  const source = await findRealPath(file);
  // What only reads works without a ledger that can be read.
  const runs = await context
    .ledger()
    .then((opened) => opened.listRuns({ source, limit: 1 }))
    .catch(() => []);
  const [run] = runs;
  if (!run) return;
  throw usageError(
    `${flag} ${file} is the input of an import (run ${run.number}), and would be overwritten`,
    `give ${flag} another name, or move ${file} away first`,
  );
}

/** The input of a command, stdin where it names none, and what the shell has opened for its output. */
export function filesBeside(
  input: string | undefined,
  { stdin, stdout, stderr }: Pick<Host, "stdin" | "stdout" | "stderr">,
): readonly TakenFile[] {
  const opened = (what: string, { fd }: { readonly fd?: number | undefined }) =>
    fd === undefined ? [] : [{ what, file: fd }];
  const isStdin = input === undefined || input === "-";
  const source = isStdin ? opened("stdin", stdin) : [{ what: `the input ${input}`, file: input }];
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
    name("the record of output files", ownOutputsPath(state)),
    ...mirrorFiles(state).map((file) => name("the mirror", file)),
    ...databases.flatMap(([what, file]) => sideFiles.map((ending) => name(what, file + ending))),
  ];
}

/** What SQLite keeps beside a database. */
const sideFiles = ["", "-wal", "-shm", "-journal"] as const;

function name(what: string, file: string): TakenFile {
  return { what: `${what} ${file}`, file };
}

/** A path, or the number of a descriptor that is open. */
type FileName = string | number;

/**
 * True where both mean one regular file. Of two that are both yet to be made, their directories and names are compared,
 * without regard to letter case: there is nothing to ask whether the file system tells cases apart.
 */
async function isSameFile(one: FileName, other: FileName): Promise<boolean> {
  const [found, second] = await Promise.all([identify(one), identify(other)]);
  if (found && second) return found.isFile() && found.dev === second.dev && found.ino === second.ino;
  if (found || second || typeof one === "number" || typeof other === "number") return false;
  const places = await Promise.all([resolve(one), resolve(other)]);
  const [name, secondName] = places.map((place) => path.basename(place).normalize().toLowerCase());
  const [directory, secondDirectory] = await Promise.all(
    places.map((place) => identify(path.dirname(place))),
  );
  // A directory that is mounted a second time has two paths.
  if (directory && secondDirectory)
    return (
      name === secondName && directory.dev === secondDirectory.dev && directory.ino === secondDirectory.ino
    );
  return places[0].toLowerCase() === places[1].toLowerCase();
}

async function identify(file: FileName) {
  try {
    return typeof file === "number" ? fstatSync(file, { bigint: true }) : await stat(file, { bigint: true });
  } catch {
    return undefined; // opening it reports the error
  }
}

function resolve(file: string): Promise<string> {
  return findRealPath(file).catch(() => path.resolve(file));
}
