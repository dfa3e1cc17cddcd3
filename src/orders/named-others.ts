/** Orders that are named for cancelling, and are others than the names mean: nothing is sent for them. */

import type { Context } from "../command/command.ts";
import { isOrderId, refOf } from "../command/options.ts";
import type { UsedName } from "../command/order-name.ts";
import type { OrderDetail } from "../model/interface.ts";
import { withoutZeros } from "../model/order-id.ts";
import { cannotBeCancelled } from "../model/states.ts";
import {
  describeOtherNumbers,
  describeOwnNumber,
  describeWithdrawn,
  findOther,
  findOtherOwned,
} from "../sending/another-order.ts";

/**
 * Why orders are others than their names mean, and what to do, by their ids. `named`: the names that led to each order. What
 * the data certainly shows is recorded, unless `isTrial`: the create has the order no more, and its id means the order itself.
 */
export async function findOthers(
  orders: readonly OrderDetail[],
  named: ReadonlyMap<string, readonly UsedName[]>,
  isTrial: boolean,
  context: Context,
): Promise<ReadonlyMap<string, string>> {
  const owned = await findOtherOwned(orders, context, { isTrial });
  const others = new Map<string, string>();
  for (const order of orders) {
    const id = order.id.value;
    const names = named.get(id) ?? [];
    const otherNames = names.filter(({ name }) => !isOrderId(name) || withoutZeros(name) !== id);
    const isNamedById = otherNames.length < names.length;
    const found = owned.get(id);
    const reason =
      found?.reason ?? (isNamedById ? undefined : await whyOther(order, otherNames, isTrial, context));
    if (reason === undefined) continue;
    if (cannotBeCancelled(order.status)) {
      others.set(id, reason);
      continue;
    }
    const again =
      otherNames.length === 0 ? "the same command again cancels it" : "name it by its id to cancel it";
    const rawCall = `to cancel it nevertheless: ${context.nextCommand(`api DELETE orders/${id}`)}`;
    others.set(id, `${reason}; ${found?.isOwned ? rawCall : again}`);
  }
  return others;
}

/** Of an order that its id does not name. Undefined where a ref or a number means it. */
async function whyOther(
  order: OrderDetail,
  names: readonly UsedName[],
  isTrial: boolean,
  context: Context,
): Promise<string | undefined> {
  const refs = names.flatMap(({ name }) => refOf(name) ?? []);
  const numbers = names.filter(({ name }) => refOf(name) === undefined);
  const texts = numbers.map(({ name }) => name);
  const own = await describeOwnNumber(texts, order.id.value, context);
  if (own !== undefined) return own;
  const withdrawn = refs.length === 0 ? await describeWithdrawn(order, context) : undefined;
  if (withdrawn !== undefined) return withdrawn;
  const others = numbers.map((number) => describeOtherNumbers(number, order));
  if (others.includes(undefined)) return undefined;
  return refs.length > 0 ? findOther(order, refs, context, { isTrial }) : others[0];
}
