/** Owns JSON rows on the way in: the elements of an array, or objects one after the other, one by one. */

import { fileError } from "../core/errors.ts";
import { type Json, JsonSyntaxError, parseJson } from "../model/json.ts";

export interface JsonRow {
  /** The line that the row begins on, from 1. */
  readonly line: number;
  readonly value: Json;
}

/** Longer than any order; what grows beyond it lacks its end. */
const longestObject = 1_000_000;

/**
 * Objects one after the other: one a line (NDJSON), or each over as many lines as it likes, which one object
 * alone may be too. No more than one is in memory. Throws a file error that names the line.
 */
export async function* readObjects(text: AsyncIterable<string>, name: string): AsyncGenerator<JsonRow> {
  let depth = 0;
  let line = 1;
  let startLine = 1;
  let element = "";
  let isString = false;
  let isEscaped = false;
  for await (const piece of text) {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const character = piece[at] as string;
      if (character === "\n") line += 1;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (character === "\\") isEscaped = true;
        else if (character === '"') isString = false;
        else if (character === "\n") throw wrong(name, line - 1, "a text in quotes does not end");
        continue;
      }
      if (depth === 0) {
        if (isBlank(character)) continue;
        if (character !== "{") throw wrong(name, line, "an object should begin here");
        [from, startLine, depth] = [at, line, 1];
        continue;
      }
      if (character === '"') isString = true;
      else if (character === "[" || character === "{") depth += 1;
      else if (character === "]" || character === "}") depth -= 1;
      if (depth > 0) continue;
      yield { line: startLine, value: parseRow(element + piece.slice(from, at + 1), startLine, name) };
      element = "";
    }
    if (depth > 0) element += piece.slice(from);
    if (element.length > longestObject) break;
  }
  if (depth > 0) throw wrong(name, startLine, "the object that begins here does not end");
}

/**
 * The elements of one JSON array, found by following brackets and strings, so that no more than one
 * element is in memory. Throws a file error that names the line.
 */
export async function* readElements(text: AsyncIterable<string>, name: string): AsyncGenerator<JsonRow> {
  let place = "before" as "before" | "inside" | "after";
  let depth = 0;
  let line = 1;
  let startLine = 1;
  let count = 0;
  let element = "";
  let hasStarted = false;
  let isString = false;
  let isEscaped = false;
  for await (const piece of text) {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const character = piece[at] as string;
      if (character === "\n") line += 1;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (character === "\\") isEscaped = true;
        else if (character === '"') isString = false;
        continue;
      }
      if (isBlank(character)) continue;
      if (place === "after") throw wrong(name, line, "there is something after the array");
      if (place === "before") {
        if (character !== "[") throw wrong(name, line, "an array should begin here");
        place = "inside";
        from = at + 1;
        continue;
      }
      const isEnd = depth === 0 && (character === "]" || character === "}");
      if (isEnd || (depth === 0 && character === ",")) {
        if (character === "}") throw wrong(name, line, "a bracket is closed that was not opened");
        element += piece.slice(from, at);
        if (hasStarted) {
          count += 1;
          yield { line: startLine, value: parseRow(element, startLine, name) };
        } else if (!isEnd || count > 0) throw wrong(name, line, "an element is missing");
        if (isEnd) place = "after";
        element = "";
        hasStarted = false;
        from = at + 1;
        continue;
      }
      if (!hasStarted) startLine = line;
      hasStarted = true;
      if (character === '"') isString = true;
      else if (character === "[" || character === "{") depth += 1;
      else if (character === "]" || character === "}") depth -= 1;
    }
    if (place === "inside") element += piece.slice(from);
  }
  if (place !== "after") throw wrong(name, line, "the array does not end");
}

function isBlank(character: string): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}

function parseRow(text: string, line: number, name: string): Json {
  try {
    return parseJson(text, { duplicateKeys: "refuse" });
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw wrong(name, line, error.reason);
    throw error;
  }
}

function wrong(name: string, line: number, reason: string) {
  return fileError(`${name}, line ${line}: not valid JSON: ${reason}`, { details: { line } });
}
