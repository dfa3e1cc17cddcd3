/** Reads files, named pipes, and streams that may never end. */

import { type BigIntStats, constants, createReadStream, fstatSync, open as openDescriptor } from "node:fs";
import { open, stat } from "node:fs/promises";
import { addAbortSignal, type Readable } from "node:stream";
import { isatty } from "node:tty";
import { promisify } from "node:util";
import type { SizeLimit } from "../command/command.ts";
import type { Clock } from "../core/clock.ts";
import { CourierError, fileError, interrupted, systemCode, usageError } from "../core/errors.ts";
import { findDetour } from "../core/real-path.ts";
import { explainSystemError } from "../core/system-errors.ts";
import { decodeText } from "../sheets/text-encoding.ts";

/** What a run reads from beside its files. */
export interface Input {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  /** Where the run prints. */
  readonly printed: readonly { readonly fd?: number | undefined }[];
  /** Ends the wait for a writer that neither writes nor closes. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Tells what is waited for. */
  readonly note: (text: string) => void;
  /** A person at a terminal learns of slow data, too. */
  readonly isWatched: boolean;
  /** A terminal by its name; undefined for another device. Read as a file, it waits in a thread that no signal ends. */
  readonly openTerminal: ((file: string) => Promise<Readable | undefined>) | undefined;
  /** What a person types to end the input. */
  readonly endKeys: string;
}

/** An address book of a hundred thousand entries is smaller. */
const mostTextBytes = 16 * 2 ** 20;

/** The text of a file, or of stdin for `-`, in UTF-8 or UTF-16. Throws as `readChunks` does. */
export async function readText(file: string, input: Input): Promise<string> {
  const hint = file === "-" ? "check what is piped in" : "check that it is the right file";
  return decodeText(await readBytes(file, input, { bytes: mostTextBytes, hint }), nameOf(file));
}

/** The same, byte for byte. Throws a file error for more than `limit`. */
export async function readBytes(file: string, input: Input, limit: SizeLimit): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  let sizeBytes = 0;
  const cancelNote = noteWait(file, input);
  try {
    for await (const chunk of readChunks(file, input, limit)) {
      cancelNote();
      // Collected pieces would take the file's size twice.
      if (bytes.length === 0) bytes = Buffer.allocUnsafe(await expectedBytes(file));
      const begin = sizeBytes;
      sizeBytes += chunk.length;
      if (sizeBytes > limit.bytes) throw tooLarge(file, limit);
      if (sizeBytes > bytes.length) bytes = Buffer.concat([bytes], 2 * sizeBytes);
      bytes.set(chunk, begin);
    }
  } finally {
    cancelNote();
  }
  return bytes.subarray(0, sizeBytes);
}

/** The size of a file; 0 for stdin, pipes, and what cannot be read, which is reported when it is read. */
async function expectedBytes(file: string): Promise<number> {
  if (file === "-") return 0;
  return stat(file).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0,
  );
}

const quietWaitMs = 1_000;

/** Slow data looks like a program that hangs. */
function noteWait(file: string, { stdin, clock, note, isWatched, endKeys }: Input): () => void {
  if (!isWatched) return () => {};
  if (file === "-" && stdin.isTTY) note(`reading from the terminal; ${endKeys} ends the input`);
  else return clock.after(quietWaitMs, () => note(`waiting for data from ${nameOf(file)}`));
  return () => {};
}

function nameOf(file: string): string {
  return file === "-" ? "stdin" : file;
}

function tooLarge(file: string, { bytes, hint }: SizeLimit) {
  return fileError(`${nameOf(file)} is larger than ${Math.round(bytes / 2 ** 20)} MB`, { hint });
}

/** The same, in pieces. Throws a file error in the user's words, and at once for a file that is too large. */
function readChunks(file: string, input: Input, limit: SizeLimit): AsyncIterable<Uint8Array> {
  return file === "-" ? readStdin(input) : untilSignal(readFileChunks(file, input, limit), input.signal);
}

/** A disk that hangs ends no read at a signal: it is left behind. */
async function* untilSignal<T>(pieces: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  let onAbort = () => {};
  const stopped = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
  });
  stopped.catch(() => {}); // it may come between two pieces
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), stopped]);
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    const ended = iterator.return?.();
    if (!signal.aborted) await ended;
  }
}

