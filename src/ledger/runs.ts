/** Runs: one for each command that changes something at the service. */

import type { ProcessIdentity } from "../core/process-identity.ts";
import { toStoredNumber } from "../model/stored-text.ts";
import type { SqlValue } from "../sqlite/driver.ts";
import { type Run, readRun, textOf } from "./operation.ts";
import { ask, type Store, type Work } from "./statements.ts";

export interface NewRun {
  /** For example `orders import`. */
  readonly command: string;
  readonly account: string;
  readonly service: string;
  readonly customer: number;
  readonly process: ProcessIdentity;
  readonly startedAtMs: number;
  /** The file of an import. */
  readonly source?: string | undefined;
  readonly undoes?: number | undefined;
}

/** A run, with the number of its operations in each state. */
export interface RunSummary extends Run {
  /** By kind and state, for example `create created`. */
  readonly counts: ReadonlyMap<string, number>;
}

/** A run, with the profile's id of its customer, and the numbers of its operations and of those with an order. */
export interface SentRun extends Run {
  readonly profileId: string | undefined;
  readonly operations: number;
  readonly orders: number;
}

/** Two ledgers number their runs alike, so its process and time tell which run it is. */
export function nameBegin({ number, startedAtMs, process }: Run): string {
  return [number, startedAtMs, process.pid, process.started, process.place].join(" ");
}

