/** A key that is easy to find again, whatever a program did to it, and the search for it. */

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";

/** With characters that JSON, URLs and shells write differently. */
export const marker = 'Mark3r/key+01"\\=&%$Q~z9';

/** The ways in which the key could stand in a text, the three alignments of base64 included. */
const disguises = (() => {
  const aligned = [0, 1, 2].map((offset) => {
    const base64 = Buffer.from(`${"x".repeat(offset)}${marker}`).toString("base64");
    return base64.slice(Math.ceil((offset * 8) / 6), -4);
  });
  const [hex, url] = [Buffer.from(marker).toString("hex"), encodeURIComponent(marker)];
  const quoted = JSON.stringify(marker).slice(1, -1);
  return [marker, quoted, url, hex, ...aligned, ...aligned.map((text) => text.replace(/\+/g, "-"))];
})();

/** The marker in every way in which a service could repeat it. */
export const echo = `${marker} ${encodeURIComponent(marker)} ${btoa(marker)} ${JSON.stringify(marker)}`;

export function expectNoKey(text: string, where: string): void {
  const found = disguises.find((disguise) => text.includes(disguise));
  if (found !== undefined) expect.fail(`${where} shows the key: ${found}`);
}

/** Every file below a directory, with its path. SQLite may still be taking away what it keeps beside a database. */
export async function filesBelow(directory: string): Promise<readonly { file: string; text: string }[]> {
  if (!existsSync(directory)) return [];
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const readOrGone = (file: string) =>
    readFile(file, "latin1").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && /-(wal|shm)$/.test(file)) return "";
      throw error;
    });
  return Promise.all(files.map(async (file) => ({ file, text: await readOrGone(file) })));
}
