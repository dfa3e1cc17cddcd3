/** The ledger: runs and operations, in an SQLite file of this machine (shared/ has that of several). */

import { statSync } from "node:fs";
import { CourierError } from "../core/errors.ts";
import { newLedgerWarning } from "../core/wording.ts";
import { type Database, openDatabase } from "../sqlite/database.ts";
import { deleteLog } from "../sqlite/database-errors.ts";
import type { WaitOptions } from "../sqlite/wait.ts";
import { createWriteQueue } from "../sqlite/write-queue.ts";
import { type Customers, createCustomers } from "./customers.ts";
import { createDrafts, type Drafts } from "./drafts.ts";
import { createKnownOrders, type KnownOrders } from "./known-orders.ts";
import { ledgerPath } from "./ledger-file.ts";
import { createListings, type Listings } from "./listings.ts";
import { createLocalStore, ensureKeptHere } from "./local-store.ts";
import { createOperations, type Operations } from "./operations.ts";
import { publishOrders } from "./order-cache-writer.ts";
import { createRuns, type Runs } from "./runs.ts";
import { applicationId, migrations } from "./schema.ts";

/**
 * Each method is one transaction. The interface is asynchronous, so that a database server can implement it.
 */
export interface Ledger extends Customers, Runs, Operations, Listings, Drafts, KnownOrders {
  /** The file, or the address of the server. */
  readonly path: string;
  /** True where several machines use it. */
  readonly isShared: boolean;
  /** Throws `ledger_lost` where the ledger was removed or replaced since it was opened. */
  checkPlace(): Promise<void>;
  /** Throws `database` where it cannot be written: no order could be sent. */
  inspect(): Promise<LedgerFacts>;
  /** Removes deleted data from the files. Throws `database` where other processes use them for too long. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

/** For `courier doctor`. */
export interface LedgerFacts {
  readonly path: string;
  /** What keeps it, for example `SQLite 3.50.4 (node:sqlite)`. */
  readonly engine: string;
  /** How long a server took to answer. */
  readonly latencyMs?: number | undefined;
  /** The version of its tables. */
  readonly tablesVersion: number;
  readonly sizeBytes: number;
  readonly runs: number;
  readonly operations: number;
  readonly inDoubt: number;
  /** `ok`, or the result of SQLite's check. */
  readonly integrity: string;
  /** Settings that void what is promised of it, in words. */
  readonly weaknesses: readonly string[];
}

/** The file of the ledger, for what goes through all of it (copy-ledger.ts, moved.ts). */
export function openLedgerFile(stateDirectory: string, wait?: WaitOptions): Promise<Database> {
  const path = ledgerPath(stateDirectory);
  return openDatabase({
    path,
    title: "ledger",
    applicationId,
    migrations,
    newFileWarning: newLedgerWarning,
    wait,
    onLost: (message) =>
      new CourierError("ledger_lost", 5, message, {
        hint: `put it back before you send anything; if it is lost, ${deleteLog(path)}, then restore it from a backup: ${newLedgerWarning}`,
      }),
  });
}

/** Opens the ledger of a state directory, or creates it. Throws `database`, exit 5. */
export async function openLedger(stateDirectory: string, wait?: WaitOptions): Promise<Ledger> {
  const database = await openLedgerFile(stateDirectory, wait);
  const write = createWriteQueue(database);
  const store = createLocalStore(database, write);
  const runs = createRuns(store);
  const sinceBoot = () => wait?.clock?.sinceBoot();
  return {
    path: database.path,
    isShared: false,
    ...createCustomers(store),
    ...runs,
    async beginRun(run) {
      ensureKeptHere(database, run);
      return runs.beginRun(run);
    },
    ...createOperations(store, sinceBoot),
    ...createListings(store, sinceBoot),
    ...createDrafts(database, write),
    ...createKnownOrders(database, write, (owners) => publishOrders(stateDirectory, owners)),
    checkPlace: () => write(() => {}), // every write checks
    async inspect() {
      const facts = inspect(database);
      if (facts.integrity === "ok") await tryWrite(database);
      return facts;
    },
    async compact() {
      await write(() => {}); // after all pending writes
      await database.compact();
    },
    async close() {
      await write(() => {}); // after all pending writes
      database.close();
    },
  };
}

function inspect(database: Database): LedgerFacts {
  const one = (text: string) => Object.values(database.sql(text).get() ?? {})[0];
  return {
    path: database.path,
    engine: `SQLite ${one("SELECT sqlite_version()")} (${database.driver})`,
    tablesVersion: migrations.length,
    sizeBytes: statSync(database.path).size,
    runs: Number(one("SELECT count(*) FROM runs")),
    operations: Number(one("SELECT count(*) FROM operations")),
    inDoubt: Number(one("SELECT count(*) FROM operations WHERE state IN ('sending', 'unknown')")),
    integrity: String(one("PRAGMA quick_check(1)")),
    weaknesses: [],
  };
}

/** Writes what is there already, and commits it: a rolled back transaction would not notice a full disk. */
async function tryWrite(database: Database): Promise<void> {
  await database.transaction(() => {
    const { user_version } = database.sql("PRAGMA user_version").get() ?? {};
    database.exec(`PRAGMA user_version = ${user_version}`);
  });
  await database.flush();
}
