/** CSV output: quotes cells, and escapes formulas that a spreadsheet would run (owner of csv-stringify). */

import { stringify } from "csv-stringify/sync";
import { isJsonNumber, type Json, stringifyJson } from "../model/json.ts";

/** Includes full-width signs, which Chinese and Japanese spreadsheets treat alike. Apostrophes make it reversible. */
const formulaStart = /^'*[=+\-@＝＋－＠\t\r\n]/;

/** One CSV record, ended by a line break. */
export function csvRecord(cells: readonly (Json | undefined)[], delimiter = ","): string {
  return stringify([cells.map(csvCell)], { delimiter });
}

/**
 * A cell's text: numbers as they came, nested values as JSON, missing ones empty. Text that begins like
 * a formula gets a leading apostrophe, which spreadsheets take for "this is text"; numbers need none.
 */
function csvCell(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return formulaStart.test(value) ? `'${value}` : value;
  return isJsonNumber(value) ? value.value : stringifyJson(value);
}
