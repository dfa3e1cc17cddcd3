/** Owns what an import is going to do: its rows against its journal and the journals of other files. */

import type { Context } from "../command/command.ts";
import { type CourierError, fileError } from "../core/errors.ts";
import { checkRows, describeEncoding, describeUnused, type Overview } from "./import-input.ts";
import type { OtherOrders, Twin } from "./import-others.ts";
import { createRenamedRows } from "./import-renamed.ts";
import { createTwinCounts, type TwinCount } from "./import-twins.ts";
import type { JournalIdentity, JournalView } from "./journal.ts";
import type { ImportRow, RowsOptions } from "./rows.ts";

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
  /** Rows to be sent that are orders already, of another import or under another ref. */
  readonly twins: readonly TwinCount[];
}

export interface PlanOptions {
  readonly retryRefused: boolean;
  /** Undefined to let rows pass that are orders already. */
  readonly others: OtherOrders | undefined;
}

/**
 * Checks all rows and compares them with the journals; `journal` is undefined where there is none yet.
 * Throws a file error for rows that are wrong, and for a journal of another file.
 */
export async function planImport(
  source: RowsOptions,
  journal: JournalView | undefined,
  { retryRefused, others }: PlanOptions,
  context: Context,
): Promise<ImportPlan> {
  const counts = { toSend: 0, created: 0, refused: 0, open: 0 };
  const twins = createTwinCounts();
  const renamed = others && journal && journal.size > 0 ? createRenamedRows(journal) : undefined;
  let known = 0;
  const onRow = async (row: ImportRow) => {
    const status = journal?.statusOf(row.key);
    if (status !== undefined) known += 1;
    const isOpen = status === "intent" || status === "unknown";
    let twin: Twin | undefined;
    if (status === "created") counts.created += 1;
    else if (status === "refused" && !retryRefused && !(await hasChanged(row, journal))) counts.refused += 1;
    else {
      if (isOpen) counts.open += 1;
      else counts.toSend += 1;
      twin = await others?.findTwin(row);
      // An open row was let pass once, and nothing has happened to an equal one that it could be taken for.
      if (twin && !(isOpen && twin.by === "content")) twins.add(row, twin);
    }
    renamed?.see(row, status === undefined && !twin);
  };
  const overview = await checkRows(source, onRow, context);
  const gone = (journal?.size ?? 0) - known;
  if (journal && gone > 0) {
    await renamed?.find((row) => twins.add({ row, ref: undefined }, { path: journal.path, by: "renamed" }));
    if (known === 0) throw strangeJournal(source, journal, twins.found());
  }
  return { overview, ...counts, gone, twins: twins.found() };
}

function strangeJournal(
  { name, facts }: RowsOptions,
  { path, fingerprint }: JournalView,
  twins: readonly TwinCount[],
): CourierError {
  if (fingerprint === facts.fingerprint) {
    return fileError(`the rows of ${name} are read differently than when the journal was begun: ${path}`, {
      hint: "give the same --map, --use-map, --sender and --encoding as then",
    });
  }
  const renamed = twins.find(({ by }) => by === "renamed")?.count ?? 0;
  const equal = renamed === 1 ? "1 row is the same as an order" : `${renamed} rows are the same as orders`;
  const warning = renamed > 0 ? `${equal} of it: where only refs changed, put them back; else ` : "";
  return fileError(`the journal belongs to another file, none of whose rows are in ${name}: ${path}`, {
    hint: `${warning}move it away if that import is done with, or name another one with --journal PATH`,
  });
}

async function hasChanged(row: ImportRow, journal: JournalView | undefined): Promise<boolean> {
  const last = await journal?.lastOf(row.key);
  return last?.kind === "refused" && last.content !== row.content;
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
  const rows = overview.rows === 1 ? "1 row" : `${overview.rows} rows`;
  messages.note(`${rows} for the account ${account} at ${base_url}: ${levels.join(", ")}`);
  messages.note(`from ${[...overview.senders].join(", ")}`);
  if (overview.unused.length > 0) messages.note(describeUnused(overview.unused));
  const encoding = describeEncoding(overview);
  if (encoding !== "") messages.note(`read as ${encoding}`);
  const earlier = describeEarlier(plan);
  if (earlier !== "") messages.note(`from an earlier run: ${earlier}; ${plan.toSend} to send`);
  if (gone > 0) messages.warn(describeGone(gone));
  if (plan.toSend > 0 && overview.refs === 0) messages.warn(lacksRefs);
}

/** Rows that the journal knows and the file has no more. */
export function describeGone(gone: number): string {
  const taken = gone === 1 ? "1 row was" : `${gone} rows were`;
  return `${taken} taken out of the file or changed since an earlier run; a changed row without a ref is a new one`;
}

export const lacksRefs =
  "no row has a ref: a row that is changed later is a new order; a column ref, such as your order number, tells rows apart";

/** What an earlier run has made of the rows; empty where there was none. */
export function describeEarlier({ created, refused, open }: ImportPlan): string {
  const parts = [
    created > 0 ? `${created} created` : "",
    refused > 0 ? `${refused} refused` : "",
    open > 0 ? `${open} whose answer was lost (they are looked up first)` : "",
  ];
  return parts.filter((text) => text !== "").join(", ");
}
