/** An order that the service shows with another receiver and another item than was sent: its answer named another order. */

import type { Context } from "../command/command.ts";
import { findLedger } from "../command/found-ledger.ts";
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

/** True for an order that has none of these refs but by an answer that named it in place of the one that was sent. */
export async function isOrderOfOthers(
  order: OrderDetail,
  refs: readonly string[],
  context: Context,
): Promise<boolean> {
  const ledger = await findLedger(context);
  if (!ledger) return false;
  const { id } = await context.customer();
  const sent = (await Promise.all(refs.map((ref) => ledger.findByRef(id, ref)))).flat();
  const answered = sent.filter((operation) => operation.order?.id === order.id.value);
  return answered.length > 0 && answered.every((operation) => isAnotherOrder(operation, order));
}
