/** CSV with a header row as records, read one by one (owner of csv-parse). */

import { CsvError, parse } from "csv-parse";
import { fileError } from "../core/errors.ts";
import { boundLines, longestRow, tooLong } from "./row-limit.ts";

export interface SheetRow {
  /** The line in the file, from 1, that the record ends on; in a workbook, its row of the sheet. */
  readonly line: number;
  /** Cells in the order of the columns; a record may have more or fewer than the header. */
  readonly cells: readonly string[];
  /** What is wrong with a cell of a workbook, by its index. */
  readonly faults?: ReadonlyMap<number, string>;
  /** What a workbook shows where the format of a cell writes words around its text, by its index. */
  readonly shown?: ReadonlyMap<number, string>;
  /** The last column of each cell of a workbook that is merged over several columns, by its first; in the first rows. */
  readonly across?: ReadonlyMap<number, number>;
  /** Hidden in a workbook, and not to be read as an order; it may be a part of one that is shown. */
  readonly isHidden?: true;
}

/** The header begins in one of so many first rows: a title, notes or the titles of groups of columns may be above it. */
export const headerWithin = 5;

/** A text cell that was defused for spreadsheets on the way out (terminal/csv.ts). */
const defused = /^'(?='*[=+\-@＝＋－＠\t\r\n])/;

export function undefuse(cell: string): string {
  return cell.replace(defused, "");
}

/** The delimiters of spreadsheets in different countries. */
const delimiters = [",", ";", "\t"] as const;
export type Delimiter = (typeof delimiters)[number];

/** A first line that tells Excel the delimiter. */
const delimiterLine = /^\s*"?sep=([,;\t])"?(?![^\r\n])/i;

export interface CsvForm {
  readonly delimiter: Delimiter;
  /** No quote opens a cell. */
  readonly isUnquoted?: boolean | undefined;
}

/** Amazon's reports quote nothing: a quote at the start of goods is a part of their name. */
const amazonHeader = /^(?=(?:.*\t)?order-item-id(?:\t|$))(?:.*\t)?recipient-name(?:\t|$)/im;

/** How a sheet that begins like this separates its cells. */
export function findCsvForm(start: string, lineCount: number): CsvForm {
  const delimiter = findDelimiter(start, lineCount);
  return { delimiter, isUnquoted: delimiter === "\t" && amazonHeader.test(start) };
}

/** A whole cell that another program quoted, such as a spreadsheet that saved the report. */
const quoted = /^"(?:[^"]|"")*"$/;
const unquote = (cell: string) => (quoted.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell);

/** The records of a CSV text, the header first. Throws a file error that names the line. */
export async function* readSheet(
  text: AsyncIterable<string>,
  { delimiter, isUnquoted = false }: CsvForm,
  name: string,
): AsyncGenerator<SheetRow> {
  let [countedTwice, lastLine] = [0, 0];
  let isFirst = true;
  /** The line of the last quote that opens a cell: every second one does, up to the first that is wrong. */
  const quotes = { count: 0, openLine: 0 };
  const noteQuote = (line: number) => {
    if (quotes.count++ % 2 === 0) quotes.openLine = line;
  };
  const rows: SheetRow[] = [];
  const parser = parse({
    bom: true,
    delimiter,
    quote: isUnquoted ? null : '"',
    skip_empty_lines: true,
    skip_records_with_empty_values: true, // what a spreadsheet leaves of rows that were emptied
    trim: true,
    record_delimiter: ["\r\n", "\n", "\r"], // a line that was appended may end as no other does
    relax_column_count: true,
    relax_quotes: delimiter === "\t", // others than Amazon quote nothing there, too: 5" cup
    max_record_size: longestRow,
    on_record: (record, { lines }) => {
      for (const cell of record) countedTwice += cell.split("\r\n").length - 1; // by the parser, within quotes
      lastLine = lines - countedTwice;
      const isForExcel = isFirst && delimiterLine.test(record.join(delimiter));
      isFirst = false;
      if (!isForExcel)
        rows.push({ line: lastLine, cells: (isUnquoted ? record.map(unquote) : record).map(undefuse) });
      return null; // reading them from the parser as a stream takes as long as parsing them
    },
  });
  parser.on("error", () => {}); // the callbacks below get it, too
  const settle = (start: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => start((error) => (error ? reject(error) : resolve())));
  try {
    for await (const piece of boundLines(text, name, noteQuote)) {
      await settle((done) => parser.write(piece, done));
      for (const row of rows.splice(0)) yield row;
    }
    await settle((done) => parser.end(done));
    for (const row of rows.splice(0)) yield row;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.code === "CSV_MAX_RECORD_SIZE") throw tooLong(name, lastLine + 1, "the row");
    const reason = reasons[error.code] ?? "this cannot be read as cells";
    const isOpen = error.code === "CSV_QUOTE_NOT_CLOSED";
    const line = isOpen ? quotes.openLine : Number(error.lines) - countedTwice;
    throw fileError(`${name}, line ${line}: ${reason}`, {
      cause: error,
      hint: 'a cell with quotes in it is written "with ""quotes"" in it"; saving it anew as CSV UTF-8 from a spreadsheet does so',
      details: { line },
    });
  }
}

