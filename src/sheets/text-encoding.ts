/** What the first bytes of a file say: a text in a Unicode encoding, or something that is no text. */

import { type CourierError, fileError } from "../core/errors.ts";

export type UnicodeEncoding = "utf-8" | "utf-16le" | "utf-16be";

/** All of a text, by its mark, else as UTF-16 or UTF-8. Throws a file error for anything else. */
export function decodeText(bytes: Uint8Array, name: string): string {
  const other = findOtherKind(bytes);
  const hint = "a text file is needed here, in UTF-8";
  if (other) throw notText(name, other, { table: hint, other: hint });
  const encoding = findMark(bytes) ?? guessUtf16(bytes) ?? "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw fileError(`${name} is not a text in ${encoding.toUpperCase()}`, {
      cause,
      hint: saveAsUtf8,
    });
  }
}

/** The same for a sheet: what is not UTF-8 is taken for GB18030, as Chinese Excel saves; `isGuessed` says so. */
export function decodeSheet(
  bytes: Uint8Array,
  name: string,
): { readonly text: string; readonly isGuessed: boolean } {
  try {
    return { text: decodeText(bytes, name), isGuessed: false };
  } catch (error) {
    if (findOtherKind(bytes) || findMark(bytes) || guessUtf16(bytes)) throw error;
    const utf8 = createUtf8Test();
    utf8.add(bytes);
    ensureWhole(utf8, name);
    try {
      return { text: new TextDecoder("gb18030", { fatal: true }).decode(bytes), isGuessed: true };
    } catch {
      throw error;
    }
  }
}

/**
 * So many whole characters for each broken one are no chance: of GB18030, a fifth looks like UTF-8, mostly like rare
 * letters. One letter of Western Europe, or one character of three bytes, is enough: in one of 300 files in GB18030 that
 * have a single row of a name and goods, there are as many as broken ones.
 */
const leastWhole = 8;
const rareLetter = /[\u0180-\u07ff]/;
const enoughBroken = 1_000;

/** Whether bytes that are not UTF-8 are, but for a few characters that a program cut. */
export function createUtf8Test() {
  const decoder = new TextDecoder();
  let [whole, broken, line, brokenLine] = [0, 0, 1, 0];
  return {
    add(chunk: Uint8Array) {
      if (broken > enoughBroken && whole < broken) return;
      for (const each of decoder.decode(chunk, { stream: true })) {
        if (each === "\n") line += 1;
        else if (each === "\ufffd") {
          broken += 1;
          brokenLine ||= line;
        } else if (each > "\x7f") whole += rareLetter.test(each) ? 1 : leastWhole;
      }
    },
    /** The line of the first broken character. */
    brokenLine: () => (whole >= leastWhole * broken ? brokenLine : 0),
  };
}

/** Throws a file error for a text in UTF-8 with a broken character: read as GB18030, it would have other names. */
export function ensureWhole(
  { brokenLine }: ReturnType<typeof createUtf8Test>,
  name: string,
  otherwise = "",
): void {
  const line = brokenLine();
  if (line === 0) return;
  throw fileError(`${name} is UTF-8 with a broken character in line ${line}`, {
    hint: `correct that line, and save the file as UTF-8${otherwise}`,
  });
}

/** `hints` say what to do with a table that is no text, and with anything else. */
export function notText(
  name: string,
  { kind, isTable }: OtherKind,
  hints: { readonly table: string; readonly other: string },
): CourierError {
  if (kind === zeros.kind)
    return fileError(`${name} holds only zero bytes: it is damaged, or was never written`, {
      hint: "download or copy it again",
    });
  const hint = kind === utf32.kind ? saveAsUtf8 : isTable ? hints.table : hints.other;
  return fileError(`${name} is ${kind}, which courier does not read`, { hint });
}

/** What a file is that cannot be read as text, in a user's words. */
export interface OtherKind {
  readonly kind: string;
  /** Programs for spreadsheets open it. */
  readonly isTable?: true;
}

const utf32: OtherKind = { kind: "UTF-32" };
const zeros: OtherKind = { kind: "zero bytes" };
const saveAsUtf8 = "save it as UTF-8 and try again";

