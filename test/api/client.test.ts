/** Owns the tests of one call: what is sent, how long it may take, what the trace shows. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Call, createClient } from "../../src/api/client.ts";
import { createService } from "../../src/api/service.ts";
import { type Answer, NoAnswer, type Transport, type WireRequest } from "../../src/api/transport.ts";
import { orderPageSchema, profileSchema } from "../../src/model/interface.ts";
import { parseJson } from "../../src/model/json.ts";
import { createHandClock } from "../support/hand-clock.ts";

const apiKey = "sk_live_top~secret";
const profile: Answer = { status: 200, headers: {}, body: '{"success":true,"data":{"id":1}}' };
const getProfile: Call = { method: "GET", path: ["user", "profile"] };
const refused = new NoAnswer(false, Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));

type Step = Answer | Error | ((request: WireRequest) => Promise<Answer>);

/** A client whose transport plays one step for each request, the last one for all that follow. */
function createTestClient(steps: readonly Step[], options: { baseUrl?: string; timeoutMs?: number } = {}) {
  const requests: WireRequest[] = [];
  const trace: string[] = [];
  const clock = createHandClock("2026-03-01T08:00:00Z");
  const stop = new AbortController();
  const underWay = { count: 0 };
  const transport: Transport = {
    async send(request) {
      const step = steps[Math.min(requests.length, steps.length - 1)] ?? profile;
      requests.push(request);
      if (step instanceof Error) throw step;
      return typeof step === "function" ? step(request) : step;
    },
    close: async () => {},
  };
  const client = createClient({
    baseUrl: "https://api.example.com",
    apiKey,
    userAgent: "courier-cli/test",
    timeoutMs: 30_000,
    transport,
    clock,
    signal: stop.signal,
    random: () => 0.5,
    trace: (line) => trace.push(line),
    begin: () => {
      underWay.count += 1;
      return () => {
        underWay.count -= 1;
      };
    },
    ...options,
  });
  return { client, requests, trace, clock, stop, underWay };
}

/** Answers never; rejects as the transport does once the signal aborts. */
function never({ signal }: WireRequest): Promise<Answer> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

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

describe("trying again", () => {
  test("until an answer comes, waiting between", async () => {
    const busy: Answer = { status: 503, headers: {}, body: "" };
    const { client, requests, clock } = createTestClient([busy, refused, busy, profile]);
    await client.call(getProfile, profileSchema);
    expect(requests).toHaveLength(4);
    expect(clock.delays).toEqual([150, 300, 600]);
  });

  test("at most four times", async () => {
    const { client, requests } = createTestClient([refused]);
    await expect(client.call(getProfile, profileSchema)).rejects.toMatchObject({
      kind: "unreachable",
      exit: 5,
    });
    expect(requests).toHaveLength(4);
  });

  test.each([
    ["an answer that was lost", new NoAnswer(true, new Error()), 1],
    ["a 503", { status: 503, headers: {}, body: "" }, 1],
    ["an answer that was cut short", { status: 200, headers: {}, body: '{"suc' }, 1],
    ["an answer of the wrong shape", { status: 200, headers: {}, body: "[]" }, 1],
    ["no connection", refused, 4],
    ["a 429", { status: 429, headers: {}, body: "" }, 4],
  ] as const)("a create after %s", async (_what, step, count) => {
    const { client, requests } = createTestClient([step]);
    await expect(
      client.call({ method: "POST", path: ["orders"], body: {} }, profileSchema),
    ).rejects.toThrow();
    expect(requests).toHaveLength(count);
  });

  test("a create that was limited first and lost then is in doubt", async () => {
    const limited: Answer = { status: 429, headers: {}, body: "" };
    const { client, requests } = createTestClient([limited, new NoAnswer(true, new Error()), profile]);
    const call = client.call({ method: "POST", path: ["orders"], body: {} }, profileSchema);
    await expect(call).rejects.toMatchObject({ kind: "lost", mayHaveHappened: true });
    expect(requests).toHaveLength(2);
  });

  test("Retry-After is waited for, unless the deadline comes before", async () => {
    const limited = (seconds: string): Answer => ({
      status: 429,
      headers: { "retry-after": seconds },
      body: "",
    });
    const patient = createTestClient([limited("20"), profile]);
    await patient.client.call(getProfile, profileSchema);
    expect(patient.clock.delays).toEqual([20_000]);
    const hasty = createTestClient([limited("30"), profile]);
    await expect(hasty.client.call(getProfile, profileSchema)).rejects.toMatchObject({ kind: "limited" });
    expect(hasty.clock.delays).toEqual([]);
    expect(hasty.requests).toHaveLength(1);
  });
});

