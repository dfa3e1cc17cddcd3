/** Owns the run of an import as seen by a user: progress, report, rejects, and how it ended. */

import { ServiceFailure } from "../../api/failure.ts";
import { importRows, type RowResult, ServiceUnavailable } from "../../bulk/importer.ts";
import type { Journal } from "../../bulk/journal.ts";
import type { RejectsWriter } from "../../bulk/rejects.ts";
import { type ImportRow, type RowsOptions, readRows } from "../../bulk/rows.ts";
import { CourierError, fileError, interrupted } from "../../core/errors.ts";
import { type Json, jsonNumber } from "../../model/json.ts";
import { type Block, type Column, line, show, styled } from "../../terminal/blocks.ts";
import type { Context, Items } from "../command.ts";
import type { Overview } from "./import-input.ts";
import type { OtherOrders } from "./import-others.ts";
import type { ImportPlan } from "./import-plan.ts";
import { createTools } from "./import-send.ts";

/** One row of the report: field names are a contract with scripts. */
export interface ReportRow {
  readonly [field: string]: Json | undefined;
  readonly ref: string | null;
  readonly row: number;
  readonly outcome: RowResult["outcome"];
  readonly id: Json;
  readonly order_no: string | null;
  readonly tracking_number: string | null;
  readonly estimated_fee: Json;
  readonly error: Json;
}

interface Run {
  /** Where refused rows go, as the user named it. */
  readonly rejectsPath: string | undefined;
  readonly settings: { concurrency: number; ratePerSecond: number | undefined; retryRefused: boolean };
  readonly rejects: RejectsWriter | undefined;
  readonly others: OtherOrders;
}

type Counts = Record<RowResult["outcome"], number> & { changed: number; earlier: number };

const wrongShown = 10;

/** Sends the rows and yields one report row each. */
export async function* runImport(
  source: RowsOptions,
  plan: ImportPlan,
  journal: Journal,
  { settings, rejects, rejectsPath, others }: Run,
  context: Context,
): Items<ReportRow> {
  const service = await context.lastingService();
  const meter = context.meter();
  const startedMs = context.clock.now();
  const counts: Counts = { created: 0, refused: 0, unknown: 0, unsent: 0, changed: 0, earlier: 0 };
  const wrong: ReportRow[] = [];
  let isOver = false;
  try {
    for await (const result of importRows(
      goodRows(source),
      journal,
      createTools(service, others, context),
      settings,
    )) {
      counts[result.outcome] += 1;
      if (result.isChanged) counts.changed += 1;
      if (result.isEarlier) counts.earlier += 1;
      const report = toReport(result, plan.overview);
      if (result.outcome === "refused") await rejects?.add(result.row.raw, describeError(report));
      if (report.error !== null && wrong.length < wrongShown) wrong.push(report);
      meter.update(() => describe(counts, plan.overview.rows, context.clock.now() - startedMs));
      if (result.outcome !== "unsent") yield report;
    }
    isOver = true;
  } catch (error) {
    isOver = true;
    throw isUnavailable(error) ? unavailable(error, counts) : error;
  } finally {
    meter.end();
    await rejects?.finish();
    if (!isOver) context.messages.warn(`stopped, since nobody reads the report any more; ${goOn}`);
  }
  if (counts.changed > 0) {
    context.messages.warn(
      counts.changed === 1
        ? "1 row has changed since its order was created; the order is as it was"
        : `${counts.changed} rows have changed since their orders were created; the orders are as they were`,
    );
  }
  if (wrong.length > 0) await context.display(describeWrong(wrong, counts.refused + counts.unknown));
  return verdict(counts, plan, rejectsPath, context);
}

/** A table at a narrow terminal has little room for reasons. */
function describeWrong(wrong: readonly ReportRow[], count: number): readonly Block[] {
  const shown = wrong.map((report) => {
    const name = report.ref === null ? "" : ` (${report.ref})`;
    return line(`row ${report.row}${name}: ${describeError(report)}`);
  });
  return count > wrong.length ? [...shown, line(`and ${count - wrong.length} more`)] : shown;
}

/** The rows once more: they were checked before, and the file should not have changed since. */
async function* goodRows(source: RowsOptions): AsyncGenerator<ImportRow> {
  for await (const checked of readRows(source)) {
    if ("ok" in checked) yield checked.ok;
    else
      throw fileError(`${source.name} changed while it was imported`, { hint: "run the same command again" });
  }
}

