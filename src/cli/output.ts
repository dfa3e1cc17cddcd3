/** Writes results: the only place that distinguishes human, JSON, NDJSON, CSV, HTML and workbooks. */

import type {
  DocumentOutput,
  EventsOutput,
  Items,
  LiveOutput,
  Output,
  Page,
  RowsOutput,
} from "../command/command.ts";
import type { Clock } from "../core/clock.ts";
import { type CourierError, usageError } from "../core/errors.ts";
import { type Json, stringifyJson, valueAt } from "../model/json.ts";
import { blank } from "../terminal/blocks.ts";
import { createTableWriter, render, type View } from "../terminal/render.ts";
import { sanitise, sanitiseCsv, sanitiseJson } from "../terminal/sanitise.ts";
import { joinWrites, outliveReader, type Writer } from "../terminal/streams.ts";
import { chooseColumns, chosenFields, leafPaths, pickFields, watchFields } from "./fields.ts";
import type { Form } from "./globals.ts";
import { itemsOf, presentable } from "./raw-output.ts";

export interface OutputOptions {
  readonly form: Form;
  /** Dotted paths chosen with `--fields`. */
  readonly fields: readonly string[] | undefined;
  /** Begins CSV with a byte order mark. */
  readonly bom: boolean;
  readonly view: View;
  /** Receives notes and warnings. */
  readonly note: (text: string) => void;
  /** Masks the key in an answer that is shown at a terminal. */
  readonly redact: (text: string) => string;
  readonly warn: (text: string) => void;
  /** Shows a live result in place, until it ends; undefined where nothing can be redrawn. */
  readonly live: ((output: LiveOutput) => Promise<CourierError | undefined>) | undefined;
  readonly clock: Clock;
}

/** Rows after which a table is shown; from then on the widths of its columns are fixed. */
const rowsAtOnce = 100;

export interface Written {
  /** Items of the result. */
  readonly count: number;
  /** The error that the result ended with, where it is complete but some of it was refused. */
  readonly failure: CourierError | undefined;
  /** What else is said of it. */
  readonly remark?: string | undefined;
  /** A terminal was shown only some of the rows. */
  readonly isShort?: boolean;
}

/**
 * Writes a result to stdout in the chosen form, as it comes. Rejects when the result fails on the way: stdout then
 * has whole items, and a JSON array stays open, so that a parser rejects it. Rejects with PipeClosed when the reader
 * closes the pipe, unless the work continues without one.
 */
export async function writeOutput(given: Output, writer: Writer, options: OutputOptions): Promise<Written> {
  switch (given.kind) {
    case "document":
      if (given.rows && (options.form === "csv" || options.fields))
        return writeOutput(given.rows, writer, options);
      return writeDocument(given, writer, options);
    case "rows": {
      const output = options.fields ? watchFields(given, options.fields, options.warn) : given;
      const target = output.onUnread ? outliveReader(writer, output.onUnread) : writer;
      if (options.form === "human")
        return output.views && !options.fields
          ? writeViews(output, output.views, target, options)
          : writeTable(output, target, options);
      if (options.form === "csv") return writeCsv(output, target, options);
      if (options.form === "xlsx") return writeXlsx(output, target, options);
      if (options.form === "html" && output.page) return writePage(output.rows, output.page, target);
      return writeItems(output.rows, target, options);
    }
    case "events":
      if (options.form === "csv" && !given.columns) throw notRows("changes");
      if (options.form === "csv") return writeCsvOf(given.events, given.columns ?? [], writer, options);
      if (options.form === "human") return writeEvents(given, writer, options);
      return writeItems(given.events, writer, options, drainAtOnce);
    case "raw": {
      const { isTTY } = writer.stream;
      if (given.items && options.form !== "human")
        return writeItems(itemsOf(given, isTTY ? options.redact : undefined), writer, options);
      const target = given.onUnread ? outliveReader(writer, given.onUnread) : writer;
      return drain(given.bodies, ({ bytes, body }) =>
        target.write(isTTY ? presentable(body, (value) => toJson(value, writer), options.redact) : bytes),
      );
    }
    case "live":
      if (options.form === "csv") throw notRows("changes");
      if (options.form !== "human" || options.fields || !options.live)
        return writeLive(given, writer, options);
      return { count: 1, failure: await options.live(given) };
  }
}

