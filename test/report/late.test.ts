/** `courier late`: what has not moved for longest comes first, and says by what. */

import { expect, test } from "vitest";
import { answerData, answerRaw, showCallsLeft } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { createOrder } from "../support/orders.ts";

async function jsonOf(home: ServedHome, words: string) {
  const { exit, stdout, stderr } = await home.courier(`${words} --json`);
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  return JSON.parse(stdout);
}

const hour = 3_600_000;

/** Three orders, an hour apart; the first is delivered, the second moved last. */
async function createThree() {
  const home = await createServedHome();
  const orders: { id: number; tracking_number: string }[] = [];
  for (let count = 0; count < 3; count++) {
    orders.push(await createOrder(home));
    home.clock.advance(hour);
  }
  const [first, second, third] = orders;
  if (!first || !second || !third) throw new Error("three orders");
  await home.courier("sync");
  return { home, first, second, third };
}

function answerList(home: ServedHome, orders: readonly string[]): void {
  const page = `"current_page":1,"total_pages":1,"total_items":${orders.length},"per_page":100`;
  answerData(home, "GET /api/v1/orders", `[${orders}]`, `"pagination":{${page}}`);
}

test("unsettled orders are ranked by their last change, tracked ones by their movements", async () => {
  const { home, first, second, third } = await createThree();
  const ids = async (words: string) => (await jsonOf(home, words)).map(({ id }: { id: number }) => id);
  expect(await ids("late")).toEqual([first.id, second.id, third.id]);
  await home.sandbox.advance({ trackingNumber: first.tracking_number, to: "delivered" });
  await home.sandbox.advance({ trackingNumber: second.tracking_number, to: "in_transit" });
  const before = home.sandbox.requests.length;
  expect(await ids("late")).toEqual([first.id, second.id, third.id]);
  expect(home.sandbox.requests.length).toBe(before);
  // The first is known to be delivered then, and the second has moved since the third was created.
  const fetched = await jsonOf(home, "late --fetch 2");
  expect(home.sandbox.requests.length).toBe(before + 2);
  expect(fetched).toMatchObject([
    { id: third.id, last_change_from: "created_at", waiting_seconds: 3_600, tracking_status: null },
    { id: second.id, last_change_from: "tracking", waiting_seconds: 0, tracking_status: "in_transit" },
  ]);
  expect(await ids("late")).toEqual([third.id, second.id]);
});

test("--stuck takes those without a change for so long, --limit the worst", async () => {
  const { home, first, second } = await createThree();
  const ids = async (words: string) => (await jsonOf(home, words)).map(({ id }: { id: number }) => id);
  expect(await ids("late --stuck 2h")).toEqual([first.id, second.id]);
  expect(await ids("late --stuck 72h")).toEqual([]);
  const limited = await home.courier("late --limit 1");
  expect(limited.stderr).toContain("1 of 3 late orders shown; --all shows every one");
  expect(limited.stderr).toContain("from 3 orders of the mirror, synced");
  expect((await home.courier("late --stuck 72h")).stderr).toContain("No late orders in the mirror");
  await home.sandbox.advance({ trackingNumber: first.tracking_number, to: "delivered" });
  await home.courier("sync");
  expect(await ids("late --stuck 2h")).toEqual([second.id]);
});

test("--fetch with many calls compares them with the quota first", async () => {
  const home = await createServedHome({ seedOrders: 320 });
  await home.courier("sync");
  showCallsLeft(home, 19);
  const before = home.sandbox.requests.length;
  const { exit, stderr } = await home.courier("late --fetch 100");
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr: expect.stringMatching(/this takes \d+ calls, but only 19 are left/),
  });
  expect(home.sandbox.requests.slice(before).map(({ path }) => path)).toEqual(["/api/v1/user/profile"]);
});

test("a tracking number that the service refuses is counted, and the others are still listed", async () => {
  const { home, first } = await createThree();
  home.sandbox.faults.add({
    kind: "refuse",
    path: new RegExp(first.tracking_number),
    status: 404,
    code: "NOT_FOUND",
    message: "no such parcel",
  });
  const { exit, stderr } = await home.courier("late --fetch 3");
  expect(exit).toBe(0);
  expect(stderr).toContain("1 of 3 tracking numbers were refused");
});

test("a tracking number without an answer is named after the others", async () => {
  const { home, first } = await createThree();
  answerRaw(home, `GET /api/v1/tracking/${first.tracking_number}`, '{"success":true,"data":null}');
  const { exit, stdout, stderr } = await home.courier("late --fetch 3 --json");
  expect([exit, JSON.parse(stdout).length]).toEqual([70, 3]);
  expect(stderr).toContain(`1 of 3 tracking numbers got no answer; ${first.tracking_number}: `);
});

test("without tracking in the mirror it says how to add some, and how many calls that takes", async () => {
  const { home } = await createThree();
  const hint = "to track those at the top first, one call each: add --fetch ";
  expect((await home.courier("late")).stderr).toContain(`${hint}3\n`);
  expect((await home.courier("late --limit 1")).stderr).toContain(`${hint}1\n`);
  const before = home.sandbox.requests.length;
  expect((await home.courier("late --limit 1 --fetch 1")).stderr).not.toContain(hint);
  expect(home.sandbox.requests.length).toBe(before + 1);
  expect((await home.courier("late")).stderr).not.toContain(hint);
});

test("--from names the orders without a readable time, which are in no range of days", async () => {
  const { home } = await createThree();
  const orders = [5, 6].map(
    (id) =>
      `{"id":${id},"tracking_number":"CR${id}","status":"in_transit","created_at":"2026-02-0${id} 08:00"}`,
  );
  answerList(home, orders);
  await home.courier("sync");
  const { exit, stderr } = await home.courier("late --from 2026-01-01");
  expect(exit).toBe(0);
  expect(stderr).toContain("2 orders have no readable created_at and cannot be chosen by date\n");
  expect((await home.courier("late")).stderr).not.toContain("created_at");
});

test("orders without a tracking number get no hint that leads to no call, and --fetch counts them", async () => {
  const home = await createServedHome();
  const order = (id: number, number: string) =>
    `{"id":${id},"tracking_number":${number},"status":"pending","created_at":"2026-02-0${id}T08:00:00Z"}`;
  answerList(home, [order(7, '"CR7"'), order(6, "null"), order(5, "null")]);
  answerData(home, "GET /api/v1/tracking/CR7", '{"tracking_number":"CR7","status":"pending"}');
  await home.courier("sync");
  const { stderr } = await home.courier("late --limit 2");
  expect(stderr).not.toContain("--fetch");
  expect(stderr).toContain(
    "none of these orders has a tracking number, so they are ranked by their creation\n",
  );
  expect((await home.courier("late")).stderr).toContain("one call each: add --fetch 3\n");
  const before = home.sandbox.requests.length;
  const fetched = await home.courier("late --fetch 3");
  expect(fetched.stderr).toContain("2 orders have no tracking number and cannot be tracked\n");
  expect(home.sandbox.requests.length).toBe(before + 1);
});

test("without --stuck, all orders on their way are shown also where this machine's clock is behind", async () => {
  const home = await createServedHome();
  await createOrder(home);
  home.clock.jump(-3 * 86_400_000);
  const { exit, stdout } = await home.courier("late --json");
  expect([exit, JSON.parse(stdout).length]).toEqual([0, 1]);
});
