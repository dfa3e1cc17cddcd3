/** The connection to a server, after what was asked on it has failed. */

import { chmod, chown, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { type Answer, createConnection } from "../../src/postgres/connection.ts";
import { createAuthority, type PrivateAuthority } from "../support/certificates.ts";
import { createHandClock } from "../support/hand-clock.ts";
import { breakAtCommit } from "../support/lost-commit.ts";
import { postgresPrograms, readTestAddress, servePostgres } from "../support/postgres.ts";
import { until } from "../support/process.ts";

describe.skipIf(postgresPrograms === undefined)("a connection (needs PostgreSQL)", () => {
  const server = servePostgres();

  test.each([
    ["the first transaction does not begin", false],
    ["a later one does not begin", true],
  ])("where %s, the next one is its own", async (_what, isUsed) => {
    const address = readTestAddress(await server.createDatabase());
    const connection = createConnection({ address, clock: systemClock() });
    const count = () => connection.transaction("BEGIN", (answer) => answer("SELECT 7 AS n", []));
    if (isUsed) await count();
    const failed = connection.transaction("BEGIN; SELECT 1/0", async () => {});
    await expect(failed).rejects.toMatchObject({ code: "database", exit: 5 });
    expect(await count()).toEqual([{ n: 7 }]);
    await connection.close();
  });

  test("a server that cannot write a file of its own has a full or failing disk", async () => {
    const address = readTestAddress(await server.createDatabase());
    const connection = createConnection({ address, clock: systemClock() });
    const text =
      "DO $$ BEGIN RAISE EXCEPTION 'could not write init file: No space left' USING ERRCODE = 'XX000'; END $$";
    await expect(connection.ask(text, [])).rejects.toMatchObject({
      message: expect.stringMatching(/^the ledger cannot be used: its disk is full or failing: postgres:/),
      hint: "make room on the server, then run the same command again",
    });
    await connection.close();
  });

  describe("that breaks within a transaction", () => {
    /** `work` is begun once, twice…: the connection breaks in it the first time, at its end with `isAtCommit`. */
    async function breakOnce(canRepeat: boolean, { isAtCommit = false, begin = "BEGIN" } = {}) {
      const address = readTestAddress(await server.createDatabase());
      const connection = createConnection({ address, clock: systemClock() });
      await connection.ask("CREATE TABLE orders (name TEXT)", []);
      let begun = 0;
      const done = connection.transaction(
        begin,
        async (answer) => {
          begun += 1;
          const [backend] = await answer("SELECT pg_backend_pid() AS pid", []);
          await answer("INSERT INTO orders VALUES (?)", [`order ${begun}`]);
          if (begun === 1) await server.query(`SELECT pg_terminate_backend(${backend?.pid}, 5000)`);
          return isAtCommit ? begun : answer("SELECT name FROM orders", []);
        },
        { canRepeat },
      );
      const end = await done.catch((error: unknown) => error);
      const kept = await connection.ask("SELECT name FROM orders", []);
      await connection.close();
      return { end, kept, begun };
    }

    test("begins anew where that is safe, and all is done once", async () => {
      const rows = [{ name: "order 2" }];
      expect(await breakOnce(true)).toEqual({ end: rows, kept: rows, begun: 2 });
    });

    /** Counts what was begun; each leaves an order, by which it is known whether it was committed. */
    function countingWork(meanwhile: (answer: Answer) => Promise<unknown> = async () => {}) {
      const begun = { times: 0 };
      const work = async (answer: Answer) => {
        begun.times += 1;
        await answer("INSERT INTO orders VALUES (?)", [`order ${begun.times}`]);
        if (begun.times === 1) await meanwhile(answer);
        return begun.times;
      };
      const wasDone = async (answer: Answer) => (await answer("SELECT 1 FROM orders", [])).length > 0;
      return { begun, work, options: { canRepeat: true, wasDone } };
    }

    async function openWithOrders(text: string) {
      const connection = createConnection({ address: readTestAddress(text), clock: systemClock() });
      await connection.ask("CREATE TABLE orders (name TEXT)", []);
      return connection;
    }

    test("and before its COMMIT came there, begins anew", async () => {
      const connection = await openWithOrders(await server.createDatabase());
      const { begun, work, options } = countingWork(async (answer) => {
        const [backend] = await answer("SELECT pg_backend_pid() AS pid", []);
        await server.query(`SELECT pg_terminate_backend(${backend?.pid}, 5000)`);
      });
      expect([await connection.transaction("BEGIN", work, options), begun.times]).toEqual([2, 2]);
      expect(await connection.ask("SELECT name FROM orders", [])).toEqual([{ name: "order 2" }]);
      await connection.close();
    });

    test("and after its COMMIT came there, is done once", async () => {
      const way = await breakAtCommit(await server.createDatabase(), "INSERT INTO orders");
      const connection = await openWithOrders(way.address);
      const { begun, work, options } = countingWork();
      expect([await connection.transaction("BEGIN", work, options), begun.times]).toEqual([1, 1]);
      expect(way.isWhole).toBe(false);
      expect(await connection.ask("SELECT name FROM orders", [])).toEqual([{ name: "order 1" }]);
      await connection.close();
    });

    test.each([
      ["in it", false],
      ["at its end", true],
    ])("%s, where it may not begin anew: it fails in plain words", async (_when, isAtCommit) => {
      const { end, kept, begun } = await breakOnce(false, { isAtCommit });
      expect(end).toMatchObject({
        code: "database",
        message: expect.stringMatching(/: (it is being restarted|the connection was dropped): /),
      });
      expect([kept, begun]).toEqual([[], 1]);
    });
  });

  describe("that goes silent, as where a firewall has forgotten it", () => {
    /** From the first message on that has `text`, nothing goes through, and nothing is closed. */
    async function openUntil(text: string) {
      const way = new URL(await server.createDatabase());
      let isSilent = false;
      const gate = createServer({ allowHalfOpen: true }, (client) => {
        const upstream = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
        onTestFinished(() => void [client, upstream].map((socket) => socket.destroy()));
        for (const [from, to] of [
          [client, upstream],
          [upstream, client],
        ] as const)
          from
            .on("error", () => {})
            .on("data", (bytes) => {
              isSilent ||= from === client && bytes.includes(text);
              if (!isSilent) to.write(bytes);
            });
      });
      await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void gate.close());
      way.port = String((gate.address() as AddressInfo).port);
      const clock = createHandClock("2026-03-01T00:00:00Z");
      const stop = new AbortController();
      let limitMs: number | undefined;
      const options = { signal: stop.signal, limitMs: () => limitMs };
      const connection = createConnection({ address: readTestAddress(way.href), clock, ...options });
      await connection.ask("SELECT 7 AS n", []);
      const silence = () => until("it is silent", async () => isSilent);
      return {
        connection,
        clock,
        silence,
        stop,
        shorten: () => {
          limitMs = 250;
        },
        pass(ms: number) {
          for (let passedMs = 0; passedMs < ms; passedMs += 200) clock.advance(200);
        },
      };
    }

    test("at its end is closed a second later", async () => {
      const { connection, clock, pass } = await openUntil("X\0\0\0\x04");
      const closed = connection.close();
      await until("it waits", async () => clock.waiting > 0);
      pass(1_000);
      await closed;
    });

    test.each([
      ["after Ctrl-C", "stop", false, 1_000],
      ["after Ctrl-C, with something to record", "stop", true, 5_000],
      ["once the result is out", "result", false, 1_000],
      ["once it is closed", "close", true, 1_000],
    ])("is waited for a moment %s", async (_when, then, records, ms) => {
      const { connection, silence, stop, shorten, pass } = await openUntil("COMMIT");
      const options = { canRepeat: true, ...(records ? { wasDone: async () => false } : {}) };
      let isOver = false;
      const failed = connection
        .transaction("BEGIN", (answer) => answer("SELECT 8 AS n", []), options)
        .catch((error: unknown) => error)
        .finally(() => {
          isOver = true;
        });
      await silence();
      pass(10_000);
      if (then === "stop") stop.abort();
      if (then === "result") shorten();
      const closed = then === "close" ? connection.close() : undefined;
      pass(ms / 2);
      await new Promise((resolve) => setImmediate(resolve));
      expect(isOver).toBe(false);
      pass(ms / 2);
      expect(await failed).toMatchObject({ code: "database", exit: 5 });
      await (closed ?? connection.close());
    });
  });

  test.each([
    ["a new", false],
    ["a used", true],
  ])("%s one waits for a server that takes no writes for a moment", async (_which, isUsed) => {
    const text = await server.createDatabase();
    const name = new URL(text).pathname.slice(1);
    const readOnly = (value: string) =>
      server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
    let waited = 0;
    const connection = createConnection({
      address: readTestAddress(text),
      clock: systemClock(),
      onLongWait: () => {
        waited += 1;
        void readOnly("off");
      },
    });
    await connection.ask("CREATE TABLE orders (name TEXT)", []);
    const begin = "BEGIN; LOCK TABLE orders IN EXCLUSIVE MODE; INSERT INTO orders VALUES ('begun')";
    const write = () => connection.transaction(begin, async () => "done", { canRepeat: true });
    if (isUsed) await write();
    await readOnly("on");
    await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    expect([await write(), waited]).toEqual(["done", 1]);
    await connection.close();
  });

  test.each([
    [undefined, "", "it takes no encrypted connection", "sslmode=disable"],
    [["127.0.0.1"], "", "its certificate cannot be verified", "sslrootcert"],
    [["db.example.com"], "&sslrootcert=FILE", "its certificate is for another host", "name the host"],
  ])(
    "to a server with a certificate for %j says why not, and what to do",
    async (names, more, reason, hint) => {
      const made = names && createAuthority(names);
      const file = made && (await switchOn(made));
      const text = `${await server.createDatabase()}?sslmode=verify-full${more.replace("FILE", file ?? "")}`;
      const address = readTestAddress(text);
      const connection = createConnection({ address, clock: systemClock() });
      const asked = connection.ask("SELECT 1", []);
      await expect(asked).rejects.toMatchObject({
        code: "database",
        message: expect.stringContaining(`the ledger cannot be used: ${reason}: `),
        hint: expect.stringContaining(hint),
      });
      await connection.close();
    },
  );

  test("to a server whose certificate is right passes", async () => {
    const file = await switchOn(createAuthority(["127.0.0.1"]));
    const text = `${await server.createDatabase()}?sslmode=verify-full&sslrootcert=${file}`;
    const connection = createConnection({
      address: readTestAddress(text),
      clock: systemClock(),
    });
    expect(await connection.ask("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", [])).toEqual([
      { ssl: "t" },
    ]);
    await connection.close();
  });

  /** Gives the server a certificate. Returns the file of its authority. */
  async function switchOn({ authority, key, certificate }: PrivateAuthority): Promise<string> {
    const [setting] = await server.query("SHOW data_directory");
    const data = String(setting?.data_directory);
    const { uid, gid } = await stat(data);
    const files = { "server.crt": certificate, "server.key": key, "authority.pem": authority };
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(data, name);
      await writeFile(file, content, { mode: 0o600 });
      await chmod(file, 0o600);
      await chown(file, uid, gid);
    }
    await server.query("ALTER SYSTEM SET ssl = on");
    await server.stop("fast");
    await server.start();
    return path.join(data, "authority.pem");
  }

  test("is made anew until a transaction begins: a pooler answers although its server is away", async () => {
    const address = readTestAddress(await server.createDatabase());
    const connection = createConnection({ address, clock: systemClock() });
    await connection.ask("CREATE SEQUENCE turns", []);
    // As pgbouncer says it. Numbers of a sequence are not rolled back.
    const begin = `BEGIN; DO $$ BEGIN IF nextval('turns') < 4 THEN
      RAISE EXCEPTION 'server login has been failing' USING ERRCODE = '08P01'; END IF; END $$`;
    expect(await connection.transaction(begin, (answer) => answer("SELECT 7 AS n", []))).toEqual([{ n: 7 }]);
    await connection.close();
  });
});
