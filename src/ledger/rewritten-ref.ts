/** Whether a spreadsheet program or a script may have made one ref from another: 000001 and 1, 3/4 and a date. */

import { withoutLastZeros } from "../model/decimal.ts";

/** True where both may be one order number. Only equal content makes it one order. */
export function isRewrittenRef(one: string, other: string): boolean {
  const [a, b] = [plainRef(one), plainRef(other)];
  if (a.replace(/^0+(?=.)/, "") === b.replace(/^0+(?=.)/, "")) return true;
  if (isShownNumber(a, b) || isShownNumber(b, a)) return true;
  const [some, others] = [readNumbers(a), readNumbers(b)];
  if (some.some((each) => others.some((another) => isSameNumber(each, another)))) return true;
  return isSameDate(readDates(a, some), readDates(b, others));
}

/** A workbook shows the number 1001 as SO-1001 where the cell's format says so, and a sheet saved as text has that. */
function isShownNumber(number: string, shown: string): boolean {
  if (!/^\d{3,}$/.test(number) || !/\p{L}|\d[^\d.,]\d/u.test(shown) || readNumbers(shown).length > 0)
    return false;
  return shown.replace(/\D/g, "").replace(/^0+/, "") === number.replace(/^0+/, "");
}

/** Without what a program changes about any text. */
export function plainRef(ref: string): string {
  const text = ref.normalize("NFKC").trim().replace(/^['#]/, "").trim().toLowerCase();
  return text.replace(/[\u2010-\u2015\u2212]/g, "-"); // hyphens, dashes and the minus sign
}

/** A number that a text may mean: `digits` without zeros at their ends, times ten to the power of `exponent`. */
interface PossibleNumber {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/** Spreadsheet programs keep so many digits of a number, and scripts hardly more. */
const exactDigits = 15;

/** `1,001` may be a thousand and one, or one and a thousandth: programs differ in it. */
function readNumbers(text: string): readonly PossibleNumber[] {
  const match = /^(\()?([-+]?)((?:\d[\d., ]*|[.,]\d+))(?:e([-+]?\d{1,3}))?( ?%)?(\))?$/.exec(text);
  if (!match) return [];
  const [, open, sign, body = "", power, percent, closed] = match;
  if ((open === undefined) !== (closed === undefined)) return [];
  const grouped = /^\d{1,3}([., ])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d*)?$/.exec(body);
  const ungrouped = grouped?.[1] === undefined ? [] : [body.replaceAll(grouped[1], "")];
  const isNegative = open !== undefined || sign === "-";
  return [body, ...ungrouped].flatMap((number): readonly PossibleNumber[] => {
    const [, whole, fraction = ""] = /^(\d*)(?:[.,](\d*))?$/.exec(number) ?? [];
    if (whole === undefined) return [];
    const written = (whole + fraction).replace(/^0+/, "");
    const digits = withoutLastZeros(written);
    if (digits === "") return [{ isNegative: false, digits, exponent: 0 }];
    const zeros = written.length - digits.length;
    const exponent = Number(power ?? 0) - fraction.length - (percent === undefined ? 0 : 2) + zeros;
    return [{ isNegative, digits, exponent }];
  });
}

function isSameNumber(one: PossibleNumber, other: PossibleNumber): boolean {
  if (one.isNegative !== other.isNegative) return false;
  if (one.digits === other.digits && one.exponent === other.exponent) return true;
  const isLong = Math.max(one.digits.length, other.digits.length) > exactDigits;
  return isLong && isWithin(one, other, Math.max(lengthOf(one), lengthOf(other)) - exactDigits);
}

/** How many digits are before the decimal point. */
function lengthOf({ digits, exponent }: PossibleNumber): number {
  return digits.length + exponent;
}

/** True where they differ by less than ten to the power of `exponent`. */
function isWithin(one: PossibleNumber, other: PossibleNumber, exponent: number): boolean {
  if (Math.abs(lengthOf(one) - lengthOf(other)) > 1) return false;
  const scale = Math.min(one.exponent, other.exponent, exponent);
  const scaled = (each: PossibleNumber) => BigInt(each.digits) * 10n ** BigInt(each.exponent - scale);
  const difference = scaled(one) - scaled(other);
  const unit = 10n ** BigInt(exponent - scale);
  return -unit < difference && difference < unit;
}

/** The dates that a spreadsheet program may see in a ref. */
export function datesOfRef(ref: string): readonly PossibleDate[] {
  const text = plainRef(ref);
  return readDates(text, readNumbers(text));
}

/** A date that a text may mean. `form`: a number of days, two numbers such as 3/4, or a date with its year or month. */
export interface PossibleDate {
  readonly form: "days" | "pair" | "date";
  readonly year?: number | undefined;
  readonly month: number;
  readonly day: number;
}

export const months = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec";
const dayMs = 86_400_000;

function readDates(text: string, numbers: readonly PossibleNumber[]): readonly PossibleDate[] {
  // Excel and LibreOffice count days from here; these are the years 1982 to 2119.
  const days = numbers.map(({ isNegative, digits, exponent }) =>
    Number(`${isNegative ? "-" : ""}${digits}e${exponent}`),
  );
  const day = days.find((each) => Number.isInteger(each) && each >= 30_000 && each < 80_400);
  if (day !== undefined) {
    const date = new Date(Date.UTC(1899, 11, 30) + day * dayMs);
    return [
      { form: "days", year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() },
    ];
  }
  const date = text.replace(/[t ]\s*\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?z?$/, "");
  const full =
    /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})$/.exec(date) ?? /^(\d{4})(年)(\d{1,2})月(\d{1,2})日$/.exec(date);
  if (full) {
    const [a, b, c] = [full[1], full[3], full[4]].map(Number) as [number, number, number];
    const orders = [
      [a, b, c],
      [c, a, b],
      [c, b, a],
    ] as const;
    return orders.flatMap(([year, month, day]) =>
      possible({ form: "date", year: inCentury(year), month, day }),
    );
  }
  const whole =
    new RegExp(`^(\\d{1,2})[-/ ](${months})[a-z]*[-/, ] ?(\\d{2,4})$`).exec(date) ??
    new RegExp(`^(${months})[a-z]*[-/ ](\\d{1,2}),?[-/ ](\\d{2,4})$`).exec(date);
  if (whole) {
    const [first = "", second = "", year = ""] = whole.slice(1);
    const [name, day] = /^\d/.test(first) ? [second, first] : [first, second];
    const month = months.split("|").indexOf(name) + 1;
    return possible({ form: "date", year: inCentury(Number(year)), month, day: Number(day) });
  }
  const named =
    new RegExp(`^(\\d{1,4})[- ](${months})[a-z]*$`).exec(date) ??
    new RegExp(`^(${months})(?:[a-z]*[- ]|t?)(\\d{1,4})$`).exec(date);
  if (named) {
    const [name, number] = /^\d/.test(named[1] ?? "") ? [named[2], named[1]] : [named[1], named[2]];
    const month = months.split("|").indexOf(name ?? "") + 1;
    return datesOf("date", month, Number(number));
  }
  const chinese = /^(\d{1,2})月(\d{1,2})日$/.exec(date);
  if (chinese) return datesOf("date", Number(chinese[1]), Number(chinese[2]));
  const ofMonth = /^(\d{4})年(\d{1,2})月$/.exec(date);
  if (ofMonth) return possible({ form: "date", year: Number(ofMonth[1]), month: Number(ofMonth[2]), day: 1 });
  const pair = /^(\d{1,4})[-/](\d{1,4})$/.exec(date);
  if (!pair) return [];
  const [a, b] = [Number(pair[1]), Number(pair[2])];
  return [...datesOf("pair", a, b), ...datesOf("pair", b, a)];
}

/** A month with a day, or with a year: then it is its first day. */
function datesOf(form: PossibleDate["form"], month: number, number: number): readonly PossibleDate[] {
  return [
    ...possible({ form, month, day: number }),
    ...possible({ form, year: inCentury(number), month, day: 1 }),
  ];
}

function possible(date: PossibleDate): readonly PossibleDate[] {
  const isDate = date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= 31;
  return isDate && (date.year ?? 2000) >= 1900 ? [date] : [];
}

/** As spreadsheet programs read a year of two digits. */
function inCentury(year: number): number {
  if (year >= 100) return year;
  return year < 30 ? 2000 + year : 1900 + year;
}

function isSameDate(some: readonly PossibleDate[], others: readonly PossibleDate[]): boolean {
  return some.some((one) =>
    others.some((other) => {
      // Two refs that a person numbers, such as 3/4 and 4/3, are two refs; so are two numbers.
      if (one.form === other.form && one.form !== "date") return false;
      const isYear = one.year === undefined || other.year === undefined || one.year === other.year;
      return isYear && one.month === other.month && one.day === other.day;
    }),
  );
}
