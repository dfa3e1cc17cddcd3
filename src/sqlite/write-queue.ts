/** Groups writes into shared commits, because each commit waits for the disk. */

import type { Database } from "./database.ts";

/**
 * Runs `work` in a transaction with other pending writes, in the order of the calls, and resolves when it is on the
 * disk. With `canWait` it shares a later commit and does not wait for the disk: a power failure may lose it. A `work`
 * that throws NotDone must have changed nothing: the others are committed.
 */
export type Write = <T>(work: () => T, options?: WriteOptions) => Promise<T>;

interface WriteOptions {
  readonly canWait: boolean;
}

/** Thrown by `work` before it has changed anything: the caller gets it, and the commit continues. */
export class NotDone extends Error {}

/** What became of one piece of work in a commit. */
export type Ended = { readonly value: unknown } | { readonly error: NotDone };

/** What was given to the queue. `canWait`: it does not depend on other such work. */
export interface Asked<Work> {
  readonly work: Work;
  readonly canWait: boolean;
}

/** Does work in one transaction. */
export interface Committer<Work> {
  commit(works: readonly Asked<Work>[]): Promise<readonly Ended[]>;
  /** Resolves when all commits so far are on the disk, where a commit alone does not say so. */
  flush?(): Promise<void>;
}

/** Long enough for the next request to cause a commit, too short to be noticed. */
const longestWaitMs = 25;

/** The queue of an SQLite file. */
export function createWriteQueue(database: Pick<Database, "transaction" | "flush">): Write {
  const queue = createQueue<() => unknown>({
    commit: (works) => database.transaction(() => works.map(({ work }) => endNow(work))),
    flush: () => database.flush(),
  });
  return (work, options) => queue(work, options) as Promise<never>;
}

function endNow(work: () => unknown): Ended {
  try {
    return { value: work() };
  } catch (error) {
    if (!(error instanceof NotDone)) throw error;
    return { error };
  }
}

interface Job<Work> extends Asked<Work> {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Resolves with the value of the work, as in Write. */
export function createQueue<Work>({ commit, flush }: Committer<Work>) {
  let waiting: Job<Work>[] = [];
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
        resolveJobs(jobs, await commit(jobs));
      } catch (error) {
        for (const { reject } of jobs) reject(error);
      }
    }
    isWorking = false;
  }

  /** Jobs that must be on the disk resolve later; the next jobs are committed meanwhile. */
  function resolveJobs(jobs: readonly Job<Work>[], ends: readonly Ended[]): void {
    const flushed = jobs.every(({ canWait }) => canWait) ? undefined : flush?.();
    for (const [index, { canWait, resolve, reject }] of jobs.entries()) {
      const ended = ends[index] as Ended;
      const end = () => ("error" in ended ? reject(ended.error) : resolve(ended.value));
      if (canWait || !flushed) end();
      else flushed.then(end, reject);
    }
  }

  return (work: Work, { canWait }: WriteOptions = { canWait: false }): Promise<unknown> =>
    new Promise((resolve, reject) => {
      waiting.push({ work, canWait, resolve, reject });
      if (canWait && !isWorking) timer ??= setTimeout(start, longestWaitMs);
      else start();
    });
}
