/** What other processes do while `ledger use` or `ledger move` compares, asks and changes: no order is sent twice. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { takeLock } from "../../src/config/config-lock.ts";
import { interrupted } from "../../src/core/errors.ts";
import { openLedgerFile } from "../../src/ledger/ledger.ts";
import { readMoved } from "../../src/ledger/moved.ts";
import { putConfig, putShop, readConfigText } from "../support/config-file.ts";
import { createServedHome, type Home, type Ran, type RunOptions } from "../support/courier.ts";
import { createTwoCustomers, firstKey, secondKey } from "../support/customers.ts";
import { plainDraft } from "../support/orders.ts";
import { postgresPrograms, servePostgres } from "../support/postgres.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const noKey = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

describe.skipIf(!postgresPrograms)("with PostgreSQL", () => {
  const server = servePostgres();

  /** A home with the account shop. */
  async function createShop() {
    const home = await createServedHome();
    const { baseUrl, apiKey } = home.sandbox;
    await putShop(home, home.sandbox);
    const send = (ref: string, env: Record<string, string> = {}, words = "") =>
      home.courier(`orders create --file - --json --ref ${ref} ${words}`, {
        env: { ...noKey, ...env },
        stdin: JSON.stringify({ ...plainDraft, item: { ...plainDraft.item, name: `茶${ref}` } }),
      });
    return {
      home,
      send,
      /** With the key in the environment, and without a stored account. */
      sendAsJob: (ref: string, address: string) =>
        send(ref, {
          COURIER_API_KEY: apiKey,
          COURIER_BASE_URL: baseUrl,
          COURIER_LEDGER: address,
          COURIER_CONFIG_DIR: path.join(home.directory, "job"),
        }),
      posts: () => home.sandbox.requests.filter(({ method }) => method === "POST").length,
      use: (words: string, options: RunOptions = {}) =>
        home.courier(`ledger use ${words}`, { env: noKey, ...options }),
    };
  }

  /** Returns a connection that can hold the writes of others. */
  async function makeTables(home: Home, address: string) {
    const made = await home.courier("ledger status", { env: { ...noKey, COURIER_LEDGER: address } });
    expect(made.exit, made.stderr).toBe(0);
    const writer = new pg.Client({ connectionString: address });
    writer.on("error", () => {});
    await writer.connect();
    onTestFinished(() => writer.end());
    return writer;
  }

  const holdWrites = "BEGIN; SELECT last FROM courier.events FOR UPDATE";

  async function untilWaiting(count: number): Promise<void> {
    for (;;) {
      const waiting = "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      const [row] = await server.query(waiting);
      if (Number(row?.n) >= count) return;
      await wait(20);
    }
  }

  /** The answers to a command's questions, which are yes: `act` runs at the first one. */
  function answerAfter(act: () => Promise<void>) {
    let asked = 0;
    const confirm = async () => {
      asked += 1;
      if (asked === 1) await act();
      return true;
    };
    return { ...scriptedPrompts({}), confirm };
  }

  test("an order that the file records while use waits for the database is not sent again", async () => {
    const { home, send, posts, use } = await createShop();
    const address = await server.createDatabase();
    const writer = await makeTables(home, address);
    await writer.query(holdWrites);
    const using = use(address);
    await untilWaiting(1);
    expect([(await send("R-1")).exit, posts()]).toEqual([0, 1]);
    await writer.query("COMMIT");
    const used = await using;
    expect([used.exit, used.stderr]).toEqual([2, expect.stringContaining("sent orders meanwhile")]);
    // The file goes on as before.
    expect([(await send("R-1")).exit, posts()]).toEqual([0, 1]);
    expect([(await send("R-2")).exit, posts()]).toEqual([0, 2]);
  });

  test("an order that the shared ledger records at the question of use local is not sent again", async () => {
    const { send, sendAsJob, posts, use } = await createShop();
    const address = await server.createDatabase();
    expect((await use(address)).exit).toBe(0);
    expect((await send("R-0")).exit).toBe(0);
    const prompts = answerAfter(async () => {
      const sent = await sendAsJob("R-1", address);
      expect(sent.exit, sent.stderr).toBe(0);
    });
    const used = await use("local --new", { terminal: 100, prompts });
    expect([used.exit, used.stderr]).toEqual([2, expect.stringContaining("sent orders meanwhile")]);
    expect([(await send("R-1")).exit, posts()]).toEqual([0, 2]);
  });

  test("an answer does not replace the ledger that another terminal has set meanwhile", async () => {
    const { home, send, posts, use } = await createShop();
    const [address, other] = [await server.createDatabase(), await server.createDatabase()];
    expect((await send("R-0")).exit).toBe(0);
    const prompts = answerAfter(async () => {
      expect((await use(`${other} --new --yes`)).exit).toBe(0);
      expect((await send("R-1")).exit).toBe(0);
    });
    const used = await use(`${address} --new`, { terminal: 100, prompts });
    expect([used.exit, used.stderr]).toEqual([2, expect.stringContaining("has saved the account shop")]);
    expect(await readConfigText(home)).toContain(other);
    expect([(await send("R-1")).exit, posts()]).toEqual([0, 2]);
  });

  test("move copies nothing once an account has begun to use another ledger at its question", async () => {
    const { home, send, posts, use } = await createShop();
    const [address, other] = [await server.createDatabase(), await server.createDatabase()];
    expect((await send("R-0")).exit).toBe(0);
    const prompts = answerAfter(async () => {
      expect((await use(`${other} --new --yes`)).exit).toBe(0);
      expect((await send("R-1")).exit).toBe(0);
    });
    const moved = await home.courier(`ledger move ${address}`, { env: noKey, terminal: 100, prompts });
    expect([moved.exit, moved.stderr]).toEqual([
      2,
      expect.stringContaining("nothing was moved: another courier process has saved the account shop"),
    ]);
    expect(await readConfigText(home)).toContain(other);
    expect([(await send("R-1")).exit, posts()]).toEqual([0, 2]);
  });

  describe("a move to the database that another move, which is stopped, was about to copy to", () => {
    /** Both have marked the file, and wait for another machine's write; then one is stopped. */
    async function beginMoves() {
      const shop = await createShop();
      const { home, send } = shop;
      expect((await send("R-0")).exit).toBe(0);
      const address = await server.createDatabase();
      const writer = await makeTables(home, address);
      const gone = new AbortController();
      const both: (() => void)[] = [];
      const move = (options: RunOptions) => {
        const confirm = () => new Promise<boolean>((resolve) => both.push(() => resolve(true)));
        const prompts = { ...scriptedPrompts({}), confirm };
        return home.courier(`ledger move ${address}`, { env: noKey, terminal: 100, prompts, ...options });
      };
      const stopped = move({ signal: gone.signal });
      while (both.length < 1) await wait(20);
      const moving = move({});
      while (both.length < 2) await wait(20);
      await writer.query(holdWrites);
      for (const [n, yes] of both.entries()) {
        yes();
        await untilWaiting(n + 1);
      }
      gone.abort(interrupted(130));
      const ticks = setInterval(() => home.clock.advance(200), 20);
      expect((await stopped).exit).toBe(130);
      clearInterval(ticks);
      return {
        ...shop,
        address,
        writer,
        moving,
        /** A job on this machine without COURIER_LEDGER. */
        sendFromFile: (ref: string) =>
          send(ref, {
            COURIER_API_KEY: home.sandbox.apiKey,
            COURIER_BASE_URL: home.sandbox.baseUrl,
            COURIER_CONFIG_DIR: path.join(home.directory, "job"),
          }),
      };
    }

    test("keeps the file from sending", async () => {
      const { writer, moving, sendFromFile, posts } = await beginMoves();
      await writer.query("COMMIT");
      const moved = await moving;
      expect(moved.exit, moved.stderr).toBe(0);
      expect([(await sendFromFile("R-1")).exit, posts()]).toEqual([5, 1]);
    });

    test("fails where the file has sent meanwhile what it could not copy", async () => {
      const { writer, moving, sendFromFile, posts, address } = await beginMoves();
      // All rows are read and written by then.
      await writer.query(`
        CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON courier.runs INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION wait();
        SELECT pg_advisory_lock(1);
        COMMIT`);
      await untilWaiting(1);
      expect([(await sendFromFile("R-1")).exit, posts()]).toEqual([0, 2]);
      await writer.query("SELECT pg_advisory_unlock(1)");
      const moved = await moving;
      expect([moved.exit, moved.stderr]).toEqual([
        2,
        expect.stringContaining(`courier ledger use ${address} --new`),
      ]);
      expect([(await sendFromFile("R-2")).exit, posts()]).toEqual([5, 2]);
    });
  });

  test.each(["another", "local"])(
    "Ctrl-C while use of %s waits for the former ledger changes nothing",
    async (to) => {
      const { home, use } = await createShop();
      const ledger = "postgres://shop@127.0.0.1:1/orders"; // no server
      const config = JSON.parse(await readConfigText(home));
      await putConfig(home, { ...config, accounts: { shop: { ...config.accounts.shop, ledger } } });
      const gone = new AbortController();
      const { sleep } = home.clock;
      let waits = 0;
      Object.assign(home.clock, {
        sleep(...of: Parameters<typeof sleep>) {
          waits += 1;
          if (waits === 3) gone.abort(interrupted(130));
          return sleep(...of);
        },
      });
      const address = to === "local" ? to : await server.createDatabase();
      const used = await use(`${address} --new --yes`, { signal: gone.signal });
      expect(used.exit, used.stderr).toBe(130);
      expect(JSON.parse(await readConfigText(home)).accounts.shop.ledger).toBe(ledger);
    },
  );

  /** A use of `address` that has marked the file and waits for the config file, until it is released. */
  async function beginUse(
    { home, use }: { home: Home; use: (words: string, options: RunOptions) => Promise<Ran> },
    address: string,
    marked = 1,
  ) {
    expect((await home.courier("orders list", { env: noKey })).exit).toBe(0);
    const release = await takeLock(path.join(home.configDir, "config.json"), "config file");
    const { sleep } = home.clock;
    let isHeld = true;
    // The wait for the lock lasts.
    Object.assign(home.clock, { sleep: (ms: number) => (isHeld ? wait(20) : sleep(ms)) });
    const gone = new AbortController();
    const using = use(address, { signal: gone.signal });
    for (;;) {
      const file = await openLedgerFile(home.stateDir, { clock: home.clock }).catch(() => undefined);
      const marks = file ? await readMoved(file).catch(() => []) : [];
      file?.close();
      if (marks.length >= marked) break;
      await wait(20);
    }
    return {
      using,
      abort: () => gone.abort(interrupted(130)),
      async release() {
        release();
        await wait(100);
        isHeld = false;
      },
    };
  }

  test("a use that gives up leaves the mark that a job relies on, and names the way back", async () => {
    const shop = await createShop();
    const { send, sendAsJob, posts, use } = shop;
    const address = await server.createDatabase();
    const { using, release, abort } = await beginUse(shop, address);
    const first = await sendAsJob("R-1", address);
    expect([first.exit, posts()], first.stderr).toEqual([0, 1]);
    abort();
    const used = await using;
    await release();
    expect([used.exit, used.stderr]).toEqual([130, expect.stringContaining("courier ledger use local")]);
    expect([(await send("R-1")).exit, posts()]).toEqual([5, 1]);
    expect((await use("local --new --yes")).exit).toBe(0);
    expect([(await send("R-2")).exit, posts()]).toEqual([0, 2]);
  });

  test("a use that gives up leaves the mark of the customer's other account, which uses that database by now", async () => {
    const shop = await createShop();
    const { home, send, posts } = shop;
    const address = await server.createDatabase();
    const config = JSON.parse(await readConfigText(home));
    const put = (till: object) =>
      putConfig(home, {
        ...config,
        accounts: { ...config.accounts, till: { ...config.accounts.shop, ...till } },
      });
    await put({});
    expect((await home.courier("sync --account till", { env: noKey })).exit).toBe(0);
    const { using, release, abort } = await beginUse(shop, address);
    await put({ ledger: address }); // as another terminal's use does
    abort();
    expect((await using).exit).toBe(130);
    await release();
    const refused = await send("R-1", {}, "--account shop");
    expect([refused.exit, posts()], refused.stderr).toEqual([5, 0]);
  });

  test("a use that gives up leaves only the marks of those customers that another account of theirs needs", async () => {
    const home = await createTwoCustomers();
    const address = await server.createDatabase();
    const at = async (words: string, stdin = "") => {
      const ran = await home.courier(words, { env: noKey, stdin });
      expect(ran.exit, ran.stderr).toBe(0);
    };
    const login = (account: string, key: string) =>
      at(`login --account ${account} --base-url ${home.baseUrl} --allow-http`, key);
    await login("till", firstKey);
    await at(`ledger use ${address} --account till`);
    await login("shop", firstKey);
    await at("accounts use shop");
    await login("shop", secondKey);
    const env = { COURIER_API_KEY: secondKey, COURIER_BASE_URL: home.baseUrl };
    const use = (words: string, options: RunOptions) =>
      home.courier(`ledger use ${words}`, { env, ...options });
    const { using, release } = await beginUse({ home, use }, address, 2);
    const config = JSON.parse(await readConfigText(home));
    config.accounts.shop.key = "another-saved-key-1234"; // as another terminal's login does
    await putConfig(home, config);
    await release();
    expect((await using).exit).toBe(2);
    const send = (key: string) =>
      home.courier("orders create --file - --json --ref R-1", {
        env: { ...env, COURIER_API_KEY: key },
        stdin: JSON.stringify(plainDraft),
      });
    expect([(await send(secondKey)).exit, (await send(firstKey)).exit]).toEqual([0, 5]);
  });

  test("a use that cannot read the config file as it gives up leaves its mark, and names the way back", async () => {
    const shop = await createShop();
    const { home, send, posts, use } = shop;
    const { using, release } = await beginUse(shop, await server.createDatabase());
    const before = await readConfigText(home);
    const file = path.join(home.configDir, "config.json");
    await writeFile(file, "{");
    await release();
    const used = await using;
    expect([used.exit, used.stderr]).toEqual([2, expect.stringContaining("courier ledger use local")]);
    expect(used.stderr).toContain("not valid JSON");
    await writeFile(file, before);
    expect([(await send("R-1")).exit, posts()]).toEqual([5, 0]);
    expect((await use("local")).exit).toBe(0);
    expect([(await send("R-1")).exit, posts()]).toEqual([0, 1]);
  });

  test("a use that loses its database leaves the mark that a job may rely on", async () => {
    const shop = await createShop();
    const { send, sendAsJob, posts } = shop;
    const address = await server.createDatabase();
    const { using, release } = await beginUse(shop, address);
    const first = await sendAsJob("R-1", address);
    expect([first.exit, posts()], first.stderr).toEqual([0, 1]);
    await server.stop("immediate");
    await release();
    const used = await using;
    await server.start();
    expect([used.exit, used.stderr]).toEqual([5, expect.stringContaining("courier ledger use local")]);
    const again = await send("R-1");
    expect([again.exit, posts()], again.stderr).toEqual([5, 1]);
  });
});
