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
 * runs of blanks count as one, and an empty field counts as missing. Fields that the
 * interface does not know make no difference.
 */
export function contentOf(order: Json): string {
  return `${version}:${hash("sha256", JSON.stringify(valuesOf(order))).slice(0, 32)}`;
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
}

const fields: readonly Field[] = [
  ...partyFields.map((field) => ({ part: "sender", field })),
  ...partyFields.map((field) => ({ part: "receiver", field })),
  ...itemFields.map((field) => ({ part: "item", field, isNumber: numberFields.has(field) })),
  { part: "service_type" },
];

/** The value of each field in the order of `fields`; 0 for a missing one, which no text equals. */
function valuesOf(order: Json): readonly (string | 0)[] {
  const whole = isJsonObject(order) ? order : {};
  return fields.map(({ part, field, isNumber = false }) => {
    const value = whole[part];
    if (field === undefined) return normalise(value, isNumber);
    return isJsonObject(value) ? normalise(value[field], isNumber) : 0;
  });
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
