/** The output of an import: progress, report, rejects, and the sheet. */

import { type Context, goesOnUnread, noteStop, type RowsOutput, rows } from "../command/command.ts";
import { systemCode } from "../core/errors.ts";
import { isFileLimit } from "../core/system-errors.ts";
import { byCount, counted } from "../core/wording.ts";
import type { SeenState } from "../ledger/known-orders.ts";
import type { Operation, Rejection } from "../ledger/operation.ts";
import { isLedgerLost } from "../ledger/operation-errors.ts";
import type { ReportRow } from "../model/results.ts";
import { compareAnswers } from "../sending/compare-answers.ts";
import { createReconcileTools } from "../sending/settle.ts";
import { countAll, type Overview, readAgain } from "./check-rows.ts";
import { endOf, goOn, isExpected } from "./import-ending.ts";
import { describeCancel, goodRows } from "./import-plan.ts";
import { type ImportProgress, openImportProgress } from "./import-progress.ts";
import {
  closeReport,
  countDone,
  describeError,
  isNoted,
  isWorthKeeping,
  remarkOn,
  reportColumns,
  toReport,
} from "./import-report.ts";
import type { ImportRun } from "./import-run.ts";
import { createTools } from "./import-send.ts";
import type { RowResult } from "./import-types.ts";
import { importRows } from "./importer.ts";
import { inRowOrder } from "./reorder-buffer.ts";
import { openRowTally } from "./row-tally.ts";
import type { RowsOptions, WrongRow } from "./rows.ts";
import { createSentSince, describeSentSince } from "./sent-since.ts";
import { statesOfLedger } from "./write-back/import-sheet.ts";

/** Sends the rows while the report is read. Each row gives one report row. */
export function runImport(run: ImportRun, context: Context): RowsOutput {
  const wrong: ReportRow[] = [];
  /** Orders of which rows are hidden: they can be corrected in the workbook alone. */
  const withHidden: number[] = [];
  const { source, plan, settings, rejects } = run;
  const sinceRefused = createSentSince(run.tools, context.clock);
  let sentSince: readonly number[] = [];
  const tally = openRowTally(run.tools);
  const { counts, unrecorded, unwanted, made, unread } = tally;
  const { overview } = plan;
  const total = countAll(overview);
  /** Why the rest was not sent. */
  let paused: string | undefined;

  async function* counting(results: AsyncIterable<RowResult>, meter: ImportProgress) {
    for await (const result of results) {
      tally.count(result);
      meter.count(counts);
      yield result;
    }
  }

  /** Answers may have been exchanged. A service that fails now is not waited for: the next import compares. */
  async function compareMade(): Promise<void> {
    const { ledger, run: own } = run.tools;
    const { settleMs, others } = run;
    const choice = { ledger, customer: own.customer, run: own.number, settleMs, showsProgress: false };
    const settling = await createReconcileTools(choice, context);
    const warn = context.messages.warnAlways; // the report was printed before
    const tools = { ...settling, warn, onWithdrawn: tally.onWithdrawn, others };
    const reason = await compareAnswers(made, tools);
    if (reason !== undefined)
      context.messages.note(
        `Not all orders of this import were compared with the service's list: ${reason}. The next import of the same file compares them.`,
      );
  }

  let seenStates: Promise<ReadonlyMap<string, SeenState>> | undefined;

  /** A service may give an order its tracking number later: the one that it showed last, as the sheet has it. */
  async function withNumber(result: RowResult): Promise<RowResult> {
    const { outcome, order } = result;
    if (outcome !== "shipped" || !order) return result;
    seenStates ??= statesOfLedger(run.tools, context).then((read) => read([]));
    const { trackingNumber } = (await seenStates).get(order.id) ?? {};
    return trackingNumber ? { ...result, order: { ...order, tracking_number: trackingNumber } } : result;
  }

  async function* report() {
    const meter = openImportProgress(total, context);
    const endNote = noteStop(context);
    let isOver = false;
    let failure: unknown;
    try {
      const { ledger } = run.tools;
      const sending = await createTools(
        {
          ledger,
          customer: run.tools.run.customer,
          run: run.tools.run.number,
          settleMs: run.settleMs,
          onStage: meter.setStage,
        },
        context,
      );
      const mayGoOn = run.keepsGoing
        ? undefined
        : async (rejection: Rejection, alike: number) => {
            const prompts = context.globals.yes ? undefined : await context.prompts();
            const reason = describeAlike(counted(alike, overview.noun), rejection);
            const isWanted = prompts
              ? await meter.pausedFor(() => prompts.confirm(`${reason}. Go on?`, false))
              : false;
            if (!isWanted) paused = reason;
            return isWanted;
          };
      const earlier = plan.shipped + plan.changed + plan.cancelled;
      const reconcile = { ...sending.reconcile, onWithdrawn: tally.onWithdrawn, others: run.others };
      const tools = { ...run.tools, ...sending, reconcile, earlier, mayGoOn };
      const results = importRows(() => goodRows(source, overview), tools, settings);
      for await (const each of inRowOrder(counting(withWrong(source, overview, results), meter))) {
        const result = await withNumber(await tally.correct(each));
        const row = toReport(result, overview);
        sinceRefused.note(each);
        if (result.outcome === "refused" || result.outcome === "wrong") {
          const { raw } = result.row;
          if (rejects && "cells" in raw && raw.hasHidden) withHidden.push(result.row.row);
          else await rejects?.add(raw, describeError(row));
        }
        if (row.error !== null && isWorthKeeping(wrong)) wrong.push(row);
        if (result.outcome !== "unsent") yield row;
      }
      if (made.size > 1 && !context.signal.aborted) await compareMade();
      await tally.noteWithdrawnElsewhere();
      sentSince = await sinceRefused.find(() => goodRows(source, overview));
      await ledger.checkPlace();
      if (run.comparedMs !== undefined && countDone(counts) === total)
        await ledger.recordComparison(run.tools.run.customer, run.comparedMs).catch(() => {}); // then it is done again
      isOver = true;
    } catch (error) {
      isOver = true;
      failure = error;
    } finally {
      endNote();
      meter.end();
      if (unwanted.length > 0) context.messages.warn(describeUnwanted(unwanted, context));
      await rejects?.finish();
      if (rejects?.failure) context.messages.warnAlways(rejects.failure);
      if (sentSince.length > 0) context.messages.warnAlways(describeSentSince(sentSince, rejects?.path));
      if (!isLedgerLost(failure))
        await run.sheet?.write({ ...run.tools, customer: run.tools.run.customer, others: run.others });
      else if (run.sheet)
        context.messages.warnAlways(
          "the sheet was not written back, since the ledger is gone; the report has the numbers",
        );
      if (run.sheet && unrecorded.length > 0 && !isLedgerLost(failure))
        context.messages.warnAlways(
          `the sheet lacks the numbers of ${counted(unrecorded.length, "created order")}, which the ledger could not record; the next run fills them in`,
        );
      if (!isOver) context.messages.warn(`stopped: the report cannot be written; ${goOn}`);
    }
    const misreported = tally.misreported();
    if (!isLedgerLost(failure)) await tally.recountMisreported();
    const others = [...[...made.keys()].filter((id) => run.others.has(id)), ...unread];
    const ending = { failure, paused, reasons: tally.reasons, unrecorded, misreported, others };
    const unwritten = run.sheet?.failure;
    // With too many files open, the report may not be shown either, and nothing says then how the import ended.
    const mayBeLast = (failure !== undefined && !isExpected(failure)) || isForFileLimit(unwritten);
    if (unwritten && mayBeLast) context.messages.warnAlways(unwritten.message);
    const end = await endOf(run, counts, ending, context);
    if (unwritten && !mayBeLast && end?.code !== unwritten.code)
      context.messages.warnAlways(unwritten.message);
    return end;
  }

  return {
    ...rows(report(), reportColumns, total === 0 ? "No rows" : ""),
    ...goesOnUnread("import", () => run.tools.run.number, context),
    remark: remarkOn as NonNullable<RowsOutput["remark"]>,
    isShown: isNoted as unknown as NonNullable<RowsOutput["isShown"]>,
    async after(isShort) {
      await closeReport(
        { overview, counts, wrong, withHidden, rejects, run: run.tools.run.number, isShort },
        context,
      );
      if (run.sheet?.summary) context.messages.note(run.sheet.summary);
    },
  };
}

