/** Whether an order may be the one of a draft, at a service that hides parts of what it shows or writes them in another way. */

import type { Draft, DraftParty } from "../model/draft.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { isJsonNumber } from "../model/json.ts";
import { endsOf, fewestDigits, fitsMask, maskPattern } from "../model/masked-text.ts";
import {
  type ComparedField,
  type Comparison,
  compareSummary,
  distinguishingFields,
  type FieldKnowledge,
  isLikely,
  isNamedAs,
  kindOf,
  lettersOf,
  normalise,
  shortestPhone,
  textOf,
} from "./matching.ts";

export interface PossibleOrders {
  /** With the row's name, or one that it fits where characters are hidden. */
  readonly named: readonly OrderSummary[];
  /** For any name, with the same goods. */
  readonly sameItem: readonly OrderSummary[];
  /** The list hides so much, or writes it so, that only details tell more. */
  readonly unlikely: () => Iterable<OrderSummary>;
}

export interface ItemKnowledge extends Pick<FieldKnowledge, "kept" | "changed"> {
  /** The service is known to show some names of items unchanged. */
  readonly keepsItems: boolean;
  /** Fields that own orders have in another form now. */
  readonly altered?: ReadonlySet<ComparedField>;
}

/** Finds by what a list shows which orders may be a draft's. */
export function createPossibleOrders(summaries: readonly OrderSummary[]) {
  const byName = new Map<string, OrderSummary[]>();
  const byItem = new Map<string, OrderSummary[]>();
  /** Texts of which a part is shown, by the first character; "" where that is hidden, or none is a letter. */
  const maskedNames = new Map<string, OrderSummary[]>();
  const maskedItems = new Map<string, OrderSummary[]>();
  /** By the initials of the name's words: two forms of a name have one in common. */
  const byInitial = new Map<string, OrderSummary[]>();
  const put = (map: Map<string, OrderSummary[]>, key: string, summary: OrderSummary) => {
    const others = map.get(key);
    if (others) others.push(summary);
    else map.set(key, [summary]);
  };
  for (const summary of summaries) {
    const [name, item] = [summary.receiver?.name ?? "", summary.item_name ?? ""];
    put(byName, normalise(name), summary);
    put(byItem, normalise(item), summary);
    if (isHidden(name)) put(maskedNames, shownStart(name), summary);
    else for (const initial of initialsOf(name)) put(byInitial, initial, summary);
    if (isHidden(item)) put(maskedItems, shownStart(item), summary);
  }
  return (draft: Draft, fields: ItemKnowledge): PossibleOrders => {
    const { changed } = fields;
    const isItem = (summary: OrderSummary) =>
      mayBeItem(draft, summary.item_name, compareSummary(draft, summary), fields);
    const [sentName, sentItem] = [draft.receiver?.name ?? "", draft.item?.name ?? ""];
    const [name, item] = [normalise(sentName), normalise(sentItem)];
    const hidden = (maskedNames.get(name.charAt(0)) ?? []).filter(({ receiver }) =>
      fitsName(sentName, receiver?.name),
    );
    function* unlikely(): Iterable<OrderSummary> {
      if (changed.has("item.name")) return yield* summaries;
      for (const initial of initialsOf(sentName))
        for (const summary of byInitial.get(initial) ?? [])
          if (!isOtherName(sentName, summary.receiver?.name)) yield summary;
      yield* maskedNames.get("") ?? [];
      yield* maskedItems.get("") ?? [];
      for (const summary of maskedItems.get(item.charAt(0)) ?? [])
        if (fitsMask(summary.item_name ?? "", sentItem)) yield summary;
    }
    return {
      named: [...new Set([...(byName.get(name) ?? []), ...hidden])].filter(isItem),
      sameItem: byItem.get(item) ?? [],
      unlikely,
    };
  };
}

/**
 * How a field of the receiver is shown: `same` also where only a part is; `hidden` where what was sent is left out, or
 * nothing of it tells, or own orders have it in another form now; `open` where it was not sent.
 */
type Likeness = "same" | "other" | "hidden" | "open" | "unsent";

const goodsParts = ["description", "weight", "value", "quantity"] as const;

/** Services round to decimals, to halves and to whole numbers. */
function mayBeRounded(sent: unknown, shown: unknown): boolean {
  return isJsonNumber(sent) && isJsonNumber(shown) && Math.abs(Number(sent.value) - Number(shown.value)) < 1;
}

/**
 * True for an order that may be the draft's, whatever else of it is shown as another: not its goods, where the service keeps
 * them. Two of the receiver's name, phone and address, or the one that was sent, are
 * as they were sent, or hidden or cut in part, or the address has more; or none is shown as another, as of an order that
 * cannot be read, and `listed` may be it; or, where some were not sent, the name is, or one is and the goods are the same.
 */
