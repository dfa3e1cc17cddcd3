/** From the service's answers to what an import makes of them. */

import { ServiceFailure } from "../api/failure.ts";
import { allOrders } from "../api/pages.ts";
import { isTransient } from "../api/retry.ts";
import type { CourierService } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Draft } from "../model/draft.ts";
import { evidenceOf } from "../sending/evidence.ts";
import { orderFacts } from "../sending/guard.ts";
import { createLookup } from "../sending/lookup.ts";
import { longestSilenceMs, longestWaitMs } from "./backoff.ts";
import type { ImportTools, SendResult, Stage } from "./importer.ts";

const pagesAtOnce = 4;
const firstPauseMs = 1_000;
const longestPauseMs = 5_000;

export async function createTools(
  { ledger, customer, tell }: { ledger: Ledger; customer: number; tell: ImportTools["tell"] },
  context: Context,
): Promise<Pick<ImportTools, "send" | "lookup" | "clock" | "random" | "stop" | "tell">> {
  // What was sent is waited for in spite of Ctrl-C; looking for orders can be done another time.
  const [sending, reading] = [await context.lastingService(), await context.service()];
  let stage: Stage = { kind: "sending" };
  const noteStage = (next: Stage) => {
    stage = next;
    tell(next);
  };
  const onFailure = (reason: string) => tell({ kind: "failing", reason });
  const retry = createRetry(context, onFailure, () => tell(stage));
  const patient: CourierService = {
    ...reading,
    listOrders: (...query) => retry(() => reading.listOrders(...query)),
  };
  return {
    send: ({ draft }) => sendOnce(draft, sending),
    lookup: {
      ...(await createLookup(customer, ledger, context)),
      list: (dateFrom, dateTo) => allOrders(patient, { dateFrom, dateTo }, { concurrency: pagesAtOnce }),
      detail: (id) => retry(() => reading.order(id)),
      clockOffsetMs: () => sending.clockOffsetMs() ?? reading.clockOffsetMs(),
    },
    clock: context.clock,
    random: context.random,
    stop: context.signal,
    tell: noteStage,
  };
}

/** A look needs hundreds of calls, and one that fails for good would make all of them vain. */
function createRetry(
  { clock, random, signal }: Context,
  onFailure: (reason: string) => void,
  onRecovery: () => void,
) {
  return async <T>(read: () => Promise<T>): Promise<T> => {
    const startedMs = clock.now();
    for (let tries = 1; ; tries++) {
      try {
        const answer = await read();
        if (tries > 1) onRecovery();
        return answer;
      } catch (error) {
        const isPassing = error instanceof ServiceFailure && error.exit === 5;
        if (!isPassing || clock.now() - startedMs >= longestSilenceMs) throw error;
        const pauseMs =
          error.retryAfterMs ?? random() * Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(tries, 8));
        if (pauseMs > longestWaitMs) throw error;
        onFailure(error.message);
        await clock.sleep(pauseMs, signal);
      }
    }
  };
}

/** One request, no retry: the import has its own pace, shared by all rows. */
async function sendOnce(draft: Draft, service: CourierService): Promise<SendResult> {
  try {
    const { order } = await service.createOrder(draft, { retries: false });
    return { kind: "created", order: orderFacts(order), orderState: order.status ?? undefined };
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    const evidence = evidenceOf(error);
    if (evidence === "in_doubt") return { kind: "unknown", cause: error };
    switch (error.kind) {
      case "refused":
        return {
          kind: "refused",
          isCertain: evidence === "not_made",
          isFinal: error.serviceCode !== undefined,
          rejection: {
            code: error.serviceCode ?? error.code,
            message: error.message,
            field: error.refusedField,
          },
        };
      case "limited":
        return { kind: "limited", cause: error, retryAfterMs: error.retryAfterMs };
      case "unreachable":
        return { kind: isTransient(error) ? "unsent" : "stopped", cause: error };
      default:
        return { kind: "stopped", cause: error };
    }
  }
}
