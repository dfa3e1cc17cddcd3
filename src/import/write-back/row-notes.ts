/** Notes what the ledger knows of the rows of a sheet, while it is read. */

import type { Clock } from "../../core/clock.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { isCancelled, isMade, nameOperation, type Operation } from "../../ledger/operation.ts";
import { changedFields } from "../../ledger/order-of-row.ts";
import type { FileFacts, RowPolicy } from "../../ledger/row-to-send.ts";
import type { RowDecision } from "../../ledger/rules.ts";
import type { Draft } from "../../model/draft.ts";
import { getField } from "../../model/fields.ts";
import { differingFields } from "../../model/same-order.ts";
import type { Overview } from "../check-rows.ts";
import type { RowProblem } from "../order-record.ts";
import { plainText } from "../plain-text.ts";
import type { SkipReason } from "../presets/preset.ts";
import { skipReasons } from "../reading-notes.ts";
import { describeCancelled, describeChange, describeHold, explain } from "../row-words.ts";
import type { ImportRow, WrongRow } from "../rows.ts";
import { describeSaid, type SentBefore } from "../skipped-orders.ts";
import { resultOf } from "../unsent-rows.ts";
import { type Change, madeElsewhere, madeOf, type NumberCells, type RowOrder } from "./row-order.ts";
import { createNumberReader, nothing, type RowValues } from "./titles.ts";

export interface KnownRows {
  readonly ledger: Ledger;
  readonly customer: number;
  readonly file: FileFacts;
  readonly policy: RowPolicy;
  /** Orders that are others than answers said, with the reason. */
  readonly others?: ReadonlyMap<string, string>;
}

/** The shop's own number of the order of a row. */
export type ReadNumber = (row: Pick<ImportRow, "ref" | "raw">) => string | undefined;

export interface NoteOptions {
  readonly overview: Overview;
  readonly known: KnownRows;
  readonly shop: string;
  /** Rows that were not sent are so, and rows that are held have a reason; later, nothing is known of both. */
  readonly afterImport: boolean;
  readonly numberOf: ReadNumber;
  readonly clock: Pick<Clock, "now">;
}

export interface RowCounts {
  /** Orders of the sheet that were not created, with a reason. */
  notCreated: number;
  /** Orders of the sheet that are wrong there; from another file they may have been sent with another ref. */
  wrong: number;
  /** Of these, rows that may lack the flag --sender alone: the sheet does not call them wrong. */
  senderless: number;
  /** Rows with too few or too many cells: nothing is written beside them. */
  misfits: number;
  /** Rows that this import held. */
  held: number;
  /** Of these, rows whose cells keep a tracking number. */
  heldNumbered: number;
  /** Rows that count as shipped by the tracking number that their cells keep. */
  covered: number;
  /** Orders of the sheet of which it is not known whether they were created. */
  inDoubt: number;
  /** Orders of the sheet that this machine does not know. */
  unknown: number;
}

export interface RowNotes {
  /** By the number of the row. */
  readonly values: Map<number, RowValues>;
  readonly found: readonly RowOrder[];
  readonly counts: RowCounts;
  /** Rows that the file says not to send. */
  readonly skipped: ReadonlySet<number>;
  skip(reason: SkipReason, rows: readonly number[]): void;
  /** The row does not fit the header. */
  noteMisfit(row: number): void;
  /** `off`: the row's own order, which was cancelled, where another one holds the row. */
  note(row: ImportRow, decision: RowDecision, off: Operation | undefined): void;
  /** A row that is wrong here may have been corrected in a file of rejects, and sent from there. */
  noteWrong(wrong: WrongRow): Promise<void>;
  /** The file says not to send it, and it was sent before. */
  noteSkipped(before: SentBefore): void;
  cellsOf(row: Pick<ImportRow, "raw">): NumberCells;
}

