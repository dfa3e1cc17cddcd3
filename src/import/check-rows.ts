/** Validates all rows of an import before anything is sent. */

import { hash } from "node:crypto";
import type { Context } from "../command/command.ts";
import { type CourierError, fileError } from "../core/errors.ts";
import { byCount, counted } from "../core/wording.ts";
import type { Json } from "../model/json.ts";
import { findText } from "../sheets/mojibake.ts";
import type { SheetRow } from "../sheets/sheet.ts";
import type { Encoding } from "../sheets/source.ts";
import { line, table } from "../terminal/blocks.ts";
import type { Layout } from "./columns/layout.ts";
import { createUntitledColumns } from "./columns/outside-columns.ts";
import { createCompactHashMap } from "./compact-hash-map.ts";
import type { NumberedRow } from "./numbered-rows.ts";
import type { RowProblem } from "./order-record.ts";
import { createReadingNotes, type ReadingNotes } from "./reading-notes.ts";
import { createRowWarnings, type RowWarning } from "./row-warnings.ts";
import { type CheckedRow, type ImportRow, type RowsOptions, readRows } from "./rows.ts";

/** Facts about the whole file. */
export interface Overview {
  /** Orders: several lines of one order count once. */
  readonly rows: number;
  /** What these are called: orders, where one has several rows. */
  readonly noun: "row" | "order";
  /** Rows of the file that they are made of, those of wrong orders included. */
  readonly fileRows: number;
  readonly reading: ReadingNotes;
  /** How many rows have a ref. */
  readonly refs: number;
  /** How many rows have each service level; "" is none. */
  readonly serviceLevels: ReadonlyMap<string, number>;
  /** Names of the first few different senders. */
  readonly senders: ReadonlySet<string>;
  /** How many other senders there are. */
  readonly otherSenders: number;
  /** The header of a CSV file. */
  readonly header: readonly string[];
  /** The column of a CSV file that each field comes from. */
  readonly columns: ReadonlyMap<string, string>;
  /** Columns that match no field of an order; those without a title by their letters, where they hold something. */
  readonly unused: readonly string[];
  readonly encoding: Encoding;
  /** A text of the file with characters beyond ASCII, which shows whether the encoding is right. */
  readonly sample: string | undefined;
  hasRef(ref: string): boolean;
  /** Whether a valid row has this number. */
  hasRow(number: number): boolean;
  /** How many rows without a ref have this content. */
  countOf(content: string): number;
  /** Rows that have the number of an order in their cells, in the order of the file. */
  readonly numberedRows: readonly NumberedRow[];
  /** Hash of the contents of all rows; it does not depend on their order. Empty where there is none. */
  readonly rowsHash: string;
  /** The first row that can be sent. */
  readonly first: ImportRow | undefined;
  readonly warnings: readonly RowWarning[];
  /** The rows that cannot be sent: those with mistakes, and those that `spoiled` has. */
  readonly wrong: Findings;
  /** The rows with mistakes. */
  readonly mistaken: Findings;
  /** Rows that are right, and must not be sent without a wrong one: their numbers, and why. */
  readonly spoiled: ReadonlyMap<number, string>;
}

/** Rows, or orders, of the file, those that are wrong included. */
export function countAll({ rows, wrong }: Overview): number {
  return rows + wrong.wrong;
}

const problemsShown = 50;
const problemsKept = 1_000;
/** So many rows after the first problem, a person has waited for it. */
const rowsBeforeNote = 2_000;
const sendersKept = 20;

/** Reads every row, and finds out what is wrong. */
export async function checkRows(options: RowsOptions, context: Context): Promise<Overview> {
  const spoiled = new Map<number, string>();
  const overview = await readAll(options, spoiled, context);
  if (spoiled.size === 0) return overview;
  // Rows before a wrong one were counted as right.
  return { ...(await readAll(options, spoiled, context)), mistaken: overview.mistaken };
}

