/** Customers: the owners of orders, identified by the profile's id at a service. Keys are stored as salted hashes. */

import { createHmac } from "node:crypto";
import { numberOf, textOf } from "./operation.ts";
import { ask, type Store, type Work } from "./statements.ts";

export interface Customer {
  readonly id: number;
  /** The service's address, or `sandbox`. */
  readonly service: string;
  /** Undefined where the profile has no id: the key's hash identifies the customer. */
  readonly profileId: string | undefined;
}

/** The service wants no request until then. */
export interface Rest {
  readonly untilMs: number;
  /** How long that was when it was asked for. */
  readonly waitMs: number;
}

export interface Customers {
  /** The same for a ledger and its copies, and another one for each other ledger. */
  identify(): Promise<string>;
  /** The customer of a key; undefined for an unknown key. */
  findCustomer(service: string, key: string): Promise<Customer | undefined>;
  /** Whether any customer of the service is known by a profile's id: the service shows them. */
  hasProfiles(service: string): Promise<boolean>;
  /** Records the customer of a key and of an account name. `profileId` is undefined where the profile has none. */
  learnCustomer(learned: {
    readonly service: string;
    readonly key: string | undefined;
    readonly profileId: string | undefined;
    readonly account: string;
    /** Customers without a profile's id that the key belongs to as well: they become one. */
    readonly same?: readonly number[];
  }): Promise<Customer>;
  /** Customers that an account of this machine has used, and none of the accounts in `others`. */
  customersOnlyOf(account: string, others: readonly string[]): Promise<readonly Customer[]>;
  /** Records until when the service wants no request of the customer; a rest that ends later stays. */
  noteRest(customer: number, rest: Rest, nowMs: number): Promise<void>;
  /** The rest that the service asked any process for last. */
  findRest(customer: number): Promise<Rest | undefined>;
}