function notRows(what: string): CourierError {
  return usageError(
    `--csv prints rows, and this prints ${what} as they come`,
    "--ndjson prints each on a line",
  );
}

/** A document is one row of CSV: a column for each of its values, with dotted names. */
async function writeDocument(
  { data, blocks, failure, columns = [] }: DocumentOutput,
  writer: Writer,
  options: OutputOptions,
): Promise<Written> {
  const { form, fields, view } = options;
  if (form === "csv") {
    const paths = fields ?? [...new Set([...columns.map(({ path }) => path), ...leafPaths(data)])];
    await writeCsv({ rows: once(data), columns: [], empty: "", kind: "rows" }, writer, {
      ...options,
      fields: paths,
    });
  } else if (form !== "human") {
    const chosen = fields ? pickFields(data, fields) : data;
    await writer.write(`${toJson(chosen, form === "ndjson" ? undefined : writer)}\n`);
  } else await writer.write(await render(fields ? [chosenFields(data, fields)] : blocks, view));
  return { count: 1, failure };
}

async function* once(item: Json): Items {
  yield item;
  return undefined;
}

/** Calls `act` for every item; the generator's return value is the error that it ended with. */
async function drain<T>(
  stream: AsyncGenerator<T, CourierError | undefined>,
  act: (item: T) => Promise<void>,
): Promise<Written> {
  try {
    for (let count = 0; ; count++) {
      const next = await stream.next();
      if (next.done) return { count, failure: next.value ?? undefined };
      await act(next.value);
    }
  } finally {
    await stream.return(undefined); // lets the generator clean up when writing failed
  }
}

/** The same for items as text, which are written together where they come together. */
async function drainText(stream: Items, writer: Writer, format: (item: Json) => string): Promise<Written> {
  const joined = joinWrites(writer);
  try {
    return await drain(stream, (item) => joined.write(format(item)));
  } finally {
    await joined.end(); // items that came before a failure are written too
  }
}

/** The same for results that take hours: notices a closed pipe with each item, not only after the next. */
function drainAtOnce(stream: Items, writer: Writer, format: (item: Json) => string): Promise<Written> {
  return drain(stream, (item) => writer.write(format(item)));
}

async function writeLive(output: LiveOutput, writer: Writer, options: OutputOptions) {
  output.complain(options.note);
  const target = output.onUnread ? outliveReader(writer, output.onUnread) : writer;
  try {
    return await (options.form === "human"
      ? writeEvents(output, target, options)
      : writeItems(output.events, target, options, drainAtOnce));
  } finally {
    options.note(output.summary(options.clock.now()));
  }
}

async function writeEvents(
  { events, human }: Pick<EventsOutput, "events" | "human">,
  writer: Writer,
  { view, fields }: Pick<OutputOptions, "view" | "fields">,
) {
  const show = fields ? (event: Json) => [chosenFields(event, fields)] : human;
  return drain(events, async (event) => writer.write(await render(show(event), view)));
}

/** JSON as one array, or NDJSON as one line each, written as the items come. */
async function writeItems(
  stream: Items,
  writer: Writer,
  { form, fields }: OutputOptions,
  drainItems = drainText,
) {
  const isArray = form === "json";
  const isPretty = isArray && writer.stream.isTTY === true;
  let count = 0;
  const written = await drainItems(stream, writer, (item) => {
    const chosen = fields ? pickFields(item, fields) : item;
    const text = toJson(chosen, isPretty ? writer : undefined);
    const opening = isArray ? (count === 0 ? "[" : ",") : "";
    const separator = isPretty ? "\n" : "";
    count += 1;
    return opening + separator + (isPretty ? indent(text) : text) + (isArray ? "" : "\n");
  });
  if (isArray) await writer.write(count === 0 ? "[]\n" : isPretty ? "\n]\n" : "]\n");
  return written;
}

