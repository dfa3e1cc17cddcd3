/** The movement history of a parcel (specification, 2.5), derived from the states that it has passed. */

import type { JsonObject } from "../model/json.ts";
import { unknownPlace } from "./defaults.ts";
import { trackingNumberOf } from "./numbers.ts";
import type { KnownOrder, Order, Party } from "./order.ts";
import { deliveryMs, reachedChanges, type StateChange, stayMs } from "./schedule.ts";
import { isoTime } from "./views.ts";

interface Movement {
  readonly location: string;
  readonly description: string;
  readonly atMs: number;
}

export function trackingAnswer({ order, events }: KnownOrder, nowMs: number): JsonObject {
  const reached = reachedChanges(order, events, nowMs);
  const movements = movementsOf(order, reached, Math.max(nowMs, events.at(-1)?.atMs ?? nowMs));
  return {
    tracking_number: trackingNumberOf(order.id),
    status: reached.at(-1)?.state,
    current_location: movements[0]?.location,
    estimated_delivery: isoTime(deliveryMs(order, events)),
    records: movements.map(({ location, description, atMs }) => ({
      location,
      description,
      occurred_at: isoTime(atMs),
    })),
  };
}

/** Most recent first. A parcel in transit reaches the receiver's city half-way through that stage. */
function movementsOf(order: Order, reached: readonly StateChange[], nowMs: number): Movement[] {
  const movements = reached.flatMap(({ state, sinceMs }, index) => {
    const entered = { ...entering(state, order), atMs: sinceMs };
    if (state !== "in_transit") return [entered];
    const leavesMs = reached[index + 1]?.sinceMs ?? Number.POSITIVE_INFINITY;
    const halfwayMs = Math.min(sinceMs + Math.floor(stayMs(order, state) / 2), leavesMs - 1);
    return halfwayMs > nowMs ? [entered] : [entered, { ...arriving(order), atMs: halfwayMs }];
  });
  return movements.reverse();
}

function entering(state: string, { sender, receiver }: Order): Omit<Movement, "atMs"> {
  const from = cityOf(sender, unknownPlace.sender);
  const to = cityOf(receiver, unknownPlace.receiver);
  const door = `${to}${receiver.district ?? ""}`;
  switch (state) {
    case "pending":
      return { location: from, description: "订单已创建，等待付款" };
    case "paid":
      return { location: from, description: "订单已付款" };
    case "processing":
      return { location: from, description: "订单处理中，等待快递员上门取件" };
    case "picked":
      return { location: `${from}${sender.district ?? ""}`, description: "快递员已取件" };
    case "in_transit":
      return { location: `${from}转运中心`, description: `快件已发出，正发往${to}` };
    case "delivering":
      return { location: door, description: "快递员正在派送" };
    case "delivered":
      return { location: door, description: "快件已签收" };
    case "completed":
      return { location: door, description: "订单已完成" };
    default:
      return { location: from, description: "订单已取消" };
  }
}

function arriving({ receiver }: Order): Omit<Movement, "atMs"> {
  return { location: `${cityOf(receiver, unknownPlace.receiver)}转运中心`, description: "快件已到达" };
}

function cityOf({ city, province }: Party, unknown: string): string {
  return city || province || unknown;
}
