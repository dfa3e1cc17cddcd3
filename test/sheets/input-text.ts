/** Input files of tests: texts in pieces, inputs, and what is read from them. */

import type { RowProblem } from "../../src/import/order-record.ts";
import { type CheckedRow, type ImportRow, type RowsOptions, readRows } from "../../src/import/rows.ts";
import { type Content, inspectSource, type NamedEncoding } from "../../src/sheets/source.ts";

/** A text cut at the given places. */
export async function* pieces(text: string, cuts: readonly number[] = []): AsyncGenerator<string> {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  for (let index = 1; index < places.length; index++) yield text.slice(places[index - 1], places[index]);
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** An input with this content, in chunks as a file gives them. */
export function contentOf(content: string | Uint8Array): Content {
  const bytes = Buffer.from(content);
  return async function* () {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  };
}

type ReadOptions = Partial<RowsOptions> & { readonly named?: NamedEncoding };

/** Every row of a file with this content. */
export async function read(
  content: string | Uint8Array,
  { named, ...options }: ReadOptions = {},
): Promise<CheckedRow[]> {
  const read = contentOf(content);
  const facts = await inspectSource(read, "orders.csv", named);
  return collect(readRows({ content: read, name: "orders.csv", facts, mapping: new Map(), ...options }));
}

/** The same where every row must be right. */
export async function readGood(
  content: string | Uint8Array,
  options: ReadOptions = {},
): Promise<ImportRow[]> {
  return (await read(content, options)).map((row) => {
    if ("ok" in row) return row.ok;
    throw new Error(JSON.stringify(row.problems));
  });
}

export async function problemsOf(
  content: string | Uint8Array,
  options: ReadOptions = {},
): Promise<RowProblem[]> {
  return (await read(content, options)).flatMap((row) => ("ok" in row ? [] : row.problems));
}
