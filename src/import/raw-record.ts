/** The record of an order for the file of rejects, which has no merged cells, no hidden rows and no types of cells. */

import type { Json } from "../model/json.ts";
import type { Layout } from "./columns/layout.ts";
import { checkCell, numberPaths, textOf } from "./order-fields.ts";
import type { NumberedRow } from "./order-record.ts";

/** `more` are the further lines of the order. */
export type RawRecord =
  | {
      readonly cells: readonly string[];
      readonly more?: readonly (readonly string[])[];
      /** Some of its rows are hidden: in a text they would be goods like the others. */
      readonly hasHidden?: boolean;
      /** The whole row, where it has too many or too few cells: which one is of which column is not known. */
      readonly text?: string;
    }
  | { readonly value: Json };

/** Stays wrong until a person has entered the value. */
const notAvailable = "#N/A";

export function toRawRecord(
  lines: readonly NumberedRow[],
  layout: Layout,
  isMerged: (column: number, first: number, row: number) => boolean,
): RawRecord {
  const [first, ...others] = lines;
  if (!first) return { cells: [] };
  if (first.misfit) return { cells: unplacedCells(layout), text: first.misfit.text };
  const columnsOf = (isMeant: (path: string) => boolean) =>
    layout.fields.flatMap(({ path, choices }) => (isMeant(path) ? choices.flat() : []));
  const ofRef = columnsOf((path) => path === "ref");
  const ofOrder = columnsOf((path) => !path.startsWith("item."));
  const ofGoods = columnsOf((path) => path.startsWith("item.") && !numberPaths.has(path));
  const pathOf = (column: number) =>
    layout.fields.find(({ choices }) => choices.some((choice) => choice.includes(column)))?.path;
  const hasHidden = lines.some(({ isHidden }) => isHidden) && !lines.every(({ isHidden }) => isHidden);

  /** What the workbook says of a cell's type is lost in a text: a cell without its value must not be right there. */
  function cellsOf(row: NumberedRow): readonly string[] {
    const { cells, faults, shown } = row;
    if (!faults && !shown) return cells;
    return cells.map((_, column) => {
      const path = pathOf(column);
      const cell = textOf(row, column, path ?? "");
      const isWrong = path !== undefined && cell !== "" && checkCell(path, cell) !== undefined;
      return faults?.has(column) && !isWrong ? notAvailable : cell;
    });
  }

  /** Without merged cells, a further line has only goods; one that is of another receiver keeps its ref, and stays wrong. */
  function moreOf(line: NumberedRow, at: number): readonly string[] {
    const cells = cellsOf(line);
    const isMergedHere = (column: number) => isMerged(column, lines[at]?.row ?? 0, line.row);
    const isSame = (column: number) => [first?.cells[column], ""].includes(line.cells[column]);
    const isOfRef = ofRef.some(isMergedHere);
    if (isOfRef && !ofOrder.every(isSame)) return cells;
    const own = cells.map((cell, column) =>
      isMergedHere(column) || (isOfRef && ofOrder.includes(column)) ? "" : cell,
    );
    // A number of several lines is in the first of them, but pieces of several goods are unclear. A row with numbers alone
    // would be a total.
    if (!ofGoods.some((column) => own[column])) return own;
    return own.map((cell, column) => {
      const path = pathOf(column) ?? "";
      if (cell !== "" || cells[column] === "" || !numberPaths.has(path)) return cell;
      return path === "item.quantity" ? notAvailable : "0";
    });
  }

  return {
    cells: cellsOf(first),
    ...(others.length > 0 ? { more: others.map(moreOf) } : {}),
    ...(hasHidden ? { hasHidden } : {}),
  };
}

/** A spreadsheet program gives the row as many cells as the others have: it stays wrong. */
function unplacedCells({ names, fields }: Layout): readonly string[] {
  const firstUsed = Math.min(...fields.flatMap(({ choices }) => choices.flat()));
  return names.map((_, index) => (index === firstUsed ? notAvailable : ""));
}
