/** The config file: modes, damage, unknown content, parallel runs. */

import { execFile } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { switchAccount } from "../../src/config/accounts.ts";
import { saveParties } from "../../src/config/address-book.ts";
import { readConfigUnchecked } from "../../src/config/read-config-unchecked.ts";
import { type ConfigStore, openConfigStore } from "../../src/config/store.ts";
import { keysOn } from "../support/keys.ts";

const account = { base_url: "https://api.example.com", key: "secret-key" };

const saveAccount = async (store: ConfigStore, name: string, { base_url, key }: typeof account) =>
  (await keysOn(store).stored()).save(name, { base_url }, { place: "file", apiKey: key });
const forgetKey = async (store: ConfigStore, name: string) => (await keysOn(store).stored()).forget(name);
const removeAccount = async (store: ConfigStore, name: string) =>
  (await keysOn(store).stored()).remove(name, account);

/** A directory that does not exist yet, in one that is removed when the test ends. */
async function freshDirectory(): Promise<string> {
  const parent = await mkdtemp(path.join(tmpdir(), "courier-test-"));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return path.join(parent, "deep", "config");
}

async function storeWith(text: string | Uint8Array) {
  const directory = await freshDirectory();
  await mkdir(directory, { recursive: true });
  const store = openConfigStore(directory);
  await writeFile(store.path, text);
  return { store, directory };
}

describe("writing", () => {
  test("makes a directory that only its owner can enter, and a file that only its owner can read", async () => {
    const umask = process.umask(0);
    try {
      const directory = await freshDirectory();
      const store = openConfigStore(directory);
      for (let write = 0; write < 2; write++) {
        await saveAccount(store, `shop${write}`, account);
        expect((await stat(directory)).mode & 0o777).toBe(0o700);
        for (const file of [store.path, path.join(directory, "config.lock.db")])
          expect((await stat(file)).mode & 0o777).toBe(0o600);
      }
      expect((await readdir(directory)).sort()).toEqual(["config.json", "config.lock.db"]);
    } finally {
      process.umask(umask);
    }
  });

  test("a file that others could read is closed to them", async () => {
    const { store } = await storeWith("{}");
    await chmod(store.path, 0o644);
    await saveAccount(store, "shop", account);
    expect((await stat(store.path)).mode & 0o777).toBe(0o600);
  });

  test("keeps what this version does not know, every number as it was", async () => {
    const { store } = await storeWith(
      '{"version":1,"later":{"big":12345678901234567890,"sum":12.50},"accounts":{"shop":{"base_url":"https://a.test","colour":"red"}}}',
    );
    await saveAccount(store, "second", account);
    const text = await readFile(store.path, "utf8");
    for (const kept of ["12345678901234567890", "12.50", '"colour": "red"', '"second"', '"version": 1']) {
      expect(text).toContain(kept);
    }
  });

  test("a byte order mark, as editors on Windows write it, is read over", async () => {
    const { store, directory } = await storeWith('\uFEFF{"accounts":{"shop":{"base_url":"https://a.test"}}}');
    expect((await store.read()).accounts).toEqual({ shop: { base_url: "https://a.test" } });
    expect(readConfigUnchecked(directory).accounts).toEqual({ shop: { base_url: "https://a.test" } });
    await saveAccount(store, "second", account);
    expect(Object.keys(JSON.parse(await readFile(store.path, "utf8")).accounts)).toEqual(["shop", "second"]);
  });

  test("one that an editor saved in GB18030 is refused and left as it is, by what writes, too", async () => {
    const text = '{"addresses":{"li":{"name":"MARK","phone":"13900139000"}},"accounts":{}}';
    const [before, after] = text.split("MARK") as [string, string];
    const bytes = Buffer.concat([
      Buffer.from(before),
      Buffer.from([0xc0, 0xee, 0xcb, 0xc4]),
      Buffer.from(after),
    ]); // 李四
    const { store } = await storeWith(bytes);
    const refused = expect.objectContaining({
      message: `cannot read the config file ${store.path}: it is not in UTF-8`,
      hint: "save it as UTF-8, then run the same command again",
    });
    await expect(store.read()).rejects.toEqual(refused);
    await expect(saveAccount(store, "second", account)).rejects.toEqual(refused);
    expect(await readFile(store.path)).toEqual(bytes);
  });

  describe("a config that is a symbolic link, as dotfile managers make them", () => {
    async function linkedStore(content: string) {
      const { store, directory } = await storeWith("{}");
      const elsewhere = path.join(directory, "elsewhere.json");
      await writeFile(elsewhere, content);
      await rm(store.path);
      await symlink(elsewhere, store.path);
      return { store, elsewhere };
    }

    test("stays one, and what it names takes what is no secret", async () => {
      const { store, elsewhere } = await linkedStore(
        '{"accounts":{"old":{"base_url":"https://a.test","key":"old-key-1"}}}',
      );
      await (await keysOn(store).stored()).save(
        "shop",
        { base_url: "https://b.test" },
        { place: "command", command: "x" },
      );
      await switchAccount(store, "sandbox");
      expect((await lstat(store.path)).isSymbolicLink()).toBe(true);
      const written = JSON.parse(await readFile(elsewhere, "utf8"));
      expect(written).toMatchObject({
        current: "sandbox",
        accounts: { old: { key: "old-key-1" }, shop: { key_command: "x" } },
      });
    });

    test("takes no key", async () => {
      const { store, elsewhere } = await linkedStore("{}");
      await expect(saveAccount(store, "shop", account)).rejects.toMatchObject({
        exit: 2,
        message: expect.stringContaining(`${store.path} is a symbolic link`),
        hint: expect.stringContaining("--key-store keychain"),
      });
      expect(await readFile(elsewhere, "utf8")).toBe("{}");
    });
  });

  test("a directory that is a symbolic link, or in which everyone may write, takes no key", async () => {
    const { store, directory } = await storeWith("{}");
    await chmod(directory, 0o1777);
    await expect(saveAccount(store, "shop", account)).rejects.toMatchObject({
      message: expect.stringContaining(`everyone can write in ${directory}`),
      hint: expect.stringContaining(`chmod o-w ${directory}`),
    });
    await chmod(directory, 0o755);
    const link = `${directory}-link`;
    await symlink(directory, link);
    await expect(saveAccount(openConfigStore(link), "shop", account)).rejects.toMatchObject({
      message: expect.stringContaining(`${link} is a symbolic link`),
      hint: expect.stringContaining("COURIER_CONFIG_DIR"),
    });
    expect(await readFile(store.path, "utf8")).toBe("{}");
    expect((await readdir(directory)).sort()).toEqual(["config.json", "config.lock.db"]);
    await saveAccount(store, "shop", account);
    expect((await store.read()).accounts.shop).toEqual(account);
  });

  test("a change that fails changes nothing, and leaves no temporary file behind", async () => {
    const { store, directory } = await storeWith('{"accounts":{}}');
    const failing = store.update(() => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await readFile(store.path, "utf8")).toBe('{"accounts":{}}');
    expect((await readdir(directory)).sort()).toEqual(["config.json", "config.lock.db"]);
  });
});