export function mayBeOrder(
  draft: Draft,
  { receiver, item }: OrderDetail,
  comparison: Comparison,
  fields: ItemKnowledge,
  listed: OrderSummary | undefined,
): boolean {
  if (isLikely(comparison, fields)) return true;
  const { kept, altered } = fields;
  const isOther = (field: ComparedField) => comparison[field] === "differs" && kept.has(field);
  const isOtherOf = (part: (typeof goodsParts)[number]) =>
    isOther(`item.${part}`) && !mayBeRounded(draft.item?.[part], item?.[part]);
  if (goodsParts.some(isOtherOf)) return false;
  if (!mayBeItem(draft, item?.name, comparison, fields)) return false;
  const sent = draft.receiver;
  const [name, phone, address] = [receiver?.name, receiver?.phone, receiver?.address];
  const likeness = (part: "name" | "phone" | "address", fits: boolean, differs: boolean): Likeness => {
    const field = `receiver.${part}` as const;
    if (comparison[field] === "unsent") return "unsent";
    if (comparison[field] === "agrees" || fits) return "same";
    if (differs) return altered?.has(field) ? "hidden" : "other";
    return textOf(draft, field) === "" ? "open" : "hidden";
  };
  const ofPhone = comparison["receiver.phone"];
  const shown = [
    likeness("name", fitsName(sent?.name, name), isOtherName(sent?.name, name)),
    likeness("phone", ofPhone !== "differs" && fitsPhone(sent?.phone, phone), ofPhone === "differs"),
    likeness("address", fitsAddress(sent, address), isOtherAddress(sent, address)),
  ];
  const count = (which: Likeness) => shown.filter((each) => each === which).length;
  if (count("same") >= 2) return true;
  if (count("other") > 0 || distinguishingFields.some(isOther)) return false;
  if (count("open") === 0 && (!listed || mayBeListed(draft, listed, fields))) return true;
  if (count("same") === 0) return false;
  return (
    comparison["receiver.name"] === "agrees" || count("unsent") === 2 || comparison["item.name"] === "agrees"
  );
}

/** The same of an order whose details cannot be read. */
export function mayBeListed(draft: Draft, summary: OrderSummary, fields: ItemKnowledge): boolean {
  return (
    !isOtherName(draft.receiver?.name, summary.receiver?.name) &&
    mayBeItem(draft, summary.item_name, compareSummary(draft, summary), fields)
  );
}

