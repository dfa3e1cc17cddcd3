/** Rows that are read until a signal comes. */

import type { RowsOptions } from "./rows.ts";

/** The same source, but a signal ends each reading of it: for what is done before anything is sent. */
export function untilAborted<T extends Pick<RowsOptions, "content" | "table">>(
  source: T,
  signal: AbortSignal,
): T {
  const { content, table } = source;
  return {
    ...source,
    content: () => stopping(content(), signal),
    ...(table ? { table: { ...table, read: () => stopping(table.read(), signal) } } : {}),
  };
}

async function* stopping<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}
