/** Gives a sheet back with its tracking numbers: a whole new file, or the sheet itself with the old one beside it. */

import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Context } from "../../command/command.ts";
import { ensureWritableName, proposeName } from "../../command/output-name.ts";
import { type EarlierFile, keepEarlier } from "../../core/earlier-file.ts";
import { CourierError, fileError, interrupted, systemCode, usageError } from "../../core/errors.ts";
import { findRealPath } from "../../core/real-path.ts";
import { shellQuote } from "../../core/shell-quote.ts";
import { explainSystemError } from "../../core/system-errors.ts";
import { escapeCharacter } from "../../sheets/encode-text.ts";
import type { SheetRow } from "../../sheets/sheet.ts";
import { isPassing } from "../../sheets/source.ts";
import type { SortedPart } from "../../sheets/worksheet-edit.ts";
import type { Source } from "../import-source.ts";
import type { NumberedRow } from "../order-record.ts";
import { ensurePromisedForm } from "../promised-form.ts";
import { readRows } from "../rows.ts";
import { createRecordFinder, fillCsv } from "./fill-csv.ts";
import type { FilledRows } from "./row-values.ts";
import { placeColumns, type RowValues, type WrittenColumn } from "./titles.ts";

/** Where the sheet is written. */
export interface SheetTarget {
  readonly file: string;
  /** The sheet that was read takes the new columns itself. */
  readonly isInPlace: boolean;
}

export interface TargetChoice {
  /** The sheet that is read. */
  readonly sheet: string;
  /** The flag that names the new file, for messages. */
  readonly flag: string;
  readonly output: string | undefined;
  readonly inPlace: boolean | undefined;
}

/** Undefined where no sheet is to be written. Throws a usage error, before anything is read. */
export async function chooseTarget(
  { sheet, flag, output, inPlace }: TargetChoice,
  context: Context,
): Promise<SheetTarget | undefined> {
  if (output !== undefined && inPlace) throw usageError(`${flag} and --in-place exclude each other`);
  if (inPlace) {
    if (await isPassing(sheet))
      throw usageError(
        "--in-place needs a file, and not stdin or a pipe",
        `write a new file with ${flag} FILE`,
      );
    await confirmOpen(sheet, context);
    return { file: sheet, isInPlace: true };
  }
  if (output === undefined) return undefined;
  await context.checkOutput(flag, output, sheet);
  return { file: output, isInPlace: false };
}

/** The files that LibreOffice and Excel keep beside a sheet while they have it open. */
const openMarks = [
  { program: "LibreOffice", nameOf: (name: string) => `.~lock.${name}#` },
  { program: "Excel", nameOf: (name: string) => `~$${name}` },
];

/** The next save of a program that has the sheet open would drop what is written into it. */
async function confirmOpen(sheet: string, context: Context): Promise<void> {
  const target = await findRealPath(sheet).catch(() => undefined);
  if (target === undefined) return;
  const mark = openMarks.find(({ nameOf }) =>
    existsSync(path.join(path.dirname(target), nameOf(path.basename(target)))),
  );
  if (!mark) return;
  const lost = `${sheet} is open in ${mark.program}, and its next save drops what is written into the sheet`;
  const prompts = context.globals.yes ? undefined : await context.prompts();
  if (!prompts) return context.messages.warn(`${lost}: close it there without saving`);
  if (!(await prompts.confirm(`${lost}. Go on?`, false)))
    throw interrupted(130, "not confirmed: nothing was done");
}

/** A sheet whose rows were found in its bytes, and its output, which is open. */
export interface OpenedSheet {
  /** Writes the file with what is known of rows. Throws a CourierError: the target is then as it was. */
  write(filled: Pick<FilledRows, "values">): Promise<void>;
  /** The file that has the old sheet now. */
  readonly kept: string | undefined;
  /** Removes what was written, unless it is complete. */
  abandon(): Promise<void>;
}

