/** A workbook with the columns of a write-back: only the XML of its sheet changes, all other parts are copied. */

import { fileError } from "../../core/errors.ts";
import { mostColumns } from "../../sheets/cell-address.ts";
import { openWorkbook } from "../../sheets/workbook.ts";
import {
  type CellText,
  editWorksheet,
  findLastColumn,
  type SortedPart,
} from "../../sheets/worksheet-edit.ts";
import { packPart, replacePart } from "../../sheets/zip-copy.ts";
import { openZip } from "../../sheets/zip-parts.ts";
import { type RowValues, type WrittenColumn, writtenFields } from "./titles.ts";

export interface WorkbookFilling {
  readonly columns: readonly WrittenColumn[];
  readonly headerRow: number;
  /** By the row of the sheet; undefined for a row of which nothing is known. */
  readonly rows: ReadonlyMap<number, RowValues | undefined>;
  readonly onNarrow: (what: SortedPart) => void;
}

export interface SheetPart {
  /** Up to the last one in which a cell holds something. Throws a file error for a sheet without room for more. */
  countColumns(): Promise<number>;
  /** The new file in pieces. */
  fill(filling: WorkbookFilling): AsyncGenerator<Buffer>;
}

/** What a workbook is called, and the ending of its name: Excel opens a file of another kind under no other one. */
export async function findKind(
  bytes: Buffer,
  name: string,
): Promise<{ readonly kind: string; readonly ending: string }> {
  const zip = await openZip(bytes, name);
  const types: Uint8Array[] = [];
  const part = "[Content_Types].xml";
  if (zip.has(part)) for await (const piece of zip.read(part)) types.push(piece);
  const main = /[./](sheet|template)(\.macroEnabled)?\.main\+xml/.exec(Buffer.concat(types).toString());
  const isTemplate = main?.[1] === "template";
  const hasMacros = main?.[2] !== undefined;
  return {
    kind: `a ${isTemplate ? "template" : "workbook"}${hasMacros ? " with macros" : ""}`,
    ending: `xl${isTemplate ? "t" : "s"}${hasMacros ? "m" : "x"}`,
  };
}

/** `sheet` is a name among the sheets of this workbook. */
export async function openSheetPart(bytes: Buffer, name: string, sheet: string): Promise<SheetPart> {
  const [workbook, zip] = [await openWorkbook(bytes, name), await openZip(bytes, name)];
  const part = workbook.sheets.find((each) => each.name === sheet)?.part ?? "";
  // A file that is put together oddly is found out before anything is sent.
  const trial = { name: part, packed: Buffer.alloc(0), crc: 0, sizeBytes: 0 };
  for (const _ of replacePart(bytes, trial, name));
  return {
    async countColumns() {
      const count = (await findLastColumn(zip.read(part))) + 1;
      if (count + writtenFields.length > mostColumns)
        throw fileError(`the sheet ${sheet} of ${name} has no room for further columns`);
      return count;
    },
    async *fill({ columns, headerRow, rows, onNarrow }) {
      const inOrder = [...columns].sort((a, b) => a.index - b.index);
      const lastColumn = inOrder.at(-1)?.index ?? 0;
      const added = inOrder.filter(({ isNew }) => isNew).map(({ index }) => index);
      const [first] = added;
      const shown = first === undefined ? undefined : { first, last: added.at(-1) ?? first };
      const header = inOrder.flatMap(({ isNew, index, title }): CellText[] =>
        isNew ? [{ column: index, text: title, isTitle: true }] : [],
      );
      const cellsOf = (row: number): readonly CellText[] => {
        if (row === headerRow) return header;
        const values = rows.get(row);
        if (!values) return [];
        return inOrder.flatMap(({ field, index }): CellText[] => {
          const text = values[field];
          return text === undefined ? [] : [{ column: index, text, isNumber: field === "estimated_fee" }];
        });
      };
      yield* replacePart(
        bytes,
        await packPart(part, editWorksheet(zip.read(part), { cellsOf, lastColumn, shown, onNarrow })),
        name,
      );
    },
  };
}
