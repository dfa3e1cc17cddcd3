/** Owns the input file of an import as text: its fingerprint, its encoding, its form, read as a stream. */

import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { explainSystemError, fileError } from "../core/errors.ts";
import { type Delimiter, findDelimiter } from "./sheet.ts";

/** Reads the bytes from the first to the last, as often as it is called, and always the same. */
export type Content = () => AsyncIterable<Uint8Array>;
export type Encoding = "utf-8" | "gb18030" | "utf-16le" | "utf-16be";
export type SheetForm = "csv" | "json" | "ndjson";

export interface SourceFacts {
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly fingerprint: string;
  /** UTF-8 where the bytes allow it; what is no UTF-8 is taken for GB18030, as Chinese Excel saves. */
  readonly encoding: Encoding;
  /** A spreadsheet made it, which reads UTF-8 only after a byte order mark. */
  readonly needsMark: boolean;
  readonly form: SheetForm;
  /** What parts the cells of a CSV file. */
  readonly delimiter: Delimiter;
}

/** Whether it can be read only once: stdin (`-`), or a pipe that has a name. */
export async function isPassing(file: string): Promise<boolean> {
  if (file === "-") return true;
  const kind = await stat(file).catch(() => undefined); // what is wrong with it is told when it is read
  return kind !== undefined && !kind.isFile() && !kind.isDirectory();
}

/** Reads an input once to learn what it is. Throws a file error when it cannot be read or is empty. */
export async function inspectSource(content: Content, name: string): Promise<SourceFacts> {
  const hash = createHash("sha256");
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let encoding: Encoding = "utf-8";
  let start = "";
  let isFirst = true;
  let hasMark = false;
  for await (const chunk of readBytes(content, name)) {
    hash.update(chunk);
    if (isFirst && isWorkbook(chunk)) throw workbook(name);
    if (isFirst) hasMark = chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
    if (isFirst && chunk[0] === 0xff && chunk[1] === 0xfe) encoding = "utf-16le";
    if (isFirst && chunk[0] === 0xfe && chunk[1] === 0xff) encoding = "utf-16be";
    isFirst = false;
    if (start.trim() === "") start += new TextDecoder(encoding).decode(chunk.subarray(0, 4096));
    if (encoding === "utf-8" && !decodes(utf8, chunk)) encoding = "gb18030";
  }
  if (encoding === "utf-8" && !decodes(utf8)) encoding = "gb18030";
  if (start.trim() === "") throw fileError(`${name} is empty`);
  return {
    fingerprint: hash.digest("hex"),
    encoding,
    needsMark: hasMark || encoding !== "utf-8",
    form: guessForm(start),
    delimiter: findDelimiter(start.replace(/^\uFEFF/, "")),
  };
}

/** Zip archives, as .xlsx is one, and the older .xls. */
function isWorkbook(start: Uint8Array): boolean {
  return [
    [0x50, 0x4b, 0x03, 0x04],
    [0xd0, 0xcf, 0x11, 0xe0],
  ].some((mark) => mark.every((byte, index) => start[index] === byte));
}

function workbook(name: string) {
  return fileError(`${name} is a workbook such as Excel's .xlsx, which is not a text file`, {
    hint: "open it in the spreadsheet program, save it as “CSV UTF-8”, and import that file",
  });
}

function decodes(decoder: InstanceType<typeof TextDecoder>, chunk?: Uint8Array): boolean {
  try {
    if (chunk) decoder.decode(chunk, { stream: true });
    else decoder.decode();
    return true;
  } catch {
    return false;
  }
}

function guessForm(start: string): SheetForm {
  const first = start.replace(/^\uFEFF/, "").trimStart()[0];
  if (first === "[") return "json";
  return first === "{" ? "ndjson" : "csv";
}

/** The file's text in pieces, without a byte order mark. Throws a file error for bytes that are no text. */
export async function* readText(content: Content, name: string, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch (cause) {
      const tried = encoding === "gb18030" ? "neither UTF-8 nor GB18030" : `not ${encoding.toUpperCase()}`;
      throw fileError(`${name} cannot be read as text: it is ${tried}`, {
        cause,
        hint: "save it as “CSV UTF-8” and try again",
      });
    }
  };
  for await (const chunk of readBytes(content, name)) yield decode(chunk);
  yield decode();
}

async function* readBytes(content: Content, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* content();
  } catch (error) {
    throw fileError(`cannot read ${name}: ${explainSystemError(error)}`, { cause: error });
  }
}
