/** The layout of tables: plain columns two blanks apart, fitted to a width. */

import { largest } from "../core/extremes.ts";
import { cutToWidth, displayWidth, isPlain } from "./width.ts";

export interface TableCell {
  readonly plain: string;
  readonly painted: string;
  /** Paints a text that had to be cut. */
  readonly paint: (text: string) => string;
}

export interface TableLayout {
  readonly align?: "right";
  /** Cells may be cut where the table is wider than the terminal. */
  readonly flexible?: boolean;
}

const gap = 2;
const narrowestColumn = 6;

/**
 * Column widths that fit into `available` columns: the widest flexible ones give way first. Undefined
 * when even that is not enough.
 */
export function fitWidths(
  wanted: readonly number[],
  layout: readonly TableLayout[],
  available: number | undefined,
): readonly number[] | undefined {
  const widths = [...wanted];
  let excess = available === undefined ? 0 : sum(widths) + gap * (widths.length - 1) - available;
  while (excess > 0) {
    let widest = -1;
    for (const [index, width] of widths.entries()) {
      const canGive = layout[index]?.flexible && width > narrowestColumn;
      if (canGive && (widest < 0 || width > (widths[widest] ?? 0))) widest = index;
    }
    if (widest < 0) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

/** The widest cell of each column, but at most `widest`. */
export function wantedWidths(
  rows: readonly (readonly TableCell[])[],
  widest = Number.POSITIVE_INFINITY,
): number[] {
  const columns = largest(rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, index) =>
    Math.min(widest, largest(rows.map((row) => displayWidth(row[index]?.plain ?? "")))),
  );
}

/** Lines laid out before, for a table that is drawn again and again with few changes. */
export type LineMemory = Map<string, string>;

/**
 * Lines of a table with fixed column widths; cells of flexible columns are cut to theirs, and a wider
 * cell of another column moves the rest of its line.
 */
export async function layOutTable(
  rows: readonly (readonly TableCell[])[],
  layout: readonly TableLayout[],
  widths: readonly number[],
  memory: LineMemory = new Map(),
): Promise<string[]> {
  const columns = layout.map(({ align }, index) => `${widths[index]}${align ?? ""}`).join();
  const keys = rows.map((row) => [columns, ...row.map(({ painted }) => painted)].join("\n"));
  const fresh = new Map(keys.map((key, index) => [key, rows[index] ?? []] as const));
  for (const key of fresh.keys()) if (memory.has(key)) fresh.delete(key);
  const lines = fresh.size > 0 ? await layOutRows([...fresh.values()], layout, widths) : [];
  for (const [index, key] of [...fresh.keys()].entries()) memory.set(key, lines[index] ?? "");
  return keys.map((key) => memory.get(key) ?? "");
}

/** Rows of plain text are padded here: the package takes seven times as long, and its time grows faster than the rows. */
async function layOutRows(
  rows: readonly (readonly TableCell[])[],
  layout: readonly TableLayout[],
  widths: readonly number[],
): Promise<string[]> {
  const others: string[][] = [];
  const joined = rows.map((row) => {
    const cells = row.map((cell, index) => fitCell(cell, layout[index], widths[index] ?? 0));
    // The package would cut what is wider than its column.
    if (row.every(({ plain }) => isPlain(plain)) || cells.some(({ blanks }) => blanks < 0))
      return joinCells(cells, layout);
    others.push(cells.map(({ text }) => text));
    return undefined;
  });
  const aligns = layout.map(({ align }) => align ?? "left");
  const gridLines = (
    others.length > 0 ? (await import("./grid.ts")).layOutGrid(others, aligns, widths, gap) : []
  ).values();
  return joined.map((text) => (text ?? gridLines.next().value ?? "").trimEnd());
}

interface FittedCell {
  readonly text: string;
  /** How many are missing to the width of the column; negative for what is wider and must not be cut. */
  readonly blanks: number;
}

function fitCell({ plain, painted, paint }: TableCell, layout: TableLayout = {}, width: number): FittedCell {
  const blanks = width - displayWidth(plain);
  if (blanks >= 0 || !layout.flexible) return { text: painted, blanks };
  const cut = cutToWidth(plain, width);
  return { text: paint(cut), blanks: width - displayWidth(cut) };
}

function joinCells(cells: readonly FittedCell[], layout: readonly TableLayout[]): string {
  const padded = cells.map(({ text, blanks }, index) => {
    const padding = " ".repeat(Math.max(0, blanks));
    return layout[index]?.align === "right" ? padding + text : text + padding;
  });
  return padded.join(" ".repeat(gap));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
