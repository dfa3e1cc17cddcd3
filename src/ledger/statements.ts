/**
 * What the ledger asks of its database: generators that yield statements and get their rows. So the same code runs on
 * SQLite, which answers at once, and on a server, whose answers are awaited.
 */

import type { SqlRow, SqlValue } from "../sqlite/driver.ts";
import type { OperationName } from "./operation.ts";

/** `?` stands for each value. */
export interface Question {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** A part of a transaction: it asks one question, or several that do not depend on each other. */
export type Work<T> = Generator<Question | readonly Question[], T, readonly SqlRow[]>;

/** For `yield`: the rows that a query finds, or that a change returns. */
export function ask(text: string, ...values: readonly SqlValue[]): Question {
  return { text, values };
}

/** Asks all of them, for one wait on a server. No rows for one that is undefined. */
export function* askTogether<K extends string>(
  questions: Readonly<Record<K, Question | undefined>>,
): Work<Readonly<Record<K, readonly SqlRow[]>>> {
  const asked = Object.values<Question | undefined>(questions).filter((each) => each !== undefined);
  const answers = (yield asked) as readonly unknown[] as (readonly SqlRow[])[];
  const rows = Object.entries(questions).map(([name, each]) => [name, each ? answers.shift() : []]);
  return Object.fromEntries(rows);
}

/** Where the ledger is kept. */
export interface Store {
  /**
   * Runs `work` in a transaction that is the only writer, and resolves when it is on the disk. With `canWait` it shares
   * a later commit: until then a crash loses it. A `work` that throws NotDone must have changed nothing.
   */
  write<T>(work: () => Work<T>, options?: { readonly canWait: boolean }): Promise<T>;
  /** Runs `work`, which only reads. Its statements may see different moments. */
  read<T>(work: () => Work<T>): Promise<T>;
  /** Runs `work`, which only reads, on one snapshot. */
  snapshot<T>(work: () => Work<T>): Promise<T>;
  /** True while this owner may send an operation that it recorded as `sending`. */
  holdsClaim(name: OperationName, owner: number): boolean;
}

/** Runs `work` where each answer is there at once. */
export function runNow<T>(work: Work<T>, answer: (question: Question) => readonly SqlRow[]): T {
  let step = work.next();
  while (!step.done) {
    const asked = step.value;
    step = work.next("text" in asked ? answer(asked) : (asked.map(answer) as never));
  }
  return step.value;
}
