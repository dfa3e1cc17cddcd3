/** Cutting blanks off: the same as a regular expression says, in a time that grows with the length alone. */

import { expect, test } from "vitest";
import { joinLines, splitEnds } from "../../src/core/blanks.ts";
import { withoutLastZeros } from "../../src/model/decimal.ts";
import { fc } from "../support/effort.ts";

const text = fc
  .array(fc.constantFrom(" ", "\t", "\n", "\r", "\u2028", "\u3000", "0", "x", "é"), { maxLength: 12 })
  .map((parts) => parts.join(""));

test("is what a regular expression removes", () => {
  fc.assert(
    fc.property(text, (given) => {
      const { lead, inner, tail } = splitEnds(given, " \t\u3000");
      expect(lead + inner + tail).toBe(given);
      expect(inner).toBe(given.replace(/^[ \t\u3000]+|[ \t\u3000]+$/g, ""));
      expect(withoutLastZeros(given)).toBe(given.replace(/0+$/, ""));
      expect(joinLines(given)).toBe(given.replace(/\s*[\n\r\u2028\u2029]\s*/g, " "));
    }),
  );
});

test.each([" ", "\t", "\u3000", "0", "\n"])(
  "takes no more than a moment for a million of %j inside",
  (each) => {
    const long = `x${each.repeat(1_000_000)}x`; // a regular expression takes an hour
    expect(splitEnds(long, " \t\u3000").inner).toBe(long);
    expect(withoutLastZeros(long)).toBe(long);
    expect(joinLines(long).length).toBe(each === "\n" ? 3 : long.length);
  },
);
