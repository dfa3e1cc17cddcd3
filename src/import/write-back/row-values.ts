/** What the ledger knows of each row of a sheet, as the texts that a write-back puts beside it. */

import type { Context } from "../../command/command.ts";
import type { Clock } from "../../core/clock.ts";
import { isCancelled, nameOperation } from "../../ledger/operation.ts";
import type { RowPolicy } from "../../ledger/row-to-send.ts";
import type { RowDecision } from "../../ledger/rules.ts";
import { type Overview, readAgain } from "../check-rows.ts";
import { skipNumbered } from "../equal-rows.ts";
import type { Source } from "../import-source.ts";
import type { NumberedRow, ReadingTally } from "../order-record.ts";
import { answerCell, plainText } from "../plain-text.ts";
import { nameOfRow } from "../row-words.ts";
import { type ImportRow, readRows } from "../rows.ts";
import { findSentBefore } from "../skipped-orders.ts";
import { findOwnCancelled } from "./own-cancelled.ts";
import {
  createRowNotes,
  type KnownRows,
  type NoteOptions,
  type ReadNumber,
  type RowCounts,
  type RowNotes,
} from "./row-notes.ts";
import { idsOf, type Made, type ReadStates, type RowOrder, type Seen } from "./row-order.ts";
import { preferStanding } from "./standing-orders.ts";
import { createNumberReader, nothing, type RowValues, type WrittenValues } from "./titles.ts";

