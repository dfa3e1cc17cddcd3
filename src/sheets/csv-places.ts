/** Where the records and cells of a CSV file are in its bytes, so that a cell can be written and all others stay as they are. */

import type { CsvForm } from "./sheet.ts";
import type { Encoding } from "./source.ts";
import { findMark } from "./text-encoding.ts";

/** A part of the bytes, from `start` up to `end`. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

export interface RecordPlace extends Place {
  /** The line in the file, from 1, that the record ends on. */
  readonly line: number;
  /** Each cell with its quotes, without the delimiters. */
  readonly cells: readonly Place[];
}

/**
 * All records, empty ones too. In the encodings that courier reads, no part of another character looks like a
 * delimiter, a quote or a line break, so the text need not be decoded.
 */
export function* findRecords(
  bytes: Buffer,
  { encoding, delimiter, isUnquoted = false }: CsvForm & { readonly encoding: Encoding },
): Generator<RecordPlace> {
  const width = encoding.startsWith("utf-16") ? 2 : 1;
  const unit = (at: number): number => {
    if (at + width > bytes.length) return endOfFile;
    if (width === 1) return bytes[at] as number;
    return encoding === "utf-16le" ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  };
  const delimiterUnit = delimiter.charCodeAt(0);
  const isBreak = (code: number) => code === lineFeed || code === carriageReturn;
  const endsCell = (code: number) => code === delimiterUnit || isBreak(code) || code === endOfFile;
  let at = findMark(bytes) === undefined ? 0 : encoding === "utf-8" ? 3 : 2;
  let line = 1;

  /** Behind a line break, which may have two characters. */
  function passBreak(from: number): number {
    line += 1;
    const isPair = unit(from) === carriageReturn && unit(from + width) === lineFeed;
    return from + (isPair ? 2 : 1) * width;
  }

  /** The end of a cell that begins here. */
  function endOfCell(start: number): number {
    let end = start;
    if (isUnquoted) {
      while (!endsCell(unit(end))) end += width;
      return end;
    }
    while (isBlank(unit(end)) && unit(end) !== delimiterUnit) end += width;
    const formula = unit(end) === quote ? undefined : endOfFormulaText(end);
    if (formula !== undefined) return formula;
    if (unit(end) === quote) end = endOfQuotes(end);
    while (!endsCell(unit(end))) end += width;
    return end;
  }

  function endOfQuotes(start: number): number {
    let end = start + width;
    for (;;) {
      const code = unit(end);
      if (code === endOfFile) return end;
      if (isBreak(code)) end = passBreak(end);
      else if (code !== quote) end += width;
      else if (unit(end + width) === quote) end += 2 * width;
      else return end + width;
    }
  }

  /** Of a cell such as `="01,5"`; undefined for any other. */
  function endOfFormulaText(start: number): number | undefined {
    if (unit(start) !== equals || unit(start + width) !== quote) return undefined;
    let end = start + 2 * width;
    while (unit(end) !== quote) {
      if (isBreak(unit(end)) || unit(end) === endOfFile) return undefined;
      end += width;
    }
    return endsCell(unit(end + width)) ? end + width : undefined;
  }

  while (unit(at) !== endOfFile) {
    const cells: Place[] = [];
    for (let start = at; ; start = at + width) {
      at = endOfCell(start);
      cells.push({ start, end: at });
      if (unit(at) !== delimiterUnit) break;
    }
    yield { start: cells[0]?.start ?? at, end: at, line, cells };
    if (isBreak(unit(at))) at = passBreak(at);
  }
}

const endOfFile = -1;
const [lineFeed, carriageReturn, quote, equals] = [0x0a, 0x0d, 0x22, 0x3d];

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
