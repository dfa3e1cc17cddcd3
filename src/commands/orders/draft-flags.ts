/** Owns the flags that make up a draft, and the names under which a user knows each of its fields. */

import { type Draft, itemFields, partyFields, serviceTypes } from "../../model/draft.ts";
import type { Json } from "../../model/json.ts";
import { decimalOption, integerOption, textOption } from "../options.ts";

const sender = { group: "Sender" };
const receiver = { group: "Receiver" };
const item = { group: "Item" };

/** One flag for each field of 2.2, 2.3 and 4.2; keys are `<part>` and the field's name in camelCase. */
export const draftFlags = {
  senderName: textOption("TEXT", "person name", sender),
  senderPhone: textOption("TEXT", "telephone number", sender),
  senderProvince: textOption("TEXT", "province or province-level city", sender),
  senderCity: textOption("TEXT", "city", sender),
  senderDistrict: textOption("TEXT", "district", sender),
  senderDetail: textOption("TEXT", "street-level address", sender),
  receiverName: textOption("TEXT", "person name", receiver),
  receiverPhone: textOption("TEXT", "telephone number", receiver),
  receiverProvince: textOption("TEXT", "province or province-level city", receiver),
  receiverCity: textOption("TEXT", "city", receiver),
  receiverDistrict: textOption("TEXT", "district", receiver),
  receiverDetail: textOption("TEXT", "street-level address", receiver),
  itemName: textOption("TEXT", "item name", item),
  itemDescription: textOption("TEXT", "item description", item),
  itemWeight: decimalOption("NUMBER", "item weight", item),
  itemValue: decimalOption("NUMBER", "declared value", item),
  itemQuantity: integerOption("N", "number of pieces", item),
  serviceType: textOption("TYPE", "standard, express or same_day (left out: the service chooses)", {
    candidates: serviceTypes,
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
