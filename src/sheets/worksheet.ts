/** The rows of one worksheet, streamed from its XML (ECMA-376, part 1, 18.3). */

import { describeFormulaError } from "../model/text-problem.ts";
import { type CellPlace, mostColumns, mostRows, nameCell, readAddress } from "./cell-address.ts";
import { fillText } from "./format-pieces.ts";
import { formatNumber, type NumberFormat, type NumberText } from "./number-format.ts";
import { longestRow } from "./row-limit.ts";
import { undefuse } from "./sheet.ts";
import { damaged, tooLarge } from "./workbook-errors.ts";
import { type Attributes, readXml, type XmlPart } from "./xml.ts";

/** A row in which a cell has a text or a fault. */
export interface WorksheetRow {
  /** As the spreadsheet program numbers it, from 1. */
  readonly number: number;
  readonly isHidden: boolean;
  /** By column; up to the last one that is not empty. */
  readonly texts: readonly string[];
  /** What is wrong with a cell, by column. */
  readonly faults: ReadonlyMap<number, string>;
  /** Texts with the words that the formats of their cells write, by column. */
  readonly shown: ReadonlyMap<number, string>;
  /** Columns of formulas that have a saved value. */
  readonly formulas: readonly number[];
}

/** Cells that are shown as one, from the first to the last. */
export interface MergedCells {
  readonly first: CellPlace;
  readonly last: CellPlace;
}

/** A number whose format writes digits of its own. */
export interface UnusualFormat {
  readonly cell: string;
  readonly code: string;
}

/** What a worksheet says beside its rows, complete once they have been read. */
export interface WorksheetFacts {
  readonly merged: MergedCells[];
  readonly hiddenColumns: { readonly first: number; readonly last: number }[];
  isFiltered: boolean;
  unusualFormats: number;
  firstUnusual: UnusualFormat | undefined;
}

/** What the cells of all sheets of a workbook refer to. */
export interface CellValues {
  readonly strings: readonly string[];
  formatOf(style: number): NumberFormat;
  readonly is1904: boolean;
}

const mostMerges = 1_000_000;

export function noFacts(): WorksheetFacts {
  return { merged: [], hiddenColumns: [], isFiltered: false, unusualFormats: 0, firstUnusual: undefined };
}

