/** Numbers what happens at the service, in the order in which the ledger knows it: no clock can change that. */

import type { Database } from "../sqlite/database.ts";

export interface Events {
  /** The number of the next event. Called inside a transaction. */
  next(): number;
}

export function createEvents({ sql }: Database): Events {
  return { next: () => Number(sql("UPDATE events SET last = last + 1 RETURNING last").get()?.last) };
}
