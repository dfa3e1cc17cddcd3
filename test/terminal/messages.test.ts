/** The tests of what goes to stderr: redacted, sanitised, silenced when asked to, JSON for scripts. */

import { describe, expect, test } from "vitest";
import { CourierError } from "../../src/core/errors.ts";
import { createRedactor } from "../../src/core/redact.ts";
import { parseJson } from "../../src/model/json.ts";
import { createMessages, type MessageOptions } from "../../src/terminal/messages.ts";
import { plainPaint } from "../../src/terminal/style.ts";
import { Capture } from "../support/streams.ts";

const key = 'sk_live_"quoted"\\key';

function createTestMessages(options: Partial<Omit<MessageOptions, "stream">> = {}, columns?: number) {
  const stream = new Capture(columns);
  const messages = createMessages({
    stream,
    quiet: false,
    debug: false,
    colour: async () => (style, text) => `<${style}>${text}</${style}>`,
    beforeWrite: () => {},
    ...options,
  });
  return { messages, stream };
}

const failure = new CourierError("refused", 1, "the service refused: bad phone", {
  hint: "mend it",
  status: 422,
  serviceCode: "INVALID_PARAMETER",
  details: parseJson('{"field":"sender.phone","value":12.50}'),
});

describe("by kind", () => {
  test("notes and warnings", () => {
    const { messages, stream } = createTestMessages();
    messages.note("a note");
    messages.warn("a warning");
    messages.trace("not without --debug");
    expect(stream.text).toBe("a note\nwarning: a warning\n");
  });

  test("--quiet silences all but errors; --debug shows the trace", async () => {
    const quiet = createTestMessages({ quiet: true });
    quiet.messages.note("a");
    quiet.messages.warn("b");
    await quiet.messages.error(failure, "human");
    expect(quiet.stream.text).toBe("error: the service refused: bad phone\nhint: mend it\n");
    const debug = createTestMessages({ debug: true });
    debug.messages.trace("> GET /");
    expect(debug.stream.text).toBe("debug: > GET /\n");
  });

  test("colour at a terminal only", async () => {
    const { messages, stream } = createTestMessages({}, 80);
    await messages.error(failure, "human");
    expect(stream.text).toBe(
      "<bad>error:</bad> the service refused: bad phone\n<accent>hint:</accent> mend it\n",
    );
  });

  test("the stack and its causes with --debug", async () => {
    const { messages, stream } = createTestMessages({ debug: true, colour: async () => plainPaint });
    await messages.error(new CourierError("bug", 70, "outer", { cause: new Error("inner") }), "human");
    expect(stream.text).toMatch(/^error: outer\ndebug: CourierError: outer\n(debug: {5}at .*\n)+/);
    expect(stream.text).toMatch(/debug: caused by:\ndebug: Error: inner\n/);
  });
});

describe("errors as JSON", () => {
  test("one line with every fact, numbers as they came", async () => {
    const { messages, stream } = createTestMessages({ quiet: true }, 80);
    await messages.error(failure, "json");
    expect(stream.text).toBe(
      '{"error":{"code":"refused","message":"the service refused: bad phone","hint":"mend it","status":422,"service_code":"INVALID_PARAMETER","details":{"field":"sender.phone","value":12.50},"exit":1}}\n',
    );
  });

  test("facts that are not there are left out", async () => {
    const { messages, stream } = createTestMessages();
    await messages.error(new CourierError("usage", 2, "m"), "json");
    expect(JSON.parse(stream.text)).toEqual({ error: { code: "usage", message: "m", exit: 2 } });
  });

  test("stay one line of valid JSON whatever is in them, the key masked", async () => {
    for (const text of [`\\${key}`, `"${key}`, `\n${key}\u001b[2J`, `\\u0022${key}\u202e`, `${key}${key}`]) {
      const { messages, stream } = createTestMessages();
      messages.redactWith(createRedactor([key]));
      await messages.error(
        new CourierError("refused", 1, text, { details: { echo: [text] }, hint: text }),
        "json",
      );
      expect(stream.text.split("\n")).toHaveLength(2);
      const { error } = JSON.parse(stream.text);
      for (const told of [error.message, error.hint, error.details.echo[0]]) {
        expect(told).toBe(text.replaceAll(key, "[redacted]"));
      }
      expect(stream.text).not.toMatch(/[\u001b\u202e]/);
    }
  });
});

describe("everything said", () => {
  test("hides each key that came to light, and not the last alone", () => {
    const { messages, stream } = createTestMessages();
    for (const each of ["first-key", "second-key"]) messages.redactWith(createRedactor([each]));
    messages.note("first-key and second-key");
    expect(stream.text).toBe("[redacted] and [redacted]\n");
  });

  test("is sanitised and redacted, on one line each", async () => {
    const { messages, stream } = createTestMessages({ debug: true });
    messages.redactWith(createRedactor([key]));
    const basic = Buffer.from(`user:${key}`).toString("base64");
    const text = `\u001b[2J${key}\n${encodeURIComponent(key)} ${basic}`;
    messages.note(text);
    messages.warn(text);
    messages.trace(text);
    await messages.error(new CourierError("bug", 1, text, { hint: text, cause: new Error(text) }), "human");
    expect(stream.text).not.toContain("sk_live");
    expect(stream.text).not.toContain(basic.slice(8, -8));
    expect(stream.text).not.toContain("\u001b");
    for (const line of stream.text.trimEnd().split("\n")) {
      expect(line).toMatch(/^(\\u001b\[2J|warning: |debug: |error: |hint: )/);
    }
  });

  test("nothing is written once the stream has gone, and each line is announced before", async () => {
    let announced = 0;
    const { messages, stream } = createTestMessages({ beforeWrite: () => void announced++ });
    messages.note("a");
    stream.destroy();
    messages.note("b");
    await messages.error(failure, "human");
    expect(stream.text).toBe("a\n");
    expect(announced).toBeGreaterThan(0);
  });
});
