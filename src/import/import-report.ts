/** The report of an import: the outcome of each row, and the totals. */

import type { Context } from "../command/command.ts";
import { byCount, counted } from "../core/wording.ts";
import { jsonNumber } from "../model/json.ts";
import type { ReportRow } from "../model/results.ts";
import { type Block, type Column, line, show, styled, type Text } from "../terminal/blocks.ts";
import { countAll, type Overview } from "./check-rows.ts";
import type { Outcome, RowResult } from "./import-types.ts";
import type { RejectsWriter } from "./rejects.ts";
import { explain, listRows, nameOfRow } from "./row-words.ts";

export type Counts = Readonly<Record<Outcome, number>>;

export function noCounts(): Record<Outcome, number> {
  return {
    created: 0,
    found: 0,
    shipped: 0,
    refused: 0,
    held: 0,
    changed: 0,
    cancelled: 0,
    unknown: 0,
    unsent: 0,
    wrong: 0,
  };
}

/** Counts the rows that have an outcome. */
export function countDone({ unsent: _left, ...done }: Counts): number {
  return Object.values(done).reduce((sum, count) => sum + count, 0);
}

export function toReport(result: RowResult, { columns }: Overview): ReportRow {
  const { row, outcome, order } = result;
  const error = explain(result, columns);
  return {
    ref: row.ref ?? null,
    row: row.row,
    ...(row.rows ? { rows: [...row.rows] } : {}),
    outcome,
    id: order ? jsonNumber(order.id) : null,
    order_no: order?.order_no ?? null,
    tracking_number: order?.tracking_number ?? null,
    estimated_fee: order?.estimated_fee ? jsonNumber(order.estimated_fee) : null,
    error: error
      ? { code: error.code, message: error.message, column: error.column, value: error.value }
      : null,
  };
}

/** Adds the value, and the file's name of the column where the service's message does not contain it. */
export function describeError({ error }: ReportRow): string {
  const { message = "", column, value } = error ?? {};
  const text = column === undefined || message.includes(column) ? message : `${column}: ${message}`;
  return value === undefined || value === "" ? text : `${text}: “${value}”`;
}

const styles = {
  created: "good",
  found: "good",
  shipped: "dim",
  refused: "bad",
  held: "warn",
  changed: "warn",
  cancelled: "dim",
  unknown: "warn",
  unsent: "dim",
  wrong: "bad",
} as const;

export const reportColumns: readonly Column<ReportRow>[] = [
  { path: "row", title: "ROW", cell: ({ row, rows = [row] }) => listRows(rows), align: "right" },
  { path: "ref", title: "REF", cell: ({ ref }) => show(ref), spare: 3 },
  { path: "outcome", title: "OUTCOME", cell: ({ outcome }) => styled(styles[outcome], outcome) },
  { path: "id", title: "ID", cell: ({ id }) => show(id) },
  { path: "order_no", title: "ORDER NO", cell: ({ order_no }) => show(order_no), spare: 1 },
  { path: "tracking_number", title: "TRACKING", cell: ({ tracking_number }) => show(tracking_number) },
  {
    path: "estimated_fee",
    title: "FEE",
    cell: ({ estimated_fee }) => show(estimated_fee),
    align: "right",
    spare: 2,
  },
  {
    path: "error.message",
    title: "ERROR",
    cell: (row) => show(describeError(row) || undefined),
    isRemark: true,
  },
];

/** The reason why a row was not created, shown under its line. */
export function remarkOn(row: ReportRow): Text | undefined {
  return row.error === null ? undefined : styled(styles[row.outcome], describeError(row));
}

/** With more rows than these, the first ones have scrolled away at the end. */
const rowsInSight = 20;
const wrongShown = 10;

/** What the end of a report tells. */
export interface ReportEnd {
  readonly overview: Overview;
  readonly counts: Counts;
  readonly wrong: readonly ReportRow[];
  /** Rows of orders that are not among the rejects. */
  readonly withHidden: readonly number[];
  readonly rejects: Pick<RejectsWriter, "path" | "count" | "failure" | "earlier"> | undefined;
  /** The run's number in the log. */
  readonly run: number;
  /** The terminal was shown only the rows that were not created. */
  readonly isShort: boolean;
}

/** Shows the totals, rows with problems that have scrolled away, and the file of rejects. */
export async function closeReport(
  { overview, counts, wrong, withHidden, rejects, run, isShort }: ReportEnd,
  { messages, display, nextCommand }: Context,
): Promise<void> {
  const { refused, held, changed, cancelled, unknown } = counts;
  const { noun, fileRows } = overview;
  const total = countAll(overview);
  if (total > rowsInSight && !isShort)
    await display(recall(wrong, refused + held + changed + cancelled + unknown + counts.wrong));
  const inRows = noun === "order" ? ` in ${counted(fileRows, "row")}` : "";
  messages.note(`${counted(total, noun)}${inRows}: ${describeCounts(total, counts)}`);
  if (rejects && rejects.count > 0 && !rejects.failure) {
    const { count } = rejects;
    const kinds = [counts.wrong > 0 ? "wrong" : "", refused > 0 ? "refused" : ""].filter(Boolean);
    const all = counted(count, `${kinds.join(" or ")} ${noun}`);
    messages.note(`${all} ${byCount(count, "is", "are")} in ${rejects.path}`);
    if (rejects.earlier) messages.warnAlways(`an earlier, different file is now ${rejects.earlier}`);
  }
  if (rejects && withHidden.length > 0)
    messages.note(
      `not in ${rejects.path}: ${byCount(withHidden.length, "the order", "the orders")} of row ${listRows(withHidden)}, with hidden rows; correct ${byCount(withHidden.length, "it", "them")} in the workbook`,
    );
  if (isShort && counts.created + counts.found > 0)
    messages.note(`each order: ${nextCommand(`log show ${run}`)}`);
}

/** At a terminal, where most rows are created, those are only counted. */
export function isNoted({ outcome }: Pick<ReportRow, "outcome">): boolean {
  return outcome !== "created" && outcome !== "found" && outcome !== "shipped";
}

/** `3 created, 2 already shipped, 1 not sent`. */
export function describeCounts(rows: number, counts: Counts): string {
  const left = rows - countDone(counts);
  const parts = [
    `${counts.created} created`,
    counts.found > 0 ? `${counts.found} found` : "",
    counts.shipped > 0 ? `${counts.shipped} already shipped` : "",
    counts.refused > 0 ? `${counts.refused} refused` : "",
    counts.held > 0 ? `${counts.held} held` : "",
    counts.changed > 0 ? `${counts.changed} changed` : "",
    counts.cancelled > 0 ? `${counts.cancelled} cancelled` : "",
    counts.unknown > 0 ? `${counts.unknown} unknown` : "",
    counts.wrong > 0 ? `${counts.wrong} wrong` : "",
    left > 0 ? `${left} not sent` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function recall(wrong: readonly ReportRow[], count: number): readonly Block[] {
  const shown = wrong.slice(0, wrongShown).map((report) => {
    const { row, rows, ref } = report;
    const name = nameOfRow({ row, ...(rows ? { rows } : {}), ref: ref ?? undefined });
    return line(`${name}: ${describeError(report)}`);
  });
  return count > shown.length ? [...shown, line(`and ${count - shown.length} more`)] : shown;
}

/** True while the list of problems is short enough to read. */
export function isWorthKeeping(wrong: readonly ReportRow[]): boolean {
  return wrong.length < wrongShown;
}
