/** Arbitrary JSON texts in which numbers are written in every way that JSON allows. */

import { fc } from "../support/effort.ts";

/** JSON numbers as text: of any size, with trailing zeros, exponents and signed zeros. */
export const numberTexts: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9]\d{0,30}$/)),
    fc.oneof(fc.constant(""), fc.stringMatching(/^\.\d{1,20}$/)),
    fc.oneof({ weight: 3, arbitrary: fc.constant("") }, fc.stringMatching(/^[eE][+-]?\d{1,4}$/)),
  )
  .map((parts) => parts.join(""));

const strings = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "value",
    "isLosslessNumber",
    "toJSON",
    "length",
    "",
  ),
);

const blanks = fc.constantFrom("", "", " ", "\n", "\t", "\r\n  ");

/** Texts of any JSON value, with blanks anywhere; the keys of an object are unique and not numbers. */
export const jsonTexts: fc.Arbitrary<string> = fc.letrec<{ value: string; array: string; object: string }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      numberTexts,
      fc.constantFrom("null", "true", "false"),
      strings.map((text) => JSON.stringify(text)),
      tie("array"),
      tie("object"),
    ),
    array: fc
      .tuple(fc.array(tie("value"), { maxLength: 5 }), blanks)
      .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
    object: fc
      .tuple(
        fc.uniqueArray(
          fc.tuple(
            strings.filter((key) => !/^\d+$/.test(key)),
            tie("value"),
          ),
          { maxLength: 5, selector: ([key]) => key },
        ),
        blanks,
      )
      .map(([members, gap]) => {
        const inner = members.map(([key, value]) => `${JSON.stringify(key)}${gap}:${gap}${value}`);
        return `{${gap}${inner.join(`${gap},${gap}`)}${gap}}`;
      }),
  }),
).value;

/** Texts of arrays and objects only. */
export const containerTexts = jsonTexts.filter((text) => /^[[{]/.test(text));
