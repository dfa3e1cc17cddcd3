/** Sums, means and medians of fees in exact decimals, whatever their length and form. */

import { decimalsOf, formatScaled, scaleDecimal } from "../model/decimal.ts";

export interface Amount {
  /** Orders that have the fee. */
  readonly orders: number;
  readonly sum: string | null;
  /** Rounded, half away from zero; the others are exact. */
  readonly mean: string | null;
  readonly median: string | null;
}

const leastMeanPlaces = 2;

/**
 * `texts` are plain decimals by their numbers, and `lists` the numbers of fees. Gives a function for what the lists with
 * these indexes have together. Plain loops: a million fees take a tenth of a second.
 */
export function createAmounts(
  texts: readonly string[],
  lists: readonly (readonly number[])[],
): (indexes: readonly number[]) => Amount {
  const isUsed = new Uint8Array(texts.length);
  for (const list of lists) for (const fee of list) isUsed[fee] = 1;
  const used: number[] = [];
  for (let number = 0; number < isUsed.length; number++) if (isUsed[number] === 1) used.push(number);
  const places = used.reduce((most, number) => Math.max(most, decimalsOf(texts[number] ?? "")), 0);
  const fees = used
    .map((number) => ({ number, value: scaleDecimal(texts[number] ?? "0", places) }))
    .sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0));
  const ranks = new Int32Array(texts.length);
  for (const [rank, { number }] of fees.entries()) ranks[number] = rank;
  const exact = fees.map(({ value }) => value);
  const values = { exact, near: Float64Array.from(exact, Number) };
  return (indexes) => {
    const chosen = indexes.map((index) => lists[index] ?? []);
    const sorted = new Int32Array(chosen.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const list of chosen)
      for (let index = 0; index < list.length; index++) sorted[at++] = ranks[list[index] ?? 0] ?? 0;
    return summarise(sorted.sort(), values, places);
  };
}

/** Scaled fees by their ranks. */
interface Values {
  readonly exact: readonly bigint[];
  readonly near: Float64Array;
}

/** `ranks` are sorted. */
function summarise(ranks: Int32Array, values: Values, places: number): Amount {
  const orders = ranks.length;
  if (orders === 0) return { orders, sum: null, mean: null, median: null };
  const sum = sumOf(ranks, values);
  const valueAt = (index: number) => values.exact[ranks[index] ?? 0] ?? 0n;
  const middle = valueAt(Math.floor((orders - 1) / 2)) + valueAt(Math.floor(orders / 2));
  const meanPlaces = Math.max(places, leastMeanPlaces);
  return {
    orders,
    sum: formatScaled(sum, places),
    mean: formatScaled(divide(sum * 10n ** BigInt(meanPlaces - places), BigInt(orders)), meanPlaces),
    median: middle % 2n === 0n ? formatScaled(middle / 2n, places) : formatScaled(middle * 5n, places + 1),
  };
}

function sumOf(ranks: Int32Array, { exact, near }: Values): bigint {
  const size = (rank: number | undefined) => Math.abs(near[rank ?? 0] ?? 0);
  const largest = Math.max(size(ranks[0]), size(ranks.at(-1)));
  // Numbers are several times as fast, and exact below this.
  if (largest * ranks.length < Number.MAX_SAFE_INTEGER) return BigInt(sumOfNumbers(ranks, near));
  let sum = 0n;
  for (const rank of ranks) sum += exact[rank] ?? 0n;
  return sum;
}

function sumOfNumbers(ranks: Int32Array, near: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < ranks.length; index++) sum += near[ranks[index] ?? 0] ?? 0;
  return sum;
}

/** Rounded to the nearest integer, half away from zero. */
function divide(value: bigint, by: bigint): bigint {
  const size = value < 0n ? -value : value;
  const rounded = (2n * size + by) / (2n * by);
  return value < 0n ? -rounded : rounded;
}
