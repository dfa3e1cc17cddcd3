/** Writes that come together share one commit: each commit waits for the disk. */

import type { Database } from "./database.ts";

/**
 * Runs `work` in a transaction with others of the same moment, in the order of the calls, and resolves when it is on
 * the disk. With `canWait` it shares the commit of a later call, which comes soon, and does not wait for the disk: a
 * power failure may take it. A `work` that throws NotDone must have changed nothing: the others are committed.
 */
export type Write = <T>(work: () => T, options?: { readonly canWait: boolean }) => Promise<T>;

/** Long enough for the next request to bring a commit of its own, too short to be noticed. */
const longestWaitMs = 25;

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
        settle(jobs, ends);
      } catch (error) {
        for (const { reject } of jobs) reject(error);
      }
    }
    isWorking = false;
  }

  /** What must be on the disk resolves later; the next jobs are committed meanwhile. */
  function settle(jobs: readonly Job[], ends: readonly (() => void)[]): void {
    const flushed = jobs.every(({ canWait }) => canWait) ? undefined : database.flush();
    for (const [index, { canWait, reject }] of jobs.entries()) {
      const end = ends[index] ?? (() => {});
      if (canWait || !flushed) end();
      else flushed.then(end, reject);
    }
  }

  return (work, { canWait } = { canWait: false }) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, canWait, resolve: resolve as (value: unknown) => void, reject });
      if (canWait && !isWorking) timer ??= setTimeout(start, longestWaitMs);
      else start();
    });
}

interface Job {
  readonly work: () => unknown;
  readonly canWait: boolean;
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
