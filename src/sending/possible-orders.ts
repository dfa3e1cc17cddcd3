/** Whether an order may be the one of a draft, at a service that hides parts of what it shows or writes them in another way. */

import type { Draft, DraftParty } from "../model/draft.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { endsOf, fewestDigits, isMaskOf, maskPattern } from "../model/masked-text.ts";
import {
  type Comparison,
  comparedFields,
  compareSummary,
  type FieldKnowledge,
  isLikely,
  kindOf,
  lettersOf,
  normalise,
} from "./matching.ts";

export interface PossibleOrders {
  /** With the row's name, or one that it fits where characters are hidden. */
  readonly named: readonly OrderSummary[];
  /** With any name that hides nothing. */
  readonly anyName: readonly OrderSummary[];
}

/** `keepsItems`: the service is known to show some names of items unchanged. */
export type ItemKnowledge = Pick<FieldKnowledge, "kept" | "changed"> & { readonly keepsItems: boolean };

function isHiddenName(shown: string | null | undefined): boolean {
  return !shown || maskPattern.test(shown);
}

function mayShow(sent: string, shown: string | null | undefined): boolean {
  return !shown || !hasLetters(shown) || isMaskOf(shown, sent);
}

/** Finds by what a list shows which orders may be a draft's. */
export function createPossibleOrders(summaries: readonly OrderSummary[]) {
  const byName = new Map<string, OrderSummary[]>();
  /** By the first character. */
  const masked = new Map<string, OrderSummary[]>();
  const all: OrderSummary[] = [];
  /** With a hidden item, so that only details tell more: by the initial of the name, "" where that is hidden, too. */
  const unnamed = new Map<string, OrderSummary[]>();
  const byItem = new Map<string, OrderSummary[]>();
  const put = (map: Map<string, OrderSummary[]>, key: string, summary: OrderSummary) => {
    const others = map.get(key);
    if (others) others.push(summary);
    else map.set(key, [summary]);
  };
  for (const summary of summaries) {
    const name = normalise(summary.receiver?.name ?? "");
    put(byName, name, summary);
    if (maskPattern.test(name) && !maskPattern.test(name.charAt(0))) put(masked, name.charAt(0), summary);
    else {
      all.push(summary);
      if (isHiddenName(summary.item_name)) put(unnamed, initialOf(summary.receiver?.name), summary);
      put(byItem, normalise(summary.item_name ?? ""), summary);
    }
  }
  /** Two forms of a name begin with the same letter. */
  const withInitial = (sent: string): readonly OrderSummary[] => {
    const initial = initialOf(sent);
    if (initial === "") return [...unnamed.values()].flat();
    return [...(unnamed.get("") ?? []), ...(unnamed.get(initial) ?? [])];
  };
  return (draft: Draft, fields: ItemKnowledge): PossibleOrders => {
    const { changed } = fields;
    const isItem = (summary: OrderSummary) =>
      mayBeItem(draft, summary.item_name, compareSummary(draft, summary), fields);
    const sent = draft.receiver?.name ?? "";
    const name = normalise(sent);
    const hidden = (masked.get(name.charAt(0)) ?? []).filter(({ receiver }) =>
      fitsName(sent, receiver?.name),
    );
    const item = draft.item?.name ?? "";
    const others = changed.has("item.name")
      ? all
      : [
          ...(byItem.get(normalise(item)) ?? []),
          ...withInitial(sent).filter(
            (each) => !isOtherName(sent, each.receiver?.name) && mayShow(item, each.item_name),
          ),
        ];
    return {
      named: [...(byName.get(name) ?? []), ...hidden].filter(isItem),
      anyName: others,
    };
  };
}

/**
 * True for an order that may be the draft's. Two of the receiver's name, phone and address, or the one that was sent, are
 * as they were sent, or hidden or cut in part; or the name is, and nothing else of the receiver is another; or one is, no other
 * is shown as another, and the goods are the same.
 */
export function mayBeOrder(
  draft: Draft,
  { receiver, item }: OrderDetail,
  comparison: Comparison,
  fields: ItemKnowledge,
): boolean {
  if (isLikely(comparison, fields)) return true;
  const { kept } = fields;
  if (comparedFields.some((field) => comparison[field] === "differs" && kept.has(field))) return false;
  if (!mayBeItem(draft, item?.name, comparison, fields)) return false;
  const [name, phone, address] = [
    comparison["receiver.name"],
    comparison["receiver.phone"],
    comparison["receiver.address"],
  ];
  if (phone === "differs") return false;
  if (name === "agrees" && address !== "differs") return true;
  const same = [
    name === "agrees" || fitsName(draft.receiver?.name, receiver?.name),
    phone === "agrees" || fitsPhone(draft.receiver?.phone, receiver?.phone),
    address === "agrees" || fitsAddress(draft.receiver, receiver?.address),
  ];
  const count = same.filter(Boolean).length;
  const unsent = [name, phone, address].filter((field) => field === "unsent").length;
  // One that is hidden whole, or a name in another form, tells nothing: then the goods must be the same.
  const isLike = address !== "differs" && !isOtherName(draft.receiver?.name, receiver?.name);
  const isSameItem = comparison["item.name"] === "agrees";
  return count >= 2 || (count === 1 && (unsent === 2 || (isLike && isSameItem)));
}

