/** Orders that may be those of creates in doubt, and that the list does not show: it lost them, or never had them. */

import { ServiceFailure, saysNoSuchOrder } from "../api/failure.ts";
import { isOrderId } from "../command/options.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { OrderDetail } from "../model/interface.ts";
import type { ReconcileTools, RecordedListing } from "./reconcile-types.ts";

const readAtOnce = 4;

/** An order that the list does not show, and the service itself does. */
export interface HiddenOrder {
  readonly detail: OrderDetail;
  /** The event of the first answer that showed it, or else of the request whose answer named it. */
  readonly firstSeenEvent: number;
}

export interface HiddenOrders {
  /** True for what is noted already. */
  readonly isNoted: (name: string, orderId: string) => boolean;
  readonly shown: readonly HiddenOrder[];
  /**
   * By create: those that cannot be read, or that were there once. An order that is gone may have been the create's, and
   * was cancelled or deleted since.
   */
  readonly gone: ReadonlyMap<string, readonly string[]>;
}

/** Reads those that were noted before. One that no list has shown, and the service does not have, is none. */
export async function readHidden(
  open: readonly Operation[],
  { summaries }: RecordedListing,
  { ledger, customer, detail, stop }: ReconcileTools,
): Promise<HiddenOrders> {
  const listed = new Set(summaries.map(({ id }) => id.value));
  const sent = new Map(open.map((operation) => [nameOperation(operation), operation.sentEvent ?? 0]));
  const all = await ledger.possibleOrders(customer);
  const listedBefore = new Set(
    all.filter(({ wasListed }) => wasListed).map(({ name, orderId }) => `${nameOperation(name)} ${orderId}`),
  );
  const noted = all.filter(
    ({ name, orderId }) => sent.has(nameOperation(name)) && !listed.has(orderId) && isOrderId(orderId),
  );
  const ids = [...new Set(noted.map(({ orderId }) => orderId))];
  const owners = ids.length > 0 ? await ledger.findOwners(customer, ids) : new Map();
  const unowned = ids.filter((id) => !owners.has(id));
  const shown: HiddenOrder[] = [];
  const gone = new Map<string, string[]>();
  const read = async (id: string) => ({ id, read: await readOrder(id, detail) });
  for await (const { id, read: order } of mapInOrder(unowned, readAtOnce, read, { stop })) {
    const notes = noted.filter(({ orderId }) => orderId === id);
    if (typeof order === "object") {
      const events = notes.map(({ name, seenEvent }) => seenEvent ?? sent.get(nameOperation(name)) ?? 0);
      shown.push({ detail: order, firstSeenEvent: Math.max(...events) });
      continue;
    }
    for (const { name, wasListed } of notes)
      if (wasListed || order === "unread")
        gone.set(nameOperation(name), [...(gone.get(nameOperation(name)) ?? []), id]);
  }
  stop.throwIfAborted();
  return { shown, gone, isNoted: (name, orderId) => listedBefore.has(`${name} ${orderId}`) };
}

async function readOrder(
  id: string,
  detail: ReconcileTools["detail"],
): Promise<OrderDetail | "none" | "unread"> {
  try {
    return await detail(id);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.kind === "key_refused" || error.kind === "unreachable") throw error;
    return saysNoSuchOrder(error) ? "none" : "unread";
  }
}