/** The first bytes of files that people take for text files. */
const kinds: readonly (OtherKind & { readonly start: string; readonly at?: number })[] = [
  { start: "PK\u0003\u0004", kind: "a workbook such as Excel's .xlsx, or another zip file", isTable: true },
  {
    start: "\u00d0\u00cf\u0011\u00e0",
    kind: "a workbook such as Excel's .xls, or another old Office file",
    isTable: true,
  },
  { start: "%PDF-", kind: "a PDF document" },
  { start: "\u0089PNG", kind: "an image (PNG)" },
  { start: "\u00ff\u00d8\u00ff", kind: "an image (JPEG)" },
  { start: "GIF8", kind: "an image (GIF)" },
  { start: "WEBP", at: 8, kind: "an image (WebP)" },
  { start: "\u001f\u008b", kind: "a gzip file" },
  { start: "7z\u00bc\u00af'\u001c", kind: "a 7z archive" },
  { start: "Rar!\u001a\u0007", kind: "a RAR archive" },
  { start: "SQLite format 3\u0000", kind: "an SQLite database" },
];

const zipStart = /^PK(?:\u0003\u0004|\u0005\u0006)/;
const oldOfficeStart = /^\u00d0\u00cf\u0011\u00e0/;

/** What may be a workbook: a zip file, or a file in the format of Office before 2007. */
export function findPackage(bytes: Uint8Array): "zip" | "old office" | undefined {
  const text = Buffer.from(bytes.subarray(0, 4)).toString("latin1");
  if (zipStart.test(text)) return "zip";
  return oldOfficeStart.test(text) ? "old office" : undefined;
}

/** What a file is by its first bytes, where they are no text that is read. */
export function findOtherKind(bytes: Uint8Array): OtherKind | undefined {
  if (bytes.length > 0 && bytes.every((byte) => byte === 0)) return zeros;
  const text = Buffer.from(bytes.subarray(0, 64)).toString("latin1");
  return (
    kinds.find(({ start, at = 0 }) => text.startsWith(start, at)) ?? (isUtf32(bytes) ? utf32 : undefined)
  );
}

/** Every character has four bytes: the last one is zero and the one before it nearly so, or the first two are. */
function isUtf32(start: Uint8Array): boolean {
  const sample = start.subarray(0, 64);
  const fits = (highest: number, high: number) =>
    sample.every((byte, index) => {
      if (index % 4 === highest) return byte === 0;
      return index % 4 !== high || byte <= highestPlane;
    });
  const hasText = sample.some((byte) => byte !== 0);
  return sample.length >= 4 && hasText && (fits(3, 2) || fits(0, 1));
}

/** Unicode has seventeen planes. */
const highestPlane = 0x10;

/** The encoding that a byte order mark names. */
export function findMark([first, second, third]: Uint8Array): UnicodeEncoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** Less than in any table or order in UTF-16, where commas, quotes and digits have a zero byte; other texts have none. */
const leastShareOfZeros = 0.1;

/** A few Chinese characters, such as 一, have a zero byte at the other place. */
const leastRatioOfPlaces = 4;

/** Knows UTF-16 without a mark by the zero bytes of its ASCII, which are nearly all at even or at odd places. */
export function guessUtf16(start: Uint8Array): UnicodeEncoding | undefined {
  const sample = start.subarray(0, 4096);
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const isAtOnePlace = Math.max(even, odd) > leastRatioOfPlaces * Math.min(even, odd);
  if (!isAtOnePlace || even + odd < (sample.length / 2) * leastShareOfZeros) return undefined;
  return odd > even ? "utf-16le" : "utf-16be";
}

/** What web shops export as .xls, and Excel opens, without being a workbook. */
export function findMarkup(start: string): OtherKind | undefined {
  if (/^<\?xml\b/i.test(start) && start.includes("urn:schemas-microsoft-com:office:spreadsheet"))
    return { kind: "an XML spreadsheet of Excel 2003", isTable: true };
  const isMarkup = /^<(?:!doctype|!--|html|head|meta|style|body|div|table|\?xml)\b/i.test(start);
  if (!isMarkup) return undefined;
  const hasTable = /<(?:table|tr|td)\b|urn:schemas-microsoft-com:office:excel/i.test(start);
  return { kind: hasTable ? "a web page that holds a table" : "a web page or XML", isTable: true };
}
