/** The two changes that can be made to an order: it can be cancelled, and it can be moved on. */

import type { Clock } from "../core/clock.ts";
import { CourierError, usageError } from "../core/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { isCancellable, stateNames, wayStates } from "../model/states.ts";
import { failures, firstStoredId } from "./defaults.ts";
import { idOfTrackingNumber } from "./numbers.ts";
import type { Decision } from "./order.ts";
import type { OrdersRepository } from "./orders-repository.ts";
import { Refusal } from "./refusal.ts";
import { eventTo, reachedChanges } from "./schedule.ts";
import { trackingAnswer } from "./tracking-history.ts";

/** 4.5: pending and paid orders can be cancelled; others throw a Refusal. */
export function cancelAt(nowMs: number): Decision {
  return (facts, events) => {
    const reached = reachedChanges(facts, events, nowMs);
    const status = reached.at(-1)?.state;
    if (isCancellable(status)) return eventTo("cancelled", reached, nowMs);
    throw new Refusal(failures.notCancellable, `an order that is ${status} cannot be cancelled`, { status });
  };
}

export interface Advance {
  readonly trackingNumber: string;
  /** By default the next state; states between are passed through. */
  readonly to?: string | undefined;
}

/**
 * Moves a parcel on and answers its tracking data (2.5). Throws CourierError: "refused" for an unknown
 * number or a state that is not ahead, "usage" for a word that is no state.
 */
export async function advance(
  orders: OrdersRepository,
  clock: Clock,
  { trackingNumber, to }: Advance,
): Promise<JsonObject> {
  if (to !== undefined && !stateNames.includes(to)) {
    throw usageError(`no such state: ${to}`, `states are ${wayStates.join(", ")}`);
  }
  const id = idOfTrackingNumber(trackingNumber);
  const isKnown = id !== undefined && (await orders.change(id, advanceAt(clock.now(), trackingNumber, to)));
  const known = isKnown ? await orders.find(id) : undefined;
  if (known) return trackingAnswer(known, clock.now());
  const isGenerated = id !== undefined && id > 0 && id < firstStoredId;
  const hint = isGenerated
    ? "generated orders exist only in the server that was started with them"
    : undefined;
  throw new CourierError("refused", 1, `no parcel in the sandbox has the number ${trackingNumber}`, { hint });
}

function advanceAt(nowMs: number, trackingNumber: string, to: string | undefined): Decision {
  return (facts, events) => {
    const reached = reachedChanges(facts, events, nowMs);
    const from = reached.at(-1)?.state ?? "";
    const ahead = from === "cancelled" ? [] : wayStates.slice(wayStates.indexOf(from) + 1);
    const target = to ?? ahead[0];
    if (target !== undefined && ahead.includes(target)) return eventTo(target, reached, nowMs);
    const toState = to === undefined ? "" : ` to ${to}`;
    const hint = ahead.length > 0 ? `states ahead of it: ${ahead.join(", ")}` : `nothing follows ${from}`;
    throw new CourierError("refused", 1, `${trackingNumber} cannot be moved on${toState}: it is ${from}`, {
      hint,
    });
  };
}
