/** Replays what a program wrote in a terminal emulator, and says whether anything but text and our own colours acted. */

import headless from "@xterm/headless";
import { expect } from "vitest";
import { ownColours, ownMoves } from "./hostile.ts";

/** The sign of life takes its own line away before another is written. */
const eraseLine = "\r\u001b[K";
const before = ["what was on the screen before", "and must still be there"];
const after = "what comes after";
/** Wider than any line, so that every line of the output is one of the emulator's. */
const columns = 20_000;

/**
 * Fails unless the emulator shows exactly the text that was written, line by line, beneath what was there,
 * and its cursor, title, modes, colours and buffers are as they were; nor may it have been asked to answer.
 */
export async function expectUntouched(output: string): Promise<void> {
  const plain = output
    .split("\n")
    .map((line) => (line.split(eraseLine).at(-1) ?? "").replace(ownColours, ""));
  const { terminal, acts } = openEmulator(columns, before.length + plain.length + 2);
  const modes = JSON.stringify(terminal.modes);
  try {
    await new Promise<void>((resolve) =>
      terminal.write(
        `${before.join("\n")}\n${output}${output.endsWith("\n") || output === "" ? "" : "\n"}${after}`,
        resolve,
      ),
    );
    const buffer = terminal.buffer.active;
    const expected = [...before, ...trimLast(plain), after];
    const shown = expected.map((_, row) => buffer.getLine(row)?.translateToString(true).trimEnd() ?? "");
    expect(shown).toEqual(expected.map((line) => line.trimEnd()));
    expect(acts).toEqual([]);
    expect(JSON.stringify(terminal.modes)).toBe(modes);
    expect(buffer.type).toBe("normal");
    expect([buffer.cursorY, buffer.cursorX]).toEqual([expected.length - 1, after.length]);
    const last = buffer.getLine(expected.length - 1)?.getCell(0);
    expect(last?.isFgDefault() && last.isBgDefault() && last.isBold() === 0 && last.isInverse() === 0).toBe(
      true,
    );
  } finally {
    terminal.dispose();
  }
}

const acting =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/u;

/** Fails unless nothing but a live region's own moves and our own colours acts, and the cursor is shown at the end. */
export async function expectOnlyRedrawn(output: string): Promise<void> {
  const rest = output.replace(ownMoves, "").replace(ownColours, "");
  const found = acting.exec(rest);
  expect(found && JSON.stringify(rest.slice(Math.max(0, found.index - 20), found.index + 20))).toBeNull();
  expect(output.lastIndexOf("\u001b[?25h")).toBeGreaterThanOrEqual(output.lastIndexOf("\u001b[?25l"));
  const { terminal, acts } = openEmulator(140, 50);
  const modes = JSON.stringify(terminal.modes);
  try {
    await new Promise<void>((resolve) => terminal.write(output, resolve));
    expect(acts).toEqual([]);
    expect(JSON.stringify(terminal.modes)).toBe(modes);
    expect(terminal.buffer.active.type).toBe("normal");
  } finally {
    terminal.dispose();
  }
}

/** An emulator that notes what a terminal does beside showing text. */
function openEmulator(cols: number, rows: number) {
  const options = { allowProposedApi: true, convertEol: true, logLevel: "off" } as const;
  const terminal = new headless.Terminal({ ...options, cols, rows });
  const acts: string[] = [];
  terminal.onTitleChange((title) => acts.push(`title: ${title}`));
  terminal.onBell(() => acts.push("bell"));
  terminal.onData((reply) => acts.push(`reply: ${JSON.stringify(reply)}`));
  terminal.onResize(() => acts.push("resize"));
  return { terminal, acts };
}

/** The lines of an output, without signs of life that were taken away again. */
export function linesLeft(output: string): string[] {
  return output.split("\n").map((line) => line.split(eraseLine).at(-1) ?? "");
}

/** A line break at the end begins no further line. */
function trimLast(lines: readonly string[]): readonly string[] {
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
