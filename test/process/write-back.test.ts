/** A sheet that is written in place: whenever the process or the disk ends it, the sheet is the old one or the new one. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { effort, fc } from "../support/effort.ts";
import { row, sheet } from "../support/imports.ts";
import { createServedProcessHome, until } from "../support/process.ts";
import { canMount, mountDisk } from "../support/small-disk.ts";

const kills = effort(2, 60);

test(`after ${kills} kills at any time the sheet is whole, and the old one is not lost`, async () => {
  const { courier, start, directory } = await createServedProcessHome();
  const file = path.join(directory, "orders.csv");
  const rows = Array.from({ length: effort(1_000, 8_000) }, (_, index) => row(`B-${index}`));
  await writeFile(file, sheet(row("A-1")));
  expect(await courier(["orders", "import", file, "--yes"])).toMatchObject({ exit: 0 });
  const old = sheet(row("A-1"), ...rows);
  await writeFile(file, old);
  const done = path.join(directory, "done.csv");
  expect(await courier(["orders", "write-back", file, "-o", done])).toMatchObject({ exit: 0 });
  const written = await readFile(done, "utf8");
  const hasDraft = async () => (await readdir(directory)).some((name) => name.includes(".csv.part-"));
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 250 }), async (delayMs) => {
      await writeFile(file, old);
      const running = start(["orders", "write-back", file, "--in-place"]);
      await Promise.race([until("the draft is there", hasDraft), running.ended]);
      await new Promise((resume) => setTimeout(resume, delayMs));
      running.child.kill("SIGKILL");
      await running.ended;
      const now = await readFile(file, "utf8");
      expect([old, written]).toContain(now);
      seen.add(now === old ? "old" : "new");
      if (now !== old) expect(await readFile(`${file}.bak`, "utf8")).toBe(old);
    }),
    { numRuns: kills },
  );
  expect(seen.size).toBeGreaterThan(0);
});

describe.skipIf(!canMount())("a disk that is full (needs root)", () => {
  test("keeps the sheet as it was; the orders are made, and the error says how to get the sheet", async () => {
    const { sandbox, courier, directory } = await createServedProcessHome();
    const disk = await mountDisk("size=64k");
    const file = path.join(disk, "orders.csv");
    const rejects = path.join(directory, "rejects.csv");
    const old = sheet(...Array.from({ length: 40 }, (_, index) => row(`A-${index}`)));
    await writeFile(file, old);
    await writeFile(path.join(disk, "filler"), Buffer.alloc(65_536 - 8_192));
    const words = ["orders", "import", file, "--yes", "--json", "--in-place", "--rejects", rejects];
    const { exit, stdout, stderr } = await courier(words);
    expect(exit, stderr).toBe(5);
    expect(JSON.parse(stdout)).toHaveLength(40);
    const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
    expect(error.message).toMatch(/^the sheet was not written back: .*the disk is full$/);
    expect(error.hint).toContain(`courier orders write-back ${file} --in-place`);
    expect(await readFile(file, "utf8")).toBe(old);
    expect((await readdir(disk)).sort()).toEqual(["filler", "orders.csv"]);
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(40);
    const done = path.join(directory, "done.csv");
    expect(await courier(["orders", "write-back", file, "-o", done])).toMatchObject({ exit: 0 });
    expect((await readFile(done, "utf8")).match(/,CR\d+,/g)).toHaveLength(40);
  });
});
