/** Walks the interface specification section by section, against the sandbox over real HTTP. */

import { describe, expect, test } from "vitest";
import { stateNames, wayStates } from "../../src/model/states.ts";
import { stageMs } from "../../src/sandbox/defaults.ts";
import { apiKey, draft, type Reply, serve, startOfTime } from "./serving.ts";

const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const text = expect.any(String);
const instant = expect.stringMatching(isoUtc);
const integer = expect.toSatisfy(Number.isInteger);
const number = expect.any(Number);
const hourMs = 3_600_000;

function expectFailure(reply: Reply, code: string): void {
  expect(reply.json).toMatchObject({ success: false, error: { code, message: text } });
  expect(reply.json).not.toHaveProperty("data");
  expect(reply.status).toBeGreaterThanOrEqual(400);
}

describe("1. What the service does", () => {
  test("every response is a JSON object with a boolean `success`", async () => {
    const { call } = await serve();
    for (const path of ["/api/v1/user/profile", "/api/v1/orders", "/api/v1/orders/1", "/elsewhere"]) {
      const reply = await call("GET", path);
      expect(reply.headers.get("content-type")).toBe("application/json");
      expect(reply.json).toHaveProperty("success", expect.any(Boolean));
      expect(reply.json).toHaveProperty(reply.json.success ? "data" : "error");
    }
  });

  test("the hour of a response is the clock's", async () => {
    const { call, clock } = await serve();
    clock.advance(90_000);
    const reply = await call("GET", "/api/v1/user/profile");
    expect(reply.headers.get("date")).toBe("Sun, 01 Mar 2026 08:01:30 GMT");
  });
});

describe("2.1 and 4.1 Profile", () => {
  test("has exactly the fields of the table", async () => {
    const { call } = await serve();
    const reply = await call("GET", "/api/v1/user/profile");
    expect(reply.json).toEqual({
      success: true,
      data: { id: integer, name: text, email: text, balance: number, api_calls_remaining: integer },
    });
  });

  test("api_calls_remaining counts the requests down", async () => {
    const { call } = await serve();
    const before = await call("GET", "/api/v1/user/profile");
    await call("GET", "/api/v1/orders");
    const after = await call("GET", "/api/v1/user/profile");
    expect(before.json.data.api_calls_remaining - after.json.data.api_calls_remaining).toBe(2);
  });
});

describe("2.2 Party", () => {
  test.each(["sender", "receiver"] as const)(
    "a malformed phone of the %s is named and given back",
    async (party) => {
      const { call } = await serve();
      for (const phone of ["12", "abc", "", "138-0013-80x0", "13800138000;", "+", "1".repeat(19)]) {
        const reply = await call("POST", "/api/v1/orders", { ...draft, [party]: { ...draft[party], phone } });
        expectFailure(reply, "INVALID_PARAMETER");
        expect(reply.json.error.details).toEqual({ field: `${party}.phone`, value: phone });
      }
    },
  );

  test("telephone numbers of many forms are accepted", async () => {
    const { call } = await serve();
    const phones = ["13800138000", "138 0013 8000", "138-0013-8000", "+86 13800138000", "010-88886666"];
    phones.push("(010) 88886666", "0755-12345678-8001", "400-800-1234", "+1 212-555-0100", "95338111");
    for (const phone of phones) {
      const reply = await call("POST", "/api/v1/orders", { ...draft, sender: { phone } });
      expect(reply.json, phone).toHaveProperty("success", true);
    }
  });

  test.each(["name", "phone", "province", "city", "district", "detail"])(
    "%s must be a string",
    async (field) => {
      const { call } = await serve();
      const reply = await call("POST", "/api/v1/orders", {
        ...draft,
        sender: { ...draft.sender, [field]: 13800138000 },
      });
      expectFailure(reply, "INVALID_PARAMETER");
      expect(reply.json.error.details).toEqual({ field: `sender.${field}`, value: 13800138000 });
    },
  );
});

