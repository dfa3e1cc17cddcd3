/** The fields of an order (2.2, 2.3, 4.2): what JSON, flags, questions and help call each of them. */

import { isJsonObject, type Json } from "./json.ts";

export const partyFields = ["name", "phone", "province", "city", "district", "detail"] as const;
export const itemFields = ["name", "description", "weight", "value", "quantity"] as const;
export const partyParts = ["sender", "receiver"] as const;
/** 4.2: the values that the interface names for service_type. */
export const serviceTypes = ["standard", "express", "same_day"] as const;

export type PartyField = (typeof partyFields)[number];
export type ItemField = (typeof itemFields)[number];
export type PartyPart = (typeof partyParts)[number];

interface Words {
  /** In a question or a table. */
  readonly label: string;
  /** In a help text. */
  readonly meaning: string;
  /** An integer or a decimal is kept as typed: `2.50` stays `2.50`. */
  readonly kind: "text" | "decimal" | "integer";
}

function text(label: string, meaning: string): Words {
  return { label, meaning, kind: "text" };
}

export const partyWords: Readonly<Record<PartyField, Words>> = {
  name: text("name", "person name"),
  phone: text("phone", "telephone number"),
  province: text("province", "province or province-level city"),
  city: text("city", "city"),
  district: text("district", "district"),
  detail: text("street address", "street-level address"),
};

export const itemWords: Readonly<Record<ItemField, Words>> = {
  name: text("Item name", "item name"),
  description: text("Item description", "item description"),
  weight: { label: "Item weight", meaning: "item weight", kind: "decimal" },
  value: { label: "Declared value", meaning: "declared value", kind: "decimal" },
  quantity: { label: "Number of pieces", meaning: "number of pieces", kind: "integer" },
};

export interface OrderField {
  /** In JSON, and as a column of a sheet: `sender.phone`. */
  readonly path: string;
  /** Of an option: `senderPhone`. */
  readonly key: string;
  /** `--sender-phone`. */
  readonly flag: string;
}

export const orderFields: readonly OrderField[] = [
  ...partyParts.flatMap((part) => partyFields.map((name) => fieldOf(part, name))),
  ...itemFields.map((name) => fieldOf("item", name)),
  { path: "service_type", key: "serviceType", flag: "--service-type" },
];

/** Every key an order file may hold, as dotted paths; for suggestions on misspelt ones. */
export const orderPaths: readonly string[] = [...partyParts, "item", ...orderFields.map(({ path }) => path)];

function fieldOf(part: PartyPart | "item", name: string): OrderField {
  return { path: `${part}.${name}`, key: keyOf(part, name), flag: `--${part}-${name}` };
}

/** `senderPhone`. */
export function keyOf<P extends string, N extends string>(part: P, name: N): `${P}${Capitalize<N>}` {
  return `${part}${name.charAt(0).toUpperCase()}${name.slice(1)}` as `${P}${Capitalize<N>}`;
}

/** The field of a draft at a dotted path. */
export function getField(draft: Json, path: string): Json | undefined {
  let value: Json | undefined = draft;
  for (const name of path.split(".")) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}
