/** Detects mojibake: text that was decoded with the wrong encoding. */

import { type CourierError, fileError } from "../core/errors.ts";
import { isJsonObject, type Json } from "../model/json.ts";

/** Throws a file error for the first text of a row that shows that GB18030 was the wrong guess. */
export function createMojibakeCheck(name: string) {
  const isMojibake = createMojibakeTest();
  return (
    record: RowText,
    header: readonly string[],
    place: { readonly row: number; readonly line: number },
  ) => {
    const row = "value" in record ? record.value : byColumns(record.cells, header);
    const found = findText(row, isMojibake);
    if (!found) return;
    throw wrongGuess(name, `row ${place.row}`, found, { ...place, column: found.path, value: found.text });
  };
}

/** The first title that shows that GB18030 was the wrong guess. */
export function findMojibake(header: readonly string[]): string | undefined {
  return header.find(createMojibakeTest());
}

/** `where` says what has the text: `row 2`. */
export function wrongGuess(name: string, where: string, found: FoundText, details: Json): CourierError {
  return fileError(describeMojibake(name, where, found), {
    hint: "save it as “CSV UTF-8”, or say what it is: --encoding windows-1252 for Western European, --encoding big5 for traditional Chinese, --encoding gb18030 where the text is right",
    details,
  });
}

/** The message for a text of a file that shows that GB18030 was the wrong guess; a key or a title is its own path. */
export function describeMojibake(name: string, where: string, { path, text }: FoundText): string {
  const column = path === text ? "" : ` in ${path}`;
  return `${name} is neither UTF-8 nor, it seems, GB18030: ${where} would have “${text}”${column}`;
}

interface FoundText {
  readonly path: string;
  readonly text: string;
}

type RowText = { readonly cells: readonly string[] } | { readonly value: Json };

function byColumns(cells: readonly string[], header: readonly string[]): Json {
  return Object.fromEntries(cells.map((cell, index) => [header[index] ?? "", cell]));
}

/** Characters without a meaning of their own. Many characters of Big5 (traditional Chinese) become such in GB18030. */
const privateUse = /\p{Co}/u;

/**
 * Detects text that was decoded as GB18030 and is in another encoding.
 *
 * Western European text, such as “Jürgen”, becomes “J黵gen”. An accented letter and the plain one after it become one
 * character, which is then surrounded by letters. The characters of everyday Chinese have no letter in their bytes, so
 * “A座B室” is none of these. In UTF-8, an accented letter becomes one of two hundred characters: “für” is “f眉r”.
 */
export function createMojibakeTest(): (text: string) => boolean {
  const mergingCharacters = charactersOver([0x81, 0xfe], [0x41, 0x5a], [0x61, 0x7a]);
  const ofUtf8 = charactersOver([0xc3, 0xc5], [0x80, 0xbf]);
  return (text) => {
    if (privateUse.test(text)) return true;
    for (let at = 0; at < text.length; at++) {
      if (text.charCodeAt(at) < 0x80) continue;
      const around = [text[at - 1] ?? "", text[at + 1] ?? ""];
      if (ofUtf8.has(text[at] as string) && around.every((each) => /^[a-z]$/.test(each))) return true;
      if (!mergingCharacters.has(text[at] as string)) continue;
      if (around.some((each) => /^[a-z]$/.test(each))) return true;
      if (around.every((each) => /^[A-Z]$/.test(each))) return true;
    }
    return false;
  };
}

type Bytes = readonly [first: number, last: number];

/** What GB18030 writes as a byte of the first range and a byte of the others. */
function charactersOver(first: Bytes, ...second: readonly Bytes[]): ReadonlySet<string> {
  const all = ([from, to]: Bytes) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const pairs = all(first).flatMap((lead) => second.flatMap(all).flatMap((each) => [lead, each]));
  return new Set(new TextDecoder("gb18030").decode(Uint8Array.from(pairs)));
}

/** The first text or key in a value that passes the test, and its path. */
export function findText(value: Json, test: (text: string) => boolean, path = ""): FoundText | undefined {
  if (typeof value === "string") return test(value) ? { path, text: value } : undefined;
  if (!Array.isArray(value) && !isJsonObject(value)) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const place = path === "" ? key : `${path}.${key}`;
    const found = test(key) ? { path: place, text: key } : findText(part as Json, test, place);
    if (found) return found;
  }
  return undefined;
}
