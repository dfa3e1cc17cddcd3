/** JSON rows of an input file: the elements of an array, or objects one after the other, one by one. */

import { fileError } from "../core/errors.ts";
import { type Json, JsonSyntaxError, parseJson } from "../model/json.ts";
import { longestRow, tooLong } from "./row-limit.ts";

export interface JsonRow {
  /** The line that the row begins on, from 1. */
  readonly line: number;
  readonly value: Json;
}

/**
 * Objects one after the other: one a line (NDJSON), or each over as many lines as it likes, which one object
 * alone may be too. No more than one is in memory. Throws a file error that names the line.
 */
export async function* readObjects(text: AsyncIterable<string>, name: string): AsyncGenerator<JsonRow> {
  for await (const { line, text: object } of scan(text, name, "object")) {
    if (object[0] !== "{") throw wrong(name, line, "an object should begin here");
    yield { line, value: parseRow(object, line, name) };
  }
}

/** The elements of one JSON array, one by one. No more than one is in memory. Throws a file error that names the line. */
export async function* readElements(text: AsyncIterable<string>, name: string): AsyncGenerator<JsonRow> {
  let last: "[" | "," | "]" | "element" = "[";
  for await (const { line, text: token } of scan(text, name, "element")) {
    if (token === "," || token === "]") {
      const isEmpty = last === "[" && token === "]";
      if (last !== "element" && !isEmpty) throw wrong(name, line, "an element is missing");
      last = token;
      continue;
    }
    if (last === "element") throw wrong(name, line, "a comma is missing");
    last = "element";
    yield { line, value: parseRow(token, line, name) };
  }
}

interface Token {
  /** The line that it begins on, from 1. */
  readonly line: number;
  /** All of an object or element, or the comma or bracket after an element. */
  readonly text: string;
}

/**
 * The outermost objects of a text, or the elements of the array that it is, found by following brackets and
 * strings; whether each is JSON is left to the parser.
 */
async function* scan(
  text: AsyncIterable<string>,
  name: string,
  kind: "object" | "element",
): AsyncGenerator<Token> {
  const base = kind === "element" ? 1 : 0;
  let [depth, line, startLine] = [0, 1, 1];
  let found = "";
  let [isOver, isInside, isString, isEscaped] = [false, false, false, false];
  for await (const piece of text) {
    let from = 0;
    const finish = (end: number): Token => {
      const token = { line: startLine, text: found + piece.slice(from, end) };
      [found, isInside] = ["", false];
      return token;
    };
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
      if (depth > base) {
        if (character === '"') isString = true;
        else if (character === "[" || character === "{") depth += 1;
        else if (character === "]" || character === "}") depth -= 1;
        if (depth === base) yield finish(at + 1);
        continue;
      }
      if (isBlank(character)) {
        if (isInside) yield finish(at);
        continue;
      }
      if (isOver) throw wrong(name, line, "there is something after the array");
      if (depth < base) {
        if (character !== "[") throw wrong(name, line, "an array should begin here");
        depth = base;
        continue;
      }
      const isEnd = character === "]" && base === 1;
      if (isEnd || (character === "," && base === 1)) {
        if (isInside) yield finish(at);
        yield { line, text: character };
        if (isEnd) [depth, isOver] = [0, true];
        continue;
      }
      if (character === "]" || character === "}") {
        throw wrong(name, line, "a bracket is closed that was not opened");
      }
      if (!isInside) [from, startLine, isInside] = [at, line, true];
      if (character === '"') isString = true;
      else if (character === "[" || character === "{") depth += 1;
    }
    if (isInside) found += piece.slice(from);
    if (found.length > longestRow) throw tooLong(name, startLine, `the ${kind}`);
  }
  if (isInside && (depth > base || isString)) {
    throw wrong(name, startLine, `the ${kind} that begins here does not end`);
  }
  if (isInside && base === 0) yield { line: startLine, text: found };
  if (base === 1 && !isOver) throw wrong(name, line, "the array does not end");
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
