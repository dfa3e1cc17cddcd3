/** The hint for an order in doubt: what it says to type finds the order. */

import { expect, test } from "vitest";
import type { Context } from "../../src/command/command.ts";
import type { Operation } from "../../src/ledger/operation.ts";
import { howToResolve } from "../../src/sending/guard.ts";

const context = { nextCommand: (words: string) => words } as Context;
const sentAtMs = Date.parse("2026-11-28T12:00:00Z");

test.each([
  ["from the day before it was sent, by the service's clock", -3 * 86_400_000, " --from 2026-11-24"],
  ["all orders, where that clock is not known", undefined, ""],
])("lists %s", (_what, offsetMs, from) => {
  const operation = { run: 1, number: 1, state: "unknown", sentAtMs, offsetMs } as Operation;
  expect(howToResolve(operation, { kind: "unclear", candidates: [] }, context)).toContain(
    `look for the order: orders list${from} --all; then decide: orders resolve 1.1 --as ORDER`,
  );
});
