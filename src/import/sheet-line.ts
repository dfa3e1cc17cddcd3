/** The cells of one row of a sheet, cleaned, by the fields that they fill. */

import { type Cleaning, cleanCell } from "./clean-cell.ts";
import type { Layout } from "./columns/layout.ts";
import { isPhone, isStreet, type LayoutField } from "./columns/several-columns.ts";
import { isHidden } from "./hidden-text.ts";
import { piecesLeft } from "./item-list.ts";
import { checkCell, isDitto, isZeroText, textOf } from "./order-fields.ts";
import type { NumberedRow } from "./order-record.ts";

export interface FilledCell {
  readonly text: string;
  readonly index: number;
}

/** A row with the values of its fields. */
export interface Line {
  readonly source: NumberedRow;
  readonly cells: ReadonlyMap<string, FilledCell>;
  readonly key: string;
  readonly cleanings: readonly Cleaning[];
  /** No cell was cleaned. */
  readonly isAsWritten: boolean;
}

export function readLine(source: NumberedRow, layout: Layout): Line {
  const cells = new Map<string, FilledCell>();
  const cleanings: Cleaning[] = [];
  let isAsWritten = true;
  /** The text of a cell; undefined for an empty one. A cell with a fault counts as filled. */
  const read = (path: string, index: number): string | undefined => {
    const cell = textOf(source, index, path);
    const { text, cleanings: done } = cleanCell(path, cell, layout.preset?.empty);
    if (text !== source.cells[index]) isAsWritten = false;
    cleanings.push(...done);
    return text === "" && !source.faults?.has(index) ? undefined : text;
  };
  for (const field of layout.fields) {
    const filled = readField(field, read, layout.preset === undefined);
    if (filled) cells.set(field.path, filled);
  }
  const pieces = cells.get("item.quantity");
  if (pieces && layout.refunded !== undefined) {
    const left = piecesLeft(pieces.text, read("item.quantity", layout.refunded) ?? "");
    if (left !== pieces.text) {
      isAsWritten = false;
      cells.set("item.quantity", { ...pieces, text: left });
    }
  }
  const key = layout.orderKey ? readField(layout.orderKey, read, true)?.text : cells.get("ref")?.text;
  return { source, cells, key: key ?? "", cleanings, isAsWritten };
}

/** The first choice with a text; `isOwn`: of a shop's own sheet, where a 0 in a part of a street is a formula's. */
function readField(
  { path, choices, isName }: LayoutField,
  read: (path: string, index: number) => string | undefined,
  isOwn: boolean,
): FilledCell | undefined {
  let withoutDigits: FilledCell | undefined;
  for (const choice of choices) {
    let found: { text: string; readonly index: number } | undefined;
    for (const index of choice) {
      const text = read(path, index);
      if (text === undefined) continue;
      // Joined, it would not be known.
      const isPart = isName || (isOwn && isStreet(path) && choice.length > 1);
      if (isDitto(path, text) || (isPart && isNoPart(path, text))) return { text, index };
      if (found && isName) found.text = joinName(found.text, text);
      else if (found) found.text += `${path === "item.list" ? ";" : " "}${text}`;
      else found = { text, index };
    }
    // Of several phones, 无 or - is none.
    if (found && isPhone(path) && !/\d/.test(found.text)) withoutDigits ??= found;
    else if (found) return found;
  }
  return withoutDigits;
}

/** It is reported in its own cell. */
function isNoPart(path: string, text: string): boolean {
  return isHidden(path, text) || isZeroText(path, text) || checkCell(path, text) !== undefined;
}

const han = /^\p{Script=Han}+$/u;

function joinName(first: string, last: string): string {
  return han.test(first) && han.test(last) ? `${last}${first}` : `${first} ${last}`;
}

export const hasAddress = ({ cells }: Pick<Line, "cells">) =>
  [...cells.keys()].some((path) => /^receiver\.(?!phone$)/.test(path));
