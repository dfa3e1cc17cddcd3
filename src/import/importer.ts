/**
 * The run of an import: rows are claimed in the ledger, sent, and their outcomes recorded. What is in doubt is
 * looked for, and sent again only once no order at the service can be its own.
 */

import type { Clock } from "../core/clock.ts";
import { createSlots, mapInOrder } from "../core/concurrent.ts";
import type { Ledger } from "../ledger/ledger.ts";
import {
  isMade,
  nameOperation,
  type Operation,
  type OperationName,
  type OrderFacts,
  type Rejection,
  type Run,
} from "../ledger/operation.ts";
import { type ClaimedRow, type CreateOutcome, LostClaim, OrderTaken } from "../ledger/operations.ts";
import type { FileFacts, RowDecision, RowPolicy } from "../ledger/rules.ts";
import { orderFacts } from "../sending/guard.ts";
import { findLostRows, type LostRow } from "../sending/lost-rows.ts";
import type { OrderLookup } from "../sending/reconcile.ts";
import { redactRejection } from "../sending/redacted-rejection.ts";
import { type Backoff, createBackoff, type Failure } from "./backoff.ts";
import { createRateLimiter } from "./rate-limiter.ts";
import type { ImportRow } from "./rows.ts";

/** What came of one request. */
export type SendResult =
  | { readonly kind: "created"; readonly order: OrderFacts; readonly orderState: string | undefined }
  /** `isFinal`: the service itself said so, not something on the way to it. */
  | { readonly kind: "refused"; readonly isFinal: boolean; readonly rejection: Rejection }
  /** Certainly not processed. */
  | { readonly kind: "unsent"; readonly cause: Error }
  /** The same, since the service limits the rate; `retryAfterMs` where it says for how long. */
  | { readonly kind: "limited"; readonly cause: Error; readonly retryAfterMs?: number | undefined }
  /** It may or may not have been processed. */
  | { readonly kind: "unknown"; readonly cause: Error }
  /** Certainly not processed, and going on makes no sense, such as with a refused key. */
  | { readonly kind: "stopped"; readonly cause: Error };

/** What an import is at, for those who look on. */
export type Stage =
  | { readonly kind: "sending" }
  /** Requests fail, and are tried again. */
  | { readonly kind: "failing"; readonly reason: string }
  /** The service limits the rate, until this time of our clock. */
  | { readonly kind: "limited"; readonly untilMs: number }
  /** It looks for what became of rows whose answer was lost. */
  | { readonly kind: "looking"; readonly rows: number }
  /** Another courier process is sending rows of the same file. */
  | { readonly kind: "waiting"; readonly rows: number };

export interface ImportTools {
  readonly ledger: Ledger;
  readonly run: Run;
  readonly file: FileFacts;
  readonly policy: RowPolicy;
  /** Sends one request, once. A rejection leaves open whether it was processed. */
  readonly send: (row: ImportRow) => Promise<SendResult>;
  readonly lookup: OrderLookup;
  /** Takes over what runs that have ended left open. */
  readonly releaseDead: () => Promise<void>;
  readonly clock: Clock;
  /** In [0, 1): jitter of the waits. */
  readonly random: () => number;
  /** Aborts when no further row is to be begun; requests in progress are finished. */
  readonly stop: AbortSignal;
  /** Told what the import is at whenever that changes. */
  readonly tell: (stage: Stage) => void;
}

export interface ImportOptions {
  readonly concurrency: number;
  readonly ratePerSecond?: number | undefined;
}

export type Outcome =
  | "created"
  | "found"
  | "shipped"
  | "refused"
  | "held"
  | "changed"
  | "cancelled"
  | "unknown"
  | "unsent";

export interface RowResult {
  readonly row: ImportRow;
  readonly outcome: Outcome;
  /** What the ledger decided, where nothing was sent now. */
  readonly decision?: RowDecision;
  readonly order?: OrderFacts | undefined;
  readonly rejection?: Rejection | undefined;
}

/** The service may still be at work on a request whose answer was lost. */
const settleMs = 2_000;
/** How often another process is asked for rows that it is sending. */
const pollMs = 500;
const mostLooks = 12;
/** How many results may wait for a slow row before them, in times the rows sent at once. */
const windowFactor = 8;
/** What a row's turn gave, once it is recorded; nothing for a row that is decided about later. */
interface Turn {
  readonly finished?: Promise<RowResult>;
}

