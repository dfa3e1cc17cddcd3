/**
 * The run of an import: rows are claimed in the ledger, sent, and their outcomes recorded. What is in doubt is
 * looked for, and sent again only once no order at the service can be its own.
 */

import { mapInOrder } from "../core/concurrent.ts";
import {
  isMade,
  nameOperation,
  type Operation,
  type OperationName,
  type Rejection,
  type Run,
} from "../ledger/operation.ts";
import type { SentFacts } from "../ledger/operations.ts";
import type { RowDecision, RowPolicy } from "../ledger/rules.ts";
import { reconcile } from "../sending/reconcile.ts";
import type { Reconciled, StillInDoubt } from "../sending/reconcile-types.ts";
import { firstPollMs, longestPollMs, waitToLook } from "../sending/settle.ts";
import { createBackoff } from "./backoff.ts";
import { createDoubtGate } from "./doubt-gate.ts";
import { type Claim, createEqualRows } from "./equal-rows.ts";
import type { ImportOptions, ImportTools, RowResult, Turn } from "./import-types.ts";
import { describeDoubt, inDoubtAs, notFoundOut, resultOf } from "./row-result.ts";
import { createRowSender } from "./row-sender.ts";
import type { ImportRow } from "./rows.ts";

/** So long an import waits for rows in doubt while nothing else comes of it. */
const patienceMs = 30_000;
/** After so many doubtful answers in a row, at most, nothing more is sent into doubt. */
const mostDoubts = 10;
/** How often another process is asked for rows that it is sending. */
const pollEveryMs = 500;
/** A row whose answer is lost again and again waits for the next run. */
const mostLosses = 4;
/** So many times rows in doubt are settled and decided about again. */
const mostRounds = 12;
/** How many results may wait for a slow row before them, in times the rows sent at once. */
const windowFactor = 8;
/** Rows that are claimed in one transaction, in times the rows sent at once. */
const claimFactor = 1;
/** Rows that are looked up in the ledger at once, in times the rows sent at once. */
const viewFactor = 8;

/**
 * Sends what is to be sent, `concurrency` rows at once, then finds out what became of lost answers. `rows` gives
 * the same rows whenever it is called.
 */
