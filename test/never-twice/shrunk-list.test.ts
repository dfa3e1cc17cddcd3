/** A list that is complete in form, and has orders no more that it had before: a new index, or a copy of older data. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { outcomes, row, sheet } from "../support/imports.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import type { MadeOrder } from "../support/unfaithful-ways.ts";
import { knownHome, minuteMs } from "./known-home.ts";

/** As the courier's website does. */
async function cancel({ service }: Awaited<ReturnType<typeof knownHome>>["home"], id: number): Promise<void> {
  const headers = { authorization: `Bearer ${service.apiKey}` };
  await fetch(`${service.baseUrl}/api/v1/orders/${id}`, { method: "DELETE", headers });
}

test.each<[string, (order: MadeOrder) => boolean]>([
  ["is empty", () => true],
  ["lacks the last two orders", ({ id }) => id >= 3],
  ["lacks the last order and an old one", ({ id }) => id === 1 || id === 4],
])("where it %s, it proves nothing", async (_how, isOmitted) => {
  const { home, run } = await knownHome();
  // The list of the first step is whole.
  const omitFromList = (order: MadeOrder) => home.service.orders.length > 3 && isOmitted(order);
  home.service.ways = { loss: () => "after", omitFromList };
  const first = await run(4);
  expect([first.exit, outcomes(first.report)], first.stderr).toEqual([6, "shipped shipped shipped unknown"]);
  expect(first.report[3].error.message).toMatch(
    /no matching order is listed so far, and the list lacks order \d, which the ledger knows: run the same command again after /,
  );
  for (const minutes of [1, 20, 60]) {
    home.clock.advance(minutes * minuteMs);
    const again = await run(4);
    expect([again.exit, home.service.orders.length], again.stderr).toEqual([6, 4]);
  }
  home.service.ways = {};
  home.clock.advance(minuteMs);
  const last = await run(4);
  expect([last.exit, outcomes(last.report)], last.stderr).toEqual([0, "shipped shipped shipped found"]);
  expect(home.service.orders).toHaveLength(4);
});

test("a person who records that no order was made is told what the list lacks", async () => {
  const { home, run } = await knownHome();
  home.service.ways = { loss: () => "after", omitFromList: ({ id }) => id >= 3 };
  expect((await run(4)).exit).toBe(6);
  const [doubtful] = JSON.parse((await home.courier("orders resolve --json")).stdout);
  const resolved = await home.courier(`orders resolve ${doubtful.operation} --not-created --yes`);
  expect(resolved.stderr).toMatch(
    /^warning: none of the 2 orders listed(?: since \S+)? is it, but the list lacks order 3, which the ledger knows: it may lack this one, too$/m,
  );
});

test("also where it lacks orders that were made just now", async () => {
  const home = await createUnfaithfulHome();
  const create = "orders create --sender-name A --receiver-name B --no-input --item-name";
  expect((await home.courier(`${create} C`)).exit).toBe(0);
  home.service.ways = { loss: () => "after", omitFromList: () => true };
  const lost = await home.courier(`${create} D`);
  expect(lost.exit, lost.stderr).toBe(6);
  const resolved = await home.courier("orders resolve 2.1 --not-created --yes");
  expect(resolved.stderr).toMatch(
    /^warning: none of the 0 orders listed(?: since \S+)? is it, but the list lacks order 1, which the ledger knows: it may lack this one, too$/m,
  );
});

test("orders that it drops because they were cancelled are no sign of that", async () => {
  const { home, run } = await knownHome();
  const omitFromList = ({ status }: MadeOrder) => status === "cancelled";
  const loss = () => {
    for (const id of [1, 2]) void cancel(home, id);
    return "before" as const;
  };
  home.service.ways = { loss, omitFromList };
  const ran = await run(4);
  expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([5, "shipped shipped shipped"]);
  home.service.ways = { omitFromList };
  expect(outcomes((await run(4)).report)).toBe("cancelled cancelled shipped created");
});

test.each([
  ["a day before the request: it was deleted", 25, [5, "shipped shipped shipped"]],
  ["an hour before the request: it may come from the same copy", 1, [6, "shipped shipped shipped unknown"]],
])("an order that was gone %s", async (_when, hours, expected) => {
  const { home, run } = await knownHome();
  const omitFromList = ({ id }: MadeOrder) => id === 1;
  home.service.ways = { omitFromList };
  expect((await run(3)).exit).toBe(0);
  home.clock.advance(hours * 60 * minuteMs);
  home.service.ways = { omitFromList, loss: () => "before" };
  const ran = await run(4);
  expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual(expected);
});

test.each<[string, (order: MadeOrder) => boolean, boolean]>([
  ["is empty, and the details are gone", () => true, true],
  ["lacks an order that is shown", ({ id }) => id === 2, false],
])(
  "an import says that it compared not all orders made elsewhere where the list %s",
  async (_how, omitFromList, isGone) => {
    const { home, run } = await knownHome();
    home.service.ways = { omitFromList, ...(isGone ? { detailLagMs: Number.MAX_SAFE_INTEGER } : {}) };
    const words = "Not all orders made elsewhere were compared: the list lacks order ";
    expect((await run(3)).stderr).toContain(words);
    home.service.ways = {};
    expect((await run(3)).stderr).not.toContain(words);
    // One that is gone for good is no such sign.
    home.service.ways = { omitFromList: ({ id }) => id === 2, detailLagMs: Number.MAX_SAFE_INTEGER };
    expect((await run(3)).stderr).not.toContain(words);
  },
);

test("orders that no list has shown yet are missed, too, once they must be listed", async () => {
  const home = await createUnfaithfulHome();
  const file = path.join(home.directory, "orders.csv");
  const run = async (...rows: readonly string[]) => {
    await writeFile(file, sheet(...rows));
    const ran = await home.courier(`orders import ${file} --yes --json`);
    return { ...ran, report: JSON.parse(ran.stdout) };
  };
  expect((await run(row("A-1"), row("A-2", "王五", "13700137001"))).exit).toBe(0);
  home.clock.advance(60 * minuteMs);
  // A new index has only later orders.
  const omitFromList = ({ id }: MadeOrder) => id <= 3;
  home.service.ways = { omitFromList, loss: () => "after" };
  const lost = row("B-1", "赵六", "13600136001");
  const first = await run(lost);
  expect([first.exit, outcomes(first.report)], first.stderr).toEqual([6, "unknown"]);
  expect(first.stderr).toContain("Not all orders made elsewhere were compared: the list lacks order ");
  home.service.ways = { omitFromList };
  expect((await run(row("C-1", "孙七", "13500135001").replace("建国路88号", "南路9号"))).exit).toBe(0);
  for (const minutes of [1, 20, 60]) {
    home.clock.advance(minutes * minuteMs);
    const again = await run(lost);
    expect([again.exit, home.service.orders.length], again.stderr).toEqual([6, 4]);
  }
});
