/** Owns the tests of the search for a lost order: what is it, and what is another one. */

import { describe, expect, test } from "vitest";
import type { Draft } from "../../src/model/draft.ts";
import { type JsonObject, jsonNumber, parseJson } from "../../src/model/json.ts";
import { findLostOrder, type OrderLookup } from "../../src/sending/reconcile.ts";
import { createLookup, draft, orderFor, type Party, search, sentAtMs, tell } from "./lost-order.ts";

describe("what is found", () => {
  test("the order as it was sent", async () => {
    expect(await search([orderFor(7)])).toBe("found 7");
  });

  test.each([
    ["with its address parted by blanks", { address: "广东省 深圳市  南山区 科技园路1号" }],
    ["parted by commas", { address: "广东省, 深圳市,南山区,科技园路1号" }],
    ["parted by slashes and bars", { address: " 广东省/深圳市｜南山区-科技园路1号。" }],
    ["with its phone in blanks and dashes", { phone: "138 0013-8000" }],
    ["with a country code", { phone: "+8613800138000" }],
    ["with another country code", { phone: "0086 138 0013 8000" }],
    ["with blanks around the name", { name: " 张三 " }],
  ])("%s", async (_how, party) => {
    const sender = { ...(orderFor(7).sender as Party), ...party };
    expect(await search([orderFor(7, { sender })])).toBe("found 7");
  });

  test("numbers written differently, and letters composed differently, are the same", async () => {
    const item = parseJson(
      '{"name":"手机","description":"new, sealed","weight":0.5,"value":2999.00,"quantity":1}',
    );
    expect(await search([orderFor(7, { item: item as JsonObject })])).toBe("found 7");
    const composed = { ...draft, item: { name: "caf\u00e9" } } as Draft;
    const decomposed = orderFor(7, { item: { name: "cafe\u0301" } });
    expect(await search([decomposed], 0, composed)).toBe("found 7");
  });

  test("an item or a name with an asterisk of its own", async () => {
    const starred = { ...draft, item: { name: "screw 5*30" } } as Draft;
    expect(await search([orderFor(7, { item: { name: "screw 5*30" } })], 0, starred)).toBe("found 7");
  });

  test("the service may fill in the service type, and numbers that were not sent", async () => {
    const item = parseJson(
      '{"name":"手机","description":"new, sealed","weight":0.50,"value":2999,"quantity":1}',
    );
    const { item: _item, ...parties } = draft;
    const few = { ...parties, item: { name: "手机", description: "new, sealed" } } as Draft;
    const order = orderFor(7, { item: item as JsonObject, service_type: "express" });
    expect(await search([order], 0, few)).toBe("found 7");
  });

  test("among a day of orders that are like it, with few looks at details", async () => {
    const others = Array.from({ length: 200 }, (_, index) =>
      orderFor(100 + index, {
        createdMs: sentAtMs + index * 1_000,
        receiver: { ...(orderFor(0).receiver as Party), name: `Li Si ${index}` },
      }),
    );
    const before = orderFor(2, { createdMs: sentAtMs - 3_600_000 });
    const lookup = createLookup([...others, before, orderFor(7), ...others.map((order) => ({ ...order }))]);
    expect(tell(await findLostOrder(draft, sentAtMs, lookup))).toBe("found 7");
    expect(lookup.details).toEqual(["7"]);
  });
});

describe("what is another order", () => {
  test.each([
    ["name", { sender: { ...orderFor(0).sender, name: "张三丰" } as Party }],
    ["phone", { sender: { ...orderFor(0).sender, phone: "13800138001" } as Party }],
    ["receiver's phone", { receiver: { ...orderFor(0).receiver, phone: "+86 139-0013-9001" } as Party }],
    ["quantity", { item: { ...draft.item, quantity: jsonNumber("2") } as JsonObject }],
    ["weight", { item: { ...draft.item, weight: jsonNumber("0.51") } as JsonObject }],
    ["value", { item: { ...draft.item, value: jsonNumber("2999.01") } as JsonObject }],
    ["item", { item: { ...draft.item, name: "手机壳" } as JsonObject }],
    ["description", { item: { ...draft.item, description: "used" } as JsonObject }],
  ])("one whose %s differs", async (_field, changes) => {
    expect(await search([orderFor(7, changes)])).toBe("absent");
    expect(await search([orderFor(7, changes), orderFor(8)])).toBe("found 8");
  });

  test("one whose service type differs from the one that was sent", async () => {
    const express = { ...draft, service_type: "express" } as Draft;
    expect(await search([orderFor(7)], 0, express)).toBe("absent");
    expect(await search([orderFor(7, { service_type: "express" })], 0, express)).toBe("found 7");
  });

  test("one that was made well before the request left", async () => {
    for (const ageMs of [121_000, 3_600_000, 86_400_000]) {
      expect(await search([orderFor(7, { createdMs: sentAtMs - ageMs })])).toBe("absent");
    }
  });

  test("one that is known to be of another request, however alike", async () => {
    const lookup = { ...createLookup([orderFor(7), orderFor(8)]), findClaimed: async () => new Set(["7"]) };
    expect(tell(await findLostOrder(draft, sentAtMs, lookup))).toBe("found 8");
    expect(
      tell(await findLostOrder(draft, sentAtMs, { ...lookup, findClaimed: async () => new Set(["7", "8"]) })),
    ).toBe("absent");
    expect(lookup.details).toEqual(["8"]);
  });

  test("nothing but others, or nothing at all", async () => {
    expect(await search([])).toBe("absent");
  });
});

describe("time", () => {
  test("is the service's: its clock may be hours or days off ours", async () => {
    for (const offsetMs of [-40 * 86_400_000, -3_600_000, 3_600_000, 40 * 86_400_000]) {
      const order = orderFor(7, { createdMs: sentAtMs + offsetMs + 300 });
      const earlier = orderFor(8, { createdMs: sentAtMs + offsetMs - 5_000 });
      expect(await search([order, earlier], offsetMs)).toBe("found 7");
    }
  });

  test("whole seconds of created_at may lie before the request; minutes are for clocks that differ", async () => {
    const created_at = "2026-03-01T08:00:00Z";
    const sentLater = (ms: number) =>
      findLostOrder(draft, sentAtMs + ms, createLookup([orderFor(7, { created_at })])).then(tell);
    expect(await sentLater(900)).toBe("found 7");
    expect(await sentLater(1_500)).toBe("unclear 7");
    expect(await sentLater(119_000)).toBe("unclear 7");
    expect(await sentLater(122_000)).toBe("absent");
  });

  test("the days asked for hold every zone's day of the request", async () => {
    const lookup = createLookup([]);
    await findLostOrder(draft, sentAtMs, lookup);
    expect(lookup.ranges).toEqual(["2026-02-28 2026-03-03"]);
  });

  test("when the first answer shows that our clock is days off, the right days are asked for", async () => {
    let offsetMs: number | undefined;
    const order = orderFor(7, { createdMs: sentAtMs + 10 * 86_400_000 + 50 });
    const lookup = createLookup([order]);
    const late: OrderLookup = {
      ...lookup,
      list(from, to) {
        offsetMs = 10 * 86_400_000;
        return lookup.list(from, to);
      },
      clockOffsetMs: () => offsetMs,
    };
    expect(tell(await findLostOrder(draft, sentAtMs, late))).toBe("found 7");
    expect(lookup.ranges).toEqual(["2026-02-28 2026-03-03", "2026-03-10 2026-03-13"]);
  });
});
