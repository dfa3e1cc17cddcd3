/** The ledger of several machines: runs and operations in PostgreSQL; drafts and the orders for the Tab key stay here. */

import type { Clock } from "../../core/clock.ts";
import { CourierError } from "../../core/errors.ts";
import { isLoopback, type PostgresAddress } from "../../postgres/address.ts";
import { type Connection, createConnection } from "../../postgres/connection.ts";
import type { WaitOptions } from "../../sqlite/wait.ts";
import { createCustomers } from "../customers.ts";
import { type Ledger, type LedgerFacts, openLedger } from "../ledger.ts";
import { createListings } from "../listings.ts";
import { createOperations } from "../operations.ts";
import { createRuns } from "../runs.ts";
import { createLease, leaseMs, readClocks } from "./lease.ts";
import { migrations, nowMs, schemaName } from "./shared-schema.ts";
import { beginCommitted, createSharedStore, isWithoutTables } from "./shared-store.ts";

export interface SharedLedgerOptions extends Omit<WaitOptions, "clock"> {
  readonly address: PostgresAddress;
  readonly stateDirectory: string;
  readonly clock: Clock;
}

/** A smaller difference of the clocks changes nothing. */
const clockStepMs = 250;

/** Opens the ledger, or makes its tables. Times are the database's from now on. Throws `database`, exit 5. */
export async function openSharedLedger(options: SharedLedgerOptions): Promise<Ledger> {
  const { address, stateDirectory, clock } = options;
  const watched = { ...options, onBroken: () => lease.doubt() };
  const writing = createConnection(watched);
  // A sign of life must not wait for a write, which waits for other machines.
  const beating = createConnection(watched);
  let aheadMs = 0;
  /** The database's hour at a moment of the monotonic clock, which no one sets. */
  let read = { databaseMs: Number.NaN, elapsedMs: 0 };

  /** Follows the database's clock. `beat` is a statement whose answer has its time. */
  async function readTime(beat: Promise<readonly { readonly now?: unknown }[]>): Promise<void> {
    const began = { nowMs: clock.now(), elapsedMs: clock.elapsed() };
    const [row] = await beat;
    const databaseMs = Number(row?.now);
    if (!Number.isFinite(databaseMs)) return;
    read = { databaseMs, elapsedMs: clock.elapsed() };
    const halfMs = (read.elapsedMs - began.elapsedMs) / 2;
    const stepMs = databaseMs - (began.nowMs + halfMs);
    // The answer may be of any moment of the wait, which was long where the connection was made anew.
    if (Math.abs(stepMs) < clockStepMs + halfMs) return;
    aheadMs += Math.round(stepMs); // times are whole milliseconds
    clock.follow(aheadMs);
  }

  const lease = createLease(clock, async (runs) => {
    await store.checkLoss(beating.ask);
    await readTime(
      beating.ask(
        `UPDATE ${schemaName}.runs SET beat_at = ${nowMs} WHERE number IN
           (SELECT CAST(value AS BIGINT) FROM ${schemaName}.json_each(?)) RETURNING ${nowMs} AS now`,
        [JSON.stringify(runs)],
      ),
    );
  });

  try {
    await migrate(writing);
    await readTime(writing.ask(`SELECT ${nowMs} AS now`, []));
  } catch (error) {
    await writing.close();
    throw error;
  }

  const store = createSharedStore(writing, {
    lease,
    now: () => read.databaseMs + clock.elapsed() - read.elapsedMs,
    explainLoss: () => lostRecords(address),
  });
  const runs = createRuns(store);
  const operations = createOperations(store, () => clock.sinceBoot());
  let openedLocal: Promise<Ledger> | undefined;
  const here = () => {
    openedLocal ??= openLedger(stateDirectory, options);
    return openedLocal;
  };

  /** A claim of a process that gave no sign of life could be another one's tomorrow. */
  const whileHeld =
    <A extends readonly unknown[], T>(claim: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      if (!lease.isHeld()) throw lostLease(address);
      return claim(...args);
    };

  return {
    path: address.text,
    isShared: true,
    ...createCustomers(store),
    ...runs,
    async beginRun(run) {
      const began = readClocks(clock);
      const begun = await runs.beginRun(run);
      lease.hold(begun.number, began);
      return begun;
    },
    ...operations,
    beginCreate: whileHeld(operations.beginCreate),
    claimRows: whileHeld(operations.claimRows),
    markSending: whileHeld(operations.markSending),
    beginCancel: whileHeld(operations.beginCancel),
    ...createListings(store, () => clock.sinceBoot()),
    findDrafts: async (...args) => (await here()).findDrafts(...args),
    keepDraft: async (...args) => (await here()).keepDraft(...args),
    dropDraft: async (...args) => (await here()).dropDraft(...args),
    dropAllDrafts: async (...args) => (await here()).dropAllDrafts(...args),
    rememberOrders: async (...args) => (await here()).rememberOrders(...args),
    recentOrders: async (...args) => (await here()).recentOrders(...args),
    seenStates: async (...args) => (await here()).seenStates(...args),
    forgetOrders: async (...args) => (await here()).forgetOrders(...args),
    checkPlace: () => store.write(function* () {}),
    inspect: () => inspect(writing, address, clock),
    async compact() {
      if (openedLocal) await (await openedLocal).compact();
    },
    async close() {
      lease.end();
      // It has nothing but drafts and orders for the Tab key, and may not be writable.
      const local = openedLocal?.then((ledger) => ledger.close()).catch(() => undefined);
      await Promise.all([writing.close(), beating.close(), local]);
    },
  };
}

