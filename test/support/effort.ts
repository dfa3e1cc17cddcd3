/** How much the tests try, as vitest.config.ts sets it: little with one seed in `npm test`, much in `npm run test:long`. */

import fc from "fast-check";

const isLong = process.env.TEST_EFFORT === "long";

export const seed = Number(process.env.TEST_SEED);
fc.configureGlobal({ seed });

export { fc };

/** How many runs, rows or kills a test takes; how long it waits. */
export function effort<T extends number | string>(everyday: T, long: T): T {
  return isLong ? long : everyday;
}
