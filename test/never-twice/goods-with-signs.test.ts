/** Goods with a multiplication sign, as shops write them ("T恤 × 2"): they are no texts of which a part is hidden. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { OrderSummary } from "../../src/model/interface.ts";
import { compareSummary } from "../../src/sending/matching.ts";
import { sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";
import { knownHome, minuteMs } from "./known-home.ts";

const draft = (item: string) => ({ ...plainDraft, item: { ...plainDraft.item, name: item } });

describe.each([
  ["双人被套", "红木椅子 × 2"],
  ["双人被套*2", "红木椅子*2"],
])("%s, and not %s", (own, other) => {
  test("another machine's order of other goods is not reported as the lost one", async () => {
    const { home } = await knownHome();
    home.service.ways = { loss: () => "before", refuseList: { status: 503 } };
    const create = () =>
      home.courier("orders create --file - --ref A --yes --json", { stdin: JSON.stringify(draft(own)) });
    expect((await create()).exit).toBe(6);
    home.clock.advance(5_000);
    home.service.ways = {};
    home.service.foreign(draft(other)); // what a colleague sent
    home.clock.advance(minuteMs);
    const again = await create();
    // No order with these goods exists.
    expect([again.exit, again.stdout], again.stderr).not.toEqual([0, expect.stringContaining('"id"')]);
  });

  test("an own order of other goods for the same receiver is no possible match", async () => {
    const home = await createUnfaithfulHome();
    const file = path.join(home.directory, "orders.csv");
    const rowOf = (ref: string, goods: string) =>
      `${ref},张三,13800138000,李勇敏,13910008032,北京市,建国路2号,${goods},1.20,3`;
    await writeFile(file, sheet(rowOf("A-1", own), rowOf("A-2", other)));
    home.service.ways = {
      loss: ({ body }) => (body.includes(own) ? "before" : "answered"),
    };
    const ship = () => home.courier(`orders import ${file} --yes --json --concurrency 1 --settle 10s`);
    let ran = await ship();
    home.service.ways = {};
    for (let time = 0; time < 3; time++) {
      home.clock.advance(20 * minuteMs);
      ran = await ship();
    }
    expect([ran.exit, home.service.orders.length], ran.stderr + ran.stdout).toEqual([0, 2]);
  });
});

test("exchanged answers of two orders of one receiver are noticed", async () => {
  const rewrite: Rewriting = (shown) => {
    const body = Number(shown.id) < 3 && home.service.orders[(Number(shown.id) - 1) ^ 1]?.body;
    return body ? { ...shown, receiver: { ...body.receiver }, item: { ...body.item } } : shown;
  };
  const home = await createUnfaithfulHome({ rewrite });
  const file = path.join(home.directory, "orders.csv");
  const done = path.join(home.directory, "done.csv");
  const rowOf = (ref: string, name: string, phone: string, goods: string) =>
    `${ref},张三,13800138000,${name},${phone},北京市,建国路2号,${goods},1.20,3`;
  await writeFile(
    file,
    sheet(
      rowOf("A-1", "李勇敏", "13910008032", "双人被套*2"),
      rowOf("A-2", "李勇敏", "13910008032", "红木椅子*2"),
      rowOf("A-3", "刘静洋", "13910023759", "茶叶"),
      rowOf("A-4", "陈艳杰", "13910031721", "杯子"),
    ),
  );
  const ran = await home.courier(
    `orders import ${file} --yes --json --concurrency 1 --write-back ${done}`.split(" "),
  );
  const text = await readFile(done, "utf8");
  expect(ran.exit, ran.stderr + text).toBe(6);
  expect(text).not.toMatch(/^A-1,.*UT00000001/m);
});

test.each([
  ["红木椅子 × 2", "红木椅子×2", "agrees"],
  ["红木椅子 × 2", "红木椅子 * 2", "open"],
  ["红木椅子 × 12", "红木椅子 × 2", "differs"],
  ["双人被套", "纸箱30*40*50", "differs"],
  ["双人被套", "2×红木椅子，茶几 × 1", "differs"],
  ["iPhone 15", "iPhone *5", "open"],
  ["红木椅子 × 2", "红**", "open"],
  ["双人被套", "红**2", "open"],
  ["双人被套", "红木*", "open"],
  ["双人被套", "*2", "open"],
  ["双人被套", "红木椅子…", "open"],
])("goods that were sent as %s and are shown as %s: %s", (sent, shown, agreement) => {
  const summary = { item_name: shown } as unknown as OrderSummary;
  expect(compareSummary({ item: { name: sent } }, summary)["item.name"]).toBe(agreement);
});
