/**
 * Owns the run of an import: each row is sent at most once unless it is certain that the service does not
 * have it. What is about to leave is in the journal first; what came of it, afterwards.
 */

import type { Clock } from "../core/clock.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { createGate } from "./gate.ts";
import type { Journal } from "./journal.ts";
import { type CreatedFacts, createdFacts } from "./journal-state.ts";
import { keptRefusal, type RefusalReason } from "./kept-refusal.ts";
import { type Finding, findLostRows, type LostRow } from "./lost-rows.ts";
import { createPatience, type Failure } from "./patience.ts";
import type { OrderLookup } from "./reconcile.ts";
import type { ImportRow } from "./rows.ts";

/** What came of one request. */
export type SendResult =
  | { readonly kind: "created"; readonly facts: CreatedFacts }
  | ({ readonly kind: "refused" } & RefusalReason)
  /** Certainly not processed. */
  | { readonly kind: "unsent"; readonly cause: Error }
  /** The same, since the service asks for fewer calls; `retryAfterMs` where it says for how long. */
  | { readonly kind: "limited"; readonly cause: Error; readonly retryAfterMs?: number | undefined }
  /** It may or may not have been processed. */
  | { readonly kind: "unknown"; readonly cause: Error }
  /** Certainly not processed, and going on makes no sense, such as with a refused key. */
  | { readonly kind: "stopped"; readonly cause: Error };

export interface ImportTools {
  /** Sends one request, once. A rejection leaves open whether it was processed. */
  readonly send: (row: ImportRow) => Promise<SendResult>;
  /** Its `owns` is of orders that are known to be somebody else's; those of the journal come on top. */
  readonly lookup: OrderLookup;
  readonly clock: Clock;
  /** In [0, 1): jitter of the waits. */
  readonly random: () => number;
  /** Aborts when no further row is to be begun; requests under way are finished. */
  readonly stop: AbortSignal;
  /** Told what the import is at whenever that changes. */
  readonly tell: (stage: Stage) => void;
}

/** What an import is at, for those who look on. */
export type Stage =
  | { readonly kind: "sending" }
  /** Requests fail, and are tried again. */
  | { readonly kind: "failing"; readonly reason: string }
  /** The service asks for fewer calls, until this hour of our clock. */
  | { readonly kind: "limited"; readonly untilMs: number }
  /** It looks for what became of rows whose answer was lost. */
  | { readonly kind: "looking"; readonly rows: number };

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
  readonly error?: RefusalReason;
}

/** The service may still be at work on a request whose answer was lost. */
const settleMs = 2_000;
const mostLooks = 12;
/** How many results may wait for a slow row before them, in times the rows sent at once. */
const windowFactor = 8;

/** What a row's turn gave, and when the journal has it. */
interface Turn {
  readonly result: RowResult;
  readonly written?: Promise<void>;
}

