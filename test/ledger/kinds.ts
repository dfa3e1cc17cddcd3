/** The same tests on each kind of ledger: in a file of this machine, and on a server that machines share. */

import { describe } from "vitest";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { openSharedLedger } from "../../src/ledger/shared/shared-ledger.ts";
import { postgresPrograms, readTestAddress, servePostgres } from "../support/postgres.ts";

/** Opens the ledger of a state directory: the same directory is the same ledger. */
export type OpenLedger = (stateDirectory: string, sinceBoot?: Clock["sinceBoot"]) => Promise<Ledger>;

export function describeKinds(define: (open: OpenLedger, kind: "SQLite" | "PostgreSQL") => void): void {
  // Tests have a clock of their own, which the time since the real boot does not fit.
  const clockOf = (sinceBoot: Clock["sinceBoot"] = () => undefined) => ({ ...systemClock(), sinceBoot });
  describe("SQLite", () =>
    define(
      (directory, sinceBoot) => openLedger(directory, sinceBoot && { clock: clockOf(sinceBoot) }),
      "SQLite",
    ));
  describe.skipIf(postgresPrograms === undefined)("PostgreSQL", () => {
    const server = servePostgres();
    const databases = new Map<string, Promise<string>>();
    define(async (stateDirectory, sinceBoot) => {
      const database = databases.get(stateDirectory) ?? server.createDatabase();
      databases.set(stateDirectory, database);
      const address = readTestAddress(await database);
      return openSharedLedger({
        address,
        stateDirectory,
        clock: clockOf(sinceBoot),
      });
    }, "PostgreSQL");
  });
}
