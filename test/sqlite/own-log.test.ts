/** A log (WAL) beside a database file that is not its own: the file was restored from a backup, or is gone. */

import { copyFile, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { shellQuote } from "../../src/core/shell-quote.ts";
import { type Database, openDatabase } from "../../src/sqlite/database.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";

const options = {
  title: "notebook",
  applicationId: 0x6e6f7465,
  migrations: ["CREATE TABLE notes (number INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"],
};

async function createFile(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier é#%20-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return path.join(directory, "notes.db");
}

async function open(file: string): Promise<Database> {
  const database = await openDatabase({ ...options, path: file });
  onTestFinished(() => database.close());
  return database;
}

function add(database: Database, text: string): Promise<unknown> {
  return database.transaction(() => database.sql("INSERT INTO notes (text) VALUES (?)").run(text));
}

function texts(database: Database): unknown[] {
  return database
    .sql("SELECT text FROM notes")
    .all()
    .map(({ text }) => text);
}

/** The files as a process leaves them that is killed now, at another place. */
async function copyAsKilled(file: string): Promise<string> {
  const copy = await createFile();
  for (const end of ["", "-wal"]) await copyFile(`${file}${end}`, `${copy}${end}`);
  return copy;
}

/** Puts all of the log into the file; the next commit begins the log anew. Some drivers close a file later. */
function restartLog(database: Database): void {
  expect(database.sql("PRAGMA wal_checkpoint(RESTART)").get()?.busy).toBe(0);
}

const meanwhile: Readonly<Record<string, (file: string) => Promise<Database>>> = {
  "of a later process": async (file) => {
    const between = await openDatabase({ ...options, path: file });
    await add(between, "between");
    restartLog(between);
    between.close();
    return open(file);
  },
  "begun anew by one process": async (file) => {
    const database = await open(file);
    await add(database, "between");
    restartLog(database);
    return database;
  },
};

test.each(Object.entries(meanwhile))("a backup beside a log %s is refused", async (_name, goOn) => {
  const file = await createFile();
  const backup = await createFile();
  const first = await openDatabase({ ...options, path: file });
  await add(first, "first");
  restartLog(first);
  first.close();
  await copyFile(file, backup);
  await add(await goOn(file), "last");
  const copy = await copyAsKilled(file);
  await copyFile(backup, copy);
  const before = await readFile(copy);
  await expect(openDatabase({ ...options, path: copy })).rejects.toMatchObject({
    code: "database",
    exit: 5,
    message: `the log of the notebook cannot be used: it is of another file: ${copy}-wal`,
    hint: `put the notebook that it belongs to back; if that is lost, delete ${shellQuote(`${copy}-wal`)} and ${shellQuote(`${copy}-shm`)}, then restore the notebook from a backup`,
  });
  expect(await readFile(copy)).toEqual(before);
  await rm(`${copy}-wal`);
  expect(texts(await open(copy))).toEqual(["first"]);
});

test("a log goes on being used by its own file, also one that has some of it, and while another process writes", async () => {
  const file = await createFile();
  const database = await open(file);
  await add(database, "1");
  expect(texts(await open(await copyAsKilled(file)))).toEqual(["1"]);
  expect(texts(await open(file))).toEqual(["1"]);
  database.sql("PRAGMA wal_checkpoint(PASSIVE)").get();
  expect(texts(await open(await copyAsKilled(file)))).toEqual(["1"]);
  await add(database, "2");
  expect(texts(await open(await copyAsKilled(file)))).toEqual(["1", "2"]);
  await add(database, "3");
  restartLog(database);
  await add(database, "4");
  expect(texts(await open(await copyAsKilled(file)))).toEqual(["1", "2", "3", "4"]);
});

/** A file as SQLite's backup makes it: all that was committed, page by page. */
async function backUp(file: string): Promise<string> {
  const copy = await copyAsKilled(file);
  const connection = (await loadDriver()).open(copy);
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  connection.close();
  return copy;
}

test.each([20, 3_000])(
  "a backup that SQLite made during the log before the one that is left is refused (notes of %d bytes)",
  async (bytes) => {
    const file = await createFile();
    const database = await open(file);
    const addMany = async (text: string) => {
      for (let number = 0; number < 20; number += 1) await add(database, text.padEnd(bytes));
    };
    await addMany("first");
    const copy = await backUp(file);
    await addMany("second");
    restartLog(database);
    await addMany("third");
    await copyFile(`${file}-wal`, `${copy}-wal`);
    await expect(openDatabase({ ...options, path: copy })).rejects.toMatchObject({ exit: 5 });
  },
);

test("a backup that SQLite made during the log that is left takes the rest of it", async () => {
  const file = await createFile();
  const database = await open(file);
  const copies: string[] = [];
  for (const text of ["1", "2", "3", "4"]) {
    await add(database, text);
    copies.push(await backUp(file));
  }
  for (const copy of copies) {
    await copyFile(`${file}-wal`, `${copy}-wal`);
    expect(texts(await open(copy))).toEqual(["1", "2", "3", "4"]);
  }
});

test("a backup that SQLite made with VACUUM INTO is refused beside any log, and is used without one", async () => {
  const file = await createFile();
  const database = await open(file);
  await add(database, "first");
  const backup = path.join(path.dirname(file), "backup.db");
  database.exec(`VACUUM INTO '${backup}'`);
  await add(database, "last");
  const copy = await copyAsKilled(file);
  await copyFile(backup, copy);
  await expect(openDatabase({ ...options, path: copy })).rejects.toMatchObject({
    exit: 5,
    message: `the log of the notebook cannot be used: it is of another file: ${copy}-wal`,
  });
  expect(await readFile(copy)).toEqual(await readFile(backup));
  await rm(`${copy}-wal`);
  expect(texts(await open(copy))).toEqual(["first"]);
});

test("a backup that the whole log was written after takes it", async () => {
  const file = await createFile();
  const first = await openDatabase({ ...options, path: file });
  await add(first, "first");
  restartLog(first);
  first.close();
  const backup = await readFile(file);
  await add(await open(file), "last");
  const copy = await copyAsKilled(file);
  await writeFile(copy, backup);
  expect(texts(await open(copy))).toEqual(["first", "last"]);
});

test("the log that is refused is named where it is, also for a file behind a link", async () => {
  const file = await createFile();
  const database = await open(file);
  await add(database, "first");
  database.exec(`VACUUM INTO '${path.join(path.dirname(file), "backup.db")}'`);
  await add(database, "last");
  const copy = await copyAsKilled(file);
  await copyFile(path.join(path.dirname(file), "backup.db"), copy);
  const link = path.join(path.dirname(copy), "link.db");
  await symlink(copy, link);
  await expect(openDatabase({ ...options, path: link })).rejects.toMatchObject({
    message: `the log of the notebook cannot be used: it is of another file: ${copy}-wal`,
    hint: expect.stringContaining(
      `delete ${shellQuote(`${copy}-wal`)} and ${shellQuote(`${copy}-shm`)}, then`,
    ),
  });
});

test("a log whose file is missing is refused, and no file is made", async () => {
  const file = await createFile();
  await add(await open(file), "1");
  const copy = await copyAsKilled(file);
  await rm(copy);
  await expect(openDatabase({ ...options, path: copy })).rejects.toMatchObject({
    exit: 5,
    message: `the log of the notebook cannot be used: its file is missing: ${copy}-wal`,
  });
  expect(await readdir(path.dirname(copy))).toEqual(["notes.db-wal"]);
});

test("a backup of the file alone, made during the log before the one that is left, is refused", async () => {
  const file = await createFile();
  const copy = await createFile();
  const database = await open(file);
  const addMany = async (text: string) => {
    for (let number = 0; number < 20; number += 1) await add(database, `${text} ${"x".repeat(3_000)}`);
  };
  await addMany("first");
  restartLog(database);
  await addMany("second");
  await copyFile(file, copy);
  restartLog(database);
  await addMany("third");
  await copyFile(`${file}-wal`, `${copy}-wal`);
  await expect(openDatabase({ ...options, path: copy })).rejects.toMatchObject({ exit: 5 });
});
