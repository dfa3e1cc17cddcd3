/** An account keeps its shared ledger with another customer's key: this machine's file sends nothing for that one either. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLedgerFile } from "../../src/ledger/ledger.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { putConfig } from "../support/config-file.ts";
import { createTwoCustomers, firstKey, rotatedKey, secondKey } from "../support/customers.ts";
import { errorOf } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { postgresPrograms, servePostgres } from "../support/postgres.ts";
import { canMount, mountDisk } from "../support/small-disk.ts";

const noKey = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

describe.skipIf(!postgresPrograms)("with PostgreSQL", () => {
  const server = servePostgres();

  async function createAccounts() {
    const home = await createTwoCustomers();
    const courier = (words: string, env: Record<string, string> = noKey, stdin?: string) =>
      home.courier(words, { env, ...(stdin === undefined ? {} : { stdin }) });
    return {
      home,
      courier,
      async login(account: string, key: string) {
        const to = `--account ${account} --base-url ${home.baseUrl} --allow-http`;
        const ran = await courier(`login ${to}`, noKey, key);
        expect(ran.exit, ran.stderr).toBe(0);
      },
      /** The account's ledger is a new database, whose address is returned. */
      async use(words: string) {
        const address = await server.createDatabase();
        const used = await courier(`ledger use ${address} ${words}`);
        expect(used.exit, used.stderr).toBe(0);
        return address;
      },
      send(account: string, ref = "R-1", env: Record<string, string> = noKey, item = "茶叶") {
        const flag = account === "" ? "" : ` --account ${account}`;
        const order = { ...plainDraft, item: { ...plainDraft.item, name: item } };
        return courier(`orders create --file - --json --ref ${ref}${flag}`, env, JSON.stringify(order));
      },
      posts: (customer: "first" | "second") =>
        home[customer].requests.filter(({ method }) => method === "POST").length,
    };
  }

  /** The command of a refusal. */
  const hintOf = ({ stderr }: { readonly stderr: string }) =>
    /courier (ledger use .*)$/.exec(JSON.parse(stderr).error.hint)?.[1] ?? "";

  test("what the file has of that customer is not sent again, and a hint leads on", async () => {
    const { courier, login, use, send, posts } = await createAccounts();
    await login("shop", firstKey);
    const address = await use("--account shop");
    await login("till", secondKey);
    expect((await send("till")).exit).toBe(0);
    await login("shop", secondKey);
    const refused = await send("shop");
    expect([refused.exit, posts("second")], refused.stderr).toEqual([5, 1]);
    expect(hintOf(refused)).toBe(`ledger use ${address} --account shop`);
    expect((await send("till", "R-2", noKey, "绿茶")).exit).toBe(0); // the file goes on
    const lacks = await courier(hintOf(refused));
    expect([lacks.exit, lacks.stderr]).toEqual([2, expect.stringContaining("does not know 2 runs")]);
    expect((await courier(`${hintOf(refused)} --new --yes`)).exit).toBe(0);
    expect([(await send("shop", "R-3", noKey, "红茶")).exit, posts("second")]).toEqual([0, 3]);
    expect([(await send("till", "R-3", noKey, "红茶")).exit, posts("second")]).toEqual([5, 3]);
  });

  test("what the account has sent is not sent again from the file", async () => {
    const { login, use, send, posts } = await createAccounts();
    await login("shop", firstKey);
    const address = await use("--account shop");
    await login("shop", secondKey);
    expect((await send("shop")).exit).toBe(0);
    await login("till", secondKey);
    const refused = await send("till");
    expect([refused.exit, refused.stderr]).toEqual([
      5,
      expect.stringContaining(`courier ledger use ${address} --account till`),
    ]);
    expect(posts("second")).toBe(1);
  });

  test("nor with that customer's key in the environment", async () => {
    const { home, courier, login, use, send, posts } = await createAccounts();
    await login("shop", firstKey);
    const address = await use("--account shop");
    await login("till", secondKey);
    expect((await send("till")).exit).toBe(0);
    const env = { COURIER_API_KEY: secondKey, COURIER_BASE_URL: home.baseUrl };
    const refused = await send("", "R-1", env);
    expect([refused.exit, posts("second")], refused.stderr).toEqual([5, 1]);
    expect(hintOf(refused)).toBe(`ledger use ${address}`);
    expect((await courier(`${hintOf(refused)} --new --yes`, env)).exit).toBe(0);
    expect([(await send("till", "R-2")).exit, posts("second")]).toEqual([5, 1]);
  });

  test("nor where another account has that customer's orders in another database", async () => {
    const { login, use, send, posts } = await createAccounts();
    await login("shop", firstKey);
    await use("--account shop");
    await login("till", secondKey);
    const theirs = await use("--account till");
    expect((await send("till")).exit).toBe(0);
    await login("shop", secondKey);
    const refused = await send("shop");
    expect([refused.exit, refused.stderr]).toEqual([
      5,
      expect.stringContaining(
        `${theirs} has the orders of this customer so far, and the account till uses it`,
      ),
    ]);
    expect(posts("second")).toBe(1);
  });

  test.each(["an account that was removed", "a job with COURIER_LEDGER"])(
    "nor where %s has that customer's orders in another database",
    async (which) => {
      const { home, courier, login, use, send, posts } = await createAccounts();
      await login("shop", firstKey);
      const own = await use("--account shop");
      if (which.startsWith("a job")) {
        const job = { COURIER_API_KEY: secondKey, COURIER_BASE_URL: home.baseUrl };
        const COURIER_CONFIG_DIR = path.join(home.directory, "job");
        const env = { ...job, COURIER_CONFIG_DIR, COURIER_LEDGER: await server.createDatabase() };
        expect((await send("", "R-1", env)).exit).toBe(0);
      } else {
        await login("till", secondKey);
        await use("--account till");
        expect((await send("till")).exit).toBe(0);
        expect((await courier("accounts remove till --yes")).exit).toBe(0);
      }
      await login("shop", secondKey);
      const refused = await send("shop");
      expect([refused.exit, posts("second")], refused.stderr).toEqual([5, 1]);
      expect(hintOf(refused)).toBe(`ledger use ${own} --account shop`);
      const lacks = await courier(hintOf(refused));
      expect([lacks.exit, lacks.stderr]).toEqual([2, expect.stringContaining("does not know 1 run")]);
      expect((await courier(`${hintOf(refused)} --new --yes`)).exit).toBe(0);
      expect([(await send("shop", "R-2", noKey, "绿茶")).exit, posts("second")]).toEqual([0, 2]);
    },
  );

  describe("where this machine's file cannot be written", () => {
    /** The file has an order of a customer whose key the account shop, which shares a ledger, gets. */
    async function createStation(state?: string) {
      const { home, courier } = await createAccounts();
      const env = { ...noKey, COURIER_STATE_DIR: state ?? home.stateDir };
      const at = async (words: string, stdin?: string) => {
        const ran = await courier(words, env, stdin);
        expect(ran.exit, ran.stderr).toBe(0);
      };
      const login = (account: string, key: string, words = "") =>
        at(`login --account ${account} --base-url ${home.baseUrl} --allow-http ${words}`, key);
      const order = JSON.stringify(plainDraft);
      const create = (account: string) => `orders create --file - --json --ref R-1 --account ${account}`;
      await login("shop", secondKey);
      await at(`ledger use ${await server.createDatabase()} --account shop`);
      return {
        home,
        async sendFromFile() {
          await login("till", firstKey);
          await at(create("till"), order);
        },
        async send() {
          await login("shop", rotatedKey, "--no-verify");
          const ran = await courier(create("shop"), env, order);
          return { ...ran, posts: home.first.requests.filter(({ method }) => method === "POST").length };
        },
      };
    }

    test("what it has is not sent again while another program locks it", async () => {
      const { home, sendFromFile, send } = await createStation();
      await sendFromFile();
      const other = (await loadDriver()).open(ledgerPath(home.stateDir));
      onTestFinished(() => other.close());
      other.exec("BEGIN IMMEDIATE");
      const { exit, posts, stderr } = await send();
      expect([exit, posts], stderr).toEqual([5, 1]);
      expect(errorOf({ stderr }).message).toContain("another program keeps it locked");
    });

    test("nor where a later version of courier has updated it", async () => {
      const { home, sendFromFile, send } = await createStation();
      await sendFromFile();
      const file = await openLedgerFile(home.stateDir);
      const { user_version } = file.sql("PRAGMA user_version").get() ?? {};
      file.exec(`PRAGMA user_version = ${Number(user_version) + 1}`);
      file.close();
      const { exit, posts, stderr } = await send();
      expect([exit, posts], stderr).toEqual([5, 1]);
      expect(errorOf({ stderr }).hint).toContain("update courier");
    });

    test.skipIf(!canMount())("nor on a full disk", async () => {
      const disk = await mountDisk("size=4m");
      const { sendFromFile, send } = await createStation(path.join(disk, "state"));
      await sendFromFile();
      await writeFile(path.join(disk, "full"), Buffer.alloc(8_000_000)).catch(() => undefined);
      const { exit, posts, stderr } = await send();
      expect([exit, posts], stderr).toEqual([5, 1]);
    });

    test("the order goes out where it has none of the customer", async () => {
      const { home, send } = await createStation();
      const file = await openLedgerFile(home.stateDir);
      file.exec("CREATE TRIGGER full BEFORE INSERT ON keys BEGIN SELECT RAISE(FAIL, 'no room'); END");
      file.close();
      const { exit, posts, stderr } = await send();
      expect([exit, posts], stderr).toEqual([0, 1]);
    });
  });

  test("a use while the service is down marks the customers that the account has had", async () => {
    const { home, use, send, posts } = await createAccounts();
    const program = path.join(home.directory, "key.sh");
    await writeFile(program, `echo ${firstKey}`);
    const stored = { base_url: home.baseUrl, allow_http: true };
    const accounts = {
      shop: { ...stored, key_command: `sh ${program}` },
      till: { ...stored, key: firstKey },
    };
    await putConfig(home, { current: "shop", accounts });
    expect((await send("shop", "R-0", noKey, "红茶")).exit).toBe(0);
    expect((await send("till", "R-1", noKey, "绿茶")).exit).toBe(0);
    await writeFile(program, `echo ${rotatedKey}`);
    home.setDown(true);
    await use("--account shop --new --yes");
    home.setDown(false);
    expect([(await send("till", "R-2")).exit, posts("first")]).toEqual([5, 2]);
    expect([(await send("shop", "R-2")).exit, posts("first")]).toEqual([0, 3]);
  });
});
