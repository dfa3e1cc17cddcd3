/** A create of a script that ends before any answer: the order that the list shows for it later is its own. */

import { expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import { knownHome, minuteMs } from "./known-home.ts";

const stdin = JSON.stringify({ ...plainDraft, receiver: { ...plainDraft.receiver, name: "孙大力" } });
const away = { status: 503 };

test.each([
  ["no order is known", createUnfaithfulHome, 1],
  ["orders are known", async () => (await knownHome()).home, 4],
] as const)("where %s", async (_what, createHomeOf, count) => {
  const home = await createHomeOf();
  const create = () => home.courier("orders create --file - --ref A --yes --json", { stdin });
  home.service.ways = { loss: () => "after", refuseList: away, refuseDetail: away, hideDate: true };
  expect((await create()).exit).toBe(6);
  home.service.ways = {};
  for (let time = 0; time < 2; time++) {
    home.clock.advance(20 * minuteMs);
    await create();
  }
  const last = await create();
  expect([last.exit, home.service.orders.length], last.stderr).toEqual([0, count]);
});

test("an equal order that someone made before it is not its own", async () => {
  const home = await createUnfaithfulHome();
  const create = () => home.courier("orders create --file - --ref A --yes --json", { stdin });
  const { id } = home.service.foreign(JSON.parse(stdin));
  home.clock.advance(minuteMs);
  home.service.ways = { loss: () => "before", refuseList: away, refuseDetail: away, hideDate: true };
  expect((await create()).exit).toBe(6);
  home.service.ways = {};
  home.clock.advance(20 * minuteMs);
  const again = await create();
  expect(again.stdout, again.stderr).not.toContain(`"id":${id}`);
});