async function writeViews(
  { rows, empty }: RowsOutput,
  views: NonNullable<RowsOutput["views"]>,
  writer: Writer,
  { view, note }: OutputOptions,
): Promise<Written> {
  let isFirst = true;
  const written = await drain(rows, async (row) => {
    const blocks = views(row as never);
    await writer.write(await render(isFirst ? blocks : [blank, ...blocks], view));
    isFirst = false;
  });
  if (isFirst && empty !== "") note(empty);
  return written;
}

async function writeTable(
  { rows, columns, head, empty, remark, details, isShown }: RowsOutput,
  writer: Writer,
  options: OutputOptions,
): Promise<Written> {
  const isShort = isShown !== undefined && writer.stream.isTTY === true && !options.fields;
  const chosen = options.fields
    ? chooseColumns(columns, options.fields)
    : columns.filter(({ isRemark }) => !isRemark);
  const table = createTableWriter(chosen, options.view);
  if (head && !options.fields) await writer.write(await render([...head, blank], options.view));
  let waiting: Json[] = [];
  const detailed: Json[] = [];
  const flush = async () => {
    if (waiting.length === 0) return;
    const cells = waiting.map((row) => chosen.map(({ cell }) => cell(row as never)));
    const remarks = waiting.map((row) => remark?.(row));
    waiting = [];
    const lines = await table.write(cells, remarks);
    await writer.write(lines.map((text) => `${text}\n`).join(""));
  };
  try {
    const written = await drain(rows, async (row) => {
      if (isShort && !isShown(row)) return;
      waiting.push(row);
      if (details) detailed.push(row);
      if (waiting.length >= rowsAtOnce) await flush();
    });
    if (written.count === 0 && empty !== "") options.note(empty);
    return { ...written, isShort };
  } finally {
    await flush(); // rows that came before a failure are shown too
    for (const row of detailed)
      await writer.write(await render([blank, ...(details?.(row as never) ?? [])], options.view));
  }
}

function writeCsv({ rows, columns }: RowsOutput, writer: Writer, options: OutputOptions) {
  return writeCsvOf(
    rows,
    columns.map(({ path }) => path),
    writer,
    options,
  );
}

async function writeCsvOf(
  rows: Items,
  columns: readonly string[],
  writer: Writer,
  { fields, bom }: OutputOptions,
): Promise<Written> {
  const { csvRecord } = await import("../terminal/csv.ts");
  const paths = fields ?? columns;
  const safe = (record: string) =>
    writer.stream.isTTY ? `${sanitise(record.trimEnd())}\n` : sanitiseCsv(record);
  // Not before the first row, so that a failure leaves nothing behind that looks like an empty list.
  let heading = (bom ? "\uFEFF" : "") + safe(csvRecord(paths));
  const written = await drainText(rows, writer, (row) => {
    const record = heading + safe(csvRecord(paths.map((path) => valueAt(row, path))));
    heading = "";
    return record;
  });
  if (heading !== "") await writer.write(heading);
  return written;
}

async function writeXlsx({ rows, columns }: RowsOutput, writer: Writer, options: OutputOptions) {
  const { toWorkbook } = await import("./workbook-output.ts");
  const paths = options.fields ?? columns.map(({ path }) => path);
  const run = { redact: options.redact, nowMs: options.clock.now() };
  const { bytes, written } = toWorkbook(rows, paths, columns, run);
  for await (const chunk of bytes) await writer.write(chunk);
  return written();
}

async function writePage(rows: Items, { begin, item, empty, end }: Page<never>, writer: Writer) {
  // Not before the first row, as for CSV.
  let head = begin;
  const written = await drainText(rows, writer, (row) => {
    const text = head + item(row as never);
    head = "";
    return text;
  });
  await writer.write(written.count === 0 ? begin + empty + end : end);
  return written;
}

/** Pretty at a terminal, compact in a pipe. */
function toJson(value: Json, writer: Writer | undefined): string {
  return sanitiseJson(stringifyJson(value, writer?.stream.isTTY ? 2 : undefined));
}

function indent(text: string): string {
  return text.replace(/^/gm, "  ");
}
