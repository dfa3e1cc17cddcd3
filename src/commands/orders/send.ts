/** Owns sending one order for certain: created, refused, or found out by looking (design, promise 1). */

import { ServiceFailure } from "../../api/failure.ts";
import { allOrders } from "../../api/pages.ts";
import type { CourierService } from "../../api/service.ts";
import type { Context } from "../../command/command.ts";
import { CourierError } from "../../core/errors.ts";
import { utcDate } from "../../core/time.ts";
import type { Draft } from "../../model/draft.ts";
import type { CreatedOrder } from "../../model/interface.ts";
import { findLostOrder, type SearchResult } from "../../sending/reconcile.ts";
import { remember } from "./remember.ts";

/** The service may still be at work on an order whose answer was lost, so one look is not enough. */
const waitsBeforeLooksMs = [0, 1_000, 3_000];
const pagesAtOnce = 4;
const shortlyMs = 5_000;

/**
 * Sends a draft once, and remembers it. When the answer is lost, looks for the order and gives it back as
 * if the answer had come. Throws ServiceFailure when the service refused or was never reached,
 * `outcome_unknown` (exit 6) when looking did not settle it. `finishesDraft` says that it is the account's
 * unfinished draft that is sent.
 */
export async function sendOrder(
  draft: Draft,
  context: Context,
  finishesDraft: boolean,
): Promise<CreatedOrder> {
  const service = await context.service();
  const settle = await remember(draft, context);
  const notCreated = () => settle({ id: undefined, finishesDraft: false });
  if (context.signal.aborted) {
    await notCreated();
    throw context.signal.reason;
  }
  try {
    const order = await sendAndSettle(draft, service, context);
    await settle({ id: order.id.value, finishesDraft });
    return order;
  } catch (error) {
    if (error instanceof ServiceFailure && !error.mayHaveHappened) await notCreated();
    throw error;
  }
}

async function sendAndSettle(draft: Draft, service: CourierService, context: Context): Promise<CreatedOrder> {
  const sentAtMs = context.clock.now();
  try {
    const { order, message } = await service.createOrder(draft);
    if (message !== undefined) context.messages.note(`The service says: ${message}`);
    return order;
  } catch (error) {
    if (context.signal.aborted) throw interruptedWhileSending(error, sentAtMs, context);
    if (!(error instanceof ServiceFailure) || !error.mayHaveHappened) throw error;
    context.messages.note(`${error.message}. Looking whether the order was created…`);
    return await lookForOrder(draft, sentAtMs, error, service, context);
  }
}

async function lookForOrder(
  draft: Draft,
  sentAtMs: number,
  lost: ServiceFailure,
  service: CourierService,
  context: Context,
): Promise<CreatedOrder> {
  let result: SearchResult = { kind: "absent" };
  try {
    const others = await sentShortlyBefore(sentAtMs, context);
    for (const waitMs of waitsBeforeLooksMs) {
      if (waitMs > 0) await context.clock.sleep(waitMs, context.signal);
      result = await findLostOrder(draft, sentAtMs, {
        list: (dateFrom, dateTo) => allOrders(service, { dateFrom, dateTo }, { concurrency: pagesAtOnce }),
        detail: (id) => service.order(id),
        owns: (id) => others.has(id),
        clockOffsetMs: () => service.clockOffsetMs(),
      });
      if (result.kind !== "absent") break;
    }
  } catch (error) {
    if (context.signal.aborted) throw interruptedWhileSending(error, sentAtMs, context);
    if (!(error instanceof ServiceFailure)) throw error;
    throw unknown(lost, sentAtMs, context, `and looking for it failed too: ${error.message}`);
  }
  if (result.kind === "found") {
    context.messages.note(`The order was created: found it as ${result.order.id.value}`);
    return result.order;
  }
  if (result.kind === "absent")
    throw unknown(
      lost,
      sentAtMs,
      context,
      "and it is not in the list of orders, so it was probably not created",
    );
  const ids = result.candidates.map(({ id }) => id.value);
  throw unknown(lost, sentAtMs, context, `and these orders may be it: ${ids.join(", ")}`, ids);
}

/**
 * Orders that other requests of this machine made just before. The service tells its time in whole
 * seconds, which is not enough to tell an equal order from a second ago from the one that is looked for.
 */
async function sentShortlyBefore(sentAtMs: number, context: Context): Promise<ReadonlySet<string>> {
  const { sent } = await context.orderMemory.read();
  const recent = (sent[(await context.account()).name] ?? []).filter(
    (order) => Math.abs(sentAtMs - Date.parse(order.sent_at)) < shortlyMs,
  );
  return new Set(recent.map(({ id }) => id));
}

/** 4.3 filters by date; the day of sending, a day to spare for the service's zone. */
function howToCheck(sentAtMs: number, context: Context): string {
  return context.nextCommand(`orders list --from ${utcDate(sentAtMs, -1)} --all`);
}

function unknown(
  lost: ServiceFailure,
  sentAtMs: number,
  context: Context,
  found: string,
  candidates: readonly string[] = [],
): CourierError {
  return new CourierError(
    "outcome_unknown",
    6,
    `it is not known whether the order was created: ${lost.message}, ${found}`,
    {
      hint: `before you send it again, look for it: ${howToCheck(sentAtMs, context)}`,
      status: lost.status,
      serviceCode: lost.serviceCode,
      details: { sent_at: new Date(sentAtMs).toISOString(), candidates },
      cause: lost,
    },
  );
}

function interruptedWhileSending(cause: unknown, sentAtMs: number, context: Context): CourierError {
  const exit = cause instanceof CourierError && cause.exit === 143 ? 143 : 130;
  const message = "stopped while the order was being sent: it may or may not have been created";
  return new CourierError("outcome_unknown", exit, message, {
    hint: `look for it: ${howToCheck(sentAtMs, context)}`,
    cause,
  });
}
