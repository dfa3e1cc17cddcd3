/** Sends the rows of an import: one pace for all, each request recorded before it leaves and after its answer. */

import { createSemaphore } from "../core/concurrent.ts";
import { nameOperation, type OperationName, type Rejection } from "../ledger/operation.ts";
import { type CreateOutcome, LostClaim, OrderTaken } from "../ledger/operations.ts";
import { redactRejection } from "../sending/redacted-rejection.ts";
import type { Backoff, Failure } from "./backoff.ts";
import type { DoubtGate } from "./doubt-gate.ts";
import type { ImportOptions, ImportTools, RowResult, SendResult, Turn } from "./import-types.ts";
import { createRateLimiter } from "./rate-limiter.ts";
import type { ImportRow } from "./rows.ts";

interface RowSenderOptions {
  readonly tools: ImportTools;
  readonly options: ImportOptions;
  readonly backoff: Backoff;
  readonly gate: DoubtGate;
  /** Told of a row whose answer was lost, or that another run has taken over. */
  readonly onLost: (row: ImportRow) => void;
  /** Told of a refusal that is still to be checked. */
  readonly onRefused: (name: OperationName, rejection: Rejection) => void;
}

/**
 * Sends rows, no more than `concurrency` at once, at one shared pace. After a failure that ends the import no
 * further request leaves.
 */
export function createRowSender({ tools, options, backoff, gate, onLost, onRefused }: RowSenderOptions) {
  const { ledger, run, clock, stop, tell } = tools;
  const limiter = createRateLimiter(clock, options.ratePerSecond);
  const inSlot = createSemaphore(options.concurrency);
  let hasFailed = false;
  /** Why an answer could not be recorded. */
  let failure: { readonly error: unknown } | undefined;

  /**
   * Gives undefined where the row is not to be sent now. What the answer means for all others is settled before the
   * next one leaves.
   */
  async function request(row: ImportRow, name: OperationName) {
    await limiter.pass(stop).catch(() => {});
    if (stop.aborted || hasFailed || gate.isShut) return undefined;
    const sentMs = clock.elapsed(); // a wait for the limiter is no silence of the service
    try {
      const result = await tools.send(row, () => ledger.holdsClaim(name, run.number));
      gate.note(result.kind === "unknown");
      return { result, end: judge(result, sentMs) };
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }

  /** Gives the error that ends the import, if it is to end. */
  function judge(result: SendResult, sentMs: number): unknown {
    try {
      switch (result.kind) {
        case "created":
        case "refused":
          backoff.onSuccess();
          tell({ kind: "sending" });
          return undefined;
        case "stopped":
          throw result.cause;
        case "rate_limited":
          wait({ cause: result.cause, sentMs, limit: { waitMs: result.retryAfterMs } });
          return undefined;
        default:
          wait({ cause: result.cause, sentMs, isDoubtful: result.kind === "unknown" });
          return undefined;
      }
    } catch (error) {
      hasFailed = true;
      return error;
    }
  }

  function wait(failure: Failure): void {
    const waitMs = backoff.onFailure(failure);
    if (waitMs > 0) limiter.pause(waitMs);
    if (failure.limit) tell({ kind: "rate_limited", untilMs: clock.elapsed() + waitMs });
    else if (waitMs > 0) tell({ kind: "server_error", reason: failure.cause.message });
  }

  const end = (name: OperationName, outcome: CreateOutcome, canWait = false) =>
    ledger.endCreate(name, run.number, outcome, clock.now(), { canWait });

  /** What came of a request is reported although it cannot be recorded; then the import ends. */
  async function record(name: OperationName, outcome: CreateOutcome, canWait = false): Promise<void> {
    await end(name, outcome, canWait).catch((error) => {
      if (error instanceof OrderTaken || error instanceof LostClaim) throw error;
      hasFailed = true;
      failure ??= { error };
    });
  }

  /** An order that another operation has already makes this one unknown. */
  async function endCreated(
    row: ImportRow,
    name: OperationName,
    { order, orderState, stampAheadMs }: Extract<SendResult, { kind: "created" }>,
  ): Promise<RowResult> {
    const unknown = (message: string): RowResult => ({
      row,
      outcome: "unknown",
      rejection: { code: "outcome_unknown", message },
    });
    try {
      await record(name, { state: "created", order, orderState, stampAheadMs }, true);
      return { row, outcome: "created", order };
    } catch (error) {
      if (error instanceof LostClaim)
        return unknown(`order ${order.id} was created, but another run has settled this row meanwhile`);
      if (!(error instanceof OrderTaken)) throw error;
      await record(name, { state: "unknown", loss: "broken" });
      return unknown(
        `the service answered with order ${order.id}, which operation ${nameOperation(error.holder)} has made`,
      );
    }
  }

  async function endRefused(
    row: ImportRow,
    name: OperationName,
    { rejection }: Extract<SendResult, { kind: "refused" }>,
  ): Promise<RowResult> {
    const kept = redactRejection(rejection, row.draft);
    await record(name, { state: "refused", rejection: kept }).catch((error) => {
      if (!(error instanceof LostClaim)) throw error;
    });
    return { row, outcome: "refused", rejection };
  }

  async function send(row: ImportRow, name: OperationName): Promise<Turn> {
    let isSending = true; // as it was claimed
    while (!stop.aborted && !hasFailed) {
      if (gate.isShut) {
        if (isSending) await ledger.markReady(name, run.number);
        isSending = false;
        if (!(await gate.opened())) hasFailed = true;
        continue;
      }
      if (!isSending) {
        const offsetMs = tools.reconcile.clockOffsetMs();
        await ledger.markSending(name, run.number, { atMs: clock.now(), offsetMs });
        isSending = true;
      }
      const answered = await inSlot(() => request(row, name)).catch(async (error) => {
        onLost(row);
        await end(name, { state: "unknown", loss: "broken" });
        throw error;
      });
      const result = answered?.result;
      switch (result?.kind) {
        case "created":
          return { finished: inBackground(endCreated(row, name, result)) };
        case "refused":
          if (result.isCertain) return { finished: inBackground(endRefused(row, name, result)) };
          onLost(row);
          onRefused(name, result.rejection);
          await end(name, {
            state: "unknown",
            loss: "broken",
            rejection: redactRejection(result.rejection, row.draft),
          });
          return {};
        case "unknown":
          onLost(row);
          await end(name, { state: "unknown", loss: result.loss });
          if (answered?.end) throw answered.end;
          return {};
      }
      if (answered?.end) {
        await end(name, { state: "unsent" });
        throw answered.end;
      }
      if (!answered || stop.aborted || hasFailed) continue;
      await ledger.markReady(name, run.number);
      isSending = false;
    }
    await end(name, { state: "unsent" });
    return { finished: Promise.resolve({ row, outcome: "unsent" }) };
  }

  return {
    get failure() {
      return failure;
    },
    async send(row: ImportRow, name: OperationName): Promise<Turn> {
      try {
        return await send(row, name);
      } catch (error) {
        if (!(error instanceof LostClaim)) throw error;
        onLost(row); // another run has taken it over, and settles it
        return {};
      }
    },
  };
}

/** A failure is met by whoever waits for it. */
function inBackground<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
