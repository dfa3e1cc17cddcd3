/** Statements that record operations and their outcomes. */

import type { SinceBoot } from "../core/process-identity.ts";
import type { Draft } from "../model/draft.ts";
import { toStoredNumber, toStoredText } from "../model/stored-text.ts";
import type { SqlValue } from "../sqlite/driver.ts";
import { coversRow } from "./equal-orders.ts";
import { nextEvent } from "./events.ts";
import { coveredByOwn, type OperationFinder } from "./find-operations.ts";
import {
  type Allowance,
  type CreateOutcome,
  type OperationName,
  type Run,
  unknownOrder,
  writeDraft,
} from "./operation.ts";
import { LostClaim, OrderTaken, OtherOrder } from "./operation-errors.ts";
import { type EqualOperation, type FileFacts, type RowToSend, readingVersion } from "./row-to-send.ts";
import type { RowDecision } from "./rules.ts";
import { ask, type Question, type Work } from "./statements.ts";

const columns = `run, number, kind, state, customer, owner, attempt, sent_at, sent_event, offset_ms,
  assumed_offset_ms, content, shop, ref, file, row, allowance, draft, defaults, reading, sent_boot, sent_since_boot_ms`;

const customerPlace = 4;

interface Inserted {
  readonly kind: "create" | "cancel";
  readonly state: "ready" | "sending";
  readonly sentAtMs?: number;
  readonly sentEvent?: number;
  readonly offsetMs?: number | undefined;
  readonly content?: string;
  readonly draft?: Draft | undefined;
  /** Of a single order; that of a row is in `row`. */
  readonly ref?: string | undefined;
  readonly file?: FileFacts;
  readonly row?: RowToSend;
  readonly allowance?: Allowance;
  readonly orderId?: string;
}

/** An import has seen the row of the order that was found for it. `isNamed`: a flag that names the row is used up. */
export function markSeen({ run, number }: OperationName, isNamed = false): Question {
  const used = isNamed ? ", allowance = CASE allowance WHEN 'none' THEN 'equal' ELSE allowance END" : "";
  return ask(`UPDATE operations SET is_untold = 0${used} WHERE run = ? AND number = ?`, run, number);
}

/** Of `is_untold`, where its order was reported to a person: a row may be its edited form, whatever that person knows. */
export const reportedUnseen = 2;

/** Gives a row where a list had an order before the request of a create was sent. */
export function askListedBefore({ run, number }: OperationName, orderId: string): Question {
  return ask(
    `SELECT 1 FROM operations JOIN listed_orders USING (customer)
     WHERE run = ? AND number = ? AND listed_orders.order_id = ? AND event < sent_event`,
    run,
    number,
    orderId,
  );
}

