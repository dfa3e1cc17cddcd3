/** Text as bytes in the encodings that files of shops have; Node.js itself writes Unicode only. */

import type { Encoding } from "./source.ts";

/** A character that the encoding does not have is written as in `\u4e0d`, and given to `noteLost`. */
export function createEncoder(
  encoding: Encoding,
  noteLost: (character: string) => void = () => {},
): (text: string) => Buffer {
  if (encoding === "utf-8") return (text) => Buffer.from(text);
  if (encoding === "utf-16le") return (text) => Buffer.from(text, "utf16le");
  if (encoding === "utf-16be") return (text) => Buffer.from(text, "utf16le").swap16();
  let codes: ReadonlyMap<string, readonly number[]> | undefined;
  return (text) => {
    if (/^[\u0000-\u007f]*$/.test(text)) return Buffer.from(text, "latin1");
    codes ??= encoding === "windows-1252" ? singlesOf(encoding) : pairsOf(encoding);
    const bytes: number[] = [];
    for (const character of text) {
      const code = character.charCodeAt(0);
      const known = code < 0x80 ? [code] : codes.get(character);
      if (!known) noteLost(character);
      bytes.push(...(known ?? Buffer.from(escapeCharacter(character))));
    }
    return Buffer.from(bytes);
  };
}

export function canEncode(encoding: Encoding, text: string): boolean {
  let isLossless = true;
  createEncoder(encoding, () => {
    isLossless = false;
  })(text);
  return isLossless;
}

/** Both halves of a character beyond U+FFFF. */
export function escapeCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** The text before `escapeCharacter`. */
export function unescapeCharacters(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/g, (_, unit: string) =>
    String.fromCharCode(Number.parseInt(unit, 16)),
  );
}

function singlesOf(encoding: string): Map<string, readonly number[]> {
  const decoder = new TextDecoder(encoding);
  const bytes = Array.from({ length: 128 }, (_, index) => [index + 128]);
  // Not as a stream, Node.js 20 decodes windows-1252 as Latin-1.
  return new Map(bytes.map((each) => [decoder.decode(Uint8Array.from(each), { stream: true }), each]));
}

/** Big5 has some characters twice; in its first part, which is from Hong Kong, few programs know them. */
const leads = [...bytesOf(0xa1, 0xfe), ...bytesOf(0x81, 0xa0)];

function bytesOf(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The characters of two bytes: of GB18030 those of GBK, which are all of everyday Chinese. */
function pairsOf(encoding: string): Map<string, readonly number[]> {
  const decoder = new TextDecoder(encoding);
  const codes = new Map<string, readonly number[]>();
  for (const lead of leads) {
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      if (trail === 0x7f) continue;
      const text = decoder.decode(Uint8Array.of(lead, trail));
      if ([...text].length === 1 && text !== "\ufffd" && !codes.has(text)) codes.set(text, [lead, trail]);
    }
  }
  return codes;
}
