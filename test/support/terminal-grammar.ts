/** Arbitrary texts in a terminal's own grammar: all that a service could say to act on one. */

import { fc } from "./effort.ts";

const c1 = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 0x40);
/** An introducer in both of its forms: ESC and a letter, or one C1 character. */
const introducer = (letter: string) => fc.constantFrom(`\u001b${letter}`, c1(letter));
const terminator = fc.constantFrom("\u0007", "\u001b\\", "\u009c", "");
const payload = fc.string({ unit: "grapheme-ascii", maxLength: 12 });

/** CSI: cursor, erasing, modes, scrolling, reports, colours, window operations. */
const csi = fc
  .tuple(
    introducer("["),
    fc.constantFrom("", "?", ">", "=", "!", "$"),
    fc.array(fc.constantFrom("0", "1", "2", "5", "6", "25", "31", "38;5;1", "999", "1049", "2004", ""), {
      maxLength: 3,
    }),
    fc.constantFrom(..."ABCDEFGHJKLMPSTXZ@`abcdefghlmnpqrstuvxyz"),
  )
  .map(([start, prefix, numbers, final]) => start + prefix + numbers.join(";") + final);

/** OSC: title, palette, hyperlinks, clipboard, notifications. */
const osc = fc
  .tuple(
    introducer("]"),
    fc.constantFrom(
      "0;",
      "1;",
      "2;",
      "4;1;",
      "8;;http://evil.test/",
      "10;",
      "52;c;",
      "104;",
      "777;notify;",
      "1337;",
    ),
    payload,
    terminator,
  )
  .map((parts) => parts.join(""));

/** DCS, SOS, PM and APC, whose contents a terminal keeps to itself. */
const strings = fc
  .tuple(fc.constantFrom("P", "X", "^", "_").chain(introducer), payload, terminator)
  .map((parts) => parts.join(""));

/** Two-character escapes: reset, save and restore, index, character sets, keypad. */
const escapes = fc
  .tuple(
    fc.constant("\u001b"),
    fc.constantFrom("c", "7", "8", "D", "E", "H", "M", "N", "O", "Z", "=", ">", "(0", "#8", "%G"),
  )
  .map((parts) => parts.join(""));

const controls = fc.integer({ min: 0, max: 0x1f }).map((code) => String.fromCharCode(code));
const c1Controls = fc.integer({ min: 0x7f, max: 0x9f }).map((code) => String.fromCharCode(code));
const movers = fc.constantFrom(
  "\t",
  "\r",
  "\n",
  "\r\n",
  "\b",
  "\b\b\b",
  "\u000b",
  "\u000c",
  "\u0085",
  "\u2028",
  "\u2029",
);
const bidi = fc.constantFrom(..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c");
const zeroWidth = fc.constantFrom(
  ..."\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u180e\u115f\u3164",
  "\u{e0041}",
);
const combining = fc
  .tuple(fc.constantFrom("\u0301", "\u0e4a", "\u20dd", "\u0489", "\ufe0f"), fc.integer({ min: 1, max: 30 }))
  .map(([mark, count]) => mark.repeat(count));
const wide = fc.constantFrom("深圳", "東", "한", "👩‍👩‍👧", "🚚", "ﷺ", "Ａ", "\u{20000}", "🇨🇳");
const privateUse = fc.constantFrom("\ue000", "\uf8ff", "\u{f0000}", "\u{10fffd}");
const surrogates = fc.constantFrom("\ud800", "\udfff", "\udc00\ud800");
const plain = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.constantFrom(
    "error: ",
    "hint: ",
    "| ",
    "  ",
    "…",
    "%s",
    "$(id)",
    "`id`",
    "{{x}}",
    "\\u001b",
    "-",
    "=1+1",
  ),
);

/** Any text, most of it hostile. */
export const terminalTexts: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      csi,
      osc,
      strings,
      escapes,
      controls,
      c1Controls,
      movers,
      bidi,
      zeroWidth,
      combining,
      wide,
      privateUse,
      surrogates,
      plain,
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));
