/** The unfaithful service itself: each way changes what the wire shows, and the truth is kept. */

import { describe, expect, onTestFinished, test } from "vitest";
import { startOfTime } from "../support/courier.ts";
import { createHandClock, type HandClock } from "../support/hand-clock.ts";
import { createOrder, plainDraft } from "../support/orders.ts";
import { brokenTypes, draftFor, rewritings } from "../support/rewritings.ts";
import {
  createUnfaithfulHome,
  startUnfaithfulService,
  type UnfaithfulService,
} from "../support/unfaithful-service.ts";
import type { Failure, Ways } from "../support/unfaithful-ways.ts";

const apiKey = "test-key-0123456789";
const startMs = Date.parse(startOfTime);

describe("without any ways", () => {
  test("creates, lists, shows, cancels and tracks an order", async () => {
    const { call, post } = await start();
    const created = await post(plainDraft);
    const numbers = { id: 1, order_no: "UO00000001", tracking_number: "UT00000001", status: "pending" };
    expect(created.status).toBe(201);
    expect(created.data).toEqual({ ...numbers, estimated_fee: 12.5, created_at: "2026-03-01T08:00:00.000Z" });
    expect((await call("GET", "/orders")).body).toEqual({
      success: true,
      data: [
        {
          ...numbers,
          payment_status: "unpaid",
          actual_fee: 0,
          item_name: "手机",
          created_at: "2026-03-01T08:00:00.000Z",
          sender: { name: "张三", city: "深圳市" },
          receiver: { name: "李四", city: "北京市" },
        },
      ],
      pagination: { current_page: 1, total_pages: 1, total_items: 1, per_page: 10 },
    });
    expect((await call("GET", "/orders/1")).data).toMatchObject({
      service_type: "express",
      sender: { name: "张三", phone: "13800138000", address: "广东省深圳市南山区科技园路1号 A座 502" },
      item: plainDraft.item,
    });
    expect((await call("DELETE", "/orders/1")).body).toEqual({ success: true, message: "cancelled" });
    expect(await call("DELETE", "/orders/1")).toMatchObject({ status: 409, code: "NOT_CANCELLABLE" });
    expect((await call("GET", "/tracking/UT00000001")).data).toMatchObject({ status: "cancelled" });
    expect((await call("GET", "/user/profile")).data).toMatchObject({ id: 1 });
  });

  test("pages from the newest order on, and filters by day and state", async () => {
    const { service, clock, call, listedIds } = await start();
    for (let day = 0; day < 3; day++) {
      service.foreign(plainDraft);
      clock.advance(86_400_000);
    }
    expect(await listedIds("?limit=2")).toEqual([3, 2]);
    expect(await listedIds("?limit=2&page=2")).toEqual([1]);
    expect(await listedIds("?date_from=2026-03-02&date_to=2026-03-02")).toEqual([2]);
    await call("DELETE", "/orders/2");
    expect(await listedIds("?status=pending")).toEqual([3, 1]);
    expect(await listedIds("?status=cancelled")).toEqual([2]);
  });

  test("refuses what is malformed, and a wrong key", async () => {
    const { service, call, post } = await start();
    expect(await post({ ...plainDraft, item: undefined })).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_PARAMETER", details: { field: "item", value: null } } },
    });
    expect(await call("POST", "/orders", "{")).toMatchObject({ status: 400, code: "INVALID_JSON" });
    for (const query of ["page=0", "limit=101", "date_from=today", "date_to=2026-02-30"])
      expect(await call("GET", `/orders?${query}`)).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
    expect(await call("GET", "/orders/1")).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect(await call("PUT", "/orders/1")).toMatchObject({ status: 404, code: "NOT_FOUND" });
    const stranger = await fetch(`${service.baseUrl}/api/v1/orders`);
    expect(stranger.status).toBe(401);
    expect(service.orders).toEqual([]);
  });

  test("remembers requests, and orders as they were sent", async () => {
    const { service, clock, call, post } = await start();
    await call("GET", "/orders?limit=5&page=1");
    await post({ ...plainDraft, item: { weight: 1.5 } });
    service.foreign(plainDraft);
    expect(service.requests).toMatchObject([
      {
        endpoint: "list",
        number: 1,
        method: "GET",
        path: "/api/v1/orders",
        query: { limit: "5", page: "1" },
      },
      { endpoint: "create", number: 1, method: "POST", path: "/api/v1/orders", query: {} },
    ]);
    const text = JSON.stringify({ ...plainDraft, item: { weight: 1.5 } });
    const [own, foreign] = service.orders;
    expect(own).toMatchObject({ id: 1, text, body: JSON.parse(text), committedAtMs: clock.now() });
    expect(own?.request).toBe(service.requests[1]);
    expect(foreign).toMatchObject({ id: 2, body: plainDraft, request: undefined });
  });

  test("serves a home of courier", async () => {
    const home = await createUnfaithfulHome();
    expect(await createOrder(home)).toMatchObject({ id: 1, tracking_number: "UT00000001" });
    const { exit, stdout } = await home.courier("orders list --json");
    expect([exit, stdout]).toEqual([0, expect.stringContaining("UT00000001")]);
    expect(home.service.orders.map(({ body }) => body)).toEqual([plainDraft]);
  });
});

