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

/** A part of a transaction. */
export type Work<T> = Generator<Question, T, readonly SqlRow[]>;

/** For `yield`: the rows that a query finds, or that a change returns. */
export function ask(text: string, ...values: readonly SqlValue[]): Question {
  return { text, values };
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
  while (!step.done) step = work.next(answer(step.value));
  return step.value;
}
