/** A CSV file with the columns of a write-back: all other bytes stay as they are. */

import { fileError } from "../../core/errors.ts";
import { findRecords, type Place, type RecordPlace } from "../../sheets/csv-places.ts";
import { createEncoder } from "../../sheets/encode-text.ts";
import type { SheetRow } from "../../sheets/sheet.ts";
import type { Encoding, SourceFacts } from "../../sheets/source.ts";
import type { RowValues, WrittenColumn } from "./titles.ts";

export interface CsvSheet {
  readonly bytes: Buffer;
  readonly facts: Pick<SourceFacts, "encoding" | "delimiter" | "isUnquoted">;
}

/** Finds the records that a reader of the file gives, one after the other. */
export interface RecordFinder {
  /** The line in the bytes that the record ends on. Throws a file error where it is not found again. */
  find(row: SheetRow): number;
}

export function createRecordFinder({ bytes, facts }: CsvSheet, name: string): RecordFinder {
  const decode = createDecoder(facts.encoding);
  const records = findRecords(bytes, facts);
  return {
    find({ line, cells }) {
      for (let next = records.next(); !next.done; next = records.next()) {
        const texts = next.value.cells.map(({ start, end }) => decode(bytes.subarray(start, end)));
        if (texts.every(isEmpty)) continue; // no reader gives it
        const isIt =
          texts.length >= cells.length && texts.every((text, index) => isWritten(text, cells[index] ?? ""));
        if (isIt) return next.value.line;
      }
      throw fileError(
        `${name}, line ${line}: courier cannot add cells to this row and keep the rest as it is`,
        { hint: "save it anew as CSV UTF-8 or .xlsx, and try again", details: { line } },
      );
    },
  };
}

/** As a stream: Node.js 20 decodes a whole text in windows-1252 as Latin-1. */
function createDecoder(encoding: Encoding): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder(encoding);
  return (bytes) => decoder.decode(bytes, { stream: true });
}

/** An empty cell, also in quotes; a quote in quotes is a text. */
function isEmpty(cell: string): boolean {
  return (
    cell
      .trim()
      .replace(/^"(\s*)"$/, "$1")
      .trim() === ""
  );
}

/** Whether a cell has this text: a reading removes blanks, quotes and an apostrophe around it. */
function isWritten(cell: string, text: string): boolean {
  const bare = (each: string) => each.replaceAll('"', "").trim();
  const written = bare(cell);
  return text === "" ? written === "" : written.endsWith(bare(text));
}

export interface CsvFilling {
  readonly columns: readonly WrittenColumn[];
  readonly headerLine: number;
  /** The lines that rows end on, with what is written there; undefined for a row of which nothing is known. */
  readonly lines: ReadonlyMap<number, RowValues | undefined>;
  /** A text as a cell, quoted where it must be; never a formula. */
  readonly writeCell: (text: string) => string;
  /** Called with each character that the encoding of the file does not have. */
  readonly noteLost?: (character: string) => void;
}

/** The new file in pieces. */
export function* fillCsv({ bytes, facts }: CsvSheet, filling: CsvFilling): Generator<Buffer> {
  const { columns, headerLine, lines, writeCell, noteLost } = filling;
  const encode = createEncoder(facts.encoding, noteLost);
  const decode = createDecoder(facts.encoding);
  const delimiter = encode(facts.delimiter);
  const quote = encode('"');
  const width = columns.reduce((most, { index }) => Math.max(most, index + 1), 0);
  let written = 0;
  let quotesAll = false;
  let pieces: Buffer[] = [];
  let size = 0;

  const isQuoted = ({ start }: Place) => bytes.subarray(start, start + quote.length).equals(quote);
  const format = (text: string): Buffer => {
    const cell = text === "" ? "" : writeCell(text);
    return encode(quotesAll && !cell.startsWith('"') ? `"${cell}"` : cell);
  };

  function put(...more: readonly Buffer[]): void {
    pieces.push(...more);
    for (const { length } of more) size += length;
  }

  /** What is before `end` and was not written yet, as it is. */
  function keep(end: number): void {
    put(bytes.subarray(written, end));
    written = end;
  }

  /** `known`: the text of each column of the write-back; without one, the cell stays as it is. */
  function fill({ cells, end }: RecordPlace, known: (column: WrittenColumn) => string | undefined): void {
    const count = Math.max(width, cells.length);
    for (let index = 0; index < count; index++) {
      const place = cells[index];
      const column = columns.find((each) => each.index === index);
      const text = column && known(column);
      if (!place) {
        keep(end);
        put(delimiter, format(text ?? ""));
      } else if (text !== undefined) {
        const cell = format(text);
        const old = bytes.subarray(place.start, place.end);
        const isSame = decode(old).replace(/^"(.*)"$/s, "$1") === text;
        if (isSame) continue;
        keep(place.start);
        put(cell);
        written = place.end;
      }
    }
  }

  for (const record of findRecords(bytes, facts)) {
    if (record.line === headerLine) {
      quotesAll = record.cells.every(isQuoted);
      fill(record, ({ isNew, title }) => (isNew ? title : undefined));
    } else if (lines.has(record.line)) {
      const values = lines.get(record.line);
      fill(record, ({ field }) => values?.[field]);
    }
    if (size < pieceBytes) continue;
    yield Buffer.concat(pieces);
    [pieces, size] = [[], 0];
  }
  keep(bytes.length);
  yield Buffer.concat(pieces);
}

const pieceBytes = 2 ** 18;
