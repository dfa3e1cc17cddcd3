/** Owns spreadsheets on the way in: CSV with a header row as records, one by one (owner of csv-parse). */

import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { fileError } from "../core/errors.ts";

export interface SheetRow {
  /** The line in the file, from 1, that the record ends on. */
  readonly line: number;
  /** Cells in the order of the columns. */
  readonly cells: readonly string[];
}

/** A text cell that was defused for spreadsheets on the way out (terminal/csv.ts). */
const defused = /^'(?='*[=+\-@＝＋－＠\t\r\n])/;

/** The records of a CSV text, the header first. Throws a file error that names the line. */
export async function* readSheet(text: AsyncIterable<string>, name: string): AsyncGenerator<SheetRow> {
  const parser = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    trim: true,
    relax_column_count: false,
  });
  // A failure of either end reaches the reader below as the parser's.
  pipeline(Readable.from(text), parser, () => {});
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      yield { line: info.lines, cells: record.map((cell) => cell.replace(defused, "")) };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw fileError(`${name} is not a usable CSV file: ${error.message}`, { cause: error });
  }
}

interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}