describe("2.3 Item", () => {
  test.each([
    ["name", 7],
    ["description", ["礼盒装"]],
    ["weight", "1.5"],
    ["weight", -1],
    ["value", true],
    ["quantity", 1.5],
    ["quantity", "2"],
    ["quantity", 0],
  ])("%s cannot be %j", async (field, value) => {
    const { call } = await serve();
    const reply = await call("POST", "/api/v1/orders", { ...draft, item: { ...draft.item, [field]: value } });
    expectFailure(reply, "INVALID_PARAMETER");
    expect(reply.json.error.details).toEqual({ field: `item.${field}`, value });
  });

  test("numbers come back as they were written, whatever their size", async () => {
    const { call } = await serve();
    const item = '{"name":"金砖","weight":12.50,"value":12345678901234567890.10,"quantity":9007199254740993}';
    const body = `{"sender":{},"receiver":{},"item":${item}}`;
    const created = await call("POST", "/api/v1/orders", body);
    const shown = await call("GET", `/api/v1/orders/${created.json.data.id}`);
    expect(shown.text).toContain(`"item":${item}`);
  });

  test("a rejected number is given back as it was written", async () => {
    const { call } = await serve();
    const reply = await call("POST", "/api/v1/orders", '{"sender":{"name":1.50},"receiver":{},"item":{}}');
    expect(reply.text).toContain('"details":{"field":"sender.name","value":1.50}');
  });

  test.each(["1e999999999", "1".repeat(65)])(
    "a weight too large to calculate with is refused: %s",
    async (weight) => {
      const { call } = await serve();
      const reply = await call(
        "POST",
        "/api/v1/orders",
        `{"sender":{},"receiver":{},"item":{"weight":${weight}}}`,
      );
      expectFailure(reply, "INVALID_PARAMETER");
      expect(reply.text).toContain(`"field":"item.weight","value":${weight}`);
    },
  );
});

describe("2.4 and 4.2 Creating an order", () => {
  test("answers exactly the creation result and a message", async () => {
    const { call } = await serve();
    const reply = await call("POST", "/api/v1/orders", draft);
    expect(reply.json).toEqual({
      success: true,
      message: text,
      data: {
        id: integer,
        order_no: text,
        tracking_number: text,
        status: "pending",
        estimated_fee: number,
        created_at: startOfTime,
      },
    });
  });

  test.each(["sender", "receiver", "item"])("%s is required, as an object", async (field) => {
    const { call } = await serve();
    const { [field]: _, ...without } = draft as Record<string, unknown>;
    const missing = await call("POST", "/api/v1/orders", without);
    expectFailure(missing, "INVALID_PARAMETER");
    expect(missing.json.error.details).toEqual({ field, value: null });
    const wrong = await call("POST", "/api/v1/orders", { ...draft, [field]: "张三" });
    expect(wrong.json.error.details).toEqual({ field, value: "张三" });
  });

  test("no sub-field is required, and what was not sent is not made up", async () => {
    const { call } = await serve();
    const created = await call("POST", "/api/v1/orders", { sender: { name: null }, receiver: {}, item: {} });
    const shown = await call("GET", `/api/v1/orders/${created.json.data.id}`);
    expect(shown.json.data).toMatchObject({ sender: { address: "" }, receiver: { address: "" }, item: {} });
    expect(shown.json.data.sender).not.toHaveProperty("name");
    const tracked = await call("GET", `/api/v1/tracking/${created.json.data.tracking_number}`);
    expect(tracked.json.data).toMatchObject({ current_location: text });
  });

  test.each(["standard", "express", "same_day"])("service_type may be %s", async (serviceType) => {
    const { call } = await serve();
    const created = await call("POST", "/api/v1/orders", { ...draft, service_type: serviceType });
    const shown = await call("GET", `/api/v1/orders/${created.json.data.id}`);
    expect(shown.json.data.service_type).toBe(serviceType);
  });

  test("service_type may be left out, but not be anything else", async () => {
    const { call } = await serve();
    const { service_type: _, ...without } = draft;
    expect((await call("POST", "/api/v1/orders", without)).json.success).toBe(true);
    for (const value of ["overnight", 1, ""]) {
      const reply = await call("POST", "/api/v1/orders", { ...draft, service_type: value });
      expectFailure(reply, "INVALID_PARAMETER");
      expect(reply.json.error.details).toEqual({ field: "service_type", value });
    }
  });

  test("the fee is a sum of decimals, by service type and begun unit of weight", async () => {
    const { call } = await serve();
    const feeOf = async (weight: string) => {
      const body = `{"sender":{},"receiver":{},"item":{"weight":${weight}}}`;
      return /"estimated_fee":([^,]+)/.exec((await call("POST", "/api/v1/orders", body)).text)?.[1];
    };
    expect(await feeOf("0")).toBe("12.00");
    expect(await feeOf("1.0")).toBe("12.00");
    expect(await feeOf("1.01")).toBe("14.00");
    expect(await feeOf("2e1")).toBe("50.00");
    expect(await feeOf("25e-1")).toBe("16.00");
    expect(await feeOf("1000000")).toBe("2000010.00");
  });

  test("a body that is no JSON, no object, of another type or too large is refused", async () => {
    const { call } = await serve();
    expectFailure(await call("POST", "/api/v1/orders", '{"sender":'), "INVALID_JSON");
    expectFailure(await call("POST", "/api/v1/orders", "[]"), "INVALID_PARAMETER");
    const asText = await call("POST", "/api/v1/orders", draft, { "content-type": "text/plain" });
    expectFailure(asText, "UNSUPPORTED_MEDIA_TYPE");
    const large = { ...draft, item: { name: "a".repeat(1_100_000) } };
    expectFailure(await call("POST", "/api/v1/orders", large), "BODY_TOO_LARGE");
    expect((await call("GET", "/api/v1/orders")).json.data).toEqual([]);
  });
});

