/** Orders that may be those of creates in doubt, and that the list does not show: it lost them, or never had them. */

import { ServiceFailure, saysNoSuchOrder } from "../api/failure.ts";
import { isOrderId } from "../command/options.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { lazy } from "../core/lazy.ts";
import type { Learned } from "../ledger/listings.ts";
import { nameOperation, type Operation, type OperationName } from "../ledger/operation.ts";
import type { OrderDetail } from "../model/interface.ts";
import { alteredInDetails } from "./learn-fields.ts";
import { changedFields } from "./matching.ts";
import type { ReconcileTools, RecordedListing } from "./reconcile-types.ts";
import { isOwn, mayBeOf } from "./unclear-claims.ts";

const readAtOnce = 4;

/** An order that the list does not show, and the service itself does. */
export interface HiddenOrder {
  readonly detail: OrderDetail;
  /** The event of the first answer that showed it, or else of the request whose answer named it. */
  readonly firstSeenEvent: number;
  /** A list had it once: else no list tells how old it is. */
  readonly wasListed: boolean;
}

export interface HiddenOrders {
  /** True for what is noted already. */
  readonly isNoted: (name: string, orderId: string) => boolean;
  readonly shown: readonly HiddenOrder[];
  /**
   * By create: those that cannot be read, or that were there once. An order that is gone may have been the create's, and
   * was cancelled or deleted since. So are those that another create has by its answer, and that are not shown as it sent them.
   */
  readonly gone: ReadonlyMap<string, readonly string[]>;
}

/** Reads those that were noted before. One that no list has shown, and the service does not have, is none. */
export async function readHidden(
  open: readonly Operation[],
  listing: RecordedListing,
  learned: Learned,
  tools: ReconcileTools,
): Promise<HiddenOrders> {
  const { ledger, customer, detail, stop } = tools;
  const listed = new Set(listing.summaries.map(({ id }) => id.value));
  const operations = new Map(open.map((operation) => [nameOperation(operation), operation]));
  const all = await ledger.possibleOrders(customer);
  const listedBefore = new Set(
    all.filter(({ wasListed }) => wasListed).map(({ name, orderId }) => `${nameOperation(name)} ${orderId}`),
  );
  const noted = all.filter(
    ({ name, orderId }) => operations.has(nameOperation(name)) && !listed.has(orderId) && isOrderId(orderId),
  );
  const ids = [...new Set(noted.map(({ orderId }) => orderId))];
  const owners: ReadonlyMap<string, OperationName> =
    ids.length > 0 ? await ledger.findOwners(customer, ids) : new Map();
  const shown: HiddenOrder[] = [];
  const gone = new Map<string, string[]>();
  const readAltered = lazy(() => alteredInDetails(listing, tools));
  const read = async (id: string) => ({ id, read: await readOrder(id, detail) });
  for await (const { id, read: order } of mapInOrder(ids, readAtOnce, read, { stop })) {
    const notes = noted.filter(({ orderId }) => orderId === id);
    const owner = owners.get(id);
    // An answer has given it to another create since. A person, or a list, knows what it is.
    const claim = owner && (await ledger.findOperation(owner));
    if (
      claim &&
      (claim.state !== "created" ||
        (typeof order === "object" && isOwn(claim, order, changedFields(learned, claim.draft))))
    )
      continue;
    if (typeof order === "object" && !claim) {
      const events = notes.map(
        (each) => each.seenEvent ?? operations.get(nameOperation(each.name))?.sentEvent ?? 0,
      );
      const wasListed = notes.some((each) => each.wasListed);
      shown.push({ detail: order, firstSeenEvent: Math.max(...events), wasListed });
      continue;
    }
    for (const each of notes) {
      const name = nameOperation(each.name);
      const own = operations.get(name);
      const isPossible =
        typeof order === "object"
          ? own && mayBeOf(own, order, learned, await readAltered())
          : each.wasListed || order === "unread";
      if (isPossible) gone.set(name, [...(gone.get(name) ?? []), id]);
    }
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
