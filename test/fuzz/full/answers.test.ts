/** The fuzzers at full size: `npm run fuzz`. */

import { test } from "vitest";
import { surviveAnswers, surviveWire } from "../survive.ts";

test("no answer makes a command crash, ask without end, or act on a terminal", async () => {
  await surviveAnswers(18_000);
}, 600_000);

test("nor do bytes that are no answer", async () => {
  await surviveWire(2_000);
}, 600_000);
