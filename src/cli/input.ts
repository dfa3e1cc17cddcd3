/** Owns what comes in: files, and streams that may never end. */

import { createWriteStream } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { makeDirectory } from "../core/directory.ts";
import { explainSystemError, fileError } from "../core/errors.ts";

/** A file's text. Throws as `readFileBytes` does. */
export async function readTextFile(file: string): Promise<string> {
  return (await readFileBytes(file)).toString("utf8");
}

/** A file's content. Throws a file error in the user's words. */
export async function readFileBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw fileError(`cannot read ${file}: ${explainSystemError(error)}`, { cause: error });
  }
}

/** A stream's text. A signal ends the wait for a writer that neither writes nor closes. */
export async function readStream(stream: NodeJS.ReadableStream, signal: AbortSignal): Promise<string> {
  return new TextDecoder().decode(await readStreamBytes(stream, signal));
}

export async function readStreamBytes(stream: NodeJS.ReadableStream, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of addAbortSignal(signal, stream as Readable)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Copies a stream to a file that only its owner can read, in a directory that is made if need be. */
export async function spoolStream(
  stream: NodeJS.ReadableStream,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  makeDirectory(path.dirname(file));
  await pipeline(addAbortSignal(signal, stream as Readable), createWriteStream(file, { mode: 0o600 }));
}

/** Removes the file of `spoolStream`, if it is there. */
export async function removeSpool(file: string): Promise<void> {
  await rm(file, { force: true });
}
