/**
 * Own orders that a list lacks: one that is complete in form may be that of a new index, or of a copy of older data, and may
 * lack other orders, too.
 */

import { parseInstant } from "../core/time.ts";
import type { UnlistedOrder } from "../ledger/listings.ts";
import type { Operation } from "../ledger/operation.ts";
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
 * Those that must be in a list that began then, without those whose details say why: some services drop cancelled
 * orders. Details prove nothing else: where the list lacks orders, they may come from the same copy of the data.
 */
export async function findUnlisted(
  listing: RecordedListing,
  beganMs: number,
  tools: ReconcileTools,
): Promise<readonly Unlisted[]> {
  const { ledger, customer, detail, clock, settleMs = unknownDelayMs } = tools;
  // A time to come was read from a clock that was set since.
  const isDue = ({ sentMs, sentForMs = 0 }: UnlistedOrder) =>
    Math.max(beganMs - sentMs, sentForMs) > settleMs || sentMs > clock.now();
  const unlisted = listing.unlisted.filter((each) => each.missing || isDue(each));
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
  const found =
    unlisted.find(({ isShown }) => isShown) ?? (listing.owners.size > 0 ? undefined : unlisted[0]);
  return found && `the list lacks order ${found.orderId}, which the ledger knows`;
}

/** True where a list without this own order may lack that of a request, too. */
export function mayHide(own: UnlistedOrder, request: Operation): boolean {
  const { sentAtMs = 0, sentEvent = 0 } = request;
  const { missing } = own;
  const isNew = !missing || missing.event > sentEvent || missing.sinceMs >= sentAtMs - goneMs;
  return isNew && isBeside(own, request);
}

/** By any clock that tells when both were sent: one may have been set between them. */
function isBeside({ sentMs, sentForMs, stamp }: UnlistedOrder, request: Operation): boolean {
  const { sentAtMs = 0, offsetMs, isOffsetMeasured } = request;
  if (sentMs >= sentAtMs - besideMs) return true;
  if (sentForMs !== undefined && request.sentForMs !== undefined && sentForMs <= request.sentForMs + besideMs)
    return true;
  const stampMs = stamp && isOffsetMeasured ? parseInstant(stamp) : undefined;
  return stampMs !== undefined && offsetMs !== undefined && stampMs >= sentAtMs + offsetMs - besideMs;
}
