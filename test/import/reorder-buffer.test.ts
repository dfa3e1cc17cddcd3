/** The report's order: by row, bounded in what it holds back, and whole whatever happens. */

import { expect, test } from "vitest";
import { inRowOrder } from "../../src/import/reorder-buffer.ts";
import { collect } from "../sheets/input-text.ts";
import { fc } from "../support/effort.ts";

const result = (position: number) => ({ row: { position } });

async function* giving(rows: readonly number[], error?: Error) {
  for (const row of rows) yield result(row);
  if (error) throw error;
}

const numbers = (results: readonly { row: { position: number } }[]) => results.map(({ row }) => row.position);
const counting = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test("whatever the order they come in, they leave in the order of the rows", async () => {
  const shuffled = fc.shuffledSubarray(counting(30), { minLength: 30 });
  await fc.assert(
    fc.asyncProperty(shuffled, async (rows) => {
      expect(numbers(await collect(inRowOrder(giving(rows))))).toEqual(counting(30));
    }),
  );
});

test("rows that never come hold back nothing in the end", async () => {
  const some = fc.shuffledSubarray(counting(30));
  await fc.assert(
    fc.asyncProperty(some, async (rows) => {
      const sorted = [...rows].sort((a, b) => a - b);
      expect(numbers(await collect(inRowOrder(giving(rows))))).toEqual(sorted);
    }),
  );
});

test("a row goes as soon as those before it have gone", async () => {
  const seen: number[] = [];
  for await (const { row } of inRowOrder(giving([1, 3, 2, 5]))) {
    seen.push(row.position);
    if (row.position === 3) break;
  }
  expect(seen).toEqual([1, 2, 3]);
});

test("no more than a thousand wait for one that is missing, and it comes after them", async () => {
  const rows = [...counting(2_501).slice(1), 1];
  const order = numbers(await collect(inRowOrder(giving(rows))));
  expect(order).toHaveLength(2_501);
  expect(order.slice(0, 2)).toEqual([2, 3]);
  expect(order.at(-1)).toBe(1);
});

test("what was held back is given before an error is", async () => {
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { row } of inRowOrder(giving([3, 2], new Error("gone")))) seen.push(row.position);
  })();
  await expect(reading).rejects.toThrow("gone");
  expect(seen).toEqual([2, 3]);
});
