/** The built program's pattern for emoji gives texts the width that emoji-regex gives them in string-width. */

import { createRequire } from "node:module";
import { expect, test } from "vitest";

const require = createRequire(import.meta.url);
const load = (name: string, from = require): (() => RegExp) => from(name);
const ofPackage = load("emoji-regex", createRequire(require.resolve("string-width")));
const own = load("../../scripts/emoji-pattern.cjs");
const isWide: (code: number) => boolean = createRequire(require.resolve("string-width"))(
  "is-fullwidth-code-point",
);

/** As string-width measures it. */
function widthBy(pattern: () => RegExp, text: string): number {
  let width = 0;
  for (const character of text.replace(pattern(), "  ")) {
    const code = character.codePointAt(0) ?? 0;
    if (!/\p{Cc}|[\u0300-\u036f]/u.test(character)) width += isWide(code) ? 2 : 1;
  }
  return width;
}

function* characters(): Generator<string> {
  for (let code = 0x20; code < 0x20000; code++)
    if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
}

test("each character alone: only emoji that are newer than the package's are wider", () => {
  const others = [...characters()].filter((each) => widthBy(own, each) !== widthBy(ofPackage, each));
  for (const each of others) {
    expect(each).toMatch(/^\p{Emoji_Presentation}$/u);
    expect([widthBy(own, each), widthBy(ofPackage, each)]).toEqual([2, 1]);
  }
});

test("with signs for its form, and with colours of skin", () => {
  const known = [...characters()].filter((each) => ofPackage().test(each));
  expect(known.length).toBeGreaterThan(1_000);
  for (const each of known) {
    const text = /^\p{Emoji_Modifier_Base}$/u.test(each) ? `${each}🏽` : each;
    const width = widthBy(ofPackage, text);
    // A newer Unicode gives colours to more of them: then it is one emoji.
    expect([text, widthBy(own, text)]).toEqual([text, width === 4 ? 2 : width]);
  }
  for (const each of characters()) {
    if (!/^(?=\p{Emoji})\P{Emoji_Presentation}$/u.test(each)) continue;
    const text = `${each}\uFE0F`;
    expect([text, widthBy(own, text)]).toEqual([text, widthBy(ofPackage, text)]);
  }
});

test.each([
  "🇩🇪",
  "🇨🇳🇯🇵",
  "🇩",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "🏳️‍🌈",
  "🏴‍☠️",
  "👨‍👩‍👧‍👦",
  "👩‍❤️‍💋‍👨",
  "👁️‍🗨️",
  "🐕‍🦺",
  "👩🏿‍🚀",
  "🏋🏽‍♀️",
  "⛹️‍♂️",
  "1️⃣",
  "#️⃣",
  "©️ ©",
  "café – “茶”…",
  "กำ",
])("%s", (text) => {
  expect(widthBy(own, text)).toBe(widthBy(ofPackage, text));
});
