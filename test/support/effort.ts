/**
 * How much the tests try. `npm test` uses one seed and few runs, so that it is quick and ends the same way twice;
 * `npm run test:long` uses a new seed and many runs. TEST_SEED repeats a run.
 */

import { randomInt } from "node:crypto";
import fc from "fast-check";

/** Vitest sets it from `--mode long`. */
const isLong = process.env.TEST_EFFORT === "long";
const everydaySeed = 20_261_122;

export const seed = Number(process.env.TEST_SEED || (isLong ? randomInt(1, 2 ** 31 - 1) : everydaySeed));
if (isLong) console.log(`TEST_SEED=${seed}`);

fc.configureGlobal({ seed });

export { fc };

/** How many runs, rows or kills a test takes; how long it waits. */
export function effort<T extends number | string>(everyday: T, long: T): T {
  return isLong ? long : everyday;
}
