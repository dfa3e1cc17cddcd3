/** Owns the run of an import as seen by a user: progress, report, rejects, and how it ended. */

import { ServiceFailure } from "../api/failure.ts";
import { type Context, type RowsOutput, rows } from "../command/command.ts";
import { CourierError, interrupted } from "../core/errors.ts";
import type { ReportRow } from "../model/results.ts";
import { type ImportMeter, openImportMeter } from "./import-meter.ts";
import type { OtherOrders } from "./import-others.ts";
import type { ImportPlan } from "./import-plan.ts";
import {
  type Counts,
  closeReport,
  describeError,
  isWorthKeeping,
  remarkOn,
  reportColumns,
  toReport,
} from "./import-report.ts";
import { createTools } from "./import-send.ts";
import type { ImportOptions, RowResult } from "./import-terms.ts";
import { importRows } from "./importer.ts";
import type { Journal } from "./journal.ts";
import { ServiceUnavailable } from "./patience.ts";
import type { RejectsWriter } from "./rejects.ts";
import { inRowOrder } from "./row-order.ts";
import { type ImportRow, type RowsOptions, readRows } from "./rows.ts";

export interface ImportRun {
  readonly source: RowsOptions;
  readonly plan: ImportPlan;
  readonly journal: Journal;
  readonly others: OtherOrders;
  readonly settings: ImportOptions;
  /** Flags that say how the file is to be read. */
  readonly readBy: readonly string[];
  readonly rejects: RejectsWriter | undefined;
}

/** Sends the rows as the report is read, one report row each. */
export function runImport(run: ImportRun, context: Context): RowsOutput {
  const counts = { created: 0, refused: 0, unknown: 0, unsent: 0, changed: 0, earlier: 0 };
  const wrong: ReportRow[] = [];
  const { source, plan, journal, others, settings, readBy, rejects } = run;

  /** A row counts when it is done, and not only when its turn in the report has come. */
  async function* counted(results: AsyncIterable<RowResult>, meter: ImportMeter) {
    for await (const result of results) {
      counts[result.outcome] += 1;
      if (result.isChanged) counts.changed += 1;
      if (result.isEarlier) counts.earlier += 1;
      meter.count(counts);
      yield result;
    }
  }

  async function* report() {
    const meter = openImportMeter(plan.overview.rows, context);
    const onStop = () => {
      const { reason } = context.signal;
      const why = isOfTheRun(reason) ? `${reason.message}; ` : "";
      context.messages.note(`${why}stopping: what is under way is finished first; once more stops at once`);
    };
    context.signal.addEventListener("abort", onStop, { once: true });
    let isOver = false;
    try {
      const tools = await createTools(others, meter.tell, context);
      const results = importRows(goodRows(source), journal, tools, settings);
      for await (const result of inRowOrder(counted(results, meter))) {
        const row = toReport(result, plan.overview);
        if (result.outcome === "refused") await rejects?.add(result.row.raw, describeError(row));
        if (row.error !== null && isWorthKeeping(wrong)) wrong.push(row);
        if (result.outcome !== "unsent") yield row;
      }
      isOver = true;
    } catch (error) {
      isOver = true;
      throw isUnavailable(error) ? unavailable(error, counts, journal) : error;
    } finally {
      context.signal.removeEventListener("abort", onStop);
      meter.end();
      await rejects?.finish();
      if (rejects?.failure) context.messages.warn(rejects.failure);
      if (!isOver) context.messages.warn(`stopped, since nobody reads the report any more; ${goOn}`);
    }
    const rejectsPath = rejects?.failure === undefined ? rejects?.path : undefined;
    return verdict(counts, plan, { rejectsPath, readBy }, context);
  }

  return {
    ...rows(report(), reportColumns, "No rows"),
    remark: remarkOn as NonNullable<RowsOutput["remark"]>,
    after: () => closeReport(plan.overview.rows, counts, wrong, rejects, context),
  };
}

/** The rows once more, from the same copy: none can be wrong now. */
async function* goodRows(source: RowsOptions): AsyncGenerator<ImportRow> {
  for await (const checked of readRows(source)) {
    if (!("ok" in checked)) throw new Error("a row that was right is wrong when it is read again");
    yield checked.ok;
  }
}

const goOn = "run the same command again: it goes on where it was";

function verdict(
  counts: Counts,
  { overview: { rows: total } }: ImportPlan,
  { rejectsPath, readBy }: { rejectsPath: string | undefined; readBy: readonly string[] },
  { signal }: Context,
): CourierError | undefined {
  if (signal.aborted && counts.created + counts.refused < total) {
    const left = total - counts.created - counts.refused;
    const stopped = `stopped: ${counts.created} created, ${counts.refused} refused, ${left} to go`;
    const { reason } = signal;
    if (isOfTheRun(reason)) return reason.with({ message: `${reason.message}; ${stopped}` });
    return interrupted(reason instanceof CourierError && reason.exit === 143 ? 143 : 130, stopped, goOn);
  }
  if (counts.unknown > 0) {
    return new CourierError(
      "outcome_unknown",
      6,
      `it is not known whether ${counts.unknown} of ${total} orders ${counts.unknown === 1 ? "was" : "were"} created`,
      {
        hint: "the report names the orders that may be theirs; running the same command again looks once more",
      },
    );
  }
  if (counts.refused === 0) return undefined;
  return new CourierError(
    "some_refused",
    3,
    `${counts.refused} of ${total} rows ${counts.refused === 1 ? "was" : "were"} refused`,
    {
      hint: rejectsPath
        ? `mend the rows in ${rejectsPath} and import that file${sameFlags(readBy)}`
        : "mend these rows and run the same command again, or use --rejects FILE to get them as a file",
    },
  );
}

function sameFlags(flags: readonly string[]): string {
  return flags.length === 0 ? "" : `, with the same ${flags.join(" and ")}`;
}

/** It was not a signal of the process that stopped the run. */
function isOfTheRun(reason: unknown): reason is CourierError {
  return reason instanceof CourierError && reason.exit !== 130 && reason.exit !== 143;
}

function isUnavailable(error: unknown): error is Error {
  return error instanceof ServiceUnavailable || (error instanceof ServiceFailure && error.exit === 5);
}

function unavailable(cause: Error, counts: Counts, { open }: Journal): CourierError {
  const doubt = open.size === 0 ? "" : `; what became of ${open.size} more is found out by then`;
  return new CourierError(
    "service_unavailable",
    5,
    `the import stopped after ${counts.created} created orders: ${cause.message}`,
    { hint: `${goOn}${doubt}`, cause },
  );
}
