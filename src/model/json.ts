/**
 * Owns JSON: parsing that keeps every number as it was written, and writing that prints it back
 * unchanged, so that ids beyond 2^53 and sums such as `12.50` survive (owner of lossless-json).
 */

import { isLosslessNumber, LosslessNumber, parse, stringify } from "lossless-json";

/** A number as it stood in the text; `.value` is that text. */
export type JsonNumber = LosslessNumber;

export type Json = null | boolean | string | number | JsonNumber | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** The text is not JSON. `position` counts UTF-16 units from 0; `atEnd` says that the text just stops. */
export class JsonSyntaxError extends Error {
  constructor(
    readonly reason: string,
    readonly position: number,
    readonly atEnd: boolean,
    cause: unknown,
  ) {
    super(reason, { cause });
  }
}

/**
 * Parses one JSON text. Of two equal keys in an object the last counts, as in every JSON parser;
 * `duplicateKeys: "refuse"` is for files written by hand. Throws JsonSyntaxError.
 */
export function parseJson(text: string, options: { duplicateKeys?: "last" | "refuse" } = {}): Json {
  try {
    if (options.duplicateKeys === "refuse") return parse(text) as Json;
    return parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue }) as Json;
  } catch (error) {
    throw toSyntaxError(error, text);
  }
}

function toSyntaxError(error: unknown, text: string): JsonSyntaxError {
  // Thousands of nested brackets exhaust the stack: hostile, or not meant as JSON.
  if (error instanceof RangeError) return new JsonSyntaxError("nested too deeply", 0, false, error);
  const message = error instanceof Error ? error.message : String(error);
  const match = /^(.*?)(?: but (?:got '.*'|reached end of input))? at position (\d+)$/su.exec(message);
  const position = match ? Number(match[2]) : 0;
  const atEnd = position >= text.trimEnd().length;
  return new JsonSyntaxError(match?.[1] ?? message, position, atEnd, error);
}

/** Writes a value as JSON; numbers print as they came. `indent` gives one member per line. */
export function stringifyJson(value: Json, indent?: number): string {
  return stringify(value, undefined, indent) ?? "null";
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
