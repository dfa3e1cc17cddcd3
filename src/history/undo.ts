/** `courier undo`: cancels the orders that a run created, and reads each back (specification, 4.4 and 4.5). */

import { ServiceFailure } from "../api/failure.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import {
  type Context,
  confirmOrStop,
  defineCommand,
  ensureCanConfirm,
  isLateAnswer,
  type Output,
  rows,
} from "../command/command.ts";
import { findLedger } from "../command/found-ledger.ts";
import { quote, switchOption } from "../command/options.ts";
import { wrongAccount } from "../command/run-messages.ts";
import { findRun, parseRunNumber, whereRunsAre } from "../command/run-number.ts";
import { settleOption } from "../command/value-options.ts";
import { type CourierError, usageError } from "../core/errors.ts";
import { largest } from "../core/extremes.ts";
import { hostOf, nameProcess, thisHost } from "../core/process-place.ts";
import { formatLocal, formatUntil } from "../core/time.ts";
import { byCount, counted } from "../core/wording.ts";
import type { Customer } from "../ledger/customers.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isCancelled, nameOperation } from "../ledger/operation.ts";
import type { RunSummary } from "../ledger/runs.ts";
import { checkRun, hasEnded, releaseDeadRuns } from "../sending/owners.ts";
import { createReconcileTools, settleInDoubt } from "../sending/settle.ts";
import { howToKnow, mayGoOnUnseen, stillRunning, takeOver } from "./take-over.ts";
import {
  isPaid,
  planUndo,
  type ReadOrder,
  type RunOrders,
  sortOperations,
  type UndoPlan,
} from "./undo-plan.ts";
import { cancelPlanned, previewPlan } from "./undo-run.ts";
import { undoneColumns } from "./undone-row.ts";

export const undoRun = defineCommand({
  description:
    "Cancels the orders that run N created, where their state allows it. Each order is read before and after. Orders\n" +
    "that cannot be cancelled any more are listed with their state. An order that was found after its answer was\n" +
    "lost needs a second confirmation, or --include-found. Orders in doubt are not sent again. After an\n" +
    "interruption, run the command again: it continues where it stopped. Without N, at a terminal, it undoes the\n" +
    "last run that created orders, of those on this machine. The interface does not say whether the fee of a paid\n" +
    "order is refunded.",
  arguments: {
    runs: {
      summary: "the run's number, as courier log shows it",
      parse: parseRunNumber,
      isList: true as const,
      isOptional: true,
      usage: "[N]",
    },
  },
  options: {
    includeFound: switchOption("also cancel orders that were found after their answer was lost"),
    dryRun: switchOption("show what would be cancelled; nothing is sent"),
    settle: settleOption,
  },
  confirms: true,
  mentionsDoubt: true,
  examples: [
    { line: "undo 12 --dry-run", note: "which orders of run 12 can still be cancelled" },
    { line: "undo 12", note: "shows the counts, and asks before it cancels" },
    { line: "undo 12 --yes --include-found --json", note: "for a script" },
  ],
  exits: [3, 5, 6],
  seeAlso: ["log", "orders cancel", "orders resolve"],
  async run(
    { runs: [number, second], includeFound = false, dryRun = false, settle: settleMs },
    context,
  ): Promise<Output> {
    if (second !== undefined) throw usageError(`undo takes one run: remove ${quote(String(second))}`);
    if (number === undefined && !(await context.prompts()))
      throw usageError("no run number given", whereRunsAre(context));
    if (number !== undefined) await findRun(await findLedger(context), number, context);
    if (!dryRun)
      await ensureCanConfirm(context, `undoing ${number === undefined ? "a run" : `run ${number}`}`);
    const { ledger, run, customer } = await chooseRun(number, context);
    const orders = await readOrders(run, customer, { ledger, dryRun, settleMs }, context);
    const service = await context.service();
    // Each order is read; one that is not known to be cancelled is cancelled and read back, too.
    const open = orders.made.filter((operation) => !isCancelled(operation)).length;
    const calls = orders.made.length + (dryRun ? 0 : open * 2);
    const what = `undoing run ${run.number} takes up to ${counted(calls, "call")}`;
    await checkApiQuota(calls, service, context, { what });
    let plan = await planUndo(orders, service, ledger, context, { isTrial: dryRun });
    if (dryRun) return rows(previewPlan(run, plan, includeFound), undoneColumns, nothing);
    const askedMs = context.clock.elapsed();
    let chosen = await choose(run, plan, includeFound, context);
    if (isLateAnswer(context, askedMs)) {
      const now = withAsked(sortOperations(await ledger.listOperations(run.number)), orders);
      const read = await planUndo(now, service, ledger, context, { isTrial: false });
      plan = leaveChanged(read, chosen, includeFound);
      chosen = chosenIn(plan, chosen);
    }
    const { stream, ...how } = cancelPlanned(run, plan, chosen, includeFound, context);
    return { ...rows(stream, undoneColumns, nothing), ...how };
  },
});

