/** The output of an import: progress, report, rejects, and the error that ends it. */

import { ServiceFailure } from "../api/failure.ts";
import { type Context, goesOnUnread, noteStop, type RowsOutput, rows } from "../command/command.ts";
import { diskStep, makeRoom } from "../core/disk-errors.ts";
import { CourierError, type ExitCode, interrupted, interruptionExit, systemCode } from "../core/errors.ts";
import { isFileLimit } from "../core/system-errors.ts";
import { byCount, counted } from "../core/wording.ts";
import type { SeenState } from "../ledger/known-orders.ts";
import {
  isMade,
  nameOperation,
  type Operation,
  type OperationName,
  type Rejection,
} from "../ledger/operation.ts";
import { isLedgerLost } from "../ledger/operation-errors.ts";
import type { RowDecision } from "../ledger/rules.ts";
import type { ReportRow } from "../model/results.ts";
import { compareAnswers } from "../sending/compare-answers.ts";
import { createReconcileTools } from "../sending/settle.ts";
import { mayBeFullDisk } from "../sqlite/database.ts";
import { ServiceUnavailable } from "./backoff.ts";
import { countAll, type Overview, readAgain } from "./check-rows.ts";
import { goodRows, type ImportPlan } from "./import-plan.ts";
import { type ImportProgress, openImportProgress } from "./import-progress.ts";
import {
  type Counts,
  closeReport,
  countDone,
  describeCounts,
  describeError,
  isNoted,
  isWorthKeeping,
  noCounts,
  remarkOn,
  reportColumns,
  toReport,
} from "./import-report.ts";
import { createTools } from "./import-send.ts";
import type { ImportOptions, ImportTools, Outcome, RowResult } from "./import-types.ts";
import { importRows } from "./importer.ts";
import type { RejectsWriter } from "./rejects.ts";
import { inRowOrder } from "./reorder-buffer.ts";
import { listRows } from "./row-words.ts";
import type { RowsOptions, WrongRow } from "./rows.ts";
import { describeMisled } from "./unsent-rows.ts";
import { type SheetAfterImport, statesOfLedger } from "./write-back/import-sheet.ts";

export interface ImportRun {
  readonly source: RowsOptions;
  readonly plan: ImportPlan;
  readonly tools: Pick<ImportTools, "ledger" | "run" | "file" | "policy" | "releaseDead" | "found">;
  readonly settings: ImportOptions;
  readonly skipsChanged: boolean;
  /** Many refusals for one reason do not pause it. */
  readonly keepsGoing: boolean;
  /** `--settle`: how long an order may be missing in the list. */
  readonly settleMs: number | undefined;
  /** The given flags that change how the file is read. */
  readonly readBy: readonly string[];
  readonly rejects: RejectsWriter | undefined;
  readonly sheet: SheetAfterImport | undefined;
  /** Until when all orders made elsewhere were compared; undefined where some were not. */
  readonly comparedMs: number | undefined;
  /** Orders that were read and are others than answers said, with the reason. */
  readonly others: Map<string, string>;
}