/** Sends what is to be sent, `concurrency` rows at once, then finds out what became of lost answers. */
export async function* importRows(
  rows: AsyncIterable<ImportRow>,
  journal: Journal,
  tools: ImportTools,
  options: ImportOptions,
): AsyncGenerator<RowResult> {
  const { clock, stop, tell } = tools;
  const gate = createGate(clock, options.ratePerSecond);
  const lookup = { ...tools.lookup, owns: (id: string) => journal.owns(id) || tools.lookup.owns(id) };
  const patience = createPatience(clock, tools.random, options.concurrency);
  const lost: LostRow[] = [];

  /** Gives undefined for a row whose answer was lost: it is settled later. */
  async function sendRow(row: ImportRow): Promise<Turn | undefined> {
    const { key, content } = row;
    for (;;) {
      await gate.pass(stop).catch(() => {});
      if (stop.aborted) return { result: { row, outcome: "unsent", isEarlier: false } };
      const sentAtMs = clock.now();
      const offsetMs = lookup.clockOffsetMs();
      const at = new Date(sentAtMs).toISOString();
      await journal.append({ kind: "intent", key, content, at, offset_ms: offsetMs });
      const result = await tools.send(row).catch(async (error) => {
        await journal.append({ kind: "unknown", key });
        throw error;
      });
      switch (result.kind) {
        case "created":
          succeed();
          return {
            result: { row, outcome: "created", isEarlier: false, facts: result.facts },
            written: inBackground(journal.append({ kind: "created", key, content, ...result.facts })),
          };
        case "refused": {
          succeed();
          const { kind: _refused, ...error } = result;
          const kept = keptRefusal(error, row.draft);
          return {
            result: { row, outcome: "refused", isEarlier: false, error },
            written: inBackground(journal.append({ kind: "refused", key, content, ...kept })),
          };
        }
        case "unknown":
          await journal.append({ kind: "unknown", key });
          lost.push({ row, sentAtMs, offsetMs });
          fail({ cause: result.cause, sentAtMs, isDoubtful: true });
          return undefined;
        case "stopped":
          await journal.append({ kind: "unsent", key });
          throw result.cause;
        case "limited":
          await journal.append({ kind: "unsent", key });
          fail({ cause: result.cause, sentAtMs, limit: { waitMs: result.retryAfterMs } });
          break;
        case "unsent":
          await journal.append({ kind: "unsent", key });
          fail({ cause: result.cause, sentAtMs });
      }
    }
  }

  function succeed(): void {
    patience.succeed();
    tell({ kind: "sending" });
  }

  function fail(failure: Failure): void {
    const waitMs = patience.bear(failure);
    if (waitMs > 0) gate.pause(waitMs);
    if (failure.limit) tell({ kind: "limited", untilMs: clock.now() + waitMs });
    else if (waitMs > 0) tell({ kind: "failing", reason: failure.cause.message });
  }

  async function begin(row: ImportRow): Promise<Turn | undefined> {
    const last = await journal.lastOf(row.key);
    if (last?.kind === "created") {
      const { id, order_no, tracking_number, estimated_fee } = last;
      const facts = { id, order_no, tracking_number, estimated_fee };
      const isChanged = last.content !== row.content;
      return { result: { row, outcome: "created", isEarlier: true, isChanged, facts } };
    }
    if (last?.kind === "refused" && last.content === row.content && !options.retryRefused) {
      const { code, message, field } = last;
      return { result: { row, outcome: "refused", isEarlier: true, error: { code, message, field } } };
    }
    const open = journal.open.get(row.key);
    if (open === undefined) return sendRow(row);
    // What was sent then cannot be looked for any more, and it may have been created.
    if (open.content !== row.content) {
      const message = "the row was changed before it was known what became of it; put it back as it was";
      return { result: unknown(row, message) };
    }
    lost.push({ row, ...open });
    return undefined;
  }

  async function* each(of: AsyncIterable<ImportRow> | Iterable<ImportRow>, turn: typeof begin) {
    const window = options.concurrency * windowFactor;
    for await (const done of mapInOrder(of, options.concurrency, turn, { stop, window })) {
      await done?.written; // nothing is reported that a crash could make unknown
      if (done) yield done.result;
    }
  }

  /** Gives undefined when told to stop. */
  async function look(batch: readonly LostRow[]): Promise<readonly Finding[] | undefined> {
    tell({ kind: "looking", rows: batch.length });
    try {
      await clock.sleep(settleMs, stop);
      const findings = await findLostRows(batch, lookup, stop);
      succeed();
      return findings;
    } catch (error) {
      if (stop.aborted) return undefined;
      throw error;
    }
  }

  yield* each(rows, begin);

  for (let looks = 0; lost.length > 0 && looks < mostLooks; looks++) {
    const findings = await look(lost);
    if (!findings) break;
    lost.length = 0;
    const { found, absent, unclear } = sortFindings(findings);
    // Orders are taken before a row is given up, so that a crash in between cannot give up too many.
    await Promise.all([
      ...found.map(({ row, facts }) =>
        journal.append({ kind: "created", key: row.key, content: row.content, ...facts }),
      ),
      ...absent.map(({ key }) => journal.append({ kind: "unsent", key })),
    ]);
    yield* found.map(({ row, facts }): RowResult => ({ row, outcome: "created", isEarlier: false, facts }));
    yield* unclear.map(({ row, candidates }) =>
      unknown(row, `these orders may be it: ${candidates.join(", ")}`),
    );
    yield* each(absent, sendRow);
  }
  yield* lost.map(({ row }) => unknown(row, "its answer was lost; run the import again to find out"));
}

function sortFindings(findings: readonly Finding[]) {
  return {
    found: findings
      .filter((each) => each.kind === "found")
      .map(({ row, order }) => ({ row, facts: createdFacts(order) })),
    absent: findings.filter((each) => each.kind === "absent").map(({ row }) => row),
    unclear: findings.filter((each) => each.kind === "unclear"),
  };
}

/** A failure is met by whoever waits for it. */
function inBackground(work: Promise<void>): Promise<void> {
  work.catch(() => {});
  return work;
}

function unknown(row: ImportRow, message: string): RowResult {
  return { row, outcome: "unknown", isEarlier: false, error: { code: "outcome_unknown", message } };
}
