/** A customer whose orders are in a shared ledger: the file on this machine sends nothing for them. */

import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createConnections } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLedgerFile } from "../../src/ledger/ledger.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { changeMarks } from "../../src/ledger/moved.ts";
import { putConfig, putShop } from "../support/config-file.ts";
import { createHome, createServedHome, type Home } from "../support/courier.ts";
import { createTwoCustomers, firstKey as customersKey, secondKey } from "../support/customers.ts";
import { errorOf, row, sheet, withLedger } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { postgresPrograms, servePostgres } from "../support/postgres.ts";
import { createRenewedHome, firstKey, renewedKey } from "../support/renewed-service.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const noKey = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

/** A home with the account shop, and a counter of the orders that the service was sent. */
async function createShop() {
  const home = await createServedHome();
  await putShop(home, home.sandbox);
  return {
    ...home,
    courier: (words: string | readonly string[], env: Record<string, string> = noKey, stdin?: string) =>
      home.courier(words, { env, ...(stdin === undefined ? {} : { stdin }) }),
    /** One order, with a ref. */
    async send(words: string, env: Record<string, string> = noKey, receiver = "李四") {
      const file = path.join(home.directory, "order.json");
      const order = {
        sender: { name: "张三", phone: "13800138000", city: "北京市", detail: "建国路1号" },
        receiver: { name: receiver, phone: "13900139001", city: "上海市", detail: "人民路1号" },
        item: { name: "茶叶", quantity: 1 },
      };
      await writeFile(file, JSON.stringify(order));
      return home.courier(`orders create --file ${file} ${words} --json`, { env });
    },
    posts: () => home.sandbox.requests.filter(({ method }) => method === "POST").length,
  };
}

