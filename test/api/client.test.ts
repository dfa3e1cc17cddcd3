/** The tests of the course of one call: tries, deadline, interruption, trace. */

import { describe, expect, test } from "vitest";
import { NoAnswer } from "../../src/api/failure.ts";
import type { Answer, WireRequest } from "../../src/api/transport.ts";
import { profileSchema } from "../../src/model/interface.ts";
import { answerOf, apiKey, createTestClient, getProfile, never, profile, refused } from "./test-client.ts";

/** Has no connection; rejects as the transport does once the signal aborts. */
function connecting({ signal }: WireRequest): Promise<Answer> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new NoAnswer(false, signal.reason)));
  });
}

describe("trying again", () => {
  test("until an answer comes, waiting between", async () => {
    const busy = answerOf(503);
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
    ["a 503", answerOf(503), 1],
    ["an answer that was cut short", answerOf(200, '{"suc'), 1],
    ["an answer of the wrong shape", answerOf(200, "[]"), 1],
    ["no connection", refused, 4],
    ["a 429", answerOf(429), 4],
  ] as const)("a create after %s", async (_what, step, count) => {
    const { client, requests } = createTestClient([step]);
    await expect(
      client.call({ method: "POST", path: ["orders"], body: {} }, profileSchema),
    ).rejects.toThrow();
    expect(requests).toHaveLength(count);
  });

  test("a create that was limited first and lost then is in doubt", async () => {
    const limited = answerOf(429);
    const { client, requests } = createTestClient([limited, new NoAnswer(true, new Error()), profile]);
    const call = client.call({ method: "POST", path: ["orders"], body: {} }, profileSchema);
    await expect(call).rejects.toMatchObject({ kind: "no_response", mayHaveHappened: true });
    expect(requests).toHaveLength(2);
  });

  test("Retry-After is waited for, unless the deadline comes before", async () => {
    const limited = (seconds: string) => answerOf(429, "", { "retry-after": seconds });
    const patient = createTestClient([limited("20"), profile]);
    await patient.client.call(getProfile, profileSchema);
    expect(patient.clock.delays).toEqual([20_000]);
    const hasty = createTestClient([limited("30"), profile]);
    await expect(hasty.client.call(getProfile, profileSchema)).rejects.toMatchObject({
      kind: "rate_limited",
    });
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

  test.each(["GET", "POST"] as const)(
    "ends a %s that waits for its answer: in doubt, and not tried again",
    async (method) => {
      const { client, requests, clock } = createTestClient([never], { timeoutMs: 5_000 });
      const call = client.call({ ...getProfile, method }, profileSchema);
      clock.advance(4_999);
      clock.advance(1);
      await expect(call).rejects.toMatchObject({ kind: "no_response", code: "timed_out", exit: 5 });
      await expect(call).rejects.toThrow("did not answer within 5 s");
      expect(requests).toHaveLength(1);
    },
  );

  test("ends a call that has no connection yet: nothing can have happened", async () => {
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

describe("a try that gets nowhere", () => {
  const slowly =
    (bytes: number) =>
    (request: WireRequest): Promise<Answer> => {
      request.received?.(bytes);
      return never(request);
    };

  test.each([
    ["without a connection", connecting],
    ["without an answer", never],
    ["with an answer that drips", slowly(14_999)],
  ])("%s: a GET is tried again at half of its time, and has the rest of it", async (_how, step) => {
    const { client, requests, clock } = createTestClient([step, profile]);
    const call = client.call(getProfile, profileSchema);
    clock.advance(14_999);
    await Promise.resolve();
    expect(requests).toHaveLength(1);
    clock.advance(1);
    expect(await call).toMatchObject({ data: { id: { value: "1" } } });
    expect(requests).toHaveLength(2);
  });

  test("is the last one when the rest of the time has passed", async () => {
    const { client, requests, clock } = createTestClient([never]);
    const call = client.call(getProfile, profileSchema);
    clock.advance(15_000);
    while (requests.length < 2) await Promise.resolve();
    clock.advance(15_000);
    await expect(call).rejects.toThrow("did not answer within 30 s");
    expect(requests).toHaveLength(2);
  });

  test.each([
    ["whose answer comes at a usable rate", getProfile, slowly(15_000)],
    ["that creates", { method: "POST", path: ["orders"], body: {} } as const, never],
    ["whose repetitions are the caller's", { ...getProfile, retries: false }, never],
  ])("does not end a call early %s", async (_what, call, step) => {
    const { client, requests, clock } = createTestClient([step]);
    const sending = client.call(call, profileSchema);
    clock.advance(29_999);
    await Promise.resolve();
    expect(clock.waiting).toBe(1);
    clock.advance(1);
    await expect(sending).rejects.toMatchObject({ code: "timed_out" });
    expect(requests).toHaveLength(1);
  });
});

test("stopping the run rejects with its own reason, connected or not", async () => {
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
    const busy = answerOf(503, "<html>", { "content-type": "text/html" });
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

  test("is that of the moment when an answer began, however long its body takes", async () => {
    const { client, clock } = createTestClient([
      async (request) => {
        request.begun?.();
        clock.advance(20_000);
        return dated("Sun, 01 Mar 2026 08:00:07 GMT");
      },
    ]);
    await client.call(getProfile, profileSchema);
    expect(client.clockOffsetMs()).toBe(7_000);
  });

  test("is told by a refusal of the service, and not by a gateway's page", async () => {
    const headers = { date: "Sun, 01 Mar 2026 08:00:07 GMT" };
    const { client } = createTestClient([
      answerOf(403, "<html>", headers),
      answerOf(403, '{"success": false, "error": {"code": "FORBIDDEN", "message": "no"}}', headers),
    ]);
    await expect(client.call(getProfile, profileSchema)).rejects.toThrow();
    expect(client.clockOffsetMs()).toBeUndefined();
    await expect(client.call(getProfile, profileSchema)).rejects.toThrow();
    expect(client.clockOffsetMs()).toBe(7_000);
  });

  test.each(["1", "0", "long ago 1", "2026-03-01", ""])("%j does not tell it", async (date) => {
    const { client } = createTestClient([dated(date)]);
    await client.call(getProfile, profileSchema);
    expect(client.clockOffsetMs()).toBeUndefined();
  });
});
