/** Colour: at a terminal unless refused, never in a pipe unless forced. */

import { describe, expect, test } from "vitest";
import { createHome } from "../support/courier.ts";

const colourStart = "\u001b[";

async function profile(words: string, options: { terminal?: number; env?: Record<string, string> }) {
  const { courier } = await createHome();
  return courier(`--account sandbox profile ${words}`, options);
}

describe("the result is coloured", () => {
  test.each([
    ["at a terminal", 80, "", {}],
    ["at a terminal where NO_COLOR is empty", 80, "", { NO_COLOR: "" }],
    ["in a pipe with FORCE_COLOR=1", undefined, "", { FORCE_COLOR: "1" }],
    ["at a dumb terminal with FORCE_COLOR=1", 80, "", { FORCE_COLOR: "1", TERM: "dumb" }],
  ])("%s", async (_when, terminal, words, env) => {
    const { stdout } = await profile(words, { ...(terminal ? { terminal } : {}), env });
    expect(stdout).toContain(colourStart);
  });
});

describe("the result has no colour", () => {
  test.each([
    ["in a pipe", undefined, "", {}],
    ["with --no-color", 80, "--no-color", {}],
    ["with NO_COLOR=1", 80, "", { NO_COLOR: "1" }],
    ["with NO_COLOR=0, since any value counts", 80, "", { NO_COLOR: "0" }],
    ["with TERM=dumb", 80, "", { TERM: "dumb" }],
    ["in a pipe where FORCE_COLOR is empty", undefined, "", { FORCE_COLOR: "" }],
    ["with FORCE_COLOR=0", 80, "", { FORCE_COLOR: "0" }],
    ["with --no-color against FORCE_COLOR", undefined, "--no-color", { FORCE_COLOR: "1" }],
    ["with NO_COLOR against FORCE_COLOR", undefined, "", { NO_COLOR: "1", FORCE_COLOR: "1" }],
    ["as JSON at a terminal", 80, "--json", {}],
    ["as JSON with FORCE_COLOR", 80, "--json", { FORCE_COLOR: "1" }],
  ])("%s", async (_when, terminal, words, env) => {
    const { exit, stdout, stderr } = await profile(words, { ...(terminal ? { terminal } : {}), env });
    expect(exit).toBe(0);
    expect(stdout + stderr).not.toContain(colourStart);
  });
});

describe("errors", () => {
  test("are coloured at a terminal, on one line each", async () => {
    const { courier } = await createHome();
    const { stderr } = await courier("profile", { terminal: 80 });
    expect(stderr).toMatch(/^\u001b\[31merror:\u001b\[39m /);
  });

  test.each([
    ["--no-color profile", {}],
    ["profile --no-color", {}],
    ["profile --no-color --wrong", {}],
    ["profile", { NO_COLOR: "1" }],
    ["profile --wrong", { NO_COLOR: "1" }],
    ["profile", { TERM: "dumb" }],
    ["profile --json", {}],
  ])("have no colour: %s %j", async (words, env) => {
    const { courier } = await createHome();
    const { exit, stderr } = await courier(words, { terminal: 80, env });
    expect(exit).not.toBe(0);
    expect(stderr).not.toContain(colourStart);
  });
});
