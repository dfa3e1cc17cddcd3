/** Cancels: recorded before they are sent, and with their outcomes. */

import { toStoredText } from "../model/stored-text.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { type CancelOutcome, nameOperation, type OperationName, type Run } from "./operation.ts";
import type { OperationRecorder } from "./record-operation.ts";
import { ask, askTogether, type Store } from "./statements.ts";

export interface Cancels {
  /** Records a cancel as `sending`. */
  beginCancel(run: Run, orderId: string, sentAtMs: number): Promise<OperationName>;
  endCancel(name: OperationName, owner: number, outcome: CancelOutcome, nowMs: number): Promise<void>;
  /** Of these orders, those that the service accepted for cancelling, and that could not be read since. */
  findAcceptedUnread(customer: number, orderIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Of these orders, those that an earlier cancel may have cancelled: it was accepted, or its outcome is unknown, since
   * `unknownSinceMs`.
   */
  findMaybeCancelled(
    customer: number,
    orderIds: readonly string[],
    unknownSinceMs?: number,
  ): Promise<ReadonlySet<string>>;
  /** The names of a customer's creates whose orders are cancelled, and by nothing but undoing their runs. */
  findUndone(customer: number): Promise<ReadonlySet<string>>;
  /** Records the current state of an order. A cancelled order settles its cancels in doubt. */
  noteOrderState(customer: number, orderId: string, state: string): Promise<void>;
  /**
   * Records the states that orders were shown in since `sinceMs`: which are cancelled, and which are not any more, only
   * where `confirm` names the order, too. A list may be wrong, or late, and a row of a cancelled order may be sent again.
   */
  noteStates(
    customer: number,
    states: ReadonlyMap<string, string>,
    sinceMs: number,
    confirm: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<void>;
}

export function createCancels(
  { write, read }: Store,
  { insert, ensureOwner, setOrderState }: OperationRecorder,
): Cancels {
  return {
    beginCancel: (run, orderId, sentAtMs) =>
      write(function* () {
        const name = yield* insert(run, { kind: "cancel", state: "sending", sentAtMs });
        yield ask(
          "UPDATE operations SET order_id = ? WHERE run = ? AND number = ?",
          orderId,
          name.run,
          name.number,
        );
        return name;
      }),

    endCancel: (name, owner, { state, orderState, rejection }, nowMs) =>
      write(function* () {
        yield* ensureOwner(name, owner, ["sending", "unknown"]);
        const [row] = yield ask(
          `UPDATE operations SET state = ?, ended_at = ?, order_state = ?, error_code = ?, error_message = ?,
             error_field = ? WHERE run = ? AND number = ? RETURNING customer, order_id`,
          state,
          nowMs,
          orderState === undefined ? null : toStoredText(orderState),
          rejection?.code ?? null,
          rejection?.message ?? null,
          rejection?.field ?? null,
          name.run,
          name.number,
        );
        if (orderState !== undefined)
          yield* setOrderState(Number(row?.customer), String(row?.order_id), orderState);
      }),

    findAcceptedUnread: (customer, orderIds) =>
      read(function* () {
        const rows = yield ask(
          `SELECT order_id FROM operations WHERE kind = 'cancel' AND customer = ? AND state = 'accepted'
         AND order_state IS NULL AND order_id IN (SELECT value FROM json_each(?))`,
          customer,
          JSON.stringify(orderIds),
        );
        return new Set(rows.map(({ order_id }) => String(order_id)));
      }),

    findMaybeCancelled: (customer, orderIds, unknownSinceMs = 0) =>
      read(function* () {
        const rows = yield ask(
          `SELECT order_id FROM operations WHERE kind = 'cancel' AND customer = ? AND (state = 'accepted'
         OR (state IN ('sending', 'unknown') AND coalesce(ended_at, sent_at, ?) >= ?))
         AND order_id IN (SELECT value FROM json_each(?))`,
          customer,
          unknownSinceMs,
          unknownSinceMs,
          JSON.stringify(orderIds),
        );
        return new Set(rows.map(({ order_id }) => String(order_id)));
      }),

    findUndone: (customer) =>
      read(function* () {
        const rows = yield ask(
          `SELECT made.run, made.number FROM runs AS undo
             JOIN operations AS cancel ON cancel.run = undo.number AND cancel.kind = 'cancel'
             JOIN operations AS made ON made.run = undo.undoes AND made.kind = 'create'
               AND made.customer = cancel.customer AND made.order_id = cancel.order_id
           WHERE undo.customer = ? AND made.order_state = 'cancelled' AND cancel.state NOT IN ('refused', 'unsent')
             AND NOT EXISTS (SELECT 1 FROM operations AS other JOIN runs ON runs.number = other.run
               WHERE other.kind = 'cancel' AND other.customer = made.customer AND other.order_id = made.order_id
                 AND other.state NOT IN ('refused', 'unsent') AND coalesce(runs.undoes, 0) <> made.run)`,
          customer,
        );
        return new Set(
          rows.map(({ run, number }) => nameOperation({ run: Number(run), number: Number(number) })),
        );
      }),

    noteOrderState: (customer, orderId, state) => write(() => setOrderState(customer, orderId, state)),

    async noteStates(customer, states, sinceMs, confirm) {
      if (states.size === 0) return;
      const ids = [...states.keys()];
      const isGone = (id: string) => states.get(id) === "cancelled";
      const gone = JSON.stringify(ids.filter(isGone));
      const [own = [], back = [], elsewhere = [], doubtful = [], standing = []] = await read(() =>
        askTogether([
          ask(
            `SELECT order_id FROM operations WHERE kind = 'create' AND customer = ?
               AND coalesce(order_state, '') <> 'cancelled' AND order_id IN (SELECT value FROM json_each(?))`,
            customer,
            gone,
          ),
          ask(
            `SELECT order_id FROM operations AS made
             WHERE kind = 'create' AND customer = ? AND order_state = 'cancelled'
               AND order_id IN (SELECT value FROM json_each(?))
               AND NOT EXISTS (SELECT 1 FROM operations AS cancel WHERE cancel.kind = 'cancel'
                 AND cancel.customer = made.customer AND cancel.order_id = made.order_id
                 AND coalesce(cancel.ended_at, cancel.sent_at) >= ?)`,
            customer,
            JSON.stringify(ids.filter((id) => !isGone(id))),
            sinceMs,
          ),
          ask(
            `SELECT order_id FROM orders_elsewhere WHERE customer = ?
               AND is_cancelled <> CASE WHEN order_id IN (SELECT value FROM json_each(?)) THEN 1 ELSE 0 END
               AND order_id IN (SELECT value FROM json_each(?))`,
            customer,
            gone,
            JSON.stringify(ids),
          ),
          ask(
            `SELECT order_id FROM operations WHERE kind = 'cancel' AND customer = ? AND state IN ('sending', 'unknown')
               AND order_id IN (SELECT value FROM json_each(?))`,
            customer,
            gone,
          ),
          ask(
            `SELECT order_id, order_state FROM operations WHERE kind = 'create' AND customer = ?
               AND coalesce(order_state, '') <> 'cancelled' AND order_id IN (SELECT value FROM json_each(?))`,
            customer,
            JSON.stringify(ids.filter((id) => !isGone(id))),
          ),
        ]),
      );
      const idsOf = (rows: readonly SqlRow[]) => [...new Set(rows.map(({ order_id }) => String(order_id)))];
      const changed = idsOf([...own, ...back, ...elsewhere, ...doubtful]);
      const confirmed = changed.length > 0 ? await confirm(changed) : new Set();
      const isSure = (id: string) => confirmed.has(id);
      const stateOf = (id: string) => toStoredText(states.get(id) ?? "");
      const ours = idsOf([...own, ...back, ...doubtful]).filter(isSure);
      const others = idsOf(elsewhere).filter(isSure);
      const moved = idsOf(standing.filter((row) => row.order_state !== stateOf(String(row.order_id))));
      if (ours.length + others.length + moved.length === 0) return;
      await write(function* () {
        for (const id of ours) yield* setOrderState(customer, id, states.get(id) ?? "");
        for (const id of moved)
          yield ask(
            `UPDATE operations SET order_state = ? WHERE kind = 'create' AND customer = ? AND order_id = ?
               AND coalesce(order_state, '') <> 'cancelled'`,
            stateOf(id),
            customer,
            id,
          );
        for (const id of others)
          yield ask(
            "UPDATE orders_elsewhere SET is_cancelled = ? WHERE customer = ? AND order_id = ?",
            isGone(id) ? 1 : 0,
            customer,
            id,
          );
      });
    },
  };
}
