/** Owns the tests of doubt in the search for a lost order: what may be it is named, never adopted. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Draft } from "../../src/model/draft.ts";
import { type JsonObject, jsonNumber } from "../../src/model/json.ts";
import { findLostOrder } from "../../src/sending/reconcile.ts";
import { createLookup, draft, orderFor, type Party, search, sentAtMs, tell } from "./lost-order.ts";

describe("what is unclear, and never adopted", () => {
  const sender = orderFor(0).sender as Party;

  test.each([
    ["a masked phone", { phone: "138****8000" }],
    ["the last digits of a phone", { phone: "8000" }],
    ["a phone without its area", { phone: "0138000" }],
    ["a masked name", { name: "张*" }],
    ["a name masked in wide characters", { name: "张＊" }],
    ["a name masked with dots", { name: "张••" }],
    ["a name that is not shown", { name: undefined }],
    ["an address that is not shown", { address: undefined }],
    ["a masked address", { address: "广东省深圳市****" }],
    ["an address in other words", { address: "深圳南山科技园路1号" }],
    ["parts in another order", { address: "科技园路1号南山区深圳市广东省" }],
    ["a longer street number", { address: "广东省深圳市南山区科技园路1号2" }],
    ["a number in front of the street", { address: "广东省深圳市南山区1科技园路1号" }],
  ])("%s", async (_what, party) => {
    const changed = { ...sender, ...party } as Party;
    for (const field of Object.keys(changed) as (keyof Party)[]) {
      if (changed[field] === undefined) delete changed[field];
    }
    expect(await search([orderFor(7, { sender: changed })])).toBe("unclear 7");
  });

  test("an address that begins or ends with that of another: 1号 is neither 11号 nor 1号12", async () => {
    const one = { ...draft, sender: { detail: "1 Main St" } } as Draft;
    expect(await search([orderFor(7, { sender: { address: "11 Main St" } })], 0, one)).toBe("unclear 7");
    expect(await search([orderFor(7, { sender: { address: "1 Main St 2" } })], 0, one)).toBe("unclear 7");
    expect(await search([orderFor(7, { sender: { address: "1 Main St." } })], 0, one)).toBe("found 7");
  });

  test("a name in other letters of the same kind", async () => {
    const receiver = { ...(orderFor(0).receiver as Party), name: "LI SI" };
    expect(await search([orderFor(7, { receiver })])).toBe("unclear 7");
  });

  test("more than was sent", async () => {
    const { phone: _phone, ...withoutPhone } = draft.sender ?? {};
    const partial = { ...draft, sender: withoutPhone } as Draft;
    expect(await search([orderFor(7)], 0, partial)).toBe("unclear 7");
    expect(await search([orderFor(7)], 0, {} as Draft)).toBe("unclear 7");
  });

  test("two that are both it", async () => {
    expect(await search([orderFor(7), orderFor(8)])).toBe("unclear 7 8");
  });

  test("one that is it beside one that may be", async () => {
    const masked = orderFor(8, { sender: { ...sender, phone: "138****8000" } });
    expect(await search([masked, orderFor(7)])).toBe("unclear 7 8");
  });

  test("no Date header tells the service's hour", async () => {
    const lookup = { ...createLookup([orderFor(7)]), clockOffsetMs: () => undefined };
    expect(tell(await findLostOrder(draft, sentAtMs, lookup))).toBe("unclear 7");
  });

  test.each(["2026-03-01T08:00:00", "2026-03-01 08:00:00", "today", ""])(
    "made at %j, which names no instant",
    async (created_at) => {
      expect(await search([orderFor(7, { created_at })])).toMatch(/^(unclear 7|absent)$/);
    },
  );

  test("made just before, as clocks that are a little apart would have it", async () => {
    expect(await search([orderFor(7, { createdMs: sentAtMs - 1_500 })])).toBe("unclear 7");
    expect(await search([orderFor(7, { createdMs: sentAtMs - 1 })])).toBe("unclear 7");
  });
});

describe("whatever the service has", () => {
  const texts = fc.constantFrom("张三", "李四", "Li", "Li Si", "Room 1", "Room 12", "a", "aa");
  const phones = fc.constantFrom("13800138000", "13800138001", "+86 13800138000", "8000", "138****8000");
  const parties = fc.record({ name: texts, phone: phones, detail: texts });
  const drafts = fc
    .record({ sender: parties, receiver: parties, name: texts, quantity: fc.integer({ min: 1, max: 3 }) })
    .map(
      ({ sender, receiver, name, quantity }) =>
        ({ sender, receiver, item: { name, quantity: jsonNumber(String(quantity)) } }) as unknown as Draft,
    );
  const partyOf = (party: Draft["sender"]): Party => ({
    name: party?.name ?? "",
    phone: party?.phone ?? "",
    address: party?.detail ?? "",
  });
  const ages = fc.constantFrom(-86_400_000, -60_000, -2_001, 0, 5, 900, 60_000);

  test("what is found was made after the send and has the quantity, names and phones that were sent", async () => {
    const digits = (text = "") => text.replace(/\D/g, "").replace(/^86/, "");
    await fc.assert(
      fc.asyncProperty(drafts, fc.array(fc.tuple(drafts, ages), { maxLength: 8 }), async (wanted, others) => {
        const orders = others.map(([other, ageMs], index) =>
          orderFor(index + 1, {
            createdMs: sentAtMs + ageMs,
            sender: partyOf(other.sender),
            receiver: partyOf(other.receiver),
            item: other.item as JsonObject,
          }),
        );
        const result = await findLostOrder(wanted, sentAtMs, createLookup(orders));
        if (result.kind !== "found") return;
        const { order } = result;
        expect(Date.parse(order.created_at ?? "")).toBeGreaterThanOrEqual(sentAtMs);
        expect(order.item).toEqual(wanted.item);
        for (const role of ["sender", "receiver"] as const) {
          expect(order[role]?.name).toBe(wanted[role]?.name);
          expect(order[role]?.address).toBe(wanted[role]?.detail);
          expect(digits(order[role]?.phone ?? "")).toBe(digits(wanted[role]?.phone));
        }
      }),
      { numRuns: 500 },
    );
  });

  test("the lost order is never overlooked: it is found, or among the candidates", async () => {
    await fc.assert(
      fc.asyncProperty(drafts, fc.array(fc.tuple(drafts, ages), { maxLength: 6 }), async (wanted, others) => {
        const make = (id: number, source: Draft, createdMs: number) =>
          orderFor(id, {
            createdMs,
            sender: partyOf(source.sender),
            receiver: partyOf(source.receiver),
            item: source.item as JsonObject,
          });
        const orders = others.map(([other, ageMs], index) => make(index + 1, other, sentAtMs + ageMs));
        const result = await findLostOrder(
          wanted,
          sentAtMs,
          createLookup([...orders, make(99, wanted, sentAtMs)]),
        );
        expect(result.kind).not.toBe("absent");
        const ids = result.kind === "found" ? [result.order.id.value] : tell(result).split(" ");
        expect(ids).toContain("99");
      }),
      { numRuns: 500 },
    );
  });
});
