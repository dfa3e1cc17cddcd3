/** `--settle` with a time that the list itself shows to be too short: nothing is sent twice. */

import { expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

test("a list that lacks an order which was just created proves nothing so soon", async () => {
  const rows = ["王五", "赵六", "孙七"].map((name, index) => ({
    ...plainDraft,
    receiver: { ...plainDraft.receiver, name, phone: `139000${10_000 + index}` },
  }));
  const home = await createUnfaithfulHome({
    listLagMs: 25_000,
    loss: (_request, n) => (n === 2 ? "after" : "answered"),
  });
  const words = "orders import - --yes --json --concurrency 1 --settle 10s";
  const first = await home.courier(words, { stdin: JSON.stringify(rows) });
  expect([0, 6], first.stderr).toContain(first.exit);
  home.clock.advance(60_000);
  const again = await home.courier(words, { stdin: JSON.stringify(rows) });
  expect(again.exit, again.stderr).toBe(0);
  expect(home.service.orders).toHaveLength(3);
});
