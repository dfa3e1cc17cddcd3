/** The error that ends an import: why rows have no order, and what to do next. */

import { ServiceFailure } from "../api/failure.ts";
import type { Context } from "../command/command.ts";
import { diskStep, makeRoom } from "../core/disk-errors.ts";
import { CourierError, type ExitCode, interrupted, interruptionExit } from "../core/errors.ts";
import { byCount, counted } from "../core/wording.ts";
import { isKeptElsewhere } from "../ledger/local-store.ts";
import { nameOperation, type OperationName } from "../ledger/operation.ts";
import { isLedgerLost } from "../ledger/operation-errors.ts";
import { nameCandidates } from "../sending/candidates.ts";
import { mayBeFullDisk } from "../sqlite/database-errors.ts";
import { ServiceUnavailable } from "./backoff.ts";
import { countAll } from "./check-rows.ts";
import { type Counts, countDone, describeCounts } from "./import-report.ts";
import type { ImportRun } from "./import-run.ts";
import type { Reasons } from "./row-tally.ts";
import { listRows } from "./row-words.ts";

export const goOn = "run the same command again: it continues where it stopped";

export interface Ending {
  readonly failure: unknown;
  /** Why the rest was not sent. */
  readonly paused: string | undefined;
  readonly reasons: Reasons;
  /** The ids of orders that the ledger could not record. */
  readonly unrecorded: readonly string[];
  /** The rows that the report has with an order of another row or command. */
  readonly misreported: readonly number[];
  /** The ids of orders that the service shows as others than their rows sent, and no one has edited. */
  readonly others: readonly string[];
}

/** A failure of the ledger, with the orders that it has left unrecorded. */
function withUnrecorded(failure: unknown, ids: readonly string[]): unknown {
  if (!(failure instanceof CourierError) || ids.length === 0) return failure;
  const orders = `${counted(ids.length, "created order")} ${wereFor(ids.length)} not recorded`;
  const next = isLedgerLost(failure) ? "" : " (the next run looks for them)";
  return failure.with({ message: `${failure.message}; ${orders}${next}: ${ids.join(", ")}` });
}

