/**
 * Orders that creates have by their answers, and that may be those of creates in doubt: nothing shows yet whose they are.
 */

import { lazy } from "../core/lazy.ts";
import type { Learned } from "../ledger/listings.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { differingFields } from "../model/same-order.ts";
import { readOwner } from "./another-order.ts";
import {
  alteredInDetails,
  alteredInList,
  detailsAreOwn,
  fieldsOf,
  learnFromDetail,
  readDetail,
} from "./learn-fields.ts";
import {
  type ComparedField,
  changedFields,
  compareDetail,
  comparedFields,
  compareSummary,
  everChangedFields,
  fieldBits,
  isLikely,
  isOtherOrder,
  kindOf,
  mostlyChangedFields,
  nothingLearned,
} from "./matching.ts";
import { fitsAddress, fitsPhone, hasPlainlyOtherPlace, isOtherName } from "./possible-orders.ts";
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
 * Of the listed orders that answers gave to other creates while one was in doubt, and that the list may show for its
 * receiver, those whose details do not show that they are their creates' own. `noted`: possible matches by the create's name and order id.
 */
export async function findUnclearClaims(
  lost: readonly Operation[],
  listing: Pick<RecordedListing, "summaries" | "owners">,
  noted: ReadonlySet<string>,
  learned: Learned,
  tools: ReconcileTools,
): Promise<readonly UnclearClaim[]> {
  if (lost.length === 0) return [];
  const { ledger, customer } = tools;
  const { summaries, owners } = listing;
  const changed = new Set([...everChangedFields(learned), ...(await alteredInList(listing, tools))]);
  const byId = new Map(summaries.map((summary) => [summary.id.value, summary]));
  const claimed = await ledger.findUnmarked(customer, [...owners.keys()], detailsAreOwn, mostClaims);
  const doubtful: Claim[] = [];
  for (const own of claimed) {
    const orderId = own.order?.id ?? "";
    const summary = byId.get(orderId);
    if (!summary) continue;
    const possible = lost.filter(
      (each) =>
        hasOtherParcel(own, each) &&
        !showsGoodsOf(own, each, summary, changed) &&
        (isAnsweredAfter(own, each) || noted.has(`${nameOperation(each)} ${orderId}`)) &&
        (changed.has("receiver.name") || !isOtherName(each.draft?.receiver?.name, summary.receiver?.name)),
    );
    if (possible.length > 0) doubtful.push({ own, orderId, possible });
  }
  return judgeClaims(doubtful, listing, tools);
}

interface Claim {
  /** The create that has the order. */
  readonly own: Operation;
  readonly orderId: string;
  /** The lost creates whose order it may be. */
  readonly possible: readonly Operation[];
}

/** Reads the orders, and learns from them all before it judges one: a service may write all addresses in its own way. */
async function judgeClaims(
  claims: readonly Claim[],
  listing: Pick<RecordedListing, "owners">,
  tools: ReconcileTools,
): Promise<readonly UnclearClaim[]> {
  const { ledger, customer } = tools;
  const read = new Map<string, { readonly order: OrderDetail; readonly isOther: boolean }>();
  const readAltered = lazy(() => alteredInDetails(listing, tools));
  for (const { own, orderId } of claims.slice(0, mostRead)) {
    const order = await readDetail(orderId, tools.detail);
    if (!order) continue;
    const { other } = await readOwner(order, tools);
    read.set(orderId, { order, isOther: other !== undefined });
    if (other === undefined) await learnFromDetail(own, order, ledger);
  }
  const learned = await ledger.learned(customer, fieldBits);
  const unclear: UnclearClaim[] = [];
  for (const { own, orderId, possible } of claims) {
    const { order, isOther } = read.get(orderId) ?? {};
    // An order does not explain itself.
    const isHolders = order && !isOther && isOwn(own, order, changedFields(learned, own.draft, 1));
    const left: Operation[] = [];
    for (const each of possible) {
      const isLeft =
        !order ||
        (isHolders
          ? isOfBoth(own, each, order, learned)
          : mayBeOf(each, order, learned, await readAltered()));
      if (isLeft) left.push(each);
    }
    if (isHolders && left.length === 0) await ledger.recordFields(own, detailsAreOwn, 0);
    for (const each of left) unclear.push({ lost: each, orderId, isRead: !!order });
  }
  return unclear;
}

/** Two orders of which nothing else was sent are each other's equals. */
function hasOtherParcel({ draft: own }: Operation, { draft: lost }: Operation): boolean {
  if (!own || !lost) return true;
  const { receiver, item } = own;
  const parcel = { receiver: lost.receiver, item: lost.item };
  return differingFields({ receiver, item }, parcel, () => true).length > 0;
}

/** True where a list names the goods as another create sent them, and not as the lost one did. */
function showsGoodsOf(
  { draft: own = {} }: Operation,
  { draft: lost }: Operation,
  summary: OrderSummary,
  changed: ReadonlySet<ComparedField>,
): boolean {
  if (!lost || changed.has("item.name")) return false;
  const [ofOwn, ofLost] = [own, lost].map((draft) => compareSummary(draft, summary)["item.name"]);
  return ofOwn === "agrees" && ofLost === "differs";
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
    (comparison["receiver.phone"] === "agrees" ||
      (comparison["receiver.phone"] === "open" && fitsPhone(draft.receiver?.phone, order.receiver?.phone))) &&
    (comparison["receiver.address"] === "agrees" || fitsAddress(draft.receiver, order.receiver?.address));
  return isThere || isLikely(comparison, nothingLearned);
}

/** True where an order that shows what its holder sent shows what the lost create sent, too. */
function isOfBoth(holder: Operation, lost: Operation, order: OrderDetail, learned: Learned): boolean {
  const { draft } = lost;
  if (!draft || hasGoodsOf(holder, draft, order, learned)) return false;
  return isOwn(lost, order, everChangedFields(learned));
}

/** `altered`: the fields that own orders have in another form now. */
export function mayBeOf(
  { draft }: Operation,
  order: OrderDetail,
  learned: Learned,
  altered: ReadonlySet<ComparedField>,
): boolean {
  if (!draft) return true;
  const comparison = compareDetail(draft, order);
  if (isOtherOrder(comparison, fieldsOf(learned, draft, altered))) return false;
  const keepsPlace = !altered.has("receiver.phone") && !altered.has("receiver.address");
  return !keepsPlace || !hasPlainlyOtherPlace(draft, order, comparison);
}

/** True where an order has the goods that its holder sent, and not those of the lost create, as far as a service keeps them. */
function hasGoodsOf({ draft = {} }: Operation, lost: Draft, order: OrderDetail, learned: Learned): boolean {
  const [own, other] = [draft, lost].map((each) => compareDetail(each, order)["item.name"]);
  const isOther = own === "agrees" && other === "differs" && kindOf(lost, "item.name") !== "odd";
  return isOther && !mostlyChangedFields(learned).has("item.name");
}
