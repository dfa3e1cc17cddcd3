/** What the ledger knows of each row of a sheet, as the texts that a write-back puts beside it. */

import type { Context } from "../../command/command.ts";
import type { SeenState } from "../../ledger/known-orders.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { isCancelled, isMade, nameOperation, type Operation } from "../../ledger/operation.ts";
import type { FileFacts, RowDecision, RowPolicy } from "../../ledger/rules.ts";
import type { Overview } from "../check-rows.ts";
import type { Source } from "../import-source.ts";
import { describeElsewhere, describeHeld, explain } from "../row-words.ts";
import { type ImportRow, readRows, type WrongRow } from "../rows.ts";
import { resultOf } from "../unsent-rows.ts";
import type { WrittenValues } from "./titles.ts";

export interface KnownRows {
  readonly ledger: Ledger;
  readonly customer: number;
  readonly file: FileFacts;
  readonly policy: RowPolicy;
}

export interface FilledRows {
  /** By the number of the row. Rows of which nothing is known are left out. */
  readonly values: ReadonlyMap<number, WrittenValues>;
  /** The order of each row that has one, by its first row. */
  readonly orders: readonly WrittenOrder[];
  /** Orders of the sheet that were not created, with a reason. */
  readonly notCreated: number;
  /** Orders of the sheet that this machine does not know. */
  readonly unknown: number;
  /** When the state that was seen first of all was seen; undefined without a state. */
  readonly statesFromMs: number | undefined;
}

/** A row with its order. */
export interface WrittenOrder {
  readonly row: number;
  readonly ref: string | undefined;
  readonly cells: readonly string[];
  readonly values: WrittenValues;
  readonly isCancelled: boolean;
  readonly createdAtMs: number | undefined;
}

/** What was seen of an order last, and when. */
export type Seen = SeenState & { readonly orderNumber?: string | undefined };

/** Reads what is known of orders by their ids. */
export type ReadStates = (orderIds: readonly string[]) => Promise<ReadonlyMap<string, Seen>>;

const batchSize = 500;

interface RowOrder {
  readonly rows: readonly number[];
  readonly ref: string | undefined;
  readonly cells: readonly string[];
  readonly operation: Operation;
  readonly error: string;
}

/**
 * Reads the sheet again and compares it with the ledger, as an import does, but sends nothing. `afterImport`: rows that
 * were not sent are so, and rows that are held have a reason; later, both are rows that nothing is known of.
 */
