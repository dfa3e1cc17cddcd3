/** Storing and forgetting keys: what is asked, what is checked, what is kept where. */

import { once } from "node:events";
import { stat } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Prompts } from "../../src/core/prompts.ts";
import { configPath, putConfig, readConfigText } from "../support/config-file.ts";
import { createHome, createServedHome, type ServedHome } from "../support/courier.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const nothing = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

function login(home: ServedHome, words = "") {
  return home.courier(`login --base-url ${home.sandbox.baseUrl} ${words}`, {
    stdin: `${home.sandbox.apiKey}\n`,
    env: nothing,
  });
}

describe("login", () => {
  test("with a piped key checks it with one profile call, and stores it for its owner alone", async () => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await login(home);
    expect(exit).toBe(0);
    expect(stdout).toContain("Logged in as the account default\n");
    expect(stdout).toContain("Sandbox Account");
    expect(stderr).toBe(
      `The key of the account default will be kept in ${configPath(home)} (a file that only you can read)\n`,
    );
    expect(home.sandbox.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /api/v1/user/profile",
    ]);
    expect((await stat(configPath(home))).mode & 0o777).toBe(0o600);
    expect((await stat(home.configDir)).mode & 0o777).toBe(0o700);
    expect((await home.courier("profile", { env: nothing })).exit).toBe(0);
    expect(stdout + stderr).not.toContain(home.sandbox.apiKey);
  });

  test("as JSON says where the key is, never the key", async () => {
    const home = await createServedHome();
    const { exit, stdout } = await login(home, "--account shop --json");
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      account: "shop",
      base_url: home.sandbox.baseUrl,
      key_kept_in: configPath(home),
      verified: true,
      holder: "Sandbox Account",
    });
  });

  test("at a terminal asks for the URL until it is usable, and for the key unseen", async () => {
    const home = await createServedHome();
    const prompts = scriptedPrompts({
      texts: ["http://api.example.com", "nonsense", home.sandbox.baseUrl],
      secrets: [home.sandbox.apiKey],
    });
    const { exit, stdout } = await home.courier("login", { terminal: 80, prompts, env: nothing });
    expect(exit).toBe(0);
    expect(prompts.asked).toEqual([...Array(3).fill("Base URL of the service"), "API key (hidden)"]);
    expect(stdout).not.toContain(home.sandbox.apiKey);
  });

  test("a refused key is not stored", async () => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(`login --base-url ${home.sandbox.baseUrl}`, {
      stdin: "wrong-key-1",
      env: nothing,
    });
    expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
    expect(stderr).toContain("the service refused the key");
    await expect(readConfigText(home)).rejects.toThrow("ENOENT");
  });

  test.each([
    ["too short", { key: "short" }],
    ["in two places", { key: "old-key-0123456789", key_command: "pass show courier" }],
  ])("a refused key is named also where the account's own is %s", async (_what, source) => {
    const home = await createServedHome();
    await putConfig(home, { accounts: { shop: { base_url: home.sandbox.baseUrl, ...source } } });
    const words = "login --account shop --json";
    const ran = await home.courier(words, { stdin: "wrong-key-0123456789\n", env: nothing });
    expect(ran.exit, ran.stderr).toBe(4);
    expect(ran.stderr).toContain("the key that the account shop had is kept");
  });

  test("at a terminal a refused key is asked for again, three times at most", async () => {
    const home = await createServedHome();
    const good = home.sandbox.apiKey;
    const words = `login --base-url ${home.sandbox.baseUrl}`;
    const lucky = scriptedPrompts({ secrets: ["wrong-key", good] });
    const first = await home.courier(words, { terminal: 80, prompts: lucky, env: nothing });
    expect(first.exit).toBe(0);
    expect(first.stderr).toMatch(/the service refused the key/);

    const unlucky = scriptedPrompts({ secrets: ["wrong-key-1", "wrong-key-2", "wrong-key-3"] });
    const second = await home.courier(words, { terminal: 80, prompts: unlucky, env: nothing });
    expect(second.exit).toBe(4);
    expect(unlucky.asked).toHaveLength(3);
    expect(second.stderr).toContain("the key that the account default had is kept");
    expect(await readConfigText(home)).toContain(good);
    expect(second.stderr).not.toContain("wrong-");
  });

  test("--no-verify stores without a call", async () => {
    const { courier, ...home } = await createHome();
    const words = "login --base-url https://api.example.com/prefix/ --no-verify --json";
    const { exit, stdout } = await courier(words, { stdin: "some-key-1" });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ base_url: "https://api.example.com/prefix", verified: false });
    expect(JSON.parse(await readConfigText(home)).accounts.default.key).toBe("some-key-1");
  });

  test("--allow-http is needed for plain http, and then kept for that account", async () => {
    const { courier, ...home } = await createHome();
    const words = "login --base-url http://api.example.com --no-verify";
    expect((await courier(words, { stdin: "some-key-1" })).exit).toBe(2);
    expect((await courier(`${words} --allow-http`, { stdin: "some-key-1" })).exit).toBe(0);
    expect(JSON.parse(await readConfigText(home)).accounts.default).toMatchObject({ allow_http: true });
  });

  test("a second account leaves the current one, and says so", async () => {
    const home = await createServedHome();
    await login(home);
    const { stderr } = await login(home, "--account shop");
    expect(stderr).toContain(
      "The current account is still default; change it with: courier accounts use shop\n",
    );
    expect(JSON.parse(await readConfigText(home)).current).toBe("default");
  });

  test.each([
    ["an empty key", "login --base-url https://api.example.com", "\n", "the API key is empty"],
    ["two keys", "login --base-url https://api.example.com", "a-key\nb-key", "has blanks, line breaks"],
    ["a missing URL", "login", "some-key", "the base URL is missing"],
    [
      "a name that is none",
      "login --account ../x --base-url https://a.example",
      "k",
      "not a usable name for an account",
    ],
    ["the sandbox", "login --account sandbox", "some-key", "the account sandbox needs no login"],
  ])("%s: exit 2, nothing stored", async (_what, words, stdin, message) => {
    const { courier, ...home } = await createHome();
    const { exit, stdout, stderr } = await courier(words, { stdin });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(message);
    await expect(readConfigText(home)).rejects.toThrow("ENOENT");
  });

  test("--no-input at a terminal asks nothing and says how to pipe the key in", async () => {
    const { courier } = await createHome();
    const words = "login --no-input --base-url https://api.example.com";
    const { exit, stderr } = await courier(words, { terminal: 80, prompts: scriptedPrompts({}) });
    expect(exit).toBe(2);
    expect(stderr).toContain("pipe it in: courier login --base-url https://api.example.com < key.txt");
  });
});

