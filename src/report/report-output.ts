/** A report in the forms that all reports have: a table with bars, rows, a document, and a page in a file. */

import { type Context, type DocumentOutput, rows } from "../command/command.ts";
import { usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { type Block, blank, type Column, line, styled, table } from "../terminal/blocks.ts";

const barWidth = 20;

/** `####`, as long as its share of the largest; something for all that is more than nothing. */
export function drawBar(size: number, largest: number): string {
  if (!(size > 0) || !(largest > 0)) return "";
  return "#".repeat(Math.max(1, Math.round(barWidth * (size / largest))));
}

interface ReportParts<Row extends JsonObject> {
  readonly title: string;
  readonly document: JsonObject & { readonly rows: readonly Row[] };
  /** For a person. */
  readonly shown: readonly Column<Row>[];
  readonly shownRows: readonly Row[];
  /** For CSV and `--fields`. */
  readonly columns: readonly Column<Row>[];
  readonly notes: readonly string[];
  /** Instead of a table without rows. */
  readonly empty?: string | undefined;
}

export function reportOutput<Row extends JsonObject>(
  {
    title,
    document,
    shown,
    shownRows,
    columns,
    notes,
    empty = "No orders in the mirror match",
  }: ReportParts<Row>,
  context: Context,
): DocumentOutput {
  const body: readonly Block[] = document.rows.length === 0 ? [line(empty)] : [table(shown, shownRows)];
  return {
    kind: "document",
    data: document as Json,
    blocks: [line(styled("strong", title)), blank, ...body],
    rows: rows(document.rows, columns, empty),
    after: async () => {
      for (const note of notes) context.messages.note(note);
    },
  };
}

const otherForm = /\.(?:pdf|xlsx|xls|ods|csv|json|ndjson|gz|zip)$/i;

/** Throws a usage error for a name of `--html` that promises another form, or that cannot be written. */
export async function checkPage(file: string, context: Context): Promise<void> {
  await context.checkOutput("--html", file);
  const ending = otherForm.exec(file)?.[0];
  if (ending === undefined) return;
  const page = shellQuote(`${file.slice(0, -ending.length)}.html`);
  const print = /pdf/i.test(ending) ? "; a browser prints it to a PDF file" : "";
  throw usageError(`cannot write ${ending} files`, `use --html ${page}${print}`);
}

/** Writes the page of `--html`. Throws a file error, or a usage error for a file that courier keeps. */
export async function writeReport(file: string, page: () => string, context: Context): Promise<void> {
  const output = await context.openOutput(file, { flag: "--html" });
  try {
    await output.write(page());
  } catch (error) {
    await output.abandon().catch(() => {});
    throw error;
  }
  await output.finish();
  context.messages.note(`wrote the report to ${file}`);
}
