/**
 * The draft: an order not sent yet (specification, 2.2, 2.3 and 4.2). Which sub-fields are required
 * is not specified, so none is; types are checked, and keys that the interface does not know are named.
 */

import type { JsonObject } from "./json.ts";
import { decimalSchema, type Infer, integerSchema, optional, strictObject, textSchema } from "./schema.ts";

const field = optional(textSchema);

export const partySchema = strictObject(
  { name: field, phone: field, province: field, city: field, district: field, detail: field },
  { error: "object" },
);

const party = optional(partySchema);
const number = optional(decimalSchema);

const itemSchema = strictObject(
  {
    name: field,
    description: field,
    weight: number,
    value: number,
    quantity: optional(integerSchema),
  },
  { error: "object" },
);

export const draftSchema = strictObject(
  {
    sender: party,
    receiver: party,
    item: optional(itemSchema),
    service_type: field,
  },
  { error: "object" },
);

export type Draft = Infer<typeof draftSchema> & JsonObject;
export type DraftParty = NonNullable<Draft["sender"]>;
export type DraftItem = NonNullable<Draft["item"]>;
