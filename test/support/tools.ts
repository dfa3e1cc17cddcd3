/** Programs that tests need and a machine may lack: their tests are skipped there, except in CI, where nothing is. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

interface Machine {
  readonly searchPath: string;
  readonly isCi: boolean;
  /** How long a tool may take to say what it is. */
  readonly limitMs: number;
}

const thisMachine: Machine = {
  searchPath: process.env.PATH ?? "",
  isCi: Boolean(process.env.CI),
  limitMs: 10_000,
};

/** The path of an installed program; undefined where there is none. */
export function findTool(name: string, searchPath = thisMachine.searchPath): string | undefined {
  const places = [...searchPath.split(path.delimiter), "/usr/sbin", "/sbin"];
  return places.map((place) => path.join(place, name)).find((file) => existsSync(file));
}

/**
 * Whether one of these programs is missing, for `test.skipIf`. Throws for one that is there and does not run: a test
 * that waits for it would hang. Throws in CI for one that is missing.
 */
export function lacks(...names: readonly string[]): boolean {
  return names.filter((name) => isMissing(name)).length > 0;
}

/** A Python that has this module; undefined where there is none. Throws in CI then. Debian's has Debian's modules. */
export function findPython(module: string): string | undefined {
  const programs = ["/usr/bin/python3", findTool("python3")].filter((each) => each !== undefined);
  const found = programs.find(
    (each) => spawnSync(each, ["-c", `import ${module}`], { stdio: "ignore" }).status === 0,
  );
  if (found === undefined && thisMachine.isCi)
    throw new Error(`no Python has the module ${module}, and CI skips no test`);
  return found;
}

export function isMissing(name: string, { searchPath, isCi, limitMs }: Machine = thisMachine): boolean {
  const file = findTool(name, searchPath);
  if (file === undefined && isCi) throw new Error(`${name} is not installed, and CI skips no test`);
  if (file === undefined) return true;
  // Programs that do not know this flag say so and end, which is enough.
  const ran = spawnSync(file, ["--version"], { stdio: "ignore", timeout: limitMs, killSignal: "SIGKILL" });
  if (ran.signal === "SIGKILL") throw new Error(`${file} does not end; fix or remove it`);
  if (ran.error || ran.status === 126 || ran.status === 127) {
    const reason = ran.error?.message ?? `exit ${ran.status}`;
    throw new Error(`${file} is there and does not run (${reason}); fix or remove it`);
  }
  return false;
}
