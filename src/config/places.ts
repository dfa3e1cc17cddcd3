/** Owns looking at files and directories of ours without touching them. */

import { access, constants, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../core/errors.ts";

export interface Place {
  /** Permission bits; undefined where nothing is there. */
  readonly mode: number | undefined;
  readonly isDirectory: boolean;
  /** It can be written in; where nothing is there: it can be made. */
  readonly isWritable: boolean;
  /** Why it cannot be looked at, or written in. */
  readonly problem: string | undefined;
}

export async function inspectPlace(place: string): Promise<Place> {
  try {
    const found = await stat(place);
    const problem = await reasonAgainst(place);
    const mode = found.mode & 0o777;
    return { mode, isDirectory: found.isDirectory(), isWritable: problem === undefined, problem };
  } catch (error) {
    const code = systemCode(error) ?? String(error);
    if (code !== "ENOENT") return { mode: undefined, isDirectory: false, isWritable: false, problem: code };
    const above = await inspectPlace(path.dirname(place));
    const isFile = above.mode !== undefined && !above.isDirectory;
    const problem = above.problem ?? (isFile ? "ENOTDIR" : undefined);
    return { mode: undefined, isDirectory: false, isWritable: problem === undefined, problem };
  }
}

async function reasonAgainst(place: string): Promise<string | undefined> {
  try {
    await access(place, constants.W_OK);
    return undefined;
  } catch (error) {
    return systemCode(error) ?? String(error);
  }
}

/** True for a file that can be read and holds at least one certificate in PEM form. */
export async function holdsCertificates(file: string): Promise<boolean> {
  try {
    return (await readFile(file, "latin1")).includes("-----BEGIN CERTIFICATE-----");
  } catch {
    return false;
  }
}

/** The first of some files that is there. */
export async function firstPresent(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const found = await stat(file).catch(() => undefined);
    if (found) return file;
  }
  return undefined;
}