describe.skipIf(!postgresPrograms)("with PostgreSQL", () => {
  const server = servePostgres();

  test("a `ledger use local` that fails leaves the moved file without a right to send", async () => {
    const home = await createShop();
    const address = await server.createDatabase();
    expect((await home.send("--ref R-1")).exit).toBe(0);
    expect((await home.courier(`ledger move ${address} --yes`)).exit).toBe(0);
    const lock = path.join(home.configDir, "config.lock.db");
    await rm(lock, { force: true });
    await mkdir(lock); // the config file cannot be written
    expect((await home.courier("ledger use local")).exit).not.toBe(0);
    await rm(lock, { recursive: true });
    expect((await home.send("--ref R-2", noKey, "王五")).exit).toBe(0);
    // A job with the key in the environment would use the file.
    const job = await home.send(
      "--ref R-2",
      {
        COURIER_CONFIG_DIR: path.join(home.directory, "other"),
        COURIER_API_KEY: home.sandbox.apiKey,
        COURIER_BASE_URL: home.sandbox.baseUrl,
      },
      "王五",
    );
    expect([job.exit, home.posts()], job.stderr).toEqual([5, 2]);
    expect((await home.courier("ledger use local --new --yes")).exit).toBe(0);
    expect((await home.send("--ref R-3", noKey, "赵六")).exit).toBe(0);
  });

  test("an account that is removed and logged in again sends nothing before it names the shared ledger", async () => {
    const home = await createShop();
    const address = await server.createDatabase();
    expect((await home.courier(`ledger use ${address}`)).exit).toBe(0);
    expect((await home.send("--ref R-1")).exit).toBe(0);
    expect((await home.courier("accounts remove shop --yes")).exit).toBe(0);
    const login = `login --account shop --base-url ${home.sandbox.baseUrl}`;
    expect((await home.courier(login, noKey, home.sandbox.apiKey)).exit).toBe(0);
    const second = await home.send("--ref R-1 --account shop");
    expect([second.exit, home.posts()]).toEqual([5, 1]);
    const hint = /courier (ledger use \S+ --account shop)/.exec(second.stderr)?.[1];
    expect((await home.courier(hint ?? "")).exit).toBe(0);
    const third = await home.send("--ref R-1 --account shop");
    expect([third.exit, home.posts()], third.stderr).toEqual([0, 1]);
  });

  test("a customer's other account sends nothing before it uses the ledger, too, or both go back", async () => {
    const home = await createShop();
    const { baseUrl, apiKey } = home.sandbox;
    const stored = { base_url: baseUrl, key: apiKey };
    await putConfig(home, { current: "shop", accounts: { shop: stored, till: stored } });
    expect((await home.courier("orders list --account till")).exit).toBe(0);
    expect((await home.send("--ref R-0 --account till", noKey, "王五")).exit).toBe(0);
    const address = await server.createDatabase();
    const used = await home.courier(`ledger use ${address} --account shop --new --yes`);
    expect(used.exit, used.stderr).toBe(0);
    const hint = `courier ledger use ${address} --account till`;
    expect(used.stderr).toContain(hint);
    expect((await home.send("--ref R-1 --account shop")).exit).toBe(0);
    const refused = await home.send("--ref R-1 --account till");
    expect([refused.exit, home.posts()]).toEqual([5, 2]);
    expect(JSON.parse(refused.stderr).error.hint).toContain(hint);
    expect((await home.courier("ledger use local --account shop --new --yes")).exit).toBe(0);
    expect((await home.send("--ref R-0 --account till", noKey, "王五")).exit).toBe(0);
    expect(home.posts()).toBe(2);
  });

  test("two accounts whose addresses name one database in two ways: the hint gives them one address", async () => {
    const home = await createShop();
    const { baseUrl, apiKey } = home.sandbox;
    const stored = { base_url: baseUrl, key: apiKey };
    await putConfig(home, { current: "shop", accounts: { shop: stored, till: stored } });
    const address = await server.createDatabase();
    const pooler = createConnections((socket) => {
      const to = connect(server.port, "127.0.0.1");
      for (const each of [socket, to]) each.on("error", () => {});
      socket.pipe(to).pipe(socket);
    });
    await new Promise<void>((resolve) => pooler.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void pooler.close());
    const other = address.replace(`:${server.port}/`, `:${(pooler.address() as AddressInfo).port}/`);
    expect((await home.courier(`ledger use ${address} --account shop`)).exit).toBe(0);
    expect((await home.courier(`ledger use ${other} --account till`)).exit).toBe(0);
    expect((await home.send("--ref R-1 --account till")).exit).toBe(0);
    const refused = await home.send("--ref R-2 --account shop", noKey, "王五");
    expect(refused.exit).toBe(5);
    const [, hint = ""] = /courier (ledger use \S+ --account shop)/.exec(refused.stderr) ?? [];
    expect((await home.courier(hint)).exit).toBe(0);
    expect((await home.send("--ref R-2 --account shop", noKey, "王五")).exit).toBe(0);
    expect((await home.send("--ref R-3 --account till", noKey, "赵六")).exit).toBe(0);
    expect(home.posts()).toBe(3);
  });

  test.each([
    ["the other account", "till", "shop"],
    ["the account itself", "shop", "till"],
  ])(
    "an account that goes back while another of its customer stays: nothing is sent twice after %s has sent",
    async (_which, first, second) => {
      const home = await createShop();
      const stored = { base_url: home.sandbox.baseUrl, key: home.sandbox.apiKey };
      await putConfig(home, { current: "shop", accounts: { shop: stored, till: stored } });
      const address = await server.createDatabase();
      for (const name of ["shop", "till"])
        expect((await home.courier(`ledger use ${address} --account ${name}`)).exit).toBe(0);
      const back = await home.courier("ledger use local --account shop");
      expect([back.exit, back.stderr]).toEqual([
        0,
        expect.stringContaining("courier ledger use local --account till"),
      ]);
      expect((await home.send(`--ref R-1 --account ${first}`)).exit).toBe(0);
      const refused = await home.send(`--ref R-1 --account ${second}`);
      expect([refused.exit, home.posts()], refused.stderr).toEqual([5, 1]);
    },
  );

  test("status of an account names no ledger that only a former customer's orders are in", async () => {
    const home = await createTwoCustomers();
    const address = await server.createDatabase();
    const at = async (words: string, stdin = "") => {
      const ran = await home.courier(`${words} --account shop`, { env: noKey, stdin });
      expect(ran.exit, ran.stderr).toBe(0);
      return ran.stdout;
    };
    const login = (key: string) => at(`login --base-url ${home.baseUrl} --allow-http`, key);
    const moved = `its orders moved to ${address}, so nothing is sent from here`;
    await login(customersKey);
    await at(`ledger use ${address}`);
    expect((await home.courier("accounts remove shop --yes", { env: noKey })).exit).toBe(0);
    await login(customersKey);
    expect(await at("ledger status")).toContain(moved);
    await login(secondKey);
    await at("orders create --file - --json", JSON.stringify(plainDraft));
    expect(await at("ledger status")).not.toContain(moved);
  });

  test("a move elsewhere leaves an account alone whose customer's orders another shared ledger has", async () => {
    const home = await createShop();
    const { baseUrl, apiKey } = home.sandbox;
    const stored = { base_url: baseUrl, key: apiKey };
    const [address, other] = [await server.createDatabase(), await server.createDatabase()];
    expect((await home.courier(`ledger use ${address}`)).exit).toBe(0);
    expect((await home.send("--ref R-1")).exit).toBe(0);
    const next = await createServedHome({ apiKey: "next-key-0123456789" });
    await putConfig(home, {
      current: "shop",
      accounts: { shop: stored, next: { base_url: next.sandbox.baseUrl, key: next.sandbox.apiKey } },
    });
    expect((await home.send("--ref R-1 --account next")).exit).toBe(0);
    const moved = await home.courier(`ledger move ${other} --yes --json`);
    expect(JSON.parse(moved.stdout)).toMatchObject({ accounts: ["next"], operations: 1 });
    const refused = await home.send("--ref R-1");
    expect([refused.exit, home.posts()]).toEqual([5, 1]);
    expect(refused.stderr).toContain(`courier ledger use ${address} --account shop`);
  });

  test("the question of a move leaves out what the file has of a customer that another ledger has", async () => {
    const home = await createTwoCustomers();
    const at = async (words: string, stdin = "") => {
      const ran = await home.courier(words, { env: noKey, stdin });
      expect(ran.exit, ran.stderr).toBe(0);
    };
    for (const [account, key] of [
      ["shop", customersKey],
      ["till", secondKey],
    ] as const) {
      await at(`login --account ${account} --base-url ${home.baseUrl} --allow-http`, key);
      await at(`orders create --file - --json --ref R-1 --account ${account}`, JSON.stringify(plainDraft));
    }
    await at(`ledger use ${await server.createDatabase()} --account shop --new --yes`);
    const prompts = scriptedPrompts({ confirms: [true] });
    const words = `ledger move ${await server.createDatabase()}`;
    const moved = await home.courier(words, { env: noKey, terminal: 100, prompts });
    expect(moved.stdout, moved.stderr).toContain("1 run with 1 operation");
    expect(prompts.asked).toEqual([expect.stringContaining("(1 run, 1 operation)")]);
  });

  test("a mirror stays the account's where the ledger used next has another customer of its number", async () => {
    const { home, courier, login, importRows } = await createRenewedHome();
    const address = await server.createDatabase();
    const other = await createShop();
    expect((await other.send("--ref X-1", { COURIER_LEDGER: address })).exit).toBe(0);
    await login(firstKey, "--no-verify --account shop");
    const row = "R-1,张三,13800138000,李四,13900139000,北京市,建国路88号,茶叶,1.50,1";
    expect((await importRows([row])).exit).toBe(0);
    expect((await courier("sync")).exit).toBe(0);
    home.service.ways = { ...home.service.ways, omitFromList: () => true };
    expect((await courier(`ledger use ${address} --new --yes`)).exit).toBe(0);
    const found = await courier("find 13900139000 --json");
    expect([found.exit, JSON.parse(found.stdout), found.stderr]).toEqual([
      0,
      [expect.objectContaining({ ref: "R-1" })],
      expect.not.stringContaining("another customer's key"),
    ]);
  });

  test("find does not say that the ledger is silent where it waits for the service", async () => {
    const home = await createHome();
    const slow = createServer((request) => {
      home.clock.advance(2_500);
      request.socket.destroy();
    });
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void slow.close());
    const base_url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const ledger = await server.createDatabase();
    const shop = { base_url, key: "some-key-0123456789", allow_http: true, ledger };
    await putConfig(home, { current: "shop", accounts: { shop } });
    const found = await home.courier("find 李", { env: noKey });
    expect([found.exit, found.stderr]).toEqual([
      0,
      expect.stringContaining("The shared ledger or the service does not answer: "),
    ]);
  });

  test("a use whose config file cannot be written leaves the ledger on this machine as it was", async () => {
    const home = await createShop();
    expect((await home.send("--ref R-1")).exit).toBe(0);
    const lock = path.join(home.configDir, "config.lock.db");
    await rm(lock, { force: true });
    await mkdir(lock);
    const address = await server.createDatabase();
    expect((await home.courier(`ledger use ${address} --new --yes`)).exit).not.toBe(0);
    await rm(lock, { recursive: true });
    expect((await home.send("--ref R-2", noKey, "王五")).exit).toBe(0);
  });

  describe("a use while the program that prints the account's key fails", () => {
    /** The account till has sent an order, and has a key of the same customer. */
    async function createLocked(refs: readonly string[]) {
      const home = await createShop();
      const { baseUrl, apiKey } = home.sandbox;
      const program = path.join(home.directory, "key.sh");
      const printKey = () => writeFile(program, `echo ${apiKey}`);
      const stored = { base_url: baseUrl };
      const accounts = {
        shop: { ...stored, key_command: `sh ${program}` },
        till: { ...stored, key: apiKey },
      };
      await putConfig(home, { current: "shop", accounts });
      await printKey();
      expect((await home.send("--ref R-0 --account till", noKey, "王五")).exit).toBe(0);
      for (const ref of refs) expect((await home.send(`--ref ${ref}`, noKey, "赵六")).exit).toBe(0);
      await writeFile(program, "echo locked >&2; exit 1");
      return { ...home, printKey };
    }

    test("sends nothing from here for the customers that the account has had", async () => {
      const home = await createLocked(["R-1"]);
      const address = await server.createDatabase();
      const used = await home.courier(`ledger use ${address} --new --yes`);
      expect(used.exit, used.stderr).toBe(0);
      expect(used.stderr).toContain("sends nothing for any customer that the account shop has had");
      const hint = `courier ledger use ${address} --account till`;
      expect(used.stderr).toContain(hint);
      await home.printKey();
      expect((await home.send("--ref R-2")).exit).toBe(0);
      const refused = await home.send("--ref R-2 --account till");
      expect([refused.exit, home.posts()]).toEqual([5, 3]);
      expect(JSON.parse(refused.stderr).error.hint).toContain(hint);
    });

    test("does not go back to this machine's ledger", async () => {
      const home = await createLocked(["R-1"]);
      const address = await server.createDatabase();
      expect((await home.courier(`ledger use ${address} --new --yes`)).exit).toBe(0);
      const unread = await home.courier("ledger use local --new --yes");
      expect([unread.exit, unread.stderr]).toEqual([4, expect.stringContaining("nothing was changed: ")]);
      await home.printKey();
      expect((await home.send("--ref R-1", noKey, "赵六")).exit).toBe(0); // in the database
      expect((await home.courier("ledger use local")).exit).toBe(2);
      expect((await home.courier("ledger use local --new --yes")).exit).toBe(0);
      expect((await home.send("--ref R-2")).exit).toBe(0);
    });

    test("changes nothing where no customer of the account is known", async () => {
      const home = await createLocked([]);
      const address = await server.createDatabase();
      const used = await home.courier(`ledger use ${address} --new --yes`);
      expect(used.exit, used.stderr).toBe(4);
      expect(used.stderr).toMatch(/whose orders the account shop sends, and nothing was changed: .*locked/);
      expect(used.stderr).toContain("then run the same command again");
      const made = "SELECT nspname FROM pg_namespace WHERE nspname = 'courier'";
      expect(await server.query(made, new URL(address).pathname.slice(1))).toEqual([]);
      await home.printKey();
      expect((await home.send("--ref R-2")).exit).toBe(0);
      const again = await home.send("--ref R-2 --account till");
      expect([again.exit, home.posts()], again.stderr).toEqual([0, 2]);
    });
  });

  test.each([
    ["in another account", "till"],
    ["in the account, which was removed and logged in again", "shop"],
  ])(
    "a renewed key whose customer the service does not show sends nothing from the file: %s",
    async (_where, next) => {
      const { courier, login, sent } = await createRenewedHome();
      await login(firstKey, "--no-verify --account shop");
      const address = await server.createDatabase();
      expect((await courier(`ledger use ${address} --account shop`)).exit).toBe(0);
      const send = (account: string, ref = "R-1", item = "茶叶") => {
        const order = { ...plainDraft, item: { ...plainDraft.item, name: item } };
        const words = `orders create --file - --json --ref ${ref} --account ${account}`;
        return courier(words, JSON.stringify(order));
      };
      expect((await send("shop")).exit).toBe(0);
      if (next === "shop") expect((await courier("accounts remove shop --yes")).exit).toBe(0);
      await login(renewedKey, `--no-verify --account ${next}`);
      for (const turn of [1, 2]) {
        const refused = await send(next);
        expect([turn, refused.exit, sent()], refused.stderr).toEqual([turn, 5, 1]);
        expect(errorOf(refused).hint).toBe(
          `name it: courier ledger use ${address} --account ${next}; back to this machine's own: courier ledger use local --account ${next}`,
        );
      }
      expect((await courier(`ledger use ${address} --account ${next}`)).exit).toBe(0);
      expect([(await send(next)).exit, sent()]).toEqual([0, 1]);
      expect([(await send(next, "R-2", "绿茶")).exit, sent()]).toEqual([0, 2]);
    },
  );

  test("use local goes back with a renewed key where the service never shows a profile", async () => {
    const { courier, login, sent } = await createRenewedHome();
    const address = await server.createDatabase();
    const send = (ref: string) => {
      const order = { ...plainDraft, item: { ...plainDraft.item, name: `茶${ref}` } };
      return courier(`orders create --file - --json --ref ${ref}`, JSON.stringify(order));
    };
    await login(firstKey, "--no-verify --account shop");
    expect((await courier(`ledger use ${address}`)).exit).toBe(0);
    expect((await send("R-1")).exit).toBe(0);
    await login(renewedKey, "--no-verify --account shop");
    expect((await send("R-2")).exit).toBe(0);
    const lacks = await courier("ledger use local");
    expect([lacks.exit, lacks.stderr]).toEqual([2, expect.stringContaining("does not know 2 runs")]);
    expect((await courier("ledger use local --new --yes")).exit).toBe(0);
    const third = await send("R-3");
    expect([third.exit, sent()], third.stderr).toEqual([0, 3]);
  });

  test("a hint names use local again once another account has stopped the file for such a key", async () => {
    const { courier, login, sent } = await createRenewedHome();
    const address = await server.createDatabase();
    const send = (account: string, ref: string) => {
      const order = { ...plainDraft, item: { ...plainDraft.item, name: `茶${ref}` } };
      return courier(
        `orders create --file - --json --ref ${ref} --account ${account}`,
        JSON.stringify(order),
      );
    };
    for (const [account, key] of Object.entries({ shop: firstKey, till: "another-key-0123456789" })) {
      await login(key, `--no-verify --account ${account}`);
      expect((await courier(`ledger use ${address} --account ${account}`)).exit).toBe(0);
      expect((await send(account, account)).exit).toBe(0);
    }
    await login(renewedKey, "--no-verify --account shop");
    const back = "ledger use local --account shop";
    const gone = await courier(`${back} --new --yes`);
    expect([gone.exit, gone.stderr]).toEqual([
      0,
      expect.stringContaining("till may be of the same customer"),
    ]);
    expect((await send("till", "T-2")).exit).toBe(0);
    const refused = await send("shop", "R-2");
    expect([refused.exit, sent()]).toEqual([5, 3]);
    expect(JSON.parse(refused.stderr).error.hint).toContain(`back to this machine's own: courier ${back}`);
    expect((await courier(`${back} --new --yes`)).exit).toBe(0);
    expect([(await send("shop", "R-2")).exit, sent()]).toEqual([0, 4]);
  });

  describe("COURIER_LEDGER", () => {
    /** The hint of a refusal: the command after these words. */
    const hintOf = ({ stderr }: { readonly stderr: string }, before: string) =>
      new RegExp(`${before}: courier ([^;,]+)`).exec(JSON.parse(stderr).error.hint)?.[1] ?? "";
    const back = "back to this machine's own";

    test.each([
      ["orders create", "create --ref R-1"],
      ["orders import", "import"],
      ["api POST orders", "api"],
    ])("once set, keeps the file from sending for the customer: %s", async (_name, way) => {
      const home = await createShop();
      const shared = { ...noKey, COURIER_LEDGER: await server.createDatabase() };
      const file = path.join(home.directory, "orders.csv");
      const header =
        "ref,sender.name,sender.phone,sender.city,sender.detail,receiver.name,receiver.phone,receiver.city,receiver.detail,item.name";
      const row = "R-1,张三,13800138000,北京市,建国路1号,李四,13900139001,上海市,人民路1号,茶叶";
      await writeFile(file, `${header}\n${row}\n`);
      const send = (env: Record<string, string>) =>
        way === "import"
          ? home.courier(`orders import ${file} --yes --json`, env)
          : way === "api"
            ? home.courier("api POST orders --yes --input -", env, JSON.stringify(plainDraft))
            : home.send("--ref R-1", env);
      const first = await send(shared);
      expect([first.exit, home.posts()], first.stderr).toEqual([0, 1]);
      const second = await send(noKey);
      expect([second.exit, home.posts()], second.stderr).toEqual([5, 1]);
      expect(second.stderr).toContain("its orders are kept in a shared ledger now");
      expect((await home.send("--ref R-2 --account sandbox")).exit).toBe(0);
    });

    test("is left by what the refusal says, with a stored account", async () => {
      const home = await createShop();
      const address = await server.createDatabase();
      expect((await home.send("--ref R-1", { ...noKey, COURIER_LEDGER: address })).exit).toBe(0);
      const refused = await home.send("--ref R-1");
      const use = await home.courier(hintOf(refused, "name it"));
      expect(use.exit, use.stderr).toBe(0);
      expect((await home.send("--ref R-1")).exit).toBe(0);
      expect(home.posts()).toBe(1);
      expect(hintOf(refused, back)).toBe("ledger use local --account shop");
      const lacks = await home.courier(hintOf(refused, back));
      expect([lacks.exit, lacks.stderr]).toEqual([2, expect.stringContaining("does not know 1 run")]);
      expect((await home.courier(`${hintOf(refused, back)} --new --yes`)).exit).toBe(0);
      const own = await home.send("--ref R-2", noKey, "王五");
      expect([own.exit, home.posts()], own.stderr).toEqual([0, 2]);
    });

    test("is left by what the refusal says, with a key in the environment alone", async () => {
      const home = await createShop();
      await putConfig(home, {});
      const address = await server.createDatabase();
      const others = await createServedHome({ apiKey: "next-key-0123456789" });
      const { apiKey, baseUrl } = others.sandbox;
      const other = { COURIER_API_KEY: apiKey, COURIER_BASE_URL: baseUrl };
      for (const env of [{}, other])
        expect((await home.send("--ref R-1", { ...env, COURIER_LEDGER: address })).exit).toBe(0);
      const refused = await home.send("--ref R-1", {});
      expect([refused.exit, home.posts()]).toEqual([5, 1]);
      expect(JSON.parse(refused.stderr).error.hint).toContain(`name it: COURIER_LEDGER=${address}`);
      expect(hintOf(refused, back)).toBe("ledger use local");
      const lacks = await home.courier("ledger use local", {});
      expect([lacks.exit, lacks.stderr]).toEqual([2, expect.stringContaining("does not know 1 run")]);
      const used = await home.courier("ledger use local --new --yes", {});
      expect(used.exit, used.stderr).toBe(0);
      expect((await home.send("--ref R-2", {}, "王五")).exit).toBe(0);
      expect((await home.send("--ref R-2", other, "王五")).exit).toBe(5); // its customer's orders stay there
    });

    test("is left by what the refusal says, with a base URL in the command line", async () => {
      const home = await createShop();
      await putConfig(home, {});
      const env = { COURIER_API_KEY: home.sandbox.apiKey, COURIER_BASE_URL: "" };
      const flag = `--base-url ${home.sandbox.baseUrl}`;
      const shared = { ...env, COURIER_LEDGER: await server.createDatabase() };
      expect((await home.send(`--ref R-1 ${flag}`, shared)).exit).toBe(0);
      const refused = await home.send(`--ref R-1 ${flag}`, env);
      expect(hintOf(refused, back)).toBe(`ledger use local ${flag}`);
      const used = await home.courier(`${hintOf(refused, back)} --new --yes`, env);
      expect(used.exit, used.stderr).toBe(0);
      expect((await home.send(`--ref R-2 ${flag}`, env, "王五")).exit).toBe(0);
    });

    test.each(["service", "customer"])(
      "is left by what the refusal says, where the current account has another %s than the key in the environment",
      async (other) => {
        const home = await createTwoCustomers();
        const base_url = other === "service" ? "https://api.example.com" : home.baseUrl;
        await putConfig(home, { current: "shop", accounts: { shop: { base_url, key: firstKey } } });
        const env = { COURIER_API_KEY: secondKey, COURIER_BASE_URL: home.baseUrl };
        const posts = () => home.second.requests.filter(({ method }) => method === "POST").length;
        const send = (more: Record<string, string> = {}) =>
          home.courier("orders create --file - --json --ref R-1", {
            env: { ...env, ...more },
            stdin: JSON.stringify(plainDraft),
          });
        const address = await server.createDatabase();
        expect((await send({ COURIER_LEDGER: address })).exit).toBe(0);
        const refused = await send();
        expect(JSON.parse(refused.stderr).error.hint).toContain(`name it: COURIER_LEDGER=${address};`);
        expect(hintOf(refused, back)).toBe("ledger use local");
        const lacks = await home.courier(hintOf(refused, back), { env });
        expect([lacks.exit, lacks.stderr]).toEqual([2, expect.stringContaining("does not know 1 run")]);
        // The stored account goes back without the orders of the job's customer.
        expect((await home.courier("ledger use local --account shop", { env })).exit).toBe(0);
        expect([(await send()).exit, posts()]).toEqual([5, 1]);
        expect((await home.courier("ledger use local --new --yes", { env })).exit).toBe(0);
        expect((await send()).exit).toBe(0);
      },
    );

    test("of another database is told, and the file goes on sending nothing", async () => {
      const home = await createShop();
      const [one, two] = [await server.createDatabase(), await server.createDatabase()];
      const send = (ref: string, address: string) =>
        home.send(`--ref ${ref}`, { ...noKey, COURIER_LEDGER: address }, `李${ref}`);
      expect((await send("R-1", one)).stderr).not.toContain("warning");
      expect((await send("R-2", `${one}?sslmode=disable`)).stderr).not.toContain("warning");
      const other = await send("R-3", two);
      expect([other.exit, other.stderr]).toEqual([
        0,
        expect.stringContaining(`${one} has the orders of this customer so far`),
      ]);
      expect((await send("R-4", two)).stderr).not.toContain("warning");
      const refused = await home.send("--ref R-1");
      expect([refused.exit, home.posts()]).toEqual([5, 4]);
      expect(refused.stderr).toContain(`courier ledger use ${two} --account shop`);
      // The account's own ledger stays the one that its other accounts are told to use.
      expect((await home.courier(`ledger use ${two} --account shop`)).exit).toBe(0);
      for (const ref of ["R-5", "R-6"])
        expect((await send(ref, one)).stderr).toContain(`${two} has the orders of this customer so far`);
    });

    test("is told once to lack what the file knows", async () => {
      const home = await createShop();
      const shared = { ...noKey, COURIER_LEDGER: await server.createDatabase() };
      expect((await home.send("--ref R-1")).exit).toBe(0);
      const first = await home.send("--ref R-2", shared, "王五");
      expect([first.exit, first.stderr]).toEqual([
        0,
        expect.stringContaining(`does not know 1 run of this customer in ${ledgerPath(home.stateDir)}`),
      ]);
      expect((await home.send("--ref R-3", shared, "赵六")).stderr).not.toContain("warning");
    });

    test("holds for a customer that was known by its key alone before", async () => {
      const { home, courier, login, renew, sent } = await createRenewedHome();
      const env = { ...noKey, COURIER_LEDGER: await server.createDatabase() };
      const stdin = JSON.stringify(plainDraft);
      const create = (ref: string) => `orders create --file - --json --ref ${ref}`;
      await login(firstKey, "--no-verify --account shop");
      expect((await home.courier(`${create("R-1")} --account shop`, { env, stdin })).exit).toBe(0);
      await renew("--account till");
      // A known ref asks whose key it is, and the next order that is sent knows it.
      for (const [ref, name] of [
        ["R-1", plainDraft.item.name],
        ["R-2", "绿茶"],
      ] as const) {
        const item = { ...plainDraft.item, name };
        const options = { env, stdin: JSON.stringify({ ...plainDraft, item }) };
        expect((await home.courier(`${create(ref)} --account shop`, options)).exit).toBe(0);
      }
      const job = await courier(`${create("R-1")} --account till`, stdin);
      expect([job.exit, sent()], job.stderr).toEqual([5, 2]);
    });

    test.each([
      ["sends for the first time", []],
      ["has sent before the other", ["R-2"]],
    ])("holds for another key of a customer without a profile, whose job %s", async (_which, refs) => {
      const { home, login, sent } = await createRenewedHome();
      const COURIER_LEDGER = await server.createDatabase();
      await login(firstKey, "--no-verify --account shop");
      await login(renewedKey, "--no-verify --account job");
      const create = (account: string, ref: string, more: Record<string, string> = {}) => {
        const stdin = JSON.stringify({ ...plainDraft, item: { ...plainDraft.item, name: `茶${ref}` } });
        const words = `orders create --file - --json --ref ${ref} --account ${account}`;
        return home.courier(words, { env: { ...noKey, ...more }, stdin });
      };
      for (const ref of refs) expect((await create("job", ref, { COURIER_LEDGER })).exit).toBe(0);
      // What the job has sent is in its ledger alone: the other key could be a renewed one.
      expect((await create("shop", "R-0")).exit).toBe(refs.length === 0 ? 0 : 5);
      expect((await create("job", "R-1", { COURIER_LEDGER })).exit).toBe(0);
      const again = await create("shop", "R-1");
      expect([again.exit, sent()], again.stderr).toEqual([5, 2]);
    });

    describe("while an import sends from the file", () => {
      /** The first order of the import is on its way while `act` runs. */
      async function importDuring<T>(act: (home: Home, file: string) => Promise<T>) {
        const home = await createUnfaithfulHome();
        const file = path.join(home.directory, "orders.csv");
        const names = ["王一", "王二", "王三"];
        await writeFile(file, sheet(...names.map((name, n) => row(`A-${n}`, name, `1390013900${n}`))));
        let meanwhile: Promise<T> | undefined;
        home.service.ways = {
          before: async (n) => {
            if (n > 1) return;
            meanwhile = act(home, file);
            await meanwhile.catch(() => undefined);
          },
        };
        const ran = await home.courier(`orders import ${file} --yes --json --concurrency 1`);
        return { home, ran, posts: home.service.orders.length, did: await meanwhile };
      }

      test("sends nothing, and leaves the file as it is", async () => {
        const env = { COURIER_LEDGER: await server.createDatabase() };
        const { ran, posts, did } = await importDuring((home, file) =>
          home.courier(`orders import ${file} --yes --json`, { env }),
        );
        expect([did?.exit, did?.stderr]).toEqual([
          2,
          expect.stringMatching(/run 1 \(orders import\) of the account .* is running, as process \d+/),
        ]);
        expect([ran.exit, posts], ran.stderr).toEqual([0, 3]);
      });

      test("of another container, ends it with what its last answer said recorded", async () => {
        const address = await server.createDatabase();
        const { home, ran, posts } = await importDuring(async ({ stateDir }) => {
          const file = await openLedgerFile(stateDir);
          const [run] = file.sql("SELECT customer FROM runs").all();
          await changeMarks(file, new Map([[Number(run?.customer), address]]));
          file.close();
        });
        expect([ran.exit, posts]).toEqual([5, 1]);
        expect(errorOf(ran)).toMatchObject({
          message: expect.not.stringContaining("not recorded"),
          hint: expect.stringMatching(/^name it: courier ledger use .*: courier ledger use local$/),
        });
        const sent = await withLedger(home.stateDir, (ledger) => ledger.listOperations(1));
        expect(sent.map(({ state }) => state)).toEqual(["created"]);
      });
    });

    test("sends where the file cannot be written", async () => {
      const home = await createShop();
      await mkdir(home.stateDir);
      await writeFile(ledgerPath(home.stateDir), "not a ledger, which is left alone");
      const shared = { ...noKey, COURIER_LEDGER: await server.createDatabase() };
      const sent = await home.send("--ref R-1", shared);
      expect([sent.exit, sent.stderr]).toEqual([0, expect.not.stringContaining("warning")]);
      const traced = await home.send("--ref R-2 --debug", shared, "王五");
      expect(traced.stderr).toContain("debug: a run without COURIER_LEDGER");
    });
  });
});
