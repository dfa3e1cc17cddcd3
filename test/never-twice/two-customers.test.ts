/** An account whose key becomes another customer's: refs and orders of the first one lead nowhere any more. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { answerData, requestCount } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { row, sheet } from "../support/imports.ts";
import { readRuns } from "../support/ledger.ts";

const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
const stranger = { id: 1000001, status: "pending", receiver: { name: "王五" }, item: { name: "茶叶" } };

/** One row with the is sent as 1000001; both customers have an order with that id. */
async function homeOfTwo() {
  const home = await createServedHome();
  const { baseUrl, apiKey } = home.sandbox;
  const login = (key: string, words = "") =>
    home.courier(`login --base-url ${baseUrl} --allow-http ${words}`, { env, stdin: key });
  const courier = (words: string) => home.courier(words, { env });
  await login(apiKey);
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(row("A-1")));
  expect((await courier(`orders import ${file} --yes`)).exit).toBe(0);
  expect((await courier("orders show ref:A-1")).exit).toBe(0); // the mirror is made
  return { ...home, login, courier, apiKey };
}

/** Made-up answers take any key. */
function becomeOther(home: ServedHome): void {
  answerData(home, "GET /api/v1/user/profile", '{"id":99,"name":"B","api_calls_remaining":99}');
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(stranger));
}

const otherKey = "other-key-0123456789";

test.each(["", "--no-verify"])("after a login with another customer's key %s", async (words) => {
  const home = await homeOfTwo();
  becomeOther(home);
  await home.login(otherKey, words);
  const cancelled = await home.courier("orders cancel ref:A-1 --yes");
  expect([cancelled.exit, requestCount(home, "DELETE")], cancelled.stderr).toEqual([1, 0]);
  const shown = await home.courier("orders show ref:A-1");
  expect([shown.exit, shown.stdout]).toEqual([1, ""]);
  const repeated = await home.courier("orders create --repeat --dry-run");
  expect([repeated.exit, repeated.stdout]).toEqual([2, ""]);
  expect((await home.courier("find 李四 --json")).stdout).toBe("[]\n");
});

test("where the same key is another customer's by now, its refs are left alone", async () => {
  const home = await homeOfTwo();
  becomeOther(home);
  await home.login(home.apiKey);
  const cancelled = await home.courier("orders cancel ref:A-1 --yes");
  expect([cancelled.exit, requestCount(home, "DELETE")], cancelled.stderr).toEqual([1, 0]);
});

test("another key of the same customer keeps refs and orders", async () => {
  const home = await homeOfTwo();
  const profile = await home.courier("profile --json");
  answerData(home, "GET /api/v1/user/profile", profile.stdout);
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify({ ...stranger, receiver: { name: "李四" } }));
  await home.login(otherKey);
  expect((await home.courier("orders show ref:A-1 --json")).exit).toBe(0);
  expect(JSON.parse((await home.courier("find 李四 --json")).stdout)).toMatchObject([{ id: 1000001 }]);
  expect((await readRuns(home)).length).toBeGreaterThan(0);
});
