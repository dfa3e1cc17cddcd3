/** What a reading of a file found out about it: the platform, lines of orders, what was left out and what was cleaned. */

import { byCount, counted } from "../core/wording.ts";
import type { SheetRow } from "../sheets/sheet.ts";
import type { Cleaning } from "./clean-cell.ts";
import type { Layout } from "./columns/layout.ts";
import type { ReadingTally } from "./order-record.ts";
import { fulfilledReasons, type SkipReason } from "./presets/preset.ts";
import { listRows } from "./row-words.ts";

export interface ReadingNotes extends ReadingTally {
  noteHeader(layout: Layout, above: readonly SheetRow[]): void;
  /** The name for `--platform`; undefined for a file that is read by its headers. */
  readonly platform: string | undefined;
  readonly lineCount: number;
  /** Orders that are not sent, by reason. */
  readonly skipped: ReadonlyMap<SkipReason, number>;
  /** Cells of which something was removed, by what it was. */
  readonly cleaned: ReadonlyMap<Cleaning, number>;
  /** One sentence each, for an import. */
  describe(file: string, orders: number, unused: readonly string[]): string[];
  /** Title and text each, for `--check`. */
  fields(orders: number): (readonly [title: string, text: string])[];
}

/** Why orders are not sent, in words. */
export const skipReasons: Readonly<Record<SkipReason, string>> = {
  fulfilled: "fulfilled already",
  "partly fulfilled": "fulfilled in part",
  refunded: "refunded",
  "in refund": "with a refund in progress",
  cancelled: "cancelled",
  "on hold": "held by the platform",
  "pick-up": "picked up by the buyer",
  unpaid: "not paid",
  "nothing to ship": "without goods to ship",
};

const cleanings: Readonly<Record<Cleaning, string>> = {
  apostrophe: "a leading apostrophe",
  "formula text": 'a value in ="…"',
  tab: "tabs around the value",
  "empty mark": "a dash for “empty”",
  "full-width digits": "full-width digits",
  amount: "a currency, a unit, a ×, commas or .0",
};

/** More unused columns than these are counted, not listed. */
const mostListed = 8;
const rowsNamed = 5;
const mergesNamed = 3;
const longestRemark = 80;

const noRef = 'no column was taken as the ref (your order number): name one with --map "COLUMN=ref"';

