/** Whether an order was made before or after a request was sent, where the service shows that. */

import { parseStamp } from "../core/time.ts";
import type { Learned } from "../ledger/listings.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { OrderSummary } from "../model/interface.ts";
import type { ReconcileTools } from "./reconcile-types.ts";
import { dateSlackMs, wallTimeOf } from "./request-times.ts";

/** A listing in this time before a request shows the orders that existed before it. */
const justBeforeMs = 15 * 60_000;
/** Clocks of several servers may differ by minutes. */
export const longMs = 30 * 60_000;
/** A service of which no time stamp is known yet may write those of its own time zone. */
const longestAheadMs = 14 * 3_600_000;

type Dated = Pick<OrderSummary, "created_at">;

/** `begun`: when requests were sent, as the clock's `elapsed`, by the names of their operations. */
export async function createAgeRules(
  open: readonly Operation[],
  begun: ReadonlyMap<string, number | undefined>,
  { stampAhead, areStampsUnclear }: Learned,
  { ledger, customer, clock, clockOffsetMs }: ReconcileTools,
) {
  interface Sent {
    readonly sentMs: number | undefined;
    /** The earliest of all readings: one may be of a clock that was set since. */
    readonly earliestMs: number | undefined;
    readonly isMeasured: boolean;
    readonly listedFrom: string | undefined;
  }
  const requests = new Map<string, Sent>();
  for (const operation of open) {
    const { sentAtMs, sentEvent, offsetMs, isOffsetMeasured } = operation;
    if (sentAtMs === undefined || sentEvent === undefined) continue;
    const where = { beforeEvent: sentEvent, sinceMs: sentAtMs - justBeforeMs, untilMs: sentAtMs };
    const [name, nowOffsetMs] = [nameOperation(operation), clockOffsetMs()];
    const begunMs = begun.get(name);
    // A killed process has seen no Date header: by the time since boot, the one of now tells when it sent.
    const byBootMs =
      begunMs === undefined || nowOffsetMs === undefined
        ? undefined
        : wallTimeOf(begunMs, clock) + nowOffsetMs;
    const [sentMs, byNowMs] = [offsetMs, nowOffsetMs].map((ms) =>
      ms === undefined ? undefined : sentAtMs + ms,
    );
    const readings = [sentMs, byBootMs, byNowMs].filter((ms) => ms !== undefined);
    requests.set(name, {
      sentMs: sentMs ?? byBootMs,
      earliestMs: readings.length > 0 ? Math.min(...readings) : undefined,
      isMeasured: isOffsetMeasured || (offsetMs === undefined && byBootMs !== undefined),
      listedFrom: await ledger.listedFrom(customer, where),
    });
  }
  /** No request is worked on for so long: another writer made the order. */
  function isLongAfter(name: string, createdMs: number): boolean {
    const { sentMs, isMeasured } = requests.get(name) ?? {};
    if (sentMs === undefined || !isMeasured) return false;
    return createdMs > sentMs + (stampAhead?.mostMs ?? longestAheadMs) + longMs;
  }

  /** By how much a stamp is older than the request and the known error of stamps; nothing where that is not known. */
  function olderByMs(name: string, { created_at }: Dated): number {
    const { earliestMs, isMeasured } = requests.get(name) ?? {};
    const createdMs = parseStamp(created_at);
    if (createdMs === undefined || earliestMs === undefined || !isMeasured) return 0;
    if (!stampAhead || areStampsUnclear) return 0;
    return earliestMs + stampAhead.leastMs - createdMs;
  }

  return {
    /** `isListed`: lists show the order, so that one which lacked it tells that it was not there. */
    isNew(name: string, { created_at }: Dated, isListed = true): boolean {
      const { sentMs, listedFrom } = requests.get(name) ?? {};
      const createdMs = parseStamp(created_at);
      if (createdMs !== undefined && isLongAfter(name, createdMs)) return false;
      if (olderByMs(name, { created_at }) > longMs) return false; // lists may have been late with it
      // An older order would have been in the listing shortly before.
      if (
        isListed &&
        (listedFrom === "" ||
          (listedFrom !== undefined && created_at && listedFrom <= created_at.slice(0, 10)))
      )
        return true;
      if (createdMs === undefined || sentMs === undefined || areStampsUnclear) return false;
      const roundingMs = /[.,]\d/.test(created_at ?? "") ? 0 : 999;
      const slackMs = stampAhead ? roundingMs + dateSlackMs : roundingMs;
      return createdMs >= sentMs + (stampAhead?.mostMs ?? 0) - slackMs;
    },
    olderByMs,
  };
}
