/** What `ledger use` compares: all ledgers that may have orders of the account's customer, whichever key sent them. */

import path from "node:path";
import { describe, expect, test } from "vitest";
import { putShop } from "../support/config-file.ts";
import { createServedHome } from "../support/courier.ts";
import { createTwoCustomers, firstKey, rotatedKey, secondKey } from "../support/customers.ts";
import { plainDraft } from "../support/orders.ts";
import { postgresPrograms, servePostgres } from "../support/postgres.ts";
import { createRenewedHome, renewedKey, firstKey as unnamedKey } from "../support/renewed-service.ts";

const noKey = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
const order = (name: string) => JSON.stringify({ ...plainDraft, item: { ...plainDraft.item, name } });
const lacks = (runs: string) => [2, expect.stringContaining(`does not know ${runs}`)];

describe.skipIf(!postgresPrograms)("with PostgreSQL", () => {
  const server = servePostgres();

  /** A home with the account shop. */
  async function createShop() {
    const home = await createServedHome();
    const { baseUrl, apiKey } = home.sandbox;
    await putShop(home, home.sandbox);
    const use = async (words: string) => {
      const { exit, stderr } = await home.courier(`ledger use ${words}`, { env: noKey });
      return [exit, stderr];
    };
    const send = async (ref: string, env: Record<string, string> = {}) => {
      const words = `orders create --file - --json --ref ${ref}`;
      const ran = await home.courier(words, { env: { ...noKey, ...env }, stdin: order(`茶${ref}`) });
      expect(ran.exit, ran.stderr).toBe(0);
    };
    /** With the key in the environment, and without a stored account. */
    const sendAsJob = (ref: string, address: string) => {
      const env = { COURIER_API_KEY: apiKey, COURIER_BASE_URL: baseUrl, COURIER_LEDGER: address };
      return send(ref, { ...env, COURIER_CONFIG_DIR: path.join(home.directory, "job") });
    };
    return { home, use, send, sendAsJob };
  }

  test.each([
    ["a job's ledger", false, "1 run"],
    ["another ledger than a job", true, "2 runs"],
  ])("use of %s stops for what this machine's ledger knows", async (_which, isOther, runs) => {
    const { use, send, sendAsJob } = await createShop();
    const [jobs, other] = [await server.createDatabase(), await server.createDatabase()];
    await send("R-1");
    await sendAsJob("R-2", jobs);
    const next = isOther ? other : jobs;
    expect(await use(next)).toEqual(lacks(runs));
    expect(await use(`${next} --new --yes`)).toEqual([0, expect.anything()]);
  });

  test("use local stops for what a job's ledger knows, while the account keeps another", async () => {
    const { use, send, sendAsJob } = await createShop();
    const [own, jobs] = [await server.createDatabase(), await server.createDatabase()];
    expect(await use(own)).toEqual([0, ""]);
    await sendAsJob("R-1", jobs);
    expect(await use("local")).toEqual(lacks("1 run"));
    await sendAsJob("R-2", jobs);
    expect(await use("local")).toEqual(lacks("2 runs"));
    expect((await use("local --new --yes"))[0]).toBe(0);
    await send("R-3");
  });

  /** One ledger has each customer's order of the first station; the second station has sent nothing. */
  async function createStations(keys: Record<string, string>) {
    const home = await createTwoCustomers();
    const at = (station: string, words: string, stdin = "", env = {}) => {
      const directory = path.join(home.directory, station);
      const COURIER_CONFIG_DIR = path.join(directory, "config");
      const COURIER_STATE_DIR = path.join(directory, "state");
      return home.courier(words, { env: { ...noKey, COURIER_CONFIG_DIR, COURIER_STATE_DIR, ...env }, stdin });
    };
    const login = async (station: string, account: string, key: string, words = "") => {
      const to = `--account ${account} --base-url ${home.baseUrl} --allow-http`;
      expect((await at(station, `login ${to} ${words}`, key)).exit).toBe(0);
    };
    const send = async (station: string, ref: string, account: string) => {
      const words = `orders create --file - --json --ref ${ref} --account ${account}`;
      const ran = await at(station, words, order(`茶${ref}`));
      expect(ran.exit, ran.stderr).toBe(0);
    };
    const use = async (station: string, words: string, env = {}) => {
      const { exit, stderr } = await at(station, `ledger use ${words}`, "", env);
      return [exit, stderr];
    };
    for (const [account, key] of Object.entries(keys)) await login("one", account, key);
    return { home, at, login, send, use };
  }

  test("use stops for what this machine's ledger knows by another key of the customer", async () => {
    const { login, send, use } = await createStations({ till: firstKey });
    await send("one", "R-1", "till");
    await login("one", "shop", rotatedKey, "--no-verify");
    const refused = await use("one", `${await server.createDatabase()} --account shop`);
    expect(refused).toEqual(lacks("1 run of the account till"));
  });

  test("use local stops for what the shared ledger knows by another key of the customer", async () => {
    const address = await server.createDatabase();
    const { login, send, use } = await createStations({ shop: firstKey });
    await login("two", "shop", rotatedKey, "--no-verify");
    for (const station of ["one", "two"]) expect(await use(station, address)).toEqual([0, ""]);
    await send("one", "R-1", "shop");
    expect(await use("two", "local")).toEqual(lacks("1 run"));
  });

  test("use stops for the orders of the account, too, where the environment has another customer's key", async () => {
    const { home, send, use } = await createStations({ shop: firstKey });
    await send("one", "R-1", "shop");
    const address = await server.createDatabase();
    const env = { COURIER_API_KEY: secondKey, COURIER_BASE_URL: home.baseUrl };
    expect(await use("one", address, env)).toEqual(lacks("1 run"));
    const used = await use("one", `${address} --new --yes`, env);
    expect(used).toEqual([0, expect.stringContaining("may not be that of the account shop")]);
  });

  test("another customer's orders, on this machine or in the shared ledger, stop no account", async () => {
    const address = await server.createDatabase();
    const { at, login, send, use } = await createStations({ shop: firstKey, till: secondKey });
    await send("one", "R-1", "shop");
    expect(await use("one", `${address} --account till`)).toEqual([0, ""]);
    await send("one", "R-1", "till");
    // The first customer goes over without its run, and back.
    expect((await use("one", `${address} --account shop --new --yes`))[0]).toBe(0);
    for (const [account, key] of [
      ["shop", rotatedKey],
      ["till", secondKey],
    ] as const)
      await login("two", account, key);
    expect((await use("two", `${address} --account shop`))[0]).toBe(0);
    const back = "local --account shop";
    for (const station of ["one", "two"])
      expect(await use(station, back)).toEqual([0, expect.stringContaining("do not know of each other")]);
    expect((await at("two", `orders create --file - --ref R-2 --account shop`, order("茶"))).exit).toBe(0);
  });

  test("the keys of a customer whose profile the service never shows count as one", async () => {
    const { home, login } = await createRenewedHome();
    await login(unnamedKey, "--no-verify --account shop");
    await login(renewedKey, "--no-verify --account till");
    const create = "orders create --file - --json --ref R-1 --account shop";
    expect((await home.courier(create, { env: noKey, stdin: order("茶") })).exit).toBe(0);
    const words = `ledger use ${await server.createDatabase()} --account till`;
    const { exit, stderr } = await home.courier(words, { env: noKey });
    expect([exit, stderr]).toEqual(lacks("1 run of the account shop"));
  });
});
