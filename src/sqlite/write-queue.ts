/** Writes that come together share one commit: each commit waits for the disk. */

import type { Database } from "./database.ts";

/**
 * Runs `work` in a transaction with others of the same moment, in the order of the calls. With `canWait` it shares
 * the commit of a later call, which comes within a few milliseconds or is made then. A `work` that throws NotDone
 * must have changed nothing: the others are committed.
 */
export type Write = <T>(work: () => T, options?: { readonly canWait: boolean }) => Promise<T>;

/** Long enough for the next request to bring a commit of its own, too short to be noticed. */
const longestWaitMs = 5;

export function createWriteQueue(database: Database): Write {
  let waiting: Job[] = [];
  let isWorking = false;
  let timer: NodeJS.Timeout | undefined;

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWorking) return;
    isWorking = true;
    void drain();
  }

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

  return (work, { canWait } = { canWait: false }) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      if (canWait && !isWorking) timer ??= setTimeout(start, longestWaitMs);
      else start();
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
