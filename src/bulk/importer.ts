/**
 * Owns the run of an import: each row is sent at most once unless it is certain that the service does not
 * have it. What is about to leave is in the journal first; what came of it, afterwards.
 */

import type { Clock } from "../core/clock.ts";
import { createGate } from "./gate.ts";
import type { Journal } from "./journal.ts";
import { type CreatedFacts, createdFacts } from "./journal-state.ts";
import { findLostRows, type LostRow } from "./lost-rows.ts";
import { mapEach } from "./pool.ts";
import type { OrderLookup } from "./reconcile.ts";
import type { ImportRow } from "./rows.ts";

/** What came of one request. */
export type SendResult =
  | { readonly kind: "created"; readonly facts: CreatedFacts }
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  /** Certainly not processed; `retryAfterMs` where the service asks for fewer calls. */
  | {
      readonly kind: "unsent";
      readonly cause: Error;
      readonly isLimit: boolean;
      readonly retryAfterMs?: number | undefined;
    }
  /** It may or may not have been processed. */
  | { readonly kind: "unknown"; readonly cause: Error }
  /** Certainly not processed, and going on makes no sense, such as with a refused key. */
  | { readonly kind: "stopped"; readonly cause: Error };

export interface ImportTools {
  /** Sends one request, once. A rejection leaves open whether it was processed. */
  readonly send: (row: ImportRow) => Promise<SendResult>;
  readonly lookup: OrderLookup;
  readonly clock: Clock;
  /** In [0, 1): jitter of the waits. */
  readonly random: () => number;
  /** Aborts when no further row is to be begun; requests under way are finished. */
  readonly stop: AbortSignal;
}

export interface ImportOptions {
  readonly concurrency: number;
  readonly ratePerSecond?: number | undefined;
  /** Sends rows again that were refused before, although they have not changed. */
  readonly retryRefused: boolean;
}

export interface RowResult {
  readonly row: ImportRow;
  readonly outcome: "created" | "refused" | "unknown" | "unsent";
  /** The outcome is from an earlier run. */
  readonly isEarlier: boolean;
  /** The row has changed since its order was created. */
  readonly isChanged?: boolean;
  readonly facts?: CreatedFacts;
  readonly error?: { readonly code: string; readonly message: string };
}

/** The service cannot be used any more; rows that were not sent stay for the next run. */
export class ServiceUnavailable extends Error {}

/** The service may still be at work on a request whose answer was lost. */
const settleMs = 2_000;
const mostLooks = 12;
const failuresInARow = 8;
const firstPauseMs = 500;
const longestPauseMs = 30_000;

/** Sends what is to be sent, `concurrency` rows at once, then finds out what became of lost answers. */
export async function* importRows(
  rows: AsyncIterable<ImportRow>,
  journal: Journal,
  tools: ImportTools,
  options: ImportOptions,
): AsyncGenerator<RowResult> {
  const { clock, stop } = tools;
  const gate = createGate(clock, options.ratePerSecond);
  const lost: LostRow[] = [];
  let failures = 0;

  /** Gives undefined for a row whose answer was lost: it is settled later. */
  async function sendRow(row: ImportRow): Promise<RowResult | undefined> {
    const { key, content } = row;
    for (;;) {
      if (stop.aborted) return { row, outcome: "unsent", isEarlier: false };
      await gate.pass(stop).catch(() => {});
      if (stop.aborted) return { row, outcome: "unsent", isEarlier: false };
      const sentAtMs = clock.now();
      await journal.append({ kind: "intent", key, content, at: new Date(sentAtMs).toISOString() });
      const result = await tools.send(row).catch(async (error) => {
        await journal.append({ kind: "unknown", key });
        throw error;
      });
      switch (result.kind) {
        case "created":
          failures = 0;
          await journal.append({ kind: "created", key, content, ...result.facts });
          return { row, outcome: "created", isEarlier: false, facts: result.facts };
        case "refused": {
          failures = 0;
          const error = { code: result.code, message: result.message.slice(0, 1_000) };
          await journal.append({ kind: "refused", key, content, ...error });
          return { row, outcome: "refused", isEarlier: false, error };
        }
        case "unknown":
          await journal.append({ kind: "unknown", key });
          lost.push({ row, sentAtMs: journal.open.get(key) ?? sentAtMs });
          noteFailure(result.cause);
          if (failures > options.concurrency) gate.pause(pauseMs(failures, tools.random()));
          return undefined;
        case "stopped":
          await journal.append({ kind: "unsent", key });
          throw result.cause;
        case "unsent":
          await journal.append({ kind: "unsent", key });
          if (!result.isLimit) noteFailure(result.cause);
          gate.pause(result.retryAfterMs ?? pauseMs(failures, tools.random()));
      }
    }
  }

  function noteFailure(cause: Error): void {
    failures += 1;
    if (failures >= failuresInARow * options.concurrency) {
      throw new ServiceUnavailable(cause.message, { cause });
    }
  }

  async function begin(row: ImportRow): Promise<RowResult | undefined> {
    const last = await journal.lastOf(row.key);
    if (last?.kind === "created") {
      const { id, order_no, tracking_number, estimated_fee } = last;
      return {
        row,
        outcome: "created",
        isEarlier: true,
        facts: { id, order_no, tracking_number, estimated_fee },
      };
    }
    if (last?.kind === "refused" && last.content === row.content && !options.retryRefused) {
      const { code, message } = last;
      return { row, outcome: "refused", isEarlier: true, error: { code, message } };
    }
    const openSinceMs = journal.open.get(row.key);
    if (openSinceMs === undefined) return sendRow(row);
    lost.push({ row, sentAtMs: openSinceMs });
    return undefined;
  }

  for await (const result of mapEach(rows, options.concurrency, begin, stop)) if (result) yield result;

  for (let looks = 0; lost.length > 0 && !stop.aborted; looks++) {
    const batch = lost.splice(0);
    if (looks === mostLooks) {
      yield* batch.map(({ row }) => unknown(row, "its answer was lost again and again"));
      return;
    }
    await clock.sleep(settleMs, stop).catch(() => {});
    if (stop.aborted) {
      lost.push(...batch);
      break;
    }
    const findings = await findLostRows(batch, journal.owns, tools.lookup);
    const absent: ImportRow[] = [];
    for (const finding of findings) {
      const { row } = finding;
      if (finding.kind === "absent") absent.push(row);
      else if (finding.kind === "unclear") {
        yield unknown(row, `these orders may be it: ${finding.candidates.join(", ")}`);
      } else {
        const facts = createdFacts(finding.order);
        await journal.append({ kind: "created", key: row.key, content: row.content, ...facts });
        yield { row, outcome: "created", isEarlier: false, facts };
      }
    }
    for (const row of absent) await journal.append({ kind: "unsent", key: row.key });
    for await (const result of mapEach(absent, options.concurrency, sendRow, stop)) if (result) yield result;
  }
  yield* lost.map(({ row }) => unknown(row, "its answer was lost; run the import again to find out"));
}

function unknown(row: ImportRow, message: string): RowResult {
  return { row, outcome: "unknown", isEarlier: false, error: { code: "outcome_unknown", message } };
}

/** Exponential with full jitter. */
function pauseMs(failures: number, random: number): number {
  return random * Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 16));
}
