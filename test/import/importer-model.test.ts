/** The promise of an import: whatever happens on the way, no row is ever two orders, and in the end each is one. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ServiceUnavailable } from "../../src/import/backoff.ts";
import type { ImportTools, Outcome, RowResult } from "../../src/import/import-types.ts";
import { importRows } from "../../src/import/importer.ts";
import type { ImportRow } from "../../src/import/rows.ts";
import { scriptWindowMs } from "../../src/ledger/equal-orders.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Run } from "../../src/ledger/operation.ts";
import type { FileFacts } from "../../src/ledger/row-to-send.ts";
import { describeKinds } from "../ledger/kinds.ts";
import { readGood } from "../sheets/input-text.ts";
import { effort, fc } from "../support/effort.ts";
import { createHandClock, type HandClock } from "../support/hand-clock.ts";
import { createServiceInMemory, type Fate, fates, type ServiceInMemory } from "./service-in-memory.ts";

const mostLives = 80;
/** A request that has left arrives within so long, whether its sender lives or not. */
const arrivalMs = 2_000;

describeKinds((open, kind) => {
  let directory = "";
  let ledger: Ledger;
  let customer = 0;
  /** One database for all stories, each with a customer of its own: a commit is all that a story pays for. */
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "courier-import-"));
    ledger = await open(directory);
  });
  afterAll(async () => {
    await ledger.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** How the life of a process ends: at which of its steps, and whether that step is still done. */
  interface Crash {
    readonly atStep: number;
    readonly isDone: boolean;
  }

  /** One process that imports the file, or a copy of it in another order. */
  interface Process {
    readonly crash: Crash | undefined;
    readonly order: readonly number[];
  }

  interface Story {
    /** Each number is a content, so equal numbers are equal rows. */
    readonly rows: readonly { readonly content: number; readonly hasRef: boolean }[];
    readonly script: readonly Fate[];
    /** The processes of each life run at once. */
    readonly lives: readonly (readonly Process[])[];
    readonly concurrency: number;
  }

  const process = fc.record({
    crash: fc.option(fc.record({ atStep: fc.integer({ min: 1, max: 60 }), isDone: fc.boolean() }), {
      nil: undefined,
    }),
    order: fc.array(fc.nat(), { maxLength: 20 }),
  });

  const story: fc.Arbitrary<Story> = fc.record({
    rows: fc.array(fc.record({ content: fc.integer({ min: 0, max: 3 }), hasRef: fc.boolean() }), {
      minLength: 1,
      maxLength: 20, // more than are claimed at once by one that sends one after the other
    }),
    script: fc.array(
      fc.record({
        kind: fc.constantFrom(...fates),
        turns: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })),
      }),
      { maxLength: 40 },
    ),
    lives: fc.array(fc.array(process, { minLength: 1, maxLength: 2 }), { maxLength: 8 }),
    concurrency: fc.integer({ min: 1, max: 4 }),
  });

  test("any rows, answers and crashes of two imports at once end with each row created once", async () => {
    await fc.assert(
      fc.asyncProperty(story, async (told) => void (await live(told))),
      { numRuns: kind === "SQLite" ? effort(30, 500) : effort(15, 200) },
    );
  });

  test("two that look for equal rows at once: an order that one has found does not make the other's row absent", async () => {
    const rows = Array.from({ length: 6 }, () => ({ content: 0, hasRef: false }));
    const kinds: Fate["kind"][] = [
      ...(["created", "created", "refused", "created", "created", "created"] as const),
      ...(["rate_limited", "lost after"] as const),
    ];
    const script = kinds.map((kind): Fate => ({ kind, turns: [0, 0] }));
    const [killed, whole] = [
      { atStep: 18, isDone: true },
      { crash: undefined, order: [] },
    ];
    await live({ rows, script, lives: [[{ crash: killed, order: [] }], [whole, whole]], concurrency: 1 });
  });

  const stride = kind === "SQLite" ? effort(7, 1) : effort(23, 5);
  test(`a crash at every ${stride === 1 ? "" : `${stride}th `}step, before and after it is done`, async () => {
    const rows = [0, 1, 0, 2].map((content) => ({ content, hasRef: false }));
    const kinds: Fate["kind"][] = [
      "created",
      "lost after",
      "lost before",
      "rate_limited",
      "created",
      "lost after",
    ];
    const script = kinds.map((kind): Fate => ({ kind, turns: [1, 1] }));
    const ways = [1, 3].flatMap((concurrency) => [false, true].map((isDone) => ({ concurrency, isDone })));
    for (const [index, { concurrency, isDone }] of ways.entries()) {
      for (let atStep = 1 + (index % stride); ; atStep += stride) {
        const lives = [[{ crash: { atStep, isDone }, order: [] }]];
        const crashes = await live({ rows, script, lives, concurrency });
        if (crashes === 0) {
          expect(atStep).toBeGreaterThan(10);
          break;
        }
      }
    }
  });

  const made: readonly Outcome[] = ["created", "found", "shipped"];

  /** Runs the import again and again until it has nothing left to do. Gives back how often it crashed. */
  async function live({ rows: told, script, lives, concurrency }: Story): Promise<number> {
    const clock = createHandClock("2026-03-01T08:00:00Z");
    const service = createServiceInMemory(clock, script);
    const lines = told.map(({ content, hasRef }, index) =>
      lineOf(content, hasRef ? `R-${index}` : undefined),
    );
    const rows = await readGood(lines.join(""));
    const profileId = String(++customer);
    const known = await ledger.learnCustomer({ service: "s", key: undefined, profileId, account: "shop" });
    const world = { service, clock, customer: known.id, concurrency, ended: new Set<number>() };
    let crashes = 0;
    for (let count = 0; ; count++) {
      if (count > mostLives) throw new Error("the import never comes to an end");
      const processes = lives[count] ?? [{ crash: undefined, order: [] }];
      const ends = await Promise.all(
        processes.map(async ({ crash, order }, copy) => {
          const file = await readGood(reorder(lines, order).join(""));
          return importOnce({ ...world, rows: file, copy, crash });
        }),
      );
      await service.settled(); // what has left arrives, whether its sender lives or not
      expectNoneTwice(rows, service);
      crashes += ends.filter((end) => end === "crashed").length;
      for (const end of ends) if (typeof end !== "string") expectTrue(end, service);
      const isOver = ends.some(
        (end) =>
          typeof end !== "string" &&
          end.length === rows.length &&
          end.every(({ outcome }) => made.includes(outcome)),
      );
      if (isOver) break;
    }
    await expectEachOnce(rows, service, world.ended);
    return crashes;
  }

  interface World {
    readonly service: ServiceInMemory;
    readonly clock: HandClock;
    readonly customer: number;
    readonly concurrency: number;
    /** Runs whose process is known to have ended. */
    readonly ended: Set<number>;
  }

  interface OneImport extends World {
    readonly rows: readonly ImportRow[];
    readonly copy: number;
    readonly crash: Crash | undefined;
  }

  async function importOnce({ rows, copy, crash, ...world }: OneImport) {
    const { service, clock, concurrency, ended } = world;
    const mortal = createLife(crash);
    const run = await ledger.beginRun({
      command: "orders import",
      account: "shop",
      service: "s",
      customer: world.customer,
      process: { pid: 1, started: undefined, place: "here" },
      startedAtMs: clock.now(),
    });
    const file = {
      shop: "",
      path: `/${copy}`,
      bytesHash: `${world.customer} ${rows[0]?.line}`,
      rowsHash: "rows",
    };
    const refs = new Set(rows.map(({ ref }) => ref));
    const facts: FileFacts = {
      files: [await ledger.openFile(run, file)],
      shop: "",
      hasRef: (ref) => refs.has(ref),
      countOf: (content) => rows.filter((row) => row.ref === undefined && row.content === content).length,
    };
    const lent = mortal.lend({
      send: service.send,
      lookup: service.lookup,
      async releaseDead() {
        for (const number of ended) await ledger.releaseRun(number, clock.now());
        return [];
      },
    });
    const stop = new AbortController().signal;
    const patient = {
      ...clock,
      async sleep(delayMs: number) {
        await clock.sleep(delayMs);
        if (delayMs >= arrivalMs) await service.settled();
      },
    };
    const tools: ImportTools = {
      ledger: mortal.lend(ledger),
      run,
      earlier: 0,
      file: facts,
      policy: {
        windowMs: scriptWindowMs,
        retryRefused: true,
        skipShipped: false,
        isAllowed: () => false,
      },
      send: lent.send,
      reconcile: {
        ...lent.lookup,
        ledger: mortal.lend(ledger),
        customer: world.customer,
        run: run.number,
        clock: patient,
        stop,
        settleMs: 10_000, // it lists an order at once
      },
      releaseDead: lent.releaseDead,
      clock: patient,
      random: () => 0.5,
      stop,
      onStage: () => {},
    };

    async function work(): Promise<readonly RowResult[] | "unavailable"> {
      const results: RowResult[] = [];
      try {
        for await (const result of importRows(() => streamOf(rows), tools, { concurrency }))
          results.push(result);
        return results;
      } catch (error) {
        if (error instanceof ServiceUnavailable) return "unavailable";
        throw error;
      }
    }

    const end = await Promise.race([work(), mortal.ended]);
    if (end !== "crashed") await leave(run, clock);
    ended.add(run.number);
    return end;
  }

  /** What a run leaves open at its end is settled as far as it can be. */
  async function leave({ number }: Run, clock: HandClock): Promise<void> {
    await ledger.releaseRun(number, clock.now());
    await ledger.endRun(number, 0, clock.now());
  }

  /** Lends functions that are counted as steps. From the crash on, none of them ever comes back, and none is done. */
  function createLife(crash: Crash | undefined) {
    let steps = 0;
    let die = (_how: "crashed") => {};
    const ended = new Promise<"crashed">((resolve) => {
      die = resolve;
    });
    const never = new Promise<never>(() => {});

    async function step(act: () => Promise<unknown>): Promise<unknown> {
      steps += 1;
      if (crash === undefined || steps < crash.atStep) {
        const value = await act();
        return crash !== undefined && steps >= crash.atStep ? never : value;
      }
      if (steps > crash.atStep) return never;
      const doing = crash.isDone ? act().catch(() => {}) : undefined;
      if (doing) await doing;
      die("crashed");
      return never;
    }

    function lend<T extends object>(lent: T): T {
      return new Proxy(lent, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value === "object" && value !== null) return lend<object>(value);
          if (typeof value !== "function" || isPassed(String(name))) return value;
          return (...values: unknown[]) => step(async () => value(...values));
        },
      });
    }

    return { ended, lend };
  }

  /** What answers at once is no step: a crash cannot come between it and what follows. */
  function isPassed(name: string): boolean {
    return ["clockOffsetMs", "list", "holdsClaim", "nextCommand"].includes(name);
  }

  /** So many equal rows have become as many orders at most, whichever of them is whose. */
  function expectNoneTwice(rows: readonly ImportRow[], { orders }: ServiceInMemory): void {
    const allowed = tally(rows.map(({ content }) => content));
    for (const [content, count] of tally(orders.map(({ row }) => row.content)))
      expect(count, `orders of ${content}`).toBeLessThanOrEqual(allowed.get(content) ?? 0);
  }

  /** What is reported to be made is an order of that row's content, and of no other row. */
  function expectTrue(results: readonly RowResult[], { orders }: ServiceInMemory): void {
    expect(new Set(results.map(({ row }) => row.row)).size, "rows that are reported").toBe(results.length);
    const contents = new Map(orders.map(({ id, row }) => [id, row.content]));
    const ids = results.flatMap(({ row, outcome, order }) => {
      if (!made.includes(outcome)) return [];
      expect(contents.get(order?.id ?? ""), `the order of row ${row.row}, ${outcome}`).toBe(row.content);
      return [order?.id];
    });
    expect(new Set(ids).size, "orders that are reported").toBe(ids.length);
  }

  async function expectEachOnce(
    rows: readonly ImportRow[],
    { orders }: ServiceInMemory,
    runs: Iterable<number>,
  ) {
    const contentsOf = (all: readonly { readonly content?: string | undefined }[]) =>
      all.map(({ content }) => content).sort();
    expect(contentsOf(orders.map(({ row }) => row))).toEqual(contentsOf(rows));
    const lists = await Promise.all([...runs].map((number) => ledger.listOperations(number)));
    const creates = lists.flat();
    const open = creates.filter(({ state }) => ["ready", "sending", "unknown"].includes(state));
    expect(open, "operations that are not settled").toEqual([]);
    const settled = creates.filter(({ order }) => order);
    expect(settled.map(({ order }) => order?.id).sort()).toEqual(orders.map(({ id }) => id).sort());
    const names = (
      all: readonly { readonly ref?: string | undefined; readonly content?: string | undefined }[],
    ) => all.map(({ ref, content }) => `${ref} ${content}`).sort();
    expect(names(settled)).toEqual(names(rows));
  }

  function tally(names: readonly string[]): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
  }

  async function* streamOf(rows: readonly ImportRow[]): AsyncGenerator<ImportRow> {
    yield* rows;
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
});
