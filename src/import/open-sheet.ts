/** Which sheet of a workbook is imported, and whether its hidden rows are: flags decide, or a person is asked. */

import type { Context } from "../command/command.ts";
import { fileError, usageError } from "../core/errors.ts";
import { inQuotes } from "../core/shell-quote.ts";
import { suggest } from "../core/suggest.ts";
import { byCount, counted } from "../core/wording.ts";
import type { OnFirstRows, SheetTable } from "../sheets/sheet-table.ts";
import { fingerprintOf, openWorkbook, type Workbook, type Worksheet } from "../sheets/workbook.ts";

export interface SheetChoice {
  /** A sheet's name, or its number among the tabs that are shown, from 1. */
  readonly sheet?: string | undefined;
  readonly skipHidden?: boolean | undefined;
  readonly includeHidden?: boolean | undefined;
}

export interface OpenedSheet {
  readonly sheet: string;
  /** Of the file and the name of the sheet. */
  readonly fingerprint: string;
  readonly table: { read(): ReturnType<SheetTable["read"]> } & Pick<
    SheetTable,
    "filledDown" | "columnsBeyond"
  >;
}

/** Throws a usage error where a choice is left to make and no one can be asked, and a file error for other files. */
export async function openSheet(
  bytes: Buffer,
  name: string,
  choice: SheetChoice,
  onFirstRows: OnFirstRows,
  context: Context,
): Promise<OpenedSheet> {
  const workbook = await openWorkbook(bytes, name, context.signal);
  const { sheet: given } = choice;
  const sheet =
    given === undefined ? await findSheet(workbook, name, context) : findNamed(workbook, name, given);
  const table = await workbook.readTable(sheet, onFirstRows);
  const withHidden = table.hiddenRows > 0 && (await decideHidden(table, name, choice, context));
  for (const note of describeTable(table)) context.messages.note(note);
  const { filledDown, columnsBeyond } = table;
  return {
    sheet: sheet.name,
    fingerprint: fingerprintOf(bytes, sheet.name),
    table: { read: () => table.read({ withHidden }), filledDown, columnsBeyond },
  };
}

/** The one sheet with rows, or the one that is chosen. Hidden sheets are read by name only. */
async function findSheet(workbook: Workbook, name: string, context: Context): Promise<Worksheet> {
  const withRows: Worksheet[] = [];
  const hidden: Worksheet[] = [];
  for (const sheet of workbook.sheets)
    if ((await workbook.countRows(sheet, 1)) > 0) (sheet.isHidden ? hidden : withRows).push(sheet);
  const [only, ...others] = withRows;
  if (!only && hidden[0])
    throw fileError(`${name} has rows in hidden sheets only: ${hidden.map(describeName).join(", ")}`, {
      hint: `${sheetFlag(hidden[0])} reads ${byCount(hidden.length, "it", "one of them")}`,
    });
  if (!only) throw fileError(`${name} has no rows`);
  if (hidden[0]) {
    const names = hidden.map(describeName).join(", ");
    context.messages.note(
      `not read: the hidden ${byCount(hidden.length, "sheet", "sheets")} ${names}; ${sheetFlag(hidden[0])} reads ${byCount(hidden.length, "it", "one")}`,
    );
  }
  if (others.length === 0) return only;
  const choices: { value: Worksheet; label: string }[] = [];
  for (const sheet of withRows) {
    const rows = counted(await workbook.countRows(sheet), "row");
    choices.push({ value: sheet, label: `${sheet.name} (${rows})` });
  }
  const prompts = await context.prompts();
  if (prompts) return prompts.choose(`${name} has several sheets with rows. Import which one?`, choices);
  throw usageError(
    `${name} has several sheets with rows: ${choices.map(({ label }) => label).join(", ")}`,
    `choose one with --sheet, for example ${sheetFlag(only)}`,
  );
}

function findNamed({ sheets }: Workbook, name: string, given: string): Worksheet {
  const found =
    sheets.find((sheet) => sheet.name === given) ??
    sheets.find(({ tab }) => tab > 0 && String(tab) === given);
  if (found) return found;
  const names = sheets.map((sheet) => sheet.name);
  const nearest = suggest(given, names);
  throw usageError(
    `--sheet: ${name} has no sheet ${given}`,
    nearest === undefined
      ? `its sheets: ${names.join(", ")}`
      : `did you mean --sheet ${inQuotes(nearest)}? Its sheets: ${names.join(", ")}`,
  );
}

async function decideHidden(
  table: SheetTable,
  name: string,
  { skipHidden, includeHidden }: SheetChoice,
  context: Context,
): Promise<boolean> {
  if (includeHidden) return true;
  const { hiddenRows, rowCount, isFiltered } = table;
  const hidden = `${hiddenRows} of ${counted(rowCount, "row")} ${byCount(hiddenRows, "is", "are")} hidden${isFiltered ? " by a filter" : ""}`;
  if (skipHidden) {
    context.messages.note(`${name}: ${hidden}, and left out`);
    return false;
  }
  const prompts = await context.prompts();
  if (prompts) return prompts.confirm(`${hidden}. Ship ${byCount(hiddenRows, "it", "them")} too?`, false);
  throw usageError(
    `${name}: ${hidden}`,
    "--skip-hidden leaves hidden rows out; --include-hidden imports them like the others",
  );
}

/** What a person may not expect of the rows. */
function describeTable(table: SheetTable): string[] {
  const { formulas, hiddenAbove, hiddenColumns, unusualFormats, firstUnusual } = table;
  const notes: string[] = [];
  if (formulas > 0)
    notes.push(
      byCount(
        formulas,
        "1 cell is a formula; its last saved value is used",
        `${formulas} cells are formulas; their last saved values are used`,
      ),
    );
  if (hiddenAbove > 0) notes.push(`not read: ${counted(hiddenAbove, "hidden row")} above the header`);
  if (hiddenColumns.length > 0)
    notes.push(`hidden columns are read like the others: ${hiddenColumns.join(", ")}`);
  if (firstUnusual)
    notes.push(
      `${counted(unusualFormats, "number")} ${byCount(unusualFormats, "is", "are")} shown in a format of ${byCount(unusualFormats, "its", "their")} own; the digits themselves are used (${firstUnusual.cell}: ${firstUnusual.code})`,
    );
  return notes;
}

function describeName({ name }: Worksheet): string {
  return `“${name}”`;
}

function sheetFlag({ name }: Worksheet): string {
  return `--sheet ${inQuotes(name)}`;
}
