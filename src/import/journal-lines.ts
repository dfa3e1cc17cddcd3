/** Owns the lines of a journal: JSON objects, each sealed with a sum over itself and the sum before it. */

import { hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { fileError } from "../core/errors.ts";
import type { JsonObject } from "../model/json.ts";

const pieceBytes = 65_536;
/** What a journal begins with. */
const headerStart = '{"courier_journal":';

export interface SealedLine {
  readonly value: JsonObject;
  readonly sum: string;
  /** Where it begins, and where the next one does. */
  readonly fromBytes: number;
  readonly endBytes: number;
}

/** How a journal that cannot be trusted is told of. */
export interface JournalWords {
  readonly title: string;
  /** What to do about it. */
  readonly hint: string;
}

/**
 * The lines of a journal, without what a crash left of the last one. Throws a file error where a line was
 * changed or is damaged.
 */
export async function* sealedLinesOf(
  handle: FileHandle,
  file: string,
  { title, hint }: JournalWords,
): AsyncGenerator<SealedLine> {
  let [number, sum, fromBytes] = [0, "", 0];
  for await (const { text, isWhole } of linesOf(handle)) {
    number += 1;
    const line = unseal(text, sum);
    if (!line) {
      if (!isWhole && isTorn(text, number)) return;
      throw fileError(`${title} was changed by hand, or is damaged, in line ${number}: ${file}`, { hint });
    }
    const endBytes = fromBytes + Buffer.byteLength(text) + 1;
    yield { ...line, fromBytes, endBytes };
    ({ sum } = line);
    fromBytes = endBytes;
  }
}

/**
 * True for the end of a file that a crash could have left. Where a failing machine had made room for a write
 * and not yet carried it out, zeros stand up to the end; followed by anything else they are damage.
 */
function isTorn(text: string, number: number): boolean {
  const written = text.replace(/\0+$/, "");
  if (written.includes("\0")) return false;
  // A file that never was a journal is not ours to cut.
  return number > 1 || headerStart.startsWith(written.slice(0, headerStart.length));
}

/** The lines of a file; the last one is not whole where no line break ends it. */
async function* linesOf(handle: FileHandle): AsyncGenerator<{ text: string; isWhole: boolean }> {
  let rest = Buffer.alloc(0);
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(pieceBytes), 0, pieceBytes, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let from = 0;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, from)) {
      yield { text: rest.toString("utf8", from, end), isWhole: true };
      from = end + 1;
    }
    rest = rest.subarray(from);
  }
  if (rest.length > 0) yield { text: rest.toString("utf8"), isWhole: false };
}

/** A line with its sum as last member: `{"kind":…,"sum":"…"}`. */
export function seal(value: JsonObject, before: string): { line: string; sum: string } {
  const body = JSON.stringify(value); // entries are ours: texts and small integers
  const sum = sumOf(body, before);
  return { line: `${body.slice(0, -1)},"sum":"${sum}"}\n`, sum };
}

function sumOf(body: string, before: string): string {
  return hash("sha256", before + body).slice(0, 16);
}

const sealed = /^(.*),"sum":"([0-9a-f]{16})"\}$/s;

/** The value and sum of a line; undefined for one that was not written after the line before it. */
function unseal(text: string, before: string): { value: JsonObject; sum: string } | undefined {
  const [, start, sum] = sealed.exec(text) ?? [];
  if (start === undefined || sum === undefined || sumOf(`${start}}`, before) !== sum) return undefined;
  try {
    const value: unknown = JSON.parse(`${start}}`); // as written by `seal`: nothing that loses digits
    return typeof value === "object" && value !== null ? { value: value as JsonObject, sum } : undefined;
  } catch {
    return undefined;
  }
}
