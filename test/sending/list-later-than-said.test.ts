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

test("nor does one that lacked an order which was found later: a refusal is checked for as long", async () => {
  const refusal = { status: 400, code: "BALANCE", message: "no" };
  const home = await createUnfaithfulHome({
    listLagMs: 6_000,
    loss: (_request, n) => (n === 1 ? "after" : "answered"),
    failAfterCommit: (_request, n) => (n > 1 ? refusal : undefined),
  });
  const create = (ref: string, name: string) =>
    home.courier(`orders create --file - --json --ref ${ref}`, {
      stdin: JSON.stringify({ ...plainDraft, receiver: { ...plainDraft.receiver, name } }),
    });
  const first = await create("R-1", "王五");
  expect([first.exit, home.service.orders.length], first.stderr).toEqual([0, 1]);
  const second = await create("R-2", "赵六");
  expect([0, 6], second.stderr).toContain(second.exit);
  home.clock.advance(60_000);
  const again = await create("R-2", "赵六");
  expect([again.exit, home.service.orders.length], again.stderr).toEqual([0, 2]);
});

test("nor does one that lacked the orders of an import at its end: a refusal is checked for as long", async () => {
  const named = (name: string, phone: string) => ({
    ...plainDraft,
    receiver: { ...plainDraft.receiver, name, phone },
  });
  const refusal = { status: 400, code: "BALANCE", message: "no" };
  const home = await createUnfaithfulHome({
    listLagMs: 6_000,
    failAfterCommit: (_request, n) => (n > 2 ? refusal : undefined),
  });
  const rows = [named("王五", "13900010000"), named("赵六", "13900010001")];
  const sent = await home.courier("orders import - --yes --json", { stdin: JSON.stringify(rows) });
  expect([sent.exit, home.service.orders.length], sent.stderr).toEqual([0, 2]);
  home.clock.advance(60_000);
  const create = () =>
    home.courier("orders create --file - --json --ref R-3", {
      stdin: JSON.stringify(named("孙七", "13900010002")),
    });
  const refused = await create();
  expect([0, 6], refused.stderr).toContain(refused.exit);
  home.clock.advance(60_000);
  const again = await create();
  expect([again.exit, home.service.orders.length], again.stderr).toEqual([0, 3]);
});

test("a time that is shorter than an order was seen to be missing, and then found", async () => {
  const home = await createUnfaithfulHome({ listLagMs: 25_000, loss: () => "after" });
  const create = (ref: string, name: string) =>
    home.courier(`orders create --file - --json --ref ${ref} --settle 30s`, {
      stdin: JSON.stringify({ ...plainDraft, receiver: { ...plainDraft.receiver, name } }),
    });
  expect((await create("R-1", "王五")).exit).toBe(6);
  home.clock.advance(13_000);
  await create("R-1", "王五"); // it is seen to be missing
  home.clock.advance(30_000);
  expect((await create("R-1", "王五")).exit).toBe(0);
  home.service.ways = { listLagMs: 36_000, loss: (_request, n) => (n === 2 ? "after" : "answered") };
  expect((await create("R-2", "赵六")).exit).toBe(6);
  const madeMs = home.service.orders[1]?.committedAtMs ?? 0;
  home.clock.advance(madeMs + 33_500 - home.clock.now());
  const again = await create("R-2", "赵六");
  expect(home.service.orders, again.stderr).toHaveLength(2);
});
