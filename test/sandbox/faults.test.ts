/** The proof of every fault, seen from the socket, and of the plan that decides which request meets one. */

import { connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { createPlainFaultPlan } from "../../src/sandbox/apply-fault.ts";
import { faultRoutes } from "../../src/sandbox/fault-rules.ts";
import { createFaultPlan } from "../../src/sandbox/faults.ts";
import type { WireFault, WireFaultKind, WireRule } from "../support/wire-faults.ts";
import { apiKey, draft, type Serving, serve } from "./serving.ts";

/** The creation of an order over a bare socket, under one rule. */
interface Attempt extends Serving {
  readonly seen: { headers: string; body: string; contentLength: number; isClosed: boolean };
  /** Goes on with other requests until something can be seen. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>;
  /** How many orders the service has, asked for on another connection. */
  countOrders(): Promise<number>;
}

async function attempt(rule: WireRule): Promise<Attempt> {
  const serving = await serve();
  serving.server.faults.add({ method: "POST", ...rule });
  const seen = { headers: "", body: "", contentLength: Number.NaN, isClosed: false };
  const socket = connect(Number(new URL(serving.server.baseUrl).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let received = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    received += chunk;
    const end = received.indexOf("\r\n\r\n");
    seen.headers = end === -1 ? "" : received.slice(0, end);
    seen.body = end === -1 ? received : received.slice(end + 4);
    seen.contentLength = Number(/^content-length: (\d+)$/im.exec(seen.headers)?.[1] ?? Number.NaN);
  });
  socket.on("close", () => {
    seen.isClosed = true;
  });
  socket.on("error", () => {});
  const body = JSON.stringify(draft);
  const head = [
    "POST /api/v1/orders HTTP/1.1",
    "Host: sandbox",
    `Authorization: Bearer ${apiKey}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  return {
    ...serving,
    seen,
    async until(condition) {
      while (!(await condition())) await serving.call("GET", "/api/v1/user/profile");
    },
    countOrders: async () => (await serving.call("GET", "/api/v1/orders")).json.pagination.total_items,
  };
}

/** An attempt that was answered in full. */
async function answered(rule: WireRule): Promise<Attempt> {
  const made = await attempt(rule);
  await made.until(() => made.seen.body.length === made.seen.contentLength);
  return made;
}

/** An attempt whose connection the server ended. */
async function closed(rule: WireRule): Promise<Attempt> {
  const made = await attempt(rule);
  await made.until(() => made.seen.isClosed);
  return made;
}

/** Every kind of fault, so that none can be added without a proof. */
const proofs: Record<WireFaultKind, () => Promise<void>> = {
  async latency() {
    const { seen, clock, countOrders } = await answered({ kind: "latency", ms: 750 });
    expect(clock.delays).toEqual([750]);
    expect(seen.headers).toContain("HTTP/1.1 201");
    expect(await countOrders()).toBe(1);
  },
  async status() {
    const body = "<h1>上游超时</h1>";
    const rule: WireRule = {
      kind: "status",
      status: 503,
      body,
      contentType: "text/html",
      headers: { "X-A": "b" },
    };
    const { seen, countOrders } = await answered(rule);
    expect(seen.headers).toMatch(/^HTTP\/1\.1 503 .*^Content-Type: text\/html.*^X-A: b/ms);
    expect(Buffer.from(seen.body, "latin1").toString()).toBe(body);
    expect(await countOrders()).toBe(0);
    const late = await answered({ kind: "status", status: 504, processed: true });
    expect(late.seen.body).toBe("");
    expect(await late.countOrders()).toBe(1);
  },
  async refuse() {
    const error = { code: "BALANCE_TOO_LOW", message: "top up first", details: { balance: 1 } };
    const { seen, countOrders } = await answered({ kind: "refuse", status: 402, ...error });
    expect(seen.headers).toContain("HTTP/1.1 402");
    expect(JSON.parse(seen.body)).toEqual({ success: false, error });
    expect(await countOrders()).toBe(0);
  },
  async drop_before() {
    const { seen, countOrders } = await closed({ kind: "drop_before" });
    expect(seen).toMatchObject({ headers: "", body: "" });
    expect(await countOrders()).toBe(0);
  },
  async drop_after() {
    const { seen, countOrders } = await closed({ kind: "drop_after" });
    expect(seen).toMatchObject({ headers: "", body: "" });
    expect(await countOrders()).toBe(1);
  },
  async drop_mid_body() {
    const { seen, countOrders } = await closed({ kind: "drop_mid_body" });
    expect(seen.headers).toContain("HTTP/1.1 201");
    expect(seen.body).toMatch(/^\{"success":true/);
    expect(seen.body.length).toBe(Math.floor(seen.contentLength / 2));
    expect(await countOrders()).toBe(1);
  },
  async stall() {
    const { seen, server, until, countOrders } = await attempt({ kind: "stall" });
    await until(async () => (await countOrders()) === 1);
    expect(seen).toMatchObject({ headers: "", body: "", isClosed: false });
    await server.close();
  },
  async stall_body() {
    const { seen, server, until, countOrders } = await attempt({ kind: "stall_body" });
    await until(() => seen.body.length === Math.floor(seen.contentLength / 2));
    expect(await countOrders()).toBe(1);
    expect(seen.isClosed).toBe(false);
    await server.close();
  },
  async drip() {
    const { seen, clock, server, until, countOrders } = await attempt({ kind: "drip", everyMs: 100 });
    for (let bytes = 0; bytes < 3; bytes++) {
      await until(() => clock.waiting === 1 && seen.body.length === bytes);
      clock.advance(99);
      await until(() => seen.body.length === bytes);
      clock.advance(1);
    }
    await until(() => seen.body === '{"s');
    expect(seen.headers).toContain("HTTP/1.1 201");
    expect(await countOrders()).toBe(1);
    await server.close();
    while (clock.waiting > 0) await turn();
  },
  async wrong_length() {
    for (const more of [7, -7]) {
      const { seen, countOrders } = await closed({ kind: "wrong_length", more });
      expect(seen.headers).toContain("HTTP/1.1 201");
      expect(seen.contentLength - seen.body.length).toBe(more);
      expect(JSON.parse(seen.body)).toMatchObject({ success: true });
      expect(await countOrders()).toBe(1);
    }
  },
  async encoded() {
    for (const [encoding, decode] of [
      ["gzip", gunzipSync],
      ["br", brotliDecompressSync],
      ["deflate", inflateSync],
    ] as const) {
      const { seen, countOrders } = await answered({ kind: "encoded", encoding });
      expect(seen.headers.toLowerCase()).toContain(`content-encoding: ${encoding}`);
      expect(JSON.parse(String(decode(Buffer.from(seen.body, "latin1"))))).toMatchObject({ success: true });
      expect(await countOrders()).toBe(1);
    }
  },
  async http_1_0() {
    const { seen, countOrders } = await closed({ kind: "http_1_0" });
    expect(seen.headers).toMatch(/^HTTP\/1\.0 201 /);
    expect(seen.contentLength).toBeNaN();
    expect(JSON.parse(seen.body)).toMatchObject({ success: true });
    expect(await countOrders()).toBe(1);
  },
  async truncate() {
    const { seen, countOrders } = await answered({ kind: "truncate" });
    expect(seen.body).toMatch(/^\{"success":true/);
    expect(() => JSON.parse(seen.body)).toThrow();
    expect(await countOrders()).toBe(1);
  },
  async garbage() {
    const page = await answered({ kind: "garbage" });
    expect(page.seen.headers).toMatch(/^HTTP\/1\.1 200 .*^Content-Type: text\/html/ms);
    expect(page.seen.body).toContain("<html>");
    expect(await page.countOrders()).toBe(0);
    const bytes = await answered({ kind: "garbage", content: "binary", processed: true });
    expect(bytes.seen.body).toContain("\u0000\u0001");
    expect(await bytes.countOrders()).toBe(1);
  },
  async wrong_shape() {
    const { seen } = await answered({ kind: "wrong_shape" });
    expect(seen.headers).toContain("HTTP/1.1 200");
    expect(JSON.parse(seen.body)).toEqual({ success: true, data: "unexpected" });
    const chosen = await answered({ kind: "wrong_shape", data: null });
    expect(JSON.parse(chosen.seen.body)).toEqual({ success: true, data: null });
  },
  async rate_limit() {
    const { seen, countOrders } = await answered({ kind: "rate_limit", retryAfter: "2" });
    expect(seen.headers).toMatch(/^HTTP\/1\.1 429 .*^Retry-After: 2$/ms);
    expect(JSON.parse(seen.body)).toMatchObject({ success: false, error: { code: "RATE_LIMITED" } });
    expect(await countOrders()).toBe(0);
    expect((await answered({ kind: "rate_limit" })).seen.headers).not.toMatch(/retry-after/i);
  },
  async redirect() {
    const { seen, countOrders } = await answered({ kind: "redirect", location: "http://elsewhere.example/" });
    expect(seen.headers).toMatch(/^HTTP\/1\.1 302 .*^Location: http:\/\/elsewhere\.example\/$/ms);
    expect(await countOrders()).toBe(0);
    const kept = await answered({ kind: "redirect", location: "/x", status: 307 });
    expect(kept.seen.headers).toContain("HTTP/1.1 307");
  },
  async huge_body() {
    const { call, server } = await serve();
    server.faults.add({ kind: "huge_body", bytes: 3_000_000 });
    const { text, json } = await call("POST", "/api/v1/orders", draft);
    expect(text).toHaveLength(3_000_000);
    expect(json.success).toBe(true);
  },
  async raw() {
    const { seen, countOrders } = await closed({ kind: "raw", bytes: "HTTP/1.1 200 OK\r\n\r\n\u0000\u00ff" });
    expect(seen).toMatchObject({ headers: "HTTP/1.1 200 OK", body: "\u0000\u00ff" });
    expect(await countOrders()).toBe(0);
  },
};

describe("at the socket", () => {
  test.each(Object.entries(proofs))("%s", (_, proof) => proof());

  test("closing the server ends stalled, idle and waiting connections at once", async () => {
    const { seen, server, until, countOrders } = await attempt({ kind: "stall" });
    await until(async () => (await countOrders()) === 1);
    await server.close();
    while (!seen.isClosed) await new Promise(setImmediate);
    await expect(fetch(server.baseUrl)).rejects.toThrow();
  });

  test("latency of the whole server and of a rule add up, and later rules apply", async () => {
    const { call, server, clock } = await serve({ latencyMs: 100 });
    server.faults.set([
      { kind: "latency", ms: 20 },
      { kind: "rate_limit", times: 1 },
    ]);
    expect((await call("GET", "/api/v1/orders")).status).toBe(429);
    expect((await call("GET", "/api/v1/orders")).status).toBe(200);
    expect(clock.delays).toEqual([120, 120]);
  });
});

describe("the plan", () => {
  function fates(rules: readonly WireRule[], requests: readonly string[]): (string | undefined)[] {
    let drawn: string | undefined;
    const plan = createFaultPlan((fault: WireFault) => {
      drawn = fault.kind;
      return async () => {};
    });
    plan.set(rules);
    return requests.map((request) => {
      drawn = undefined;
      const [method = "", path = ""] = request.split(" ");
      plan.draw(method, path);
      return drawn;
    });
  }
  const repeat = (request: string, times: number) => Array.from({ length: times }, () => request);

  test("picks requests by method and path", () => {
    const requests = ["GET /orders", "POST /orders", "GET /orders?page=2", "GET /orders/7", "POST /orders/7"];
    expect(fates([{ kind: "drop_before", method: "POST" }], requests).map(Boolean)).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
    const byText: WireRule[] = [{ kind: "truncate", path: "/orders" }];
    expect(fates(byText, requests).map(Boolean)).toEqual([true, true, true, false, false]);
    const bySource: WireRule[] = [{ kind: "truncate", method: "GET", path: "/orders/\\d+" }];
    expect(fates(bySource, requests).map(Boolean)).toEqual([false, false, false, true, false]);
    const byPattern: WireRule[] = [{ kind: "truncate", path: /page=2/g }];
    expect(fates(byPattern, requests).map(Boolean)).toEqual([false, false, true, false, false]);
  });

  test("lets the first rule that fires decide", () => {
    const rules: WireRule[] = [
      { kind: "drop_before", times: 1 },
      { kind: "truncate", after: 1, times: 2 },
      { kind: "garbage" },
    ];
    expect(fates(rules, repeat("GET /", 5))).toEqual([
      "drop_before",
      "garbage",
      "truncate",
      "truncate",
      "garbage",
    ]);
  });

  test("fires by chance in the same sequence for the same seed", () => {
    const sequence = (seed: number) =>
      fates([{ kind: "garbage", probability: 0.3, seed }], repeat("GET /", 1000));
    expect(sequence(1)).toEqual(sequence(1));
    expect(sequence(1)).not.toEqual(sequence(2));
    const share = sequence(1).filter(Boolean).length / 1000;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
    expect(fates([{ kind: "garbage", probability: 0 }], repeat("GET /", 100)).some(Boolean)).toBe(false);
    expect(fates([{ kind: "garbage", probability: 1 }], repeat("GET /", 100)).every(Boolean)).toBe(true);
  });

  test("can be used in process, where every request is on record", async () => {
    const { call, server } = await serve();
    server.faults.add({ kind: "drop_before", times: 1 });
    await expect(call("POST", "/api/v1/orders?x=1", draft)).rejects.toThrow();
    await call("GET", "/api/v1/orders");
    expect(server.faults.counts()).toMatchObject([{ matched: 2, fired: 1 }]);
    expect(server.requests).toMatchObject([
      { method: "POST", path: "/api/v1/orders?x=1", body: JSON.stringify(draft) },
      { method: "GET", path: "/api/v1/orders", body: "", headers: { accept: "application/json" } },
    ]);
    server.faults.clear();
    expect((await call("POST", "/api/v1/orders", draft)).status).toBe(201);
  });
});

describe("the control endpoint", () => {
  const target = "/_sandbox/faults";

  /** As `courier sandbox serve --faults` does. */
  async function serveOpenly() {
    const faults = createPlainFaultPlan();
    return { ...(await serve({ faults, controls: faultRoutes(faults) })), faults };
  }

  test("sets, shows and clears the rules", async () => {
    const { call, server } = await serveOpenly();
    const rules = [
      {
        kind: "status",
        status: 502,
        method: "GET",
        path: "/api/v1/.*",
        times: 1,
        processed: true,
      },
      { kind: "rate_limit", retryAfter: "1", after: 5, probability: 0.5, seed: 7 },
    ];
    expect((await call("PUT", target, rules)).json.data).toMatchObject([{ rule: rules[0], fired: 0 }, {}]);
    expect((await call("GET", "/api/v1/orders")).status).toBe(502);
    expect((await call("GET", "/api/v1/orders")).status).toBe(200);
    expect((await call("GET", target)).json.data).toEqual([
      { rule: rules[0], matched: 2, fired: 1 },
      { rule: rules[1], matched: 1, fired: 0 },
    ]);
    expect((await call("DELETE", target)).json).toEqual({ success: true, data: [] });
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    [{ kind: "drop_before" }, "body"],
    [[7], "[0]"],
    [[{ kind: "drop_after" }, { kind: "explode" }], "[1].kind"],
    [[{}], "[0].kind"],
    [[{ kind: "drop_after", tmes: 1 }], "[0].tmes"],
    [[{ kind: "drop_after", constructor: 1 }], "[0].constructor"],
    [[{ kind: "drop_after", status: 500 }], "[0].status"],
    [[{ kind: "status" }], "[0].status"],
    [[{ kind: "status", status: 99 }], "[0].status"],
    [[{ kind: "status", status: 500, headers: { a: "1" } }], "[0].headers"],
    [[{ kind: "latency", ms: -1 }], "[0].ms"],
    [[{ kind: "drop_after", path: "(" }], "[0].path"],
    [[{ kind: "garbage" }], "[0].kind"],
    [[{ kind: "rate_limit", retryAfter: 1 }], "[0].retryAfter"],
    [[{ kind: "status", status: 500, processed: "yes" }], "[0].processed"],
  ])("refuses %j and leaves the plan as it was", async (rules, field) => {
    const { call, faults } = await serveOpenly();
    faults.add({ kind: "drop_after" });
    const reply = await call("PUT", target, rules);
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatchObject({ code: "INVALID_PARAMETER", details: { field } });
    expect(faults.counts()).toMatchObject([{ rule: { kind: "drop_after" } }]);
  });

  test("needs the key, and is closed unless it was asked for", async () => {
    const open = await serveOpenly();
    expect((await open.call("GET", target, undefined, { authorization: "Bearer other" })).status).toBe(401);
    const shut = await serve();
    expect((await shut.call("PUT", target, [])).status).toBe(404);
    expect((await shut.call("GET", "/api/v1/orders")).status).toBe(200);
  });
});
