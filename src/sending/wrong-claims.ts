/**
 * Orders that an operation has by its answer, although they have the data of a create in doubt: the service, or a cache
 * before it, answered with another order's id.
 */

import { nameOperation, type Operation } from "../ledger/operation.ts";
import { readDetail } from "./learn-fields.ts";
import { compareDetail, isLikely, isNamedAs, isOtherReceiver, nothingLearned } from "./matching.ts";
import type { ReconcileTools, RecordedListing } from "./reconcile-types.ts";

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
    if (owner?.state !== "created" || !owner.draft || isNamedAs(owner.draft, summary)) continue;
    if (read === mostRead) break;
    read += 1;
    const detail = await readDetail(id, tools.detail);
    if (!detail || !isOtherReceiver(owner.draft, compareDetail(owner.draft, detail))) continue;
    const own = named.find(({ draft }) => draft && isLikely(compareDetail(draft, detail), nothingLearned));
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
