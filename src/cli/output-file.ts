/** Results in a file: written under another name, and given their own once they are whole. */

import { open, realpath, rm, stat } from "node:fs/promises";
import { Writable } from "node:stream";
import type { Clock } from "../core/clock.ts";
import { fileError } from "../core/errors.ts";
import { nameDraft, replaceFile } from "../core/replace-file.ts";
import { explainSystemError, unwrittenError } from "../core/system-errors.ts";
import type { Writer } from "../terminal/streams.ts";

export interface OutputFile extends Writer {
  finish(): Promise<void>;
  /** Removes what was written; an older file of the name stays as it was. */
  abandon(): Promise<void>;
}

/** Throws a file error when the file cannot be opened; what cannot be written to it later is exit 5. */
export async function openOutputFile(path: string, clock: Clock): Promise<OutputFile> {
  const fail = (error: unknown) =>
    fileError(`cannot write ${path}: ${explainSystemError(error, "directory")}`, { cause: error });
  const { target, draft } = await findPlace(path).catch((error) => {
    throw fail(error);
  });
  const handle = await open(draft ?? target, draft === undefined ? "w" : "wx").catch((error) => {
    throw fail(error);
  });
  // No command that writes its result to a file makes or cancels orders.
  const failLate = (error: unknown, left?: string) =>
    unwrittenError(path, error, { mayHaveSent: false, ...(left === undefined ? {} : { left }) });
  const abandon = async () => {
    await handle.close().catch(() => {});
    if (draft !== undefined) await rm(draft, { force: true });
  };
  return {
    stream: new Writable(),
    async write(text) {
      await handle.appendFile(text).catch((error) => {
        throw failLate(error);
      });
    },
    async finish() {
      try {
        if (draft !== undefined) await handle.sync();
        await handle.close();
      } catch (error) {
        await abandon();
        throw failLate(error);
      }
      if (draft === undefined) return;
      await replaceFile(draft, target, clock).catch((error) => {
        throw failLate(error, `; the rows are in ${draft}`);
      });
    },
    abandon,
  };
}

/** What a link points to is replaced, and not the link; a device or a pipe is written to as it is. */
async function findPlace(path: string): Promise<{ target: string; draft: string | undefined }> {
  const target = await realpath(path).catch(() => path);
  const facts = await stat(target).catch(() => undefined);
  if (facts?.isDirectory()) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
  return { target, draft: !facts || facts.isFile() ? nameDraft(target) : undefined };
}
