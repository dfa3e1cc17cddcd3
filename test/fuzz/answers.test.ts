/** A share of the fuzzers' answers for every run of the tests; `npm run fuzz` tries all of them. */

import { test } from "vitest";
import { surviveAnswers, surviveWire } from "./survive.ts";

test("no answer makes a command crash, ask without end, or act on a terminal", async () => {
  await surviveAnswers(2_700);
});

test("nor do bytes that are no answer", async () => {
  await surviveWire(300);
});
