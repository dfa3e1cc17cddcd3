/** The rest that the service asked another process for. */

import { expect, test } from "vitest";
import { createSharedRest } from "../../src/import/shared-rest.ts";
import { createHandClock } from "../support/hand-clock.ts";

test("requests that begin while the rest is read keep it, too", async () => {
  const clock = createHandClock("2026-11-01T08:00:00.000Z");
  const events: string[] = [];
  let answer = (_rest: unknown) => {};
  const asked = new Promise((resolve) => {
    answer = resolve;
  });
  const ledger = { findRest: () => asked };
  const tools = { ledger, run: { customer: 1 }, clock } as unknown as Parameters<typeof createSharedRest>[0];
  const rest = createSharedRest(tools, (waitMs) => events.push(`paused for ${waitMs} ms`));
  const sent = [1, 2, 3].map((row) => rest.keep().then(() => events.push(`row ${row} may be sent`)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(events).toEqual([]);
  answer({ untilMs: clock.now() + 30_000, waitMs: 40_000 });
  await Promise.all(sent);
  expect(events[0]).toBe("paused for 30000 ms");
});
