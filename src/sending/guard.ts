/** The guard before every single order: passes it and records it, or says which equal order stands in the way. */

import { ServiceFailure } from "../api/failure.ts";
import type { Context } from "../command/command.ts";
import { capitalised } from "../command/options.ts";
import { CourierError } from "../core/errors.ts";
import { checkLiveness } from "../core/process-identity.ts";
import { formatRelative, utcDate } from "../core/time.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isMade, nameOperation, type Operation, type OperationName, type Run } from "../ledger/operation.ts";
import { OrderTaken } from "../ledger/operations.ts";
import { type Equals, scriptWindowMs, terminalWindowMs } from "../ledger/rules.ts";
import type { Draft } from "../model/draft.ts";
import { lookFor } from "./lookup.ts";
import { releaseDeadRuns } from "./owners.ts";

/** A refusal that the specification does not define is checked so long after it. */
export const refusalCheckMs = 2_000;

export interface GuardedOrder {
  /** As the log names it: `orders create`. */
  readonly command: string;
  /** Equal for equal orders. */
  readonly content: string;
  /** Undefined for a body that is no order as the interface describes it. */
  readonly draft: Draft | undefined;
  readonly isDuplicateAllowed: boolean;
  /** Asks somebody at a terminal; undefined where nobody can be asked. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
}

/** A create that is recorded as being sent. */
export interface BegunOrder {
  readonly ledger: Ledger;
  readonly run: Run;
  readonly operation: OperationName;
}

/**
 * Records the order as being sent, in one transaction with the search for equal ones. What is in doubt is looked
 * for first. Undefined where somebody was asked and said no; throws `duplicate`, exit 2, where nobody can be.
 */
export async function beginOrder(order: GuardedOrder, context: Context): Promise<BegunOrder | undefined> {
  const { content, draft, isDuplicateAllowed, ask } = order;
  const ledger = await context.ledger();
  let run = await context.beginRun({ command: order.command });
  const windowMs = ask ? terminalWindowMs : scriptWindowMs;
  const accepted = new Set<string>();
  let found: readonly Operation[] | undefined;
  for (;;) {
    // It was in doubt a moment ago: whoever sends it again, even with a flag, has not seen that it was created.
    const justFound = found?.filter((each) => !accepted.has(nameOperation(each))) ?? [];
    let equals: Pick<Equals, "inDoubt" | "recent"> = { inDoubt: [], recent: justFound };
    if (justFound.length === 0) {
      const create = { content, draft, windowMs, isDuplicateAllowed, accepted };
      const begun = await ledger.beginCreate(run, create, context.clock.now());
      if (begun.kind === "begun") {
        const [earlier] = begun.earlier;
        if (earlier && !ask) context.messages.warn(describeEqual(earlier, context));
        return { ledger, run, operation: begun.operation };
      }
      equals = begun.equals;
    }
    if (found === undefined) {
      run = await checkCustomer(run, ledger, context);
      found = await settleEquals(equals, run, ledger, context);
      continue;
    }
    const passed = isDuplicateAllowed ? await findInProgress(equals, ledger, context) : [];
    for (const name of passed) accepted.add(name);
    if (passed.length > 0) continue;
    const stopping = [...equals.inDoubt, ...equals.recent];
    const [first] = stopping;
    if (!first) continue;
    if (!ask) throw duplicate(first, justFound.length > 0, context);
    if (!(await ask(`${capitalised(describeEqual(first, context))}. Send it again?`))) return undefined;
    for (const each of stopping) accepted.add(nameOperation(each));
  }
}

/** A key may have changed hands since it was learned: asked before an order is held, not before each one. */
async function checkCustomer(run: Run, ledger: Ledger, context: Context): Promise<Run> {
  const { id } = await context.customer({ isFresh: true });
  return id === run.customer ? run : ledger.assignRun(run, id);
}

/** Looks at the service for what is in doubt, and whether a recent order was cancelled. Gives back what was found. */
async function settleEquals(
  { inDoubt, recent }: Pick<Equals, "inDoubt" | "recent">,
  run: Run,
  ledger: Ledger,
  context: Context,
): Promise<readonly Operation[]> {
  await releaseDeadRuns(ledger, run.customer, context.processes, context.clock.now(), run.number);
  const found: Operation[] = [];
  for (const name of inDoubt) {
    const operation = await ledger.findOperation(name);
    if (operation?.state !== "unknown") continue;
    if (await isFoundNow(operation, ledger, context)) {
      const settled = await ledger.findOperation(name);
      if (settled) found.push(settled);
    }
  }
  for (const { order, customer } of recent) {
    if (!order) continue;
    const state = await readState(order.id, context);
    if (state !== undefined) await ledger.noteOrderState(customer, order.id, state);
  }
  return found;
}

/** Equal orders that a living process is sending at this moment are not in doubt: `--allow-duplicate` is for them, too. */
async function findInProgress(
  { inDoubt }: Pick<Equals, "inDoubt">,
  ledger: Ledger,
  { processes }: Context,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const name of inDoubt) {
    const operation = await ledger.findOperation(name);
    const isOpen = operation?.state === "sending" || operation?.state === "ready";
    const owner = isOpen ? await ledger.findRun(operation.owner) : undefined;
    const isAtWork = owner?.endedAtMs === undefined && owner !== undefined;
    if (isAtWork && checkLiveness(owner.process, processes) === "alive") names.push(nameOperation(name));
  }
  return names;
}

