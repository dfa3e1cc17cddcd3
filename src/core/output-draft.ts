/** Drafts of files that people name: each name says which process writes it, so that drafts of dead ones can be removed. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, rm, unlink } from "node:fs/promises";
import path from "node:path";
import { checkLiveness, identifyProcess, type ProcessTable } from "./process-identity.ts";
import { draftEnding } from "./replace-file.ts";

const unknownStart = "0";

/** Beside `target`, under a unique name with the identity of this process. */
export function nameOutputDraft(target: string, table: ProcessTable): string {
  const { pid, started = unknownStart, place } = identifyProcess(table);
  return `${target}${draftEnding}${pid}-${started}-${shorten(place)}-${crypto.randomUUID().slice(0, 8)}`;
}

const draftName = /^(\d+)-(\d+)-([0-9a-f]{8})-[0-9a-f]{8}$/;

/** Removes the drafts of `target` whose process certainly is dead. What cannot be removed stays. */
export async function removeDeadDrafts(target: string, table: ProcessTable): Promise<void> {
  const [directory, start] = [path.dirname(target), `${path.basename(target)}${draftEnding}`];
  const { place } = identifyProcess(table);
  for (const entry of await readdir(directory).catch(() => [])) {
    const [, pid, started, home] =
      (entry.startsWith(start) && draftName.exec(entry.slice(start.length))) || [];
    // A process of another machine, or of an earlier boot, may be alive as far as is known here.
    if (home !== shorten(place)) continue;
    const owner = { pid: Number(pid), started: started === unknownStart ? undefined : started, place };
    if (checkLiveness(owner, table) === "dead") await rm(path.join(directory, entry)).catch(() => {});
  }
}

/** Throws the system's error where the directory lets no file go: `rm` takes it for a directory then, and says so. */
export async function removeDraft(draft: string): Promise<void> {
  try {
    await unlink(draft);
  } catch (error) {
    // A disk that is read-only says so of a file that is not there, too.
    if (existsSync(draft)) throw error;
  }
}

function shorten(place: string): string {
  return createHash("sha256").update(place).digest("hex").slice(0, 8);
}
