/** The files that courier wrote where people named them: it replaces these, and keeps any other file of the name. */

import { rmSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../core/directory.ts";
import { readRegularFile } from "../core/regular-file.ts";
import { nameDraft, replaceFileOnce } from "../core/replace-file.ts";

export function ownOutputsPath(stateDirectory: string): string {
  return path.join(stateDirectory, "outputs.json");
}

const mostRemembered = 200;

/** True where courier wrote the file, and it is unchanged since. */
export async function isOwnOutput(stateDirectory: string, file: string): Promise<boolean> {
  const known = readOutputs(stateDirectory).get(path.resolve(file));
  return known !== undefined && known === (await identify(file).catch(() => undefined));
}

/** Where it cannot be recorded, the file counts as another one, and is kept. */
export async function recordOwnOutput(stateDirectory: string, file: string): Promise<void> {
  try {
    const outputs = readOutputs(stateDirectory);
    const name = path.resolve(file);
    outputs.delete(name); // the newest is the last
    outputs.set(name, await identify(file));
    makeDirectory(stateDirectory);
    const target = ownOutputsPath(stateDirectory);
    const draft = nameDraft(target);
    const newest = [...outputs].slice(-mostRemembered);
    try {
      writeFileSync(draft, JSON.stringify(newest), { mode: 0o600, flag: "wx" });
      replaceFileOnce(draft, target);
    } catch (error) {
      rmSync(draft, { force: true }); // a full disk leaves it empty
      throw error;
    }
  } catch {
    // the state directory cannot be written to
  }
}

function readOutputs(stateDirectory: string): Map<string, string> {
  try {
    const content: unknown = JSON.parse(readRegularFile(ownOutputsPath(stateDirectory)));
    return new Map(content as readonly (readonly [string, string])[]);
  } catch {
    return new Map(); // missing, or damaged
  }
}

/** Each change of its content or its place changes one of these. */
async function identify(file: string): Promise<string> {
  const { dev, ino, size, ctimeNs } = await stat(file, { bigint: true });
  return [dev, ino, size, ctimeNs].join(" ");
}
