/** The tests of sending again: a create never twice, the rest within bounds. */

import { describe, expect, test } from "vitest";
import {
  type FailureKind,
  NoAnswer,
  noAnswerFailure,
  ServiceFailure,
  timeoutFailure,
} from "../../src/api/failure.ts";
import { retryDelayMs } from "../../src/api/retry.ts";
import type { Method } from "../../src/api/transport.ts";
import { fc } from "../support/effort.ts";

const kinds: readonly FailureKind[] = [
  "unreachable",
  "no_response",
  "rate_limited",
  "server_error",
  "refused",
  "key_refused",
  "redirected",
  "invalid_response",
];
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const tries = fc.integer({ min: 1, max: 6 });
const failures = fc
  .record({
    kind: fc.constantFrom(...kinds),
    status: fc.option(fc.constantFrom(200, 302, 401, 429, 500, 501, 502, 503, 504), { nil: undefined }),
    retryAfterMs: fc.option(fc.nat(), { nil: undefined }),
  })
  .map(({ kind, ...facts }) => new ServiceFailure(kind, "m", facts));
const idempotent: readonly Method[] = ["GET", "HEAD", "DELETE"];

function refusedBy(code: string, connected: boolean): ServiceFailure {
  const cause = Object.assign(new Error(), { code });
  return noAnswerFailure("host", connected, new NoAnswer(connected, cause));
}

test("a request that changes something is never sent again when it may have taken effect", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<Method>("POST", "PUT", "PATCH"),
      failures,
      tries,
      random,
      (method, failure, count, share) => {
        const delayMs = retryDelayMs(method, failure, count, share);
        if (failure.mayHaveHappened) expect(delayMs).toBeUndefined();
        if (delayMs !== undefined) expect(["unreachable", "rate_limited"]).toContain(failure.kind);
      },
    ),
    { numRuns: 500 },
  );
});

test("what may have happened: everything but a clear no, a limit, and no connection", () => {
  const open = kinds.filter((kind) => new ServiceFailure(kind, "m").mayHaveHappened);
  expect(open).toEqual(["no_response", "server_error", "redirected", "invalid_response"]);
});

test.each([
  [301, true],
  [302, true],
  [303, true],
  [307, false],
  [308, false],
])("a create that HTTP %i sends elsewhere: %s", (status, expected) => {
  expect(new ServiceFailure("redirected", "m", { status }).mayHaveHappened).toBe(expected);
});

test("nothing is tried more than four times", () => {
  fc.assert(
    fc.property(fc.constantFrom(...idempotent), failures, random, (method, failure, share) => {
      let count = 1;
      while (retryDelayMs(method, failure, count, share) !== undefined) count += 1;
      expect(count).toBeLessThanOrEqual(4);
    }),
  );
});

test("the delay is anywhere between nothing and a bound that doubles", () => {
  const failure = new ServiceFailure("no_response", "m");
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), random, (count, share) => {
      const delayMs = retryDelayMs("GET", failure, count, share) ?? Number.NaN;
      expect(delayMs).toBeCloseTo(share * 300 * 2 ** (count - 1));
      expect(delayMs).toBeLessThanOrEqual(8_000);
    }),
  );
  expect(retryDelayMs("GET", failure, 1, 0)).toBe(0);
});

test("Retry-After is obeyed to the millisecond, with no jitter", () => {
  fc.assert(
    fc.property(fc.nat(), random, fc.constantFrom(429, 502, 503), (retryAfterMs, share, status) => {
      const kind = status === 429 ? "rate_limited" : "server_error";
      const failure = new ServiceFailure(kind, "m", { status, retryAfterMs });
      expect(retryDelayMs("GET", failure, 1, share)).toBe(retryAfterMs);
    }),
  );
});

describe("what is transient", () => {
  test.each([
    ["rate_limited", 429, true],
    ["server_error", 500, false],
    ["server_error", 501, false],
    ["server_error", 502, true],
    ["server_error", 503, true],
    ["server_error", 504, true],
    ["server_error", 505, false],
    ["refused", 400, false],
    ["key_refused", 401, false],
    ["redirected", 302, false],
    ["invalid_response", 200, false],
    ["no_response", 200, true],
    ["no_response", undefined, true],
    ["unreachable", undefined, true],
  ] as const)("%s with HTTP %s: %s", (kind, status, isTransient) => {
    for (const method of idempotent) {
      const delayMs = retryDelayMs(method, new ServiceFailure(kind, "m", { status }), 1, 0.5);
      expect(delayMs !== undefined, method).toBe(isTransient);
    }
  });

  test("no connection: a create is sent again as well", () => {
    expect(retryDelayMs("POST", refusedBy("ECONNREFUSED", false), 1, 0.5)).toBe(150);
    expect(retryDelayMs("POST", refusedBy("ECONNREFUSED", true), 1, 0.5)).toBeUndefined();
    expect(retryDelayMs("POST", new ServiceFailure("rate_limited", "m", { status: 429 }), 1, 0.5)).toBe(150);
  });

  test.each([
    "CERT_HAS_EXPIRED",
    "CERT_NOT_YET_VALID",
    "CERT_SIGNATURE_FAILURE",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "UNABLE_TO_GET_ISSUER_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "HOSTNAME_MISMATCH",
  ])("%s is not mended by trying again", (code) => {
    for (const method of ["GET", "POST", "DELETE"] as const) {
      expect(retryDelayMs(method, refusedBy(code, false), 1, 0.5)).toBeUndefined();
    }
  });

  test("nor is a deadline that has passed", () => {
    expect(retryDelayMs("GET", timeoutFailure("host", 1_000), 1, 0.5)).toBeUndefined();
  });
});
