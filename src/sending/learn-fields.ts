/** Learns from own orders which fields a service shows unchanged. */

import { ServiceFailure } from "../api/failure.ts";
import { mapInOrder } from "../core/concurrent.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { enoughOrders, type Learned } from "../ledger/listings.ts";
import type { Operation, OperationName } from "../ledger/operation.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { show } from "../terminal/blocks.ts";
import { describeAnswer, readOwner } from "./another-order.ts";
import {
  bitOf,
  type ComparedField,
  type Comparison,
  changedBits,
  changedFields,
  compareDetail,
  comparedFields,
  compareSummary,
  everChangedFields,
  type FieldKnowledge,
  fieldBits,
  isNamedAs,
  keptBits,
  keptForOneEdited,
  kindOf,
  mostlyChangedFields,
  type ValueKind,
} from "./matching.ts";
import { isNameRather, isOtherCity, isOtherName, isPartOfText } from "./possible-orders.ts";
import type { ReconcileTools, RecordedListing } from "./reconcile-types.ts";

const detailsAtOnce = 4;

/**
 * What is known of how the service changes fields with values like those of a draft; `altered`: fields that own orders have
 * in another form now.
 */
export function fieldsOf(
  learned: Learned,
  draft: Draft | undefined,
  altered: ReadonlySet<ComparedField> = new Set(),
): FieldKnowledge {
  const everChanged = everChangedFields(learned);
  const kinds = new Map(comparedFields.map((field) => [field, draft ? kindOf(draft, field) : "odd"]));
  const select = (isSelected: (field: ComparedField, kind: ValueKind) => boolean) =>
    new Set(comparedFields.filter((field) => isSelected(field, kinds.get(field) ?? "odd")));
  const keptIn = (field: ComparedField, kind: ValueKind) => {
    const place = bitOf(field, kind);
    return place === undefined ? 0 : (learned.fields[place]?.kept ?? 0);
  };
  const changedIn = (field: ComparedField) => learned.fields[comparedFields.indexOf(field)]?.changed ?? 0;
  return {
    kept: select(
      (field, kind) => !everChanged.has(field) && !altered.has(field) && keptIn(field, kind) >= enoughOrders,
    ),
    mostlyKept: select((field, kind) => {
      const kept = keptIn(field, kind);
      return kept >= enoughOrders && kept > keptForOneEdited * changedIn(field);
    }),
    changed: changedFields(learned, draft),
    fragile: select((field, kind) => kind === "odd" || altered.has(field)),
  };
}

/** So many of the newest own orders tell how a list shows orders now, and how details do. */
const mostCurrent = { list: 10, details: 4 };

/** The fields that this list shows in another form for own orders: a service may have begun to. */
export async function alteredInList(
  { summaries, owners }: Pick<RecordedListing, "summaries" | "owners">,
  { ledger, customer }: ReconcileTools,
): Promise<ReadonlySet<ComparedField>> {
  const byId = new Map(summaries.map((summary) => [summary.id.value, summary]));
  const newest = await ledger.newestAnswered(customer, [...owners.keys()], mostCurrent.list);
  return findAltered(
    newest.flatMap(({ draft, order }) => {
      const summary = byId.get(order?.id ?? "");
      return draft && summary ? [compareSummary(draft, summary)] : [];
    }),
  );
}

/** The same of details of own orders, which are read for it. */
export async function alteredInDetails(
  { owners }: Pick<RecordedListing, "owners">,
  { ledger, customer, detail }: ReconcileTools,
): Promise<ReadonlySet<ComparedField>> {
  const newest = await ledger.newestAnswered(customer, [...owners.keys()], mostCurrent.details);
  const comparisons: Comparison[] = [];
  for (const { draft, order } of newest) {
    const shown = draft && order && (await readDetail(order.id, detail));
    if (shown) comparisons.push(compareDetail(draft, shown));
  }
  return findAltered(comparisons);
}

/** In at least half of them: some may have been edited. */
function findAltered(comparisons: readonly Comparison[]): ReadonlySet<ComparedField> {
  const fewest = Math.max(1, comparisons.length / 2);
  const differing = (field: ComparedField) => comparisons.filter((each) => each[field] === "differs").length;
  return new Set(comparedFields.filter((field) => differing(field) >= fewest));
}

/** True where the service is known to show names like the draft's unchanged; for goods of other characters, any names. */
export function keepsSome(field: "receiver.name" | "item.name", learned: Learned, draft: Draft): boolean {
  const kind = kindOf(draft, field);
  const kinds = kind === "odd" && field === "item.name" ? (["plain", "han"] as const) : [kind];
  if (everChangedFields(learned).has(field)) return false;
  return kinds.some((each) => (learned.fields[bitOf(field, each) ?? -1]?.kept ?? 0) >= enoughOrders);
}

/** Undefined where it cannot be read: it then rules nothing out. */
export async function readDetail(
  id: string,
  detail: ReconcileTools["detail"],
): Promise<OrderDetail | undefined> {
  try {
    return await detail(id);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.kind === "key_refused" || error.kind === "unreachable") throw error;
    return undefined;
  }
}

