/** Operations: what was sent, or is about to be, with its outcome. */

import type { SinceBoot } from "../core/process-identity.ts";
import { type Cancels, createCancels } from "./cancels.ts";
import { type Creates, createCreates } from "./creates.ts";
import { nextEvent } from "./events.ts";
import { createFinder, heldByRefs } from "./find-operations.ts";
import { createImportRows, type ImportRows } from "./import-rows.ts";
import {
  type Loss,
  numberOf,
  type Operation,
  type OperationName,
  type Run,
  readOperation,
  readRun,
  textOf,
} from "./operation.ts";
import { askListedBefore, createRecorder, reportedUnseen } from "./record-operation.ts";
import { isOfHost } from "./runs.ts";
import { ask, inList, type Store } from "./statements.ts";

/** Longer than a request is on its way, after which a create in doubt, or one that was found later, counts as answered. */
const longestMs = 600_000;
/** The service may go on with a request whose connection broke, and a clock may be set a little. */
const slackMs = 60_000;
/** Commands that are further away are not looked at. */
const commandsBeside = 1_000;
/** Twice as many rows as an import sends at once: its further ones were sent at another time. */
const rowsBeside = 128;

/** An account may have keys of several customers, one after another. */
export interface CustomerAccount {
  readonly account: string;
  readonly service: string;
  readonly customer: number;
}

/** Taken from its create, an operation of `run`, as an event. */
export interface WithdrawnOrder {
  readonly orderId: string;
  readonly run: number;
  readonly event: number;
}

export interface Operations extends Creates, ImportRows, Cancels {
  findOperation(name: OperationName): Promise<Operation | undefined>;
  /** Operations of a run in their order, after the number `after`. */
  listOperations(run: number, after?: number, limit?: number): Promise<readonly Operation[]>;
  /** A customer's creates with refs of a shop after one of them, in the order of their runs. */
  createsWithRefs(
    customer: number,
    shop: string,
    after: OperationName,
    limit: number,
  ): Promise<readonly Operation[]>;
  /** Creates and cancels that are not settled, with the runs that own them. */
  openOperations(customer: number): Promise<readonly { operation: Operation; owner: Run }[]>;
  /**
   * Releases the operations of a run that has ended: `ready` ones become unsent, `sending` ones become in doubt. `loss` is
   * `timeout` where nothing but a person says that it has ended: its requests may still be open.
   */
  releaseRun(run: number, nowMs: number, loss?: Loss): Promise<void>;
  /** The creates of the ledger that own these orders. */
  findOwners(customer: number, orderIds: readonly string[]): Promise<ReadonlyMap<string, OperationName>>;
  /** A customer's newest creates that were sent from an account, or by it from one machine, with their drafts. */
  recentCreates(
    owner: CustomerAccount & { readonly host?: string | undefined },
    limit: number,
  ): Promise<readonly Operation[]>;
  /** A customer's creates with an order from an account's runs after `after`, in the order of their runs. */
  ordersSince(owner: CustomerAccount, after: OperationName, limit: number): Promise<readonly Operation[]>;
  /** Orders that were taken from their creates after an event, the oldest first. */
  withdrawnSince(customer: number, event: number): Promise<readonly WithdrawnOrder[]>;
  /** Creates whose orders were taken from them. */
  findWithdrawn(customer: number): Promise<readonly Operation[]>;
  /** The first run whose outcomes may still change: one with open operations, or begun after `sinceMs` and not ended. */
  firstOpenRun(sinceMs: number): Promise<number | undefined>;
  /** Creates that may have been on their way at the same time, those first that were sent next to it. */
  findBeside(operation: Operation): Promise<readonly Operation[]>;
  /** Whether a list had an order before a create was sent. */
  wasListedBefore(name: OperationName, orderId: string): Promise<boolean>;
  /** Creates of these refs, the newest last. */
  findByRefs(customer: number, refs: readonly string[]): Promise<readonly Operation[]>;
  /** Those of one ref in a shop, after the orders without a ref that cover its row. */
  findByRefOrCover(customer: number, shop: string, ref: string): Promise<readonly Operation[]>;
  /** Of each other customer of the service without a profile's id: its latest creates that made an order, and then one in doubt. */
  latestOfUnnamed(service: string, except: number | undefined): Promise<readonly Operation[]>;
  /** Whether another customer of the same service has a create of this ref. */
  isRefOfAnother(customer: number, ref: string): Promise<boolean>;
  /** The order made elsewhere that held a row with this ref. */
  findHolder(customer: number, shop: string, ref: string): Promise<string | undefined>;
  /**
   * Deletes names, phones and addresses of a customer, and messages of refusals, which may contain them. Operations in
   * doubt, and those that were found and may have edited rows, keep them unless `isForced`. Returns how many of these there are.
   */
  deletePersonalData(customer: number, isForced: boolean): Promise<number>;
}

