/** The tests of the tolerant reader: what the shapes of the interface accept, and how a mismatch is told. */

import { describe, expect, test } from "vitest";
import { draftSchema } from "../../src/model/draft.ts";
import { orderPaths } from "../../src/model/fields.ts";
import {
  createdOrderSchema,
  orderDetailSchema,
  orderPageSchema,
  orderSummarySchema,
  paginationSchema,
  profileSchema,
  serviceErrorSchema,
  trackingSchema,
} from "../../src/model/interface.ts";
import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from "../../src/model/json.ts";
import { type Checked, check, fieldNames, type Schema } from "../../src/model/schema.ts";
import { isCancellable, stateFacts, stateNames, wayStates } from "../../src/model/states.ts";
import { fc } from "../support/effort.ts";
import { jsonTexts } from "./arbitraries.ts";

const party = '{"name":"n","phone":"1","address":"a"}';
const samples = {
  profile: [
    profileSchema,
    '{"id":12345678901234567890,"name":"n","email":"e","balance":12.50,"api_calls_remaining":7}',
  ],
  created: [
    createdOrderSchema,
    '{"id":1,"order_no":"o","tracking_number":"t","status":"pending","estimated_fee":1.20,"created_at":"c"}',
  ],
  summary: [
    orderSummarySchema,
    '{"id":1,"order_no":"o","tracking_number":"t","status":"s","payment_status":"paid","actual_fee":0,"item_name":"i","created_at":"c","sender":{"name":"n","city":"c"},"receiver":{"name":"n","city":"c"}}',
  ],
  detail: [
    orderDetailSchema,
    `{"id":1,"order_no":"o","tracking_number":"t","status":"s","payment_status":"p","service_type":"x","estimated_fee":1,"actual_fee":2,"created_at":"c","updated_at":"u","sender":${party},"receiver":${party},"item":{"name":"n","description":"d","weight":1.50,"value":2,"quantity":3}}`,
  ],
  tracking: [
    trackingSchema,
    '{"tracking_number":"t","status":"s","current_location":"l","estimated_delivery":"e","records":[{"location":"l","description":"d","occurred_at":"o"}]}',
  ],
  pagination: [paginationSchema, '{"current_page":1,"total_pages":2,"total_items":3,"per_page":4}'],
} as const;

/** Fields without which nothing can be done. */
const needed: Readonly<Record<string, string>> = {
  created: "id",
  summary: "id",
  detail: "id",
  tracking: "tracking_number",
};

function checkText(schema: unknown, text: string): Checked<unknown> {
  return check(schema as Schema<unknown>, parseJson(text));
}

function mismatchesOf(schema: unknown, text: string) {
  const checked = checkText(schema, text);
  return "value" in checked ? [] : checked.mismatches;
}

describe.each(Object.entries(samples))("%s", (name, [schema, text]) => {
  const sample = parseJson(text) as JsonObject;

  test("is accepted with the specification's fields, and is given back as the very same object", () => {
    const checked = check(schema as Schema<unknown>, sample);
    expect("value" in checked && checked.value).toBe(sample);
    expect(stringifyJson(sample)).toBe(text);
    expect(Object.keys(sample).sort()).toEqual([...fieldNames(schema)].sort());
  });

  test("keeps every field that it does not name, at every level", () => {
    fc.assert(
      fc.property(jsonTexts, (extra) => {
        const widened = text.replaceAll("{", () => `{"unknown":${extra},`);
        const value = parseJson(widened);
        const checked = check(schema as Schema<unknown>, value);
        expect("value" in checked && checked.value).toBe(value);
        expect(stringifyJson(value)).toBe(stringifyJson(parseJson(widened)));
      }),
      { numRuns: 50 },
    );
  });

  test("any optional field may be missing or null", () => {
    for (const field of Object.keys(sample)) {
      const { [field]: _left, ...without } = sample;
      const isNeeded = needed[name] === field;
      for (const value of [without, { ...sample, [field]: null }]) {
        expect("value" in check(schema as Schema<unknown>, value), field).toBe(!isNeeded);
      }
    }
  });

  test("a field of the wrong type is named with its path, and nothing else is", () => {
    for (const [field, value] of Object.entries(sample)) {
      const wrong: Json = typeof value === "string" ? parseJson("1") : "text";
      const checked = check(schema as Schema<unknown>, { ...sample, [field]: wrong });
      expect(checked).toEqual({
        mismatches: [expect.objectContaining({ path: field, received: expect.stringMatching(/^a /) })],
      });
    }
  });
});

