/** The global flags of a run, as a command after it is given them. */

import type { GlobalValues } from "./globals.ts";

/** The flags of this run that hold for a command after it, too. */
export function typeGlobals({ account, baseUrl, timeoutMs, debug, noColor, quiet }: GlobalValues): string[] {
  return [
    ...(account === undefined ? [] : [`--account=${account}`]),
    ...(baseUrl === undefined ? [] : [`--base-url=${baseUrl}`]),
    `--timeout=${timeoutMs / 1_000}`,
    ...(debug ? ["--debug"] : []),
    ...(noColor ? ["--no-color"] : []),
    ...(quiet ? ["--quiet"] : []),
  ];
}
