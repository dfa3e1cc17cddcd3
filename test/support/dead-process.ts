/** The number of a process that has ended, for what a killed run leaves behind. */

import { spawnSync } from "node:child_process";

export function deadPid(): number {
  return spawnSync(process.execPath, ["--version"]).pid;
}
