/** The text of a workbook's number: exact digits, dates as ISO text, leading zeros where the format writes them. */

import { fillDigits, hasWords, type Pieces, readPieces, zerosOnly } from "./format-pieces.ts";

/** What a format makes of a number, as far as it changes which text is meant. */
export type NumberFormat = (
  | { readonly kind: "plain" }
  | { readonly kind: "date" }
  /** Hours that may be more than a day's. */
  | { readonly kind: "elapsed" }
  | { readonly kind: "scientific"; readonly decimals: number }
  | { readonly kind: "zeros"; readonly width: number }
  /** It writes digits of its own. `zeros`: its places and zeros, where it has nothing else to follow. */
  | { readonly kind: "other"; readonly code: string; readonly zeros: Pieces | undefined }
) & {
  /** What it writes with words around a number, and around a text. */
  readonly words?: Pieces | undefined;
  readonly wordsOfText?: Pieces | undefined;
};

/** Formats that files name by number alone (ECMA-376, 18.8.30), where they are more than plain. */
const dates = [14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 47];
const chineseDates = [50, 51, 52, 53, 54, 55, 56, 57, 58];

/** `code` is the file's own for this number, if it has one. */
export function readFormat(id: number, code: string | undefined): NumberFormat {
  if (code !== undefined) return readCode(code);
  if (dates.includes(id) || chineseDates.includes(id)) return { kind: "date" };
  if (id === 46) return { kind: "elapsed" };
  if (id === 11) return { kind: "scientific", decimals: 2 };
  return id === 48 ? { kind: "scientific", decimals: 1 } : { kind: "plain" };
}

const literals = /"[^"]*"|\\.|_.|\*./g;
/** Places that change how many digits are shown, not what the words around them are. */
const decimals = /#,##(?=0)|(?<=[0#?])\.[0#?]+/g;
const inBrackets = /\[[^\]]*\]/g;

function readCode(code: string): NumberFormat {
  const sections = code.match(/(?:"[^"]*"|\\.|[^;"])+/gs) ?? [""];
  const [section = ""] = sections;
  const ofText = sections.find((each) => each.replace(literals, "").includes("@"));
  const [pieces, wordsOfText] = [readPieces(section), ofText === undefined ? undefined : readPieces(ofText)];
  const words = pieces ?? readPieces(section.replace(decimals, ""));
  return {
    ...readKind(section, pieces, code),
    ...(words && hasWords(words) && ofText !== section ? { words } : {}),
    ...(wordsOfText && hasWords(wordsOfText) ? { wordsOfText } : {}),
  };
}

function readKind(section: string, pieces: Pieces | undefined, code: string): NumberFormat {
  if (/^0{2,}$/.test(section)) return { kind: "zeros", width: section.length };
  const bare = section.replace(literals, "");
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return { kind: "elapsed" };
  const symbols = bare.replace(inBrackets, "");
  if (/E[+-]/i.test(symbols))
    return { kind: "scientific", decimals: /\.([0#?]*)/.exec(symbols)?.[1]?.length ?? 0 };
  if (/[ymdhs年月日时]/i.test(symbols)) return { kind: "date" };
  const written = (section.match(literals) ?? []).join("");
  const isOwn = /00|0[^0#?.,%\s]+0/.test(symbols.split(".", 1)[0] ?? "") || /\d/.test(written);
  // Chinese digits, or words that depend on the number.
  const isAnother = /\[DBNum/i.test(bare) || (/\[[<>=]/.test(bare) && /\p{L}/u.test(written));
  if (!isOwn && !isAnother) return { kind: "plain" };
  return { kind: "other", code, zeros: pieces && zerosOnly(pieces) };
}

export interface NumberText {
  readonly text: string;
  /** What is wrong with it; the text is then what there is to show. */
  readonly fault?: string;
  /** With the words that the format writes. */
  readonly shown?: string;
}

/** More digits than these, a spreadsheet does not keep. */
const mostDigits = 15;

/** `is1904`: the file counts days from 1904. */
export function formatNumber(value: number, format: NumberFormat, is1904: boolean): NumberText {
  if (!Number.isFinite(value)) return { text: String(value), fault: "holds no number" };
  if (format.kind === "date") return formatDate(value, is1904);
  if (format.kind === "elapsed") return { text: formatElapsed(value) };
  const withWords = (text: string) =>
    format.words && value >= 0 ? { shown: fillDigits(format.words, text) } : {};
  if (Number.isInteger(value)) {
    if (Math.abs(value) >= 10 ** mostDigits) return { text: plainDigits(value), fault: tooManyDigits };
    if (format.kind === "zeros" && value >= 0) return { text: String(value).padStart(format.width, "0") };
    const shown = withWords(String(value));
    if (format.kind === "other" && format.zeros && value >= 0)
      return { text: fillDigits(format.zeros, String(value)), ...shown };
    if (format.kind === "scientific") return { text: scientific(value, format.decimals) ?? String(value) };
    return { text: String(value === 0 ? 0 : value), ...shown };
  }
  const exact = String(value);
  const isShort = exact.length <= mostDigits && !exact.includes("e");
  const text = isShort ? exact : plainDigits(Number(value.toPrecision(mostDigits)));
  return { text, ...withWords(text) };
}

const tooManyDigits =
  "has more than 15 digits, and a spreadsheet keeps 15 of a number; format the column as text and enter it again";

/** 1.38E+10, where the number has no other digits than those: the others were lost when it was entered. */
function scientific(value: number, decimals: number): string | undefined {
  const shown = value.toExponential(Math.min(decimals, mostDigits));
  if (Number(shown) !== value || Math.abs(value) < 10 ** (decimals + 1)) return undefined;
  return shown.replace(/e([+-])(\d)$/, "E$10$2").replace("e", "E");
}

/** Without an exponent. */
function plainDigits(value: number): string {
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value));
  if (!match) return Object.is(value, -0) ? "0" : String(value);
  const [, sign, first = "", rest = "", exponent] = match;
  const shift = Number(exponent);
  return shift < 0
    ? `${sign}0.${"0".repeat(-shift - 1)}${first}${rest}`
    : `${sign}${first}${rest.padEnd(shift, "0")}`;
}

const dayMs = 86_400_000;
/** 9999-12-31. */
const lastDay = 2_958_465;
/** Spreadsheets have a day that 1900 did not have. */
const noDay = 60;

/** A day, a time of day, or both. */
function formatDate(value: number, is1904: boolean): NumberText {
  const days = is1904 ? value + 1_462 : value;
  if (days < 0 || days >= lastDay + 1) return { text: plainDigits(value), fault: "is no date" };
  const whole = Math.round(days * dayMs);
  const [day, timeMs] = [Math.floor(whole / dayMs), whole % dayMs];
  const time = formatTime(timeMs);
  if (value < 1) return { text: time };
  const base = Date.UTC(1899, 11, day > noDay ? 30 : 31);
  const date = day === noDay ? "1900-02-29" : new Date(base + day * dayMs).toISOString().slice(0, 10);
  return { text: timeMs === 0 ? date : `${date}T${time}` };
}

function formatElapsed(value: number): string {
  const whole = Math.round(Math.abs(value) * dayMs);
  const hours = Math.floor(whole / 3_600_000);
  return `${value < 0 ? "-" : ""}${String(hours).padStart(2, "0")}${formatTime(whole % dayMs).slice(2)}`;
}

/** 10:00:00, with milliseconds where there are any. */
function formatTime(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(11, 23).replace(".000", "");
}