/** The rows that are left out, then the results of the others. */
async function* withWrong(
  source: RowsOptions,
  overview: Overview,
  results: AsyncIterable<RowResult>,
): AsyncGenerator<RowResult> {
  if (overview.wrong.wrong > 0)
    for await (const checked of readAgain(source, overview))
      if (!("ok" in checked)) yield wrongResult(checked);
  yield* results;
}

function wrongResult({ problems, ...row }: WrongRow): RowResult {
  const base = {
    row: { ...row, draft: {}, defaults: [], content: "", occurrence: 1 },
    outcome: "wrong",
  } as const;
  const [only, ...others] = problems;
  if (only && others.length === 0) {
    const { column, value, message } = only;
    const field = column === "" ? {} : { field: column };
    return { ...base, rejection: { code: "wrong", message, ...field }, value };
  }
  const texts = problems.map(({ column, value, message }) => {
    const text = column === "" ? message : `${column}: ${message}`;
    return value === "" ? text : `${text}: “${value}”`;
  });
  return { ...base, rejection: { code: "wrong", message: texts.join("; ") } };
}

/** Names the orders: undoing the run again would also cancel those that a person kept. */
function describeUnwanted(found: readonly Operation[], { nextCommand }: Context): string {
  const orders = `${counted(found.length, "order")} of an undone run ${byCount(found.length, "was", "were")} made`;
  const ids = found.flatMap(({ order }) => order?.id ?? []);
  return `${orders}, and found later; ${describeCancel(ids, nextCommand)}`;
}

/** The reason in the service's words: the values of the rows differ. */
function describeAlike(rows: string, { message }: Rejection): string {
  return `${rows} were refused for the same reason: ${message}`;
}

function isForFileLimit(error: unknown): boolean {
  if (isFileLimit(systemCode(error))) return true;
  return error instanceof Error && error.cause !== undefined && isForFileLimit(error.cause);
}
