/** Addresses of cells such as B7: columns are letters, rows count from 1. */

/** The largest sheet that a spreadsheet program makes. */
export const mostColumns = 16_384;
export const mostRows = 1_048_576;

export interface CellPlace {
  /** From 0. */
  readonly column: number;
  /** From 1. */
  readonly row: number;
}

/** Undefined for what is no address on a sheet. */
export function readAddress(text: string): CellPlace | undefined {
  // A sheet has millions of them: a pattern takes several times as long.
  let [column, at] = [0, 0];
  for (; at < text.length; at++) {
    const letter = text.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
    if (column > mostColumns) return undefined;
  }
  const isRow = column > 0 && isDigit(text.charCodeAt(at)) && text[at] !== "0";
  let row = 0;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!isDigit(code)) return undefined;
    row = row * 10 + code - 48;
    if (row > mostRows) return undefined;
  }
  return isRow ? { column: column - 1, row } : undefined;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** `B` for 1. */
export function nameColumn(column: number): string {
  const rest = Math.floor(column / 26);
  return (rest > 0 ? nameColumn(rest - 1) : "") + String.fromCharCode(65 + (column % 26));
}

/** `B7`. */
export function nameCell({ column, row }: CellPlace): string {
  return `${nameColumn(column)}${row}`;
}
