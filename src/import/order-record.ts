/** One order as a sheet has it, and what its reading notes. */

import type { Draft } from "../model/draft.ts";
import { nameCell } from "../sheets/cell-address.ts";
import type { SheetRow } from "../sheets/sheet.ts";
import type { Cleaning } from "./clean-cell.ts";
import type { FormerRecord } from "./columns/former-reading.ts";
import type { Layout } from "./columns/layout.ts";
import type { SkipReason } from "./presets/preset.ts";

/** A row of the sheet with its number. */
export interface NumberedRow extends SheetRow {
  readonly row: number;
  /** It does not fit the header: why, and the row as one text. */
  readonly misfit?: { readonly text: string; readonly message: string };
}

/** What is wrong with one cell. */
export interface RowProblem {
  readonly row: number;
  readonly line: number;
  /** The cell of a workbook's sheet: B7. */
  readonly cell?: string;
  /** The column's header, or the JSON path. */
  readonly column: string;
  readonly value: string;
  readonly message: string;
}

/** One order as the file has it. */
export interface OrderRecord {
  /** Of its lines, the first one first. */
  readonly rows: readonly number[];
  readonly line: number;
  readonly ref: string | undefined;
  /** Of the columns that give the ref where it is blank in the best one. */
  readonly otherNumbers?: readonly string[];
  readonly draft: Draft;
  readonly lines: readonly NumberedRow[];
  readonly problems: readonly RowProblem[];
  /** The parts of the draft that lack what a problem is about. */
  readonly faulty: ReadonlySet<string>;
  /** What earlier versions read of it, where that is something else: of several lines, they may have made several orders. */
  readonly former: readonly FormerRecord[];
  /** What later versions read of it, where that is something else. */
  readonly formerDrafts?: readonly Draft[] | undefined;
  /** Where it is wrong, it may be a further line of the order above: it names no other order. */
  readonly mayBeLine: boolean;
  /** The first row of the order that it may be a further line of, where its receiver tells which. */
  readonly lineOf?: number | undefined;
  /** All its rows are hidden: it is not to be sent, and only its ref is of use. */
  readonly isHidden: boolean;
  /** Some goods have a number of pieces and others none, so it has none. */
  readonly lacksPieces?: boolean | undefined;
  readonly skipped?: SkippedFacts | undefined;
}

/** Why the file says not to send an order, or a line of it, and what each line holds. Of a line, "fulfilled" says least. */
export interface SkippedFacts {
  /** Of the whole order. */
  readonly reason: SkipReason | undefined;
  readonly lines: readonly {
    readonly row: number;
    readonly goods: string | undefined;
    readonly reason: SkipReason | undefined;
  }[];
}

/** Counts what a reading changes and leaves out, for the messages. */
export interface ReadingTally {
  /** `remark`: a row with nothing in a column that is used. */
  line(remark?: NumberedRow): void;
  skip(reason: SkipReason, rows: readonly number[]): void;
  /** A line is left out of an order that is sent. */
  skipLine(reason: SkipReason, row: number): void;
  clean(kind: Cleaning): void;
  /** Cells below the header are merged over several rows. */
  merge(ranges: readonly string[]): void;
  /** A cell of this column was split into these. */
  split(column: string, parts: readonly string[]): void;
}

export interface OrderOptions {
  readonly layout: Layout;
  readonly isWorkbook: boolean;
  readonly includeFulfilled: boolean;
  /** Orders that the file says not to send are given, too. */
  readonly keepsSkipped: boolean;
  /** True where cells of the column are merged over both rows. */
  readonly isMerged: (column: number, first: number, row: number) => boolean;
  readonly tally: ReadingTally | undefined;
}

export function problemOf(
  { row, line }: NumberedRow,
  { text, index }: { readonly text: string; readonly index: number },
  message: string,
  { layout, isWorkbook }: OrderOptions,
): RowProblem {
  return {
    ...{ row, line },
    ...(isWorkbook ? { cell: nameCell({ column: index, row: line }) } : {}),
    column: layout.names[index] ?? "",
    value: text,
    message,
  };
}