describe("damage is reported with its place, and the file stays as it is", () => {
  test.each([
    ["cut short", '{\n  "accounts": {\n    "shop": {"base', /line 3, column \d+/],
    ["a stray comma", '{"accounts": {},}', /line 1, column 17/],
    ["empty", "", /line 1, column 1/],
    ["zeros", "\0\0\0\0", /line 1, column 1/],
    ["a list", "[]", /corrupt/],
    ["a wrong type", '{"accounts":{"shop":{"base_url":7}}}', /accounts\.shop\.base_url/],
    ["accounts as a list", '{"accounts":[]}', /accounts/],
    [
      "a key that is no text",
      '{"accounts":{"shop":{"base_url":"https://a.test","key":1}}}',
      /accounts\.shop\.key/,
    ],
    ["current as an object", '{"current":{}}', /current/],
    ["a later version", '{"version":2,"accounts":{}}', /version 2/],
    ["a version that is text", '{"version":"1"}', /version/],
  ])("%s", async (_what, text, told) => {
    const { store, directory } = await storeWith(text);
    for (const attempt of [() => store.read(), () => saveAccount(store, "shop", account)]) {
      const error = await attempt().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "file", exit: 2 });
      expect((error as Error).message).toMatch(told);
      expect((error as Error).message).toContain(store.path);
    }
    expect(await readFile(store.path, "utf8")).toBe(text);
    expect((await readdir(directory)).sort()).toEqual(["config.json", "config.lock.db"]);
  });

  test("a directory in place of the file", async () => {
    const directory = await freshDirectory();
    await mkdir(path.join(directory, "config.json"), { recursive: true });
    await expect(openConfigStore(directory).read()).rejects.toMatchObject({ code: "file", exit: 2 });
  });

  test("a place where no directory can be made", async () => {
    const { store } = await storeWith("{}");
    const inside = openConfigStore(path.join(store.path, "below"));
    const error = await saveAccount(inside, "shop", account).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "file",
      exit: 2,
      hint: expect.stringContaining("COURIER_CONFIG_DIR"),
    });
    await expect(inside.read()).rejects.toMatchObject({ exit: 2 });
  });
});

