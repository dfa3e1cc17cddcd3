/** JSON rows: the same elements as a JSON parser finds, however the text is cut into pieces. */

import { describe, expect, test } from "vitest";
import { stringifyJson } from "../../src/model/json.ts";
import { readElements, readObjects } from "../../src/sheets/json-rows.ts";
import { fc } from "../support/effort.ts";
import { collect, pieces } from "./input-text.ts";

const cutsOf = fc.array(fc.nat(500), { maxLength: 8 });
const plain = (rows: { value: unknown }[]) =>
  rows.map(({ value }) => JSON.parse(stringifyJson(value as never)));

describe("the elements of an array", () => {
  test("are those that JSON.parse finds", async () => {
    const layout = fc.constantFrom(undefined, 1, "\t", "\r\n  ");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 4 })),
        layout,
        cutsOf,
        async (value, space, cuts) => {
          const text = JSON.stringify(value, null, space as string);
          expect(plain(await collect(readElements(pieces(text, cuts), "a.json")))).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("of a broken text are refused wherever JSON.parse refuses", async () => {
    const broken = fc
      .string({ unit: fc.constantFrom(...'[]{},:"\\ \n1atrue'), maxLength: 12 })
      .map((text) => `[${text}`);
    await fc.assert(
      fc.asyncProperty(broken, cutsOf, async (text, cuts) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          await expect(collect(readElements(pieces(text, cuts), "a.json"))).rejects.toMatchObject({
            exit: 2,
          });
          return;
        }
        const rows = collect(readElements(pieces(text, cuts), "a.json"));
        // Of two equal keys a file written by hand means one: neither is taken.
        expect(
          await rows.then(plain, (error) => (/duplicate/i.test(error.message) ? expected : error)),
        ).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test("a character that is cut in two is whole again", async () => {
    expect(plain(await collect(readElements(pieces('["😀"]', [3]), "a.json")))).toEqual(["😀"]);
  });

  test("blanks before and after do no harm", async () => {
    expect(plain(await collect(readElements(pieces(" \r\n[ ]\n "), "a.json")))).toEqual([]);
  });

  test("numbers keep all their digits", async () => {
    const [row] = await collect(
      readElements(pieces('[{"item":{"value":12345678901234567890.10}}]'), "a.json"),
    );
    expect(stringifyJson(row?.value as never)).toContain("12345678901234567890.10");
  });

  test("know the line that they begin on", async () => {
    const rows = await collect(readElements(pieces('[\n  {"a":\n1},\n\n  2, 3\n]'), "a.json"));
    expect(rows.map(({ line }) => line)).toEqual([2, 5, 5]);
  });

  test.each([
    ["[1,]", "a.json, line 1: not valid JSON: an element is missing"],
    ["[\n,1]", "a.json, line 2: not valid JSON: an element is missing"],
    ["[1\n", "a.json, line 2: not valid JSON: the array does not end"],
    ["[1]\nx", "a.json, line 2: not valid JSON: there is something after the array"],
    ["[1 2]", "a.json, line 1: not valid JSON: a comma is missing"],
    ['[\n"a\nb"]', "a.json, line 2: not valid JSON: a text in quotes does not end"],
    ['[\n{"a": 1,\n', "a.json, line 2: not valid JSON: the element that begins here does not end"],
    ["[1}", "a.json, line 1: not valid JSON: a bracket is closed that was not opened"],
    ["", "a.json, line 1: not valid JSON: the array does not end"],
  ])("%j is refused", async (text, message) => {
    await expect(collect(readElements(pieces(text), "a.json"))).rejects.toThrow(message);
  });
});

test.each([
  ["object", readObjects, '{"a": "'],
  ["object", readObjects, '{"a": [{'],
  ["element", readElements, '[1, {"a": "'],
  ["element", readElements, '[1, "'],
  ["element", readElements, "[1, 1"],
])("an %s without an end is not held: it is left long before the file ends", async (kind, readAll, start) => {
  const filler = "1".repeat(100_000);
  let read = 0;
  async function* endless() {
    yield start;
    for (; read < 1_000; read++) yield filler;
  }
  await expect(collect(readAll(endless(), "a.json"))).rejects.toThrow(
    `a.json, line 1: the ${kind} that begins here has more than 1,000,000 characters`,
  );
  expect(read).toBeLessThan(20);
});

test("blanks are no part of an element, however many", async () => {
  const blanks = Array.from({ length: 30 }, () => " ".repeat(100_000));
  async function* text() {
    yield* ["[1", ...blanks, ", {}", ...blanks, "]", ...blanks];
  }
  expect(plain(await collect(readElements(text(), "a.json")))).toEqual([1, {}]);
});

describe("the lines of NDJSON", () => {
  test("are one row each, however they are cut and ended", async () => {
    const values = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })));
    await fc.assert(
      fc.asyncProperty(values, cutsOf, fc.constantFrom("\n", "\r\n", "\n\n"), async (rows, cuts, end) => {
        const text = rows.map((row) => JSON.stringify(row)).join(end);
        const found = await collect(readObjects(pieces(text, cuts), "a.ndjson"));
        expect(plain(found)).toEqual(rows.map((row) => JSON.parse(JSON.stringify(row))));
        expect(found.map(({ line }) => line)).toEqual(
          rows.map((_, index) => 1 + index * (end === "\n\n" ? 2 : 1)),
        );
      }),
      { numRuns: 200 },
    );
  });

  test("a line that is no JSON is named", async () => {
    await expect(collect(readObjects(pieces('{"a":1}\n\n{"a":\n'), "a.ndjson"))).rejects.toThrow(
      /^a\.ndjson, line 3: not valid JSON: /,
    );
  });
});

describe("objects one after the other", () => {
  const layout = fc.constantFrom(undefined, 1, "\t", "\r\n  ");
  const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), { minLength: 1 });

  test("are found however they are laid out: one a line, or over many lines", async () => {
    await fc.assert(
      fc.asyncProperty(objects, layout, cutsOf, async (values, space, cuts) => {
        const text = values.map((value) => JSON.stringify(value, null, space as string)).join("\n");
        const rows = plain(await collect(readObjects(pieces(text, cuts), "a.json")));
        expect(rows).toEqual(JSON.parse(JSON.stringify(values)));
      }),
      { numRuns: 300 },
    );
  });

  test("one object over several lines is one row, and its line is that of its beginning", async () => {
    const rows = await collect(readObjects(pieces('\n{\n  "a": "}",\n  "b": {}\n}\n{ "c":\n1}'), "a.json"));
    expect(rows.map(({ line }) => line)).toEqual([2, 6]);
  });

  test.each([
    ['{\n"a": 1', "a.json, line 1: not valid JSON: the object that begins here does not end"],
    ['{\n"a": 1\n},\n{}', "a.json, line 3: not valid JSON: an object should begin here"],
    ['{"a": 1}\n{"a": }\n', "a.json, line 2: not valid JSON"],
    ['{"a": }\n{"a": 1}\n', "a.json, line 1: not valid JSON"],
    ['{"a": 1}\n{"a": "1}\n{"a": 1}\n', "a.json, line 2: not valid JSON: a text in quotes does not end"],
    ['{"a": 1}\n{"a": 1\n{"a": 1}\n', "a.json, line 2: not valid JSON: the object that begins here"],
  ])("%j is refused, and where", async (text, message) => {
    await expect(collect(readObjects(pieces(text), "a.json"))).rejects.toThrow(message);
  });
});
