/** `courier ledger use|status|move|forget` with a real PostgreSQL. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { identifyProcess } from "../../src/core/process-identity.ts";
import type { Choice } from "../../src/core/prompts.ts";
import { openLedgerFile } from "../../src/ledger/ledger.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { toJsonSchema } from "../../src/model/json-schema.ts";
import { findTexts } from "../ledger/opened.ts";
import { answerRaw } from "../support/answers.ts";
import { configPath, putConfig, readConfigText } from "../support/config-file.ts";
import { createServedHome, type RunOptions } from "../support/courier.ts";
import { deadPid } from "../support/dead-process.ts";
import { createImportHome, errorOf, outcomes, row, sheet } from "../support/imports.ts";
import { recordRun, withLedger } from "../support/ledger.ts";
import { breakAtCommit } from "../support/lost-commit.ts";
import { plainDraft } from "../support/orders.ts";
import { postgresPrograms, servePostgres } from "../support/postgres.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { canMount, holdFile, mountDisk } from "../support/small-disk.ts";

const rows = [row("A-1", "李一"), row("A-2", "李二"), row("A-3", "李三")];

/** The account's own key and service are used. */
const noKey = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

/** A home whose config has the accounts shop and till of one customer, and no key in the environment. */
async function createShop(accounts: Record<string, object> = { shop: {}, till: {} }) {
  const home = await createImportHome(sheet(...rows));
  const { baseUrl, apiKey } = home.sandbox;
  const put = (stored: Record<string, object>) =>
    putConfig(home, {
      current: "shop",
      accounts: Object.fromEntries(
        Object.entries(stored).map(([name, more]) => [name, { base_url: baseUrl, key: apiKey, ...more }]),
      ),
    });
  await put(accounts);
  const env = noKey;
  const courier = (words: string | readonly string[], options: RunOptions = {}) =>
    home.courier(words, { ...options, env: { ...env, ...options.env } });
  const json = async (words: string, options: RunOptions = {}) => {
    const ran = await courier(`${words} --json`, options);
    return { ...ran, result: ran.exit === 0 ? JSON.parse(ran.stdout) : undefined };
  };
  return {
    ...home,
    get posts() {
      return home.posts;
    },
    put,
    courier,
    json,
    importRows: (words = "", options: RunOptions = {}) =>
      home.run(words, { ...options, env: { ...env, ...options.env } }),
    ledgers: async () => {
      const { accounts: stored } = JSON.parse(await readConfigText(home));
      return Object.fromEntries(
        Object.entries(stored).map(([name, each]) => [name, (each as { ledger?: string }).ledger]),
      );
    },
    status: async (words = "") => (await json(`ledger status ${words}`)).result,
  };
}

