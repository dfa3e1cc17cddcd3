/** What a failed create proves: codes that the specification does not define prove nothing by themselves. */

import { describe, expect, test } from "vitest";
import { type FailureKind, ServiceFailure } from "../../src/api/failure.ts";
import type { Draft } from "../../src/model/draft.ts";
import { type Json, jsonNumber } from "../../src/model/json.ts";
import { evidenceOf, lossOf } from "../../src/sending/evidence.ts";
import { answerData, onePage, requestCount } from "../support/answers.ts";
import { createServedHome } from "../support/courier.ts";
import { createImportHome, outcomes, row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";

test.each<[FailureKind, number | undefined, string | undefined, string]>([
  ["unreachable", undefined, undefined, "not_made"],
  ["rate_limited", 429, undefined, "not_made"],
  ["key_refused", 401, undefined, "not_made"],
  ["refused", 400, "INVALID_PARAMETER", "not_made"],
  ["refused", 200, "INVALID_PARAMETER", "not_made"],
  ["refused", 500, "INVALID_PARAMETER", "not_made"],
  ["refused", 200, "TIMEOUT", "refused"],
  ["refused", 422, "NO_BALANCE", "refused"],
  ["refused", 400, "UNAUTHORIZED", "refused"],
  ["refused", 302, "INVALID_PARAMETER", "not_made"],
  ["refused", 300, "MOVED", "in_doubt"],
  ["refused", 302, "MOVED", "in_doubt"],
  ["refused", 308, "MOVED", "in_doubt"],
  ["refused", 409, "CONFLICT", "in_doubt"],
  ["refused", 499, "CLOSED", "in_doubt"],
  ["refused", 403, undefined, "in_doubt"],
  ["refused", 404, undefined, "in_doubt"],
  ["refused", 409, undefined, "in_doubt"],
  ["server_error", 503, "BUSY", "in_doubt"],
  ["server_error", 408, undefined, "in_doubt"],
  ["no_response", undefined, undefined, "in_doubt"],
  ["invalid_response", 200, undefined, "in_doubt"],
  ["invalid_response", 429, undefined, "in_doubt"],
  ["invalid_response", 401, undefined, "in_doubt"],
  ["redirected", 302, undefined, "in_doubt"],
  ["redirected", 307, undefined, "in_doubt"],
])("%s, HTTP %s, code %s: %s", (kind, status, serviceCode, expected) => {
  const { code: _code, ...facts } = { code: "", status, serviceCode };
  expect(evidenceOf(new ServiceFailure(kind, "no", facts), undefined)).toBe(expected);
});

const shipped: Draft = {
  receiver: { name: "李四", phone: "+86 139 0013 9000", detail: "建国路 88 号" },
  item: { name: "茶叶", weight: jsonNumber("1.50") },
};

test.each<[string, string, string]>([
  ["receiver.phone", "+86 139 0013 9000", "not_made"],
  ["receiver.phone", "13900139000", "not_made"],
  ["receiver.phone", "139****9000", "not_made"],
  ["receiver.phone", "***", "not_made"],
  ["receiver.phone", "139", "refused"],
  ["receiver.phone", "13800138000", "refused"],
  ["receiver.detail", "建国路88号", "not_made"],
  ["receiver.detail", "南路2号", "refused"],
  ["receiver.city", "", "not_made"],
  ["receiver.city", "上海", "refused"],
  ["sender.phone", "13800138000", "refused"],
  ["item.weight", "1.5", "not_made"],
  ["item.weight", "9999", "refused"],
  ["sender.id_card", "1", "refused"],
  ["sender.id_card", "", "not_made"],
  ["receiver.mobile", "13900139000", "not_made"],
  ["receiver.mobile", "12", "refused"],
])("INVALID_PARAMETER that refuses %s “%s”: %s", (field, value, expected) => {
  const facts = { status: 400, serviceCode: "INVALID_PARAMETER", details: { field, value } };
  expect(evidenceOf(new ServiceFailure("refused", "no", facts), shipped)).toBe(expected);
});

test.each([jsonNumber("9999"), ["9999"], { value: "9999" }])(
  "INVALID_PARAMETER with what was not sent: %j",
  (value) => {
    const details = { field: "item.weight", value };
    const failure = new ServiceFailure("refused", "no", { serviceCode: "INVALID_PARAMETER", details });
    expect(evidenceOf(failure, shipped)).toBe("refused");
  },
);

test.each<[string, Json, string]>([
  ["receiver.phone", "13900139000", "not_made"],
  ["receiver.phone", "999", "refused"],
  ["item.weight", "0.50", "not_made"],
  ["item.weight", "9999", "refused"],
  ["item.quantity", [jsonNumber("1")], "not_made"],
  ["remark", "fragile", "not_made"],
  ["remark", "999", "refused"],
  ["sender", { name: "张三" }, "not_made"],
])("a body that is no order of the interface, and a refusal of %s %j: %s", (field, value, expected) => {
  const body: Json = {
    sender: { name: "张三" },
    receiver: { phone: jsonNumber("13900139000"), city: null },
    item: { weight: "0.5", quantity: [jsonNumber("1")] },
    remark: "fragile",
  };
  const facts = { status: 400, serviceCode: "INVALID_PARAMETER", details: { field, value } };
  expect(evidenceOf(new ServiceFailure("refused", "no", facts), body)).toBe(expected);
});

test.each<[FailureKind, number | undefined, string | undefined, string]>([
  ["no_response", undefined, undefined, "broken"],
  ["no_response", undefined, "timed_out", "timeout"],
  ["no_response", 201, "cut_short", "timeout"],
  ["invalid_response", 201, "too_large", "timeout"],
  ["invalid_response", 201, "undecodable", "timeout"],
  ["invalid_response", 202, "not_json", "timeout"],
  ["invalid_response", 200, "wrong_shape", "timeout"],
  ["invalid_response", 200, "not_json", "timeout"],
  ["invalid_response", 204, "not_json", "timeout"],
  ["invalid_response", 302, "not_json", "broken"],
  ["refused", 409, undefined, "timeout"],
  ["refused", 403, undefined, "broken"],
  ["server_error", 503, undefined, "broken"],
  ["server_error", 504, undefined, "timeout"],
])("%s, HTTP %s, %s: waited for as after a connection that is %s", (kind, status, code, expected) => {
  const facts = { ...(status === undefined ? {} : { status }), ...(code === undefined ? {} : { code }) };
  expect(lossOf(new ServiceFailure(kind, "no", facts as { status: number }))).toBe(expected);
});

const post = { method: "POST", path: "/api/v1/orders", contentType: "application/json" } as const;
const said = (code: string, details = {}) =>
  JSON.stringify({ success: false, error: { code, message: "no", details } });
/** The answer to another request. */
const others = { field: "receiver.phone", value: "139" };
const create = "orders create --file - --json";
const stdin = JSON.stringify(plainDraft);

describe.each([
  ["TIMEOUT", 200, {}],
  ["INTERNAL_ERROR", 400, {}],
  ["SYSTEM_BUSY", 403, {}],
  ["INVALID_PARAMETER", 400, others],
])("a failure called %s under HTTP %i", (code, status, details) => {
  const fault = { ...post, kind: "status", status, body: said(code, details) } as const;

  test("after the order was made: it is found, and sent once", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ ...fault, processed: true, times: 1 }]);
    expect(await home.courier(create, { stdin })).toMatchObject({ exit: 0 });
    expect((await home.courier(create, { stdin })).exit, "an equal one just now").toBe(2);
    expect(requestCount(home, "POST")).toBe(1);
  });

  test("without an order: refused after one look, and the same may be sent again", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ ...fault, times: 1 }]);
    const refused = await home.courier(create, { stdin });
    expect(refused.exit).toBe(1);
    expect(JSON.parse(refused.stderr).error).toMatchObject({ service_code: code });
    expect(home.clock.delays).toEqual([2_000]);
    expect((await home.courier(create, { stdin })).exit).toBe(0);
  });

  test("in an import, made or not: each row is one order, or refused", async () => {
    const home = await createImportHome(sheet(row("A-1", "王五"), row("A-2", "赵六"), row("A-3", "孙七")));
    home.sandbox.faults.set([
      { ...fault, processed: true, times: 1 },
      { ...fault, times: 1 },
    ]);
    const ran = await home.run("--concurrency 1");
    expect([ran.exit, outcomes(ran.report)]).toEqual([3, "found refused created"]);
    expect(ran.report[1]?.error).toMatchObject({ code });
    expect(await home.receivers()).toEqual(["王五", "孙七"]);
  });

  test("through api: an equal order is looked for before it is sent", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ ...fault, processed: true, times: 1 }]);
    const { exit, stderr } = await home.courier("api POST orders --input -", { stdin });
    expect(exit).toBe(6);
    expect(stderr).toContain("POST orders created order 1000001, although its answer says otherwise\n");
    expect((await home.courier(create, { stdin })).exit).toBe(2);
    expect(requestCount(home, "POST")).toBe(1);
  });
});