export function createRowNotes(options: NoteOptions): RowNotes {
  const { overview, known, shop, afterImport, numberOf, clock } = options;
  const values = new Map<number, RowValues>();
  const found: RowOrder[] = [];
  const counts: RowCounts = {
    notCreated: 0,
    wrong: 0,
    senderless: 0,
    misfits: 0,
    held: 0,
    heldNumbered: 0,
    covered: 0,
    inDoubt: 0,
    unknown: 0,
  };
  const misfits = new Set<number>();
  const skipped = new Set<number>();
  const readTrackingNumbers = createNumberReader(overview.header, ["tracking_number"]);
  const readAllNumbers = createNumberReader(overview.header, ["tracking_number", "order_no"]);

  function note(row: ImportRow, decision: RowDecision, off: Operation | undefined): void {
    const lines = row.rows ?? [row.row];
    const sentLines = lines.filter((line) => !skipped.has(line));
    const operation = "operation" in decision ? decision.operation : undefined;
    if (operation && isMade(operation) && decision.kind !== "held") {
      const error = describe(row, decision, overview, clock.now());
      const { ref, content } = row;
      const change = changeOf(row, decision, operation);
      // A line may have been sent before it was left out.
      const rows = change ? lines : sentLines;
      const made = madeOf(operation);
      const cells = cellsOf(row);
      found.push({ row: { ref, content }, rows, number: numberOf(row), made, cells, error, change });
      return;
    }
    if (afterImport && decision.kind === "written" && decision.isCancelled) {
      // Its numbers stay: they name the order.
      const error = describeHold(decision, row.ref) ?? "";
      for (const each of sentLines) values.set(each, { status: "cancelled", error: plainText(error) });
      counts.held += 1;
      counts.heldNumbered += 1;
      return;
    }
    if (decision.kind === "elsewhere" && decision.isCovered) {
      const made = madeElsewhere(decision);
      found.push({ rows: sentLines, number: numberOf(row), made, cells: cellsOf(row), error: "" });
      return;
    }
    const reason = reasonOf(row, decision);
    const isHeld = afterImport && resultOf(row, decision, new Map(), clock.now()).outcome === "held";
    if (isHeld) {
      counts.held += 1;
      if (!off && ownNumbersOf(row).length > 0) counts.heldNumbered += 1;
    }
    if (off) {
      const error = plainText(reason ?? describeCancelled(off.order?.id));
      const number = numberOf(row);
      found.push({ rows: sentLines, number, made: madeOf(off), cells: cellsOf(row), error });
      return;
    }
    if (reason === undefined) {
      const isCovered = afterImport && decision.kind === "written" && decision.isCovered;
      // What held it before does not any more.
      if (isCovered) for (const each of sentLines) values.set(each, { error: "" });
      if (isCovered && ownNumbersOf(row).length > 0) counts.covered += 1;
      else if (!isHeld) counts.unknown += 1;
      return;
    }
    if (decision.kind === "in_doubt") counts.inDoubt += 1;
    else if ((decision.kind === "held" || decision.kind === "written") && !afterImport) counts.unknown += 1;
    else if (!isHeld) counts.notCreated += 1;
    // Numbers that the sheet has are those of the order that was taken from it.
    const isTaken = decision.kind === "in_doubt" && decision.operation.withdrawnOrder !== undefined;
    const written = { ...(isTaken ? nothing : {}), error: plainText(reason) };
    for (const each of sentLines) values.set(each, written);
  }

  function changeOf(row: ImportRow, decision: RowDecision, { draft }: Operation): Change | undefined {
    const isOtherPerson = draft !== undefined && !isSamePerson(row.draft, draft);
    if (decision.kind !== "changed" && !(decision.kind === "cancelled" && isOtherPerson)) return undefined;
    const fields = decision.kind === "changed" ? decision.fields : undefined;
    return {
      isReceiver: fields === undefined || hasReceiver(fields),
      isOtherPerson,
      ownNumbers: ownNumbersOf(row),
    };
  }

  function cellsOf({ raw }: Pick<ImportRow, "raw">): NumberCells {
    const rows = "cells" in raw ? [raw.cells, ...(raw.more ?? [])] : [];
    return { tracking: readTrackingNumbers(rows), all: readAllNumbers(rows) };
  }

  function ownNumbersOf(row: ImportRow): readonly string[] {
    return cellsOf(row).tracking;
  }

  async function noteWrong(wrong: WrongRow): Promise<void> {
    const { row, rows: lines = [row], ref, draft, problems } = wrong;
    const rows = lines.filter((line) => !skipped.has(line));
    const isOfRef = ref !== undefined && !problems.some(({ column }) => column === "ref");
    const named = isOfRef ? await known.ledger.findByRefs(known.customer, [ref]) : [];
    // Of two rows with one ref, one got another ref in that file.
    const isShared = overview.spoiled.has(row);
    const own = named.filter(
      (each) =>
        each.shop === shop &&
        (isMade(each) || each.state === "unknown") &&
        each.draft !== undefined &&
        isSamePerson(draft, each.draft) &&
        !(isShared && fieldsChanged(wrong, each).length > 0),
    );
    const operation = own.findLast((each) => !isCancelled(each)) ?? own.at(-1);
    if (operation && isMade(operation)) {
      const fields = fieldsChanged(wrong, operation);
      const id = operation.order?.id;
      const changed =
        fields.length > 0 ? plainText(`order ${id} ${describeChange(fields, overview.columns)}`) : "";
      const error = isCancelled(operation) ? describeCancelled(id) : changed;
      const cells = cellsOf(wrong);
      const change =
        fields.length > 0
          ? { isReceiver: hasReceiver(fields), isOtherPerson: false, ownNumbers: cells.tracking }
          : undefined;
      found.push({ rows, number: numberOf(wrong), made: madeOf(operation), cells, error, change });
      return;
    }
    if (operation) counts.inDoubt += 1;
    else if (misfits.has(row)) counts.misfits += 1;
    else counts.wrong += 1;
    if (!operation && !afterImport && problems.every(isNoSender)) {
      counts.senderless += 1;
      return;
    }
    const texts = problems.map(({ column, message }) => (column === "" ? message : `${column}: ${message}`));
    const error = plainText(operation ? describeInDoubt(operation) : texts.join("; "));
    for (const each of rows) values.set(each, { error });
  }

  /** What was read of a wrong row, and was sent with another value: what is wrong there was corrected. */
  function fieldsChanged({ draft, problems }: WrongRow, sent: Operation): readonly string[] {
    const wrong = new Set(problems.map(({ column }) => column));
    return (changedFields({ draft, defaults: [] }, sent) ?? []).filter(
      (field) => getField(draft, field) !== undefined && !wrong.has(overview.columns.get(field) ?? field),
    );
  }

  function noteSkipped({ order, operation, rows, leftOut, isPart, reasons }: SentBefore): void {
    for (const { row, reason } of leftOut)
      if (reason !== undefined) values.set(row, { error: `not sent: ${skipReasons[reason]}` });
    if (!isMade(operation)) {
      counts.inDoubt += 1;
      for (const row of rows) values.set(row, { error: plainText(describeInDoubt(operation)) });
      return;
    }
    const id = operation.order?.id;
    const goods = isPart ? [] : itemFieldsChanged(order, operation);
    const parts = [
      reasons.length > 0 ? `order ${id} was made, and ${describeSaid(reasons)}` : "",
      goods.length > 0 ? `order ${id} ${describeChange(goods, overview.columns)}` : "",
    ].filter((part) => part !== "");
    const error = isCancelled(operation) ? describeCancelled(id) : plainText(parts.join("; "));
    const cells = cellsOf(order);
    const change =
      goods.length > 0 ? { isReceiver: false, isOtherPerson: false, ownNumbers: cells.tracking } : undefined;
    const isUnwanted = reasons.length > 0;
    found.push({ rows, number: numberOf(order), made: madeOf(operation), cells, error, change, isUnwanted });
  }

  function reasonOf(row: ImportRow, decision: RowDecision): string | undefined {
    if (decision.kind === "refused" || decision.kind === "undone")
      return describe(row, decision, overview, clock.now());
    if (decision.kind === "in_doubt") return describeInDoubt(decision.operation);
    if (decision.kind === "written" && (decision.sent || decision.holder || decision.receiver !== undefined))
      return describeHold(decision, row.ref);
    const isNumbered = ownNumbersOf(row).length > 0;
    if (decision.kind === "held" && isMade(decision.operation) && !isNumbered)
      return describeHold(decision, row.ref);
    // What the sheet says of its orders stays.
    if (!afterImport || decision.kind === "written") return undefined;
    return describeHold(decision, row.ref) ?? "not sent";
  }

  return {
    ...{ values, found, counts, skipped, note, noteWrong, noteSkipped, cellsOf },
    skip(reason, rows) {
      for (const row of rows) {
        skipped.add(row);
        values.set(row, { error: `not sent: ${skipReasons[reason]}` });
      }
    },
    noteMisfit: (row) => void misfits.add(row),
  };
}

