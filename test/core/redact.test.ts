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

/** Characters with a name in HTML5; a hyphen has none of its own, but some encoders take the one of U+2010. */
const named: Readonly<Record<string, string>> = Object.fromEntries(
  "!excl \"quot #num $dollar %percnt &amp 'apos (lpar )rpar *ast +plus ,comma -hyphen .period /sol :colon ;semi <lt =equals >gt ?quest @commat [lsqb \\bsol ]rsqb ^Hat _lowbar `grave {lcub |verbar }rcub"
    .split(" ")
    .map((each) => [each.charAt(0), `&${each.slice(1)};`]),
);
const each = (secret: string, encode: (character: string) => string) => [...secret].map(encode).join("");
const hexOf = (character: string) => character.charCodeAt(0).toString(16);
const byName = (secret: string) => each(secret, (character) => named[character] ?? character);
const asJson = (secret: string) => JSON.stringify(secret).slice(1, -1);

/** Single encodings that need not be, and encodings of encodings. */
const rareForms: Readonly<Record<string, (secret: string) => string>> = {
  "HTML by name": byName,
  "HTML, all letters in hexadecimal": (secret) => each(secret, (character) => `&#x${hexOf(character)};`),
  "HTML, all letters in capital hexadecimal": (secret) =>
    each(secret, (character) => `&#X00${hexOf(character).toUpperCase()};`),
  "HTML, all letters in decimal": (secret) => each(secret, (character) => `&#${character.charCodeAt(0)};`),
  "HTML without semicolons": (secret) => each(secret, (character) => `&#${character.charCodeAt(0)}`),
  "percent, all letters": (secret) => each(secret, (character) => `%${hexOf(character)}`),
  "JSON, all letters": (secret) => each(secret, (character) => `\\u00${hexOf(character)}`),
  "a script, all letters": (secret) => each(secret, (character) => `\\x${hexOf(character)}`),
  "URL-encoded twice": (secret) => encodeURIComponent(encodeURIComponent(secret)),
  "URL-encoded three times": (secret) => encodeURIComponent(encodeURIComponent(encodeURIComponent(secret))),
  "HTML by name twice": (secret) => byName(byName(secret)),
  "HTML in hexadecimal, its & by name": (secret) =>
    each(secret, (character) => `&amp;#x${hexOf(character)};`),
  "JSON in JSON": (secret) => asJson(asJson(secret)),
  "JSON in HTML": (secret) => byName(asJson(secret)),
  "HTML in a URL": (secret) => encodeURIComponent(byName(secret)),
};

