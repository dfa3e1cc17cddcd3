/** The tests of which account a run uses, and of where a stored key never goes. */

import { describe, expect, test } from "vitest";
import {
  type AccountChoice,
  chooseAccount,
  findAccount,
  parseAccountName,
} from "../../src/config/accounts.ts";
import { parseApiKey } from "../../src/config/key-source.ts";
import type { Config } from "../../src/config/store.ts";
import { CourierError } from "../../src/core/errors.ts";

const shop = { base_url: "https://shop.example.com/eu", key: "shop-key" };
const other = { base_url: "https://other.example.com", key: "other-key" };
const keyless = { base_url: "https://keyless.example.com" };
const plain = { base_url: "http://10.0.0.5", key: "plain-key", allow_http: true };

function configOf(current?: string): Config {
  const config: Partial<Config> = { current, accounts: { shop, other, keyless, plain } };
  return config as Config;
}

const empty = { ...configOf(), accounts: {} };

/** `name baseUrl key`, `sandbox`, or the error's code and exit. */
function outcome(choice: AccountChoice, config: Config): string {
  try {
    const account = chooseAccount(choice, config);
    if (account.kind === "sandbox") return "sandbox";
    const { name, baseUrl, key } = account;
    return `${name} ${baseUrl} ${"apiKey" in key ? key.apiKey : key.place}`;
  } catch (error) {
    if (!(error instanceof CourierError)) throw error;
    return `${error.code} ${error.exit}`;
  }
}

const envUrl = "https://env.example.com";
const flagUrl = "https://flag.example.com";

describe("flag before environment before the current account", () => {
  const table: [choice: AccountChoice, current: string | undefined, expected: string][] = [
    [{}, undefined, "no_account 4"],
    [{}, "shop", "shop https://shop.example.com/eu shop-key"],
    [{}, "sandbox", "sandbox"],
    [{}, "gone", "no_account 4"],
    [{}, "keyless", "no_account 4"],
    [{}, "plain", "plain http://10.0.0.5 plain-key"],
    [{ accountEnv: "other" }, "shop", "other https://other.example.com other-key"],
    [{ accountEnv: "sandbox" }, "shop", "sandbox"],
    [{ accountEnv: "gone" }, "shop", "no_account 4"],
    [{ accountFlag: "shop", accountEnv: "other" }, "other", "shop https://shop.example.com/eu shop-key"],
    [{ accountFlag: "sandbox", accountEnv: "other" }, "shop", "sandbox"],
    [{ accountFlag: "gone" }, "shop", "no_account 4"],
    [{ accountFlag: "gone", apiKeyEnv: "key-of-env", baseUrlEnv: envUrl }, "shop", "no_account 4"],
    [
      { apiKeyEnv: "key-of-env", baseUrlEnv: envUrl },
      undefined,
      "(environment) https://env.example.com key-of-env",
    ],
    [{ apiKeyEnv: "key-of-env", baseUrlEnv: envUrl }, "shop", "shop https://env.example.com key-of-env"],
    [
      { apiKeyEnv: "key-of-env", baseUrlEnv: envUrl },
      "sandbox",
      "(environment) https://env.example.com key-of-env",
    ],
    [{ apiKeyEnv: "key-of-env" }, "sandbox", "usage 2"],
    [{ baseUrlFlag: flagUrl }, "sandbox", "no_account 4"],
    [{ baseUrlEnv: envUrl }, "sandbox", "no_account 4"],
    [
      { apiKeyEnv: "key-of-env", baseUrlFlag: flagUrl },
      "sandbox",
      "(environment) https://flag.example.com key-of-env",
    ],
    [{ accountEnv: "sandbox", baseUrlEnv: envUrl }, "shop", "usage 2"],
    [{ accountEnv: "sandbox", baseUrlFlag: flagUrl }, undefined, "usage 2"],
    [{ accountFlag: "sandbox", baseUrlEnv: envUrl }, "shop", "sandbox"],
    [{ apiKeyEnv: "key-of-env" }, undefined, "no_account 4"],
    [{ apiKeyEnv: "key-of-env" }, "shop", "shop https://shop.example.com/eu key-of-env"],
    [{ apiKeyEnv: "key-of-env" }, "keyless", "keyless https://keyless.example.com key-of-env"],
    [
      { apiKeyEnv: "key-of-env", accountFlag: "shop" },
      undefined,
      "shop https://shop.example.com/eu shop-key",
    ],
    [
      { apiKeyEnv: "key-of-env", baseUrlEnv: envUrl, accountFlag: "shop" },
      "other",
      "shop https://shop.example.com/eu shop-key",
    ],
    [{ apiKeyEnv: "key-of-env", accountFlag: "sandbox" }, "shop", "sandbox"],
    [
      { apiKeyEnv: "key-of-env", baseUrlEnv: envUrl, baseUrlFlag: flagUrl },
      "shop",
      "shop https://flag.example.com key-of-env",
    ],
    [{ baseUrlFlag: "https://shop.example.com/us" }, "shop", "shop https://shop.example.com/us shop-key"],
    [{ baseUrlEnv: "https://shop.example.com" }, "shop", "shop https://shop.example.com shop-key"],
    [{ accountFlag: "sandbox", baseUrlFlag: flagUrl }, "shop", "usage 2"],
  ];

  test.each(table)("%j with %s as the current one: %s", (choice, current, expected) => {
    expect(outcome(choice, configOf(current))).toBe(expected);
  });
});

