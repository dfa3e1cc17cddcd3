/**
 * Orders that an operation has by its answer, although they have the data of a create in doubt: the service, or a cache
 * before it, answered with another order's id. One that was found later, by a list or by a person, stays its owner's; the
 * other create stays in doubt.
 */

import { lazy } from "../core/lazy.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail } from "../model/interface.ts";
import { differingFields } from "../model/same-order.ts";
import { readDetail } from "./learn-fields.ts";
import {
  type ComparedField,
  type Comparison,
  changedFields,
  compareDetail,
  comparedFields,
  compareSummary,
  everChangedFields,
  fieldBits,
  hasOtherWholeReceiver,
  hasWholeReceiver,
  isLikely,
  isNamedAs,
  isOtherReceiver,
  kindOf,
  nothingLearned,
} from "./matching.ts";
import type { ReconcileTools, RecordedListing } from "./reconcile-types.ts";
import { findUnclearClaims } from "./unclear-claims.ts";

/** True where phone and address are both others. */
function isOtherPlace(comparison: Comparison): boolean {
  return comparison["receiver.phone"] === "differs" && comparison["receiver.address"] === "differs";
}

function hasOtherPlace({ receiver: one = {} }: Draft, { receiver: other = {} }: Draft): boolean {
  const differing = differingFields({ receiver: one }, { receiver: other }, () => true);
  const isOther = (field: string) => differing.includes(`receiver.${field}`);
  return isOther("phone") && ["province", "city", "district", "detail"].some(isOther);
}

/**
 * True where an order is the lost create's, and not that of `owner`: two people of one name differ in phone and address,
 * two orders of one person in their goods.
 */
function isOfLost(lost: Draft, owner: Draft, detail: OrderDetail, keepsItems: boolean): boolean {
  const [own, other] = [compareDetail(lost, detail), compareDetail(owner, detail)];
  // The service may have changed the goods, as it does with names that it cuts.
  if (hasWholeReceiver(own) && hasOtherWholeReceiver(owner, other)) return true;
  if (!isLikely(own, nothingLearned)) return false;
  if (isOtherReceiver(owner, other)) return true;
  if (isOtherPlace(other) && own["receiver.phone"] === "agrees" && own["receiver.address"] === "agrees")
    return true;
  const isOtherItem = other["item.name"] === "differs" && kindOf(owner, "item.name") !== "odd";
  return keepsItems && isOtherItem && isWhole(lost, detail);
}

/** True for an order that shows nothing else than what was sent. */
function isWhole(draft: Draft, detail: OrderDetail): boolean {
  const comparison = compareDetail(draft, detail);
  return (
    isLikely(comparison, nothingLearned) &&
    comparison["item.name"] === "agrees" &&
    comparedFields.every((field) => comparison[field] !== "differs")
  );
}

/** True where it shows something else than was sent, which the service is not known to change. */
function differsIn(draft: Draft, detail: OrderDetail, changed: ReadonlySet<ComparedField>): boolean {
  const comparison = compareDetail(draft, detail);
  return comparedFields.some((field) => comparison[field] === "differs" && !changed.has(field));
}

/** Limits the details that are read for one listing. */
const mostRead = 20;

interface Contested {
  /** By the names of lost creates. */
  readonly contested: ReadonlyMap<string, readonly string[]>;
  /** Those of them whose details were not read: that may be why they are possible matches. */
  readonly unread: ReadonlySet<string>;
}

/**
 * Takes such orders from their operations, which are in doubt from then on. Returns the listing in which these orders
 * belong to no one, with the orders that may be a lost create's although another one has them.
 */
