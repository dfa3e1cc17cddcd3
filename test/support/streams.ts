/** In-memory streams that can play a terminal or a pipe. */

import { Readable, Writable } from "node:stream";
import type { Job } from "../../src/terminal/keyboard.ts";

export class Capture extends Writable {
  readonly isTTY: boolean;
  columns: number | undefined;
  rows: number | undefined;
  #chunks: (string | Uint8Array)[] = [];

  constructor(terminalColumns?: number, terminalRows?: number) {
    super({ decodeStrings: false });
    this.isTTY = terminalColumns !== undefined;
    this.columns = terminalColumns;
    this.rows = terminalRows;
  }

  /** What has come so far counts no more. */
  forget(): void {
    this.#chunks = [];
  }

  get text(): string {
    return this.bytes.toString("utf8");
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks.map((chunk) => Buffer.from(chunk)));
  }

  override _write(chunk: string | Uint8Array, _encoding: string, done: (error?: Error | null) => void): void {
    this.#chunks.push(chunk);
    done();
  }
}

/** As a pager that is left open: what is written waits until it is resumed. */
export class PausedCapture extends Capture {
  #resume: (() => void) | undefined;
  #note = () => {};
  /** Resolves when something waits. */
  readonly isWaiting = new Promise<void>((resolve) => {
    this.#note = resolve;
  });

  override write(text: unknown): boolean {
    super.write(text);
    return false;
  }

  override _write(chunk: string | Uint8Array, encoding: string, done: (error?: Error | null) => void): void {
    this.#resume = () => super._write(chunk, encoding, done);
    this.#note();
  }

  resume(): void {
    this.#resume?.();
    this.emit("drain");
  }
}

export function inputStream(
  text: string | Uint8Array | undefined,
): NodeJS.ReadableStream & { isTTY?: boolean } {
  const stream: Readable & { isTTY?: boolean } = Readable.from(text === undefined ? [] : [Buffer.from(text)]);
  if (text === undefined) stream.isTTY = true;
  return stream;
}

/** A process that no shell controls. */
export const noJob: Job = { stop: () => {}, onContinue: () => () => {} };