/** Throws a usage error or a file error where the sheet cannot be given back: nothing was sent or written then. */
export async function openSheetOutput(
  source: Source,
  { file, isInPlace }: SheetTarget,
  flag: string,
  context: Context,
): Promise<OpenedSheet> {
  await ensureForm(source, isInPlace ? undefined : file, flag);
  const places = await findRows(source);
  const target = isInPlace ? await findRealPath(file) : file;
  const permissionsOf = await stat(source.name).then(
    (found) => (found.isFile() ? source.name : undefined),
    () => undefined,
  );
  let output = await context.openOutput(target, { permissionsOf, flag: isInPlace ? undefined : flag });
  const isFile = await stat(target).then(
    (found) => found.isFile(),
    () => true,
  );
  const realPath = await findRealPath(target);
  // It can be written. An import may take long, and one that is killed leaves no part of a file behind.
  if (isFile) await output.abandon();
  let kept: string | undefined;
  const keep = async () => {
    const earlier = await keepSheet(target, source.bytes, file, context);
    kept = earlier.name;
    return earlier;
  };
  return {
    get kept() {
      return kept;
    },
    async write({ values }) {
      if (isFile)
        output = await context.openOutput(target, {
          permissionsOf,
          ...(isInPlace ? { keep } : {}),
          realPath,
        });
      let lost: string | undefined;
      const narrow = new Set<SortedPart>();
      const notes = {
        onLost: (character: string) => {
          lost ??= character;
        },
        onNarrow: (what: SortedPart) => narrow.add(what),
      };
      try {
        let [size, isSame] = [0, true];
        for await (const piece of fill(source, places, values, notes)) {
          isSame &&= piece.equals(source.bytes.subarray(size, size + piece.length));
          size += piece.length;
          await output.write(piece);
        }
        // An old sheet that is the new one, too, is of no use.
        if (isInPlace && isSame && size === source.bytes.length) await output.abandon();
        else await output.finish();
      } catch (error) {
        await output.abandon().catch(() => {});
        throw error;
      }
      if (lost !== undefined) context.messages.warn(describeLost(file, source, lost));
      for (const what of narrow) context.messages.warn(describeNarrow(file, what));
    },
    abandon: () => output.abandon(),
  };
}

function describeLost(file: string, { facts }: Source, character: string): string {
  const encoding = facts.encoding.toUpperCase();
  return `${file}: characters that courier does not write in ${encoding}, such as “${character}”, are written as ${escapeCharacter(character)}; save the sheet as “CSV UTF-8” to have them as they are`;
}

const narrowWords: Readonly<Record<SortedPart, { readonly fact: string; readonly remedy: string }>> = {
  filter: { fact: "the filter ends before the new columns", remedy: "set the filter anew over all columns" },
  table: { fact: "the table does not have the new columns", remedy: "extend the table over them" },
};

/** The numbers would stand beside other rows after that. */
function describeNarrow(file: string, what: SortedPart): string {
  const { fact, remedy } = narrowWords[what];
  return `${file}: ${fact}, and a sort by it leaves them where they are: ${remedy} before you sort`;
}

/** A new file has the form of the sheet, so its name must say the same. */
async function ensureForm(
  { bytes, facts, name }: Source,
  file: string | undefined,
  flag: string,
): Promise<void> {
  const { form } = facts;
  if (form === "json" || form === "ndjson")
    throw usageError(
      `columns can be added to CSV and .xlsx, and ${name} is ${form.toUpperCase()}`,
      "the report has the tracking numbers: add --json",
    );
  if (file === undefined) return;
  if (form === "csv") {
    ensureWritableName(flag, file, { input: name });
    ensurePromisedForm(flag, file, name, form);
    return;
  }
  const { findKind } = await import("./fill-workbook.ts");
  const { kind, ending } = await findKind(bytes, name);
  const given = path.extname(file);
  if (given.toLowerCase() === `.${ending}`) return;
  throw usageError(
    `${name} is ${kind}, and stays one: ${file} must end in .${ending}`,
    `use ${flag} ${shellQuote(proposeName(file.slice(0, file.length - given.length), ending, name))}`,
  );
}

/** The part of a workbook that is written anew; it is loaded for a workbook alone. */
async function openPart({ bytes, name, sheet }: Source) {
  if (sheet === undefined) return undefined;
  const { openSheetPart } = await import("./fill-workbook.ts");
  return openSheetPart(bytes, name, sheet);
}

