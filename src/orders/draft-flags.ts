/** The flags that make up a draft, and the names under which a user knows each of its fields. */

import { decimalOption, integerOption, textOption } from "../command/options.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { type Draft, itemFields, partyFields, serviceTypes } from "../model/draft.ts";
import { isJsonNumber, isJsonObject, type Json } from "../model/json.ts";

const item = { group: "Item" };

function party(group: string, field: (typeof partyFields)[number]) {
  return { group, values: `address ${field}` } as const;
}

/** One flag for each field of 2.2, 2.3 and 4.2; keys are `<part>` and the field's name in camelCase. */
export const draftFlags = {
  senderName: textOption("TEXT", "person name", party("Sender", "name")),
  senderPhone: textOption("TEXT", "telephone number", party("Sender", "phone")),
  senderProvince: textOption("TEXT", "province or province-level city", party("Sender", "province")),
  senderCity: textOption("TEXT", "city", party("Sender", "city")),
  senderDistrict: textOption("TEXT", "district", party("Sender", "district")),
  senderDetail: textOption("TEXT", "street-level address", party("Sender", "detail")),
  receiverName: textOption("TEXT", "person name", party("Receiver", "name")),
  receiverPhone: textOption("TEXT", "telephone number", party("Receiver", "phone")),
  receiverProvince: textOption("TEXT", "province or province-level city", party("Receiver", "province")),
  receiverCity: textOption("TEXT", "city", party("Receiver", "city")),
  receiverDistrict: textOption("TEXT", "district", party("Receiver", "district")),
  receiverDetail: textOption("TEXT", "street-level address", party("Receiver", "detail")),
  itemName: textOption("TEXT", "item name", item),
  itemDescription: textOption("TEXT", "item description", item),
  itemWeight: decimalOption("NUMBER", "item weight", item),
  itemValue: decimalOption("NUMBER", "declared value", item),
  itemQuantity: integerOption("N", "number of pieces", item),
  serviceType: textOption("TYPE", "standard, express or same_day (left out: the service chooses)", {
    candidates: serviceTypes.map((value) => ({ value })),
  }),
};

/** Every field of a draft with its flag: `sender.phone` is `--sender-phone`. */
export const draftFields: readonly { path: string; key: string; flag: string }[] = [
  ...["sender", "receiver"].flatMap((part) => partyFields.map((name) => field(part, name))),
  ...itemFields.map((name) => field("item", name)),
  { path: "service_type", key: "serviceType", flag: "--service-type" },
];

function field(part: string, name: string) {
  return {
    path: `${part}.${name}`,
    key: `${part}${name[0]?.toUpperCase()}${name.slice(1)}`,
    flag: `--${part}-${name}`,
  };
}

/** The draft of a file with the flags laid over it; what neither gives is absent, not empty. */
export function mergeDraft(file: Draft | undefined, flags: Readonly<Record<string, unknown>>): Draft {
  const merged: Record<string, Json> = { ...(file as Record<string, Json> | undefined) };
  for (const { path, key } of draftFields) {
    const value = flags[key] as Json | undefined;
    if (value === undefined) continue;
    const [part = "", name] = path.split(".");
    if (name === undefined) merged[part] = value;
    else merged[part] = { ...(merged[part] as Record<string, Json> | undefined), [name]: value };
  }
  return merged as Draft;
}

/** The flags that make up a draft, as they are typed; undefined for one that has a part without any field. */
export function typeFlags(draft: Draft): string | undefined {
  const words: string[] = [];
  const parts = new Set<string>();
  for (const { path, flag } of draftFields) {
    const [part = "", name] = path.split(".");
    const whole = draft[part];
    const value = name === undefined ? whole : isJsonObject(whole) ? whole[name] : undefined;
    if (value === undefined) continue;
    const text = isJsonNumber(value) ? value.value : String(value);
    parts.add(part);
    words.push(text.startsWith("-") ? `${flag}=${shellQuote(text)}` : `${flag} ${shellQuote(text)}`);
  }
  return Object.keys(draft).every((part) => parts.has(part)) ? words.join(" ") : undefined;
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
  const known = draftFields.find((field) => field.path === path);
  if (!known) return undefined;
  if (flags[known.key] !== undefined || fileName === undefined) return known.flag;
  return `${path} in ${fileName}`;
}
