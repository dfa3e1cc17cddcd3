/** Hints, followed word for word: they lead on, and never back to themselves. */

import { expect, test } from "vitest";
import { answerData } from "../support/answers.ts";
import { putConfig } from "../support/config-file.ts";
import { createHome, createServedHome } from "../support/courier.ts";
import { createImportHome, row, sheet } from "../support/imports.ts";
import { createOrder } from "../support/orders.ts";

test("an order that a sync did not bring is not to be synced again", async () => {
  const home = await createServedHome({ seedOrders: 2 });
  const ask = async () => (await home.courier("orders show CR1")).stderr;
  expect(await ask()).toContain("hint: look through all orders: courier sync, then run this again\n");
  await home.courier("sync");
  expect(await ask()).toContain("hint: find it by something else: courier find TEXT\n");
  expect((await home.courier("track CR1")).stderr).toContain(
    "the service's list; find it by something else: courier find TEXT\n",
  );
  home.clock.advance(3_600_000);
  expect(await ask()).toContain(
    "hint: read the orders since the last sync: courier sync, then run this again; or find it by something else: courier find TEXT\n",
  );
});

test("a run of the sandbox before its reset asks for no key", async () => {
  const home = await createHome({ COURIER_ACCOUNT: "sandbox" });
  await createOrder(home);
  await home.courier("sandbox reset --yes");
  const { exit, stderr } = await home.courier("undo 1 --yes");
  expect(exit).toBe(2);
  expect(stderr).toBe(
    "error: run 1 is of the sandbox before it was reset, which deleted its orders\nhint: there is nothing left to do for it\n",
  );
});

test.each([
  ["templates show weekly", "templates: none yet; to make one: courier orders create --save-template NAME"],
  [
    "orders import - --check --use-map shop",
    "saved: none yet; to save some: courier orders import FILE --map COLUMN=FIELD --save-map NAME",
  ],
  ["orders export -o orders.pdf", "use -o orders.xlsx; a spreadsheet program prints it to a PDF file"],
  [
    "login --base-url http://api.example.com",
    "use https://, or accept the risk for this account by adding --allow-http",
  ],
  [
    "profile --base-url http://api.example.com",
    "use https://, or accept the risk for an account with: courier login --account NAME --base-url http://api.example.com --allow-http",
  ],
])("courier %s", async (words, hint) => {
  const home = await createHome({ COURIER_API_KEY: "key-0123456789" });
  const { exit, stderr } = await home.courier(words, { stdin: "ref,receiver.name\n1,a\n" });
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(`hint: ${hint}\n`) });
});

test("a cancel is repeated with the account of its run, not with the current one", async () => {
  const home = await createHome();
  const order = await createOrder(home, undefined, undefined, {
    env: { COURIER_ACCOUNT: "sandbox" },
  });
  await home.courier(`orders cancel ${order.id} --yes --account sandbox`);
  await home.courier("login --no-verify --base-url https://service.invalid", { stdin: "key-0123456789" });
  const current = await home.courier("orders resolve 2.1 --not-created --yes");
  expect(current.exit).toBe(2);
  const hinted = "orders resolve 2.1 --not-created --account sandbox";
  expect(current.stderr).toContain(`hint: courier ${hinted}\n`);
  const { exit, stderr } = await home.courier(hinted);
  expect(exit).toBe(2);
  expect(stderr).toContain(
    `hint: it is safe to cancel again: courier orders cancel ${order.id} --account sandbox\n`,
  );
});

test("an order that was taken from its create is decided about with the account that showed it", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2", "赵六", "13600136000")));
  await putConfig(home, { accounts: { shop: { base_url: home.sandbox.baseUrl, key: home.sandbox.apiKey } } });
  expect((await home.run("--account shop")).exit).toBe(0);
  const read = async (id: number) =>
    JSON.parse((await home.courier(`orders show ${id} --json --account shop`)).stdout);
  const [one, other] = [await read(1000001), await read(1000002)];
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify({ ...one, receiver: other.receiver }));
  const { stderr } = await home.courier("orders show 1000001 --account shop");
  const hinted = "orders resolve 1.1 --account shop";
  expect(stderr).toContain(`; 1.1 is in doubt now: courier ${hinted}\n`);
  expect((await home.courier(hinted)).stdout).toContain("A-1");
});

test.each([
  ["POST things", "courier orders list --account shop\n"],
  [
    "POST orders",
    "courier orders list --account shop; courier orders resolve --account shop lists orders in doubt\n",
  ],
  ["PATCH orders/7", "courier orders show 7 --account shop\n"],
])("what a raw call may have done is looked up with the same account: %s", async (call, look) => {
  const home = await createServedHome();
  await putConfig(home, { accounts: { shop: { base_url: home.sandbox.baseUrl, key: home.sandbox.apiKey } } });
  const [method = ""] = call.split(" ");
  home.sandbox.faults.set([
    { kind: "drop_after", method } as never,
    { kind: "stall", path: "/api/v1/orders" },
  ]);
  const { exit, stderr } = await home.courier(`api ${call} -f a=b --account shop --timeout 2s`);
  expect(exit).toBe(6);
  expect(stderr).toContain(`check before you send it again: ${look}`);
});