export async function withdrawWrongClaims(
  open: readonly Operation[],
  listing: RecordedListing,
  tools: ReconcileTools,
): Promise<RecordedListing & Contested> {
  const lost = open.filter(({ state, draft }) => state === "unknown" && draft !== undefined);
  const owners = new Map(listing.owners);
  const firstSeen = new Map(listing.firstSeen);
  const contested = new Map<string, readonly string[]>();
  const unread = new Set<string>();
  const known = lazy(() => tools.ledger.learned(tools.customer, fieldBits));
  let read = 0;

  /**
   * The lost create whose data an order has, where the owner's data are in an order of no one: their answers were
   * exchanged. Numbers alone do not say so, since services change them.
   */
  async function findExchanged(owner: Draft, detail: OrderDetail): Promise<Operation | undefined> {
    const own = lost.find(({ draft }) => draft && isWhole(draft, detail));
    if (!own) return undefined;
    for (const summary of listing.summaries) {
      const id = summary.id.value;
      if (owners.has(id) || !firstSeen.has(id) || !isNamedAs(owner, summary) || read === mostRead) continue;
      read += 1;
      const other = await readDetail(id, tools.detail);
      if (other && isWhole(owner, other)) return own;
    }
    contest(own, detail.id.value);
    return undefined;
  }

  function contest(own: Operation, orderId: string): void {
    const name = nameOperation(own);
    contested.set(name, [...new Set([...(contested.get(name) ?? []), orderId])]);
  }

  for (const summary of listing.summaries) {
    const id = summary.id.value;
    const claim = owners.get(id);
    const nameIn = (draft: Draft) => compareSummary(draft, summary)["receiver.name"];
    const named = claim ? lost.filter(({ draft }) => draft && nameIn(draft) === "agrees") : [];
    if (!claim || named.length === 0) continue;
    const owner = await tools.ledger.findOperation(claim);
    if (!owner?.draft || !["created", "found"].includes(owner.state)) continue;
    const ownDraft = owner.draft;
    const isOtherName = nameIn(ownDraft) === "differs";
    // Two people of one name have another phone and address.
    const mayHaveIts = (draft: Draft) =>
      !isNamedAs(ownDraft, summary) ||
      hasOtherPlace(draft, ownDraft) ||
      differingFields(draft, ownDraft, () => true).some((field) => field.startsWith("item."));
    const others = named.filter(
      ({ draft }) => draft && (isOtherName || (isNamedAs(draft, summary) && mayHaveIts(draft))),
    );
    if (others.length === 0) continue;
    if (read === mostRead) break; // whose the others are is unclear
    read += 1;
    const detail = await readDetail(id, tools.detail);
    if (!detail) continue;
    const learned = await known();
    const changed = changedFields(learned, ownDraft);
    if (owner.state === "found") {
      // No answer gave it to its owner: a list did, or a person, who may have been wrong.
      const own = others.find(({ draft }) => draft && isWhole(draft, detail));
      if (own && differsIn(ownDraft, detail, changed)) contest(own, id);
      continue;
    }
    const keepsItems = !everChangedFields(learned).has("item.name");
    const own =
      others.find(({ draft }) => draft && isOfLost(draft, ownDraft, detail, keepsItems)) ??
      (differsIn(ownDraft, detail, changed) ? await findExchanged(ownDraft, detail) : undefined);
    const event = own && (await tools.ledger.withdrawOrder(owner, id, tools.clock.now()));
    if (!own || event === undefined) continue;
    owners.delete(id);
    firstSeen.set(id, event);
    tools.onWithdrawn?.(owner);
    tools.warn?.(
      `the answer to ${nameOperation(owner)} named order ${id}, which has the data of ${nameOperation(own)}: ` +
        `${nameOperation(owner)} is in doubt now, and ${tools.nextCommand("log")} shows the outcome of both`,
    );
  }
  const possible = await tools.ledger.possibleOrders(tools.customer);
  const noted = new Set(possible.map(({ name, orderId }) => `${nameOperation(name)} ${orderId}`));
  const inDoubt = open.filter(({ state }) => state === "unknown");
  for (const claim of await findUnclearClaims(inDoubt, { ...listing, owners }, noted, await known(), tools)) {
    contest(claim.lost, claim.orderId);
    if (!claim.isRead) unread.add(claim.orderId);
  }
  return { ...listing, owners, firstSeen, contested, unread };
}
