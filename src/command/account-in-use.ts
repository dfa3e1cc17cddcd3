/** The name of the account that a command means without reading its key. */

import type { Config } from "../config/store.ts";
import type { Context } from "./command.ts";

/** A flag comes before the environment, and that before the current account. */
export function accountInUse(
  { globals, machine }: Pick<Context, "globals" | "machine">,
  config: Config,
): string | undefined {
  return globals.account ?? (machine.env.COURIER_ACCOUNT || undefined) ?? config.current ?? undefined;
}
