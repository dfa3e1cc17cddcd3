/** A first sync that goes on where an earlier one ended, at a service whose list drops orders meanwhile, reads all. */

import { expect, test } from "vitest";
import { createTransport, type Transport } from "../../src/api/transport.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";
import type { Ways } from "../support/unfaithful-ways.ts";

/** Settled orders are not read again. */
const completed: Ways = { rewrite: (shown) => ({ ...shown, status: "completed" }) };

async function homeWith(orders: number, failingFrom: number): Promise<UnfaithfulHome> {
  const refuseList: Ways["refuseList"] = ({ query }) =>
    Number(query.page) >= failingFrom ? { status: 403, code: "NO" } : undefined;
  const home = await createUnfaithfulHome({ ...completed, refuseList });
  for (let index = 1; index <= orders; index++)
    home.service.foreign({
      sender: { name: "张三", phone: "13800138000" },
      receiver: {
        name: `李四${index}`,
        phone: `1390013${9000 + index}`,
        city: "北京市",
        detail: "建国路88号",
      },
      item: { name: "茶叶" },
    });
  return home;
}

async function mirrored({ courier }: UnfaithfulHome): Promise<ReadonlySet<number>> {
  const orders: { id: number }[] = JSON.parse((await courier("find --all --json")).stdout);
  return new Set(orders.map(({ id }) => id));
}

async function expectAll(home: UnfaithfulHome): Promise<void> {
  const synced = await home.courier("sync");
  expect(synced.exit, synced.stderr).toBe(0);
  const known = await mirrored(home);
  const lacking = home.service.orders.filter((order) => !known.has(order.id));
  expect(lacking.filter((order) => !home.service.ways.omitFromList?.(order, 0)).map(({ id }) => id)).toEqual(
    [],
  );
}

test.each([5, 100, 150])("%d orders that were read have left it since", async (count) => {
  const home = await homeWith(400, 4);
  expect((await home.courier("sync")).exit).not.toBe(0);
  home.service.ways = { ...completed, omitFromList: ({ id }) => id > 200 && id <= 200 + count };
  await expectAll(home);
});

test("an order left it while the earlier one was reading", async () => {
  const home = await homeWith(600, 4);
  const real = await createTransport({}, 5_000);
  let sent = Promise.resolve<unknown>(undefined);
  const transport: Transport = {
    close: () => real.close(),
    send(request) {
      // One page after the other.
      const answer = sent.then(() => {
        const isThird = request.url.searchParams.get("page") === "3";
        if (isThird) home.service.ways = { ...home.service.ways, omitFromList: ({ id }) => id === 450 };
        return real.send(request);
      });
      sent = answer.catch(() => undefined);
      return answer;
    },
  };
  expect((await home.courier("sync", { transport })).exit).not.toBe(0);
  const { omitFromList } = home.service.ways;
  home.service.ways = { ...completed, ...(omitFromList && { omitFromList }) };
  const known = await mirrored(home);
  expect([known.size, known.has(400)]).toEqual([300, false]);
  await expectAll(home);
});
