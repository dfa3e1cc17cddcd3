/** An order that a list showed long ago, by whatever clock, is known: it is not taken for that of a create. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { outcomes, row, sheet } from "../support/imports.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";
import { minuteMs } from "./known-home.ts";

const dayMs = 24 * 60 * minuteMs;

const orderFor = (name: string, phone: string) => ({
  sender: { name: "张三", phone: "13800138000" },
  receiver: { name, phone, city: "北京市", detail: "建国路88号" },
  item: { name: "茶叶", weight: 1.5, quantity: 1 },
});

function importing(home: UnfaithfulHome) {
  const file = path.join(home.directory, "orders.csv");
  return async (rows: readonly string[], ...flags: string[]) => {
    await writeFile(file, sheet(...rows));
    const ran = await home.courier(["orders", "import", file, "--yes", "--json", ...flags]);
    return { ...ran, report: JSON.parse(ran.stdout) };
  };
}

test.each<[string, boolean, (home: UnfaithfulHome) => void]>([
  ["two months ago, by a service that tells no time", true, ({ clock }) => clock.advance(61 * dayMs)],
  [
    "yesterday, and this machine's clock is two months ahead",
    false,
    ({ clock, service }) => {
      clock.advance(dayMs);
      clock.jump(61 * dayMs);
      service.ways = { dateSkewMs: -61 * dayMs };
    },
  ],
])(
  "an equal order of another machine that was listed %s is not found for a lost create",
  async (_when, hideDate, pass) => {
    const home = await createUnfaithfulHome({ hideDate });
    const run = importing(home);
    home.service.foreign(orderFor("李四", "13900139000"));
    const held = await run([row("A-1")]);
    expect([held.exit, outcomes(held.report)], held.stderr).toEqual([3, "held"]);
    pass(home);
    home.service.ways = { ...home.service.ways, loss: () => "before" };
    for (const minutes of [20, 20]) {
      const lost = await run([row("A-1")], "--allow-duplicate", "A-1");
      expect([lost.exit, outcomes(lost.report)], lost.stderr).toEqual([6, "unknown"]);
      home.clock.advance(minutes * minuteMs);
    }
  },
);

test.each([2, 61])(
  "an answer that names an order which was listed %d days ago names another one",
  async (days) => {
    const home = await createUnfaithfulHome();
    const run = importing(home);
    expect((await run([row("A-1")])).exit).toBe(0);
    const foreign = home.service.foreign(orderFor("赵六", "13700137001"));
    expect((await home.courier("orders list --all --json")).exit).toBe(0);
    home.clock.advance(days * dayMs);
    home.service.ways = { answerWith: foreign.id };
    const { exit, report, stderr } = await run([row("B-1", "王五", "13700137002")]);
    expect([exit, report[0].outcome, report[0].id], stderr).not.toEqual([0, "created", foreign.id]);
  },
);
