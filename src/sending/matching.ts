/** Compares a sent order with an order of the service, field by field. */

import type { Learned } from "../ledger/listings.ts";
import { equalDecimals } from "../model/decimal.ts";
import type { Draft, DraftParty } from "../model/draft.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { isJsonNumber } from "../model/json.ts";
import { ellipsis, fewestDigits, fitsMask, maskPattern } from "../model/masked-text.ts";
import { barePhone } from "../model/phone.ts";

/** Fields that distinguish the orders of a shop. If two of them differ, it is another order. */
export const distinguishingFields = [
  "receiver.name",
  "receiver.phone",
  "receiver.address",
  "item.name",
] as const;

/** The index of a field in this list is its bit in the ledger: add new fields at the end. */
export const comparedFields = [
  ...distinguishingFields,
  "sender.name",
  "sender.phone",
  "sender.address",
  "item.description",
  "item.weight",
  "item.value",
  "item.quantity",
  "service_type",
] as const;

export type ComparedField = (typeof comparedFields)[number];

/** `unsent`: neither sent nor shown. `open`: not sent, not shown, or masked in part, so that it proves nothing. */
export type Agreement = "agrees" | "differs" | "unsent" | "open";
export type Comparison = Readonly<Record<ComparedField, Agreement>>;

/** What kinds of characters a value has: a service may keep some and change others. */
export type ValueKind = "plain" | "han" | "odd";

/** What is known of how the service changes fields, from own orders. */
export interface FieldKnowledge {
  /** Fields with characters that many services change: a difference proves nothing. */
  readonly fragile: ReadonlySet<ComparedField>;
  /** Shown unchanged in every known order, and there are enough of them. */
  readonly kept: ReadonlySet<ComparedField>;
  /** Shown unchanged in enough of them, and changed in few: someone may have edited those. */
  readonly mostlyKept: ReadonlySet<ComparedField>;
  /** Shown in another form, and not only in few of many orders. */
  readonly changed: ReadonlySet<ComparedField>;
}

/** Fewer digits are not a complete telephone number. */
export const shortestPhone = 7;

export function compareDetail(draft: Draft, order: OrderDetail): Comparison {
  const { sender, receiver, item } = draft;
  return {
    "receiver.name": compareText(receiver?.name, order.receiver?.name),
    "receiver.phone": comparePhone(receiver?.phone, order.receiver?.phone),
    "receiver.address": compareAddress(receiver, order.receiver?.address),
    "item.name": compareGoods(item?.name, order.item?.name),
    "sender.name": compareText(sender?.name, order.sender?.name),
    "sender.phone": comparePhone(sender?.phone, order.sender?.phone),
    "sender.address": compareAddress(sender, order.sender?.address),
    "item.description": compareGoods(item?.description, order.item?.description),
    "item.weight": compareNumber(item?.weight, order.item?.weight),
    "item.value": compareNumber(item?.value, order.item?.value),
    "item.quantity": compareNumber(item?.quantity, order.item?.quantity),
    service_type: compareText(draft.service_type, order.service_type),
  };
}

/** A list shows only names (2.4). Its cities may be districts, so they are not compared. */
export function compareSummary(draft: Draft, order: OrderSummary): Comparison {
  return {
    ...nothingShown,
    "receiver.name": compareText(draft.receiver?.name, order.receiver?.name),
    "item.name": compareGoods(draft.item?.name, order.item_name),
    "sender.name": compareText(draft.sender?.name, order.sender?.name),
  };
}

export const nothingShown = Object.fromEntries(
  comparedFields.map((field) => [field, "open"]),
) as unknown as Comparison;

/**
 * True for another order than the one that was sent: two distinguishing fields differ that the service has always kept,
 * or three that it keeps in most orders, or all four differ, and the service is not known to change any of them.
 */
export function isOtherOrder(
  comparison: Comparison,
  { kept, mostlyKept, changed, fragile }: FieldKnowledge,
): boolean {
  const differing = distinguishingFields.filter(
    (field) => comparison[field] === "differs" && !fragile.has(field),
  );
  if (differing.filter((field) => kept.has(field)).length >= 2) return true;
  if (differing.filter((field) => mostlyKept.has(field)).length >= 3) return true;
  return differing.length === distinguishingFields.length && !differing.some((field) => changed.has(field));
}

/**
 * True where the names of the receiver and the item are others, and neither the phone agrees nor the address
 * where the phone is not another. Names with
 * characters that many services change prove nothing.
 */
