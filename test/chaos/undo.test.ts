import { test } from "vitest";
import { effort } from "../support/effort.ts";
import { undoUnderKills } from "./undo.ts";

const [orders, kills] = [effort(40, 600), effort(3, 15)];

test(`an undo of ${orders} orders, ${kills} kills: each is cancelled, and each request was recorded before`, () =>
  undoUnderKills(orders, kills));
