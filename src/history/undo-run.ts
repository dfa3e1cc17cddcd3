/** Cancels the orders of an undo. Each cancel is recorded before it is sent and after its answer. */

import type { ServiceFailure } from "../api/failure.ts";
import { type Context, goesOnUnread, type Items, noteStop, type RowsOutput } from "../command/command.ts";
import { CourierError, interrupted, interruptionExit } from "../core/errors.ts";
import { counted } from "../core/wording.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isLive, isMade, nameOperation, type Operation, type OperationName } from "../ledger/operation.ts";
import type { RunSummary } from "../ledger/runs.ts";
import type { Undone } from "../model/results.ts";
import {
  beginCancel,
  type CancelResult,
  type CancelTools,
  endCancel,
  explainUnshown,
  hintOfAccepted,
  tryCancel,
  wasJustSent,
} from "../sending/cancel.ts";
import { show } from "../terminal/blocks.ts";
import { type Attempt, inPasses } from "./passes.ts";
import type { ReadOrder, UndoPlan, UnreadOrder } from "./undo-plan.ts";
import {
  rowAlreadyCancelled,
  rowChanged,
  rowDoneBefore,
  rowFound,
  rowInDoubt,
  rowOther,
  rowRefused,
  rowResult,
  rowSettled,
  rowStopped,
  rowTooLate,
  rowUnread,
  rowUnshown,
  rowWouldCancel,
} from "./undone-row.ts";

/** The rows of `--dry-run`. */
export async function* previewPlan(
  { number }: RunSummary,
  plan: UndoPlan,
  includeFound: boolean,
): Items<Undone> {
  yield* plan.doneBefore.map(rowDoneBefore);
  yield* plan.alreadyCancelled.map(rowAlreadyCancelled);
  yield* plan.sure.map(rowWouldCancel);
  yield* plan.found.map(includeFound ? rowWouldCancel : rowFound);
  yield* plan.tooLate.map(rowTooLate);
  yield* plan.other.map(rowOther);
  yield* plan.refused.map(rowRefused);
  yield* plan.unshown.map((each) => rowUnshown(each));
  yield* plan.unread.map(rowUnread);
  yield* plan.inDoubt.map((operation) => rowInDoubt(operation, operation.isUnwanted));
  const [first] = plan.unread;
  if (first) return unread(plan.unread.length, first.failure);
  const [refused] = plan.refused;
  if (!refused) return undefined;
  const count = counted(plan.refused.length, "order");
  return new CourierError(
    "some_not_cancelled",
    3,
    `${count} of run ${number} cannot be cancelled: ${refused.failure.message}`,
    { hint: refusalHint(refused) },
  );
}

/** Cancels the chosen orders while the rows are read. `after` reports the total. */
export function cancelPlanned(
  undone: RunSummary,
  plan: UndoPlan,
  chosen: readonly ReadOrder[],
  includeFound: boolean,
  context: Context,
): { readonly stream: Items<Undone> } & Required<Pick<RowsOutput, "after" | "onUnread">> {
  const { clock, random, signal, messages } = context;
  const left: Undone[] = [];
  const taken = plan.other.flatMap(({ isTaken, operation }) => (isTaken ? [operation] : []));
  let done = 0;
  let isComplete = false;
  let failure: ServiceFailure | undefined;
  let ownNumber: number | undefined;
  let isMarked: (operation: Operation) => boolean = () => true;
  /** The error of the ledger, where it cannot record a cancel. */
  let unrecorded: CourierError | undefined;
  const onUnrecorded = (error: CourierError) => {
    unrecorded ??= error;
  };
  const count = (row: Undone) => {
    if (row.outcome === "cancelled" || row.outcome === "already_cancelled") done += 1;
    else left.push(row);
    return row;
  };

  async function* stream(): Items<Undone> {
    const endNote = noteStop(context);
    const meter = context.meter();
    let isOver = false;
    let endedCount = -1;
    try {
      const inDoubt = [...plan.inDoubt, ...taken];
      const isIdle = chosen.length === 0 && inDoubt.every(({ isUnwanted }) => isUnwanted);
      const tools = isIdle ? undefined : await begin(undone, context);
      ownNumber = tools?.run.number;
      const ledger = await context.ledger();
      const marked = await ledger.markUnwanted(inDoubt);
      isMarked = (operation) => marked.has(nameOperation(operation));
      yield* plan.doneBefore.map(rowDoneBefore).map(count);
      yield* (await learnCancelled(undone.customer, plan, context)).map(count);
      const begun = new Map<ReadOrder, Begun>();
      const cancel = async (each: ReadOrder): Promise<Attempt<CancelResult | "unsent">> =>
        unrecorded ? { done: "unsent" } : attempt(each, begun, tools as CancelTools, onUnrecorded);
      endedCount = 0;
      const cancelling = () =>
        signal.aborted
          ? "stopping after the requests in progress"
          : `cancelling: ${endedCount} of ${counted(chosen.length, "order")}`;
      const onPause = (why: string) => meter.update(() => `${cancelling()}; ${why}`, true);
      for await (const end of inPasses(chosen, cancel, { clock, random, signal, onPause })) {
        endedCount += 1;
        meter.update(cancelling);
        if (end.kind === "done" && end.done !== "unsent") {
          yield count(rowResult(end.item, end.done));
          continue;
        }
        if (end.kind === "failed") failure ??= end.failure;
        const last = begun.get(end.item);
        if (tools && last?.result) await endCancel(last.name, last.result, tools, onUnrecorded);
        yield count(last?.result ? rowResult(end.item, last.result) : rowStopped(end.item));
      }
      isOver = true;
    } catch (error) {
      isOver = true;
      throw error;
    } finally {
      endNote();
      meter.end();
      if (!isOver && endedCount < chosen.length)
        messages.warn(`stopped: the result cannot be written; ${goOn}`);
    }
    const chosenOnes = new Set(chosen);
    yield* plan.found.filter((each) => !chosenOnes.has(each)).map((each) => count(rowFound(each)));
    yield* plan.tooLate.map((each) => count(rowTooLate(each)));
    yield* plan.changed.map((each) => count(rowChanged(each)));
    yield* plan.other.map((each) => count(rowOther(each)));
    yield* plan.refused.map((each) => count(rowRefused(each)));
    yield* plan.unshown.map((each) => count(rowUnshown(each)));
    yield* plan.unread.map((each) => count(rowUnread(each)));
    for (const each of plan.inDoubt)
      yield count(
        isMarked(each)
          ? rowInDoubt(each, true)
          : await readSettled(each, includeFound, await context.ledger()),
      );
    isComplete = left.length === 0;
    const why = {
      failure: failure ?? plan.unread[0]?.failure,
      refused: plan.refused[0],
      unrecorded,
      taken: taken.map(nameOperation),
    };
    return explainEnd(undone.number, done, left, why, context);
  }

  const after = async () => {
    if (isComplete && done > 0) messages.note(`run ${undone.number}: ${all(done)} cancelled`);
  };
  return { stream: stream(), after, ...goesOnUnread("undo", () => ownNumber, context) };
}

