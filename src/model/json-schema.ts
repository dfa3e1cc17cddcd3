/**
 * The JSON Schemas of order files and results, made from the schemas that courier itself uses. Apart from
 * schema.ts, so that start-up does not load the part of zod that makes them.
 */

import { toJSONSchema } from "zod/mini";
import { serviceTypes } from "./fields.ts";
import type { Json } from "./json.ts";
import { resultSchemas, type SchemaName, schemaTitle } from "./results.ts";
import { decimalSchema, integerSchema } from "./schema.ts";

/** A schema of JSON Schema, draft 2020-12. Fields of the service are open: more may come. */
export function toJsonSchema(name: SchemaName): Json {
  const schema = toJSONSchema(resultSchemas[name], {
    io: "input", // what is not said of an object is allowed in it
    unrepresentable: "any",
    override({ zodSchema, jsonSchema: made }) {
      if ((zodSchema as unknown) === decimalSchema) made.type = "number";
      if ((zodSchema as unknown) === integerSchema) made.type = "integer";
      // Bounds that only say how large a JavaScript number can be.
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
    },
  });
  const { $schema, ...rest } = schema as Record<string, Json>;
  const said = name === "order" ? forEditors(rest as Node) : rest;
  return { $schema: $schema ?? null, title: schemaTitle(name), ...said };
}

const fieldWords: Readonly<Record<string, string>> = {
  sender: "who sends the parcel",
  receiver: "who gets the parcel",
  item: "what is sent",
  service_type: `how fast; the service knows ${serviceTypes.join(", ")}, and chooses where it is left out`,
  "party.name": "person name",
  "party.phone": "telephone number, as text",
  "party.province": "province or province-level city",
  "party.city": "city",
  "party.district": "district",
  "party.detail": "street-level address",
  "item.name": "item name",
  "item.description": "item description",
  "item.weight": "item weight",
  "item.value": "declared value",
  "item.quantity": "number of pieces",
};

type Node = { readonly properties?: Readonly<Record<string, Node>> };

/** With what editors show beside a field, and the key by which they find the schema of a file. */
function forEditors(schema: Node): Record<string, Json> {
  const described = describeFields(schema, (field) => field);
  const properties = { $schema: { type: "string" }, ...(described.properties as object) };
  const { service_type, ...others } = properties as Record<string, object>;
  return {
    ...described,
    properties: { ...others, service_type: { ...service_type, examples: serviceTypes } },
  };
}

/** Words by the interface's names (specification, 2.2, 2.3 and 4.2). */
function describeFields(node: Node, keyOf: (field: string) => string): Record<string, Json> {
  const fields = Object.entries(node.properties ?? {}).map(([field, inner]) => {
    const below = field === "item" ? "item" : "party";
    const described = describeFields(inner, (name) => `${below}.${name}`);
    return [field, { ...described, description: fieldWords[keyOf(field)] }] as const;
  });
  const rest = node as Record<string, Json>;
  return fields.length === 0 ? rest : { ...rest, properties: Object.fromEntries(fields) };
}
