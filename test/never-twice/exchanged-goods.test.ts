/** Answers of an import that named orders of other goods: the list shows them, and the details may not be readable. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { sheet } from "../support/imports.ts";
import type { Rewriting, ShownOrder } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import type { Ways } from "../support/unfaithful-ways.ts";

const rowOf = (ref: string, name: string, phone: string, goods: string) =>
  `${ref},张三,13800138000,${name},${phone},北京市,建国路2号,${goods},1.20,3`;
const rows = [
  rowOf("A-1", "李勇敏", "13910008032", "手机"),
  rowOf("A-2", "李勇敏", "13910008032", "书"),
  rowOf("A-3", "刘静洋", "13910023759", "茶叶"),
  rowOf("A-4", "陈艳杰", "13910031721", "杯子"),
];

async function homeWith(rewrite: Rewriting) {
  const home = await createUnfaithfulHome({ rewrite });
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(...rows));
  const done = path.join(home.directory, "done.csv");
  const ship = async (ways: Ways = {}) => {
    home.service.ways = { rewrite, ...ways };
    const ran = await home.courier(
      `orders import ${file} --yes --json --concurrency 1 --write-back ${done}`.split(" "),
    );
    home.clock.advance(20 * 60_000);
    const report: readonly { id: number | null }[] = JSON.parse(ran.stdout);
    return { ...ran, ids: report.map(({ id }) => id), text: await readFile(done, "utf8") };
  };
  return { home, ship };
}

describe("two rows of one receiver whose answers were exchanged", () => {
  const hideNames = (shown: ShownOrder) => ({
    ...shown,
    receiver: { ...shown.receiver, name: `${String(shown.receiver?.name).charAt(0)}**` },
  });

  const own = [0, [2, 1, 3, 4]];
  const inDoubt = [6, [null, null, 3, 4]];
  test.each<[string, (shown: ShownOrder) => ShownOrder, unknown[]]>([
    ["all", (shown) => shown, [own]],
    ["all but names", hideNames, [own, inDoubt]],
  ])("shown: %s", async (_what, hide, ends) => {
    const { home, ship } = await homeWith((shown) => {
      const body = Number(shown.id) < 3 && home.service.orders[(Number(shown.id) - 1) ^ 1]?.body;
      return hide(body ? { ...shown, receiver: { ...body.receiver }, item: { ...body.item } } : shown);
    });
    const first = await ship();
    expect(first.exit, first.stderr).toBe(6);
    expect(first.text).not.toMatch(/^A-1,.*UT00000001/m);
    expect(first.text).not.toMatch(/^A-2,.*UT00000002/m);
    for (let time = 0; time < 2; time++) await ship();
    const last = await ship();
    expect(ends, last.stderr).toContainEqual([last.exit, last.ids]);
    expect(home.service.orders).toHaveLength(4);
  });

  test.each([1, 2])("and order %d alone cannot be read: no row gets the other's number", async (unread) => {
    const { home, ship } = await homeWith((shown) => {
      const body = Number(shown.id) < 3 && home.service.orders[(Number(shown.id) - 1) ^ 1]?.body;
      return body ? { ...shown, receiver: { ...body.receiver }, item: { ...body.item } } : shown;
    });
    const refuseDetail = ({ path: url }: { path: string }) =>
      url.endsWith(`/orders/${unread}`) ? { status: 503 } : undefined;
    for (let time = 0; time < 3; time++) {
      const { exit, stderr, text } = await ship({ refuseDetail });
      expect(exit, stderr).toBe(6);
      expect(text).not.toMatch(/^A-1,.*UT00000001/m);
      expect(text).not.toMatch(/^A-2,.*UT00000002/m);
    }
    for (let time = 0; time < 2; time++) await ship();
    const last = await ship();
    expect([last.exit, last.ids], last.stderr).toEqual([0, [2, 1, 3, 4]]);
    expect(home.service.orders).toHaveLength(4);
  });

  test("and cannot be read: the rows get no numbers", async () => {
    const { home, ship } = await homeWith((shown) => {
      const body = Number(shown.id) < 3 && home.service.orders[(Number(shown.id) - 1) ^ 1]?.body;
      return body ? { ...shown, receiver: { ...body.receiver }, item: { ...body.item } } : shown;
    });
    for (let time = 0; time < 2; time++) {
      const { exit, stderr, text } = await ship({ refuseDetail: { status: 503 } });
      expect(exit, stderr).toBe(6);
      if (time === 0)
        expect(stderr).toContain("named order 1, but the list shows other goods than were sent: 书");
      expect(text).not.toMatch(/^A-[12],.*UT0000000/m);
      expect(text).toMatch(/^A-3,.*UT00000003/m);
    }
  });
});

test("an answer that named the website's order, which could not be read at first: its row is in doubt then", async () => {
  const { home, ship } = await homeWith((shown) => shown);
  let id = 0;
  const answerWith = ({ body }: { body: string }) => {
    if (!body.includes("刘静洋")) return undefined;
    id ||= home.service.foreign({
      sender: { name: "张三", phone: "13800138000" },
      receiver: { name: "钱大海", phone: "13600139590", city: "杭州市", detail: "中山大道88号" },
      item: { name: "Book", weight: 2, quantity: 1 },
    }).id;
    return id;
  };
  expect((await ship({ answerWith, refuseDetail: { status: 503 } })).exit).toBe(6);
  for (let time = 0; time < 2; time++) await ship();
  const last = await ship();
  const made = home.service.orders.find(({ body }) => body.receiver.name === "刘静洋")?.id;
  expect([last.exit, last.ids[2]], last.stderr).toEqual([0, made]);
  expect(home.service.orders).toHaveLength(5);
});
