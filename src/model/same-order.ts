/** When two orders are the same: one definition for every command, by value, with a version. */

import { hash } from "node:crypto";
import { normaliseDecimal } from "./decimal.ts";
import { type DraftItem, itemFields, partyFields } from "./draft.ts";
import { isJsonNumber, isJsonObject, type Json, stringifyJson } from "./json.ts";

/** Goes up when the definition changes: what was recorded under another version is equal to nothing. */
const version = 1;

const numberFields: ReadonlySet<string> = new Set<keyof DraftItem>(["weight", "value", "quantity"]);

/**
 * One text for all orders that are the same: sender, receiver, item and service level by value. `0.50` is `0.5`,
 * blanks around and within a text count once, and an empty field is one that is not there. Fields that the
 * interface does not know make no difference.
 */
export function contentOf(order: Json): string {
  return `${version}:${hash("sha256", JSON.stringify(partsOf(order))).slice(0, 32)}`;
}

/** The parts in which two orders differ, as dotted fields; `isCompared` leaves parts out. */
export function differingFields(one: Json, other: Json, isCompared: (part: string) => boolean): string[] {
  const [a, b] = [partsOf(one), partsOf(other)];
  return fieldNames.flatMap((name, index) => {
    const part = name.split(".")[0] ?? name;
    return isCompared(part) && a[index] !== b[index] ? [name] : [];
  });
}

const fieldNames: readonly string[] = [
  ...partyFields.map((name) => `sender.${name}`),
  ...partyFields.map((name) => `receiver.${name}`),
  ...itemFields.map((name) => `item.${name}`),
  "service_type",
];

/** The value of each field in the order of `fieldNames`; 0 for one that is not there, which no text is. */
function partsOf(order: Json): readonly (string | 0)[] {
  return fieldNames.map((name) => {
    const [part = "", field] = name.split(".");
    const whole = isJsonObject(order) ? order[part] : undefined;
    const value = field === undefined ? whole : isJsonObject(whole) ? whole[field] : undefined;
    return normalise(value, field !== undefined && part === "item" && numberFields.has(field));
  });
}

function normalise(value: Json | undefined, isNumber: boolean): string | 0 {
  if (value === undefined || value === null) return 0;
  const text = isJsonNumber(value) ? value.value : typeof value === "string" ? value : stringifyJson(value);
  const bare = text.normalize("NFC").trim().replace(/\s+/g, " ");
  if (bare === "") return 0;
  return isNumber ? normaliseDecimal(bare) : bare;
}
