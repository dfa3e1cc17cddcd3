/** A table of a worksheet: its header, and the rows below it, kept in memory as compact text. */

import { nextTurn } from "../core/next-turn.ts";
import { mostRows, nameCell } from "./cell-address.ts";
import { headerWithin, type SheetRow } from "./sheet.ts";
import { tooLarge } from "./workbook-errors.ts";
import type { MergedCells, UnusualFormat, WorksheetFacts, WorksheetRow } from "./worksheet.ts";

export interface SheetTable {
  /** The sheet's name. */
  readonly sheet: string;
  /** Rows below the header that are not empty, the hidden ones included. */
  readonly rowCount: number;
  readonly hiddenRows: number;
  /** A filter hides rows, not a person. */
  readonly isFiltered: boolean;
  /** Hidden rows above the header. */
  readonly hiddenAbove: number;
  /** Titles of hidden columns. */
  readonly hiddenColumns: readonly string[];
  /** Columns right of the header that hold something beside a row: they are not read. */
  readonly columnsBeyond: readonly number[];
  /** Cells below the header whose value is a formula's last one. */
  readonly formulas: number;
  /** Cells of which the lower ones get the value of the first, such as A2:A4. */
  readonly filledDown: readonly string[];
  readonly unusualFormats: number;
  readonly firstUnusual: UnusualFormat | undefined;
  /** The header and the rows below it, each as wide as the header. Without the hidden ones, they are marked as hidden. */
  read(options: { readonly withHidden: boolean }): AsyncGenerator<SheetRow>;
}

/** An order has a few dozen. */
const mostTitles = 2_000;
/** As much text as a CSV file may have. */
const mostBytes = 256 * 2 ** 20;
/** Characters of rows that are kept as one text. */
const blockLength = 2 ** 18;

type ByColumn = readonly (readonly [number, string])[];

/** A row as it is kept: number, hidden, texts, what is wrong with cells, and what they show with words. */
type KeptRow = readonly [
  row: number,
  isHidden: 0 | 1,
  texts: readonly string[],
  faults?: ByColumn,
  shown?: ByColumn,
];

/** The first rows of a large sheet, while the others are not read: merged cells are not known yet. */
export type OnFirstRows = (first: { read(): AsyncGenerator<SheetRow> }) => Promise<void>;

/** Signals come only in a turn of the event loop. */
const rowsInTurn = 500;

/** Reading more takes longer than a person should wait for the first mistake. */
const firstRows = 2_000;

