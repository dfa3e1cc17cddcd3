/** The tests of the way from blocks to text, by golden examples and by what must never come out. */

import { afterEach, describe, expect, test } from "vitest";
import { jsonNumber, parseJson } from "../../src/model/json.ts";
import {
  type Block,
  blank,
  fields,
  instant,
  line,
  otherFields,
  paragraph,
  show,
  state,
  styled,
  table,
} from "../../src/terminal/blocks.ts";
import { render, type View } from "../../src/terminal/render.ts";
import { type Paint, plainPaint } from "../../src/terminal/style.ts";
import { createPaint } from "../../src/terminal/theme.ts";
import { displayWidth } from "../../src/terminal/width.ts";
import { fc } from "../support/effort.ts";

const { TZ } = process.env;
afterEach(() => {
  process.env.TZ = TZ;
});

const nowMs = Date.UTC(2026, 2, 1, 12);
const pipe: View = { width: undefined, paint: plainPaint, nowMs };
const terminal = (width: number, paint: Paint = plainPaint): View => ({ width, paint, nowMs });
/** Shows where colour begins and ends. */
const marks: Paint = (style, text) => `<${style}>${text}</${style}>`;

async function lines(block: Block, view: View): Promise<string[]> {
  return (await render([block], view)).replace(/\n$/, "").split("\n");
}

describe("lines and fields", () => {
  const block = fields(["Order", styled("strong", jsonNumber("7"))], ["Receiver", "李四"], ["收件", "-"]);

  test("labels are aligned by display width", async () => {
    expect(await lines(block, pipe)).toEqual(["Order     7", "Receiver  李四", "收件      -"]);
  });

  test("colour goes around text, never into it", async () => {
    expect(await lines(block, terminal(80, marks))).toEqual([
      "<dim>Order   </dim>  <strong>7</strong>",
      "<dim>Receiver</dim>  李四",
      "<dim>收件    </dim>  -",
    ]);
  });

  test("a long value is wrapped beside its label at a terminal, and whole in a pipe", async () => {
    const long = fields(["Address", "广东省 深圳市 南山区 科技园路1号 A座 502"]);
    expect(await lines(long, pipe)).toHaveLength(1);
    const wrapped = await lines(long, terminal(30));
    expect(wrapped.length).toBeGreaterThan(1);
    for (const text of wrapped) expect(displayWidth(text)).toBeLessThanOrEqual(30);
    for (const text of wrapped.slice(1)) expect(text).toMatch(/^ {9}\S/);
  });

  test("a paragraph breaks at words at a terminal, and a line stays whole", async () => {
    const text = "You will review everything before it is sent.";
    expect(await lines(paragraph(text), terminal(30))).toEqual([
      "You will review everything",
      "before it is sent.",
    ]);
    expect(await lines(paragraph(text), pipe)).toEqual([text]);
    expect(await lines(line(text), terminal(30))).toEqual([text]);
  });

  test("in a pipe one text that is far too long fills up no other line", async () => {
    const long = "x".repeat(8_000_000);
    const labels = Array.from({ length: 100 }, (_, index) => [`f${index}`, "1"] as const);
    const entries = Array.from({ length: 100 }, () => ({ at: null, place: "a", text: "b" }));
    const texts = await Promise.all([
      render([fields([long, "1"], ...labels)], pipe),
      render([{ kind: "timeline", entries: [{ at: long, place: long, text: long }, ...entries] }], pipe),
    ]);
    for (const text of texts) expect(text).toContain(long);
    expect(texts.join("").length).toBeLessThan(33_000_000);
  });

  test("spans follow one another; a blank is an empty line", async () => {
    expect(await render([line("a ", styled("good", "b"), "c"), blank, line("d")], terminal(80, marks))).toBe(
      "a <good>b</good>c\n\nd\n",
    );
  });
});

