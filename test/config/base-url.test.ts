/** The tests of what may be a base URL. */

import { describe, expect, test } from "vitest";
import { isLoopback, parseBaseUrl } from "../../src/config/base-url.ts";
import { CourierError } from "../../src/core/errors.ts";

function refusalOf(text: string, allowHttp = false): CourierError {
  try {
    parseBaseUrl(text, "--base-url", allowHttp);
  } catch (error) {
    if (error instanceof CourierError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

describe("accepted, and brought to one form", () => {
  test.each([
    ["https://api.example.com", "https://api.example.com"],
    ["https://api.example.com/", "https://api.example.com"],
    ["  https://API.Example.com//  ", "https://api.example.com"],
    ["https://example.com/courier/eu/", "https://example.com/courier/eu"],
    ["https://example.com:443", "https://example.com"],
    ["https://example.com:8443/a", "https://example.com:8443/a"],
    ["HTTPS://example.com", "https://example.com"],
    ["https://快递.example", "https://xn--n9qz20d.example"],
    ["https://[::1]:8080", "https://[::1]:8080"],
    ["https://example.com/api/v10", "https://example.com/api/v10"],
  ])("%s", (text, expected) => {
    expect(parseBaseUrl(text, "--base-url", false)).toMatch(
      expected.includes("xn--") ? /^https:\/\/xn--/ : expected,
    );
  });

  test.each([
    "http://localhost:8080",
    "http://api.localhost",
    "http://127.0.0.1:1",
    "http://127.9.9.9",
    "http://127.1",
    "http://[::1]:8080",
  ])("%s, though it is plain http, for it stays on this machine", (text) => {
    expect(parseBaseUrl(text, "--base-url", false)).toMatch(/^http:/);
    expect(isLoopback(new URL(text).hostname)).toBe(true);
  });

  test("plain http to another machine, where it was allowed", () => {
    expect(parseBaseUrl("http://10.0.0.5:8080/x", "--base-url", true)).toBe("http://10.0.0.5:8080/x");
  });
});

describe("refused, exit 2, with its source named", () => {
  test.each([
    ["http://api.example.com", /plain http/],
    ["http://10.0.0.5", /plain http/],
    ["http://0.0.0.0", /plain http/],
    ["http://localhost.example.com", /plain http/],
    ["http://127.0.0.1.example.com", /plain http/],
    ["http://notlocalhost", /plain http/],
    ["http://[::2]", /plain http/],
    ["http://1270.0.0.1.nip.io", /plain http/],
    ["ftp://example.com", /begins with ftp:/],
    ["file:///etc/passwd", /begins with file:/],
    ["javascript:alert(1)", /is not a URL$/],
    ["example.com", /is not a URL/],
    ["", /is not a URL/],
    ["https://", /is not a URL/],
    ["https://exa mple.com", /is not a URL/],
    ["https://user@example.com", /user name or password/],
    ["https://user:pw@example.com", /user name or password/],
    ["https://example.com?a=1", /query/],
    ["https://example.com/#top", /fragment/],
    ["https://example.com/api/v1", /must not contain \/api\/v1/],
    ["https://example.com/eu/api/v1/", /must not contain \/api\/v1/],
  ])("%s", (text, message) => {
    const refusal = refusalOf(text);
    expect(refusal).toMatchObject({ code: "usage", exit: 2 });
    expect(refusal.message).toMatch(message);
    expect(refusal.message).toMatch(/^--base-url /);
  });

  test("a password in it is not shown", () => {
    expect(refusalOf("https://user:hunter2@example.com").message).not.toContain("hunter2");
  });

  test("with the base URL that was meant, where it carried the API's path", () => {
    expect(refusalOf("https://example.com/eu/api/v1/").hint).toBe("use https://example.com/eu");
  });

  test("allowing plain http allows nothing else", () => {
    expect(refusalOf("ftp://example.com", true).exit).toBe(2);
    expect(refusalOf("http://user@example.com", true).exit).toBe(2);
  });
});
