/** The rows of an import: streams a file's records as validated drafts, with what makes each one known again. */

import { fileError } from "../core/errors.ts";
import { suggest } from "../core/suggest.ts";
import { counted, withArticle } from "../core/wording.ts";
import type { FormerIdentity, MarkedDoubt, OrderAbove } from "../ledger/row-to-send.ts";
import { type Draft, type DraftParty, draftSchema } from "../model/draft.ts";
import { getField, orderPaths } from "../model/fields.ts";
import { isJsonNumber, isJsonObject, type Json, type JsonObject, stringifyJson } from "../model/json.ts";
import { nestKey } from "../model/nested-key.ts";
import { contentsOf } from "../model/same-order.ts";
import { check, extend, optional, textSchema } from "../model/schema.ts";
import { findTextProblems } from "../model/text-problem.ts";
import { nameCell, readAddress } from "../sheets/cell-address.ts";
import { quoteFormulaTexts } from "../sheets/formula-texts.ts";
import { readElements, readObjects } from "../sheets/json-rows.ts";
import { findLostText, lostTextError } from "../sheets/lost-text.ts";
import { createMojibakeCheck } from "../sheets/mojibake.ts";
import { boundColumns } from "../sheets/row-limit.ts";
import { readSheet, refuseJoined, type SheetRow } from "../sheets/sheet.ts";
import { type Content, readText, type SourceFacts } from "../sheets/source.ts";
import { ensureNoOrder } from "./columns/columns.ts";
import type { FormerRecord } from "./columns/former-reading.ts";
import { findHeaderProblem } from "./columns/header-problem.ts";
import { findHeader, hasGap, isHeaderBelow, isTitleRow, unclearHeader } from "./columns/header-row.ts";
import type { Layout } from "./columns/layout.ts";
import { findOutsideColumns, isOutsideTable } from "./columns/outside-columns.ts";
import { readLayout } from "./columns/read-layout.ts";
import { createTitleReader } from "./columns/title-words.ts";
import { createCompactHashMap } from "./compact-hash-map.ts";
import type { NumberedRow, OrderRecord, ReadingTally, RowProblem, SkippedFacts } from "./order-record.ts";
import { type RawRecord, toRawRecord } from "./raw-record.ts";
import { readOrders } from "./sheet-records.ts";
import { countOwnColumns, createNumberReader, findMarkedDoubt } from "./write-back/titles.ts";

const rowSchema = extend(draftSchema(), { ref: optional(textSchema) });

/** What the first versions recorded of an order. */
function recordedOf(draft: Draft): string {
  const { content, formerContent = content } = contentsOf(draft);
  return formerContent;
}

export interface ImportRow {
  /** The record's number in the file, from 1, without the header; in a workbook, the row of the sheet. */
  readonly row: number;
  /** All rows of an order that has several. */
  readonly rows?: readonly number[];
  readonly line: number;
  /** Its place among the rows that are read, from 1. */
  readonly position: number;
  /** The user's own order number, where the file has one. */
  readonly ref: string | undefined;
  readonly otherNumbers?: readonly string[] | undefined;
  readonly draft: Draft;
  /** Parts of the draft that come from a default, not from the row. */
  readonly defaults: readonly string[];
  /** Equal for equal orders. */
  readonly content: string;
  /** What earlier versions recorded of the same data, where that is another text. */
  readonly formerContents?: readonly string[] | undefined;
  /** As earlier versions split its addresses, where that is something else. */
  readonly formerDrafts?: readonly Draft[] | undefined;
  /** The identities that earlier versions of courier gave it, where they are others. */
  readonly former?: readonly FormerIdentity[];
  /** Its number among equal rows without a ref, from 1. */
  readonly occurrence: number;
  /** The record as the file has it, for the file of rejects. */
  readonly raw: RawRecord;
  /** The tracking and order numbers that an earlier write-back wrote into the sheet. */
  readonly writtenNumbers?: readonly string[] | undefined;
  /** The operation in doubt that an earlier write-back named beside the row. */
  readonly markedDoubt?: MarkedDoubt | undefined;
  /** Without a ref: the order with a ref that is directly above it. */
  readonly below?: OrderAbove | undefined;
  /** Some of its goods have a number of pieces and others none, so it has none. */
  readonly lacksPieces?: boolean | undefined;
  /** The file says not to send it. */
  readonly skipped?: SkippedFacts | undefined;
}

