/** Arithmetic on decimals as text: money and weights are never binary floats. */

import { largest } from "../core/extremes.ts";

/** To compute an exponent of a million digits would take minutes: such a number is text. */
const decimalPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,20}))?$/;

/** True for text that is a valid number in JSON, such as `12.50`; no exponent, sign only for negatives. */
export function isPlainDecimal(text: string): boolean {
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text);
}

/** True when two decimal texts name the same value: `2.50` and `2.5`, `1e1` and `10`. */
export function equalDecimals(a: string, b: string): boolean {
  return a === b || normaliseDecimal(a) === normaliseDecimal(b);
}

/** Sign, significant digits and exponent: one text for each value. */
export function normaliseDecimal(text: string): string {
  const match = decimalPattern.exec(text);
  if (!match) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = withoutLastZeros(digits);
  if (significant === "") return "0";
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${scale}`;
}

/** In linear time: `/0+$/` tries a long run of zeros again at each of them. */
export function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits.charAt(end - 1) === "0") end -= 1;
  return digits.slice(0, end);
}

/** More digits than any number has: `1e999999999` would fill the memory, and sums of long fees take minutes. */
const mostDigits = 400;

/** A decimal without its exponent: `1.25e1` is `12.5`. Undefined for any other text, and for a number that is too long. */
export function plainDecimal(text: string): string | undefined {
  const match = decimalPattern.exec(text);
  if (!match) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent] = match;
  const move = Number(exponent ?? 0);
  if (Math.abs(move) > mostDigits || whole.length + fraction.length > mostDigits) return undefined;
  if (exponent === undefined) return text;
  const digits = move < 0 ? whole.padStart(1 - move, "0") + fraction : whole + fraction.padEnd(move, "0");
  const at = move < 0 ? Math.max(1, whole.length + move) : whole.length + move;
  const rest = digits.slice(at);
  return `${sign}${digits.slice(0, at).replace(/^0+(?=\d)/, "")}${rest && `.${rest}`}`;
}

/** The sum of plain decimals, with as many decimals as the longest of them. */
export function sumDecimals(texts: readonly string[]): string {
  const places = largest(texts.map(decimalsOf));
  const sum = texts.reduce((total, text) => total + scaleDecimal(text, places), 0n);
  return formatScaled(sum, places);
}

/** The number of decimals of a plain decimal: 2 for `12.50`. */
export function decimalsOf(text: string): number {
  return text.split(".")[1]?.length ?? 0;
}

/** A plain decimal of at most `places` decimals as an integer: `12.5` with 2 places is 1250. */
export function scaleDecimal(text: string, places: number): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(places, "0"));
}

/** The plain decimal of a scaled integer: 1250 with 2 places is `12.50`. */
export function formatScaled(value: bigint, places: number): string {
  const sign = value < 0n ? "-" : "";
  const digits = String(value < 0n ? -value : value).padStart(places + 1, "0");
  const at = digits.length - places;
  return `${sign}${digits.slice(0, at)}${places > 0 ? `.${digits.slice(at)}` : ""}`;
}
