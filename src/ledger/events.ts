/** Sequence numbers of what happens at the service, which do not depend on a clock. */

import type { Database } from "../sqlite/database.ts";

export interface Events {
  /** The number of the next event. Called inside a transaction. */
  next(): number;
}

export function createEvents({ sql }: Database): Events {
  return { next: () => Number(sql("UPDATE events SET last = last + 1 RETURNING last").get()?.last) };
}
