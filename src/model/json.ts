/**
 * JSON: parsing that keeps every number as it was written, and writing that prints it back
 * unchanged, so that ids beyond 2^53 and sums such as `12.50` survive (owner of lossless-json).
 */

import { isLosslessNumber, LosslessNumber, parse, stringify } from "lossless-json";

/** A number as it stood in the text; `.value` is that text. */
export type JsonNumber = LosslessNumber;

export type Json = null | boolean | string | number | JsonNumber | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/**
 * The text is not JSON, or is nested too deeply to be read. `position` counts UTF-16 units from 0; `atEnd`
 * says that the text just stops.
 */
export class JsonSyntaxError extends Error {
  constructor(
    readonly reason: string,
    readonly position: number,
    readonly atEnd: boolean,
    cause: unknown,
  ) {
    super(reason, { cause });
  }

  get isTooDeep(): boolean {
    return this.reason === tooDeep;
  }
}

const tooDeep = "nested too deeply";

/**
 * Parses one JSON text. Of two equal keys in an object the last counts, as in every JSON parser;
 * `duplicateKeys: "refuse"` is for files written by hand. Throws JsonSyntaxError.
 */
export function parseJson(text: string, options: { duplicateKeys?: "last" | "refuse" } = {}): Json {
  try {
    const last = { onDuplicateKey: ({ newValue }: { newValue: unknown }) => newValue };
    const value = parse(text, undefined, options.duplicateKeys === "refuse" ? undefined : last) as Json;
    if (isDeeper(value, deepestNesting)) throw new RangeError();
    return value;
  } catch (error) {
    throw toSyntaxError(error, text);
  }
}

/** Parses a text that `stringifyJson` wrote, in a fraction of the time that `parseJson` takes. */
export function parseOwnJson(text: string): Json {
  if (text.includes(numberMark)) return parseJson(text);
  const marked = text.replace(stringOrNumber, (token) =>
    token.startsWith('"') ? token : `"${numberMark}${token}"`,
  );
  return JSON.parse(marked, (_, value) =>
    typeof value === "string" && value.startsWith("\0") ? new LosslessNumber(value.slice(1)) : value,
  );
}

/** A zero character, as JSON writes it. */
const numberMark = "\\u0000";
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Far more than any answer has, and little enough for everything that walks through a value. */
const deepestNesting = 500;

function isDeeper(value: Json | undefined, levels: number): boolean {
  if (typeof value !== "object" || value === null || isJsonNumber(value)) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function toSyntaxError(error: unknown, text: string): JsonSyntaxError {
  // Thousands of nested brackets exhaust the stack: hostile, or not meant as JSON.
  if (error instanceof RangeError) return new JsonSyntaxError(tooDeep, 0, false, error);
  const message = error instanceof Error ? error.message : String(error);
  const match = /^(.*?)(?: but (?:got '.*'|reached end of input))? at position (\d+)$/su.exec(message);
  const position = match ? Number(match[2]) : 0;
  // A word or an escape that stops halfway is reported where it begins.
  const atEnd = /^(?:[ \t\r\n]*|\\(?:u[\da-fA-F]{0,3})?|tr?u?|fa?l?s?|nu?l?)$/.test(text.slice(position));
  return new JsonSyntaxError(match?.[1] ?? message, position, atEnd, error);
}

/** Writes a value as JSON; numbers print as they came. `indent` gives one member per line. */
export function stringifyJson(value: Json, indent?: number): string {
  return stringify(value, undefined, indent) ?? "null";
}

/** JSON with the keys of objects in order: one text for values that differ only in that order. */
export function canonicalJson(value: Json): string {
  return stringifyJson(sortKeys(value));
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, inner === undefined ? inner : sortKeys(inner)]),
  );
}

/** A number to be written exactly as `text`, which must be a JSON number. */
export function jsonNumber(text: string): JsonNumber {
  return new LosslessNumber(text);
}

export function isJsonNumber(value: unknown): value is JsonNumber {
  return isLosslessNumber(value);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isJsonNumber(value);
}

/** The word for a value's type in messages: `a number`, `an object`. */
export function describeType(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (isJsonNumber(value) || typeof value === "number") return "a number";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Line and column, both from 1, of a position in a text. */
export function lineAndColumn(text: string, position: number): { line: number; column: number } {
  const before = text.slice(0, position);
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.split("\n").length, column: position - lastBreak };
}

/** The value at a dotted path; undefined where there is none. */
export function valueAt(value: Json, path: string): Json | undefined {
  let current: Json | undefined = value;
  for (const key of path.split(".")) {
    if (!isJsonObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}
