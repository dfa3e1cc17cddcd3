/** What a spreadsheet program most probably makes of a ref, or has made it of: few enough to look up. */

import { datesOfRef, months, type PossibleDate, plainRef } from "./rewritten-ref.ts";

/** A program takes no longer text for a number or a date. */
const longestForm = 40;

/** Order numbers with zeros in front are hardly longer. */
const longestPadded = 16;

/** Excel keeps so many digits of a number. */
const exactDigits = 15;

/** Excel counts days from here. */
const firstDayMs = Date.UTC(1899, 11, 30);
const dayMs = 86_400_000;

/**
 * Not all that `isRewrittenRef` knows: 1001-B may be 1001 with text around it, but rather another parcel of that order. Some
 * are refs that it does not take for the same.
 */
export function formsOfRef(ref: string, nowMs: number): ReadonlySet<string> {
  if (ref.length > longestForm) return new Set();
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
  const inBrackets = /^\((.+)\)$/.exec(text)?.[1];
  if (inBrackets !== undefined) return formsOfNumber(`-${inBrackets}`);
  const [, sign = "", whole, fraction = ""] = /^([-+]?)0*(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return [];
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
  return [...forms.map((form) => `${minus}${form}`), `#${text}`, ...(minus === "" ? [] : [`(${whole})`])];
}

/**
 * Of a number that has lost all digits after the 15th, or after the 17th, which floating point keeps: the first and the last
 * that it may have been. Both have as many digits.
 */
export function rangeOfRef(ref: string): readonly [first: string, last: string] | undefined {
  const [, kept, lost = ""] = (ref.length <= longestForm && /^(\d{15,17}?)(0+)$/.exec(plainRef(ref))) || [];
  if (kept === undefined || kept.startsWith("0")) return undefined;
  const near = [-1n, 1n].map((step) => `${BigInt(kept) + step}`);
  const [before = "", after = ""] = near.map((each) => (each.length === kept.length ? each : kept));
  return [`${before}${lost}`, `${after}${lost.replaceAll("0", "9")}`];
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
  const names = namesOf(month);
  const short = [
    ...written(month, day),
    ...written(day, month),
    ...names.flatMap((name) => [
      `${day}-${name}`,
      `${twoDigits(day)}-${name}`,
      `${name}-${day}`,
      `${name}${day}`,
    ]),
    `${month}月${day}日`,
  ];
  const full = (year === undefined ? years : [year]).flatMap((each) => formsOfFullDate(each, month, day));
  return [...short, ...full];
}

/** `Nov`, and as persons write it. */
function namesOf(month: number): readonly string[] {
  const name = months.split("|")[month - 1] ?? "";
  return [name.slice(0, 1).toUpperCase() + name.slice(1), name.toUpperCase()];
}

function formsOfFullDate(year: number, month: number, day: number): readonly string[] {
  const [yy, mm, dd] = [year % 100, month, day].map(twoDigits);
  const iso = `${year}-${mm}-${dd}`;
  const years = [year, year % 100];
  const named = namesOf(month).flatMap((name) => [
    `${day}-${name}-${yy}`,
    `${dd}-${name}-${yy}`,
    `${day}-${name}-${year}`,
  ]);
  return [
    ...years.flatMap((each) => [
      ...written(each, month, day),
      ...written(month, day, each),
      ...written(day, month, each),
    ]),
    ...[`${iso} 00:00:00`, `${dd}.${mm}.${year}`, `${year}年${month}月${day}日`, `${year}${mm}${dd}`],
    ...named,
    String((Date.UTC(year, month - 1, day) - firstDayMs) / dayMs),
    ...(day === 1 ? formsOfMonth(year, month) : []),
  ];
}

/** The first day of a month stands for a month and a year. */
function formsOfMonth(year: number, month: number): readonly string[] {
  const yy = twoDigits(year % 100);
  return [
    ...[year, year % 100].flatMap((each) => [...written(month, each), ...written(each, month)]),
    ...namesOf(month).flatMap((name) => [`${name}-${yy}`, `${name}-${year}`, `${yy}-${name}`]),
    `${year}年${month}月`,
  ];
}

/** With hyphens and with strokes, in as few digits as possible and in two. */
function written(...numbers: readonly number[]): readonly string[] {
  return ["-", "/"].flatMap((mark) => [numbers.join(mark), numbers.map(twoDigits).join(mark)]);
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