describe("what is shown is not what was sent", () => {
  const all = { ...rewritings, ...brokenTypes };

  test.each(Object.entries(all))("%s", async (name, rewrite) => {
    const { service, call, post } = await start();
    const draft = draftFor(name);
    await post(draft);
    const look = async () => [(await call("GET", "/orders")).data[0], (await call("GET", "/orders/1")).data];
    const faithful = await look();
    service.ways = { rewrite };
    expect(await look()).not.toEqual(faithful);
    expect(service.orders[0]?.body).toEqual(draft);
    service.ways = {};
    expect(await look()).toEqual(faithful);
  });

  test.each<[keyof typeof all, string, unknown]>([
    ["weight rounded to two decimals", "item.weight", 1.26],
    ["weight in grams", "item.weight", 1255],
    ["value rounded to an integer", "item.value", 3000],
    ["value in cents", "item.value", 299950],
    ["quantity as text", "item.quantity", "2"],
    ["item name cut at 20 characters", "item.name", "Tea set, deep blue w"],
    ["emoji dropped", "item.name", "Tea set, deep blue with gold "],
    ["& shown as &amp;", "item.description", 'Fragile &amp; heavy,\nhandle "with" care 🎁 cafe\u0301'],
    ["line breaks shown as blanks", "item.description", 'Fragile & heavy, handle "with" care 🎁 cafe\u0301'],
    ["null instead of empty", "item.description", null],
    ["names trimmed and single-spaced", "sender.name", "zoë van Berg"],
    ["names in upper case", "sender.name", " ZOË  VAN BERG"],
    ["traditional characters simplified", "receiver.name", "张丽"],
    ["receiver name hidden in part", "receiver.name", "張*"],
    ["phone without its extension", "sender.phone", "021-61234567"],
    ["country code added", "sender.phone", "+86021-61234567-8001"],
    ["country code dropped", "receiver.phone", "139-0013-9000"],
    ["digits of phones hidden", "receiver.phone", "+86 139-****-9000"],
    ["phones without spaces and dashes", "receiver.phone", "+8613900139000"],
    ["full width shown as half width", "sender.address", "廣東省深圳市南山区科技园路1号 a座\n502 & 503"],
    ["detail in upper case", "sender.address", "廣東省深圳市南山区科技园路１号 A座\n502 & 503"],
    ["address joined with blanks", "receiver.address", "北京市 北京市 朝阳区 建国路88号"],
    ["address in reverse order", "receiver.address", "建国路88号, 朝阳区, 北京市, 北京市"],
    ["address without its province", "receiver.address", "北京市朝阳区建国路88号"],
    ["address hidden at its end", "receiver.address", "北京市北京市朝阳区****"],
    ["express shown as standard", "service_type", "standard"],
    ["service_type missing", "service_type", undefined],
    ["description missing", "item.description", undefined],
  ])("%s: %s is %j", async (name, field, expected) => {
    const { call, post } = await start({ rewrite: all[name] });
    await post(draftFor(name));
    expect(valueAt((await call("GET", "/orders/1")).data, field)).toEqual(expected);
  });

  test("a rewriting of the list leaves the detail alone", async () => {
    const { service, call, post } = await start();
    await post(plainDraft);
    const faithful = (await call("GET", "/orders/1")).data;
    service.ways = { rewrite: rewritings["district shown as city in the list"] };
    expect((await call("GET", "/orders")).data[0]).toMatchObject({ sender: { city: "南山区" } });
    service.ways = { rewrite: rewritings["sender missing in the list"] };
    expect((await call("GET", "/orders")).data[0]).not.toHaveProperty("sender");
    expect((await call("GET", "/orders/1")).data).toEqual(faithful);
  });

  test("a rewriting may change the order that it is given", async () => {
    const { service, call, post } = await start({
      rewrite: (order) => {
        if (order.sender) order.sender.name = "Nobody";
        return order;
      },
    });
    await post(plainDraft);
    expect((await call("GET", "/orders/1")).data.sender.name).toBe("Nobody");
    expect(service.orders[0]?.body).toEqual(plainDraft);
  });
});

