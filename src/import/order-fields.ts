/** The fields of a draft by their dotted paths, and the texts of cells that are put into them. */

import { isPlainDecimal } from "../model/decimal.ts";
import { type Json, jsonNumber } from "../model/json.ts";
import { findSpreadsheetError, findTextProblem } from "../model/text-problem.ts";
import type { SheetRow } from "../sheets/sheet.ts";

export const numberPaths: ReadonlySet<string> = new Set(["item.weight", "item.value", "item.quantity"]);

type Part = Record<string, Json>;

export function setField(draft: Record<string, Json | Part>, path: string, text: string): void {
  const value = numberPaths.has(path) ? jsonNumber(text) : text;
  const dot = path.indexOf(".");
  if (dot < 0) {
    draft[path] = value;
    return;
  }
  const name = path.slice(0, dot);
  draft[name] ??= {};
  (draft[name] as Part)[path.slice(dot + 1)] = value;
}

/** What is wrong with the text of a field. */
export function checkCell(path: string, value: string): string | undefined {
  if (numberPaths.has(path)) {
    const error = findSpreadsheetError(value);
    if (error !== undefined) return error;
  }
  if (path === "item.quantity")
    return /^(0|[1-9]\d*)$/.test(value) ? undefined : "must be a whole number of at least 0";
  if (numberPaths.has(path)) return isPlainDecimal(value) ? undefined : "must be a number, for example 2.50";
  return findTextProblem(path, value);
}

const dittoMarks = /^(?:["'＂“”‘’〃″]+|↑+)$/;
/** Also with the title of its column, 地址同上. “do.” is short for ditto; Do is a name. */
const dittoWord =
  /^[（(]?(?:(?:收[件货貨]人|姓名|[电電][话話]|手机|手機|(?:收[件货貨])?地址|商品)[:：]?)?(?:同\s?上(?:一行)?|ditto|(?:same )?as above)[）)]?[。.]?$|^do\.$/i;

/** People write it for the text of the row above. A number says more of what it must be. */
export function isDitto(path: string, text: string): boolean {
  return !numberPaths.has(path) && (dittoMarks.test(text) || dittoWord.test(text));
}

/** A formula that refers to an empty cell gives 0, whatever the column is. */
export function isZeroText(path: string, text: string): boolean {
  return text === "0" && !numberPaths.has(path) && /^(?:ref$|(?:sender|receiver|item)\.)/.test(path);
}

/** As the cell is shown, but for phones: of these, the digits are meant. The words around an amount may be another unit. */
export function textOf({ cells, shown }: SheetRow, index: number, path: string): string {
  return (path.endsWith(".phone") ? undefined : shown?.get(index)) ?? cells[index] ?? "";
}
