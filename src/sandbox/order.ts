/** An order as the sandbox keeps it: what was sent and when, and what happened to it since. */

import type { serviceTypes } from "../model/fields.ts";
import { type JsonNumber, type JsonObject, parseJson, stringifyJson } from "../model/json.ts";

export type ServiceType = (typeof serviceTypes)[number];

/** The sub-fields that were sent (2.2); an omitted one stays absent. */
export interface Party extends JsonObject {
  readonly name?: string;
  readonly phone?: string;
  readonly province?: string;
  readonly city?: string;
  readonly district?: string;
  readonly detail?: string;
}

/** The sub-fields that were sent (2.3), numbers exactly as they were written. */
export interface Item extends JsonObject {
  readonly name?: string;
  readonly description?: string;
  readonly weight?: JsonNumber;
  readonly value?: JsonNumber;
  readonly quantity?: JsonNumber;
}

/** An order before it has an id. */
export interface OrderContent {
  readonly createdMs: number;
  readonly serviceType: ServiceType;
  readonly sender: Party;
  readonly receiver: Party;
  readonly item: Item;
}

export interface Order extends OrderContent {
  readonly id: number;
}

/** As much of an order as its way through the states depends on. */
export type OrderFacts = Pick<Order, "createdMs" | "serviceType">;

/** A change of an order by a request after it was created: `to` is its new state. */
export interface OrderEvent {
  readonly to: string;
  readonly atMs: number;
}

export interface KnownOrder {
  readonly order: Order;
  /** Oldest first. */
  readonly events: readonly OrderEvent[];
}

/** Decides by an order's present state what happens to it next; throws to leave it as it is. */
export type Decision = (facts: OrderFacts, events: readonly OrderEvent[]) => OrderEvent;

type Parts = Pick<OrderContent, "sender" | "receiver" | "item">;

/** The objects that were sent, as JSON text. */
export function formatParts({ sender, receiver, item }: Parts): string {
  return stringifyJson({ sender, receiver, item });
}

/** Reads what `formatParts` wrote; throws on anything that is not JSON. */
export function parseParts(text: string): Parts {
  return parseJson(text) as unknown as Parts;
}