/** Bits of an own order whose list element, or detail, was compared. */
const listCompared = 1 << fieldBits;
const detailCompared = 1 << (fieldBits + 1);
/** The list shows another city than was sent, and the details what was sent. */
const cityCompared = 1 << (fieldBits + 2);
/** The details show what was sent: the order is the create's own. */
export const detailsAreOwn = 1 << (fieldBits + 3);
/** When enough orders are known, each poll that leaves candidates reads so many more details: services change. */
const furtherDetails = 5;

/** Fewer orders that are all named otherwise may be those of other receivers, whose answers were exchanged. */
const fewestRewritten = 6;

/** Learns from the list of own orders which fields the service keeps. */
export async function learnFromSummaries(
  { summaries, owners }: RecordedListing,
  tools: ReconcileTools,
): Promise<void> {
  const { ledger, customer } = tools;
  const byId = new Map(summaries.map((summary) => [summary.id.value, summary]));
  const own = [...owners.keys()];
  const fresh = await ledger.findUncompared(customer, own, listCompared, enoughOrders);
  const compare = ({ order, draft }: Operation) => {
    const summary = byId.get(order?.id ?? "");
    return summary && draft && { summary, draft, comparison: compareSummary(draft, summary) };
  };
  const learned = await ledger.learned(customer, fieldBits);
  const isOtherIn = (draft: Draft, { receiver }: OrderSummary) =>
    isOtherName(draft.receiver?.name, receiver?.name);
  const keptNames = (["plain", "han"] as const).some(
    (kind) => (learned.fields[bitOf("receiver.name", kind) ?? 0]?.kept ?? 0) > 0,
  );
  const compared = fresh.flatMap((each) => compare(each) ?? []);
  /** The service writes all names in its own way. */
  const writesNames =
    mostlyChangedFields(learned).has("receiver.name") ||
    (!keptNames &&
      compared.length >= fewestRewritten &&
      compared.every(({ draft, summary }) => isOtherIn(draft, summary)));
  await Promise.all(
    fresh.map(async (operation) => {
      const found = compare(operation);
      if (!found) return;
      const { summary, draft, comparison } = found;
      // An exchanged answer tells nothing of how the service changes fields.
      const beside = changedBits(comparison) === 0 ? [] : await ledger.findBeside(operation);
      const isExchanged = beside.some(
        (each) => each.draft && (isNamedAs(each.draft, summary) || isNamedRather(each.draft, draft, summary)),
      );
      // Nor does an order that was edited on the courier's website, or one of it that a wrong answer named.
      const isOther = !writesNames && isOtherIn(draft, summary);
      if (isExchanged || isOther) {
        const order = await readDetail(summary.id.value, tools.detail);
        const { other } = order ? await readOwner(order, tools) : {};
        if (isExchanged || !order || other !== undefined) return;
      }
      const kept = keptBits(draft, comparison) | listCompared;
      await ledger.recordFields(operation, kept, changedBits(comparison));
    }),
  );
}

/** True where a list names the receiver of one create and not that of another, though the goods are cut, or have one name. */
function isNamedRather(draft: Draft, own: Draft, summary: OrderSummary): boolean {
  if (isNameRather(draft.receiver?.name, own.receiver?.name, summary.receiver?.name)) return true;
  const nameIn = (each: Draft) => compareSummary(each, summary)["receiver.name"];
  const isItem = isPartOfText(draft.item?.name, summary.item_name);
  return isItem && nameIn(draft) === "agrees" && nameIn(own) === "differs";
}

/** More details are not read for one list. */
const mostOthersRead = 20;
const fewAtOnce = 500;

/**
 * Reads the own orders that the list shows with another receiver than was sent, by name or city, or other goods, and warns
 * of those that are others. Neither a city nor goods prove anything, since services write them in other ways: what such an
 * order is, is read once, and where it was just made. Those
 * that were shown as others before are read again. Orders that were just made no one has edited since: those that are certainly others are taken from their creates, unless most are.
 */
