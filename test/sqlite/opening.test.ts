/** Opening a database file that another process is making, recovering or closing at that moment. */

import { link, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/sqlite/database.ts";
import { explainSqlite } from "../../src/sqlite/database-errors.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { canMount, holdFile } from "../support/small-disk.ts";

const options = {
  title: "ledger",
  applicationId: 7,
  migrations: ["CREATE TABLE things (name TEXT) STRICT;"],
};

test("waits while another one has it for itself, and then finds it made or makes it", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-sqlite-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = path.join(directory, "ledger.db");
  const other = (await loadDriver()).open(file);
  other.exec("BEGIN EXCLUSIVE; CREATE TABLE soon (name TEXT); DROP TABLE soon;");
  let isOpen = false;
  const opening = openDatabase({ path: file, ...options }).finally(() => {
    isOpen = true;
  });
  opening.catch(() => {});
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  expect(isOpen, "it still waits").toBe(false);
  other.exec("COMMIT");
  other.close();
  const database = await opening;
  expect(database.sql("SELECT count(*) AS n FROM things").get()).toEqual({ n: 0 });
  database.close();
});

test("a backup that SQLite made with VACUUM INTO is used once it is put in place", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-sqlite-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const [file, backup] = [path.join(directory, "ledger.db"), path.join(directory, "backup.db")];
  const made = await openDatabase({ path: file, ...options });
  made.exec(`VACUUM INTO '${backup}'`);
  made.close();
  await rm(`${file}-wal`, { force: true }); // some drivers close a file later
  await rename(backup, file);
  const database = await openDatabase({ path: file, ...options });
  await database.transaction(() => database.exec("INSERT INTO things VALUES ('after')"));
  await database.flush(); // of the log, which another mode does not have
  expect(database.sql("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  database.close();
});

test("an empty file is refused as it is, since a file is never made empty", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-sqlite-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = path.join(directory, "ledger.db");
  await writeFile(file, "");
  await expect(openDatabase({ path: file, ...options })).rejects.toMatchObject({
    code: "database",
    exit: 5,
    message: `the ledger cannot be used: it is empty, so all that it held is lost: ${file}`,
    hint: `delete ${file}-wal and ${file}-shm, then restore it from a backup; or move it away with these two files`,
  });
  expect(await readdir(directory)).toEqual(["ledger.db"]);
});

test("a file with a second name is refused: by each name SQLite would keep a log of its own", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-sqlite-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const [file, other] = [path.join(directory, "ledger.db"), path.join(directory, "copy.db")];
  (await openDatabase({ path: file, ...options })).close();
  await link(file, other);
  for (const each of [file, other])
    await expect(openDatabase({ path: each, ...options })).rejects.toMatchObject({
      code: "database",
      exit: 5,
      message: `the ledger cannot be used: it has a second name (a hard link), by which it could be used beside this one: ${each}`,
    });
  await rename(other, `${file}.part-1`); // as left by a process that was killed while it made the file
  (await openDatabase({ path: file, ...options })).close();
});

test.skipIf(!canMount())("a file that is mounted alone is refused (needs root)", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "courier sqlite-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = path.join(directory, "ledger.db");
  (await openDatabase({ path: file, ...options })).close();
  const release = holdFile(file);
  await expect(openDatabase({ path: file, ...options })).rejects.toMatchObject({
    message: `the ledger cannot be used: it is mounted without the files that SQLite keeps beside it: ${file}`,
    hint: "the file was left as it is: mount its directory instead",
  });
  release();
  (await openDatabase({ path: file, ...options })).close();
});

test("several that make the same file at once all find it whole, and leave nothing else", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-sqlite-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = path.join(directory, "ledger.db");
  const opened = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ path: file, ...options })));
  for (const database of opened) database.close();
  expect((await readdir(directory)).filter((name) => name.includes(".part-"))).toEqual([]);
});

test.each([
  ["as the driver numbers it", { errcode: 15 }],
  ["between two rows, where the driver gives no number", {}],
])("a disk that refuses locks is named: %s", (_where, facts) => {
  const error = Object.assign(new Error("locking protocol"), { code: "ERR_SQLITE_ERROR", ...facts });
  const { message, exit } = explainSqlite(error, { path: "/mnt/ledger.db", title: "ledger" }) ?? {};
  expect({ message, exit }).toEqual({
    message: "the ledger cannot be used: its disk refuses locks: /mnt/ledger.db",
    exit: 5,
  });
});