describe("accounts", () => {
  test("nothing stored is an empty config; the first account becomes the current one", async () => {
    const store = openConfigStore(await freshDirectory());
    expect((await store.read()).accounts).toEqual({});
    await saveAccount(store, "shop", account);
    await saveAccount(store, "second", account);
    expect(await store.read()).toMatchObject({
      current: "shop",
      accounts: { shop: account, second: account },
    });
  });

  test("can be switched, emptied of their key, and removed", async () => {
    const store = openConfigStore(await freshDirectory());
    await saveAccount(store, "shop", account);
    await saveAccount(store, "second", account);
    await switchAccount(store, "second");
    await forgetKey(store, "shop");
    expect(await store.read()).toMatchObject({
      current: "second",
      accounts: { shop: { base_url: account.base_url } },
    });
    expect((await store.read()).accounts.shop).not.toHaveProperty("key");
    await removeAccount(store, "second");
    const { current, accounts } = await store.read();
    expect(current).toBeUndefined();
    expect(Object.keys(accounts)).toEqual(["shop"]);
    await switchAccount(store, "sandbox");
    expect((await store.read()).current).toBe("sandbox");
  });

  test.each([switchAccount, forgetKey, removeAccount])(
    "unknown to %o: exit 4, nothing changed",
    async (act) => {
      const { store } = await storeWith('{"accounts":{}}');
      await expect(act(store, "gone")).rejects.toMatchObject({ code: "no_account", exit: 4 });
      expect(await readFile(store.path, "utf8")).toBe('{"accounts":{}}');
    },
  );
});

describe("parallel runs", () => {
  test("no update of several processes is lost, and the file is whole at every moment", async () => {
    const directory = await freshDirectory();
    const store = openConfigStore(directory);
    const writer = path.join(import.meta.dirname, "store-writer.ts");
    let isDone = false;
    const writers = Promise.all(
      ["a", "b", "c", "d"].map((name) =>
        promisify(execFile)(process.execPath, ["--import", "tsx", writer, directory, name, "8"]),
      ),
    ).finally(() => {
      isDone = true;
    });
    let reads = 0;
    while (!isDone) {
      const { accounts } = await store.read();
      reads += 1;
      for (const { key } of Object.values(accounts)) expect(key).toMatch(/^key-of-[a-d]$/);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await writers;
    expect(reads).toBeGreaterThan(5);
    expect(Object.keys((await store.read()).accounts)).toHaveLength(32);
    expect((await readdir(directory)).sort()).toEqual(["config.json", "config.lock.db"]);
  });

  test("two directories whose config files are links to one file lose none of each other's updates", async () => {
    const [one, other, real] = [await freshDirectory(), await freshDirectory(), await freshDirectory()];
    for (const each of [one, other, real]) await mkdir(each, { recursive: true });
    await writeFile(path.join(real, "config.json"), "{}");
    for (const each of [one, other])
      await symlink(path.join(real, "config.json"), path.join(each, "config.json"));
    const stores = [openConfigStore(one), openConfigStore(other)];
    const updates = Array.from({ length: 20 }, (_, index) =>
      saveParties(stores[index % 2] as ConfigStore, { [`p${index}`]: { name: "Anna" } }, {}),
    );
    await Promise.all(updates);
    expect(Object.keys((await openConfigStore(real).read()).addresses)).toHaveLength(20);
  });

  test("updates within one process wait for each other too", async () => {
    const store = openConfigStore(await freshDirectory());
    await Promise.all(Array.from({ length: 10 }, (_, index) => saveAccount(store, `shop${index}`, account)));
    expect(Object.keys((await store.read()).accounts)).toHaveLength(10);
  });
});