export async function readOthers(
  { summaries, owners }: Pick<RecordedListing, "summaries" | "owners">,
  tools: ReconcileTools,
  { most = mostOthersRead, areJustMade = false } = {},
): Promise<void> {
  const { ledger, customer, detail, stop } = tools;
  const changed = mostlyChangedFields(await ledger.learned(customer, fieldBits));
  const changesNames = changed.has("receiver.name");
  const byId = new Map(summaries.map((summary) => [summary.id.value, summary]));
  const own = [...owners.keys()];
  const others: string[] = [];
  const marked: string[] = [];
  const ofOtherGoods: string[] = [];
  const unreadBefore = new Set<string>();
  const elsewhere: string[] = [];
  let kept = 0;
  // The drafts of thousands of orders are not held at once.
  while (own.length > 0 && others.length < most)
    for (const { draft, order, isShownAsOther, wasUnread, isDecided } of await ledger.findWithDraft(
      customer,
      own.splice(-fewAtOnce),
    )) {
      if (!order || isDecided) continue;
      if (wasUnread) unreadBefore.add(order.id);
      const summary = byId.get(order.id);
      const [sent, shown] = [draft?.receiver, summary?.receiver];
      const isKept = !isOtherName(sent?.name, shown?.name) && hasSentGoods(draft, summary);
      if (isKept) kept += 1;
      if (!changesNames && isOtherName(sent?.name, shown?.name)) others.push(order.id);
      else if (isShownAsOther) marked.push(order.id);
      else {
        const hasOtherGoods = !changed.has("item.name") && showsOtherGoods(draft, summary);
        if (areJustMade && hasOtherGoods) ofOtherGoods.push(order.id);
        else if (hasOtherGoods || isOtherCity(sent, shown?.city)) elsewhere.push(order.id);
      }
    }
  const keepsMost = kept > 0 && kept >= others.length + ofOtherGoods.length;
  // Where the goods of most are others, the service writes them in its own way: a few tell it.
  const fewest = ofOtherGoods.length > kept ? mostOthersRead : most;
  const named = [...others.slice(0, most), ...ofOtherGoods.slice(0, fewest)];
  const left = elsewhere.length > 0 ? Math.max(0, most - named.length) : 0;
  const unread = left > 0 ? await ledger.findUncompared(customer, elsewhere, cityCompared, left) : [];
  const read = async (id: string) => ({ id, order: await readDetail(id, detail) });
  const byCity = new Map(unread.map((operation) => [operation.order?.id ?? "", operation]));
  const ids = [...named, ...marked.slice(0, most), ...byCity.keys()];
  for await (const { id, order } of mapInOrder(ids, detailsAtOnce, read, { stop })) {
    if (!order) {
      const summary = byId.get(id);
      if (named.includes(id) && summary) await noteUnread(summary, owners.get(id), areJustMade, tools);
      continue;
    }
    const isUnedited = areJustMade || unreadBefore.has(id);
    const { other } = await readOwner(order, tools, keepsMost && isUnedited);
    const operation = byCity.get(id);
    if (operation && other === undefined) await ledger.recordFields(operation, cityCompared, 0);
  }
}

function hasSentGoods(draft: Draft | undefined, summary: OrderSummary | undefined): boolean {
  return (
    draft !== undefined && summary !== undefined && compareSummary(draft, summary)["item.name"] !== "differs"
  );
}

/** True for goods that are no part of those that were sent, and of which services change no parts. */
function showsOtherGoods(draft: Draft | undefined, summary: OrderSummary | undefined): boolean {
  if (!draft || hasSentGoods(draft, summary) || kindOf(draft, "item.name") === "odd") return false;
  return summary !== undefined && !isPartOfText(draft.item?.name, summary.item_name);
}

/** Only the list says that it may be another one: its number is not given to the row. */
async function noteUnread(
  { id, receiver, item_name }: OrderSummary,
  name: OperationName | undefined,
  wasUnread: boolean,
  { ledger, others, warn }: ReconcileTools,
): Promise<void> {
  const operation = name && (await ledger.findOperation(name));
  if (!operation) return;
  const isOther = isOtherName(operation.draft?.receiver?.name, receiver?.name);
  const shown = isOther
    ? `another receiver than was sent: ${show(receiver?.name)}`
    : `other goods than were sent: ${show(item_name)}`;
  const other = `the list shows ${shown}; the order could not be read`;
  if (others?.get(id.value) === other) return;
  others?.set(id.value, other);
  if (!operation.isShownAsOther)
    await ledger.markShown(operation, true, { wasUnread }).catch(() => undefined);
  warn?.(describeAnswer(operation, other));
}

/** Learns from details of own orders. True where it learned something. */
export async function learnFromDetails(
  { owners }: RecordedListing,
  { fields }: Learned,
  tools: ReconcileTools,
): Promise<boolean> {
  const { ledger, customer, detail, stop } = tools;
  // A list never shows a phone.
  const known = fields[bitOf("receiver.phone", "plain") ?? 0]?.kept ?? 0;
  const most = Math.max(furtherDetails, enoughOrders - known);
  const own = await ledger.findUncompared(customer, [...owners.keys()], detailCompared, most);
  const read = async (operation: Operation) => {
    const order = await readDetail(operation.order?.id ?? "", detail);
    const { other } = order ? await readOwner(order, tools) : {};
    return { operation, order: other === undefined ? order : undefined };
  };
  let hasLearned = false;
  for await (const { operation, order } of mapInOrder(own, detailsAtOnce, read, { stop })) {
    if (order && (await learnFromDetail(operation, order, ledger))) hasLearned = true;
  }
  return hasLearned;
}

/** The same from one of them, which is not another create's. */
export async function learnFromDetail(
  operation: Operation,
  order: OrderDetail,
  ledger: Ledger,
): Promise<boolean> {
  const { draft } = operation;
  if (!draft) return false;
  const comparison = compareDetail(draft, order);
  await ledger.recordFields(operation, keptBits(draft, comparison) | detailCompared, changedBits(comparison));
  return true;
}
