/** Arithmetic on decimals as text: money and weights are never binary floats. */

const decimalPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

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
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${scale}`;
}

/** The sum of plain decimals, with as many decimals as the longest of them. */
export function sumDecimals(texts: readonly string[]): string {
  const places = Math.max(0, ...texts.map((text) => text.split(".")[1]?.length ?? 0));
  const scaled = (text: string) => {
    const [whole = "", fraction = ""] = text.split(".");
    return BigInt(whole + fraction.padEnd(places, "0"));
  };
  const sum = texts.reduce((total, text) => total + scaled(text), 0n);
  const sign = sum < 0n ? "-" : "";
  const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, "0");
  const at = digits.length - places;
  return `${sign}${digits.slice(0, at)}${places > 0 ? `.${digits.slice(at)}` : ""}`;
}
