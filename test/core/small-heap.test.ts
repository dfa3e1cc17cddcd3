/** The tests of the small heap: V8 takes its settings at run time, and has its own again afterwards. */

import { Script } from "node:vm";
import { expect, test } from "vitest";
import { keepHeapSmall } from "../../src/core/small-heap.ts";

/** Of one length, which is all that V8 compares of a text, and none compiled before. */
let made = 100;
const nextText = () => `(function () { return ${made++}; })()`;

/** V8 refuses code that was kept under other settings than those of now. */
function isRefused(cachedData: Buffer): boolean {
  return new Script(nextText(), { cachedData }).cachedDataRejected === true;
}

test("V8's settings change, and are its own again at the end, so that kept code counts", async () => {
  const kept = new Script(nextText()).createCachedData();
  expect(isRefused(kept)).toBe(false);
  const end = keepHeapSmall();
  try {
    expect(isRefused(kept)).toBe(true);
  } finally {
    await end();
  }
  expect(isRefused(kept)).toBe(false);
});
