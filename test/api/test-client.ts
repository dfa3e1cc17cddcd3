/** A client whose transport is played by hand, and the answers and failures that it plays. */

import { type Call, createClient } from "../../src/api/client.ts";
import { NoAnswer } from "../../src/api/failure.ts";
import type { Answer, Transport, WireRequest } from "../../src/api/transport.ts";
import { createRedactor } from "../../src/core/redact.ts";
import { createHandClock } from "../support/hand-clock.ts";

export const apiKey = "sk_live_top~secret";
export const profile = answerOf(200, '{"success":true,"data":{"id":1}}');
export const getProfile: Call = { method: "GET", path: ["user", "profile"] };
export const refused = new NoAnswer(false, Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));

/** An answer that came whole. */
export function answerOf(status: number, body = "", headers: Answer["headers"] = {}): Answer {
  return { status, headers, body, bytes: Buffer.from(body) };
}

type Step = Answer | Error | ((request: WireRequest) => Promise<Answer>);

/** A client whose transport plays one step for each request, the last one for all that follow. */
export function createTestClient(
  steps: readonly Step[],
  options: { baseUrl?: string; timeoutMs?: number } = {},
) {
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
    login: "courier login",
    redact: createRedactor([apiKey]),
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
export function never({ signal }: WireRequest): Promise<Answer> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}