describe("login to an account that exists", () => {
  test("takes its base URL where nobody can be asked, and what was allowed for it", async () => {
    const { courier, ...home } = await createHome();
    const first = "login --no-verify --account shop --base-url http://service.example --allow-http";
    expect((await courier(first, { stdin: "the-first-key" })).exit).toBe(0);
    const { exit, stderr } = await courier("login --no-verify --account shop", { stdin: "the-second-key" });
    expect(exit, stderr).toBe(0);
    expect(JSON.parse(await readConfigText(home)).accounts.shop).toEqual({
      base_url: "http://service.example",
      allow_http: true,
      key: "the-second-key",
    });
  });

  test("takes its base URL as a person may have written it into the file", async () => {
    const { courier, ...home } = await createHome();
    const shop = { base_url: "http://service.example/", allow_http: true, key: "the-first-key" };
    const till = { base_url: "till.example", key: "the-first-key" };
    await putConfig(home, { current: "shop", accounts: { shop, till } });
    for (const [name, stored] of [
      ["shop", { base_url: "http://service.example", allow_http: true, key: "the-second-key" }],
      ["till", { base_url: "https://till.example", key: "the-second-key" }],
    ] as const) {
      const ran = await courier(`login --no-verify --account ${name}`, { stdin: "the-second-key" });
      expect([ran.exit, ran.stderr]).toEqual([0, expect.not.stringContaining("is for")]);
      expect(JSON.parse(await readConfigText(home)).accounts[name]).toEqual(stored);
    }
  });

  test.each([
    ["http://service.example", "the base URL is plain http, which would show the key"],
    [
      "https://me:Secretmarker1@service.example",
      "must not carry a user name or password\nhint: leave them out:",
    ],
    ["/v2", "the base URL is not a URL"],
  ])(
    "whose base URL in the file is %s, which was never allowed, sends nothing",
    async (base_url, message) => {
      const { courier, ...home } = await createHome();
      const shop = { base_url, key: "the-first-key" };
      await putConfig(home, { current: "shop", accounts: { shop } });
      const { exit, stderr } = await courier("login", { stdin: "the-second-key", env: nothing });
      expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
      expect(stderr).not.toContain("Secretmarker1");
      expect(JSON.parse(await readConfigText(home)).accounts).toEqual({ shop });
      const typed = await courier("login --no-verify --base-url https://other.example --account shop", {
        stdin: "the-second-key",
        env: nothing,
      });
      expect([typed.exit, typed.stderr]).toEqual([0, expect.not.stringContaining("Secretmarker1")]);
    },
  );

  test("suggests its base URL at a terminal", async () => {
    const { courier } = await createHome();
    const url = "https://service.example";
    await courier(`login --no-verify --base-url ${url}`, { stdin: "the-first-key" });
    let suggested: string | undefined;
    const prompts: Prompts = {
      ...scriptedPrompts({ secrets: ["the-second-key"] }),
      text: async (_question, options) => {
        suggested = options?.suggestion;
        return suggested ?? "";
      },
    };
    const { exit, stderr } = await courier("login --no-verify", { terminal: 80, prompts });
    expect([exit, suggested], stderr).toEqual([0, url]);
  });

  test("names the account where the key is missing", async () => {
    const { courier } = await createHome();
    const words = "login --account shop --base-url https://service.example --no-input";
    const { exit, stderr } = await courier(words, { terminal: 80, prompts: scriptedPrompts({}) });
    expect(exit).toBe(2);
    expect(stderr).toContain(
      "pipe it in: courier login --account shop --base-url https://service.example < key.txt",
    );
  });
});