export type CheckedRow = { readonly ok: ImportRow } | WrongRow;

/** A row that cannot be sent. */
export interface WrongRow
  extends Pick<ImportRow, "row" | "rows" | "line" | "position" | "ref" | "raw" | "skipped"> {
  readonly problems: readonly RowProblem[];
  /** What was read of it. */
  readonly draft: Draft;
  /** The row of an order that must not be sent without this one, and why. */
  readonly spoils?: { readonly row: number; readonly reason: string } | undefined;
}

export interface RowsOptions {
  readonly content: Content;
  /** The header and the rows of a workbook's sheet, which are read instead of the content. */
  readonly table?:
    | {
        read(): AsyncIterable<SheetRow>;
        readonly filledDown?: readonly string[] | undefined;
        readonly columnsBeyond?: readonly number[] | undefined;
      }
    | undefined;
  /** The user's name for it, for messages. */
  readonly name: string;
  readonly facts: SourceFacts;
  readonly mapping: ReadonlyMap<string, string>;
  /** The sender of rows that have none. */
  readonly sender?: DraftParty | undefined;
  /** The platform that wrote the file, or `none`; without one, its header decides. */
  readonly platform?: string | undefined;
  /** Orders that the file marks as fulfilled are sent like the others. */
  readonly includeFulfilled?: boolean | undefined;
  /** Orders that the file says not to send are read, too. */
  readonly keepsSkipped?: boolean | undefined;
  /** Called with the header of a sheet before the first row, with the rows above it, and with the header's own row. */
  readonly onHeader?: (layout: Layout, above: readonly SheetRow[], header: SheetRow) => void;
  /** Called with every row below the header, in its order, before the order that it belongs to is read. */
  readonly onLine?: ((line: NumberedRow) => void) | undefined;
  readonly tally?: ReadingTally | undefined;
  /** The first mistake is on the screen already. */
  readonly hasNotedProblem?: boolean | undefined;
}

/** Version 2 recorded the content in either form. */
function identitiesOf({ reading, ref, draft }: FormerRecord): readonly FormerIdentity[] {
  if (reading === undefined) return [{ ref, content: recordedOf(draft) }];
  const { content, formerContent } = contentsOf(draft);
  return [content, formerContent ?? content].map((each) => ({ reading, ref, content: each }));
}

