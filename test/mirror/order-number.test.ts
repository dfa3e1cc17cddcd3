/** Numbers of orders in the mirror, where a service stamps many orders with one second. */

import { expect, test } from "vitest";
import { createNumberFinder } from "../../src/mirror/order-number.ts";
import type { Database } from "../../src/sqlite/database.ts";

test.each([
  ["newest first", (index: number) => 1_000_000 - index],
  ["oldest first", (index: number) => 1_000_000 + index],
])("20,000 orders of one second, %s, have numbers of their own in a few statements each", (_order, toId) => {
  const ids = new Map<number, string>();
  let asked = 0;
  const sql = () => ({
    get(number: number) {
      asked += 1;
      return ids.has(number) ? { id: ids.get(number) } : undefined;
    },
  });
  const find = createNumberFinder(sql as unknown as Database["sql"]);
  for (let index = 0; index < 20_000; index++) {
    const id = String(toId(index));
    const number = find(id, "2026-01-01T00:00:00Z", 0);
    expect(ids.has(number)).toBe(false);
    ids.set(number, id);
  }
  expect(asked).toBeLessThan(10 * 20_000);
});
