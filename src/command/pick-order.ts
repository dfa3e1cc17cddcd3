/** A list to pick an order from, for a person at a terminal who named none. */

import { CourierError } from "../core/errors.ts";
import type { Choice } from "../core/prompts.ts";
import { hasWords, searchWords } from "../mirror/grams.ts";
import { type MirroredOrder, searchableTexts, textAt } from "../mirror/mirrored-order.ts";
import { isCancellable, stateNames } from "../model/states.ts";
import type { Context } from "./command.ts";
import { openKnownOrders } from "./order-name.ts";

/** The newest orders that the search looks through: an older one is found by courier find. */
const mostOffered = 500;
const pageSize = 100;

type Offered = Pick<MirroredOrder, "id" | "ref" | "fields">;

export interface PickedOrder {
  readonly id: string;
  readonly trackingNumber: string | undefined;
}

/**
 * The order that is picked; undefined where no one can be asked. `kind` leaves out what the command can do nothing
 * with. Throws `no_such_order` where there is none, and ServiceFailure.
 */
export async function pickOrder(
  question: string,
  kind: "any" | "cancellable" | "parcel",
  context: Context,
): Promise<PickedOrder | undefined> {
  const prompts = await context.prompts();
  if (!prompts) return undefined;
  const isOffered = ({ fields }: Offered) => {
    if (kind === "cancellable") return isCancellable(textAt(fields, "status"));
    return kind === "any" || textAt(fields, "tracking_number") !== undefined;
  };
  const statuses = kind === "cancellable" ? stateNames.filter(isCancellable) : undefined;
  const orders = await readOrders(isOffered, statuses, context);
  if (orders.length === 0) {
    const none =
      kind === "cancellable"
        ? "none of the newest orders can be cancelled"
        : "there is no order to choose from";
    throw new CourierError("no_such_order", 1, none, {
      hint: `name it, or see what there is: ${context.nextCommand("orders list")}`,
    });
  }
  const entries = orders.map((order) => ({
    choice: toChoice(order),
    texts: searchableTexts(order),
  }));
  return prompts.search(question, (term) => {
    const words = searchWords(term);
    return entries.filter(({ texts }) => hasWords(texts, words)).map(({ choice }) => choice);
  });
}

/** The newest first: what this machine knows, or one page of the service's list. */
async function readOrders(
  isOffered: (order: Offered) => boolean,
  statuses: readonly string[] | undefined,
  context: Context,
): Promise<readonly Offered[]> {
  const found: Offered[] = [];
  const mirror = await openKnownOrders(context);
  for await (const order of mirror?.search({ text: "", statuses }) ?? []) {
    if (isOffered(order)) found.push(order);
    if (found.length === mostOffered) break;
  }
  if (found.length > 0) return found;
  const { orders } = await (await context.service()).listOrders({}, 1, pageSize);
  return orders.map((order) => ({ id: order.id.value, ref: undefined, fields: order })).filter(isOffered);
}

function toChoice({ id, ref, fields }: Offered): Choice<PickedOrder> {
  const { receiver, item } = fields;
  const to = textAt(receiver, "name");
  const about = [
    textAt(fields, "status"),
    to && `to ${to}`,
    textAt(item, "name") ?? textAt(fields, "item_name"),
  ];
  const trackingNumber = textAt(fields, "tracking_number");
  const more = [ref && `ref ${ref}`, trackingNumber, textAt(fields, "created_at")];
  return {
    value: { id, trackingNumber },
    label: `${id}  ${about.filter(Boolean).join(", ")}`,
    description: more.filter(Boolean).join(", "),
  };
}
