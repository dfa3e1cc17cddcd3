/** The promise of an import: whatever happens on the way, in the end each row is an order exactly once. */

import { createReadStream } from "node:fs";
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RowResult } from "../../src/import/import-terms.ts";
import { importRows } from "../../src/import/importer.ts";
import { type Journal, openJournal } from "../../src/import/journal.ts";
import { ServiceUnavailable } from "../../src/import/patience.ts";
import { type ImportRow, readRows } from "../../src/import/rows.ts";
import { inspectSource } from "../../src/sheets/source.ts";
import { createHandClock, type HandClock } from "../support/hand-clock.ts";
import { createServiceInMemory, type Fate, fates, type ServiceInMemory } from "./service-in-memory.ts";

const identity = { account: "shop", base_url: "https://service.example" };
const mostLives = 80;

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "courier-import-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** How one life of the process ends: at which write of the journal, and how much of it is on disk then. */
interface Crash {
  readonly atWrite: number;
  /** Of the last entry, from 0 nothing to 1 all of it. */
  readonly written: number;
}

interface Life {
  readonly crash: Crash | undefined;
  /** Sorts the rows of the file anew. */
  readonly order: readonly number[];
}

interface Story {
  /** Each number is a content, so equal numbers are equal rows. */
  readonly rows: readonly { readonly content: number; readonly hasRef: boolean }[];
  readonly script: readonly Fate[];
  readonly lives: readonly Life[];
  readonly concurrency: number;
}

class Crashed extends Error {}

const story: fc.Arbitrary<Story> = fc.record({
  rows: fc.array(fc.record({ content: fc.integer({ min: 0, max: 3 }), hasRef: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  }),
  script: fc.array(
    fc.record({
      kind: fc.constantFrom(...fates),
      turns: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })),
    }),
    { maxLength: 40 },
  ),
  lives: fc.array(
    fc.record({
      crash: fc.option(
        fc.record({
          atWrite: fc.integer({ min: 1, max: 25 }),
          written: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        {
          nil: undefined,
        },
      ),
      order: fc.array(fc.nat(), { maxLength: 8 }),
    }),
    { maxLength: 8 },
  ),
  concurrency: fc.integer({ min: 1, max: 4 }),
});

test("any rows, answers and crashes end with each row created once, and a journal that agrees", async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      number += 1;
      const input = path.join(directory, `${number}.ndjson`);
      await live(told, input);
    }),
    { numRuns: 300 },
  );
});

test("a crash at every single write of the journal, with all, half or nothing of it on disk", async () => {
  const rows = [0, 1, 0, 2].map((content) => ({ content, hasRef: false }));
  const kinds: Fate["kind"][] = ["created", "lost after", "lost before", "limited", "created", "lost after"];
  const script = kinds.map((kind): Fate => ({ kind, turns: [1, 1] }));
  for (const concurrency of [1, 3]) {
    for (const written of [0, 0.5, 1]) {
      for (let atWrite = 1; ; atWrite++) {
        const input = path.join(directory, `each-${concurrency}-${written}-${atWrite}.ndjson`);
        const lives = [{ crash: { atWrite, written }, order: [] }];
        const crashes = await live({ rows, script, lives, concurrency }, input);
        if (crashes === 0) {
          expect(atWrite).toBeGreaterThan(10);
          break;
        }
      }
    }
  }
});

/** Runs the import again and again until it has nothing left to do. Gives back how often it crashed. */
async function live({ rows, script, lives, concurrency }: Story, input: string): Promise<number> {
  const clock = createHandClock("2026-03-01T08:00:00Z");
  const service = createServiceInMemory(clock, script);
  const lines = rows.map(({ content, hasRef }, index) => lineOf(content, hasRef ? `R-${index}` : undefined));
  let crashes = 0;
  for (let count = 0; ; count++) {
    if (count > mostLives) throw new Error("the import never comes to an end");
    const { crash, order = [] } = lives[count] ?? {};
    await writeFile(input, reorder(lines, order).join(""));
    const end = await liveOnce({ input, service, clock, concurrency, crash });
    if (end === "crashed") crashes += 1;
    if (typeof end !== "string" && end.every(({ outcome }) => outcome === "created")) break;
  }
  await compare(input, service);
  return crashes;
}

