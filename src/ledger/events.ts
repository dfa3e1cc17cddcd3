/** Sequence numbers of what happens at the service, which do not depend on a clock. */

import { ask, type Work } from "./statements.ts";

/** The number of the next event, the first of `count` that are reserved. */
export function* nextEvent(count = 1): Work<number> {
  const [row] = yield ask("UPDATE events SET last = last + ? RETURNING last", count);
  return Number(row?.last) - count + 1;
}
