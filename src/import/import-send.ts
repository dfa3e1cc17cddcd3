/** The requests of an import: one create, sent once, and lookups that are retried. */

import { ServiceFailure } from "../api/failure.ts";
import { isTransient } from "../api/retry.ts";
import type { CourierService } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import { backoffMs } from "../core/backoff.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Draft } from "../model/draft.ts";
import { evidenceOf, lossOf } from "../sending/evidence.ts";
import { orderFacts, stampAheadMs } from "../sending/order-facts.ts";
import type { ReconcileTools } from "../sending/reconcile-types.ts";
import { createReconcileTools } from "../sending/settle.ts";
import { longestUnansweredMs, longestWaitMs } from "./backoff.ts";
import type { ImportTools, SendResult, Stage } from "./import-types.ts";

const backoff = { baseMs: 2_000, longestMs: 5_000 };

/** Options of the lookups of an import. */
export interface LookupChoice {
  readonly ledger: Ledger;
  readonly customer: number;
  readonly run?: number | undefined;
  readonly settleMs: number | undefined;
}

export async function createTools(
  { onStage, ...choice }: LookupChoice & Pick<ImportTools, "onStage">,
  context: Context,
): Promise<Pick<ImportTools, "send" | "reconcile" | "clock" | "random" | "stop" | "onStage">> {
  // Ctrl-C does not end a create in progress. It ends a lookup, which a later run repeats.
  const [sending, reading] = [await context.uninterruptibleService(), await context.service()];
  let stage: Stage = { kind: "sending" };
  const noteStage = (next: Stage) => {
    stage = next;
    onStage(next);
  };
  const onFailure = (reason: string) => onStage({ kind: "server_error", reason });
  const retrying = createRetryingService(reading, onFailure, () => onStage(stage), context);
  const reconcile: ReconcileTools = {
    ...(await createReconcileTools({ ...choice, showsProgress: false }, context, retrying)),
    clockOffsetMs: () => sending.clockOffsetMs() ?? reading.clockOffsetMs(),
  };
  return {
    send: ({ draft }, mayLeave) => sendOnce(draft, mayLeave, sending, context),
    reconcile,
    clock: context.clock,
    random: context.random,
    stop: context.signal,
    onStage: noteStage,
  };
}

/** A service that retries lookups while it is unavailable: one failure would waste a listing of hundreds of calls. */
function createRetryingService(
  reading: CourierService,
  onFailure: (reason: string) => void,
  onRecovery: () => void,
  context: Context,
): CourierService {
  const retry = createRetryWhileUnavailable(context, onFailure, onRecovery);
  return {
    ...reading,
    listOrders: (...query) => retry(() => reading.listOrders(...query)),
    order: (id) => retry(() => reading.order(id)),
  };
}

/** Retries with backoff while the service is unavailable, up to a time limit. */
function createRetryWhileUnavailable(
  { clock, random, signal }: Context,
  onFailure: (reason: string) => void,
  onRecovery: () => void,
) {
  return async <T>(read: () => Promise<T>): Promise<T> => {
    const startedMs = clock.elapsed();
    for (let tries = 1; ; tries++) {
      try {
        const answer = await read();
        if (tries > 1) onRecovery();
        return answer;
      } catch (error) {
        const isPassing = error instanceof ServiceFailure && error.exit === 5;
        if (!isPassing || clock.elapsed() - startedMs >= longestUnansweredMs) throw error;
        const pauseMs = error.retryAfterMs ?? backoffMs(tries, backoff, random());
        if (pauseMs > longestWaitMs) throw error;
        onFailure(error.message);
        await clock.sleep(pauseMs, signal);
      }
    }
  };
}

/** Sends one request without a retry: all rows of an import share its backoff. */
async function sendOnce(
  draft: Draft,
  mayLeave: () => boolean,
  service: CourierService,
  { clock }: Context,
): Promise<SendResult> {
  try {
    const { order } = await service.createOrder(draft, { retries: false, mayLeave });
    return {
      kind: "created",
      order: orderFacts(order),
      orderState: order.status ?? undefined,
      stampAheadMs: stampAheadMs(order.created_at, clock.now(), service.clockOffsetMs()),
    };
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    const evidence = evidenceOf(error, draft);
    if (evidence === "in_doubt")
      return { kind: "unknown", cause: error, loss: lossOf(error), namedOrder: error.namedOrder };
    switch (error.kind) {
      case "refused":
        return {
          kind: "refused",
          isCertain: evidence === "not_made",
          rejection: {
            code: error.serviceCode ?? error.code,
            message: error.message,
            field: error.refusedField,
          },
        };
      case "rate_limited":
        return { kind: "rate_limited", cause: error, retryAfterMs: error.retryAfterMs };
      case "unreachable":
        return { kind: isTransient(error) ? "unsent" : "stopped", cause: error };
      default:
        return { kind: "stopped", cause: error };
    }
  }
}
