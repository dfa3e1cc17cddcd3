/** Puts results into the order of their rows. */

/** Limits the results that wait for a missing one, and so the memory. */
const mostHeld = 1_000;

interface Numbered {
  readonly row: { readonly position: number };
}

/**
 * Gives results in the order of their rows, from 1. Where too many wait for a row, they go before it. At the end, or
 * after an error, the rest follows in order.
 */
export async function* inRowOrder<T extends Numbered>(results: AsyncIterable<T>): AsyncGenerator<T> {
  const held = new Map<number, T>();
  let next = 1;
  function* release(): Generator<T> {
    for (let result = held.get(next); result; result = held.get(next)) {
      held.delete(next);
      next += 1;
      yield result;
    }
  }
  function* releaseAll(): Generator<T> {
    for (const number of [...held.keys()].sort((a, b) => a - b)) {
      const result = held.get(number);
      held.delete(number);
      next = Math.max(next, number + 1);
      if (result) yield result;
    }
  }
  try {
    for await (const result of results) {
      held.set(result.row.position, result);
      yield* release();
      if (held.size >= mostHeld) yield* releaseAll();
      else if (result.row.position < next && held.delete(result.row.position)) yield result;
    }
  } catch (error) {
    yield* releaseAll();
    throw error;
  }
  yield* releaseAll();
}