describe("mismatches", () => {
  test.each([
    [orderDetailSchema, '{"id":1,"sender":{"phone":1}}', "sender.phone", "string", "a number"],
    [orderDetailSchema, '{"id":1,"item":{"quantity":1.5}}', "item.quantity", "integer", "1.5"],
    [orderDetailSchema, '{"id":1,"item":[]}', "item", "object", "an array"],
    [orderDetailSchema, '{"id":"1"}', "id", "integer", "a string"],
    [orderDetailSchema, '{"id":1e3}', "id", "integer", "1e3"],
    [orderDetailSchema, "{}", "id", "integer", "nothing"],
    [orderDetailSchema, "null", "", "object", "null"],
    [orderPageSchema, '[{"id":1},{"id":null}]', "[1].id", "integer", "null"],
    [orderPageSchema, '{"id":1}', "", "array", "an object"],
    [
      trackingSchema,
      '{"tracking_number":"T1","records":[{},{"occurred_at":1}]}',
      "records[1].occurred_at",
      "string",
      "a number",
    ],
    [draftSchema(), '{"item":{"weight":"2"}}', "item.weight", "number", "a string"],
    [draftSchema(), '{"sender":null}', "sender", "object", "null"],
    [draftSchema(), '{"service_type":5}', "service_type", "string", "a number"],
  ])("%#: %s", (schema, text, path, expected, received) => {
    expect(mismatchesOf(schema, text)).toEqual([{ path, expected, received }]);
  });

  test("a plain JavaScript number is not taken for a number of the service", () => {
    expect(check(paginationSchema as Schema<unknown>, { total_pages: 1 })).toHaveProperty("mismatches");
  });
});

describe("open sets", () => {
  test("states, payment states and service types outside the specification are accepted", () => {
    fc.assert(
      fc.property(fc.string(), (word) => {
        const text = `{"id":1,"status":${JSON.stringify(word)},"payment_status":${JSON.stringify(word)},"service_type":${JSON.stringify(word)}}`;
        expect(mismatchesOf(orderDetailSchema, text)).toEqual([]);
      }),
    );
  });

  test("details of an error may be anything", () => {
    fc.assert(
      fc.property(jsonTexts, (details) => {
        expect(mismatchesOf(serviceErrorSchema, `{"code":"X","details":${details}}`)).toEqual([]);
      }),
    );
  });
});

describe("drafts", () => {
  test("no sub-field is required", () => {
    for (const text of ["{}", '{"sender":{}}', '{"item":{"weight":0.10}}', '{"service_type":"by_drone"}']) {
      expect(mismatchesOf(draftSchema(), text)).toEqual([]);
    }
  });

  test("unknown keys are named with their paths", () => {
    const paths = mismatchesOf(
      draftSchema(),
      '{"reciever":{},"sender":{"nmae":"x","phone":"1","zip":2},"item":{"colour":1},"__proto__":1}',
    ).map(({ path, expected }) => `${path}: ${expected}`);
    expect(paths.sort()).toEqual([
      "__proto__: no such key",
      "item.colour: no such key",
      "reciever: no such key",
      "sender.nmae: no such key",
      "sender.zip: no such key",
    ]);
  });

  test("every path that an order file may hold is accepted", () => {
    for (const path of orderPaths) {
      const [outer = "", inner] = path.split(".");
      const isNumber = ["weight", "value", "quantity"].includes(inner ?? "");
      const leaf = isNumber ? "1" : '"text"';
      const isGroup = inner === undefined && outer !== "service_type";
      const text = inner ? `{"${outer}":{"${inner}":${leaf}}}` : `{"${outer}":${isGroup ? "{}" : leaf}}`;
      expect(mismatchesOf(draftSchema(), text), path).toEqual([]);
      expect(isJsonObject(parseJson(text))).toBe(true);
    }
  });
});

describe("states", () => {
  test("pending and paid orders can be cancelled, no others (4.5)", () => {
    expect(stateNames.filter(isCancellable)).toEqual(["pending", "paid"]);
    expect(wayStates).toEqual(stateNames.slice(0, -1));
  });

  test.each(["refunded", "__proto__", "constructor", "", null, undefined])("%s is none of them", (state) => {
    expect(stateFacts(state)).toBeUndefined();
    expect(isCancellable(state)).toBe(false);
  });
});
