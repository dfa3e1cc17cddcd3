/** `courier ledger forget`: whose details it deletes, and from which files. */

import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openLedger, openLedgerFile } from "../../src/ledger/ledger.ts";
import { putConfig, putShop } from "../support/config-file.ts";
import { createServedHome } from "../support/courier.ts";
import { createTwoCustomers, firstKey, rotatedKey, secondKey } from "../support/customers.ts";
import { errorOf, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { postgresPrograms, servePostgres } from "../support/postgres.ts";

const server = servePostgres();
const noKey = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
const forget = "ledger forget --account shop --yes --confirm shop --json";

async function filesWith(directory: string, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(directory)) {
    const file = path.join(directory, name);
    if (!(await stat(file)).isFile()) continue;
    const bytes = await readFile(file);
    if (names.some((each) => bytes.includes(each))) found.push(name);
  }
  return found;
}

test("a customer whose key the account had before keeps its details, which another account sends with now", async () => {
  const home = await createTwoCustomers();
  const at = async (words: string, stdin = "") => {
    const ran = await home.courier(words, { env: noKey, stdin });
    expect(ran.exit, ran.stderr).toBe(0);
    return ran.stdout;
  };
  const login = (account: string, key: string) =>
    at(`login --account ${account} --base-url ${home.baseUrl} --allow-http`, key);
  const send = (account: string, ref: string) =>
    at(`orders create --file - --json --ref ${ref} --account ${account}`, JSON.stringify(plainDraft));
  await login("shop", firstKey);
  await login("shop", secondKey);
  await login("till", firstKey);
  await send("till", "R-1");
  await send("shop", "R-2");
  const show = (run: number) => at(`log show ${run} --json`);
  const [theirs, own] = [await show(1), await show(2)];
  await at(forget);
  expect(await show(1)).toBe(theirs);
  expect(own).toContain(plainDraft.receiver.name);
  expect(await show(2)).not.toContain(plainDraft.receiver.name);
});

test("a name that is no account's is refused; one that was removed is known", async () => {
  const home = await createServedHome();
  const at = (words: string) => home.courier(words, { env: noKey, stdin: JSON.stringify(plainDraft) });
  await putShop(home, home.sandbox);
  expect((await at("orders create --file - --json --ref R-1")).exit).toBe(0);
  await putConfig(home, { current: null, accounts: {} });
  const refused = await at("ledger forget --account shpo --yes --confirm shpo --json");
  expect([refused.exit, refused.stdout]).toEqual([4, ""]);
  expect(errorOf(refused).message).toBe("nothing was deleted: there is no account named shpo");
  expect(JSON.parse((await at(forget)).stdout)).toMatchObject({ runs: 1, details_deleted: true });
});

const orderTo = (name: string) =>
  JSON.stringify({ ...plainDraft, receiver: { ...plainDraft.receiver, name } });
const receiversOf = (rows: readonly Record<string, unknown>[]) =>
  rows.map(({ draft }) => JSON.parse(String(draft)).receiver.name).sort();

async function receiversIn(stateDir: string): Promise<string[]> {
  const file = await openLedgerFile(stateDir);
  const rows = file.sql("SELECT draft FROM operations WHERE draft IS NOT NULL").all();
  file.close();
  return receiversOf(rows);
}

describe("with a key in the environment", () => {
  async function createGiven() {
    const home = await createTwoCustomers();
    const at = async (env: Record<string, string>, words: string, stdin = "") => {
      const ran = await home.courier(words, { env, stdin });
      expect(ran.exit, ran.stderr).toBe(0);
      return ran.stdout;
    };
    const given = (COURIER_API_KEY: string) => ({ COURIER_API_KEY, COURIER_BASE_URL: home.baseUrl });
    return { home, at, given };
  }
  const create = "orders create --file - --json --ref R-1";

  test("it leaves the details of the customers of other such keys", async () => {
    const { home, at, given } = await createGiven();
    await at(given(firstKey), create, orderTo("李一"));
    await at(given(secondKey), create, orderTo("王二"));
    await at(given(firstKey), "ledger forget --yes --confirm (environment) --json");
    expect(await receiversIn(home.stateDir)).toEqual(["王二"]);
  });

  test.each(["this machine's own ledger", ...(postgresPrograms ? ["a ledger that was moved"] : [])])(
    "it leaves those of the stored account, whose name goes with the key, in %s",
    async (which) => {
      const { home, at, given } = await createGiven();
      await at(noKey, `login --account shop --base-url ${home.baseUrl} --allow-http`, firstKey);
      await at(noKey, create, orderTo("李一"));
      await at(given(secondKey), create, orderTo("王二"));
      if (which.endsWith("moved")) await at(noKey, `ledger move ${await server.createDatabase()} --yes`);
      const own = "ledger forget --yes --confirm shop --json";
      const refused = await home.courier(own, { env: { COURIER_API_KEY: "cut-off" } });
      expect([refused.exit, await receiversIn(home.stateDir)]).toEqual([2, ["李一", "王二"]]);
      expect(JSON.parse(await at(given(secondKey), own))).toMatchObject({ runs: 1 });
      expect(await receiversIn(home.stateDir)).toEqual(["李一"]);
    },
  );
});

