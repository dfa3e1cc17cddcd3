/** Owns the order as the sandbox keeps it: what was sent and when, and the text that a file holds of it. */

import type { serviceTypes } from "../model/draft.ts";
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

/** What somebody did to an order after it was created: `to` is the state that it was moved to. */
export interface OrderEvent {
  readonly to: string;
  readonly atMs: number;
}

export function formatOrder(order: OrderContent): string {
  const { createdMs, serviceType, sender, receiver, item } = order;
  return stringifyJson({ createdMs, serviceType, sender, receiver, item });
}

/** Reads what `formatOrder` wrote; throws on anything that is not JSON. */
export function parseOrder(text: string): OrderContent {
  const stored = parseJson(text) as unknown as OrderContent;
  return { ...stored, createdMs: Number(stored.createdMs) };
}

export function formatEvent(event: OrderEvent): string {
  return stringifyJson({ ...event });
}

/** Reads what `formatEvent` wrote; throws on anything that is not JSON. */
export function parseEvent(text: string): OrderEvent {
  const stored = parseJson(text) as unknown as OrderEvent;
  return { to: stored.to, atMs: Number(stored.atMs) };
}
