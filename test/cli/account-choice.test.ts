/** Which account and key a run uses, and where a key never goes. */

import { describe, expect, test } from "vitest";
import { configPath, putConfig, readConfigText } from "../support/config-file.ts";
import { createHome, createServedHome, type ServedHome } from "../support/courier.ts";

const nothing = { COURIER_BASE_URL: "", COURIER_API_KEY: "" };

/** A served home whose environment is empty and whose config holds the account `shop`. */
async function storedHome(account: object = {}): Promise<ServedHome> {
  const home = await createServedHome();
  const shop = { base_url: home.sandbox.baseUrl, key: home.sandbox.apiKey, ...account };
  await putConfig(home, { current: "shop", accounts: { shop } });
  return home;
}

function keysSeen({ sandbox }: ServedHome) {
  return sandbox.requests.map(({ headers }) => headers.authorization);
}

describe("no account at all", () => {
  test.each(["profile", "orders list", "orders show 1", "orders cancel 1 --yes", "track T1"])(
    "%s: exit 4, and both ways on",
    async (words) => {
      const { courier } = await createHome();
      expect(await courier(words)).toEqual({
        exit: 4,
        stdout: "",
        stderr:
          "error: no account is set up here, and no base URL was given\n" +
          "hint: run courier login, or try without any account: --account sandbox\n",
      });
      const { exit, stdout, stderr } = await courier(`${words} --json`);
      expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
      expect(JSON.parse(stderr).error).toMatchObject({ code: "no_account", exit: 4 });
    },
  );

  test("a base URL without a key is named", async () => {
    const { courier } = await createHome();
    const { exit, stderr } = await courier("profile --base-url https://api.example.com");
    expect(exit).toBe(4);
    expect(stderr).toMatch(
      /^error: there is no key for https:\/\/api\.example\.com: give it in COURIER_API_KEY\nhint: run courier login/,
    );
  });

  test("an empty name may be a variable that is not set", async () => {
    const home = await storedHome();
    const { exit, stderr } = await home.courier(["profile", "--account", ""], { env: nothing });
    expect(exit).toBe(4);
    expect(stderr).toContain("error: the name of the account is empty\n");
    expect(stderr).toContain("is a variable of the shell not set? Known accounts: ");
  });

  test("an unknown account is named beside the known ones", async () => {
    const home = await storedHome();
    for (const [words, env] of [
      ["profile --account shp", {}],
      ["profile", { COURIER_ACCOUNT: "shp" }],
    ] as const) {
      const { exit, stdout, stderr } = await home.courier(words, { env: { ...nothing, ...env } });
      expect({ exit, stdout }).toEqual({ exit: 4, stdout: "" });
      expect(stderr).toBe(
        "error: there is no account named shp\n" +
          "hint: known accounts: shop, sandbox; make one with: courier login --account NAME\n",
      );
    }
    expect(home.sandbox.requests).toEqual([]);
  });
});

describe("flag before environment before stored account", () => {
  test("the environment's key and URL work with no stored account", async () => {
    const home = await createServedHome();
    expect((await home.courier("profile")).exit).toBe(0);
    expect(keysSeen(home)).toEqual([`Bearer ${home.sandbox.apiKey}`]);
  });

  test("the stored account works with an empty environment", async () => {
    const home = await storedHome();
    expect((await home.courier("profile", { env: nothing })).exit).toBe(0);
    expect(keysSeen(home)).toEqual([`Bearer ${home.sandbox.apiKey}`]);
  });

  test("the environment's key wins over the stored one", async () => {
    const home = await storedHome({ key: "stored-key" });
    expect((await home.courier("profile")).exit).toBe(0);
    expect(keysSeen(home)).toEqual([`Bearer ${home.sandbox.apiKey}`]);
  });

  test("--account is used as it is stored, whatever the environment says", async () => {
    const home = await storedHome();
    const env = { COURIER_API_KEY: "other-key-1", COURIER_BASE_URL: "https://127.0.0.1:1" };
    expect((await home.courier("profile --account shop", { env })).exit).toBe(0);
    expect(keysSeen(home)).toEqual([`Bearer ${home.sandbox.apiKey}`]);
  });

  test("COURIER_ACCOUNT wins over the current account", async () => {
    const home = await storedHome();
    await putConfig(home, {
      current: "broken",
      accounts: {
        broken: { base_url: "http://127.0.0.1:1", key: "wrong-key" },
        shop: { base_url: home.sandbox.baseUrl, key: home.sandbox.apiKey },
      },
    });
    expect((await home.courier("profile", { env: { ...nothing, COURIER_ACCOUNT: "shop" } })).exit).toBe(0);
  });

  test("--base-url wins over COURIER_BASE_URL", async () => {
    const home = await createServedHome();
    const env = { COURIER_BASE_URL: "http://127.0.0.1:1" };
    expect((await home.courier(`profile --base-url ${home.sandbox.baseUrl}/`, { env })).exit).toBe(0);
  });
});

