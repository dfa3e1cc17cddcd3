/** Arbitrary answers of a service: what its interface promises, and every way of breaking that. */

import type { Answer } from "../../src/api/transport.ts";
import { jsonTexts, numberTexts } from "../model/arbitraries.ts";
import { fc } from "../support/effort.ts";
import { terminalTexts } from "../support/terminal-grammar.ts";

type Text = fc.Arbitrary<string>;

const text: Text = terminalTexts.map((value) => JSON.stringify(value));
const count: Text = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 9_999_999 }).map(String) },
  fc.constantFrom("0", "-1", "9007199254740993", "1".repeat(400), "1e3", "1.0", "-0"),
);
const small: Text = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 3 }).map(String) },
  { weight: 1, arbitrary: count },
);
const decimal: Text = fc.oneof({ weight: 3, arbitrary: fc.constantFrom("12.50", "0", "2999") }, numberTexts);
const instant: Text = fc.oneof(
  fc.constantFrom(
    '"2026-03-01T07:00:00Z"',
    '"2026-03-01T07:00:00+08:00"',
    '"2026-03-01 07:00"',
    '"+275760-09-13T00:00:01Z"',
  ),
  text,
);
const state: Text = fc.oneof(
  fc.constantFrom('"pending"', '"in_transit"', '"cancelled"', '"constructor"'),
  text,
);

/** What stands there as promised, mostly; else something else, null, or nothing. */
function usually(expected: Text): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 16, arbitrary: expected },
    { weight: 1, arbitrary: jsonTexts },
    { weight: 1, arbitrary: fc.constantFrom("null", undefined) },
  );
}

/** An object's text: these fields, and sometimes further ones. */
function objectOf(fields: Readonly<Record<string, Text>>): Text {
  const further = fc.array(
    fc.tuple(
      fc.oneof(text, fc.constantFrom('"__proto__"', '"constructor"', '"toJSON"', '"error"')),
      jsonTexts,
    ),
    {
      maxLength: 2,
    },
  );
  return fc.tuple(fc.record(mapValues(fields, usually)), further).map(([known, others]) => {
    const members = Object.entries(known).flatMap(([name, value]) =>
      value === undefined ? [] : [`"${name}":${value}`],
    );
    return `{${[...members, ...others.map(([name, value]) => `${name}:${value}`)].join(",")}}`;
  });
}

function mapValues<A, B>(of: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]));
}

function arrayOf(element: Text): Text {
  return fc.array(element, { maxLength: 4 }).map((elements) => `[${elements.join(",")}]`);
}

const party = objectOf({ name: text, city: text, phone: text, address: text });
const item = objectOf({ name: text, description: text, weight: decimal, value: decimal, quantity: count });
const order = objectOf({
  id: count,
  order_no: text,
  tracking_number: text,
  status: state,
  payment_status: text,
  service_type: text,
  estimated_fee: decimal,
  actual_fee: decimal,
  item_name: text,
  created_at: instant,
  updated_at: instant,
  sender: party,
  receiver: party,
  item,
});
const profile = objectOf({
  id: count,
  name: text,
  email: text,
  balance: decimal,
  api_calls_remaining: count,
});
const tracking = objectOf({
  tracking_number: text,
  status: state,
  current_location: text,
  estimated_delivery: instant,
  records: arrayOf(objectOf({ location: text, description: text, occurred_at: instant })),
});
const pagination = objectOf({ current_page: small, total_pages: small, total_items: small, per_page: small });

/** What each command asks for. */
const datas = { profile, order, page: arrayOf(order), tracking } as const;
export type Wanted = keyof typeof datas;

function successOf(wanted: Wanted): Text {
  return objectOf({ success: fc.constant("true"), data: datas[wanted], message: text, pagination });
}

const failure: Text = objectOf({
  success: fc.constant("false"),
  error: objectOf({
    code: fc.oneof(fc.constant('"INVALID_PARAMETER"'), text),
    message: text,
    details: objectOf({
      field: fc.oneof(fc.constantFrom('"sender.phone"', '"item.weight"'), text),
      value: text,
    }),
  }),
});

type Mutation = (body: string) => string;

const place = fc.double({ min: 0, max: 1, noNaN: true });
const at = (body: string, share: number) => Math.floor(share * body.length);
const junk = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    '"',
    ",",
    ":",
    "\\",
    "\\u",
    "\\ud800",
    "\u0000",
    "\ufeff",
    "//",
    "NaN",
    "1e999",
    "'",
  ),
  fc.constantFrom(1, 400, 600, 20_000).map((depth) => "[".repeat(depth)),
);

