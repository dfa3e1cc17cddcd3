/** Compares drafts with listed orders that were not sent from this machine. */

import { lazy } from "../core/lazy.ts";
import type { OrderElsewhere } from "../ledger/row-to-send.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { contentOf } from "../model/same-order.ts";
import {
  alteredInDetails,
  alteredInList,
  fieldsOf,
  keepsSome,
  learnFromSummaries,
  readDetail,
  readOthers,
} from "./learn-fields.ts";
import {
  type Agreement,
  type ComparedField,
  type Comparison,
  compareDetail,
  comparedFields,
  compareSummary,
  everChangedFields,
  type FieldKnowledge,
  fieldBits,
  isExact,
  mostlyChangedFields,
} from "./matching.ts";
import { orderFacts } from "./order-facts.ts";
import {
  contradictList,
  createPossibleOrders,
  hasOtherGoodsOrAddress,
  type ItemKnowledge,
  mayBeItem,
  mayBeListed,
  mayBeOrder,
} from "./possible-orders.ts";
import { openCreates } from "./reconcile.ts";
import type { ReconcileTools, RecordedListing } from "./reconcile-types.ts";

export interface SurveyOptions {
  /** An import compares with the orders since the last one did, however long ago that is, and of a week at least. */
  readonly isImport?: boolean;
  /** A single create compares with the orders since a list that ended then; undefined where none is known. */
  readonly listedMs?: number | undefined;
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
  /** An equal order that is cancelled, and that `findEqual` therefore did not name. */
  findCancelled(draft: Draft): string | undefined;
  /** True for a listed order that `findEqual` did not name, by its details or its goods. Another name alone does not say so. */
  isRuledOut(draft: Draft, orderId: string): boolean;
}

