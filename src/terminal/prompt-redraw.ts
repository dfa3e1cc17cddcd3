/** Redraws a prompt below what a shell has written after Ctrl-Z. */

import { Writable } from "node:stream";
import type { TerminalStream } from "./streams.ts";

export interface Frame {
  /** What a prompt writes to; its end is not the stream's. */
  readonly output: TerminalStream;
  /** Leaves it as it is: the cursor goes below it. */
  leave(): void;
  /** Draws it anew where the cursor is. */
  redraw(): void;
}

/** A prompt goes back over its last picture before it draws the next one. */
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
    columns: { get: () => stream.columns },
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
