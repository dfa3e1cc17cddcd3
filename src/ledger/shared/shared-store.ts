/** The statements of the ledger on a PostgreSQL server. */

import { randomUUID } from "node:crypto";
import { CourierError } from "../../core/errors.ts";
import { type Answer, type Connection, sqlState } from "../../postgres/connection.ts";
import type { SqlRow } from "../../sqlite/driver.ts";
import { type Asked, createQueue, type Ended, NotDone } from "../../sqlite/write-queue.ts";
import type { Question, Store, Work } from "../statements.ts";
import type { Lease } from "./lease.ts";
import { nowMs, schemaName } from "./shared-schema.ts";

/**
 * A pooler may give each transaction another connection, so each sets what it needs. A writer that stops in the middle
 * gives its lock back before another one has waited too long for it, and that one before the connection counts as
 * broken. What is committed is on the disk, whatever the server does otherwise.
 */
const settings = `SET LOCAL search_path = ${schemaName}; SET LOCAL lock_timeout = '18s';
  SET LOCAL idle_in_transaction_session_timeout = '15s'`;

/** Each statement sees what was committed before it, also where the server's default is another level. */
export const beginCommitted = "BEGIN ISOLATION LEVEL READ COMMITTED";

/** The row of the events is changed by all that is sent: who holds it is the only writer. */
export const beginWrite = `${beginCommitted}; ${settings}; SET LOCAL synchronous_commit = on;
  SELECT last FROM events FOR UPDATE`;
