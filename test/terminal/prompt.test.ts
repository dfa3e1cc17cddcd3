/** Questions at the moment in which a run is interrupted. */

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
