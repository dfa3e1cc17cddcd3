/** Owns the lines of a journal: JSON objects, each sealed with a sum over itself and the sum before it. */

import { hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { JsonObject } from "../model/json.ts";

const pieceBytes = 65_536;

/** The lines of a file; the last one is not whole where no line break ends it. */
export async function* linesOf(handle: FileHandle): AsyncGenerator<{ text: string; isWhole: boolean }> {
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
export function unseal(text: string, before: string): { value: JsonObject; sum: string } | undefined {
  const [, start, sum] = sealed.exec(text) ?? [];
  if (start === undefined || sum === undefined || sumOf(`${start}}`, before) !== sum) return undefined;
  try {
    const value: unknown = JSON.parse(`${start}}`); // as written by `seal`: nothing that loses digits
    return typeof value === "object" && value !== null ? { value: value as JsonObject, sum } : undefined;
  } catch {
    return undefined;
  }
}
