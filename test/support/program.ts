/**
 * The program that tests of real processes run: what the package holds, built if the sources are newer,
 * and copied to a place of its own, so that a build meanwhile disturbs nothing. COURIER_BIN names another one.
 */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const root = path.resolve(import.meta.dirname, "../..");
const longestBuildMs = 60_000;

/** Vitest calls this once, before any worker starts: they inherit the environment. Gives back the tidying up. */
export function setup(): () => void {
  const copy = mkdtempSync(path.join(tmpdir(), "courier-package-"));
  process.env.COURIER_TEST_PACKAGE = copy;
  return () => rmSync(copy, { recursive: true, force: true });
}

/** The words that start the program: itself, or with the Node.js that runs the tests or that COURIER_NODE names. */
export async function prepareProgram(): Promise<readonly string[]> {
  const program = process.env.COURIER_BIN || (await preparePackage());
  return /\.[cm]?js$/.test(program) ? [process.env.COURIER_NODE || process.execPath, program] : [program];
}

/** The first worker that needs the program makes it, the others wait. */
async function preparePackage(): Promise<string> {
  const copy = process.env.COURIER_TEST_PACKAGE ?? "";
  const ready = path.join(copy, "ready");
  const begun = path.join(copy, "begun");
  if (isFirst(begun)) makePackage(copy, ready, begun);
  for (let waitedMs = 0; !existsSync(ready); waitedMs += 50) {
    if (waitedMs > longestBuildMs) throw new Error("the program was not built");
    await wait(50);
  }
  return path.join(copy, "bin/courier.cjs");
}

function makePackage(copy: string, ready: string, begun: string): void {
  try {
    if (newestMs("src", "share", "scripts", "package.json") > modifiedMs("dist/main.cjs"))
      execFileSync(process.execPath, [path.join(root, "scripts/build.mjs")], { stdio: "inherit" });
    // The optional packages are not in the bundle.
    for (const part of ["bin", "dist", "package.json", "node_modules/@napi-rs"])
      cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
    // A link: it has thirty megabytes, and needs packages of its own.
    const sqlite = "node_modules/@photostructure";
    symlinkSync(path.join(root, sqlite), path.join(copy, sqlite), "junction");
    chmodSync(copy, 0o755); // other users run it, too
    writeFileSync(ready, "");
  } catch (error) {
    rmSync(begun, { recursive: true }); // nobody waits for what failed
    throw error;
  }
}

function isFirst(mark: string): boolean {
  try {
    mkdirSync(mark);
    return true;
  } catch {
    return false;
  }
}

function newestMs(...parts: readonly string[]): number {
  return Math.max(
    ...parts.map((part) => {
      const isDirectory = statSync(path.join(root, part)).isDirectory();
      const below = isDirectory ? readdirSync(path.join(root, part)).map((name) => `${part}/${name}`) : [];
      return Math.max(modifiedMs(part), ...(below.length > 0 ? [newestMs(...below)] : []));
    }),
  );
}

function modifiedMs(part: string): number {
  return statSync(path.join(root, part), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