test("an order with a field of the service's own, and a refusal of what was not sent: in doubt, sent once", async () => {
  const home = await createServedHome();
  const body = said("INVALID_PARAMETER", others);
  home.sandbox.faults.set([{ ...post, kind: "status", status: 400, body, processed: true, times: 1 }]);
  const remarked = JSON.stringify({ ...plainDraft, remark: "fragile" });
  for (const exit of [6, 2])
    expect((await home.courier("api POST orders --input -", { stdin: remarked })).exit).toBe(exit);
  expect(requestCount(home, "POST")).toBe(1);
});

test.each([
  ["a list", '[{"id":1000001}]'],
  ["a number alone", '{"tracking_number":"CR1"}'],
])("INVALID_PARAMETER that carries the new order as %s is in doubt", async (_what, data) => {
  const home = await createServedHome();
  const body = `{"success":false,"data":${data},"error":{"code":"INVALID_PARAMETER","message":"low balance"}}`;
  home.sandbox.faults.set([{ ...post, kind: "status", status: 400, body, processed: true, times: 1 }]);
  const { exit, stdout } = await home.courier("api POST orders --input -", { stdin });
  expect([exit, stdout]).toEqual([6, body]);
});

const order = '{"id":1000001,"order_no":"CO1","tracking_number":"CR1","status":"pending"}';

