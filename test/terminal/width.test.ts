/** The tests of widths: cutting, padding and wrapping never exceed the columns, and never split a character. */

import { describe, expect, test } from "vitest";
import { sanitise } from "../../src/terminal/sanitise.ts";
import { cutToWidth, displayWidth, padToWidth, wrapToWidth } from "../../src/terminal/width.ts";
import { fc } from "../support/effort.ts";

test("a long text without blanks is wrapped in a moment, and no character is cut", () => {
  const family = "👨\u200d👩\u200d👧";
  const text = `${"建".repeat(996)}${family}${"设".repeat(400_000)}`;
  const lines = wrapToWidth(text, 60);
  expect(lines.join("")).toBe(text);
  expect(lines.filter((line) => line.includes(family))).toHaveLength(1);
  expect(lines.every((line) => displayWidth(line) <= 60)).toBe(true);
});

const words = fc.constantFrom(
  "a",
  "word",
  "张三",
  "深圳市南山区",
  "cafe\u0301",
  "❤️",
  "🚚",
  "ｗｉｄｅ",
  "-",
  "한국",
  "é",
  "ไทย",
);
const texts = fc
  .oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.array(words, { maxLength: 12 }).map((all) => all.join(" ")),
    fc.array(words, { maxLength: 12 }).map((all) => all.join("")),
  )
  .map(sanitise);
const columns = fc.integer({ min: 0, max: 40 });

function graphemes(text: string): string[] {
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}

test.each([
  ["", 0],
  ["abc", 3],
  ["张三", 4],
  ["ｆｕｌｌ", 8],
  ["cafe\u0301", 4],
  ["🚚", 2],
  ["한국", 4],
  ["—…", 2],
])("%s takes %i columns", (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

describe("cutting", () => {
  test("never exceeds the columns, and leaves alone what fits", () => {
    fc.assert(
      fc.property(texts, columns, (text, room) => {
        const cut = cutToWidth(text, room);
        expect(displayWidth(cut)).toBeLessThanOrEqual(room);
        if (displayWidth(text) <= room) expect(cut).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  test("falls between graphemes, and keeps as many as there is room for", () => {
    fc.assert(
      fc.property(texts, columns, (text, room) => {
        const cut = cutToWidth(text, room);
        if (cut === text || cut === "") return;
        const kept = cut.slice(0, -"…".length);
        const all = graphemes(text);
        const count = graphemes(kept).length;
        expect(all.slice(0, count).join("")).toBe(kept);
        expect(displayWidth(all.slice(0, count + 1).join("")) + 1).toBeGreaterThan(room);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["abcdef", 4, "abc…"],
    ["张三李四", 5, "张三…"],
    ["张三李四", 4, "张…"],
    ["张三", 1, "…"],
    ["abc", 0, ""],
    ["cafe\u0301s", 4, "caf…"],
  ])("%s at %i: %s", (text, room, expected) => {
    expect(cutToWidth(text, room)).toBe(expected);
  });
});

test("padding reaches the columns, and never shortens", () => {
  fc.assert(
    fc.property(texts, columns, (text, room) => {
      const padded = padToWidth(text, room);
      expect(padded.startsWith(text)).toBe(true);
      expect(displayWidth(padded)).toBe(Math.max(room, displayWidth(text)));
    }),
  );
});

describe("wrapping", () => {
  test("no line exceeds the columns, save for a character that is wider than they are", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, room) => {
        for (const line of wrapToWidth(text, room)) {
          if (displayWidth(line) > room) expect(graphemes(line.trim())).toHaveLength(1);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("loses no character that is not blank, and splits no grapheme", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, room) => {
        const lines = wrapToWidth(text, room);
        expect(lines.join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
        const joined = lines.flatMap(graphemes).filter((segment) => segment.trim() !== "");
        expect(joined).toEqual(graphemes(text).filter((segment) => segment.trim() !== ""));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["one two three", 7, ["one two", "three"]],
    ["one two three", 3, ["one", "two", "thr", "ee"]],
    ["abcdefgh ij", 4, ["abcd", "efgh", "ij"]],
    ["abcdefgh ", 4, ["abcd", "efgh"]],
    ["深圳市 南山区科技园", 6, ["深圳市", "南山区", "科技园"]],
    ["fits", 10, ["fits"]],
    ["", 10, [""]],
  ])("%j at %i", (text, room, expected) => {
    expect(wrapToWidth(text, room)).toEqual(expected);
  });
});

test("plain text, which is counted faster, has the width that it has beside any other text", () => {
  const plain = fc.string({ unit: fc.constantFrom(..."aZ 09~!手机号，。！深圳ｗ".split("")), maxLength: 60 });
  fc.assert(
    fc.property(plain, (text) => {
      expect(displayWidth(`${text}e\u0301`)).toBe(displayWidth(text) + 1);
    }),
  );
  expect(displayWidth("a手，b")).toBe(6);
});
