/** Sends the rows of an import with one rate limit. Each request is recorded before it is sent and after its answer. */

import { createSemaphore } from "../core/concurrent.ts";
import type { CreateOutcome, OperationName, Rejection } from "../ledger/operation.ts";
import { LostClaim, OtherOrder } from "../ledger/operation-errors.ts";
import { describeMadeCancelled } from "../sending/create.ts";
import { lossOf } from "../sending/evidence.ts";
import { redactRejection } from "../sending/redacted-rejection.ts";
import type { Backoff, Failure } from "./backoff.ts";
import type { DoubtGate } from "./doubt-gate.ts";
import type { ImportOptions, ImportTools, RowResult, SendResult, Turn } from "./import-types.ts";
import { createRateLimiter } from "./rate-limiter.ts";
import type { RefusalGate } from "./refusal-gate.ts";
import type { ImportRow } from "./rows.ts";
import { createSharedRest } from "./shared-rest.ts";

/** A service may call every order of a file cancelled. */
const mostNamed = 5;

interface RowSenderOptions {
  readonly tools: ImportTools;
  readonly options: ImportOptions;
  readonly backoff: Backoff;
  readonly gate: DoubtGate;
  readonly refusals: RefusalGate;
  /** Called for a row whose answer was lost, or that another run has taken over. */
  readonly onLost: (row: ImportRow) => void;
  /** Called for a refusal that is still to be checked. */
  readonly onRefused: (name: OperationName, rejection: Rejection) => void;
}

/**
 * Sends at most `concurrency` rows at once, with one rate limit. After a failure that ends the import, no further
 * request is sent.
 */
export function createRowSender({
  tools,
  options,
  backoff,
  gate,
  refusals,
  onLost,
  onRefused,
}: RowSenderOptions) {
  const { ledger, run, clock, stop, onStage } = tools;
  const limiter = createRateLimiter(clock, options.ratePerSecond);
  const rest = createSharedRest(tools, (waitMs) => {
    limitedUntilMs = limiter.pause(waitMs);
    onStage({ kind: "rate_limited", untilMs: limitedUntilMs });
  });
  // A stop ends the wait for a slot, so that rows are given back at once: a second Ctrl-C would leave them in doubt.
  const inSlot = createSemaphore(options.concurrency, stop);
  let hasFailed = false;
  /** The end of the wait that an HTTP 429 asked for: answers to requests that had left may come during it. */
  let limitedUntilMs = Number.NEGATIVE_INFINITY;
  /** Orders that were cancelled from the start. */
  let cancelled = 0;
  /** Why an answer could not be recorded. */
  let failure: { readonly error: unknown } | undefined;

  /**
   * Returns undefined where the row must not be sent now. The answer is applied to the shared backoff before the next
   * request is sent.
   */
  async function request(row: ImportRow, name: OperationName) {
    await rest.keep();
    await limiter.pass(stop).catch(() => {});
    if (stop.aborted || hasFailed || gate.isShut || refusals.isShut) return undefined;
    const sentMs = clock.elapsed(); // after the wait for the limiter, which is not a wait for the service
    try {
      const result = await tools.send(row, () => ledger.holdsClaim(name, run.number));
      // Whether an answer names an order of its own is known once it is recorded.
      if (result.kind !== "created") gate.note(result.kind === "unknown");
      if (result.kind === "created") refusals.noteCreated();
      if (result.kind === "refused") refusals.noteRefused(result.rejection);
      return { result, end: applyAnswer(result, sentMs) };
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }

  /** Returns the error that ends the import, if any. */
  function applyAnswer(result: SendResult, sentMs: number): unknown {
    try {
      switch (result.kind) {
        case "created":
        case "refused":
          backoff.onSuccess();
          onStage(
            limitedUntilMs > clock.elapsed()
              ? { kind: "rate_limited", untilMs: limitedUntilMs }
              : { kind: "sending" },
          );
          return undefined;
        case "stopped":
          throw result.cause;
        case "rate_limited":
          wait({ cause: result.cause, sentMs, rateLimit: { waitMs: result.retryAfterMs } });
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
    const untilMs = limiter.pause(waitMs);
    if (failure.rateLimit) {
      rest.note(waitMs);
      limitedUntilMs = untilMs;
      onStage({ kind: "rate_limited", untilMs });
    } else if (waitMs > 0) onStage({ kind: "server_error", reason: failure.cause.message });
  }

  const end = (name: OperationName, outcome: CreateOutcome, canWait = false) =>
    ledger.endCreate(name, run.number, outcome, clock.now(), { canWait });

  /** False for an outcome that cannot be recorded: it is reported; then the import ends. */
  async function record(name: OperationName, outcome: CreateOutcome, canWait = false): Promise<boolean> {
    try {
      await end(name, outcome, canWait);
      return true;
    } catch (error) {
      if (error instanceof OtherOrder || error instanceof LostClaim) throw error;
      hasFailed = true;
      failure ??= { error };
      return false;
    }
  }

  /**
   * Where the answer names another order, it counts as lost: the row is decided about later,
   * and the result is undefined.
   */
  async function endCreated(
    row: ImportRow,
    name: OperationName,
    { order, orderState, stampAheadMs }: Extract<SendResult, { kind: "created" }>,
  ): Promise<RowResult | undefined> {
    try {
      const isRecorded = await record(name, { state: "created", order, orderState, stampAheadMs }, true);
      gate.note(false);
      if (orderState === "cancelled") warnOfCancelled(row, order.id);
      return { row, outcome: "created", order, isUnrecorded: !isRecorded };
    } catch (error) {
      if (error instanceof LostClaim) {
        const message = `order ${order.id} was created, but another run has settled this row`;
        return { row, outcome: "unknown", rejection: { code: "outcome_unknown", message } };
      }
      if (!(error instanceof OtherOrder)) throw error;
      gate.note(true);
      onStage({ kind: "server_error", reason: error.reason });
      onLost(row);
      const doubt = { state: "unknown", loss: lossOf(error), namedOrder: error.possibleOrder } as const;
      await record(name, doubt).catch((lost) => {
        if (!(lost instanceof LostClaim)) throw lost;
      });
      return undefined;
    }
  }

  function warnOfCancelled({ row }: ImportRow, orderId: string): void {
    cancelled += 1;
    if (cancelled <= mostNamed) tools.reconcile.warn?.(`row ${row}: ${describeMadeCancelled(orderId)}`);
    else if (cancelled === mostNamed + 1)
      tools.reconcile.warn?.("the service calls further orders of this import cancelled, too");
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
    let isSending = true; // the state of a claimed row
    while (!stop.aborted && !hasFailed) {
      const shut = [gate, refusals].find(({ isShut }) => isShut);
      if (shut) {
        if (isSending) await ledger.markReady(name, run.number);
        isSending = false;
        const isOpened = await shut.opened().catch(async (error) => {
          hasFailed = true;
          await end(name, { state: "unsent" });
          throw error;
        });
        if (!isOpened) hasFailed = true;
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
          await end(name, { state: "unknown", loss: result.loss, namedOrder: result.namedOrder });
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
        onLost(row); // another run has taken it over
        return {};
      }
    },
  };
}

/** The caller that awaits the promise handles its rejection. */
function inBackground<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