test.each(["1000001.5", "1e999"])("success with the id %s names no order: in doubt", async (id) => {
  const home = await createServedHome();
  const body = `{"success":true,"data":{"id":${id}}}`;
  home.sandbox.faults.set([{ ...post, kind: "status", status: 200, body, times: 1 }]);
  const { exit, stderr } = await home.courier("api POST orders --input -", { stdin });
  expect(exit).toBe(6);
  expect(stderr).toContain("its answer names no order");
});

test.each([
  [429, `{"data":${order}}`],
  [429, `{"success":"true","data":${order}}`],
  [429, order],
  [429, `[{"success":true,"data":${order}}]`],
  [429, `{"success":false,"error":{"code":"RATE"},"order":${order}}`],
  [429, '{"success":false,"error":{"code":"RATE","details":{"order_id":1000001}}}'],
  [429, `{"success":false,"error":{"code":"RATE"},"data":{"orders":[${order}]}}`],
  [429, '{"success":false,"error":{"code":"RATE"},"data":{"orderId":1000001}}'],
  [401, `{"data":${order}}`],
  [400, `{"success":false,"error":{"code":"INVALID_PARAMETER","message":"x"},"order":${order}}`],
])("HTTP %i with %s carries an order: it is found, and sent once", async (status, body) => {
  const home = await createServedHome();
  home.sandbox.faults.set([
    { ...post, kind: "status", status, body, contentType: "application/json", processed: true, times: 1 },
  ]);
  const { exit, stderr } = await home.courier(create, { stdin });
  expect([exit, requestCount(home, "POST")], stderr).toEqual([0, 1]);
});

test.each([
  '{"message":"API rate limit exceeded","request_id":"5c1e"}',
  '{"id":"5c1e","error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}',
  '{"success":false,"data":null,"error":{"code":"RATE","details":{"retry_after":1}}}',
])("HTTP 429 with %s carries none: it is sent again", async (body) => {
  const home = await createServedHome();
  home.sandbox.faults.set([
    { ...post, kind: "status", status: 429, body, contentType: "application/json", times: 1 },
  ]);
  expect((await home.courier(create, { stdin })).exit).toBe(0);
  expect(requestCount(home, "POST")).toBe(2);
});

