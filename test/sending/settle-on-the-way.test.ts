/** A list that somebody reads anyway settles what is in doubt. */

import { describe, expect, test } from "vitest";
import { createServedHome } from "../support/courier.ts";
import { readRuns } from "../support/ledger.ts";
import { plainDraft } from "../support/orders.ts";

const create = "orders create --file - --json";
const stdin = JSON.stringify(plainDraft);

/** A home with an order of its own, and a second one whose answer was lost while the list was refused. */
async function createDoubt(kind: "drop_after" | "drop_before") {
  const home = await createServedHome();
  const first = { ...plainDraft, item: { ...plainDraft.item, name: "书" } };
  expect((await home.courier(create, { stdin: JSON.stringify(first) })).exit).toBe(0);
  home.sandbox.faults.set([
    { method: "POST", kind },
    { method: "GET", kind: "status", status: 500 },
  ]);
  expect((await home.courier(create, { stdin })).exit).toBe(6);
  home.sandbox.faults.clear();
  return home;
}

const states = async (home: Parameters<typeof readRuns>[0]) =>
  (await readRuns(home)).flatMap(({ operations }) => operations.map(({ state }) => state));

describe("an order in doubt", () => {
  test.each(["orders list --all --json", "orders export"])("is found by %s", async (words) => {
    const home = await createDoubt("drop_after");
    const { exit, stderr } = await home.courier(words);
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain("1 order in doubt is settled; see courier log\n");
    expect(await states(home)).toEqual(["created", "found"]);
  });

  test("that was not made is settled by two lists, a quarter of an hour later", async () => {
    const home = await createDoubt("drop_before");
    await home.courier("orders list --all --json");
    expect(await states(home)).toEqual(["created", "unknown"]);
    home.clock.advance(16 * 60_000);
    await home.courier("orders list --all --json");
    expect(await states(home)).toEqual(["created", "unsent"]);
  });

  // The service is asked for one day more than --from says.
  test.each(["--status pending", "--to 2026-03-02", "--from 2026-03-02"])(
    "is left alone by a list that need not show it: %s",
    async (filter) => {
      const home = await createDoubt("drop_after");
      expect((await home.courier(`orders list --all --json ${filter}`)).exit).toBe(0);
      expect(await states(home)).toEqual(["created", "unknown"]);
    },
  );
});
