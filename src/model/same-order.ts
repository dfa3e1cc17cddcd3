/** When two orders are the same: one definition for every command, by value, with a version. */

import { hash } from "node:crypto";
import { normaliseDecimal } from "./decimal.ts";
import type { DraftItem } from "./draft.ts";
import { itemFields, partyFields } from "./fields.ts";
import { isJsonNumber, isJsonObject, type Json, stringifyJson } from "./json.ts";

/** Goes up when the definition changes: fingerprints of another version equal nothing. */
const version = 1;

const numberFields: ReadonlySet<string> = new Set<keyof DraftItem>(["weight", "value", "quantity"]);

/**
 * One text for all orders that are the same: sender, receiver, item and service level by value. `0.50` is `0.5`,
 * `+86 139-0013-9000` is `13900139000`, runs of blanks count as one, and an empty field counts as missing. Fields that
 * the interface does not know make no difference.
 */
export function contentOf(order: Json): string {
  return textOf(valuesOf(order));
}

/**
 * The text that earlier versions of courier recorded for the order: they took a phone as it is written. Undefined where
 * that is the same text.
 */
export function formerContentOf(order: Json): string | undefined {
  const written = valuesOf(order, (phone) => phone);
  const isSame = fields.every(({ isPhone }, index) => {
    const value = written[index];
    return !isPhone || typeof value !== "string" || barePhone(value) === value;
  });
  return isSame ? undefined : textOf(written);
}

function textOf(values: readonly (string | 0)[]): string {
  return `${version}:${hash("sha256", JSON.stringify(values)).slice(0, 32)}`;
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
  readonly isNumber?: boolean;
  readonly isPhone?: boolean;
}

const fields: readonly Field[] = [
  ...partyFields.map((field) => ({ part: "sender", field, isPhone: field === "phone" })),
  ...partyFields.map((field) => ({ part: "receiver", field, isPhone: field === "phone" })),
  ...itemFields.map((field) => ({ part: "item", field, isNumber: numberFields.has(field) })),
  { part: "service_type" },
];

/** The value of each field in the order of `fields`; 0 for a missing one, which no text equals. */
function valuesOf(order: Json, ofPhone = barePhone): readonly (string | 0)[] {
  const whole = isJsonObject(order) ? order : {};
  return fields.map(({ part, field, isNumber = false, isPhone = false }) => {
    const value = whole[part];
    if (field === undefined) return normalise(value, isNumber);
    const text = isJsonObject(value) ? normalise(value[field], isNumber) : 0;
    return isPhone && text !== 0 ? ofPhone(text) : text;
  });
}

/** The number without what people write between its digits, and without China's code. */
function barePhone(phone: string): string {
  if (/^(?!86|00)\d+$/.test(phone)) return phone;
  const bare = phone.normalize("NFKC").replace(/[\s\p{Pd}().·]/gu, "");
  const [, marked, national = ""] = /^(\+|00)?86(\d{7,12})$/.exec(bare) ?? [];
  const [, mobile] = /^0?(1[3-9]\d{9})$/.exec(national === "" ? bare : national) ?? [];
  if (mobile !== undefined) return mobile;
  // The code of a city begins with 0, which falls away behind the country's.
  if (marked !== undefined) return national.startsWith("0") ? national : `0${national}`;
  return bare.replace(/^00(?=[1-9])/, "+");
}

/** Texts that normalising leaves as they are: printable ASCII or common Chinese, without a blank at an end or two. */
const plain = /^[!-~\u4e00-\u9fff]+(?: [!-~\u4e00-\u9fff]+)*$/;

function normalise(value: Json | undefined, isNumber: boolean): string | 0 {
  if (value === undefined || value === null) return 0;
  const text = isJsonNumber(value) ? value.value : typeof value === "string" ? value : stringifyJson(value);
  const bare = plain.test(text) ? text : text.normalize("NFC").trim().replace(/\s+/g, " ");
  if (bare === "") return 0;
  return isNumber ? normaliseDecimal(bare) : bare;
}