describe("a stored key goes only to the origin that it was stored for", () => {
  test("--base-url and COURIER_BASE_URL of another origin are refused before anything is sent", async () => {
    const home = await storedHome({ base_url: "https://api.example.com", key: "stored-key-1" });
    const url = home.sandbox.baseUrl;
    for (const [words, env] of [
      [`profile --base-url ${url}`, nothing],
      [`profile --account shop --base-url ${url}`, {}],
      ["profile", { ...nothing, COURIER_BASE_URL: url }],
    ] as const) {
      const { exit, stdout, stderr } = await home.courier(words, { env });
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      expect(stderr).toContain(`belongs to https://api.example.com and is not sent to ${url}`);
      expect(stderr).not.toContain("stored-key-1");
    }
    expect(home.sandbox.requests).toEqual([]);
  });

  test("a redirect is not followed, neither to another origin nor to the same", async () => {
    const home = await createServedHome();
    const other = await createServedHome();
    for (const location of [`${other.sandbox.baseUrl}/api/v1/user/profile`, "/api/v1/user/profile"]) {
      home.sandbox.faults.set([{ kind: "redirect", location: `${location}?session=S3cret#S3cret` }]);
      const { exit, stdout, stderr } = await home.courier("profile");
      expect({ exit, stdout }).toEqual({ exit: 5, stdout: "" });
      expect(stderr).toContain(`redirects (HTTP 302) to ${location}\n`);
    }
    expect(home.sandbox.requests).toHaveLength(2);
    expect(other.sandbox.requests).toEqual([]);
  });
});

describe("a URL in a message", () => {
  test.each([
    ["http://h/?key=S3cret", ": http://h/"],
    ["https://h/eu#S3cret", ": https://h/eu"],
    ["https://S3cret:S3cret@h b/eu?S3cret", ": https://h b/eu"],
    ["https://user:S3cret/S3cret@h/", ": https://h/"],
    ["h/?key=S3cret", "is not a URL"],
    ["S3cret:S3cret@h", "is not a URL"],
  ])("%s shows no user, password, query and fragment", async (url, shown) => {
    const { courier } = await createHome({ COURIER_API_KEY: "some-key" });
    for (const words of ["login", "profile", "profile --json"]) {
      const { exit, stderr } = await courier([...words.split(" "), "--base-url", url], { stdin: "some-key" });
      expect(exit).toBe(2);
      expect(stderr).not.toMatch(/S3cret|user/);
      expect(stderr).toContain(`${shown}${words.endsWith("json") ? '"' : "\n"}`);
    }
  });

  test("of a raw call neither", async () => {
    const home = await createServedHome();
    for (const path of ["//u:S3cret@evil.test/x?S3cret", "https://u:S3cret@h b/?S3cret"]) {
      const { exit, stderr } = await home.courier(["api", path]);
      expect(exit).toBe(2);
      expect(stderr).not.toContain("S3cret");
    }
    home.sandbox.faults.set([{ kind: "drop_before", path: ".*/pay.*" }]);
    const { stderr } = await home.courier(["api", "POST", "orders/1/pay?token=S3cret"]);
    expect(stderr).toContain("POST orders/1/pay may or may not have taken effect");
    expect(stderr).not.toContain("S3cret");
  });
});

