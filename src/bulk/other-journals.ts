/** Owns the journals of other files on the way in: what their imports have sent, read without touching them. */

import { type FileHandle, open } from "node:fs/promises";
import { checkIdentity, type JournalIdentity } from "./journal.ts";
import { linesOf, unseal } from "./journal-lines.ts";
import type { Entry } from "./journal-state.ts";

/** A row of another file that is an order, or may be one. */
export interface SentRow {
  readonly key: string;
  readonly content: string;
  /** The order's id; undefined where the answer was lost. */
  readonly id: string | undefined;
}

/**
 * Tells the rows that the journal of another file has created or may have created. A file that is gone or
 * belongs to another account tells nothing; one that was changed tells what stands before the change.
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
    let sum = "";
    for await (const { text, isWhole } of linesOf(handle)) {
      const line = isWhole ? unseal(text, sum) : undefined;
      if (!line) return;
      if (sum === "") checkIdentity(line.value, identity, file);
      else yield line.value as unknown as Entry;
      sum = line.sum;
    }
  } catch {
    // no journal of ours
  } finally {
    await handle?.close();
  }
}
