/** courier's SQLite files: private, in WAL mode, migrated forward, written in short transactions. */

import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeWritableDirectory } from "../core/directory.ts";
import { CourierError } from "../core/errors.ts";
import { allowMoreMemory } from "../core/system-errors.ts";
import {
  type DatabaseFile,
  deleteLog,
  explainFailure,
  explainSqlite,
  restore,
  unusable,
  withWarning,
} from "./database-errors.ts";
import { type Connection, type Driver, loadDriver, NoDriver, type Statement } from "./driver.ts";
import { createLogFlusher } from "./log-flusher.ts";
import { findOtherName } from "./other-names.ts";
import { hasForeignLog, numberFirst, numberNext, versionOf } from "./own-log.ts";
import { hasContent, hasFile, makePrivateFile } from "./private-file.ts";
import { followLink } from "./remove-file.ts";
import { resultCodes as code, createWait, type WaitOptions, type WhenFree } from "./wait.ts";

export interface DatabaseOptions extends DatabaseFile {
  /** The `application_id` of the file; a file with another one is refused. */
  readonly applicationId: number;
  /** SQL scripts; the n-th migrates a file from version n to n + 1. */
  readonly migrations: readonly string[];
  /** `full`: `flush` puts commits on the disk. `normal`: a power failure may take the last ones. */
  readonly durability?: "full" | "normal";
  /** Creates the error for a file that was removed or replaced while it was open; without it, this is not checked. */
  readonly onLost?: ((message: string) => CourierError) | undefined;
  /** How to wait for other processes that use the file. */
  readonly wait?: WaitOptions | undefined;
}

export interface Database {
  readonly path: string;
  readonly driver: string;
  /** A prepared statement, cached by its text; for use within `read` and `transaction`. */
  sql(text: string): Statement;
  /**
   * Runs `work` in one transaction that is the only writer, and commits it. Waits for other writers; `work` is
   * synchronous, so that nothing waits inside a transaction. Rolls back when it throws, and throws the same.
   */
  transaction<T>(work: () => T): Promise<T>;
  /** Resolves when all commits so far survive a power failure, with the durability `full`. */
  flush(): Promise<void>;
  /** False where the file was removed or replaced since it was opened: SQLite would keep using the removed file. */
  isInPlace(): boolean;
  /** Runs SQL outside a transaction. */
  exec(text: string): void;
  /** Runs `work`, which only reads, on one snapshot of the file. Synchronous as in `transaction`. */
  read<T>(work: () => T): Promise<T>;
  /**
   * Rewrites the file and empties its WAL, so that no deleted data stays in them: `secure_delete` leaves copies of
   * rows in pages that were split. Waits for readers and writers.
   */
  compact(): Promise<void>;
  close(): void;
}