export function hasOtherReceiverAndItem(draft: Draft, comparison: Comparison): boolean {
  return isOtherReceiver(draft, comparison) && hasOtherName(draft, comparison, "item.name");
}

/** The same for the receiver alone. */
export function isOtherReceiver(draft: Draft, comparison: Comparison): boolean {
  const [phone, address] = [comparison["receiver.phone"], comparison["receiver.address"]];
  const isSame = phone === "agrees" || (address === "agrees" && phone !== "differs");
  const isElsewhere =
    phone === "differs" && address === "differs" && kindOf(draft, "receiver.address") !== "odd";
  // A hidden name tells nothing.
  return comparison["receiver.name"] === "open"
    ? isElsewhere
    : hasOtherName(draft, comparison, "receiver.name") && !isSame;
}

export function hasWholeReceiver(comparison: Comparison): boolean {
  return (["name", "phone", "address"] as const).every((part) => comparison[`receiver.${part}`] === "agrees");
}

/** True where name, phone and address of the receiver are all others, and no value of which services change parts. */
export function hasOtherWholeReceiver(draft: Draft, comparison: Comparison): boolean {
  const fields = ["receiver.name", "receiver.phone", "receiver.address"] as const;
  return fields.every((field) => comparison[field] === "differs" && kindOf(draft, field) !== "odd");
}

function hasOtherName(draft: Draft, comparison: Comparison, field: "receiver.name" | "item.name"): boolean {
  return comparison[field] === "differs" && kindOf(draft, field) !== "odd";
}

/** The distinguishing fields that differ, and that the service is not known to change. */
export function unexplainedFields(
  comparison: Comparison,
  { changed, fragile }: FieldKnowledge,
): readonly ComparedField[] {
  return distinguishingFields.filter(
    (field) => comparison[field] === "differs" && !changed.has(field) && !fragile.has(field),
  );
}

/** True for an order that is probably the one that was sent: the service may have changed the fields that differ. */
export function isLikely(
  comparison: Comparison,
  { kept, changed }: Pick<FieldKnowledge, "kept" | "changed">,
): boolean {
  if (!isSameReceiver(comparison)) return false;
  if (comparedFields.some((field) => comparison[field] === "differs" && kept.has(field))) return false;
  return comparison["item.name"] !== "differs" || changed.has("item.name");
}

/** What `isLikely` takes of a service of which nothing is known yet. */
export const nothingLearned: Pick<FieldKnowledge, "kept" | "changed"> = {
  kept: new Set(),
  changed: new Set(),
};

/** True where a list, which shows few fields, names receiver and item as they were sent. */
export function isNamedAs(draft: Draft, summary: OrderSummary): boolean {
  const shown = compareSummary(draft, summary);
  return shown["receiver.name"] === "agrees" && shown["item.name"] !== "differs";
}

/** Where less than a name and one of phone and address was sent, the goods must be the same. */
function isSameReceiver(comparison: Comparison): boolean {
  const name = comparison["receiver.name"];
  const reach = [comparison["receiver.phone"], comparison["receiver.address"]];
  if (name !== "agrees" && name !== "unsent") return false;
  const isReached = reach.includes("agrees");
  if (isReached && name === "agrees") return true;
  const isWhole = isReached || reach.every((field) => field === "unsent");
  return isWhole && comparison["item.name"] === "agrees";
}

/** True for the order that was sent, as far as it is shown: only fields differ that the service is known to change. */
export function isExact(comparison: Comparison, knowledge: FieldKnowledge): boolean {
  const isExplained = (field: ComparedField) =>
    comparison[field] !== "differs" || knowledge.changed.has(field);
  return isLikely(comparison, knowledge) && comparedFields.every(isExplained);
}

/** Bits in the ledger: first for fields with plain values, then for Chinese values. */
export const fieldBits = 2 * comparedFields.length;

/** The number of a field's bit for a kind of value; undefined for a kind that is not learned from. */
export function bitOf(field: ComparedField, kind: ValueKind): number | undefined {
  if (kind === "odd") return undefined;
  return comparedFields.indexOf(field) + (kind === "han" ? comparedFields.length : 0);
}

/** The fields that the service has shown in another form at least once. */
export function everChangedFields({ fields }: Pick<Learned, "fields">): ReadonlySet<ComparedField> {
  return new Set(comparedFields.filter((_, place) => (fields[place]?.changed ?? 0) > 0));
}

