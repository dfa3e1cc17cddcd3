/** One small interface over the SQLite drivers of Node.js, Bun and @photostructure/sqlite (decision 22). */

import { toNamespacedPath } from "node:path";
import { pathToFileURL } from "node:url";
import { systemCode } from "../core/errors.ts";

export type SqlValue = null | number | string | Uint8Array;
export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface Statement {
  run(...values: readonly SqlValue[]): { readonly changes: number };
  get(...values: readonly SqlValue[]): SqlRow | undefined;
  all(...values: readonly SqlValue[]): readonly SqlRow[];
}

/** An open database file. All calls are synchronous and throw the driver's own errors. */
export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Driver {
  readonly name: string;
  /** False: the file stays open until its statements are collected as garbage; Windows deletes no open file. */
  readonly closesAtOnce: boolean;
  open(path: string): Connection;
  /** To read a file as it is without its log. Takes no locks. */
  openWithoutLog(path: string): Connection;
}

/** The runtime has no SQLite with the needed features, and the optional package is not installed or does not load. */
export class NoDriver extends Error {
  constructor(
    reasons: readonly string[],
    /** Memory may be short, or the package is for another system. */
    readonly isInstalled: boolean,
  ) {
    super(reasons.at(-1) ?? "no driver", { cause: reasons });
  }
}

/** The drivers, in the order in which they are tried. */
const loaders: readonly (() => Promise<Driver>)[] = [loadBun, loadNode, loadPackage];

/** The first available driver with full-text search. Throws NoDriver. */
export async function loadDriver(): Promise<Driver> {
  const reasons: string[] = [];
  let isInstalled = false;
  for (const load of loaders) {
    try {
      const driver = await load();
      if (hasFullTextSearch(driver)) return driver;
      reasons.push(`${driver.name} has no full-text search`);
    } catch (error) {
      isInstalled ||= systemCode(error) === "ERR_DLOPEN_FAILED";
      reasons.push(error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error));
    }
  }
  throw new NoDriver(reasons, isInstalled);
}

/** Node.js 22.13 to 22.15 have `node:sqlite` without FTS5, so the compile options are checked. */
function hasFullTextSearch(driver: Driver): boolean {
  const connection = driver.open(":memory:");
  try {
    return connection.prepare("SELECT sqlite_compileoption_used('ENABLE_FTS5') AS used").get()?.used === 1;
  } finally {
    connection.close();
  }
}

/** What `node:sqlite` and the package that copies its interface have in common. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    exec(sql: string): void;
    prepare(sql: string): NodeStatement;
    close(): void;
  };
}

interface NodeStatement {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
}

async function loadNode(): Promise<Driver> {
  // @ts-expect-error: the types are those of Node.js 20, which does not have it
  const sqlite = (await import("node:sqlite")) as NodeSqlite;
  return driverOf("node:sqlite", true, sqlite);
}

async function loadPackage(): Promise<Driver> {
  const sqlite = await import("@photostructure/sqlite");
  return driverOf("@photostructure/sqlite", false, sqlite as unknown as NodeSqlite);
}

function driverOf(name: string, closesAtOnce: boolean, { DatabaseSync }: NodeSqlite): Driver {
  const connect = (location: string): Connection => {
    const database = new DatabaseSync(location);
    return {
      exec: (sql) => database.exec(sql),
      prepare(sql) {
        const statement = database.prepare(sql);
        return {
          run: (...values) => ({ changes: Number(statement.run(...values).changes) }),
          get: (...values) => statement.get(...values) as SqlRow | undefined,
          all: (...values) => statement.all(...values) as SqlRow[],
        };
      },
      close: () => database.close(),
    };
  };
  return {
    name,
    closesAtOnce,
    open: (path) => connect(longPath(path)),
    openWithoutLog: (path) => connect(immutableUri(path)),
  };
}

function immutableUri(path: string): string {
  return `${pathToFileURL(path).href}?immutable=1`;
}

/** SQLite does not do this itself: Windows takes a path of 260 characters or more only in this form. */
function longPath(path: string): string {
  return path === ":memory:" ? path : toNamespacedPath(path);
}

/** SQLITE_OPEN_READONLY and SQLITE_OPEN_URI. */
const readOnlyUri = 0x41;

/** What courier uses of Bun's own driver. */
interface BunSqlite {
  readonly Database: new (
    path: string,
    options: { readwrite: true; create: true } | number,
  ) => {
    exec(sql: string): void;
    prepare(sql: string): NodeStatement & { finalize(): void };
    close(): void;
  };
}

async function loadBun(): Promise<Driver> {
  if (!("Bun" in globalThis)) throw new Error("this is not Bun");
  // @ts-expect-error: Bun's types are not installed
  const { Database } = (await import("bun:sqlite")) as BunSqlite;
  const connect = (database: InstanceType<typeof Database>): Connection => {
    const statements: { finalize(): void }[] = [];
    return {
      exec: (sql) => database.exec(sql),
      prepare(sql) {
        const statement = database.prepare(sql);
        statements.push(statement);
        return {
          run: (...values) => ({ changes: Number(statement.run(...values).changes) }),
          get: (...values) => (statement.get(...values) ?? undefined) as SqlRow | undefined,
          all: (...values) => statement.all(...values) as SqlRow[],
        };
      },
      close() {
        for (const statement of statements) statement.finalize();
        database.close();
      },
    };
  };
  return {
    name: "bun:sqlite",
    closesAtOnce: true,
    open: (path) => connect(new Database(longPath(path), { readwrite: true, create: true })),
    openWithoutLog: (path) => connect(new Database(immutableUri(path), readOnlyUri)),
  };
}

/** SQLite's primary result code; undefined for another error. */
export function sqliteCode(error: unknown): number | undefined {
  const number = extendedSqliteCode(error);
  return number === undefined ? undefined : number & 0xff;
}

/** The same with what SQLite adds to it, where the driver passes that on. */
export function extendedSqliteCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { errcode, errno, code, message } = error as Record<
    "errcode" | "errno" | "code" | "message",
    unknown
  >;
  if (typeof code !== "string" || !/SQLITE/.test(code)) return undefined;
  return [errcode, errno, messageCodes.get(message)].find((each) => typeof each === "number");
}

/** SQLite's own texts: @photostructure/sqlite gives no number for an error between two rows. */
const messageCodes: ReadonlyMap<unknown, number> = new Map([
  ["database is locked", 5],
  ["database table is locked", 6],
  ["out of memory", 7],
  ["attempt to write a readonly database", 8],
  ["disk I/O error", 10],
  ["database disk image is malformed", 11],
  ["database or disk is full", 13],
  ["unable to open database file", 14],
  ["locking protocol", 15],
  ["file is not a database", 26],
]);
