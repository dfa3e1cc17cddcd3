/** Opening a database file that another process is making, recovering or closing at that moment. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/sqlite/database.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";

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
