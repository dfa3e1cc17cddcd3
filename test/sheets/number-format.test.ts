/** Numbers of workbooks as texts: what their formats change, and what they do not. */

import { describe, expect, test } from "vitest";
import { formatNumber, readFormat } from "../../src/sheets/number-format.ts";
import { fc } from "../support/effort.ts";

const show = (value: number, format: string | number = 0, is1904 = false) =>
  formatNumber(
    value,
    typeof format === "string" ? readFormat(200, format) : readFormat(format, undefined),
    is1904,
  );

describe("a number without a format of its own", () => {
  test.each([
    [13800138000, "13800138000"],
    [123456789012345, "123456789012345"],
    [-7, "-7"],
    [-0, "0"],
    [0.1 + 0.2, "0.3"],
    [1.1000000000000001, "1.1"],
    [1e-7, "0.0000001"],
    [-2.5e-9, "-0.0000000025"],
    [99999999999.99, "99999999999.99"],
  ])("%s is %s", (value, text) => expect(show(value)).toEqual({ text }));

  test.each([1e15, 1234567890123456, -1e20, 1e300])("%s has lost digits, or may have", (value) => {
    expect(show(value)).toMatchObject({ fault: expect.stringContaining("more than 15 digits") });
    expect(show(value).text).not.toContain("e");
  });

  test("keeps every digit of whole numbers of up to 15, whatever the format", () => {
    const formats = ["General", "0", "@", "#,##0", "0.00", "0_ ", "¥#,##0.00;[Red]-¥#,##0.00", '0"件"', "0%"];
    const whole = fc.maxSafeInteger().map((value) => value % 1e15);
    fc.assert(
      fc.property(whole, fc.constantFrom(...formats), (value, format) => {
        expect(show(value, format).text).toBe(String(value === 0 ? 0 : value));
      }),
    );
  });

  test("is the number that a decimal of up to 15 digits was", () => {
    const decimal = fc.tuple(fc.nat(999_999_999), fc.integer({ min: 1, max: 6 }));
    fc.assert(
      fc.property(decimal, ([digits, places]) => {
        const text = (digits / 10 ** places).toFixed(places);
        expect(Number(show(Number(text)).text)).toBe(Number(text));
        expect(show(Number(text)).text).toMatch(/^\d+(\.\d*[1-9])?$/);
      }),
    );
  });
});

describe("a format", () => {
  test.each<[number, string | number, string]>([
    [42, "00000", "00042"],
    [1234567, "00000", "1234567"],
    [46053, 14, "2026-01-31"],
    [46053.4375, 22, "2026-01-31T10:30:00"],
    [46053.43750001, 22, "2026-01-31T10:30:00.001"],
    [0.4375, 20, "10:30:00"],
    [0, 14, "00:00:00"],
    [1, 14, "1900-01-01"],
    [59, 14, "1900-02-28"],
    [60, 14, "1900-02-29"],
    [61, 14, "1900-03-01"],
    [2958465, 14, "9999-12-31"],
    [46053, 'yyyy"年"m"月"d"日"', "2026-01-31"],
    [46053, "yyyy/m/d;@", "2026-01-31"],
    [46053, "[$-804]yyyy年m月d日", "2026-01-31"],
    [46053, 57, "2026-01-31"],
    [1.5, 46, "36:00:00"],
    [1.5, "[h]:mm", "36:00:00"],
    [13800000000, "0.00E+00", "1.38E+10"],
    [13800138000, "0.00E+00", "13800138000"],
    [500, "0.00E+00", "500"],
    [2, 11, "2"],
    [46053, "0", "46053"],
    [46053, '[Red]0"d"', "46053"],
    [1012345678, "000-00000000", "01012345678"],
    [1012345678, "(000) 0000-0000", "01012345678"],
    [13800138000, "000-0000-0000", "13800138000"],
    [1012345678, '"0"0', "01012345678"],
    [1012345678, "\\00", "01012345678"],
    [12, '"SO-"0000', "0012"],
    [123, "0000-00", "000123"],
    [123, "[>99]0000-00;0", "123"],
    [13800138000, '"+86 "0', "13800138000"],
    [13800138000, '"0086 "0', "13800138000"],
    [5, "00.00", "5"],
    [-5, "000-000", "-5"],
    [1.5, "000-000", "1.5"],
    [5, "#,##0_);[Red](#,##0)", "5"],
  ])("%s as %s is %s", (value, format, text) => {
    const { shown: _withWords, ...plain } = show(value, format);
    expect(plain).toEqual({ text });
  });

  test.each<[number, string, string | undefined]>([
    [12, '"建国路"0"号"', "建国路12号"],
    [5, 'General"号楼"', "5号楼"],
    [5, "G/通用格式号楼", "5号楼"],
    [7, '[Red]"客户"#', "客户7"],
    [12, '"SO-"0000', "SO-0012"],
    [5, '0\\件_ ;"无"', "5件"],
    [5, '[$-804]0"室";@', "5室"],
    [5, '[$¥-804]0"元"', undefined],
    [5, '0.0"元"', "5元"],
    [5, '#,##0"元"', "5元"],
    [2.5, '0.00"斤"', "2.5斤"],
    [5, '[DBNum1]0"室"', undefined],
    [3, '[=3]"上海市";General', undefined],
    [5, "0-0", undefined],
    [-5, '0"室"', undefined],
    [1.5, '0"室"', "1.5室"],
    [1e15, '0"室"', undefined],
    [46053, 'yyyy"年"m"月"d"日"', undefined],
  ])("%s as %s is shown with words as %s", (value, format, shown) => {
    expect(show(value, format).shown).toBe(shown);
  });

  test("of days from 1904", () => {
    expect(show(44591, 14, true)).toEqual({ text: "2026-01-31" });
    expect(show(0, 14, true)).toEqual({ text: "00:00:00" });
  });

  test.each([-1, 2958466, 1e12])("%s is no date", (value) => {
    expect(show(value, 14).fault).toBe("is no date");
  });

  test.each(["000-0000-0000", '"86"0', "0-0", "0000-00", "\\80", "[DBNum1]0", '[=3]"上海市";General'])(
    "%s writes digits of its own",
    (code) => {
      expect(readFormat(200, code)).toMatchObject({ kind: "other", code });
    },
  );

  test.each([
    "General",
    "@",
    "0.00",
    "#,##0.00",
    "0_ ",
    '0"kg"',
    "G/通用格式",
    "0.000",
    "_ * #,##0.00_ ;_ * -#,##0.00_ ",
  ])("%s leaves the digits as they are", (code) => {
    expect(readFormat(200, code)).toMatchObject({ kind: "plain" });
  });

  test("never fails, whatever is written in it", () => {
    fc.assert(
      fc.property(fc.string(), fc.double(), (code, value) => {
        expect(typeof show(value, code).text).toBe("string");
      }),
    );
  });
});