/** A row that was claimed or decided about. */
interface Claim extends ClaimedRow {
  readonly row: ImportRow;
}

/** Sends what is to be sent, `concurrency` rows at once, then finds out what became of lost answers. */
export async function* importRows(
  rows: AsyncIterable<ImportRow>,
  tools: ImportTools,
  options: ImportOptions,
): AsyncGenerator<RowResult> {
  const { ledger, run, file, policy, lookup, clock, stop, tell } = tools;
  const backoff = createBackoff(clock, tools.random, options.concurrency);
  /** Rows that are decided about again: their request or an equal one is in doubt, or another run sends them. */
  let later: ImportRow[] = [];
  /** Operations in doubt that were looked for in vain, with the orders that may be theirs. */
  const looked = new Map<string, readonly string[]>();
  const sendRow = createRowSender({ tools, options, backoff, onLost: (row) => later.push(row) });

  /** A few rows at a time: what is claimed is in doubt after a crash, and other processes may take the rest. */
  async function* claim(of: AsyncIterable<ImportRow> | Iterable<ImportRow>): AsyncGenerator<Claim> {
    for await (const batch of inBatches(of, options.concurrency)) {
      if (stop.aborted) return;
      const sent = { atMs: clock.now(), offsetMs: lookup.clockOffsetMs() };
      const claims = await ledger.claimRows(run, batch, file, policy, sent);
      let begun = 0;
      try {
        for (const each of claims) {
          const row = batch[begun] as ImportRow;
          begun += 1;
          yield { ...each, row };
        }
      } finally {
        for (const { operation } of claims.slice(begun))
          if (operation) await ledger.endCreate(operation, run.number, { state: "unsent" }, clock.now());
      }
    }
  }

  async function begin({ row, decision, operation }: Claim): Promise<Turn> {
    if (operation) return sendRow(row, operation);
    if (!isOpen(decision)) return { finished: Promise.resolve(resultOf(row, decision, looked)) };
    later.push(row);
    return {};
  }

  /** True where a further look can change what is decided. */
  function isOpen(decision: RowDecision): boolean {
    if (decision.kind !== "in_doubt" && decision.kind !== "held") return false;
    const { operation } = decision;
    if (isMade(operation)) return false;
    return operation.state !== "unknown" || !looked.has(nameOperation(operation));
  }

  async function* pass(of: AsyncIterable<ImportRow> | Iterable<ImportRow>): AsyncGenerator<RowResult> {
    const window = options.concurrency * windowFactor;
    // While some are in progress, the next are recorded on disk: nobody waits for the disk then.
    const limit = 2 * options.concurrency - 1;
    for await (const { finished } of mapInOrder(claim(of), limit, begin, {
      stop,
      window,
      isIrrevocable: true,
    })) {
      const result = await finished; // nothing is reported that a crash could make unknown
      if (result) yield result;
    }
  }

  /** Looks at the service for what is in doubt, or waits for the runs that are at work. False when told to stop. */
  async function settle(batch: readonly ImportRow[]): Promise<"looked" | "waited" | "stopped"> {
    try {
      await tools.releaseDead();
      const decisions = await ledger.viewRows(run.customer, batch, file, policy, clock.now());
      const own = new Map<string, Operation>();
      const others = new Map<string, Operation>();
      for (const decision of decisions) {
        if (!isOpen(decision) || decision.kind === "send") continue;
        const name = nameOperation(decision.operation);
        (decision.kind === "in_doubt" ? own : others).set(name, decision.operation);
      }
      const lost = [...new Map([...others, ...own]).values()].filter(({ state }) => state === "unknown");
      if (lost.length === 0) {
        tell({ kind: "waiting", rows: batch.length });
        await clock.sleep(pollMs, stop);
        return "waited";
      }
      tell({ kind: "looking", rows: batch.length });
      await clock.sleep(settleMs, stop);
      await look(lost, own);
      backoff.onSuccess();
      tell({ kind: "sending" });
      return "looked";
    } catch (error) {
      if (stop.aborted) return "stopped";
      throw error;
    }
  }

  async function look(lost: readonly Operation[], own: ReadonlyMap<string, Operation>): Promise<void> {
    const searchable = lost.flatMap((operation): LostRow<LostOperation>[] => {
      const { draft, content, sentAtMs, offsetMs } = operation;
      if (draft === undefined || content === undefined || sentAtMs === undefined) return [];
      return [{ row: { draft, content, operation }, sentAtMs, offsetMs }];
    });
    for (const operation of lost) looked.set(nameOperation(operation), []);
    const findings = searchable.length > 0 ? await findLostRows(searchable, lookup, stop) : [];
    // Orders are taken before a row is given up, so that a crash in between cannot give up too many.
    for (const finding of findings) {
      const { operation } = finding.row;
      const name = nameOperation(operation);
      if (finding.kind === "found") {
        const { order } = finding;
        const outcome = {
          state: "found",
          order: orderFacts(order),
          orderState: order.status ?? undefined,
        } as const;
        await settleFound(operation, outcome, name);
      }
      if (finding.kind === "unclear") looked.set(name, finding.candidates);
    }
    for (const { kind, row } of findings) {
      if (kind !== "absent" || row.operation.isUnwanted || !own.has(nameOperation(row.operation))) continue;
      await ledger.settleCreate(row.operation, { state: "unsent" }, clock.now());
    }
  }

  async function settleFound(
    operation: Operation,
    outcome: CreateOutcome & { state: "found" },
    name: string,
  ) {
    try {
      await ledger.settleCreate(operation, outcome, clock.now());
      foundNow.add(name);
    } catch (error) {
      if (!(error instanceof OrderTaken)) throw error;
      looked.set(name, [outcome.order.id]);
    }
  }

  const foundNow = new Set<string>();
  const told = (result: RowResult): RowResult => {
    const { decision } = result;
    const isFound =
      decision?.kind === "shipped" &&
      !decision.isElsewhere &&
      foundNow.has(nameOperation(decision.operation));
    return isFound ? { ...result, outcome: "found" } : result;
  };

  let failure: { readonly error: unknown } | undefined;
  try {
    yield* pass(rows);
    for (let looks = 0; later.length > 0 && looks < mostLooks && !stop.aborted; ) {
      const batch = later;
      later = [];
      const done = await settle(batch).catch((error) => {
        later = batch;
        throw error;
      });
      if (done === "stopped") {
        later = batch;
        break;
      }
      if (done === "looked") looks += 1;
      for await (const result of pass(batch)) yield told(result);
    }
  } catch (error) {
    failure = { error };
  }
  if (later.length > 0) {
    const decisions = await ledger.viewRows(run.customer, later, file, policy, clock.now());
    for (const [index, row] of later.entries()) yield leftOpen(row, decisions[index]);
  }
  if (failure) throw failure.error;
}