describe("what may be a base URL", () => {
  /** A login corrects them, and says so. */
  const isCorrected = /api\/v1|^api\./;

  test.each([
    ["http://api.example.com", /plain http, which would show the key to everyone on the way/],
    ["http://127.0.0.1.example.com", /plain http/],
    ["http://user:pass@127.0.0.1", /must not carry a user name or password/],
    ["https://api.example.com/api/v1", /must not contain \/api\/v1.*use https:\/\/api\.example\.com\n/s],
    ["https://api.example.com/api/v1/", /must not contain \/api\/v1/],
    ["https://api.example.com?key=1", /must not have a query or a fragment/],
    ["ftp://api.example.com", /must begin with https:\/\//],
    ["api.example.com", /is not a URL\n/],
  ])("%s is refused", async (url, message) => {
    const { courier } = await createHome({ COURIER_API_KEY: "some-key" });
    for (const [words, env] of [
      [`profile --base-url ${url}`, {}],
      ["profile", { COURIER_BASE_URL: url }],
      ...(isCorrected.test(url) ? [] : [[`login --base-url ${url}`, {}] as const]),
    ] as const) {
      const { exit, stdout, stderr } = await courier(words, { env, stdin: "some-key" });
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      expect(stderr).toMatch(message);
      expect(stderr).not.toContain("pass@");
    }
  });
});

describe("a corrupt config file is named, and left as it is", () => {
  test.each([
    ["not JSON", '{"accounts": {', /line 1, column \d+/],
    ["empty", "", /not valid JSON/],
    ["a key twice", '{"addresses":{"a":{"name":"A"}},\n"addresses":{}}', /has 'addresses' twice, line 2, /],
    ["an array", "[]", /it should be an object/],
    ["a number", "1", /it should be an object/],
    [
      "a key that nobody knows",
      '{"templates":{"bk":{"s{nder":{}}}}',
      /templates\.bk\.s\{nder should be left out/,
    ],
    ["a map with a number", '{"maps":{"b":{"columns":7}}}', /maps\.b\.columns should be a string/],
    ["an account that is text", '{"accounts":{"shop":"x"}}', /accounts\.shop should be an object/],
    ["an account without URL", '{"accounts":{"shop":{}}}', /accounts\.shop\.base_url should be a string/],
    [
      "one named __proto__",
      '{"accounts":{"__proto__":{}}}',
      /accounts\.__proto__\.base_url should be a string/,
    ],
    [
      "an address named __proto__",
      '{"addresses":{"__proto__":7}}',
      /addresses\.__proto__ should be an object/,
    ],
    [
      "a template named __proto__",
      '{"templates":{"__proto__":7}}',
      /templates\.__proto__ should be an object/,
    ],
    ["column names named __proto__", '{"maps":{"__proto__":7}}', /maps\.__proto__ should be an object/],
    ["of a later version", '{"version":2,"accounts":{}}', /version 2, which this courier does not know/],
  ])("%s", async (_what, text, message) => {
    const home = await createHome();
    await putConfig(home, text);
    for (const words of [
      "profile",
      "accounts list",
      "accounts use sandbox",
      "accounts remove shop --yes",
      "logout",
      "login --base-url http://127.0.0.1:1 --no-verify",
    ]) {
      const { exit, stdout, stderr } = await home.courier(words, { stdin: "some-key" });
      expect({ words, exit, stdout }).toEqual({ words, exit: 2, stdout: "" });
      expect(stderr).toMatch(message);
      expect(stderr).toContain(configPath(home));
      expect(stderr).toMatch(/left as it is/);
      expect(await readConfigText(home)).toBe(text);
    }
  });
});

test("a config file that would be larger than 16 MiB is not written, and the one before stays", async () => {
  const home = await createHome();
  await home.courier("addresses add shop --name A");
  const before = await readConfigText(home);
  const { exit, stderr } = await home.courier([
    "addresses",
    "add",
    "big",
    "--detail",
    "x".repeat(17 * 2 ** 20),
  ]);
  expect(exit).toBe(2);
  expect(stderr).toContain(
    `cannot write the config file ${configPath(home)}: it would be larger than 16 MiB\n`,
  );
  expect(await readConfigText(home)).toBe(before);
});