describe("what is shown late, or never", () => {
  test("list and detail lag behind, each by its own time and in the order of the commits", async () => {
    const { service, clock, call, listedIds } = await start({ listLagMs: 60_000, detailLagMs: 5_000 });
    service.foreign(plainDraft);
    clock.advance(1_000);
    service.foreign(plainDraft);
    expect(await call("GET", "/orders/1")).toMatchObject({ status: 404, code: "NOT_FOUND" });
    clock.advance(4_000);
    expect((await call("GET", "/orders/1")).status).toBe(200);
    expect((await call("GET", "/orders/2")).status).toBe(404);
    expect(await listedIds()).toEqual([]);
    clock.advance(55_000);
    expect(await listedIds()).toEqual([1]);
    clock.advance(1_000);
    expect(await listedIds()).toEqual([2, 1]);
  });

  test("fewer orders a page than asked for, no totals, and orders left out", async () => {
    const { service, call, listedIds } = await start({ pageCap: 2, hideTotals: true });
    for (let count = 0; count < 5; count++) service.foreign(plainDraft);
    expect((await call("GET", "/orders?limit=100&page=3")).body).toMatchObject({
      data: [{ id: 1 }],
      pagination: { current_page: 3, per_page: 2 },
    });
    expect((await call("GET", "/orders")).body.pagination).toEqual({ current_page: 1, per_page: 2 });
    service.ways = { omitFromList: ({ id, committedAtMs }, nowMs) => id !== 3 && committedAtMs === nowMs };
    expect(await listedIds()).toEqual([3]);
    expect((await call("GET", "/orders/1")).status).toBe(200);
  });

  test("the list and the detail refused, by the web page of a firewall or by an envelope", async () => {
    const { service, call } = await start();
    service.foreign(plainDraft);
    service.ways = { refuseList: { status: 403 }, refuseDetail: { status: 200, code: "TIMEOUT" } };
    expect(await call("GET", "/orders")).toMatchObject({ status: 403, type: "text/html" });
    expect(await call("GET", "/orders/1")).toMatchObject({ status: 200, code: "TIMEOUT" });
    service.ways = { refuseList: (_, n) => (n === 2 ? { status: 500, code: "INTERNAL_ERROR" } : undefined) };
    expect(await call("GET", "/orders")).toMatchObject({ status: 500, code: "INTERNAL_ERROR" });
    expect(await call("GET", "/orders")).toMatchObject({ status: 200 });
  });

  test("a date_to after today refused", async () => {
    const { service, call } = await start({ refuseFutureDateTo: true });
    expect((await call("GET", "/orders?date_to=2026-03-01")).status).toBe(200);
    expect(await call("GET", "/orders?date_to=2026-03-02")).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_PARAMETER", details: { field: "date_to", value: "2026-03-02" } } },
    });
    service.ways = { refuseFutureDateTo: true, dateSkewMs: 86_400_000 };
    expect((await call("GET", "/orders?date_to=2026-03-02")).status).toBe(200);
  });

  test.each([
    ["401", "UNAUTHORIZED"],
    ["200", "UNAUTHORIZED"],
    ["403", "FORBIDDEN"],
  ] as const)("the key refused with HTTP %s", async (refuseKey, code) => {
    const { service, call, post } = await start({ refuseKey });
    expect(await post(plainDraft)).toMatchObject({ status: Number(refuseKey), code });
    expect(await call("GET", "/user/profile")).toMatchObject({ status: Number(refuseKey), code });
    expect(service.orders).toEqual([]);
  });
});

