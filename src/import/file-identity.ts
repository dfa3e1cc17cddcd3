/** How the ledger knows a file again: by its path, its bytes, or its rows. */

import path from "node:path";
import { findRealPath } from "../core/real-path.ts";
import type { ImportFile } from "../ledger/import-rows.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { FileFacts } from "../ledger/row-to-send.ts";
import { isPassing } from "../sheets/source.ts";
import type { Overview } from "./check-rows.ts";
import type { Source } from "./import-source.ts";
import { indexByNumber } from "./numbered-rows.ts";

/** How the ledger identifies the file. Stdin and pipes have no path. */
export async function identifyFile(
  input: { readonly file: string },
  { shop, facts, sheet }: Source,
  { rowsHash }: Overview,
): Promise<ImportFile> {
  const isPipe = await isPassing(input.file);
  const found = isPipe ? "" : await findRealPath(input.file).catch(() => path.resolve(input.file));
  // Each sheet is a file of its own: equal rows of two sheets are not the same order.
  const place = isPipe || sheet === undefined ? found : `${found}#${sheet}`;
  return { shop, path: place, bytesHash: facts.fingerprint, rowsHash };
}

/** `files` are the numbers that the ledger has of the file. */
export async function readFacts(
  { shop }: Source,
  { hasRef, countOf, numberedRows }: Overview,
  files: readonly number[],
  { ledger, customer }: { readonly ledger: Ledger; readonly customer: number },
): Promise<FileFacts> {
  const numbers = numberedRows.flatMap(({ writtenNumbers = [] }) => writtenNumbers);
  const byNumber =
    numberedRows.length === 0
      ? undefined
      : indexByNumber(numberedRows, await ledger.findByNumber(customer, numbers), { files, shop, hasRef });
  return { files, shop, hasRef, countOf, byNumber };
}
