/** Reads an order file: JSON with the keys of the interface, checked for types and misspelt keys. */

import { fileError } from "../core/errors.ts";
import { suggest } from "../core/suggest.ts";
import { withArticle } from "../core/wording.ts";
import { type Draft, draftSchema } from "../model/draft.ts";
import { orderPaths } from "../model/fields.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import { parseUserJson } from "../model/json-text.ts";
import { nestKey } from "../model/nested-key.ts";
import { check, type Mismatch } from "../model/schema.ts";
import { findLostText, lostTextError } from "../sheets/lost-text.ts";
import { longestRow } from "../sheets/row-limit.ts";

/**
 * Reads an order from a file's text; `name` is how the user called the file. Throws a file error that
 * names line and column, or the path of every wrong value.
 */
export function parseOrderFile(text: string, name: string): Draft {
  if (text.trim() === "") throw fileError(`${name} is empty; an order file is a JSON object`);
  if (text.length > longestRow) {
    throw fileError(`${name} has more than 1,000,000 characters, the most that courier reads as one order`, {
      hint: "an order file holds one order; a file of many orders is for: courier orders import",
    });
  }
  const checked = check(draftSchema(), withoutSchemaKey(parseUserJson(text, name)));
  if ("value" in checked) {
    const lost = findLostText(checked.value as Draft);
    if (lost)
      throw lostTextError(name, `${lost.path} is “${lost.text}”`, { path: lost.path, value: lost.text });
    return checked.value as Draft;
  }
  const [first, ...others] = checked.mismatches.map(describeMismatch);
  throw fileError(`${name}: ${[first?.message, ...others.map(({ message }) => message)].join("; ")}`, {
    hint: checked.mismatches.length === 1 ? first?.hint : "a complete example: courier schema order",
    details: checked.mismatches.map(({ path, expected, received }) => ({ path, expected, received })),
  });
}

/** `$schema` is for editors, and is no part of the order. */
function withoutSchemaKey(content: Json): Json {
  if (!isJsonObject(content) || typeof content.$schema !== "string") return content;
  const { $schema: _forEditors, ...order } = content;
  return order;
}

function describeMismatch(mismatch: Mismatch): {
  message: string;
  hint: string | undefined;
} {
  const { path, expected, received } = mismatch;
  if (expected === "no such key") {
    const nearest = suggest(path, orderPaths);
    const nested = nestKey(mismatch, nearest);
    const meant = nested ? ` (nest it: ${nested})` : nearest ? ` (did you mean ${nearest}?)` : "";
    return {
      message: `${path} is not a key of an order${meant}`,
      hint: `the keys are sender, receiver, item and service_type`,
    };
  }
  const where = path === "" ? "an order" : path;
  const whole = expected === "integer" ? /^(-?\d+)\.0+$/.exec(received)?.[1] : undefined;
  const wanted = withArticle(expected === "integer" ? "whole number" : expected);
  return {
    message: `${where} must be ${wanted}, but is ${received}`,
    hint: whole
      ? `write ${whole}`
      : expected === "string" && received === "a number"
        ? "put it in quotes, so that it is kept as it is"
        : undefined,
  };
}