const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  place.map(
    (share): Mutation =>
      (body) =>
        body.slice(0, at(body, share)),
  ),
  fc.tuple(place, junk).map(
    ([share, more]): Mutation =>
      (body) =>
        body.slice(0, at(body, share)) + more + body.slice(at(body, share)),
  ),
  fc.tuple(place, place).map(
    ([from, to]): Mutation =>
      (body) =>
        body.slice(0, at(body, from)) + body.slice(at(body, Math.max(from, to))),
  ),
  fc.tuple(place, place).map(
    ([from, to]): Mutation =>
      (body) =>
        body + body.slice(at(body, Math.min(from, to)), at(body, to)),
  ),
  fc.tuple(place, fc.nat(0xffff)).map(
    ([share, unit]): Mutation =>
      (body) =>
        body.slice(0, at(body, share)) + String.fromCharCode(unit) + body.slice(at(body, share) + 1),
  ),
  fc.constantFrom<Mutation>(
    (body) => body.replace("true", "false"),
    (body) => body.replace("true", '"true"'),
    (body) => `${body}${body}`,
    (body) => `\ufeff${body}`,
    (body) => `callback(${body})`,
    (body) => body.replaceAll('"', "'"),
    () => "",
    () => "<html><title>Sign in</title></html>",
  ),
);

const bodyFor = (wanted: Wanted): Text =>
  fc.oneof(
    { weight: 6, arbitrary: successOf(wanted) },
    { weight: 2, arbitrary: failure },
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.oneof(successOf(wanted), failure), fc.array(mutations, { minLength: 1, maxLength: 3 }))
        .map(([body, changes]) => changes.reduce((changed, change) => change(changed), body)),
    },
    { weight: 1, arbitrary: jsonTexts },
    { weight: 1, arbitrary: terminalTexts },
  );

const status = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(200, 200, 201, 204) },
  fc.constantFrom(301, 302, 304, 307, 400, 401, 403, 404, 407, 408, 409, 422, 429, 500, 502, 503, 504),
  fc.integer({ min: 200, max: 999 }),
);

const headerText = fc.oneof(
  terminalTexts,
  fc.constantFrom(
    "application/json",
    "text/html; charset=gbk",
    "0",
    "5",
    "86400",
    "1e9",
    "-1",
    `${"9".repeat(400)}`,
  ),
  fc.constantFrom(
    "Sun, 01 Mar 2026 08:00:05 GMT",
    "Sun, 99 Foo 2026 99:99:99 GMT",
    "https://elsewhere.test/\u001b[2J",
  ),
);
const headers = fc
  .dictionary(
    fc.constantFrom(
      "content-type",
      "retry-after",
      "date",
      "location",
      "content-encoding",
      "content-length",
      "x-request-id",
    ),
    headerText,
    { maxKeys: 4 },
  )
  .map((fields) => ({ ...fields }));

/** Whole and broken answers to a command that wants this. */
export function answersTo(wanted: Wanted): fc.Arbitrary<Answer> {
  const cut = fc.option(fc.constantFrom("dropped", "too_large", "stalled", "undecodable"), {
    freq: 25,
    nil: undefined,
  });
  return fc
    .record({ status, headers, body: bodyFor(wanted), cut: cut as fc.Arbitrary<Answer["cut"]> })
    .map(({ cut: why, ...answer }) => ({
      ...answer,
      bytes: Buffer.from(answer.body),
      ...(why === undefined ? {} : { cut: why }),
    }));
}

/** The bytes of an answer as they go over the wire, broken at any place. */
export function wireAnswersTo(wanted: Wanted): fc.Arbitrary<Buffer> {
  const framing = fc.constantFrom("length", "chunked", "close", "wrong length", "1.0");
  const damage = fc.array(fc.tuple(place, fc.option(fc.nat(255), { nil: undefined })), { maxLength: 3 });
  return fc.tuple(answersTo(wanted), framing, damage).map(([answer, frame, broken]) => {
    const body = Buffer.from(answer.body);
    const fields = Object.entries(answer.headers)
      .filter(([name]) => name !== "content-length")
      .map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/g, " ")}`);
    const length = frame === "length" ? body.length : frame === "wrong length" ? body.length + 5 : undefined;
    if (length !== undefined) fields.push(`content-length: ${length}`);
    if (frame === "chunked") fields.push("transfer-encoding: chunked");
    const head = `HTTP/${frame === "1.0" ? "1.0" : "1.1"} ${answer.status} x\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`;
    const framed =
      frame === "chunked"
        ? Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n0\r\n\r\n")])
        : body;
    let bytes = Buffer.concat([Buffer.from(head), framed]);
    for (const [share, byte] of broken) {
      const index = Math.floor(share * bytes.length);
      if (byte === undefined) bytes = bytes.subarray(0, index);
      else if (index < bytes.length) bytes[index] = byte;
    }
    return bytes;
  });
}
