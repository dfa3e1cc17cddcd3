/** Whose orders they are: the profile's id at a service, remembered under a salted hash of the key. */

import { createHmac } from "node:crypto";
import type { Database } from "../sqlite/database.ts";
import type { Write } from "../sqlite/write-queue.ts";
import { numberOf, textOf } from "./operation.ts";

export interface Customer {
  readonly id: number;
  /** The service's address, or `sandbox`. */
  readonly service: string;
  /** Undefined where the service told none: the key's hash stands for the customer. */
  readonly profileId: string | undefined;
}

export interface Customers {
  /** The customer whose key this is; undefined for a key that was not seen yet. */
  findCustomer(service: string, key: string): Promise<Customer | undefined>;
  /** Remembers whose key it is, under the account's name too. `profileId` is undefined where the service tells none. */
  learnCustomer(learned: {
    readonly service: string;
    readonly key: string | undefined;
    readonly profileId: string | undefined;
    readonly account: string;
  }): Promise<Customer>;
  /** Customers that an account of this machine has used and no other account in `others`. */
  customersOnlyOf(account: string, others: readonly string[]): Promise<readonly Customer[]>;
}

export function createCustomers(database: Database, write: Write): Customers {
  const sql = database.sql;
  const hashOf = (service: string, key: string) => {
    const salt = String(sql("SELECT value FROM facts WHERE name = 'salt'").get()?.value);
    return createHmac("sha256", salt)
      .update(JSON.stringify([service, key]))
      .digest("hex");
  };
  const byKey = (hash: string) =>
    read(sql("SELECT customers.* FROM keys JOIN customers ON id = customer WHERE hash = ?").get(hash));

  return {
    async findCustomer(service, key) {
      return byKey(hashOf(service, key));
    },

    learnCustomer: ({ service, key, profileId, account }) =>
      write(() => {
        const hash = key === undefined ? undefined : hashOf(service, key);
        const known = hash === undefined ? undefined : byKey(hash);
        const customer = choose(known, service, profileId);
        if (hash !== undefined && known?.id !== customer.id)
          sql(
            "INSERT INTO keys VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET customer = excluded.customer",
          ).run(hash, customer.id);
        sql("INSERT INTO accounts VALUES (?, ?) ON CONFLICT DO NOTHING").run(account, customer.id);
        return customer;
      }),

    async customersOnlyOf(account, others) {
      const rows = sql(
        `SELECT customers.* FROM customers JOIN accounts ON customer = id WHERE name = ?
         AND id NOT IN (SELECT customer FROM accounts WHERE name IN (SELECT value FROM json_each(?)))`,
      ).all(account, JSON.stringify(others.filter((each) => each !== account)));
      return rows.map((row) => read(row) as Customer);
    },
  };

  /** A key's customer learns its profile id late; a key that changes hands gets another customer. */
  function choose(known: Customer | undefined, service: string, profileId: string | undefined): Customer {
    if (profileId === undefined) return known ?? insert(service, undefined);
    if (known?.profileId === profileId) return known;
    const named = read(
      sql("SELECT * FROM customers WHERE service = ? AND profile_id = ?").get(service, profileId),
    );
    if (known && known.profileId === undefined && !named) {
      sql("UPDATE customers SET profile_id = ? WHERE id = ?").run(profileId, known.id);
      return { ...known, profileId };
    }
    const customer = named ?? insert(service, profileId);
    if (known && known.profileId === undefined) adopt(known, customer);
    return customer;
  }

  /** What was recorded while the service told no profile id belongs to the one whose id it tells now. */
  function adopt(from: Customer, to: Customer): void {
    for (const table of ["runs", "files", "operations", "keys", "accounts"])
      sql(`UPDATE OR IGNORE ${table} SET customer = ? WHERE customer = ?`).run(to.id, from.id);
  }

  function insert(service: string, profileId: string | undefined): Customer {
    const row = sql("INSERT INTO customers (service, profile_id) VALUES (?, ?) RETURNING *").get(
      service,
      profileId ?? null,
    );
    return read(row) as Customer;
  }
}

function read(row: Readonly<Record<string, unknown>> | undefined): Customer | undefined {
  if (!row) return undefined;
  return { id: numberOf(row.id) ?? 0, service: textOf(row.service) ?? "", profileId: textOf(row.profile_id) };
}
