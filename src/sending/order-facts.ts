/** The fields of an order that the ledger stores. */

import { isNoTime, parseInstant } from "../core/time.ts";
import type { OrderFacts } from "../ledger/operation.ts";

export function orderFacts(order: {
  readonly id: { readonly value: string };
  readonly order_no?: string | null | undefined;
  readonly tracking_number?: string | null | undefined;
  readonly estimated_fee?: { readonly value: string } | null | undefined;
  readonly created_at?: string | null | undefined;
}): OrderFacts {
  return {
    id: order.id.value,
    order_no: order.order_no || null,
    tracking_number: order.tracking_number || null,
    estimated_fee: order.estimated_fee?.value ?? null,
    created_at: isNoTime(order.created_at) ? null : (order.created_at ?? null),
  };
}

/** How far the time stamp of a new order is ahead of the service's clock, where both are known. */
export function stampAheadMs(
  createdAt: string | null | undefined,
  nowMs: number,
  offsetMs: number | undefined,
): number | undefined {
  const createdMs = createdAt && !isNoTime(createdAt) ? parseInstant(createdAt) : undefined;
  return createdMs === undefined || offsetMs === undefined ? undefined : createdMs - (nowMs + offsetMs);
}