const nothing = "Nothing to undo";

interface Chosen {
  readonly ledger: Ledger;
  readonly run: RunSummary;
  readonly customer: Customer;
}

/** Throws a usage error for a run that this account cannot undo. */
async function chooseRun(number: number | undefined, context: Context): Promise<Chosen> {
  const ledger = await findLedger(context);
  if (number !== undefined) ensureCreated(await findRun(ledger, number, context), context);
  if (!ledger) throw noRun(context);
  const customer = await context.customer();
  // The last run of a ledger that machines share may be another station's: that one needs its number.
  const host = ledger.isShared ? thisHost() : undefined;
  const [newest] =
    number === undefined
      ? await ledger.listRuns({ customer: customer.id, host, hasCreated: true, limit: 1 })
      : [await findRun(ledger, number, context)];
  if (!newest) throw noRun(context, host);
  if (newest.customer !== customer.id) throw await wrongAccount(newest, `undo ${newest.number}`, context);
  return { ledger, run: newest, customer };
}

function noRun({ nextCommand }: Context, host?: string): CourierError {
  return usageError(
    `this account has no run that created an order${host === undefined ? "" : " from this machine"}`,
    `${nextCommand("log")} shows what was done`,
  );
}

function ensureCreated({ number, command, counts }: RunSummary, { nextCommand }: Context): void {
  const has = (...states: readonly string[]) => states.some((state) => counts.has(`create ${state}`));
  if (has("created", "found", "unknown", "sending", "ready")) return;
  const isCreating = has("refused", "unsent") || /create|import|POST/.test(command);
  const reason = isCreating ? "it created no order" : `${command} creates no orders`;
  throw usageError(
    `run ${number} has nothing to undo: ${reason}`,
    `${nextCommand(`log show ${number}`)} shows what it did`,
  );
}

/** An undo polls orders in doubt at most so long. */
const timeLimitMs = 30_000;

/** Reconciles the orders of the run that are in doubt. Those that are found are cancelled with the others. */
async function findLost(run: RunSummary, settleMs: number | undefined, ledger: Ledger, context: Context) {
  const lost = (await ledger.listOperations(run.number)).filter(
    ({ kind, state }) => kind === "create" && state === "unknown",
  );
  if (lost.length === 0) return;
  const { customer } = run;
  const tools = await createReconcileTools({ ledger, customer, settleMs }, context);
  try {
    const { found, left } = await settleInDoubt(lost.map(nameOperation), tools, { timeLimitMs });
    const absent = lost.filter((each) => !found.has(nameOperation(each)) && !left.has(nameOperation(each)));
    const unwanted = absent.filter(({ isUnwanted }) => isUnwanted).length;
    if (unwanted > 0)
      context.messages.note(
        `${counted(unwanted, "order")} in doubt ${byCount(unwanted, "was", "were")} not created: not sent again unless you ask for it`,
      );
    const times = [...left.values()].flatMap((each) => (each.kind === "early" ? [each.provedMs] : []));
    if (times.length > 0)
      context.messages.note(
        `${counted(times.length, "order")} ${byCount(times.length, "is", "are")} in doubt: run the same command again after ${formatUntil(largest(times), context.clock.now())}`,
      );
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error; // they stay in doubt in the report
  }
}

/** The orders of a run that has ended. Throws a usage error for one that is running. */
async function readOrders(
  run: RunSummary,
  customer: Customer,
  {
    ledger,
    dryRun,
    settleMs,
  }: { readonly ledger: Ledger; readonly dryRun: boolean; readonly settleMs: number | undefined },
  context: Context,
): Promise<RunOrders> {
  if (dryRun && checkRun(run, context.processes) === "alive") throw stillRunning(run);
  if (!dryRun) {
    await releaseDeadRuns(ledger, customer.id, context);
    const current = await findRun(ledger, run.number, context); // that may have waited for a sign of life
    if (current.counts.has("create sending") && (await mayGoOnUnseen(current, context)))
      throw mayBeSending(current);
    if (!hasEnded(current, context.processes)) await takeOver(current, ledger, context);
    await findLost(run, settleMs, ledger, context);
  }
  return sortOperations(await ledger.listOperations(run.number));
}

function mayBeSending(run: RunSummary): CourierError {
  const orders = counted(run.counts.get("create sending") ?? 0, "order");
  return usageError(
    `run ${run.number} (${nameProcess(run.process)}) may still be sending ${orders}: nothing was cancelled`,
    howToKnow(run),
  );
}

