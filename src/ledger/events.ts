/** Sequence numbers of what happens at the service, which do not depend on a clock. */

import type { Database } from "../sqlite/database.ts";

export interface Events {
  /** The number of the next event, the first of `count` that are reserved. Called inside a transaction. */
  next(count?: number): number;
}

export function createEvents({ sql }: Database): Events {
  return {
    next: (count = 1) =>
      Number(sql("UPDATE events SET last = last + ? RETURNING last").get(count)?.last) - count + 1,
  };
}
