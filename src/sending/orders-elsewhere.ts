/** Compares drafts with listed orders that were not sent from this machine. */

import { lazy } from "../core/lazy.ts";
import type { OrderElsewhere } from "../ledger/rules.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail } from "../model/interface.ts";
import { contentOf } from "../model/same-order.ts";
import { fieldsOf, keepsSome, learnFromSummaries, readDetail, readOthers } from "./learn-fields.ts";
import {
  type Agreement,
  type Comparison,
  compareDetail,
  comparedFields,
  fieldBits,
  isExact,
} from "./matching.ts";
import { orderFacts } from "./order-facts.ts";
import { createPossibleOrders, isOtherName, mayBeOrder } from "./possible-orders.ts";
import { openCreates } from "./reconcile.ts";
import type { ReconcileTools, RecordedListing } from "./reconcile-types.ts";

export interface SurveyOptions {
  /** An import compares with the orders since the last one did, however long ago that is, and of a week at least. */
  readonly isImport?: boolean;
  /** Asks whether the comparison may make so many calls. */
  readonly mayCost: (calls: number) => Promise<boolean>;
  /** Called with the reason where orders made elsewhere are not compared. */
  readonly note: (text: string) => void;
}

export interface OrdersElsewhere {
  /** True where there are none. */
  readonly isEmpty: boolean;
  /** Orders that equal a draft as far as the service shows them, then orders that may equal it. */
  findEqual(draft: Draft): Promise<readonly OrderElsewhere[]>;
}

/** More calls need a confirmation. */
export const mostCalls = 50;

const isShown = (agreement: Agreement) => agreement === "agrees" || agreement === "unsent";

const certaintyOf = ({ isWhole, isCertain }: OrderElsewhere) => Number(isWhole === true) + Number(isCertain);
const byCertainty = (one: OrderElsewhere, other: OrderElsewhere) => certaintyOf(other) - certaintyOf(one);

export async function createOrdersElsewhere(
  listing: RecordedListing,
  tools: ReconcileTools,
  { isImport = false, mayCost, note }: SurveyOptions,
): Promise<OrdersElsewhere> {
  const { ledger, customer } = tools;
  if (isImport) {
    await learnFromSummaries(listing, tools);
    await readOthers(listing, tools);
  }
  const learned = await ledger.learned(customer, fieldBits);
  const owners = await ledger.findOwners(customer, [...listing.firstSeen.keys()]);
  /** When creates of this machine without an answer were sent: an order that no operation owns, and is new, may be theirs. */
  const unanswered = new Map<string, number[]>();
  for (const { content = "", sentEvent = 0 } of await openCreates(tools))
    unanswered.set(content, [...(unanswered.get(content) ?? []), sentEvent]);
  const unknown = listing.summaries.filter(
    ({ id: { value: id } }) => listing.firstSeen.has(id) && !owners.has(id),
  );
  const findPossible = createPossibleOrders(unknown);
  const details = new Map<string, OrderDetail | undefined>();
  const mayReadMore = lazy(() => mayCost(unknown.length));
  let areSpent = false;
  const noteSpent = () => {
    areSpent = true;
    note(`Orders made elsewhere for other names were not compared: that takes more than ${mostCalls} calls`);
  };

  /** False where that takes too many calls. */
  async function read(id: string): Promise<boolean> {
    if (details.has(id)) return true;
    if (details.size >= mostCalls && !(await mayReadMore())) return false;
    details.set(id, await readDetail(id, tools.detail));
    return true;
  }

  /** By its details where they can be read: a list may be late, or show no states. */
  const isCancelled = ({ status }: Pick<OrderDetail, "status">) => status === "cancelled";
  const asEqual = (detail: OrderDetail, comparison: Comparison): OrderElsewhere => ({
    orderId: detail.id.value,
    // One receiver may have several orders: where the goods are not shown as they were sent, it may be any of them.
    isCertain: isShown(comparison["item.name"]),
    isWhole: comparedFields.every((field) => isShown(comparison[field])),
    order: orderFacts(detail),
    orderState: detail.status ?? undefined,
  });

  async function findEqual(draft: Draft): Promise<readonly OrderElsewhere[]> {
    const equal: OrderElsewhere[] = [];
    const possible: OrderElsewhere[] = [];
    // A person who reviews a single order is not asked about every order to the same receiver.
    const keepsItems = !isImport || keepsSome("item.name", learned, draft);
    const fields = { ...fieldsOf(learned, draft), keepsItems };
    const { named, anyName } = findPossible(draft, fields);
    for (const { id, status } of named) {
      await read(id.value);
      const detail = details.get(id.value);
      if (isCancelled(detail ?? { status })) continue;
      const comparison = detail && compareDetail(draft, detail);
      if (detail && comparison && isExact(comparison, fields)) equal.push(asEqual(detail, comparison));
      else if (!comparison || mayBeOrder(draft, detail, comparison, fields))
        possible.push({ orderId: id.value, isCertain: false });
    }
    const found = () => [...equal.sort(byCertainty), ...possible];
    if (!isImport || keepsSome("receiver.name", learned, draft)) return found();
    // A service that is not known to keep names may show any. A single order is not worth so many calls.
    const done = new Set(named.map(({ id }) => id.value));
    for (const { id, status, receiver } of anyName) {
      if (done.has(id.value) || isCancelled({ status })) continue;
      if (!areSpent && !(await read(id.value))) noteSpent();
      const detail = details.get(id.value);
      const comparison = detail && compareDetail(draft, detail);
      // Its details were asked for in vain; its name may be the receiver's in another form, or is not shown.
      if (!comparison && details.has(id.value) && !isOtherName(draft.receiver?.name, receiver?.name))
        possible.push({ orderId: id.value, isCertain: false });
      if (!comparison || isCancelled(detail)) continue;
      if (isExact(comparison, fields)) equal.push(asEqual(detail, comparison));
      else if (mayBeOrder(draft, detail, comparison, fields))
        possible.push({ orderId: id.value, isCertain: false });
    }
    return found();
  }

  return {
    isEmpty: unknown.length === 0,
    async findEqual(draft) {
      const sent = unanswered.get(contentOf(draft)) ?? [];
      const all = await findEqual(draft);
      const isNew = ({ orderId }: OrderElsewhere) =>
        (listing.firstSeen.get(orderId) ?? 0) >= Math.min(...sent);
      const theirs = new Set(all.filter(isNew).slice(0, sent.length));
      return all.filter((each) => !theirs.has(each));
    },
  };
}
