/**
 * The state changes of an order (specification, section 3) as a pure function of the order, its events and the
 * time.
 */

import { wayStates } from "../model/states.ts";
import { pacePercent, stageMs } from "./defaults.ts";
import type { OrderEvent, OrderFacts } from "./order.ts";

/** A state and the instant at which the order enters it. */
export interface StateChange {
  readonly state: string;
  readonly sinceMs: number;
}

/** Between two skipped states: room for a tracking record in the middle of one. */
const minGapMs = 2;

/** How long an order of this service type stays in a state without an event. */
export function stayMs(order: OrderFacts, state: string): number {
  return Math.floor(((stageMs[state] ?? 0) * pacePercent[order.serviceType]) / 100);
}

/** Every state change of an order, past and to come, oldest first. */
export function timeline(order: OrderFacts, events: readonly OrderEvent[]): StateChange[] {
  let way = continueWay(order, [{ state: "pending", sinceMs: order.createdMs }]);
  for (const event of events) way = applyEvent(order, way, event);
  return way;
}

/**
 * The state changes up to a time: at least the first. An event has happened at any time, so a slow clock never takes
 * it back.
 */
export function reachedChanges(
  order: OrderFacts,
  events: readonly OrderEvent[],
  nowMs: number,
): StateChange[] {
  return passedBy(timeline(order, events), Math.max(nowMs, events.at(-1)?.atMs ?? nowMs));
}

export function stateAt(order: OrderFacts, events: readonly OrderEvent[], nowMs: number): string {
  return reachedChanges(order, events, nowMs).at(-1)?.state ?? "pending";
}

/** When a parcel is or will be delivered, were it not cancelled (2.5, estimated_delivery). */
export function deliveryMs(order: OrderFacts, events: readonly OrderEvent[]): number {
  const way = timeline(
    order,
    events.filter(({ to }) => to !== "cancelled"),
  );
  return way.find(({ state }) => state === "delivered")?.sinceMs ?? order.createdMs;
}

/**
 * The event that takes an order to a state now. It is a little later than now where its changes would
 * otherwise share an instant with an earlier one.
 */
export function eventTo(to: string, reached: readonly StateChange[], nowMs: number): OrderEvent {
  const last = reached.at(-1);
  const steps = to === "cancelled" ? 1 : wayStates.indexOf(to) - wayStates.indexOf(last?.state ?? "pending");
  return { to, atMs: Math.max(nowMs, (last?.sinceMs ?? nowMs) + steps * minGapMs) };
}

/** Replaces the timeline after the event; skipped states get the instants before it. */
function applyEvent(order: OrderFacts, way: readonly StateChange[], event: OrderEvent): StateChange[] {
  const passed = passedBy(way, event.atMs);
  if (event.to === "cancelled") return [...passed, { state: event.to, sinceMs: event.atMs }];
  const from = wayStates.indexOf(passed.at(-1)?.state ?? "pending");
  const skipped = wayStates.slice(from + 1, wayStates.indexOf(event.to) + 1);
  const hurried = skipped.map((state, index) => ({
    state,
    sinceMs: event.atMs - (skipped.length - 1 - index) * minGapMs,
  }));
  return continueWay(order, [...passed, ...hurried]);
}

function continueWay(order: OrderFacts, passed: readonly StateChange[]): StateChange[] {
  const way = [...passed];
  for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
    const next = wayStates[wayStates.indexOf(last.state) + 1];
    if (next === undefined) break;
    way.push({ state: next, sinceMs: last.sinceMs + stayMs(order, last.state) });
  }
  return way;
}

/** The first change always counts, even where the clock was set back before the order's creation. */
function passedBy(way: readonly StateChange[], instantMs: number): StateChange[] {
  return way.filter(({ sinceMs }, index) => index === 0 || sinceMs <= instantMs);
}