/** False where the service does not let us look. */
async function isFoundNow(operation: Operation, ledger: Ledger, context: Context): Promise<boolean> {
  try {
    return await settleIfFound(operation, ledger, context);
  } catch (error) {
    if (!(error instanceof CourierError)) throw error;
    return false; // it stays in doubt
  }
}

/**
 * Looks once for the order of a create in doubt, and records it where it is found. One that the service has refused
 * is refused where no order is there. Throws ServiceFailure.
 */
export async function settleIfFound(
  operation: Operation,
  ledger: Ledger,
  context: Context,
): Promise<boolean> {
  const { rejection, endedAtMs } = operation;
  const waitMs = rejection && endedAtMs !== undefined ? endedAtMs + refusalCheckMs - context.clock.now() : 0;
  if (waitMs > 0) await context.clock.sleep(Math.min(waitMs, refusalCheckMs), context.signal);
  const result = await lookFor(operation, ledger, context);
  if (result.kind === "absent" && rejection)
    await ledger.settleCreate(operation, { state: "refused", rejection }, context.clock.now());
  if (result.kind !== "found") return false;
  const { order } = result;
  const outcome = {
    state: "found",
    order: orderFacts(order),
    orderState: order.status ?? undefined,
  } as const;
  try {
    return await ledger.settleCreate(operation, outcome, context.clock.now());
  } catch (error) {
    if (error instanceof OrderTaken) return false;
    throw error;
  }
}

/** Undefined where the service does not tell: a look-up that is refused proves nothing. */
async function readState(id: string, context: Context): Promise<string | undefined> {
  try {
    return (await (await context.service()).order(id)).status ?? undefined;
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    return undefined;
  }
}

/** `the same order was sent 5 min ago, as 1000001`. */
function describeEqual(operation: Operation, { clock }: Context): string {
  const { sentAtMs, order, state } = operation;
  const when = sentAtMs === undefined ? "" : ` ${formatRelative(sentAtMs, clock.now())}`;
  if (isMade(operation)) return `the same order was sent${when}, as ${order?.id}`;
  if (state === "unknown") return `the same order was sent${when}, and may or may not have been created`;
  return `the same order is being sent by another courier process (run ${operation.run})`;
}

function duplicate(operation: Operation, isJustFound: boolean, context: Context): CourierError {
  const told = `${describeEqual(operation, context)}; nothing was sent`;
  if (!isJustFound) return new CourierError("duplicate", 2, told, { hint: waysOn(operation, context) });
  return new CourierError("duplicate", 2, `${told}: it was in doubt until now`, {
    hint: "this is your order if you meant one; to send another, run the command again with --allow-duplicate",
  });
}

function waysOn(operation: Operation, context: Context): string {
  if (isMade(operation)) return "to send it once more, add --allow-duplicate";
  if (operation.state !== "unknown")
    return "wait until that process has ended, then run the same command again";
  return howToResolve(operation, context);
}

/** What a person does about a create in doubt. */
export function howToResolve(operation: Operation, { nextCommand }: Context): string {
  const name = nameOperation(operation);
  const day = utcDate(operation.sentAtMs ?? 0, -1);
  return (
    `look for it: ${nextCommand(`orders list --from ${day} --all`)}; ` +
    `then decide: ${nextCommand(`orders resolve ${name} --as ORDER`)}, or --not-created`
  );
}

/** What the ledger keeps of an order. */
export function orderFacts(order: {
  readonly id: { readonly value: string };
  readonly order_no?: string | null | undefined;
  readonly tracking_number?: string | null | undefined;
  readonly estimated_fee?: { readonly value: string } | null | undefined;
}) {
  return {
    id: order.id.value,
    order_no: order.order_no ?? null,
    tracking_number: order.tracking_number ?? null,
    estimated_fee: order.estimated_fee?.value ?? null,
  };
}
