/** Finds the header of a sheet among its first rows, and joins one that is written in two rows. */

import { headerWithin } from "../sheets/sheet.ts";
import { cleanHeader, columnPaths, createColumnLookup, mapColumns } from "./columns.ts";
import { findPreset, type LayoutChoice } from "./layout.ts";

type Row = readonly string[];

export interface HeaderRow {
  readonly index: number;
  readonly titles: Row;
  /** The row above holds titles of its columns, or of groups of them. */
  readonly isInTwoRows: boolean;
}

/**
 * The header among the first rows: where the rows above it, such as titles and notes, name no column, or name groups of
 * its columns.
 */
export function findHeader(rows: readonly Row[], choice: LayoutChoice): HeaderRow {
  const single = (index: number) => ({ index, titles: rows[index] ?? [], isInTwoRows: false });
  for (const [index, row] of rows.slice(0, headerWithin).entries()) {
    const below = rows[index + 1];
    const titles = below && joinTitles(row, below, choice);
    if (titles)
      return { index: index + 1, titles, isInTwoRows: titles.some((each, at) => each !== below[at]) };
    if (namesColumn(row, choice)) return single(index > 0 && isHeader(row, choice) ? index : 0);
  }
  return single(0);
}

/** Whether the row below these first rows may be the header. */
export function isHeaderBelow(rows: readonly Row[], choice: LayoutChoice): boolean {
  if (rows.length < 2) return true;
  const index = rows.slice(0, headerWithin).findIndex((row) => namesColumn(row, choice));
  return index < 0 ? rows.length < headerWithin : rows.length === index + 1;
}

const fewestTitles = 2;

/**
 * The titles of two rows where the upper one names groups, such as 收件人 over 姓名 and 电话: a cell that is empty in the
 * lower row has its title in the upper one, as merged cells have. Undefined where the lower row is no header. The groups'
 * names may be known names of columns, too.
 */
function joinTitles(row: Row, below: Row, choice: LayoutChoice): Row | undefined {
  if (findPreset(row) !== undefined) return undefined;
  const keys = [...choice.mapping.keys()];
  const namesAny = (cells: Row) => cells.some((cell) => choice.mapping.has(cell.trim()));
  const namesAll = (cells: Row) =>
    keys.length > 0 && keys.every((key) => cells.some((cell) => cell.trim() === key));
  const lookup = createColumnLookup();
  let group = "";
  const found = below.map((cell, index) => {
    const above = row[index]?.trim() ?? "";
    if (above !== "") group = above;
    if (cell.trim() === "") return { title: above };
    if (lookup(cell)) return { title: cell, isNamed: true };
    const names = [`${group}${cell.trim()}`, `${group.replace(groupEnding, "")}${cell.trim()}`];
    const joined = choice.mapping.has(cell.trim()) ? undefined : names.find(lookup);
    return { title: joined ?? cell, isNamed: joined !== undefined };
  });
  const titles = found.map(({ title }) => title);
  if (namesAny(row)) return namesAll(titles) && !namesAll(row) ? titles : undefined;
  const count = (cells: Row) => new Set(cells.map(lookup).filter((path) => path !== undefined)).size;
  const [ofRow, ofBelow, ofBoth] = [row, below, titles].map(count) as [number, number, number];
  const named = found.filter(({ isNamed }) => isNamed).length;
  const filled = below.filter((cell) => cell.trim() !== "").length;
  if (named >= fewestTitles && 2 * named >= filled && ofBoth > Math.max(ofRow, ofBelow)) return titles;
  // A single known name may be a label with its value.
  if (countKnown(row) < 2 || !isHeader(below, choice)) return undefined;
  return findPreset(below) !== undefined || countKnown(below) > countKnown(row) ? titles : undefined;
}

const groupEnding = /(?:信息|资料|資料)$/;

function namesColumn(row: Row, { mapping }: LayoutChoice): boolean {
  return row.some((cell) => mapping.has(cell.trim())) || findPreset(row) !== undefined || countKnown(row) > 0;
}

const leastKnown = 3;

function isHeader(row: Row, { mapping }: LayoutChoice): boolean {
  const names = new Set(row.map((cell) => cell.trim()));
  if (mapping.size > 0 && [...mapping.keys()].every((name) => names.has(name))) return true;
  return findPreset(row) !== undefined || countKnown(row) >= leastKnown;
}

export function countKnown(row: Row): number {
  try {
    return mapColumns(row.map(cleanHeader), new Map()).paths.filter((path) => path !== undefined).length;
  } catch {
    return row.some((cell) => columnPaths.includes(cell.trim())) ? 1 : 0;
  }
}
