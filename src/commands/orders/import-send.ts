/** Owns the way from the service's answers to what an import makes of them. */

import { ServiceFailure } from "../../api/failure.ts";
import { allOrders } from "../../api/pages.ts";
import type { CourierService } from "../../api/service.ts";
import type { ImportTools, SendResult } from "../../bulk/importer.ts";
import { createdFacts } from "../../bulk/journal-state.ts";
import type { Draft } from "../../model/draft.ts";
import type { Context } from "../command.ts";
import type { OtherOrders } from "./import-others.ts";

const pagesAtOnce = 4;
const mostTries = 6;
const firstPauseMs = 1_000;

export function createTools(service: CourierService, others: OtherOrders, context: Context): ImportTools {
  const patiently = createPatience(context);
  const patient: CourierService = {
    ...service,
    listOrders: (...query) => patiently(() => service.listOrders(...query)),
  };
  return {
    send: ({ draft }) => sendOnce(draft, service),
    lookup: {
      async *list(dateFrom, dateTo) {
        await others.refresh();
        yield* allOrders(patient, { dateFrom, dateTo }, { concurrency: pagesAtOnce });
      },
      detail: (id) => patiently(() => service.order(id)),
      owns: others.owns,
      clockOffsetMs: () => service.clockOffsetMs(),
    },
    clock: context.clock,
    random: context.random,
    stop: context.signal,
  };
}

/** A look needs hundreds of calls, and one that fails for good would make all of them vain. */
function createPatience({ clock, random, signal }: Context) {
  return async <T>(read: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await read();
      } catch (error) {
        const isPassing = error instanceof ServiceFailure && error.exit === 5;
        if (!isPassing || tries === mostTries) throw error;
        await clock.sleep(error.retryAfterMs ?? random() * firstPauseMs * 2 ** tries, signal);
      }
    }
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
        return {
          kind: "refused",
          code: error.serviceCode ?? error.code,
          message: error.message,
          field: error.refusedField,
        };
      case "limited":
        return { kind: "unsent", cause: error, retryAfterMs: error.retryAfterMs };
      case "unreachable":
        return { kind: "unsent", cause: error };
      default:
        return { kind: "stopped", cause: error };
    }
  }
}
