/** The tests of where and how a text fails to be JSON: position, line and column, cut short or not. */

import { describe, expect, test } from "vitest";
import { JsonSyntaxError, lineAndColumn, parseJson } from "../../src/model/json.ts";
import { fc } from "../support/effort.ts";
import { containerTexts } from "./arbitraries.ts";

function failureOf(text: string, options?: Parameters<typeof parseJson>[1]): JsonSyntaxError {
  try {
    parseJson(text, options);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error(`this is JSON: ${text}`);
}

describe("position", () => {
  test.each([
    ['{"a" 1}', 5, /Colon/],
    ['{"a":1 "b":2}', 7, /Comma/],
    ['{"a":1,}', 7, /key/],
    ["{a:1}", 1, /key/],
    ["{'a':1}", 1, /key/],
    ["[1,]", 3, /Array item/],
    ["[1 2]", 3, /Comma/],
    ["{} x", 3, /end of input/],
    ["[01]", 2, /Comma/],
    ["[1.x]", 3, /digit/],
    ["[-]", 2, /digit/],
    ['["a\nb"]', 3, /Invalid character/],
    ['["\\x"]', 2, /escape/],
    ['["\\u12g4"]', 2, /unicode/],
    ["nope", 0, /value expected/],
    ["", 0, /value expected/],
    ["{]", 1, /key/],
  ])("of %j is %i", (text, position, reason) => {
    expect(failureOf(text)).toMatchObject({ position, reason: expect.stringMatching(reason) });
  });

  test("of a repeated key is that key, whatever is in it", () => {
    const text = '{"x at position 1": 1,\n "x at position 1": 2}';
    const { position } = failureOf(text, { duplicateKeys: "refuse" });
    expect(lineAndColumn(text, position)).toEqual({ line: 2, column: 3 });
  });

  test("lies within the text, and the reason tells neither it nor the text", () => {
    fc.assert(
      fc.property(
        containerTexts,
        fc.nat(),
        fc.constantFrom("'", "}", "]", "\u0007", "x"),
        (text, at, stray) => {
          const place = at % (text.length + 1);
          const broken = text.slice(0, place) + stray + text.slice(place);
          try {
            parseJson(broken);
          } catch (error) {
            expect(error).toBeInstanceOf(JsonSyntaxError);
            const { position, reason } = error as JsonSyntaxError;
            expect(position).toBeGreaterThanOrEqual(0);
            expect(position).toBeLessThanOrEqual(broken.length);
            expect(reason).not.toMatch(/at position \d+$/);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("line and column count from 1", () => {
  test.each([
    ["abc", 0, 1, 1],
    ["abc", 3, 1, 4],
    ["a\nbc", 1, 1, 2],
    ["a\nbc", 2, 2, 1],
    ["a\r\nbc", 4, 2, 2],
    ["\n\n", 2, 3, 1],
    ["", 0, 1, 1],
  ])("%j at %i", (text, position, line, column) => {
    expect(lineAndColumn(text, position)).toEqual({ line, column });
  });

  test("of an error in a file written by hand", () => {
    const text = '{\n  "sender": {\n    "name": "张三",\n    "phone": 138 0013\n  }\n}';
    expect(lineAndColumn(text, failureOf(text).position)).toEqual({ line: 4, column: 18 });
  });
});

describe("the text just stops", () => {
  test("at every place before the end of an object or an array", () => {
    fc.assert(
      fc.property(containerTexts, (text) => {
        for (let length = 0; length < text.length; length++) {
          const { atEnd } = failureOf(text.slice(0, length));
          expect(atEnd, JSON.stringify(text.slice(0, length))).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    '["\\',
    '["\\u',
    '["\\u00',
    "[t",
    "[tru",
    "[fals",
    "[nul",
    "[-",
    "[1.",
    "[1e",
    "[1e+",
    '{"a":  ',
  ])("%j, in the middle of a token", (text) => {
    expect(failureOf(text).atEnd).toBe(true);
  });

  test.each([
    "<html></html>",
    "[1 2]",
    '["\\x"]',
    '["\\u12g4"]',
    "[truth]",
    "[nil]",
    "[1]x",
    '{"a":1}\u00a0',
    "[1,]",
    '["\\ ',
    "[tru ",
    "[TRU",
  ])("%j does not: it goes on with something else", (text) => {
    expect(failureOf(text).atEnd).toBe(false);
  });

  test("a repeated key is no such stop", () => {
    expect(failureOf('{"a":1,"a":2}', { duplicateKeys: "refuse" }).atEnd).toBe(false);
  });
});