const beginRead = `${beginCommitted} READ ONLY; ${settings}`;
const beginSnapshot = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${settings}`;

/** SQLSTATE of a missing schema or table. */
const missing = ["3F000", "42P01"];

export function isWithoutTables(error: unknown): boolean {
  return error instanceof CourierError && missing.includes(sqlState(error.cause) ?? "");
}

/** A mark of an older transaction is not asked for any more. */
const keptMs = 86_400_000;

/**
 * The last transaction that this process has committed, by its own count. The number that the server gives a transaction
 * does not tell: after a crash it gives the same one to another transaction. A database that has an older mark, or none,
 * is a copy from before; so is one with fewer events than this process has seen.
 */
function createMarks(now: () => number, explainLoss: () => CourierError) {
  const writer = randomUUID();
  let count = 0;
  let committed = { count: 0, atMs: 0 };
  /** The last number that an event was seen to have: a copy from before may have fewer. */
  let seen = 0;
  let loss: CourierError | undefined;
  return {
    /** To be called before what is asked else of a transaction. Rejects where the database has lost what was committed. */
    async check(answer: Answer): Promise<void> {
      const expected = now() - committed.atMs > keptMs / 2 ? 0 : committed.count;
      const least = seen;
      const [row] = await answer(
        `SELECT last, (SELECT count FROM ${schemaName}.commits WHERE writer = ?) AS count FROM ${schemaName}.events`,
        [writer],
      );
      const last = Number(row?.last ?? 0);
      if (last < least || Number(row?.count ?? 0) < expected) loss ??= explainLoss();
      if (loss) throw loss;
      seen = Math.max(seen, last);
    },
    /** What is thrown for a failure of a transaction: without its tables, a database has lost what was committed. */
    explain(error: unknown): unknown {
      if (committed.count > 0 && isWithoutTables(error)) loss ??= explainLoss();
      return loss ?? error;
    },
    next() {
      count += 1;
      const own = count;
      return {
        async leave(answer: Answer): Promise<void> {
          const isFirst = own === 1;
          await Promise.all([
            ...(isFirst ? [answer(`DELETE FROM commits WHERE made_at < ${nowMs} - ${keptMs}`, [])] : []),
            answer(
              `INSERT INTO commits (writer, count, made_at) VALUES (?, ?, ${nowMs})
               ON CONFLICT (writer) DO UPDATE SET count = excluded.count, made_at = excluded.made_at`,
              [writer, own],
            ),
          ]);
        },
        async isLeft(answer: Answer): Promise<boolean> {
          const rows = await answer("SELECT 1 FROM commits WHERE writer = ? AND count = ?", [writer, own]);
          return rows.length > 0;
        },
        noteCommit(): void {
          committed = { count: own, atMs: now() };
        },
      };
    },
  };
}

export interface SharedStoreOptions {
  readonly lease: Lease;
  /** The database's hour. */
  readonly now: () => number;
  readonly explainLoss: () => CourierError;
}

export interface SharedStore extends Store {
  /** Rejects with `ledger_lost` where the database has lost what was committed. */
  checkLoss(answer: Answer): Promise<void>;
}

export function createSharedStore(
  connection: Connection,
  { lease, now, explainLoss }: SharedStoreOptions,
): SharedStore {
  /** A change is not waited for: what is asked after it is answered after it. */
  async function run<T>(work: Work<T>, answer: Answer): Promise<T> {
    const changes: Promise<unknown>[] = [];
    try {
      let step = work.next();
      while (!step.done) {
        const asked = step.value;
        if (!("text" in asked)) {
          step = work.next((await Promise.all(asked.map((each) => ask(each, answer)))) as never);
        } else if (asked.text.startsWith("SELECT") || asked.text.includes("RETURNING")) {
          step = work.next(await ask(asked, answer));
        } else {
          changes.push(ask(asked, answer));
          changes.at(-1)?.catch(() => {}); // seen below
          step = work.next([]);
        }
      }
      return step.value;
    } finally {
      await Promise.all(changes); // a change that failed is why the next question did
    }
  }

  async function ask({ text, values }: Question, answer: Answer): Promise<readonly SqlRow[]> {
    const rows = await answer(text, values);
    return rows[0] && "beat_at" in rows[0] ? rows.map(withSilence) : rows;
  }

  /** How long the run has given no sign of life, by the database's clock. */
  function withSilence(row: SqlRow): SqlRow {
    return { ...row, silent_for_ms: Math.max(0, now() - Number(row.beat_at)) };
  }

  async function end(work: () => Work<unknown>, answer: Answer): Promise<Ended> {
    try {
      return { value: await run(work(), answer) };
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      return { error };
    }
  }

  /** What was asked first is answered first. */
  async function endAll(
    works: readonly Asked<() => Work<unknown>>[],
    answer: Answer,
  ): Promise<readonly Ended[]> {
    const ends: Ended[] = [];
    const together: Promise<Ended>[] = [];
    for (const { work, canWait } of works) {
      together.push(end(work, answer));
      if (!canWait) ends.push(...(await allEnded(together.splice(0))));
    }
    ends.push(...(await allEnded(together)));
    return ends;
  }

  const marks = createMarks(now, explainLoss);
  const orLoss = async <T>(transaction: Promise<T>): Promise<T> => {
    try {
      return await transaction;
    } catch (error) {
      throw marks.explain(error);
    }
  };
  const write = createQueue<() => Work<unknown>>({
    async commit(works) {
      const mark = marks.next();
      const ended = await orLoss(
        connection.transaction(
          beginWrite,
          async (answer) => {
            const [, ended] = await allOrFirst([
              Promise.all([marks.check(answer), mark.leave(answer)]),
              endAll(works, answer),
            ]);
            return ended;
          },
          { canRepeat: true, wasDone: mark.isLeft },
        ),
      );
      mark.noteCommit();
      return ended;
    },
  });

  const reading =
    (begin: string) =>
    <T>(work: () => Work<T>) =>
      orLoss(
        connection.transaction(
          begin,
          async (answer) => {
            const [, result] = await allOrFirst([marks.check(answer), run(work(), answer)]);
            return result;
          },
          { canRepeat: true },
        ),
      );

  return {
    write: (work, options) => write(work, options) as Promise<never>,
    read: reading(beginRead),
    snapshot: reading(beginSnapshot),
    // No other process takes it over while this one gives signs of life.
    holdsClaim: () => lease.isSure() && lease.isHeld(),
    checkLoss: (answer) => orLoss(marks.check(answer)),
  };
}

/**
 * Throws the failure of the first one once both have ended: a failure of the work may come of what was lost, and that is
 * said.
 */
async function allOrFirst<A, B>(both: readonly [Promise<A>, Promise<B>]): Promise<readonly [A, B]> {
  await Promise.allSettled(both);
  return Promise.all(both);
}

/** Throws the first failure once all have ended: what is asked after the rollback would not be in the transaction. */
async function allEnded(works: readonly Promise<Ended>[]): Promise<readonly Ended[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
