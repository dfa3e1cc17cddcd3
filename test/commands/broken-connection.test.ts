/** A connection that breaks in the middle of many calls: the error says what was done, what was not, and what to run. */

import { expect, test } from "vitest";
import { createServedHome } from "../support/courier.ts";
import { createOrder } from "../support/orders.ts";

const broken =
  /^error: the connection to 127\.0\.0\.1:\d+ broke before an answer came: the connection was dropped/;
const page3 = { kind: "drop_before", path: /[?&]page=3(&|$)/ } as const;

test.each(["orders list --all", "orders list --limit 350", "orders export", "track --all-active"])(
  "%s: how many orders were read",
  async (words) => {
    const home = await createServedHome({ seedOrders: 350 });
    home.sandbox.faults.set([page3]);
    const { exit, stderr } = await home.courier(words);
    expect([exit, stderr.replace(broken, "")]).toEqual([
      5,
      "; 200 of 350 orders were read\nhint: run the same command again\n",
    ]);
  },
);

test.each(["000", "099", "20"])("an answer with the status %s is no HTTP", async (status) => {
  const home = await createServedHome();
  const bytes = `HTTP/1.1 ${status} Odd\r\ncontent-length: 2\r\n\r\n{}`;
  home.sandbox.faults.set([{ kind: "raw", bytes }]);
  const { exit, stderr } = await home.courier("profile");
  expect(exit).toBe(5);
  expect(stderr).toMatch(/ broke before an answer came: what came is not HTTP\n/);
});

test("sync: what the mirror keeps, and the command that goes on, also after --rebuild", async () => {
  const home = await createServedHome({ seedOrders: 250 });
  home.sandbox.faults.set([page3]);
  const { exit, stderr } = await home.courier("sync --rebuild");
  expect([exit, stderr.replace(broken, "")]).toEqual([
    5,
    "; the mirror keeps what was read: it has 200 orders\nhint: to go on: courier sync\n",
  ]);
  home.sandbox.faults.clear();
  expect(await home.courier("sync")).toMatchObject({ exit: 0 });
});

test.each(["sync", "sync --rebuild"])(
  "%s: a list that is cut, and the command that goes on",
  async (words) => {
    const home = await createServedHome({ seedOrders: 2 });
    const { stdout } = await home.courier("orders list --json");
    const body = JSON.stringify({
      success: true,
      data: JSON.parse(stdout),
      pagination: { current_page: 1, total_pages: 1, total_items: 5, per_page: 100 },
    });
    const contentType = "application/json";
    home.sandbox.faults.set([{ kind: "status", path: /orders\?/, status: 200, contentType, body }]);
    const { exit, stderr } = await home.courier(words);
    expect(exit).toBe(5);
    expect(stderr).toContain(": 2 of 5 orders were seen\nhint: to go on: courier sync\n");
  },
);

test("sync: an order that was read twice counts once", async () => {
  const home = await createServedHome({ seedOrders: 250 });
  expect((await home.courier("sync")).exit).toBe(0);

  home.sandbox.faults.set([{ kind: "drop_before", path: /[?&]status=/, after: 1 }]);
  const { exit, stderr } = await home.courier("sync --verify");
  expect([exit, stderr.replace(broken, "")]).toEqual([
    5,
    "; the mirror keeps what was read: it has 250 orders\nhint: to go on: courier sync --verify\n",
  ]);
});

test("orders cancel: what was cancelled, what is not known, and what was not reached", async () => {
  const home = await createServedHome();
  const ids: number[] = [];
  for (let made = 0; made < 6; made++) ids.push((await createOrder(home)).id);
  const second = new RegExp(`orders/${ids[1]}$`);
  const words = `orders cancel ${ids.join(" ")} --yes`;
  home.sandbox.faults.set([{ kind: "drop_before", path: second }]);
  const before = await home.courier(words);
  expect([before.exit, before.stderr.replace(broken, "")]).toEqual([
    5,
    "; nothing was cancelled\nhint: it is safe to run the same command again\n",
  ]);
  home.sandbox.faults.set([
    { kind: "drop_before", method: "GET", path: second, after: 1 },
    { kind: "drop_after", method: "DELETE", path: second },
  ]);
  const { exit, stderr } = await home.courier(words);
  expect(exit).toBe(5);
  expect(stderr).toMatch(
    new RegExp(
      `^error: (\\d) of 6 orders cancelled; (\\d) not reached; order ${ids[1]} may or may not be cancelled: .*\n` +
        `hint: see: courier orders show ${ids[1]}; the same command again cancels those that were not reached\n$`,
    ),
  );
  home.sandbox.faults.clear();
  const again = await home.courier(`${words} --json`);
  expect(again.exit).toBe(0);
  const outcomes = (JSON.parse(again.stdout) as { status: string; outcome: string }[]).map(
    (row) => row.status,
  );
  expect(new Set(outcomes)).toEqual(new Set(["cancelled"]));
});

test("orders cancel: several whose answers are lost are not counted as not cancelled", async () => {
  const home = await createServedHome();
  const ids: number[] = [];
  for (let made = 0; made < 3; made++) ids.push((await createOrder(home)).id);
  home.sandbox.faults.set([
    { kind: "drop_after", method: "DELETE", path: /./ },
    { kind: "drop_before", method: "GET", path: /orders\/\d+$/, after: 3 },
  ]);
  const { exit, stderr } = await home.courier(`orders cancel ${ids.join(" ")} --yes`);
  expect(exit).toBe(5);
  expect(stderr).toMatch(
    /^error: of 3 orders it is not known whether they are cancelled; order \d+ may or may not be cancelled: /,
  );
});