describe.skipIf(!postgresPrograms)("with PostgreSQL", () => {
  /** Users of one machine, with a config and a state directory each. */
  async function createUsers() {
    const home = await createTwoCustomers();
    const ledger = await server.createDatabase();
    const stateDirOf = (user: string) => path.join(home.directory, user, "state");
    const at = async (user: string, words: string, stdin = "") => {
      const COURIER_CONFIG_DIR = path.join(home.directory, user, "config");
      const env = { ...noKey, COURIER_CONFIG_DIR, COURIER_STATE_DIR: stateDirOf(user) };
      const ran = await home.courier(words, { env, stdin });
      expect(ran.exit, `${words}: ${ran.stderr}`).toBe(0);
      return ran;
    };
    return {
      home,
      ledger,
      at,
      stateDirOf,
      login: (user: string, account: string, key: string) =>
        at(user, `login --account ${account} --base-url ${home.baseUrl} --allow-http`, key),
      send: (user: string, account: string, name: string) =>
        at(user, `orders create --file - --json --ref R-1 --account ${account}`, orderTo(name)),
      async receivers() {
        const text = "SELECT draft FROM courier.operations WHERE draft IS NOT NULL";
        return receiversOf(await server.query(text, new URL(ledger).pathname.slice(1)));
      },
    };
  }

  test("it leaves the mirror of an account whose name another machine gave the same customer", async () => {
    const { home, ledger, at, login, send } = await createUsers();
    await login("b", "till", firstKey);
    await at("b", `ledger use ${ledger} --account till`);
    await send("b", "till", "李一");
    await login("a", "shop", firstKey);
    await login("a", "till", secondKey);
    await at("a", `ledger use ${ledger} --account shop`);
    const made = await fetch(`${home.baseUrl}/api/v1/orders`, {
      method: "POST",
      headers: { authorization: `Bearer ${secondKey}`, "content-type": "application/json" },
      body: orderTo("王二"),
    });
    expect(made.ok).toBe(true);
    await at("a", "sync --account till");
    await at("a", forget);
    const found = await at("a", "find 王二 --account till --json");
    expect(JSON.parse(found.stdout)).toHaveLength(1);
  });

  test("after a logout, it leaves the details of another user's customer of that account name", async () => {
    const { ledger, at, login, send, receivers } = await createUsers();
    for (const [user, key, name] of [
      ["alice", firstKey, "李一"],
      ["bob", secondKey, "王二"],
    ] as const) {
      await login(user, "shop", key);
      await at(user, `ledger use ${ledger} --account shop`);
      await send(user, "shop", name);
    }
    expect(await receivers()).toEqual(["李一", "王二"]);
    await at("alice", "logout --account shop");
    await at("alice", forget);
    expect(await receivers()).toEqual(["王二"]);
  });

  test.each([
    ["goes on with its name, which another machine gave the customer", secondKey, 0],
    ["has the customer's key by now", firstKey, 4],
  ])("after a logout, where another account %s", async (_name, key, exit) => {
    const { home, ledger, at, stateDirOf, login, send, receivers } = await createUsers();
    await login("b", "till", firstKey);
    await at("b", `ledger use ${ledger} --account till`);
    await send("b", "till", "李九");
    await login("a", "till", secondKey);
    await login("a", "shop", firstKey);
    for (const account of ["till", "shop"]) await at("a", `ledger use ${ledger} --account ${account}`);
    await at("a", `orders create --file - --json --ref R-2 --account shop`, orderTo("李一"));
    await login("a", "till", key);
    await at("a", "logout --account shop");
    const forgotten = await home.courier(forget, {
      env: {
        ...noKey,
        COURIER_CONFIG_DIR: path.join(home.directory, "a", "config"),
        COURIER_STATE_DIR: stateDirOf("a"),
        COURIER_LEDGER: ledger,
      },
    });
    expect(forgotten.exit, forgotten.stderr).toBe(exit);
    expect(await receivers()).toEqual(exit === 0 ? [] : ["李一", "李九"]);
  });

  describe("after the account's key was renewed", () => {
    /** An order was sent with the first key, and nothing since. */
    async function createRenewed() {
      const home = await createTwoCustomers();
      const ledger = await server.createDatabase();
      const program = path.join(home.directory, "key.sh");
      await writeFile(program, `echo ${firstKey}`);
      const shop = { base_url: home.baseUrl, key_command: `sh ${program}`, allow_http: true, ledger };
      await putConfig(home, { current: "shop", accounts: { shop } });
      const at = (words: string) => home.courier(words, { env: noKey, stdin: JSON.stringify(plainDraft) });
      const sent = await at("orders create --file - --json --ref R-1");
      expect(sent.exit, sent.stderr).toBe(0);
      await writeFile(program, `echo ${rotatedKey}`);
      const database = new URL(ledger).pathname.slice(1);
      const query = (text: string) => server.query(text, database);
      const left = async () =>
        (await query("SELECT 1 FROM courier.operations WHERE draft IS NOT NULL")).length;
      return { home, at, query, left };
    }

    test("the service says whose it is", async () => {
      const { at, left } = await createRenewed();
      const ran = await at(forget);
      expect(JSON.parse(ran.stdout)).toMatchObject({ runs: 1, details_deleted: true });
      expect(await left()).toBe(0);
    });

    test("the runs of this machine tell where the service does not answer", async () => {
      const { home, at, left } = await createRenewed();
      home.setDown(true);
      const ran = await at(forget);
      expect(JSON.parse(ran.stdout)).toMatchObject({ runs: 1, details_deleted: true });
      expect(await left()).toBe(0);
    });

    test.each(["this machine's own ledger", "a ledger that was moved"])(
      "the details go from %s, also where another account has a key of the customer",
      async (which) => {
        const home = await createTwoCustomers();
        const program = path.join(home.directory, "key.sh");
        await writeFile(program, `echo ${firstKey}`);
        const stored = { base_url: home.baseUrl, allow_http: true };
        const accounts = {
          shop: { ...stored, key_command: `sh ${program}` },
          till: { ...stored, key: firstKey },
        };
        await putConfig(home, { current: "shop", accounts });
        const at = async (words: string, stdin = "") => {
          const ran = await home.courier(words, { env: noKey, stdin });
          expect(ran.exit, ran.stderr).toBe(0);
          return ran.stdout;
        };
        const create = "orders create --file - --json --ref R-1";
        await at(`${create} --account shop`, orderTo("李一"));
        await at(`${create}2 --account till`, orderTo("王二"));
        if (which.endsWith("moved")) await at(`ledger move ${await server.createDatabase()} --yes`);
        await writeFile(program, `echo ${rotatedKey}`);
        expect(JSON.parse(await at(forget))).toMatchObject({ runs: 2, details_deleted: true });
        expect(await receiversIn(home.stateDir)).toEqual([]);
      },
    );

    test("nothing is said to be deleted where nothing tells whose orders they are", async () => {
      const home = await createTwoCustomers();
      const at = (COURIER_API_KEY: string, words: string, stdin = "") =>
        home.courier(words, { env: { COURIER_API_KEY, COURIER_BASE_URL: home.baseUrl }, stdin });
      const create = "orders create --file - --json --ref R-1";
      expect((await at(firstKey, create, orderTo("李一"))).exit).toBe(0);
      home.setDown(true);
      const ran = await at(rotatedKey, "ledger forget --yes --confirm (environment) --json");
      expect([ran.exit, ran.stdout]).toEqual([5, ""]);
      expect(JSON.parse(ran.stderr).error.message).toMatch(/^nothing was deleted: /);
      expect(await receiversIn(home.stateDir)).toEqual(["李一"]);
    });

    test("it fails where only other machines have sent", async () => {
      const { home, at, query, left } = await createRenewed();
      await query("UPDATE courier.runs SET place = 'elsewhere ' || place");
      home.setDown(true);
      const ran = await at(forget);
      expect(ran.stdout).toBe("");
      expect(JSON.parse(ran.stderr).error.message).toMatch(/^nothing was deleted: /);
      expect(await left()).toBe(1);
    });
  });

  test("an order in doubt that a move has copied counts as one that keeps its details", async () => {
    const { ledger, at, stateDirOf, login, send } = await createUsers();
    await login("a", "shop", firstKey);
    await send("a", "shop", "李一");
    const file = await openLedgerFile(stateDirOf("a"));
    const none = ["order_id", "order_no", "tracking_number", "order_state"].map((each) => `${each} = NULL`);
    file.exec(`UPDATE operations SET state = 'unknown', ${none}`);
    file.close();
    await at("a", `ledger move ${ledger} --yes`);
    const ran = await at("a", forget);
    expect(JSON.parse(ran.stdout)).toMatchObject({ details_kept: 1 });
    expect(ran.stderr).toContain("1 order in doubt");
  });

  test("no name is left in the file that was moved, also while another command has it open", async () => {
    const home = await createServedHome();
    await putShop(home, home.sandbox);
    const at = (words: string) => home.courier(words, { env: noKey });
    const names = Array.from({ length: 60 }, (_, index) => `receiver-number-${index}-x`);
    const rows = names.map(
      (name, index) => `R-${index},张三,13800138000,${name},13900139000,北京市,建国路88号,茶叶,1.50,1`,
    );
    const file = path.join(home.directory, "orders.csv");
    await writeFile(file, sheet(...rows));
    expect((await at(`orders import ${file} --yes --json`)).exit).toBe(0);
    expect((await at(`ledger move ${await server.createDatabase()} --yes`)).exit).toBe(0);
    const open = await openLedger(home.stateDir);
    const ran = await at(forget.replace(" --json", ""));
    const left = await filesWith(home.stateDir, names);
    await open.close();
    expect([ran.exit, left]).toEqual([0, []]);
    expect(ran.stdout).toContain(`and ${open.path}`);
  });
});
