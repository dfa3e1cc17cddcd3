/** Which refs a spreadsheet program may have made from one another. */

import { describe, expect, test } from "vitest";
import { formsOfRef, rangeOfRef } from "../../src/ledger/ref-forms.ts";
import { isRewrittenRef } from "../../src/ledger/rewritten-ref.ts";
import { effort, fc } from "../support/effort.ts";

describe("refs that a program may have made from one another", () => {
  test.each([
    ["000001", "1"],
    ["1.10", "1.1"],
    ["1001", "1001.0"],
    ["#1003", "1003"],
    ["１００２", "1002"],
    ["abc", "ABC"],
    ["A-1 ", "a-1"],
    ["1001", "1,001"],
    ["1234567890123456789", "1234567890123450000"],
    ["1234567890123456", "1234567890123460"],
    ["3/4", "2026-03-04"],
    ["3/4", "2026-04-03 00:00:00"],
    ["3/4", "3-4-26"],
    ["3-4", "46085"],
    ["3/4", "4-Mar"],
    ["3/4", "3月4日"],
    ["3/2026", "Mar-26"],
    ["2026-2", "2026年2月"],
    ["DEC1", "1-Dec"],
    ["SEPT2", "2-Sep"],
    ["2026-03-04", "46085"],
    ["2026-03-04", "3/4/2026"],
    ["2026-03-04", "2026年3月4日"],
    ["1234567890123456789", "1234567890123456768"],
    ["1234567890123456789", "1234567890123456800"],
    ["1234567890123456789", "1.2345678901234568e+18"],
    ["12345678901234567", "12345678901234568"],
    ["9999999999999999", "10000000000000000"],
    ["123456789012345678", "123,456,789,012,345,000"],
    ["4-Mar-2026", "4-Mar-26"],
    ["2026-03-04", "4-Mar-26"],
    ["2026-03-04", "Mar 4, 2026"],
    ["2026-03-04", "4 March 2026"],
    ["4-Mar-26", "46085"],
    ["3/4", "4-Mar-26"],
    ["+1", "1"],
    ["50%", "0.5"],
    ["1,5%", "0.015"],
    ["1,5", "1.5"],
    ["1.001", "1001"],
    ["1 001,5", "1001.5"],
    ["1E5", "100000"],
    ["1e5", "1.00E+05"],
    ["12E4", "120000"],
    ["(5)", "-5"],
    ["-05", "\u22125"],
    ["1001", "SO-1001"],
    ["1002", "1002号"],
    ["1003", "N01003"],
    ["20261120", "2026-11-20"],
    ["A-001", "A\u2013001"],
    ["A-001", "A\u2011001"],
    ["A-001", "A\u2212001"],
  ])("%s and %s", (one, other) => {
    expect([isRewrittenRef(one, other), isRewrittenRef(other, one)]).toEqual([true, true]);
  });
});

describe("refs that are two numbers", () => {
  test.each([
    ["1001", "1002"],
    ["1", "10"],
    ["100", "1000"],
    ["1.1", "1.2"],
    ["A-1", "A-2"],
    ["3/4", "4/3"],
    ["3/4", "3/5"],
    ["3/4", "2026-03-05"],
    ["46085", "46086"],
    ["46085", "46450"],
    ["2026-03-04", "2026-03-05"],
    ["2026-03-04", "2025-03-04"],
    ["1001-1", "1001-2"],
    ["A1001", "B1001"],
    ["DECO12", "12-Dec"],
    ["12", "A12"],
    ["1001", "SO-10011"],
    ["123456000000", "123457000000"],
    ["1234567890123456789", "1234567890123556789"],
    ["123456789012345", "123456789012346"],
    ["1E5", "1E6"],
    ["1E5", "120000"],
    ["1.2E12", "1230000000000"],
    ["5", "-5"],
    ["50%", "50"],
    ["1,5", "15"],
    ["(5", "-5"],
    ["(5)", "5"],
    ["A-1", "A1"],
    ["4-Mar-26", "4-Mar-25"],
    ["4-Mar-26", "5-Mar-26"],
    ["", "0"],
  ])("%s and %s", (one, other) => {
    expect([isRewrittenRef(one, other), isRewrittenRef(other, one)]).toEqual([false, false]);
  });
});

const runs = { numRuns: effort(300, 20_000) };
const isRewritten = (one: string, other: string) => isRewrittenRef(one, other) && isRewrittenRef(other, one);