export interface FilledRows extends Readonly<RowCounts> {
  /** By the number of the row. Rows of which nothing is known are left out. */
  readonly values: ReadonlyMap<number, RowValues>;
  /** The order of each row that has one, by its first row. */
  readonly orders: readonly WrittenOrder[];
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

const batchSize = 500;

export interface FillOptions extends Pick<NoteOptions, "afterImport"> {
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
  const { shop } = source;
  const notes = createRowNotes({ overview, known, shop, afterImport, numberOf, clock });
  await noteRows(source, overview, known, notes, clock);
  const written = await writeOrders(notes, known, readStates);
  if (notes.skipped.size > 0) await clearForeignNumbers(source, overview, notes);
  const { values, counts } = notes;
  return { values, ...counts, ...written };
}

/** Reads the sheet and notes each of its rows. */
async function noteRows(
  source: Source,
  overview: Overview,
  known: KnownRows,
  notes: RowNotes,
  clock: Clock,
): Promise<void> {
  const { ledger, customer, file } = known;
  /** Of an earlier batch: one order covers one row. */
  const covered = new Set<string>();
  const taken = new Set<string>();
  const policy: RowPolicy = {
    ...known.policy,
    resent: undefined,
    isCovered: (operation) => covered.has(nameOperation(operation)),
    isTaken: (orderId) => taken.has(orderId),
  };
  /** No flag takes its order from a row. */
  const asKnown: RowPolicy = { ...policy, isAllowed: () => false };
  let batch: ImportRow[] = [];
  const flush = async () => {
    const rows = skipNumbered(batch, file);
    const decisions = [...(await ledger.viewRows(customer, rows, file, policy, clock.now()))];
    for (const [index, decision] of decisions.entries()) {
      if (decision.kind === "shipped" && decision.isElsewhere) covered.add(nameOperation(decision.operation));
      if (decision.kind === "elsewhere" && decision.isCovered) taken.add(decision.orderId);
      if (decision.kind !== "send" || decision.allowance !== "extra") continue;
      const own = await ledger.viewRows(customer, rows.slice(index, index + 1), file, asKnown, clock.now());
      decisions[index] = own[0] ?? decision;
    }
    const decided = decisions.map((decision, index) => {
      const row = batch[index] as ImportRow;
      return { row, decision: asRefused(row, decision), numbers: notes.cellsOf(row).all };
    });
    const off = await findOwnCancelled(decided, customer, file, ledger);
    for (const { row, decision } of decided) notes.note(row, decision, off.get(row.row));
    batch = [];
  };
  const tally: ReadingTally = {
    ...noTally,
    skip: notes.skip,
    skipLine: (reason, row) => notes.skip(reason, [row]),
  };
  const onLine = ({ row, misfit }: NumberedRow) => {
    if (misfit) notes.noteMisfit(row);
  };
  for await (const checked of readAgain({ ...source, tally, onLine }, overview)) {
    if ("ok" in checked) batch.push(checked.ok);
    else await notes.noteWrong(checked);
    if (batch.length >= batchSize) await flush();
  }
  await flush();
  if (notes.skipped.size === 0) return;
  for await (const each of findSentBefore(source, { ...known, shop: source.shop })) notes.noteSkipped(each);
}

/** Writes the values of the orders that were found beside their rows. */
async function writeOrders(
  { found, values, counts }: RowNotes,
  known: KnownRows,
  readStates: ReadStates,
): Promise<Pick<FilledRows, "orders" | "statesFromMs">> {
  const states = new Map(await readStates(idsOf(found.map(({ made }) => made))));
  let statesFromMs: number | undefined;
  const chosen = await preferStanding(found, states, known, readStates);
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
      ? plainText(`the service shows the number of another row's order: ${answerCell(tracking)}`)
      : each.error;
    const own = { ...valuesOf(made, seen), error };
    const other = seen?.other ?? known.others?.get(made.order?.id ?? "") ?? describeMark(made, seen);
    const written =
      change?.isReceiver || other
        ? { ...nothing, error: other === undefined ? error : plainText(other) }
        : own;
    // The cells of the row keep what the sheet had, unless that is this number.
    const isWrong =
      other !== undefined ||
      (change?.isOtherPerson === true &&
        change.ownNumbers.some((each) => answerCell(each) === own.tracking_number));
    const keepsCells = !isWrong && !hasForeignNumber(each);
    const filled = keepsCells ? withoutUnknown(written) : written;
    for (const row of rows) values.set(row, change?.isReceiver && !isWrong ? { error } : filled);
    const seenAtMs = seen?.seenAtMs ?? made.endedAtMs;
    if (written.status !== "" && seenAtMs !== undefined)
      statesFromMs = Math.min(statesFromMs ?? seenAtMs, seenAtMs);
    if (seen?.isWithdrawn) {
      counts.inDoubt += 1;
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
  return { orders, statesFromMs };
}

/** A row that the file says not to send may have been copied with the number of another row's order. */
async function clearForeignNumbers(
  source: Source,
  overview: Overview,
  { found, values, skipped }: RowNotes,
): Promise<void> {
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
    values.set(row, { ...nothing, error: `${error}; ${answerCell(number ?? "")} is the order of ${name}` });
  };
  for await (const _ of readRows({ ...source, onLine }));
}

/** What the service showed of it before. */
function describeMark({ isShownAsOther, order }: Made, seen: Seen | undefined): string | undefined {
  return isShownAsOther && !seen?.isRead
    ? `the service showed order ${order?.id} with other data than was sent`
    : undefined;
}

function lacksNumber({ order }: Made): boolean {
  return !order?.tracking_number || !order.order_no;
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
    tracking_number: isGone ? "" : answerCell(seen?.trackingNumber ?? order?.tracking_number ?? ""),
    order_no: answerCell(seen?.orderNumber ?? order?.order_no ?? ""),
    status: answerCell(status),
    estimated_fee: isGone ? "" : plainText(order?.estimated_fee ?? ""),
  };
}

/** A row that a flag sends again, and that has no order now, was refused again: the newest reason counts. */
function asRefused({ content }: ImportRow, decision: RowDecision): RowDecision {
  const refused = decision.kind === "send" ? decision.supersedes : undefined;
  return refused?.content === content ? { kind: "refused", operation: refused } : decision;
}

const noTally: ReadingTally = { line() {}, skip() {}, skipLine() {}, clean() {}, merge() {}, split() {} };