export function createRecorder({ lastOffset }: OperationFinder, sinceBoot: () => SinceBoot | undefined) {
  /** The last operation number of the runs of this process. */
  const lastNumbers = new Map<number, number>();
  function nextNumber(run: number): number {
    const known = lastNumbers.get(run) ?? 0;
    lastNumbers.set(run, known + 1);
    return known + 1;
  }

  function* insert(
    run: Run,
    { kind, state, sentAtMs, sentEvent, offsetMs, content, draft, ref, file, row, allowance }: Inserted,
  ): Work<OperationName> {
    const name = { run: run.number, number: nextNumber(run.number) };
    const values: SqlValue[] = [
      name.run,
      name.number,
      kind,
      state,
      run.number, // for the customer that the run has by now: another process may have found out whose key it is
      run.number,
      state === "sending" ? 1 : 0,
      sentAtMs ?? null,
      state === "sending" ? (sentEvent ?? (yield* nextEvent())) : null,
      offsetMs === undefined ? null : Math.round(offsetMs),
      offsetMs === undefined ? yield* lastOffset(run.customer) : null,
      content ?? null,
      file?.shop ?? (ref === undefined ? null : ""),
      row?.ref ?? ref ?? null,
      file?.files[0] ?? null,
      row?.row ?? null,
      allowance ?? "none",
      writeDraft(draft),
      row && row.defaults.length > 0 ? row.defaults.join(",") : null,
      row || ref !== undefined ? readingVersion : null,
      ...(sentAtMs === undefined ? [null, null] : sentSinceBoot()),
    ];
    const places = values.map((_, place) =>
      place === customerPlace ? "(SELECT customer FROM runs WHERE number = ?)" : "?",
    );
    yield ask(`INSERT INTO operations (${columns}) VALUES (${places.join(", ")})`, ...values);
    return name;
  }

  function sentSinceBoot(): [boot: string | null, sinceBootMs: number | null] {
    const { boot = null, ms = null } = sinceBoot() ?? {};
    return [boot, ms];
  }

  /** Records an order that was not sent from this machine. A row that it covers gets an operation for it, which this returns. */
  function* recordElsewhere(
    run: Run,
    row: RowToSend,
    file: FileFacts,
    {
      orderId,
      isCertain,
      isCovered,
      order = unknownOrder(orderId),
      orderState,
    }: Extract<RowDecision, { kind: "elsewhere" }>,
    nowMs: number,
  ): Work<OperationName | undefined> {
    const { content, draft, ref } = row;
    yield ask(
      `INSERT INTO orders_elsewhere (customer, content, order_id, shop, ref, is_certain) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (customer, content, order_id, shop, ref) DO UPDATE SET is_certain = excluded.is_certain
         WHERE excluded.is_certain = 1 OR orders_elsewhere.is_certain = ${coveredByOwn}`,
      run.customer,
      content,
      orderId,
      ref === undefined ? "" : file.shop,
      ref ?? "",
      isCertain ? 1 : 0,
    );
    if (!isCertain || !isCovered) return undefined;
    const name = yield* insert(run, { kind: "create", state: "ready", content, draft, file, row });
    yield* setOutcome(name, { state: "found", order, orderState }, nowMs);
    return name;
  }

  /** Records that a row with a ref counts as shipped by an own order without one. */
  function* recordCovering(
    { customer }: Pick<Run, "customer">,
    row: Pick<RowToSend, "ref">,
    file: Pick<FileFacts, "shop">,
    decision: RowDecision,
  ): Work<void> {
    if (decision.kind !== "shipped" || !decision.isElsewhere || row.ref === undefined) return;
    const operation: EqualOperation = decision.operation;
    const { run, number, ref, order } = operation;
    if (ref !== undefined || !order || coversRow(operation, row, file)) return;
    // The content as it was recorded: that of the decision is the row's, which an earlier version read in another way.
    yield ask(
      `INSERT INTO orders_elsewhere (customer, content, order_id, shop, ref, is_certain)
       VALUES (?, (SELECT content FROM operations WHERE run = ? AND number = ?), ?, ?, ?, ${coveredByOwn})
       ON CONFLICT (customer, content, order_id, shop, ref) DO UPDATE SET is_certain = ${coveredByOwn}`,
      customer,
      run,
      number,
      order.id,
      file.shop,
      row.ref,
    );
  }

  /** Throws LostClaim unless the operation is still this owner's and in one of the states. */
  function* ensureOwner(
    { run, number }: OperationName,
    owner: number,
    states: readonly string[],
  ): Work<void> {
    const [row] = yield ask("SELECT state, owner FROM operations WHERE run = ? AND number = ?", run, number);
    if (!row || row.owner !== owner || !states.includes(String(row.state)))
      throw new LostClaim({ run, number });
  }

  /** Throws OrderTaken where another create has the order. */
  function* ensureFree({ run, number }: OperationName, orderId: string): Work<void> {
    const [row] = yield ask(
      `SELECT run, number FROM operations WHERE kind = 'create' AND order_id = ?
         AND customer = (SELECT customer FROM operations WHERE run = ? AND number = ?)`,
      orderId,
      run,
      number,
    );
    if (!row || (row.run === run && row.number === number)) return;
    throw new OrderTaken(orderId, { run: Number(row.run), number: Number(row.number) });
  }

  /** Throws OtherOrder where a list had the order of an answer before the request was sent. */
  function* ensureNew(name: OperationName, orderId: string): Work<void> {
    const [listed] = yield askListedBefore(name, orderId);
    if (listed) throw new OtherOrder(orderId, "existed before the request was sent");
  }

  /**
   * Throws OrderTaken. With an owner, throws LostClaim unless the operation is the owner's and not settled, and
   * OtherOrder where the order of a create's answer existed before.
   */
  function* setOutcome(
    name: OperationName,
    outcome: CreateOutcome,
    nowMs: number,
    owner?: number,
  ): Work<void> {
    const order = "order" in outcome ? outcome.order : undefined;
    const rejection = "rejection" in outcome ? outcome.rejection : undefined;
    const isAnswer = owner !== undefined && outcome.state === "created";
    const owned = owner === undefined ? "" : "AND owner = ? AND state IN ('ready', 'sending', 'unknown')";
    const values: SqlValue[] = [
      outcome.state,
      nowMs,
      outcome.state === "unknown" ? yield* nextEvent() : null,
      outcome.state === "unknown" ? outcome.loss : null,
      "order" in outcome && outcome.stampAheadMs !== undefined ? Math.round(outcome.stampAheadMs) : null,
      order?.id ?? null,
      storedOrNull(order?.order_no),
      storedOrNull(order?.tracking_number),
      order?.estimated_fee ?? null,
      order?.created_at ?? null,
      "orderState" in outcome && outcome.orderState !== undefined ? toStoredText(outcome.orderState) : null,
      rejection?.code ?? null,
      rejection?.message ?? null,
      rejection?.field ?? null,
      name.run,
      name.number,
      ...(owner === undefined ? [] : [owner]),
      ...(order ? [order.id] : []),
      ...(isAnswer ? [order?.id ?? null] : []),
    ];
    // Each order has one create. On a server, a broken constraint would end the transaction, so it is asked first.
    const free = order
      ? `AND NOT EXISTS (SELECT 1 FROM operations AS other WHERE other.kind = 'create' AND other.order_id = ?
           AND other.customer = operations.customer AND (other.run, other.number) <> (operations.run, operations.number))`
      : "";
    const isNew = isAnswer
      ? `AND NOT EXISTS (SELECT 1 FROM listed_orders WHERE listed_orders.customer = operations.customer
           AND listed_orders.order_id = ? AND listed_orders.event < operations.sent_event)`
      : "";
    const changed = yield ask(
      `UPDATE operations SET state = ?, ended_at = ?, ended_event = ?, loss = ?, stamp_ahead_ms = ?, order_id = ?,
         order_no = ?, tracking_number = ?, estimated_fee = ?, order_created_at = ?, order_state = ?, error_code = ?,
         error_message = ?, error_field = ?
       WHERE run = ? AND number = ? ${owned} ${free} ${isNew} RETURNING run`,
      ...values,
    );
    if (changed.length > 0) {
      if (outcome.state === "unknown" && outcome.namedOrder !== undefined)
        yield* notePossible(name, outcome.namedOrder, false);
      return;
    }
    if (order && isAnswer) yield* ensureNew(name, order.id);
    if (order) yield* ensureFree(name, order.id);
    if (owner !== undefined) throw new LostClaim(name);
  }

  /** Records an order that may be that of a create in doubt. */
  function* notePossible({ run, number }: OperationName, orderId: string, wasListed: boolean): Work<void> {
    yield ask(
      `INSERT INTO possible_orders (customer, run, number, order_id, was_listed)
       SELECT customer, run, number, CAST(? AS TEXT), CAST(? AS BIGINT) FROM operations WHERE run = ? AND number = ?
       ON CONFLICT (run, number, order_id) DO UPDATE SET was_listed = 1 WHERE excluded.was_listed = 1`,
      orderId,
      wasListed ? 1 : 0,
      run,
      number,
    );
  }

  function* setOrderState(customer: number, orderId: string, orderState: string): Work<void> {
    yield ask(
      "UPDATE operations SET order_state = ? WHERE kind = 'create' AND customer = ? AND order_id = ?",
      toStoredText(orderState),
      customer,
      orderId,
    );
    if (orderState !== "cancelled") return;
    yield ask(
      `UPDATE operations SET state = 'cancelled', order_state = 'cancelled'
       WHERE kind = 'cancel' AND customer = ? AND order_id = ? AND (state = 'unknown' OR (state = 'sending'
         AND EXISTS (SELECT 1 FROM runs WHERE runs.number = operations.owner AND runs.ended_at IS NOT NULL)))`,
      customer,
      orderId,
    );
  }

  return {
    insert,
    sentSinceBoot,
    recordElsewhere,
    recordCovering,
    ensureOwner,
    setOutcome,
    notePossible,
    setOrderState,
  };
}

function storedOrNull(number: string | null | undefined): string | null {
  return number == null ? null : toStoredNumber(number);
}

export type OperationRecorder = ReturnType<typeof createRecorder>;
