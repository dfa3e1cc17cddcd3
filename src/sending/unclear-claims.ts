/**
 * Orders that creates have by their answers, and that may be those of creates in doubt: nothing shows yet whose they are.
 */

import type { Learned } from "../ledger/listings.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { readOwner } from "./another-order.ts";
import { detailsAreOwn, fieldsOf, readDetail } from "./learn-fields.ts";
import {
  type ComparedField,
  changedFields,
  compareDetail,
  comparedFields,
  isLikely,
  isNamedAs,
  isOtherOrder,
  nothingLearned,
} from "./matching.ts";
import { fitsAddress, hasPlainlyOtherPlace, isOtherCity, isOtherName } from "./possible-orders.ts";
import type { ReconcileTools, RecordedListing } from "./reconcile-types.ts";

/** Limits the details that are read for one listing. An order that is not read may be a lost create's. */
const mostRead = 20;
/** The newest ones. */
const mostClaims = 2_000;
/** Setting a clock may move the end of one request before the start of another. */
const besideMs = 10_000;

export interface UnclearClaim {
  readonly lost: Operation;
  readonly orderId: string;
  /** Its details do not rule it out; else they were not read. */
  readonly isRead: boolean;
}

/**
 * Of the listed orders that answers gave to other creates while one was in doubt, those that the list does not show as
 * their creates sent them, and whose details do not either. `noted`: possible matches by the create's name and order id.
 */
export async function findUnclearClaims(
  lost: readonly Operation[],
  { summaries, owners }: Pick<RecordedListing, "summaries" | "owners">,
  noted: ReadonlySet<string>,
  learned: Learned,
  tools: ReconcileTools,
): Promise<readonly UnclearClaim[]> {
  if (lost.length === 0) return [];
  const { ledger, customer } = tools;
  const changed = changedFields(learned);
  const byId = new Map(summaries.map((summary) => [summary.id.value, summary]));
  const claimed = await ledger.findUnmarked(customer, [...owners.keys()], detailsAreOwn, mostClaims);
  const unclear: UnclearClaim[] = [];
  let read = 0;
  for (const own of claimed) {
    const orderId = own.order?.id ?? "";
    const summary = byId.get(orderId);
    if (!summary || isShownAsSent(own, summary)) continue;
    const possible = lost.filter(
      (each) =>
        nameOperation(each) !== nameOperation(own) &&
        (isAnsweredAfter(own, each) || noted.has(`${nameOperation(each)} ${orderId}`)) &&
        (changed.has("receiver.name") || !isOtherName(each.draft?.receiver?.name, summary.receiver?.name)),
    );
    if (possible.length === 0) continue;
    read += 1;
    const order = read > mostRead ? undefined : await readDetail(orderId, tools.detail);
    const { other } = order ? await readOwner(order, tools) : {};
    if (order && other === undefined && isOwn(own, order, changed)) {
      await ledger.recordFields(own, detailsAreOwn, 0);
      continue;
    }
    for (const each of possible)
      if (!order || mayBeOf(each, order, learned)) unclear.push({ lost: each, orderId, isRead: !!order });
  }
  return unclear;
}

function isShownAsSent({ draft }: Operation, summary: OrderSummary): boolean {
  return (
    draft !== undefined && isNamedAs(draft, summary) && !isOtherCity(draft.receiver, summary.receiver?.city)
  );
}

/** An order is made after its request was sent, and no answer names it before. */
function isAnsweredAfter(own: Operation, lost: Operation): boolean {
  const isSentAfter = (own.sentEvent ?? 0) > (lost.sentEvent ?? 0);
  return isSentAfter || own.run === lost.run || (own.endedAtMs ?? 0) >= (lost.sentAtMs ?? 0) - besideMs;
}

/** True where an order shows what was sent, as far as it shows names: the service may hide them. */
export function isOwn(
  { draft }: Operation,
  order: OrderDetail,
  changed: ReadonlySet<ComparedField>,
): boolean {
  if (!draft) return false;
  const comparison = compareDetail(draft, order);
  if (comparedFields.some((field) => comparison[field] === "differs" && !changed.has(field))) return false;
  const isThere =
    comparison["receiver.phone"] === "agrees" &&
    (comparison["receiver.address"] === "agrees" || fitsAddress(draft.receiver, order.receiver?.address));
  return isThere || isLikely(comparison, nothingLearned);
}

export function mayBeOf({ draft }: Operation, order: OrderDetail, learned: Learned): boolean {
  if (!draft) return true;
  const comparison = compareDetail(draft, order);
  return (
    !isOtherOrder(comparison, fieldsOf(learned, draft)) && !hasPlainlyOtherPlace(draft, order, comparison)
  );
}
