/** What the ledger knows of each row of a sheet, as the texts that a write-back puts beside it. */

import type { Context } from "../../command/command.ts";
import type { SeenState } from "../../ledger/known-orders.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { isCancelled, isMade, nameOperation, type Operation } from "../../ledger/operation.ts";
import { changedFields } from "../../ledger/order-of-row.ts";
import type { FileFacts, RowPolicy } from "../../ledger/row-to-send.ts";
import type { RowDecision } from "../../ledger/rules.ts";
import type { Draft } from "../../model/draft.ts";
import { getField } from "../../model/fields.ts";
import { differingFields } from "../../model/same-order.ts";
import { type Overview, readAgain } from "../check-rows.ts";
import { skipNumbered } from "../equal-rows.ts";
import type { Source } from "../import-source.ts";
import { plainText } from "../plain-text.ts";
import { skipReasons } from "../reading-notes.ts";
import { describeCancelled, describeChange, describeHold, explain, nameOfRow } from "../row-words.ts";
import { type ImportRow, readRows, type WrongRow } from "../rows.ts";
import type { NumberedRow, ReadingTally } from "../sheet-records.ts";
import { describeSaid, findSentBefore, type SentBefore } from "../skipped-orders.ts";
import { resultOf } from "../unsent-rows.ts";
import { findOwnCancelled } from "./own-cancelled.ts";
import { createNumberReader, type RowValues, type WrittenValues } from "./titles.ts";

export interface KnownRows {
  readonly ledger: Ledger;
  readonly customer: number;
  readonly file: FileFacts;
  readonly policy: RowPolicy;
  /** Orders that are others than answers said, with the reason. */
  readonly others?: ReadonlyMap<string, string>;
}

export interface FilledRows {
  /** By the number of the row. Rows of which nothing is known are left out. */
  readonly values: ReadonlyMap<number, RowValues>;
  /** The order of each row that has one, by its first row. */
  readonly orders: readonly WrittenOrder[];
  /** Orders of the sheet that were not created, with a reason. */
  readonly notCreated: number;
  /** Orders of the sheet that are wrong there; from another file they may have been sent with another ref. */
  readonly wrong: number;
  /** Rows with too few or too many cells: nothing is written beside them. */
  readonly misfits: number;
  /** Rows that this import held. */
  readonly held: number;
  /** Of these, rows whose cells keep a tracking number. */
  readonly heldNumbered: number;
  /** Rows that count as shipped by the tracking number that their cells keep. */
  readonly covered: number;
  /** Orders of the sheet of which it is not known whether they were created. */
  readonly inDoubt: number;
  /** Orders of the sheet that this machine does not know. */
  readonly unknown: number;
  /** When the state that was seen first of all was seen; undefined without a state. */
  readonly statesFromMs: number | undefined;
}

/** An order of the sheet. */
export interface WrittenOrder {
  /** The shop's own number of it. */
  readonly number: string | undefined;
  readonly values: WrittenValues;
  /** The sheet has its tracking number, which may be known to it alone. */
  readonly isNumbered: boolean;
  readonly createdAtMs: number | undefined;
  /** The sheet has other values than those that were sent: the order may be that of another row with its ref. */
  readonly isChanged: boolean;
  /** The sheet says that it is cancelled or refunded. */
  readonly isUnwanted: boolean;
}

/** What was seen of an order last, and when. */
export type Seen = SeenState & {
  readonly orderNumber?: string | undefined;
  /** Why it is another order than the row's. */
  readonly other?: string | undefined;
  /** Its create is in doubt since. */
  readonly isWithdrawn?: boolean;
};

/** Reads what is known of orders by their ids. */
export type ReadStates = (orderIds: readonly string[]) => Promise<ReadonlyMap<string, Seen>>;

const batchSize = 500;

/** Without the data that was sent: a sheet has many. */
type Made = Pick<
  Operation,
  "run" | "number" | "kind" | "state" | "order" | "orderState" | "sentAtMs" | "endedAtMs"
>;

interface RowOrder {
  /** The row itself; without one, the order is not compared with others. */
  readonly row?: Pick<ImportRow, "ref" | "content">;
  readonly rows: readonly number[];
  readonly number: string | undefined;
  readonly made: Made;
  readonly cells: NumberCells;
  readonly error: string;
  readonly change?: Change | undefined;
  /** The file says not to send it. */
  readonly isUnwanted?: boolean;
}

/** The numbers of orders that stand in a row's own cells. */
interface NumberCells {
  readonly tracking: readonly string[];
  readonly all: readonly string[];
}

