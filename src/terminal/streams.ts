/** Writes to a stream: respects backpressure, and distinguishes a closed pipe from a failure. */

import type { Writable } from "node:stream";
import { systemCode } from "../core/errors.ts";
import { nextTurn } from "../core/next-turn.ts";

/** A writable stream that may be a terminal. */
export type TerminalStream = Writable & {
  /** The descriptor, where a process opened it. */
  readonly fd?: number | undefined;
  readonly isTTY?: boolean | undefined;
  /** 0, like the rows, where the terminal does not know its size: it counts as 80 by 24. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
};

/** stdout without a stream: Node.js takes longer to make one than the shortest answers take. */
export interface QuickOutput {
  /** Of the terminal; undefined where it is none. */
  readonly columns: number | undefined;
  /** Whether stderr may be a terminal: false where it is certainly none. */
  readonly hasReader: boolean;
  /** Writes synchronously as much as possible, and returns the rest. */
  write(text: string): Uint8Array;
}

/** The reader closed the pipe or the terminal: no more output is wanted, and this is no failure. */
export class PipeClosed extends Error {}

/** The stream cannot be written to: a failure. */
export class Unwritten extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

export interface Writer {
  readonly stream: TerminalStream;
  /** Resolves when more may be written. Rejects with PipeClosed once the reader has gone. */
  write(text: string | Uint8Array): Promise<void>;
}

/** A writer for a stream of the process. */
export interface StreamWriter extends Writer {
  /** Whether its reader has not yet taken all that was written. */
  hasUnread(): boolean;
}

/** A result in a file, which has its name when it is complete. */
export interface OutputFile extends Writer {
  finish(): Promise<void>;
  /** Removes what was written; an older file of the name stays as it was. */
  abandon(): Promise<void>;
}

/** Node.js waits for a terminal, which may be slow: signals are heard between pieces of this size. */
const pieceBytes = 65_536;

/**
 * A writer for one stream. Installs the error handler without which a closed pipe ends the process. A signal to stop that
 * comes within a long text ends it at a terminal.
 */
export function createWriter(
  stream: TerminalStream,
  beforeWrite = () => {},
  stopSignal?: () => AbortSignal,
): StreamWriter {
  let failure: Error | undefined;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const resume of waiting) resume();
    waiting.clear();
  };
  stream.on("error", (error: Error) => {
    const code = systemCode(error);
    const hasHungUp = code === "EIO" && stream.isTTY === true;
    const isGone = code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || hasHungUp;
    failure ??= isGone ? new PipeClosed() : new Unwritten(error);
    wake();
  });
  stream.on("close", () => {
    failure ??= new PipeClosed();
    wake();
  });
  stream.on("drain", wake);

  async function put(text: string | Uint8Array): Promise<void> {
    const hasRoom = stream.write(text);
    if (!hasRoom) await new Promise<void>((resume) => waiting.add(resume));
    else if (stream.isTTY !== true) await nextTurn();
    if (failure) throw failure;
  }

  return {
    stream,
    hasUnread: () => stream.writableLength > 0 || waiting.size > 0, // Bun's streams have no length
    async write(text) {
      if (failure) throw failure;
      beforeWrite();
      if (stream.isTTY !== true || text.length <= pieceBytes) return put(text);
      const stop = stopSignal?.();
      const signal = stop?.aborted ? undefined : stop; // what a stopped run has done is said to its end
      const bytes = Buffer.from(text);
      for (let start = 0; start < bytes.length; start += pieceBytes) {
        if (start > 0) {
          await nextTurn();
          signal?.throwIfAborted();
        }
        await put(bytes.subarray(start, start + pieceBytes));
      }
    },
  };
}

/** A writer for work that continues without its reader: reports the closed pipe once, then writes nothing. */
export function outliveReader(writer: Writer, onGone: () => void): Writer {
  let isGone = false;
  return {
    stream: writer.stream,
    async write(text) {
      if (isGone) return;
      try {
        await writer.write(text);
      } catch (error) {
        if (!(error instanceof PipeClosed)) throw error;
        if (!isGone) onGone();
        isGone = true;
      }
    },
  };
}

/** Longer texts wait for the reader. */
const longestWait = 65_536;

/**
 * Joins texts that come within one turn of the event loop into one write: a write to a pipe or a file takes
 * longer than most of them take to be made. A failure is thrown by every write after it, and by the end.
 */
export function joinWrites(writer: Writer): { write(text: string): Promise<void>; end(): Promise<void> } {
  let waiting = "";
  let working: Promise<void> | undefined;
  let failed: { readonly cause: unknown } | undefined;

  async function work(): Promise<void> {
    try {
      while (waiting !== "") {
        await nextTurn();
        const text = waiting;
        waiting = "";
        await writer.write(text);
      }
    } catch (cause) {
      failed = { cause };
    }
    working = undefined;
  }

  async function flush(): Promise<void> {
    await working;
    if (failed) throw failed.cause;
  }

  return {
    async write(text) {
      if (failed) throw failed.cause;
      waiting += text;
      working ??= work();
      if (waiting.length > longestWait) await flush();
    },
    end: flush,
  };
}
