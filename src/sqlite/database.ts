/** SQLite files of ours: private, in WAL mode, migrated forward, and written in short transactions. */

import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { makeWritableDirectory } from "../core/directory.ts";
import { CourierError, explainSystemError, systemCode } from "../core/errors.ts";
import { type Connection, type Driver, loadDriver, NoDriver, type Statement, sqliteCode } from "./driver.ts";

export interface DatabaseOptions {
  readonly path: string;
  /** What the file is called in messages: `ledger`. */
  readonly title: string;
  /** Marks files as ours; a file with another mark is refused. */
  readonly applicationId: number;
  /** SQL scripts; the n-th takes a file of version n to n + 1. */
  readonly migrations: readonly string[];
  /** `full`: what is committed is on disk. `normal`: a power failure may take the last commits. */
  readonly durability?: "full" | "normal";
}

export interface Database {
  readonly path: string;
  readonly driver: string;
  /** A prepared statement, made once for each text. Only for reading outside of transactions. */
  sql(text: string): Statement;
  /**
   * Runs `work` in one transaction that is the only writer, and commits it. Waits for other writers; `work` is
   * synchronous, so that nothing waits inside of a transaction. Rolls back when it throws.
   */
  transaction<T>(work: () => T): Promise<T>;
  /** Runs SQL outside of a transaction. */
  exec(text: string): void;
  close(): void;
}

/** Another writer is never at work for so long, unless it is stopped in the middle. */
const longestWaitMs = 30_000;
const firstPauseMs = 1;
const longestPauseMs = 25;

const code = {
  busy: 5,
  noMemory: 7,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  notADatabase: 26,
};

/**
 * Opens the file, which is made with mode 0600 in a directory of mode 0700 where there is none. Throws
 * `database` (exit 5) where there is no driver, where it cannot be written, and for a file that is damaged,
 * foreign or of a later version, which stays as it is.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { path, title } = options;
  const driver = await findDriver(title);
  let connection: Connection | undefined;
  try {
    makeWritableDirectory(dirname(path));
    closeSync(openSync(path, "a", 0o600));
    connection = driver.open(path);
    const database = createDatabase(connection, driver, options);
    await prepare(connection, database, options);
    return database;
  } catch (error) {
    connection?.close();
    throw explainFailure(error, path, title);
  }
}

async function findDriver(title: string): Promise<Driver> {
  try {
    return await loadDriver();
  } catch (error) {
    if (!(error instanceof NoDriver)) throw error;
    throw new CourierError(
      "database",
      5,
      `the ${title} cannot be opened: SQLite is missing (${error.message})`,
      {
        cause: error,
        hint: "use Node.js 22.16 or later, or install again without --omit=optional",
      },
    );
  }
}

function createDatabase(connection: Connection, driver: Driver, { path, title }: DatabaseOptions): Database {
  const statements = new Map<string, Statement>();
  return {
    path,
    driver: driver.name,
    sql(text) {
      const known = statements.get(text);
      if (known) return known;
      const made = connection.prepare(text);
      statements.set(text, made);
      return made;
    },
    async transaction(work) {
      try {
        await begin(connection);
        try {
          const result = work();
          connection.exec("COMMIT");
          return result;
        } catch (error) {
          rollBack(connection);
          throw error;
        }
      } catch (error) {
        throw explainFailure(error, path, title);
      }
    },
    exec: (text) => connection.exec(text),
    close() {
      statements.clear();
      connection.close();
    },
  };
}

/** Backs off with jitter: of processes that try again at once, one would make nearly all commits. */
async function begin(connection: Connection): Promise<void> {
  const untilMs = performance.now() + longestWaitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
    try {
      return connection.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (!isBusy(error) || performance.now() > untilMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
  }
}

function isBusy(error: unknown): boolean {
  const number = sqliteCode(error);
  return number === code.busy || number === code.protocol;
}

/** Some failures have ended the transaction already. */
function rollBack(connection: Connection): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // there is none left
  }
}

async function prepare(
  connection: Connection,
  database: Database,
  { migrations, applicationId, title, path, durability = "full" }: DatabaseOptions,
): Promise<void> {
  connection.exec("PRAGMA busy_timeout = 0; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;");
  const version = await whenFree(checkVersion);
  if (version === 0) await whenFree(() => connection.exec("PRAGMA journal_mode = WAL"));
  connection.exec(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
  if (version === migrations.length) return;
  await database.transaction(() => {
    for (const script of migrations.slice(checkVersion())) connection.exec(script);
    connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
  });

  /** The file's version; 0 for an empty file. */
  function checkVersion(): number {
    const read = (pragma: string) => Number(connection.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
    const [id, found] = [read("application_id"), read("user_version")];
    const isEmpty = connection.prepare("SELECT count(*) AS n FROM sqlite_master").get()?.n === 0;
    if (isEmpty && id === 0 && found === 0) return 0;
    if (id !== applicationId) {
      throw unusable(title, path, "it is not a file of courier's", "move it away");
    }
    if (found > migrations.length) {
      throw unusable(
        title,
        path,
        `it is of version ${found}, and this courier knows up to ${migrations.length}`,
        "update courier",
      );
    }
    return found;
  }
}

/**
 * Another process may be making the file at this moment, or be the last to close it: until then it cannot even be
 * read, and changing the journal mode needs it alone.
 */
async function whenFree<T>(work: () => T): Promise<T> {
  const untilMs = performance.now() + longestWaitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > untilMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, longestPauseMs * Math.random()));
  }
}

function unusable(title: string, path: string, reason: string, remedy: string): CourierError {
  return new CourierError("database", 5, `the ${title} cannot be used: ${reason}: ${path}`, {
    hint: `the file was left as it is: ${remedy}`,
  });
}

const reasons: Readonly<Record<number, readonly [reason: string, remedy: string]>> = {
  [code.busy]: [
    "another courier process has been writing to it for 30 seconds",
    "see which one hangs and end it",
  ],
  [code.readOnly]: [
    "it cannot be written to",
    "check its permissions, or choose another place with COURIER_STATE_DIR",
  ],
  [code.io]: ["the disk reports an error", "check the disk, then run the same command again"],
  [code.corrupt]: ["it is damaged", "restore it from a backup, or move it away with its -wal and -shm files"],
  [code.full]: ["the disk is full", "make room, then run the same command again"],
  [code.cannotOpen]: [
    "it cannot be opened",
    "check its permissions, or choose another place with COURIER_STATE_DIR",
  ],
  [code.notADatabase]: ["it is not an SQLite file, or damaged", "restore it from a backup, or move it away"],
};

/** Plain words for failures of SQLite and of the file system; other errors stay as they are. */
function explainFailure(error: unknown, path: string, title: string): unknown {
  if (error instanceof CourierError) return error;
  const number = sqliteCode(error);
  if (number !== undefined) {
    const message = error instanceof Error ? error.message : String(error);
    const [reason, remedy] = reasons[number] ?? [message, "run the same command again with --debug"];
    return new CourierError("database", 5, `the ${title} cannot be used: ${reason}: ${path}`, {
      cause: error,
      hint: remedy,
    });
  }
  if (systemCode(error) === undefined) return error;
  const reason = explainSystemError(error, "directory");
  return new CourierError("database", 5, `the ${title} cannot be kept at ${path}: ${reason}`, {
    cause: error,
    hint: "choose another place with COURIER_STATE_DIR",
  });
}