export async function* importRows(
  rows: () => AsyncIterable<ImportRow>,
  tools: ImportTools,
  options: ImportOptions,
): AsyncGenerator<RowResult> {
  const { ledger, run, file, clock, stop, tell } = tools;
  /** Orders of other files and commands that rows of this run count as their own. */
  const covered = new Set<string>();
  /** Rows that an order in doubt has held: what it turned out to be was not known when a flag named them. */
  const heldByDoubt = new Set<number>();
  const policy: RowPolicy = {
    ...tools.policy,
    isCovered: (operation) => covered.has(nameOperation(operation)),
    isAllowed: (row) => tools.policy.isAllowed(row) && !heldByDoubt.has(row.row),
  };
  const backoff = createBackoff(clock, tools.random, options.concurrency);
  /** Rows that are decided about again: their request or an equal one is in doubt, or another run sends them. */
  let later = new Set<ImportRow>();
  /** How often the answer for a row was lost in this run. */
  const lost = new Map<number, number>();
  const reported = createRowSet();
  const equalRows = createEqualRows(file, () => later);
  /** Operations in doubt for which this run waits no longer, with what the last look said. */
  const looked = new Map<string, StillInDoubt>();
  /** Operations in doubt whose orders were found by this run. */
  const foundNow = new Set(tools.found);
  /** What the service said of operations that it refused, as it said it: the ledger keeps no personal data of it. */
  const refusals = new Map<string, Rejection>();
  const onRefused = (name: OperationName, rejection: Rejection) =>
    refusals.set(nameOperation(name), rejection);
  const gate = createDoubtGate(Math.min(options.concurrency, mostDoubts), settleSome);
  const sender = createRowSender({ tools, options, backoff, gate, onLost, onRefused });
  let failure: { readonly error: unknown } | undefined;

  function onLost(row: ImportRow): void {
    lost.set(row.row, (lost.get(row.row) ?? 0) + 1);
    postpone(row);
  }

  function postpone(row: ImportRow): void {
    equalRows.release(row);
    later.add(row);
  }

  /** A few rows at a time: what is claimed is in doubt after a crash, and other processes may take the rest. */
  async function* claim(of: AsyncIterable<ImportRow> | Iterable<ImportRow>): AsyncGenerator<Claim> {
    for await (const batch of inBatches(of, claimFactor * options.concurrency)) {
      if (stop.aborted || sender.failure || gate.isStuck) return;
      const sent = { atMs: clock.now(), offsetMs: tools.reconcile.clockOffsetMs() };
      const claims = await claimOrEnd(batch, sent);
      if (!claims) return;
      const claimed = claims.map((each, index) => ({ ...each, row: batch[index] as ImportRow }));
      for (const each of claimed) equalRows.take(each);
      let begun = 0;
      try {
        for (const each of claimed) {
          begun += 1;
          yield each;
        }
      } finally {
        await abandon(claimed.slice(begun));
      }
    }
  }

  /** Undefined where the ledger fails: what is in progress is finished and reported, then the import ends. */
  async function claimOrEnd(batch: readonly ImportRow[], sent: SentFacts) {
    try {
      return await ledger.claimRows(run, equalRows.place(batch), file, policy, sent);
    } catch (error) {
      failure ??= { error };
      return undefined;
    }
  }

  /** The import ends before these rows have left. */
  async function abandon(claims: readonly Claim[]): Promise<void> {
    for (const { row, operation } of claims) {
      equalRows.release(row);
      if (!operation) continue;
      await ledger.endCreate(operation, run.number, { state: "unsent" }, clock.now()).catch((error) => {
        failure ??= { error };
      });
    }
  }

  async function begin({ row, decision, operation }: Claim): Promise<Turn> {
    if (operation && (lost.get(row.row) ?? 0) >= mostLosses) {
      await ledger.endCreate(operation, run.number, { state: "unsent" }, clock.now());
      return { finished: Promise.resolve({ row, outcome: "unsent" }) };
    }
    if (operation) return sender.send(row, operation);
    if (decision.kind === "held" && !isMade(decision.operation)) heldByDoubt.add(row.row);
    if (decision.kind === "shipped" && decision.isElsewhere) covered.add(nameOperation(decision.operation));
    if (!isOpen(decision)) {
      const result = resultOf(row, decision, looked, clock.now());
      const said = decision.kind === "refused" ? refusals.get(nameOperation(decision.operation)) : undefined;
      return { finished: Promise.resolve(said ? { ...result, rejection: said } : result) };
    }
    postpone(row);
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
    const turns = mapInOrder(claim(of), limit, begin, { stop, window, isIrrevocable: true });
    try {
      for await (const result of asRecorded(turns, window)) yield told(result);
    } catch (error) {
      failure ??= { error };
    }
    const ended = sender.failure ?? failure;
    if (ended) throw ended.error;
  }

  /** An order that this run has found is no order of an earlier one. */
  function told(result: RowResult): RowResult {
    reported.add(result.row.row);
    const { decision } = result;
    if (decision?.kind !== "shipped" || decision.isElsewhere) return result;
    if (decision.operation.isUntold) void ledger.markTold([decision.operation]).catch(() => {});
    return foundNow.has(nameOperation(decision.operation)) ? { ...result, outcome: "found" } : result;
  }

  /** Looks once, for everything that is in doubt. */
  async function look(): Promise<ReadonlyMap<string, Reconciled>> {
    const results = await reconcile(tools.reconcile);
    backoff.onSuccess();
    for (const [name, result] of results) if (result.kind === "settled" && result.order) foundNow.add(name);
    return results;
  }

  /** `settled`: some rows can be decided now; `waited`: another run may have settled some. */
  async function settleRows(batch: readonly ImportRow[]): Promise<"settled" | "waited" | "stopped"> {
    try {
      const result = await pollInDoubt(batch.length, async () => {
        await tools.releaseDead();
        return findAwaited(batch);
      });
      if (result !== "none") return "settled";
      tell({ kind: "waiting", rows: batch.length });
      await clock.sleep(pollEveryMs, stop);
      return "waited";
    } catch (error) {
      if (stop.aborted) return "stopped";
      throw error;
    }
  }

  /** Called when too many answers in a row were lost, while nothing is sent. True where the import may continue. */
  async function settleSome(): Promise<boolean> {
    try {
      return (await pollInDoubt(later.size)) === "settled";
    } catch (error) {
      if (!stop.aborted) failure ??= { error };
      return false;
    }
  }

  /**
   * Polls until one of the named creates is settled, or one of all creates in doubt where `findNames` is missing.
   * `timed_out`: none can be settled in time; `none`: there are no such creates.
   */
  async function pollInDoubt(
    rowCount: number,
    findNames?: () => Promise<readonly string[]>,
  ): Promise<"settled" | "timed_out" | "none"> {
    const untilMs = clock.elapsed() + patienceMs;
    for (let pollMs = firstPollMs; ; pollMs = Math.min(longestPollMs, 2 * pollMs)) {
      const named = await findNames?.();
      if (named?.length === 0) return "none";
      tell({ kind: "looking", rows: rowCount });
      const results = await look();
      const names = named ?? [...results.keys()];
      const left = stillInDoubt(results).filter(([name]) => names.includes(name));
      if (left.length === 0 || left.length < names.length) return "settled";
      const inDoubt = left.map(([, result]) => result);
      const waitMs = waitToLook(inDoubt, clock, pollMs);
      if (clock.elapsed() + waitMs > untilMs) {
        for (const [name, result] of left) looked.set(name, result);
        return "timed_out";
      }
      tell({ kind: "looking", rows: rowCount, untilMs });
      await clock.sleep(waitMs, stop);
    }
  }

  /** Operations in doubt for which rows wait. */
  async function findAwaited(batch: readonly ImportRow[]): Promise<readonly string[]> {
    const decisions = await ledger.viewRows(run.customer, equalRows.place(batch), file, policy, clock.now());
    const names = decisions.flatMap((decision) =>
      isOpen(decision) && "operation" in decision && decision.operation.state === "unknown"
        ? [nameOperation(decision.operation)]
        : [],
    );
    return [...new Set(names)];
  }

  /** Rows in doubt that were not decided about in the end. */
  async function* inDoubt(of: AsyncIterable<ImportRow> | Iterable<ImportRow>): AsyncGenerator<RowResult> {
    for await (const batch of inBatches(of, viewFactor * options.concurrency)) {
      const left = batch.filter(({ row }) => !reported.has(row));
      const decisions = await ledger.viewRows(run.customer, equalRows.place(left), file, policy, clock.now());
      for (const [index, decision] of decisions.entries()) {
        const row = left[index] as ImportRow;
        if (decision.kind !== "in_doubt" || !isLeftInDoubt(decision.operation, run)) continue;
        equalRows.take({ row, decision, operation: undefined });
        reported.add(row.row);
        const result = looked.get(nameOperation(decision.operation));
        const rejection = result
          ? inDoubtAs(describeDoubt(decision.operation, result, clock.now()))
          : notFoundOut;
        yield { row, outcome: "unknown", decision, rejection };
      }
    }
  }

  let batch: readonly ImportRow[] = [];
  try {
    yield* pass(rows());
    for (let rounds = 0; later.size > 0 && rounds < mostRounds && !stop.aborted && !gate.isStuck; ) {
      batch = [...later];
      later = new Set();
      const done = await settleRows(batch);
      if (done === "stopped") break;
      if (done === "settled") rounds += 1;
      yield* pass(batch);
    }
  } catch (error) {
    failure = { error };
  }
  const left = new Set([...batch, ...later]);
  later = new Set();
  try {
    // After a failure also those that an earlier run left in doubt, and whose turn has not come.
    if (!failure) yield* inDoubt(left);
    else if ((await ledger.openOperations(run.customer)).length > 0) yield* inDoubt(rows());
  } catch (error) {
    failure ??= { error };
    for (const row of left)
      if (!reported.has(row.row)) yield { row, outcome: "unknown", rejection: notFoundOut };
  }
  if (failure) throw failure.error;
}