describe("the deadline", () => {
  test("spans all tries and waits", async () => {
    const { client, requests, clock } = createTestClient([refused], { timeoutMs: 400 });
    await expect(client.call(getProfile, profileSchema)).rejects.toMatchObject({ kind: "unreachable" });
    expect(requests).toHaveLength(2);
    expect(clock.delays).toEqual([150]);
  });

  test("ends a call that waits for its answer: in doubt, and not tried again", async () => {
    const { client, requests, clock } = createTestClient([never], { timeoutMs: 5_000 });
    const call = client.call(getProfile, profileSchema);
    clock.advance(4_999);
    clock.advance(1);
    await expect(call).rejects.toMatchObject({ kind: "lost", code: "timed_out", exit: 5 });
    await expect(call).rejects.toThrow("did not answer within 5 s");
    expect(requests).toHaveLength(1);
  });

  test("ends a call that has no connection yet: nothing can have happened", async () => {
    const connecting = ({ signal }: WireRequest) =>
      new Promise<Answer>((_, reject) => {
        signal.addEventListener("abort", () => reject(new NoAnswer(false, signal.reason)));
      });
    const { client, clock } = createTestClient([connecting], { timeoutMs: 5_000 });
    const call = client.call({ method: "POST", path: ["orders"], body: {} }, profileSchema);
    clock.advance(5_000);
    await expect(call).rejects.toMatchObject({ kind: "unreachable", mayHaveHappened: false });
    await expect(call).rejects.toThrow("no connection in time");
  });

  test("leaves no timer and no sign of progress behind", async () => {
    const { client, clock, underWay } = createTestClient([profile, refused]);
    await client.call(getProfile, profileSchema);
    await client.call(getProfile, profileSchema).catch(() => {});
    expect(clock.waiting).toBe(0);
    expect(underWay.count).toBe(0);
  });
});

test("stopping the run rejects with its own reason, connected or not", async () => {
  const connecting = ({ signal }: WireRequest) =>
    new Promise<Answer>((_, reject) => {
      signal.addEventListener("abort", () => reject(new NoAnswer(false, signal.reason)));
    });
  for (const step of [never, connecting]) {
    const { client, stop, requests } = createTestClient([step]);
    const call = client.call(getProfile, profileSchema);
    const reason = new Error("Ctrl-C");
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  }
});

describe("the trace", () => {
  test("has a line for each request, answer and wait, and never the key", async () => {
    const busy: Answer = { status: 503, headers: { "content-type": "text/html" }, body: "<html>" };
    const { client, trace } = createTestClient([busy, refused, profile]);
    await client.call({ method: "GET", path: ["orders"], query: { page: "2" } }, profileSchema);
    await client.call({ method: "POST", path: ["orders"], body: { a: "张" } }, profileSchema);
    expect(trace).toEqual([
      "> GET https://api.example.com/api/v1/orders?page=2",
      "< 503 text/html (6 characters, 0 ms)",
      "  the service is failing: HTTP 503, text/html, “<html>”; next try in 150 ms",
      "> GET https://api.example.com/api/v1/orders?page=2",
      "  cannot reach api.example.com: the connection was refused; next try in 300 ms",
      "> GET https://api.example.com/api/v1/orders?page=2",
      "< 200 - (32 characters, 0 ms)",
      "> POST https://api.example.com/api/v1/orders (11 bytes)",
      "< 200 - (32 characters, 0 ms)",
    ]);
    expect(trace.join("\n")).not.toContain(apiKey);
  });
});

describe("the service's clock", () => {
  const dated = (date: string): Answer => ({ ...profile, headers: { date } });

  test("is unknown before an answer tells it, and read from the last one that does", async () => {
    const answers = [
      profile,
      dated("Sun, 01 Mar 2026 08:00:07 GMT"),
      profile,
      dated("Sun, 01 Mar 2026 07:59:00 GMT"),
    ];
    const { client } = createTestClient(answers);
    const offsets: (number | undefined)[] = [client.clockOffsetMs()];
    for (const _answer of answers) {
      await client.call(getProfile, profileSchema);
      offsets.push(client.clockOffsetMs());
    }
    expect(offsets).toEqual([undefined, undefined, 7_000, 7_000, -60_000]);
  });

  test.each(["1", "0", "long ago 1", "2026-03-01", ""])("%j does not tell it", async (date) => {
    const { client } = createTestClient([dated(date)]);
    await client.call(getProfile, profileSchema);
    expect(client.clockOffsetMs()).toBeUndefined();
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
    const { client, requests } = createTestClient([
      { ...profile, body: name.match(/list|filter/) ? page : profile.body },
    ]);
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
