/**
 * Orders that an operation has by its answer, although they have the data of a create in doubt: the service, or a cache
 * before it, answered with another order's id.
 */

import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail } from "../model/interface.ts";
import { differingFields } from "../model/same-order.ts";
import { readDetail } from "./learn-fields.ts";
import {
  type Comparison,
  compareDetail,
  isLikely,
  isNamedAs,
  isOtherReceiver,
  nothingLearned,
} from "./matching.ts";
import type { ReconcileTools, RecordedListing } from "./reconcile-types.ts";

/** True where phone and address are both others. */
function isOtherPlace(comparison: Comparison): boolean {
  return comparison["receiver.phone"] === "differs" && comparison["receiver.address"] === "differs";
}

function hasOtherPlace({ receiver: one = {} }: Draft, { receiver: other = {} }: Draft): boolean {
  const differing = differingFields({ receiver: one }, { receiver: other }, () => true);
  const isOther = (field: string) => differing.includes(`receiver.${field}`);
  return isOther("phone") && ["province", "city", "district", "detail"].some(isOther);
}

/** True where an order is the lost create's, and not that of `owner`: two people of one name differ in phone and address. */
function isOfLost(lost: Draft, owner: Draft, detail: OrderDetail): boolean {
  const [own, other] = [compareDetail(lost, detail), compareDetail(owner, detail)];
  if (!isLikely(own, nothingLearned)) return false;
  if (isOtherReceiver(owner, other)) return true;
  return isOtherPlace(other) && own["receiver.phone"] === "agrees" && own["receiver.address"] === "agrees";
}

/** Limits the details that are read for one listing. */
const mostRead = 20;

/**
 * Takes such orders from their operations, which are in doubt from then on. Returns the listing in which these orders
 * belong to no one.
 */
export async function withdrawWrongClaims(
  open: readonly Operation[],
  listing: RecordedListing,
  tools: ReconcileTools,
): Promise<RecordedListing> {
  const lost = open.filter(({ state, draft }) => state === "unknown" && draft !== undefined);
  const owners = new Map(listing.owners);
  const firstSeen = new Map(listing.firstSeen);
  let read = 0;
  for (const summary of listing.summaries) {
    const id = summary.id.value;
    const claim = owners.get(id);
    const named = claim ? lost.filter(({ draft }) => draft && isNamedAs(draft, summary)) : [];
    if (!claim || named.length === 0) continue;
    const owner = await tools.ledger.findOperation(claim);
    if (owner?.state !== "created" || !owner.draft) continue;
    const ownDraft = owner.draft;
    // Two people of one name have another phone and address.
    const others = named.filter(
      ({ draft }) => draft && (!isNamedAs(ownDraft, summary) || hasOtherPlace(draft, ownDraft)),
    );
    if (others.length === 0) continue;
    if (read === mostRead) break;
    read += 1;
    const detail = await readDetail(id, tools.detail);
    if (!detail) continue;
    const own = others.find(({ draft }) => draft && isOfLost(draft, ownDraft, detail));
    const event = own && (await tools.ledger.withdrawOrder(owner, id, tools.clock.now()));
    if (!own || event === undefined) continue;
    owners.delete(id);
    firstSeen.set(id, event);
    tools.onWithdrawn?.(owner);
    tools.warn?.(
      `the answer to ${nameOperation(owner)} named order ${id}, which has the data of ${nameOperation(own)}: ` +
        "both are matched by their data now, and courier log shows the outcome",
    );
  }
  return { ...listing, owners, firstSeen };
}
