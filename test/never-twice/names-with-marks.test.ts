/** Names with a character that services also hide others with, such as the • of Uyghur and Kazakh names. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting } from "../support/shown-order.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";
import { knownHome, minuteMs } from "./known-home.ts";

const draft = (name: string, phone: string, detail: string, item: string) => ({
  ...plainDraft,
  receiver: { ...plainDraft.receiver, name, phone, detail },
  item: { ...plainDraft.item, name: item },
});
const create = ({ courier }: UnfaithfulHome, body: object, ref: string) =>
  courier(`orders create --file - --ref ${ref} --yes --json`, { stdin: JSON.stringify(body) });

const foreignOrder = (name: string) => ({
  sender: { name: "张三", phone: "13800138000" },
  receiver: { name, phone: "13722223333", city: "北京市", detail: "人民南路12号" },
  item: { name: "台灯", weight: 1.2, quantity: 3 },
});

const hideName: Rewriting = (shown) => ({
  ...shown,
  receiver: { ...shown.receiver, name: `${String(shown.receiver?.name).charAt(0)}**` },
});

describe.each(["阿里木•买买提", "Anna * Lee"])("a receiver named %s", (name) => {
  const lost = draft(name, "13722223333", "人民南路12号", "台灯");

  test("an equal order of another machine holds the row", async () => {
    const home = await createUnfaithfulHome();
    home.service.foreign(foreignOrder(name));
    const file = path.join(home.directory, "orders.csv");
    await writeFile(file, sheet(`A-1,张三,13800138000,${name},13722223333,北京市,人民南路12号,台灯,1.20,3`));
    home.clock.advance(minuteMs);
    const ran = await home.courier(`orders import ${file} --yes --json`);
    expect([ran.exit, home.service.orders.length], ran.stderr + ran.stdout).toEqual([3, 1]);
  });

  test("an order whose answer was lost is found", async () => {
    const { home } = await knownHome();
    home.service.ways = { loss: () => "after", refuseList: { status: 503 } };
    expect((await create(home, lost, "A")).exit).toBe(6);
    home.service.ways = {};
    home.clock.advance(20 * minuteMs);
    const again = await create(home, lost, "A");
    expect([again.exit, home.service.orders.length], again.stderr).toEqual([0, 4]);
  });

  test.each<[string, Rewriting]>([
    ["shown as it was sent", (shown) => shown],
    ["hidden in part", hideName],
  ])("an order that the next create's answer named is not sent again: %s", async (_, rewrite) => {
    const { home } = await knownHome();
    home.service.ways = { loss: () => "after", refuseList: { status: 503 } };
    expect((await create(home, lost, "A")).exit).toBe(6);
    home.clock.advance(5_000);
    home.service.ways = { rewrite, answerWith: 4, commitDelayMs: 10_000 * minuteMs };
    await create(home, draft("周文", "13533334444", "解放大道127号", "毛巾"), "B");
    home.service.ways = { rewrite, refuseDetail: { status: 500 } };
    let told = "";
    for (let time = 0; time < 3; time++) {
      home.clock.advance(20 * minuteMs);
      told = (await create(home, lost, "A")).stderr;
    }
    expect(home.service.orders.filter(({ body }) => body.receiver.name === name).length, told).toBe(1);
  });
});
