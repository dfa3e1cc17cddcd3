/** A draft of an output file when the process ends in the middle, as by a second Ctrl-C. */

import { readdirSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { type OutputRun, openOutputFile } from "../../src/cli/output-file.ts";
import { systemClock } from "../../src/core/clock.ts";
import { createDirectory } from "../ledger/opened.ts";

async function openOutput(keep?: OutputRun["keep"]) {
  const directory = await createDirectory();
  const file = path.join(directory, "out.csv");
  const atExit = new Set<() => void>();
  const output = await openOutputFile(file, {
    clock: systemClock(),
    signal: new AbortController().signal,
    note: () => {},
    warn: () => {},
    processes: { pid: process.pid, isAlive: () => true },
    stateDirectory: directory,
    keep,
    onExit(listener) {
      atExit.add(listener);
      return () => atExit.delete(listener);
    },
  });
  await output.write("a,b\n");
  const drafts = () => readdirSync(directory).filter((name) => name.includes(".part-"));
  expect(drafts()).toHaveLength(1);
  return { file, output, atExit, drafts };
}

test("it is removed", async () => {
  const { atExit, drafts, output } = await openOutput();
  for (const listener of atExit) listener();
  expect(drafts()).toEqual([]);
  await output.abandon();
});

test.each(["finish", "abandon"] as const)("nothing is removed any more after %s", async (end) => {
  const { file, output, atExit, drafts } = await openOutput();
  await output[end]();
  expect([atExit.size, drafts()]).toEqual([0, []]);
  if (end === "finish") expect(await readFile(file, "utf8")).toBe("a,b\n");
});

test("the file that is there is kept last, and stays where that fails: no draft is left", async () => {
  const lengths: number[] = [];
  const { file, output, atExit, drafts } = await openOutput(async () => {
    for (const name of drafts()) lengths.push(statSync(path.join(path.dirname(file), name)).size);
    throw new Error("was changed");
  });
  await writeFile(file, "old\n");
  await expect(output.finish()).rejects.toThrow("was changed");
  expect([lengths, atExit.size, drafts(), await readFile(file, "utf8")]).toEqual([[4], 0, [], "old\n"]);
});