export interface RunFilter {
  readonly orderId?: string | undefined;
  readonly trackingNumber?: string | undefined;
  /** The id, order number or tracking number of an order, or `ref:REF`: the runs that created or cancelled it. */
  readonly order?: string | undefined;
  /** With `order`: the ids that it is known to name. */
  readonly orderIds?: readonly string[] | undefined;
  readonly account?: string | undefined;
  readonly customer?: number | undefined;
  /** Only runs of the machine with this name. */
  readonly host?: string | undefined;
  readonly customers?: readonly number[] | undefined;
  readonly source?: string | undefined;
  /** Only runs that created an order. */
  readonly hasCreated?: boolean | undefined;
  /** Only runs with operations in doubt. */
  readonly isUnknown?: boolean | undefined;
  readonly sinceMs?: number | undefined;
  /** Only runs with smaller numbers, for the next page. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A run without a recorded end. */
export interface OpenRun extends Run {
  /** Its operations that are about to be sent, or being sent. */
  readonly held: number;
  /** The calls that it is still about to make, as far as it said how many. */
  readonly callsLeft: number;
}

export interface Runs {
  /** Records the start of a run. */
  beginRun(run: NewRun): Promise<Run>;
  /** Assigns a run that has just begun to another customer, who has the key now. */
  assignRun(run: Run, customer: number): Promise<Run>;
  /** Records how many calls a run is about to make. */
  planCalls(run: number, calls: number): Promise<void>;
  endRun(number: number, exit: number, endedAtMs: number): Promise<void>;
  findRun(number: number): Promise<RunSummary | undefined>;
  /** Runs without a recorded end, the oldest first: they run, or were killed. */
  openRuns(): Promise<readonly OpenRun[]>;
  /** Runs that have operations: of a service, of these customers, or with these numbers. */
  runsThatSent(
    of:
      | { readonly service: string }
      | { readonly customers: readonly number[] }
      | { readonly numbers: readonly number[] },
  ): Promise<readonly SentRun[]>;
  /** The newest first. */
  listRuns(filter: RunFilter): Promise<readonly RunSummary[]>;
}

/** The condition for a run of a machine: its name begins the place, and has no blank. */
export function isOfHost(host: string): readonly [condition: string, ...values: SqlValue[]] {
  return ["substr(place, 1, CAST(? AS INTEGER)) = ?", [...host].length + 1, `${host} `];
}

export function createRuns({ write, read }: Store): Runs {
  function* summarise(run: Run): Work<RunSummary> {
    const rows = yield ask(
      "SELECT kind, state, count(*) AS n FROM operations WHERE run = ? GROUP BY kind, state",
      run.number,
    );
    return { ...run, counts: new Map(rows.map(({ kind, state, n }) => [`${kind} ${state}`, Number(n)])) };
  }

  return {
    beginRun: (run) =>
      write(function* () {
        const { pid, started, place } = run.process;
        const values: SqlValue[] = [
          run.command,
          run.account,
          run.service,
          run.customer,
          run.source ?? null,
          run.undoes ?? null,
          run.startedAtMs,
          pid,
          started ?? null,
          place,
        ];
        const [row] = yield ask(
          `INSERT INTO runs
             (command, account, service, customer, source, undoes, started_at, pid, process_started, place)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
          ...values,
        );
        yield ask("INSERT INTO accounts VALUES (?, ?) ON CONFLICT DO NOTHING", run.account, run.customer);
        return readRun(row ?? {});
      }),

    assignRun: (run, customer) =>
      write(function* () {
        yield ask("UPDATE runs SET customer = ? WHERE number = ?", customer, run.number);
        yield ask("INSERT INTO accounts VALUES (?, ?) ON CONFLICT DO NOTHING", run.account, customer);
        return { ...run, customer };
      }),

    planCalls: (run, calls) =>
      write(function* () {
        yield ask("UPDATE runs SET calls = ? WHERE number = ?", calls, run);
      }),

    endRun: (number, exit, endedAtMs) =>
      write(function* () {
        yield ask("UPDATE runs SET exit = ?, ended_at = ? WHERE number = ?", exit, endedAtMs, number);
      }),

    findRun: (number) =>
      read(function* () {
        const [row] = yield ask("SELECT * FROM runs WHERE number = ?", number);
        return row && (yield* summarise(readRun(row)));
      }),

    openRuns: () =>
      read(function* () {
        const counts = yield ask(
          `SELECT owner, count(*) AS n FROM operations
           WHERE state IN ('ready', 'sending', 'unknown') AND state <> 'unknown' GROUP BY owner`,
        );
        const held = new Map(counts.map(({ owner, n }) => [Number(owner), Number(n)]));
        const rows = yield ask(
          `SELECT runs.*, CASE WHEN calls IS NULL THEN 0
             ELSE calls - (SELECT count(*) FROM operations WHERE run = runs.number) END AS calls_left
           FROM runs WHERE ended_at IS NULL ORDER BY number`,
        );
        return rows.map((row) => {
          const run = readRun(row);
          return { ...run, held: held.get(run.number) ?? 0, callsLeft: Math.max(0, Number(row.calls_left)) };
        });
      }),

    runsThatSent: (of) =>
      read(function* () {
        const isOneOf = "IN (SELECT CAST(value AS BIGINT) FROM json_each(?))";
        const [condition, value] =
          "service" in of
            ? ["runs.service = ?", of.service]
            : "customers" in of
              ? [`customer ${isOneOf}`, JSON.stringify(of.customers)]
              : [`number ${isOneOf}`, JSON.stringify(of.numbers)];
        const rows = yield ask(
          `SELECT runs.*, profile_id, sent.operations, sent.orders FROM runs JOIN customers ON id = customer
             JOIN (SELECT run, count(*) AS operations, count(order_id) AS orders FROM operations GROUP BY run) AS sent
               ON sent.run = runs.number
           WHERE ${condition} ORDER BY number`,
          value,
        );
        return rows.map((row) => ({
          ...readRun(row),
          profileId: textOf(row.profile_id),
          operations: Number(row.operations),
          orders: Number(row.orders),
        }));
      }),

    listRuns: (filter) =>
      read(function* () {
        const { orderId, trackingNumber, order, account, customer, customers, source } = filter;
        const { sinceMs, before, limit } = filter;
        const conditions: string[] = [];
        const values: SqlValue[] = [];
        const where = (condition: string, ...given: SqlValue[]) => {
          conditions.push(condition);
          values.push(...given);
        };
        if (before !== undefined) where("number < ?", before);
        if (sinceMs !== undefined) where("started_at >= ?", sinceMs);
        if (source !== undefined) where("source = ?", source);
        if (orderId !== undefined)
          where("number IN (SELECT run FROM operations WHERE order_id = ?)", orderId);
        if (trackingNumber !== undefined)
          where(
            "number IN (SELECT run FROM operations WHERE tracking_number = ?)",
            toStoredNumber(trackingNumber),
          );
        if (account !== undefined) where("account = ?", account);
        if (customer !== undefined) where("customer = ?", customer);
        if (filter.host !== undefined) where(...isOfHost(filter.host));
        if (customers !== undefined)
          where("customer IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", JSON.stringify(customers));
        // A cancel has nothing but the id: find its order through the create.
        if (order !== undefined) {
          const ref = order.startsWith("ref:") ? order.slice("ref:".length) : null;
          const isNamed = "(ref = ? OR order_no = ? OR tracking_number = ?)";
          const named = [ref, toStoredNumber(order), toStoredNumber(order)];
          where(
            `number IN (SELECT run FROM operations WHERE ${isNamed}
             OR order_id IN (SELECT value FROM json_each(?))
             OR (customer, order_id) IN (SELECT customer, order_id FROM operations WHERE ${isNamed}))`,
            ...named,
            JSON.stringify([order, ...(filter.orderIds ?? [])]),
            ...named,
          );
        }
        if (filter.hasCreated)
          where(
            "number IN (SELECT run FROM operations WHERE kind = 'create' AND state IN ('created', 'found'))",
          );
        if (filter.isUnknown)
          where("number IN (SELECT run FROM operations WHERE state IN ('sending', 'unknown'))");
        const condition = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
        const rows = yield ask(
          `SELECT * FROM runs ${condition} ORDER BY number DESC LIMIT ?`,
          ...values,
          limit,
        );
        const runs: RunSummary[] = [];
        for (const row of rows) runs.push(yield* summarise(readRun(row)));
        return runs;
      }),
  };
}