test("https at a port of plain http names the URL to try, without a code", async () => {
  const home = await createServedHome();
  const url = home.sandbox.baseUrl;
  const words = `login --base-url ${url.replace("http:", "https:")}`;
  const { exit, stderr } = await home.courier(words, { stdin: "a-key-12345\n", env: nothing });
  expect(exit).toBe(5);
  expect(stderr).toContain(
    `error: cannot reach ${new URL(url).host}: the service does not speak https there\n` +
      `hint: nothing was stored; try ${url}\n`,
  );
  expect(home.sandbox.requests).toEqual([]);
});

test("a service that refuses TLS is told in words, with OpenSSL's code", async () => {
  const alert = Buffer.from([21, 3, 3, 0, 2, 2, 40]);
  const server = createServer((socket) => socket.once("data", () => socket.end(alert)).on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { courier } = await createHome();
  const words = `login --base-url https://localhost:${port}`;
  const { exit, stderr } = await courier(words, { stdin: "a-key-12345\n", env: nothing });
  expect(exit, stderr).toBe(5);
  expect(stderr).toMatch(/cannot reach localhost:\d+: the secure connection failed \(ERR_SSL_[A-Z_\d/]+\)\n/);
});

test("a key that cannot be is refused before it is said where the key will be kept", async () => {
  const { courier } = await createHome();
  const words = "login --no-verify --base-url https://service.example";
  const { exit, stderr } = await courier(words, { stdin: "k".repeat(100_000) });
  expect(exit).toBe(2);
  expect(stderr).toMatch(/^error: the API key /);
});

describe("login beside the variables that choose the account", () => {
  const [key, url] = ["key-of-login-1", "https://api.example.com"];
  const words = `login --no-input --no-verify --base-url ${url}`;

  test.each([
    [
      { COURIER_API_KEY: "another-key-1" },
      "COURIER_API_KEY is set, and other commands use it instead of what is stored: unset it, or add --account shop",
    ],
    [
      { COURIER_BASE_URL: "https://b.example" },
      "COURIER_BASE_URL is set, and other commands use it instead of what is stored: unset it, or add --account shop",
    ],
    [
      { COURIER_ACCOUNT: "live" },
      "COURIER_ACCOUNT is set, and other commands use it instead of what is stored: unset it, or add --account shop",
    ],
    [
      { COURIER_API_KEY: "another-key-1", COURIER_BASE_URL: "https://b.example" },
      "COURIER_API_KEY and COURIER_BASE_URL are set, and other commands use them instead of what is stored: unset them, or add --account shop",
    ],
  ])("%j: stores what it is given, and says what other commands use", async (env, warning) => {
    const { courier, ...home } = await createHome();
    const { exit, stderr } = await courier(`${words} --account shop`, { env, stdin: key });
    expect(exit).toBe(0);
    expect(stderr).toContain(`warning: ${warning}\n`);
    expect(JSON.parse(await readConfigText(home)).accounts.shop).toMatchObject({ base_url: url, key });
  });

  test("of the same values says nothing", async () => {
    const { courier } = await createHome();
    const env = { COURIER_API_KEY: key, COURIER_BASE_URL: `${url}/` };
    const { exit, stderr } = await courier(words, { env, stdin: key });
    expect(exit).toBe(0);
    expect(stderr).not.toContain("warning");
  });

  test("does not take them for its own flag and key, and says so", async () => {
    const { courier, ...home } = await createHome();
    const env = { COURIER_API_KEY: key, COURIER_BASE_URL: url };
    for (const [line, options, told] of [
      [
        "login --no-input",
        {},
        "error: the base URL is missing\nhint: give it with --base-url https://…; login does not use COURIER_BASE_URL\n",
      ],
      [
        words,
        {},
        `error: the API key is empty\nhint: pipe it in: courier login --base-url ${url} < key.txt; login does not use COURIER_API_KEY\n`,
      ],
      [
        words,
        { terminal: 80 },
        `pipe it in: courier login --base-url ${url} < key.txt; login does not use COURIER_API_KEY\n`,
      ],
    ] as const) {
      const { exit, stdout, stderr } = await courier(line, { ...options, env });
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      expect(stderr).toContain(told);
    }
    await expect(readConfigText(home)).rejects.toThrow("ENOENT");
  });
});

describe("without --account", () => {
  const keysOf = async (home: { readonly configDir: string }) => {
    const { accounts } = JSON.parse(await readConfigText(home)) as {
      accounts: Record<string, { key?: string }>;
    };
    return Object.fromEntries(Object.entries(accounts).map(([name, { key }]) => [name, key]));
  };

  async function homeOfTwo() {
    const home = await createHome();
    const store = async (account: string, key: string) => {
      const words = `login --no-verify --account ${account} --base-url https://${account}.example`;
      expect((await home.courier(words, { stdin: key })).exit).toBe(0);
    };
    await store("default", "key-of-default");
    await store("till", "key-of-till");
    return home;
  }

  test.each([
    ["COURIER_ACCOUNT names it", { COURIER_ACCOUNT: "till" }],
    ["it is the current one", {}],
  ])("login and logout take the account in use: %s", async (_how, env) => {
    const home = await homeOfTwo();
    await home.courier("accounts use till");
    expect((await home.courier("login --no-verify", { stdin: "new-key-of-till", env })).exit).toBe(0);
    expect(await keysOf(home)).toEqual({ default: "key-of-default", till: "new-key-of-till" });
    const { exit, stdout } = await home.courier("logout", { env });
    expect([exit, stdout]).toEqual([0, "The key of the account till is forgotten\n"]);
    expect(await keysOf(home)).toEqual({ default: "key-of-default", till: undefined });
  });

  test("login with a base URL leaves the current account alone", async () => {
    const home = await homeOfTwo();
    await home.courier("accounts use till");
    const words = "login --no-verify --base-url https://till.example";
    const { exit, stderr } = await home.courier(words, { stdin: "another-key" });
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining(
        "the account default was for https://default.example, and is for https://till.example now",
      ),
    ]);
    expect(await keysOf(home)).toEqual({ default: "another-key", till: "key-of-till" });
  });

  test("logout of the sandbox, which the environment names, forgets no key", async () => {
    const home = await homeOfTwo();
    expect((await home.courier("logout", { env: { COURIER_ACCOUNT: "sandbox" } })).exit).toBe(2);
    expect((await home.courier("logout --base-url https://till.example")).exit).toBe(2);
    expect(await keysOf(home)).toEqual({ default: "key-of-default", till: "key-of-till" });
  });

  test("the hint about a refused key names the account of the flag", async () => {
    const home = await createServedHome();
    await login(home, "--account till");
    await home.courier("login --no-verify --account till", { stdin: "a-revoked-key-0123", env: nothing });
    const { exit, stderr } = await home.courier("profile --account till", { env: nothing });
    expect([exit, stderr]).toEqual([4, expect.stringContaining("with: courier login --account till\n")]);
  });
});

