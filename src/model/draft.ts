/**
 * The draft: an order not sent yet (specification, 2.2, 2.3 and 4.2). Which sub-fields are required
 * is not specified, so none is; types are checked, and keys that the interface does not know are named.
 */

import type { JsonObject } from "./json.ts";
import { decimalSchema, type Infer, integerSchema, optional, strictObject, textSchema } from "./schema.ts";

const error = { error: "object" };

/** Functions, since making schemas is a large part of a start-up, and few runs have a draft. */
export function partySchema() {
  const field = optional(textSchema);
  return strictObject(
    { name: field, phone: field, province: field, city: field, district: field, detail: field },
    error,
  );
}

function itemSchema() {
  const [field, number] = [optional(textSchema), optional(decimalSchema)];
  return strictObject(
    { name: field, description: field, weight: number, value: number, quantity: optional(integerSchema) },
    error,
  );
}

export function draftSchema() {
  const party = optional(partySchema());
  return strictObject(
    { sender: party, receiver: party, item: optional(itemSchema()), service_type: optional(textSchema) },
    error,
  );
}

export type Draft = Infer<ReturnType<typeof draftSchema>> & JsonObject;
export type DraftParty = NonNullable<Draft["sender"]>;
export type DraftItem = NonNullable<Draft["item"]>;
