/** "Did you mean": near words are found, and a word as long as a file costs nothing. */

import { expect, test } from "vitest";
import { suggest } from "../../src/core/suggest.ts";

const known = ["pending", "delivered", "receiver.name"];

test.each([
  ["pendng", "pending"],
  ["receiver.nam", "receiver.name"],
  ["receivername", "receiver.name"],
  ["sunk", undefined],
  ["", undefined],
])("%j is near to %j", (word, nearest) => {
  expect(suggest(word, known)).toBe(nearest);
});

test("a word that is much longer than any other is near to none, which is known from its length", () => {
  const word = "x".repeat(64 * 2 ** 20);
  const startMs = performance.now();
  expect(suggest(word, known)).toBeUndefined();
  expect(performance.now() - startMs).toBeLessThan(1_000);
});