/** False where a service that keeps names of items shows another one. */
function mayBeItem(
  { item }: Draft,
  shown: string | null | undefined,
  comparison: Comparison,
  { kept, changed, keepsItems }: ItemKnowledge,
): boolean {
  if (comparison["item.name"] !== "differs" || changed.has("item.name")) return true;
  if (kept.has("item.name")) return false;
  return !keepsItems || isLikeItem(item?.name ?? "", shown ?? "");
}

function comparable(text: string): string {
  return lettersOf(text.replace(/&#?\w+;/g, ""));
}

/** Of the letters that `isOtherName` compares; "" for a name that is hidden in part. */
function initialOf(name: string | null | undefined): string {
  return isHiddenName(name) ? "" : comparable(baseOf(name ?? "")).charAt(0);
}

/** Services cut the names of items, write characters in them as codes, and add to them. */
function isLikeItem(sent: string, shown: string): boolean {
  const [one, other] = [sent, shown].map(comparable);
  if (!one || !other) return true;
  return one.startsWith(other) || other.startsWith(one);
}

/**
 * True where name, phone and address of the receiver are all shown as others, also where a part is hidden, or where
 * services change such texts: what they change keeps most of a text.
 */
export function hasPlainlyOtherReceiver(
  draft: Draft,
  { receiver }: OrderDetail,
  comparison: Comparison,
): boolean {
  const isOtherPhone =
    comparison["receiver.phone"] === "differs" && kindOf(draft, "receiver.phone") !== "odd";
  return (
    isOtherPhone &&
    comparison["receiver.name"] !== "agrees" &&
    comparison["receiver.address"] !== "agrees" &&
    isOtherName(draft.receiver?.name, receiver?.name) &&
    isOtherAddress(draft.receiver, receiver?.address)
  );
}

/** True where a list names receiver and item as others. */
export function isNamedOtherwise({ receiver, item }: Draft, summary: OrderSummary): boolean {
  return isOtherName(receiver?.name, summary.receiver?.name) && isOtherName(item?.name, summary.item_name);
}

/** True for a name that is shown as another, also where a part is hidden, or where services change such texts. */
export function isOtherName(sent: string | undefined, shown: string | null | undefined): boolean {
  if (!sent || !shown || !hasLetters(shown)) return false;
  return maskPattern.test(shown) ? !fitsName(sent, shown) : !isLikeItem(baseOf(sent), baseOf(shown));
}

function isOtherAddress(sent: DraftParty | undefined, shown: string | null | undefined): boolean {
  const { province, city, district, detail = "" } = sent ?? {};
  const [whole, street, found] = [[province, city, district, detail].join(" "), detail, shown ?? ""].map(
    (text) => lettersOf(baseOf(text)),
  ) as [string, string, string];
  if (whole === "" || !hasLetters(found)) return false;
  if (maskPattern.test(found)) {
    const [first] = endsOf(found);
    return first.length >= fewestLetters && !whole.includes(first);
  }
  const isPart = found.includes(street) && street.length >= fewestLetters;
  return !isPart && !whole.includes(found) && !found.includes(whole);
}

function hasLetters(text: string): boolean {
  return text.replace(new RegExp(maskPattern, "g"), "").trim() !== "";
}

/** Without accents, and without characters that are written as codes. */
function baseOf(text: string): string {
  return text
    .replace(/&#?\w+;/g, "")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "");
}

/** `张**` fits 张国明: what is shown stands at the same end. */
export function fitsName(sent: string | undefined, shown: string | null | undefined): boolean {
  return Boolean(sent && shown && isMaskOf(shown, sent));
}

/** The last digits are those of the phone. */
export function fitsPhone(sent: string | undefined, shown: string | null | undefined): boolean {
  const last = endsOf(shown ?? "")[1].replace(/\D/g, "");
  return last.length >= fewestDigits && (sent ?? "").replace(/\D/g, "").endsWith(last);
}

const fewestLetters = 6;

/** A part of the address is shown. */
function fitsAddress(sent: DraftParty | undefined, shown: string | null | undefined): boolean {
  const part = lettersOf(endsOf(shown ?? "")[0]);
  const { province, city, district, detail } = sent ?? {};
  return (
    part.length >= fewestLetters && lettersOf([province, city, district, detail].join(" ")).includes(part)
  );
}
