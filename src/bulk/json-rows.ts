/** Owns JSON rows on the way in: the elements of an array, or the lines of NDJSON, one by one. */

import { fileError } from "../core/errors.ts";
import { type Json, JsonSyntaxError, parseJson } from "../model/json.ts";

export interface JsonRow {
  /** The line that the row begins on, from 1. */
  readonly line: number;
  readonly value: Json;
}

/** One row for each line that is not blank. Throws a file error that names the line. */
export async function* readLines(text: AsyncIterable<string>, name: string): AsyncGenerator<JsonRow> {
  let rest = "";
  let line = 0;
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const each of lines) {
      line += 1;
      if (each.trim() !== "") yield { line, value: parseRow(each, line, name) };
    }
  }
  if (rest.trim() !== "") yield { line: line + 1, value: parseRow(rest, line + 1, name) };
}

/**
 * The elements of one JSON array, found by following brackets and strings, so that no more than one
 * element is in memory. Throws a file error that names the line.
 */
export async function* readElements(text: AsyncIterable<string>, name: string): AsyncGenerator<JsonRow> {
  let depth = 0;
  let line = 1;
  let startLine = 1;
  let element = "";
  let isString = false;
  let isEscaped = false;
  let isClosed = false;
  for await (const piece of text) {
    for (const character of piece) {
      if (character === "\n") line += 1;
      if (isClosed) {
        if (character.trim() !== "") throw wrong(name, line, "there is something after the array");
        continue;
      }
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (character === "\\") isEscaped = true;
        else if (character === '"') isString = false;
      } else if (character === '"') isString = true;
      else if (character === "[" || character === "{") depth += 1;
      else if (character === "]" || character === "}") depth -= 1;

      if (depth === 1 && element === "" && (character === "[" || character.trim() === "")) continue;
      if (!isString && (depth === 0 || (depth === 1 && character === ","))) {
        if (element.trim() !== "") yield { line: startLine, value: parseRow(element, startLine, name) };
        else if (depth === 1) throw wrong(name, line, "an element is missing");
        element = "";
        isClosed = depth === 0;
        continue;
      }
      if (element === "") startLine = line;
      element += character;
    }
  }
  if (!isClosed) throw wrong(name, line, "the array does not end");
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
