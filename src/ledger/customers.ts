/** Customers: the owners of orders, identified by the profile's id at a service. Keys are stored as salted hashes. */

import { createHmac } from "node:crypto";
import type { Database } from "../sqlite/database.ts";
import type { Write } from "../sqlite/write-queue.ts";
import { numberOf, textOf } from "./operation.ts";

export interface Customer {
  readonly id: number;
  /** The service's address, or `sandbox`. */
  readonly service: string;
  /** Undefined where the profile has no id: the key's hash identifies the customer. */
  readonly profileId: string | undefined;
}

export interface Customers {
  /** The customer of a key; undefined for an unknown key. */
  findCustomer(service: string, key: string): Promise<Customer | undefined>;
  /** Records the customer of a key and of an account name. `profileId` is undefined where the profile has none. */
  learnCustomer(learned: {
    readonly service: string;
    readonly key: string | undefined;
    readonly profileId: string | undefined;
    readonly account: string;
  }): Promise<Customer>;
  /** Customers that an account of this machine has used, and none of the accounts in `others`. */
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

  /** Adds a profile id to a key's customer, or gives a key that has moved another customer. */
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

  /** Moves what was recorded without a profile id to the customer with the id. */
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
