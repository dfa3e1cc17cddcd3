/** Finds damaged texts in an order: lost and invisible characters, errors of a spreadsheet, and phones that one changed. */

import { isJsonObject, type Json } from "./json.ts";
import { maskPattern } from "./masked-text.ts";

export interface TextProblem {
  /** Dotted: `receiver.phone`. */
  readonly path: string;
  readonly value: string;
  /** What follows the field's name: `holds a tab (U+0009)`. */
  readonly message: string;
}

/** The problems of all texts of an order, or of its part at `path`. */
export function findTextProblems(value: Json | undefined, path = ""): TextProblem[] {
  if (typeof value === "string") {
    const message = findTextProblem(path, value);
    return message === undefined ? [] : [{ path, value, message }];
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    findTextProblems(inner, path === "" ? name : `${path}.${name}`),
  );
}

const ascii = /^[ -~]*$/;

/** Names and addresses may have line breaks, and joiners for Arabic, Hindi and emoji; no other invisible characters. */
const control = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;
const zeroWidth = /[\u200b\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/;
/** No joiner or direction mark has a meaning beside a Chinese character. */
const besideChinese = /(?<=\p{Script=Han})[\u200c-\u200f]|[\u200c-\u200f](?=\p{Script=Han})/u;
const inText = new RegExp(`${control.source}|${zeroWidth.source}|${besideChinese.source}`, "u");
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const invisibleOnly = /^(?=.*[\S\ufeff])[\s\u2800\p{Cf}\p{Default_Ignorable_Code_Point}]+$/su;
/** What programs write for characters that an encoding does not have. */
const lostOnly = /^\s*[?\ufffd][?\ufffd\s]*$/;
/** What is read in its place where the text is not in the encoding that was expected. */
const lostCharacter = "\ufffd";
/**
 * Chinese in UTF-8 that was read as Windows-1252: two or more characters, each of which became three, such as å¼ ä¼Ÿ. And
 * two marks of lost characters in UTF-8 that were read as GBK.
 */
const misread =
  /(?:[\u00e3-\u00e9](?!\s\s)(?:[\u0080-\u00bf‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ€]|\s){2}\s*){2}|锟斤拷/u;
const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/;

/** Spreadsheets write long numbers as 1.38E+10; the lost digits cannot be restored. */
const rounded = /^[+-]?\d+(\.\d+)?E[+-]?\d+$/i;
/** Phones of some countries have dots, but no short part after ten digits. */
const decimal = /^\+?(?:\d{5,}(\.0{1,2})|\d{10,}(\.\d{1,2}))$/;
/** They write these around a number that is to stay text. */
const textMark = /^\s*(?:'|="?)/;
const fullWidthDigit = /[０-９]/;
/** An index of a database takes no text of thousands of bytes. */
const longestRef = 200;

const formulaError =
  /^#(N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NULL!|NUM!|SPILL!|CALC!|FIELD!|ERROR!|GETTING_DATA)$/i;
const narrowColumn = /^#{3,}$/;

/** What is wrong where the whole text is an error of a formula, or stands for a value that was not shown. */
export function findSpreadsheetError(text: string): string | undefined {
  if (!text.includes("#")) return undefined;
  const trimmed = text.trim();
  if (formulaError.test(trimmed)) return describeFormulaError(trimmed);
  return narrowColumn.test(trimmed)
    ? `is ${trimmed}, which a spreadsheet shows in a column that is too narrow`
    : undefined;
}

export function describeFormulaError(error: string): string {
  return `holds the error ${error} of a spreadsheet`;
}

/** What is wrong with the text of a field, such as `receiver.phone` or `ref`; undefined where it can be sent. */
export function findTextProblem(path: string, text: string): string | undefined {
  const isPhone = path === "phone" || path.endsWith(".phone");
  const isNumber = isPhone || path === "ref"; // two numbers that differ must look different
  if (path === "ref" && text.length > longestRef)
    return `is too long for an order number (${text.length} characters)`;
  if (lostOnly.test(text))
    return "has only question marks: the text was lost before courier read it; save files as UTF-8";
  if (text.includes(lostCharacter)) return "holds the mark of a lost character (U+FFFD): courier reads UTF-8";
  const isAscii = ascii.test(text);
  if (!isAscii && misread.test(text))
    return "was read in another encoding than it was saved in, before courier read it; save its source as UTF-8";
  if (!isAscii && !isNumber && invisibleOnly.test(text)) return "has only invisible characters";
  const unseen = isAscii ? undefined : (isNumber ? invisible : inText).exec(text)?.[0];
  if (unseen !== undefined) return `holds ${nameCharacter(unseen)}`;
  const error = findSpreadsheetError(text);
  if (error !== undefined) return error;
  if (isNumber && rounded.test(text))
    return "was changed by a spreadsheet; format the column as text and enter it again";
  return isPhone ? findPhoneProblem(text) : undefined;
}

function findPhoneProblem(text: string): string | undefined {
  if (isHiddenPhone(text)) return "is only a part of the phone: the rest is hidden";
  const mark = textMark.exec(text)?.[0].trim();
  if (mark !== undefined) return `begins with ${mark}, as a spreadsheet marks a number that stays text`;
  if (fullWidthDigit.test(text)) return "has full-width digits; they should be 0 to 9";
  const [, zeros, decimals = zeros] = decimal.exec(text) ?? [];
  return decimals === undefined ? undefined : `ends in ${decimals}, as a spreadsheet writes a number`;
}

/** Services and platforms show a phone such as 138****4466. */
export function isHiddenPhone(text: string): boolean {
  return maskPattern.test(text);
}

/** A control character but a tab or a line break, in words: `a NUL character (U+0000)`. */
export function findControlCharacter(text: string): string | undefined {
  const found = control.exec(text)?.[0];
  return found && nameCharacter(found);
}

function nameCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `${describe(character)} (U+${code})`;
}

function describe(character: string): string {
  if (character === "\0") return "a NUL character";
  if (character === "\t") return "a tab";
  if (lineBreak.test(character)) return "a line break";
  if (/\p{Cc}/u.test(character)) return "a control character";
  return /\p{Cs}/u.test(character) ? "half a character" : "an invisible character";
}
