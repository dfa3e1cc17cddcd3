/** Whether processes of Linux still run, by /proc. */

import { readFileSync } from "node:fs";

/** Which of these still run: one that has ended may wait for somebody to ask how. */
export function running(pids: readonly string[]): readonly string[] {
  return pids.filter((pid) => {
    const [, state] = /^State:\s+(\S)/m.exec(readStatus(pid)) ?? [];
    return state !== undefined && state !== "Z";
  });
}

function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