/** Reads and validates the file row by row; memory does not grow with the file. */
export async function* readRows(options: RowsOptions): AsyncGenerator<CheckedRow> {
  const [occurrences, refs] = [createCompactHashMap(), createCompactHashMap()];
  let position = 0;
  /** The row of the last order, where it has a ref. */
  let above: number | undefined;
  /** The same where it is right, and no other row is between it and the next one. */
  let directlyAbove: (OrderAbove & { readonly lastRow: number }) | undefined;
  let columns: Layout["columns"] = new Map();
  let hasLines = false;
  const onHeader: RowsOptions["onHeader"] = (layout, aboveHeader, header) => {
    columns = layout.columns;
    hasLines = layout.preset?.hasLines === true;
    options.onHeader?.(layout, aboveHeader, header);
  };
  for await (const record of readRecords({ ...options, onHeader })) {
    const apart = record.isHidden ? noteHidden(record) : undefined;
    if (apart) yield apart;
    if (record.isHidden) continue;
    position += 1;
    if (!record.skipped) refuseLost(record);
    yield finish(record);
  }

  /** A hidden order sends nothing; but where an order above has its ref, that one is not whole without it. */
  function noteHidden({ rows, line, ref, draft, raw }: ReadRecord): WrongRow | undefined {
    above = undefined;
    const [row = 0] = rows;
    // Elsewhere an equal ref is no sign of another line: the row may be hidden because it is there twice.
    if (!hasLines || ref === undefined) return undefined;
    const earlier = refs.replace(ref, -row);
    if (earlier === undefined || earlier < 0) return undefined;
    refs.set(ref, row);
    position += 1;
    const message = `hidden, and with the same ref as row ${earlier}: show all rows of the order, or use --include-hidden`;
    return {
      problems: [{ row, line, column: "", value: "", message }],
      ...{ row, ...(rows.length > 1 ? { rows } : {}), line, position, ref, draft, raw },
      spoils: { row: earlier, reason: `row ${row} has the same ref` },
    };
  }

  function refuseLost({ line, draft, problems, rows: [number = 0] }: ReadRecord): void {
    const wrong = Object.fromEntries(problems.map(({ column, value }) => [column, value]));
    const found = findLostText({ ...wrong, ...draft });
    if (!found) return;
    const column = columns.get(found.path) ?? found.path;
    throw lostTextError(options.name, `row ${number} has “${found.text}” in ${column}`, {
      row: number,
      line,
      column,
      value: found.text,
    });
  }

  function finish({
    rows,
    line,
    ref,
    otherNumbers,
    draft,
    raw,
    problems,
    faulty,
    former,
    formerDrafts = [],
    mayBeLine,
    lineOf = mayBeLine ? above : undefined,
    writtenNumbers,
    markedDoubt,
    lacksPieces,
    skipped,
  }: ReadRecord): CheckedRow {
    const [row = 0] = rows;
    const several = rows.length > 1 ? { rows } : {};
    const numbers = { row, ...several, line, position, ref, raw, ...(skipped ? { skipped } : {}) };
    const found = [...problems];
    const withSender = (each: Draft) =>
      each.sender || !options.sender ? each : { sender: options.sender, ...each };
    const whole = withSender(draft);
    for (const part of ["sender", "receiver", "item"] as const) {
      if (!whole[part] && !found.some(({ column }) => column === "" || faulty.has(part))) {
        found.push({ row, line, column: part, value: "", message: `the row has no ${part}` });
      }
    }
    const earlier = ref === undefined ? undefined : refs.replace(ref, row);
    if (ref !== undefined && earlier !== undefined) {
      const apart = hasLines ? "; the rows of one order must follow each other" : "";
      const message =
        earlier < 0 ? `same ref as the hidden row ${-earlier}${apart}` : `same ref as row ${earlier}${apart}`;
      found.push({ row, line, column: "ref", value: ref, message });
    }
    if (found.length > 0) {
      const spoils =
        earlier !== undefined && earlier > 0
          ? { row: earlier, reason: `row ${row} has the same ref` }
          : lineOf !== undefined
            ? { row: lineOf, reason: `row ${row} is wrong, and may be a line of this order` }
            : undefined;
      if (ref !== undefined) above = row;
      return { problems: found, ...numbers, draft: whole, spoils };
    }
    above = ref === undefined ? undefined : row;
    const contents = contentsOf(whole);
    const { content } = contents;
    const split = formerDrafts.map((each) => contentsOf(withSender(each)).content);
    const formerContents = [contents.formerContent ?? [], split].flat();
    const lastRow = rows.at(-1) ?? row;
    const below = ref === undefined && directlyAbove?.lastRow === row - 1 ? directlyAbove : undefined;
    directlyAbove = ref !== undefined ? { ref, content, lastRow } : below && { ...below, lastRow };
    const defaults = whole === draft ? [] : ["sender"];
    const occurrence = ref === undefined ? countUp(content) : 1;
    const known = former
      .flatMap((each) => identitiesOf({ ...each, draft: withSender(each.draft) }))
      .filter((each) => each.ref !== ref || each.content !== content);
    return {
      ok: {
        ...numbers,
        draft: whole,
        defaults,
        content,
        ...(formerContents.length > 0 ? { formerContents, formerDrafts } : {}),
        occurrence,
        ...(otherNumbers?.length ? { otherNumbers } : {}),
        ...(known.length > 0 ? { former: known } : {}),
        ...(writtenNumbers?.length ? { writtenNumbers } : {}),
        ...(markedDoubt ? { markedDoubt } : {}),
        ...(lacksPieces ? { lacksPieces } : {}),
        ...(below ? { below: { ref: below.ref, content: below.content } } : {}),
      },
    };
  }

  function countUp(content: string): number {
    const count = (occurrences.get(content) ?? 0) + 1;
    occurrences.set(content, count);
    return count;
  }
}

