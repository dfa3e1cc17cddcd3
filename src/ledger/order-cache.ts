/** The completion cache of orders: a small file written from the ledger, and read without opening it. */

import path from "node:path";
import { readRegularFile } from "../core/regular-file.ts";
import type { KnownOrder } from "../model/known-order.ts";

/** The account and service that orders belong to. */
export interface OrdersOwner {
  readonly account: string;
  readonly service: string;
}

export interface OwnedOrders extends OrdersOwner {
  /** The newest first. */
  readonly orders: readonly KnownOrder[];
}

/** More do not help completion. */
export const mostCached = 100;
export const mostOwners = 20;
const longestText = 60;

export function orderCachePath(stateDirectory: string): string {
  return path.join(stateDirectory, "completion-orders.json");
}

/** The cached orders of an owner. None where the file is missing, damaged or of another shape. */
export function readCachedOrders(
  stateDirectory: string,
  { account, service }: OrdersOwner,
): readonly KnownOrder[] {
  try {
    const content: unknown = JSON.parse(readRegularFile(orderCachePath(stateDirectory)));
    const owned = listOf<OwnedOrders>(content).find(
      (each) => each.account === account && each.service === service,
    );
    return listOf<object>(owned?.orders).map(onlyTexts);
  } catch {
    return [];
  }
}

/** True where the cache contains all fields of these orders. */
export function isCached(cached: readonly KnownOrder[], orders: readonly KnownOrder[]): boolean {
  const byId = new Map(cached.map((order) => [order.id, order]));
  const byTrackingNumber = new Map(cached.map((order) => [order.trackingNumber, order]));
  return orders.every(({ id, trackingNumber, status, item, receiver, keyTag }) => {
    const known = id === undefined ? byTrackingNumber.get(trackingNumber) : byId.get(id);
    if (!known) return false;
    // Names are only compared for presence: a list may show them in another way than a single order.
    const hasNames = (item === undefined || !!known.item) && (receiver === undefined || !!known.receiver);
    const isSame = (noticed: string | undefined, before: string | undefined) =>
      noticed === undefined || noticed === before;
    const isSameOrder = isSame(trackingNumber, known.trackingNumber) && isSame(status, known.status);
    return hasNames && isSameOrder && isSame(keyTag, known.keyTag);
  });
}

/** Limits the size of the cache: cuts long texts, and leaves out long ids. */
export function shorten(order: KnownOrder): KnownOrder {
  const { id, trackingNumber, status, item, receiver, createdAt, keyTag } = order;
  return {
    id: ifShort(id),
    trackingNumber: ifShort(trackingNumber),
    status: cut(status),
    item: cut(item),
    receiver: cut(receiver),
    createdAt: ifShort(createdAt),
    keyTag,
  };
}

function ifShort(text: string | undefined): string | undefined {
  return text && text.length <= longestText ? text : undefined;
}

function cut(text: string | undefined): string | undefined {
  if (!text) return undefined;
  return text.length <= longestText ? text : [...text].slice(0, longestText).join("");
}

function onlyTexts(order: object): KnownOrder {
  return Object.fromEntries(Object.entries(order).filter(([, value]) => typeof value === "string"));
}

function listOf<T extends object>(value: unknown): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.filter((each): each is T => typeof each === "object" && each !== null);
}
