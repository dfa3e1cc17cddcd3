/** The rows of an import: streams a file's records as validated drafts. */

import { suggest } from "../core/suggest.ts";
import { withArticle } from "../core/wording.ts";
import { isPlainDecimal } from "../model/decimal.ts";
import { type Draft, type DraftParty, draftSchema } from "../model/draft.ts";
import { orderPaths } from "../model/fields.ts";
import {
  isJsonNumber,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonNumber,
  stringifyJson,
} from "../model/json.ts";
import { contentOf } from "../model/same-order.ts";
import { check } from "../model/schema.ts";
import { findTextProblem, findTextProblems } from "../model/text-problem.ts";
import { nameCell } from "../sheets/cell-address.ts";
import { readElements, readObjects } from "../sheets/json-rows.ts";
import { findLostText, isLostText, lostTextError } from "../sheets/lost-text.ts";
import { createGarbleCheck } from "../sheets/mojibake.ts";
import { readSheet, type SheetRow } from "../sheets/sheet.ts";
import { type Content, readText, type SourceFacts } from "../sheets/source.ts";
import { type ColumnMap, ensureNoOrder, mapColumns } from "./columns.ts";
import { createCompactHashMap } from "./compact-hash-map.ts";

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

export interface ImportRow {
  /** The record's number in the file, from 1, without the header; in a workbook, the row of the sheet. */
  readonly row: number;
  readonly line: number;
  /** Its place among the rows that are read, from 1. */
  readonly position: number;
  /** The user's own order number, where the file has one. */
  readonly ref: string | undefined;
  readonly draft: Draft;
  /** Parts of the draft that come from a default, not from the row. */
  readonly defaults: readonly string[];
  /** Equal for equal orders. */
  readonly content: string;
  /** Its number among equal rows without a ref, from 1. */
  readonly occurrence: number;
  /** The record as the file has it, for the file of rejects. */
  readonly raw: RawRecord;
}

export type RawRecord = { readonly cells: readonly string[] } | { readonly value: Json };
export type CheckedRow = { readonly ok: ImportRow } | { readonly problems: readonly RowProblem[] };

export interface RowsOptions {
  readonly content: Content;
  /** The header and the rows of a workbook's sheet, which are read instead of the content. */
  readonly table?: { read(): AsyncIterable<SheetRow> } | undefined;
  /** The user's name for it, for messages. */
  readonly name: string;
  readonly facts: SourceFacts;
  readonly mapping: ReadonlyMap<string, string>;
  /** The sender of rows that have none. */
  readonly sender?: DraftParty | undefined;
  /** Called with the header of a CSV file before the first row. */
  readonly onHeader?: (headers: readonly string[], map: ColumnMap) => void;
}

/** Reads and validates the file row by row; memory does not grow with the file. */
export async function* readRows(options: RowsOptions): AsyncGenerator<CheckedRow> {
  const [occurrences, refs] = [createCompactHashMap(), createCompactHashMap()];
  let position = 0;
  let header: readonly string[] = [];
  let paths: ColumnMap["paths"] = [];
  const onHeader: RowsOptions["onHeader"] = (names, map) => {
    header = names;
    paths = map.paths;
    options.onHeader?.(names, map);
  };
  const refuseGarbled = options.facts.isGuessed ? createGarbleCheck(options.name) : () => {};
  for await (const record of readRecords({ ...options, onHeader })) {
    position += 1;
    const row = options.table ? record.line : position;
    refuseGarbled(record.raw, header, { row, line: record.line });
    refuseLost(record, row);
    yield finish(record, row);
  }

  function refuseLost({ line, draft }: ReadRecord, number: number): void {
    const found = findLostText(draft);
    if (!found) return;
    const column = header[paths.indexOf(found.path)] ?? found.path;
    throw lostTextError(options.name, `row ${number} has “${found.text}” in ${column}`, {
      row: number,
      line,
      column,
      value: found.text,
    });
  }

  function finish({ line, ref, draft, raw, problems }: ReadRecord, number: number): CheckedRow {
    const found = problems.map((problem) => ({ ...problem, row: number, line }));
    const whole = draft.sender || !options.sender ? draft : { sender: options.sender, ...draft };
    for (const part of ["sender", "receiver", "item"] as const) {
      if (!whole[part] && !found.some(({ column }) => column === "" || column.startsWith(part))) {
        found.push({ row: number, line, column: part, value: "", message: `the row has no ${part}` });
      }
    }
    const earlier = ref === undefined ? undefined : refs.replace(ref, number);
    if (ref !== undefined && earlier !== undefined) {
      const message = `same ref as row ${earlier}`;
      found.push({ row: number, line, column: "ref", value: ref, message });
    }
    if (found.length > 0) return { problems: found };
    const content = contentOf(whole);
    const defaults = whole === draft ? [] : ["sender"];
    const occurrence = ref === undefined ? countUp(content) : 1;
    return { ok: { row: number, line, position, ref, draft: whole, defaults, content, occurrence, raw } };
  }

  function countUp(content: string): number {
    const count = (occurrences.get(content) ?? 0) + 1;
    occurrences.set(content, count);
    return count;
  }
}

type CellProblem = Pick<RowProblem, "column" | "value" | "message" | "cell">;

interface ReadRecord {
  readonly line: number;
  readonly ref: string | undefined;
  readonly draft: Draft;
  readonly raw: RawRecord;
  readonly problems: readonly CellProblem[];
}