interface RowPlaces {
  readonly part: Awaited<ReturnType<typeof openPart>>;
  readonly header: SheetRow;
  readonly columns: readonly WrittenColumn[];
  /** By the number of the row: the line of the file, or the row of the workbook's sheet. */
  readonly lines: ReadonlyMap<number, number>;
  /** Loaded before anything is sent: an update may take the files of the program away meanwhile. */
  readonly csvRecord: typeof import("../../terminal/csv.ts").csvRecord;
}

/** Reads the sheet again and finds each of its rows in the bytes. */
async function findRows(source: Source): Promise<RowPlaces> {
  const finder = source.table ? undefined : createRecordFinder(source, source.name);
  let header: SheetRow | undefined;
  const lines = new Map<number, number>();
  const onHeader = (_layout: unknown, _above: unknown, row: SheetRow) => {
    header = { ...row, line: finder?.find(row) ?? row.line };
  };
  const onLine = (row: NumberedRow) => {
    const line = finder?.find(row) ?? row.line;
    // Cells added to it would make its number of cells right, and the row seem so.
    if (row.misfit) return;
    lines.set(row.row, line);
  };
  for await (const _ of readRows({ ...source, onHeader, onLine }));
  if (!header) throw new Error("the sheet has no header");
  const part = await openPart(source);
  const width = Math.max(header.cells.length, (await part?.countColumns()) ?? 0);
  const { csvRecord } = await import("../../terminal/csv.ts");
  return {
    part,
    header,
    columns: placeColumns(header.cells, width, source.facts.encoding),
    lines,
    csvRecord,
  };
}

interface FillNotes {
  readonly onLost: (character: string) => void;
  readonly onNarrow: (what: SortedPart) => void;
}

async function* fill(
  source: Source,
  { part, header, columns, lines, csvRecord }: RowPlaces,
  values: ReadonlyMap<number, RowValues>,
  { onLost, onNarrow }: FillNotes,
): AsyncGenerator<Buffer> {
  const byLine = new Map([...lines].map(([row, line]) => [line, values.get(row)]));
  if (part) return yield* part.fill({ columns, headerRow: header.line, rows: byLine, onNarrow });
  const { delimiter } = source.facts;
  const writeCell = (text: string) => csvRecord([text], delimiter).replace(/\r?\n$/, "");
  yield* fillCsv(source, { columns, headerLine: header.line, lines: byLine, writeCell, noteLost: onLost });
}

/**
 * Gives the old sheet a second name, the last thing before the new one takes its place. Throws where another program has
 * changed it: what is read and checked earlier could be saved again until then.
 */
async function keepSheet(
  target: string,
  bytes: Buffer,
  shown: string,
  { messages }: Context,
): Promise<EarlierFile> {
  const changed = () =>
    fileError(`${shown} was changed by another program meanwhile, and is left as it is`, {
      hint: "save and close it in the other program, then run the same command again",
    });
  // A pipe that has come to its place would be waited for.
  const before = await stat(target, { bigint: true }).catch(() => undefined);
  const now =
    before && !before.isFile()
      ? undefined
      : await readFile(target).catch((error) => {
          const isGone = systemCode(error) === "ENOENT";
          const what = isGone
            ? "was deleted or moved meanwhile"
            : `cannot be read: ${explainSystemError(error)}`;
          const first = isGone ? "put the sheet back under its name" : "make it readable";
          throw fileError(`${shown} ${what}`, {
            hint: `${first}, then run the same command again`,
            cause: error,
          });
        });
  if (!now?.equals(bytes)) throw changed();
  const kept = await keepEarlier(target, ".bak", messages.warn).catch((error) => {
    throw new CourierError("unwritten", 5, `${target}.bak cannot be written: ${explainSystemError(error)}`, {
      hint: "the sheet is as it was",
      cause: error,
    });
  });
  const after = await stat(target, { bigint: true }).catch(() => undefined);
  if (after?.ino === before?.ino && after?.mtimeNs === before?.mtimeNs) return kept;
  await kept.drop();
  throw changed();
}