/** Sends the rows while the report is read. Each row gives one report row. */
export function runImport(run: ImportRun, context: Context): RowsOutput {
  const counts = noCounts();
  const wrong: ReportRow[] = [];
  /** Orders of which rows are hidden: they can be corrected in the workbook alone. */
  const withHidden: number[] = [];
  /** Rows that an order in doubt holds: no flag sends them. */
  let heldByDoubt = 0;
  let heldAsEdited = 0;
  /** By orders made elsewhere that may equal their rows. */
  let heldByPossible = 0;
  /** The number beside them is another row's, or of another customer: no flag counts them as shipped. */
  let heldByOther = 0;
  /** Rows with other values than their cancelled orders. */
  let correctedLater = 0;
  /** The ids of orders that the ledger could not record. */
  const unrecorded: string[] = [];
  /** Standing orders that were in doubt when their runs were undone. */
  const unwanted: Operation[] = [];
  /** Operations whose answers named an order of another one. */
  const withdrawn = new Set<string>();
  /** The rows with their orders: which operation it is, and what the row was counted as. */
  const misled = new Map<number, { readonly name: OperationName; readonly counted: Outcome }>();
  /** The ids of the orders that this run has made. */
  const made: string[] = [];
  /** The rows of earlier runs' orders whose answers may still prove wrong, with those orders. */
  const shippedRows = new Map<string, { readonly row: number; readonly orderId: string | undefined }>();
  const { source, plan, settings, rejects } = run;
  const { overview } = plan;
  const total = countAll(overview);
  /** Why the rest was not sent. */
  let paused: string | undefined;

  /** Counts a row when it is done, which may be before its turn in the report. */
  async function* counting(results: AsyncIterable<RowResult>, meter: ImportProgress) {
    for await (const result of results) {
      counts[result.outcome] += 1;
      noteShipped(result);
      if (result.decision?.kind === "held" && !isMade(result.decision.operation)) heldByDoubt += 1;
      else if (result.decision?.kind === "held" && result.decision.isEdited) heldAsEdited += 1;
      const hasNumber = (result.row.writtenNumbers ?? []).length > 0;
      if (result.decision?.kind === "elsewhere" && !result.decision.isCertain && !hasNumber)
        heldByPossible += 1;
      if (result.decision?.kind === "written" && isOfOtherRow(result.decision)) heldByOther += 1;
      if (result.decision?.kind === "cancelled" && result.decision.change) correctedLater += 1;
      if (result.outcome === "created" && result.order) made.push(result.order.id);
      if (result.isUnrecorded && result.order) unrecorded.push(result.order.id);
      if (result.decision?.kind === "shipped" && result.decision.operation.isUnwanted)
        unwanted.push(result.decision.operation);
      meter.count(counts);
      yield result;
    }
  }

  function noteShipped({ row: { row }, outcome, decision }: RowResult): void {
    if (decision?.kind !== "shipped" || decision.operation.state !== "created") return;
    const name = nameOperation(decision.operation);
    shippedRows.set(name, { row, orderId: decision.operation.order?.id });
    if (withdrawn.has(name)) misled.set(row, { name: decision.operation, counted: outcome });
  }

  /** The order of this operation is another one's. */
  function onWithdrawn(operation: Operation): void {
    const name = nameOperation(operation);
    withdrawn.add(name);
    if (operation.run === run.tools.run.number)
      misled.set(operation.row ?? 0, { name: operation, counted: "created" });
    const shipped = shippedRows.get(name);
    if (shipped) misled.set(shipped.row, { name: operation, counted: "shipped" });
  }

  /** Another process may have taken orders from rows that this one has reported. */
  async function noteWithdrawnElsewhere(): Promise<void> {
    const { ledger, run: own } = run.tools;
    for (const operation of await ledger.findWithdrawn(own.customer)) {
      const name = nameOperation(operation);
      const isReported =
        operation.run === own.number || shippedRows.get(name)?.orderId === operation.withdrawnOrder;
      if (isReported && !withdrawn.has(name)) onWithdrawn(operation);
    }
  }

  /** Answers may have been exchanged. A service that fails now is not waited for: the next import compares. */
  async function compareMade(): Promise<void> {
    const { ledger, run: own } = run.tools;
    const { settleMs, others } = run;
    const choice = { ledger, customer: own.customer, run: own.number, settleMs, showsProgress: false };
    const tools = { ...(await createReconcileTools(choice, context)), onWithdrawn, others };
    const reason = await compareAnswers(made, tools);
    if (reason !== undefined)
      context.messages.note(
        `Not all orders of this import were compared with the service's list: ${reason}. The next import of the same file compares them.`,
      );
  }

  /** What is known of a create since its answer proved to name an order of another one. */
  async function readResult(
    name: OperationName,
  ): Promise<Pick<RowResult, "outcome" | "order" | "rejection">> {
    const { state, order } = (await run.tools.ledger.findOperation(name)) ?? {};
    if (state === "found") return { outcome: "found", order };
    if (state !== "unknown") return { outcome: "unsent" };
    return { outcome: "unknown", rejection: describeMisled(name) };
  }

  function recount(counted: Outcome, { outcome }: Pick<RowResult, "outcome">): void {
    counts[counted] -= 1;
    counts[outcome] += 1;
  }

  /** The result of a row that is not reported yet. */
  async function correct(result: RowResult): Promise<RowResult> {
    const { row } = result;
    const wrong = misled.get(row.row);
    if (!wrong) return result;
    misled.delete(row.row);
    const known = await readResult(wrong.name);
    recount(wrong.counted, known);
    return { row, ...known };
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
      const reconcile = { ...sending.reconcile, onWithdrawn, others: run.others };
      const tools = { ...run.tools, ...sending, reconcile, earlier, mayGoOn };
      const results = importRows(() => goodRows(source, overview), tools, settings);
      for await (const each of inRowOrder(counting(withWrong(source, overview, results), meter))) {
        const result = await withNumber(await correct(each));
        const row = toReport(result, overview);
        if (result.outcome === "refused" || result.outcome === "wrong") {
          const { raw } = result.row;
          if (rejects && "cells" in raw && raw.hasHidden) withHidden.push(result.row.row);
          else await rejects?.add(raw, describeError(row));
        }
        if (row.error !== null && isWorthKeeping(wrong)) wrong.push(row);
        if (result.outcome !== "unsent") yield row;
      }
      if (made.length > 1 && !context.signal.aborted) await compareMade();
      await noteWithdrawnElsewhere();
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
      if (rejects?.failure) context.messages.warn(rejects.failure);
      if (!isLedgerLost(failure))
        await run.sheet?.write({ ...run.tools, customer: run.tools.run.customer, others: run.others });
      else if (run.sheet)
        context.messages.warn(
          "the sheet was not written back, since the ledger is gone; the report has the numbers",
        );
      if (run.sheet && unrecorded.length > 0 && !isLedgerLost(failure))
        context.messages.warn(
          `the sheet lacks the numbers of ${counted(unrecorded.length, "created order")}, which the ledger could not record; the next run fills them in`,
        );
      if (!isOver) context.messages.warn(`stopped: the report cannot be written; ${goOn}`);
    }
    const doubts = isListIncomplete(failure) ? await nameDoubts(run, context) : "";
    const misreported = [...misled.keys()].sort((a, b) => a - b);
    if (!isLedgerLost(failure))
      for (const { name, counted } of misled.values()) recount(counted, await readResult(name));
    const ending = {
      failure: withUnrecorded(failure, unrecorded),
      paused,
      heldByDoubt,
      heldAsEdited,
      heldByPossible,
      heldByOther,
      correctedLater,
      doubts,
      misreported,
    };
    const unwritten = run.sheet?.failure;
    // With too many files open, the report may not be shown either, and nothing says then how the import ended.
    const mayBeLast = (failure !== undefined && !isExpected(failure)) || isForFileLimit(unwritten);
    if (unwritten && mayBeLast) context.messages.warn(unwritten.message);
    const end = endOf(run, counts, ending, context);
    if (unwritten && !mayBeLast && end?.code !== unwritten.code) context.messages.warn(unwritten.message);
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

function describeUnwanted(found: readonly Operation[], { nextCommand }: Context): string {
  const orders = `${counted(found.length, "order")} of an undone run ${byCount(found.length, "was", "were")} made`;
  const runs = [...new Set(found.map(({ run }) => run))];
  const commands = runs.map((run) => nextCommand(`undo ${run} --include-found`));
  return `${orders}, and found later; to cancel ${byCount(found.length, "it", "them")}: ${commands.join("; ")}`;
}

const goOn = "run the same command again: it continues where it stopped";

interface Ending {
  readonly failure: unknown;
  /** Why the rest was not sent. */
  readonly paused: string | undefined;
  readonly heldByDoubt: number;
  readonly heldAsEdited: number;
  readonly heldByPossible: number;
  readonly heldByOther: number;
  readonly correctedLater: number;
  /** How to settle what is in doubt, where the list cannot; else empty. */
  readonly doubts: string;
  /** The rows that the report has with an order of another row or command. */
  readonly misreported: readonly number[];
}

const doubtsShown = 3;

function isListIncomplete(failure: unknown): boolean {
  const causes = failure instanceof Error ? [failure, failure.cause] : [];
  return causes.some((each) => each instanceof ServiceFailure && each.code === "list_incomplete");
}

/** The commands that settle the orders in doubt without the list. */
async function nameDoubts({ tools: { ledger, run } }: ImportRun, { nextCommand }: Context): Promise<string> {
  const open = await ledger.openOperations(run.customer);
  const names = open
    .filter(({ operation: { kind, state } }) => kind === "create" && state === "unknown")
    .map(({ operation }) => nextCommand(`orders resolve ${nameOperation(operation)}`));
  if (names.length === 0) return "";
  const more = names.length > doubtsShown ? `; and ${names.length - doubtsShown} more` : "";
  return `; or settle what is in doubt yourself: ${names.slice(0, doubtsShown).join(", ")}${more}`;
}

/** A failure of the ledger, with the orders that it has left unrecorded. */
function withUnrecorded(failure: unknown, ids: readonly string[]): unknown {
  if (!(failure instanceof CourierError) || ids.length === 0) return failure;
  const orders = `${counted(ids.length, "created order")} ${wereFor(ids.length)} not recorded`;
  const next = isLedgerLost(failure) ? "" : " (the next run looks for them)";
  return failure.with({ message: `${failure.message}; ${orders}${next}: ${ids.join(", ")}` });
}

/** The first that applies: ledger lost, interrupted, in doubt, key refused, unsent, refused or held or changed. */
function endOf(run: ImportRun, counts: Counts, ending: Ending, context: Context): CourierError | undefined {
  const { failure, paused, heldByDoubt, doubts, misreported } = ending;
  const { noun } = run.plan.overview;
  const total = countAll(run.plan.overview);
  const left = total - countDone(counts);
  const { signal } = context;
  if (failure !== undefined && !isExpected(failure)) throw failure;
  if (isLedgerLost(failure)) return lostLedger(failure, counts, context);
  if (signal.aborted && left + counts.unknown + heldByDoubt > 0) {
    const why = roomFirst(failure) !== "" && failure instanceof Error ? `; ${failure.message}` : "";
    const stopped = `stopped: ${describeCounts(total, counts)}${why}`;
    return interrupted(interruptionExit(signal.reason), stopped, `${roomFirst(failure)}${goOn}`);
  }
  if (misreported.length > 0) return reportedWrongly(misreported, counts, run, context);
  if (counts.unknown > 0) return inDoubt(counts.unknown, left, total, failure, context);
  if (failure !== undefined) return stoppedBy(failure, counts, doubts);
  if (paused && left > 0) return stoppedForRefusals(paused, left, counted(total, noun));
  if (left > 0) return unsent(left, counted(total, noun));
  const refused = someRefused(run, counts, ending, context);
  const unwritten = run.sheet?.failure;
  if (!unwritten || !refused) return unwritten ?? refused;
  return unwritten.with({
    message: `${unwritten.message}; ${refused.message}`,
    hint: `${unwritten.hint}; ${refused.hint}`,
  });
}

function inDoubt(
  unknown: number,
  left: number,
  total: number,
  failure: unknown,
  { nextCommand }: Context,
): CourierError {
  const cause = failure instanceof Error ? `; the import stopped: ${failure.message}` : "";
  const rest = left > 0 ? `; ${counted(left, "more row")} ${wereFor(left)} not sent` : "";
  return new CourierError(
    "outcome_unknown",
    6,
    `it is not known whether ${unknown} of ${counted(total, "order")} ${wereFor(unknown)} created${rest}${cause}`,
    {
      hint: `${roomFirst(failure)}run the same command again (after the time in the report, where it names one); or decide each: ${nextCommand("orders resolve")} lists them`,
    },
  );
}

/** Their answers came before what proves them wrong. */
function reportedWrongly(
  misreported: readonly number[],
  { unknown }: Counts,
  { tools }: ImportRun,
  { nextCommand }: Context,
): CourierError {
  const doubts = unknown > 0 ? `; ${unknown} in doubt` : "";
  return new CourierError(
    "outcome_unknown",
    6,
    `the report has row ${listRows(misreported)} with an order of another row, which the answer named${doubts}`,
    {
      hint: `see what is known: ${nextCommand(`log show ${tools.run.number}`)}; then run the same command again, which checks what is in doubt`,
    },
  );
}

function roomFirst(failure: unknown): string {
  const step = mayBeFullDisk(failure) ? makeRoom : diskStep(failure);
  return step === undefined ? "" : `${step}, then `;
}

function describeStop(cause: Error, { created, found }: Counts): string {
  const also = found > 0 ? ` and ${found} found` : "";
  return `the import stopped after ${counted(created, "created order")}${also}: ${cause.message}`;
}

function stoppedBy(cause: Error, counts: Counts, doubts: string): CourierError {
  const message = describeStop(cause, counts);
  const known = cause instanceof CourierError ? cause : undefined;
  if (known && known.exit !== 5) return known.with({ message, hint: known.hint ?? goOn });
  const code = known && !(known instanceof ServiceFailure) ? known.code : "service_unavailable";
  const exit: ExitCode = 5;
  const failure = [cause, cause.cause].find((each) => each instanceof ServiceFailure);
  const hint = `${failure?.hintBefore(goOn) ?? `${roomFirst(cause)}${goOn}`}${doubts}`;
  return new CourierError(code, exit, message, { hint, cause });
}

/** Exit code 6, not 5: another run would send all rows again. */
function lostLedger(cause: CourierError, counts: Counts, { nextCommand }: Context): CourierError {
  return new CourierError("ledger_lost", 6, describeStop(cause, counts), {
    hint: `do not import this file again unchanged: first remove the rows that have an order, according to this report and ${nextCommand("orders list --all")}; a new ledger does not know them`,
    cause,
  });
}

function unsent(left: number, total: string): CourierError {
  return new CourierError("unsent", 5, `${left} of ${total} ${wereFor(left)} not sent`, {
    hint: goOn,
  });
}

/** The reason in the service's words: the values of the rows differ. */
function describeAlike(rows: string, { message }: Rejection): string {
  return `${rows} were refused for the same reason: ${message}`;
}

function stoppedForRefusals(reason: string, left: number, total: string): CourierError {
  return new CourierError("some_refused", 3, `${reason}; ${left} of ${total} ${wereFor(left)} not sent`, {
    hint: "fix the rows, or --map where a column is read as another field, and run the same command again; where the rows are right, add --retry-refused once the cause is gone; --keep-going sends the other rows",
  });
}

function isOfOtherRow({
  sent,
  holder,
  receiver,
  isCancelled,
}: Extract<RowDecision, { kind: "written" }>): boolean {
  return sent !== undefined || holder !== undefined || receiver !== undefined || isCancelled === true;
}

function someRefused(
  { plan, tools: { policy }, rejects, readBy, skipsChanged }: ImportRun,
  { refused, held, changed, wrong }: Counts,
  { heldByDoubt, heldAsEdited, heldByPossible, heldByOther, correctedLater }: Ending,
  { nextCommand }: Context,
): CourierError | undefined {
  const kept = skipsChanged ? 0 : changed;
  const corrected = skipsChanged ? 0 : correctedLater;
  if (refused + held + kept + corrected + wrong === 0) return undefined;
  const total = counted(countAll(plan.overview), plan.overview.noun);
  const parts = [
    wrong > 0 ? `${wrong} wrong` : "",
    refused > 0 ? `${refused} refused` : "",
    held > 0 ? `${held} held` : "",
    kept > 0 ? `${kept} changed since ${byCount(kept, "it was", "they were")} shipped` : "",
    corrected > 0
      ? `${corrected} changed since ${byCount(corrected, "its order was", "their orders were")} cancelled`
      : "",
  ];
  const path = rejects?.failure === undefined ? rejects?.path : undefined;
  const fix = path
    ? `fix the rows in ${path} and import that file${sameFlags(readBy)}`
    : `fix these rows and run the same command again${rejects ? "" : ", or get them as a file with --rejects FILE"}`;
  const hints = [
    refused + wrong > 0 ? fix : "",
    refused > 0 ? "where a row is right, add --retry-refused once the cause is gone" : "",
    heldByDoubt > 0 ? `settle the orders in doubt first: ${nextCommand("orders resolve")} lists them` : "",
    heldAsEdited > 0
      ? `where an edited row replaces its order, cancel that one first: ${nextCommand("orders cancel ID")}`
      : "",
    heldByPossible > 0
      ? `where the order that a row may equal is its own, ${
          plan.overview.header.length > 0
            ? 'write its tracking number into the row, in a column "Courier tracking number", and give --skip-shipped'
            : "leave the row out of the file"
        }`
      : "",
    held > heldByDoubt + heldAsEdited + heldByPossible + heldByOther && !policy.skipShipped
      ? "--skip-shipped counts a row that equals an order, or has the number of one, as shipped"
      : "",
    held > heldByDoubt ? "--allow-duplicate row:N ships row N as well" : "",
    corrected > 0
      ? "to ship the changed row N of a cancelled order: --allow-duplicate row:N; --skip-changed leaves it out"
      : "",
    kept > 0
      ? "--skip-changed accepts changed rows as they were shipped; if another shop or day uses the same numbers: --shop NAME"
      : "",
  ];
  return new CourierError(
    "some_refused",
    3,
    held + kept + corrected + wrong === 0
      ? `${refused} of ${total} ${wereFor(refused)} refused`
      : `of ${total}: ${parts.filter((part) => part !== "").join(", ")}`,
    { hint: hints.filter((hint) => hint !== "").join("; ") },
  );
}

function sameFlags(flags: readonly string[]): string {
  return flags.length === 0 ? "" : `, with the same ${flags.join(" and ")}`;
}

function wereFor(count: number): string {
  return byCount(count, "was", "were");
}

function isForFileLimit(error: unknown): boolean {
  if (isFileLimit(systemCode(error))) return true;
  return error instanceof Error && error.cause !== undefined && isForFileLimit(error.cause);
}

/** Anything else is a bug. */
function isExpected(error: unknown): error is Error {
  return error instanceof ServiceUnavailable || error instanceof CourierError;
}
