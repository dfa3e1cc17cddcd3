/** Writes that come together share one commit: each commit waits for the disk. */

import type { Database } from "./database.ts";

/**
 * Gives a function that runs `work` in a transaction with others of the same moment, in the order of the calls.
 * A `work` that throws must have changed nothing: the others are committed all the same.
 */
export function createWriteQueue(database: Database): <T>(work: () => T) => Promise<T> {
  let waiting: Job[] = [];
  let isWorking = false;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await new Promise(setImmediate); // answers that came together are written together
      const jobs = waiting;
      waiting = [];
      try {
        const ends = await database.transaction(() => jobs.map(run));
        for (const end of ends) end();
      } catch (error) {
        for (const { reject } of jobs) reject(error);
      }
    }
    isWorking = false;
  }

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      if (isWorking) return;
      isWorking = true;
      void drain();
    });
}

interface Job {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Thrown by work before it has changed anything; whoever asked hears of it, and the commit goes on. */
export class NotDone extends Error {}

function run({ work, resolve, reject }: Job): () => void {
  try {
    const value = work();
    return () => resolve(value);
  } catch (error) {
    if (!(error instanceof NotDone)) throw error;
    return () => reject(error);
  }
}
