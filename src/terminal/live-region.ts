/** The lines at the bottom of a terminal that are redrawn in place: writes changed lines and nothing else. */

import type { TerminalStream } from "./streams.ts";
import { cutPainted } from "./width.ts";

/** Where a person types: a line of those shown, and a column. */
export interface Caret {
  readonly line: number;
  readonly column: number;
}

export interface LiveRegion {
  /**
   * Shows these lines, each cut to the terminal's width; lines beyond its height are left out. The cursor is hidden,
   * or at `caret`, where an input method shows what it composes.
   */
  show(lines: readonly string[], caret?: Caret): void;
  /** Erases the lines before other output; `show` brings them back below it. */
  clear(): void;
  /** Another program used the terminal meanwhile: forgets the lines, and redraws none of them. */
  forget(): void;
  /** Prints these lines permanently, however many and however long, and shows the cursor. */
  finish(lines: readonly string[]): void;
  /** Shows the cursor and changes nothing else. */
  release(): void;
}

const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
/** Terminals differ in how wide an emoji is: a line that is too wide is cut, and moves no other. */
const noWrap = "\u001b[?7l";
const wrap = "\u001b[?7h";
const eraseBelow = "\u001b[J";
const eraseLine = "\u001b[2K";
/** Terminals differ in what a resize does to the present lines, and it may happen during a write. */
const goHome = "\u001b[H";

export function createLiveRegion(stream: TerminalStream): LiveRegion {
  let shown: readonly string[] = [];
  let size = sizeOf(stream);
  let isHidden = false;
  /** Undefined: the cursor is below the last line. */
  let caret: Caret | undefined;

  function toTop(): string {
    return `${toBottom()}\r${move(-shown.length)}`;
  }

  function toBottom(): string {
    if (caret === undefined) return "";
    const text = `${move(shown.length - caret.line)}\r`;
    caret = undefined;
    return text;
  }

  function toCaret(next: Caret | undefined): string {
    caret = next;
    if (next === undefined) return "";
    return `${move(next.line - shown.length)}\r${next.column === 0 ? "" : `\u001b[${next.column}C`}${show()}`;
  }

  function hide(): string {
    if (isHidden) return "";
    isHidden = true;
    return hideCursor;
  }

  function show(): string {
    if (!isHidden) return "";
    isHidden = false;
    return showCursor;
  }

  function whole(lines: readonly string[], start = toTop()): string {
    return `${start}${eraseBelow}${lines.map((line) => `${line}\n`).join("")}`;
  }

  return {
    show(given, wanted) {
      const next = sizeOf(stream);
      const lines = keepEnds(given, next.rows - 1).map((line) => cutPainted(line, next.columns));
      const hasResized = next.columns !== size.columns || next.rows !== size.rows;
      const place = wanted && withinLines(wanted, lines, next.columns);
      const isInPlace = place?.line === caret?.line && place?.column === caret?.column;
      if (!hasResized && isInPlace && isEqual(shown, lines)) return;
      const before = hide() + (hasResized ? "" : toBottom());
      const text = hasResized
        ? goHome + whole(lines, "")
        : shown.length > 0
          ? changedLines(shown, lines)
          : whole(lines);
      shown = lines;
      size = next;
      stream.write(before + (text === "" ? "" : noWrap + text + wrap) + toCaret(place));
    },
    clear() {
      if (shown.length > 0) stream.write(`${toTop()}${eraseBelow}`);
      shown = [];
    },
    forget() {
      shown = [];
      caret = undefined;
      isHidden = false;
    },
    finish(given) {
      stream.write(whole(given) + show());
      shown = [];
    },
    release() {
      const text = toBottom() + show();
      if (text !== "") stream.write(text);
    },
  };
}

function isEqual(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((line, index) => line === after[index]);
}

/** A line that is left out has no caret. */
function withinLines({ line, column }: Caret, lines: readonly string[], columns: number): Caret | undefined {
  return line < lines.length ? { line, column: Math.min(column, columns - 1) } : undefined;
}

/** From below the last line: rewrites each line that differs, and returns. */
function changedLines(before: readonly string[], after: readonly string[]): string {
  let text = "";
  let row = before.length;
  for (const [index, line] of after.slice(0, before.length).entries()) {
    if (line === before[index]) continue;
    text += `${move(index - row)}\r${eraseLine}${line}`;
    row = index;
  }
  if (after.length < before.length) {
    text += `${move(after.length - row)}\r${eraseBelow}`;
    return text;
  }
  if (text !== "") text += `${move(before.length - row)}\r`;
  const added = after.slice(before.length);
  return text + added.map((line) => `${line}\n`).join("");
}

function move(rows: number): string {
  if (rows === 0) return "";
  return rows < 0 ? up(-rows) : `\u001b[${rows}B`;
}

function up(rows: number): string {
  return `\u001b[${rows}A`;
}

/** Keeps the first and the last lines: a footer is worth more than the middle. */
function keepEnds(lines: readonly string[], height: number): readonly string[] {
  if (lines.length <= height) return lines;
  const footer = Math.min(2, Math.max(0, height - 1));
  const kept = lines.slice(0, Math.max(0, height - footer));
  return footer === 0 ? kept : [...kept, ...lines.slice(-footer)];
}

function sizeOf({ columns, rows }: TerminalStream): { columns: number; rows: number } {
  return { columns: columns || 80, rows: rows || 24 };
}
