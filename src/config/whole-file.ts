/** Atomic writes of courier's own JSON files (owner of conf). */

import { appendFile, chown, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import Conf from "conf";
import type { Clock } from "../core/clock.ts";
import { findRealPath } from "../core/real-path.ts";
import { mostOwnBytes, tooLarge, Unreadable } from "../core/regular-file.ts";
import { draftEnding, nameDraft, replaceFile } from "../core/replace-file.ts";
import { type Json, parseJson, stringifyJson } from "../model/json.ts";

/**
 * Writes a file of mode 0600 beside the old one and puts it in its place when all of it is on the disk; a trial
 * removes it instead. A symbolic link stays one: the file that it names is replaced. The caller holds the file's
 * lock. Throws the system's errors.
 */
export async function writeWholeFile(
  file: string,
  content: Record<string, Json>,
  clock: Clock,
  { isTrial = false } = {},
): Promise<void> {
  const target = await findRealPath(file);
  await removeLeftovers(target);
  const text = `${stringifyJson(content, 2)}\n`;
  if (Buffer.byteLength(text) > mostOwnBytes) throw new Unreadable(`it would be ${tooLarge}`);
  const draft = nameDraft(target);
  const conf = new Conf<Record<string, unknown>>({
    projectName: "courier",
    cwd: path.dirname(draft),
    configName: path.basename(draft),
    fileExtension: "",
    configFileMode: 0o600,
    clearInvalidConfig: false,
    accessPropertiesByDotNotation: false,
    serialize: () => text,
    deserialize: (written) => parseJson(written) as Record<string, unknown>,
  });
  try {
    conf.store = content;
    const written = await stat(draft);
    // Where a disk is full, the system writes what fits, and conf does not ask how much that was.
    if (written.size !== Buffer.byteLength(text)) {
      await appendFile(draft, Buffer.from(text).subarray(written.size)); // the system says why it cannot
      throw noSpace();
    }
    await keepOwner(draft, written.uid, target);
    if (!isTrial) await replaceFile(draft, target, clock);
  } finally {
    await remove(draft);
  }
}

/** Removes the temporary files of a killed process; the lock ensures that no one is writing now. Gives those that stay. */
export async function removeLeftovers(file: string): Promise<readonly string[]> {
  const target = await findRealPath(file);
  const directory = path.dirname(target);
  const find = async () =>
    (await readdir(directory))
      .filter((entry) => entry.startsWith(`${path.basename(target)}${draftEnding}`))
      .map((entry) => path.join(directory, entry));
  const left = await find();
  for (const draft of left) await remove(draft);
  return left.length === 0 ? [] : find();
}

/** What another program has open is removed by the next write. */
async function remove(draft: string): Promise<void> {
  await rm(draft, { force: true }).catch(() => {});
}

/** A run as root must not change the owner of the file. */
async function keepOwner(draft: string, ownUid: number, target: string): Promise<void> {
  const before = await stat(target).catch(() => undefined);
  if (before && before.uid !== ownUid) await chown(draft, before.uid, before.gid).catch(() => undefined);
}

function noSpace(): Error {
  return Object.assign(new Error("no space is left on the disk"), { code: "ENOSPC" });
}