/** How a row differs from the order that was sent with its ref. */
interface Change {
  /** Its number may be of another customer: it is not written beside this row. */
  readonly isReceiver: boolean;
  /** The row shows the number of another person. */
  readonly isOtherPerson: boolean;
  /** The numbers that stand in the row's own cells. */
  readonly ownNumbers: readonly string[];
}

function madeOf({ run, number, kind, state, order, orderState, sentAtMs, endedAtMs }: Operation): Made {
  return { run, number, kind, state, order, orderState, sentAtMs, endedAtMs };
}

/** The shop's own number of the order of a row. */
export type ReadNumber = (row: Pick<ImportRow, "ref" | "raw">) => string | undefined;

export interface FillOptions {
  /** Rows that were not sent are so, and rows that are held have a reason; later, nothing is known of both. */
  readonly afterImport: boolean;
  readonly readStates: ReadStates;
  /** Its ref, where it is not this. */
  readonly numberOf?: ReadNumber;
}

/** Reads the sheet again and compares it with the ledger, as an import does, but sends nothing. */
export async function fillRows(
  source: Source,
  overview: Overview,
  known: KnownRows,
  { afterImport, readStates, numberOf = ({ ref }) => ref }: FillOptions,
  { clock }: Pick<Context, "clock">,
): Promise<FilledRows> {
  const values = new Map<number, RowValues>();
  const found: RowOrder[] = [];
  const policy = { ...known.policy, resendCancelled: false };
  const readTrackingNumbers = createNumberReader(overview.header, ["tracking_number"]);
  const readAllNumbers = createNumberReader(overview.header, ["tracking_number", "order_no"]);
  let [notCreated, wrongRows, misfits, inDoubt, unknown, held, heldNumbered, covered] = [
    0, 0, 0, 0, 0, 0, 0, 0,
  ];
  const misfitRows = new Set<number>();
  /** Rows that the file says not to send. */
  const skipped = new Set<number>();

  /** `off`: the row's own order, which was cancelled, where another one holds the row. */
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
      held += 1;
      heldNumbered += 1;
      return;
    }
    const reason = reasonOf(row, decision);
    const isHeld = afterImport && resultOf(row, decision, new Map(), clock.now()).outcome === "held";
    if (isHeld) {
      held += 1;
      if (!off && ownNumbersOf(row).length > 0) heldNumbered += 1;
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
      if (isCovered && ownNumbersOf(row).length > 0) covered += 1;
      else if (!isHeld) unknown += 1;
      return;
    }
    if (decision.kind === "in_doubt") inDoubt += 1;
    else if ((decision.kind === "held" || decision.kind === "written") && !afterImport) unknown += 1;
    else if (!isHeld) notCreated += 1;
    for (const each of sentLines) values.set(each, { error: plainText(reason) });
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

  /** A row that is wrong here may have been corrected in a file of rejects, and sent from there. */
  async function noteWrong(wrong: WrongRow): Promise<void> {
    const { row, rows: lines = [row], ref, draft, problems } = wrong;
    const rows = lines.filter((line) => !skipped.has(line));
    const isOfRef = ref !== undefined && !problems.some(({ column }) => column === "ref");
    const named = isOfRef ? await known.ledger.findByRefs(known.customer, [ref]) : [];
    // Of two rows with one ref, one got another ref in that file.
    const isShared = overview.spoiled.has(row);
    const own = named.filter(
      (each) =>
        each.shop === source.shop &&
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
    if (operation) inDoubt += 1;
    else if (misfitRows.has(row)) misfits += 1;
    else wrongRows += 1;
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

  /** The file says not to send it, and it was sent before. */
  function noteSkipped({ order, operation, rows, leftOut, isPart, reasons }: SentBefore): void {
    for (const { row, reason } of leftOut)
      if (reason !== undefined) values.set(row, { error: `not sent: ${skipReasons[reason]}` });
    if (!isMade(operation)) {
      inDoubt += 1;
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

  /** A row whose order was cancelled, or has other values, may have another one that equals it: the newest. */
  async function preferStanding(
    all: readonly RowOrder[],
    states: Map<string, Seen>,
  ): Promise<readonly RowOrder[]> {
    const isOff = (made: Made) =>
      isCancelled(made) || states.get(made.order?.id ?? "")?.status === "cancelled";
    const used = new Set(idsOf(all.map(({ made }) => made)));
    const others = new Map<RowOrder, readonly Made[]>();
    for (const each of all) {
      if (!each.row || (!each.change && !isOff(each.made))) continue;
      const equal = await known.ledger.equalOrders(known.customer, each.row, known.file);
      const unused = equal.filter(({ order }) => order && !used.has(order.id)).map(madeOf);
      if (unused.length > 0) others.set(each, unused);
    }
    if (others.size === 0) return all;
    const asked = [...others.values()].flatMap(idsOf).filter((id) => !states.has(id));
    if (asked.length > 0)
      for (const [id, seen] of await readStates([...new Set(asked)])) states.set(id, seen);
    return all.map((each) => {
      const free = (others.get(each) ?? []).filter(({ order }) => order && !used.has(order.id));
      const standing = free.findLast((made) => !isOff(made));
      const made = standing ?? (each.change ? free.at(-1) : undefined);
      if (!made) return each;
      for (const id of idsOf([made])) used.add(id);
      return { ...each, made, change: undefined, error: standing ? "" : describeCancelled(made.order?.id) };
    });
  }

  let batch: ImportRow[] = [];
  const flush = async () => {
    const decisions = await known.ledger.viewRows(
      known.customer,
      skipNumbered(batch, known.file),
      known.file,
      policy,
      clock.now(),
    );
    const decided = decisions.map((decision, index) => {
      const row = batch[index] as ImportRow;
      return { row, decision: asRefused(row, decision), numbers: cellsOf(row).all };
    });
    const off = await findOwnCancelled(decided, known.customer, known.file, known.ledger);
    for (const { row, decision } of decided) note(row, decision, off.get(row.row));
    batch = [];
  };
  const tally: ReadingTally = {
    ...noTally,
    skip(reason, rows) {
      for (const row of rows) {
        skipped.add(row);
        values.set(row, { error: `not sent: ${skipReasons[reason]}` });
      }
    },
    skipLine(reason, row) {
      skipped.add(row);
      values.set(row, { error: `not sent: ${skipReasons[reason]}` });
    },
  };
  const onLine = ({ row, misfit }: NumberedRow) => {
    if (misfit) misfitRows.add(row);
  };
  for await (const checked of readAgain({ ...source, tally, onLine }, overview)) {
    if ("ok" in checked) batch.push(checked.ok);
    else await noteWrong(checked);
    if (batch.length >= batchSize) await flush();
  }
  await flush();
  if (skipped.size > 0)
    for await (const each of findSentBefore(source, { ...known, shop: source.shop })) noteSkipped(each);
  const states = new Map(await readStates(idsOf(found.map(({ made }) => made))));
  let statesFromMs: number | undefined;
  const chosen = await preferStanding(found, states);
  const holders = await known.ledger.findByNumber(known.customer, [
    ...new Set(chosen.filter(({ made }) => lacksNumber(made)).flatMap(({ cells }) => cells.all)),
  ]);
  /** The cells have the number of another order. */
  const hasForeignNumber = ({ made, cells }: RowOrder) =>
    cells.all.some((cell) =>
      holders.get(cell)?.some(({ run, number }) => run !== made.run || number !== made.number),
    );
  const shared = findShared(chosen, states);
  const orders = chosen.flatMap((each): WrittenOrder | [] => {
    const { rows, number, made, change } = each;
    const shown = states.get(made.order?.id ?? "");
    const tracking = shown?.trackingNumber ?? "";
    const isForeign = shared.has(tracking) && tracking !== made.order?.tracking_number;
    // The number with which it was made is known.
    const seen = shown && isForeign ? { ...shown, trackingNumber: undefined, orderNumber: undefined } : shown;
    const error = isForeign
      ? plainText(`the service shows the number of another row's order: ${tracking}`)
      : each.error;
    const own = { ...valuesOf(made, seen), error };
    const other = seen?.other ?? known.others?.get(made.order?.id ?? "");
    const written =
      change?.isReceiver || other
        ? { ...nothing, error: other === undefined ? error : plainText(other) }
        : own;
    // The cells of the row keep what the sheet had, unless that is this number.
    const isWrong =
      other !== undefined ||
      (change?.isOtherPerson === true && change.ownNumbers.some((each) => each === own.tracking_number));
    const keepsCells = !isWrong && !hasForeignNumber(each);
    const filled = keepsCells ? withoutUnknown(written) : written;
    for (const row of rows) values.set(row, change?.isReceiver && !isWrong ? { error } : filled);
    const seenAtMs = seen?.seenAtMs ?? made.endedAtMs;
    if (written.status !== "" && seenAtMs !== undefined)
      statesFromMs = Math.min(statesFromMs ?? seenAtMs, seenAtMs);
    if (seen?.isWithdrawn) {
      inDoubt += 1;
      return [];
    }
    const keepsNumber = keepsCells && written.status !== "cancelled" && each.cells.tracking.length > 0;
    return {
      number,
      values: written,
      isNumbered: written.tracking_number !== "" || keepsNumber,
      createdAtMs: made.sentAtMs ?? made.endedAtMs,
      isChanged: !!change,
      isUnwanted: each.isUnwanted === true,
    };
  });
  if (skipped.size > 0) await clearForeignNumbers();
  const counts = { notCreated, wrong: wrongRows, misfits, held, heldNumbered, covered, inDoubt, unknown };
  return { values, orders, ...counts, statesFromMs };

  /** A row that the file says not to send may have been copied with the number of another row's order. */
  async function clearForeignNumbers(): Promise<void> {
    const readNumbers = createNumberReader(overview.header, ["tracking_number", "order_no"]);
    const holders = new Map<string, RowOrder>();
    for (const each of found)
      for (const number of [each.made.order?.tracking_number, each.made.order?.order_no])
        if (number) holders.set(number, each);
    const onLine = ({ row, cells }: { readonly row: number; readonly cells: readonly string[] }) => {
      const { error } = (skipped.has(row) && values.get(row)) || {};
      const number = error === undefined ? undefined : readNumbers([cells]).find((each) => holders.has(each));
      const holder = number === undefined ? undefined : holders.get(number);
      if (!holder || holder.rows.includes(row)) return;
      const name = nameOfRow({ row: holder.rows[0] ?? 0, rows: holder.rows, ref: holder.row?.ref });
      values.set(row, { ...nothing, error: `${error}; ${number} is the order of ${name}` });
    };
    for await (const _ of readRows({ ...source, onLine }));
  }
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

function lacksNumber({ order }: Made): boolean {
  return !order?.tracking_number || !order.order_no;
}

function idsOf(all: readonly Made[]): readonly string[] {
  return all.flatMap(({ order }) => order?.id ?? []);
}

/** Refs are used again, for other customers: two orders of one ref are of one person by the name or the phone. */
function isSamePerson({ receiver: one }: Draft, { receiver: other }: Draft): boolean {
  const differing = new Set(differingFields({ receiver: one ?? {} }, { receiver: other ?? {} }, () => true));
  return (
    (one?.name !== undefined && !differing.has("receiver.name")) ||
    (one?.phone !== undefined && !differing.has("receiver.phone"))
  );
}

/** Tracking numbers that the service shows for several orders. */
function findShared(orders: readonly RowOrder[], states: ReadonlyMap<string, Seen>): ReadonlySet<string> {
  const holders = new Map<string, string>();
  const shared = new Set<string>();
  for (const { made } of orders) {
    const { id = "", tracking_number } = made.order ?? {};
    const number = states.get(id)?.trackingNumber ?? tracking_number;
    if (!number) continue;
    if ((holders.get(number) ?? id) !== id) shared.add(number);
    holders.set(number, id);
  }
  return shared;
}

const nothing: WrittenValues = {
  tracking_number: "",
  order_no: "",
  status: "",
  estimated_fee: "",
  error: "",
};

/** What is not known of an order yet may be known to another machine, which has written it, or to a later answer. */
function withoutUnknown(values: WrittenValues): RowValues {
  if (values.status === "cancelled") return values;
  const known = Object.entries(values).filter(([name, value]) => value !== "" || name === "error");
  return Object.fromEntries(known);
}

function valuesOf(operation: Made, seen: Seen | undefined): WrittenValues {
  const { order, orderState } = operation;
  const isOff = isCancelled(operation);
  const status = isOff ? "cancelled" : (seen?.status ?? orderState ?? "");
  // A parcel that does not leave has no number to tell a buyer.
  const isGone = status === "cancelled";
  return {
    ...nothing,
    tracking_number: isGone ? "" : plainText(seen?.trackingNumber ?? order?.tracking_number ?? ""),
    order_no: plainText(seen?.orderNumber ?? order?.order_no ?? ""),
    status: plainText(status),
    estimated_fee: isGone ? "" : plainText(order?.estimated_fee ?? ""),
  };
}

function describe(row: ImportRow, decision: RowDecision, overview: Overview, nowMs: number): string {
  const error = explain(resultOf(row, decision, new Map(), nowMs), overview.columns);
  if (!error) return "";
  const { message, column } = error;
  return plainText(column === undefined || message.includes(column) ? message : `${column}: ${message}`);
}

/** A row that a flag sends again, and that has no order now, was refused again: the newest reason counts. */
function asRefused({ content }: ImportRow, decision: RowDecision): RowDecision {
  const refused = decision.kind === "send" ? decision.supersedes : undefined;
  return refused?.content === content ? { kind: "refused", operation: refused } : decision;
}

function describeInDoubt(operation: Operation): string {
  const settle = `courier orders resolve ${nameOperation(operation)}`;
  return operation.state === "unknown"
    ? `in doubt; settle it with: ${settle}`
    : `being sent by run ${operation.run}; if that has ended: ${settle}`;
}

const noTally: ReadingTally = { line() {}, skip() {}, skipLine() {}, clean() {}, merge() {}, split() {} };