const cutOff = '{"success":true,"data":{"id":1000001,"order_no":"CO1","tracking_number":';

test.each([429, 401])(
  "HTTP %i with a part of an answer may carry an order: it is looked for, and sent once",
  async (status) => {
    const home = await createServedHome();
    const fault = { ...post, kind: "status", status, body: cutOff, processed: true } as const;
    home.sandbox.faults.set([fault]);
    const { exit, stderr } = await home.courier(create, { stdin });
    expect([exit, requestCount(home, "POST")], stderr).toEqual([0, 1]);
    expect(stderr).toContain("was cut short");
  },
);

const envelope = `{"success":true,"data":${order}}`;

test.each([
  ["behind a prefix", `)]}',\n${envelope}`],
  ["as a text", JSON.stringify(envelope)],
  ["in a web page", `<html><script>window.answer = ${envelope}</script></html>`],
  ["in a web page as text", `<h1>429</h1><pre>${envelope.replaceAll('"', "&quot;")}</pre>`],
  ["in XML", "<answer><data><id>1000001</id><order_no>CO1</order_no></data></answer>"],
  ["in an attribute", '<answer><order id="1000001" order_no="CO1"/></answer>'],
  ["in UTF-16", [...envelope].map((letter) => `${letter}\0`).join("")],
])("HTTP 429 with an order %s: it is looked for, and sent once", async (_how, body) => {
  const home = await createServedHome();
  home.sandbox.faults.set([
    { ...post, kind: "status", status: 429, body, contentType: "text/plain", processed: true, times: 1 },
  ]);
  const { exit, stderr } = await home.courier(create, { stdin });
  expect([exit, requestCount(home, "POST")], stderr).toEqual([0, 1]);
});

test("HTTP 429 with a web page carries none: it is sent again", async () => {
  const home = await createServedHome();
  const page = { contentType: "text/html", body: "<h1>slow down</h1>" };
  home.sandbox.faults.set([{ ...post, ...page, kind: "status", status: 429, times: 1 }]);
  expect((await home.courier(create, { stdin })).exit).toBe(0);
  expect(requestCount(home, "POST")).toBe(2);
});

describe.each([
  ["WARN", 200],
  ["INVALID_PARAMETER", 400],
  ["RATE_LIMITED", 429],
  ["UNAUTHORIZED", 401],
])("a failure called %s under HTTP %i that carries the new order", (code, status) => {
  const data = '{"id":1000001,"order_no":"CO1","tracking_number":"CR1","status":"pending"}';
  const body = `{"success":false,"data":${data},"error":{"code":"${code}","message":"low balance"}}`;
  const fault = { ...post, kind: "status", status, body, processed: true, times: 1 } as const;

  test.each([
    ["found by its id", 0, []],
    [
      "in doubt where that cannot be read, and sent once",
      6,
      [{ kind: "status", status: 503, method: "GET", path: "/api/v1/orders/1000001" }],
    ],
  ] as const)("at a list that is late: %s", async (_what, exit, unread) => {
    const home = await createServedHome();
    home.sandbox.faults.set([fault, ...unread]);
    answerData(home, "GET /api/v1/orders", "[]", onePage.replace('"total_items":1', '"total_items":0'));
    const words = `${create} --ref A-1`;
    const lost = await home.courier(words, { stdin });
    expect(lost.exit, lost.stderr).toBe(exit);
    expect(lost.stderr).toContain(", but its answer names order 1000001");
    home.sandbox.faults.clear();
    const again = await home.courier(words, { stdin });
    expect([again.exit, requestCount(home, "POST")], again.stderr).toEqual([0, 1]);
  });

  test("in an import: found", async () => {
    const home = await createImportHome(sheet(row("A-1", "王五"), row("A-2", "赵六")));
    home.sandbox.faults.set([fault]);
    const ran = await home.run("--concurrency 1");
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "found created"]);
    expect(await home.receivers()).toEqual(["王五", "赵六"]);
  });

  test("through api: in doubt", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([fault]);
    const { exit, stdout } = await home.courier("api POST orders --input -", { stdin });
    expect([exit, stdout, requestCount(home, "POST")]).toEqual([6, body, 1]);
  });
});
