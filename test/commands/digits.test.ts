/** Order and tracking numbers of digits alone: they name their orders, as ids do. */

import { expect, test } from "vitest";
import { answerData, answerRaw, requestCount } from "../support/answers.ts";
import { createServedHome } from "../support/courier.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const number = "73129000005";
const order = { sender: { name: "店" }, receiver: { name: "李四" }, item: { name: "书" } };

async function homeWithDigits() {
  const home = await createUnfaithfulHome({
    rewrite: (shown) => ({ ...shown, tracking_number: number, order_no: "20261126001000005" }),
  });
  home.service.foreign({
    ...order,
    sender: { ...order.sender, phone: "1", province: "", city: "", district: "", detail: "" },
    receiver: { ...order.receiver, phone: "2", province: "", city: "", district: "", detail: "" },
    item: { name: "书", weight: 1, quantity: 1 },
  });
  return home;
}

test.each([number, "20261126001000005"])("%s is found in the list, and in the mirror", async (name) => {
  const home = await homeWithDigits();
  for (const prepare of ["", "sync"]) {
    if (prepare) expect((await home.courier(prepare)).exit).toBe(0);
    const shown = await home.courier(["orders", "show", name, "--json"]);
    expect([shown.exit, JSON.parse(shown.stdout || "{}").id], shown.stderr).toEqual([0, 1]);
  }
  const cancelled = await home.courier(["orders", "cancel", name, "--yes"]);
  expect([cancelled.exit, home.service.orders[0]?.status], cancelled.stderr).toEqual([0, "cancelled"]);
});

test("digits that name nothing are told as an id that no order has", async () => {
  const home = await homeWithDigits();
  const shown = await home.courier("orders show 99999999999");
  expect([shown.exit, shown.stdout]).toEqual([1, ""]);
  expect(shown.stderr).toContain("order 99999999999 does not exist");
});

test.each([1, 2])(
  "digits that are the id of one order and the number of another one are ambiguous, of which %i are known: nothing is cancelled",
  async (count) => {
    const home = await createServedHome();
    const byId = { id: Number(number), status: "pending" };
    const listed = [{ id: 1, order_no: "CO1", tracking_number: number, status: "pending" }, byId].slice(
      0,
      count,
    );
    const pagination = { current_page: 1, total_pages: 1, total_items: count, per_page: 100 };
    answerRaw(home, "GET /api/v1/orders", JSON.stringify({ success: true, data: listed, pagination }));
    answerData(home, `GET /api/v1/orders/${number}`, JSON.stringify(byId));
    expect((await home.courier("sync")).exit).toBe(0);
    const cancelled = await home.courier(["orders", "cancel", number, "--yes"]);
    expect([cancelled.exit, requestCount(home, "DELETE")], cancelled.stderr).toEqual([1, 0]);
    expect(cancelled.stderr).toMatch(
      new RegExp(`names 2 orders: (?:${number}, 1|1, ${number})\nhint: name one by its order number\n`),
    );
  },
);
