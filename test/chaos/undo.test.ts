import { test } from "vitest";
import { undoUnderKills } from "./undo.ts";

test(
  "an undo of 200 orders, 6 kills: each is cancelled, and each request was recorded before",
  () => undoUnderKills(200, 6),
  180_000,
);
