/** Owns what is noted of an order that passes by in an answer: enough to recognise it, and no more. */

import type { Draft } from "./draft.ts";
import type { CreatedOrder, OrderDetail, OrderSummary, Tracking } from "./interface.ts";

/** No telephone number and no address. A parcel that was only tracked has no id. */
export interface Sighting {
  readonly id?: string | undefined;
  readonly tracking_number?: string | undefined;
  readonly status?: string | undefined;
  /** The receiver's name. */
  readonly receiver?: string | undefined;
  /** The item's name. */
  readonly item?: string | undefined;
  readonly created_at?: string | undefined;
}

export function sightSummary(order: OrderSummary): Sighting {
  return {
    ...common(order),
    receiver: order.receiver?.name ?? undefined,
    item: order.item_name ?? undefined,
  };
}

export function sightDetail(order: OrderDetail): Sighting {
  return {
    ...common(order),
    receiver: order.receiver?.name ?? undefined,
    item: order.item?.name ?? undefined,
  };
}

/** The answer to a create names neither receiver nor item: the draft does. */
export function sightCreated(order: CreatedOrder, draft: Draft): Sighting {
  return { ...common(order), receiver: draft.receiver?.name, item: draft.item?.name };
}

export function sightTracking({ tracking_number, status }: Tracking, asked: string): Sighting {
  return { tracking_number: tracking_number ?? asked, status: status ?? undefined };
}

function common({ id, tracking_number, status, created_at }: CreatedOrder): Sighting {
  return {
    id: id.value,
    tracking_number: tracking_number ?? undefined,
    status: status ?? undefined,
    created_at: created_at ?? undefined,
  };
}