describe.each(Object.entries(rareForms))("%s", (_name, encode) => {
  // What looks encoded in the secret itself, such as %41, is found in a single encoding alone.
  const keys = secrets.filter((secret) => /^[\x21-\x7e]+$/.test(secret) && !/[%&\\][\w#\\"'/]/.test(secret));

  test("is masked wherever it stands, and nothing else", () => {
    fc.assert(
      fc.property(keys, surroundings, surroundings, (secret, before, after) => {
        const [start, end] = [`${before} `, ` ${after}`].map((text) => text.replaceAll(secret, ""));
        const encoded = encode(secret);
        expect(createRedactor([secret])(`${start}${encoded}${end}`)).toBe(`${start}${mask}${end}`);
      }),
      { numRuns: 50 },
    );
  });
});

test.each([
  ["plain", "orders, prices and names; "],
  ["escaped quotes", '{\\"a\\":\\"\\/b\\"},'],
  ["percent signs", "%25252525"],
  ["ampersands", "&amp;amp;amp;#x26;"],
  ["numbers without an end", "&#x0000000"],
  ["names without an end", "&solsolsolsolsol"],
  ["beginnings of the key", "&sol;sk%5flive"],
])("a text of 2 MB of %s takes no long time", (_what, part) => {
  const text = part.repeat(2 ** 21 / part.length);
  const redact = createRedactor(["/sk_live_51H8x-abcXYZ"]);
  const before = process.cpuUsage();
  expect(redact(text)).toBe(text);
  const { user, system } = process.cpuUsage(before); // other tests take their share of the machine
  expect((user + system) / 1_000).toBeLessThan(2_500);
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

  test("leaves no last characters", () => {
    for (const text of ["user:hunter2-A", "user:hunter2-AB", "user:hunter2-ABC"]) {
      const shown = createRedactor([text.slice(5)])(`Basic ${Buffer.from(text).toString("base64")}, next=1`);
      expect(shown).toMatch(/\[redacted\], next=1$/);
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

describe("a secret that is cut or broken", () => {
  const brokenKey = "sk_live_SERVICE_abcd6789XYZ_abcdef";
  const inLines = (text: string, length: number, separator: string) =>
    (text.match(new RegExp(`.{1,${length}}`, "g")) ?? []).join(separator);
  const longer = fc.stringMatching(/^sk_live_[A-Za-z0-9]{12,60}$/);

  test("shows no piece of twelve characters, wherever it is cut", () => {
    fc.assert(
      fc.property(longer, fc.nat(), fc.nat(), surroundings, surroundings, (secret, a, b, before, after) => {
        const [start = 0, end = 0] = [a % secret.length, b % (secret.length + 1)].sort((x, y) => x - y);
        const shown = createRedactor([secret])(`${before} ${secret.slice(start, end)} ${after}`);
        for (let at = 0; at + 12 <= secret.length; at++)
          expect(shown.toLowerCase()).not.toContain(secret.slice(at, at + 12).toLowerCase());
        if (end - start >= 12) expect(shown).toContain(mask);
      }),
    );
  });

  test.each([
    ["shortened in a message", "key sk_live_SERVICE_abcd... (E)", `key ${mask}... (E)`],
    ["its end alone", "key ...6789XYZ_abcdef", `key ...${mask}`],
    ["with a character between", "sk_live_SERVI\u200bCE_abcd6789XYZ_abcdef", mask],
    ["over two lines, in JSON", '"sk_live_SERVI\\nCE_abcd6789XYZ"', `"${mask}"`],
    ["by eight characters a line", "key: sk_live_\nSERVICE_\nabcd6789\nXYZ_abcd\nef!", `key: ${mask}!`],
    ["with what cannot be seen between all of them", [...brokenKey].join("\u200b"), mask],
    ["only a usual beginning", "sk_live_other", "sk_live_other"],
  ])("%s", (_how, text, expected) => {
    expect(createRedactor([brokenKey])(text)).toBe(expected);
  });

  const encoders: Readonly<Record<string, (secret: string) => string>> = {
    "base64 in lines of 76": (secret) => inLines(Buffer.from(`u:${secret}`).toString("base64"), 76, "\r\n"),
    "base64 in lines of 20, in JSON": (secret) => inLines(Buffer.from(secret).toString("base64"), 20, "\\n"),
    "base64url in lines of 64": (secret) => inLines(Buffer.from(secret).toString("base64url"), 64, "\n"),
    "the beginning of base64": (secret) => Buffer.from(secret).toString("base64").slice(0, 30),
    "the middle of base64": (secret) => Buffer.from(secret).toString("base64").slice(5, 40),
    "hexadecimal in lines of 32": (secret) => inLines(Buffer.from(secret).toString("hex"), 32, "\n"),
    "hexadecimal with colons": (secret) => inLines(Buffer.from(secret).toString("hex"), 2, ":"),
    "hexadecimal with blanks": (secret) => inLines(Buffer.from(secret).toString("hex"), 2, " "),
    "the end of hexadecimal": (secret) => Buffer.from(secret).toString("hex").slice(-30),
  };

  test.each(Object.entries(encoders))("%s: nothing of it is left to read", (_name, encode) => {
    fc.assert(
      fc.property(fc.stringMatching(/^sk_live_[A-Za-z0-9]{40,90}$/), surroundings, (secret, before) => {
        const shown = createRedactor([secret])(`${before} (${encode(secret)}) is bad`);
        expect(shown).toContain(mask);
        expect(shown).toContain(") is bad");
        const left = shown.slice(before.length).replaceAll(mask, "").replace(") is bad", "");
        expect(left.replace(/\\n|[\s:]/g, "").length).toBeLessThan(8);
      }),
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
