/** Rows that are read until a signal comes. */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { RowsOptions } from "./rows.ts";

/** The same source, but a signal ends each reading of it: for what is done before anything is sent. */
export function untilAborted<T extends Pick<RowsOptions, "content" | "table">>(
  source: T,
  signal: AbortSignal,
): T {
  const { content, table } = source;
  const read = table && (() => stopping(table.read(), rowsAtOnce, signal));
  return {
    ...source,
    content: () => stopping(content(), 1, signal),
    ...(read ? { table: { ...table, read } } : {}),
  };
}

/** They take as long as a piece of a text. */
const rowsAtOnce = 500;

/** What is in memory is read without a turn of the event loop, and signals come only in one. */
async function* stopping<T>(items: AsyncIterable<T>, atOnce: number, signal: AbortSignal): AsyncGenerator<T> {
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count % atOnce !== 0) continue;
    await nextTurn();
    signal.throwIfAborted();
  }
}