/** What two comparisons know: the later list may be refused, late or short, and rules out what it shows as others. */
export function joinElsewhere(
  first: OrdersElsewhere | undefined,
  later: OrdersElsewhere | undefined,
): OrdersElsewhere | undefined {
  if (!first || !later) return later ?? first;
  return {
    isEmpty: first.isEmpty && later.isEmpty,
    async findEqual(draft) {
      const found = await later.findEqual(draft);
      const isLeft = ({ orderId }: OrderElsewhere) =>
        !later.isRuledOut(draft, orderId) && !found.some((each) => each.orderId === orderId);
      return [...found, ...(await first.findEqual(draft)).filter(isLeft)];
    },
    findCancelled: (draft) => later.findCancelled(draft) ?? first.findCancelled(draft),
    isRuledOut: (draft, orderId) => later.isRuledOut(draft, orderId) || first.isRuledOut(draft, orderId),
  };
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
  const alteredListed = await alteredInList(listing, tools);
  const readAltered = lazy(
    async () => new Set([...alteredListed, ...(await alteredInDetails(listing, tools))]),
  );
  const owners = await ledger.findOwners(customer, [...listing.firstSeen.keys()]);
  /** When creates of this machine without an answer were sent: an order that no operation owns, and is new, may be theirs. */
  const unanswered = new Map<string, number[]>();
  for (const { content = "", sentEvent = 0 } of await openCreates(tools))
    unanswered.set(content, [...(unanswered.get(content) ?? []), sentEvent]);
  const unknown = listing.summaries.filter(
    ({ id: { value: id } }) => listing.firstSeen.has(id) && !owners.has(id),
  );
  const findPossible = createPossibleOrders(unknown);
  const hasOneItem = new Set(unknown.map(({ item_name }) => item_name)).size === 1;
  const listed = new Map(unknown.map((summary) => [summary.id.value, summary]));
  const details = new Map<string, OrderDetail | undefined>();
  /** Orders whose details were compared with a draft, by its content. */
  const compared = new Map<string, Set<string>>();
  /** The equal orders of drafts that are cancelled, by the draft's content. */
  const cancelled = new Map<string, string>();
  const mayReadMore = lazy(() => mayCost(unknown.length));
  let areSpent = false;
  const noteSpent = () => {
    if (!areSpent)
      note(
        `Orders made elsewhere for other names were not compared: that takes more than ${mostCalls} calls`,
      );
    areSpent = true;
  };
  /** Orders that are unlikely do not use up the calls for others. */
  const calls = { likely: 0, unlikely: 0 };

  /** False where that takes too many calls. */
  async function read(id: string, chance: keyof typeof calls): Promise<boolean> {
    if (details.has(id)) return true;
    if (calls[chance] >= mostCalls && !(await mayReadMore())) return false;
    calls[chance] += 1;
    details.set(id, await readDetail(id, tools.detail));
    return true;
  }

  /** By its details where they can be read: a list may be late, or show no states. */
  const isCancelled = ({ status }: Pick<OrderDetail, "status">) => status === "cancelled";
  const rewritten = mostlyChangedFields(learned);
  const asEqual = (draft: Draft, detail: OrderDetail, comparison: Comparison): OrderElsewhere => ({
    orderId: detail.id.value,
    // One receiver may have several orders: where the goods are not shown as they were sent, it may be any of them. So
    // it may with another address, or another number unless the service writes most of them so.
    isCertain:
      isShown(comparison["item.name"]) &&
      !hasOtherGoodsOrAddress(draft, detail, comparison, new Set()) &&
      comparedFields.every((field) => comparison[field] !== "differs" || rewritten.has(field)),
    isWhole: comparedFields.every((field) => isShown(comparison[field])),
    order: orderFacts(detail),
    orderState: detail.status ?? undefined,
  });

  function knowledgeOf(
    draft: Draft,
    altered = alteredListed,
    mayHideItems = false,
  ): ItemKnowledge & FieldKnowledge {
    // A person who reviews a single order is not asked about every order to the same receiver.
    const keepsItems = !(isImport || mayHideItems) || keepsSome("item.name", learned, draft);
    const changed = new Set([...everChangedFields(learned), ...altered]);
    return { ...fieldsOf(learned, draft, altered), changed, altered, keepsItems };
  }

  /** Details of own orders are read only where a field rules out an order that may be the draft's otherwise. */
  async function knowledgeFor(
    draft: Draft,
    summary: OrderSummary,
    order: OrderDetail,
    comparison: Comparison,
  ) {
    const { phone, address } = order.receiver ?? {};
    // Where all that tells receivers apart is hidden, one name for all goods may hide them, too.
    const mayHideItems = hasOneItem && comparison["receiver.name"] === "open" && !phone && !address;
    const knowing = (altered: ReadonlySet<ComparedField>) => knowledgeOf(draft, altered, mayHideItems);
    const mayBe = (fields: ItemKnowledge) => mayBeOrder(draft, order, comparison, fields, summary);
    const fields = knowing(alteredListed);
    if (mayBe(fields)) return fields;
    const differing = new Set(comparedFields.filter((field) => comparison[field] === "differs"));
    return mayBe(knowing(differing)) ? knowing(await readAltered()) : fields;
  }

  async function findEqual(draft: Draft): Promise<readonly OrderElsewhere[]> {
    const equal: OrderElsewhere[] = [];
    const possible: OrderElsewhere[] = [];
    const listedFields = knowledgeOf(draft);
    const ofDraft = new Set<string>();
    compared.set(contentOf(draft), ofDraft);
    const { named, sameItem, unlikely } = findPossible(draft, knowledgeOf(draft, alteredListed, hasOneItem));
    const done = new Set<string>();
    const compare = async (summary: OrderSummary) => {
      const read = details.get(summary.id.value);
      const detail = read && !contradictList(draft, summary, read) ? read : undefined;
      const comparison = detail && compareDetail(draft, detail);
      const fields = comparison ? await knowledgeFor(draft, summary, detail, comparison) : listedFields;
      if (detail) ofDraft.add(summary.id.value);
      if (isCancelled(detail ?? summary)) {
        if (comparison && isExact(comparison, fields)) cancelled.set(contentOf(draft), summary.id.value);
        return;
      }
      if (detail && comparison && isExact(comparison, fields)) equal.push(asEqual(draft, detail, comparison));
      else if (
        comparison
          ? mayBeOrder(draft, detail, comparison, fields, summary)
          : mayBeListed(draft, summary, fields)
      )
        possible.push({ orderId: summary.id.value, isCertain: false });
    };
    for (const summary of named) {
      done.add(summary.id.value);
      await read(summary.id.value, "likely");
      await compare(summary);
    }
    const found = () => [...equal.sort(byCertainty), ...possible];
    const keepsNames = !alteredListed.has("receiver.name") && keepsSome("receiver.name", learned, draft);
    if (!isImport || keepsNames) return found();
    // A service that is not known to keep names may show any. A single order is not worth so many calls.
    const compareOther = async (summary: OrderSummary, chance: keyof typeof calls) => {
      const id = summary.id.value;
      if (done.has(id) || isCancelled(summary)) return;
      done.add(id);
      if (await read(id, chance)) await compare(summary);
      else noteSpent();
    };
    for (const each of sameItem) await compareOther(each, "likely");
    for (const each of unlikely()) await compareOther(each, "unlikely");
    return found();
  }

  return {
    isEmpty: unknown.length === 0,
    findCancelled: (draft) => cancelled.get(contentOf(draft)),
    isRuledOut(draft, orderId) {
      const summary = listed.get(orderId);
      if (!summary) return false;
      if (compared.get(contentOf(draft))?.has(orderId)) return true;
      return !mayBeItem(draft, summary.item_name, compareSummary(draft, summary), knowledgeOf(draft));
    },
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