/** Reads all rows. The first row that is shown is the header. Throws a file error for a sheet that is too large. */
export async function readTable(
  { file, sheet }: { readonly file: string; readonly sheet: string },
  rows: AsyncIterable<readonly WorksheetRow[]>,
  facts: WorksheetFacts,
  onFirstRows?: OnFirstRows,
): Promise<SheetTable> {
  const blocks: Buffer[] = [];
  let block: string[] = [];
  let length = 0;
  let header: SheetRow | undefined;
  const columnsBeyond = new Set<number>();
  let [rowCount, shownRows, hiddenRows, hiddenAbove, formulas, sizeBytes] = [0, 0, 0, 0, 0, 0];

  function flush() {
    const bytes = Buffer.from(block.join("\n"));
    sizeBytes += bytes.length;
    if (sizeBytes > mostBytes) throw tooLarge(file, `the sheet ${sheet} has more than 256 MB of text`);
    blocks.push(bytes);
    [block, length] = [[], 0];
  }

  function add(row: WorksheetRow) {
    if (!header) {
      if (row.isHidden) hiddenAbove += 1;
      else header = readHeader(row, file);
      return;
    }
    // Rows above the header are narrower than it, and it may be in two rows.
    if (shownRows < headerWithin) header = widen(header, Math.min(row.texts.length, mostTitles));
    const width = header.cells.length;
    const texts = row.texts.length > width ? row.texts.slice(0, width) : row.texts;
    const faults = [...row.faults].filter(([column]) => column < width);
    const shown = [...row.shown].filter(([column]) => column < width);
    if (faults.length === 0 && texts.every((text) => text === "")) return;
    rowCount += 1;
    if (row.isHidden) hiddenRows += 1;
    else shownRows += 1;
    for (let column = width; column < row.texts.length; column++)
      if (row.texts[column] !== "") columnsBeyond.add(column);
    formulas += row.formulas.filter((column) => column < width).length;
    const kept: KeptRow = [row.number, row.isHidden ? 1 : 0, texts];
    const text = JSON.stringify(faults.length + shown.length > 0 ? [...kept, faults, shown] : kept);
    block.push(text);
    length += text.length;
    if (length >= blockLength) flush();
  }

  const titlesOf = () => header?.cells ?? [];

  function withAcross(row: SheetRow): SheetRow {
    const wide = facts.merged.filter(
      ({ first, last }) => first.row === row.line && last.column > first.column,
    );
    return wide.length === 0
      ? row
      : { ...row, across: new Map(wide.map(({ first, last }) => [first.column, last.column])) };
  }

  function* keptRows(): Generator<KeptRow> {
    for (const each of blocks)
      for (const text of each.toString().split("\n")) if (text !== "") yield JSON.parse(text) as KeptRow;
  }

  async function* read(merged: readonly MergedCells[], withHidden: boolean): AsyncGenerator<SheetRow> {
    if (!header) return;
    yield withAcross(header);
    const width = titlesOf().length;
    const fillDown = createFillDown(merged);
    let count = 0;
    for (const [line, hidden, texts, faultList, shownList] of keptRows()) {
      count += 1;
      if (count % rowsInTurn === 0) await nextTurn();
      const cells = [...texts];
      while (cells.length < width) cells.push("");
      const [faults, shown] = [new Map(faultList), new Map(shownList)];
      fillDown(line, cells, faults, shown);
      const mark = hidden === 1 && !withHidden ? ({ isHidden: true } as const) : {};
      const row = {
        line,
        cells,
        ...(faults.size > 0 ? { faults } : {}),
        ...(shown.size > 0 ? { shown } : {}),
        ...mark,
      };
      yield count <= headerWithin ? withAcross(row) : row;
    }
  }

  let hasFirstRows = false;
  for await (const batch of rows) {
    for (const row of batch) add(row);
    if (hasFirstRows || rowCount < firstRows) continue;
    hasFirstRows = true;
    flush();
    await onFirstRows?.({ read: () => read([], false) });
  }
  flush();
  const top = header?.line ?? mostRows;
  const titles = titlesOf();
  const merged = facts.merged
    .filter(({ first, last }) => first.row > top && last.row > first.row && first.column < titles.length)
    .sort((a, b) => a.first.row - b.first.row);

  return {
    sheet,
    rowCount,
    hiddenRows,
    hiddenAbove,
    formulas,
    isFiltered: facts.isFiltered,
    hiddenColumns: titles.filter(
      (title, index) =>
        title !== "" && facts.hiddenColumns.some(({ first, last }) => first <= index && index <= last),
    ),
    columnsBeyond: [...columnsBeyond],
    filledDown: merged.map(({ first, last }) => `${nameCell(first)}:${nameCell(last)}`),
    unusualFormats: facts.unusualFormats,
    firstUnusual: facts.firstUnusual,
    read: ({ withHidden }) => read(merged, withHidden),
  };
}

function widen(header: SheetRow, width: number): SheetRow {
  const missing = width - header.cells.length;
  return missing > 0 ? { ...header, cells: [...header.cells, ...Array<string>(missing).fill("")] } : header;
}

function readHeader({ number, texts, faults }: WorksheetRow, file: string): SheetRow {
  if (texts.length > mostTitles)
    throw tooLarge(file, `row ${number} names ${texts.length} columns, and ${mostTitles} are the most`);
  return { line: number, cells: texts, ...(faults.size > 0 ? { faults } : {}) };
}

interface MergedValue {
  readonly lastRow: number;
  readonly text: string;
  readonly fault: string | undefined;
  readonly shown: string | undefined;
}

/** Gives the cells below the first one of merged cells its value, in rows that come from top to bottom. */
function createFillDown(merged: readonly MergedCells[]) {
  const active = new Map<number, MergedValue>();
  let next = 0;
  return (
    row: number,
    cells: string[],
    faults: Map<number, string>,
    shownTexts: Map<number, string>,
  ): void => {
    for (const [column, { lastRow, text, fault, shown }] of active) {
      if (row > lastRow) {
        active.delete(column);
        continue;
      }
      cells[column] = text;
      if (fault !== undefined) faults.set(column, fault);
      if (shown !== undefined) shownTexts.set(column, shown);
    }
    for (let each = merged[next]; each && each.first.row <= row; each = merged[++next]) {
      const { first, last } = each;
      const [text = "", fault] = [cells[first.column], faults.get(first.column)];
      if (first.row !== row || (text === "" && fault === undefined)) continue;
      active.set(first.column, { lastRow: last.row, text, fault, shown: shownTexts.get(first.column) });
    }
  };
}
