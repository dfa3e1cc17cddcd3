/** Details that show another order than the list does: they prove nothing of the order that was asked for. */

import { expect, test } from "vitest";
import { outcomes } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const stranger = { name: "欧阳娜", phone: "18622223333", address: "成都市人民南路四段11号" };
/** As a cache does that mixes its answers up. */
const mixed: Rewriting = (order, view) =>
  view === "list" ? order : { ...order, receiver: stranger, item: { ...order.item, name: "茶壶" } };
const ofReceiver: Rewriting = (order, view) =>
  view === "list" ? order : { ...order, receiver: { ...stranger, address: undefined, detail: "x" } };

test.each([
  ["receiver and goods", mixed],
  ["the receiver", ofReceiver],
])("do not prove that a lost order was not made: %s", async (_, rewrite) => {
  const home = await createUnfaithfulHome({ rewrite });
  const stdin = JSON.stringify([plainDraft]);
  home.service.ways = { ...home.service.ways, loss: (_request, n) => (n === 1 ? "after" : "answered") };
  for (const words of ["", "", ""]) {
    const ran = await home.courier(`orders import - --yes --json --settle 10s ${words}`.trim(), { stdin });
    expect([ran.exit, outcomes(JSON.parse(ran.stdout))], ran.stderr).toEqual([6, "unknown"]);
    home.clock.advance(600_000);
  }
  expect(home.service.orders).toHaveLength(1);
  const asked = await home.courier("orders resolve 1.1 --not-created --yes");
  expect(asked.exit, asked.stderr).not.toBe(0);
});

test("do not send a row of another machine's order again", async () => {
  const home = await createUnfaithfulHome({ rewrite: mixed });
  home.service.foreign(plainDraft);
  home.clock.advance(60_000);
  for (const words of ["", "--skip-shipped"]) {
    const stdin = JSON.stringify([plainDraft]);
    const ran = await home.courier(`orders import - --yes --json ${words}`.trim(), { stdin });
    expect([ran.exit, outcomes(JSON.parse(ran.stdout))], ran.stderr).toEqual([3, "held"]);
  }
});

test("do not make a refusal of an order that is there", async () => {
  const home = await createUnfaithfulHome({
    rewrite: mixed,
    failAfterCommit: { status: 402, code: "PAYMENT", message: "no" },
  });
  const ran = await home.courier("orders import - --yes --json", { stdin: JSON.stringify([plainDraft]) });
  expect([ran.exit, outcomes(JSON.parse(ran.stdout))], ran.stderr).toEqual([6, "unknown"]);
});
