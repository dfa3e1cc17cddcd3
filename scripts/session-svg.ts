/** Draws a terminal session as a picture: what a terminal emulator shows, as SVG. */

import headless from "@xterm/headless";

export interface Palette {
  readonly background: string;
  readonly frame: string;
  readonly text: string;
  readonly dim: string;
  /** The eight colours of a terminal, black first, and their eight bright forms. */
  readonly colours: readonly string[];
}

export const darkPalette: Palette = {
  background: "#0d1117",
  frame: "#30363d",
  text: "#e6edf3",
  dim: "#8b949e",
  colours: [
    ...["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"],
    ...["#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff"],
  ],
};

export const lightPalette: Palette = {
  background: "#ffffff",
  frame: "#d0d7de",
  text: "#1f2328",
  dim: "#656d76",
  colours: [
    ...["#24292f", "#cf222e", "#116329", "#7d4e00", "#0969da", "#8250df", "#1b7c83", "#6e7781"],
    ...["#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#8c959f"],
  ],
};

const cellWidth = 8.4;
const lineHeight = 19;
const margin = 16;

/** The picture of what a terminal of so many columns shows after this text. */
export async function drawSession(output: string, columns: number, palette: Palette): Promise<string> {
  const lines = await showInTerminal(output, columns);
  const width = columns * cellWidth + 2 * margin;
  const height = lines.length * lineHeight + 2 * margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A session with courier in a terminal">`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${palette.background}" stroke="${palette.frame}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', 'Noto Sans Mono CJK SC', monospace" font-size="14" xml:space="preserve">`,
    ...lines.flatMap((runs, row) => runs.map((run) => drawRun(run, row, palette))),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** Neighbouring cells of one style. */
interface Run {
  readonly column: number;
  readonly look: Look;
  text: string;
  cells: number;
}

interface Look {
  /** Number of the terminal's colour, or undefined for its usual one. */
  readonly colour: number | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

async function showInTerminal(output: string, columns: number): Promise<Run[][]> {
  const terminal = new headless.Terminal({
    cols: columns,
    rows: 200,
    allowProposedApi: true,
    convertEol: true,
  });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const buffer = terminal.buffer.active;
  const lines = Array.from({ length: buffer.length }, (_, row) => {
    const line = buffer.getLine(row);
    return line ? readLine(line, columns) : [];
  });
  while (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

type Line = NonNullable<ReturnType<headless.Terminal["buffer"]["active"]["getLine"]>>;

function readLine(line: Line, columns: number): Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < columns; column++) {
    const cell = line.getCell(column);
    const text = cell?.getChars() ?? "";
    if (!cell || cell.getWidth() === 0 || text.trim() === "") continue;
    const look = {
      colour: cell.isFgPalette() ? cell.getFgColor() : undefined,
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
    };
    const last = runs.at(-1);
    const gap = last ? column - last.column - last.cells : 0;
    // A wide character is drawn by itself: fonts disagree on whether it is two cells wide.
    if (
      last &&
      gap <= 1 &&
      cell.getWidth() === 1 &&
      last.text.length === last.cells &&
      isSame(last.look, look)
    ) {
      last.text += " ".repeat(gap) + text;
      last.cells += gap + 1;
    } else {
      runs.push({ column, look, text, cells: cell.getWidth() });
    }
  }
  return runs;
}

function isSame(one: Look, other: Look): boolean {
  return one.colour === other.colour && one.isBold === other.isBold && one.isDim === other.isDim;
}

function drawRun({ column, look, text, cells }: Run, row: number, palette: Palette): string {
  const x = round(margin + column * cellWidth);
  const y = margin + row * lineHeight + 14;
  const fill =
    look.colour !== undefined ? palette.colours[look.colour] : look.isDim ? palette.dim : palette.text;
  const weight = look.isBold ? ' font-weight="600"' : "";
  const length = round(cells * cellWidth);
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" fill="${fill}"${weight}>${escapeXml(text)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
