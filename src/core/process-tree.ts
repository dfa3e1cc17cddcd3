/** The processes that a process has started, and they in turn, as the system lists them. */

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { readProcess } from "./process-identity.ts";

/** The id with the time at which it began, where the system tells: ids are given again. */
export interface TreeProcess {
  readonly pid: number;
  readonly started: string | undefined;
}

interface Listed extends TreeProcess {
  readonly parent: number;
}

/** False where the id was given to another process since. */
export function isSame({ pid, started }: TreeProcess): boolean {
  return readProcess(pid)?.started === started;
}

/** Without those whose parent has ended. */
export function listDescendants(root: number): readonly TreeProcess[] {
  const all = listProcesses();
  const found = all.filter(({ parent }) => parent === root);
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid)); // it grows meanwhile
  return found;
}

/** Linux has no `ps` on every machine, other systems have no /proc. */
function listProcesses(): readonly Listed[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readProcess(Number(name)) ?? []);
  } catch {
    const env = { PATH: "/bin:/usr/bin" }; // not our own, which may have the key
    const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8", env });
    const lines = (stdout ?? "").trim().split("\n");
    return lines.map((line) => {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      return { pid: pid ?? 0, parent: parent ?? 0, started: undefined };
    });
  }
}