describe("without a server", () => {
  test("status tells where the ledger will be, and makes none", async () => {
    const home = await createShop();
    expect(await home.status()).toMatchObject({
      account: "shop",
      ledger: ledgerPath(home.stateDir),
      shared: false,
      named_by: null,
      engine: null,
      running: [],
    });
    expect((await home.courier("ledger status")).stdout).toContain("No ledger yet");
    expect(existsSync(home.stateDir)).toBe(false);
  });

  test("status of the local ledger counts, and names who holds rows", async () => {
    const home = await createShop();
    await home.importRows();
    const own = identifyProcess(process);
    await recordRun(home, ["ready", "sending", "unknown"], {
      account: "shop",
      exit: undefined,
      process: own,
    });
    await recordRun(home, ["sending"], { account: "shop", exit: undefined, process: killed() });
    const status = await home.status();
    expect(status).toMatchObject({ runs: 3, operations: 7, in_doubt: 3, weaknesses: [] });
    expect(status.engine).toMatch(/^SQLite /);
    expect(status.running).toMatchObject([
      { run: 2, account: "shop", here: true, pid: process.pid, running: true, rows_held: 2 },
    ]);
    const { stdout } = await home.courier("ledger status", { terminal: 100 });
    expect(stdout).toMatch(/1 run uses it now/);
    expect(stdout).toMatch(/shop +orders import +this one/);
  });

  test.each([
    ["a password in the address", "use postgres://shop:secret@localhost/db", "contains a password"],
    ["a password in another form", "use password=secret", "this is not the address of a ledger"],
    ["no address", "use db.example.com", "is not the address of a ledger"],
    ["an address of another database", "use mysql://u:secret@h/x", "mysql://h/x"],
    ["an unknown setting", "use postgres://localhost/db?color=red", "color"],
    ["a move to this machine", "move local", "moved to a server"],
  ])("%s is refused, exit 2, and changes nothing", async (_name, words, message) => {
    const home = await createShop();
    const ran = await home.courier(`ledger ${words}`);
    expect(ran).toMatchObject({ exit: 2, stdout: "" });
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toContain("secret");
    expect(ran.stderr).not.toContain("secret");
    expect(await home.ledgers()).toEqual({ shop: undefined, till: undefined });
  });

  test.each(["", "logout"])("an account that gets another key keeps its ledger: %s", async (before) => {
    const home = await createShop();
    const ledger = "postgres://shop@127.0.0.1:1/orders";
    const config = JSON.parse(await readConfigText(home));
    config.accounts.shop.ledger = ledger;
    await putConfig(home, config);
    if (before !== "") expect((await home.courier(before)).exit).toBe(0);
    const login = await home.courier(`login --account shop --base-url ${home.sandbox.baseUrl}`, {
      stdin: home.sandbox.apiKey,
    });
    expect(login.exit, login.stderr).toBe(0);
    expect(await home.ledgers()).toMatchObject({ shop: ledger });
  });

  test("a server that is away is exit 5, and changes nothing", async () => {
    const home = await createShop();
    const ran = await home.json("ledger use postgres://shop@127.0.0.1:1/orders");
    expect(ran.exit).toBe(5);
    expect(errorOf(ran)).toMatchObject({ code: "database" });
    expect(await home.ledgers()).toEqual({ shop: undefined, till: undefined });
    await home.importRows();
    const moved = await home.json("ledger move postgres://shop@127.0.0.1:1/orders --yes");
    expect(moved.exit).toBe(5);
    await home.put({ shop: {} });
    expect(outcomes((await home.importRows()).report)).toBe("shipped shipped shipped");
  });

  test("an error does not show the program that prints the password", async () => {
    const home = await createShop();
    const address = "postgres://shop@127.0.0.1:1/orders";
    const env = { COURIER_LEDGER: `${address}?passwordcommand=pass+show+courier-ledger` };
    const ran = await home.json("log", { env });
    expect(ran.exit).toBe(5);
    expect(errorOf(ran).message).toBe(`the ledger cannot be used: the connection was refused: ${address}`);
    expect(ran.stderr).not.toContain("courier-ledger");
  });

  test("the sandbox keeps its ledger here, and COURIER_LEDGER goes before what is kept", async () => {
    const home = await createShop();
    const sandbox = await home.json("ledger use postgres://localhost/db --account sandbox");
    expect(errorOf(sandbox).message).toContain("on this machine");
    const env = { COURIER_LEDGER: "postgres://localhost/db" };
    for (const words of ["use postgres://localhost/other", "move postgres://localhost/other"])
      expect(errorOf(await home.json(`ledger ${words}`, { env })).message).toContain("COURIER_LEDGER is set");
  });

  test("move needs a ledger, and forget the account's name", async () => {
    const home = await createShop();
    expect(errorOf(await home.json("ledger move postgres://localhost/db")).message).toContain("no ledger");
    await home.importRows();
    expect(errorOf(await home.json("ledger forget --yes")).hint).toContain("--confirm shop");
    expect(errorOf(await home.json("ledger forget --yes --confirm till")).message).toContain("names till");
  });

  test("forget deletes the details of the local ledger after two answers, and no record of what was sent", async () => {
    const home = await createShop();
    await home.importRows();
    const no = scriptedPrompts({ confirms: [true], texts: ["no"] });
    expect((await home.courier("ledger forget", { terminal: 100, prompts: no })).exit).toBe(130);
    const details = () =>
      withLedger(home, async (ledger) => (await ledger.listOperations(1)).map(({ draft }) => draft));
    expect(await details()).not.toContain(undefined);
    await home.courier("sync");
    const till = { env: { COURIER_ACCOUNT: "till" } };
    expect(outcomes((await home.importRows("", till)).report)).toBe("shipped shipped shipped");
    await home.courier("sync", till);
    const people = ["李一", "李二", "李三"];
    expect(await findTexts(home.stateDir, people)).not.toEqual([]);
    const prompts = scriptedPrompts({ confirms: [true], texts: ["shop"] });
    expect(await home.courier("ledger forget", { terminal: 100, prompts })).toMatchObject({ exit: 0 });
    expect(prompts.asked).toHaveLength(2);
    expect(await details()).toEqual([undefined, undefined, undefined]);
    expect(await findTexts(home.stateDir, people)).toEqual([]);
    expect(outcomes((await home.importRows()).report)).toBe("shipped shipped shipped");
  });
});

