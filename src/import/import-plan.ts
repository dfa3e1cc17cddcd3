/** What an import is going to do: its rows against the ledger. */

import type { Context } from "../command/command.ts";
import { usageError } from "../core/errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isMade } from "../ledger/operation.ts";
import {
  type FileFacts,
  type RowDecision,
  type RowPolicy,
  scriptWindowMs,
  terminalWindowMs,
} from "../ledger/rules.ts";
import { describeEncoding, describeUnused, type Overview } from "./import-input.ts";
import { describeElsewhere, describeHeld, nameOfRow } from "./row-outcome.ts";
import { type ImportRow, type RowsOptions, readRows } from "./rows.ts";

/** How many rows there are of each kind. */
export interface PlanCounts {
  toSend: number;
  shipped: number;
  refused: number;
  changed: number;
  cancelled: number;
  held: number;
  /** In doubt, or in the hands of another run: they are looked at first. */
  unknown: number;
}

export interface ImportPlan extends Readonly<PlanCounts> {
  readonly overview: Overview;
  /** Why the first few of the held rows are held. */
  readonly heldRows: readonly string[];
  /** Rows whose orders were cancelled by undoing an import. */
  readonly undone: number;
}

export interface PlanChoice {
  readonly retryRefused: boolean;
  readonly skipShipped: boolean;
  /** Names of rows that are shipped a second time: refs, or `row:17`. */
  readonly duplicates: readonly string[];
}

const heldShown = 5;
/** Rows that are looked up in the ledger at once. */
const batchSize = 500;

/** Throws a usage error for a name that no row has. */
export function createPolicy(choice: PlanChoice, overview: Overview, hasTerminal: boolean): RowPolicy {
  const names = new Set(choice.duplicates);
  for (const name of names) {
    const row = /^row:([1-9]\d*)$/.exec(name)?.[1];
    if (overview.hasRef(name) || (row !== undefined && Number(row) <= overview.rows)) continue;
    throw usageError(
      `--allow-duplicate names a row that the file does not have: ${name}`,
      "give refs or row numbers: --allow-duplicate 1001,row:17",
    );
  }
  return {
    windowMs: hasTerminal ? terminalWindowMs : scriptWindowMs,
    retryRefused: choice.retryRefused,
    skipShipped: choice.skipShipped,
    resendCancelled: false,
    isAllowed: ({ row, ref }) => names.has(`row:${row}`) || (ref !== undefined && names.has(ref)),
  };
}

/** Compares all rows with the ledger; without one, where nothing can have been shipped, all are to be sent. */
export async function planImport(
  source: RowsOptions,
  overview: Overview,
  known: { ledger: Ledger; customer: number; file: FileFacts; policy: RowPolicy } | undefined,
  context: Context,
): Promise<ImportPlan> {
  const counts = { toSend: 0, shipped: 0, refused: 0, changed: 0, cancelled: 0, held: 0, unknown: 0 };
  const heldRows: string[] = [];
  if (!known) return { ...counts, toSend: overview.rows, overview, heldRows, undone: 0 };
  const { ledger, customer, file, policy } = known;
  const undoneRuns = await ledger.undoneRuns(customer);
  let undone = 0;

  function count(row: ImportRow, decision: RowDecision): void {
    counts[kindOf(decision)] += 1;
    if (decision.kind === "held" && heldRows.length < heldShown)
      heldRows.push(`${nameOfRow(row)}: ${describeHeld(decision.operation)}`);
    if (decision.kind === "elsewhere" && !decision.isCovered && heldRows.length < heldShown)
      heldRows.push(`${nameOfRow(row)}: ${describeElsewhere(decision)}`);
    if (decision.kind === "cancelled" && undoneRuns.has(decision.operation.run)) undone += 1;
  }

  let batch: ImportRow[] = [];
  const flush = async () => {
    const decisions = await ledger.viewRows(customer, batch, file, policy, context.clock.now());
    for (const [index, decision] of decisions.entries()) count(batch[index] as ImportRow, decision);
    batch = [];
  };
  for await (const row of goodRows(source)) {
    batch.push(row);
    if (batch.length >= batchSize) await flush();
  }
  await flush();
  return { ...counts, overview, heldRows, undone };
}

function kindOf(decision: RowDecision): keyof PlanCounts {
  if (decision.kind === "send") return "toSend";
  if (decision.kind === "in_doubt") return "unknown";
  if (decision.kind === "elsewhere") return decision.isCovered ? "shipped" : "held";
  // An equal order in doubt is looked for, too.
  return decision.kind === "held" && !isMade(decision.operation) ? "unknown" : decision.kind;
}

/** The rows once more, from the same bytes: none can be wrong now. */
export async function* goodRows(source: RowsOptions): AsyncGenerator<ImportRow> {
  for await (const checked of readRows(source)) {
    if (!("ok" in checked)) throw new Error("a row that was right is wrong when it is read again");
    yield checked.ok;
  }
}

/** Says on stderr what is going to happen. */
export function summarise(plan: ImportPlan, account: string, { messages }: Context): void {
  const { overview } = plan;
  const levels = [...overview.serviceLevels].map(
    ([level, count]) => `${count} ${level || "without a service level"}`,
  );
  const rows = overview.rows === 1 ? "1 row" : `${overview.rows} rows`;
  messages.note(`${rows}, account: ${account}: ${levels.join(", ")}`);
  messages.note(`from ${[...overview.senders].join(", ")}`);
  if (overview.unused.length > 0) messages.note(describeUnused(overview.unused));
  const encoding = describeEncoding(overview);
  if (encoding !== "") messages.note(`read as ${encoding}`);
  const earlier = describeEarlier(plan);
  if (earlier !== "") messages.note(`from earlier runs: ${earlier}; ${plan.toSend} to send`);
  if (plan.held > 0) messages.warn(describeHeldRows(plan));
  if (plan.toSend > 0 && overview.refs === 0) messages.warn(lacksRefs);
}

/** What holds rows, and the ways on. */
export function describeHeldRows({ held, heldRows }: ImportPlan): string {
  const more = held > heldRows.length ? `; and ${held - heldRows.length} more` : "";
  const subject = held === 1 ? "1 row is held and not sent" : `${held} rows are held and not sent`;
  return `${subject}: ${heldRows.join("; ")}${more}`;
}

export const lacksRefs =
  "no row has a ref, so editing a row later creates a new order; add a `ref` column (your order number)";

/** What earlier runs have made of the rows; empty where there was none. */
export function describeEarlier(plan: ImportPlan): string {
  const { shipped, refused, changed, cancelled, unknown } = plan;
  const parts = [
    shipped > 0 ? `${shipped} already shipped` : "",
    changed > 0 ? `${changed} changed since ${changed === 1 ? "it was" : "they were"} shipped` : "",
    cancelled > 0 ? `${cancelled} cancelled` : "",
    refused > 0 ? `${refused} refused` : "",
    unknown > 0 ? `${unknown} in doubt (looked up first)` : "",
  ];
  return parts.filter((text) => text !== "").join(", ");
}
