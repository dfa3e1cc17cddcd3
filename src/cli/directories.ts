/** The directories of courier's files (owner of env-paths). */

import path from "node:path";
import { fileError } from "../core/errors.ts";

export interface Directories {
  /** Accounts and keys. */
  readonly config: string;
  /** The sandbox's orders. */
  readonly state: string;
}

/**
 * The operating system's own places, unless COURIER_CONFIG_DIR or COURIER_STATE_DIR say otherwise. Throws a
 * file error where neither says: a key must not be written to the current directory.
 */
export async function findDirectories(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Directories> {
  const system = await findSystemPlaces(env);
  return {
    config: env.COURIER_CONFIG_DIR ? path.resolve(env.COURIER_CONFIG_DIR) : known(system.config),
    state: env.COURIER_STATE_DIR ? path.resolve(env.COURIER_STATE_DIR) : known(system.data),
  };
}

/** The package asks for the home directory as soon as it is loaded, which fails for a user without one. */
async function findSystemPlaces(
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly config: string; readonly data: string }> {
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
    hint: "set HOME, or COURIER_CONFIG_DIR and COURIER_STATE_DIR",
  });
}
