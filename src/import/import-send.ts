/** From the service's answers to what an import makes of them. */

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

/** What the look-ups of an import are about. */
export interface LookupChoice {
  readonly ledger: Ledger;
  readonly customer: number;
  readonly run?: number | undefined;
  readonly settleMs: number | undefined;
}

export async function createTools(
  { tell, ...choice }: LookupChoice & Pick<ImportTools, "tell">,
  context: Context,
): Promise<Pick<ImportTools, "send" | "reconcile" | "clock" | "random" | "stop" | "tell">> {
  // What was sent is waited for in spite of Ctrl-C; looking for orders can be done another time.
  const [sending, reading] = [await context.uninterruptibleService(), await context.service()];
  let stage: Stage = { kind: "sending" };
  const noteStage = (next: Stage) => {
    stage = next;
    tell(next);
  };
  const onFailure = (reason: string) => tell({ kind: "server_error", reason });
  const patient = createPatientService(reading, onFailure, () => tell(stage), context);
  const reconcile: ReconcileTools = {
    ...(await createReconcileTools(choice, context, patient)),
    clockOffsetMs: () => sending.clockOffsetMs() ?? reading.clockOffsetMs(),
  };
  return {
    send: ({ draft }, mayLeave) => sendOnce(draft, mayLeave, sending, context),
    reconcile,
    clock: context.clock,
    random: context.random,
    stop: context.signal,
    tell: noteStage,
  };
}

/** A service whose listing goes on through failures that pass: hundreds of calls would else be in vain. */
function createPatientService(
  reading: CourierService,
  onFailure: (reason: string) => void,
  onRecovery: () => void,
  context: Context,
): CourierService {
  const retry = createRetry(context, onFailure, onRecovery);
  return {
    ...reading,
    listOrders: (...query) => retry(() => reading.listOrders(...query)),
    order: (id) => retry(() => reading.order(id)),
  };
}

/** Tries again while the service fails in a way that passes, until nobody would want to wait any longer. */
function createRetry(
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

/** One request, no retry: the import has its own pace, shared by all rows. */
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
    const evidence = evidenceOf(error);
    if (evidence === "in_doubt") return { kind: "unknown", cause: error, loss: lossOf(error) };
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
