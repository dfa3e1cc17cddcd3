/** Owns the run of an import as seen by a user: progress, report, rejects, and how it ended. */

import { ServiceFailure } from "../../api/failure.ts";
import { importRows, type RowResult, ServiceUnavailable } from "../../bulk/importer.ts";
import type { Journal } from "../../bulk/journal.ts";
import type { RejectsWriter } from "../../bulk/rejects.ts";
import { type ImportRow, type RowsOptions, readRows } from "../../bulk/rows.ts";
import { CourierError, fileError, interrupted } from "../../core/errors.ts";
import { type Json, jsonNumber } from "../../model/json.ts";
import { type Column, show, styled } from "../../terminal/blocks.ts";
import type { Context, Items } from "../command.ts";
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
  readonly settings: { concurrency: number; ratePerSecond: number | undefined; retryRefused: boolean };
  readonly rejects: RejectsWriter | undefined;
  readonly others: OtherOrders;
}

type Counts = Record<RowResult["outcome"], number> & { changed: number };

/** Sends the rows and yields one report row each. */
export async function* runImport(
  source: RowsOptions,
  plan: ImportPlan,
  journal: Journal,
  { settings, rejects, others }: Run,
  context: Context,
): Items<ReportRow> {
  const service = await context.lastingService();
  const meter = context.meter();
  const startedMs = context.clock.now();
  const counts: Counts = { created: 0, refused: 0, unknown: 0, unsent: 0, changed: 0 };
  try {
    for await (const result of importRows(
      goodRows(source),
      journal,
      createTools(service, others, context),
      settings,
    )) {
      counts[result.outcome] += 1;
      if (result.isChanged) counts.changed += 1;
      if (result.outcome === "refused") await rejects?.add(result.row.raw, result.error?.message ?? "");
      meter.update(() => describe(counts, plan.overview.rows, context.clock.now() - startedMs));
      if (result.outcome !== "unsent") yield toReport(result);
    }
  } catch (error) {
    throw isUnavailable(error) ? unavailable(error, counts) : error;
  } finally {
    meter.end();
    await rejects?.finish();
  }
  if (counts.changed > 0) {
    context.messages.warn(
      `${counts.changed} rows have changed since their orders were created; the orders are as they were`,
    );
  }
  return verdict(counts, plan, context);
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
  const perSecond = elapsedMs > 0 ? (done * 1_000) / elapsedMs : 0;
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

function verdict(counts: Counts, plan: ImportPlan, context: Context): CourierError | undefined {
  const { rows } = plan.overview;
  if (context.signal.aborted) {
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
      `it is not known whether ${counts.unknown} of ${rows} orders were created`,
      {
        hint: "the report names the orders that may be theirs; running the same command again looks once more",
      },
    );
  }
  if (counts.refused === 0) return undefined;
  return new CourierError("some_refused", 3, `${counts.refused} of ${rows} rows were refused`, {
    hint: "mend these rows and run the same command again, or use --rejects FILE to get them as a file",
  });
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

function toReport({ row, outcome, facts, error }: RowResult): ReportRow {
  return {
    ref: row.ref ?? null,
    row: row.row,
    outcome,
    id: facts ? jsonNumber(facts.id) : null,
    order_no: facts?.order_no ?? null,
    tracking_number: facts?.tracking_number ?? null,
    estimated_fee: facts?.estimated_fee ? jsonNumber(facts.estimated_fee) : null,
    error: error ? { code: error.code, message: error.message } : null,
  };
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
    cell: ({ error }) => show((error as { message?: string } | null)?.message),
    flexible: true,
  },
];