describe("a stored key goes only where it belongs", () => {
  test.each<[AccountChoice, Config]>([
    [{ baseUrlFlag: flagUrl }, configOf("shop")],
    [{ baseUrlEnv: envUrl }, configOf("shop")],
    [{ baseUrlFlag: flagUrl, accountFlag: "shop" }, configOf()],
    [{ baseUrlFlag: "https://shop.example.com:8443/eu" }, configOf("shop")],
    [{ baseUrlFlag: "http://localhost/eu" }, configOf("shop")],
    [{ baseUrlFlag: "https://other.example.com" }, configOf("shop")],
  ])("%j", (choice, config) => {
    expect(outcome(choice, config)).toBe("usage 2");
  });

  test("nowhere where the file has no usable URL for it", () => {
    const bare = { base_url: "flag.example.com", key: "bare-key" };
    expect(outcome({ baseUrlFlag: flagUrl }, { ...empty, current: "bare", accounts: { bare } })).toBe(
      "usage 2",
    );
  });

  test("not in the clear to where only another account may send so", () => {
    expect(outcome({ baseUrlFlag: "http://10.0.0.5", apiKeyEnv: "k" }, configOf("plain"))).toBe("usage 2");
    const careless = { base_url: "http://10.0.0.5", key: "k" };
    expect(outcome({ accountFlag: "careless" }, { ...empty, accounts: { careless } })).toBe("usage 2");
  });
});

test("nothing set up: both ways on are named", () => {
  expect(() => chooseAccount({}, empty)).toThrow(
    expect.objectContaining({ exit: 4, hint: expect.stringMatching(/courier login.*--account sandbox/) }),
  );
});

test.each([
  [{ shop }, "choose one with: courier accounts use shop"],
  [{ shop, other }, "choose one with: courier accounts use NAME; known accounts: shop, other"],
])("no current account, where others are stored: says how to choose one", (accounts, hint) => {
  for (const current of [undefined, "gone"])
    expect(() => chooseAccount({}, { ...empty, current, accounts })).toThrow(
      expect.objectContaining({
        exit: 4,
        message: "there is no current account, and no base URL was given",
        hint,
      }),
    );
});

test("a key in the environment belongs to a service of its own: its base URL is asked for first", () => {
  expect(() => chooseAccount({ apiKeyEnv: "key-of-env" }, { ...empty, accounts: { shop } })).toThrow(
    expect.objectContaining({
      hint: "set COURIER_BASE_URL for the key in COURIER_API_KEY, or choose one with: courier accounts use shop",
    }),
  );
});

test("an unknown account: the known ones are named", () => {
  expect(() => chooseAccount({ accountFlag: "shpo" }, configOf())).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("shop, other, keyless, plain, sandbox") }),
  );
});

test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
  "%s is no account that always exists",
  (name) => {
    expect(findAccount(configOf(), name)).toBeUndefined();
    expect(outcome({ accountFlag: name }, configOf())).toBe("no_account 4");
  },
);

describe("account names", () => {
  test.each(["shop", "Shop-1", "eu.prod_2", "店铺", "a", "x".repeat(64)])("%s", (name) => {
    expect(parseAccountName(name)).toBe(name);
  });

  test.each([
    "",
    " ",
    "a b",
    "-a",
    ".a",
    "_a",
    "a/b",
    "../a",
    "a\nb",
    "a\u202eb",
    "x".repeat(65),
    "__proto__",
    "--json",
  ])("%j is none", (name) => {
    expect(() => parseAccountName(name)).toThrow(expect.objectContaining({ exit: 2 }));
  });
});

describe("keys", () => {
  test("are trimmed, and hold visible ASCII", () => {
    expect(parseApiKey(" sk_live_!~+/= \r\n", "the key")).toBe("sk_live_!~+/=");
  });

  test.each(["", " \n", "two keys", "a\nb", "schlüssel", "a\u0000b", "\ufffdkey"])("%j is none", (text) => {
    expect(() => parseApiKey(text, "the key")).toThrow(expect.objectContaining({ exit: 2 }));
    try {
      parseApiKey(text, "the key");
    } catch (error) {
      if (text.trim() !== "") expect((error as Error).message).not.toContain(text.trim());
    }
  });
});
