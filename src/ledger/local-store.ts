/** The statements of the ledger on an SQLite file of this machine. */

import type { Database } from "../sqlite/database.ts";
import type { Write } from "../sqlite/write-queue.ts";
import { type Question, runNow, type Store } from "./statements.ts";

export function createLocalStore(database: Database, write: Write): Store {
  const answer = ({ text, values }: Question) => database.sql(text).all(...values);
  return {
    write: (work, options) => write(() => runNow(work(), answer), options),
    read: async (work) => runNow(work(), answer),
    // Without it, each statement takes and drops the file's locks.
    snapshot: (work) => database.read(() => runNow(work(), answer)),
    holdsClaim({ run, number }, owner) {
      const row = database
        .sql("SELECT state, owner FROM operations WHERE run = ? AND number = ?")
        .get(run, number);
      return database.isInPlace() && row?.owner === owner && row.state === "sending";
    },
  };
}