type ReadRecord = Omit<OrderRecord, "lines"> & Pick<ImportRow, "raw" | "writtenNumbers" | "markedDoubt">;

async function* readRecords(options: RowsOptions): AsyncGenerator<ReadRecord> {
  const { content, name, facts, table } = options;
  if (table || facts.form === "csv") return yield* readSheetRecords(rowsOf(options), options);
  const text = readText(content, name, facts);
  const elements = facts.form === "json" ? readElements(text, name) : readObjects(text, name);
  const refuseMojibake = facts.isGuessed ? createMojibakeCheck(name) : () => {};
  let row = 0;
  for await (const { line, value } of elements) {
    row += 1;
    refuseMojibake({ value }, [], { row, line });
    yield readJsonRecord(value, row, line);
  }
}

function readJsonRecord(value: Json, row: number, line: number): ReadRecord {
  const raw = { value };
  const base = { rows: [row], line, raw, former: [], mayBeLine: false, isHidden: false };
  if (!isJsonObject(value)) {
    const problem = { row, line, column: "", value: "", message: "a row must be an object" };
    return { ...base, ref: undefined, draft: {}, problems: [problem], faulty: new Set() };
  }
  ensureNoOrder(Object.keys(value), "remove these keys from its objects");
  const { error: _rejected, ...given } = value; // a file of rejects that was fixed
  const { ref: written, ...fields } = given;
  const ref = typeof written === "string" && written.trim() !== "" ? written.trim() : undefined;
  const checked = check(rowSchema, given);
  const problems: RowProblem[] = [];
  if ("mismatches" in checked) {
    for (const mismatch of checked.mismatches) {
      const { path, expected, received } = mismatch;
      const nearest = expected === "no such key" ? suggest(path, orderPaths) : undefined;
      const nested = nestKey(mismatch, nearest);
      const meant = nested ? `; nest it: ${nested}` : nearest ? `; did you mean ${nearest}?` : "";
      const message =
        expected === "no such key"
          ? `no such key${meant}`
          : `must be ${withArticle(expected)}, but is ${received}`;
      problems.push({ row, line, column: path, value: textAt(given, path), message });
    }
  }
  const texts = "value" in checked ? findTextProblems(given) : [];
  problems.push(
    ...texts.map(({ path, value: text, message }) => ({ row, line, column: path, value: text, message })),
  );
  // With problems, only the names of its parts are used.
  const draft = fields as Draft;
  const faulty = new Set(problems.map(({ column }) => column.replace(/\..*/, "")));
  // It was recorded with its blanks before.
  const former = ref !== undefined && ref !== written ? [{ reading: 3, ref: String(written), draft }] : [];
  return { ...base, ref, draft, problems, faulty, former };
}

/** The single value at a dotted path, as text; else empty. */
function textAt(fields: JsonObject, path: string): string {
  const value = getField(fields, path);
  if (typeof value === "string") return value;
  return isJsonNumber(value) || typeof value === "boolean" ? stringifyJson(value) : "";
}

/** The first rows of a sheet, the header among them; undefined for JSON. */
export async function readFirstRows(
  options: RowsOptions,
  count: number,
): Promise<readonly SheetRow[] | undefined> {
  if (!options.table && options.facts.form !== "csv") return undefined;
  const first: SheetRow[] = [];
  for await (const row of readShownRows(options)) {
    if (isHeaderBelow(first, options)) boundColumns(row.cells, options.name, row.line);
    first.push(row);
    if (first.length >= count) break;
  }
  return first;
}

/** All rows of a sheet that are shown, the header among them. */
export async function* readShownRows(options: RowsOptions): AsyncGenerator<SheetRow> {
  for await (const row of rowsOf(options)) if (!row.isHidden) yield row;
}

