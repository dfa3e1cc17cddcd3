/** Facts about files and directories, read without changing them. */

import { access, constants, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../core/errors.ts";

export interface PathFacts {
  /** Permission bits; undefined for a missing path. */
  readonly mode: number | undefined;
  readonly isDirectory: boolean;
  /** It can be written to; for a missing path: it can be created. */
  readonly isWritable: boolean;
  /** The code of the error of reading its facts, or of writing to it. */
  readonly problem: string | undefined;
}

export async function inspectPath(file: string): Promise<PathFacts> {
  try {
    const found = await stat(file);
    const problem = await findWriteProblem(file);
    const mode = found.mode & 0o777;
    return { mode, isDirectory: found.isDirectory(), isWritable: problem === undefined, problem };
  } catch (error) {
    const code = systemCode(error) ?? String(error);
    if (code !== "ENOENT") return { mode: undefined, isDirectory: false, isWritable: false, problem: code };
    const above = await inspectPath(path.dirname(file));
    const isFile = above.mode !== undefined && !above.isDirectory;
    const problem = above.problem ?? (isFile ? "ENOTDIR" : undefined);
    return { mode: undefined, isDirectory: false, isWritable: problem === undefined, problem };
  }
}

async function findWriteProblem(file: string): Promise<string | undefined> {
  try {
    await access(file, constants.W_OK);
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

/** The first of some files that exists. */
export async function firstPresent(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const found = await stat(file).catch(() => undefined);
    if (found) return file;
  }
  return undefined;
}
