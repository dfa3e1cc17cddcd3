/** The flags that make up a draft, and the names under which a user knows each of its fields. */

import { textOption } from "../command/options.ts";
import { partyOptionsOf } from "../command/party-options.ts";
import { decimalOption, integerOption } from "../command/value-options.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { Draft } from "../model/draft.ts";
import { itemWords, orderFields, serviceTypes } from "../model/fields.ts";
import { isJsonNumber, isJsonObject, type Json } from "../model/json.ts";

const item = { group: "Item" };

/** One flag for each field of 2.2, 2.3 and 4.2. */
export const draftFlags = {
  ...partyOptionsOf("sender"),
  ...partyOptionsOf("receiver"),
  itemName: textOption("TEXT", itemWords.name.meaning, item),
  itemDescription: textOption("TEXT", itemWords.description.meaning, item),
  itemWeight: decimalOption("NUMBER", itemWords.weight.meaning, item),
  itemValue: decimalOption("NUMBER", itemWords.value.meaning, item),
  itemQuantity: integerOption("N", itemWords.quantity.meaning, item),
  serviceType: textOption("TYPE", "standard, express or same_day (left out: the service chooses)", {
    candidates: serviceTypes.map((value) => ({ value })),
  }),
};

/** The draft of a file with the flags laid over it; what neither gives is absent, not empty. */
export function mergeDraft(file: Draft | undefined, flags: Readonly<Record<string, unknown>>): Draft {
  const merged: Record<string, Json> = { ...(file as Record<string, Json> | undefined) };
  for (const { path, key } of orderFields) {
    const value = flags[key] as Json | undefined;
    if (value === undefined) continue;
    const [part = "", name] = path.split(".");
    if (name === undefined) merged[part] = value;
    else merged[part] = { ...(merged[part] as Record<string, Json> | undefined), [name]: value };
  }
  return merged as Draft;
}

/** The flags that make up an order, as they are typed; undefined for a draft that has a part without any field. */
export function typeFlags(draft: Draft, ref: string | undefined): string | undefined {
  const words = ref === undefined ? [] : [typeFlag("--ref", ref)];
  const parts = new Set<string>();
  for (const { path, flag } of orderFields) {
    const [part = "", name] = path.split(".");
    const whole = draft[part];
    const value = name === undefined ? whole : isJsonObject(whole) ? whole[name] : undefined;
    if (value === undefined) continue;
    parts.add(part);
    words.push(typeFlag(flag, isJsonNumber(value) ? value.value : String(value)));
  }
  return Object.keys(draft).every((part) => parts.has(part)) ? words.join(" ") : undefined;
}

function typeFlag(flag: string, value: string): string {
  return value.startsWith("-") ? `${flag}=${shellQuote(value)}` : `${flag} ${shellQuote(value)}`;
}

/**
 * The name of a field as this user gave it: the flag where a flag set it, else the path in the file,
 * else the flag that would set it. Undefined for a path that the interface does not have.
 */
export function nameField(
  path: string,
  flags: Readonly<Record<string, unknown>>,
  fileName: string | undefined,
): string | undefined {
  const known = orderFields.find((field) => field.path === path);
  if (!known) return undefined;
  if (flags[known.key] !== undefined || fileName === undefined) return known.flag;
  return `${path} in ${fileName}`;
}
