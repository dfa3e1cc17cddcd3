/** A ledger that cannot be written in the middle of an import: what left is reported, and nothing more leaves. */

import { expect, onTestFinished, test } from "vitest";
import type { ServiceFailure } from "../../src/api/failure.ts";
import { CourierError } from "../../src/core/errors.ts";
import type { RowResult, SendResult } from "../../src/import/import-types.ts";
import { importRows } from "../../src/import/importer.ts";
import type { ImportRow } from "../../src/import/rows.ts";
import { scriptWindowMs } from "../../src/ledger/equal-orders.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { readGood } from "../sheets/input-text.ts";
import { createHome } from "../support/courier.ts";
import { createHandClock } from "../support/hand-clock.ts";
import { row, sheet } from "../support/imports.ts";
import { createServiceInMemory, type Fate } from "./service-in-memory.ts";

const full = new CourierError("database", 5, "the ledger cannot be used: the disk is full");

interface Trouble {
  /** Another run takes these rows over while they are sent, and finds their orders: the answers come too late. */
  readonly takenOver?: readonly string[];
  /** So many claims succeed. */
  readonly claims?: number;
}

async function importWith(
  kinds: readonly Fate["kind"][],
  writes: number,
  { takenOver = [], claims = Number.POSITIVE_INFINITY }: Trouble = {},
) {
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
  let claimsLeft = claims;
  const results: RowResult[] = [];
  const working = (async () => {
    const tools = {
      ledger: {
        ...ledger,
        claimRows: async (...given: Parameters<typeof ledger.claimRows>) => {
          if (claimsLeft-- <= 0) throw full;
          return ledger.claimRows(...given);
        },
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
        isAllowed: () => false,
      },
      send: async (sent: ImportRow, mayLeave: () => boolean): Promise<SendResult> => {
        const result = await service.send(sent, mayLeave);
        if (!takenOver.includes(sent.ref ?? "") || result.kind !== "created") return result;
        const own = (await ledger.findByRefs(customer.id, [sent.ref ?? ""]))[0];
        await ledger.releaseRun(run.number, clock.now());
        if (own) await ledger.settleCreate(own, { state: "found", order: result.order }, clock.now());
        return { kind: "unknown", cause: full as unknown as ServiceFailure, loss: "timeout" };
      },
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

test("an order that another run has found meanwhile is reported, and not as not sent", async () => {
  const { results, orders } = await importWith([], 100, {
    takenOver: ["A-0", "A-1", "A-2", "A-3"],
    claims: 1,
  });
  const told = new Map(results.map(({ row: { ref }, outcome, order }) => [ref, [outcome, order?.id]]));
  for (const [index, { id }] of orders.entries())
    expect(told.get(`A-${index}`)).toEqual([expect.stringMatching(/^(shipped|found|created)$/), id]);
});