/** One that is shown in another form may be another receiver's order, or of other goods. */
const tellingFields: ReadonlySet<ComparedField> = new Set(["receiver.name", "receiver.phone", "item.name"]);
/** Of so many orders that are shown as they were sent, one may have been edited at the service. */
export const keptForOneEdited = 10;

/**
 * The fields that the service shows in another form, where it has values like those of the draft. Of those that tell orders
 * apart, few orders among many that it keeps do not say so: someone may have edited them. `without`: so many orders are
 * left out that differ.
 */
export function changedFields(
  { fields }: Pick<Learned, "fields">,
  draft: Draft | undefined,
  without = 0,
): ReadonlySet<ComparedField> {
  return new Set(
    comparedFields.filter((field, place) => {
      const changed = (fields[place]?.changed ?? 0) - without;
      if (!tellingFields.has(field)) return changed > 0;
      const bit = bitOf(field, draft ? kindOf(draft, field) : "odd");
      const kept = bit === undefined ? 0 : (fields[bit]?.kept ?? 0);
      return changed > 0 && changed * keptForOneEdited >= kept && (changed > 1 || kept === 0);
    }),
  );
}

/** The fields that the service shows in another form rather than as they were sent. */
export function mostlyChangedFields({ fields }: Pick<Learned, "fields">): ReadonlySet<ComparedField> {
  const kept = (place: number) => fields[place]?.kept ?? 0;
  return new Set(
    comparedFields.filter(
      (_, place) => (fields[place]?.changed ?? 0) > kept(place) + kept(place + comparedFields.length),
    ),
  );
}

/** The fields that agree, as bits. */
export function keptBits(draft: Draft, comparison: Comparison): number {
  return comparedFields.reduce((bits, field) => {
    const place = bitOf(field, kindOf(draft, field));
    return comparison[field] === "agrees" && place !== undefined ? bits | (1 << place) : bits;
  }, 0);
}

/** The fields that differ, as bits. */
export function changedBits(comparison: Comparison): number {
  return comparedFields.reduce(
    (bits, field, place) => (comparison[field] === "differs" ? bits | (1 << place) : bits),
    0,
  );
}

/** Longer names are often cut. */
const longestName = 20;
const longestAddress = 60;

