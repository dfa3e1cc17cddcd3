/** A person sends an order again that is in doubt: the order of the second create is no proof of what the first one made. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import type { Ways } from "../support/unfaithful-ways.ts";
import { minuteMs } from "./known-home.ts";

const renamed: Rewriting = (shown) =>
  shown.id === 1 ? { ...shown, receiver: { ...shown.receiver, name: "L Si" } } : shown;

test.each<[string, Ways]>([
  [
    "cannot be read",
    { refuseDetail: ({ path: of }) => (of.endsWith("/1") ? { status: 500, code: "INTERNAL" } : undefined) },
  ],
  ["is shown for another name", { rewrite: renamed }],
])("an order of one of two equal creates that %s stays a possible match", async (_what, unclear) => {
  const home = await createUnfaithfulHome({ ...unclear, loss: () => "after" });
  const file = path.join(home.directory, "order.json");
  await writeFile(file, JSON.stringify(plainDraft));
  expect((await home.courier(`orders create --file ${file} --yes`)).exit).toBe(6);
  home.clock.advance(minuteMs);
  const prompts = scriptedPrompts({ choices: ["Send this order"], confirms: [true] });
  const ran = await home.courier(`orders create --file ${file}`, { terminal: 120, prompts });
  expect(home.service.orders, ran.stderr).toHaveLength(2);
  home.service.ways = unclear;
  for (let time = 0; time < 3; time++) {
    home.clock.advance(30 * minuteMs);
    await home.courier("orders import - --yes --json", {
      stdin: JSON.stringify([{ ...plainDraft, ref: "X" }]),
    });
  }
  const open = await home.courier("orders resolve --json");
  expect(JSON.parse(open.stdout), ran.stderr).toMatchObject([{ operation: "1.1", state: "unknown" }]);
  const second = JSON.parse((await home.courier("orders resolve 2.1 --json")).stdout);
  expect([second.state, second.id]).toEqual(["found", 2]);
  const settled = await home.courier("orders resolve 1.1 --not-created --yes");
  expect([settled.exit, home.service.orders.length], settled.stderr).toEqual([2, 2]);
  expect(settled.stderr).toContain("order 1 may be 1.1: nothing was recorded");
});
