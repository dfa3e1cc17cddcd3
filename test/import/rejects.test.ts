/** The tests of files of rejects that several imports give one name: whatever the order, each is kept. */

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { createRejects } from "../../src/import/rejects.ts";
import type { SourceFacts } from "../../src/sheets/source.ts";

const many = 12;

test("of many that end at once, none overwrites another", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-rejects-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = path.join(directory, "rejects.ndjson");
  const facts = { form: "ndjson", delimiter: ",", needsMark: false } as SourceFacts;
  const csvRecord = () => "";
  const processes = { pid: process.pid, isAlive: () => true };
  const writers = await Promise.all(
    Array.from({ length: many }, () =>
      createRejects({ path: file, facts, header: [], csvRecord, clock: systemClock(), processes }),
    ),
  );
  await Promise.all(writers.map((writer, index) => writer.add({ value: { ref: `R-${index}` } }, "refused")));
  await Promise.all(writers.map((writer) => writer.finish()));
  expect(writers.map(({ failure }) => failure)).toEqual(writers.map(() => undefined));
  const names = await readdir(directory);
  const texts = await Promise.all(names.map((name) => readFile(path.join(directory, name), "utf8")));
  expect(texts.map((text) => (JSON.parse(text) as { ref: string }).ref).sort()).toEqual(
    Array.from({ length: many }, (_, index) => `R-${index}`).sort(),
  );
  expect(names.filter((name) => name !== "rejects.ndjson").every((name) => /\.old\d*$/.test(name))).toBe(
    true,
  );
});
