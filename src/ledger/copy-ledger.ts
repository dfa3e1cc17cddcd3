/** Copies customers of this machine's ledger, with all that is recorded of them, into an empty shared ledger. */

import { createHash } from "node:crypto";
import type { Answer, Connection } from "../postgres/connection.ts";
import type { Database } from "../sqlite/database.ts";
import type { SqlRow, SqlValue } from "../sqlite/driver.ts";
import { beginWrite } from "./shared/shared-store.ts";

interface Table {
  readonly name: string;
  /** Its primary key, in the order of its rows. */
  readonly key: readonly string[];
  /** The column with the number of a customer. */
  readonly customer: string;
}

/** Each is copied after those that it refers to. */
const tables: readonly Table[] = [
  { name: "customers", key: ["id"], customer: "id" },
  { name: "keys", key: ["hash"], customer: "customer" },
  { name: "accounts", key: ["name", "customer"], customer: "customer" },
  { name: "runs", key: ["number"], customer: "customer" },
  { name: "files", key: ["run"], customer: "customer" },
  { name: "operations", key: ["run", "number"], customer: "customer" },
  { name: "listings", key: ["customer", "event"], customer: "customer" },
  { name: "listed_orders", key: ["customer", "order_id"], customer: "customer" },
  { name: "withdrawn_orders", key: ["customer", "event"], customer: "customer" },
  { name: "orders_elsewhere", key: ["customer", "content", "order_id", "shop", "ref"], customer: "customer" },
  { name: "possible_orders", key: ["run", "number", "order_id"], customer: "customer" },
];

/**
 * `copied`, or `copied before`, and the shared ledger may have more since; or why not: `differs` was found when all was
 * read back; the shared ledger has runs of its own.
 */
export type CopyResult =
  | { readonly kind: "copied" | "copied before"; readonly runs: number; readonly operations: number }
  | { readonly kind: "has runs"; readonly runs: number; readonly own: number }
  | { readonly kind: "differs"; readonly table: string };

/** A megabyte or so. */
const rowsAtOnce = 1_000;

/** No two ledgers were made with the same. */
const ownSalt = "SELECT value FROM facts WHERE name = 'salt'";

class NotCopied extends Error {
  readonly result: CopyResult;
  constructor(result: CopyResult) {
    super(result.kind);
    this.result = result;
  }
}

/**
 * Copies everything in one transaction, and reads it back before the commit: the number of rows, and a digest of them in
 * their order. A ledger that has all of the runs already counts as copied before. `from` is used by nothing else meanwhile.
 * Throws `database`, exit 5; after `onCommit` was called, all may have been copied nevertheless.
 */
export async function copyLedger(
  from: Database,
  customers: readonly number[],
  to: Connection,
  onCommit: () => void,
): Promise<CopyResult> {
  from.exec("BEGIN"); // one snapshot for all reads
  try {
    return await to.transaction(beginWrite, async (answer) => {
      const [found] = await answer("SELECT count(*) AS runs FROM runs", []);
      const runs = Number(found?.runs);
      if (runs === 0) await fill(from, customers, answer);
      const copied =
        runs === 0 ? await compare(from, customers, answer) : await findCopy(from, customers, runs, answer);
      if (copied.kind === "differs" || copied.kind === "has runs") throw new NotCopied(copied);
      onCommit();
      return copied;
    });
  } catch (error) {
    if (error instanceof NotCopied) return error.result;
    throw error;
  } finally {
    from.exec("ROLLBACK");
  }
}

async function fill(from: Database, customers: readonly number[], answer: Answer): Promise<void> {
  // A process may have found a customer there: its number must not become another one's.
  const [last] = await answer(
    "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('customers', 'id')::regclass), 0) AS id",
    [],
  );
  for (const { name } of tables.toReversed()) await answer(`DELETE FROM ${name}`, []);
  const base = Number(last?.id);
  for (const table of tables) {
    const columns = columnsOf(from, table);
    const names = columns.map((column) => `"${column}"`).join(", ");
    for (const rows of localRows(from, table, customers)) {
      const records = rows.map((row) => {
        const values = valuesOf(row, table, columns, base);
        return Object.fromEntries(columns.map((column, index) => [column, values[index]]));
      });
      await answer(
        `INSERT INTO ${table.name} (${names}) OVERRIDING SYSTEM VALUE
           SELECT ${names} FROM json_populate_recordset(CAST(NULL AS ${table.name}), ?)`,
        [JSON.stringify(records)],
      );
    }
  }
  // The server counts rows a minute later by itself; until then it reads all of them where it need not.
  for (const { name } of tables) await answer(`ANALYZE ${name}`, []);
  const one = (text: string) => Object.values(from.sql(text).get() ?? {})[0] ?? 0;
  await answer("UPDATE facts SET value = ? WHERE name = 'salt'", [one(ownSalt)]);
  await answer("UPDATE events SET last = greatest(last, ?)", [one("SELECT last FROM events")]);
  await continueNumbers("customers", "id", base + Number(one("SELECT max(id) FROM customers")), answer);
  // The number of a run stays unique on this machine.
  await continueNumbers("runs", "number", Number(one("SELECT max(number) FROM runs")), answer);
}