export function createReadingNotes(): ReadingNotes {
  const skipped = new Map<SkipReason, number>();
  const skippedRows = new Map<SkipReason, number[]>();
  const linesLeftOut = new Map<SkipReason, number[]>();
  const cleaned = new Map<Cleaning, number>();
  const splits = new Map<string, { count: number; readonly parts: readonly string[] }>();
  let layout: Layout | undefined;
  let above: readonly string[] = [];
  let merged: readonly string[] = [];
  const remarks: string[] = [];
  let remarkCount = 0;
  let lineCount = 0;

  function describeSkipped(): string {
    return [...skipped]
      .map(([reason, count]) => {
        const rows = skippedRows.get(reason) ?? [];
        return count <= rowsNamed
          ? `${count} ${skipReasons[reason]} (${nameRows(rows)})`
          : `${count} ${skipReasons[reason]}`;
      })
      .join(", ");
  }

  const lacksRef = () =>
    layout?.preset?.fields.ref !== undefined && !layout.fields.some(({ path }) => path === "ref");

  const describeLines = () =>
    [...linesLeftOut]
      .map(
        ([reason, rows]) =>
          `${skipReasons[reason]} (${rows.length <= rowsNamed ? nameRows(rows) : counted(rows.length, "row")})`,
      )
      .join(", ");

  const describeCleaned = () =>
    [...cleaned].map(([kind, count]) => `${count} with ${cleanings[kind]}`).join(", ");

  const describeMerged = () => {
    const more = merged.length - mergesNamed;
    const ranges = merged.slice(0, mergesNamed).join(", ");
    const named = more > 0 ? `${ranges} and ${counted(more, "more merge")}` : ranges;
    return `each row gets the value of the first (${named}); check that each row is an order`;
  };

  const describeRemarks = () => {
    const more = remarkCount - remarks.length;
    return `${remarks.join(", ")}${more > 0 ? ` and ${counted(more, "more row")}` : ""}`;
  };

  const describeSplits = () =>
    [...splits].map(
      ([column, { count, parts }]) =>
        `${column} is split in ${counted(count, "row")}, such as: ${parts.join(" | ")}`,
    );

  return {
    noteHeader(read, rows) {
      layout = read;
      above = rows.map(({ cells }) => cells.filter((cell) => cell !== "").join(", "));
    },
    line(remark) {
      if (remark === undefined) lineCount += 1;
      else if (remarkCount++ < rowsNamed) {
        const text = remark.cells.filter((cell) => cell !== "").join(", ");
        remarks.push(
          `row ${remark.row} (${text.length > longestRemark ? `${text.slice(0, longestRemark)}…` : text})`,
        );
      }
    },
    skip(reason, rows) {
      skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
      const named = skippedRows.get(reason) ?? [];
      if ((skipped.get(reason) ?? 0) <= rowsNamed) skippedRows.set(reason, [...named, ...rows]);
    },
    skipLine(reason, row) {
      const rows = linesLeftOut.get(reason) ?? [];
      linesLeftOut.set(reason, rows);
      rows.push(row);
    },
    merge(ranges) {
      merged = ranges;
    },
    clean(kind) {
      cleaned.set(kind, (cleaned.get(kind) ?? 0) + 1);
    },
    split(column, parts) {
      splits.set(column, { parts, ...splits.get(column), count: (splits.get(column)?.count ?? 0) + 1 });
    },
    get platform() {
      return layout?.preset?.name;
    },
    get lineCount() {
      return lineCount;
    },
    skipped,
    cleaned,
    describe(file, orders, unused) {
      const notes: string[] = [];
      const title = layout?.preset?.title;
      const all = orders + [...skipped.values()].reduce((sum, count) => sum + count, 0);
      const inRows =
        all === lineCount
          ? counted(all, "order")
          : `${counted(all, "order")} in ${counted(lineCount, "row")}`;
      if (title) notes.push(`${file} is ${title}: ${inRows}`);
      else if (all < lineCount) notes.push(`${file}: ${inRows}`);
      if (lacksRef()) notes.push(noRef);
      if (above.length > 0)
        notes.push(
          `the ${byCount(above.length, "row above the header is", "rows above the header are")} not read: ${above.join(" | ")}`,
        );
      if (remarks.length > 0)
        notes.push(`no orders, as no column that is used is filled: ${describeRemarks()}`);
      if (merged.length > 0) notes.push(`merged cells: ${describeMerged()}`);
      if (skipped.size > 0) notes.push(`not sent: ${describeSkipped()}${wayToSend(skipped)}`);
      if (linesLeftOut.size > 0) notes.push(`left out of orders that are sent: ${describeLines()}`);
      if (cleaned.size > 0) notes.push(`cleaned cells: ${describeCleaned()}`);
      notes.push(...describeSplits());
      if (unused.length > mostListed || (title && unused.length > 0))
        notes.push(
          `${counted(unused.length, "column")} ${byCount(unused.length, "is", "are")} not used; --check lists ${byCount(unused.length, "it", "them")}`,
        );
      else if (unused.length > 0) notes.push(`unused columns: ${unused.join(", ")}`);
      return notes;
    },
    fields(orders) {
      const title = layout?.preset?.title;
      const lines = lineCount <= orders ? "" : ` in ${counted(lineCount, "row")}`;
      return [
        ...(title ? [["Read as", title] as const] : []),
        lines === "" ? ["Rows", String(orders)] : ["Orders", `${orders}${lines}`],
        ...(lacksRef() ? [["Ref", noRef] as const] : []),
        ...(above.length === 0 ? [] : [["Above the header", above.join(" | ")] as const]),
        ...(remarks.length > 0 ? [["No orders", describeRemarks()] as const] : []),
        ...(merged.length > 0 ? [["Merged cells", describeMerged()] as const] : []),
        ...(skipped.size > 0 ? [["Not sent", describeSkipped()] as const] : []),
        ...(linesLeftOut.size > 0 ? [["Left out of orders", describeLines()] as const] : []),
        ...(cleaned.size > 0 ? [["Cleaned cells", describeCleaned()] as const] : []),
        ...describeSplits().map((text) => ["Split", text] as const),
      ];
    },
  };
}

function nameRows(rows: readonly number[]): string {
  return `${byCount(rows.length, "row", "rows")} ${listRows(rows)}`;
}

function wayToSend(skipped: ReadonlyMap<SkipReason, number>): string {
  return fulfilledReasons.some((reason) => skipped.has(reason))
    ? "; --include-fulfilled sends the fulfilled ones"
    : "";
}
