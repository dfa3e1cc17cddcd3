/** Concurrency over a stream of items, with results in the items' order, and a semaphore. */

export interface MapOptions {
  /** Aborts when no further item is to be begun. */
  readonly stop?: AbortSignal;
  /** How many results may wait for a slow one before them; by default `limit`, so nothing is done early. */
  readonly window?: number;
  /** Work cannot be undone: a failure is thrown only after the results of all work in progress. */
  readonly isIrrevocable?: boolean;
}

/**
 * Maps items as they come, at most `limit` at once. After a failure or a stop no further item is begun;
 * items in progress are finished before the failure is thrown.
 */
export async function* mapInOrder<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  limit: number,
  map: (item: T) => Promise<R>,
  { stop, window = limit, isIrrevocable = false }: MapOptions = {},
): AsyncGenerator<R> {
  const iterator = toIterator(items);
  const queue: { result?: PromiseSettledResult<R> }[] = [];
  let inProgress = 0;
  let failure: PromiseRejectedResult | undefined;
  let isDone = false; // no item left, or one has failed
  let wake = () => {};

  async function begin(item: T): Promise<void> {
    const entry: { result?: PromiseSettledResult<R> } = {};
    queue.push(entry);
    inProgress += 1;
    const [result] = await Promise.allSettled([map(item)]);
    if (result) entry.result = result;
    if (result?.status === "rejected") isDone = true;
    inProgress -= 1;
    wake();
  }

  try {
    for (;;) {
      while (!isDone && !stop?.aborted && inProgress < limit && queue.length < window) {
        try {
          const next = await iterator.next();
          if (next.done) isDone = true;
          else void begin(next.value);
        } catch (reason) {
          queue.push({ result: { status: "rejected", reason } }); // after the results of what came before
          isDone = true;
        }
      }
      const [first] = queue;
      if (failure && !(first && isIrrevocable)) throw failure.reason;
      if (!first) return;
      if (!first.result) {
        await completion();
        continue;
      }
      queue.shift();
      if (first.result.status === "rejected") failure ??= first.result;
      else yield first.result.value;
    }
  } finally {
    while (inProgress > 0) await completion();
    await iterator.return?.();
  }

  function completion(): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
    });
  }
}

function toIterator<T>(items: AsyncIterable<T> | Iterable<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}

/**
 * A semaphore: at most `limit` calls run at once, the others wait in their order. Those that still wait when `stop`
 * aborts do not run, and give undefined.
 */
export function createSemaphore(
  limit: number,
  stop: AbortSignal,
): <T>(act: () => Promise<T>) => Promise<T | undefined> {
  const waiting: ((mayRun: boolean) => void)[] = [];
  let free = limit;
  stop.addEventListener(
    "abort",
    () => {
      for (const end of waiting.splice(0)) end(false);
    },
    { once: true },
  );
  return async (act) => {
    if (free > 0) free -= 1;
    else if (stop.aborted || !(await new Promise<boolean>((resolve) => waiting.push(resolve))))
      return undefined;
    try {
      return await act();
    } finally {
      const next = waiting.shift(); // who waits takes over the slot
      if (next) next(true);
      else free += 1;
    }
  };
}