interface LostOperation {
  readonly draft: NonNullable<Operation["draft"]>;
  readonly content: string;
  readonly operation: Operation;
}

/** A row that the import ended without deciding. */
function leftOpen(row: ImportRow, decision: RowDecision | undefined): RowResult {
  const isInDoubt = decision?.kind === "in_doubt" && decision.operation.state === "unknown";
  if (!isInDoubt) return { row, outcome: "unsent" };
  const message = "its answer was lost; run the import again to find out";
  return { row, outcome: "unknown", decision, rejection: { code: "outcome_unknown", message } };
}

/** What a decision of the ledger means for a row that is not sent. */
function resultOf(
  row: ImportRow,
  decision: RowDecision,
  looked: ReadonlyMap<string, readonly string[]>,
): RowResult {
  switch (decision.kind) {
    case "send":
      return { row, outcome: "unsent" };
    case "shipped":
      return { row, outcome: "shipped", decision, order: decision.operation.order };
    case "refused":
      return { row, outcome: "refused", decision, rejection: decision.operation.rejection };
    case "changed":
    case "cancelled":
      return { row, outcome: decision.kind, decision, order: decision.operation.order };
    case "held":
      return { row, outcome: "held", decision };
    case "in_doubt": {
      const { operation } = decision;
      const candidates = looked.get(nameOperation(operation)) ?? [];
      const message = operation.isUnwanted
        ? "its answer was lost, and its run was undone: it is not sent again"
        : candidates.length > 0
          ? `these orders may be it: ${candidates.join(", ")}`
          : "its answer was lost, and what was sent is no longer known";
      return { row, outcome: "unknown", decision, rejection: { code: "outcome_unknown", message } };
    }
  }
}