describe("2.4, 2.6 and 4.3 Listing orders", () => {
  test("an element has exactly the fields of the table", async () => {
    const { call } = await serve();
    await call("POST", "/api/v1/orders", draft);
    const reply = await call("GET", "/api/v1/orders");
    expect(reply.json).toEqual({
      success: true,
      data: [
        {
          id: integer,
          order_no: text,
          tracking_number: text,
          status: "pending",
          payment_status: text,
          actual_fee: number,
          item_name: "茶叶",
          created_at: startOfTime,
          sender: { name: "张三", city: "深圳市" },
          receiver: { name: "李四", city: "北京市" },
        },
      ],
      pagination: { current_page: 1, total_pages: 1, total_items: 1, per_page: 10 },
    });
  });

  test("an empty list is a list", async () => {
    const { call } = await serve();
    const reply = await call("GET", "/api/v1/orders");
    expect(reply.json.data).toEqual([]);
    expect(reply.json.pagination).toEqual({ current_page: 1, total_pages: 0, total_items: 0, per_page: 10 });
  });

  test("page and limit cut the list, without gap or overlap; the newest comes first", async () => {
    const { call } = await serve({ seedOrders: 7 });
    const ids: number[] = [];
    for (const page of [1, 2, 3]) {
      const reply = await call("GET", `/api/v1/orders?page=${page}&limit=3`);
      ids.push(...reply.json.data.map(({ id }: { id: number }) => id));
      expect(reply.json.pagination).toEqual({
        current_page: page,
        total_pages: 3,
        total_items: 7,
        per_page: 3,
      });
    }
    expect(ids).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect((await call("GET", "/api/v1/orders?page=4&limit=3")).json.data).toEqual([]);
  });

  test("limit is 10 unless told, and at most 100", async () => {
    const { call } = await serve({ seedOrders: 150 });
    expect((await call("GET", "/api/v1/orders")).json.data).toHaveLength(10);
    expect((await call("GET", "/api/v1/orders?limit=100")).json.data).toHaveLength(100);
  });

  test.each([
    ["limit", "101"],
    ["limit", "0"],
    ["limit", "ten"],
    ["page", "0"],
    ["page", "-1"],
    ["page", "1.5"],
    ["page", ""],
    ["date_from", "2026-2-1"],
    ["date_from", "yesterday"],
    ["date_to", "2026-02-30"],
  ])("%s=%s is an invalid parameter", async (field, value) => {
    const { call } = await serve();
    const reply = await call("GET", `/api/v1/orders?${field}=${value}`);
    expectFailure(reply, "INVALID_PARAMETER");
    expect(reply.json.error.details).toEqual({ field, value });
  });

  test.each(stateNames)("status=%s selects the orders in that state", async (state) => {
    const { call } = await serve({ seedOrders: 300 });
    const reply = await call("GET", `/api/v1/orders?limit=100&status=${state}`);
    expect(reply.json.data.length).toBeGreaterThan(0);
    for (const order of reply.json.data) expect(order.status).toBe(state);
    const all = [1, 2, 3].map((page) => call("GET", `/api/v1/orders?limit=100&page=${page}`));
    const states = (await Promise.all(all)).flatMap(({ json }) =>
      json.data.map((order: { status: string }) => order.status),
    );
    expect(reply.json.pagination.total_items).toBe(states.filter((found) => found === state).length);
  });

  test("date_from and date_to select by the day of creation, both inclusive, from midnight to midnight UTC", async () => {
    const { call, clock } = await serve();
    for (const waitMs of [16 * hourMs - 1, 1, 24 * hourMs - 1, 1]) {
      clock.advance(waitMs);
      await call("POST", "/api/v1/orders", { ...draft, item: { name: new Date(clock.now()).toISOString() } });
    }
    const timesOf = async (query: string) => {
      const { json } = await call("GET", `/api/v1/orders?${query}`);
      expect(json.pagination.total_items).toBe(json.data.length);
      return json.data.map((order: { item_name: string }) => order.item_name);
    };
    const [first, second] = ["2026-03-01T23:59:59.999Z", "2026-03-02T00:00:00.000Z"];
    const [third, fourth] = ["2026-03-02T23:59:59.999Z", "2026-03-03T00:00:00.000Z"];
    expect(await timesOf("date_from=2026-03-02")).toEqual([fourth, third, second]);
    expect(await timesOf("date_to=2026-03-02")).toEqual([third, second, first]);
    expect(await timesOf("date_from=2026-03-02&date_to=2026-03-02")).toEqual([third, second]);
    expect(await timesOf("date_from=2026-03-03&date_to=2026-03-01")).toEqual([]);
    expect(await timesOf("date_from=2026-03-03&status=pending")).toEqual([fourth]);
  });
});