describe("times", () => {
  test("in a pipe as the service sent them; at a terminal in this machine's zone, with the distance", async () => {
    process.env.TZ = "Asia/Shanghai";
    const block = line(instant("2026-03-01T09:00:00.123Z"));
    expect(await lines(block, pipe)).toEqual(["2026-03-01T09:00:00.123Z"]);
    expect(await lines(block, terminal(80))).toEqual(["2026-03-01 17:00 +08:00 (2 h ago)"]);
  });

  test.each(["2026-03-01T09:00:00", "2026-03-01", "tomorrow", "2026-02-30T00:00:00Z"])(
    "%s names no instant and is shown as it came",
    async (text) => {
      for (const view of [pipe, terminal(80)]) expect(await lines(line(instant(text)), view)).toEqual([text]);
    },
  );

  test("none is a dash", async () => {
    expect(await lines(line(instant(null), instant(undefined)), pipe)).toEqual(["--"]);
  });
});

describe("timelines", () => {
  const block: Block = {
    kind: "timeline",
    entries: [
      { at: "2026-03-01T09:00:00Z", place: "深圳", text: "Picked up" },
      { at: "2026-02-28T09:00:00Z", place: "Beijing", text: "Out for\ndelivery" },
      { at: null, place: "-", text: "-" },
    ],
  };

  test("in a pipe", async () => {
    expect(await lines(block, pipe)).toEqual([
      "* 2026-03-01T09:00:00Z  深圳     Picked up",
      "| 2026-02-28T09:00:00Z  Beijing  Out for\\ndelivery",
      "| -                     -        -",
    ]);
  });

  test("at a narrow terminal each record takes several lines, none too long", async () => {
    const narrow = await lines(block, terminal(40));
    expect(narrow[0]).toBe("* 2026-03-01 09:00 +00:00 (3 h ago)");
    for (const text of narrow) expect(displayWidth(text)).toBeLessThanOrEqual(40);
    expect(narrow.join(" ")).toContain("Picked up");
  });
});

describe("steps", () => {
  const steps = [
    "pending",
    "paid",
    "processing",
    "picked",
    "in_transit",
    "delivering",
    "delivered",
    "completed",
  ];
  const block = (current: string): Block => ({ kind: "steps", steps, current });

  test("the present one stands out; one that is not on the way marks none", async () => {
    expect(await lines(block("picked"), pipe)).toEqual([
      "pending > paid > processing > [picked] > in_transit > delivering > delivered > completed",
    ]);
    expect((await lines(block("lost"), pipe))[0]).not.toContain("[");
  });

  test("are wrapped within any terminal", async () => {
    for (const current of steps) {
      for (let width = 20; width <= 100; width += 7) {
        const wrapped = await lines(block(current), terminal(width));
        for (const text of wrapped) expect(displayWidth(text)).toBeLessThanOrEqual(width);
        expect(wrapped.join(" ").replace(/\s+/g, " ")).toContain(`[${current}]`);
      }
    }
  });
});

test("a signal to stop is heard while a long answer is laid out", async () => {
  const entries = Array.from({ length: 20_000 }, () => ({ at: null, place: "北京", text: "到达" }));
  const names = entries.map((_, index) => [`field ${index}`, "value"] as const);
  const pause = () => Promise.reject(new Error("stopped"));
  const rows = table(
    [{ path: "place", title: "PLACE", cell: (entry: (typeof entries)[number]) => entry.place }],
    Array.from({ length: 60_000 }, (_, index) => ({ at: null, place: `北京 ${index}`, text: "到达" })),
  );
  for (const block of [{ kind: "timeline", entries } as const, fields(...names), rows])
    await expect(render([block], { ...terminal(80), pause })).rejects.toThrow("stopped");
});

test("at a terminal only the beginning of long cells is laid out, and signals are let in between rows", async () => {
  const long = "\u00ad".repeat(18_000);
  const columns = ["a", "b", "c", "d"].map((path) => {
    return { path, title: path.toUpperCase(), flexible: true, cell: () => styled("strong", long) };
  });
  let longest = 0;
  const paint: Paint = (_, text) => {
    longest = Math.max(longest, text.length);
    return text;
  };
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  await render([table(columns, Array.from({ length: 100 }))], { ...terminal(100, paint), pause });
  expect(longest).toBeLessThan(10_000);
  expect(pauses).toBeGreaterThan(5);
});

