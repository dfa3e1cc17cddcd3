/**
 * A process of its own that works on a ledger. `writer.ts create DIRECTORY` records creates without end and prints
 * the number of each once it is committed; `writer.ts open DIRECTORY KEY` opens the ledger, learns a key and prints
 * whose it is; `writer.ts migrate PATH` opens a database whose second migration takes its time.
 */

import { openLedger } from "../../src/ledger/ledger.ts";
import { openDatabase } from "../../src/sqlite/database.ts";
import { slowMigrations, testApplicationId } from "./migrations.ts";

const [deed, place = "", key = ""] = process.argv.slice(2);

if (deed === "migrate") {
  process.stdout.write("ready\n");
  const options = { path: place, title: "test", applicationId: testApplicationId };
  const database = await openDatabase({ ...options, migrations: slowMigrations });
  process.stdout.write("done\n");
  database.close();
} else {
  const ledger = await openLedger(place);
  const learned = { service: "s", key, profileId: deed === "open" ? key : "1", account: "shop" };
  const customer = await ledger.learnCustomer(learned);
  if (deed === "open") {
    process.stdout.write(`${customer.id}\n`);
    await ledger.close();
  } else {
    const run = await ledger.beginRun({
      command: "orders create",
      account: "shop",
      service: "s",
      customer: customer.id,
      process: { pid: process.pid, started: undefined, place: "here" },
      startedAtMs: 1,
    });
    for (let number = 1; ; number++) {
      const draft = { item: { name: `order ${number} ${"x".repeat((number * 37) % 700)}` } };
      const create = { content: `c${number}`, draft, windowMs: 0, isDuplicateAllowed: true };
      await ledger.beginCreate(run, { ...create, accepted: new Set() }, number);
      process.stdout.write(`${number}\n`);
    }
  }
}