export function createCustomers({ write, read }: Store): Customers {
  function* hashOf(service: string, key: string): Work<string> {
    const [row] = yield ask("SELECT value FROM facts WHERE name = 'salt'");
    return createHmac("sha256", String(row?.value))
      .update(JSON.stringify([service, key]))
      .digest("hex");
  }

  function* byKey(hash: string): Work<Customer | undefined> {
    const [row] = yield ask(
      "SELECT customers.* FROM keys JOIN customers ON id = customer WHERE hash = ?",
      hash,
    );
    return readCustomer(row);
  }

  return {
    identify: () => read(() => hashOf("", "")),

    findCustomer: (service, key) =>
      read(function* () {
        return yield* byKey(yield* hashOf(service, key));
      }),

    hasProfiles: (service) =>
      read(function* () {
        const rows = yield ask(
          "SELECT 1 AS one FROM customers WHERE service = ? AND profile_id IS NOT NULL LIMIT 1",
          service,
        );
        return rows.length > 0;
      }),

    learnCustomer: ({ service, key, profileId, account, same = [] }) =>
      write(function* () {
        const hash = key === undefined ? undefined : yield* hashOf(service, key);
        const known = hash === undefined ? undefined : yield* byKey(hash);
        const unnamed: Customer[] = [];
        for (const id of same) {
          const [row] = yield ask("SELECT * FROM customers WHERE id = ? AND profile_id IS NULL", id);
          if (row) unnamed.push(readCustomer(row) as Customer);
        }
        const customer = yield* choose(known ?? unnamed[0], service, profileId);
        for (const each of unnamed) if (each.id !== customer.id) yield* adopt(each, customer);
        if (hash !== undefined && !known) yield ask("INSERT INTO keys VALUES (?, ?)", hash, customer.id);
        // No upsert: it would take the place of the OR IGNORE in a trigger on the update (schema.ts).
        else if (known && known.id !== customer.id)
          yield ask("UPDATE keys SET customer = ? WHERE hash = ?", customer.id, hash as string);
        yield ask("INSERT INTO accounts VALUES (?, ?) ON CONFLICT DO NOTHING", account, customer.id);
        return customer;
      }),

    noteRest: (customer, { untilMs, waitMs }, nowMs) =>
      write(function* () {
        yield ask(
          "UPDATE customers SET rest_until = ?, rest_ms = ? WHERE id = ? AND (rest_until IS NULL OR rest_until < ? OR rest_until > ? + rest_ms)",
          untilMs,
          waitMs,
          customer,
          untilMs,
          nowMs,
        );
      }),

    findRest: (customer) =>
      read(function* () {
        const [row] = yield ask("SELECT rest_until, rest_ms FROM customers WHERE id = ?", customer);
        const untilMs = numberOf(row?.rest_until);
        return untilMs === undefined ? undefined : { untilMs, waitMs: numberOf(row?.rest_ms) ?? 0 };
      }),

    customersOnlyOf: (account, others) =>
      read(function* () {
        const rows = yield ask(
          `SELECT customers.* FROM customers JOIN accounts ON customer = id WHERE name = ?
         AND id NOT IN (SELECT customer FROM accounts WHERE name IN (SELECT value FROM json_each(?)))`,
          account,
          JSON.stringify(others.filter((each) => each !== account)),
        );
        return rows.map((row) => readCustomer(row) as Customer);
      }),
  };

  /** Adds a profile id to a key's customer, or gives a key that has moved another customer. */
  function* choose(
    known: Customer | undefined,
    service: string,
    profileId: string | undefined,
  ): Work<Customer> {
    if (profileId === undefined) return known ?? (yield* insert(service, undefined));
    if (known?.profileId === profileId) return known;
    const [row] = yield ask(
      "SELECT * FROM customers WHERE service = ? AND profile_id = ?",
      service,
      profileId,
    );
    const named = readCustomer(row);
    if (known && known.profileId === undefined && !named) {
      yield ask("UPDATE customers SET profile_id = ? WHERE id = ?", profileId, known.id);
      return { ...known, profileId };
    }
    const customer = named ?? (yield* insert(service, profileId));
    if (known && known.profileId === undefined) yield* adopt(known, customer);
    return customer;
  }

  /** Moves what was recorded without a profile id to the customer with the id, except for what that one has as well. */
  function* adopt(from: Customer, to: Customer): Work<void> {
    for (const table of ["runs", "files", "keys", "possible_orders", "listings", "withdrawn_orders"])
      yield ask(`UPDATE ${table} SET customer = ? WHERE customer = ?`, to.id, from.id);
    yield ask(
      `INSERT INTO listed_orders SELECT ?, order_id, event, seen_at FROM listed_orders AS former WHERE customer = ?
       ON CONFLICT (customer, order_id) DO UPDATE SET event = excluded.event WHERE excluded.event < listed_orders.event`,
      to.id,
      from.id,
    );
    yield ask("DELETE FROM listed_orders WHERE customer = ?", from.id);
    // All keys of a customer list the same orders: what one was compared with, the other was as well.
    for (const column of ["compared_at", "rest_until"])
      yield ask(
        `UPDATE customers SET ${column} = former.${column}${column === "rest_until" ? ", rest_ms = former.rest_ms" : ""}
         FROM customers AS former WHERE customers.id = ? AND former.id = ? AND former.${column} IS NOT NULL
           AND (customers.${column} IS NULL OR customers.${column} < former.${column})`,
        to.id,
        from.id,
      );
    yield ask(
      "UPDATE accounts SET customer = ? WHERE customer = ? AND name NOT IN (SELECT name FROM accounts WHERE customer = ?)",
      to.id,
      from.id,
      to.id,
    );
    yield ask("DELETE FROM accounts WHERE customer = ?", from.id);
    yield ask(
      `UPDATE orders_elsewhere SET customer = ? WHERE customer = ? AND NOT EXISTS (SELECT 1 FROM orders_elsewhere AS known
         WHERE known.customer = ? AND known.content = orders_elsewhere.content AND known.order_id = orders_elsewhere.order_id
           AND known.shop = orders_elsewhere.shop AND known.ref = orders_elsewhere.ref)`,
      to.id,
      from.id,
      to.id,
    );
    yield ask(
      `UPDATE operations SET customer = ? WHERE customer = ? AND (kind <> 'create' OR order_id IS NULL OR order_id NOT IN
         (SELECT order_id FROM operations WHERE customer = ? AND kind = 'create' AND order_id IS NOT NULL))`,
      to.id,
      from.id,
      to.id,
    );
  }

  function* insert(service: string, profileId: string | undefined): Work<Customer> {
    const [row] = yield ask(
      "INSERT INTO customers (service, profile_id) VALUES (?, ?) RETURNING *",
      service,
      profileId ?? null,
    );
    return readCustomer(row) as Customer;
  }
}

function readCustomer(row: Readonly<Record<string, unknown>> | undefined): Customer | undefined {
  if (!row) return undefined;
  return { id: numberOf(row.id) ?? 0, service: textOf(row.service) ?? "", profileId: textOf(row.profile_id) };
}
