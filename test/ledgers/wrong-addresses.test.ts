/** Addresses of a shared ledger that are wrong: a usage error each, before anything is sent. */

import { expect, test } from "vitest";
import { putConfig } from "../support/config-file.ts";
import { createHome, createServedHome } from "../support/courier.ts";
import { plainDraft } from "../support/orders.ts";

const key = { COURIER_API_KEY: "test-key-0123456789", COURIER_BASE_URL: "http://127.0.0.1:9" };

test.each([
  "postgres://shop@localhost/or%ders",
  "postgres://sh%op@localhost/orders",
  "postgres://shop@lo%zzst/x",
])("%s: a % that begins no escape", async (address) => {
  const home = await createHome(key);
  const env = { COURIER_LEDGER: address };
  for (const words of [["ledger", "status"], ["doctor"]]) {
    const { exit, stdout, stderr } = await home.courier(words, { env });
    expect(stdout + stderr).toMatch(/has a % that begins\s+no\s+escape/);
    expect(exit, stderr).toBe(2);
  }
});

test("ledger use names such an address that the account has", async () => {
  const home = await createServedHome();
  const { baseUrl, apiKey } = home.sandbox;
  const shop = { base_url: baseUrl, key: apiKey, ledger: "postgres://shop@127.0.0.1:1/100%" };
  await putConfig(home, { current: "shop", accounts: { shop } });
  const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
  const { exit, stderr } = await home.courier("ledger use postgres://shop@127.0.0.1:2/orders", { env });
  expect([exit, stderr]).toEqual([
    2,
    expect.stringContaining("the ledger of the account shop has a % that begins no escape"),
  ]);
});

test("orders create with such an address: nothing is sent", async () => {
  const home = await createServedHome();
  const { exit, stderr } = await home.courier("orders create --file - --yes", {
    stdin: JSON.stringify(plainDraft),
    env: { COURIER_LEDGER: "postgres://shop@localhost/or%ders" },
  });
  expect(exit, stderr).toBe(2);
  expect(home.sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(0);
});

test.each(["abc", "70000"])("PGPORT=%s is no port", async (port) => {
  const home = await createHome(key);
  const env = { COURIER_LEDGER: "postgres://shop@localhost/orders", PGPORT: port };
  const { exit, stderr } = await home.courier("ledger status", { env });
  expect(stderr).toContain(`PGPORT is ${port}, which is no port`);
  expect(exit, stderr).toBe(2);
});

test("a certificate that is not there, in plain words", async () => {
  const home = await createHome(key);
  const settings = "sslmode=require&sslrootcert=/nonexistent.crt";
  const { exit, stderr } = await home.courier("ledger status", {
    env: { COURIER_LEDGER: `postgres://shop@127.0.0.1:1/orders?${settings}` },
  });
  expect(stderr).toContain("the file of sslrootcert in COURIER_LEDGER cannot be read: there is no such file");
  expect(exit, stderr).toBe(2);
});

test("a port of 0 in the address is named as that of the address", async () => {
  const home = await createHome(key);
  const { stderr } = await home.courier("ledger status", {
    env: { COURIER_LEDGER: "postgres://shop@localhost:0/orders" },
  });
  expect(stderr).toContain("the port in COURIER_LEDGER is 0, which is no port");
});

test.each([
  "postgres://shop:Kx7secret9@db.example.com/courier",
  "postgres://shop:?Kx7secret9@db.example.com/courier",
  "postgres://shop:2024?Kx7secret9@db.example.com/courier",
  "postgres://shop:2024#Kx7secret9@db.example.com/courier",
])("a password in the address is not shown: %s", async (address) => {
  const home = await createHome(key);
  const { exit, stdout, stderr } = await home.courier("ledger status", { env: { COURIER_LEDGER: address } });
  expect(stdout + stderr).not.toContain("Kx7secret9");
  expect(exit).toBe(2);
});

test("a setting of the environment is named by its variable", async () => {
  const home = await createHome(key);
  const { exit, stderr } = await home.courier("ledger status", {
    env: { COURIER_LEDGER: "postgres://shop@localhost/orders", PGSSLMODE: "prefer" },
  });
  expect(exit, stderr).toBe(2);
  expect(stderr).toContain("PGSSLMODE is prefer, which courier does not support");
});