export function kindOf(draft: Draft, field: ComparedField): ValueKind {
  const text = textOf(draft, field);
  if (field.endsWith("phone"))
    return /^[+\d ()-]*$/.test(text) && !/\(0\)/.test(text) && !barePhone(text).includes("-")
      ? "plain"
      : "odd";
  const longest = field.endsWith("address") ? longestAddress : longestName;
  if ([...text].length > longest || /[&<>"'\\]/.test(text)) return "odd";
  if (/^[ -~]*$/.test(text)) return "plain";
  return /^[ -~\u4e00-\u9fff]*$/.test(text) ? "han" : "odd";
}

export function textOf(draft: Draft, field: ComparedField): string {
  if (field === "service_type") return draft.service_type ?? "";
  const [part, name] = field.split(".") as ["sender" | "receiver" | "item", string];
  if (name === "address") {
    const { province, city, district, detail } = (draft[part] ?? {}) as DraftParty;
    return [province, city, district, detail].join("");
  }
  const value: unknown = (draft[part] as Record<string, unknown> | undefined)?.[name];
  return isJsonNumber(value) ? value.value : typeof value === "string" ? value.trim() : "";
}

function compareText(sent: string | undefined, shown: string | null | undefined): Agreement {
  if (!sent?.trim() || !shown) return missing(sent, shown);
  if (normalise(sent) === normalise(shown)) return "agrees";
  return maskPattern.test(shown) ? "open" : "differs";
}

/** Of `椅子 × 2`, `30*40 cm` and `2×椅子`: a single sign beside a number hides nothing. */
const timesPattern = /(?<=[^\s*＊•●×…])\s*[*＊×]\s*(?=\p{N})|(?<=\p{N})\s*[*＊×]\s*(?=\p{L})/gu;

/** Goods may have such signs, which services write in several ways. One may still hide a part of goods that have none. */
function compareGoods(sent: string | undefined, shown: string | null | undefined): Agreement {
  const same = compareText(sent, shown);
  if (same !== "open" || !sent || !shown) return same;
  const [one, other] = [sent, shown].map((text) => text.replace(timesPattern, "x")) as [string, string];
  if (maskPattern.test(other) || normalise(one) === normalise(other)) return same;
  return one === sent && fitsMask(shown, sent) ? same : "differs";
}

function missing(sent: string | undefined, shown: string | null | undefined): Agreement {
  return sent?.trim() || shown ? "open" : "unsent";
}

/** The 0 of a city's code, which no one dials behind the country's. */
const trunkZero = /^(\s*(?:\+|00)[\d\s-]+)\(0\)/;

export function comparePhone(sent: string | undefined, shown: string | null | undefined): Agreement {
  const same = compareText(sent, shown);
  if (same === "open" && sent && shown && hasOtherDigits(sent, shown)) return "differs";
  if (same !== "differs" || !sent || !shown) return same;
  const [a, b] = [digitsOf(sent), digitsOf(shown)];
  if (a === b) return a === "" ? "differs" : "agrees";
  const [one, other] = [sent, shown].map((phone) => phone.replace(trunkZero, "$1")) as [string, string];
  if (one !== sent || other !== shown) return comparePhone(one, other);
  const [short = "", long = ""] = [a, b].sort((one, other) => one.length - other.length);
  if (short === "") return isEndOf(shown, sent) ? "open" : "differs";
  if (!long.endsWith(short)) return "differs";
  // With a country code it is the same number; otherwise it may be, for example the last digits.
  const isInternational = /^\s*(\+|00)/.test(long === a ? sent : shown);
  const isWhole = short.length >= shortestPhone && long.length - short.length <= 3;
  return isInternational && isWhole ? "agrees" : "open";
}

/** Of `13900130000`, the last digits are zeros. */
function isEndOf(shown: string, sent: string): boolean {
  const [end, whole] = [shown, sent].map((phone) => phone.normalize("NFKC").replace(/\D/g, "")) as [
    string,
    string,
  ];
  return end.length >= fewestDigits && whole.endsWith(end);
}

/**
 * True where digits that are shown beside hidden ones are others: the last ones, and of Chinese mobile phones the first
 * three. What follows a dash may be an extension, which is not shown.
 */
function hasOtherDigits(sent: string, shown: string): boolean {
  const parts = shown.split(maskPattern).map((part) => part.replace(/\D/g, ""));
  const [first = "", last = ""] = [parts[0]?.replace(/^(?:00)?86(?=1)/, ""), parts.at(-1)];
  const digits = sent.replace(/\D/g, "").replace(/^(?:00)?86(?=1\d{10}$)/, "");
  const hasOtherStart =
    /^1\d{10}$/.test(digits) && /^1\d\d/.test(first) && !digits.startsWith(first.slice(0, 3));
  const hasOtherEnd = last.length >= fewestDigits && !digits.endsWith(last);
  return !sent.includes("-") && (hasOtherStart || hasOtherEnd);
}

/** 2.4: one combined string of province, city, district and detail; how it is joined is not shown. */
function compareAddress(sent: DraftParty | undefined, shown: string | null | undefined): Agreement {
  const { province = "", city = "", ...rest } = sent ?? {};
  const parts = [province, city, rest.district, rest.detail];
  const given = lettersOf(parts.join(" "));
  if (given === "" || !shown) return missing(given, shown);
  // No letters, and hide a part unless they were sent.
  const isWhole = !ellipsis.test(shown) || ellipsis.test(parts.join(""));
  // Of 北京市北京市, many services name one.
  const isRepeated = province && city && (province.includes(city) || city.includes(province));
  const whole = isRepeated ? [parts, parts.slice(1), [province, ...parts.slice(2)]] : [parts];
  if (isWhole && whole.some((each) => lettersOf(each.join(" ")) === lettersOf(shown))) return "agrees";
  return maskPattern.test(shown) ? "open" : "differs";
}

function compareNumber(sent: unknown, shown: unknown): Agreement {
  if (!isJsonNumber(sent) || !isJsonNumber(shown)) return "open";
  return equalDecimals(sent.value, shown.value) ? "agrees" : "differs";
}

/** Removes differences that storing a text may make: blanks, Unicode forms, wide forms and case. */
export function normalise(text: string): string {
  return text.normalize("NFKC").replace(/\s+/g, "").toLowerCase();
}

/** An address without the characters that join its parts. */
export function lettersOf(text: string): string {
  return normalise(text).replace(/[^\p{L}\p{N}*＊•●×…]/gu, "");
}

/** The digits of a telephone number without leading zeros. */
function digitsOf(phone: string): string {
  return phone.normalize("NFKC").replace(/\D/g, "").replace(/^0+/, "");
}
