/** A ledger that cannot be written in the middle of an import: what left is reported, and nothing more leaves. */

import { expect, onTestFinished, test } from "vitest";
import { CourierError } from "../../src/core/errors.ts";
import type { RowResult } from "../../src/import/import-types.ts";
import { importRows } from "../../src/import/importer.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { scriptWindowMs } from "../../src/ledger/rules.ts";
import { readGood } from "../sheets/input-text.ts";
import { createHome } from "../support/courier.ts";
import { createHandClock } from "../support/hand-clock.ts";
import { row, sheet } from "../support/imports.ts";
import { createServiceInMemory, type Fate } from "./service-in-memory.ts";

const full = new CourierError("database", 5, "the ledger cannot be used: the disk is full");

async function importWith(kinds: readonly Fate["kind"][], writes: number) {
  const { stateDir } = await createHome();
  const ledger = await openLedger(stateDir);
  onTestFinished(() => ledger.close());
  const clock = createHandClock("2026-03-01T08:00:00Z");
  const service = createServiceInMemory(
    clock,
    kinds.map((kind): Fate => ({ kind, turns: [0, 0] })),
  );
  const rows = await readGood(sheet(...Array.from({ length: 40 }, (_, index) => row(`A-${index}`))));
  const customer = await ledger.learnCustomer({ service: "s", key: "k", profileId: "1", account: "a" });
  const run = await ledger.beginRun({
    command: "orders import",
    account: "a",
    service: "s",
    customer: customer.id,
    process: { pid: 1, started: undefined, place: "here" },
    startedAtMs: clock.now(),
  });
  let left = writes;
  const results: RowResult[] = [];
  const working = (async () => {
    const tools = {
      ledger: {
        ...ledger,
        endCreate: async (...given: Parameters<typeof ledger.endCreate>) => {
          if (left-- <= 0) throw full;
          return ledger.endCreate(...given);
        },
      },
      run,
      file: { files: [run.number], shop: "", hasRef: () => true, countOf: () => 0 },
      policy: {
        windowMs: scriptWindowMs,
        retryRefused: false,
        skipShipped: false,
        resendCancelled: false,
        isAllowed: () => false,
      },
      send: service.send,
      reconcile: {
        ...service.lookup,
        ledger,
        customer: customer.id,
        run: run.number,
        clock,
        stop: new AbortController().signal,
        settleMs: 10_000,
      },
      earlier: 0,
      releaseDead: async () => [],
      clock,
      random: () => 0.5,
      stop: new AbortController().signal,
      onStage: () => {},
    };
    const again = async function* () {
      yield* rows;
    };
    for await (const result of importRows(again, tools, { concurrency: 4 })) results.push(result);
  })();
  await expect(working).rejects.toBe(full);
  return { results, orders: service.orders };
}

test("orders that were created are reported although they cannot be recorded, and the import ends", async () => {
  const { results, orders } = await importWith([], 3);
  const reported = results.filter(({ outcome }) => outcome === "created").map(({ order }) => order?.id);
  expect([...reported].sort()).toEqual(orders.map(({ id }) => id).sort());
  expect(results.filter(({ isUnrecorded }) => isUnrecorded)).toHaveLength(orders.length - 3);
  expect(orders.length).toBeGreaterThanOrEqual(4);
  expect(orders.length).toBeLessThan(16);
});

test("a lost answer that cannot be recorded is reported as unknown", async () => {
  const { results, orders } = await importWith(["lost after", "created", "created", "created"], 0);
  const unknown = results.filter(({ outcome }) => outcome === "unknown").map(({ row: { ref } }) => ref);
  expect(unknown).toContain("A-0");
  const told = new Set(results.map(({ row: { ref } }) => ref));
  for (const [index] of orders.entries()) expect(told.has(`A-${index}`), `A-${index}`).toBe(true);
});
