/** Several accounts on one machine: list, use, remove. */

import { describe, expect, test } from "vitest";
import { configPath, putConfig, readConfigText } from "../support/config-file.ts";
import { createHome, createServedHome } from "../support/courier.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

async function homeWithAccounts() {
  const home = await createHome();
  await putConfig(home, {
    current: "shop",
    accounts: {
      default: { base_url: "https://api.example.com" },
      shop: { base_url: "https://shop.example.com", key: "secret-key-2" },
    },
  });
  return home;
}

test.each([
  ["is too short", { key: "abc12" }],
  ["is in two places", { key: "secret-key-2", key_command: "pass show courier" }],
])("an account whose key %s does not keep another from being logged out", async (_what, source) => {
  const home = await createServedHome();
  const base_url = home.sandbox.baseUrl;
  await putConfig(home, {
    accounts: { cut: { base_url, ...source }, shop: { base_url, key: "test-key-0123456789" } },
  });
  const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
  const to = ["--receiver-name", "王芳", "--receiver-phone", "13800138000"];
  const words = [
    "orders",
    "create",
    "--account",
    "shop",
    "--sender-name",
    "李四",
    ...to,
    "--item-name",
    "书",
  ];
  const made = await home.courier([...words, "--yes"], { env });
  expect(made.exit, made.stderr).toBe(0);
  const { exit, stderr } = await home.courier("logout --account shop", { env });
  expect(exit, stderr).toBe(0);
});

