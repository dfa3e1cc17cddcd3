/** Generated orders are always the same, look real, and take no space. */

import { describe, expect, onTestFinished, test } from "vitest";
import { stateNames } from "../../src/model/states.ts";
import { idOfTrackingNumber, orderNumberOf, trackingNumberOf } from "../../src/sandbox/numbers.ts";
import { createOrdersRepository } from "../../src/sandbox/orders-repository.ts";
import { stateAt } from "../../src/sandbox/schedule.ts";
import { generateSeeds } from "../../src/sandbox/seeds.ts";
import { openStoredOrders } from "../../src/sandbox/stored-orders.ts";
import { createDirectory, draft, serve } from "./serving.ts";

const anchorMs = Date.parse("2026-03-01T08:00:00Z");

describe("generated orders", () => {
  test("are the same in every run", async () => {
    const [one, other] = [await serve({ seedOrders: 50 }), await serve({ seedOrders: 50 })];
    for (const target of ["/api/v1/orders?limit=50", "/api/v1/orders/7", "/api/v1/orders/50"]) {
      expect((await one.call("GET", target)).text).toBe((await other.call("GET", target)).text);
    }
  });

  test("look like orders", async () => {
    const { call } = await serve({ seedOrders: 50 });
    const { data } = (await call("GET", "/api/v1/orders/23")).json;
    expect(data.sender).toEqual({
      name: expect.stringMatching(/^\p{Script=Han}{2,4}$/u),
      phone: expect.stringMatching(/^1\d{10}$/),
      address: expect.stringMatching(/市.+区.+号$/),
    });
    const { sender, receiver, item } = data;
    const again = await call("POST", "/api/v1/orders", { sender: { phone: sender.phone }, receiver, item });
    expect(again.json.success).toBe(true);
  });

  test.each([300, 1000, 100_000])(
    "%i of them are in all states, over half a year, in order of time",
    (count) => {
      const seeds = generateSeeds(count, anchorMs);
      const states = new Set<string>();
      let beforeMs = 0;
      for (let id = 1; id <= count; id++) {
        const facts = seeds.facts(id);
        if (!facts) throw new Error(`no order ${id}`);
        expect(facts.createdMs).toBeGreaterThanOrEqual(beforeMs);
        beforeMs = facts.createdMs;
        states.add(stateAt(facts, seeds.events(id), anchorMs));
      }
      expect([...states].toSorted()).toEqual(stateNames.toSorted());
      expect(beforeMs).toBe(anchorMs);
      expect(anchorMs - (seeds.facts(1)?.createdMs ?? 0)).toBeGreaterThan(170 * 86_400_000);
    },
  );

  test("stand below the stored ones and are not stored", async () => {
    const { call, stateDir } = await serve({ seedOrders: 3 });
    expect((await call("GET", "/api/v1/orders")).json.pagination.total_items).toBe(3);
    const other = await serve({ stateDir });
    expect((await other.call("GET", "/api/v1/orders")).json.pagination.total_items).toBe(0);
    const { id } = (await call("POST", "/api/v1/orders", draft)).json.data;
    const { json } = await call("GET", "/api/v1/orders");
    expect(json.data.map((order: { id: number }) => order.id)).toEqual([id, 3, 2, 1]);
  });

  test("can be cancelled and moved on while the server runs", async () => {
    const { call, server, clock } = await serve({ seedOrders: 40 });
    const { data } = (await call("GET", "/api/v1/orders?status=pending")).json;
    const [first, second] = data;
    expect((await call("DELETE", `/api/v1/orders/${first.id}`)).json.success).toBe(true);
    expect((await call("DELETE", `/api/v1/orders/${first.id}`)).json.success).toBe(false);
    await server.advance({ trackingNumber: second.tracking_number, to: "delivering" });
    clock.advance(1000);
    expect((await call("GET", `/api/v1/orders/${first.id}`)).json.data.status).toBe("cancelled");
    expect((await call("GET", `/api/v1/tracking/${second.tracking_number}`)).json.data.status).toBe(
      "delivering",
    );
    expect((await call("GET", "/api/v1/orders?status=pending")).json.pagination.total_items).toBe(
      data.length - 2,
    );
  });

  test("are looked at page by page, however many there are", async () => {
    const seeds = generateSeeds(200_000, anchorMs);
    let looked = 0;
    const counting = {
      ...seeds,
      find(id: number) {
        looked++;
        return seeds.find(id);
      },
      facts(id: number) {
        looked++;
        return seeds.facts(id);
      },
    };
    const stored = await openStoredOrders({ stateDir: await createDirectory() });
    onTestFinished(() => stored.close());
    const page = { offset: 150_000, limit: 100 };
    const { total, orders } = await createOrdersRepository(stored, counting).list(page);
    expect(total).toBe(200_000);
    expect(orders.map(({ order }) => order.id)).toEqual(
      Array.from({ length: 100 }, (_, index) => 50_000 - index),
    );
    expect(looked).toBe(100);
  });

  test.each([-1, 1.5, 1_000_001, Number.NaN])("there cannot be %s of them", async (seedOrders) => {
    await expect(serve({ seedOrders })).rejects.toMatchObject({ code: "usage", exit: 2 });
  });
});

describe("order and tracking numbers", () => {
  test("lead back to the id, and neighbours share neither", () => {
    const ids = [1, 2, 3, 999_999, 1_000_000, 1_000_001, 1_000_002, 99_999_999_999];
    for (const id of ids) expect(idOfTrackingNumber(trackingNumberOf(id))).toBe(id);
    expect(new Set(ids.map(trackingNumberOf)).size).toBe(ids.length);
    expect(new Set(ids.map(orderNumberOf)).size).toBe(ids.length);
  });

  test("with a wrong digit lead nowhere", () => {
    const number = trackingNumberOf(1_000_001);
    for (let position = 2; position < number.length; position++) {
      const digit = (Number(number[position]) + 1) % 10;
      const wrong = number.slice(0, position) + digit + number.slice(position + 1);
      expect(idOfTrackingNumber(wrong)).toBeUndefined();
    }
  });
});
