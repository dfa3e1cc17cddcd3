/** Owns "did you mean": the known word nearest to a misspelt one (owner of fastest-levenshtein). */

import { closest, distance } from "fastest-levenshtein";

/** The known word within a third of its length in edits, or undefined. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const nearest = closest(word, [...known]);
  return distance(word, nearest) <= Math.max(2, Math.floor(nearest.length / 3)) ? nearest : undefined;
}
