/**
 * Draws a prompt: breaks its lines where the terminal ends, puts the cursor where it belongs in them, and draws it again
 * below what a shell has written after Ctrl-Z.
 */

import { Writable } from "node:stream";
import type { TerminalStream } from "./streams.ts";
import { displayWidth, graphemes } from "./width.ts";

export interface Frame {
  /** The output of one prompt; ending it does not end the stream. */
  readonly output: TerminalStream;
  /** Moves the cursor below the prompt. */
  leave(): void;
  /** Redraws the prompt at the cursor. */
  redraw(): void;
}

/** A prompt as the package draws it: lines of any length, and the place of the cursor. */
interface Picture {
  readonly lines: readonly string[];
  readonly line: number;
  readonly column: number;
}

interface Row {
  readonly text: string;
  readonly width: number;
}

/** What is on the terminal, and the place of the cursor. */
interface Drawing {
  readonly rows: readonly Row[];
  readonly row: number;
  readonly column: number;
}

/** A prompt moves to its first line, and erases all of them, before it draws. */
const wayBack = /^(?:\u001b\[\d*[ABGK])*/;
/** Then it puts the cursor into the line that is edited, which may have others below it. */
const wayUp = /(?:\u001b\[(\d+)A)?(?:\u001b\[(\d*)G)*$/;
const codes = /(\u001b\[[\d;?]*[A-Za-z])/;
const eraseBelow = "\u001b[J";
const showCursor = "\u001b[?25h";
/** The package breaks no line of its own, which it would do by counting letters, not columns. */
const anyLength = 100_000;

/** Calls back each time that the prompt is drawn. `isLine`: a person types in a line that may be long. */
export function openFrame(stream: TerminalStream, isLine: boolean, onDraw: () => void): Frame {
  const columns = () => stream.columns || 80;
  let picture: Picture = { lines: [], line: 0, column: 0 };
  let drawing: Drawing = { rows: [], row: 0, column: 0 };

  function draw(): string {
    drawing = layOut(picture, columns());
    const { rows, row, column } = drawing;
    const up = move(rows.length - 1 - row, "A");
    return `\r${eraseBelow}${rows.map(({ text }) => text).join("\n")}${up}\u001b[${column + 1}G`;
  }

  function takeIn(text: string): string {
    const [back = ""] = wayBack.exec(text) ?? [];
    const drawn = text.slice(back.length);
    const isMove = drawn === "" && !back.includes("K");
    if (picture.lines.length > 0 && !isMove && !back.includes("K")) return below(drawing) + drawn; // the end
    picture = isMove ? { ...picture, column: columnOf(back) } : readPicture(drawn);
    return move(rowsAbove(drawing, columns()), "A") + draw();
  }

  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      stream.write(takeIn(String(chunk)));
      onDraw();
      done();
    },
  });
  Object.defineProperties(output, {
    columns: { get: () => (isLine ? anyLength : columns()) },
    isTTY: { get: () => stream.isTTY },
  });
  return {
    output,
    leave() {
      stream.write(`${below(drawing)}${showCursor}`);
    },
    redraw() {
      stream.write(draw());
    },
  };
}

function readPicture(text: string): Picture {
  const [way = "", up = "0"] = wayUp.exec(text) ?? [];
  const lines = text.slice(0, text.length - way.length).split("\n");
  return { lines, line: Math.max(0, lines.length - 1 - Number(up)), column: columnOf(way) };
}

/** Of the last move to a column; the first one where there is none. */
function columnOf(moves: string): number {
  return Number(/(\d*)G$/.exec(moves)?.[1] || 1) - 1;
}

function move(count: number, way: "A" | "B"): string {
  return count > 0 ? `\u001b[${count}${way}` : "";
}

function below({ rows, row }: Drawing): string {
  return move(rows.length - 1 - row, "B");
}

/** A window that became narrower has broken the rows once more. */
function rowsAbove({ rows, row, column }: Drawing, columns: number): number {
  const above = rows.slice(0, row).map(({ width }) => Math.max(1, Math.ceil(width / columns)));
  return above.reduce((sum, count) => sum + count, 0) + Math.floor(column / columns);
}

function layOut({ lines, line, column }: Picture, columns: number): Drawing {
  const rowsOf = lines.map((text) => breakAt(columns, text));
  const cursor = place(column, rowsOf[line] ?? [], columns);
  return {
    rows: rowsOf.flat(),
    row: rowsOf.slice(0, line).flat().length + cursor.row,
    column: cursor.column,
  };
}

/** Where a column of a line is in its rows; behind a full row it is in one more. */
function place(
  column: number,
  rows: Row[],
  columns: number,
): { readonly row: number; readonly column: number } {
  let [row, left] = [0, column];
  for (const { width } of rows.slice(0, -1)) {
    if (left < width) break;
    row += 1;
    left -= width;
  }
  for (; left >= columns; left -= columns) {
    row += 1;
    rows[row] ??= { text: "", width: 0 };
  }
  return { row, column: left };
}

/** Between graphemes; the codes of colours take no room. */
function breakAt(columns: number, line: string): Row[] {
  const rows: Row[] = [];
  let [text, width] = ["", 0];
  for (const [index, part] of line.split(codes).entries()) {
    if (index % 2 === 1) {
      text += part;
      continue;
    }
    for (const segment of graphemes(part)) {
      const added = displayWidth(segment);
      if (width + added > columns) {
        rows.push({ text, width });
        [text, width] = ["", 0];
      }
      text += segment;
      width += added;
    }
  }
  return [...rows, { text, width }];
}
