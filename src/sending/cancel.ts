/** Cancels one order and reads it back, recorded in the ledger before and after (specification, 4.4 and 4.5). */

import { ServiceFailure, saysNoSuchOrder } from "../api/failure.ts";
import type { CourierService } from "../api/service.ts";
import type { Clock } from "../core/clock.ts";
import { CourierError } from "../core/errors.ts";
import { byCount } from "../core/wording.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { CancelOutcome, OperationName, Rejection, Run } from "../ledger/operation.ts";
import type { OrderDetail } from "../model/interface.ts";
import { isCancellable } from "../model/states.ts";
import { type OwnerTools, readOwner } from "./another-order.ts";
import { doubtfulStatuses } from "./evidence.ts";
import { latestMadeMs } from "./proof.ts";

export interface CancelTools {
  readonly service: CourierService;
  readonly ledger: Ledger;
  /** The run that cancels. */
  readonly run: Run;
  readonly clock: Clock;
  /** Tells a person that a create has the order of another one. */
  readonly warn: (text: string) => void;
  readonly nextCommand: OwnerTools["nextCommand"];
}

export type CancelResult =
  /** `accepted`: the service accepted the request, but the order that was read back is in another state. */
  | {
      readonly kind: "settled";
      readonly state: "cancelled" | "accepted" | "refused";
      /** The order as it was read back. */
      readonly after: OrderDetail;
      readonly message: string | undefined;
      readonly refusal: ServiceFailure | undefined;
    }
  /** The service accepted the request, and refuses to show the order since. */
  | { readonly kind: "unshown"; readonly refusal: ServiceFailure }
  /**
   * No clear answer. `after` is the order that was read back, if it could be read: it is not cancelled yet, or does not
   * say its state.
   * `isUntouched`: the request certainly changed nothing, such as after HTTP 429 or 401.
   */
  | {
      readonly kind: "open";
      readonly failure: ServiceFailure;
      readonly after: OrderDetail | undefined;
      readonly isUntouched: boolean;
    };

/**
 * Cancels an order. Records the cancel before the request is sent, and its outcome. `stopped`: the signal came between,
 * and the request may have been sent. `unsent`: the cancel could not be recorded, so that no request was sent.
 * `onUnrecorded` gets the ledger's error; where the request was sent, its result is given back, too.
 */
export async function cancelOne(
  id: string,
  tools: CancelTools,
  signal: AbortSignal,
  onUnrecorded: OnUnrecorded,
): Promise<CancelResult | "stopped" | "unsent"> {
  const isInDoubt = await wasJustSent(id, tools);
  const name = await beginCancel(id, tools, onUnrecorded);
  if (!name) return "unsent";
  let result: CancelResult;
  try {
    const tried = await tryCancel(id, tools.service, isInDoubt);
    result = tried.kind === "open" && isInDoubt ? { ...tried, isUntouched: false } : tried;
  } catch (error) {
    if (signal.aborted) return "stopped";
    throw error;
  }
  await endCancel(name, result, tools, onUnrecorded);
  return result;
}

/** True where an earlier cancel of an order was accepted, may still be at work, or has an effect that is not shown yet. */
export async function wasJustSent(
  id: string,
  { ledger, run, clock }: Pick<CancelTools, "ledger" | "run" | "clock">,
): Promise<boolean> {
  const unknownSinceMs = clock.now() - latestMadeMs.timeout;
  const maybe = await ledger.findMaybeCancelled(run.customer, [id], unknownSinceMs).catch(() => undefined);
  return maybe?.has(id) === true;
}

type OnUnrecorded = (error: CourierError) => void;

/** Undefined where the ledger cannot record it: then no request may be sent. */
export async function beginCancel(
  id: string,
  { ledger, run, clock }: CancelTools,
  onUnrecorded: OnUnrecorded,
): Promise<OperationName | undefined> {
  try {
    return await ledger.beginCancel(run, id, clock.now());
  } catch (error) {
    if (!(error instanceof CourierError)) throw error;
    onUnrecorded(error);
    return undefined;
  }
}

