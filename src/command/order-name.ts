/** Which order a person means: by its id, order number, tracking number, or the ref that it was sent with. */

import { CourierError } from "../core/errors.ts";
import { hasLedger } from "../ledger/ledger-file.ts";
import { hasMirror } from "../mirror/mirror.ts";
import { textAt } from "../mirror/mirrored-order.ts";
import { mirrorOwner, openAccountMirror } from "./account-mirror.ts";
import type { Context } from "./command.ts";
import { quote } from "./options.ts";

const refPrefix = "ref:";
/** Orders of the service's list that are looked through for a number that this machine does not know. */
const mostListed = 300;
const pageSize = 100;

/** The id of the order with this name. Throws as `findOrderIds` does. */
export async function findOrderId(name: string, context: Context): Promise<string> {
  const [id = ""] = await findOrderIds([name], context);
  return id;
}

/**
 * The ids of the orders with these names, each once. Throws `no_such_order` and `ambiguous_order`, exit 1, and
 * ServiceFailure.
 */
export async function findOrderIds(names: readonly string[], context: Context): Promise<readonly string[]> {
  const isId = (name: string) => /^\d+$/.test(name);
  const others = new Set(names.filter((name) => !isId(name)));
  const known = others.size > 0 ? await findInMirror(others, context) : new Map<string, string[]>();
  const missing = [...others].filter((name) => !known.has(name) && refOf(name) === undefined);
  const listed =
    missing.length > 0 ? await findInList(new Set(missing), context) : new Map<string, string[]>();
  const ids = names.map((name) => {
    if (isId(name)) return name;
    const [id, ...more] = new Set(known.get(name) ?? listed.get(name));
    if (id === undefined) throw noSuchOrder(name, context);
    if (more.length === 0) return id;
    const message = `${quote(name)} names ${more.length + 1} orders: ${[id, ...more].join(", ")}`;
    throw new CourierError("ambiguous_order", 1, message, { hint: "name one by its id" });
  });
  return [...new Set(ids)];
}

function refOf(name: string): string | undefined {
  return name.startsWith(refPrefix) ? name.slice(refPrefix.length) : undefined;
}

type IdsByName = ReadonlyMap<string, readonly string[]>;

async function findInMirror(names: ReadonlySet<string>, context: Context): Promise<IdsByName> {
  const { stateDirectory } = context.machine;
  const found = new Map<string, string[]>();
  if (!hasLedger(stateDirectory) && !hasMirror(stateDirectory, await mirrorOwner(context))) return found;
  const mirror = await openAccountMirror(context);
  for (const name of names) {
    const ref = refOf(name);
    for await (const order of mirror.search({ text: ref ?? name })) {
      const numbers = ["order_no", "tracking_number"].map((field) => textAt(order.fields, field));
      const isMeant = ref === undefined ? numbers.includes(name) : order.ref === ref;
      if (isMeant) found.set(name, [...(found.get(name) ?? []), order.id]);
    }
  }
  return found;
}

async function findInList(names: ReadonlySet<string>, context: Context): Promise<IdsByName> {
  const service = await context.service();
  const found = new Map<string, string[]>();
  for (let page = 1; page * pageSize <= mostListed && found.size < names.size; page++) {
    const { orders } = await service.listOrders({}, page, pageSize);
    for (const { id, order_no, tracking_number } of orders) {
      const name = [order_no, tracking_number].find(
        (number) => typeof number === "string" && names.has(number),
      );
      if (typeof name === "string") found.set(name, [...(found.get(name) ?? []), id.value]);
    }
    if (orders.length === 0) break;
  }
  return found;
}

function noSuchOrder(name: string, { nextCommand }: Context): CourierError {
  const ref = refOf(name);
  if (ref !== undefined)
    return new CourierError("no_such_order", 1, `this machine has sent no order with the ref ${quote(ref)}`, {
      hint: `find it by something else: ${nextCommand("find TEXT")}`,
    });
  const searched = `neither on this machine nor in the first ${mostListed} orders of the service's list`;
  return new CourierError(
    "no_such_order",
    1,
    `no order was found with the number ${quote(name)}, ${searched}`,
    {
      hint: `look through all orders: ${nextCommand("sync")}, then run this again`,
    },
  );
}