test("a table, a timeline and fields may have any number of lines", async () => {
  const entries = Array.from({ length: 150_000 }, () => ({ at: null, place: "北京", text: "到达" }));
  const rows = table(
    [{ path: "place", title: "PLACE", cell: (entry: (typeof entries)[number]) => entry.place }],
    entries,
  );
  const [named = blank] = otherFields(Object.fromEntries(entries.map((_, index) => [`f${index}`, "x"])), []);
  for (const block of [{ kind: "timeline", entries } as const, rows, named])
    for (const view of [pipe, terminal(80)])
      expect((await lines(block, view)).length).toBeGreaterThanOrEqual(entries.length);
});

test("a table of rows by their columns", async () => {
  const columns = [
    { path: "id", title: "ID", cell: (row: { id: string; to?: string }) => row.id },
    { path: "to", title: "TO", cell: (row: { id: string; to?: string }) => show(row.to) },
  ];
  expect(await lines(table(columns, [{ id: "1", to: "李四" }, { id: "2" }]), pipe)).toEqual([
    "ID  TO",
    "1   李四",
    "2   -",
  ]);
});

test("JSON keeps every number, and is inert", async () => {
  const value = parseJson('{"n":12.50,"t":"\\u001b[2J\u202e"}');
  expect(await render([{ kind: "json", value }], pipe)).toBe(
    '{\n  "n": 12.50,\n  "t": "\\u001b[2J\\u202e"\n}\n',
  );
});

describe("values of the service", () => {
  test.each([
    ["null", "-"],
    ['""', "-"],
    ["12.50", "12.50"],
    ['"text"', "text"],
    ["true", "true"],
    ['{"a":[1.0]}', '{"a":[1.0]}'],
  ])("%s shows as %s", (text, expected) => {
    expect(show(parseJson(text))).toBe(expected);
  });

  test("states have a colour; any other word is a state as well", () => {
    expect(state("pending")).toEqual({ style: "warn", text: "pending" });
    expect(state("constructor")).toEqual({ style: "accent", text: "constructor" });
    expect(state(undefined)).toEqual({ style: "accent", text: "-" });
  });

  test("fields that the interface does not name are shown as they came", async () => {
    const value = parseJson('{"id":1,"vip":true,"extra":{"a":1.50}}') as never;
    expect(await render(otherFields(value, ["id"]), pipe)).toBe('vip    true\nextra  {"a":1.50}\n');
    expect(otherFields(parseJson('{"id":1}') as never, ["id"])).toEqual([]);
  });
});

describe("whatever the service says", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      "\u001b[2J",
      "\u009d0;x\u0007",
      "\u202eevil",
      "line\nbreak",
      "\r\u001b[A",
      "zero\u200bwidth",
    ),
  );

  test("no line holds a control, and no text adds a line of its own", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 6, maxLength: 6 }), async (texts) => {
        const [a = "", b = "", c = "", d = "", e = "", f = ""] = texts;
        const blocks: Block[] = [
          line(a, { style: "bad", text: b }, instant(c)),
          fields([d, e]),
          { kind: "timeline", entries: [{ at: a, place: b, text: c }] },
          { kind: "table", titles: [{ title: "T" }], rows: [[f]] },
        ];
        const text = await render(blocks, pipe);
        expect(text).not.toMatch(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/,
        );
        expect(text.split("\n")).toHaveLength(6);
      }),
      { numRuns: 300 },
    );
  });

  test("the only escapes at a coloured terminal are ours", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const painted = await render([line({ style: "bad", text })], terminal(80, createPaint()));
        expect(painted.replace(/^\u001b\[31m|\u001b\[39m\n$/g, "")).not.toContain("\u001b");
      }),
    );
  });
});
