/** Groups writes into shared commits, because each commit waits for the disk. */

import type { Database } from "./database.ts";

/**
 * Runs `work` in a transaction with other pending writes, in the order of the calls, and resolves when it is on the
 * disk. With `canWait` it shares a later commit and does not wait for the disk: a power failure may lose it. A `work`
 * that throws NotDone must have changed nothing: the others are committed.
 */
export type Write = <T>(work: () => T, options?: { readonly canWait: boolean }) => Promise<T>;

/** Long enough for the next request to cause a commit, too short to be noticed. */
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
      await new Promise(setImmediate); // groups writes of answers that arrived together
      const jobs = waiting;
      waiting = [];
      try {
        const ends = await database.transaction(() => jobs.map(run));
        resolveJobs(jobs, ends);
      } catch (error) {
        for (const { reject } of jobs) reject(error);
      }
    }
    isWorking = false;
  }

  /** Jobs that must be on the disk resolve later; the next jobs are committed meanwhile. */
  function resolveJobs(jobs: readonly Job[], ends: readonly (() => void)[]): void {
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

/** Thrown by `work` before it has changed anything: the caller gets it, and the commit continues. */
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
