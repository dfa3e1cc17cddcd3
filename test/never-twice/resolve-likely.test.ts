/** `orders resolve --not-created` in a script, where the true order is listed and cannot be read: nothing is recorded. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import { createRenewedHome, firstKey, renewedKey } from "../support/renewed-service.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import type { Ways } from "../support/unfaithful-ways.ts";
import { homeThatKnows, minuteMs } from "./known-home.ts";

const order = (name: string, phone: string, detail: string) => ({
  ...plainDraft,
  receiver: { ...plainDraft.receiver, name, phone, detail },
});
const lost = order("李四", "13900139000", "人民路88号");
const websiteOrder = (index: number) =>
  order(`王小${"甲乙丙丁戊己庚辛壬癸子".charAt(index)}`, `137000000${10 + index}`, `世纪大道${index + 1}号`);
const isOwn = ({ body }: { body: { receiver: { name?: string } } }) => body.receiver.name === "李四";

const hideInList =
  (name: string | undefined): Rewriting =>
  (shown, view) =>
    view === "list" ? { ...shown, receiver: { ...shown.receiver, name } } : shown;

/** A create is lost, and a script records that it made no order. */
async function decide(ways: Ways, websiteOrders: number) {
  const home = await createUnfaithfulHome({ ...ways, loss: (_, n) => (n === 1 ? "after" : "answered") });
  for (let index = 0; index < websiteOrders; index++) home.service.foreign(websiteOrder(index));
  home.clock.advance(5 * minuteMs);
  const create = () => home.courier("orders create --file - --yes --json", { stdin: JSON.stringify(lost) });
  expect((await create()).exit).toBe(6);
  const decided = await home.courier("orders resolve 1.1 --not-created --yes");
  await create();
  return { ...decided, made: home.service.orders.filter(isOwn).length };
}

test.each(["李四", "李*", "**", undefined])(
  "its details fail, and the list shows its name as %s",
  async (name) => {
    const ran = await decide({ refuseDetail: { status: 503 }, rewrite: hideInList(name) }, 0);
    expect([ran.exit, ran.made], ran.stderr).toEqual([2, 1]);
  },
);

test.each([3, 11])("its details come late, beside %i orders of the website for others", async (count) => {
  const ran = await decide({ detailLagMs: 2 * minuteMs }, count);
  expect([ran.exit, ran.made], ran.stderr).toEqual([2, 1]);
  expect(ran.stderr).toContain(String(count + 1));
});

describe("with a renewed key, at a service that shows no profile and hides names in its list", () => {
  test.each([3, 11])("beside %i later orders of the website", async (count) => {
    const { home, courier, login } = await createRenewedHome();
    const { service, clock, directory } = home;
    const rewrite = hideInList("**");
    service.ways = { rewrite, loss: (_, n) => (n === 1 ? "after" : "answered"), refuseList: { status: 503 } };
    await login(firstKey, "--no-verify");
    const file = path.join(directory, "order.json");
    await writeFile(file, JSON.stringify(lost));
    expect((await courier(`orders create --file ${file}`)).exit).toBe(6);
    service.ways = { rewrite };
    clock.advance(minuteMs);
    for (let index = 0; index < count; index++) service.foreign(websiteOrder(index));
    await login(renewedKey, "--no-verify");
    const decided = await courier("orders resolve 1.1 --not-created --yes");
    await courier(`orders create --file ${file}`);
    expect([decided.exit, service.orders.filter(isOwn).length], decided.stderr).toEqual([2, 1]);
  });
});

describe("at a service that shows all goods by one name", () => {
  const rewrite =
    (phone: string | undefined): Rewriting =>
    (shown) => ({
      ...shown,
      created_at: null,
      receiver: { ...shown.receiver, phone: phone ?? shown.receiver?.phone },
      item: { ...shown.item, name: "日用品" },
    });
  test.each([
    ["as a ledger knows", undefined, 24],
    ["as a ledger knows, and numbers of its own", "17012345678", 24],
    ["as no order has shown yet", undefined, 0],
  ])("%s", async (_what, phone, known) => {
    const ways = { rewrite: rewrite(phone) };
    const rows = Array.from({ length: known }, (_, index) => ({
      ...order(`王小${String.fromCharCode(0x4e00 + index)}`, `137000000${10 + index}`, `世纪大道${index}号`),
      item: { ...plainDraft.item, name: `茶叶${index}` },
      ref: `K-${index}`,
    }));
    const home = known > 0 ? await homeThatKnows(ways.rewrite, rows) : await createUnfaithfulHome(ways);
    home.service.ways = { ...ways, loss: () => "after", refuseList: { status: 503 } };
    const create = () =>
      home.courier("orders create --file - --ref A-1 --yes --json", { stdin: JSON.stringify(lost) });
    home.clock.advance(60 * minuteMs);
    expect((await create()).exit).toBe(6);
    home.service.ways = ways;
    home.clock.advance(60 * minuteMs);
    const decided = await home.courier("orders resolve ref:A-1 --not-created --yes");
    await create();
    expect([decided.exit, home.service.orders.filter(isOwn).length], decided.stderr).toEqual([2, 1]);
  });
});

describe("with its data deleted by logout --force", () => {
  async function forget() {
    const { home, courier, login } = await createRenewedHome();
    const { service, clock, directory } = home;
    service.ways = { loss: (_, n) => (n === 1 ? "after" : "answered"), refuseList: { status: 503 } };
    await login(firstKey, "--no-verify");
    const file = path.join(directory, "order.json");
    await writeFile(file, JSON.stringify(lost));
    const create = () => courier(`orders create --file ${file} --yes`);
    expect((await create()).exit).toBe(6);
    clock.advance(minuteMs);
    expect((await courier("logout --force")).exit).toBe(0);
    await login(firstKey, "--no-verify");
    service.ways = {};
    return { service, courier, create };
  }

  test("a script does not record that it made no order while an order is listed that may be it", async () => {
    const { service, courier, create } = await forget();
    const decided = await courier("orders resolve 1.1 --not-created --yes");
    expect(decided.exit, decided.stderr).toBe(2);
    expect(decided.stderr).toContain("order 1 may be 1.1: nothing was recorded");
    await create();
    expect(service.orders).toHaveLength(1);
  });

  test("--as asks, and says what cannot be compared", async () => {
    const { courier } = await forget();
    const asked = await courier("orders resolve 1.1 --as 1");
    expect([asked.exit, asked.stderr]).toEqual([
      2,
      expect.stringContaining("the ledger has no data of 1.1 to compare with order 1 (李四, "),
    ]);
    expect((await courier("orders resolve 1.1 --as 1 --yes")).exit).toBe(0);
  });
});