async function* readRecords(options: RowsOptions): AsyncGenerator<ReadRecord> {
  const { content, name, facts, table } = options;
  if (table) return yield* readSheetRecords(table.read(), options);
  const text = readText(content, name, facts);
  if (facts.form === "csv") return yield* readSheetRecords(readSheet(text, facts.delimiter, name), options);
  const elements = facts.form === "json" ? readElements(text, name) : readObjects(text, name);
  for await (const { line, value } of elements) yield { line, ...readJsonRecord(value) };
}

function readJsonRecord(value: Json): Omit<ReadRecord, "line"> {
  const raw = { value };
  if (!isJsonObject(value)) {
    const problem = { column: "", value: "", message: "a row must be an object" };
    return { ref: undefined, draft: {}, raw, problems: [problem] };
  }
  ensureNoOrder(Object.keys(value), "remove these keys from its objects");
  const { ref, error: _rejected, ...fields } = value; // `error`: a file of rejects that was fixed
  const checked = check(draftSchema, fields);
  const problems: CellProblem[] = [];
  if (ref !== undefined && typeof ref !== "string") {
    problems.push({ column: "ref", value: "", message: "a ref must be a string" });
  }
  if ("mismatches" in checked) {
    for (const { path, expected, received } of checked.mismatches) {
      const nearest = expected === "no such key" ? suggest(path, orderPaths) : undefined;
      const message =
        expected === "no such key"
          ? `no such key${nearest ? `; did you mean ${nearest}?` : ""}`
          : `must be ${withArticle(expected)}, but is ${received}`;
      problems.push({ column: path, value: textAt(fields, path), message });
    }
  }
  const texts = "value" in checked ? findTextProblems({ ref, ...fields }) : [];
  problems.push(...texts.map(({ path, value: text, message }) => ({ column: path, value: text, message })));
  // With problems, only the names of its parts are used.
  const draft = fields as Draft;
  return { ref: typeof ref === "string" && ref !== "" ? ref : undefined, draft, raw, problems };
}

/** The single value at a dotted path, as text; else empty. */
function textAt(fields: JsonObject, path: string): string {
  let value: Json | undefined = fields;
  for (const name of path.split(".")) value = isJsonObject(value) ? value[name] : undefined;
  if (typeof value === "string") return value;
  return isJsonNumber(value) || typeof value === "boolean" ? stringifyJson(value) : "";
}

async function* readSheetRecords(
  rows: AsyncIterable<SheetRow>,
  options: RowsOptions,
): AsyncGenerator<ReadRecord> {
  let header: { names: readonly string[]; map: ColumnMap } | undefined;
  for await (const row of rows) {
    const { line, cells } = row;
    if (!header) {
      const lost = cells.find((name) => isLostText(name) && !options.mapping.has(name));
      if (lost !== undefined && findLostText(cells))
        throw lostTextError(options.name, `the header has “${lost}”`, { line });
      header = { names: cells, map: mapColumns(cells, options.mapping) };
      options.onHeader?.(cells, header.map);
      continue;
    }
    const { names, map } = header;
    if (cells.length === names.length) {
      const { problems, ...read } = readCells(row, names, map);
      const withCell = ({ index, ...problem }: IndexedProblem): CellProblem =>
        options.table ? { ...problem, cell: nameCell({ column: index, row: line }) } : problem;
      yield { line, raw: { cells }, ...read, problems: problems.map(withCell) };
      continue;
    }
    const message = `the row has ${cells.length} cells, but the header ${names.length}; a cell with a delimiter in it needs quotes`;
    const problem = { column: "", value: cells.join(options.facts.delimiter), message };
    yield { line, ref: undefined, draft: {}, raw: { cells }, problems: [problem] };
  }
}

interface IndexedProblem extends CellProblem {
  /** The column's, from 0. */
  readonly index: number;
}

function readCells({ cells, faults }: SheetRow, names: readonly string[], { paths }: ColumnMap) {
  const problems: IndexedProblem[] = [];
  const draft: Record<string, Json> = {};
  let ref: string | undefined;
  for (const [index, value] of cells.entries()) {
    const path = paths[index];
    const fault = faults?.get(index);
    if (path === undefined || (value === "" && fault === undefined)) continue;
    const message = fault ?? checkCell(path, value);
    if (message !== undefined) problems.push({ index, column: names[index] ?? path, value, message });
    if (path === "ref") ref = value;
    else if (message === undefined) setField(draft, path, value);
  }
  return { ref, draft: draft as Draft, problems };
}

const numberFields = new Set(["item.weight", "item.value", "item.quantity"]);

type Part = Record<string, Json>;

function setField(draft: Record<string, Json | Part>, path: string, text: string): void {
  const value = numberFields.has(path) ? jsonNumber(text) : text;
  const dot = path.indexOf(".");
  if (dot < 0) {
    draft[path] = value;
    return;
  }
  const name = path.slice(0, dot);
  draft[name] ??= {};
  (draft[name] as Part)[path.slice(dot + 1)] = value;
}

function checkCell(path: string, value: string): string | undefined {
  if (path === "item.quantity") return /^(0|[1-9]\d*)$/.test(value) ? undefined : "must be a whole number";
  if (numberFields.has(path)) return isPlainDecimal(value) ? undefined : "must be a number, for example 2.50";
  return findTextProblem(path, value);
}
