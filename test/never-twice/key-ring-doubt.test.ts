/** An account whose key is in the key ring, which `orders resolve` does not ask: it names all orders in doubt of the account. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { ctrlC, personWho } from "../support/answering.ts";
import { createTwoCustomers, firstKey, rotatedKey, secondKey } from "../support/customers.ts";
import { plainDraft } from "../support/orders.ts";

/** An order of the first customer is in doubt. */
async function homeInDoubt() {
  const home = await createTwoCustomers();
  const login = async (key: string, words = "") => {
    const line = `login --base-url ${home.baseUrl} --allow-http --key-store keychain ${words}`;
    const ran = await home.courier(line, { stdin: key });
    expect(ran.exit, ran.stderr).toBe(0);
  };
  const create = async (name: string) => {
    const file = path.join(home.directory, "order.json");
    await writeFile(file, JSON.stringify({ ...plainDraft, receiver: { ...plainDraft.receiver, name } }));
    return home.courier(`orders create --file ${file}`);
  };
  await login(firstKey);
  home.first.faults.set([
    { method: "POST", path: "/api/v1/orders", kind: "status", status: 504, times: 1 },
    { kind: "status", status: 503, method: "GET", path: "/api/v1/orders" },
  ]);
  expect((await create("孙大力")).exit).toBe(6);
  home.first.faults.clear();
  return { home, login, create };
}

test("after another customer's key, and back", async () => {
  const { home, login } = await homeInDoubt();
  await login(secondKey);
  await login(firstKey);
  expect((await home.courier("orders resolve")).stdout).toContain("孙大力");
});

test("after a renewed key whose profile could not be read for a moment", async () => {
  const { home, login, create } = await homeInDoubt();
  home.first.faults.set([{ kind: "status", status: 403, method: "GET", path: "/api/v1/user/profile" }]);
  await login(rotatedKey, "--no-verify");
  await home.courier("sync");
  home.first.faults.clear();
  expect((await create("王五")).exit).toBe(0);
  expect((await home.courier("orders resolve")).stdout).toContain("孙大力");
});

test("another customer's form says nothing of the order", async () => {
  const { home, login } = await homeInDoubt();
  await login(secondKey);
  const form = await home.courier("orders create", { terminal: 80, prompts: personWho(["Sender", ctrlC]) });
  expect(form.stderr).not.toContain("孙大力");
});