describe("the time that it tells", () => {
  test("stamps differ from the Date header, and the header from the clock", async () => {
    const { service, call, post } = await start({ dateSkewMs: 3_600_000, stampSkewMs: [-2_000, 7_000] });
    const created = await post(plainDraft);
    expect(created.date).toBe("Sun, 01 Mar 2026 09:00:00 GMT");
    expect(created.data.created_at).toBe("2026-03-01T08:59:58.000Z");
    service.foreign(plainDraft);
    await post(plainDraft);
    const { data } = await call("GET", "/orders");
    expect(data.map((order: { created_at: string }) => order.created_at)).toEqual([
      "2026-03-01T08:59:58.000Z",
      "2026-03-01T09:00:07.000Z",
      "2026-03-01T08:59:58.000Z",
    ]);
    service.ways = { stampSkewMs: -86_400_000 };
    await post(plainDraft);
    expect((await call("GET", "/orders?date_to=2026-02-28")).data).toMatchObject([{ id: 4 }]);
    expect(service.orders.map(({ committedAtMs }) => committedAtMs)).toEqual(Array(4).fill(startMs));
  });
});

describe("creates that fail", () => {
  test.each<[Failure, string]>([
    [{ status: 200, code: "TIMEOUT" }, "application/json"],
    [{ status: 400, code: "INTERNAL_ERROR" }, "application/json"],
    [{ status: 503, headers: { "Retry-After": "3" } }, "text/html"],
    [{ status: 403 }, "text/html"],
  ])("answered with %j, made or not", async (failure, type) => {
    const { service, post } = await start({ failAfterCommit: failure });
    expect(await post(plainDraft)).toMatchObject({ status: failure.status, code: failure.code, type });
    expect(service.orders).toHaveLength(1);
    service.ways = { failWithoutCommit: failure };
    expect(await post(plainDraft)).toMatchObject({ status: failure.status, code: failure.code, type });
    expect(service.orders).toHaveLength(1);
  });

  test("only those that a function names", async () => {
    const { service, post } = await start({
      failAfterCommit: ({ body }, n) => (n === 2 || body.includes("bad") ? { status: 500 } : undefined),
    });
    const statuses = [];
    for (const name of ["good", "good", "bad", "good"])
      statuses.push((await post({ ...plainDraft, item: { name } })).status);
    expect(statuses).toEqual([201, 500, 500, 201]);
    expect(service.orders).toHaveLength(4);
  });

  test("answered at once, and made later", async () => {
    const { service, clock, post } = await start({
      failBeforeCommit: { status: 504 },
      commitDelayMs: 30_000,
    });
    expect((await post(plainDraft)).status).toBe(504);
    expect([service.orders.length, service.uncommitted]).toEqual([0, 1]);
    clock.advance(30_000);
    expect([service.orders.length, service.uncommitted]).toEqual([1, 0]);
  });
});

describe("creates that are lost", () => {
  test("before and after the order is made, by request", async () => {
    const { service, post } = await start({
      loss: (_, n) => (["before", "after"] as const)[n - 1] ?? "answered",
    });
    await expect(post(plainDraft)).rejects.toThrow("fetch failed");
    expect(service.orders).toHaveLength(0);
    await expect(post(plainDraft)).rejects.toThrow("fetch failed");
    expect(service.orders).toHaveLength(1);
    expect((await post(plainDraft)).data.id).toBe(2);
    expect(service.orders.map(({ request }) => request?.number)).toEqual([2, 3]);
  });

  test.each([
    ["timeout", 1],
    ["timeout_before", 0],
  ] as const)("%s: never answered until the client goes", async (fate, made) => {
    const { service, post } = await start({ loss: () => fate });
    const patience = new AbortController();
    const unanswered = post(plainDraft, patience.signal);
    await service.received("create", 1);
    expect(service.orders).toHaveLength(made);
    patience.abort();
    await expect(unanswered).rejects.toThrow("aborted");
  });

  test("dropped at once, and made when the delay is over", async () => {
    const { service, clock, post } = await start({ loss: () => "dropped", commitDelayMs: 30_000 });
    await expect(post(plainDraft)).rejects.toThrow("fetch failed");
    clock.advance(29_999);
    expect(service.orders).toEqual([]);
    clock.advance(1);
    expect(service.orders).toMatchObject([{ committedAtMs: startMs + 30_000 }]);
  });
});

