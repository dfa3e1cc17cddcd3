/** The fields that the result of a command has, for `--fields`: those of its JSON Schema. Loads zod. */

import { usageError } from "../core/errors.ts";
import { suggest } from "../core/suggest.ts";
import { orderDetailSchema, orderSummarySchema } from "../model/interface.ts";
import { resultSchemas, type SchemaName, spendRowSchema, timeRowSchema } from "../model/results.ts";
import { fieldPaths } from "../model/schema.ts";

/** Schemas whose fields the result may have, too: the mirror holds orders with all that the service showed. */
const sameFields: Readonly<Record<string, readonly Parameters<typeof fieldPaths>[0][]>> = {
  track: [resultSchemas["track-changes"]],
  find: [orderDetailSchema, orderSummarySchema],
  "orders-list": [orderDetailSchema, resultSchemas.find],
};

/** `--fields` of a report chooses from its rows. */
const rowSchemas = { "report-spend": spendRowSchema, "report-time": timeRowSchema };

/** `words` name the command: `orders`, `show`. None are known of a command without a schema. */
export function knownFields(words: readonly string[]): readonly string[] {
  const schemas = { ...resultSchemas, ...rowSchemas };
  const name = words.join("-");
  if (!Object.hasOwn(resultSchemas, name)) return [];
  const all = [schemas[name as SchemaName], ...(sameFields[name] ?? [])];
  return [...new Set(all.flatMap((schema) => fieldPaths(schema)))];
}

/**
 * The paths of `--fields`. The service may have fields that courier does not know: `=NAME` asks for one. Throws a usage
 * error for another unknown one, before anything is sent.
 */
export function checkFields(paths: readonly string[], words: readonly string[]): readonly string[] {
  const known = knownFields(words);
  return paths.map((path) => {
    if (path.startsWith("=") && path.length > 1) return path.slice(1);
    if (known.includes(path) || known.length === 0) return path;
    const nearest = suggest(path, known);
    throw usageError(
      `--fields: there is no field “${path}”${nearest ? `; did you mean ${nearest}?` : ""} (fields: ${known.join(", ")})`,
      `to ask for a field that courier does not know: =${path}`,
    );
  });
}