export async function endCancel(
  name: OperationName,
  result: CancelResult,
  tools: CancelTools,
  onUnrecorded: OnUnrecorded,
): Promise<void> {
  const { ledger, run, clock } = tools;
  try {
    const after = result.kind === "unshown" ? undefined : result.after;
    const { other } = after ? await readOwner(after, { ...tools, customer: run.customer }) : {};
    const outcome = outcomeOf(result);
    // The create that has the order sent another one: that one's state is not known.
    const orderState = other === undefined ? outcome.orderState : undefined;
    await ledger.endCancel(name, run.number, { ...outcome, orderState }, clock.now());
  } catch (error) {
    if (!(error instanceof CourierError)) throw error;
    onUnrecorded(error);
  }
}

function outcomeOf(result: CancelResult): CancelOutcome {
  if (result.kind === "unshown") return { state: "accepted", rejection: toRejection(result.refusal) };
  const failure = result.kind === "open" ? result.failure : result.refusal;
  return {
    state: result.kind !== "open" ? result.state : result.isUntouched ? "unsent" : "unknown",
    orderState: result.after?.status ?? undefined,
    rejection: failure && toRejection(failure),
  };
}

export const unshown = "the service accepted the cancel, and does not show the order any more";

/** The end of a command for orders that were accepted for cancelling and are not shown any more. */
export function explainUnshown(
  ids: readonly string[],
  done: string,
  nextCommand: (words: string) => string,
): CourierError {
  const them = byCount(ids.length, "it", "them");
  const orders = `${byCount(ids.length, "order", "orders")} ${ids.join(", ")}`;
  const message = `${done}the service accepted the cancel of ${orders}, and does not show ${them} any more`;
  return new CourierError("state_unknown", 5, message, {
    hint: `look for ${them} in the list: ${nextCommand("orders list --all")}`,
  });
}

/** What to do about orders that were accepted for cancelling and are not cancelled. */
export function hintOfAccepted(count: number): string {
  return `to see what becomes of ${byCount(count, "it", "them")}, run the same command again later`;
}

/**
 * Sends one request and reads the order back. It may be repeated: the state that was read decides. `isInDoubt`: an earlier
 * request may have taken effect, which a replica may not show yet, and which is why the service may refuse this one.
 */
export async function tryCancel(
  id: string,
  service: CourierService,
  isInDoubt: boolean,
): Promise<CancelResult> {
  let message: string | undefined;
  let failure: ServiceFailure | undefined;
  try {
    message = await service.cancelOrder(id);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.kind === "key_refused")
      return { kind: "open", failure: error, after: undefined, isUntouched: !error.mayHaveHappened };
    failure = error;
  }
  const isUntouched = failure !== undefined && failure.kind !== "refused" && !failure.mayHaveHappened;
  const read = await readBack(id, service, failure ? 1 : 2);
  if ("unread" in read) {
    if (!failure && saysNoSuchOrder(read.unread)) return { kind: "unshown", refusal: read.unread };
    // A refusal may answer a retry of a request that took effect: it proves nothing.
    const shown = failure && failure.kind !== "refused" ? failure : read.unread;
    return { kind: "open", failure: shown, after: undefined, isUntouched };
  }
  const { after } = read;
  if (after.status === "cancelled")
    return { kind: "settled", state: "cancelled", after, message, refusal: undefined };
  if (!failure) return { kind: "settled", state: "accepted", after, message, refusal: undefined };
  // An earlier try may still be at work, or a server on the way has sent it twice, or answers for the service.
  const isPage = failure.serviceCode === undefined;
  const isDoubtful =
    failure.mayHaveHappened || isInDoubt || isPage || doubtfulStatuses.has(failure.status ?? 0);
  const mayFollow = isDoubtful && isCancellable(after.status);
  if (failure.kind === "refused" && typeof after.status === "string" && !mayFollow)
    return { kind: "settled", state: "refused", after, message: undefined, refusal: failure };
  return { kind: "open", failure, after, isUntouched };
}

async function readBack(
  id: string,
  service: CourierService,
  tries: number,
): Promise<{ readonly after: OrderDetail } | { readonly unread: ServiceFailure }> {
  for (let tried = 1; ; tried++) {
    try {
      return { after: await service.order(id) };
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      if (tried >= tries) return { unread: error };
    }
  }
}

function toRejection(failure: ServiceFailure): Rejection {
  return {
    code: failure.serviceCode ?? failure.code,
    message: failure.message,
    field: failure.refusedField,
  };
}
