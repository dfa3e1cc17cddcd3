/** Owns a row's way to the service: its intent on disk, its turn, its request, and what came of it on disk again. */

import { createSlots } from "../core/concurrent.ts";
import type { LostRow } from "../sending/lost-rows.ts";
import { createGate } from "./gate.ts";
import type { ImportOptions, ImportTools, RowResult, SendResult } from "./import-terms.ts";
import type { Journal } from "./journal.ts";
import { keptRefusal } from "./kept-refusal.ts";
import type { Failure, Patience } from "./patience.ts";
import type { ImportRow } from "./rows.ts";

/** What a row's turn gave, and when the journal has it. */
export interface Turn {
  readonly result: RowResult;
  readonly written?: Promise<void>;
}

export interface RowSenderOptions {
  readonly journal: Journal;
  readonly tools: ImportTools;
  readonly options: ImportOptions;
  readonly patience: Patience;
  /** Told of a row whose answer was lost. */
  readonly onLost: (row: LostRow<ImportRow>) => void;
}

/**
 * Sends rows, no more than `concurrency` at once, at one shared pace. Gives undefined for a row whose answer
 * was lost: it is settled later. After a failure that ends the import no further request leaves.
 */
export function createRowSender({ journal, tools, options, patience, onLost }: RowSenderOptions) {
  const { clock, stop, tell, lookup } = tools;
  const gate = createGate(clock, options.ratePerSecond);
  const inSlot = createSlots(options.concurrency);
  let hasFailed = false;

  /**
   * Gives undefined where the row is not to be sent any more. What the answer means for all others is settled
   * before the next one leaves.
   */
  async function request(row: ImportRow) {
    await gate.pass(stop).catch(() => {});
    if (stop.aborted || hasFailed) return undefined;
    const sentAtMs = clock.now(); // a wait at the gate is no silence of the service
    try {
      const result = await tools.send(row);
      return { result, end: judge(result, sentAtMs) };
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }

  /** Gives the error that ends the import, if it is to end. */
  function judge(result: SendResult, sentAtMs: number): unknown {
    try {
      switch (result.kind) {
        case "created":
        case "refused":
          patience.succeed();
          tell({ kind: "sending" });
          return undefined;
        case "stopped":
          throw result.cause;
        case "limited":
          wait({ cause: result.cause, sentAtMs, limit: { waitMs: result.retryAfterMs } });
          return undefined;
        default:
          wait({ cause: result.cause, sentAtMs, isDoubtful: result.kind === "unknown" });
          return undefined;
      }
    } catch (error) {
      hasFailed = true;
      return error;
    }
  }

  function wait(failure: Failure): void {
    const waitMs = patience.bear(failure);
    if (waitMs > 0) gate.pause(waitMs);
    if (failure.limit) tell({ kind: "limited", untilMs: clock.now() + waitMs });
    else if (waitMs > 0) tell({ kind: "failing", reason: failure.cause.message });
  }

  async function send(row: ImportRow): Promise<Turn | undefined> {
    const { key, content } = row;
    while (!stop.aborted && !hasFailed) {
      const sentAtMs = clock.now();
      const offsetMs = lookup.clockOffsetMs();
      const at = new Date(sentAtMs).toISOString();
      await journal.append({ kind: "intent", key, content, at, offset_ms: offsetMs });
      const answered = await inSlot(() => request(row)).catch(async (error) => {
        await journal.append({ kind: "unknown", key });
        throw error;
      });
      const result = answered?.result;
      switch (result?.kind) {
        case "created":
          return {
            result: { row, outcome: "created", isEarlier: false, facts: result.facts },
            written: inBackground(journal.append({ kind: "created", key, content, ...result.facts })),
          };
        case "refused": {
          const { kind: _refused, isFinal, ...error } = result;
          const kept = keptRefusal(error, row.draft);
          const entry = isFinal
            ? ({ kind: "refused", key, content, ...kept } as const)
            : ({ kind: "unsent", key } as const);
          return {
            result: { row, outcome: "refused", isEarlier: false, error },
            written: inBackground(journal.append(entry)),
          };
        }
        case "unknown":
          await journal.append({ kind: "unknown", key });
          onLost({ row, sentAtMs, offsetMs });
          if (answered?.end) throw answered.end;
          return undefined;
      }
      await journal.append({ kind: "unsent", key });
      if (answered?.end) throw answered.end;
    }
    return { result: { row, outcome: "unsent", isEarlier: false } };
  }

  return send;
}

/** A failure is met by whoever waits for it. */
function inBackground(work: Promise<void>): Promise<void> {
  work.catch(() => {});
  return work;
}
