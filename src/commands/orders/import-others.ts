/** Owns what else on this machine has created orders with the same account: other imports, single orders. */

import { type CreatedRows, type JournalIdentity, readCreated } from "../../bulk/journal.ts";
import type { Context } from "../command.ts";

export interface OtherOrders {
  /** The journal of another file that created an order for the row of this key. */
  findTwin(key: string): Promise<string | undefined>;
  /** Reads again what has been created meanwhile; to be called before `owns`. */
  refresh(): Promise<void>;
  /** True for an order that is known to have come of something else than this import. */
  owns(orderId: string): boolean;
}

/** Reads nothing before it is asked: most imports have no lost rows and many have no refs. */
export function openOtherOrders(
  journalPath: string,
  identity: JournalIdentity,
  context: Context,
): OtherOrders {
  let others: { path: string; created: CreatedRows }[] | undefined;
  let single: ReadonlySet<string> = new Set();

  async function read() {
    const { journals } = await context.journals.read();
    const found: { path: string; created: CreatedRows }[] = [];
    for (const path of journals[identity.account] ?? []) {
      const created = path === journalPath ? undefined : await readCreated(path, identity);
      if (created) found.push({ path, created });
    }
    others = found;
    return found;
  }

  return {
    async findTwin(key) {
      const known = others ?? (await read());
      return known.find(({ created }) => created.hasRow(key))?.path;
    },
    async refresh() {
      await read();
      const { sent } = await context.orderMemory.read();
      single = new Set((sent[identity.account] ?? []).map(({ id }) => id));
    },
    owns: (orderId) => single.has(orderId) || (others ?? []).some(({ created }) => created.owns(orderId)),
  };
}