describe("creates that take time", () => {
  test("answered when the order is made, in the order of the commits", async () => {
    const { service, clock, post } = await start({ commitDelayMs: (_, n) => (n === 1 ? 20_000 : 5_000) });
    const slow = post(plainDraft);
    await service.received("create", 1);
    const quick = post(plainDraft);
    await service.received("create", 2);
    expect(service.uncommitted).toBe(2);
    clock.advance(60_000);
    expect([(await slow).data.id, (await quick).data.id]).toEqual([2, 1]);
    expect(service.orders.map(({ committedAtMs }) => committedAtMs - startMs)).toEqual([5_000, 20_000]);
    expect((await slow).data.created_at).toBe("2026-03-01T08:00:20.000Z");
  });

  test("made although the client is gone", async () => {
    const { service, clock, post } = await start({ commitDelayMs: 5_000 });
    const patience = new AbortController();
    const unanswered = post(plainDraft, patience.signal);
    await service.received("create", 1);
    patience.abort();
    await expect(unanswered).rejects.toThrow("aborted");
    clock.advance(5_000);
    expect(service.orders).toHaveLength(1);
  });

  test("made on time by a clock that moves without its timers", async () => {
    const { service, clock, post, listedIds } = await start({ commitDelayMs: 5_000 });
    const answered = post(plainDraft);
    await service.received("create", 1);
    await clock.sleep(4_999);
    expect(await listedIds()).toEqual([]);
    await clock.sleep(1_001);
    expect(await listedIds()).toEqual([1]);
    expect((await answered).data.created_at).toBe("2026-03-01T08:00:05.000Z");
    expect(clock.waiting).toBe(0);
  });

  test("never made once the service is closed", async () => {
    const { service, clock, post } = await start({ commitDelayMs: 5_000 });
    const unanswered = expect(post(plainDraft)).rejects.toThrow("fetch failed");
    await service.received("create", 1);
    await service.close();
    await unanswered;
    clock.advance(5_000);
    expect([service.orders.length, clock.waiting]).toEqual([0, 0]);
  });
});

interface Reply {
  readonly status: number;
  readonly type: string | null;
  readonly date: string | null;
  /** The parsed envelope; undefined for a web page. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly body: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly data: any;
  readonly code: string | undefined;
}

interface Started {
  readonly service: UnfaithfulService;
  readonly clock: HandClock;
  call(method: string, path: string, body?: string, signal?: AbortSignal): Promise<Reply>;
  post(draft: object, signal?: AbortSignal): Promise<Reply>;
  listedIds(query?: string): Promise<number[]>;
}

async function start(ways: Ways = {}): Promise<Started> {
  const clock = createHandClock(startOfTime);
  const service = await startUnfaithfulService({ clock, apiKey, ways });
  onTestFinished(() => service.close());
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };

  async function call(method: string, path: string, body?: string, signal?: AbortSignal): Promise<Reply> {
    const init = { method, headers, body: body ?? null, signal: signal ?? null };
    const answer = await fetch(`${service.baseUrl}/api/v1${path}`, init);
    const type = answer.headers.get("content-type");
    const text = await answer.text();
    const parsed = type === "application/json" ? JSON.parse(text) : undefined;
    const date = answer.headers.get("date");
    return { status: answer.status, type, date, body: parsed, data: parsed?.data, code: parsed?.error?.code };
  }

  return {
    service,
    clock,
    call,
    post: (draft, signal) => call("POST", "/orders", JSON.stringify(draft), signal),
    listedIds: async (query = "") =>
      (await call("GET", `/orders${query}`)).data.map(({ id }: { id: number }) => id),
  };
}

/** The value at a dotted path. */
function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
}