async function continueNumbers(table: string, column: string, last: number, answer: Answer): Promise<void> {
  if (last > 0) await answer(`SELECT setval(pg_get_serial_sequence('${table}', '${column}'), ?)`, [last]);
}

async function compare(from: Database, customers: readonly number[], answer: Answer): Promise<CopyResult> {
  const [first] = await answer("SELECT coalesce(min(id), 0) AS id FROM customers", []);
  const base = Number(first?.id) - Math.min(...customers);
  const counts = new Map<string, number>();
  for (const table of tables) {
    const columns = columnsOf(from, table);
    const local = createDigest();
    for (const rows of localRows(from, table, customers))
      for (const row of rows) local.add(valuesOf(row, table, columns, base));
    const shared = createDigest();
    for await (const rows of sharedRows(table, answer))
      for (const row of rows) shared.add(valuesOf(row, table, columns, 0));
    if (local.end() !== shared.end()) return { kind: "differs", table: table.name };
    counts.set(table.name, local.count);
  }
  return { kind: "copied", runs: counts.get("runs") ?? 0, operations: counts.get("operations") ?? 0 };
}

/** What tells a run from all others, of every machine, and how many operations it has. */
const runColumns =
  "number, started_at, pid, process_started, place, (SELECT count(*) FROM operations WHERE run = runs.number) AS operations";

/** Looks for an earlier copy, which was one transaction: the shared ledger has this one's salt then, and all runs. */
async function findCopy(
  from: Database,
  customers: readonly number[],
  runs: number,
  answer: Answer,
): Promise<CopyResult> {
  const [shared] = await answer(ownSalt, []);
  let isComplete = shared?.value === from.sql(ownSalt).get()?.value;
  const counts = { runs: 0, operations: 0 };
  for (let last = 0; ; ) {
    const own = from
      .sql(
        `SELECT ${runColumns} FROM runs WHERE customer IN (SELECT value FROM json_each(?)) AND number > ?
           ORDER BY number LIMIT ${rowsAtOnce}`,
      )
      .all(JSON.stringify(customers), last);
    const found = await answer(
      `SELECT ${runColumns} FROM runs WHERE number IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`,
      [JSON.stringify(own.map((row) => row.number))],
    );
    const known = new Set(found.map(nameRun));
    isComplete &&= own.every((row) => known.has(nameRun(row)));
    counts.runs += own.length;
    for (const { operations } of own) counts.operations += Number(operations);
    if (own.length < rowsAtOnce) break;
    last = Number(own.at(-1)?.number);
  }
  return isComplete && counts.runs > 0
    ? { kind: "copied before", ...counts }
    : { kind: "has runs", runs, own: counts.runs };
}

function nameRun({ number, started_at, pid, process_started, place, operations }: SqlRow): string {
  return JSON.stringify([number, started_at, pid, process_started, place, operations].map(String));
}

function createDigest() {
  const hash = createHash("sha256");
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(values: readonly SqlValue[]) {
      count += 1;
      hash.update(`${JSON.stringify(values)}\n`);
    },
    end: () => `${count} ${hash.digest("hex")}`,
  };
}

function columnsOf(from: Database, { name }: Table): readonly string[] {
  return from
    .sql(`PRAGMA table_info(${name})`)
    .all()
    .map((row) => String(row.name));
}

/** A row as the shared ledger has it: it knows no NUL, and customers have other numbers there. */
function valuesOf(row: SqlRow, table: Table, columns: readonly string[], base: number): SqlValue[] {
  return columns.map((column) => {
    const value = row[column] ?? null;
    if (column === table.customer) return Number(value) + base;
    return typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;
  });
}

/** `+`: an index of the customers would have each page sort all rows. */
function* localRows(
  from: Database,
  table: Table,
  customers: readonly number[],
): Generator<readonly SqlRow[]> {
  const own = JSON.stringify(customers);
  for (let last: readonly SqlValue[] = []; ; ) {
    const rows = from
      .sql(
        `SELECT * FROM ${table.name} WHERE +${table.customer} IN (SELECT value FROM json_each(?)) ${pageAfter(table, last, "AND")}`,
      )
      .all(own, ...last);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsAtOnce) return;
    last = keyOf(rows.at(-1) ?? {}, table);
  }
}

async function* sharedRows(table: Table, answer: Answer): AsyncGenerator<readonly SqlRow[]> {
  for (let last: readonly SqlValue[] = []; ; ) {
    const rows = await answer(`SELECT * FROM ${table.name} ${pageAfter(table, last, "WHERE")}`, last);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsAtOnce) return;
    last = keyOf(rows.at(-1) ?? {}, table);
  }
}

function pageAfter({ key }: Table, last: readonly SqlValue[], word: "AND" | "WHERE"): string {
  const names = key.join(", ");
  const condition = last.length === 0 ? "" : `${word} (${names}) > (${last.map(() => "?").join(", ")})`;
  return `${condition} ORDER BY ${names} LIMIT ${rowsAtOnce}`;
}

function keyOf(row: SqlRow, { key }: Table): readonly SqlValue[] {
  return key.map((column) => row[column] ?? null);
}
