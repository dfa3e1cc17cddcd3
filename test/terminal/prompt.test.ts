/** Questions at the moment in which a run is interrupted, and answers that are typed at once. */

import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Prompts } from "../../src/core/prompts.ts";
import { createPrompts } from "../../src/terminal/prompt.ts";
import { Capture } from "../support/streams.ts";

const noJob = { stop: () => {}, onContinue: () => () => {} };

test.each<[string, (prompts: Prompts) => Promise<unknown>]>([
  ["a text", (prompts) => prompts.text("Name")],
  ["a secret", (prompts) => prompts.secret("Key")],
  ["yes or no", (prompts) => prompts.confirm("Send it?")],
  ["a choice", (prompts) => prompts.choose("What now?", [{ value: 1, label: "Send" }])],
  ["a search", (prompts) => prompts.search("Which?", () => [{ value: 1, label: "Shop" }])],
])(
  "%s that comes after the interruption is not asked, and leaves nothing that waits for a key",
  async (_kind, ask) => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new Capture(80);
    const reason = new Error("interrupted");
    const prompts = createPrompts({ input, output, signal: AbortSignal.abort(reason), job: noJob });
    await expect(ask(prompts)).rejects.toBe(reason);
    expect(input.isPaused() || input.readableFlowing === null).toBe(true);
    expect(input.listenerCount("data")).toBe(0);
    expect(output.text).toBe("");
  },
);

function atTerminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = new Capture(80);
  const signal = new AbortController().signal;
  return { input, output, prompts: createPrompts({ input, output, signal, job: noJob }) };
}

const places = ["Shop", "Li", "Wang"].map((label) => ({ value: label, label }));
const find = (term: string) => places.filter(({ label }) => label.toLowerCase().includes(term));

test.each([
  ["Enter alone", "\r", "Shop"],
  ["a text and Enter", "wan\r", "Wang"],
  ["a text, mended, and Enter", "wax\u007fng\r", "Wang"],
  ["an arrow and Enter", "\u001b[B\r", "Li"],
])("%s in one piece answers a search as slow typing does", async (_what, keys, chosen) => {
  const { input, prompts } = atTerminal();
  const answer = prompts.search("Which?", find);
  input.write(keys);
  expect(await answer).toBe(chosen);
});

test("lines that come in one piece answer one text after the other", async () => {
  const { input, prompts } = atTerminal();
  input.write("Ann\r139\rli\r");
  expect([await prompts.text("Name"), await prompts.text("Phone")]).toEqual(["Ann", "139"]);
  expect(await prompts.search("Which?", find)).toBe("Li");
});

test("but no choice and no yes or no, which must have been seen", async () => {
  const { input, output, prompts } = atTerminal();
  input.write("Ann\ry\r\r");
  expect(await prompts.text("Name")).toBe("Ann");
  const answer = prompts.confirm("Send it?");
  while (!output.text.includes("Send it?")) await new Promise(setImmediate);
  input.write("\r");
  expect(await answer).toBe(false);
});

test("one letter on each line answers one text after the other", async () => {
  const { input, prompts } = atTerminal();
  input.write("甲\r乙\r\r1\r");
  for (const letter of ["甲", "乙", "", "1"]) expect(await prompts.text("Name")).toBe(letter);
});

test("what is typed before a line with an old answer is drawn goes behind that answer", async () => {
  const { input, prompts } = atTerminal();
  input.write("Ann\r-B2\r");
  expect(await prompts.text("Name")).toBe("Ann");
  expect(await prompts.text("Street", { initial: "Road 1" })).toBe("Road 1-B2");
});

test("no key shows a secret", async () => {
  const { input, output, prompts } = atTerminal();
  const answer = prompts.secret("Key");
  input.write("hidden-\u0014key\u0014\r");
  expect(await answer).toBe("hidden-key");
  expect(output.text).toContain("Key");
  expect(output.text).not.toMatch(/hidden|ctrl\+t/);
});