const lineBreak = /\r\n|\n|\r/;
const breaksOf = (text: string) => text.split(lineBreak).length - 1;
/** In fewer columns, a text of several lines has as many commas, but hardly a phone in the last one. Hardly one has tabs. */
const fewestJoined = { "\t": 2, ",": 4, ";": 4 } as const;
const phone = /\d{7}/;

/**
 * Refuses a row with a cell that may hold the rest of a row and the beginning of another, where a quote opens it that is a
 * part of the text: with the cells to its left, its first line is as wide as a row, and so is its last one with the others.
 * `widths` are those that a row may have. Where it has one of them, its last line must be of a row that has the same: else
 * two lines of goods beside written-back cells would be refused, too.
 */
export function refuseJoined(
  { line, cells }: SheetRow,
  widths: readonly number[],
  delimiter: Delimiter,
  name: string,
): void {
  const at = cells.findIndex((cell, index) => {
    if (!lineBreak.test(cell)) return false;
    const lines = cell.split(lineBreak);
    const fewest = phone.test(lines.at(-1) ?? "") ? 2 : fewestJoined[delimiter];
    const firsts = widths.filter((width) => width >= fewest);
    const lasts = firsts.includes(cells.length) ? [cells.length] : firsts;
    const widthOf = (text = "") => text.split(delimiter).length;
    const right = cells.length - index - 1;
    return firsts.includes(index + widthOf(lines[0])) && lasts.includes(widthOf(lines.at(-1)) + right);
  });
  if (at < 0) return;
  const opened = line - breaksOf(cells.slice(at).join(""));
  throw fileError(`${name}, line ${opened}: a quote opens a cell here, and the next row may be in it`, {
    hint: 'a cell with quotes in it is written "with ""quotes"" in it"; if it is one text of several lines, write it in one line',
    details: { line: opened },
  });
}

const unbalanced = "the quotes around a cell are not closed properly";

const reasons: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: unbalanced,
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: unbalanced,
  CSV_QUOTE_NOT_CLOSED: "a quote opens a cell and is never closed",
  INVALID_OPENING_QUOTE: "a quote is in the middle of a cell that does not begin with one",
};

/**
 * The delimiter of a sheet that begins like this: the one of `sep=`, the only one of the first line where each line has it
 * as often, or the most frequent of the three in its header. That is the first of so many lines that has it more than once,
 * and as often as the next line has it: a title above it may have any, too.
 */
export function findDelimiter(start: string, lineCount = 1): Delimiter {
  const said = delimiters.find((each) => each === delimiterLine.exec(start)?.[1]);
  if (said !== undefined) return said;
  const lines: string[] = [];
  for (let rest = start; lines.length <= lineCount && rest.trim() !== ""; ) {
    const [whole = "", line = ""] = /^\s*((?:"[^"]*"|[^"\r\n])*)/.exec(rest) ?? [];
    if (whole === "") break; // a quote that is not closed
    lines.push(line.replace(/"[^"]*"/g, ""));
    rest = rest.slice(whole.length);
  }
  const count = (line: string, delimiter: Delimiter) => line.split(delimiter).length - 1;
  const [only, other] = delimiters.filter((each) => lines[0]?.includes(each));
  if (only && !other && new Set(lines.map((line) => count(line, only))).size === 1) return only;
  const found = lines.slice(0, lineCount).map((line, index) => {
    const delimiter = delimiters.reduce((best, each) =>
      count(line, each) > count(line, best) ? each : best,
    );
    const [most, next] = [count(line, delimiter), lines[index + 1] ?? line];
    return { delimiter, most, isEven: count(next, delimiter) === most };
  });
  const header =
    found.find(({ most, isEven }) => most > 1 && isEven) ??
    found.find(({ most }) => most > 1) ??
    found.find(({ most }) => most > 0);
  return header?.delimiter ?? ",";
}
