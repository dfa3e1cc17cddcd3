/** The ledger: what was done at the service from this machine, in one SQLite database. */

import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { CourierError } from "../core/errors.ts";
import { type Database, openDatabase } from "../sqlite/database.ts";
import type { WaitOptions } from "../sqlite/wait.ts";
import { createWriteQueue } from "../sqlite/write-queue.ts";
import { type Customers, createCustomers } from "./customers.ts";
import { createDrafts, type Drafts } from "./drafts.ts";
import { createEvents } from "./events.ts";
import { createKnownOrders, type KnownOrders } from "./known-orders.ts";
import { createListings, type Listings } from "./listings.ts";
import { createOperations, type Operations } from "./operations.ts";
import { publishOrders } from "./order-cache-writer.ts";
import { createRuns, type Runs } from "./runs.ts";
import { applicationId, migrations } from "./schema.ts";

/**
 * Each method is one transaction. The interface is asynchronous, since a database on a server can stand behind
 * it as well.
 */
export interface Ledger extends Customers, Runs, Operations, Listings, Drafts, KnownOrders {
  readonly path: string;
  /** Throws `ledger_lost` where the ledger was removed or replaced since it was opened. */
  checkPlace(): Promise<void>;
  inspect(): Promise<LedgerFacts>;
  /** Takes what was deleted out of the files. Throws `database` where other processes use them for too long. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

/** For diagnosis. */
export interface LedgerFacts {
  readonly path: string;
  readonly driver: string;
  readonly sqliteVersion: string;
  readonly sizeBytes: number;
  readonly runs: number;
  readonly operations: number;
  readonly inDoubt: number;
  /** `ok`, or what SQLite's own check finds. */
  readonly integrity: string;
}

export function ledgerPath(stateDirectory: string): string {
  return path.join(stateDirectory, "ledger.db");
}

/** True where a ledger was begun: opening it makes no file. */
export function hasLedger(stateDirectory: string): boolean {
  return existsSync(ledgerPath(stateDirectory));
}

/** Opens the ledger of a state directory, which is made where there is none. Throws `database`, exit 5. */
export async function openLedger(stateDirectory: string, wait?: WaitOptions): Promise<Ledger> {
  const file = ledgerPath(stateDirectory);
  const database = await openDatabase({
    path: file,
    title: "ledger",
    applicationId,
    migrations,
    newFileWarning: "a new ledger does not know which orders were sent",
    wait,
    onLost: (message) =>
      new CourierError("ledger_lost", 5, message, {
        hint: "put it back before you send anything: a new ledger does not know which orders were sent",
      }),
  });
  const write = createWriteQueue(database);
  const events = createEvents(database);
  return {
    path: file,
    ...createCustomers(database, write),
    ...createRuns(database, write),
    ...createOperations(database, write, events),
    ...createListings(database, write, events),
    ...createDrafts(database, write),
    ...createKnownOrders(database, write, (owners) => publishOrders(stateDirectory, owners)),
    checkPlace: () => write(() => {}), // every write asks
    inspect: async () => inspect(database),
    async compact() {
      await write(() => {}); // what was begun is written first
      await database.compact();
    },
    async close() {
      await write(() => {}); // what was begun is written first
      database.close();
    },
  };
}

function inspect(database: Database): LedgerFacts {
  const one = (text: string) => Object.values(database.sql(text).get() ?? {})[0];
  return {
    path: database.path,
    driver: database.driver,
    sqliteVersion: String(one("SELECT sqlite_version()")),
    sizeBytes: statSync(database.path).size,
    runs: Number(one("SELECT count(*) FROM runs")),
    operations: Number(one("SELECT count(*) FROM operations")),
    inDoubt: Number(one("SELECT count(*) FROM operations WHERE state IN ('sending', 'unknown')")),
    integrity: String(one("PRAGMA quick_check(1)")),
  };
}
