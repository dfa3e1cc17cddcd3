/** The journal of an import: what was acknowledged is there, and only its own import gets it. */

import { appendFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openJournal, viewJournal } from "../../src/import/journal.ts";
import { seal } from "../../src/import/journal-lines.ts";
import { createAppender, createState, type Entry } from "../../src/import/journal-state.ts";
import { readSent } from "../../src/import/other-journals.ts";
import { at, entries, identity, model, replay, useFiles, written } from "./journal-file.ts";

const newFile = useFiles();

test("what was appended is there when it is opened again", async () => {
  const file = newFile();
  await written(file);
  const { last, open, size, fingerprint, journal } = await replay(file);
  expect(last).toEqual(model(entries).last);
  expect([...open.keys()]).toEqual(["content:c3#1"]);
  expect({ size, fingerprint }).toEqual({ size: 4, fingerprint: "f1" });
  expect([journal.owns("7"), journal.owns("8")]).toEqual([true, false]);
});

test("only its owner can read it", async () => {
  const file = newFile();
  await written(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("the header names version, account, service and input", async () => {
  const bytes = await written(newFile(), []);
  expect(JSON.parse(bytes.toString())).toMatchObject({ courier_journal: 1, ...identity, input_sha256: "f1" });
});

test("replaying whatever was appended gives what a model has", async () => {
  const keys = fc.constantFrom("ref:a", "ref:b", "content:x#1", "ref:\u{1F600}", "ref:__proto__");
  const text = fc.string({ unit: "binary", maxLength: 20 });
  const entry: fc.Arbitrary<Entry> = fc.oneof(
    fc.record({
      kind: fc.constant("intent" as const),
      key: keys,
      content: text,
      at: fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString()),
    }),
    fc.record({ kind: fc.constantFrom("unsent" as const, "unknown" as const), key: keys }),
    fc.record({ kind: fc.constant("refused" as const), key: keys, content: text, code: text, message: text }),
    fc.record({
      kind: fc.constant("created" as const),
      key: keys,
      content: text,
      id: text,
      order_no: fc.option(text),
      tracking_number: fc.option(text),
      estimated_fee: fc.option(text),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 12 }), async (list) => {
      const file = newFile();
      await written(file, list);
      const { last, open } = await replay(file, new Set(list.map(({ key }) => key)));
      const expected = model(list);
      expect(last).toEqual(expected.last);
      expect(open).toEqual(expected.open);
      await rm(file);
    }),
    { numRuns: 60 },
  );
});

test("a line of any length is read back", async () => {
  const long = "订单".repeat(20_000);
  const list: Entry[] = [{ kind: "refused", key: `ref:${long}`, content: "c", code: "X", message: long }];
  const file = newFile();
  await written(file, list);
  expect((await replay(file, [`ref:${long}`])).last).toEqual(model(list).last);
});

describe("of somebody else", () => {
  test.each([
    [
      "account",
      { ...identity, account: "other" },
      /belongs to the account shop at https:\/\/service.example, not to other/,
    ],
    ["service", { ...identity, base_url: "https://other.example" }, /not to shop at https:\/\/other.example/],
  ])("another %s is refused with a hint", async (_what, other, message) => {
    const file = newFile();
    const bytes = await written(file);
    const opening = openJournal(file, other, "f1");
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toMatchObject({ exit: 2, hint: expect.stringContaining("--journal") });
    expect(await readFile(file)).toEqual(bytes);
  });

  test("a later version is refused", async () => {
    const file = newFile();
    const text = seal({ courier_journal: 2, ...identity }, "").line;
    await writeFile(file, text);
    await expect(openJournal(file, identity, "f1")).rejects.toMatchObject({
      exit: 2,
      hint: "update courier",
    });
    expect(await readFile(file, "utf8"), "left as it is").toBe(text);
  });

  test("another file's journal tells what it sent, and is left as it is", async () => {
    const sent = async (of: string, as = identity) => {
      const told: string[] = [];
      await readSent(of, as, ({ key, id }) => told.push(`${key} ${id ?? "?"}`));
      return told;
    };
    const file = newFile();
    const bytes = await written(file);
    expect(await sent(file)).toEqual(["ref:A-1 7", "content:c3#1 ?"]);
    expect(await sent(file, { ...identity, account: "other" })).toEqual([]);
    expect(await sent(newFile())).toEqual([]);
    await appendFile(file, '{"kind":"crea');
    expect(await sent(file)).toEqual(["ref:A-1 7", "content:c3#1 ?"]);
    expect((await stat(file)).size).toBe(bytes.length + 13);
    expect(await sent(path.join(file, "below"))).toEqual([]);
  });

  test("another file's journal that cannot be trusted or read is an error: it may have sent anything", async () => {
    const file = newFile();
    const bytes = await written(file);
    const changed = Buffer.from(bytes);
    const at = changed.indexOf(10) + 12;
    changed[at] = (changed[at] ?? 0) ^ 1;
    const directory = newFile();
    await mkdir(directory);
    for (const [name, content, message, hint] of [
      [
        file,
        changed,
        /the journal of another import was changed by hand, or is damaged, in line 2: .*ndjson/,
        /--allow-/,
      ],
      [file, "ref,sender.name\n", /in line 1/, /--allow-duplicate/],
      [file, seal({ courier_journal: 2, ...identity }, "").line, /not of a version that/, /update courier/],
      [directory, undefined, /cannot read the journal of another import .*: it is a directory/, /--allow-/],
    ] as const) {
      if (content !== undefined) await writeFile(name, content);
      await expect(readSent(name, identity, () => {})).rejects.toMatchObject({
        code: "file",
        exit: 2,
        message: expect.stringMatching(message),
        hint: expect.stringMatching(hint),
      });
    }
  });

  test("it can be looked at, which changes nothing", async () => {
    const file = newFile();
    expect(await viewJournal(file, identity)).toBeUndefined();
    const bytes = await written(file);
    await appendFile(file, '{"kind":"crea');
    const view = await viewJournal(file, identity);
    expect([view?.size, view?.fingerprint, view?.statusOf("ref:A-1")]).toEqual([4, "f1", "created"]);
    expect(await view?.lastOf("ref:A-1")).toMatchObject({ id: "7" });
    await view?.close();
    expect((await stat(file)).size).toBe(bytes.length + 13);
    await expect(viewJournal(file, { ...identity, account: "other" })).rejects.toMatchObject({ exit: 2 });
  });
});

describe("durability", () => {
  /** A journal whose writes and syncs are on record. */
  function watched() {
    const calls: string[] = [];
    let failWith: Error | undefined;
    const handle = {
      async appendFile(text: string) {
        if (failWith) throw failWith;
        calls.push(`write ${text.split("\n").length - 1}`);
        await new Promise(setImmediate);
      },
      async datasync() {
        calls.push("sync begins");
        await new Promise(setImmediate);
        calls.push("sync ends");
      },
    };
    const appender = createAppender(handle as never, "orders.journal", createState());
    return {
      appender,
      calls,
      fail: (error: Error) => {
        failWith = error;
      },
    };
  }
  const intent = (index: number): Entry => ({ kind: "intent", key: `ref:${index}`, content: "c", at });

  test("entries that come while a sync is under way share the next one, and none is acknowledged before its own", async () => {
    const { appender, calls } = watched();
    const append = (index: number) => appender.append(intent(index)).then(() => calls.push(`done ${index}`));
    const first = [0, 1].map(append);
    while (!calls.includes("sync begins")) await new Promise(setImmediate);
    await Promise.all([...first, ...[2, 3, 4].map(append)]);
    expect(calls).toEqual([
      ...["write 2", "sync begins", "sync ends", "done 0", "done 1"],
      ...["write 3", "sync begins", "sync ends", "done 2", "done 3", "done 4"],
    ]);
  });

  test("after a failed write nothing more is written, and everyone waiting is told", async () => {
    const { appender, calls, fail } = watched();
    await appender.append(intent(0));
    fail(Object.assign(new Error("no"), { code: "ENOSPC" }));
    const appends = await Promise.allSettled([1, 2, 3].map((index) => appender.append(intent(index))));
    for (const each of [...appends, ...(await Promise.allSettled([appender.append(intent(4))]))]) {
      expect(each).toMatchObject({ status: "rejected", reason: { code: "journal_failed", exit: 5 } });
    }
    expect(calls).toEqual(["write 1", "sync begins", "sync ends"]);
  });
});
