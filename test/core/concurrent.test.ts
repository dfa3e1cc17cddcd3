/** Owns the tests of doing several things at once in order. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { mapInOrder } from "../../src/core/concurrent.ts";

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
  expect(atFailure).toEqual([1, 2, 3, 4]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(atFailure);
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

test("no items, no results; undefined is a result like any other", async () => {
  expect(await collect(mapInOrder([], 4, async () => 1))).toEqual([]);
  expect(await collect(mapInOrder([1, 2, 3], 2, async () => undefined))).toHaveLength(3);
});
