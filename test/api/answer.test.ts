/** The tests of reading an answer: from status, headers and body to data, or to the kind of failure. */

import { describe, expect, test } from "vitest";
import { type AnswerContext, readEnvelope, readReply } from "../../src/api/answer.ts";
import { type FailureKind, noAnswerFailure, ServiceFailure } from "../../src/api/failure.ts";
import type { Answer } from "../../src/api/transport.ts";
import { profileSchema } from "../../src/model/interface.ts";
import { type JsonObject, stringifyJson } from "../../src/model/json.ts";
import { containerTexts, jsonTexts } from "../model/arbitraries.ts";
import { fc } from "../support/effort.ts";

const context: AnswerContext = {
  method: "GET",
  url: new URL("https://api.example.com/api/v1/user/profile"),
  host: "api.example.com",
  nowMs: Date.UTC(2026, 2, 1, 8),
  redact: (text) => text,
  login: "courier login",
};
const json = { "content-type": "application/json" };

function answer(status: number, body: string, more: Partial<Answer> = {}): Answer {
  return { status, headers: json, body, bytes: Buffer.from(body), ...more };
}

function failureOf(given: Answer): ServiceFailure {
  try {
    readReply(given, profileSchema, context);
  } catch (error) {
    if (error instanceof ServiceFailure) return error;
    throw error;
  }
  throw new Error("no failure");
}

const refusal = (code: string | undefined, message = "Telephone number is malformed") =>
  `{"success":false,"error":{${code === undefined ? "" : `"code":"${code}",`}"message":"${message}","details":{"field":"sender.phone","value":"12"}}}`;

describe("data", () => {
  test.each([200, 201, 202, 299])("success under HTTP %i is success", (status) => {
    const body = '{"success":true,"data":{"id":7,"balance":12.50,"vip":true},"message":"Welcome"}';
    const reply = readReply(answer(status, body), profileSchema, context);
    expect(stringifyJson(reply.data as JsonObject)).toBe('{"id":7,"balance":12.50,"vip":true}');
    expect(reply.message).toBe("Welcome");
    expect(stringifyJson(reply.envelope)).toBe(body);
  });

  test("a message that is no text is none; an envelope needs no data", () => {
    expect(
      readReply(answer(200, '{"success":true,"data":{},"message":5}'), profileSchema, context),
    ).toMatchObject({ message: undefined });
    expect(readEnvelope(answer(200, '{"success":true}'), context)).toEqual({ success: true });
  });
});