/** Rows in batches. Throws a file error for a damaged sheet, and for a row that is longer than rows may be. */
export async function* readWorksheet(
  part: XmlPart,
  values: CellValues,
  facts: WorksheetFacts,
): AsyncGenerator<readonly WorksheetRow[]> {
  const { file } = part;
  let rows: WorksheetRow[] = [];
  const wrong = (reason: string) => damaged(file, `${part.name}: ${reason}`);
  const tooLong = () => tooLarge(file, `row ${row} has more than 1,000,000 characters`);
  let isInData = false;
  /** The place of the current cell. */
  let [row, column] = [0, -1];
  let isHidden = false;
  let texts: string[] = [];
  let faults = new Map<number, string>();
  let shown = new Map<number, string>();
  let formulas: number[] = [];
  let length = 0;
  let cell: OpenCell | undefined;
  let isText = false;
  let phonetic = 0;

  function openRow(attributes: Attributes) {
    const number = attributes.r === undefined ? row + 1 : Number(attributes.r);
    if (!Number.isInteger(number) || number <= row || number > mostRows)
      throw wrong(`row ${attributes.r ?? number} is out of place`);
    [row, column] = [number, -1];
    isHidden = isTrue(attributes.hidden) || (attributes.ht !== undefined && Number(attributes.ht) === 0);
    [texts, faults, shown, formulas, length] = [[], new Map(), new Map(), [], 0];
  }

  function openCell(attributes: Attributes) {
    const place = attributes.r === undefined ? { column: column + 1, row } : readAddress(attributes.r);
    if (!place || place.row !== row || place.column <= column || place.column >= mostColumns)
      throw wrong(`cell ${attributes.r ?? "without an address"} is out of place`);
    column = place.column;
    const style = attributes.s === undefined ? 0 : Number(attributes.s);
    cell = { type: attributes.t ?? "n", style, text: "", hasFormula: false, hasValue: false };
  }

  function closeCell({ type, style, text: written, hasFormula, hasValue }: OpenCell) {
    // An empty value is one of a text alone; openpyxl writes it where it has calculated nothing.
    const isSaved = hasValue && (written !== "" || type === "str");
    const { text, fault, shown: withWords } = read(type, style, written, hasFormula && !isSaved);
    if (hasFormula && isSaved && text !== "") formulas.push(column);
    if (fault !== undefined) faults.set(column, fault);
    if (text === "") return;
    length += text.length;
    if (length > longestRow) throw tooLong();
    while (texts.length < column) texts.push("");
    texts.push(text);
    if (withWords !== undefined) shown.set(column, withWords);
  }

  function read(type: string, style: number, written: string, isUnsaved: boolean): ReadCell {
    if (isUnsaved) return { text: "", fault: unsavedFormula };
    if (written === "" && type !== "s") return { text: "" };
    if (type === "s") return written === "" ? { text: "" } : asText(sharedText(written), style);
    if (type === "str" || type === "inlineStr") return asText(cleanText(written), style);
    if (type === "b") return { text: isTrue(written) ? "TRUE" : "FALSE" };
    if (type === "e") return { text: written, fault: describeFormulaError(written) };
    if (type === "d") return { text: written.trim() };
    return readNumber(written, values.formatOf(style));
  }

  function asText(text: string, style: number): ReadCell {
    const { wordsOfText } = values.formatOf(style);
    return wordsOfText && text !== "" ? { text, shown: fillText(wordsOfText, text) } : { text };
  }

  function sharedText(written: string): string {
    const text = values.strings[Number(written)];
    if (text === undefined) throw wrong(`the text of cell ${nameCell({ column, row })} is missing`);
    return text;
  }

  function readNumber(written: string, format: NumberFormat): ReadCell {
    if (format.kind === "other" && !format.words) {
      facts.unusualFormats += 1;
      facts.firstUnusual ??= { cell: nameCell({ column, row }), code: format.code };
    }
    return formatNumber(Number(written), format, values.is1904);
  }

  function closeRow() {
    if (texts.length === 0 && faults.size === 0) return;
    rows.push({ number: row, isHidden, texts, faults, shown, formulas });
  }

  const reading = readXml(part, {
    open(name, attributes) {
      if (isInData) {
        if (name === "c") openCell(attributes);
        else if (name === "row") openRow(attributes);
        else if (cell) openInCell(cell, name);
        return;
      }
      if (name === "sheetData") isInData = true;
      else if (name === "mergeCell") addMerged(attributes.ref);
      else if (name === "filterColumn") facts.isFiltered = true;
      else if (name === "sheetPr") facts.isFiltered ||= isTrue(attributes.filterMode);
      else if (name === "col" && isTrue(attributes.hidden))
        facts.hiddenColumns.push({ first: Number(attributes.min) - 1, last: Number(attributes.max) - 1 });
    },
    close(name) {
      if (!isInData) return;
      if (name === "v" || name === "t") isText = false;
      else if (name === "rPh") phonetic -= 1;
      else if (name === "c") {
        if (cell) closeCell(cell);
        cell = undefined;
      } else if (name === "row") closeRow();
      else if (name === "sheetData") isInData = false;
    },
    text(text) {
      if (!isText || !cell) return;
      cell.text += text;
      if (cell.text.length > longestRow) throw tooLong();
    },
  });

  function openInCell(open: OpenCell, name: string) {
    if (name === "v" || name === "t") {
      isText = phonetic === 0;
      open.hasValue = true;
    } else if (name === "f") open.hasFormula = true;
    else if (name === "rPh") phonetic += 1;
  }

  function addMerged(ref = "") {
    const [first, last = first] = ref.split(":").map(readAddress);
    if (!first || !last) throw wrong(`${ref || "a merge"} names no cells`);
    if (facts.merged.length >= mostMerges) throw tooLarge(file, `${part.name} has a million merged cells`);
    facts.merged.push({ first, last });
  }

  for await (const _ of reading) {
    if (rows.length > 0) yield rows;
    rows = [];
  }
}

interface OpenCell {
  readonly type: string;
  readonly style: number;
  text: string;
  hasFormula: boolean;
  hasValue: boolean;
}

type ReadCell = NumberText;

const unsavedFormula =
  "is a formula without a saved value; open the file in the spreadsheet program, save it, and try again";

/** A text as it is read from CSV: without blanks around it, and without the mark of a cell that was defused. */
export function cleanText(written: string): string {
  return undefuse(decodeEscapes(written).trim());
}

export function isTrue(written: string | undefined): boolean {
  return written === "1" || written === "true";
}

/** Files write characters that XML cannot hold as _x000D_ (ECMA-376, part 1, 22.9.2.19). */
export function decodeEscapes(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
