/** The connection to a server, after what was asked on it has failed. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { parseAddress } from "../../src/postgres/address.ts";
import { createConnection } from "../../src/postgres/connection.ts";
import { type PostgresServer, postgresPrograms, startPostgres } from "../support/postgres.ts";

describe.skipIf(postgresPrograms === undefined)("a connection (needs PostgreSQL)", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  test.each([
    ["the first transaction does not begin", false],
    ["a later one does not begin", true],
  ])("where %s, the next one is its own", async (_what, isUsed) => {
    const address = parseAddress(await server.createDatabase(), "the test", {});
    const connection = createConnection({ address, clock: systemClock() });
    const count = () => connection.transaction("BEGIN", (answer) => answer("SELECT 7 AS n", []));
    if (isUsed) await count();
    const failed = connection.transaction("BEGIN; SELECT 1/0", async () => {});
    await expect(failed).rejects.toMatchObject({ code: "database", exit: 5 });
    expect(await count()).toEqual([{ n: 7 }]);
    await connection.close();
  });
});
