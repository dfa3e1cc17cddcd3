/** A success that names another order, while the own one is still being made: it is not made twice. */

import { expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const stdin = JSON.stringify(plainDraft);

test.each([
  ["orders create", "orders create --file - --json"],
  ["an import", "orders import - --yes --ndjson"],
  ["a raw call", "api POST orders --input - --json"],
])("%s: the order that comes 15 s later is found", async (_way, words) => {
  const home = await createUnfaithfulHome();
  const others = Array.from({ length: 24 }, (_, index) => ({
    ...plainDraft,
    receiver: { ...plainDraft.receiver, name: `收件人${index}`, phone: `139000${10_000 + index}` },
  }));
  for (const rows of [others, others.slice(0, 1)])
    await home.courier("orders import - --yes", { stdin: JSON.stringify(rows) });
  expect(home.service.orders).toHaveLength(24);
  home.service.ways = { answerWith: () => 24, commitDelayMs: 15_000 };
  const given = words.includes("import") ? `[${stdin}]` : stdin;
  let ran = await home.courier(words, { stdin: given });
  expect([0, 5, 6], ran.stderr).toContain(ran.exit);
  home.service.ways = {};
  // What its hint says, until the order is known; 2 names it.
  for (const minutes of [0, 1, 5, 20]) {
    if (ran.exit === 0 || ran.exit === 2) break;
    home.clock.advance(minutes * 60_000);
    ran = await home.courier(words, { stdin: given });
  }
  expect([0, 2], ran.stderr).toContain(ran.exit);
  home.clock.advance(60_000);
  expect(home.service.orders.filter(({ body }) => JSON.stringify(body) === stdin)).toHaveLength(1);
});
