/** Owns the journals of other files on the way in: what their imports have sent, read without touching them. */

import { type FileHandle, open } from "node:fs/promises";
import { CourierError, explainSystemError, fileError, systemCode } from "../core/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { checkVersion, isOf, type JournalIdentity } from "./journal.ts";
import { sealedLinesOf } from "./journal-lines.ts";
import type { Entry } from "./journal-state.ts";

const otherWords = {
  title: "the journal of another import",
  hint: "restore it from a copy, or compare its orders by hand and move it away; --allow-duplicate sends rows without comparing them",
};

/** A row of another file that is an order, or may be one. */
export interface SentRow {
  readonly key: string;
  readonly content: string;
  /** The order's id; undefined where the answer was lost. */
  readonly id: string | undefined;
}

/**
 * Tells the rows that the journal of another file has created or may have created. A file that is gone or
 * belongs to another account or service tells nothing. Throws a file error for one that was changed, is damaged or
 * cannot be read: what it would tell is not known.
 */
export async function readSent(
  file: string,
  identity: JournalIdentity,
  tell: (row: SentRow) => void,
): Promise<void> {
  const open = new Map<string, string>();
  for await (const entry of entriesOf(file, identity)) {
    switch (entry.kind) {
      case "intent":
        open.set(entry.key, entry.content);
        break;
      case "created":
        open.delete(entry.key);
        tell({ key: entry.key, content: entry.content, id: entry.id });
        break;
      case "refused":
      case "unsent":
        open.delete(entry.key);
    }
  }
  for (const [key, content] of open) tell({ key, content, id: undefined });
}

async function* entriesOf(file: string, identity: JournalIdentity): AsyncGenerator<Entry> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "r");
    let header: JsonObject | undefined;
    for await (const { value } of sealedLinesOf(handle, file, otherWords)) {
      if (header) yield value as unknown as Entry;
      else {
        header = value;
        checkVersion(header, file);
        if (!isOf(identity, header)) return;
      }
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return;
    if (code === undefined || error instanceof CourierError) throw error;
    const { title, hint } = otherWords;
    throw fileError(`cannot read ${title} ${file}: ${explainSystemError(error)}`, { hint, cause: error });
  } finally {
    await handle?.close();
  }
}