describe.skipIf(!postgresPrograms)("with PostgreSQL", () => {
  const server = servePostgres();

  const databaseOf = (address: string) => address.split("/").at(-1);
  const count = async (address: string, table: string) =>
    Number((await server.query(`SELECT count(*) AS n FROM courier.${table}`, databaseOf(address)))[0]?.n);

  test("the hint of forget can be pasted into a shell, also where the key is in the environment", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    const { stderr } = await home.courier("ledger forget --yes");
    expect(stderr).toContain('add --yes --confirm "(environment)"');
  });

  test("use makes the tables, keeps the address, and orders are recorded there", async () => {
    const home = await createShop();
    const address = await server.createDatabase();
    const used = await home.json(`ledger use ${address}`);
    expect(used.result).toMatchObject({
      account: "shop",
      ledger: address,
      shared: true,
      runs: 0,
      weaknesses: [],
    });
    expect(used.result.engine).toMatch(/^PostgreSQL 1/);
    expect(await home.ledgers()).toEqual({ shop: address, till: undefined });
    expect(outcomes((await home.importRows()).report)).toBe("created created created");
    expect(await count(address, "operations")).toBe(3);
    expect(await home.status()).toMatchObject({
      ledger: address,
      named_by: "account",
      runs: 1,
      operations: 3,
    });
    expect(await home.status("--account till")).toMatchObject({ shared: false });
    const { result } = await home.json("ledger status", { env: { COURIER_LEDGER: address } });
    expect(result).toMatchObject({ ledger: address, named_by: "COURIER_LEDGER" });
  });

  test.each([
    ["with another setting", (address: string) => `${address}?sslmode=disable`],
    ["by another name of its host", (address: string) => address.replace("127.0.0.1", "localhost")],
  ])("use of the same database %s is no use of another ledger", async (_what, change) => {
    const home = await createShop();
    const address = await server.createDatabase();
    expect((await home.json(`ledger use ${address}`)).exit).toBe(0);
    await home.importRows();
    const used = await home.courier(["ledger", "use", change(address), "--account", "shop"]);
    expect(used.exit).toBe(0);
    expect(used.stderr).not.toContain("do not know of each other's orders");
    expect(await home.ledgers()).toMatchObject({ shop: change(address) });
  });

  test("use takes along whose key the login has found it to be", async () => {
    const home = await createShop();
    const { baseUrl, apiKey } = home.sandbox;
    const login = `login --account shop --base-url ${baseUrl} --allow-http`;
    expect((await home.courier(login, { stdin: apiKey })).exit).toBe(0);
    const address = await server.createDatabase();
    expect((await home.json(`ledger use ${address}`)).exit).toBe(0);
    expect([
      await count(address, "customers WHERE profile_id IS NOT NULL"),
      await count(address, "keys"),
    ]).toEqual([1, 1]);
    // The answer of a proxy, once: the import knows whose orders it sends.
    answerRaw(home, "GET /api/v1/user/profile", "<p>back soon</p>", { times: 1 });
    expect(outcomes((await home.importRows()).report)).toBe("created created created");
    expect(await count(address, "customers")).toBe(1);
  });

  test.each(["orders import", "orders create --file"])(
    "%s that waits at its question sends nothing from the ledger that the account has left meanwhile",
    async (words) => {
      const home = await createShop();
      const address = await server.createDatabase();
      const file = path.join(home.directory, "order.json");
      await writeFile(file, JSON.stringify(plainDraft));
      const isImport = words.endsWith("import");
      const prompts = {
        ...scriptedPrompts({}),
        confirm: async () => {
          expect((await home.courier(`ledger use ${address}`)).exit).toBe(0);
          return true;
        },
        choose: async <T>(_question: string, choices: readonly Choice<T>[]) => {
          expect((await home.courier(`ledger use ${address}`)).exit).toBe(0);
          return choices.find(({ label }) => label.includes("Send"))?.value as T;
        },
      };
      const waiting = await home.courier([...words.split(" "), isImport ? home.file : file], {
        terminal: 100,
        prompts,
      });
      expect([waiting.exit, home.posts], waiting.stderr).toEqual([5, 0]);
      expect(waiting.stderr).toContain(
        "the ledger of the account shop was changed meanwhile: nothing was sent",
      );
      expect(waiting.stderr).toContain("run the same command again");
      const again = await home.courier([...words.split(" "), isImport ? home.file : file, "--yes"]);
      expect([again.exit, home.posts], again.stderr).toEqual([0, isImport ? 3 : 1]);
      expect((await home.json("ledger use local --new --yes")).exit).toBe(0);
    },
  );

  test("use refuses a ledger that lacks the account's runs; --new asks twice", async () => {
    const home = await createShop();
    const address = await server.createDatabase();
    await home.importRows();
    const refused = await home.json(`ledger use ${address}`);
    expect(refused.exit).toBe(2);
    expect(errorOf(refused)).toMatchObject({
      message: expect.stringContaining("does not know 1 run"),
      hint: expect.stringContaining(`courier ledger move '${address}'`.replaceAll("'", "")),
    });
    const no = scriptedPrompts({ confirms: [true, false] });
    const stopped = await home.courier(`ledger use ${address} --new`, { terminal: 100, prompts: no });
    expect(stopped.exit).toBe(130);
    expect(await home.ledgers()).toMatchObject({ shop: undefined });
    const prompts = scriptedPrompts({ confirms: [true, true] });
    const used = await home.courier(`ledger use ${address} --new`, { terminal: 100, prompts });
    expect(used).toMatchObject({ exit: 0 });
    expect(prompts.asked).toHaveLength(2);
    expect(await home.ledgers()).toMatchObject({ shop: address });
    await home.put({ shop: { ledger: address } });
    home.clock.advance(60_000);
    await home.importFile(await putRows(home, row("B-1", "王五", "13700137001")), "", { env: noKey });
    const back = await home.json("ledger use local");
    expect(errorOf(back)).toMatchObject({ hint: expect.stringContaining("--new") });
    const left = await home.json("ledger use local --new --yes");
    expect(left.result).toMatchObject({ shared: false });
    expect(left.stderr).toContain("this one do not know of each other's orders from now on");
    expect(await home.ledgers()).toMatchObject({ shop: undefined });
  });

  test.each([
    ["an operation is missing", "DELETE FROM operations WHERE number = 2"],
    ["an order is missing", "UPDATE operations SET order_id = NULL, state = 'sending' WHERE number = 2"],
  ])("use refuses a copy that was made while a run was recorded: %s", async (_what, lost) => {
    const home = await createShop();
    const first = await server.createDatabase();
    expect((await home.json(`ledger use ${first}`)).exit).toBe(0);
    await home.importRows();
    const nameOf = (address: string) => address.slice(address.lastIndexOf("/") + 1);
    const copy = `${nameOf(first)}_copy`;
    await server.query(`CREATE DATABASE ${copy} TEMPLATE ${nameOf(first)}`);
    await server.query(`SET search_path = courier; ${lost}`, copy);
    const refused = await home.json(`ledger use ${first.replace(nameOf(first), copy)}`);
    expect(refused.exit).toBe(2);
    expect(errorOf(refused).message).toContain("knows only a part of 1 run of the account shop");
    expect(await home.ledgers()).toMatchObject({ shop: first });
  });

  test("use finds the account's runs whatever its base URL looks like now", async () => {
    const home = await createShop({ shop: {} });
    const address = await server.createDatabase();
    await home.importRows();
    const env = { COURIER_API_KEY: "another-key-0123456789", COURIER_BASE_URL: "http://127.0.0.1:9" };
    const elsewhere = await home.json(`ledger use ${address}`, { env });
    expect(errorOf(elsewhere).message).toContain("does not know 1 run");
    await home.put({ shop: { base_url: `${home.sandbox.baseUrl}/` } });
    expect(errorOf(await home.json(`ledger use ${address}`)).message).toContain("does not know 1 run");
  });

  test("use refuses while a run of the account runs here", async () => {
    const next = await createServedHome({ apiKey: "next-key-0123456789" });
    const depot = { base_url: next.sandbox.baseUrl, key: next.sandbox.apiKey };
    const home = await createShop({ shop: {}, till: {}, depot });
    const own = identifyProcess(process);
    await recordRun(home, ["sending"], { account: "shop", exit: undefined, process: own });
    const address = await server.createDatabase();
    // till is an account of the same customer.
    for (const words of [`use ${address}`, `use ${address} --account till`, `move ${address} --yes`])
      expect(errorOf(await home.json(`ledger ${words}`)).message).toContain(
        `run 1 (orders import) of the account shop is running, as process ${process.pid}`,
      );
    expect((await home.json(`ledger use ${address} --account depot`)).exit).toBe(0);
  });

  test("a database that does not have all characters is refused before anything is recorded", async () => {
    const home = await createShop();
    await server.query(
      "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    );
    const address = new URL(await server.createDatabase());
    address.pathname = "/latin";
    const { exit, stderr } = await home.courier(["ledger", "status", "--json"], {
      env: { COURIER_LEDGER: address.href },
    });
    expect(exit).toBe(5);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "database",
      message: expect.stringContaining("its database has the encoding LATIN1"),
      hint: expect.stringContaining("--encoding=UTF8"),
    });
  });

  test("a ledger of a later version is left alone", async () => {
    const home = await createShop();
    const address = await server.createDatabase();
    await home.courier(`ledger use ${address}`);
    await server.query("UPDATE courier.version SET number = 99", databaseOf(address));
    await home.put({ shop: {} });
    const used = await home.json(`ledger use ${address}`);
    expect(used.exit).toBe(5);
    expect(errorOf(used).message).toContain("it has version 99");
    await home.importRows();
    expect(errorOf(await home.json(`ledger move ${address} --yes`)).message).toContain("it has version 99");
    expect(await home.ledgers()).toEqual({ shop: undefined });
    await server.query("UPDATE courier.version SET number = 1", databaseOf(address));
  });

  test("move copies everything; a second import of the same file sends nothing", async () => {
    const home = await createShop();
    await home.importRows();
    await home.importRows("", { env: { COURIER_ACCOUNT: "till" } });
    await home.courier("orders list --all"); // a listing
    await home.courier(["orders", "create", "--yes", "--account", "sandbox", "--sender-name", "A"]);
    const address = await server.createDatabase();
    const prompts = scriptedPrompts({ confirms: [true] });
    const moved = await home.courier(`ledger move ${address}`, { terminal: 200, prompts });
    expect(moved).toMatchObject({ exit: 0 });
    expect(prompts.asked[0]).toContain("which the accounts shop, till use from then on");
    expect(await home.ledgers()).toEqual({ shop: address, till: address });
    const posts = home.posts;
    expect(outcomes((await home.importRows()).report)).toBe("shipped shipped shipped");
    expect(home.posts).toBe(posts);
    // The next run goes on with the numbers, and new orders are recorded there.
    await home.put({ shop: { ledger: address } });
    await home.importFile(await putRows(home, row("B-1", "王五", "13700137001")), "", { env: noKey });
    expect(await home.status()).toMatchObject({ ledger: address, in_doubt: 0 });
    expect(await count(address, "operations")).toBe(4);
    expect(
      await server.query("SELECT 1 FROM courier.runs WHERE service = 'sandbox'", databaseOf(address)),
    ).toEqual([]);
  });

  test("the question of a move counts what is copied, without the sandbox's runs", async () => {
    const home = await createShop({ shop: {} });
    await home.importRows();
    const stdin = JSON.stringify(plainDraft);
    expect((await home.courier("orders create --file - --account sandbox", { stdin })).exit).toBe(0);
    const prompts = scriptedPrompts({ confirms: [false] });
    await home.courier(`ledger move ${await server.createDatabase()}`, { terminal: 100, prompts });
    expect(prompts.asked).toEqual([expect.stringContaining("(1 run, 3 operations)")]);
  });

  test("after a move the server knows how many rows there are, and need not read them all", async () => {
    const home = await createShop();
    await home.importRows();
    const address = await server.createDatabase();
    await home.json(`ledger move ${address} --yes`);
    const counted = await server.query(
      "SELECT reltuples AS n FROM pg_class WHERE oid = 'courier.operations'::regclass",
      databaseOf(address),
    );
    expect(Number(counted[0]?.n)).toBe(3);
  });

  test("after a move the file on this machine sends nothing, whatever the config says", async () => {
    const home = await createShop();
    await home.importRows();
    const address = await server.createDatabase();
    const { result } = await home.json(`ledger move ${address} --yes`);
    expect(result).toMatchObject({ ledger: address, runs: 1, operations: 3, accounts: ["shop"] });
    expect(new Ajv2020().compile(toJsonSchema("ledger-move") as object)(result)).toBe(true);
    await home.put({ shop: {} });
    const posts = home.posts;
    const again = await home.importFile(await putRows(home, ...rows, row("C-1")), "", { env: noKey });
    expect(again).toMatchObject({ exit: 5 });
    expect(errorOf(again)).toMatchObject({
      message: expect.stringContaining(`kept in a shared ledger now: ${address}`),
      hint: expect.stringContaining("courier ledger use"),
    });
    const byEnvironment = await home.run();
    expect(byEnvironment.exit).toBe(5);
    expect(home.posts).toBe(posts);
    // The sandbox, and what only reads, still work.
    expect((await home.courier("orders create --yes --account sandbox --sender-name A")).exit).not.toBe(5);
    expect((await home.courier("log")).exit).toBe(0);
    // The same address is known to have everything.
    expect((await home.json(`ledger use ${address}`)).exit).toBe(0);
  });

  test("use local goes back after a move, unless the shared ledger knows more", async () => {
    const home = await createShop({ shop: {} });
    await home.importRows();
    const address = await server.createDatabase();
    await home.json(`ledger move ${address} --yes`);
    expect((await home.json("ledger use local")).exit).toBe(0);
    expect(outcomes((await home.importRows()).report)).toBe("shipped shipped shipped");
    await home.importFile(await putRows(home, row("D-1")), "", { env: noKey });
    expect(errorOf(await home.json(`ledger use ${address}`)).message).toContain("does not know");
  });

  test("move is refused where the target has runs, and while rows are held elsewhere", async () => {
    const address = await server.createDatabase();
    const first = await createShop();
    await first.importRows();
    await first.json(`ledger move ${address} --yes`);
    const second = await createShop();
    await second.importRows();
    const refused = await second.json(`ledger move ${address} --yes`);
    expect(refused.exit).toBe(2);
    expect(errorOf(refused).message).toContain("has 1 run already");
    expect(outcomes((await second.importRows()).report)).toBe("shipped shipped shipped");

    await recordRun(second, ["ready"], { account: "shop", exit: undefined, process: elsewhere });
    const held = await second.json(`ledger move ${await server.createDatabase()} --yes`);
    expect(errorOf(held).message).toContain("holds 1 row, and may be running on other as process 7");
  });

  test("move settles what dead runs left, and goes on after it was killed before the switch", async () => {
    const home = await createShop();
    await home.importRows();
    await recordRun(home, ["ready", "sending"], { account: "shop", exit: undefined, process: killed() });
    const address = await server.createDatabase();
    expect((await home.json(`ledger move ${address} --yes`)).result).toMatchObject({
      runs: 2,
      operations: 5,
    });
    await home.put({ shop: {}, till: {} }); // as if it was killed before it wrote the config
    expect((await home.json(`ledger move ${address} --yes`)).result).toMatchObject({
      runs: 2,
      operations: 5,
    });
    expect(await home.ledgers()).toMatchObject({ shop: address });
    expect(await home.status()).toMatchObject({ in_doubt: 1 });
  });

  test.skipIf(!canMount())(
    "move copies nothing where the config file cannot be written, and works once it can (needs root)",
    async () => {
      const home = await createShop();
      const disk = await mountDisk("size=32k");
      const env = { COURIER_CONFIG_DIR: disk };
      await copyFile(configPath(home), path.join(disk, "config.json"));
      await home.importRows("", { env });
      const address = await server.createDatabase();
      const filler = path.join(disk, "filler");
      await writeFile(filler, Buffer.alloc(32_768)).catch(() => undefined);
      const full = await home.json(`ledger move ${address} --yes`, { env });
      expect(errorOf(full)).toMatchObject({
        message: `nothing was moved: cannot write the config file ${disk}/config.json: the disk is full`,
        hint: "make room, then run the same command again",
        exit: 5,
      });
      await rm(filler);
      execFileSync("mount", ["-o", "remount,ro", disk]);
      const readOnly = await home.json(`ledger move ${address} --yes`, { env });
      expect(errorOf(readOnly)).toMatchObject({
        message: expect.stringMatching(/^nothing was moved: .*its disk is read-only$/),
        hint: expect.stringContaining(`${disk} must be a directory that your user can write to`),
        exit: 2,
      });
      execFileSync("mount", ["-o", "remount,rw", disk]);
      expect(await count(address, "runs")).toBe(0);
      expect(
        await home.importFile(await putRows(home, row("C-1")), "", { env: { ...noKey, ...env } }),
      ).toMatchObject({
        exit: 0,
      });
      expect((await home.json(`ledger move ${address} --yes`, { env })).result).toMatchObject({
        operations: 4,
      });
    },
  );

  test.skipIf(!canMount())(
    "where only the config file could not be replaced, the error and status say so, and move finishes (needs root)",
    async () => {
      const home = await createShop();
      await home.importRows();
      const address = await server.createDatabase();
      const move = `ledger move ${address} --yes`;
      const release = holdFile(configPath(home));
      const failed = errorOf(await home.json(move));
      expect(failed).toMatchObject({
        code: "file",
        message: `the ledger was moved to ${address}, but no account uses it yet: cannot write the config file ${configPath(home)}: another program is using it, or it is mounted on its own`,
        hint: `when it can be written: courier ledger use ${address} --account shop`,
        exit: 5,
      });
      release();
      expect(await home.status()).toMatchObject({ shared: false, moved_to: address });
      const shown = await home.courier("ledger status", { terminal: 300 });
      expect(shown.stdout).toContain(`its orders moved to ${address}, so nothing is sent from here`);
      expect(shown.stdout).toContain(`courier ledger use ${address} --account shop`);
      expect((await home.importRows()).exit).toBe(5);
      // Another machine goes on meanwhile.
      const other = await createShop({ shop: { ledger: address } });
      await other.importFile(await putRows(other, row("E-1")), "", { env: noKey });

      const again = await home.courier(move);
      expect([again.exit, again.stderr]).toEqual([0, ""]);
      expect(again.stdout).toMatch(/^Moved before: 1 run with 3 operations is in /);
      expect(await home.ledgers()).toMatchObject({ shop: address });
      expect(await home.status()).toMatchObject({ shared: true, moved_to: null, operations: 4 });
      expect(outcomes((await home.importRows()).report)).toBe("shipped shipped shipped");
    },
  );

  test("with a key in the environment alone, move writes no config file, and status names the variable", async () => {
    const home = await createImportHome(sheet(...rows));
    await home.run();
    const address = await server.createDatabase();
    const moved = await home.courier(`ledger move ${address} --yes`);
    expect(moved).toMatchObject({ exit: 0, stderr: expect.stringContaining(`COURIER_LEDGER=${address}`) });
    expect(existsSync(configPath(home))).toBe(false);
    const { stdout } = await home.courier("ledger status", { terminal: 300 });
    expect(stdout).toContain(`Name that ledger: COURIER_LEDGER=${address}`);
    expect((await home.run()).exit).toBe(5);
  });

  test("a move elsewhere names where the ledger moved before", async () => {
    const home = await createShop({ shop: {} });
    await home.importRows();
    const address = await server.createDatabase();
    await home.json(`ledger move ${address} --yes`);
    await home.put({ shop: {} });
    const other = await server.createDatabase();
    expect(errorOf(await home.json(`ledger move ${other} --yes`))).toMatchObject({
      message: `this machine's ledger moved to ${address} before`,
      hint: `use that one: courier ledger use ${address}`,
      exit: 2,
    });
  });

  test("move keeps the local ledger in use where the server fails in the middle", async () => {
    const home = await createShop();
    await home.importRows();
    const address = await server.createDatabase();
    await home.json("ledger status", { env: { COURIER_LEDGER: address } }); // makes the tables
    await server.query(
      `CREATE FUNCTION courier.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.state := 'created?'; RETURN NEW; END $$;
       CREATE TRIGGER fail BEFORE INSERT ON courier.operations FOR EACH ROW EXECUTE FUNCTION courier.fail()`,
      databaseOf(address),
    );
    const ran = await home.json(`ledger move ${address} --yes`);
    expect(ran.exit).toBe(5);
    expect(errorOf(ran).message).toContain("operations did not come back");
    expect(await count(address, "runs")).toBe(0);
    expect(outcomes((await home.importRows()).report)).toBe("shipped shipped shipped");
  });

  test("where nobody can tell whether a move was committed, nothing is sent until it is run again", async () => {
    const home = await createShop();
    await home.importRows();
    const way = await breakAtCommit(await server.createDatabase(), "json_populate_recordset");
    const move = `ledger move ${way.address} --yes`;
    const lost = await home.json(move);
    expect([lost.exit, way.isWhole]).toEqual([5, false]);
    expect(errorOf(lost).hint).toContain("sends nothing until then");

    const posts = home.posts;
    const ran = await home.courier(
      "orders create --sender-name A --receiver-name B --item-name C --no-input",
    );
    expect([ran.exit, ran.stderr]).toEqual([5, expect.stringContaining("kept in a shared ledger now")]);
    expect(home.posts).toBe(posts);

    expect((await home.json(move)).result).toMatchObject({ operations: 3, accounts: ["shop"] });
    expect(outcomes((await home.importRows()).report)).toBe("shipped shipped shipped");
    expect(home.posts).toBe(posts);
  });

  test("forget deletes the details in the shared ledger and in the file that was moved", async () => {
    const home = await createShop({ shop: {} });
    await home.importRows();
    await recordRun(home, ["unknown"], { account: "shop", exit: 6 });
    const address = await server.createDatabase();
    await home.json(`ledger move ${address} --yes`);
    const ran = await home.json("ledger forget --yes --confirm shop");
    expect(ran.result).toMatchObject({ account: "shop", ledger: address, runs: 2, details_kept: 1 });
    const shared = () =>
      server.query("SELECT draft FROM courier.operations WHERE draft IS NOT NULL", databaseOf(address));
    expect(await shared()).toHaveLength(1);
    expect((await home.json("ledger forget --yes --confirm shop --force")).result).toMatchObject({
      details_kept: 0,
    });
    expect(await shared()).toHaveLength(0);
    const file = await openLedgerFile(home.stateDir);
    expect(file.sql("SELECT count(*) AS n FROM operations WHERE draft IS NOT NULL").get()).toEqual({ n: 0 });
    file.close();
    expect(outcomes((await home.importRows()).report)).toBe("shipped shipped shipped");
  });

  test.each(["logout --account shop", "accounts remove shop --yes"])(
    "%s leaves the shared ledger alone, and names the command that deletes there",
    async (words) => {
      const home = await createShop();
      const address = await server.createDatabase();
      await home.courier(`ledger use ${address}`);
      await home.importRows();
      const ran = await home.courier(words);
      expect(ran.exit).toBe(0);
      const hint = /COURIER_LEDGER=(\S+) courier (ledger forget --account shop)/.exec(ran.stderr);
      expect(hint?.[1]?.replaceAll("'", "")).toBe(address);
      const shared = () =>
        server.query("SELECT draft FROM courier.operations WHERE draft IS NOT NULL", databaseOf(address));
      expect(await shared()).toHaveLength(3);
      const env = { COURIER_LEDGER: address };
      expect((await home.json(`${hint?.[2]} --yes --confirm shop`, { env })).exit).toBe(0);
      expect(await shared()).toHaveLength(0);
    },
  );

  test("a logout after a move deletes the details of the file on this machine", async () => {
    const home = await createShop({ shop: {} });
    await home.importRows();
    const address = await server.createDatabase();
    await home.json(`ledger move ${address} --yes`);
    await server.stop("fast");
    try {
      const { result } = await home.json("logout");
      expect(result).toMatchObject({ details_deleted: true, details_kept: 0 });
      const drafts = await withLedger(home, (ledger) => ledger.listOperations(1));
      expect(drafts.map(({ draft }) => draft)).toEqual([undefined, undefined, undefined]);
    } finally {
      await server.start();
    }
    expect(await count(address, "operations WHERE draft IS NOT NULL")).toBe(3);
  });

  test("a run that began before a move can record nothing more, and is told where the orders are", async () => {
    const home = await createShop({ shop: {} });
    await home.importRows();
    const address = await server.createDatabase();
    await recordRun(home, [], { account: "shop", exit: undefined, process: elsewhere });
    expect((await home.json(`ledger move ${address} --yes`)).exit).toBe(0);
    await withLedger(home, async (ledger) => {
      const run = await ledger.findRun(2);
      if (!run) throw new Error("no run");
      const create = {
        content: "x",
        draft: undefined,
        windowMs: 0,
        isDuplicateAllowed: true,
        accepted: new Set<string>(),
      };
      await expect(ledger.beginCreate(run, create, 0)).rejects.toMatchObject({ code: "database", exit: 5 });
      await expect(ledger.beginCancel(run, "1000001", 0)).rejects.toThrow(address);
    });
  });

  test("a ledger that is away is left only with --new", async () => {
    const home = await createShop({ shop: { ledger: "postgres://shop@127.0.0.1:1/orders" } });
    const stays = await home.json("ledger use local");
    expect(stays.exit).toBe(5);
    expect(errorOf(stays).hint).toContain("--new");
    const left = await home.json("ledger use local --new --yes");
    expect(left.exit).toBe(0);
    expect(left.stderr).toContain("what was sent there is not known");
    expect(await home.ledgers()).toEqual({ shop: undefined });
  });

  test("two homes that share a ledger send an order once", async () => {
    const address = await server.createDatabase();
    const first = await createShop();
    await first.courier(`ledger use ${address}`);
    await first.importRows();
    const second = await createImportHome(sheet(...rows));
    const { baseUrl, apiKey } = first.sandbox;
    await putConfig(second, { current: "shop", accounts: { shop: { base_url: baseUrl, key: apiKey } } });
    const env = noKey;
    expect((await second.courier(`ledger use ${address}`, { env })).exit).toBe(0);
    const again = await second.run("", { env });
    expect(outcomes(again.report)).toBe("shipped shipped shipped");
    expect(first.posts).toBe(3);
  });
});

/** A process of another machine. */
const elsewhere = { pid: 7, started: "1", place: "other - -" };

async function putRows(home: { put: never } | object, ...content: readonly string[]): Promise<string> {
  const { directory } = home as { directory: string };
  const file = `${directory}/other.csv`;
  await writeFile(file, sheet(...content));
  return file;
}

function killed() {
  return { ...identifyProcess({ pid: deadPid() }), started: "1" };
}