async function* readStdin({ stdin, signal, printed }: Input): AsyncGenerator<Uint8Array> {
  const source = stdin as Readable & { readonly fd?: number };
  // Without bigint, after a pipe Node.js 20 follows no links to modules.
  const found = source.fd === undefined ? undefined : fstatSync(source.fd, { bigint: true });
  // Node.js gives an empty stream for it.
  if (found?.isDirectory()) throw fileError("cannot read stdin: it is a directory");
  if (found) ensureNotPrintedTo(found, "the file at stdin", printed);
  try {
    yield* untilHungUp(source, signal);
  } catch (error) {
    if (error instanceof CourierError || signal.aborted || systemCode(error) === undefined) throw error;
    const reason = systemCode(error) === "EIO" ? "the system reports an error" : explainSystemError(error);
    throw fileError(`cannot read stdin: ${reason}`, { cause: error });
  }
}

/** A terminal that closes ends what is read from it, as its user does at the end of the input. Its signal may come later. */
async function* untilHungUp(
  source: Readable & { readonly fd?: number; readonly isTTY?: boolean },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let isHungUp = false;
  source.once("end", () => {
    isHungUp = source.isTTY === true && source.fd !== undefined && !isatty(source.fd);
  });
  try {
    yield* addAbortSignal(signal, source);
  } catch (error) {
    // Some readers get an error in place of the end.
    if (source.isTTY !== true || systemCode(error) !== "EIO") throw error;
    isHungUp = true;
  }
  if (isHungUp) throw interrupted(129);
}

/**
 * Opens the file once, so that named pipes work. Refuses a file that is written meanwhile: half of the old content
 * and half of the new one is neither.
 */
async function* readFileChunks(file: string, input: Input, limit: SizeLimit): AsyncGenerator<Uint8Array> {
  if (file === "") throw usageError("the name of a file to read is empty", "is a shell variable not set?");
  const detour = file.includes("..") ? await findDetour(file) : undefined; // other paths the system refuses
  if (detour !== undefined) throw usageError(`cannot read ${file}: ${detour}`, "name the file itself");
  const { signal, openTerminal, printed } = input;
  let isChanged = false;
  try {
    const found = await stat(file);
    const waiting = found.isFIFO()
      ? await openPipe(file, input)
      : found.isCharacterDevice()
        ? await openTerminal?.(file)
        : undefined;
    if (waiting) {
      yield* untilHungUp(waiting, signal);
      return;
    }
    const handle = await open(file);
    try {
      const before = await handle.stat({ bigint: true });
      signal.throwIfAborted(); // the stream would fail before it has a listener
      ensureNotPrintedTo(before, file, printed);
      if (before.isFile() && before.size > limit.bytes) throw tooLarge(file, limit);
      yield* handle.createReadStream({ autoClose: false, signal });
      const after = await handle.stat({ bigint: true });
      isChanged = before.isFile() && (before.mtimeNs !== after.mtimeNs || before.size !== after.size);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof CourierError) throw error;
    throw fileError(`cannot read ${file}: ${explainSystemError(error)}`, { cause: error });
  }
  if (!isChanged) return;
  throw fileError(`${file} was changed while it was read`, {
    hint: "run the same command again once it is saved",
  });
}

/** Throws a usage error where the shell adds what is printed to the file that is read. */
function ensureNotPrintedTo(read: BigIntStats, name: string, printed: Input["printed"]): void {
  if (!read.isFile()) return;
  for (const { fd } of printed) {
    const found = fd === undefined ? undefined : fstatSync(fd, { bigint: true });
    if (found?.dev === read.dev && found.ino === read.ino)
      throw usageError(`${name} is read, and the shell adds what is printed to it`, "print to another file");
  }
}

/**
 * Opening or reading a pipe waits for its writer, in a thread that keeps the process alive. On a signal, courier
 * itself opens the pipe for writing, which ends the wait. A log says, too, that no writer has come.
 */
async function openPipe(file: string, { signal, clock, note, isWatched }: Input): Promise<Readable> {
  const cancelNote = isWatched
    ? () => {} // it is said that no data has come
    : clock.after(quietWaitMs, () => note(`waiting for a writer of ${file}`));
  const opening = promisify(openDescriptor)(file, "r");
  const release = async () => {
    const writer = await open(file, constants.O_RDWR | constants.O_NONBLOCK);
    await opening.catch(() => {});
    await writer.write("\n"); // the read was stopped, so the text is discarded
    await writer.close();
  };
  const onAbort = () => void release().catch(() => {});
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const stream = createReadStream("", { fd: await opening.finally(cancelNote) });
  stream.once("close", () => signal.removeEventListener("abort", onAbort));
  return stream;
}