describe("the envelope decides before the status", () => {
  const table: [status: number, code: string | undefined, kind: FailureKind, exit: number][] = [
    [200, "INVALID_PARAMETER", "refused", 1],
    [400, "INVALID_PARAMETER", "refused", 1],
    [401, "INVALID_PARAMETER", "refused", 1],
    [429, "INVALID_PARAMETER", "refused", 1],
    [500, "INVALID_PARAMETER", "refused", 1],
    [503, "INVALID_PARAMETER", "refused", 1],
    [200, "ANY_OTHER", "refused", 1],
    [200, undefined, "refused", 1],
    [200, "UNAUTHORIZED", "refused", 1],
    [200, "RATE_LIMITED", "refused", 1],
    [302, "ANY_OTHER", "refused", 1],
    [400, "ANY_OTHER", "refused", 1],
    [400, "UNAUTHORIZED", "refused", 1],
    [403, "UNAUTHORIZED", "refused", 1],
    [403, "RATE_LIMITED", "refused", 1],
    [404, "NOT_FOUND", "refused", 1],
    [409, "NOT_CANCELLABLE", "refused", 1],
    [401, "UNAUTHORIZED", "key_refused", 4],
    [401, "RATE_LIMITED", "key_refused", 4],
    [429, "SLOW_DOWN", "rate_limited", 5],
    [429, "UNAUTHORIZED", "rate_limited", 5],
    [500, "UNAUTHORIZED", "server_error", 5],
    [503, "RATE_LIMITED", "server_error", 5],
    [500, "ANY_OTHER", "server_error", 5],
    [503, "MAINTENANCE", "server_error", 5],
  ];

  test.each(table)("success: false under HTTP %i with %s is %s, exit %i", (status, code, kind, exit) => {
    const failure = failureOf(answer(status, refusal(code)));
    expect(failure).toMatchObject({
      kind,
      exit,
      status,
      code: kind,
      serviceCode: code,
      details: { field: "sender.phone", value: "12" },
    });
    expect(failure.message).toContain("Telephone number is malformed");
    if (code) expect(failure.message).toContain(`(${code})`);
  });

  test.each([
    ["no error at all", '{"success":false}', "no reason given"],
    ["null", '{"success":false,"error":null}', "no reason given"],
    ["text", '{"success":false,"error":"nope"}', "nope"],
    ["empty text", '{"success":false,"error":""}', "no reason given"],
    ["a list", '{"success":false,"error":[1.50]}', "“[1.50]”"],
    ["an empty object", '{"success":false,"error":{}}', "no reason given"],
    ["a code alone", '{"success":false,"error":{"code":"E1"}}', "E1"],
    ["a code without words", '{"success":false,"error":{"code":"E1","message":" "}}', "E1"],
    ["empty texts", '{"success":false,"error":{"code":"","message":""}}', "no reason given"],
    ["nulls", '{"success":false,"error":{"code":null,"message":null}}', "no reason given"],
    [
      "a code that is a number",
      '{"success":false,"error":{"code":42,"message":"m"}}',
      '“{"code":42,"message":"m"}”',
    ],
    ["words in a list", '{"success":false,"error":{"message":["low"]}}', '“{"message":["low"]}”'],
    ["words under another name", '{"success":false,"error":{"reason":"low"}}', '“{"reason":"low"}”'],
    ["long", `{"success":false,"error":["${"x".repeat(90)}"]}`, `“["${"x".repeat(78)}…”`],
    ["beside it", '{"success":false,"message":"too low"}', "too low"],
    ["words beside a code", '{"success":false,"error":{"code":"E1"},"message":"too low"}', "too low (E1)"],
    ["a list beside it", '{"success":false,"errors":[{"field":"x"}]}', '“[{"field":"x"}]”'],
    ["an empty list beside it", '{"success":false,"errors":[],"message":null}', "no reason given"],
  ])("an error that is %s", (_what, body, said) => {
    const failure = failureOf(answer(200, body));
    expect(failure).toMatchObject({ kind: "refused", exit: 1, status: 200 });
    expect(failure.message).toBe(`the service refused: ${said}`);
  });

  test("an error of an unknown shape is kept as details", () => {
    const failure = failureOf(answer(200, '{"success":false,"error":{"code":42,"more":[1.50]}}'));
    expect(stringifyJson(failure.details as never)).toBe('{"code":42,"more":[1.50]}');
  });

  test.each([
    ['{"success":false,"message":"low"}', '{"message":"low"}'],
    ['{"success":false,"error":null,"errors":[1.50]}', '{"errors":[1.50]}'],
    ['{"success":false,"error":"low","message":"m"}', '{"message":"m","error":"low"}'],
    ['{"success":false,"error":{"reason":"low"}}', '{"reason":"low"}'],
    [
      '{"success":false,"error":{"code":"E","message":"m","details":{"field":"f"}},"errors":[1]}',
      '{"errors":[1],"field":"f"}',
    ],
    [
      '{"success":false,"error":{"code":"E","message":"m","details":[2]},"message":"n"}',
      '{"message":"n","details":[2]}',
    ],
  ])("what stands beside the error is kept in the details: %s", (body, details) => {
    expect(stringifyJson(failureOf(answer(400, body)).details as never)).toBe(details);
  });

  test("the details of every refusal pass through unchanged", () => {
    fc.assert(
      fc.property(jsonTexts, (details) => {
        const body = `{"success":false,"error":{"code":"E","message":"m","details":${details}}}`;
        const expected = readEnvelope(answer(200, `{"success":true,"d":${details}}`), context).d;
        expect(failureOf(answer(422, body)).details).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });
});

describe("without an envelope the status decides", () => {
  const bodies = [
    "",
    "<html>nginx</html>",
    "[]",
    "{}",
    '{"success":"no"}',
    '"text"',
    '{"error":{"code":"X"}}',
  ];
  const table: [status: number, kind: FailureKind, exit: number][] = [
    [301, "redirected", 5],
    [302, "redirected", 5],
    [308, "redirected", 5],
    [400, "refused", 1],
    [401, "key_refused", 4],
    [403, "refused", 1],
    [404, "refused", 1],
    [407, "refused", 1],
    [408, "server_error", 5],
    [422, "refused", 1],
    [429, "rate_limited", 5],
    [500, "server_error", 5],
    [502, "server_error", 5],
    [503, "server_error", 5],
    [504, "server_error", 5],
    [599, "server_error", 5],
  ];

  test.each(table)("HTTP %i is %s, exit %i", (status, kind, exit) => {
    for (const body of bodies) {
      const failure = failureOf(
        answer(status, body, { headers: { ...json, location: "https://evil.test/" } }),
      );
      expect(failure, body).toMatchObject({ kind, exit, status, serviceCode: undefined });
      expect(failure.message).toContain(`HTTP ${status}`);
    }
  });

  test("a redirect names where to, and says why it is not followed", () => {
    const failure = failureOf(answer(302, "", { headers: { location: "https://login.example.com/" } }));
    expect(failure.message).toContain("to https://login.example.com/");
    expect(failure.hint).toContain("not followed");
  });

  test("a body that was cut short is judged by the status too", () => {
    expect(failureOf(answer(503, '{"succ', { cut: "dropped" }))).toMatchObject({ kind: "server_error" });
    expect(failureOf(answer(404, '{"succ'))).toMatchObject({ kind: "refused" });
  });
});

describe("a 2xx that cannot be used is one of three", () => {
  test.each([
    ["<html><title>Welcome</title></html>", "not_json"],
    ["", "not_json"],
    ["OK", "not_json"],
    ["{'success': true}", "not_json"],
    ['{"success":true}}', "not_json"],
  ])("%j is not JSON", (body, code) => {
    expect(failureOf(answer(200, body))).toMatchObject({
      kind: "invalid_response",
      code,
      exit: 70,
      status: 200,
    });
  });

  test("any beginning of an object or array is cut short, and worth asking for again", () => {
    fc.assert(
      fc.property(containerTexts, fc.nat(), (text, length) => {
        const start = text.slice(0, (length % (text.length - 1)) + 1);
        expect(failureOf(answer(200, start))).toMatchObject({
          kind: "no_response",
          code: "cut_short",
          exit: 5,
        });
      }),
    );
  });

  test.each(["dropped", "stalled"] as const)("so is a body that was %s, whatever came of it", (cut) => {
    for (const body of ["", '{"success":true,"data":{}}', "<html>", '{"success":false,"error":{}}']) {
      expect(failureOf(answer(200, body, { cut }))).toMatchObject({ kind: "no_response", code: "cut_short" });
    }
  });

  test("one that is too large breaks the interface", () => {
    expect(failureOf(answer(200, "[", { cut: "too_large" }))).toMatchObject({
      kind: "invalid_response",
      code: "too_large",
      exit: 70,
    });
  });

  test("of one that unpacks to too much, no body is described", () => {
    const { message } = failureOf(answer(200, "", { cut: "too_large" }));
    expect(message).toMatch(/ is larger than courier accepts: HTTP 200, application\/json$/);
  });

  test("one that is nested too deeply for anyone is not called something other than JSON", () => {
    for (const depth of [600, 100_000]) {
      const failure = failureOf(
        answer(200, `{"success":true,"data":${"[".repeat(depth)}${"]".repeat(depth)}}`),
      );
      expect(failure).toMatchObject({ kind: "invalid_response", code: "too_large", exit: 70 });
      expect(failure.message).toContain("nested deeper than courier accepts");
    }
  });

  test("one that does not decode names its encoding", () => {
    const headers = { ...json, "content-encoding": "zstd" };
    const failure = failureOf(answer(200, "", { headers, cut: "undecodable" }));
    expect(failure).toMatchObject({ kind: "invalid_response", code: "undecodable", exit: 70 });
    expect(failure.message).toContain("does not decode as zstd");
  });

  test.each([
    ["[]", "success"],
    ["null", "success"],
    ['{"data":{}}', "success"],
    ['{"success":1,"data":{}}', "success"],
    ['{"success":true}', "data should be an object, but is nothing"],
    ['{"success":true,"data":null}', "data should be an object, but is null"],
    ['{"success":true,"data":{"id":"7"}}', "data.id should be an integer, but is a string"],
  ])("%s is of the wrong shape", (body, told) => {
    const failure = failureOf(answer(200, body));
    expect(failure).toMatchObject({ kind: "invalid_response", code: "wrong_shape", exit: 70 });
    expect(failure.message).toContain(told);
  });

  test("each shows the status, the content type and the first characters", () => {
    const body = `<html>\n  ${"long ".repeat(100)}</html>`;
    for (const given of [
      answer(200, body),
      answer(200, `{"a":"${body}`),
      answer(200, `{"a":"x${"y".repeat(200)}"}`),
    ]) {
      const { message } = failureOf({ ...given, headers: { "content-type": "text/html" } });
      expect(message).toMatch(/HTTP 200, text\/html, “.{20,80}…”$/u);
    }
    expect(failureOf(answer(200, "", { headers: {} })).message).toContain("no content type, empty body");
  });
});

describe("Retry-After", () => {
  const date = "Sun, 01 Mar 2026 08:00:00 GMT";
  const table: [value: string, date: string | undefined, delayMs: number | undefined][] = [
    ["0", date, undefined],
    ["120", date, 120_000],
    [" 5 ", date, 5_000],
    ["Sun, 01 Mar 2026 08:00:30 GMT", date, 30_000],
    ["Sun, 01 Mar 2026 07:00:00 GMT", date, undefined],
    ["Sun, 01 Mar 2026 08:00:30 GMT", "Sun, 01 Mar 2026 08:00:10 GMT", 20_000],
    ["Sun, 01 Mar 2026 08:00:30 GMT", undefined, 30_000],
    ["Sun, 01 Mar 2026 08:00:30 GMT", "long ago 1", 30_000],
    ["-5", date, undefined],
    ["1.5", date, undefined],
    ["soon", date, undefined],
    ["in 5", date, undefined],
    ["", date, undefined],
    ["2026-03-01T08:00:30Z", date, undefined],
  ];

  test.each(table)("%j beside the date %j: %s ms", (value, now, delayMs) => {
    const headers = { "retry-after": value, ...(now === undefined ? {} : { date: now }) };
    for (const [status, body] of [
      [429, ""],
      [429, refusal("SLOW_DOWN")],
      [503, "<html>"],
    ] as const) {
      expect(failureOf(answer(status, body, { headers })).retryAfterMs).toBe(delayMs);
    }
  });
});

test.each([
  ["0", "wait a little"],
  ["10", "wait 10 s"],
  ["89", "wait 89 s"],
  ["120", "wait 2 min"],
  ["4000", "wait 67 min"],
  ["5399", "wait 90 min"],
  ["86400", "wait 24 h"],
  ["129599", "wait 36 h"],
  ["172801", "wait 3 d"],
  ["31536000", "wait 365 d"],
  ["100000000000000000000", "wait for longer than a year"],
  [undefined, "wait a little"],
])("a limit with Retry-After %s: %s", (retryAfter, words) => {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  expect(failureOf(answer(429, "", { headers })).hint).toBe(`${words}, then run the same command again`);
});

test.each([
  ["90", "wait 90 s, as the service asks"],
  ["3600", "wait 60 min, as the service asks"],
  ["0", undefined],
  ["100000000000000000000", undefined],
  ["soon", undefined],
])("a failing service with Retry-After %s: %s", (retryAfter, hint) => {
  const headers = { "retry-after": retryAfter };
  for (const body of ["<html>", refusal("MAINTENANCE")])
    expect(failureOf(answer(503, body, { headers })).hint).toBe(hint);
});

test.each([304, 302])("HTTP %i without an address to go to", (status) => {
  const failure = failureOf(answer(status, ""));
  expect(failure).toMatchObject({
    code: "redirected",
    message: `api.example.com answered HTTP ${status}, without data and without an address to go to`,
    hint: "check the base URL, and a cache or proxy on the way",
  });
});

test("an answer of another length than it says is told in words", () => {
  const cause = Object.assign(new Error("x"), { code: "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" });
  expect(noAnswerFailure("api.example.com", true, new Error("x", { cause })).message).toBe(
    "the connection to api.example.com broke before an answer came: the answer is longer or shorter than it says",
  );
});