const goOn = "run the same command again: it continues where it stopped";

function all(count: number): string {
  return count === 1 ? "its order is" : `all ${count} orders are`;
}

/** Ctrl-C does not interrupt a cancel in progress. */
async function begin({ number }: RunSummary, context: Context): Promise<CancelTools> {
  const run = await context.beginRun({ command: "undo", undoes: number });
  return {
    service: await context.uninterruptibleService(),
    ledger: await context.ledger(),
    run,
    clock: context.clock,
    warn: context.messages.warn,
    nextCommand: context.nextCommand,
  };
}

/** What became of an operation that is not in doubt any more. */
async function readSettled(operation: Operation, includeFound: boolean, ledger: Ledger): Promise<Undone> {
  const now = (await ledger.findOperation(operation)) ?? operation;
  const { customer, ref, shop } = now;
  const named = isMade(now) || ref === undefined ? [] : await ledger.findByRefs(customer, [ref]);
  return rowSettled(
    now,
    named.findLast((each) => each.shop === shop && isLive(each)),
    includeFound,
  );
}

/** Records orders that are cancelled already, for example by an earlier run that was killed. */
async function learnCancelled(
  customer: number,
  { alreadyCancelled }: UndoPlan,
  context: Context,
): Promise<readonly Undone[]> {
  const ledger = await context.ledger();
  await Promise.all(
    alreadyCancelled.map(({ order }) => ledger.noteOrderState(customer, order.id.value, "cancelled")),
  );
  return alreadyCancelled.map(rowAlreadyCancelled);
}

/** A recorded cancel, and the result of its last try. */
interface Begun {
  readonly name: OperationName;
  /** An earlier run may have cancelled the order already. */
  readonly wasSent: boolean;
  readonly result?: CancelResult;
}

/** All tries share one record. It ends when the outcome is known, or the run gives up. */
async function attempt(
  each: ReadOrder,
  begun: Map<ReadOrder, Begun>,
  tools: CancelTools,
  onUnrecorded: (error: CourierError) => void,
): Promise<Attempt<CancelResult | "unsent">> {
  const id = each.order.id.value;
  const before = begun.get(each);
  const wasSent = before?.wasSent ?? (await wasJustSent(id, tools));
  const name = before?.name ?? (await beginCancel(id, tools, onUnrecorded));
  if (!name) return { done: "unsent" };
  const earlier = before?.result;
  const isInDoubt = wasSent || (earlier?.kind === "open" && !earlier.isUntouched);
  const tried = await tryCancel(id, tools.service, isInDoubt);
  const result = tried.kind === "open" && isInDoubt ? { ...tried, isUntouched: false } : tried;
  begun.set(each, { name, wasSent, result });
  if (result.kind === "open") return { failure: result.failure };
  await endCancel(name, result, tools, onUnrecorded);
  return { done: result };
}

const namesShown = 5;

