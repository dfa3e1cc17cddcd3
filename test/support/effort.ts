/** How much the tests try, as vitest.config.ts sets it: little with one seed in `npm test`, much in `npm run test:long`. */

import fc from "fast-check";

const isLong = process.env.TEST_EFFORT === "long";

/** How far the long run goes, from 0, as every day, to 1. */
const length = Number(process.env.TEST_LENGTH || 1);

export const seed = Number(process.env.TEST_SEED);
fc.configureGlobal({ seed });

export { fc };

/** How many runs, rows or kills a test takes; how long it waits. */
export function effort<T>(everyday: T, long: T): T {
  if (!isLong) return everyday;
  if (typeof long !== "number" || typeof everyday !== "number") return long;
  return Math.round(everyday + (long - everyday) * length) as T;
}

/** One share of a list, the same at every run: every `of`-th, beginning with the `part`-th. */
export function share<T>(list: readonly T[], of: number, part = 0): T[] {
  return list.filter((_, index) => index % of === part % of);
}

/** A share of the rows of a table every day, and all of them in the long run. */
export function someOf<T>(list: readonly T[], of: number, part = 0): readonly T[] {
  return effort(share(list, of, part), list);
}
