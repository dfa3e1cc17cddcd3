/** Owns the rows that were sent by their own journal under another identity: that got a ref, or another one. */

import type { JournalView } from "./journal.ts";
import { createKeyTable } from "./key-table.ts";
import { readSent } from "./other-journals.ts";
import type { ImportRow } from "./rows.ts";

export interface RenamedRows {
  /** To be called with every row of the file; `isNew` for one that the journal does not know. */
  see(row: ImportRow, isNew: boolean): void;
  /**
   * Tells the numbers of new rows that are equal in all that is sent to a row which the journal has made an
   * order, or may have, and which the file no longer has. Two equal rows are two orders: each row that is gone
   * stands for one new row.
   */
  find(tell: (row: number) => void): Promise<void>;
}

export function createRenamedRows({ path, identity }: JournalView): RenamedRows {
  const seen = createKeyTable();
  /** From a content to the last new row that has it, and from a row to the one before it that has the same. */
  const newest = createKeyTable();
  const before = createKeyTable();

  function take(content: string): number | undefined {
    const row = newest.get(content);
    if (row === undefined || row === 0) return undefined;
    newest.set(content, before.get(String(row)) ?? 0);
    return row;
  }

  return {
    see({ key, content, row }, isNew) {
      seen.set(key, 1);
      if (!isNew) return;
      const earlier = newest.replace(content, row);
      if (earlier !== undefined) before.set(String(row), earlier);
    },
    async find(tell) {
      if (newest.size === 0) return;
      await readSent(path, identity, ({ key, content }) => {
        const row = seen.has(key) ? undefined : take(content);
        if (row !== undefined) tell(row);
      });
    },
  };
}