interface LifeOptions {
  readonly input: string;
  readonly service: ServiceInMemory;
  readonly clock: HandClock;
  readonly concurrency: number;
  readonly crash: Crash | undefined;
}

async function liveOnce({ input, service, clock, concurrency, crash }: LifeOptions) {
  const file = `${input}.journal`;
  const journal = await openJournal(file, identity, "0");
  const mortal = crash ? withCrash(journal, file, crash) : undefined;
  const results: RowResult[] = [];
  const tools = {
    send: service.send,
    lookup: service.lookup,
    clock,
    random: () => 0.5,
    stop: new AbortController().signal,
    tell: () => {},
  };
  try {
    const options = { concurrency, retryRefused: true };
    for await (const result of importRows(rowsOf(input), mortal?.journal ?? journal, tools, options))
      results.push(result);
  } catch (error) {
    if (error instanceof Crashed) return "crashed";
    if (error instanceof ServiceUnavailable) return "unavailable";
    throw error;
  } finally {
    await service.settled(); // what has left arrives, whether its sender lives or not
    await journal.close();
    await mortal?.bury();
  }
  // A crash of what nobody waited for any more ends a life all the same.
  return mortal?.isDead() ? "crashed" : results;
}

/** The same journal until one write, which is on disk in part; after it nothing is written and nothing leaves. */
function withCrash(journal: Journal, file: string, { atWrite, written }: Crash) {
  let writes = 0;
  let keptBytes: number | undefined;
  let working = Promise.resolve();
  const mortal: Journal = {
    ...journal,
    get size() {
      return journal.size;
    },
    append(entry) {
      if (writes >= atWrite) return Promise.reject(new Crashed());
      writes += 1;
      if (writes < atWrite) {
        const done = journal.append(entry);
        working = working.then(() => done);
        return done;
      }
      working = working.then(async () => {
        const beforeBytes = (await stat(file)).size;
        await journal.append(entry);
        const afterBytes = (await stat(file)).size;
        keptBytes = beforeBytes + Math.round((afterBytes - beforeBytes) * written);
      });
      return working.then(() => Promise.reject(new Crashed()));
    },
  };
  return {
    journal: mortal,
    isDead: () => keptBytes !== undefined,
    async bury() {
      if (keptBytes !== undefined) await truncate(file, keptBytes);
    },
  };
}

async function* rowsOf(input: string): AsyncGenerator<ImportRow> {
  const content = () => createReadStream(input);
  const facts = await inspectSource(content, "input");
  for await (const row of readRows({ content, name: "input", facts, mapping: new Map() })) {
    if (!("ok" in row)) throw new Error(JSON.stringify(row.problems));
    yield row.ok;
  }
}

async function compare(input: string, service: ServiceInMemory): Promise<void> {
  const rows: ImportRow[] = [];
  for await (const row of rowsOf(input)) rows.push(row);
  const contents = (of: readonly { readonly content: string }[]) => of.map(({ content }) => content).sort();
  expect(contents(service.orders.map(({ row }) => row))).toEqual(contents(rows));

  const before = await readFile(`${input}.journal`, "utf8");
  const journal = await openJournal(`${input}.journal`, identity, "0");
  const ids = new Map(service.orders.map(({ id, row }) => [id, row.content]));
  expect([...journal.open.keys()]).toEqual([]);
  for (const row of rows) {
    const last = await journal.lastOf(row.key);
    if (last?.kind !== "created") throw new Error(`the row ${row.key} is ${last?.kind}`);
    expect(ids.get(last.id)).toBe(row.content);
    ids.delete(last.id);
  }
  expect(ids.size).toBe(0);
  await journal.close();
  expect(await readFile(`${input}.journal`, "utf8")).toBe(before);
}

function lineOf(content: number, ref: string | undefined): string {
  const party = (name: string) => ({ name, phone: "13800138000", city: "深圳市", detail: "科技园路1号" });
  const row = {
    ...(ref === undefined ? {} : { ref }),
    sender: party("张三"),
    receiver: party(content < 2 ? "李四" : "王五"),
    item: { name: "手机", quantity: content + 1 },
  };
  return `${JSON.stringify(row)}\n`;
}

function reorder(lines: readonly string[], order: readonly number[]): string[] {
  const place = lines.map((line, index) => ({ line, at: order[index] ?? index }));
  return place.sort((a, b) => a.at - b.at).map(({ line }) => line);
}
