/** Owns results in a file: written under another name, and given their own once they are whole. */

import { open, rename, rm } from "node:fs/promises";
import { Writable } from "node:stream";
import { fileError, systemCode } from "../core/errors.ts";
import type { Writer } from "../terminal/streams.ts";

export interface OutputFile extends Writer {
  finish(): Promise<void>;
  /** Removes what was written; an older file of the name stays as it was. */
  abandon(): Promise<void>;
}

/** Throws a file error when the file cannot be written. */
export async function openOutputFile(path: string): Promise<OutputFile> {
  const draft = `${path}.part`;
  const fail = (error: unknown) =>
    fileError(`cannot write ${path}: ${systemCode(error) ?? String(error)}`, { cause: error });
  const handle = await open(draft, "w").catch((error) => {
    throw fail(error);
  });
  return {
    stream: new Writable(),
    async write(text) {
      await handle.appendFile(text).catch((error) => {
        throw fail(error);
      });
    },
    async finish() {
      try {
        await handle.sync();
        await handle.close();
        await rename(draft, path);
      } catch (error) {
        throw fail(error);
      }
    },
    async abandon() {
      await handle.close().catch(() => {});
      await rm(draft, { force: true });
    },
  };
}