export async function fillRows(
  source: Source,
  overview: Overview,
  known: KnownRows,
  { afterImport, readStates }: { readonly afterImport: boolean; readonly readStates: ReadStates },
  { clock }: Pick<Context, "clock">,
): Promise<FilledRows> {
  const values = new Map<number, WrittenValues>();
  const found: RowOrder[] = [];
  const policy = { ...known.policy, retryRefused: false, resendCancelled: false };
  let [notCreated, unknown] = [0, 0];

  function note(row: ImportRow, decision: RowDecision): void {
    const rows = row.rows ?? [row.row];
    const operation = "operation" in decision ? decision.operation : undefined;
    if (operation && isMade(operation) && decision.kind !== "held") {
      const error = describe(row, decision, overview, clock.now());
      found.push({ rows, ref: row.ref, cells: firstCells(row), operation, error });
      return;
    }
    const reason = reasonOf(row, decision);
    if (reason === undefined) {
      unknown += 1;
      return;
    }
    notCreated += 1;
    for (const each of rows) values.set(each, { ...nothing, error: reason });
  }

  function noteWrong({ row, rows = [row], problems }: WrongRow): void {
    notCreated += 1;
    const texts = problems.map(({ column, message }) => (column === "" ? message : `${column}: ${message}`));
    for (const each of rows) values.set(each, { ...nothing, error: plainText(texts.join("; ")) });
  }

  function reasonOf(row: ImportRow, decision: RowDecision): string | undefined {
    if (decision.kind === "refused") return describe(row, decision, overview, clock.now());
    if (decision.kind === "in_doubt") return inDoubt(decision.operation);
    if (!afterImport) return undefined;
    if (decision.kind === "held") return describeHeld(decision.operation);
    return decision.kind === "elsewhere" ? describeElsewhere(decision) : "not sent";
  }

  let batch: ImportRow[] = [];
  const flush = async () => {
    const decisions = await known.ledger.viewRows(known.customer, batch, known.file, policy, clock.now());
    for (const [index, decision] of decisions.entries()) note(batch[index] as ImportRow, decision);
    batch = [];
  };
  for await (const checked of readRows(source)) {
    if ("ok" in checked) batch.push(checked.ok);
    else noteWrong(checked);
    if (batch.length >= batchSize) await flush();
  }
  await flush();
  found.push(...(await findFulfilled(source, known)));
  const states = await readStates(found.flatMap(({ operation }) => operation.order?.id ?? []));
  let statesFromMs: number | undefined;
  const orders = found.map(({ rows, ref, cells, operation, error }): WrittenOrder => {
    const seen = states.get(operation.order?.id ?? "");
    const written = { ...valuesOf(operation, seen), error: plainText(error) };
    for (const row of rows) values.set(row, written);
    const seenAtMs = seen?.seenAtMs ?? operation.endedAtMs;
    if (written.status !== "" && seenAtMs !== undefined)
      statesFromMs = Math.min(statesFromMs ?? seenAtMs, seenAtMs);
    const createdAtMs = operation.sentAtMs ?? operation.endedAtMs;
    const isOff = isCancelled(operation) || seen?.status === "cancelled";
    return { row: rows[0] ?? 0, ref, cells, values: written, isCancelled: isOff, createdAtMs };
  });
  return { values, orders, notCreated, unknown, statesFromMs };
}

const nothing: WrittenValues = {
  tracking_number: "",
  order_no: "",
  status: "",
  estimated_fee: "",
  error: "",
};

function valuesOf(operation: Operation, seen: Seen | undefined): WrittenValues {
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

function inDoubt(operation: Operation): string {
  return `in doubt; settle it with: courier orders resolve ${nameOperation(operation)}`;
}

/** One line, of characters that every sheet can hold. */
function plainText(text: string): string {
  return text
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(/[\p{Cc}\u2028\u2029\ufffe\uffff]+/gu, " ")
    .trim();
}

function firstCells({ raw }: Pick<ImportRow, "raw">): readonly string[] {
  return "cells" in raw ? raw.cells : [];
}

/**
 * Orders that were shipped from here and that the shop's file marks as fulfilled since: an import does not read them.
 * Their platform may have hidden the receivers meanwhile, so they are known by their refs alone.
 */
async function findFulfilled(source: Source, { ledger, customer }: KnownRows): Promise<RowOrder[]> {
  if (source.includeFulfilled) return [];
  const fulfilled = new Set<number>();
  const tally = {
    line() {},
    skip(reason: string, rows: readonly number[]) {
      if (reason === "fulfilled") for (const row of rows) fulfilled.add(row);
    },
    skipLine() {},
    clean() {},
    split() {},
  };
  for await (const _ of readRows({ ...source, tally }));
  if (fulfilled.size === 0) return [];
  const found: RowOrder[] = [];
  for await (const checked of readRows({ ...source, includeFulfilled: true })) {
    const order = "ok" in checked ? checked.ok : checked;
    const { ref, row, rows = [row] } = order;
    if (ref === undefined || !rows.some((row) => fulfilled.has(row))) continue;
    const made = (await ledger.findByRef(customer, ref)).filter(
      (each) => isMade(each) && each.shop === source.shop,
    );
    const operation = made.findLast((each) => !isCancelled(each)) ?? made.at(-1);
    if (operation) found.push({ rows, ref, cells: firstCells(order), operation, error: "" });
  }
  return found;
}