function rowsOf({ content, name, facts, table }: RowsOptions): AsyncIterable<SheetRow> {
  if (table) return table.read();
  const text = readText(content, name, facts);
  return readSheet(facts.isUnquoted ? text : quoteFormulaTexts(text), facts, name);
}

/** The rows of a sheet as orders: the first row is the header, or one of the next below titles and notes. */
async function* readSheetRecords(
  rows: AsyncIterable<SheetRow>,
  options: RowsOptions,
): AsyncGenerator<ReadRecord> {
  const source = rows[Symbol.asyncIterator]();
  try {
    yield* readTable(source, options);
  } finally {
    await source.return?.();
  }
}

async function* readTable(source: AsyncIterator<SheetRow>, options: RowsOptions): AsyncGenerator<ReadRecord> {
  const { name, facts, mapping, platform, table, tally } = options;
  const choice = { mapping, platform };
  const first: SheetRow[] = [];
  const shown: SheetRow[] = [];
  while (isHeaderBelow(shown, choice)) {
    const next = await source.next();
    if (next.done) break;
    first.push(next.value);
    if (next.value.isHidden) continue;
    boundColumns(next.value.cells, name, next.value.line);
    shown.push(next.value);
  }
  const { index, titles, isInTwoRows, unclear } = findHeader(shown, choice);
  const row = shown[index];
  if (!row) return;
  if (unclear) throw unclearHeader(shown, unclear, options);
  const reader = createTitleReader();
  const hidden = first.find(
    ({ isHidden, cells }) => isHidden && isTitleRow(cells, reader) && hasGap(titles, cells),
  );
  if (hidden) throw unclearHeader([row, hidden], [0, 1], options);
  const header = { ...row, cells: titles };
  const problem = findHeaderProblem(header, options);
  if (problem) throw problem;
  const before = findHeader(shown, { ...choice, version: 2 });
  const widths = [titles.length, countOwnColumns(titles)];
  const ensureSingle = (each: SheetRow) => {
    if (!table) refuseJoined(each, widths, facts.delimiter, name);
  };
  ensureSingle(row);
  const layout = readLayout(titles, choice, name, before.index === index ? before.titles : titles);
  options.onHeader?.(layout, shown.slice(0, isInTwoRows ? index - 1 : index), row);
  const below = first.slice(first.indexOf(row) + 1);
  const refuseUntitled = createUntitledCheck(
    shown.slice(isInTwoRows ? index - 1 : index, index + 1),
    layout,
    name,
  );
  const readWritten = createNumberReader(titles, ["tracking_number", "order_no"]);
  const readErrors = createNumberReader(titles, ["error"]);
  const merged = (table?.filledDown ?? []).filter((range) => lastRow(range) > header.line);
  if (merged.length > 0) tally?.merge(merged);
  const isMerged = mergedCells(merged);
  const orders = readOrders(
    tell(numberRows(below, source, layout, { ...options, ensureSingle, refuseUntitled }), options.onLine),
    {
      layout,
      isWorkbook: table !== undefined,
      includeFulfilled: options.includeFulfilled === true,
      keepsSkipped: options.keepsSkipped === true,
      isMerged,
      tally,
    },
  );
  for await (const record of orders) {
    const raw = toRawRecord(record.lines, layout, isMerged);
    const lines = record.lines.map(({ cells }) => cells);
    const markedDoubt = findMarkedDoubt(readErrors(lines));
    yield { ...record, raw, writtenNumbers: readWritten(lines), markedDoubt };
  }
}

async function* tell(
  rows: AsyncIterable<NumberedRow>,
  onLine: RowsOptions["onLine"],
): AsyncGenerator<NumberedRow> {
  for await (const row of rows) {
    if (!row.isHidden) onLine?.(row);
    yield row;
  }
}