interface RowSenderOptions {
  readonly tools: ImportTools;
  readonly options: ImportOptions;
  readonly backoff: Backoff;
  /** Told of a row whose answer was lost, or that another run has taken over. */
  readonly onLost: (row: ImportRow) => void;
}

/**
 * Sends rows, no more than `concurrency` at once, at one shared pace. After a failure that ends the import no
 * further request leaves.
 */
function createRowSender({ tools, options, backoff, onLost }: RowSenderOptions) {
  const { ledger, run, clock, stop, tell, lookup } = tools;
  const limiter = createRateLimiter(clock, options.ratePerSecond);
  const inSlot = createSlots(options.concurrency);
  let hasFailed = false;

  /**
   * Gives undefined where the row is not to be sent any more. What the answer means for all others is settled
   * before the next one leaves.
   */
  async function request(row: ImportRow) {
    await limiter.pass(stop).catch(() => {});
    if (stop.aborted || hasFailed) return undefined;
    const sentAtMs = clock.now(); // a wait for the limiter is no silence of the service
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
          backoff.onSuccess();
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
    const waitMs = backoff.onFailure(failure);
    if (waitMs > 0) limiter.pause(waitMs);
    if (failure.limit) tell({ kind: "limited", untilMs: clock.now() + waitMs });
    else if (waitMs > 0) tell({ kind: "failing", reason: failure.cause.message });
  }

  const end = (name: OperationName, outcome: CreateOutcome, canWait = false) =>
    ledger.endCreate(name, run.number, outcome, clock.now(), { canWait });

  /** An order that another operation has already makes this one unknown. */
  async function endCreated(
    row: ImportRow,
    name: OperationName,
    { order, orderState }: Extract<SendResult, { kind: "created" }>,
  ): Promise<RowResult> {
    try {
      await end(name, { state: "created", order, orderState }, true);
      return { row, outcome: "created", order };
    } catch (error) {
      if (!(error instanceof OrderTaken)) throw error;
      await end(name, { state: "unknown" });
      const message = `the service answered with order ${order.id}, which operation ${nameOperation(error.holder)} has made`;
      return { row, outcome: "unknown", rejection: { code: "outcome_unknown", message } };
    }
  }

  async function send(row: ImportRow, name: OperationName): Promise<Turn> {
    for (let tries = 1; !stop.aborted && !hasFailed; tries++) {
      if (tries > 1)
        await ledger.markSending(name, run.number, { atMs: clock.now(), offsetMs: lookup.clockOffsetMs() });
      const answered = await inSlot(() => request(row)).catch(async (error) => {
        await end(name, { state: "unknown" });
        onLost(row);
        throw error;
      });
      const result = answered?.result;
      switch (result?.kind) {
        case "created":
          return { finished: inBackground(endCreated(row, name, result)) };
        case "refused": {
          const { isFinal, rejection } = result;
          const kept = redactRejection(rejection, row.draft);
          const outcome = { state: isFinal ? "refused" : "unsent", rejection: kept } as const;
          const ended = end(name, outcome).then((): RowResult => ({ row, outcome: "refused", rejection }));
          return { finished: inBackground(ended) };
        }
        case "unknown":
          await end(name, { state: "unknown" });
          onLost(row);
          if (answered?.end) throw answered.end;
          return {};
      }
      if (answered?.end) {
        await end(name, { state: "unsent" });
        throw answered.end;
      }
      if (stop.aborted || hasFailed) break;
      await ledger.markReady(name, run.number);
    }
    await end(name, { state: "unsent" });
    return { finished: Promise.resolve({ row, outcome: "unsent" }) };
  }

  return async (row: ImportRow, name: OperationName): Promise<Turn> => {
    try {
      return await send(row, name);
    } catch (error) {
      if (!(error instanceof LostClaim)) throw error;
      onLost(row); // another run has taken it over, and settles it
      return {};
    }
  };
}

/** A failure is met by whoever waits for it. */
function inBackground<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

async function* inBatches<T>(items: AsyncIterable<T> | Iterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