describe("of any ref", () => {
  const integers = fc.bigInt({ min: 0n, max: 10n ** 15n - 1n });
  const codes = fc.stringMatching(/^[A-Z]{1,3}[0-9]{1,4}-[0-9]{1,5}$/);

  test.each<readonly [string, (number: bigint) => string]>([
    ["zeros in front", (number) => `000${number}`],
    ["decimal places", (number) => `${number}.00`],
    ["a plus sign", (number) => `+${number}`],
    ["an apostrophe", (number) => `'${number}`],
    ["thousands", (number) => number.toLocaleString("en")],
    ["thousands with dots", (number) => number.toLocaleString("de")],
    ["thousands with narrow blanks", (number) => number.toLocaleString("fr")],
    ["an exponent", (number) => Number(number).toExponential()],
    ["per cent", (number) => `${number * 100n}%`],
    [
      "full width",
      (number) => `${number}`.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ],
  ])("%s are a rewriting", (_what, rewrite) => {
    fc.assert(
      fc.property(integers, (number) => isRewritten(`${number}`, rewrite(number))),
      runs,
    );
  });

  test("a negative number in brackets, and a decimal comma, are rewritings", () => {
    fc.assert(
      fc.property(integers, fc.nat(99), (whole, fraction) => {
        const brackets = isRewritten(`-${whole + 1n}`, `(${whole + 1n})`);
        return brackets && isRewritten(`${whole}.${fraction}`, `${whole},${fraction}`);
      }),
      runs,
    );
  });

  test("what a program keeps of a long number is a rewriting: 15 digits, or a float", () => {
    const long = fc.bigInt({ min: 10n ** 15n, max: 10n ** 25n });
    fc.assert(
      fc.property(long, (number) => {
        const text = `${number}`;
        const forms = [
          text.slice(0, 15).padEnd(text.length, "0"),
          BigInt(Number(number)).toString(),
          Number(number).toPrecision(15),
          Number(number).toExponential(),
          `${text.slice(0, 15)}${"7".repeat(text.length - 15)}`,
        ];
        return forms.every((form) => isRewritten(text, form));
      }),
      runs,
    );
  });

  test("a date in another form is a rewriting", () => {
    const days = fc.date({ min: new Date("2000-01-01"), max: new Date("2029-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(days, (date) => {
        const iso = date.toISOString().slice(0, 10);
        const [year = "", month = "", day = ""] = iso.split("-");
        const name = date.toLocaleString("en", { month: "short", timeZone: "UTC" });
        const serial = Math.floor(date.getTime() / 86_400_000) + 25_569;
        const short = `${Number(day)}-${name}-${year.slice(2)}`;
        const forms = [
          short,
          `${Number(day)}-${name}-${year}`,
          `${month}/${day}/${year}`,
          `${day}.${month}.${year}`,
        ];
        return [...forms, `${serial}`, `${iso} 00:00:00`].every((form) => isRewritten(iso, form));
      }),
      runs,
    );
  });

  test("another dash, other letters' case and blanks are a rewriting", () => {
    fc.assert(
      fc.property(
        codes,
        fc.constantFrom("\u2010", "\u2011", "\u2013", "\u2014", "\u2212", "\uff0d"),
        (code, dash) => isRewritten(code, ` ${code.replace("-", dash).toLowerCase()} `),
      ),
      runs,
    );
  });

  test("another number or code is another ref", () => {
    fc.assert(
      fc.property(integers, integers, (one, other) => one === other || !isRewrittenRef(`${one}`, `${other}`)),
      runs,
    );
    fc.assert(
      fc.property(codes, codes, (one, other) => one === other || !isRewrittenRef(one, other)),
      runs,
    );
  });
});

describe("forms that are looked up", () => {
  const nowMs = Date.UTC(2026, 10, 28);
  const small = fc.integer({ min: 1, max: 999_999 });
  const finds = (one: string, other: string) =>
    formsOfRef(one, nowMs).has(other) && isRewrittenRef(one, other);

  test("have what a program loses of a number, in both directions", () => {
    fc.assert(
      fc.property(small, fc.integer({ min: 1, max: 6 }), (number, zeros) => {
        const shown = `${"0".repeat(zeros)}${number}`;
        return [shown, `${number}.0`, `#${number}`].every(
          (form) => finds(form, `${number}`) && finds(`${number}`, form),
        );
      }),
      runs,
    );
    fc.assert(
      fc.property(small, (number) => {
        const [short, long] = [`1.${number}1`, `1.${number}10`];
        return finds(long, short) && finds(short, long);
      }),
      runs,
    );
  });

  test("have what a program keeps of a long number", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 15n, max: 10n ** 25n }), (number) => {
        const text = `${number}`;
        const kept = [text.slice(0, 15).padEnd(text.length, "0"), BigInt(Number(number)).toString()];
        return kept.every((form) => form === text || finds(text, form));
      }),
      runs,
    );
  });

  test("have the dates of two numbers, in both directions", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 364 }), fc.constantFrom("-", "/"), (day, mark) => {
        const date = new Date(Date.UTC(2026, 0, 1 + day));
        const [month, ofMonth] = [date.getUTCMonth() + 1, date.getUTCDate()];
        const name = date.toLocaleString("en", { month: "short", timeZone: "UTC" });
        const dates = [
          `${ofMonth}-${name}`,
          `${month}月${ofMonth}日`,
          date.toISOString().slice(0, 10),
          `2026/${month}/${ofMonth}`,
          `${date.getTime() / 86_400_000 + 25_569}`,
        ];
        return [`${month}${mark}${ofMonth}`, `${ofMonth}${mark}${month}`].every((pair) =>
          dates.every((form) => finds(pair, form) && finds(form, pair)),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("are none of a text that is too long for a number", () => {
    for (const long of ["1".repeat(100_000), `${"1".repeat(15)}${"0".repeat(100_000)}`, "1-".repeat(50_000)])
      expect([formsOfRef(long, nowMs).size, rangeOfRef(long)]).toEqual([0, undefined]);
  });

  test("are few, of any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+#']?[0-9]{0,40}[-./]?[0-9]{0,6}$/)), (ref) => {
        const forms = formsOfRef(ref, nowMs);
        return forms.size < 300 && !forms.has(ref);
      }),
      runs,
    );
  });
});
