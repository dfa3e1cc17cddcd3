/** The directories of courier's files (owner of env-paths). */

import path from "node:path";
import { fileError, usageError } from "../core/errors.ts";
import { newLedgerWarning } from "../core/wording.ts";

export interface Directories {
  /** Accounts and keys. */
  readonly config: string;
  /** The sandbox's orders. */
  readonly state: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The operating system's own places, unless COURIER_CONFIG_DIR or COURIER_STATE_DIR say otherwise. Throws a usage
 * error for a relative one, and a file error where neither says: a key must not be written to the current directory.
 */
export async function findDirectories(env: Env): Promise<Directories> {
  const system = await findSystemPlaces(env);
  return {
    config: chosen("COURIER_CONFIG_DIR", env) ?? known(system.config),
    state: chosen("COURIER_STATE_DIR", env) ?? known(system.data),
  };
}

/** The same for the config alone: its keys stay out of the error about the other one. */
export async function findConfigDirectory(env: Env): Promise<string> {
  return chosen("COURIER_CONFIG_DIR", env) ?? known((await findSystemPlaces(env)).config);
}

/** A ledger elsewhere does not know which orders were sent, so it may not depend on the current directory. */
function chosen(variable: "COURIER_CONFIG_DIR" | "COURIER_STATE_DIR", env: Env): string | undefined {
  const place = env[variable];
  if (!place) return undefined;
  // On Windows \courier is absolute, and on whichever drive is the current one.
  const isFixed = path.sep === "/" || path.parse(place).root.length > 1;
  if (path.isAbsolute(place) && isFixed) return path.resolve(place);
  throw usageError(
    `${variable} is a relative path, which would be another directory wherever courier runs: ${place}`,
    `set it to the absolute path of the directory in use so far; ${newLedgerWarning}`,
  );
}

/** The package asks for the home directory as soon as it is loaded, which fails for a user without one. */
async function findSystemPlaces(env: Env): Promise<{ readonly config: string; readonly data: string }> {
  if (env.HOME === "") return { config: "", data: "" }; // Bun would ask the system for another one
  try {
    const [{ default: envPaths }, { homedir }] = await Promise.all([import("env-paths"), import("node:os")]);
    const { config, data } = envPaths("courier", { suffix: "" });
    // The package takes relative XDG directories, which their standard says to ignore.
    const orUsual = (place: string, usual: string) =>
      path.isAbsolute(place) ? place : path.join(homedir(), usual, "courier");
    return { config: orUsual(config, ".config"), data: orUsual(data, ".local/share") };
  } catch {
    return { config: "", data: "" };
  }
}

/** Without a home directory the system's places are relative. */
function known(place: string): string {
  if (path.isAbsolute(place)) return place;
  throw fileError("there is no place for courier's files, since HOME is not an absolute path", {
    hint: `set HOME, or COURIER_CONFIG_DIR and COURIER_STATE_DIR; ${newLedgerWarning}`,
  });
}