function lostLease({ place }: PostgresAddress): CourierError {
  return new CourierError(
    "database",
    5,
    `the ledger was out of reach for ${leaseMs / 1_000} seconds, so this run sends nothing more: ${place}`,
    { hint: "run the same command again: what was sent is looked up, and nothing is sent twice" },
  );
}

function lostRecords({ place }: PostgresAddress): CourierError {
  return new CourierError("ledger_lost", 5, `the ledger has lost what was recorded: ${place}`, {
    hint: "a backup or a standby has taken its place, which does not know all that was sent: before you send anything, compare your files with courier orders list --all",
  });
}

/** Any number, the same in all processes: one of them makes the tables. */
const migrationLock = 4_352_476_701;

/** Makes the tables, or brings them to this version. */
async function migrate(connection: Connection): Promise<void> {
  const found = await readVersion(connection);
  if (found > migrations.length) throw laterVersion(found);
  if (found === migrations.length) return;
  const begin = `${beginCommitted}; SELECT pg_advisory_xact_lock(${migrationLock})`;
  await connection.transaction(begin, async (answer) => {
    const [database] = await answer("SELECT pg_catalog.getdatabaseencoding() AS encoding", []);
    ensureEncoding(database?.encoding);
    await answer(`CREATE SCHEMA IF NOT EXISTS ${schemaName}`, []);
    await answer(`SET LOCAL search_path = ${schemaName}`, []);
    const [row] = await answer("SELECT to_regclass('version') AS made", []);
    const [version] = row?.made === null ? [] : await answer("SELECT number FROM version", []);
    const from = Number(version?.number ?? 0);
    if (from > migrations.length) throw laterVersion(from);
    for (const script of migrations.slice(from)) await answer(script, []);
    await answer(`UPDATE version SET number = ${migrations.length}`, []);
  });
}

/** 0 where there are no tables yet. */
async function readVersion(connection: Connection): Promise<number> {
  try {
    const [row] = await connection.ask(
      `SELECT number, pg_catalog.getdatabaseencoding() AS encoding FROM ${schemaName}.version`,
      [],
    );
    ensureEncoding(row?.encoding);
    return Number(row?.number);
  } catch (error) {
    if (isWithoutTables(error)) return 0;
    throw error;
  }
}

/** A database in SQL_ASCII keeps all bytes as they are. */
function ensureEncoding(encoding: unknown): void {
  if (encoding === "UTF8" || encoding === "SQL_ASCII") return;
  throw new CourierError(
    "database",
    5,
    `the ledger cannot be used: its database has the encoding ${encoding}, which does not have all characters`,
    { hint: "make another database: createdb --encoding=UTF8 --template=template0 NAME" },
  );
}

function laterVersion(found: number): CourierError {
  return new CourierError(
    "database",
    5,
    `the ledger cannot be used: it has version ${found}, but this courier supports versions up to ${migrations.length}`,
    { hint: "update courier; the ledger was left as it is" },
  );
}

/** Facts for `courier doctor`, with the settings that void the promise that nothing is sent twice. */
async function inspect(
  connection: Connection,
  { text, host, sslMode }: PostgresAddress,
  clock: Clock,
): Promise<LedgerFacts> {
  const startedMs = clock.elapsed();
  const [row = {}] = await connection.ask(
    `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS full_page_writes, CAST(pg_is_in_recovery() AS TEXT) AS standby,
       (SELECT count(*) FROM ${schemaName}.runs) AS runs, (SELECT count(*) FROM ${schemaName}.operations) AS operations,
       (SELECT count(*) FROM ${schemaName}.operations WHERE state IN ('sending', 'unknown')) AS doubt,
       pg_total_relation_size('${schemaName}.operations') AS size`,
    [],
  );
  const tookMs = clock.elapsed() - startedMs;
  const weaknesses = [
    ...(row.fsync === "off" ? ["fsync is off: a power failure may lose what was sent"] : []),
    ...(row.full_page_writes === "off" ? ["full_page_writes is off: a power failure may damage it"] : []),
    ...(row.standby === "true" ? ["it is a standby, which takes no writes"] : []),
    ...(sslMode === "require" && !isLoopback(host)
      ? ["sslmode=require does not check which server answers"]
      : []),
    ...(sslMode === "disable" && !isLoopback(host) ? ["the connection is not encrypted"] : []),
  ];
  return {
    path: text,
    engine: `PostgreSQL ${row.version}`,
    latencyMs: tookMs,
    tablesVersion: migrations.length,
    sizeBytes: Number(row.size),
    runs: Number(row.runs),
    operations: Number(row.operations),
    inDoubt: Number(row.doubt),
    integrity: "ok",
    weaknesses,
  };
}
