/** `courier find`: an order by any part of what is known of it, without a call. */

import { expect, test } from "vitest";
import { createServedHome, type ServedHome } from "../support/courier.ts";

async function createOrder(home: ServedHome, name: string, phone: string): Promise<{ id: number }> {
  const words = [
    "orders",
    "create",
    "--sender-name",
    "店",
    "--receiver-name",
    name,
    "--receiver-phone",
    phone,
  ];
  const more = ["--receiver-detail", "世纪大道 100 号", "--item-name", "Tea Pot", "--yes", "--json"];
  const { exit, stdout } = await home.courier([...words, ...more]);
  expect(exit).toBe(0);
  return JSON.parse(stdout);
}

async function idsOf(home: ServedHome, words: readonly string[]): Promise<number[]> {
  const { exit, stdout } = await home.courier(["find", ...words, "--json"]);
  expect(exit).toBe(0);
  return JSON.parse(stdout).map(({ id }: { id: number }) => id);
}

test("orders of this machine are found at once, by phone and address, with no call", async () => {
  const home = await createServedHome();
  const { id } = await createOrder(home, "李明", "139 0000 4466");
  await createOrder(home, "王伟", "13900001234");
  const before = home.sandbox.requests.length;
  for (const words of [["李"], ["明", "4466"], ["00004466"], ["tea"], ["TEA", "李"]])
    expect(await idsOf(home, words)).toContain(id);
  expect(await idsOf(home, ["李", "4466"])).toEqual([id]);
  expect(await idsOf(home, ["李", "1234"])).toEqual([]);
  expect(home.sandbox.requests.length).toBe(before);
});

test("the answer says what was searched", async () => {
  const home = await createServedHome({ seedOrders: 40 });
  await createOrder(home, "李明", "13900004466");
  const first = await home.courier("find 李");
  expect(first.stderr).toContain("only 1 order that this machine created");
  await home.courier("sync");
  home.clock.advance(2 * 3_600_000);
  expect((await home.courier("find 李")).stderr).toContain("searched 41 orders, synced 2 h ago");
});

test("--limit, --all and what is left out", async () => {
  const home = await createServedHome({ seedOrders: 60 });
  await home.courier("sync");
  expect(await idsOf(home, [])).toHaveLength(20);
  expect(await idsOf(home, ["--limit", "3"])).toHaveLength(3);
  expect(await idsOf(home, ["--all"])).toHaveLength(60);
  expect((await home.courier("find --limit 3")).stderr).toContain("3 orders shown, more exist");
});

test("--status takes the last known state", async () => {
  const home = await createServedHome();
  const { id } = await createOrder(home, "李明", "13900004466");
  await home.courier("sync");
  expect(await idsOf(home, ["李", "--status", "pending"])).toEqual([id]);
  expect(await idsOf(home, ["李", "--status", "delivered"])).toEqual([]);
});

test("the next order is found although a killed run is still open", async () => {
  const home = await createServedHome();
  const { id } = await createOrder(home, "李明", "13900004466");
  expect(await idsOf(home, ["李"])).toEqual([id]);
  const { id: next } = await createOrder(home, "李伟", "13900004467");
  expect(await idsOf(home, ["李"])).toEqual([next, id]);
});
