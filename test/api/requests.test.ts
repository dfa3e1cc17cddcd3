/** The tests of what is sent: headers, URLs, bodies, and the request of each endpoint. */

import { describe, expect, test } from "vitest";
import type { Call } from "../../src/api/client.ts";
import { createService } from "../../src/api/service.ts";
import { orderPageSchema, profileSchema } from "../../src/model/interface.ts";
import { parseJson } from "../../src/model/json.ts";
import { fc } from "../support/effort.ts";
import { apiKey, createTestClient, getProfile, profile } from "./test-client.ts";

describe("what is sent", () => {
  test("the headers of a call without a body, and no others", async () => {
    const { client, requests } = createTestClient([profile]);
    await client.call(getProfile, profileSchema);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers).toEqual({
      accept: "application/json",
      authorization: `Bearer ${apiKey}`,
      "user-agent": "courier-cli/test",
    });
    expect(requests[0]).not.toHaveProperty("body");
  });

  test("the headers of a call with a body, which is written as it was given", async () => {
    const { client, requests } = createTestClient([profile]);
    const body = parseJson('{"item":{"weight":2.50,"value":12345678901234567890}}');
    await client.call({ method: "POST", path: ["orders"], body }, profileSchema);
    expect(requests[0]?.headers).toEqual({
      accept: "application/json",
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "user-agent": "courier-cli/test",
    });
    expect(requests[0]?.body).toBe('{"item":{"weight":2.50,"value":12345678901234567890}}');
  });

  test.each([
    ["https://api.example.com", ["orders", "7"], "https://api.example.com/api/v1/orders/7"],
    ["https://example.com/courier/eu", ["orders"], "https://example.com/courier/eu/api/v1/orders"],
    ["https://a.test", ["tracking", "AB/../7"], "https://a.test/api/v1/tracking/AB%2F..%2F7"],
    ["https://a.test", ["tracking", "A B?c=d#e"], "https://a.test/api/v1/tracking/A%20B%3Fc%3Dd%23e"],
    ["https://a.test", ["tracking", "运单1"], "https://a.test/api/v1/tracking/%E8%BF%90%E5%8D%951"],
    ["https://a.test", ["tracking", "%2e%2e"], "https://a.test/api/v1/tracking/%252e%252e"],
  ])("%s and %j", async (baseUrl, path, expected) => {
    const { client, requests } = createTestClient([profile], { baseUrl });
    await client.call({ method: "GET", path }, profileSchema);
    expect(requests[0]?.url.href).toBe(expected);
  });

  test.each(["..", ".", ""])("a segment %j would lead elsewhere, and is refused", async (segment) => {
    const { client, requests } = createTestClient([profile]);
    await expect(
      client.call({ method: "GET", path: ["tracking", segment] }, profileSchema),
    ).rejects.toMatchObject({ exit: 2 });
    expect(requests).toEqual([]);
  });

  test("any other segment stays one segment, and any query value comes through", async () => {
    const texts = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !/^\.{1,2}$/.test(text));
    await fc.assert(
      fc.asyncProperty(texts, texts, async (segment, value) => {
        const { client, requests } = createTestClient([profile]);
        const call: Call = {
          method: "GET",
          path: ["orders", segment],
          query: { status: value, page: undefined },
        };
        await client.call(call, profileSchema);
        const url = requests[0]?.url ?? new URL("about:blank");
        expect(url.pathname.split("/").slice(0, -1)).toEqual(["", "api", "v1", "orders"]);
        expect(decodeURIComponent(url.pathname.split("/").at(-1) ?? "")).toBe(segment);
        expect([...url.searchParams]).toEqual([["status", value]]);
        expect(url.host).toBe("api.example.com");
      }),
    );
  });
});

describe("the endpoints", () => {
  const page = '{"success":true,"data":[{"id":1}],"pagination":{"total_pages":1}}';

  test.each([
    ["profile", "GET /api/v1/user/profile", undefined],
    ["createOrder", "POST /api/v1/orders", '{"item":{}}'],
    ["order", "GET /api/v1/orders/12345678901234567890", undefined],
    ["cancelOrder", "DELETE /api/v1/orders/7", undefined],
    ["tracking", "GET /api/v1/tracking/SF%2F1", undefined],
    ["listOrders", "GET /api/v1/orders", undefined],
    [
      "filtered",
      "GET /api/v1/orders?page=2&limit=100&status=a+b&date_from=2026-01-01&date_to=2026-01-31",
      undefined,
    ],
  ])("%s", async (name, line, body) => {
    const order = '{"success":true,"data":{"id":12345678901234567890}}';
    const tracking = '{"success":true,"data":{"tracking_number":"SF/1"}}';
    const bodies: Readonly<Record<string, string>> = { order, tracking, listOrders: page, filtered: page };
    const { client, requests } = createTestClient([{ ...profile, body: bodies[name] ?? profile.body }]);
    const service = createService(client);
    const filter = { status: "a b", dateFrom: "2026-01-01", dateTo: "2026-01-31" };
    if (name === "profile") await service.profile();
    if (name === "createOrder") await service.createOrder({ item: {} });
    if (name === "order") await service.order("12345678901234567890");
    if (name === "cancelOrder") await service.cancelOrder("7");
    if (name === "tracking") await service.tracking("SF/1");
    if (name === "listOrders") await service.listOrders({});
    if (name === "filtered") await service.listOrders(filter, 2, 100);
    const [request] = requests;
    expect(`${request?.method} ${request?.url.pathname}${request?.url.search}`).toBe(line);
    expect(request?.body).toBe(body);
  });

  test.each(['{"success":true,"data":[]}', '{"success":true,"data":[],"pagination":{"total_pages":"1"}}'])(
    "a list without usable paging is of the wrong shape: %s",
    async (body) => {
      const { client } = createTestClient([{ ...profile, body }]);
      await expect(createService(client).listOrders({})).rejects.toMatchObject({
        code: "wrong_shape",
        exit: 70,
      });
      expect(await client.call({ method: "GET", path: ["orders"] }, orderPageSchema)).toMatchObject({
        data: [],
      });
    },
  );

  test("the message of a cancellation passes through; none is none", async () => {
    const { client } = createTestClient([
      { ...profile, body: '{"success":true,"message":"已取消"}' },
      { ...profile, body: '{"success":true}' },
    ]);
    const service = createService(client);
    expect(await service.cancelOrder("1")).toBe("已取消");
    expect(await service.cancelOrder("1")).toBeUndefined();
  });
});
