/** The help of the whole program. */

import { groupHelp } from "./help.ts";
import type { Host } from "./host.ts";
import { program } from "./program.ts";

const widestHelp = 100;

/** Columns for help, on a terminal of so many or in a pipe. */
export function helpWidth(columns: number | undefined): number {
  return Math.min(widestHelp, columns || 80);
}

export function rootHelp(host: Host): string {
  return groupHelp(program, [], helpWidth((host.quickOutput ?? host.stdout).columns));
}
