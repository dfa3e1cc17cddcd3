/** How the ledger knows a file again: by its path, its bytes, or its rows. */

import path from "node:path";
import { findRealPath } from "../core/real-path.ts";
import type { ImportFile } from "../ledger/import-rows.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { DefaultSenders, FileFacts } from "../ledger/row-to-send.ts";
import type { DraftParty } from "../model/draft.ts";
import { differingFields } from "../model/same-order.ts";
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

interface Known {
  readonly ledger: Ledger;
  readonly customer: number;
}

/** `files` are the numbers that the ledger has of the file. */
export async function readFacts(
  source: Source,
  overview: Overview,
  files: readonly number[],
  known: Known,
): Promise<FileFacts> {
  const { shop } = source;
  const { hasRef, countOf, numberedRows } = overview;
  const senders = await findSenders(source, overview, files, known);
  const numbers = numberedRows.flatMap(({ writtenNumbers = [] }) => writtenNumbers);
  const byNumber =
    numberedRows.length === 0
      ? undefined
      : indexByNumber(
          numberedRows,
          await known.ledger.findByNumber(known.customer, numbers, { files, senders }),
          { files, shop, hasRef },
        );
  return { files, shop, senders, hasRef, countOf, byNumber };
}

/** Only rows without a ref are known by their content, the sender among it. */
async function findSenders(
  { sender: today }: Source,
  { rows, refs }: Overview,
  files: readonly number[],
  { ledger, customer }: Known,
): Promise<DefaultSenders | undefined> {
  if (!today || refs === rows) return undefined;
  const before: DraftParty[] = [];
  for (const sender of await ledger.findDefaultSenders(customer, files))
    if ([today, ...before].every((each) => isOther(each, sender))) before.push(sender);
  return before.length > 0 ? { today, before } : undefined;
}

function isOther(one: DraftParty, other: DraftParty): boolean {
  return differingFields({ sender: one }, { sender: other }, () => true).length > 0;
}
