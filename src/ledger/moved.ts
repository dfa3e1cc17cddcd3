/** Customers of this machine's ledger whose orders are in a shared ledger now: the file sends nothing for them. */

import type { Database } from "../sqlite/database.ts";
import { textOf } from "./operation.ts";

/** A customer that moved, or began with a shared ledger, and the address of the ledger that has its orders. */
export interface Moved {
  readonly customer: number;
  readonly service: string;
  readonly profileId: string | undefined;
  readonly address: string;
}

export async function readMoved(database: Database): Promise<readonly Moved[]> {
  return database.read(() =>
    database
      .sql("SELECT moved.*, service, profile_id FROM moved JOIN customers ON id = customer ORDER BY id")
      .all()
      .map(({ customer, service, profile_id, address }) => ({
        customer: Number(customer),
        service: String(service),
        profileId: textOf(profile_id),
        address: String(address),
      })),
  );
}

/**
 * Marks all customers as moved to an address, but for those of the sandbox and those that moved elsewhere before.
 * Returns these customers, and those of them that had no mark. Undefined where operations are about to be sent, or being
 * sent: nothing is marked then.
 */
export async function markMoved(
  database: Database,
  address: string,
): Promise<{ readonly customers: readonly number[]; readonly fresh: readonly number[] } | undefined> {
  const sql = database.sql;
  const marked = await database.transaction(() => {
    const [held] = sql(
      `SELECT 1 FROM operations WHERE state IN ('ready', 'sending') AND customer IN
         (SELECT id FROM customers WHERE service <> 'sandbox') LIMIT 1`,
    ).all();
    if (held) return undefined;
    const fresh = sql(
      "INSERT INTO moved SELECT id, ? FROM customers WHERE service <> 'sandbox' ON CONFLICT DO NOTHING RETURNING customer",
    ).all(address);
    const all = sql("SELECT customer FROM moved WHERE address = ? ORDER BY customer").all(address);
    const ids = (rows: typeof all) => rows.map(({ customer }) => Number(customer));
    return { fresh: ids(fresh), customers: ids(all) };
  });
  if (marked) await database.flush();
  return marked;
}

/**
 * Marks customers whose account begins to use the ledger at an address, or takes marks away where it is undefined. Returns
 * the marks that were changed, as they were.
 */
export async function changeMarks(
  database: Database,
  marks: ReadonlyMap<number, string | undefined>,
  /** Whether to change the mark that a customer has. */
  isMeant: (present: string | undefined) => boolean = () => true,
): Promise<ReadonlyMap<number, string | undefined>> {
  const sql = database.sql;
  const before = await database.transaction(() => {
    const former = new Map<number, string | undefined>();
    for (const [customer, address] of marks) {
      const present = textOf(sql("SELECT address FROM moved WHERE customer = ?").get(customer)?.address);
      if (!isMeant(present)) continue;
      former.set(customer, present);
      sql("DELETE FROM moved WHERE customer = ?").run(customer);
      if (address !== undefined) sql("INSERT INTO moved VALUES (?, ?)").run(customer, address);
    }
    return former;
  });
  await database.flush();
  return before;
}
