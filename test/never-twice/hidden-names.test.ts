/** An answer named an order of the courier's website, and the service hides names: phone and address tell it apart. */

import { describe, expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import type { Rewriting, ShownParty } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const draft = (name: string, phone: string, detail: string) => ({
  ...plainDraft,
  receiver: { ...plainDraft.receiver, name, phone, detail },
});
const hideNames =
  (hide: (name: string) => string): Rewriting =>
  (shown) => ({ ...shown, receiver: { ...shown.receiver, name: hide(String(shown.receiver?.name)) } });
const hidden = (shown: string | undefined) => shown?.replace(/(?<=^.{3})..../, "****");

test.each<[string, Rewriting]>([
  ["all of a name", hideNames(() => "***")],
  ["nothing", (shown) => shown],
  ["given names", hideNames((name) => `${name.charAt(0)}*`)],
  [
    "names, and digits of phones",
    (shown, view) => {
      const { receiver } = shown;
      return {
        ...hideNames(() => "*")(shown, view),
        receiver: { ...receiver, name: "*", phone: hidden(String(receiver?.phone)) },
      };
    },
  ],
])("hidden: %s", async (_what, rewrite) => {
  const home = await createUnfaithfulHome({ rewrite });
  const stdin = JSON.stringify(draft("李大力", "13722223333", "人民南路12号"));
  let id = 0;
  home.service.ways = {
    rewrite,
    answerWith: () => {
      id = home.service.foreign(draft("李明", "13600136000", "中山路1号")).id;
      return id;
    },
  };
  await home.courier("orders create --file - --ref A --yes --json", { stdin });
  home.service.ways = { rewrite };
  home.clock.advance(60_000);
  const cancelled = await home.courier("orders cancel ref:A --yes --json");
  expect(
    home.service.orders.map(({ status }) => status),
    cancelled.stderr,
  ).not.toContain("cancelled");
  expect(cancelled.exit).not.toBe(0);
  const slips = await home.courier("orders slips ref:A --json");
  expect([slips.exit, slips.stdout], slips.stderr).toEqual([3, ""]);
  expect(slips.stderr).toContain("the service shows another receiver than was sent");
});

const show =
  (change: (receiver: ShownParty) => ShownParty): Rewriting =>
  (shown) => ({ ...shown, receiver: change(shown.receiver ?? {}) });
const star = (name: unknown) => `${String(name).charAt(0)}**`;
const longGoods = "Cotton T-shirt with long sleeves, blue";

describe("an import's answer that named the website's order of other goods", () => {
  test.each<[string, Rewriting, string]>([
    ["no phone, and goods with &", show(({ phone: _, ...party }) => party), "T-shirt & cap"],
    ["no phone, and long goods", show(({ phone: _, ...party }) => party), longGoods],
    ["all, and goods with &", (shown) => shown, "T-shirt & cap"],
    [
      "no phone, and a part of the name",
      show(({ phone: _, name, ...party }) => ({ ...party, name: star(name) })),
      "Tea",
    ],
    [
      "the end of the phone, a part of the name and no address",
      show(({ name, phone }) => ({ name: star(name), phone: hidden(String(phone)), address: null })),
      "Tea",
    ],
    [
      "parts of name and phone",
      show(({ name, phone, ...party }) => ({ ...party, name: star(name), phone: hidden(String(phone)) })),
      "Tea",
    ],
    ["a part of the name", show(({ name }) => ({ name: star(name), phone: null, address: null })), "Tea"],
  ])("shown: %s", async (_what, rewrite, goods) => {
    const home = await createUnfaithfulHome({ rewrite });
    const rows = ["王军芳", "张小北", "刘一航"].map((name, index) => ({
      ...draft(name, `1372222333${index}`, `人民南路${index}2号`),
      item: { ...plainDraft.item, name: goods },
      ref: `A-${index}`,
    }));
    const answerWith = ({ body }: { body: string }) => {
      if (!body.includes("王军芳")) return undefined;
      const receiver = { name: "钱大海", phone: "13600139590", city: "杭州市", detail: "中山大道88号" };
      return home.service.foreign({ ...plainDraft, receiver, item: { name: "Book" } }).id;
    };
    home.service.ways = { rewrite, answerWith };
    const ran = await home.courier("orders import - --yes --json", { stdin: JSON.stringify(rows) });
    expect(ran.stderr).toMatch(/named order \d, but the service shows another receiver/);
    expect(ran.exit, ran.stderr).toBe(6);
    const cancelled = await home.courier("orders cancel ref:A-0 --yes");
    const gone = home.service.orders.filter(({ status }) => status === "cancelled");
    expect(
      gone.map(({ body }) => body.receiver.name),
      cancelled.stderr,
    ).not.toContain("钱大海");
  });
});
