/** Owns where courier's files lie on this machine (owner of env-paths). */

import path from "node:path";
import envPaths from "env-paths";

export interface Directories {
  /** Accounts and keys. */
  readonly config: string;
  /** The sandbox's orders. */
  readonly state: string;
}

/** The operating system's own places, unless COURIER_CONFIG_DIR or COURIER_STATE_DIR say otherwise. */
export function findDirectories(env: Readonly<Record<string, string | undefined>>): Directories {
  const system = envPaths("courier", { suffix: "" });
  return {
    config: path.resolve(env.COURIER_CONFIG_DIR || system.config),
    state: path.resolve(env.COURIER_STATE_DIR || system.data),
  };
}