async function readAll(
  options: RowsOptions,
  spoiled: Map<number, string>,
  context: Context,
): Promise<Overview> {
  const problems: RowProblem[] = [];
  const serviceLevels = new Map<string, number>();
  const senders = new Set<string>();
  const otherSenders = createCompactHashMap();
  const numberedRows: NumberedRow[] = [];
  let header: readonly string[] = [];
  const { encoding } = options.facts;
  const sample = createSample();
  let unused: readonly string[] = [];
  let columns: Overview["columns"] = new Map();
  const tallies = new Map<string, number>();
  let count = 0;
  let fileRows = 0;
  /** Up to this one, the numbers of rows are those of the orders. */
  let plainRows = 0;
  let wrong = 0;
  let firstWrong = Number.POSITIVE_INFINITY;
  let refs = 0;
  let sum = 0n;
  const [refTable, contents, numbers] = [
    createCompactHashMap(),
    createCompactHashMap(),
    createCompactHashMap(),
  ];
  const reading = createReadingNotes();
  const untitled = createUntitledColumns();
  const warnings = createRowWarnings(options.sender !== undefined);
  const onHeader = (layout: Layout, above: readonly SheetRow[]) => {
    header = layout.names;
    unused = layout.unused;
    columns = layout.columns;
    reading.noteHeader(layout, above);
    warnings.noteHeader(layout);
    untitled.noteHeader(layout);
  };
  let first: ImportRow | undefined;
  const isAgain = spoiled.size > 0;
  for await (const read of readRows({ ...options, onHeader, onLine: untitled.noteRow, tally: reading })) {
    const checked = withSpoiled(read, spoiled);
    count += 1;
    const { rows: ofOrder = [0] } = "ok" in checked ? checked.ok : checked;
    fileRows += ofOrder.length;
    if (encoding !== "utf-8") sample.note("ok" in checked ? checked.ok : checked);
    if (count === firstWrong + rowsBeforeNote && problems[0] && !isAgain && !options.hasNotedProblem)
      noteProblem(problems[0], context);
    if ("problems" in checked) {
      wrong += 1;
      firstWrong = Math.min(firstWrong, count);
      if (problems.length < problemsKept) problems.push(...checked.problems);
      if (checked.spoils && !isAgain) spoiled.set(checked.spoils.row, checked.spoils.reason);
      for (const kind of checked.problems.map(kindOf))
        if (tallies.has(kind) || tallies.size < problemsKept) tallies.set(kind, (tallies.get(kind) ?? 0) + 1);
      continue;
    }
    const { row, rows, position, draft, ref, content, formerContents, writtenNumbers } = checked.ok;
    first ??= checked.ok;
    warnings.noteRow(checked.ok);
    if (row === position) plainRows = row;
    else numbers.set(String(row), 1);
    if (ref === undefined) contents.set(content, (contents.get(content) ?? 0) + 1);
    else refTable.set(ref, 1);
    if (ref !== undefined) refs += 1;
    if (writtenNumbers) numberedRows.push({ row, rows, ref, content, formerContents, writtenNumbers });
    sum = BigInt.asUintN(128, sum + BigInt(`0x${hash("sha256", content).slice(0, 32)}`));
    const level = draft.service_type ?? "";
    serviceLevels.set(level, (serviceLevels.get(level) ?? 0) + 1);
    const sender = draft.sender?.name ?? "-";
    if (senders.size < sendersKept) senders.add(sender);
    else if (!senders.has(sender)) otherSenders.set(sender, 1);
  }
  if (count === 0 && reading.skipped.size === 0) throw fileError(`${options.name} has no rows`);
  const ofAll = new Set(
    [...tallies].flatMap(([kind, times]) => (count > 1 && times === count ? [kind] : [])),
  );
  return {
    rows: count - wrong,
    noun: fileRows > count ? "order" : "row",
    fileRows,
    reading,
    refs,
    serviceLevels,
    senders,
    otherSenders: otherSenders.size,
    header,
    columns,
    unused: [...unused, ...untitled.names(options.table?.columnsBeyond ?? [])],
    encoding,
    sample: sample.find(header),
    hasRef: (ref) => refTable.has(ref),
    hasRow: (number) => number <= plainRows || numbers.has(String(number)),
    countOf: (content) => contents.get(content) ?? 0,
    numberedRows,
    rowsHash: count > wrong ? `${count - wrong}:${sum.toString(16)}` : "",
    first,
    warnings: warnings.all(),
    wrong: { problems, ofAll, wrong, count },
    mistaken: { problems, ofAll, wrong, count },
    spoiled,
  };
}

function noteProblem(problem: RowProblem, { messages }: Context): void {
  messages.note(`${describeProblem(problem)}; checking the other rows`);
}

/**
 * Shows the first mistake of some rows, while the others are not known. What is missing in a row may be in a merged
 * cell, so only a text that is wrong counts. False where there is none.
 */
export async function noteFirstProblem(first: RowsOptions, context: Context): Promise<boolean> {
  for await (const checked of readRows(first)) {
    const problem =
      "ok" in checked ? undefined : checked.problems.find(({ cell, value }) => cell && value !== "");
    if (!problem) continue;
    noteProblem(problem, context);
    return true;
  }
  return false;
}

function withSpoiled(checked: CheckedRow, spoiled: ReadonlyMap<number, string>): CheckedRow {
  const reason = "ok" in checked ? spoiled.get(checked.ok.row) : undefined;
  if (!("ok" in checked) || reason === undefined) return checked;
  const { row, line } = checked.ok;
  return { ...checked.ok, problems: [{ row, line, column: "", value: "", message: reason }] };
}

/** The rows again, from the same bytes, those that are wrong included. */
export async function* readAgain(source: RowsOptions, { spoiled }: Overview): AsyncGenerator<CheckedRow> {
  for await (const checked of readRows(source)) yield withSpoiled(checked, spoiled);
}

const isBeyondAscii = (text: string) => /[^\u0020-\u007e]/.test(text);

