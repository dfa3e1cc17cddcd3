/** The layout of tables: plain columns two blanks apart, fitted to a width (owner of cli-table3). */

import Table from "cli-table3";
import { cutToWidth, displayWidth } from "./width.ts";

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
  const columns = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, index) =>
    Math.min(widest, Math.max(0, ...rows.map((row) => displayWidth(row[index]?.plain ?? "")))),
  );
}

/** Lines laid out before, for a table that is drawn again and again with few changes. */
export type LineMemory = Map<string, string>;

/**
 * Lines of a table with fixed column widths; cells of flexible columns are cut to theirs, and a wider
 * cell of another column moves the rest of its line.
 */
export function layOutTable(
  rows: readonly (readonly TableCell[])[],
  layout: readonly TableLayout[],
  widths: readonly number[],
  memory: LineMemory = new Map(),
): string[] {
  const columns = layout.map(({ align }, index) => `${widths[index]}${align ?? ""}`).join();
  const keys = rows.map((row) => [columns, ...row.map(({ painted }) => painted)].join("\n"));
  const fresh = new Map(keys.map((key, index) => [key, rows[index] ?? []] as const));
  for (const key of fresh.keys()) if (memory.has(key)) fresh.delete(key);
  const lines = fresh.size > 0 ? layOutRows([...fresh.values()], layout, widths) : [];
  for (const [index, key] of [...fresh.keys()].entries()) memory.set(key, lines[index] ?? "");
  return keys.map((key) => memory.get(key) ?? "");
}

function layOutRows(
  rows: readonly (readonly TableCell[])[],
  layout: readonly TableLayout[],
  widths: readonly number[],
): string[] {
  const table = new Table({
    chars: noBorders,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    colWidths: widths.map((width) => width || 1),
    colAligns: layout.map(({ align }) => align ?? "left"),
    wordWrap: false,
  });
  const isWider = (cell: TableCell, index: number) => displayWidth(cell.plain) > (widths[index] ?? 0);
  const overflowing = rows.map((row) =>
    row.some((cell, index) => isWider(cell, index) && !layout[index]?.flexible)
      ? joinCells(row, layout, widths)
      : undefined,
  );
  for (const row of rows.filter((_, number) => overflowing[number] === undefined)) {
    table.push(
      row.map((cell, index) =>
        isWider(cell, index) ? cell.paint(cutToWidth(cell.plain, widths[index] ?? 0)) : cell.painted,
      ),
    );
  }
  const others = table.toString().split("\n").values();
  return overflowing.map((text) => (text ?? others.next().value ?? "").trimEnd());
}

/** The package would cut what is wider than its column. */
function joinCells(
  row: readonly TableCell[],
  layout: readonly TableLayout[],
  widths: readonly number[],
): string {
  const padded = row.map(({ plain, painted }, index) => {
    const blanks = " ".repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(plain)));
    return layout[index]?.align === "right" ? blanks + painted : painted + blanks;
  });
  return padded.join(" ".repeat(gap));
}

const noBorders = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: " ".repeat(gap),
};

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
