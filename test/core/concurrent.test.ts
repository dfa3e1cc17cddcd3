/** The tests of doing several things at once in order. */

import { expect, test } from "vitest";
import { mapInOrder } from "../../src/core/concurrent.ts";
import { fc } from "../support/effort.ts";

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of stream) all.push(each);
  return all;
}

test("results come in the items' order, with never more than the limit under way", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      async (scheduler, items, limit) => {
        let underWay = 0;
        let most = 0;
        const results = collect(
          mapInOrder(items, limit, async (item) => {
            most = Math.max(most, ++underWay);
            await scheduler.schedule(Promise.resolve());
            underWay -= 1;
            return item * 2;
          }),
        );
        await scheduler.waitFor(results);
        expect(await results).toEqual(items.map((item) => item * 2));
        expect(most).toBeLessThanOrEqual(limit);
        expect(most).toBe(Math.min(limit, items.length));
      },
    ),
    { numRuns: 60 },
  );
});

test("the failure of an item comes at its turn, after the results before it, and nothing is started after", async () => {
  const started: number[] = [];
  const got: number[] = [];
  const run = async () => {
    for await (const each of mapInOrder([1, 2, 3, 4, 5, 6, 7, 8], 2, async (item) => {
      started.push(item);
      if (item === 3) throw new Error("third");
      return item;
    })) {
      got.push(each);
    }
  };
  await expect(run()).rejects.toThrow("third");
  expect(got).toEqual([1, 2]);
  const atFailure = [...started];
  expect([3, 4]).toContain(atFailure.length);
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(atFailure);
});

test("where nothing can be taken back, the results of all that was begun come before the failure", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      async (scheduler, fails, limit) => {
        const done: number[] = [];
        const got: number[] = [];
        const act = async (item: number) => {
          await scheduler.schedule(Promise.resolve());
          if (fails[item]) throw new Error(`item ${item}`);
          done.push(item);
          return item;
        };
        const run = async () => {
          for await (const each of mapInOrder(fails.keys(), limit, act, { isIrrevocable: true }))
            got.push(each);
        };
        const ended = run().then(
          () => undefined,
          (error: Error) => error.message,
        );
        await scheduler.waitFor(ended);
        expect(got).toEqual(done.sort((a, b) => a - b));
        const first = fails.indexOf(true);
        if (first < 0) expect(await ended).toBeUndefined();
        else expect(await ended).toMatch(/^item /);
      },
    ),
    { numRuns: 100 },
  );
});

test("a failure that nobody waits for is not reported as unhandled", async () => {
  const stream = mapInOrder([1, 2, 3], 3, async (item) => {
    if (item > 1) throw new Error(`item ${item}`);
    return item;
  });
  expect(await stream.next()).toEqual({ done: false, value: 1 });
  await stream.return(undefined);
  await new Promise((resolve) => setImmediate(resolve)); // vitest fails a run with an unhandled rejection
});

test("items are taken only as they are needed", async () => {
  let taken = 0;
  function* endless() {
    for (;;) yield taken++;
  }
  const stream = mapInOrder(endless(), 3, async (item) => item);
  await stream.next();
  expect(taken).toBe(3);
  await stream.next();
  expect(taken).toBe(4);
  await stream.return(undefined);
});

test("calls under way are finished before a failure is thrown, or the stream is left", async () => {
  for (const isLeft of [true, false]) {
    let finished = 0;
    const stream = mapInOrder([1, 2, 3], 3, async (item) => {
      if (item === 1 && !isLeft) throw new Error("first");
      for (let turn = 0; turn < item; turn++) await new Promise((resolve) => setImmediate(resolve));
      finished += 1;
      return item;
    });
    if (isLeft) {
      await stream.next();
      await stream.return(undefined);
    } else await expect(stream.next()).rejects.toThrow("first");
    expect(finished).toBe(isLeft ? 3 : 2);
  }
});

test("a stop begins nothing more, and yields what was begun", async () => {
  const stop = new AbortController();
  const started: number[] = [];
  const results = await collect(
    mapInOrder(
      [1, 2, 3, 4, 5],
      2,
      async (item) => {
        started.push(item);
        if (item === 2) stop.abort();
        return item;
      },
      { stop: stop.signal },
    ),
  );
  expect(results).toEqual([1, 2]);
  expect(started).toEqual([1, 2]);
});

test("a wider window lets later items go on while an early one is slow", async () => {
  let release = () => {};
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  const started: number[] = [];
  const stream = mapInOrder(
    [1, 2, 3, 4, 5, 6],
    2,
    async (item) => {
      started.push(item);
      if (item === 1) await slow;
      return item;
    },
    { window: 4 },
  );
  const results = collect(stream);
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual([1, 2, 3, 4]);
  release();
  expect(await results).toEqual([1, 2, 3, 4, 5, 6]);
});

test("items may come one after another, and a source that is left is closed", async () => {
  let isClosed = false;
  async function* source() {
    try {
      for (let item = 0; ; item++) yield item;
    } finally {
      isClosed = true;
    }
  }
  const stream = mapInOrder(source(), 2, async (item) => item * 2);
  expect([await stream.next(), await stream.next()].map(({ value }) => value)).toEqual([0, 2]);
  await stream.return(undefined);
  expect(isClosed).toBe(true);
});

test("no items, no results; undefined is a result like any other", async () => {
  expect(await collect(mapInOrder([], 4, async () => 1))).toEqual([]);
  expect(await collect(mapInOrder([1, 2, 3], 2, async () => undefined))).toHaveLength(3);
});
