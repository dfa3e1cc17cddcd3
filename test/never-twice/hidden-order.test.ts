/** An order that may be that of a lost create, and that the list does not show any more, or never does. */

import { expect, test } from "vitest";
import { outcomes } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import type { ShownOrder } from "../support/shown-order.ts";
import type { Ways } from "../support/unfaithful-ways.ts";
import { knownHome, minuteMs } from "./known-home.ts";

/** What tells the order is hidden in part. */
const mask = (shown: ShownOrder): ShownOrder => ({
  ...shown,
  receiver: { ...shown.receiver, name: "李**", phone: "139****9003", address: "北京市STREET" },
});

const whereItIs: readonly (readonly [what: string, ways: Ways])[] = [
  ["shown by its id", {}],
  ["gone", { refuseDetail: { status: 404, code: "NOT_FOUND" } }],
  ["not to be read", { refuseDetail: { status: 500 } }],
];

test.each(whereItIs)("one that a list had shown stays a possible match: it is %s", async (_what, ways) => {
  const { home, run } = await knownHome();
  home.service.ways = { loss: () => "after", rewrite: mask };
  const first = await run();
  expect([first.exit, outcomes(first.report)], first.stderr).toEqual([6, "shipped shipped shipped unknown"]);
  expect(first.report[3].error.message).toContain("possible matches: 4");
  home.service.ways = { rewrite: mask, omitFromList: ({ id }) => id === 4, ...ways };
  for (const minutes of [1, 20, 60]) {
    home.clock.advance(minutes * minuteMs);
    const again = await run();
    expect([again.exit, home.service.orders.length], again.stderr).toEqual([6, 4]);
    expect(again.report[3].error.message).toContain("possible matches: 4");
  }
  const undone = await home.courier("undo 3 --yes");
  expect([undone.exit, home.service.orders.length], undone.stderr).toEqual([6, 4]);
  // A person decides, and what was noted is forgotten.
  const resolved = await home.courier("orders resolve ref:A-3 --not-created --yes");
  if ("refuseDetail" in ways) {
    expect(resolved.exit, resolved.stderr).toBe(0);
    expect(resolved.stderr).toContain("these orders may be it: 4");
  } else {
    expect(resolved.exit, resolved.stderr).toBe(2);
    expect(resolved.stderr).toContain("order 4 may be 3.1: nothing was recorded");
    return;
  }
  const sent = await run();
  expect([sent.exit, outcomes(sent.report)], sent.stderr).toEqual([0, "shipped shipped shipped created"]);
});

test("one that a list had shown is another one as soon as its details say so", async () => {
  const { home, run } = await knownHome();
  home.service.ways = { loss: () => "before", refuseList: { status: 503 } };
  expect((await run()).exit).toBe(6);
  home.service.foreign({
    ...plainDraft,
    receiver: { name: "赵小明", phone: "13611112222", city: "上海市", detail: "南京东路5号" },
    item: { name: "陶瓷杯", weight: 3, quantity: 4 },
  });
  home.service.ways = { rewrite: mask };
  const seen = await run();
  expect([seen.exit, seen.report[3].error.message], seen.stderr).toEqual([
    6,
    expect.stringContaining("possible matches: 4"),
  ]);
  home.service.ways = { omitFromList: ({ id }) => id === 4 };
  home.clock.advance(20 * minuteMs);
  const again = await run();
  expect([again.exit, home.service.orders.length], again.stderr).toEqual([0, 5]);
});

test.each([
  [422, { id: 4 }],
  [500, { id: 4 }],
  [200, { id: 4 }],
  [422, { order: { id: 4, status: "pending" } }],
  [422, { order_id: 4 }],
])("one that a failure under HTTP %s names is read: it is the create's (%j)", async (status, data) => {
  const { home, run } = await knownHome();
  const failAfterCommit = { status, code: "X", message: "y", data };
  home.service.ways = { failAfterCommit, omitFromList: ({ id }) => id === 4 };
  const ran = await run();
  expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "shipped shipped shipped found"]);
  expect(home.service.orders).toHaveLength(4);
});

test("one that a failure names, and that no one has, is none", async () => {
  const { home } = await knownHome();
  home.service.ways = { failWithoutCommit: { status: 500, code: "X", message: "y", data: { id: 44 } } };
  const words = "orders create --file - --json --settle 10s";
  const ran = await home.courier(words, { stdin: JSON.stringify(plainDraft) });
  expect([ran.exit, home.service.orders.length], ran.stderr).toEqual([5, 3]);
  expect(ran.stderr).toContain("but its answer names order 44, which the service does not have");
});