/** The rows below the header with their numbers: those that were read before, and the rest of the source. */
async function* numberRows(
  before: readonly SheetRow[],
  source: AsyncIterator<SheetRow>,
  layout: Layout,
  {
    table,
    facts,
    name,
    ensureSingle,
    refuseUntitled,
  }: RowsOptions & Readonly<Record<"ensureSingle" | "refuseUntitled", (row: SheetRow) => void>>,
): AsyncGenerator<NumberedRow> {
  const { names, preset } = layout;
  const outside = findOutsideColumns(layout);
  const own = countOwnColumns(names);
  const refuseMojibake = facts.isGuessed ? createMojibakeCheck(name) : () => {};
  const waiting = [...before];
  let count = 0;
  for (;;) {
    const row: SheetRow | undefined = waiting.shift() ?? (await source.next()).value;
    if (!row) return;
    ensureSingle(row);
    const { line, cells } = row;
    if (cells.length === 1 && cells[0] === endOfDosFile) continue;
    if (preset?.footer?.test(cells.filter((cell) => cell !== "").join(" "))) continue;
    count += 1;
    const number = table ? line : count;
    refuseMojibake({ cells }, names, { row: number, line });
    if (isOutsideTable(row, outside)) continue;
    refuseUntitled(row);
    if (cells.length === names.length || cells.length === own) yield { ...row, row: number };
    else {
      const width = cells.length > names.length ? names.length : own;
      const misfit = `the row has ${counted(cells.length, "cell")}, but the header ${width}; a cell with a delimiter in it needs quotes`;
      yield { ...row, row: number, misfit: { text: cells.join(facts.delimiter), message: misfit } };
    }
  }
}

/** Refuses a row with a text below a title that has no saved value, or beside a used column whose title is merged over that cell, too. */
function createUntitledCheck(
  header: readonly SheetRow[],
  { names, fields }: Layout,
  name: string,
): (row: SheetRow) => void {
  const used = new Set(fields.flatMap(({ choices }) => choices.flat()));
  const merged = header
    .flatMap(({ cells, across = [] }) =>
      [...across].map(([at, last]) => ({ at, last, title: cells[at]?.trim() })),
    )
    .filter(({ at, title }) => used.has(at) && title === names[at]?.trim());
  const unsaved = header.flatMap(({ faults = [], line }) =>
    [...faults].filter(([at]) => !names[at]?.trim()).map(([at, fault]) => ({ at, fault, line })),
  );
  return ({ cells, line }) => {
    for (const title of unsaved)
      if (cells[title.at]?.trim())
        throw fileError(
          `${name}: the title in ${nameCell({ column: title.at, row: title.line })} ${title.fault}`,
          {
            details: { row: title.line },
          },
        );
    for (const { at, last, title } of merged)
      for (let index = at + 1; index <= last; index++)
        if (!names[index]?.trim() && cells[index]?.trim())
          throw fileError(
            `${name}, row ${line}: “${cells[index]?.trim()}” has no title of its own: “${title}” is merged over several columns`,
            {
              hint: "give each of these columns a title, or write the texts into one cell",
              details: { row: line },
            },
          );
  };
}

/** Old programs write it as the last line. */
const endOfDosFile = "\u001a";

/** 4 of A2:A4. */
const lastRow = (range: string) => readAddress(range.split(":").at(-1) ?? "")?.row ?? 0;

/**
 * Tells whether merged cells, such as A2:A4, make rows of a workbook one. `ranges` come from top to bottom, and may be very
 * many.
 */
function mergedCells(ranges: readonly string[]) {
  const byColumn = new Map<number, { readonly first: number; readonly last: number }[]>();
  for (const range of ranges) {
    const [first, last] = range.split(":").map(readAddress);
    if (!first || !last) continue;
    const merges = byColumn.get(first.column) ?? [];
    byColumn.set(first.column, merges);
    merges.push({ first: first.row, last: last.row });
  }
  return (column: number, one: number, other: number) => {
    const merges = byColumn.get(column) ?? [];
    // Merged cells do not overlap: only the last one that begins above can reach the row.
    let [low, high] = [0, merges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((merges[middle]?.first ?? 0) <= one) low = middle + 1;
      else high = middle;
    }
    return one < other && other <= (merges[low - 1]?.last ?? 0);
  };
}
