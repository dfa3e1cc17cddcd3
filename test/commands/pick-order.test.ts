/** An order picked from a list, where a person at a terminal named none. */

import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { requestCount } from "../support/answers.ts";
import { createServedHome } from "../support/courier.ts";
import { createOrder, plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { createServedTerminalHome } from "../support/terminal.ts";

async function homeWithOrders(names: readonly string[]) {
  const home = await createServedHome();
  const orders = [];
  for (const name of names)
    orders.push(await createOrder(home, { ...plainDraft, receiver: { ...plainDraft.receiver, name } }));
  return { home, orders, terminal: { terminal: 80, env: { NO_COLOR: "1" } } };
}

test("orders show: the orders of this machine, found by any part of their texts, with no call for the list", async () => {
  const { home, orders, terminal } = await homeWithOrders(["王五", "赵六"]);
  const prompts = scriptedPrompts({ searches: ["赵 00139"] });
  const { exit, stdout } = await home.courier("orders show", { ...terminal, prompts });
  expect(exit).toBe(0);
  expect(prompts.asked).toEqual(["Which order?"]);
  expect(stdout).toContain(`Order            ${orders[1]?.id}`);
  expect(requestCount(home, "GET", "/api/v1/orders")).toBe(0);
});

test("each is shown with state, receiver and item, the newest first", async () => {
  const { home, orders, terminal } = await homeWithOrders(["王五", "赵六"]);
  await home.courier(`orders cancel ${orders[1]?.id} --yes`);
  await home.courier("sync");
  const labels: string[] = [];
  const prompts = {
    ...scriptedPrompts({}),
    search: async (
      _question: string,
      find: (term: string) => readonly { label: string; value: unknown }[],
    ) => {
      labels.push(...find("").map(({ label }) => label));
      return find("")[0]?.value as never;
    },
  };
  await home.courier("orders show", { ...terminal, prompts });
  expect(labels).toEqual([
    `${orders[1]?.id}  cancelled, to 赵六, 手机`,
    `${orders[0]?.id}  pending, to 王五, 手机`,
  ]);
  labels.length = 0;
  await home.courier("orders cancel", { ...terminal, prompts: { ...prompts, confirm: async () => false } });
  expect(labels).toEqual([`${orders[0]?.id}  pending, to 王五, 手机`]);
});

test.each(["139-0013-9000", "+8613900139000"])("a phone is found as in courier find: %s", async (phone) => {
  const { home, orders, terminal } = await homeWithOrders(["王五"]);
  const prompts = scriptedPrompts({ searches: [phone] });
  const { stdout } = await home.courier("orders show", { ...terminal, prompts });
  expect(stdout).toContain(`Order            ${orders[0]?.id}`);
});

test("orders cancel asks as ever once an order is picked, and cancels that one", async () => {
  const { home, orders, terminal } = await homeWithOrders(["王五", "赵六"]);
  const no = scriptedPrompts({ searches: ["王"], confirms: [false] });
  expect((await home.courier("orders cancel", { ...terminal, prompts: no })).exit).toBe(130);
  expect(no.asked).toEqual([
    "Cancel which order?",
    `Cancel order ${orders[0]?.id} (pending, 手机, to 王五)?`,
  ]);
  expect(requestCount(home, "DELETE")).toBe(0);
  const yes = scriptedPrompts({ searches: ["王"], confirms: [true] });
  expect((await home.courier("orders cancel", { ...terminal, prompts: yes })).exit).toBe(0);
  expect(requestCount(home, "DELETE", `/api/v1/orders/${orders[0]?.id}`)).toBe(1);
});

test("track, once and as a watch, and slips", async () => {
  const { home, orders, terminal } = await homeWithOrders(["王五", "赵六"]);
  const number = orders[0]?.tracking_number ?? "";
  const pick = () => ({ ...terminal, prompts: scriptedPrompts({ searches: ["王"] }) });
  const tracked = await home.courier("track", pick());
  expect(tracked.stdout).toContain(number);
  expect(requestCount(home, "GET", `/api/v1/tracking/${number}`)).toBe(1);
  expect((await home.courier("track --watch --until pending", pick())).exit).toBe(0);
  expect(requestCount(home, "GET", `/api/v1/tracking/${number}`)).toBe(2);
  const file = `${home.directory}/slips.html`;
  const { exit, stderr } = await home.courier(["orders", "slips", "-o", file], pick());
  expect(exit).toBe(0);
  expect(stderr).toContain(`wrote 1 slip to ${file}\n`);
  expect(await readFile(file, "utf8")).toContain(number);
});

test("a machine that knows no order reads one page of the list", async () => {
  const home = await createServedHome({ seedOrders: 150 });
  const [order] = JSON.parse((await home.courier("orders list --json")).stdout);
  const env = { COURIER_STATE_DIR: `${home.directory}/elsewhere`, NO_COLOR: "1" };
  const before = requestCount(home, "GET", "/api/v1/orders");
  const prompts = scriptedPrompts({ searches: [order.receiver.name] });
  const { exit, stdout } = await home.courier("orders show", { terminal: 80, env, prompts });
  expect(exit).toBe(0);
  expect(stdout).toContain(order.receiver.name);
  expect(requestCount(home, "GET", "/api/v1/orders") - before).toBe(1);
});

test("words and Enter typed in one go pick what they name, at a real terminal", async () => {
  const home = await createServedTerminalHome();
  const headers = { Authorization: `Bearer ${home.sandbox.apiKey}`, "Content-Type": "application/json" };
  for (const name of ["王五", "赵六"]) {
    const body = JSON.stringify({ ...plainDraft, receiver: { ...plainDraft.receiver, name } });
    await fetch(`${home.sandbox.baseUrl}/api/v1/orders`, { method: "POST", headers, body });
  }
  const terminal = home.open("orders show", { columns: 80, rows: 40 });
  await terminal.answer("Which order?", "王五");
  expect((await terminal.ended).exit).toBe(0);
  expect(terminal.transcript()).toMatch(/Name +王五/);
});

describe("nothing to pick, or nobody who could", () => {
  test("an account without orders", async () => {
    const home = await createServedHome();
    const { exit, stderr } = await home.courier("orders show", {
      terminal: 80,
      env: { NO_COLOR: "1" },
      prompts: scriptedPrompts({}),
    });
    expect(exit).toBe(1);
    expect(stderr).toContain("there is no order to choose from");
  });

  test.each([
    ["orders show", "no order given"],
    ["orders cancel", "no order given"],
    ["track", "no tracking number given"],
    ["orders slips -o slips.html", "no orders named"],
  ])("%s --no-input", async (words, message) => {
    const { home, terminal } = await homeWithOrders(["王五"]);
    const before = home.sandbox.requests.length;
    const prompts = scriptedPrompts({});
    const { exit, stderr } = await home.courier(`${words} --no-input`, { ...terminal, prompts });
    expect(exit).toBe(2);
    expect(stderr).toContain(`error: ${message}\nhint: `);
    expect(home.sandbox.requests.length).toBe(before);
  });
});

test("orders cancel offers the service's orders where none that this machine knows can be cancelled", async () => {
  const { home, terminal } = await homeWithOrders(["王五"]);
  await home.courier("orders cancel 1000001 --yes");
  const made = await fetch(`${home.sandbox.baseUrl}/api/v1/orders`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${home.sandbox.apiKey}` },
    body: JSON.stringify(plainDraft),
  });
  expect(made.ok).toBe(true);
  const prompts = scriptedPrompts({ searches: [""], confirms: [true] });
  const { exit, stdout, stderr } = await home.courier("orders cancel", { ...terminal, prompts });
  expect(exit, stderr).toBe(0);
  expect(stdout).toContain("1000002");
});
