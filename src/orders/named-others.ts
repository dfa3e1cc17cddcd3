/** Orders that are named for cancelling, and are others than the names mean: nothing is sent for them. */

import type { Context } from "../command/command.ts";
import { refOf } from "../command/options.ts";
import type { UsedName } from "../command/order-name.ts";
import type { OrderDetail } from "../model/interface.ts";
import { cannotBeCancelled } from "../model/states.ts";
import {
  describeOtherNumbers,
  describeOwnNumber,
  describeWithdrawn,
  findOther,
  findOtherOwned,
} from "../sending/another-order.ts";
import type { Found } from "./cancellation.ts";

/** Why nothing is sent for an order, or for a name beside its id. */
type Other = Pick<Found, "other" | "stray">;

/**
 * Why orders are others than their names mean, and what to do, by their ids. `named`: the names that led to each order. What
 * the data certainly shows is recorded, unless `isTrial`: the create has the order no more, and its id means the order itself.
 */
export async function findOthers(
  orders: readonly OrderDetail[],
  named: ReadonlyMap<string, readonly UsedName[]>,
  isTrial: boolean,
  context: Context,
): Promise<ReadonlyMap<string, Other>> {
  const owned = await findOtherOwned(orders, context, { isTrial });
  const others = new Map<string, Other>();
  for (const order of orders) {
    const id = order.id.value;
    const otherNames = (named.get(id) ?? []).filter(({ name }) => name !== id);
    const found = owned.get(id);
    let reason = found?.reason;
    // One name that fits says nothing of the others.
    for (const each of otherNames) reason ??= await whyOther(order, each, isTrial, context);
    if (reason === undefined) continue;
    if (!found && otherNames.length < (named.get(id)?.length ?? 0)) {
      others.set(id, { stray: reason });
      continue;
    }
    if (cannotBeCancelled(order.status)) {
      others.set(id, { other: reason });
      continue;
    }
    const again =
      otherNames.length === 0 ? "the same command again cancels it" : "name it by its id to cancel it";
    const rawCall = `to cancel it nevertheless: ${context.nextCommand(`api DELETE orders/${id}`)}`;
    others.set(id, { other: `${reason}; ${found?.isOwned ? rawCall : again}` });
  }
  return others;
}

/** Undefined where the name means the order. */
async function whyOther(
  order: OrderDetail,
  named: UsedName,
  isTrial: boolean,
  context: Context,
): Promise<string | undefined> {
  const ref = refOf(named.name);
  if (ref !== undefined) return findOther(order, [ref], context, { isTrial });
  return (
    (await describeOwnNumber([named.name], order.id.value, context)) ??
    (await describeWithdrawn(order, context)) ??
    describeOtherNumbers(named, order)
  );
}