function explainEnd(
  number: number,
  done: number,
  left: readonly Undone[],
  {
    failure,
    refused,
    unrecorded,
    taken,
  }: {
    /** Creates that are in doubt since their answers proved to name other orders. */
    readonly taken: readonly string[];
    readonly failure?: ServiceFailure | undefined;
    readonly refused?: UnreadOrder | undefined;
    readonly unrecorded?: CourierError | undefined;
  },
  { signal, nextCommand }: Context,
): CourierError | undefined {
  const total = done + left.length;
  const stopped = left.filter(({ reason }) => reason === "stopped");
  const hidden = left.filter(({ reason }) => reason === "not_shown");
  const unknown = left.filter(({ outcome, reason }) => outcome === "unknown" && reason !== "not_shown");
  const inDoubt = left.filter(({ reason }) => reason === "in_doubt");
  const accepted = left.filter(({ outcome }) => outcome === "accepted");
  const notMade = left.filter(({ reason }) => reason === "not_made");
  const others = left.filter(
    (row) => ![...stopped, ...hidden, ...unknown, ...inDoubt, ...accepted, ...notMade].includes(row),
  );
  const counts = `${done} of ${counted(total, "order")} of run ${number} cancelled`;
  const facts = [
    unknown.length > 0 ? `unknown: ${names(unknown)}` : "",
    accepted.length > 0 ? `accepted for cancelling, but not shown as cancelled: ${names(accepted)}` : "",
    others.length > 0 ? `not cancelled: ${names(others)}` : "",
    notMade.length > 0 ? `not made: ${names(notMade)}` : "",
    stopped.length > 0 ? `not reached: ${stopped.length}` : "",
    inDoubt.length + taken.length > 0
      ? `in doubt: ${[...(inDoubt.length > 0 ? [names(inDoubt)] : []), ...taken].join(", ")}`
      : "",
    refused?.failure.message ?? "",
  ].filter((part) => part !== "");
  const sum = [counts, ...facts].join("; ");
  const unshown = hidden.map(({ id }) => show(id));
  const message =
    unshown.length === 0
      ? sum
      : `${sum}; accepted for cancelling, and not shown any more: ${unshown.join(", ")}`;
  if (unrecorded) return unrecorded.with({ message: `${message}; ${unrecorded.message}` });
  if (signal.aborted && left.length > 0) return interrupted(interruptionExit(signal.reason), message, goOn);
  if (failure && (unknown.length === 0 || failure.kind === "key_refused"))
    return failure.with({ message: `${message}: ${failure.message}`, hint: failure.hintBefore(goOn) });
  if (unknown.length + stopped.length > 0) {
    const reason = failure ? `: ${failure.message}` : "";
    const hint = failure ? failure.hintBefore(goOn) : goOn;
    return new CourierError("state_unknown", 5, `${message}${reason}`, { hint });
  }
  if (unshown.length > 0) return explainUnshown(unshown, `${sum}; `, nextCommand);
  const other = others.find(({ reason }) => reason === "other_order");
  const whose = other && `see whose order it is: ${nextCommand(`orders show ${show(other.id)}`)}`;
  const [first] = [...inDoubt.map(({ operation }) => operation), ...taken];
  if (first !== undefined) {
    const again = `run it again later to check again, or decide each: ${nextCommand(`orders resolve ${first}`)}`;
    return new CourierError("outcome_unknown", 6, message, {
      hint: taken.length > 0 && whose ? `${whose}; then ${again}` : again,
    });
  }
  if (others.length + accepted.length + notMade.length === 0) return undefined;
  const hasChanged = others.some(({ reason }) => reason === "changed");
  const hasFound = others.some(({ reason }) => reason === "found");
  return new CourierError("some_not_cancelled", 3, message, {
    hint: hasChanged
      ? "run the same command again: it asks about what has changed"
      : hasFound
        ? "add --include-found to cancel orders that were found or confirmed later"
        : whose
          ? whose
          : refused
            ? refusalHint(refused)
            : accepted.length > 0
              ? hintOfAccepted(accepted.length)
              : notMade.length > 0
                ? `to see what was sent since: ${nextCommand("log")}`
                : undefined,
  });
}

function refusalHint({ operation: { order }, failure }: UnreadOrder): string | undefined {
  if (failure.hint !== undefined || order === undefined) return failure.hint;
  return `ask the service about order ${show(order.id)}; its order number is ${show(order.order_no)}`;
}

/** `1000005 (in_transit), 1000006 (picked) and 3 more` */
function names(rows: readonly Undone[]): string {
  const shown = rows.slice(0, namesShown).map(({ id, operation, status }) => {
    const name = id === null ? operation : show(id);
    return status === null ? name : `${name} (${status})`;
  });
  return rows.length > shown.length
    ? `${shown.join(", ")} and ${rows.length - shown.length} more`
    : shown.join(", ");
}

function unread(count: number, failure: ServiceFailure): CourierError {
  return new CourierError(
    "state_unknown",
    5,
    `the state of ${counted(count, "order")} could not be read: ${failure.message}`,
    { hint: failure.hintBefore("run the same command again") },
  );
}