describe("accounts list", () => {
  test("says of a key that cannot be used why, and lists the other accounts", async () => {
    const home = await createHome();
    const base_url = "https://shop.example.com";
    await putConfig(home, {
      accounts: { cut: { base_url, key: "abc12" }, shop: { base_url, key: "secret-key-2" } },
    });
    const listed = await home.courier("accounts list");
    expect(listed.exit, listed.stderr).toBe(0);
    expect(listed.stdout).toMatch(
      / cut .* the key of the account cut is too short: a key has at least 8 characters/,
    );
    expect(listed.stdout).toMatch(/ shop .*config\.json/);
    expect(listed.stdout).not.toContain("abc12");
  });

  test("does not show a password that someone wrote into a base URL", async () => {
    const home = await createHome();
    const account = { base_url: "http://user:hunter2@127.0.0.1:4777", key: "test-key-0123456789" };
    await putConfig(home, { current: "shop", accounts: { shop: account } });
    for (const flag of ["", "--json"]) {
      const { exit, stdout } = await home.courier(`accounts list ${flag}`);
      expect(exit).toBe(0);
      expect(stdout).toContain("http://127.0.0.1:4777");
      expect(stdout).not.toContain("hunter2");
    }
  });

  test("does not show a key that someone wrote into a key command, as accounts move-key does not", async () => {
    const home = await createHome();
    const base_url = "https://shop.example.com";
    const shop = { base_url, key_command: "sh -c 'echo test-key-0123456789'" };
    const till = {
      base_url,
      key_command: "/opt/tools-2024/bin/secret-tool find-generic-password courier/till",
    };
    await putConfig(home, { current: "shop", accounts: { shop, till } });
    const list = await home.courier("accounts list --json");
    const [first, second] = JSON.parse(list.stdout);
    expect([first.key, second.key]).toEqual(["sh -c 'echo [redacted]'", till.key_command]);
    for (const words of ["accounts list", "accounts move-key shop --to file"]) {
      const { stdout, stderr } = await home.courier(words);
      expect(stdout + stderr).toContain("echo [redacted]");
      expect(stdout + stderr).not.toContain("0123456789");
    }
  });

  test.each([
    [
      "curl -s -u shop:k3ySecret01234567 https://vault.example",
      "curl -s -u shop:[redacted] https://vault.example",
    ],
    ["curl https://vault.example/hook/test-key-0123456789", "curl https://vault.example/hook/[redacted]"],
    ["printf %s:test-key-0123456789", "printf %s:[redacted]"],
    ["vault-read shop/hvs5CAESIJ4tokentoken", "vault-read [redacted]"],
    ["vault-read sk_live_5CAESIJ4token", "vault-read [redacted]"],
    ["vault-login my_secret_12", "vault-login [redacted]"],
    ["print-key2 K3Y_MARKER5ecret99", "print-key2 [redacted]"],
    ["pass show Shop2/courier-01.key", "pass show Shop2/courier-01.key"],
    ["python3.12 /opt/key-1.py SHOP2_COURIER_KEY", "python3.12 /opt/key-1.py SHOP2_COURIER_KEY"],
  ])("nor one behind a name or in a URL, but plain names: %s", async (key_command, shown) => {
    const home = await createHome();
    const shop = { base_url: "https://shop.example.com", key_command };
    await putConfig(home, { current: "shop", accounts: { shop } });
    expect(JSON.parse((await home.courier("accounts list --json")).stdout)[0].key).toBe(shown);
  });

  test("shows where each key is kept, in every form, never the key", async () => {
    const home = await homeWithAccounts();
    const rows = [
      {
        account: "default",
        current: false,
        base_url: "https://api.example.com",
        key: "none",
        key_store: null,
      },
      {
        account: "shop",
        current: true,
        base_url: "https://shop.example.com",
        key: configPath(home),
        key_store: "file",
      },
      { account: "sandbox", current: false, base_url: null, key: "not needed", key_store: null },
    ];
    const json = await home.courier("accounts list --json");
    expect(JSON.parse(json.stdout)).toEqual(rows);
    const ndjson = await home.courier("accounts list --ndjson");
    expect(
      ndjson.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
    const csv = await home.courier("accounts list --csv --fields account,base_url,current");
    expect(csv.stdout).toBe(
      "account,base_url,current\ndefault,https://api.example.com,false\nshop,https://shop.example.com,true\nsandbox,,false\n",
    );
    const human = await home.courier("accounts list");
    expect(human.stdout).toMatch(/^yes +shop +https:\/\/shop\.example\.com /m);
    for (const { exit, stdout, stderr } of [json, ndjson, csv, human]) {
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      expect(stdout).not.toContain("secret-key-2");
    }
  });

  test("on a fresh machine knows the sandbox", async () => {
    const { courier } = await createHome();
    const { stdout } = await courier("accounts list --json --fields account");
    expect(stdout).toBe('[{"account":"sandbox"}]\n');
  });
});

describe("accounts use", () => {
  test.each(["default", "sandbox"])("%s becomes the current one", async (name) => {
    const home = await homeWithAccounts();
    const { exit, stdout, stderr } = await home.courier(`accounts use ${name}`);
    expect({ exit, stdout, stderr }).toEqual({
      exit: 0,
      stdout: `The current account is now ${name}\n`,
      stderr: "",
    });
    expect(JSON.parse(await readConfigText(home)).current).toBe(name);
  });

  test.each([
    [{ COURIER_ACCOUNT: "default" }, "shop", "COURIER_ACCOUNT is set, and other commands use it"],
    [{ COURIER_API_KEY: "another-key-1" }, "sandbox", "COURIER_API_KEY is set, and other commands use it"],
    [
      { COURIER_API_KEY: "another-key-1", COURIER_BASE_URL: "https://b.example" },
      "shop",
      "COURIER_API_KEY and COURIER_BASE_URL are set, and other commands use them",
    ],
  ])("beside %j warns that other commands do not use %s", async (env, name, warning) => {
    const home = await homeWithAccounts();
    const { exit, stderr } = await home.courier(`accounts use ${name}`, { env });
    expect(exit).toBe(0);
    expect(stderr).toContain(`warning: ${warning} instead of what is stored: unset `);
    expect(stderr).toContain(`, or add --account ${name}\n`);
  });

  test("says nothing of variables that lead to the same account", async () => {
    const home = await homeWithAccounts();
    const env = { COURIER_ACCOUNT: "shop", COURIER_BASE_URL: "https://shop.example.com/" };
    const { exit, stderr } = await home.courier("accounts use shop", { env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  });

  test("from then on the sandbox needs no flag", async () => {
    const { courier } = await createHome();
    const used = await courier("accounts use sandbox --json");
    expect(used.stdout).toBe('{"account":"sandbox","current":true}\n');
    expect((await courier("profile")).stdout).toContain("Sandbox Account");
  });

  test.each(["nobody", "__proto__", "constructor", ""])(
    "“%s” is unknown: exit 4, unchanged",
    async (name) => {
      const home = await homeWithAccounts();
      const before = await readConfigText(home);
      for (const words of [
        ["accounts", "use", name],
        ["accounts", "remove", "--yes", name],
      ]) {
        const { exit, stdout, stderr } = await home.courier(words);
        expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
        expect(stderr).toContain(
          name === "" ? "the name of the account is empty" : `there is no account named ${name}`,
        );
        expect(stderr).toMatch(/known accounts: default, shop, sandbox/i);
      }
      expect(await readConfigText(home)).toBe(before);
    },
  );
});

describe("accounts remove", () => {
  test("asks; yes forgets the account and its key", async () => {
    const home = await homeWithAccounts();
    const prompts = scriptedPrompts({ confirms: [true] });
    const { exit, stdout } = await home.courier("accounts remove shop", { terminal: 80, prompts });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "The account shop is forgotten\n" });
    expect(prompts.asked).toEqual(["Forget the account shop and its key?"]);
    const text = await readConfigText(home);
    expect(text).not.toContain("shop");
    expect(text).not.toContain("secret-key-2");
  });

  test("no, and nobody to ask, leave the file as it is", async () => {
    const home = await homeWithAccounts();
    const before = await readConfigText(home);
    const prompts = scriptedPrompts({ confirms: [false] });
    expect((await home.courier("accounts remove shop", { terminal: 80, prompts })).exit).toBe(130);
    expect(await home.courier("accounts remove shop")).toMatchObject({ exit: 2, stdout: "" });
    expect(await readConfigText(home)).toBe(before);
  });

  test.each([
    ["nobody", 4, "there is no account named nobody"],
    ["sandbox", 2, "the account sandbox is part of courier"],
  ])("%s is not asked about", async (name, exit, message) => {
    const { courier } = await createHome();
    const ran = await courier(`accounts remove ${name}`, { terminal: 80, prompts: scriptedPrompts({}) });
    expect(ran.exit).toBe(exit);
    expect(ran.stderr).toContain(message);
  });

  test("--yes does not ask", async () => {
    const home = await homeWithAccounts();
    expect(await home.courier("accounts remove default --yes --json")).toEqual({
      exit: 0,
      stdout: '{"account":"default","removed":true,"details_deleted":true,"details_kept":0}\n',
      stderr: "",
    });
  });
});