function stillInDoubt(results: ReadonlyMap<string, Reconciled>): (readonly [string, StillInDoubt])[] {
  return [...results].flatMap(([name, result]) =>
    result.kind === "settled" ? [] : [[name, result] as const],
  );
}

/** In doubt, or sent by this run, which could not record what came of it. */
function isLeftInDoubt({ state, owner }: Operation, run: Run): boolean {
  return state === "unknown" || (state === "sending" && owner === run.number);
}

/** Row numbers, a byte each. */
function createRowSet() {
  let has = new Uint8Array(1_024);
  return {
    add(row: number): void {
      if (row >= has.length) {
        const larger = new Uint8Array(Math.max(row + 1, 2 * has.length));
        larger.set(has);
        has = larger;
      }
      has[row] = 1;
    },
    has: (row: number) => has[row] === 1,
  };
}

/**
 * Gives results in the order of their turns, each once it is recorded: nothing is reported that a crash could make
 * unknown. The next turns go on meanwhile, up to `most` of them. A failure of the turns comes after the results.
 */
async function* asRecorded(turns: AsyncGenerator<Turn>, most: number): AsyncGenerator<RowResult> {
  const recording: Promise<RowResult>[] = [];
  let next: Promise<IteratorResult<Turn>> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  try {
    for (;;) {
      const [first] = recording;
      if (!isOver && recording.length < most) next ??= turns.next();
      if (!next && !first) break;
      const recorded = first?.then(
        () => undefined,
        () => undefined,
      );
      const turn = await Promise.race([next, recorded].filter((each) => each !== undefined)).catch(
        (error) => {
          failure = { error };
          return { done: true, value: undefined } as const;
        },
      );
      if (turn === undefined) {
        recording.shift();
        yield (await first) as RowResult;
        continue;
      }
      next = undefined;
      if (turn.done) isOver = true;
      else if (turn.value.finished) recording.push(turn.value.finished);
    }
  } finally {
    await turns.return(undefined);
  }
  if (failure) throw failure.error;
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
