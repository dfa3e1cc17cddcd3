/**
 * The run of an import: claims rows in the ledger, sends them and records their outcomes. Reconciles rows in doubt, and
 * sends one again only when it is proved that no order was made.
 */

import { mapInOrder } from "../core/concurrent.ts";
import { nameProcess } from "../core/process-place.ts";
import type { SentFacts } from "../ledger/creates.ts";
import {
  isMade,
  nameOperation,
  type Operation,
  type OperationName,
  type Rejection,
  type Run,
} from "../ledger/operation.ts";
import { isLedgerLost } from "../ledger/operation-errors.ts";
import type { RowPolicy } from "../ledger/row-to-send.ts";
import type { RowDecision } from "../ledger/rules.ts";
import { reconcile } from "../sending/reconcile.ts";
import type { Reconciled, StillInDoubt } from "../sending/reconcile-types.ts";
import { firstPollMs, longestPollMs, waitToPoll } from "../sending/settle.ts";
import { createBackoff } from "./backoff.ts";
import { createDoubtGate } from "./doubt-gate.ts";
import { type Claim, createEqualRows } from "./equal-rows.ts";
import type { ImportOptions, ImportTools, RowResult, Turn } from "./import-types.ts";
import { createRefusalGate } from "./refusal-gate.ts";
import { createRowSender } from "./row-sender.ts";
import type { ImportRow } from "./rows.ts";
import { describeDoubt, inDoubtAs, notChecked, resultOf } from "./unsent-rows.ts";

/** An import polls at most so long without settling a row in doubt. */
const timeLimitMs = 30_000;
/** Doubtful answers in a row after which sending pauses until one is settled. */
const mostDoubts = 10;
/** How often the import checks the rows that another process is sending. */
const otherRunPollMs = 500;
/** How long the import waits for rows of another process in which nothing changes: it may be stopped, or at a question. */
const longestStandstillMs = 5 * 60_000;
/** Lost answers of one row after which it waits for the next run. */
const mostLosses = 4;
/** How many times rows in doubt are settled and decided about again. */
const mostRounds = 12;
/** How many results may wait for a slow row before them, as a multiple of the concurrency. */
const windowFactor = 8;
/** Rows claimed in one transaction, as a multiple of the concurrency. */
const claimFactor = 1;
/** Rows looked up in the ledger at once, as a multiple of the concurrency. */
const viewFactor = 8;

/**
 * Sends the rows, `concurrency` at once, then reconciles those whose answers were lost. Each call of `rows` gives the
 * same rows.
 */
