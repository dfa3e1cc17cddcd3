/** A journal that was torn by a crash is mended, one that was edited is refused and stays as it is. */

import { readFile, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../src/import/journal.ts";
import type { Entry } from "../../src/import/journal-state.ts";
import { at, entries, identity, model, replay, useFiles, written } from "./journal-file.ts";

const newFile = useFiles();

describe("torn", () => {
  test("at any byte, it loses the torn entry and nothing else", async () => {
    const bytes = await written(newFile());
    const file = newFile();
    const ends: number[] = [];
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, end + 1)) ends.push(end);
    for (let cut = 0; cut < bytes.length; cut++) {
      await writeFile(file, bytes.subarray(0, cut));
      // A line that lacks only its line break is whole.
      const whole = ends.filter((end) => end <= cut).length - 1;
      const { last, open } = await replay(file);
      expect({ last, open }, `cut at ${cut}`).toEqual(model(entries.slice(0, Math.max(0, whole))));
    }
  }, 60_000);

  test("it goes on as if the torn entry had never been", async () => {
    const file = newFile();
    const bytes = await written(file);
    for (const cut of [bytes.length - 1, bytes.length - 20, bytes.indexOf(10) + 5, 9]) {
      await writeFile(file, bytes.subarray(0, cut));
      const journal = await openJournal(file, identity, "f1");
      const entry: Entry = { kind: "intent", key: "ref:new", content: "n", at };
      await journal.append(entry);
      await journal.close();
      expect((await replay(file, ["ref:new"])).last.get("ref:new")).toEqual(entry);
    }
  });

  test("zeros up to the end, where a failing machine had made room, are cut off", async () => {
    const file = newFile();
    const bytes = await written(file);
    const lastLine = bytes.lastIndexOf(10, bytes.length - 2) + 1;
    for (const from of [lastLine, lastLine + 9]) {
      const zeros = Buffer.alloc(100_000);
      await writeFile(file, Buffer.concat([bytes.subarray(0, from), zeros]));
      expect((await replay(file)).last).toEqual(model(entries.slice(0, -1)).last);
      expect(await readFile(file)).toEqual(bytes.subarray(0, lastLine));
    }
  });

  test.each([1, 300])("%d zeros with anything after them are damage", async (count) => {
    const file = newFile();
    const bytes = await written(file);
    const lastLine = bytes.lastIndexOf(10, bytes.length - 2) + 1;
    for (const [from, to] of [
      [bytes.indexOf(10) + 12, bytes.length],
      [lastLine, bytes.length],
      [lastLine, bytes.length - 1],
      [5, bytes.length],
      [5, 20],
    ]) {
      const damaged = Buffer.concat([bytes.subarray(0, from), Buffer.alloc(count), bytes.subarray(from, to)]);
      await writeFile(file, damaged);
      await expect(openJournal(file, identity, "f1")).rejects.toThrow(/is damaged, in line \d+: /);
      expect(await readFile(file)).toEqual(damaged);
    }
  });
});

describe("edited", () => {
  test("any changed byte of any line but a torn one is reported, and the file stays as it is", async () => {
    const bytes = await written(newFile());
    const file = newFile();
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 2), fc.integer({ min: 1, max: 127 }), async (place, flip) => {
        const changed = Buffer.from(bytes);
        changed[place] = (changed[place] ?? 0) ^ flip;
        await writeFile(file, changed);
        await expect(openJournal(file, identity, "f1")).rejects.toMatchObject({ exit: 2 });
        expect(await readFile(file)).toEqual(changed);
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    ["a line was taken out", (lines: string[]) => lines.toSpliced(3, 1)],
    ["two lines were exchanged", (lines: string[]) => lines.toSpliced(2, 2, lines[3] ?? "", lines[2] ?? "")],
    ["a line was written twice", (lines: string[]) => lines.toSpliced(3, 0, lines[2] ?? "")],
    ["a line was added", (lines: string[]) => lines.toSpliced(2, 0, '{"kind":"unsent","key":"ref:A-1"}')],
    ["blank lines were added", (lines: string[]) => lines.toSpliced(2, 0, "")],
    ["line breaks became those of Windows", (lines: string[]) => lines.map((line) => `${line}\r`)],
  ])("%s: reported with the line", async (_what, edit) => {
    const file = newFile();
    const bytes = await written(file);
    const lines = bytes.toString().trimEnd().split("\n");
    await writeFile(file, `${edit(lines).join("\n")}\n`);
    await expect(openJournal(file, identity, "f1")).rejects.toThrow(
      /changed by hand, or is damaged, in line \d+: .*ndjson$/,
    );
  });

  test("a file that is no journal is left alone, even one of a single line", async () => {
    for (const text of ["ref,sender.name\n1,2\n", "important", '{"a":1}', "\n"]) {
      const file = newFile();
      await writeFile(file, text);
      await expect(openJournal(file, identity, "f1")).rejects.toMatchObject({ exit: 2 });
      expect(await readFile(file, "utf8")).toBe(text);
    }
  });
});
