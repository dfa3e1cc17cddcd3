/** An account whose key became another customer's without a login: what the former key was shown says nothing of its orders. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { readCachedOrders } from "../../src/ledger/order-cache.ts";
import { putConfig } from "../support/config-file.ts";
import { createTwoCustomers, firstKey, secondKey } from "../support/customers.ts";
import { plainDraft } from "../support/orders.ts";

/** The first customer has three orders, and a list has shown them. Then the account has the second one's key. */
async function createReplacedKey(place: string) {
  const home = await createTwoCustomers();
  const program = path.join(home.directory, "key.sh");
  const put = async (key: string) => {
    await writeFile(program, `echo ${key}\n`);
    const stored = place === "the config file" ? { key } : { key_command: `sh ${program}` };
    await putConfig(home, { current: "shop", accounts: { shop: { base_url: home.baseUrl, ...stored } } });
  };
  const send = (name: string) => {
    const stdin = JSON.stringify({ ...plainDraft, receiver: { ...plainDraft.receiver, name } });
    return home.courier("orders create --file - --json", { stdin });
  };
  await put(firstKey);
  for (const name of ["王五", "赵六", "钱七"]) expect((await send(name)).exit).toBe(0);
  expect((await home.courier("orders list --all --json")).exit).toBe(0);
  await put(secondKey);
  home.clock.advance(60_000);
  return { ...home, send };
}

test.each(["the config file", "a program"])("in %s, each create is its own order", async (place) => {
  const home = await createReplacedKey(place);
  const cached = readCachedOrders(home.stateDir, { account: "shop", service: home.baseUrl });
  expect(cached, "for the Tab key").toHaveLength(3);
  for (const [name, id] of [
    ["孙七", 1000001],
    ["周八", 1000002],
  ] as const) {
    const { exit, stdout, stderr } = await home.send(name);
    expect(exit, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id });
    expect((await home.courier(`orders show ${id} --json`)).exit).toBe(0); // which records what was shown
  }
  expect(home.second.requests.filter(({ method }) => method === "POST")).toHaveLength(2);
});
