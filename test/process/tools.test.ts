/** A tool that a test needs: missing, it skips the test, except in CI; broken, it fails at once. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isMissing } from "../support/tools.ts";

const name = "courier-test-tool";

async function machineWith(script?: string) {
  const searchPath = await mkdtemp(path.join(tmpdir(), "courier-tools-"));
  onTestFinished(() => rm(searchPath, { recursive: true, force: true }));
  if (script !== undefined)
    await writeFile(path.join(searchPath, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { searchPath, isCi: false, limitMs: 500 };
}

test("one that is missing is told, and fails in CI", async () => {
  const machine = await machineWith();
  expect(isMissing(name, machine)).toBe(true);
  expect(() => isMissing(name, { ...machine, isCi: true })).toThrow(
    "courier-test-tool is not installed, and CI skips no test",
  );
});

describe.skipIf(process.platform === "win32")("one that is there", () => {
  test.each([
    ["says its version", "exit 0"],
    ["knows no such flag", "exit 64"],
  ])("and %s is used", async (_what, script) => {
    expect(isMissing(name, await machineWith(script))).toBe(false);
  });

  test.each([
    ["cannot run", "exit 127", "is there and does not run (exit 127)"],
    ["hangs", "while :; do :; done", "does not end"],
  ])("and %s fails at once", async (_what, script, message) => {
    const machine = await machineWith(script);
    expect(() => isMissing(name, machine)).toThrow(message);
  });
});