describe("2.4 and 4.4 One order", () => {
  test("has exactly the fields of the table; an address is one combined text", async () => {
    const { call } = await serve();
    const { data: created } = (await call("POST", "/api/v1/orders", draft)).json;
    const reply = await call("GET", `/api/v1/orders/${created.id}`);
    expect(reply.json).toEqual({
      success: true,
      data: {
        id: created.id,
        order_no: created.order_no,
        tracking_number: created.tracking_number,
        status: "pending",
        payment_status: text,
        service_type: "express",
        estimated_fee: created.estimated_fee,
        actual_fee: number,
        created_at: startOfTime,
        updated_at: instant,
        sender: { name: "张三", phone: "13800138000", address: "广东省深圳市南山区科技园南路1号" },
        receiver: { name: "李四", phone: "010-88886666", address: "北京市北京市朝阳区建国路88号" },
        item: draft.item,
      },
    });
  });

  test("an id that nobody has is not found, one that is no integer is invalid", async () => {
    const { call } = await serve({ seedOrders: 3 });
    for (const id of ["0", "4", "1000001", "99999999999999999999"]) {
      expectFailure(await call("GET", `/api/v1/orders/${id}`), "NOT_FOUND");
    }
    for (const id of ["abc", "1.5", "-1", "%31x"]) {
      const reply = await call("GET", `/api/v1/orders/${id}`);
      expectFailure(reply, "INVALID_PARAMETER");
      expect(reply.json.error.details).toEqual({ field: "id", value: decodeURIComponent(id) });
    }
  });
});

describe("3. States", () => {
  test("an order passes all of them in order, and is paid from `paid` on; express takes half the time", async () => {
    const { call, clock } = await serve();
    const { data: created } = (await call("POST", "/api/v1/orders", draft)).json;
    for (const state of wayStates) {
      const { data } = (await call("GET", `/api/v1/orders/${created.id}`)).json;
      expect(data).toMatchObject({ status: state, payment_status: state === "pending" ? "unpaid" : "paid" });
      clock.advance((stageMs[state] ?? 0) / 2);
    }
    clock.advance(1000 * hourMs);
    expect((await call("GET", `/api/v1/orders/${created.id}`)).json.data.status).toBe("completed");
  });

  test("the charged fee is the estimated one, once it is paid", async () => {
    const { call, server } = await serve();
    const { data: created } = (await call("POST", "/api/v1/orders", draft)).json;
    expect((await call("GET", `/api/v1/orders/${created.id}`)).text).toContain('"actual_fee":0.00');
    await server.advance({ trackingNumber: created.tracking_number });
    expect((await call("GET", `/api/v1/orders/${created.id}`)).text).toContain('"actual_fee":25.00');
  });
});

