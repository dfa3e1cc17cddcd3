/**
 * Owns the run of an import: a row is sent again only once no order at the service can be its own, some time
 * after its request. What is about to leave is in the journal first; what came of it, afterwards.
 */

import { mapInOrder } from "../core/concurrent.ts";
import { type Finding, findLostRows, type LostRow } from "../sending/lost-rows.ts";
import type { ImportOptions, ImportTools, RowResult } from "./import-terms.ts";
import type { Journal } from "./journal.ts";
import { createdFacts } from "./journal-state.ts";
import { createPatience } from "./patience.ts";
import { createRowSender, type Turn } from "./row-sender.ts";
import type { ImportRow } from "./rows.ts";

/** The service may still be at work on a request whose answer was lost. */
const settleMs = 2_000;
const mostLooks = 12;
/** How many results may wait for a slow row before them, in times the rows sent at once. */
const windowFactor = 8;

/** Sends what is to be sent, `concurrency` rows at once, then finds out what became of lost answers. */
export async function* importRows(
  rows: AsyncIterable<ImportRow>,
  journal: Journal,
  tools: ImportTools,
  options: ImportOptions,
): AsyncGenerator<RowResult> {
  const { clock, stop, tell } = tools;
  const lookup = { ...tools.lookup, owns: (id: string) => journal.owns(id) || tools.lookup.owns(id) };
  const patience = createPatience(clock, tools.random, options.concurrency);
  const lost: LostRow<ImportRow>[] = [];

  const sendRow = createRowSender({
    journal,
    tools: { ...tools, lookup },
    options,
    onLost: (row) => lost.push(row),
    patience,
  });

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
    // While some are under way, the intents of the next are put on disk: nobody waits for the disk then.
    const limit = 2 * options.concurrency - 1;
    for await (const done of mapInOrder(of, limit, turn, { stop, window, isIrrevocable: true })) {
      await done?.written; // nothing is reported that a crash could make unknown
      if (done) yield done.result;
    }
  }

  /** Gives undefined when told to stop. */
  async function look(
    batch: readonly LostRow<ImportRow>[],
  ): Promise<readonly Finding<ImportRow>[] | undefined> {
    tell({ kind: "looking", rows: batch.length });
    try {
      await clock.sleep(settleMs, stop);
      const findings = await findLostRows(batch, lookup, stop);
      patience.succeed();
      tell({ kind: "sending" });
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

function sortFindings(findings: readonly Finding<ImportRow>[]) {
  return {
    found: findings
      .filter((each) => each.kind === "found")
      .map(({ row, order }) => ({ row, facts: createdFacts(order) })),
    absent: findings.filter((each) => each.kind === "absent").map(({ row }) => row),
    unclear: findings.filter((each) => each.kind === "unclear"),
  };
}

function unknown(row: ImportRow, message: string): RowResult {
  return { row, outcome: "unknown", isEarlier: false, error: { code: "outcome_unknown", message } };
}