/** The orders to cancel, as a person or the flags chose. "No" ends the command. */
async function choose(
  run: RunSummary,
  plan: UndoPlan,
  includeFound: boolean,
  context: Context,
): Promise<readonly ReadOrder[]> {
  const sure = includeFound ? [...plan.sure, ...plan.found] : plan.sure;
  const toMark = plan.inDoubt.filter(({ isUnwanted }) => !isUnwanted).length;
  if (sure.length + toMark > 0) await confirmOrStop(context, mainQuestion(run, plan, sure, toMark));
  if (includeFound || plan.found.length === 0 || context.globals.yes) return sure;
  const prompts = await context.prompts();
  const isYes = await prompts?.confirm(foundQuestion(plan.found));
  return isYes ? [...sure, ...plan.found] : sure;
}

/** The orders as they are now, with those that the question was about and that have proved not to be made. */
function withAsked(now: RunOrders, { made, inDoubt }: RunOrders): RunOrders {
  const known = new Set([...now.made, ...now.inDoubt].map(nameOperation));
  const settled = [...made, ...inDoubt].filter((each) => !known.has(nameOperation(each)));
  return { ...now, inDoubt: [...now.inDoubt, ...settled] };
}

/** Leaves out what is not any more what the question was about, or was not asked about. */
function leaveChanged(plan: UndoPlan, chosen: readonly ReadOrder[], includeFound: boolean): UndoPlan {
  const asked = new Map(chosen.map(({ order }) => [order.id.value, order.status]));
  // With the flag, a question was about all that were found: one that it leaves out was found since.
  const isAsked = ({ order }: ReadOrder) => includeFound || asked.has(order.id.value);
  const isSame = ({ order }: ReadOrder) =>
    asked.has(order.id.value) && asked.get(order.id.value) === order.status;
  return {
    ...plan,
    sure: plan.sure.filter(isSame),
    found: plan.found.filter((each) => isSame(each) || !isAsked(each)),
    changed: [
      ...plan.sure.filter((each) => !isSame(each)),
      ...plan.found.filter((each) => isAsked(each) && !isSame(each)),
    ],
  };
}

/** The chosen orders as they are now. */
function chosenIn({ sure, found }: UndoPlan, chosen: readonly ReadOrder[]): readonly ReadOrder[] {
  const asked = new Set(chosen.map(({ order }) => order.id.value));
  return [...sure, ...found].filter(({ order }) => asked.has(order.id.value));
}

function mainQuestion(
  { number, command, source, process, startedAtMs }: RunSummary,
  { tooLate, refused, unread, unshown, other }: UndoPlan,
  chosen: readonly ReadOrder[],
  toMark: number,
): string {
  const elsewhere =
    hostOf(process) === thisHost() ? undefined : `on ${hostOf(process)}, ${formatLocal(startedAtMs)}`;
  const name = `run ${number} (${[command, source, elsewhere].filter(Boolean).join(", ")})`;
  const paid = chosen.filter(isPaid).length;
  const facts = [
    paid > 0 ? `${paid} of them paid: the interface does not say whether the fee is refunded` : "",
    tooLate.length > 0 ? `${tooLate.length} cannot be cancelled any more` : "",
    other.length > 0 ? `${other.length} left alone: the service shows another order` : "",
    unshown.length > 0 ? `the service does not show ${unshown.length} any more` : "",
    refused.length > 0 ? `the service refuses to show ${refused.length}` : "",
    unread.length > 0 ? `${unread.length} could not be read` : "",
    toMark > 0 && chosen.length > 0 ? `${counted(toMark, "order")} in doubt will not be sent again` : "",
    chosen.length > 0 ? `${chosen.length * 2} calls` : "",
  ].filter((fact) => fact !== "");
  const question =
    chosen.length > 0
      ? `Cancel ${counted(chosen.length, "order")} of ${name}?`
      : `Mark ${counted(toMark, "order")} in doubt of ${name} as unwanted? They are then not sent again.`;
  return facts.length === 0 ? question : `${question} (${facts.join("; ")})`;
}

const namesShown = 5;

function foundQuestion(found: readonly ReadOrder[]): string {
  const names = found.slice(0, namesShown).map(({ order }) => order.id.value);
  const more = found.length > names.length ? ` and ${found.length - names.length} more` : "";
  const paid = found.filter(isPaid).length;
  const isConfirmed = found.some(({ operation }) => operation.isDecided);
  const how = isConfirmed ? "found or confirmed later" : "found after the answer was lost";
  return (
    `${counted(found.length, "order")} of it ${byCount(found.length, "was", "were")} ${how}: ` +
    `${names.join(", ")}${more}${paid > 0 ? `, ${paid} of them paid` : ""}. Cancel these too?`
  );
}
