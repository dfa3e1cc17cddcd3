/** When two orders are the same: one definition for every command, by value, with a version. */

import { hash } from "node:crypto";
import { normaliseDecimal } from "./decimal.ts";
import type { DraftItem } from "./draft.ts";
import { itemFields, partyFields, partyParts } from "./fields.ts";
import { isJsonNumber, isJsonObject, type Json, stringifyJson } from "./json.ts";
import { barePhone } from "./phone.ts";

/** Goes up when the definition changes: fingerprints of another version equal nothing. */
const version = 1;

const numberFields: ReadonlySet<string> = new Set<keyof DraftItem>(["weight", "value", "quantity"]);

/** What is recorded of an order, equal for all orders that are the same. */
export interface Contents {
  readonly content: string;
  /**
   * What earlier versions of courier recorded: they took phones and blanks as they are written. Undefined where that is
   * the same text.
   */
  readonly formerContent: string | undefined;
}

export function contentsOf(order: Json): Contents {
  const former = writtenIn(order);
  const today = former.map(withoutSpelling);
  const isSame = former.every((value, index) => value === today[index]);
  return { content: textOf(today), formerContent: isSame ? undefined : textOf(former) };
}

/**
 * One text for all orders that are the same: sender, receiver, item and service level by value. `0.50` is `0.5`,
 * `+86 139-0013-9000` is `13900139000`, blanks beside a Chinese character do not count, others count as one, and an
 * empty field counts as missing. Fields that the interface does not know make no difference.
 */
export function contentOf(order: Json): string {
  return textOf(valuesOf(order));
}

type Values = readonly (string | 0)[];

function textOf(values: Values): string {
  return `${version}:${hash("sha256", JSON.stringify(values)).slice(0, 32)}`;
}

/** True for orders that are the same in how they are written, too: a service may refuse one spelling of a phone. */
export function isWrittenAlike(one: Json, other: Json): boolean {
  const [a, b] = [writtenIn(one), writtenIn(other)];
  return a.every((value, index) => value === b[index]);
}

/** True for orders that are the same but for which part of an address is in which field. */
export function isSplitOtherwise(one: Json, other: Json): boolean {
  if (contentOf(one) === contentOf(other)) return false;
  return contentOf(withWholeAddresses(one)) === contentOf(withWholeAddresses(other));
}

function withWholeAddresses(order: Json): Json {
  if (!isJsonObject(order)) return order;
  const whole = partyParts.map((part) => {
    const party = order[part];
    if (!isJsonObject(party)) return [part, party];
    const { province, city, district, detail, ...rest } = party;
    const parts = [province, city, district, detail].map((each) => (typeof each === "string" ? each : ""));
    return [part, { ...rest, detail: parts.join("").replace(/[\s,，]+/g, "") }];
  });
  return { ...order, ...Object.fromEntries(whole) };
}

/** The fields in which two orders differ, dotted; `isCompared` leaves parts out. */
export function differingFields(one: Json, other: Json, isCompared: (part: string) => boolean): string[] {
  const [a, b] = [valuesOf(one), valuesOf(other)];
  return fields.flatMap(({ part, field }, index) => {
    if (!isCompared(part) || a[index] === b[index]) return [];
    return [field === undefined ? part : `${part}.${field}`];
  });
}

interface Field {
  readonly part: string;
  readonly field?: string;
  readonly kind?: "text" | "number" | "phone";
}

const ofParty = (part: string) =>
  partyFields.map((field) => ({ part, field, kind: field === "phone" ? "phone" : "text" }) as const);

const fields: readonly Field[] = [
  ...ofParty("sender"),
  ...ofParty("receiver"),
  ...itemFields.map(
    (field) => ({ part: "item", field, kind: numberFields.has(field) ? "number" : "text" }) as const,
  ),
  { part: "service_type" },
];

/** The value of each field in the order of `fields`; 0 for a missing one, which no text equals. */
function valuesOf(order: Json): Values {
  return writtenIn(order).map(withoutSpelling);
}

/** The same with phones and blanks as they are written. */
function writtenIn(order: Json): Values {
  const whole = isJsonObject(order) ? order : {};
  return fields.map(({ part, field, kind }) => {
    const value = whole[part];
    const single = field === undefined ? value : isJsonObject(value) ? value[field] : undefined;
    const text = normalise(single);
    if (text === "") return 0;
    return kind === "number" ? normaliseDecimal(text) : text;
  });
}

function withoutSpelling(text: string | 0, index: number): string | 0 {
  if (text === 0) return 0;
  if (fields[index]?.kind === "phone") return barePhone(text);
  return text.includes(" ") ? text.replace(besideHan, "") : text;
}

const besideHan = /(?<=\p{Script=Han}) | (?=\p{Script=Han})/gu;

/** Texts that normalising leaves as they are: printable ASCII or common Chinese, without a blank at an end or two. */
const plain = /^[!-~\u4e00-\u9fff]+(?: [!-~\u4e00-\u9fff]+)*$/;

/** Empty for a missing value. */
function normalise(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  const text = isJsonNumber(value) ? value.value : typeof value === "string" ? value : stringifyJson(value);
  return plain.test(text) ? text : text.normalize("NFC").trim().replace(/\s+/g, " ");
}
