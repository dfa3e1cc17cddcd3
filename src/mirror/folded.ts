/** An answer without its field names, which are the same in almost all answers and are stored once. */

import { isJsonObject, type Json, parseOwnJson, stringifyJson } from "../model/json.ts";

export interface Folded {
  /** The value with 0 in the place of everything but objects. */
  readonly shape: string;
  /** What stands in these places, as a JSON array. */
  readonly leaves: string;
}

export function fold(value: Json): Folded {
  const leaves: Json[] = [];
  const shape = stringifyJson(takeLeaves(value, leaves));
  return { shape, leaves: stringifyJson(leaves) };
}

function takeLeaves(value: Json, leaves: Json[]): Json {
  if (isJsonObject(value)) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return Object.fromEntries(entries.map(([key, inner]) => [key, takeLeaves(inner as Json, leaves)]));
  }
  leaves.push(value);
  return 0;
}

/** `shapes` has those that were read before: almost all answers have one of a few. */
export function unfold({ shape, leaves }: Folded, shapes = new Map<string, Json>()): Json {
  const known = shapes.get(shape) ?? parseOwnJson(shape);
  shapes.set(shape, known);
  return putLeaves(known, (parseOwnJson(leaves) as readonly Json[]).values());
}

function putLeaves(shape: Json, values: Iterator<Json>): Json {
  if (!isJsonObject(shape)) return values.next().value as Json;
  return Object.fromEntries(
    Object.entries(shape).map(([key, inner]) => [key, putLeaves(inner as Json, values)]),
  );
}