/** The import may have had a sender for it. */
function isNoSender({ column, value }: RowProblem): boolean {
  return column === "sender" && value === "";
}

function hasReceiver(fields: readonly string[]): boolean {
  return fields.some((field) => field.startsWith("receiver."));
}

/** Some of its lines may have been fulfilled before the order was sent: the others are in the parcel. */
function itemFieldsChanged(
  { draft }: Pick<ImportRow, "draft">,
  { draft: sent }: Operation,
): readonly string[] {
  const item = draft.item ?? {};
  return differingFields({ item }, { item: sent?.item ?? item }, () => true);
}

/** Refs are used again, for other customers: two orders of one ref are of one person by the name or the phone. */
function isSamePerson({ receiver: one }: Draft, { receiver: other }: Draft): boolean {
  const differing = new Set(differingFields({ receiver: one ?? {} }, { receiver: other ?? {} }, () => true));
  return (
    (one?.name !== undefined && !differing.has("receiver.name")) ||
    (one?.phone !== undefined && !differing.has("receiver.phone"))
  );
}

function describe(row: ImportRow, decision: RowDecision, overview: Overview, nowMs: number): string {
  const error = explain(resultOf(row, decision, new Map(), nowMs), overview.columns);
  if (!error) return "";
  const { message, column } = error;
  return plainText(column === undefined || message.includes(column) ? message : `${column}: ${message}`);
}

function describeInDoubt(operation: Operation): string {
  const settle = `courier orders resolve ${nameOperation(operation)}`;
  return operation.state === "unknown"
    ? `in doubt; settle it with: ${settle}`
    : `being sent by run ${operation.run}; if that has ended: ${settle}`;
}
