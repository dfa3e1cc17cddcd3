/** "Did you mean": the known word nearest to a misspelt one (owner of fastest-levenshtein). */

import { closest, distance } from "fastest-levenshtein";

/** The known word within a third of its length in edits, or undefined. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  // Words that differ more in length cannot be near. A search among them would take minutes for a very long word.
  const possible = known.filter((each) => Math.abs(each.length - word.length) <= mostEdits(each));
  if (possible.length === 0) return undefined;
  const nearest = closest(word, possible);
  return distance(word, nearest) <= mostEdits(nearest) ? nearest : undefined;
}

/** The known word that another one differs from by one or two letters, or by case; undefined for a known word. */
export function findNearMiss(word: string, known: readonly string[]): string | undefined {
  const small = word.toLowerCase();
  const possible = known.filter((each) => Math.abs(each.length - small.length) <= 2);
  if (known.includes(word) || possible.length === 0) return undefined;
  const nearest = closest(small, possible);
  return distance(small, nearest) <= 2 ? nearest : undefined;
}

/**
 * Whether a word may be a misspelt `known`: at most two edits, and at most one for three letters. Two neighbours that
 * changed places are one edit.
 */
export function isNear(word: string, known: string): boolean {
  const most = Math.min(2, Math.floor(word.length / 3));
  if (Math.abs(known.length - word.length) > most) return false;
  const isSwapped = [...word].some(
    (_letter, at) => at > 0 && word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1) === known,
  );
  return (isSwapped && most > 0) || distance(word, known) <= most;
}

function mostEdits(known: string): number {
  return Math.max(2, Math.floor(known.length / 3));
}
