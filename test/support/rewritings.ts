/**
 * What services do to the texts and numbers of an order between storing and showing them. Each rewriting
 * changes one thing and leaves the types of the interface as they are, except those in `brokenTypes`.
 */

import {
  addressParts,
  joinAddress,
  type Rewriting,
  type Shown,
  type ShownItem,
  type ShownOrder,
  type ShownParty,
} from "./shown-order.ts";
import type { OrderBody } from "./unfaithful-ways.ts";

export const rewritings = {
  "weight rounded to two decimals": itemNumber("weight", (weight) => roundTo(weight, 2)),
  "weight in grams": itemNumber("weight", (weight) => shift(weight, 3)),
  "weight rounded up to a half": itemNumber("weight", (weight) => Math.ceil(weight * 2) / 2),
  "value rounded to an integer": itemNumber("value", (value) => Math.round(value)),
  "value in cents": itemNumber("value", (value) => shift(value, 2)),
  "value shown as 0": itemNumber("value", () => 0),
  "quantity shown as 1": itemNumber("quantity", () => 1),

  "item name cut at 20 characters": itemText("name", cut),
  "item name hidden in part": itemText("name", (name) => `${cut(name, 1)}***`),
  "item name missing": (order) => ({ ...order, item: { ...order.item, name: undefined } }),
  "description cut at 20 characters": itemText("description", cut),
  "description missing": (order) => ({ ...order, item: { ...order.item, description: undefined } }),
  "description empty instead of missing": (order) => ({
    ...order,
    item: { ...order.item, description: order.item?.description ?? "" },
  }),

  "& shown as &amp;": texts((text) => text.replaceAll("&", "&amp;")),
  "all of HTML escaped": texts(escapeHtml),
  "emoji dropped": texts((text) => text.replace(emoji, "")),
  "emoji shown as ?": texts((text) => text.replace(emoji, "?")),
  "text cut at its first emoji": texts((text) => text.replace(/\p{Extended_Pictographic}.*$/su, "")),
  "traditional characters simplified": texts(simplify),
  "full width shown as half width": texts(toHalfWidth),
  "composed (NFC)": texts((text) => text.normalize("NFC")),
  "decomposed (NFD)": texts((text) => text.normalize("NFD")),
  "line breaks shown as blanks": texts((text) => text.replace(/\r?\n/g, " ")),
  "null instead of empty": nullForEmpty,

  "names in upper case": partyText("name", (name) => name.toUpperCase()),
  "names trimmed and single-spaced": partyText("name", (name) => name.trim().replace(/\s+/g, " ")),
  "names cut at 8 characters": partyText("name", (name) => cut(name, 8)),
  "receiver name hidden in part": (order) => ({
    ...order,
    receiver: order.receiver && changeText(order.receiver, "name", hideName),
  }),
  "receiver name hidden in the list": (order, view) =>
    view === "list"
      ? { ...order, receiver: order.receiver && changeText(order.receiver, "name", hideName) }
      : order,
  "sender missing in the list": (order, view) => (view === "list" ? { ...order, sender: undefined } : order),

  "phone without its extension": partyText("phone", (phone) => phone.replace(extension, "$1")),
  "country code added": partyText("phone", (phone) => (phone.startsWith("+") ? phone : `+86${phone}`)),
  "country code dropped": partyText("phone", (phone) => phone.replace(/^(\+|00)86[ -]?/, "")),
  "digits of phones hidden": partyText("phone", hideDigits),
  "only the last digits of phones": partyText("phone", (phone) => phone.slice(-4)),
  "phones without spaces and dashes": partyText("phone", (phone) => phone.replace(/[ -]/g, "")),

  "district shown as city in the list": (order, view) =>
    view === "list" ? changeParties(order, (party) => ({ ...party, city: party.district })) : order,
  "cities without 市": partyText("city", (city) => city.replace(/市$/, "")),
  "detail in upper case": partyText("detail", (text) => text.toUpperCase()),
  "address joined with blanks": address((party) => joinAddress(party, " ")),
  "address joined with commas": address((party) => joinAddress(party, ", ")),
  "address in reverse order": address((party) => joinAddress(party, ", ", addressParts.toReversed())),
  "address without its province": address((party) => joinAddress(party, "", addressParts.slice(1))),
  "city named once where it is the province": address((party) =>
    joinAddress(party, "", party.province === party.city ? addressParts.slice(1) : addressParts),
  ),
  "address cut at 12 characters": address((party) => cut(joinAddress(party), 12)),
  "address cut with dots": address((party) => `${cut(joinAddress(party), 8)}...`),
  "address hidden at its end": address((party) => `${joinAddress(party, "", addressParts.slice(0, 3))}****`),

  "express shown as standard": serviceType((name) => (name === "express" ? "standard" : name)),
  "service_type in upper case": serviceType((name) => String(name).toUpperCase()),
  "service_type missing": serviceType(() => undefined),
} satisfies Record<string, Rewriting>;

/** Rewritings after which a field is not of the type that the interface gives it. */
export const brokenTypes = {
  "quantity as text": itemField("quantity", (quantity) => String(quantity)),
  "weight as text": itemField("weight", (weight) => String(weight)),
  "quantity as a fraction": itemField("quantity", (quantity) => Number(quantity) + 0.5),
  "phone as a number": (order) =>
    changeParties(order, (party) => ({ ...party, phone: Number(String(party.phone).replace(/\D/g, "")) })),
} satisfies Record<string, Rewriting>;

