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
import {
  type ClaimedRow,
  type CreateOutcome,
  LostClaim,
  OrderTaken,
  type SentFacts,
} from "../ledger/operations.ts";
import type { FileFacts, RowDecision, RowPolicy, RowToSend } from "../ledger/rules.ts";
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
  /**
   * `isCertain`: no order was made; any other is checked by a look. `isFinal`: the service itself said so, not
   * something on the way to it.
   */
  | {
      readonly kind: "refused";
      readonly isCertain: boolean;
      readonly isFinal: boolean;
      readonly rejection: Rejection;
    }
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
/** Rows that are claimed in one transaction, in times the rows sent at once. */
const claimFactor = 1;
/** Rows that are looked up in the ledger at once, in times the rows sent at once. */
const viewFactor = 8;

/** What a row's turn gave, once it is recorded; nothing for a row that is decided about later. */
interface Turn {
  readonly finished?: Promise<RowResult>;
}

/** A row that was claimed or decided about. */
interface Claim extends ClaimedRow {
  readonly row: ImportRow;
}

/**
 * Sends what is to be sent, `concurrency` rows at once, then finds out what became of lost answers. `rows` gives
 * the same rows whenever it is called.
 */
export async function* importRows(
  rows: () => AsyncIterable<ImportRow>,
  tools: ImportTools,
  options: ImportOptions,
): AsyncGenerator<RowResult> {
  const { ledger, run, file, lookup, clock, stop, tell } = tools;
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
  const reported = createRowSet();
  const equalRows = createEqualRows(file, () => later);
  /** Operations in doubt that were looked for in vain, with the orders that may be theirs. */
  const looked = new Map<string, readonly string[]>();
  /** Operations in doubt whose orders were found by this run. */
  const foundNow = new Set<string>();
  /** What the service said of operations that it refused, as it said it: the ledger keeps no personal data of it. */
  const refusals = new Map<string, Rejection>();
  const onRefused = (name: OperationName, rejection: Rejection) =>
    refusals.set(nameOperation(name), rejection);
  const sender = createRowSender({ tools, options, backoff, onLost: postpone, onRefused });
  let failure: { readonly error: unknown } | undefined;

  function postpone(row: ImportRow): void {
    equalRows.release(row);
    later.add(row);
  }

  /** A few rows at a time: what is claimed is in doubt after a crash, and other processes may take the rest. */
  async function* claim(of: AsyncIterable<ImportRow> | Iterable<ImportRow>): AsyncGenerator<Claim> {
    for await (const batch of inBatches(of, claimFactor * options.concurrency)) {
      if (stop.aborted || sender.failure) return;
      const sent = { atMs: clock.now(), offsetMs: lookup.clockOffsetMs() };
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
    if (operation) return sender.send(row, operation);
    if (decision.kind === "held" && !isMade(decision.operation)) heldByDoubt.add(row.row);
    if (decision.kind === "shipped" && decision.isElsewhere) covered.add(nameOperation(decision.operation));
    if (!isOpen(decision)) {
      const result = resultOf(row, decision, looked);
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
    return foundNow.has(nameOperation(decision.operation)) ? { ...result, outcome: "found" } : result;
  }

  /** Looks at the service for what is in doubt, or waits for the runs that are at work. False when told to stop. */
  async function settle(batch: readonly ImportRow[]): Promise<"looked" | "waited" | "stopped"> {
    try {
      await tools.releaseDead();
      const placed = equalRows.place(batch);
      const decisions = await ledger.viewRows(run.customer, placed, file, policy, clock.now());
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

  /** No order is there: what the service refused is refused, and all else was not sent. */
  async function giveUp(operation: Operation): Promise<void> {
    const { rejection } = operation;
    const outcome = rejection ? ({ state: "refused", rejection } as const) : ({ state: "unsent" } as const);
    await ledger.settleCreate(operation, outcome, clock.now());
  }

  async function look(lost: readonly Operation[], own: ReadonlyMap<string, Operation>): Promise<void> {
    const searchable = lost.flatMap((operation): LostRow<LostOperation>[] => {
      const { draft, content, sentAtMs, offsetMs } = operation;
      if (draft === undefined || content === undefined || sentAtMs === undefined) return [];
      return [{ row: { draft, content, operation }, sentAtMs, offsetMs }];
    });
    for (const operation of lost) looked.set(nameOperation(operation), []);
    const findings = searchable.length > 0 ? await findLostRows(searchable, lookup, stop) : [];
    /** Contents of which an order could not be taken: whether others of them were made is to be asked once more. */
    const disturbed = new Set<string>();
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
        if (await settleFound(operation, outcome)) foundNow.add(name);
        else disturbed.add(finding.row.content);
      }
      if (finding.kind === "unclear") looked.set(name, finding.candidates);
    }
    for (const { kind, row } of findings) {
      const name = nameOperation(row.operation);
      if (kind !== "unclear" && disturbed.has(row.content) && !foundNow.has(name)) looked.delete(name);
      else if (kind === "absent" && !row.operation.isUnwanted && own.has(name)) await giveUp(row.operation);
    }
  }

  /** False where another process was faster: it has settled the operation, or given the order to another one. */
  async function settleFound(operation: Operation, outcome: CreateOutcome): Promise<boolean> {
    try {
      return await ledger.settleCreate(operation, outcome, clock.now());
    } catch (error) {
      if (!(error instanceof OrderTaken)) throw error;
      return false;
    }
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
        yield { row, outcome: "unknown", decision, rejection: notFoundOut };
      }
    }
  }

  let batch: readonly ImportRow[] = [];
  try {
    yield* pass(rows());
    for (let looks = 0; later.size > 0 && looks < mostLooks && !stop.aborted; ) {
      batch = [...later];
      later = new Set();
      const done = await settle(batch);
      if (done === "stopped") break;
      if (done === "looked") looks += 1;
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

const notFoundOut: Rejection = {
  code: "outcome_unknown",
  message: "its answer was lost; run the import again to find out",
};

/** In doubt, or sent by this run, which could not record what came of it. */
function isLeftInDoubt({ state, owner }: Operation, run: Run): boolean {
  return state === "unknown" || (state === "sending" && owner === run.number);
}

/**
 * Equal rows without a ref are interchangeable, but no two of them are one order: keeps the operations that rows
 * of this run have become, since the others' numbers change when one of them turns out not to be made.
 */
function createEqualRows(file: FileFacts, later: () => Iterable<ImportRow>) {
  const taken = new Map<string, Map<number, string>>();
  const isEqual = ({ ref, content }: ImportRow) => ref === undefined && file.countOf(content) > 1;

  return {
    /** The rows as the ledger is to see them: numbered among those that have become nothing yet. */
    place(rows: readonly ImportRow[]): readonly RowToSend[] {
      if (!rows.some(isEqual)) return rows;
      const counts = new Map<string, number>();
      const countUp = (content: string) => {
        const count = (counts.get(content) ?? 0) + 1;
        counts.set(content, count);
        return count;
      };
      for (const row of later()) if (isEqual(row)) countUp(row.content);
      return rows.map((row) => {
        if (!isEqual(row)) return row;
        const names = new Set(taken.get(row.content)?.values());
        const isTaken = (operation: Operation) => names.has(nameOperation(operation));
        return { ...row, occurrence: countUp(row.content), isTaken };
      });
    },
    take({ row, decision, operation }: Claim): void {
      if (!isEqual(row)) return;
      const own = operation ?? ownOperation(decision);
      if (!own) return;
      const names = taken.get(row.content) ?? new Map<number, string>();
      taken.set(row.content, names.set(row.row, nameOperation(own)));
    },
    release({ content, row }: ImportRow): void {
      taken.get(content)?.delete(row);
    },
  };
}

/** The operation that the row itself has become. */
function ownOperation(decision: RowDecision): Operation | undefined {
  if (decision.kind === "send" || decision.kind === "held") return undefined;
  return decision.kind === "shipped" && decision.isElsewhere ? undefined : decision.operation;
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

interface LostOperation {
  readonly draft: NonNullable<Operation["draft"]>;
  readonly content: string;
  readonly operation: Operation;
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
  /** Told of a refusal that is still to be checked. */
  readonly onRefused: (name: OperationName, rejection: Rejection) => void;
}

/**
 * Sends rows, no more than `concurrency` at once, at one shared pace. After a failure that ends the import no
 * further request leaves.
 */
function createRowSender({ tools, options, backoff, onLost, onRefused }: RowSenderOptions) {
  const { ledger, run, clock, stop, tell, lookup } = tools;
  const limiter = createRateLimiter(clock, options.ratePerSecond);
  const inSlot = createSlots(options.concurrency);
  let hasFailed = false;
  /** Why an answer could not be recorded. */
  let failure: { readonly error: unknown } | undefined;

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
    { order, orderState }: Extract<SendResult, { kind: "created" }>,
  ): Promise<RowResult> {
    const unknown = (message: string): RowResult => ({
      row,
      outcome: "unknown",
      rejection: { code: "outcome_unknown", message },
    });
    try {
      await record(name, { state: "created", order, orderState }, true);
      return { row, outcome: "created", order };
    } catch (error) {
      if (error instanceof LostClaim)
        return unknown(`order ${order.id} was created, but another run has settled this row meanwhile`);
      if (!(error instanceof OrderTaken)) throw error;
      await record(name, { state: "unknown" });
      return unknown(
        `the service answered with order ${order.id}, which operation ${nameOperation(error.holder)} has made`,
      );
    }
  }

  async function endRefused(
    row: ImportRow,
    name: OperationName,
    { isFinal, rejection }: Extract<SendResult, { kind: "refused" }>,
  ): Promise<RowResult> {
    const kept = redactRejection(rejection, row.draft);
    await record(name, { state: isFinal ? "refused" : "unsent", rejection: kept }).catch((error) => {
      if (!(error instanceof LostClaim)) throw error;
    });
    return { row, outcome: "refused", rejection };
  }

  async function send(row: ImportRow, name: OperationName): Promise<Turn> {
    for (let tries = 1; !stop.aborted && !hasFailed; tries++) {
      if (tries > 1)
        await ledger.markSending(name, run.number, { atMs: clock.now(), offsetMs: lookup.clockOffsetMs() });
      const answered = await inSlot(() => request(row)).catch(async (error) => {
        onLost(row);
        await end(name, { state: "unknown" });
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
          await end(name, { state: "unknown", rejection: redactRejection(result.rejection, row.draft) });
          return {};
        case "unknown":
          onLost(row);
          await end(name, { state: "unknown" });
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