const mostOfUnnamed = 5;
const isMade = "state IN ('created', 'found')";

export function createOperations(store: Store, sinceBoot: () => SinceBoot | undefined): Operations {
  const { write, read } = store;
  const finder = createFinder(sinceBoot);
  const recorder = createRecorder(finder, sinceBoot);
  const { readAll } = finder;

  return {
    ...createCreates(store, finder, recorder),
    ...createImportRows(store, finder, recorder),
    ...createCancels(store, recorder),

    findOperation: ({ run, number }) =>
      read(function* () {
        const [row] = yield ask("SELECT * FROM operations WHERE run = ? AND number = ?", run, number);
        return row && readOperation(row, sinceBoot());
      }),

    listOperations: (run, after = 0, limit = Number.MAX_SAFE_INTEGER) =>
      read(function* () {
        return readAll(
          yield ask(
            "SELECT * FROM operations WHERE run = ? AND number > ? ORDER BY number LIMIT ?",
            run,
            after,
            limit,
          ),
        );
      }),

    createsWithRefs: (customer, shop, after, limit) =>
      read(function* () {
        return readAll(
          yield ask(
            `SELECT * FROM operations WHERE customer = ? AND shop = ? AND kind = 'create' AND ref IS NOT NULL
               AND (run, number) > (?, ?) ORDER BY run, number LIMIT ?`,
            customer,
            shop,
            after.run,
            after.number,
            limit,
          ),
        );
      }),

    openOperations: (customer) =>
      read(function* () {
        const rows = yield ask(
          "SELECT * FROM operations WHERE customer = ? AND state IN ('ready', 'sending', 'unknown') ORDER BY run, number",
          customer,
        );
        const owners = new Map<number, Run>();
        for (const { owner } of rows) {
          if (owners.has(Number(owner))) continue;
          const [run] = yield ask("SELECT * FROM runs WHERE number = ?", owner ?? null);
          owners.set(Number(owner), readRun(run ?? {}));
        }
        return readAll(rows).map((operation) => ({ operation, owner: owners.get(operation.owner) as Run }));
      }),

    releaseRun: (run, nowMs, loss = "broken") =>
      write(function* () {
        yield ask(
          "UPDATE operations SET state = 'unsent', ended_at = ? WHERE owner = ? AND state = 'ready'",
          nowMs,
          run,
        );
        yield ask(
          `UPDATE operations SET state = 'unknown', ended_at = ?, ended_event = ?, loss = ?
           WHERE owner = ? AND state = 'sending'`,
          nowMs,
          yield* nextEvent(),
          loss,
          run,
        );
      }),

    findOwners: (customer, orderIds) =>
      read(function* () {
        const rows = yield ask(
          `SELECT order_id, run, number FROM operations WHERE kind = 'create' AND customer = ?
         AND order_id IN (SELECT value FROM json_each(?))`,
          customer,
          JSON.stringify(orderIds),
        );
        return new Map(
          rows.map(({ order_id, run, number }) => [
            String(order_id),
            { run: Number(run), number: Number(number) },
          ]),
        );
      }),

    recentCreates: ({ account, service, customer, host }, limit) =>
      read(function* () {
        const [isOfPlace, ...places] = host === undefined ? ["1 = 1"] : isOfHost(host);
        return readAll(
          yield ask(
            `SELECT operations.* FROM runs JOIN operations ON run = runs.number
           WHERE account = ? AND service = ? AND operations.customer = ? AND kind = 'create' AND draft IS NOT NULL
             AND state IN ('created', 'found', 'unknown', 'sending') AND ${isOfPlace}
           ORDER BY runs.number DESC, operations.number DESC LIMIT ?`,
            account,
            service,
            customer,
            ...places,
            limit,
          ),
        );
      }),

    ordersSince: ({ account, service, customer }, { run, number }, limit) =>
      read(function* () {
        return readAll(
          yield ask(
            `SELECT operations.* FROM runs JOIN operations ON run = runs.number
           WHERE account = ? AND service = ? AND operations.customer = ? AND (run, operations.number) > (?, ?)
             AND kind = 'create' AND order_id IS NOT NULL
           ORDER BY run, operations.number LIMIT ?`,
            account,
            service,
            customer,
            run,
            number,
            limit,
          ),
        );
      }),

    withdrawnSince: (customer, event) =>
      read(function* () {
        const found = yield ask(
          "SELECT event, order_id, run FROM withdrawn_orders WHERE customer = ? AND event > ? ORDER BY event",
          customer,
          event,
        );
        return found.map((row) => ({
          event: Number(row.event),
          orderId: String(row.order_id),
          run: Number(row.run),
        }));
      }),

    findWithdrawn: (customer) =>
      read(function* () {
        return readAll(
          yield ask(
            `SELECT * FROM operations WHERE customer = ? AND withdrawn_order IS NOT NULL
             AND run IN (SELECT run FROM withdrawn_orders WHERE customer = ?)`,
            customer,
            customer,
          ),
        );
      }),

    firstOpenRun: (sinceMs) =>
      read(function* () {
        return numberOf(
          (yield ask(
            `SELECT min(number) AS number FROM (
             SELECT run AS number FROM operations WHERE state IN ('ready', 'sending', 'unknown')
             UNION ALL SELECT number FROM runs WHERE ended_at IS NULL AND started_at > ?) AS open_runs`,
            sinceMs,
          ))[0]?.number,
        );
      }),

    findBeside: ({ run, number, customer, sentAtMs, endedAtMs, sentEvent }) =>
      read(function* () {
        if (sentAtMs === undefined) return [];
        const latestMs = sentAtMs + longestMs;
        const [fromMs, untilMs] = [sentAtMs - slackMs, Math.min(endedAtMs ?? latestMs, latestMs) + slackMs];
        return readAll(
          yield ask(
            `SELECT operations.* FROM runs JOIN operations ON run = runs.number
             WHERE runs.number BETWEEN ? AND ? AND started_at <= ? AND (runs.ended_at IS NULL OR runs.ended_at >= ?)
               AND (run <> ? OR operations.number BETWEEN ? AND ?)
               AND operations.customer = ? AND kind = 'create' AND sent_at BETWEEN ? AND ?
               AND (operations.ended_at IS NULL OR operations.ended_at >= ?)
             ORDER BY abs(sent_event - ?), run, operations.number LIMIT ?`,
            run - commandsBeside,
            run + commandsBeside,
            untilMs,
            fromMs,
            run,
            number - rowsBeside,
            number + rowsBeside,
            customer,
            fromMs - longestMs,
            untilMs,
            fromMs,
            sentEvent ?? 0,
            2 * rowsBeside,
          ),
        );
      }),

    wasListedBefore: (name, orderId) =>
      read(function* () {
        return (yield askListedBefore(name, orderId)).length > 0;
      }),

    findByRefs: (customer, refs) =>
      read(function* () {
        const [isOne, values] = inList(refs);
        return readAll(
          yield ask(
            `SELECT * FROM operations WHERE customer = ? AND ref ${isOne} AND kind = 'create' ORDER BY run, number`,
            customer,
            ...values,
          ),
        );
      }),

    findByRefOrCover: (customer, shop, ref) => read(() => finder.byRefOrCover(customer, shop, ref)),

    latestOfUnnamed: (service, except = 0) =>
      read(function* () {
        return readAll(
          yield ask(
            `SELECT * FROM (SELECT operations.*, row_number() OVER (PARTITION BY customer, CASE WHEN ${isMade} THEN 1 ELSE 0 END
                 ORDER BY CASE WHEN order_state = 'cancelled' THEN 1 ELSE 0 END, run DESC, number DESC) AS place
               FROM operations JOIN customers ON customers.id = customer
               WHERE service = ? AND profile_id IS NULL AND customer <> ? AND kind = 'create'
                 AND state IN ('created', 'found', 'unknown', 'sending')) AS latest
             WHERE place <= CASE WHEN ${isMade} THEN ${mostOfUnnamed} ELSE 1 END
             ORDER BY customer, CASE WHEN ${isMade} THEN 0 ELSE 1 END, place`,
            service,
            except,
          ),
        );
      }),

    isRefOfAnother: (customer, ref) =>
      read(function* () {
        const [found] = yield ask(
          `SELECT run FROM operations JOIN customers ON customers.id = customer WHERE ref = ? AND customer <> ?
             AND kind = 'create' AND service = (SELECT service FROM customers WHERE id = ?) LIMIT 1`,
          ref,
          customer,
          customer,
        );
        return found !== undefined;
      }),

    findHolder: (customer, shop, ref) =>
      read(function* () {
        const held = yield heldByRefs(customer, shop, [ref]);
        return textOf(held.find(({ run }) => run === null)?.order_id);
      }),

    deletePersonalData: (customer, isForced) =>
      write(function* () {
        const isKnown = `(is_untold = 0 OR (is_untold = ${reportedUnseen} AND file IS NULL))`;
        const kept = isForced ? "" : `AND state NOT IN ('ready', 'sending', 'unknown') AND ${isKnown}`;
        yield ask(
          `UPDATE operations SET draft = NULL, error_message = NULL WHERE customer = ?
             AND (draft IS NOT NULL OR error_message IS NOT NULL) ${kept}`,
          customer,
        );
        return Number(
          (yield ask(
            "SELECT count(*) AS n FROM operations WHERE customer = ? AND draft IS NOT NULL AND kind = 'create'",
            customer,
          ))[0]?.n,
        );
      }),
  };
}
