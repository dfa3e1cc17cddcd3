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

/** `IN` with places, and the values for them: few lengths, because each text is prepared once and kept. */
export function inList(values: readonly string[]): readonly [text: string, values: readonly string[]] {
  const places = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)));
  const last = values.at(-1) ?? "";
  return [
    `IN (${"?, ".repeat(places - 1)}?)`,
    [...values, ...new Array<string>(places - values.length).fill(last)],
  ];
}

/** Asks them all, for one wait on a server. No rows for one that is undefined. */
export function* askTogether(
  questions: readonly (Question | undefined)[],
): Work<readonly (readonly SqlRow[])[]> {
  const asked = questions.filter((each) => each !== undefined);
  if (asked.length === 0) return questions.map(() => []);
  const answers = [...((yield asked) as readonly unknown[] as (readonly SqlRow[])[])];
  return questions.map((each) => (each && answers.shift()) ?? []);
}

/** Does two works side by side: what they ask at the same time is asked together. */
export function* sideBySide(one: Work<unknown>, other: Work<unknown>): Work<void> {
  let steps = [one, other].map((work) => ({ work, step: work.next() })).filter(({ step }) => !step.done);
  while (steps.length > 0) {
    const questions = steps.map(({ step }) => [step.value as Question | readonly Question[]].flat());
    const answers = [...(yield* askTogether(questions.flat()))];
    steps = steps
      .map(({ work, step }, index) => {
        const own = answers.splice(0, questions[index]?.length);
        const isOne = "text" in (step.value as object);
        return { work, step: work.next((isOne ? own[0] : own) as never) };
      })
      .filter(({ step }) => !step.done);
  }
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
