/** An undo at full size; `npm run chaos`. */

import { test } from "vitest";
import { undoUnderKills } from "../undo.ts";

test(
  "2000 orders, 40 kills: each is cancelled, and each request was recorded before",
  () => undoUnderKills(2_000, 40),
  900_000,
);
