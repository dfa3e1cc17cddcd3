/** The tests of JSON that keeps numbers: what goes in comes out, and nothing else is accepted. */

import { describe, expect, test } from "vitest";
import {
  describeType,
  isJsonNumber,
  isJsonObject,
  type JsonObject,
  JsonSyntaxError,
  jsonNumber,
  parseJson,
  parseOwnJson,
  stringifyJson,
} from "../../src/model/json.ts";
import { fc } from "../support/effort.ts";
import { jsonTexts, numberTexts } from "./arbitraries.ts";

/** The text without the blanks between its tokens. */
function compact(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}

function isValid(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

describe("what goes in comes out", () => {
  test("any text is written back token for token, every number as it was written", () => {
    fc.assert(
      fc.property(jsonTexts, fc.constantFrom(undefined, 2), (text, indent) => {
        expect(compact(stringifyJson(parseJson(text), indent))).toBe(compact(text));
      }),
      { numRuns: 500 },
    );
  });

  test("a text of its own is read as any other", () => {
    fc.assert(
      fc.property(jsonTexts, (text) => {
        const own = stringifyJson(parseJson(text));
        expect(parseOwnJson(own)).toEqual(parseJson(own));
      }),
      { numRuns: 500 },
    );
    for (const own of ['"\\u0000 1"', '{"\\u00001":["\\u0000"]}', '"\\"1"', '["1","\\\\",2]'])
      expect(parseOwnJson(own)).toEqual(parseJson(own));
  });

  test.each(["12.50", "9007199254740993", "1e400", "-0", "0.10", "1E+2", "123456789012345678901234567890"])(
    "%s survives",
    (text) => {
      expect(stringifyJson(parseJson(`{"n":${text}}`))).toBe(`{"n":${text}}`);
      expect(stringifyJson(jsonNumber(text))).toBe(text);
    },
  );

  test("means the same to every other parser", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(stringifyJson(parseJson(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  test("only a JSON number can be written as one", () => {
    for (const text of ["", "1,5", "01", "+1", ".5", "1.", "NaN", "Infinity", "0x1", "1 ", "１"]) {
      expect(() => jsonNumber(text), text).toThrow();
    }
  });

  test("undefined members are left out, as everywhere", () => {
    expect(stringifyJson({ a: undefined, b: null })).toBe('{"b":null}');
  });
});

describe("validity", () => {
  test("arbitrary texts are accepted exactly when JSON.parse accepts them", () => {
    const tokens = fc.constantFrom(
      ..."{ } [ ] , : \" \\ / - + . e E 0 1 9 t true false null u n \n \t \u00a0 \ufeff ' // NaN \\u00 \u0000 \ud800".split(
        " ",
      ),
      " ",
      '"a"',
      '"a":',
    );
    fc.assert(
      fc.property(
        fc.array(tokens).map((all) => all.join("")),
        (text) => {
          expect(isValid(() => parseJson(text))).toBe(isValid(() => JSON.parse(text)));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("so are valid texts with one change", () => {
    const characters = fc.constantFrom(...'{}[],:"\\-+.eE01 \n\t\r\f\u00a0\u2028xnulltrue', "");
    fc.assert(
      fc.property(jsonTexts, fc.nat(), fc.nat({ max: 2 }), characters, (text, place, cut, character) => {
        const at = place % (text.length + 1);
        const changed = text.slice(0, at) + character + text.slice(at + cut);
        expect(
          isValid(() => parseJson(changed)),
          changed,
        ).toBe(isValid(() => JSON.parse(changed)));
      }),
      { numRuns: 1_500 },
    );
  });

  test("the one intended difference: text nested too deeply is refused where JSON.parse may accept it", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const text = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
      expect(() => parseJson(text)).toThrow(JsonSyntaxError);
      expect(() => parseJson(open.repeat(100_000))).toThrow(JsonSyntaxError);
    }
  });

  test("what was parsed can be written, as deep as it may be", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
    expect(stringifyJson(parseJson(nested(500)))).toBe(nested(500));
    expect(stringifyJson(parseJson(nested(500)), 2)).toContain("1");
    for (const depth of [501, 2_000, 5_000, 10_000]) {
      expect(() => parseJson(nested(depth))).toThrow("nested too deeply");
    }
  });
});

describe("keys", () => {
  test("__proto__ and its like are keys as any other", () => {
    const text = '{"__proto__":{"admin":true},"constructor":1,"toString":null}';
    const parsed = parseJson(text) as JsonObject;
    expect(stringifyJson(parsed)).toBe(text);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect((parsed as { admin?: boolean }).admin).toBeUndefined();
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test("of two equal keys the last counts, as in JSON.parse", () => {
    fc.assert(
      fc.property(numberTexts, numberTexts, fc.constantFrom("a", "__proto__"), (first, second, key) => {
        const parsed = parseJson(`{"${key}":${first},"b":0,"${key}":${second}}`) as JsonObject;
        expect(stringifyJson(Object.getOwnPropertyDescriptor(parsed, key)?.value)).toBe(second);
      }),
    );
  });

  test("in a file written by hand two different values for one key are refused", () => {
    const text = '{\n  "a": 1,\n  "b": 2,\n  "a": 3\n}';
    expect(() => parseJson(text, { duplicateKeys: "refuse" })).toThrow(/Duplicate key 'a'/);
    expect(() => parseJson('{"a":{"x":1,"x":2}}', { duplicateKeys: "refuse" })).toThrow(JsonSyntaxError);
    expect(isValid(() => parseJson('{"a":{"x":1},"b":{"x":2}}', { duplicateKeys: "refuse" }))).toBe(true);
  });
});

describe("types", () => {
  test.each([
    ["null", "null"],
    ["true", "a boolean"],
    ["1.50", "a number"],
    ['"x"', "a string"],
    ["[]", "an array"],
    ["{}", "an object"],
  ])("%s is %s", (text, expected) => {
    expect(describeType(parseJson(text))).toBe(expected);
  });

  test("an object that looks like a number of the library is still an object", () => {
    const value = parseJson('{"isLosslessNumber":true,"value":"1"}');
    expect(isJsonNumber(value)).toBe(false);
    expect(isJsonObject(value)).toBe(true);
    expect(isJsonObject(parseJson("1"))).toBe(false);
    expect(isJsonObject(parseJson("[]"))).toBe(false);
    expect(isJsonObject(null)).toBe(false);
    expect(describeType(undefined)).toBe("nothing");
  });
});