/**
 * Opens the file, or creates it with mode 0600 in a directory of mode 0700. Throws `database` (exit 5) where there is
 * no driver, where it cannot be written, and for a file that is damaged, foreign or of a later version, which is not
 * changed.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { path, title } = options;
  const driver = await findDriver(title);
  let connection: Connection | undefined;
  try {
    makeWritableDirectory(dirname(path));
    if (!hasFile(path) && hasContent(`${path}-wal`)) throw foreignLog("its file is missing", options);
    makePrivateFile(path, (draft) => writeEmptyDatabase(driver, draft, options.applicationId));
    if (isEmptied(path)) {
      const remedy = options.damagedHint ?? withWarning(restore(path), options);
      throw new CourierError(
        "database",
        5,
        `the ${title} cannot be used: it is empty, so all that it held is lost: ${path}`,
        { hint: remedy },
      );
    }
    const other = findOtherName(realpathSync(path));
    if (other) throw unusable(title, path, ...other);
    if (hasForeignLog(driver, realpathSync(path))) throw foreignLog("it is of another file", options);
    connection = driver.open(path);
    const whenFree = createWait(options.wait);
    const database = createDatabase(connection, driver, whenFree, options);
    await prepare(connection, database, whenFree, options);
    return database;
  } catch (error) {
    connection?.close();
    throw explainFailure(error, options);
  }
}

/** So that a file of 0 bytes is never one that is being made. */
function writeEmptyDatabase(driver: Driver, file: string, applicationId: number): void {
  const connection = driver.open(file);
  try {
    connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${numberFirst()}`);
  } finally {
    connection.close();
  }
}

/** A file of 0 bytes whose content is in no other file either. */
function isEmptied(path: string): boolean {
  const file = realpathSync(path);
  return ![file, `${file}-wal`, `${file}-journal`].some(hasContent);
}

/** To replay it would mix two files. */
function foreignLog(reason: string, { title, path, damagedHint }: DatabaseOptions): CourierError {
  const remedy = `put the ${title} that it belongs to back; if that is lost, ${deleteLog(path)}, then restore the ${title} from a backup`;
  const message = `the log of the ${title} cannot be used: ${reason}: ${followLink(path)}-wal`;
  return new CourierError("database", 5, message, { hint: damagedHint ?? remedy });
}

/** The driver of this runtime. Throws `database` (exit 5) where there is none. */
export async function findDriver(title: string): Promise<Driver> {
  try {
    return await loadDriver();
  } catch (error) {
    if (!(error instanceof NoDriver)) throw error;
    const problem = error.isInstalled ? "cannot be loaded" : "is missing";
    const message = `the ${title} cannot be opened: SQLite ${problem} (${error.message})`;
    throw new CourierError("database", 5, message, {
      cause: error,
      hint: error.isInstalled
        ? `${allowMoreMemory}; if enough is free, use Node.js 22.16 or later, or install again`
        : "use Node.js 22.16 or later, or install again without --omit=optional",
    });
  }
}

function createDatabase(
  connection: Connection,
  driver: Driver,
  whenFree: WhenFree,
  options: DatabaseOptions,
): Database {
  const statements = new Map<string, Statement>();
  const opened = identify(options.path);
  const file = realpathSync(options.path);
  const flusher = options.durability === "normal" ? undefined : createLogFlusher(file);

  const isInPlace = () => {
    try {
      const found = identify(options.path);
      return found !== undefined && found.dev === opened?.dev && found.ino === opened.ino;
    } catch {
      return true; // an error proves nothing
    }
  };

  function ensureInPlace(): void {
    if (options.onLost && !isInPlace()) throw options.onLost(describeLost(options));
  }

  async function run<T>(start: () => void, work: () => T, ensure = () => {}): Promise<T> {
    try {
      return await whenFree(start, () => {
        try {
          ensure();
          const result = work();
          connection.exec("COMMIT");
          return result;
        } catch (error) {
          rollBack(connection);
          throw error;
        }
      });
    } catch (error) {
      throw explainSqlite(error, options) ?? error;
    }
  }

  /** Numbers each commit that changes something: after any, the file may be copied, and a log may begin. */
  function numbered<T>(work: () => T): T {
    const changes = () => database.sql("SELECT total_changes() AS n").get()?.n;
    const before = changes();
    const result = work();
    const found = Number(database.sql("PRAGMA user_version").get()?.user_version);
    const version = Math.max(versionOf(found), options.migrations.length);
    if (changes() === before && version === versionOf(found)) return result;
    connection.exec(`PRAGMA user_version = ${numberNext(found, version)}`);
    return result;
  }

  /** Damage may show only when the damaged page is read. */
  function explained<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explainSqlite(error, options) ?? error;
    }
  }

  const database: Database = {
    path: options.path,
    driver: driver.name,
    sql(text) {
      const known = statements.get(text);
      if (known) return known;
      const made = explained(() => connection.prepare(text));
      const statement: Statement = {
        run: (...values) => explained(() => made.run(...values)),
        get: (...values) => explained(() => made.get(...values)),
        all: (...values) => explained(() => made.all(...values)),
      };
      statements.set(text, statement);
      return statement;
    },
    isInPlace,
    transaction: (work) =>
      run(
        () => connection.exec("BEGIN IMMEDIATE"),
        () => numbered(work),
        ensureInPlace,
      ),
    read: (work) => run(() => takeSnapshot(connection), work),
    async compact() {
      try {
        connection.exec("PRAGMA temp_store = MEMORY"); // no copy in the directory of temporary files
        for (const step of [() => connection.exec("VACUUM"), () => emptyLog(connection)])
          await whenFree(step, () => {});
      } catch (error) {
        throw explainSqlite(error, options) ?? error;
      }
    },
    exec: (text) => connection.exec(text),
    async flush() {
      try {
        await flusher?.flush();
      } catch (error) {
        ensureInPlace();
        throw explainFailure(error, options);
      }
    },
    close() {
      flusher?.close();
      statements.clear();
      connection.close();
    },
  };
  return database;
}

/** Device and inode. Undefined where there is no file. */
function identify(path: string): { readonly dev: bigint; readonly ino: bigint } | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function describeLost({ title, path }: DatabaseOptions): string {
  return `the ${title} was removed or replaced while courier was using it: ${path}`;
}

/** A reader can find the file busy, too: when another process recovers it after a crash, or is the last to close it. */
function takeSnapshot(connection: Connection): void {
  connection.exec("BEGIN");
  try {
    connection.exec("SELECT 1 FROM sqlite_master");
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

/** SQLite reports with a value, not with an error, that another connection still reads the WAL. */
function emptyLog(connection: Connection): void {
  const { busy } = connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {};
  if (busy !== 0)
    throw Object.assign(new Error("the log is in use"), { code: "SQLITE_BUSY", errno: code.busy });
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
  whenFree: WhenFree,
  options: DatabaseOptions,
): Promise<void> {
  const { migrations, applicationId, title, path } = options;
  connection.exec("PRAGMA busy_timeout = 0; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;");
  const version = await database.read(checkVersion);
  // A backup that SQLite made (VACUUM INTO) is in another mode, and has no log to flush.
  if (connection.prepare("PRAGMA journal_mode").get()?.journal_mode !== "wal")
    await whenFree(
      () => connection.exec("PRAGMA journal_mode = WAL"),
      () => {},
    );
  // A checkpoint waits for the disk twice, and rows that follow each other change the same pages.
  connection.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000"); // see LogFlusher
  if (version === migrations.length) return;
  await database.transaction(() => {
    for (const script of migrations.slice(checkVersion())) connection.exec(script);
    connection.exec(`PRAGMA application_id = ${applicationId}`);
  });

  /** The file's version; 0 for an empty file. Within a transaction: another process may be making the file. */
  function checkVersion(): number {
    const read = (pragma: string) => Number(connection.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
    const [id, found] = [read("application_id"), versionOf(read("user_version"))];
    const isEmpty = connection.prepare("SELECT count(*) AS n FROM sqlite_master").get()?.n === 0;
    if (isEmpty && id === 0 && found === 0) return 0;
    if (id !== applicationId) {
      throw unusable(title, path, "it is not a courier file", withWarning("move it away", options));
    }
    if (found > migrations.length) {
      throw unusable(
        title,
        path,
        `it has version ${found}, but this courier supports versions up to ${migrations.length}`,
        "update courier",
      );
    }
    return found;
  }
}
