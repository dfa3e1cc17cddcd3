/** The redactor: no form of a secret that a header or a body may carry gets through. */

import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/core/redact.ts";
import { fc } from "../support/effort.ts";

const mask = "[redacted]";
const secrets = fc
  .oneof(
    fc.string({ unit: "grapheme-ascii", minLength: 4, maxLength: 60 }),
    fc.base64String({ minLength: 8, maxLength: 60 }),
    fc.stringMatching(/^sk_live_[A-Za-z0-9]{8,40}$/),
    fc.string({ unit: "grapheme", minLength: 4, maxLength: 20 }),
  )
  .filter((secret) => secret.length >= 4 && !mask.includes(secret.toLowerCase()));
const surroundings = fc.string({ unit: "grapheme", maxLength: 30 });

const forms: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  "URL-encoded": encodeURIComponent,
  "URL-encoded in small letters": (secret) =>
    encodeURIComponent(secret).replace(/%../g, (encoded) => encoded.toLowerCase()),
  "a query parameter": (secret) => new URLSearchParams([["", secret]]).toString().slice(1),
  JSON: (secret) => JSON.stringify(secret).slice(1, -1),
  HTML: (secret) =>
    secret.replace(
      /[&<>"']/g,
      (each) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[each] ?? "&#39;",
    ),
  "HTML in numbers": (secret) => secret.replace(/[&<>"'/`=+]/g, (each) => `&#${each.charCodeAt(0)};`),
  "HTML in hexadecimal": (secret) =>
    secret.replace(/[&<>"'/`=+]/g, (each) => `&#x${each.charCodeAt(0).toString(16)};`),
  "a quoted word of a shell": (secret) => secret.replaceAll("'", "'\\''"),
  base64: (secret) => Buffer.from(secret).toString("base64"),
  "base64 without padding": (secret) => Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  base64url: (secret) => Buffer.from(secret).toString("base64url"),
  hexadecimal: (secret) => Buffer.from(secret).toString("hex"),
  "hexadecimal in capitals": (secret) => Buffer.from(secret).toString("hex").toUpperCase(),
};

describe.each(Object.entries(forms))("%s", (_name, encode) => {
  test("is masked wherever it stands", () => {
    fc.assert(
      fc.property(secrets, surroundings, surroundings, (secret, before, after) => {
        const shown = createRedactor([secret])(`${before}${encode(secret)}${after}`);
        expect(shown).toContain(mask);
        expect(shown.replaceAll(mask, "\0")).not.toContain(encode(secret));
      }),
      { numRuns: 50 },
    );
  });
});

/** Whether any run of base64 characters, read from any place, decodes to text with the secret in it. */
function canBeDecoded(text: string, secret: string): boolean {
  return (text.match(/[A-Za-z0-9+/_-]+/g) ?? []).some((run) =>
    [0, 1, 2, 3].some((start) => Buffer.from(run.slice(start), "base64").includes(Buffer.from(secret))),
  );
}

describe("base64 of a longer text", () => {
  test.each(["Bearer KEY", "user:KEY", "KEY:", "a:KEY:b", "ab:KEY:c", "aKEY", "KEY"])("%s", (pattern) => {
    const secret = "sk_live_51H8?~abcXYZ/+=";
    for (const encoding of ["base64", "base64url"] as const) {
      const encoded = Buffer.from(pattern.replace("KEY", secret)).toString(encoding);
      const shown = createRedactor([secret])(`authorization: Basic ${encoded}\r\n`);
      expect(shown).toContain(mask);
      expect(canBeDecoded(shown, secret)).toBe(false);
    }
  });

  test("cannot be decoded back to the secret, at any alignment", () => {
    const bytes = fc.uint8Array({ maxLength: 10 });
    const encodings = fc.constantFrom("base64", "base64url" as const);
    fc.assert(
      fc.property(secrets, bytes, bytes, encodings, (secret, before, after, encoding) => {
        const encoded = Buffer.concat([before, Buffer.from(secret), after]).toString(encoding as "base64");
        const shown = createRedactor([secret])(`{"echo":"${encoded}"}`);
        expect(shown).toContain(mask);
        expect(canBeDecoded(shown, secret)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

test("several secrets, the longer first", () => {
  const redact = createRedactor(["abcd", "abcd-efgh", "second-key"]);
  expect(redact("abcd-efgh abcd second-key")).toBe(`${mask} ${mask} ${mask}`);
});

test("special characters are taken as they are", () => {
  const redact = createRedactor(["a.c*", "$&$1", "(x|y"]);
  expect(redact("abcc a.c* $&$1 (x|y")).toBe(`abcc ${mask} ${mask} ${mask}`);
});

test("other text stays as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(createRedactor(["~no such key~"])(text)).toBe(text);
      expect(createRedactor([])(text)).toBe(text);
    }),
  );
});

test("secrets of fewer than four characters are left alone", () => {
  expect(createRedactor(["abc", ""])("abc and more abc")).toBe("abc and more abc");
});

test.each([4_500, 8_192, 100_000])("a secret of %i characters", (length) => {
  const secret = `ey${"J0.eX-".repeat(length / 6)}end`;
  const redact = createRedactor([secret]);
  for (const encode of Object.values(forms))
    expect(redact(`< ${encode(secret)} >`)).toMatch(/^< \[redacted\].{0,2} >$/);
});

test("a text that cannot be searched is not shown", () => {
  const broken = { toLowerCase: () => expect.fail("broken") } as unknown as string;
  expect(createRedactor(["abcd"])(broken)).toBe("[not shown: it could not be checked for secrets]");
});
