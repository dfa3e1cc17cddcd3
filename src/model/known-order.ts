/** An order as an answer showed it: enough to recognise it, without phone or address. */

import type { Draft } from "./draft.ts";
import type { CreatedOrder, OrderDetail, OrderSummary, Tracking } from "./interface.ts";

/** What the answer did not show is undefined. A parcel that was only tracked has no id. */
export interface KnownOrder {
  readonly id?: string | undefined;
  readonly trackingNumber?: string | undefined;
  readonly status?: string | undefined;
  /** The item's name. */
  readonly item?: string | undefined;
  /** The receiver's name. */
  readonly receiver?: string | undefined;
  readonly createdAt?: string | undefined;
  /** Tells which of the account's keys it was shown to: a key may become another customer's. */
  readonly keyTag?: string | undefined;
}

export function fromSummary(order: OrderSummary): KnownOrder {
  return {
    ...common(order),
    item: order.item_name ?? undefined,
    receiver: order.receiver?.name ?? undefined,
  };
}

export function fromDetail(order: OrderDetail): KnownOrder {
  return {
    ...common(order),
    item: order.item?.name ?? undefined,
    receiver: order.receiver?.name ?? undefined,
  };
}

/** The answer to a create names neither receiver nor item: the draft does. */
export function fromCreated(order: CreatedOrder, draft: Draft): KnownOrder {
  return { ...common(order), item: draft.item?.name, receiver: draft.receiver?.name };
}

export function fromTracking({ tracking_number, status }: Tracking): KnownOrder {
  return { trackingNumber: tracking_number, status: status ?? undefined };
}

function common({ id, tracking_number, status, created_at }: CreatedOrder): KnownOrder {
  return {
    id: id.value,
    trackingNumber: tracking_number ?? undefined,
    status: status ?? undefined,
    createdAt: created_at ?? undefined,
  };
}
