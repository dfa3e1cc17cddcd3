/** An order that the service shows with another receiver and another item than was sent: its answer named another order. */

import type { Operation } from "../ledger/operation.ts";
import type { OrderDetail } from "../model/interface.ts";
import { show } from "../terminal/blocks.ts";
import { compareDetail, hasOtherReceiverAndItem } from "./matching.ts";

/** Only for an answer that named the order: a person has decided about an order that was found. */
export function isAnotherOrder({ draft, state }: Operation, order: OrderDetail): boolean {
  return (
    draft !== undefined && state === "created" && hasOtherReceiverAndItem(draft, compareDetail(draft, order))
  );
}

export function describeAnotherOrder({ receiver, item }: OrderDetail): string {
  const shown = [receiver?.name, item?.name].map(show).join(", ");
  return `the service shows another receiver and item than was sent: ${shown}`;
}
