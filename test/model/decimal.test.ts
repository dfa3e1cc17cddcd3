/** The tests of decimals as text. */

import { describe, expect, test } from "vitest";
import { equalDecimals, isPlainDecimal } from "../../src/model/decimal.ts";
import { fc } from "../support/effort.ts";
import { numberTexts } from "./arbitraries.ts";

/** A JSON number as a fraction of whole numbers. */
function toFraction(text: string): { numerator: bigint; denominator: bigint } {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = BigInt(`${whole}${fraction}`) * (sign === "-" ? -1n : 1n);
  const scale = BigInt(exponent) - BigInt(fraction.length);
  return scale >= 0n
    ? { numerator: digits * 10n ** scale, denominator: 1n }
    : { numerator: digits, denominator: 10n ** -scale };
}

function isSameValue(a: string, b: string): boolean {
  const [x, y] = [toFraction(a), toFraction(b)];
  return x.numerator * y.denominator === y.numerator * x.denominator;
}

/** The same value written differently: with zeros behind the point, or another exponent. */
const rewritten = fc
  .tuple(numberTexts, fc.integer({ min: 1, max: 6 }), fc.integer({ min: -6, max: 6 }))
  .map(([text, zeros, shift]) => {
    const [, mantissa = "", exponent = "0"] = /^([^eE]*)(?:[eE](.*))?$/.exec(text) ?? [];
    const longer = `${mantissa}${mantissa.includes(".") ? "" : "."}${"0".repeat(zeros)}`;
    return [text, `${shifted(longer, shift)}e${Number(exponent) - shift}`] as const;
  });

/** Multiplies by a power of ten by moving the point; leading zeros may stay. */
function shifted(text: string, places: number): string {
  const sign = text.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = text.slice(sign.length).split(".");
  const digits = `0000000${whole}${fraction}0000000`;
  const point = 7 + whole.length + places;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

describe("equality", () => {
  test("agrees with exact arithmetic", () => {
    fc.assert(
      fc.property(numberTexts, numberTexts, (a, b) => {
        expect(equalDecimals(a, b)).toBe(isSameValue(a, b));
      }),
      { numRuns: 500 },
    );
  });

  test("finds the same value however it is written", () => {
    fc.assert(
      fc.property(rewritten, ([a, b]) => {
        expect(isSameValue(a, b)).toBe(true);
        expect(equalDecimals(a, b), `${a} ${b}`).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("tells values apart that differ in their last digit", () => {
    fc.assert(
      fc.property(numberTexts, fc.integer({ min: 1, max: 9 }), (text, digit) => {
        const [, mantissa = "", exponent = ""] = /^([^eE]*)(.*)$/.exec(text) ?? [];
        const other = `${mantissa}${mantissa.includes(".") ? "" : "."}${"0".repeat(30)}${digit}${exponent}`;
        expect(equalDecimals(text, other)).toBe(false);
      }),
    );
  });

  test.each([
    ["2.50", "2.5", true],
    ["1e1", "10", true],
    ["0", "-0.00", true],
    ["0e5", "0", true],
    ["100", "1e2", true],
    ["0.1", "0.10000000000000000001", false],
    ["9007199254740993", "9007199254740992", false],
    ["1", "-1", false],
    ["x", "x", true],
    ["x", "1", false],
  ])("%s and %s: %s", (a, b, expected) => {
    expect(equalDecimals(a, b)).toBe(expected);
  });

  test("a giant exponent costs nothing", () => {
    expect(equalDecimals("1e999999999", "10e999999998")).toBe(true);
    expect(equalDecimals("1e999999999", "1e999999998")).toBe(false);
    const [one, other] = ["9", "8"].map((digit) => `1e${digit.repeat(1_000_000)}`) as [string, string];
    const beganMs = performance.now();
    expect([equalDecimals(one, other), equalDecimals(one, one)]).toEqual([false, true]);
    expect(performance.now() - beganMs).toBeLessThan(1_000);
  });
});

describe("plain decimals", () => {
  test.each(["0", "-0", "12.50", "0.001", "123456789012345678901234567890", "-3.0"])("%s is one", (text) => {
    expect(isPlainDecimal(text)).toBe(true);
  });

  test.each(["", "+1", "01", ".5", "1.", "1e3", "1,5", "1 ", " 1", "1\n", "½", "１", "0x10", "--1", "NaN"])(
    "%j is none",
    (text) => {
      expect(isPlainDecimal(text)).toBe(false);
    },
  );
});
