/** What `courier` alone says: who is logged in, and what to do next. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { putConfig } from "../support/config-file.ts";
import { createHome, createServedHome, type Home } from "../support/courier.ts";
import { tooWide } from "../support/screens.ts";

async function overview(home: Home, env: Record<string, string> = {}): Promise<string> {
  const { exit, stdout, stderr } = await home.courier("", { fromStart: true, terminal: 80, env });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  const lines = stdout.split("\n");
  expect(lines.length).toBeLessThanOrEqual(14);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(stdout).toContain("courier help lists all commands");
  return stdout;
}

const account = { base_url: "https://api.example.com", key: "some-key-12345" };

test("with no account: the two ways to begin, and nothing is written", async () => {
  const text = await overview(await createHome());
  expect(text).toContain("You are not logged in. Two ways to begin:\n  courier login ");
  expect(text).toContain("\n  courier --account sandbox orders create ");
});

test("with an account: which one, and what to do next, without a call and without the key", async () => {
  const home = await createServedHome();
  await putConfig(home, { current: "shop", accounts: { shop: account, other: account } });
  const text = await overview(home, { COURIER_API_KEY: "", COURIER_BASE_URL: "" });
  expect(text).toContain(
    "\nAccount: shop, at https://api.example.com\n2 accounts on this machine: courier accounts list\n",
  );
  expect(text).toContain("\nNext:\n  courier orders create ");
  expect(text).not.toContain(account.key);
  expect(home.sandbox.requests).toEqual([]);
});

test("the environment wins over the stored account", async () => {
  const home = await createServedHome();
  await putConfig(home, { current: "shop", accounts: { shop: account } });
  const { COURIER_API_KEY = "", COURIER_BASE_URL = "" } = {
    COURIER_API_KEY: home.sandbox.apiKey,
    COURIER_BASE_URL: home.sandbox.baseUrl,
  };
  const text = await overview(home, { COURIER_API_KEY, COURIER_BASE_URL });
  expect(text).toContain(`\nAccount: the key in COURIER_API_KEY, at ${home.sandbox.baseUrl}\n`);
  const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "", COURIER_ACCOUNT: "sandbox" };
  expect(await overview(home, env)).toContain("\nAccount: sandbox, which ships nothing\n");
});

test("an account without a key, and an unknown one: what is missing", async () => {
  const home = await createHome();
  await putConfig(home, { current: "shop", accounts: { shop: { base_url: account.base_url } } });
  expect(await overview(home)).toContain("No account can be used: no key is stored for the account shop\n");
  expect(await overview(home, { COURIER_ACCOUNT: "shpo" })).toContain("there is no account named shpo\n");
});

test.each([
  ["cannot be read", "{"],
  ["is a list", "[]"],
  ["is empty", "null"],
  ["is of a later version", '{"version":99}'],
  ["has a list for its accounts", '{"accounts":[]}'],
  [
    "has a number for a key",
    '{"current":"a","accounts":{"a":{"base_url":"https://shop.test","key":12345678}}}',
  ],
])("a config file that %s is not taken for no account", async (_what, content) => {
  const home = await createHome();
  await mkdir(home.configDir, { recursive: true });
  await writeFile(path.join(home.configDir, "config.json"), content);
  expect(await overview(home)).toContain("The config file cannot be read; courier doctor says why.\n");
});

test("a name from the config file cannot reach the terminal as a control", async () => {
  const home = await createHome();
  await putConfig(home, { current: "s\u001b[2Jx", accounts: { "s\u001b[2Jx": account } });
  expect(await overview(home)).not.toContain("\u001b");
});

test.each([40, 80, 140])("only a command is wider than a terminal of %i columns", async (terminal) => {
  const { courier } = await createHome();
  const { stdout } = await courier("", { terminal, fromStart: true });
  expect(stdout).toContain("courier login");
  expect(tooWide(stdout, terminal).filter((line) => !line.startsWith("  courier "))).toEqual([]);
  expect(stdout).toMatch(/courier COMMAND --help/);
});
