/**
 * Own orders that a list lacks: one that is complete in form may be that of a new index, or of a copy of older data, and may
 * lack other orders, too.
 */

import type { UnlistedOrder } from "../ledger/listings.ts";
import { readOwner } from "./another-order.ts";
import { readDetail } from "./learn-fields.ts";
import { unknownDelayMs } from "./proof.ts";
import type { ReconcileTools, RecordedListing } from "./reconcile-types.ts";

type Unlisted = RecordedListing["unlisted"][number] & {
  /** The service shows it nevertheless. */
  readonly isShown: boolean;
};

/** More are not read, and count as missing. */
const mostRead = 5;
/** Orders of this time before a request are in the list beside its own. */
const besideMs = 48 * 3_600_000;
/** An order that was missing for so long before the request is gone for good. */
const goneMs = 24 * 3_600_000;

/**
 * Those that must be in a list that began then, without those whose details say why: some services drop cancelled orders. Details prove nothing else: where the list
 * lacks orders, they may come from the same copy of the data.
 */
export async function findUnlisted(
  listing: RecordedListing,
  beganMs: number,
  tools: ReconcileTools,
): Promise<readonly Unlisted[]> {
  const { ledger, customer, detail, clock, settleMs = unknownDelayMs } = tools;
  const unlisted = listing.unlisted.filter(({ sentMs, missing }) => missing || beganMs - sentMs > settleMs);
  const left: Unlisted[] = [];
  for (const each of unlisted.slice(0, mostRead)) {
    const order = await readDetail(each.orderId, detail);
    if (order?.status !== "cancelled") {
      left.push({ ...each, isShown: order !== undefined });
      continue;
    }
    const states = new Map([[each.orderId, order.status]]);
    const { other } = await readOwner(order, tools);
    if (other === undefined)
      await ledger.noteStates(customer, states, clock.now(), async (ids) => new Set(ids));
  }
  return [...left, ...unlisted.slice(mostRead).map((each) => ({ ...each, isShown: false }))];
}

/**
 * Why a list certainly lacks orders, or may lack all of them. One that is not shown any more may have been deleted.
 * Undefined where nothing says so.
 */
export async function describeGap(
  listing: RecordedListing,
  tools: ReconcileTools,
): Promise<string | undefined> {
  const unlisted = await findUnlisted(listing, tools.clock.now(), tools);
  const found = unlisted.find(({ isShown }) => isShown) ?? (listing.newestOwn ? undefined : unlisted[0]);
  return found && `the list lacks order ${found.orderId}, which the ledger knows`;
}

/** True where a list without this own order may lack that of a request, too. */
export function mayHide({ sentMs, missing }: UnlistedOrder, sentEvent: number, atMs: number): boolean {
  const isNew = !missing || missing.event > sentEvent || missing.sinceMs >= atMs - goneMs;
  return isNew && sentMs >= atMs - besideMs;
}
