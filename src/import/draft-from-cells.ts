/** A draft that is filled from cells, and what is wrong with them. */

import type { Json } from "../model/json.ts";
import { checkCell, setField } from "./order-fields.ts";
import { type OrderOptions, problemOf, type RowProblem } from "./order-record.ts";
import type { FilledCell, Line } from "./sheet-line.ts";

export interface CellDraft {
  readonly draft: Record<string, Json>;
  /** In the order of rows and columns. */
  problems(): readonly RowProblem[];
  /** The parts of the draft that lack what a problem is about. */
  readonly faulty: ReadonlySet<string>;
  /** Notes what is wrong with a cell. */
  report(line: Pick<Line, "source">, index: number, value: string, message: string): void;
  /** Notes what is wrong with the whole order. */
  reportOrder(first: Line, message: string): void;
  /** Checks a cell and puts its text into the draft. */
  set(line: Line, path: string, cell: FilledCell): void;
}

export function createCellDraft(options: OrderOptions): CellDraft {
  const { fields, names } = options.layout;
  const draft: Record<string, Json> = {};
  const problems: RowProblem[] = [];
  const faulty = new Set<string>();
  const report: CellDraft["report"] = ({ source }, index, value, message) => {
    for (const { path, choices } of fields)
      if (choices.some((choice) => choice.includes(index))) faulty.add(path.replace(/\..*/, ""));
    problems.push(problemOf(source, { text: value, index }, message, options));
  };
  return {
    draft,
    problems: () =>
      problems.toSorted((a, b) => a.row - b.row || names.indexOf(a.column) - names.indexOf(b.column)),
    faulty,
    report,
    reportOrder({ source: { row, line } }, message) {
      problems.push({ row, line, column: "", value: "", message });
    },
    set(line, path, { text, index }) {
      const message = checkCell(path, text);
      if (message === undefined) setField(draft, path, text);
      else report(line, index, text, message);
    },
  };
}