/** Takes the first name of a receiver, else the first cell, else a title: the sender may be of the address book. */
function createSample() {
  let [name, cell]: (string | undefined)[] = [];
  return {
    note({ draft, raw }: Pick<ImportRow, "draft" | "raw">): void {
      name ??= findText({ name: draft.receiver?.name ?? "" }, isBeyondAscii)?.text;
      cell ??= findText("value" in raw ? raw.value : [...raw.cells], isBeyondAscii)?.text;
    },
    find: (header: readonly string[]) => name ?? cell ?? header.find(isBeyondAscii),
  };
}

/** The encoding with a sample of the text; empty for UTF-8. */
export function describeEncoding({ encoding, sample }: Pick<Overview, "encoding" | "sample">): string {
  if (encoding === "utf-8") return "";
  const name = encoding.toUpperCase();
  return sample === undefined ? name : `${name}, such as “${sample}”; if that is wrong, use --encoding`;
}

function describeProblem({ row, line: number, cell, column, value, message }: RowProblem): string {
  const place = `row ${row}, ${cell ?? `line ${number}`}`;
  const what = [column, value === "" ? "" : `“${shorten(value)}”`].filter((text) => text !== "").join(" ");
  return what === "" ? `${place}: ${message}` : `${place}, ${what}: ${message}`;
}

/** A long value, such as the zero bytes at the end of a damaged file, is shown by its beginning; JSON has all of it. */
function shorten(value: string): string {
  if (value.length <= longestShown) return value;
  return `${value.slice(0, longestShown)}… (${value.length} characters)`;
}

const longestShown = 200;
const alsoOutShown = 3;

/** Problems of one kind have the same fix. */
function kindOf({ column, message }: RowProblem): string {
  return `${column}\n${message}`;
}

export interface Findings {
  readonly problems: readonly RowProblem[];
  /** Kinds that occur in every row. */
  readonly ofAll: ReadonlySet<string>;
  readonly wrong: number;
  readonly count: number;
}

/** Shows the problems, those of all rows once. Returns the error with the next step. */
export async function describeWrong(
  { name, table: sheetTable }: RowsOptions,
  { rows, noun, spoiled, mistaken: { problems, ofAll, wrong, count } }: Overview,
  context: Context,
): Promise<CourierError> {
  const isOfAll = (problem: RowProblem) => ofAll.has(kindOf(problem));
  const shared = problems.filter((problem) => problem.row === problems[0]?.row && isOfAll(problem));
  const own = problems.filter((problem) => !isOfAll(problem));
  const shown = [...shared, ...own].slice(0, problemsShown);
  const columns = [
    {
      path: "row",
      title: "ROW",
      cell: (problem: RowProblem) => (isOfAll(problem) ? "all" : String(problem.row)),
      align: "right" as const,
    },
    sheetTable
      ? {
          path: "cell",
          title: "CELL",
          cell: (problem: RowProblem) => (isOfAll(problem) ? "-" : (problem.cell ?? "-")),
        }
      : {
          path: "line",
          title: "LINE",
          cell: (problem: RowProblem) => (isOfAll(problem) ? "-" : String(problem.line)),
          align: "right" as const,
        },
    { path: "column", title: "COLUMN", cell: ({ column }: RowProblem) => column },
    { path: "value", title: "VALUE", cell: ({ value }: RowProblem) => shorten(value), flexible: true },
    { path: "message", title: "PROBLEM", cell: ({ message }: RowProblem) => message },
  ];
  const rest = shared.length + own.length - shown.length;
  await context.display([table(columns, shown), ...(rest > 0 ? [line(`and ${rest} more`)] : [])]);
  const lacksSender = (count === 1 ? own : shared).some(
    ({ column, message }) => column === "sender" && message.startsWith("the row has no"),
  );
  const alsoOut = [...spoiled].map(([row, reason]) => `row ${row} is left out too: ${reason}`);
  const more = alsoOut.length > alsoOutShown ? [`and ${alsoOut.length - alsoOutShown} more`] : [];
  // What is sent of them, only the ledger knows: others were shipped or refused before.
  const others = [byCount(rows, "other", "others"), ...alsoOut.slice(0, alsoOutShown), ...more].join("; ");
  const skip = rows > 0 ? `, or add --skip-wrong to import the ${others}` : "";
  const isAllThatLacks = lacksSender && shared.length + own.length === 1;
  const steps = [
    ...(lacksSender
      ? ["add --sender @NAME, which is the sender of all rows", "courier addresses add NAME saves it"]
      : []),
    ...(isAllThatLacks ? [] : [`fix these rows and run the same command again${skip}`]),
  ];
  return fileError(`${name}: ${wrong} of ${counted(count, noun)} ${byCount(wrong, "is", "are")} wrong`, {
    hint: `nothing was sent; ${steps.join("; ")}`,
    details: problems.map((problem) => ({ ...problem })) as Json,
  });
}