/** An order that nearly every rewriting changes in the list or in the detail; `draftFor` covers the rest. */
export const tellingDraft = {
  sender: {
    name: " zoë  van Berg",
    phone: "021-61234567-8001",
    province: "廣東省",
    city: "深圳市",
    district: "南山区",
    detail: "科技园路１号 a座\n502 & 503",
  },
  receiver: {
    name: "張麗",
    phone: "+86 139-0013-9000",
    province: "北京市",
    city: "北京市",
    district: "朝阳区",
    detail: "建国路88号",
  },
  item: {
    name: "Tea set, deep blue with gold 🍵",
    description: 'Fragile & heavy,\nhandle "with" care 🎁 cafe\u0301',
    weight: 1.255,
    value: 2999.5,
    quantity: 2,
  },
  service_type: "express",
} satisfies OrderBody;

/** A draft whose order looks different after the rewriting of this name. */
export function draftFor(name: string): OrderBody {
  const { description, ...item } = tellingDraft.item;
  if (name === "null instead of empty") return { ...tellingDraft, item: { ...item, description: "" } };
  if (name === "description empty instead of missing") return { ...tellingDraft, item };
  return { ...tellingDraft, item: { ...item, description } };
}

const emoji = /\p{Extended_Pictographic}(?:\ufe0f|\u200d|\p{Emoji_Modifier})*/gu;
/** `021-61234567-8001`, `61234567 ext. 12`, `61234567转12`: what follows the number itself. */
const extension = /^(.*\d{7,})\s*(?:-|ext\.?|x|转|#)\s*\d{1,5}$/i;
const simplified: Readonly<Record<string, string>> = {
  張: "张",
  陳: "陈",
  麗: "丽",
  廣: "广",
  東: "东",
  臺: "台",
  灣: "湾",
  區: "区",
  號: "号",
  樓: "楼",
};

function itemField(field: keyof ShownItem, change: (value: Shown) => Shown): Rewriting {
  return (order) => {
    const value = order.item?.[field];
    return value === undefined ? order : { ...order, item: { ...order.item, [field]: change(value) } };
  };
}

function itemNumber(field: "weight" | "value" | "quantity", change: (value: number) => number): Rewriting {
  return itemField(field, (value) => (typeof value === "number" ? change(value) : value));
}

function itemText(field: "name" | "description", change: (text: string) => string): Rewriting {
  return itemField(field, (value) => (typeof value === "string" ? change(value) : value));
}

function changeParties(order: ShownOrder, change: (party: ShownParty) => ShownParty): ShownOrder {
  const { sender, receiver } = order;
  return { ...order, sender: sender && change(sender), receiver: receiver && change(receiver) };
}

function changeText<T extends object>(object: T, field: keyof T, change: (text: string) => string): T {
  const value = object[field];
  return typeof value === "string" ? { ...object, [field]: change(value) } : object;
}

function partyText(field: keyof ShownParty, change: (text: string) => string): Rewriting {
  return (order) => changeParties(order, (party) => changeText(party, field, change));
}

function address(combine: (party: ShownParty) => string): Rewriting {
  return (order) => changeParties(order, (party) => ({ ...party, address: combine(party) }));
}

function serviceType(change: (name: Shown) => Shown): Rewriting {
  return (order) => ({ ...order, service_type: change(order.service_type) });
}

/** Changes every text that the creator of the order wrote. */
function texts(change: (text: string) => string): Rewriting {
  const changeAll = <T extends object>(object: T): T =>
    (Object.keys(object) as (keyof T)[]).reduce((result, field) => changeText(result, field, change), object);
  return (order) => {
    const { item } = order;
    return { ...changeParties(order, changeAll), item: item && changeAll(item) };
  };
}

function nullForEmpty(order: ShownOrder): ShownOrder {
  const { item } = order;
  const replace = <T extends object>(object: T): T =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, value === "" ? null : value])) as T;
  return { ...changeParties(order, replace), item: item && replace(item) };
}

/** Moves the decimal point without the errors of binary fractions. */
function shift(value: number, digits: number): number {
  return Number(`${value}e${digits}`);
}

/** Half up, on the decimal digits: 1.255 becomes 1.26. */
function roundTo(value: number, digits: number): number {
  return shift(Math.round(shift(value, digits)), -digits);
}

/** The first characters, without tearing one apart. */
function cut(text: string, length = 20): string {
  return [...text].slice(0, length).join("");
}

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

function simplify(text: string): string {
  return [...text].map((character) => simplified[character] ?? character).join("");
}

function toHalfWidth(text: string): string {
  return text
    .replaceAll("\u3000", " ")
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCodePoint((wide.codePointAt(0) ?? 0) - 0xfee0));
}

function hideName(name: string): string {
  const [first = ""] = name;
  return `${first}*`;
}

/** 13800138000 becomes 138****8000: of the last eight digits the first four, wherever spaces and dashes are. */
function hideDigits(phone: string): string {
  let left = phone.replace(/\D/g, "").length;
  return phone.replace(/\d/g, (digit) => {
    left -= 1;
    return left >= 4 && left < 8 ? "*" : digit;
  });
}
