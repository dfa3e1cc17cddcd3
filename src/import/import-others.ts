/** Owns what else on this machine has created orders with the same account: other imports, single orders. */

import type { Context } from "../command/command.ts";
import { findRealPath } from "../core/real-path.ts";
import type { JournalIdentity } from "./journal.ts";
import { createKeyTable, type KeyTable } from "./key-table.ts";
import { readSent } from "./other-journals.ts";
import type { ImportRow } from "./rows.ts";

/** A row that the import of another file has made an order, or may have. */
export interface Twin {
  /** The journal of that file. */
  readonly path: string;
  /** Both have the same ref; else they are equal in all that is sent, and no two refs tell them apart. */
  readonly by: "ref" | "content";
}

export interface OtherOrders {
  /** Looks for the row among those of other files. */
  findTwin(row: ImportRow): Promise<Twin | undefined>;
  /** Reads again what has been created meanwhile; to be called before `owns`. */
  refresh(): Promise<void>;
  /** True for an order that is known to have come of something else than this import. */
  owns(orderId: string): boolean;
}

interface Known {
  readonly paths: readonly string[];
  /** To the place in `paths`. */
  readonly refs: KeyTable;
  readonly contents: KeyTable;
  /** Of rows without a ref alone. */
  readonly namelessContents: KeyTable;
  readonly ids: KeyTable;
}

/** Reads nothing before it is asked: most runs go on with rows that were asked about before. */
export function openOtherOrders(
  journalPath: string | undefined,
  identity: JournalIdentity,
  context: Context,
): OtherOrders {
  let known: Known | undefined;
  let single: ReadonlySet<string> = new Set();

  async function read(): Promise<Known> {
    const { journals } = await context.journals.read();
    const real = (journals[identity.account] ?? []).map((path) => findRealPath(path).catch(() => path));
    const paths = [...new Set(await Promise.all(real))].filter((path) => path !== journalPath);
    const tables = {
      refs: createKeyTable(),
      contents: createKeyTable(),
      namelessContents: createKeyTable(),
      ids: createKeyTable(),
    };
    for (const [place, path] of paths.entries()) {
      await readSent(path, identity, ({ key, content, id }) => {
        const isNamed = key.startsWith("ref:");
        if (isNamed) tables.refs.set(key, place);
        else tables.namelessContents.set(content, place);
        tables.contents.set(content, place);
        if (id !== undefined) tables.ids.set(id, place);
      });
    }
    known = { paths, ...tables };
    return known;
  }

  return {
    async findTwin({ key, ref, content }) {
      const { paths, refs, contents, namelessContents } = known ?? (await read());
      const equal = ref === undefined ? contents : namelessContents;
      const [named, place] = [refs.get(key), refs.get(key) ?? equal.get(content)];
      const path = place === undefined ? undefined : paths[place];
      return path === undefined ? undefined : { path, by: named === undefined ? "content" : "ref" };
    },
    async refresh() {
      await read();
      const { sent } = await context.orderMemory.read();
      single = new Set((sent[identity.account] ?? []).map(({ id }) => id));
    },
    owns: (orderId) => single.has(orderId) || known?.ids.has(orderId) === true,
  };
}