export async function* importRows(
  rows: () => AsyncIterable<ImportRow>,
  tools: ImportTools,
  options: ImportOptions,
): AsyncGenerator<RowResult> {
  const { ledger, run, file, clock, stop, onStage } = tools;
  /** Orders of other files and commands that cover rows of this run. */
  const covered = new Set<string>();
  /** Rows in doubt, or held by an order in doubt: the person who gave `--allow-duplicate` did not know its outcome. */
  const heldByDoubt = new Set<number>();
  /** Orders made elsewhere that cover rows: each covers one. */
  const taken = new Set<string>();
  /** Operations in doubt whose orders were found by this run. */
  const foundNow = new Set(tools.found);
  const policy: RowPolicy = {
    ...tools.policy,
    foundNow,
    refusedNow: { has: (name) => refusals.has(name) },
    isCovered: (operation) => covered.has(nameOperation(operation)),
    isTaken: (orderId) => taken.has(orderId),
    wasInDoubt: (row) => heldByDoubt.has(row.row) || tools.policy.wasInDoubt?.(row) === true,
  };
  const backoff = createBackoff(clock, tools.random, options.concurrency);
  /** Rows to decide about again: their request or an equal one is in doubt, or another run sends them. */
  let later = new Set<ImportRow>();
  /** How often the answer for a row was lost in this run. */
  const lost = new Map<number, number>();
  const reported = createRowSet();
  let reportedEarlier = 0;
  const equalRows = createEqualRows(file, () => later);
  /** Operations in doubt that this run does not poll any more, with their last results. */
  const givenUp = new Map<string, StillInDoubt>();
  /** Refusals in the words of the service, for the report: the ledger keeps a redacted text. */
  const refusals = new Map<string, Rejection>();
  const onRefused = (name: OperationName, rejection: Rejection) =>
    refusals.set(nameOperation(name), rejection);
  const gate = createDoubtGate(Math.min(options.concurrency, mostDoubts), settleSome);
  const refusalGate = createRefusalGate(tools.mayGoOn);
  const rowSender = createRowSender({
    tools,
    options,
    backoff,
    gate,
    refusals: refusalGate,
    onLost,
    onRefused,
  });
  let failure: { readonly error: unknown } | undefined;

  function onLost(row: ImportRow): void {
    lost.set(row.row, (lost.get(row.row) ?? 0) + 1);
    postpone(row);
  }

  function postpone(row: ImportRow): void {
    equalRows.release(row);
    later.add(row);
  }

  /** Claims a few rows at a time: after a crash claimed rows are in doubt, and other processes can take the rest. */
  async function* claim(of: AsyncIterable<ImportRow> | Iterable<ImportRow>): AsyncGenerator<Claim> {
    for await (const batch of inBatches(of, claimFactor * options.concurrency)) {
      if (stop.aborted || rowSender.failure || gate.isStuck || refusalGate.isStuck) return;
      const sent = { atMs: clock.now(), offsetMs: tools.reconcile.clockOffsetMs() };
      const claims = await claimOrEnd(batch, sent);
      if (!claims) return;
      const claimed = claims.map((each, index) => ({ ...each, row: batch[index] as ImportRow }));
      for (const each of claimed) {
        equalRows.take(each);
        if (each.decision.kind === "elsewhere" && each.decision.isCovered) taken.add(each.decision.orderId);
      }
      let abandoned: Promise<void> | undefined;
      const abandonRest = () => {
        abandoned ??= abandon(claimed.splice(0));
      };
      // At once, not after the requests in progress: a second Ctrl-C would leave them in doubt.
      if (stop.aborted) abandonRest();
      else stop.addEventListener("abort", abandonRest, { once: true });
      try {
        for (let next = claimed.shift(); next; next = claimed.shift()) yield next;
      } finally {
        stop.removeEventListener("abort", abandonRest);
        abandonRest();
        await abandoned;
      }
    }
  }

  /** Undefined where the ledger fails: requests in progress are finished and reported, then the import ends. */
  async function claimOrEnd(batch: readonly ImportRow[], sent: SentFacts) {
    try {
      return await ledger.claimRows(run, equalRows.numberRows(batch), file, policy, sent);
    } catch (error) {
      failure ??= { error };
      return undefined;
    }
  }

  /** Releases rows that were claimed and not sent. */
  async function abandon(claims: readonly Claim[]): Promise<void> {
    const ended = claims.map(async ({ row, operation }) => {
      equalRows.release(row);
      if (!operation) return;
      await ledger.endCreate(operation, run.number, { state: "unsent" }, clock.now()).catch((error) => {
        failure ??= { error };
      });
    });
    await Promise.all(ended);
  }

  async function begin({ row, decision, operation }: Claim): Promise<Turn> {
    if (operation && (lost.get(row.row) ?? 0) >= mostLosses) {
      await ledger.endCreate(operation, run.number, { state: "unsent" }, clock.now());
      return { finished: Promise.resolve({ row, outcome: "unsent" }) };
    }
    if (operation) return rowSender.send(row, operation);
    if ((decision.kind === "held" || decision.kind === "in_doubt") && !isMade(decision.operation))
      heldByDoubt.add(row.row);
    if (decision.kind === "shipped" && decision.isElsewhere) covered.add(nameOperation(decision.operation));
    if (!isOpen(decision)) {
      const result = resultOf(row, decision, givenUp, clock.now());
      const said = decision.kind === "refused" ? refusals.get(nameOperation(decision.operation)) : undefined;
      return { finished: Promise.resolve(said ? { ...result, rejection: said } : result) };
    }
    postpone(row);
    return {};
  }

  /** True where another poll can change the decision. */
  function isOpen(decision: RowDecision): boolean {
    if (decision.kind !== "in_doubt" && decision.kind !== "held") return false;
    const { operation } = decision;
    if (isMade(operation)) return false;
    return operation.state !== "unknown" || !givenUp.has(nameOperation(operation));
  }

  async function* pass(of: AsyncIterable<ImportRow> | Iterable<ImportRow>): AsyncGenerator<RowResult> {
    const window = options.concurrency * windowFactor;
    // The next rows are recorded while others are in progress, so that no request waits for the disk.
    const limit = 2 * options.concurrency - 1;
    const turns = mapInOrder(claim(of), limit, begin, { stop, window, isIrrevocable: true });
    try {
      for await (const result of asRecorded(turns, window)) yield await noteReported(result);
    } catch (error) {
      failure ??= { error };
    }
    const ended = rowSender.failure ?? failure;
    if (ended) throw ended.error;
  }

  /** An order that this run has found is reported as found, not as shipped by an earlier run. */
  async function noteReported(result: RowResult): Promise<RowResult> {
    const { row, decision } = result;
    reported.add(row.row);
    if (isOfEarlierOrder(result)) reportedEarlier += 1;
    if (decision?.kind !== "shipped" || decision.isElsewhere) return result;
    const { operation } = decision;
    const isFoundNow = foundNow.has(nameOperation(operation));
    // Whoever gave the flag did not know of the order: the same command does not send another one, either.
    const isNamed = policy.isAllowed(row) && (isFoundNow || policy.wasInDoubt?.(row) === true);
    if (isNamed && operation.allowance === "none")
      await ledger.markSeen(operation, true).catch((error) => {
        failure ??= { error };
      });
    else if (operation.isUnseen) void ledger.markSeen(operation, false).catch(() => {});
    return isFoundNow ? { ...result, outcome: "found" } : result;
  }

  /** Reconciles everything that is in doubt, once. */
  async function reconcileAll(): Promise<ReadonlyMap<string, Reconciled>> {
    const results = await reconcile(tools.reconcile);
    backoff.onSuccess();
    for (const [name, result] of results) if (result.kind === "settled" && result.order) foundNow.add(name);
    return results;
  }

  /** What other runs are sending, and since when nothing of it has changed. */
  let awaited: { readonly names: string; readonly sinceMs: number } | undefined;
  /** The processes that this run no longer waits for, by their runs. */
  const notAwaited = new Map<number, string>();

  /** `settled`: some rows can be decided now; `waited`: another run may have settled some; `stopped`: no more is waited. */
  async function settleRows(batch: readonly ImportRow[]): Promise<"settled" | "waited" | "stopped"> {
    let senders: readonly Run[] = [];
    let others: readonly Operation[] = [];
    try {
      const result = await pollInDoubt(batch.length, async () => {
        const running = await tools.releaseDead();
        const found = await findAwaited(batch);
        others = found.others;
        senders = running.filter(({ number }) => others.some(({ owner }) => owner === number));
        return found.names;
      });
      if (result !== "none") return "settled";
      const names = others.map((each) => `${nameOperation(each)} ${each.state}`).join(" ");
      if (awaited?.names !== names) awaited = { names, sinceMs: clock.elapsed() };
      if (clock.elapsed() - awaited.sinceMs >= longestStandstillMs) {
        for (const { number, process } of senders) notAwaited.set(number, ` (${nameProcess(process)})`);
        for (const { owner } of others) notAwaited.set(owner, notAwaited.get(owner) ?? "");
        return "stopped";
      }
      onStage({
        kind: "waiting",
        rows: batch.length,
        names: senders.map(({ process }) => nameProcess(process)),
      });
      await clock.sleep(otherRunPollMs, stop);
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
    const untilMs = clock.elapsed() + timeLimitMs;
    for (let pollMs = firstPollMs; ; pollMs = Math.min(longestPollMs, 2 * pollMs)) {
      const named = await findNames?.();
      if (named?.length === 0) return "none";
      onStage({ kind: "looking", rows: rowCount });
      const results = await reconcileAll();
      const names = named ?? [...results.keys()];
      const left = stillInDoubt(results).filter(([name]) => names.includes(name));
      if (left.length === 0 || left.length < names.length) return "settled";
      const inDoubt = left.map(([, result]) => result);
      const waitMs = waitToPoll(inDoubt, clock, pollMs);
      if (clock.elapsed() + waitMs > untilMs) {
        for (const [name, result] of left) givenUp.set(name, result);
        return "timed_out";
      }
      onStage({ kind: "looking", rows: rowCount, untilMs });
      await clock.sleep(waitMs, stop);
    }
  }

  /** The operations in doubt that these rows wait for, and those that other runs are sending. */
  async function findAwaited(batch: readonly ImportRow[]): Promise<{
    readonly names: readonly string[];
    readonly others: readonly Operation[];
  }> {
    const decisions = await ledger.viewRows(
      run.customer,
      equalRows.numberRows(batch),
      file,
      policy,
      clock.now(),
    );
    const open = decisions.flatMap((decision) =>
      isOpen(decision) && "operation" in decision ? [decision.operation] : [],
    );
    const inDoubt = open.filter(({ state }) => state === "unknown");
    return {
      names: [...new Set(inDoubt.map(nameOperation))],
      others: open.filter(({ state }) => state !== "unknown"),
    };
  }

  /** The rows that are not reported, with the ledger's decisions. */
  async function* viewUnreported(
    of: AsyncIterable<ImportRow> | Iterable<ImportRow>,
  ): AsyncGenerator<{ readonly row: ImportRow; readonly decision: RowDecision }> {
    for await (const batch of inBatches(of, viewFactor * options.concurrency)) {
      const left = batch.filter(({ row }) => !reported.has(row));
      const numbered = equalRows.numberRows(left);
      const decisions = await ledger.viewRows(run.customer, numbered, file, policy, clock.now());
      for (const [index, decision] of decisions.entries()) yield { row: left[index] as ImportRow, decision };
    }
  }

  /**
   * Reports the rows that stay in doubt or held by doubt, those whose orders were found before their turn came again, and
   * those that another run sends or has sent.
   */
  async function* unreported(of: AsyncIterable<ImportRow> | Iterable<ImportRow>): AsyncGenerator<RowResult> {
    for await (const { row, decision } of viewUnreported(of)) {
      const result = resultOf(row, decision, givenUp, clock.now());
      const isFoundNow = decision.kind === "shipped" && foundNow.has(nameOperation(decision.operation));
      // Another run has settled it, while this one was stopped or cut off.
      const isSettled = lost.has(row.row) && decision.kind !== "in_doubt" && decision.kind !== "send";
      if (isFoundNow || isSettled || (!failure && isOfEarlierOrder(result))) {
        await noteDecided(row, decision);
        yield await noteReported(result);
        continue;
      }
      if (decision.kind === "held" && !isMade(decision.operation)) {
        yield await noteReported(result);
        continue;
      }
      if (decision.kind !== "in_doubt" || isUnsentHere(decision.operation)) continue;
      equalRows.take({ row, decision, operation: undefined });
      reported.add(row.row);
      const rejection = describeLeft(decision.operation);
      yield { row, outcome: "unknown", decision, rejection };
    }
  }

  /** The order of a row that was not claimed is no other row's. */
  async function noteDecided(row: ImportRow, decision: RowDecision): Promise<void> {
    equalRows.take({ row, decision, operation: undefined });
    if (decision.kind === "elsewhere" && decision.isCovered) taken.add(decision.orderId);
    if (decision.kind !== "shipped" || !decision.isElsewhere) return;
    covered.add(nameOperation(decision.operation));
    await ledger.noteCovered(run.customer, row, file, decision);
  }

  /** This run has claimed it, and could not release it. */
  function isUnsentHere({ state, owner }: Operation): boolean {
    return state === "ready" && owner === run.number;
  }

  /** Why a row is still in doubt when the run ends. */
  function describeLeft(operation: Operation): Rejection {
    const isOfOther = operation.state !== "unknown" && operation.owner !== run.number;
    const which = notAwaited.get(operation.owner);
    if (isOfOther && which !== undefined) return inDoubtAs(describeStandstill(which, operation));
    if (isOfOther) return inDoubtAs("another courier process is sending it; run the import again to check");
    const result = givenUp.get(nameOperation(operation));
    return result && !isLedgerLost(failure?.error)
      ? inDoubtAs(describeDoubt(operation, result, clock.now()))
      : notChecked(failure?.error);
  }

  /** Reports the rows of earlier orders that a run which ended early has not reached: none of them counts as not sent. */
  async function* unreached(): AsyncGenerator<RowResult> {
    if (reportedEarlier >= tools.earlier) return;
    for await (const { row, decision } of viewUnreported(rows())) {
      const result = resultOf(row, decision, givenUp, clock.now());
      if (!isOfEarlierOrder(result)) continue;
      await noteDecided(row, decision);
      yield await noteReported(result);
      if (reportedEarlier >= tools.earlier) return;
    }
  }

  const isOver = () => stop.aborted || gate.isStuck || refusalGate.isStuck;
  let batch: readonly ImportRow[] = [];
  try {
    yield* pass(rows());
    for (let rounds = 0; later.size > 0 && rounds < mostRounds && !isOver(); ) {
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
    // After an early end this includes rows that an earlier run left in doubt and that this run has not reached.
    if (!failure && !isOver()) yield* unreported(left);
    else if (left.size + foundNow.size > 0 || (await ledger.openOperations(run.customer)).length > 0)
      yield* unreported(rows());
  } catch (error) {
    if (!failure || isLedgerLost(error)) failure = { error };
    for (const row of left)
      if (!reported.has(row.row)) yield { row, outcome: "unknown", rejection: notChecked(failure.error) };
  }
  try {
    if (failure ? !isLedgerLost(failure.error) : isOver()) yield* unreached();
  } catch (error) {
    failure ??= { error };
  }
  if (failure) throw failure.error;
}

function describeStandstill(which: string, operation: Operation): string {
  const minutes = longestStandstillMs / 60_000;
  return `another courier process${which} has been sending it for ${minutes} min: let that process go on, or end it, and run the import again; if you know that it has ended: courier orders resolve ${nameOperation(operation)}`;
}

function stillInDoubt(results: ReadonlyMap<string, Reconciled>): (readonly [string, StillInDoubt])[] {
  return [...results].flatMap(([name, result]) =>
    result.kind === "settled" ? [] : [[name, result] as const],
  );
}

/** An order that was there before this run. */
function isOfEarlierOrder({ outcome, decision }: RowResult): boolean {
  return decision !== undefined && ["shipped", "found", "changed", "cancelled"].includes(outcome);
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
 * Gives results in the order of their turns, each after it is recorded, so that a crash cannot make a reported result
 * unknown. Up to `most` further turns run meanwhile. A failure of a turn is thrown after the results.
 */
async function* asRecorded(turns: AsyncGenerator<Turn>, most: number): AsyncGenerator<RowResult> {
  const recording: Promise<RowResult | undefined>[] = [];
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
        const result = await first;
        if (result) yield result;
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
