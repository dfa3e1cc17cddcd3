/** Owns doing several things at once without losing their order. */

/**
 * Maps items with at most `limit` calls under way, and yields the results in the items' order. The first
 * failure rejects; calls under way are then left to end by themselves, and none is started.
 */
export async function* mapInOrder<T, R>(
  items: Iterable<T>,
  limit: number,
  map: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const iterator = items[Symbol.iterator]();
  const underWay: Promise<R>[] = [];
  const start = () => {
    const next = iterator.next();
    if (next.done) return false;
    const result = map(next.value);
    result.catch(() => {}); // a failure is thrown when its turn comes, not as unhandled before
    underWay.push(result);
    return true;
  };
  while (underWay.length < limit && start());
  for (let result = underWay.shift(); result !== undefined; result = underWay.shift()) {
    yield await result;
    start();
  }
}
