/** The columns beside the table: those without a title, and those that a write-back added. */

import { nameColumn } from "../../sheets/cell-address.ts";
import type { SheetRow } from "../../sheets/sheet.ts";
import { isWrittenTitle } from "../write-back/titles.ts";
import type { Layout } from "./layout.ts";

/** By index. A column that a field is read from is never one of them. */
export function findOutsideColumns({ names, fields }: Layout): ReadonlySet<number> {
  const used = new Set(fields.flatMap(({ choices }) => choices.flat()));
  const isOutside = (title: string) => title.trim() === "" || isWrittenTitle(title);
  return new Set(names.flatMap((title, index) => (isOutside(title) && !used.has(index) ? [index] : [])));
}

/** A note or a total below the table: nothing of the line is in its columns. */
export function isOutsideTable({ cells, faults }: SheetRow, outside: ReadonlySet<number>): boolean {
  if (outside.size === 0) return false;
  const filled = cells.flatMap((cell, index) => (cell === "" ? [] : [index]));
  return [...filled, ...(faults?.keys() ?? [])].every((index) => outside.has(index));
}

/** Collects the columns without a title that hold something beside the rows of a sheet. */
export function createUntitledColumns() {
  let empty: readonly number[] = [];
  const found = new Set<number>();
  return {
    noteHeader({ names }: Layout): void {
      empty = names.flatMap((title, index) => (title.trim() === "" ? [index] : []));
    },
    noteRow({ cells }: SheetRow): void {
      for (const index of empty) if ((cells[index] ?? "") !== "") found.add(index);
    },
    /** As they are named for a person; `beyond` are columns right of the header. */
    names(beyond: readonly number[]): readonly string[] {
      const all = [...found, ...beyond].sort((a, b) => a - b);
      return all.map((index) => `column ${nameColumn(index)} (no title)`);
    },
  };
}
