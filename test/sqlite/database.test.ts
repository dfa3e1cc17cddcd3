/** SQLite files: transactions of one process and of several, snapshots, and what is thrown. */

import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Database, type DatabaseOptions, openDatabase } from "../../src/sqlite/database.ts";
import { type Connection, loadDriver } from "../../src/sqlite/driver.ts";

const options = {
  title: "notebook",
  applicationId: 0x6e6f7465,
  migrations: ["CREATE TABLE notes (number INTEGER PRIMARY KEY, text TEXT NOT NULL)"],
};

async function createPath(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-sqlite-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return path.join(directory, "notes.db");
}

/** What makes a file one that `open` takes. */
const asVersionOne = `PRAGMA journal_mode = WAL; ${options.migrations[0]};
  PRAGMA application_id = ${options.applicationId}; PRAGMA user_version = 1;`;

async function open(file: string, more: Partial<DatabaseOptions> = {}): Promise<Database> {
  const database = await openDatabase({ ...options, ...more, path: file });
  onTestFinished(() => database.close());
  return database;
}

/** As another program has the file open. */
async function connect(file: string): Promise<Connection> {
  return (await loadDriver()).open(file);
}

function count(database: Database): number {
  return Number(database.sql("SELECT count(*) AS n FROM notes").get()?.n);
}

function add(database: Database, text: string): void {
  database.sql("INSERT INTO notes (number, text) VALUES (?, ?)").run(count(database) + 1, text);
}

test("transactions that overlap on one connection, and on two, run one after the other", async () => {
  const file = await createPath();
  const [one, other] = [await open(file), await open(file)];
  const databases = Array.from({ length: 100 }, (_, index) => (index % 3 === 0 ? other : one));
  await Promise.all(databases.map((database) => database.transaction(() => add(database, "note"))));
  expect(await other.read(() => count(other))).toBe(100);
});

test("reads that overlap with transactions on one connection see only what is committed", async () => {
  const database = await open(await createPath());
  const addTwo = () =>
    database.transaction(() => {
      add(database, "first");
      add(database, "second");
    });
  const counts = Array.from({ length: 50 }, async () => {
    const [, found] = await Promise.all([addTwo(), database.read(() => count(database))]);
    return found;
  });
  expect((await Promise.all(counts)).filter((found) => found % 2 !== 0)).toEqual([]);
});

test("what the work throws comes out as it is, and nothing of the work stays", async () => {
  const database = await open(await createPath());
  const refusal = Object.assign(new Error("no"), { code: "REFUSED" });
  const failing = database.transaction(() => {
    add(database, "note");
    throw refusal;
  });
  await expect(failing).rejects.toBe(refusal);
  expect(await database.read(() => count(database))).toBe(0);
});

test("a read sees one snapshot, whatever is committed meanwhile", async () => {
  const file = await createPath();
  const database = await open(file);
  const other = await connect(file);
  const counts = await database.read(() => {
    const before = count(database);
    other.exec("INSERT INTO notes (text) VALUES ('meanwhile')");
    return [before, count(database)];
  });
  other.close();
  expect(counts).toEqual([0, 0]);
  expect(await database.read(() => count(database))).toBe(1);
});

test("opening waits for a process that has the file for itself", async () => {
  const file = await createPath();
  const owner = await connect(file);
  owner.exec(`PRAGMA locking_mode = EXCLUSIVE; ${asVersionOne} INSERT INTO notes (text) VALUES ('mine')`);
  const opening = open(file);
  await open(await createPath()); // takes the same steps and more: the first has tried by now
  owner.close();
  const database = await opening;
  expect(await database.read(() => count(database))).toBe(1);
});

test("what was deleted is in no file any more once the database is compact", async () => {
  const file = await createPath();
  const [database, other] = [await open(file), await open(file)];
  await database.transaction(() => add(database, "a secret"));
  expect(await other.read(() => count(other))).toBe(1);
  await database.transaction(() => database.sql("DELETE FROM notes").run());
  await database.compact();
  for (const name of [file, `${file}-wal`]) expect(await readFile(name, "latin1")).not.toContain("a secret");
});

test("the hint for a damaged file can be the caller's own", async () => {
  const file = await createPath();
  const writer = await connect(file);
  writer.exec(`${asVersionOne} INSERT INTO notes (text) VALUES (hex(zeroblob(10000)))`);
  writer.close();
  await truncate(file, 4096);
  await expect(open(file, { damagedHint: "delete it" })).rejects.toMatchObject({
    code: "database",
    message: `the notebook cannot be used: it is damaged: ${file}`,
    hint: "delete it",
  });
});

test("a damaged page is told as damage, however it is read", async () => {
  const file = await createPath();
  const first = await openDatabase({ ...options, path: file });
  await first.transaction(() => {
    for (let note = 0; note < 200; note += 1) add(first, "long note ".repeat(30));
  });
  await first.compact(); // the WAL is in the file
  first.close();
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0xee, 4 * 4096, 12 * 4096));
  const database = await open(file);
  const damaged = {
    code: "database",
    exit: 5,
    message: expect.stringContaining("it is damaged"),
    // Moving the file away would lose it where a read has failed only once.
    hint: expect.stringMatching(/^check the disk, then run the same command again; if it is still damaged, /),
  };
  const select = "SELECT text FROM notes";
  await expect(database.read(() => database.sql(select).all())).rejects.toMatchObject(damaged);
  await expect(database.read(() => database.sql(`${select} WHERE text = ''`).get())).rejects.toMatchObject(
    damaged,
  );
});
