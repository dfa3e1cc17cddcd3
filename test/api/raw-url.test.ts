/** The tests of the URL of a raw call: what is understood, and that nothing leads to another host. */

import { describe, expect, test } from "vitest";
import { rawUrl } from "../../src/api/raw-url.ts";
import { CourierError } from "../../src/core/errors.ts";
import { fc } from "../support/effort.ts";

const base = "https://api.example.com/eu";

describe("the same endpoint, as people write it", () => {
  test.each([
    "orders",
    "/orders",
    "v1/orders",
    "/v1/orders",
    "api/v1/orders",
    "/api/v1/orders",
    " /api/v1/orders ",
    "https://api.example.com/eu/api/v1/orders",
    "HTTPS://API.EXAMPLE.COM:443/eu/api/v1/orders",
    "C:/Program Files/Git/api/v1/orders",
    "C:/Program Files/Git/v1/orders",
    "C:\\Program Files\\Git\\v1/orders",
    "D:/tools/msys64/orders",
    "E:/elsewhere/api/v1/orders",
  ])("%s", (path) => {
    expect(rawUrl(path, base, []).href).toBe("https://api.example.com/eu/api/v1/orders");
  });
});

test.each([
  ["v2/orders", "https://api.example.com/eu/api/v2/orders"],
  ["api/v1", "https://api.example.com/eu/api/v1"],
  ["orders:batch", "https://api.example.com/eu/api/v1/orders:batch"],
  ["https://api.example.com/health", "https://api.example.com/health"],
  ["tracking/运单 1", "https://api.example.com/eu/api/v1/tracking/%E8%BF%90%E5%8D%95%201"],
  ["orders/a%2Fb", "https://api.example.com/eu/api/v1/orders/a%2Fb"],
])("%s is %s", (path, url) => {
  expect(rawUrl(path, base, []).href).toBe(url);
});

test("parameters stand behind those of the path, each as often as it is given", () => {
  const url = rawUrl("orders?status=paid", base, [
    ["tag", "a&b"],
    ["tag", "张"],
  ]);
  expect([...url.searchParams]).toEqual([
    ["status", "paid"],
    ["tag", "a&b"],
    ["tag", "张"],
  ]);
});

describe("nothing is sent to another host", () => {
  test.each([
    "https://evil.test/api/v1/orders",
    "http://api.example.com/eu/api/v1/orders",
    "https://api.example.com:8443/",
    "https://api.example.com@evil.test/",
    "https://shop:secret@api.example.com/",
    "https:/evil.test/",
    "https:\\\\evil.test\\",
    "//evil.test/orders",
    "///evil.test/orders",
    "/\\evil.test/orders",
    "\\\\evil.test\\orders",
    "file:///etc/passwd",
    "..",
    "orders/../../../x",
    "orders/%2e%2E/x",
    "orders/.%2e",
    "https://api.example.com/eu/../x",
    "orders\\..\\x",
    "orders/1#part",
    "orders?a=1#part",
    "orders\n/x",
    "C:/Users/zhang/orders",
    "",
    "/",
  ])("%j", (path) => {
    expect(() => rawUrl(path, base, [])).toThrow(expect.objectContaining({ exit: 2 }));
  });

  test("whatever is written: a URL of the service's origin, or a usage error", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "/",
        "\\",
        ":",
        "@",
        ".",
        "..",
        "%2e",
        "https",
        "//",
        "evil.test",
        "api.example.com",
        "?",
        "#",
        "C:",
      ),
      fc.string({ unit: "grapheme", maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        try {
          expect(rawUrl(words.join(""), base, []).origin).toBe("https://api.example.com");
        } catch (error) {
          expect(error).toBeInstanceOf(CourierError);
          expect((error as CourierError).exit).toBe(2);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("a password in a URL is not shown", () => {
    expect(() => rawUrl("https://shop:hush@evil.test/", base, [])).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("hush") }),
    );
  });
});
