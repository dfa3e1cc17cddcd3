/** Creates courier's own directories, with mode 0700. */

import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./errors.ts";

/**
 * Makes a directory and those above it, mode 0700. Throws the system's error. It goes step by step, since
 * Node's own recursive way never comes to an end where the system has no directory to give, as in /proc.
 */
export function makeDirectory(directory: string): void {
  if (isDirectory(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory && !existsSync(parent)) makeDirectory(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (isDirectory(directory)) return; // another process has made it meanwhile
    if (systemCode(error) !== "EEXIST") throw error;
    throw Object.assign(new Error(`not a directory: ${directory}`), { code: "ENOTDIR" });
  }
}

/** Makes a directory, and throws the system's error where no file can be made in it. */
export function makeWritableDirectory(directory: string): void {
  makeDirectory(directory);
  accessSync(directory, constants.W_OK | constants.X_OK);
}

export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
