/** The longest row of an input file: longer ones are refused, so that no file takes all memory or hours. */

import { type CourierError, fileError } from "../core/errors.ts";
import { mostColumns } from "./cell-address.ts";

/** In characters. An order has a few hundred. */
export const longestRow = 1_000_000;

/** The widest exports of shops have about a hundred columns. */
const mostNamedColumns = 1_000;

/** Throws a file error for a header with more columns than the file of a shop has, such as rows that became one line. */
export function boundColumns(header: readonly string[], name: string, line: number): void {
  const named = header.filter((title) => title.trim() !== "").length;
  const [count, most] = named > mostNamedColumns ? [named, mostNamedColumns] : [header.length, mostColumns];
  if (count <= most) return;
  throw fileError(`${name}, line ${line}: the header has ${count} columns; courier reads at most ${most}`, {
    hint: "check that it is the right file, and that each order is on a line of its own",
    details: { line },
  });
}

/** `what` begins on this line: “the row”. */
export function tooLong(name: string, line: number, what: string): CourierError {
  return fileError(
    `${name}, line ${line}: ${what} that begins here has more than 1,000,000 characters, the most that courier reads`,
    {
      hint: "check that it is the right file; a missing quote or line break can join rows",
      details: { line },
    },
  );
}

/**
 * Hands a text on, piece by piece. Throws a file error for a line that is longer than a row may be: the CSV parser
 * counts the characters of cells only, and a line of commas is all cells. `noteQuote` gets the line of each quote.
 */
export async function* boundLines(
  text: AsyncIterable<string>,
  name: string,
  noteQuote: (line: number) => void,
): AsyncGenerator<string> {
  let [line, length, last] = [1, 0, 0];
  for await (const piece of text) {
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (code === lineFeed || code === carriageReturn) {
        if (code === carriageReturn || last !== carriageReturn) line += 1;
        length = 0;
      } else {
        length += 1;
        if (code === quotationMark) noteQuote(line);
        if (length > longestRow) throw tooLong(name, line, "the row");
      }
      last = code;
    }
    yield piece;
  }
}

const [lineFeed, carriageReturn, quotationMark] = [0x0a, 0x0d, 0x22];