/** The first that applies: ledger lost, interrupted, in doubt, key refused, unsent, refused or held or changed. */
export async function endOf(
  run: ImportRun,
  counts: Counts,
  ending: Ending,
  context: Context,
): Promise<CourierError | undefined> {
  const { paused, reasons, misreported, others } = ending;
  const failure = withUnrecorded(ending.failure, ending.unrecorded);
  const { noun } = run.plan.overview;
  const total = countAll(run.plan.overview);
  const left = total - countDone(counts);
  const { signal } = context;
  if (failure !== undefined && !isExpected(failure)) throw failure;
  if (isLedgerLost(failure)) return lostLedger(failure, counts, context);
  if (signal.aborted && left + counts.unknown + reasons.heldByDoubt > 0) {
    const why = roomFirst(failure) !== "" && failure instanceof Error ? `; ${failure.message}` : "";
    const stopped = `stopped: ${describeCounts(total, counts)}${why}`;
    return interrupted(interruptionExit(signal.reason), stopped, `${roomFirst(failure)}${goOn}`);
  }
  if (misreported.length > 0) return reportedWrongly(misreported, counts, run, context);
  if (counts.unknown > 0) return inDoubt(counts.unknown, left, total, { failure, paused }, context);
  if (others.length > 0 && failure === undefined && left === 0) {
    const owners = await run.tools.ledger.findOwners(run.tools.run.customer, others.slice(0, 1));
    return shownAsOthers(others, owners, context);
  }
  if (failure !== undefined) return stoppedBy(failure, counts, await nameDoubts(failure, run, context));
  if (paused && left > 0) return stoppedForRefusals(paused, left, counted(total, noun));
  if (left > 0) return unsent(left, counted(total, noun));
  const refused = someRefused(run, counts, reasons, context);
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
  { failure, paused }: Pick<Ending, "failure" | "paused">,
  { nextCommand }: Context,
): CourierError {
  const stop = failure instanceof Error ? failure.message : paused;
  const cause = stop === undefined ? "" : `; the import stopped: ${stop}`;
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

/** They may be those of other rows or commands: their numbers are not written beside the rows. */
function shownAsOthers(
  ids: readonly string[],
  owners: ReadonlyMap<string, OperationName>,
  { nextCommand }: Context,
): CourierError {
  const [one, its] = [
    byCount(ids.length, "another", "others"),
    byCount(ids.length, "its number", "their numbers"),
  ];
  const decisions = [...owners].map(
    ([id, name]) =>
      `; or look yourself: ${nextCommand(`orders show ${id}`)}, and where it is the order of the row: ${nextCommand(`orders resolve ${nameOperation(name)} --as ${id}`)}`,
  );
  return new CourierError(
    "outcome_unknown",
    6,
    `the service shows ${byCount(ids.length, "order", "orders")} ${nameCandidates(ids)} as ${one} than the file has: do not use ${its} yet`,
    { hint: `run the same command again later, which compares them again${decisions.join("")}` },
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

const doubtsShown = 3;

function isListIncomplete(failure: unknown): boolean {
  const causes = failure instanceof Error ? [failure, failure.cause] : [];
  return causes.some((each) => each instanceof ServiceFailure && each.code === "list_incomplete");
}

/** The commands that settle the orders in doubt without the list, where that cannot; else empty. */
async function nameDoubts(
  failure: unknown,
  { tools: { ledger, run } }: ImportRun,
  { nextCommand }: Context,
): Promise<string> {
  if (!isListIncomplete(failure)) return "";
  const open = await ledger.openOperations(run.customer);
  const names = open
    .filter(({ operation: { kind, state } }) => kind === "create" && state === "unknown")
    .map(({ operation }) => nextCommand(`orders resolve ${nameOperation(operation)}`));
  if (names.length === 0) return "";
  const more = names.length > doubtsShown ? `; and ${names.length - doubtsShown} more` : "";
  return `; or settle what is in doubt yourself: ${names.slice(0, doubtsShown).join(", ")}${more}`;
}

function stoppedBy(cause: Error, counts: Counts, doubts: string): CourierError {
  const message = describeStop(cause, counts);
  const known = cause instanceof CourierError ? cause : undefined;
  if (known && (known.exit !== 5 || isKeptElsewhere(known)))
    return known.with({ message, hint: known.hint ?? goOn });
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

function stoppedForRefusals(reason: string, left: number, total: string): CourierError {
  return new CourierError("some_refused", 3, `${reason}; ${left} of ${total} ${wereFor(left)} not sent`, {
    hint: "fix the rows, or --map where a column is read as another field, and run the same command again; where the rows are right, add --retry-refused once the cause is gone; --keep-going sends the other rows",
  });
}

function someRefused(
  { plan, tools: { policy }, rejects, readBy, skipsChanged }: ImportRun,
  { refused, held, changed, wrong }: Counts,
  { heldByDoubt, heldAsEdited, heldByPossible, heldByOther, correctedLater }: Reasons,
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
  const path = rejects && rejects.count > 0 && rejects.failure === undefined ? rejects.path : undefined;
  const fix = path
    ? `fix the rows in ${path} and import that file${sameFlags(readBy)}`
    : `fix these rows and run the same command again${rejects ? "" : ", or get them as a file with --rejects FILE"}`;
  const hints = [
    refused + wrong > 0 ? fix : "",
    refused > 0 ? "where a row is right, add --retry-refused once the cause is gone" : "",
    heldByDoubt > 0 ? `settle the orders in doubt first: ${nextCommand("orders resolve")} lists them` : "",
    heldAsEdited > 0
      ? `where an edited row replaces its order, cancel that one first: ${nextCommand("orders cancel ID")}, and where that order is right, leave the row out`
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

/** Anything else is a bug. */
export function isExpected(error: unknown): error is Error {
  return error instanceof ServiceUnavailable || error instanceof CourierError;
}
