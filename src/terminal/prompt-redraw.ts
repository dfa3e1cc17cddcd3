/** Redraws a prompt below what a shell has written after Ctrl-Z. */

import { Writable } from "node:stream";
import type { TerminalStream } from "./streams.ts";

export interface Frame {
  /** The output of one prompt; ending it does not end the stream. */
  readonly output: TerminalStream;
  /** Moves the cursor below the prompt. */
  leave(): void;
  /** Redraws the prompt at the cursor. */
  redraw(): void;
}

/** A prompt moves to its first line before it redraws. */
const wayBack = /^(?:\u001b\[\d*[ABGK])*/;
/** A prompt puts the cursor into the line that is edited, which may have others below it. */
const wayUp = /\u001b\[(\d+)A(?:\u001b\[\d*G)*$/;
const showCursor = "\u001b[?25h";

/** Calls back each time that the prompt is drawn. */
export function openFrame(stream: TerminalStream, onDraw: () => void): Frame {
  let picture = "";
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      const text = String(chunk);
      const drawn = text.replace(wayBack, "");
      picture = drawn === "" ? picture + text : drawn;
      stream.write(text);
      onDraw();
      done();
    },
  });
  Object.defineProperties(output, {
    columns: { get: () => stream.columns || 80 },
    isTTY: { get: () => stream.isTTY },
  });
  return {
    output,
    leave() {
      const [, below] = wayUp.exec(picture) ?? [];
      stream.write(`${below === undefined ? "" : `\u001b[${below}B`}${showCursor}`);
    },
    redraw() {
      stream.write(`\r${picture}`);
    },
  };
}