describe("4.5 Cancelling", () => {
  test.each([
    ["pending", "unpaid"],
    ["paid", "refunded"],
  ])("a %s order becomes cancelled and stays so", async (state, payment) => {
    const { call, clock, server } = await serve();
    const { data: created } = (await call("POST", "/api/v1/orders", draft)).json;
    if (state !== "pending") await server.advance({ trackingNumber: created.tracking_number, to: state });
    const reply = await call("DELETE", `/api/v1/orders/${created.id}`);
    expect(reply.json).toEqual({ success: true, message: text });
    clock.advance(1000 * hourMs);
    const { data } = (await call("GET", `/api/v1/orders/${created.id}`)).json;
    expect(data).toMatchObject({ status: "cancelled", payment_status: payment, actual_fee: 0 });
  });

  test.each(stateNames.slice(2))("an order that is %s is not cancellable", async (state) => {
    const { call, server } = await serve();
    const { data: created } = (await call("POST", "/api/v1/orders", draft)).json;
    if (state === "cancelled") await call("DELETE", `/api/v1/orders/${created.id}`);
    else await server.advance({ trackingNumber: created.tracking_number, to: state });
    expectFailure(await call("DELETE", `/api/v1/orders/${created.id}`), "NOT_CANCELLABLE");
    expect((await call("GET", `/api/v1/orders/${created.id}`)).json.data.status).toBe(state);
  });

  test("an unknown order is not found", async () => {
    const { call } = await serve();
    expectFailure(await call("DELETE", "/api/v1/orders/1000001"), "NOT_FOUND");
    expectFailure(await call("DELETE", "/api/v1/orders/x"), "INVALID_PARAMETER");
  });
});

describe("2.5 and 4.6 Tracking", () => {
  test("has exactly the fields of the table", async () => {
    const { call, server } = await serve();
    const { tracking_number } = (await call("POST", "/api/v1/orders", draft)).json.data;
    await server.advance({ trackingNumber: tracking_number, to: "in_transit" });
    const reply = await call("GET", `/api/v1/tracking/${tracking_number}`);
    expect(reply.json).toEqual({
      success: true,
      data: {
        tracking_number,
        status: "in_transit",
        current_location: "深圳市转运中心",
        estimated_delivery: instant,
        records: expect.any(Array),
      },
    });
    for (const record of reply.json.data.records) {
      expect(record).toEqual({ location: text, description: text, occurred_at: instant });
    }
  });

  test("records are most recent first, from the sender's to the receiver's city", async () => {
    const { call, clock } = await serve();
    const { tracking_number } = (await call("POST", "/api/v1/orders", draft)).json.data;
    clock.advance(21 * hourMs);
    const { data } = (await call("GET", `/api/v1/tracking/${tracking_number}`)).json;
    expect(data.status).toBe("delivered");
    expect(data.current_location).toBe("北京市朝阳区");
    expect(data.estimated_delivery).toBe(data.records[0].occurred_at);
    const places = data.records.map((record: { location: string }) => record.location);
    expect(places).toContain("北京市转运中心");
    expect(places.at(-1)).toBe("深圳市");
    const times = data.records.map((record: { occurred_at: string }) => record.occurred_at);
    expect(times).toEqual([...new Set<string>(times)].sort().reverse());
  });

  test("a number that no parcel has is not found", async () => {
    const { call } = await serve();
    const { tracking_number } = (await call("POST", "/api/v1/orders", draft)).json.data;
    const wrongCheckDigit = tracking_number.slice(0, -1) + ((Number(tracking_number.at(-1)) + 1) % 10);
    for (const number of [wrongCheckDigit, "CR000000000000", "X", "%E5%8F%B7", "%zz"]) {
      expectFailure(await call("GET", `/api/v1/tracking/${number}`), "NOT_FOUND");
    }
  });
});

describe("5. Authentication", () => {
  test.each([
    ["no header", undefined],
    ["another key", "Bearer other"],
    ["another scheme", `Basic ${apiKey}`],
    ["no scheme", apiKey],
  ])("%s is refused at every endpoint", async (_, authorization) => {
    const { server } = await serve();
    for (const path of [
      "/api/v1/user/profile",
      "/api/v1/orders",
      "/api/v1/orders/1",
      "/api/v1/tracking/X",
      "/x",
    ]) {
      const response = await fetch(server.baseUrl + path, {
        headers: authorization ? { authorization } : {},
      });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ success: false, error: { code: "UNAUTHORIZED" } });
    }
  });
});

describe("7. Errors", () => {
  test("an unknown path is not found, a wrong method not allowed", async () => {
    const { call } = await serve();
    expectFailure(await call("GET", "/api/v2/orders"), "NOT_FOUND");
    expectFailure(await call("GET", "/_sandbox/faults"), "NOT_FOUND");
    const reply = await call("PUT", "/api/v1/orders", draft);
    expectFailure(reply, "METHOD_NOT_ALLOWED");
    expect(reply.headers.get("allow")).toBe("GET, POST");
  });
});
