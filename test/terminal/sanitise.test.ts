/** The tests of the sanitiser: nothing that acts on a terminal gets through, and nothing is lost. */

import { describe, expect, test } from "vitest";
import { parseJson, stringifyJson } from "../../src/model/json.ts";
import { sanitise, sanitiseCsv, sanitiseJson } from "../../src/terminal/sanitise.ts";
import { jsonTexts } from "../model/arbitraries.ts";
import { fc } from "../support/effort.ts";

/** Written out by code point, so that it owes nothing to the pattern under test. */
function isUnsafe(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  const within = (from: number, to: number) => code >= from && code <= to;
  return (
    within(0x00, 0x1f) ||
    within(0x7f, 0x9f) ||
    code === 0xad ||
    code === 0x34f ||
    code === 0x61c ||
    within(0x115f, 0x1160) ||
    within(0x17b4, 0x17b5) ||
    within(0x180b, 0x180f) ||
    within(0x200b, 0x200f) ||
    within(0x2028, 0x202e) ||
    within(0x2060, 0x206f) ||
    code === 0x3164 ||
    within(0xd800, 0xdfff) ||
    within(0xfdd0, 0xfdef) ||
    within(0xfe00, 0xfe0d) ||
    code === 0xfeff ||
    code === 0xffa0 ||
    within(0xfff0, 0xfffb) ||
    within(0xe0000, 0xe0fff) ||
    (code & 0xfffe) === 0xfffe
  );
}

const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc
    .array(fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)))
    .map((all) => all.join("")),
  fc
    .array(
      fc.constantFrom(
        "\u001b[2J",
        "\u009d0;x\u0007",
        "\u202e",
        "\u2066",
        "\u200b",
        "\r",
        "\n",
        "\t",
        "\ud83d",
        "a",
        "张",
        "\u0301",
      ),
    )
    .map((all) => all.join("")),
);

describe("text", () => {
  test("no unsafe character survives", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect([...sanitise(text)].filter(isUnsafe)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("none of all unsafe characters survives", () => {
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      if (isUnsafe(character) && sanitise(character).includes(character)) throw new Error(code.toString(16));
    }
  });

  test("what was made safe stays as it is", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(sanitise(sanitise(text))).toBe(sanitise(text));
      }),
    );
  });

  test.each([
    "Plain text, with marks: !?*|\\",
    "张三 深圳市南山区 科技园路1号",
    "Ünïcødé naïve",
    "नमस्ते தமிழ் ภาษาไทย",
    "مرحبا שלום",
    "❤️ ☎︎",
    "cafe\u0301",
    "   ",
  ])("%s is safe", (text) => {
    expect(sanitise(text)).toBe(text);
  });

  test.each([
    ["\u001b[31mred", "\\u001b[31mred"],
    ["\u001b]0;title\u0007", "\\u001b]0;title\\u0007"],
    ["\u009b2J", "\\u009b2J"],
    ["\u009d52;c;ZXZpbA==\u009c", "\\u009d52;c;ZXZpbA==\\u009c"],
    ["\u0090q\u009c", "\\u0090q\\u009c"],
    ["a\nb\r\nc\td", "a\\nb\\r\\nc\\td"],
    ["user\u202Egnp.exe", "user\\u202egnp.exe"],
    ["a\u2066b\u2069", "a\\u2066b\\u2069"],
    ["zero\u200bwidth\u200d\ufeff", "zero\\u200bwidth\\u200d\\ufeff"],
    ["soft\u00adhyphen", "soft\\u00adhyphen"],
    ["\u2028\u2029\u0085", "\\u2028\\u2029\\u0085"],
    ["\u{e0041}", "\\udb40\\udc41"],
    ["\ud800", "\\ud800"],
    ["\u0301\u0489a", "\\u0301\\u0489a"],
    ["back\b\bspace\u007f", "back\\u0008\\u0008space\\u007f"],
  ])("%j shows as its escapes", (text, expected) => {
    expect(sanitise(text)).toBe(expected);
  });

  test("marks that are stacked beyond every script are cut", () => {
    const zalgo = `a${"\u0301".repeat(500)}b`;
    expect(sanitise(zalgo)).toBe(`a${"\u0301".repeat(8)}…b`);
    expect(sanitise(`a${"\ufe0f".repeat(500)}`).length).toBeLessThan(20);
  });

  test("a long text takes no long time", () => {
    const startedMs = performance.now();
    sanitise("\u0301".repeat(500_000));
    sanitise("\u001b".repeat(200_000));
    sanitise("张".repeat(500_000));
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});

describe("JSON", () => {
  test("means the same to a parser, and nothing in it acts", () => {
    fc.assert(
      fc.property(jsonTexts, fc.constantFrom(undefined, 2), (text, indent) => {
        const json = stringifyJson(parseJson(text), indent);
        const safe = sanitiseJson(json);
        expect(parseJson(safe)).toEqual(parseJson(json));
        expect([...safe].filter((character) => isUnsafe(character) && character !== "\n")).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("so do strings of the worst kind, and keys", () => {
    fc.assert(
      fc.property(nasty, nasty, (key, text) => {
        const json = stringifyJson({ [`k${key}`]: text });
        const safe = sanitiseJson(json);
        expect(JSON.parse(safe)).toEqual({ [`k${key}`]: text });
        expect([...safe].filter(isUnsafe)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("a backslash before the character does not turn its escape into text", () => {
    const json = stringifyJson(["\\\u202e", "\\\\\u0085"]);
    expect(JSON.parse(sanitiseJson(json))).toEqual(["\\\u202e", "\\\\\u0085"]);
  });
});

describe("CSV", () => {
  test("keeps all but what acts on a terminal", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const acts = (character: string) => {
          const code = character.charCodeAt(0);
          return (
            code < 0x20 || (code >= 0x7f && code <= 0x9f) || /[\u202a-\u202e\u2066-\u2069]/.test(character)
          );
        };
        const safe = sanitiseCsv(text);
        expect(
          [...safe.replaceAll("\r\n", "\n")].filter((each) => acts(each) && !/[\t\n]/.test(each)),
        ).toEqual([]);
        if (![...text.replaceAll("\r\n", "\n")].some((each) => acts(each) && !/[\t\n]/.test(each)))
          expect(safe).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["\u001b[31mred\u009b2J\u0007", "\\u001b[31mred\\u009b2J\\u0007"],
    ['"two\nlines\r\nand\ta tab"', '"two\nlines\r\nand\ta tab"'],
    ["12.50\r99.00", "12.50\\r99.00"],
    ["user\u202egnp.exe", "user\\u202egnp.exe"],
    ["👩\u200d🚀 می\u200cخواهم", "👩\u200d🚀 می\u200cخواهم"],
  ])("%j is written as %j", (text, expected) => {
    expect(sanitiseCsv(text)).toBe(expected);
  });
});
