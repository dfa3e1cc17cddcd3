/** The number of a new order in the mirror, which grows with the time when the order was created. */

import type { Database } from "../sqlite/database.ts";

/** 2000-01-01, so that numbers are small. */
const firstMs = Date.UTC(2000, 0, 1);
/** Numbers that orders created in one second have: more of them make the index larger. */
const partsOfSecond = 64;
/** Numbers that are tried one after the other; where many orders are of one second, each further one is farther. */
const longestSearch = 256;

/** Seconds with many orders whose last search is remembered. */
const mostRemembered = 1_000;

/**
 * Finds the part of a second in which an order was created, or a free number near it on the side of its id: lists come
 * newest first. A service may write whole seconds: then its id says which part.
 */
export function createNumberFinder(
  sql: Database["sql"],
): (id: string, createdAt: string | undefined, seenAtMs: number) => number {
  // Each of many orders of one second would try the numbers of all others.
  const lastAttempts = new Map<number, number>();
  const isFree = (number: number) => sql("SELECT 1 FROM orders WHERE number = ?").get(number) === undefined;

  return (id, createdAt, seenAtMs) => {
    const stampMs = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
    const createdMs = (Number.isNaN(stampMs) ? seenAtMs : stampMs) - firstMs;
    const part = createdMs % 1_000 === 0 ? Number(id) % partsOfSecond || 0 : 0;
    const first = Math.max(1, Math.floor((createdMs / 1_000) * partsOfSecond) + part);
    const taken = sql("SELECT id FROM orders WHERE number = ?").get(first);
    if (taken === undefined) return first;
    const step = Number(id) < Number(taken.id) ? -1 : 1;
    for (let attempt = (lastAttempts.get(first * step) ?? 0) + 1; ; attempt++) {
      const spread = attempt < longestSearch ? attempt : attempt * attempt;
      const number = first + step * spread;
      // Below the first number there is none.
      const found = number < 1 ? first + spread : number;
      if (!isFree(found)) continue;
      if (lastAttempts.size >= mostRemembered) lastAttempts.clear();
      lastAttempts.set(first * step, attempt);
      return found;
    }
  };
}
