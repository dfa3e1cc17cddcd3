/** Owns the way from the service's answers to what an import makes of them. */

import { ServiceFailure } from "../../api/failure.ts";
import { allOrders } from "../../api/pages.ts";
import type { CourierService } from "../../api/service.ts";
import type { ImportTools, SendResult } from "../../bulk/importer.ts";
import type { Journal } from "../../bulk/journal.ts";
import { createdFacts } from "../../bulk/journal-state.ts";
import type { Draft } from "../../model/draft.ts";
import type { Context } from "../command.ts";

const pagesAtOnce = 4;

export function createTools(service: CourierService, journal: Journal, context: Context): ImportTools {
  return {
    send: ({ draft }) => sendOnce(draft, service),
    lookup: {
      list: (dateFrom, dateTo) => allOrders(service, { dateFrom, dateTo }, { concurrency: pagesAtOnce }),
      detail: (id) => service.order(id),
      owns: journal.owns,
      clockOffsetMs: () => service.clockOffsetMs(),
    },
    clock: context.clock,
    random: context.random,
    stop: context.signal,
  };
}

/** One request, no retry: the import has its own pace, shared by all rows. */
async function sendOnce(draft: Draft, service: CourierService): Promise<SendResult> {
  try {
    const { order } = await service.createOrder(draft, { retries: false });
    return { kind: "created", facts: createdFacts(order) };
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.mayHaveHappened) return { kind: "unknown", cause: error };
    switch (error.kind) {
      case "refused":
        return { kind: "refused", code: error.serviceCode ?? error.code, message: error.message };
      case "limited":
        return { kind: "unsent", cause: error, isLimit: true, retryAfterMs: error.retryAfterMs };
      case "unreachable":
        return { kind: "unsent", cause: error, isLimit: false };
      default:
        return { kind: "stopped", cause: error };
    }
  }
}
