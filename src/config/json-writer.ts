/** Owns the writing of JSON files of ours: whole, by conf, under a lock (owner of conf). */

import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import Conf from "conf";
import { makeWritableDirectory } from "../core/directory.ts";
import { CourierError, explainSystemError, fileError, systemCode } from "../core/errors.ts";
import { type Json, parseJson, stringifyJson } from "../model/json.ts";
import { takeLock } from "./lock.ts";

export interface WrittenFile {
  readonly directory: string;
  /** File name without its extension. */
  readonly name: string;
  /** What the file is called in messages. */
  readonly title: string;
}

/**
 * Replaces a file's content by what `next` makes while the lock is held. The directory is made with mode
 * 0700, the file has mode 0600. Throws a file error.
 */
export async function updateFile(
  { directory, name, title }: WrittenFile,
  next: () => Promise<object>,
): Promise<void> {
  const file = path.join(directory, `${name}.json`);
  prepareDirectory(directory, title);
  const release = await takeLock(file, `the ${title}`);
  try {
    await removeLeftovers(directory, path.basename(file));
    const content = await next();
    const conf = new Conf<Record<string, unknown>>({
      projectName: "courier",
      cwd: directory,
      configName: name,
      configFileMode: 0o600,
      clearInvalidConfig: false,
      accessPropertiesByDotNotation: false,
      serialize: (written) => `${stringifyJson(written as Json, 2)}\n`,
      deserialize: (text) => parseJson(text) as Record<string, unknown>,
    });
    conf.store = content as Record<string, unknown>;
  } catch (error) {
    if (error instanceof CourierError || systemCode(error) === undefined) throw error;
    throw fileError(`cannot write the ${title} ${file}: ${explainSystemError(error)}`, { cause: error });
  } finally {
    await release();
  }
}

/** What conf was writing when its process was killed; the lock says that nobody is writing now. */
async function removeLeftovers(directory: string, name: string): Promise<void> {
  for (const entry of await readdir(directory)) {
    if (entry.startsWith(`${name}.tmp-`)) await rm(path.join(directory, entry), { force: true });
  }
}

function prepareDirectory(directory: string, title: string): void {
  try {
    makeWritableDirectory(directory);
  } catch (error) {
    throw fileError(
      `the ${title} cannot be kept in ${directory}: ${explainSystemError(error, "directory")}`,
      {
        cause: error,
        hint: "choose another place with COURIER_CONFIG_DIR and COURIER_STATE_DIR",
      },
    );
  }
}
