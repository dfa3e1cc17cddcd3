/** The duplicate check before each single order: records the order, or reports the equal order that blocks it. */

import { ServiceFailure, saysNoSuchOrder } from "../api/failure.ts";
import { type Context, isLateAnswer } from "../command/command.ts";
import { capitalised } from "../command/options.ts";
import { CourierError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { formatRelative, formatUntil, utcDate } from "../core/time.ts";
import { type Equals, findRewritten, scriptWindowMs, terminalWindowMs } from "../ledger/equal-orders.ts";
import type { Ledger } from "../ledger/ledger.ts";
import {
  isCancelled,
  isMade,
  nameOperation,
  type Operation,
  type OperationName,
  type Run,
  sentAsOfNow,
} from "../ledger/operation.ts";
import type { Draft } from "../model/draft.ts";
import { show } from "../terminal/blocks.ts";
import { readOwner } from "./another-order.ts";
import { describeNotListed, nameCandidates } from "./candidates.ts";
import { checkRun, releaseDeadRuns } from "./owners.ts";
import { recordOffset } from "./reconcile.ts";
import type { ReconcileTools, StillInDoubt } from "./reconcile-types.ts";
import { createReconcileTools, settleInDoubt } from "./settle.ts";

/** A create polls an equal order in doubt at most so long. */
const timeLimitMs = 5_000;

export interface GuardedOrder {
  /** As the log names it: `orders create`. */
  readonly command: string;
  /** Equal for equal orders. */
  readonly content: string;
  /** What earlier versions recorded of the same data, where that is another text. */
  readonly formerContent?: string | undefined;
  /** Undefined for a body that is not an order of the interface. */
  readonly draft: Draft | undefined;
  /** The user's own name of the order. */
  readonly ref?: string | undefined;
  readonly isDuplicateAllowed: boolean;
  /** `--settle`: how long an order may be missing in the list. */
  readonly settleMs?: number | undefined;
  /** For a hint, in place of "run the same command again". */
  readonly again?: string | undefined;
  /** Asks at a terminal; undefined where there is none. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
}

/** A create that is recorded as being sent. */
export interface BegunOrder {
  readonly ledger: Ledger;
  readonly run: Run;
  readonly operation: OperationName;
}

/**
 * Records the order as being sent, in one transaction with the search for equal ones. Equal orders in doubt are
 * reconciled first. Undefined where a person says no to a duplicate; throws `duplicate`, exit 2, where there is no
 * terminal.
 */
export async function beginOrder(order: GuardedOrder, context: Context): Promise<BegunOrder | undefined> {
  const { content, formerContent, draft, ref, isDuplicateAllowed, ask } = order;
  const ledger = await context.ledger();
  let run = await context.beginRun({ command: order.command });
  const windowMs = ask ? terminalWindowMs : scriptWindowMs;
  const accepted = new Set<string>();
  const read = new Set<string>();
  let found: readonly Operation[] | undefined;
  let left: InDoubt = new Map();
  let failure: CourierError | undefined;
  let unread: ReadonlyMap<string, string> = new Map();
  for (;;) {
    // It was in doubt until now: even with --allow-duplicate, the person did not know that it was created.
    const justFound = found?.filter((each) => !accepted.has(nameOperation(each))) ?? [];
    let equals: Pick<Equals, "inDoubt" | "recent"> = { inDoubt: [], recent: justFound };
    if (justFound.length === 0) {
      const offsetMs = (await context.service()).clockOffsetMs();
      const same = { content, formerContent, draft, ref };
      const create = { ...same, windowMs, isDuplicateAllowed, accepted, read, offsetMs };
      const begun = await ledger.beginCreate(run, create, context.clock.now());
      if (begun.kind === "begun") {
        const { customer, number } = run;
        await recordOffset({
          ledger,
          customer,
          run: number,
          clock: context.clock,
          clockOffsetMs: () => offsetMs,
        });
        const [earlier] = begun.earlier;
        if (earlier && !ask) context.messages.warn(describeEqual(earlier, content, context));
        if (begun.edited) context.messages.warn(describeEdited(begun.edited, context));
        return { ledger, run, operation: begun.operation };
      }
      equals = begun.equals;
    }
    if (found === undefined) {
      try {
        run = await checkCustomer(run, ledger, context);
      } catch (error) {
        failure = asUnreached(error, context);
        await releaseDeadRuns(ledger, run.customer, context, run.number);
        const { message } = failure;
        const cancelled = await findCancelled(equals.recent, ledger);
        unread = new Map(cancelled.map((name) => [name, message]));
        found = [];
        continue;
      }
      ({ found, left, failure, unread } = await settleEquals(equals, run, order, ledger, context));
      for (const each of equals.recent) if (!unread.has(nameOperation(each))) read.add(nameOperation(each));
      continue;
    }
    const passed = await findInProgress(equals, order, ledger, context);
    for (const name of passed) accepted.add(name);
    if (passed.length > 0) continue;
    const stopping = [...equals.inDoubt, ...equals.recent];
    const [first] = stopping;
    if (!first) continue;
    const unreported = stopping.filter(({ isUnreported }) => isUnreported);
    if (unreported.length > 0) await ledger.markReported(unreported);
    if (!ask) {
      const isJustFound = justFound.length > 0 || first.isUnreported;
      throw duplicate(
        first,
        {
          content,
          left: left.get(nameOperation(first)),
          failure,
          isJustFound,
          unread: unread.get(nameOperation(first)),
          ref,
          again: order.again,
        },
        context,
      );
    }
    const again = first.content === content ? "Send it again?" : "Send this one?";
    const what = `${describeEqual(first, content, context)}${describeUnread(unread.get(nameOperation(first)))}`;
    const shown = left.get(nameOperation(first));
    if (shown?.kind === "unclear" && shown.candidates.length > 0)
      context.messages.warn(`these orders may be it: ${nameCandidates(shown.candidates)}`);
    const askedMs = context.clock.elapsed();
    if (!(await ask(`${capitalised(what)}. ${again}`))) return undefined;
    if (equals.inDoubt.length > 0 && isLateAnswer(context, askedMs)) {
      // It may be listed by now.
      const looked = await settleEquals({ ...equals, recent: [] }, run, order, ledger, context);
      if (looked.found.length > 0) {
        found = [...found, ...looked.found];
        continue;
      }
    }
    for (const each of stopping) accepted.add(nameOperation(each));
  }
}

/** Makes sure of the customer before an order is blocked, and not before each order. */
async function checkCustomer(run: Run, ledger: Ledger, context: Context): Promise<Run> {
  const { id } = await context.customer({ isFresh: true });
  return id === run.customer ? run : ledger.assignRun(run, id);
}

/** Where the service cannot be reached, the ledger still knows what was sent. Throws all other errors. */
export function asUnreached(error: unknown, { signal }: Context): ServiceFailure {
  if (error instanceof ServiceFailure && error.exit === 5 && !signal.aborted) return error;
  throw error;
}

type InDoubt = ReadonlyMap<string, StillInDoubt>;

/** Reconciles what is in doubt, and reads whether a recent order was cancelled. */
async function settleEquals(
  { inDoubt, recent }: Pick<Equals, "inDoubt" | "recent">,
  run: Run,
  order: GuardedOrder,
  ledger: Ledger,
  context: Context,
): Promise<{
  readonly found: readonly Operation[];
  readonly left: InDoubt;
  readonly failure: CourierError | undefined;
  /** Cancelled orders of which it could not be read whether they are back, with the reason, by operation. */
  readonly unread: ReadonlyMap<string, string>;
}> {
  const { customer, number } = run;
  await releaseDeadRuns(ledger, customer, context, number);
  const names = inDoubt.map(nameOperation);
  const tools = await createReconcileTools(
    { ledger, customer, run: number, settleMs: order.settleMs },
    context,
  );
  const { left, failure } = names.length > 0 ? await settleIfPossible(names, tools) : nothingToSettle;
  const found: Operation[] = [];
  for (const name of inDoubt) {
    const operation = await ledger.findOperation(name);
    // One that was answered meanwhile was never in doubt.
    if (operation?.state === "found") found.push(operation);
  }
  const unread = new Map<string, string>();
  for (const each of recent) {
    const why = each.order && (await noteState(each.order.id, order, each.customer, ledger, context));
    if (why !== undefined) for (const name of await findCancelled([each], ledger)) unread.set(name, why);
  }
  return { found, left, failure, unread };
}

/** Of operations that count as standing until they are read again, those whose orders are recorded as cancelled. */
async function findCancelled(names: readonly OperationName[], ledger: Ledger): Promise<readonly string[]> {
  const recorded = await Promise.all(names.map((each) => ledger.findOperation(each)));
  return recorded.flatMap((each) => (each && isCancelled(each) ? [nameOperation(each)] : []));
}

interface Settled {
  readonly left: InDoubt;
  /** Why the service could not be read: then all stays in doubt. */
  readonly failure: CourierError | undefined;
}

export const nothingToSettle: Settled = { left: new Map(), failure: undefined };

export async function settleIfPossible(names: readonly string[], tools: ReconcileTools): Promise<Settled> {
  try {
    return { ...nothingToSettle, left: (await settleInDoubt(names, tools, { timeLimitMs })).left };
  } catch (error) {
    // A ledger that cannot be used knows nothing of an order, and holds none back.
    if (!(error instanceof CourierError) || error.code === "database") throw error;
    return { ...nothingToSettle, failure: error };
  }
}

/**
 * Equal orders that a running process is sending are not in doubt: one with another ref is another order, and
 * `--allow-duplicate` applies to all of them.
 */
async function findInProgress(
  { inDoubt }: Pick<Equals, "inDoubt">,
  { ref, isDuplicateAllowed }: GuardedOrder,
  ledger: Ledger,
  { processes }: Context,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const name of inDoubt) {
    const operation = await ledger.findOperation(name);
    if (ref !== undefined && operation?.ref === ref) continue; // it is this order, and no other one
    if (!isDuplicateAllowed && !(operation && isOtherOrder(ref, operation))) continue;
    const isOpen = operation?.state === "sending" || operation?.state === "ready";
    const owner = isOpen ? await ledger.findRun(operation.owner) : undefined;
    if (owner && checkRun(owner, processes) === "alive") names.push(nameOperation(name));
  }
  return names;
}

function isOtherOrder(ref: string | undefined, operation: Operation): boolean {
  const haveRefs = ref !== undefined && operation.ref !== undefined;
  return haveRefs && findRewritten(ref, [operation]).length === 0;
}

/**
 * Records the state of an order; the reason where it is not shown: a refused lookup proves nothing, but an order that the
 * service does not have, or shows without a state, does not stop a person who wants another one.
 */
async function noteState(
  id: string,
  { isDuplicateAllowed }: GuardedOrder,
  customer: number,
  ledger: Ledger,
  context: Context,
): Promise<string | undefined> {
  const { clock, messages, nextCommand } = context;
  try {
    const shown = await (await context.service()).order(id);
    if (typeof shown.status !== "string")
      return isDuplicateAllowed ? undefined : "the service does not say it";
    const { other } = await readOwner(shown, { ledger, customer, clock, warn: messages.warn, nextCommand });
    if (other === undefined) await ledger.noteOrderState(customer, shown.id.value, shown.status);
    return other;
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    return isDuplicateAllowed && saysNoSuchOrder(error) ? undefined : error.message;
  }
}

/** Of an order that was cancelled, and may be back. */
function describeUnread(why: string | undefined): string {
  return why === undefined ? "" : `, was cancelled since, and its state could not be read now: ${why}`;
}

/** `the same order was sent 5 min ago, as 1000001`. One with the same ref may have other content. */
function describeEqual(operation: Operation, content: string, { clock }: Context): string {
  const { order, ref, state, draft, isShownAsOther } = operation;
  const nowMs = clock.now();
  const sentMs = sentAsOfNow(operation, nowMs);
  const time = sentMs === undefined ? "" : ` ${formatRelative(sentMs, nowMs)}`;
  const when = ref === undefined ? time : `${time} with the ref ${ref}`;
  const since = isCancelled(operation) ? ", and was cancelled since" : "";
  const isSame = operation.content === content;
  const parts = [draft?.receiver?.name, draft?.item?.name].filter((part) => part !== undefined);
  const other = `another order${parts.length === 0 ? "" : ` (${parts.map((part) => show(part)).join(", ")})`}`;
  const what = isSame ? "the same order" : other;
  const another = isShownAsOther ? ", which the service shows as another order" : "";
  if (isMade(operation)) return `${what} was sent${when}, as ${order?.id}${another}${since}`;
  if (state === "unknown") return `${what} was sent${when}, and may or may not have been created`;
  return `${what} is being sent by another courier process (run ${operation.run})`;
}

function describeEdited(operation: Operation, { nextCommand }: Context): string {
  const name = nameOperation(operation);
  return `an order for the same phone or address is in doubt (operation ${name}); if this one is its corrected form, both may be made: ${nextCommand(`orders resolve ${name}`)}`;
}

export function duplicate(
  operation: Operation,
  {
    content,
    left,
    failure,
    isJustFound,
    unread,
    ref,
    again,
  }: {
    /** Of the order that is not sent. */
    readonly content: string;
    readonly ref: string | undefined;
    readonly left: StillInDoubt | undefined;
    readonly failure: CourierError | undefined;
    readonly isJustFound: boolean;
    /** Why the state of an order that was cancelled could not be read. */
    readonly unread?: string | undefined;
    readonly again: string | undefined;
  },
  context: Context,
): CourierError {
  const why = failure && operation.state === "unknown" ? `; the check failed: ${failure.message}` : "";
  const message = `${describeEqual(operation, content, context)}${describeUnread(unread)}; nothing was sent${why}`;
  // Sent without it, the order of the ref is sent as well where the first one proves not to be made.
  const isSame = !isMade(operation) && operation.content === content && operation.shop === "";
  const own =
    isSame && ref === undefined && operation.ref !== undefined
      ? `if it is that order, add --ref ${shellQuote(operation.ref)}; if not: `
      : "";
  if (!isJustFound)
    return new CourierError("duplicate", 2, message, {
      hint: `${own}${nextSteps(operation, content, left, context, again)}`,
    });
  return new CourierError("duplicate", 2, `${message}: it was in doubt until now`, {
    hint: `this may be your order; to send another, ${again ?? "run the command again"} with --allow-duplicate`,
  });
}

function nextSteps(
  operation: Operation,
  content: string,
  left: StillInDoubt | undefined,
  context: Context,
  again = sameAgain,
): string {
  if (isMade(operation)) {
    const add = again === sameAgain ? "add --allow-duplicate" : `${again} with --allow-duplicate`;
    if (operation.isShownAsOther)
      return `look for the order: ${context.nextCommand("orders list --all")}; if another one is it: ${context.nextCommand(`orders resolve ${nameOperation(operation)} --as ORDER`)}; if it was not made, ${add}`;
    return operation.content === content
      ? `to ship it a second time, ${add}`
      : `if this is not that order, corrected, ${add}`;
  }
  if (operation.state !== "unknown")
    return `wait until that process ends, then ${again}; if you know that it has ended: ${context.nextCommand(`orders resolve ${nameOperation(operation)}`)}`;
  return howToResolve(operation, left, context, again);
}

export const sameAgain = "run the same command again";

/** The next steps for a create in doubt: wait, or decide. `again` sends the same order, after a check. */
export function howToResolve(
  operation: Operation,
  left: StillInDoubt | undefined,
  { nextCommand, clock }: Context,
  again = sameAgain,
): string {
  const name = nameOperation(operation);
  const { sentAtMs = 0, offsetMs } = operation;
  // Our own clock tells no day of the service, and an offset that was learned before our clock was set is wrong.
  const from = offsetMs === undefined ? "" : ` --from ${utcDate(sentAtMs + Math.min(0, offsetMs), -1)}`;
  const wait =
    left?.kind === "early"
      ? `${left.lacks === undefined ? "" : `${describeNotListed(left)}: `}${again} after ${formatUntil(left.provedMs, clock.now())}, when the outcome can be proved; or `
      : left?.kind === "unclear" && left.candidates.length > 0
        ? `possible matches: ${nameCandidates(left.candidates)}; `
        : left === undefined
          ? `${again}, which checks first; or `
          : "";
  return (
    `${wait}look for the order: ${nextCommand(`orders list${from} --all`)}; ` +
    `then decide: ${nextCommand(`orders resolve ${name} --as ORDER`)}, or --not-created`
  );
}
