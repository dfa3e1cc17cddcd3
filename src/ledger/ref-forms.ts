/** Refs that a spreadsheet program most probably makes of one, or has made it of: few enough to look them up. */

import { datesOfRef, months, type PossibleDate, plainRef } from "./rewritten-ref.ts";

/** Order numbers with zeros in front are hardly longer. */
const longestPadded = 12;

/** Excel keeps so many digits of a number. */
const exactDigits = 15;

/** Excel counts days from here. */
const firstDayMs = Date.UTC(1899, 11, 30);
const dayMs = 86_400_000;

/**
 * Not all that `isRewrittenRef` knows: a number that lost digits may have been any of many, and so may the text around one.
 * Some are refs that it does not take for the same.
 */
export function formsOfRef(ref: string, nowMs: number): ReadonlySet<string> {
  const text = plainRef(ref);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const forms = new Set([
    ...formsOfNumber(text),
    ...datesOfRef(ref).flatMap((date) => formsOfDate(date, [thisYear, thisYear - 1])),
  ]);
  forms.delete(ref);
  return forms;
}

function formsOfNumber(text: string): readonly string[] {
  const [, sign = "", whole, fraction = ""] = /^([-+]?)0*(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const shown = text.replace(/\D/g, "");
  if (whole === undefined) return shown.length < 3 ? [] : [shown, shown.replace(/^0+(?=.)/, "")];
  const minus = sign === "-" ? sign : "";
  const decimals = fraction.replace(/0+$/, "");
  if (decimals !== "") return ["", "0", "00"].map((zeros) => `${minus}${whole}.${decimals}${zeros}`);
  const zeros = Array.from({ length: Math.max(0, longestPadded - whole.length) }, (_, index) => index + 1);
  const forms = [
    whole,
    ...zeros.map((count) => "0".repeat(count) + whole),
    ...[`${whole}.0`, `${whole}.00`],
    whole.replace(/\B(?=(\d{3})+$)/g, ","),
    ...roundedForms(whole),
  ];
  return [...forms.map((form) => `${minus}${form}`), `#${text}`];
}

/** What Excel and programs that calculate with floating point keep of a long number. */
function roundedForms(digits: string): readonly string[] {
  if (digits.length <= exactDigits || digits.length > 2 * exactDigits) return [];
  const number = Number(digits);
  const kept = [number, Number(number.toPrecision(exactDigits))].map((each) => BigInt(each).toString());
  return [digits.slice(0, exactDigits).padEnd(digits.length, "0"), ...kept, String(number)];
}

/** A program takes the year in which it reads the text, where the text has none. */
function formsOfDate({ year, month, day }: PossibleDate, years: readonly number[]): readonly string[] {
  const name = monthNames[month - 1] ?? "";
  const short = [
    ...pairs(month, day),
    ...pairs(day, month),
    ...[`${day}-${name}`, `${twoDigits(day)}-${name}`, `${month}月${day}日`],
  ];
  const full = (year === undefined ? years : [year]).flatMap((each) => formsOfFullDate(each, month, day));
  return [...short, ...full];
}

const monthNames = months.split("|").map((name) => name.slice(0, 1).toUpperCase() + name.slice(1));

function formsOfFullDate(year: number, month: number, day: number): readonly string[] {
  const [yy, mm, dd] = [year % 100, month, day].map(twoDigits);
  const name = monthNames[month - 1] ?? "";
  const iso = `${year}-${mm}-${dd}`;
  const ofMonth = [
    ...[...pairs(month, year), ...pairs(year, month), ...pairs(month, year % 100)],
    ...[`${name}-${yy}`, `${name}-${year}`],
  ];
  return [
    ...[iso, `${iso} 00:00:00`, `${year}/${mm}/${dd}`, `${year}-${month}-${day}`, `${year}/${month}/${day}`],
    ...[`${month}/${day}/${year}`, `${mm}/${dd}/${year}`, `${day}/${month}/${year}`, `${dd}/${mm}/${year}`],
    ...[`${dd}.${mm}.${year}`, `${year}年${month}月${day}日`, `${year}${mm}${dd}`],
    ...[`${day}-${name}-${yy}`, `${dd}-${name}-${yy}`, `${day}-${name}-${year}`],
    String((Date.UTC(year, month - 1, day) - firstDayMs) / dayMs),
    ...(day === 1 ? ofMonth : []),
  ];
}

function pairs(one: number, other: number): readonly string[] {
  const [first, second] = [twoDigits(one), twoDigits(other)];
  return ["-", "/"].flatMap((mark) => [`${one}${mark}${other}`, `${first}${mark}${second}`]);
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
