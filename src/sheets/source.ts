/** The input file of an import as text: its fingerprint, its encoding, its form, read as a stream. */

import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { CourierError, fileError } from "../core/errors.ts";
import { nextTurn } from "../core/next-turn.ts";
import { explainSystemError } from "../core/system-errors.ts";
import { type CsvForm, findCsvForm, headerWithin } from "./sheet.ts";
import {
  createUtf8Test,
  ensureWhole,
  findMark,
  findMarkup,
  findOtherKind,
  guessUtf16,
  notText,
  type UnicodeEncoding,
} from "./text-encoding.ts";

/** Reads the bytes from the first to the last, as often as it is called, and always the same. */
export type Content = () => AsyncIterable<Uint8Array>;
/** Bytes that are in memory. Signals come only in a turn of the event loop, which nothing else would make. */
export function contentOfBytes(bytes: Uint8Array): Content {
  return async function* () {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      if (at > 0) await nextTurn();
      yield bytes.subarray(at, at + chunkBytes);
    }
  };
}

const chunkBytes = 65_536;

/** What a user may say that an input without a mark is written in. */
export const namedEncodings = ["utf-8", "gb18030", "big5", "windows-1252"] as const;
export type NamedEncoding = (typeof namedEncodings)[number];
export type Encoding = NamedEncoding | UnicodeEncoding;
export type SheetForm = "csv" | "json" | "ndjson" | "xlsx";

/** The form of its cells is that of a CSV file. */
export interface SourceFacts extends CsvForm {
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly fingerprint: string;
  /** What its mark says, else the user; else UTF-16 or UTF-8 where the bytes allow it, and GB18030, as Chinese Excel saves. */
  readonly encoding: Encoding;
  /** Neither a mark nor the user nor the bytes have said it. */
  readonly isGuessed: boolean;
  /** A spreadsheet made it, which reads UTF-8 only after a byte order mark. */
  readonly needsMark: boolean;
  readonly form: SheetForm;
}

/** Whether it can be read only once: stdin (`-`), or a pipe that has a name. */
export async function isPassing(file: string): Promise<boolean> {
  if (file === "-") return true;
  const kind = await stat(file).catch(() => undefined); // reading it reports the error
  return kind !== undefined && !kind.isFile() && !kind.isDirectory();
}

/**
 * Reads an input once to learn what it is; `named` is the encoding that the user says. Throws a file error when
 * it cannot be read or is empty.
 */
export async function inspectSource(
  content: Content,
  name: string,
  named?: NamedEncoding,
): Promise<SourceFacts> {
  const hash = createHash("sha256");
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let marked: Encoding | undefined;
  let start = "";
  let isFirst = true;
  let isUtf8 = true;
  for await (const chunk of readBytes(content, name)) {
    hash.update(chunk);
    if (isFirst) {
      const other = findOtherKind(chunk);
      if (other) throw notText(name, other, hints);
      marked = findMark(chunk) ?? (named === undefined ? guessUtf16(chunk) : undefined);
    }
    isFirst = false;
    if (start === "") start = new TextDecoder(marked ?? named).decode(chunk).trimStart().slice(0, 4096);
    isUtf8 &&= decodes(utf8, chunk);
  }
  if (isUtf8 && (marked ?? named) === undefined && !decodes(utf8)) throw cutOff(name);
  if (start === "") throw fileError(`${name} is empty`);
  const isGuessed = (marked ?? named) === undefined && !isUtf8;
  const markup = findMarkup(start);
  if (markup) throw notText(name, markup, hints);
  if (isGuessed) {
    const test = createUtf8Test();
    for await (const chunk of readBytes(content, name)) test.add(chunk);
    ensureWhole(test, name, "; where it is GB18030, add --encoding gb18030");
  }
  const encoding = marked ?? named ?? (isUtf8 ? "utf-8" : "gb18030");
  return {
    fingerprint: hash.digest("hex"),
    encoding,
    isGuessed,
    needsMark: marked !== undefined || encoding !== "utf-8",
    form: guessForm(start),
    ...findCsvForm(start, headerWithin),
  };
}

const hints = {
  table: "open it in the spreadsheet program, save it as .xlsx or “CSV UTF-8”, and import that file",
  other: "an import takes rows as .xlsx, CSV, JSON or NDJSON",
};

function decodes(decoder: InstanceType<typeof TextDecoder>, chunk?: Uint8Array): boolean {
  try {
    if (chunk) decoder.decode(chunk, { stream: true });
    else decoder.decode();
    return true;
  } catch {
    return false;
  }
}

/** [2026-11-29] above a table. */
const bracketed = /^\[[^\]{}["]*\]\s*\S/;

function guessForm(start: string): SheetForm {
  if (start[0] === "[" && !bracketed.test(start)) return "json";
  return start[0] === "{" ? "ndjson" : "csv";
}

/** The text in pieces, without a byte order mark. Throws a file error for bytes that are no text. */
export async function* readText(
  content: Content,
  name: string,
  { encoding, isGuessed }: Pick<SourceFacts, "encoding" | "isGuessed">,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch (cause) {
      if (!chunk) throw cutOff(name, cause);
      const tried = isGuessed ? "neither UTF-8 nor GB18030" : `not ${encoding.toUpperCase()}`;
      throw fileError(`${name} cannot be read as text: it is ${tried}`, {
        cause,
        hint: "save it as “CSV UTF-8” and try again, or say what it is written in with --encoding",
      });
    }
  };
  for await (const chunk of readBytes(content, name)) yield decode(chunk);
  yield decode();
}

function cutOff(name: string, cause?: unknown): CourierError {
  return fileError(`${name} ends in the middle of a character: a part of it is missing`, {
    cause,
    hint: "download or copy it again, or say what it is written in with --encoding",
  });
}

async function* readBytes(content: Content, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* content();
  } catch (error) {
    if (error instanceof CourierError) throw error;
    throw fileError(`cannot read ${name}: ${explainSystemError(error)}`, { cause: error });
  }
}
