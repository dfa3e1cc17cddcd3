/** Owns what an import is going to do: its rows against its journal and the journals of other files. */

import type { Journal, JournalIdentity } from "../../bulk/journal.ts";
import type { ImportRow, RowsOptions } from "../../bulk/rows.ts";
import { CourierError, fileError } from "../../core/errors.ts";
import type { Json } from "../../model/json.ts";
import { type Block, fields, line, styled } from "../../terminal/blocks.ts";
import type { Context } from "../command.ts";
import { checkRows, type Overview } from "./import-input.ts";
import type { OtherOrders } from "./import-others.ts";

export interface ImportPlan {
  readonly overview: Overview;
  /** Rows that were never sent, surely did not reach the service, or are sent again after a refusal. */
  readonly toSend: number;
  readonly created: number;
  readonly refused: number;
  /** Rows whose answer was lost: they are looked up first. */
  readonly open: number;
  /** Rows that the journal knows and the file does not have. */
  readonly gone: number;
}

export interface PlanOptions {
  readonly retryRefused: boolean;
  /** Undefined to let rows pass that another import has created. */
  readonly others: OtherOrders | undefined;
}

const twinsNamed = 5;

/** Checks all rows and compares them with the journals. Throws a file error for a journal of another file. */
export async function planImport(
  source: RowsOptions,
  journal: Journal,
  { retryRefused, others }: PlanOptions,
  context: Context,
): Promise<ImportPlan> {
  const counts = { toSend: 0, created: 0, refused: 0, open: 0 };
  const twins: { ref: string; path: string }[] = [];
  let twinCount = 0;
  let known = 0;
  const onRow = async (row: ImportRow) => {
    const status = journal.statusOf(row.key);
    if (status !== undefined) known += 1;
    if (status === "created") counts.created += 1;
    else if (status === "intent" || status === "unknown") counts.open += 1;
    else if (status === "refused" && !retryRefused && !(await hasChanged(row, journal))) counts.refused += 1;
    else {
      counts.toSend += 1;
      const path = row.ref === undefined ? undefined : await others?.findTwin(row.key);
      if (row.ref === undefined || path === undefined) return;
      twinCount += 1;
      if (twins.length < twinsNamed) twins.push({ ref: row.ref, path });
    }
  };
  const overview = await checkRows(source, onRow, context);
  if (journal.size > 0 && known === 0) throw strangeJournal(source, journal);
  if (twinCount > 0) throw duplicates(twins, twinCount);
  return { overview, ...counts, gone: journal.size - known };
}

function strangeJournal({ name, facts }: RowsOptions, { path, fingerprint }: Journal): CourierError {
  if (fingerprint === facts.fingerprint) {
    return fileError(`the rows of ${name} are read differently than when the journal was begun: ${path}`, {
      hint: "give the same --map, --use-map and --sender as then",
    });
  }
  return fileError(`the journal belongs to another file, none of whose rows are in ${name}: ${path}`, {
    hint: "move it away if that import is done with, or name another one with --journal PATH",
  });
}

async function hasChanged(row: ImportRow, journal: Journal): Promise<boolean> {
  const last = await journal.lastOf(row.key);
  return last?.kind === "refused" && last.content !== row.content;
}

function duplicates(twins: readonly { ref: string; path: string }[], count: number): CourierError {
  const named = twins.map(({ ref, path }) => `${ref} (${path})`).join(", ");
  const more = count > twins.length ? ` and ${count - twins.length} more` : "";
  return new CourierError(
    "duplicate",
    2,
    `another import has created orders of the same ref: ${named}${more}`,
    {
      hint: "nothing was sent; take these rows out, or send them all the same with --allow-duplicate",
      details: { count, refs: twins.map(({ ref }) => ref) },
    },
  );
}

/** Says on stderr what is going to happen. */
export function summarise(
  plan: ImportPlan,
  { account, base_url }: JournalIdentity,
  { messages }: Context,
): void {
  const { overview, gone } = plan;
  const levels = [...overview.serviceLevels].map(
    ([level, count]) => `${count} ${level || "without a service level"}`,
  );
  messages.note(`${overview.rows} rows for the account ${account} at ${base_url}: ${levels.join(", ")}`);
  messages.note(`from ${[...overview.senders].join(", ")}`);
  if (overview.unused.length > 0) messages.note(`columns that are not used: ${overview.unused.join(", ")}`);
  const earlier = [
    plan.created > 0 ? `${plan.created} created` : "",
    plan.refused > 0 ? `${plan.refused} refused` : "",
    plan.open > 0 ? `${plan.open} whose answer was lost (they are looked up first)` : "",
  ].filter((text) => text !== "");
  if (earlier.length > 0) messages.note(`from an earlier run: ${earlier.join(", ")}; ${plan.toSend} to send`);
  if (gone > 0) {
    const rows = gone === 1 ? "1 row was" : `${gone} rows were`;
    messages.warn(
      `${rows} taken out of the file or changed since an earlier run; a changed row without a ref is a new one`,
    );
  }
}

/** The result of `--check`: field names are a contract with scripts. */
export interface CheckSummary {
  readonly [field: string]: Json;
  readonly rows: number;
  readonly service_levels: Readonly<Record<string, number>>;
  readonly senders: readonly string[];
  readonly unused_columns: readonly string[];
}

export function toSummary({ rows, serviceLevels, senders, unused }: Overview): CheckSummary {
  return {
    rows,
    service_levels: Object.fromEntries(serviceLevels),
    senders: [...senders],
    unused_columns: unused,
  };
}

export function overviewView({
  rows,
  service_levels,
  senders,
  unused_columns,
}: CheckSummary): readonly Block[] {
  const levels = Object.entries(service_levels).map(([level, count]) => `${count} ${level || "without one"}`);
  return [
    line(styled("good", "Every row is right"), "; nothing was sent"),
    fields(
      ["Rows", String(rows)],
      ["Service levels", levels.join(", ")],
      ["Senders", senders.join(", ")],
      ["Columns not used", unused_columns.join(", ") || "none"],
    ),
  ];
}