/** False where a service that keeps names of items shows another one. */
export function mayBeItem(
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

/** The initials of a name's words, as `isOtherName` compares them. */
function initialsOf(name: string): ReadonlySet<string> {
  return new Set(wordsOf(name).map((word) => word.charAt(0)));
}

function wordsOf(name: string): readonly string[] {
  return baseOf(name)
    .split(/[^\p{L}\p{N}]+/u)
    .map(comparable)
    .filter((word) => word !== "");
}

/** Services cut the names of items, write characters in them as codes or `?`, drop accents, and add to them. */
function isLikeItem(sent: string, shown: string): boolean {
  const [one, other] = [sent, shown].map((text) => comparable(baseOf(text)));
  const lost = shown.replace(/[?\ufffd]/g, "*");
  if (!one || !other || (lost !== shown && fitsMask(lost, sent))) return true;
  return one.startsWith(other) || other.startsWith(one);
}

/**
 * True where name, phone and address of the receiver are all shown as others, also where a part is hidden, or where
 * services change such texts: what they change keeps most of a text. Where the name is hidden, phone and address tell;
 * where the phone is, name and address do.
 */
export function hasPlainlyOtherReceiver(draft: Draft, order: OrderDetail, comparison: Comparison): boolean {
  const [name, { receiver }] = [comparison["receiver.name"], order];
  const isOther = name !== "agrees" && isOtherName(draft.receiver?.name, receiver?.name);
  const hidesPhone =
    comparison["receiver.phone"] === "open" && !fitsPhone(draft.receiver?.phone, receiver?.phone);
  return (
    ((isOther || name === "open") && hasPlainlyOtherPlace(draft, order, comparison)) ||
    (isOther && hidesPhone && isOtherAddress(draft.receiver, receiver?.address))
  );
}

/** True where the goods are others, and no part or form of the sent ones, and the receiver's name, or phone and address. */
export function hasPlainlyOtherGoods(draft: Draft, order: OrderDetail, comparison: Comparison): boolean {
  const isOther =
    comparison["item.name"] === "differs" && !isLikeItem(draft.item?.name ?? "", order.item?.name ?? "");
  return isOther && countOthers(draft, order, comparison) >= 1;
}

/** How many of the receiver's name, phone and address are others; 0 where one is the sent one, or its shown part is. */
function countOthers(draft: Draft, { receiver }: OrderDetail, comparison: Comparison): number {
  const sent = draft.receiver;
  const [ofPhone, ofAddress] = [comparison["receiver.phone"], comparison["receiver.address"]];
  const isForm = (shown: string | null | undefined, isOther: boolean) =>
    Boolean(shown) && !isOther && !maskPattern.test(shown ?? "") && hasLetters(shown ?? "");
  const isOther = {
    name: isOtherName(sent?.name, receiver?.name),
    address: isOtherAddress(sent, receiver?.address),
  };
  const isSame =
    ofPhone === "agrees" ||
    (ofPhone === "open" && fitsPhone(sent?.phone, receiver?.phone)) ||
    comparison["receiver.name"] === "agrees" ||
    ofAddress === "agrees" ||
    fitsAddress(sent, receiver?.address) ||
    isForm(receiver?.name, isOther.name) ||
    isForm(receiver?.address, isOther.address);
  if (isSame) return 0;
  return [
    isOther.name,
    ofPhone === "differs" && kindOf(draft, "receiver.phone") !== "odd",
    isOther.address,
  ].filter(Boolean).length;
}

/** The same for phone and address alone. */
export function hasPlainlyOtherPlace(
  draft: Draft,
  { receiver }: OrderDetail,
  comparison: Comparison,
): boolean {
  const isOtherPhone =
    comparison["receiver.phone"] === "differs" && kindOf(draft, "receiver.phone") !== "odd";
  return (
    isOtherPhone &&
    comparison["receiver.address"] !== "agrees" &&
    isOtherAddress(draft.receiver, receiver?.address)
  );
}

/**
 * True where the goods or the address are others than were sent, and no part or form of them, at a service that does not
 * write most of them so (`rewritten`).
 */
export function hasOtherGoodsOrAddress(
  draft: Draft,
  { receiver, item }: OrderDetail,
  comparison: Comparison,
  rewritten: ReadonlySet<ComparedField>,
): boolean {
  const differs = (field: ComparedField) => comparison[field] === "differs" && !rewritten.has(field);
  return (
    (differs("item.name") && !isLikeItem(draft.item?.name ?? "", item?.name ?? "")) ||
    (differs("receiver.address") &&
      isOtherAddress(draft.receiver, receiver?.address) &&
      !hasAllParts(draft.receiver, receiver?.address))
  );
}

/** True where what is shown may be a part of what was sent: the rest is hidden or cut, or all of it is. */
export function isPartOf(draft: Draft, field: ComparedField, { receiver, item }: OrderDetail): boolean {
  switch (field) {
    case "receiver.name":
      return isPartOfText(draft.receiver?.name, receiver?.name);
    case "item.name":
      return isPartOfText(draft.item?.name, item?.name);
    case "receiver.address":
      return fitsAddress(draft.receiver, receiver?.address);
    case "receiver.phone":
      return isWithoutExtension(draft.receiver?.phone, receiver?.phone);
    default:
      return false;
  }
}

/** `02161234567` of `021-61234567-8001`. */
function isWithoutExtension(sent: string | undefined, shown: string | null | undefined): boolean {
  const [whole, number] = [sent ?? "", shown ?? ""].map((phone) =>
    phone.normalize("NFKC").replace(/\D/g, ""),
  );
  return Boolean(number && number.length >= shortestPhone && whole?.startsWith(number));
}

/** The same for a text; true also for one that is not shown. */
export function isPartOfText(sent: string | undefined, shown: string | null | undefined): boolean {
  if (!sent) return false;
  if (!shown || !hasLetters(shown)) return true;
  return maskPattern.test(shown) ? fitsMask(shown, sent) : normalise(sent).startsWith(normalise(shown));
}

/** True where the list names the draft's order, and the details another receiver: they are of another order. */
export function contradictList(draft: Draft, summary: OrderSummary, { receiver }: OrderDetail): boolean {
  return isNamedAs(draft, summary) && isOtherName(draft.receiver?.name, receiver?.name);
}

/** True for a name that is shown as another, also where a part is hidden, or where services change such texts. */
export function isOtherName(sent: string | undefined, shown: string | null | undefined): boolean {
  if (!sent || !shown || !hasLetters(shown)) return false;
  if (maskPattern.test(shown)) return !fitsName(sent, shown);
  return !isLikeItem(baseOf(sent), baseOf(shown)) && !hasSameWords(sent, shown);
}

/** True for a name, or the part of it that is shown, that may be the one that was sent, and is not the `other` one. */
export function isNameRather(
  sent: string | undefined,
  other: string | undefined,
  shown: string | null | undefined,
): boolean {
  return Boolean(sent) && isOtherName(other, shown) && !isOtherName(sent, shown);
}

/** The family name may stand first or last. */
function hasSameWords(one: string, other: string): boolean {
  const [words, others] = [one, other].map((name) => wordsOf(name).toSorted().join(" "));
  return words === others;
}

/**
 * True where a list shows another city than was sent. Services show the province or the district in its place, and leave
 * out what kind of place it is. A city in other letters counts as another one.
 */
export function isOtherCity(sent: DraftParty | undefined, shown: string | null | undefined): boolean {
  const { province, city, district, detail } = sent ?? {};
  const parts = (city ? [province, city, district] : [province, district, detail]).filter((part) => part);
  if (!shown || !hasLetters(shown) || parts.length === 0) return false;
  if (maskPattern.test(shown)) return !parts.some((part) => fitsMask(shown, part ?? ""));
  const [whole, own, found] = [parts.join(" "), city ?? "", shown].map((text) => lettersOf(baseOf(text))) as [
    string,
    string,
    string,
  ];
  const isNamedIn = (text: string, place: string) => place !== "" && text.includes(bareNameOf(place));
  return found !== "" && !isNamedIn(whole, found) && !isNamedIn(found, own);
}

/** 成都 of 成都市. */
function bareNameOf(place: string): string {
  return place.replace(/(?<=..)(?:自治州|地区|[市省区县州盟])$/u, "");
}

function isOtherAddress(sent: DraftParty | undefined, shown: string | null | undefined): boolean {
  const { province, city, district, detail = "" } = sent ?? {};
  const [start] = endsOf(shown ?? "");
  const texts = [[province, city, district, detail].join(" "), detail, shown ?? "", start];
  const letters = texts.map((text) => lettersOf(baseOf(text)));
  const [whole, street, found, first] = letters as [string, string, string, string];
  if (whole === "" || !hasLetters(found)) return false;
  if (maskPattern.test(shown ?? "")) return first.length >= fewestLetters && !whole.includes(first);
  const isPart = found.includes(street) && street.length >= fewestLetters;
  return !isPart && !whole.includes(found) && !found.includes(whole);
}

/** True where an address has all parts of the sent one in their order, and ends with the last: a township was added. */
function hasAllParts(sent: DraftParty | undefined, shown: string | null | undefined): boolean {
  const { province, city, district, detail } = sent ?? {};
  const [found, ...parts] = [shown, province, city, district, detail].map((text) =>
    lettersOf(baseOf(text ?? "")),
  ) as [string, ...string[]];
  const given = [...new Set(parts)].filter((part) => part !== "");
  let end = 0;
  for (const part of given) {
    const place = part === given.at(-1) ? found.length - part.length : found.indexOf(part, end);
    // 7号 is no part of 127号.
    const isCut = /^\d/.test(part) && /\d/.test(found.charAt(place - 1));
    if (place < end || isCut || !found.startsWith(part, place)) return false;
    end = place + part.length;
  }
  return given.length >= 2;
}

/** Not shown, or a part or no letter of it. To normalise it would remove the mark `…`. */
function isHidden(shown: string): boolean {
  return comparable(shown) === "" || maskPattern.test(shown);
}

/** The first character of a text of which a part is shown. */
function shownStart(shown: string): string {
  return maskPattern.test(shown) ? normalise(endsOf(shown)[0]).charAt(0) : "";
}

function hasLetters(text: string): boolean {
  return text.replace(new RegExp(maskPattern, "g"), "").trim() !== "";
}

/** Without accents, in one case (ß is SS), and without characters that are written as codes. */
function baseOf(text: string): string {
  return text
    .replace(/&#?\w+;/g, "")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toUpperCase();
}

/** `张**` fits 张国明: what is shown stands at the same end. */
export function fitsName(sent: string | undefined, shown: string | null | undefined): boolean {
  return Boolean(sent && shown && fitsMask(shown, sent));
}

/** The last digits are those of the phone. */
export function fitsPhone(sent: string | undefined, shown: string | null | undefined): boolean {
  const last = endsOf(shown ?? "")[1].replace(/\D/g, "");
  return last.length >= fewestDigits && (sent ?? "").replace(/\D/g, "").endsWith(last);
}

const fewestLetters = 6;

/** A part of the address is shown, or all of it and more. */
export function fitsAddress(sent: DraftParty | undefined, shown: string | null | undefined): boolean {
  const { province, city, district, detail } = sent ?? {};
  const whole = lettersOf(baseOf([province, city, district, detail].join(" ")));
  const part = lettersOf(baseOf(endsOf(shown ?? "")[0]));
  const isPart = part.length >= fewestLetters && whole.includes(part);
  return isPart || (whole.length >= fewestLetters && part.includes(whole));
}
