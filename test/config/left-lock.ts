/** Locks of tests that a process left behind when it was killed. */

import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { takeLock } from "../../src/config/lock.ts";
import type { Neighbours } from "../../src/config/lock-owner.ts";

/** What a process leaves behind that had the lock; `changes` are to its record. */
export async function leaveLock(file: string, neighbours: Neighbours, changes: object = {}): Promise<void> {
  const release = await takeLock(file, "the file", { patience: "none", neighbours });
  const record = await readFile(`${file}.lock-owner`, "utf8");
  await release();
  await mkdir(`${file}.lock`);
  const { ino, birthtimeNs } = await stat(`${file}.lock`, { bigint: true });
  const left = { ...JSON.parse(record), lock: `${ino} ${birthtimeNs}`, ...changes };
  await writeFile(`${file}.lock-owner`, JSON.stringify(left));
}
