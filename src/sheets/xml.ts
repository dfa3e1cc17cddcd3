/** XML read in chunks; document types, and with them entities of a file's own, are refused (owner of saxes). */

import { SaxesParser } from "saxes";
import { systemCode } from "../core/errors.ts";
import { longestRow } from "./row-limit.ts";
import { findMark } from "./text-encoding.ts";
import { damaged, tooLarge } from "./workbook-errors.ts";

export type Attributes = Readonly<Record<string, string>>;

/** Names come without their prefix. */
export interface XmlHandlers {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
}

export interface XmlPart {
  /** The file's and the part's, for messages. */
  readonly file: string;
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A workbook's own parts have a dozen. */
const deepest = 256;

/** Calls the handlers; yields after each chunk. Throws a file error for what is not well-formed. */
export async function* readXml(
  { file, name, chunks }: XmlPart,
  handlers: XmlHandlers,
): AsyncGenerator<undefined> {
  let held = 0;
  const parser = new SaxesParser({ position: false, xmlns: false });
  let depth = 0;
  parser.on("opentag", ({ name: tag, attributes }) => {
    held = 0;
    // The parser keeps the name of each open element.
    if (++depth > deepest) throw tooLarge(file, `${name} has more than ${deepest} elements in one another`);
    handlers.open(withoutPrefix(tag), attributes);
  });
  parser.on("closetag", ({ name: tag }) => {
    held = 0;
    depth -= 1;
    handlers.close(withoutPrefix(tag));
  });
  parser.on("text", (text) => handlers.text(text));
  parser.on("cdata", (text) => handlers.text(text));
  parser.on("doctype", () => {
    throw damaged(file, `${name} has a document type`);
  });
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const feed = (text: string) => {
    held += text.length;
    // The parser holds a text, a comment or a tag until it ends.
    if (held > 2 * longestRow) throw tooLarge(file, `${name} has a text of more than 2,000,000 characters`);
    parser.write(text);
  };
  try {
    for await (const chunk of chunks) {
      decoder ??= new TextDecoder(findMark(chunk) ?? "utf-8", { fatal: true });
      feed(decoder.decode(chunk, { stream: true }));
      yield;
    }
    feed(decoder?.decode() ?? "");
    parser.close();
  } catch (error) {
    if (isOfXml(error)) throw damaged(file, `${name} is not valid XML`, error);
    throw error;
  }
  yield;
}

/** saxes throws plain errors; the decoder's have a code. */
function isOfXml(error: unknown): boolean {
  const isPlain = error instanceof Error && error.name === "Error" && systemCode(error) === undefined;
  return isPlain || systemCode(error) === "ERR_ENCODING_INVALID_ENCODED_DATA";
}

/** Reads all of it. */
export async function readWholeXml(part: XmlPart, handlers: XmlHandlers): Promise<void> {
  for await (const _ of readXml(part, handlers));
}

function withoutPrefix(name: string): string {
  if (name.length === 1) return name;
  const colon = name.indexOf(":");
  return colon < 0 ? name : name.slice(colon + 1);
}

/** The attribute of this name, whatever its prefix. */
export function attributeOf(attributes: Attributes, name: string): string | undefined {
  const found = Object.keys(attributes).find((each) => withoutPrefix(each) === name);
  return found === undefined ? undefined : attributes[found];
}