function describe(counts: Counts, rows: number, elapsedMs: number): string {
  const done = counts.created + counts.refused + counts.unknown;
  const perSecond = elapsedMs > 0 ? ((done - counts.earlier) * 1_000) / elapsedMs : 0;
  const leftS = perSecond > 0 ? Math.ceil((rows - done) / perSecond) : undefined;
  const width = 20;
  const filled = rows > 0 ? Math.floor((done / rows) * width) : 0;
  const parts = [
    `[${"#".repeat(filled)}${".".repeat(width - filled)}] ${done}/${rows}`,
    `${Math.round(perSecond)}/s`,
    `${counts.created} created`,
    counts.refused > 0 ? `${counts.refused} refused` : "",
    leftS === undefined ? "" : `${leftS} s left`,
  ];
  return parts.filter((part) => part !== "").join("  ");
}

const goOn = "run the same command again: it goes on where it was";

function verdict(
  counts: Counts,
  plan: ImportPlan,
  rejectsPath: string | undefined,
  context: Context,
): CourierError | undefined {
  const { rows } = plan.overview;
  if (context.signal.aborted && counts.created + counts.refused < rows) {
    const exit =
      context.signal.reason instanceof CourierError && context.signal.reason.exit === 143 ? 143 : 130;
    const left = rows - counts.created - counts.refused - counts.unknown;
    return interrupted(
      exit,
      `stopped: ${counts.created} created, ${counts.refused} refused, ${left + counts.unknown} to go`,
      goOn,
    );
  }
  if (counts.unknown > 0) {
    return new CourierError(
      "outcome_unknown",
      6,
      `it is not known whether ${counts.unknown} of ${rows} orders ${counts.unknown === 1 ? "was" : "were"} created`,
      {
        hint: "the report names the orders that may be theirs; running the same command again looks once more",
      },
    );
  }
  if (counts.refused === 0) return undefined;
  return new CourierError(
    "some_refused",
    3,
    `${counts.refused} of ${rows} rows ${counts.refused === 1 ? "was" : "were"} refused`,
    {
      hint: rejectsPath
        ? `mend the rows in ${rejectsPath} and import that file`
        : "mend these rows and run the same command again, or use --rejects FILE to get them as a file",
    },
  );
}

function isUnavailable(error: unknown): error is Error {
  return error instanceof ServiceUnavailable || (error instanceof ServiceFailure && error.exit === 5);
}

function unavailable(cause: Error, counts: Counts): CourierError {
  return new CourierError(
    "service_unavailable",
    5,
    `the import stopped after ${counts.created} created orders: ${cause.message}`,
    {
      hint: goOn,
      cause,
    },
  );
}

function toReport({ row, outcome, facts, error }: RowResult, { columns }: Overview): ReportRow {
  const column = error?.field === undefined ? undefined : (columns.get(error.field) ?? error.field);
  return {
    ref: row.ref ?? null,
    row: row.row,
    outcome,
    id: facts ? jsonNumber(facts.id) : null,
    order_no: facts?.order_no ?? null,
    tracking_number: facts?.tracking_number ?? null,
    estimated_fee: facts?.estimated_fee ? jsonNumber(facts.estimated_fee) : null,
    error: error ? { code: error.code, message: error.message, column } : null,
  };
}

/** Names the column as the file does, where the service's message does not happen to. */
function describeError({ error }: ReportRow): string {
  const { message = "", column } = (error ?? {}) as { message?: string; column?: string };
  return column === undefined || message.includes(column) ? message : `${column}: ${message}`;
}

const styles = { created: "good", refused: "bad", unknown: "warn", unsent: "dim" } as const;

export const reportColumns: readonly Column<ReportRow>[] = [
  { path: "row", title: "ROW", cell: ({ row }) => String(row), align: "right" },
  { path: "ref", title: "REF", cell: ({ ref }) => show(ref), spare: 3 },
  { path: "outcome", title: "OUTCOME", cell: ({ outcome }) => styled(styles[outcome], outcome) },
  { path: "id", title: "ID", cell: ({ id }) => show(id) },
  { path: "order_no", title: "ORDER NO", cell: ({ order_no }) => show(order_no), spare: 1 },
  { path: "tracking_number", title: "TRACKING", cell: ({ tracking_number }) => show(tracking_number) },
  {
    path: "estimated_fee",
    title: "FEE",
    cell: ({ estimated_fee }) => show(estimated_fee),
    align: "right",
    spare: 2,
  },
  {
    path: "error.message",
    title: "ERROR",
    cell: (row) => show(describeError(row) || undefined),
    flexible: true,
  },
];