describe("logout", () => {
  test("forgets the key and keeps the base URL", async () => {
    const home = await createServedHome();
    await login(home);
    expect(await home.courier("logout --json", { env: nothing })).toEqual({
      exit: 0,
      stdout: '{"account":"default","logged_out":true,"details_deleted":true,"details_kept":0}\n',
      stderr: "",
    });
    const text = await readConfigText(home);
    expect(text).not.toContain(home.sandbox.apiKey);
    expect(JSON.parse(text).accounts.default.base_url).toBe(home.sandbox.baseUrl);
    const after = await home.courier("profile", { env: nothing });
    expect(after).toMatchObject({ exit: 4, stdout: "" });
    expect(after.stderr).toContain("no key is stored for the account default");
  });

  test.each([
    ["logout", "there is no account named default", 4],
    ["logout --account nobody", "there is no account named nobody", 4],
    ["logout --account sandbox", "the account sandbox has no key to forget", 2],
  ])("%s with nothing to forget", async (words, message, expected) => {
    const { courier } = await createHome();
    const { exit, stdout, stderr } = await courier(words);
    expect({ exit, stdout }).toEqual({ exit: expected, stdout: "" });
    expect(stderr).toContain(message);
  });

  test("keys of the file that this version does not know survive a write", async () => {
    const home = await createHome();
    const shop = { base_url: "https://a.example", key: "k-12345", colour: "red" };
    await putConfig(home, { current: "shop", accounts: { shop }, later: { a: [1] } });
    expect((await home.courier("logout")).exit).toBe(0);
    expect(JSON.parse(await readConfigText(home))).toMatchObject({
      accounts: { shop: { base_url: "https://a.example", colour: "red" } },
      later: { a: [1] },
    });
  });
});
