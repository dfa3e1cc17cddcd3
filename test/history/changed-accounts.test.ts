/** Hints about a run whose account has another customer or another ledger by now: followed, they cancel no other order. */

import { expect, test } from "vitest";
import { putConfig } from "../support/config-file.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { createAtService, stateAtService } from "../support/ledger.ts";
import { plainDraft } from "../support/orders.ts";

const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

async function createHomes() {
  const home = await createServedHome();
  const next = await createServedHome({ apiKey: "next-key-0123456789" });
  const courier: ServedHome["courier"] = (words, options = {}) => home.courier(words, { ...options, env });
  return { home, next, courier };
}

test("a cancel is not called safe to repeat where the account is another customer's by now", async () => {
  const { home, next, courier } = await createHomes();
  const login = ({ sandbox }: ServedHome) =>
    courier(`login --account shop --base-url ${sandbox.baseUrl}`, { stdin: sandbox.apiKey });
  await login(home);
  const own = await createAtService(home);
  expect((await courier(`orders cancel ${own.id} --yes --account shop`)).exit).toBe(0);
  const resolve = () => courier("orders resolve 1.1 --not-created --yes --account shop");
  expect((await resolve()).stderr).toContain(
    `1.1 is a cancel of order ${own.id}; only creates can be resolved\nhint: it is safe to cancel again: courier orders cancel ${own.id} --account shop\n`,
  );
  await login(next);
  const other = await createAtService(next);
  expect(other.id, "the id of an order of the other customer").toBe(own.id);
  const { exit, stderr } = await resolve();
  expect(exit).toBe(2);
  expect(stderr).toContain(`run 1 belongs to another customer at ${home.sandbox.baseUrl}`);
  expect(stderr).not.toContain("orders cancel");
  expect(await stateAtService(next, other.id)).toBe("pending");
});

test("a run is not looked for in another ledger, where its number is another run's", async () => {
  const { home, next, courier } = await createHomes();
  const put = (shop: object) =>
    putConfig(home, {
      current: "default",
      accounts: {
        default: { base_url: next.sandbox.baseUrl, key: next.sandbox.apiKey },
        shop: { base_url: home.sandbox.baseUrl, key: home.sandbox.apiKey, ...shop },
      },
    });
  await put({});
  const stdin = JSON.stringify(plainDraft);
  expect((await courier("orders create --file - --account shop --yes", { stdin })).exit).toBe(0);
  const belongs = "run 1 belongs to the account shop; the current account is default\nhint: ";
  const commands = ["undo 1 --yes", "orders slips --run 1"];
  for (const words of commands) {
    const { exit, stderr } = await courier(words);
    expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining(belongs) });
    expect(stderr).toContain(`courier ${words.replace(" --yes", "")} --account shop\n`);
  }
  await put({ ledger: "postgres://courier@db.invalid/orders" });
  for (const words of commands) {
    const { exit, stderr } = await courier(words);
    expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining(belongs) });
    expect(stderr).toContain(
      "the account shop uses another ledger now, whose runs are others; the orders of this one: courier log show 1\n",
    );
  }
});
